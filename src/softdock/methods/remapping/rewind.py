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
from softdock.loop.method.interface import Past, Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.vectors import ZERO, add_scaled, dot
from softdock.methods.remapping.keys import Remapping
from softdock.methods.remapping.state import STATE, find_past
from softdock.methods.remapping.wanted_contact import Model, compute_overlap, elastic_energy
from softdock.methods.remapping.wanted_motion import recompute_cycle


@compiled
def note_state(method: Remapping, mem, stamp, satellites: Satellites):
    """The satellites at a stamp; of the cycle that begins there nothing is known yet."""
    row = find_past(method, mem, stamp)
    row.satellites = satellites
    row.others = Wrenches(no_wrench(), no_wrench())
    row.force = ZERO


@compiled
def note_cycle(method: Remapping, mem, stamp, others: Wrenches, force):
    row = find_past(method, mem, stamp)
    row.others = others
    row.force = force


@noinline
def _find_begin(method: Remapping, mem, rig: Rig, model: Model, latest):
    """The stamp from which to recompute: the newest without overlap, not after `latest`, or the
    oldest that there is."""
    s = STATE(mem, method.memory)
    oldest = max(rig.cycle - method.rows + 1, max(s.free_since, 0))
    stamp = max(latest, oldest)
    overlap = compute_overlap(model, find_past(method, mem, stamp).satellites)
    while stamp > oldest and overlap > 0.0:
        stamp -= 1
        overlap = compute_overlap(model, find_past(method, mem, stamp).satellites)
    if overlap > 0.0:
        s.too_short += 1
    return stamp


@noinline
def rewind(method: Remapping, mem, rig: Rig, model: Model, latest):
    """The satellites at t_k as they would be had the contact been known in time, how many cycles
    that took, and the work it took from them [J].

    `latest`: the newest stamp at which no force of this contact had acted yet. Where the past is
    too short, the contact begins with an overlap: its energy is returned next [J]; it came from
    nowhere. Last, the contact's impulse on the chaser and its largest force squared [Ns, N^2].
    """
    now = rig.cycle
    first = _find_begin(method, mem, rig, model, latest)
    satellites = find_past(method, mem, first).satellites
    jump = elastic_energy(model.law, compute_overlap(model, satellites))
    taken, impulse, peak_squared = -jump, ZERO, 0.0
    for stamp in range(first, now):
        row = find_past(method, mem, stamp)
        after, mean, lost = recompute_cycle(rig, model, satellites, method.substeps, row.others)
        taken += lost
        force = mean.chaser.force
        impulse, peak_squared = (
            add_scaled(impulse, rig.T, force),
            max(peak_squared, dot(force, force)),
        )
        row.force = force
        find_past(method, mem, stamp + 1).satellites = after
        satellites = after
    taken += elastic_energy(model.law, compute_overlap(model, satellites))
    return satellites, now - first, taken, jump, impulse, peak_squared


@compiled
def recall_past(method: Remapping, mem, stamp):
    """The past that was recomputed in this cycle."""
    force = find_past(method, mem, stamp - 1).force
    return Past(find_past(method, mem, stamp).satellites, force, dot(force, force))
