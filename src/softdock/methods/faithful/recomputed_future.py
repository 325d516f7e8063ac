"""Set-points ahead of a recomputed past: where it leads after the lead of each robot.

They are computed before the past takes over (recomputed_past.py), some cycles in each cycle, so
that no cycle has to compute the whole of both. In and out: satellites in the method's cells.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import TARGET
from softdock.methods.faithful.cells import CELL, FUTURE, FUTURE_FLOATS
from softdock.methods.faithful.recomputed_past import MOST_STEPS
from softdock.methods.faithful.satellite_steps import Twin, believed_cycle, flown
from softdock.methods.faithful.touches import copy_latches
from softdock.methods.measured.motions import load_satellites, store_satellites

ONE_LEAD = 1e-9  # s; leads that differ by less are one
AGED = 16.0  # cycles in which others have pushed, after which a future is computed whole


@compiled
def has_own_future(mem, m, which):
    """Whether a robot's future is another than the present, and than the chaser's."""
    lead = mem[m + CELL.leads + which]
    return lead > 0.0 and (which == 0 or abs(lead - mem[m + CELL.leads]) >= ONE_LEAD)


@compiled
def _begin(mem, m, rig, at, lead):
    """Begin at the newest instant that the recomputed past has reached."""
    for i in range(FUTURE_FLOATS):
        mem[at + i] = 0.0
    store_satellites(mem, at + FUTURE.satellites, load_satellites(mem, m + CELL.shadow))
    copy_latches(mem, m + CELL.shadow_latches, at + FUTURE.latches)
    mem[at + FUTURE.stamp], mem[at + FUTURE.lead] = float(rig.cycle), lead
    mem[at + FUTURE.left] = math.ceil(lead / rig.T - 1e-9)


@noinline
def _carry(method, mem, rig, at, steps_left):
    """One robot's future, first over its lead, then with the present; the steps that are left."""
    m, found = method.memory, load_satellites(mem, at + FUTURE.satellites)
    lead, left, stamp = mem[at + FUTURE.lead], mem[at + FUTURE.left], mem[at + FUTURE.stamp]
    twin = Twin(m + CELL.pairs, at + FUTURE.latches, m + CELL.shadow_laws, method.number)
    while steps_left > 0 and (left > 0.0 or stamp < rig.cycle):
        dt = lead / math.ceil(lead / rig.T - 1e-9) if left > 0.0 else rig.T
        found, steps, _ = believed_cycle(mem, twin, rig, found, dt)
        if steps == 0:
            found = flown(rig, found, dt)
        steps_left -= steps + 1
        if left > 0.0:
            left -= 1.0
        else:
            stamp += 1.0
    store_satellites(mem, at + FUTURE.satellites, found)
    mem[at + FUTURE.left], mem[at + FUTURE.stamp] = left, stamp
    return steps_left


@noinline
def carry_futures(method, mem, rig):
    """Some cycles of what is ahead of a past that has caught up; whether all is known."""
    m, ready, steps_left = method.memory, True, MOST_STEPS
    for which in range(2):
        if not has_own_future(mem, m, which):
            continue
        at = m + CELL.shadow_futures + which * FUTURE_FLOATS
        if mem[at + FUTURE.stamp] < 0.0:
            _begin(mem, m, rig, at, mem[m + CELL.leads + which])
        steps_left = _carry(method, mem, rig, at, steps_left)
        ready = ready and mem[at + FUTURE.left] == 0.0 and mem[at + FUTURE.stamp] == rig.cycle
    return ready


@compiled
def take_futures(mem, m):
    """Make the prepared set-points the satellites' own; where others push, they are computed
    whole."""
    for i in range(2 * FUTURE_FLOATS):
        mem[m + CELL.futures + i] = mem[m + CELL.shadow_futures + i]
    mem[m + CELL.futures + FUTURE.age] = AGED
    mem[m + CELL.futures + FUTURE_FLOATS + FUTURE.age] = AGED


assert TARGET == 1  # of `which`
