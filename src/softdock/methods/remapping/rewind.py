"""The satellites' recent past, and how it is recomputed when a real contact shows that they had
touched already (Lange IV-F).

A ring of the last cycles: satellites at each stamp, what others (thrusters, other methods) gave
them in the cycle that begins there, the contact's force in it. When the environment is first seen,
the newest stamp at which the satellites did not yet overlap it is looked for, and from there on
every cycle is recomputed. Both loops are bounded by the ring's length, so a cycle has a largest
cost.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Past, Wrenches
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.vectors import add_scaled, dot, load3, store3
from softdock.methods.measured.motions import (
    load_satellites,
    load_wrenches,
    store_satellites,
    store_wrenches,
)
from softdock.methods.remapping.cells import CELL, PAST, PAST_FLOATS, RING_AT
from softdock.methods.remapping.wanted_contact import elastic_energy, overlap_of
from softdock.methods.remapping.wanted_motion import desired_cycle


@compiled
def row_at(method, stamp):
    """First float of a stamp's row."""
    return row_of(Ring(method.memory + RING_AT, method.rows, PAST_FLOATS), stamp)


@compiled
def note_state(method, mem, stamp, satellites):
    """The satellites at a stamp; of the cycle that begins there nothing is known yet."""
    at = row_at(method, stamp)
    store_satellites(mem, at, satellites)
    store_wrenches(mem, at + PAST.others, Wrenches(no_wrench(), no_wrench()))
    store3(mem, at + PAST.force, (0.0, 0.0, 0.0))


@compiled
def note_cycle(method, mem, stamp, others, force):
    at = row_at(method, stamp)
    store_wrenches(mem, at + PAST.others, others)
    store3(mem, at + PAST.force, force)


@noinline
def _begin(method, mem, rig, model, latest):
    """The stamp from which to recompute: the newest without overlap, not after `latest`, or the
    oldest that there is."""
    oldest = max(rig.cycle - method.rows + 1, max(int(mem[method.memory + CELL.free_since]), 0))
    stamp = max(latest, oldest)
    overlap = overlap_of(model, load_satellites(mem, row_at(method, stamp)))
    while stamp > oldest and overlap > 0.0:
        stamp -= 1
        overlap = overlap_of(model, load_satellites(mem, row_at(method, stamp)))
    if overlap > 0.0:
        mem[method.memory + CELL.too_short] += 1.0
    return stamp


@noinline
def rewind(method, mem, rig, model, latest):
    """The satellites at t_k as they would be had the contact been known in time, how many cycles
    that took, and the work it took from them [J].

    `latest`: the newest stamp at which no force of this contact had acted yet. Where the past is
    too short, the contact begins with an overlap: its energy is returned next [J]; it came from
    nowhere. Last, the contact's impulse on the chaser and its largest force squared [Ns, N^2].
    """
    now = rig.cycle
    first = _begin(method, mem, rig, model, latest)
    satellites = load_satellites(mem, row_at(method, first))
    jump = elastic_energy(model.law, overlap_of(model, satellites))
    taken, impulse, peak_squared = -jump, (0.0, 0.0, 0.0), 0.0
    for stamp in range(first, now):
        at = row_at(method, stamp)
        others = load_wrenches(mem, at + PAST.others)
        after, mean, lost = desired_cycle(rig, model, satellites, method.substeps, others)
        taken += lost
        force = mean.chaser.force
        impulse, peak_squared = (
            add_scaled(impulse, rig.T, force),
            max(peak_squared, dot(force, force)),
        )
        store3(mem, at + PAST.force, force)
        store_satellites(mem, row_at(method, stamp + 1), after)
        satellites = after
    taken += elastic_energy(model.law, overlap_of(model, satellites))
    return satellites, now - first, taken, jump, impulse, peak_squared


@compiled
def past(method, mem, stamp):
    """The past that was recomputed in this cycle."""
    force = load3(mem, row_at(method, stamp - 1) + PAST.force)
    return Past(load_satellites(mem, row_at(method, stamp)), force, dot(force, force))
