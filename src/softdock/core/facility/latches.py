"""The latches between the mock-ups over one step of the plant: engage, pull in, go hard, break.

In: the motions of both mock-ups (world axes). Out: the latches' wrenches on both, and their states
in `mem`. contact/latch.py has the law, orbit/latches.py the same for the satellites in orbit.
"""

from __future__ import annotations

from softdock.core.contact import Contact
from softdock.core.contact.latch import (
    IN_LATCH,
    LATCH_FLOATS,
    Latch,
    break_open,
    follow_latch,
    is_holding,
    is_overloaded,
    keep_peaks,
    latch_load,
    may_engage,
)
from softdock.core.contact.latch_keys import LATCH, LATCH_KEYS
from softdock.core.contact.seat import CAPTURES
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import is_full
from softdock.core.machine.vector import CAPTURE_AT, LATCHES_AT, PAIRS_MEM
from softdock.core.shapes.pair import PAIR_FLOATS, pair_here
from softdock.core.spatial.vectors import add

PAIR_OF = LATCH.at.pair


@compiled
def _no_latches(features, params, vector, mem, contact, there, t, dt):
    return contact, False


@apart
def _latches(features, params, vector, mem, contact, there, t, dt):
    chaser, target = there
    force, torque_chaser, torque_target = (
        contact.force,
        contact.torque_chaser,
        contact.torque_target,
    )
    stored, dissipated, peak, holds = (
        contact.stored,
        contact.dissipated,
        contact.peak_squared,
        False,
    )
    hold = vector[CAPTURE_AT + CAPTURES.hold]
    for i in range(params.latches):
        base, at = LATCHES_AT + i * LATCH_KEYS, params.memory.latches + i * LATCH_FLOATS
        index = int(vector[base + PAIR_OF])
        pair = pair_here(params.pairs, mem, PAIRS_MEM + index * PAIR_FLOATS, index)
        latch = Latch(base=base, wanted=0, at=at, pair=pair, hold=hold)
        is_seated = may_engage(vector, CAPTURE_AT, latch, chaser, target)
        follow_latch(vector, mem, latch, is_seated, t, chaser, target)
        if not is_holding(int(mem[at + IN_LATCH.state])):
            continue
        load = latch_load(vector, mem, latch, t, chaser, target)
        keep_peaks(mem, at, load)
        mem[at + IN_LATCH.driven] += 0.5 * dt * (mem[at + IN_LATCH.driving] + load.driving)
        mem[at + IN_LATCH.driving] = load.driving
        if is_overloaded(vector, base, load):
            break_open(mem, at, t, load)
            continue
        holds = True
        force, torque_chaser = add(force, load.force), add(torque_chaser, load.torque_chaser)
        torque_target = add(torque_target, load.torque_target)
        stored += load.stored
        dissipated += load.dissipated
        peak = max(peak, load.force_squared)
    whole = Contact(
        force=force,
        torque_chaser=torque_chaser,
        torque_target=torque_target,
        stored=stored,
        dissipated=dissipated,
        depth=contact.depth,
        pair=contact.pair,
        peak_squared=peak,
    )
    return whole, holds


@by_type(lambda cls: _latches if is_full(cls) else _no_latches)
def with_latches(features, params, vector, mem, contact, there, t, dt):
    """The contact with what latches add at time t [s], after a plant step of dt [s]; and whether
    any holds. `there`: both mock-ups at t."""
