"""Latches in orbit: the same law and the same states as between the mock-ups
(loop/contact/latch.py), with the wanted numbers, on the satellites' own motion. What is at its seat
and what is overloaded are modes: the instants at which they change are located as those of a touch
(flight.py). Steps end when a latch engages and when it goes hard.

An orbit without latches is compiled without any of this: `setup.latches` is a `NoLatches` then.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.contact.latch import (
    LATCH_CELLS,
    LATCH_FLOATS,
    LATCH_LAW,
    Latch,
    break_latch,
    follow_latch,
    is_holding,
    is_overloaded,
    latch_load,
    may_engage,
    update_peaks,
    wanted_law,
)
from softdock.loop.contact.latch_keys import LATCH, LATCH_KEYS, MOST_LATCHES
from softdock.loop.contact.pair import kind_in, load_pair
from softdock.loop.contact.seat import CAPTURE
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.vectors import add, norm
from softdock.loop.vector import CAPTURE_AT, LATCHES_AT
from softdock.reference.attached import Latches
from softdock.reference.closing import largest_mobility
from softdock.reference.setup import pair_at
from softdock.reference.touch_forces import Push

HOLDING, SEATED, OVERLOADED = 1, 1 << MOST_LATCHES, 1 << (2 * MOST_LATCHES)  # bits of latch 0


class LatchInspection(NamedTuple):
    bits: int  # of the mode
    stored: float  # J
    pace: float  # 1/s^2, fastest frequency squared
    damping: float  # 1/s


@compiled
def _keys(i):
    return LATCHES_AT + i * LATCH_KEYS


@compiled
def _state_at(latches, i):
    return latches.memory + i * LATCH_FLOATS


@compiled
def _state(latches, mem, i):
    return LATCH_CELLS(mem, _state_at(latches, i))


@compiled
def _pair_of(vector, mem, i):
    at = pair_at(int(LATCH(vector, _keys(i)).pair))
    return load_pair(mem, at, kind_in(mem, at))


@compiled
def _latch(latches, vector, mem, i):
    base = _keys(i)
    return Latch(
        base=base,
        law=wanted_law(vector, base),
        at=_state_at(latches, i),
        pair=_pair_of(vector, mem, i),
        hold=CAPTURE(vector, CAPTURE_AT).hold,
    )


@compiled
def is_latched(mode):
    """Whether any latch holds."""
    return mode.latch & (SEATED - HOLDING) != 0


@noinline
def _pull(latches, push, vector, mem, t, chaser, target):
    force, torque_chaser, torque_target = push.force, push.torque_chaser, push.torque_target
    power, dissipated, driven = push.power, push.dissipated, push.driven
    for i in range(latches.number):
        if not is_holding(_state(latches, mem, i).state):
            continue
        load = latch_load(vector, mem, _latch(latches, vector, mem, i), t, chaser, target)
        force, torque_chaser = add(force, load.force), add(torque_chaser, load.torque_chaser)
        torque_target = add(torque_target, load.torque_target)
        power += load.power
        dissipated += load.dissipated
        driven += load.driving
    return Push(
        force=force,
        torque_chaser=torque_chaser,
        torque_target=torque_target,
        power=power,
        dissipated=dissipated,
        driven=driven,
    )


@compiled
def _pull_none(latches, push, vector, mem, t, chaser, target):
    return push


@by_type(lambda cls: _pull if cls is Latches else _pull_none)
def add_latches(latches, push, vector, mem, t, chaser, target):
    """What pushes at time t, with the latches that hold."""


@compiled
def _largest(a):
    return max(a[0], max(a[1], a[2]))


@noinline
def _look(latches, vector, setup, mem, t, chaser, target):
    bits, stored, pace, damping = 0, 0.0, 0.0, 0.0
    turning = setup.nimble_chaser + setup.nimble_target
    for i in range(latches.number):
        latch = _latch(latches, vector, mem, i)
        if not is_holding(_state(latches, mem, i).state):
            if may_engage(vector, CAPTURE_AT, latch, chaser, target):
                bits |= SEATED << i
            continue
        bits |= HOLDING << i
        load = latch_load(vector, mem, latch, t, chaser, target)
        stored += load.stored
        if is_overloaded(vector, latch.base, load):
            bits |= OVERLOADED << i
        law = LATCH_LAW(vector, latch.law)
        far = norm(LATCH(vector, latch.base).place)
        mobility = largest_mobility(setup, norm(latch.pair.tip), far)
        pace += _largest(law.along) * mobility
        pace += _largest(law.about) * turning
        damping += _largest(law.along_damping) * mobility
        damping += _largest(law.about_damping) * turning
    return LatchInspection(bits, stored, pace, damping)


@compiled
def _look_none(latches, vector, setup, mem, t, chaser, target):
    return LatchInspection(0, 0.0, 0.0, 0.0)


@by_type(lambda cls: _look if cls is Latches else _look_none)
def inspect_latches(latches, vector, setup, mem, t, chaser, target):
    """Their part of the mode, and how fast the motion under them may be."""


@noinline
def _events(latches, vector, setup, mem, mode, both, t):
    chaser, target = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    due, changed = math.inf, False
    for i in range(latches.number):
        latch, s = _latch(latches, vector, mem, i), _state(latches, mem, i)
        before = s.state
        if is_holding(before):
            load = latch_load(vector, mem, latch, t, chaser, target)
            update_peaks(s, load)
            if mode.latch & (OVERLOADED << i) != 0:
                break_latch(s, t, load)
        is_seated = mode.latch & (SEATED << i) != 0
        next_time = follow_latch(vector, mem, latch, is_seated, t, chaser, target)
        if next_time > t:
            due = min(due, next_time)
        changed = changed or s.state != before
    return due, changed


@compiled
def _events_none(latches, vector, setup, mem, mode, both, t):
    return math.inf, False


@by_type(lambda cls: _events if cls is Latches else _events_none)
def latch_events(latches, vector, setup, mem, mode, both, t):
    """Latches after a piece of the motion: when one changes next by the clock [s], and whether any
    has changed now."""


@noinline
def _switched(latches, mem):
    driven, lost = 0.0, 0.0
    for i in range(latches.number):
        s = _state(latches, mem, i)
        driven += s.driven
        lost += s.lost
    return driven, lost


@compiled
def _switched_none(latches, mem):
    return 0.0, 0.0


@by_type(lambda cls: _switched if cls is Latches else _switched_none)
def switched(latches, mem):
    """Energy that drives gave by going hard, and that broken latches lost [J]."""
