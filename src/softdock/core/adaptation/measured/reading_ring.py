"""Readings of the last cycles, so that force and pose of one instant can be paired though they
arrive at different ages.

One entry per cycle: instant of the force, wrenches on both bodies, instant of the poses, both
poses, and six running sums of the controller's own. Instants never fall. `*_at(t)` interpolates
linearly (attitudes along the shortest turn); before the oldest entry it gives the oldest.
"""

from __future__ import annotations

from softdock.core.adaptation.interface import Output, Wrenches
from softdock.core.adaptation.measured.motions import load_wrenches, store_pair, store_wrenches
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart, compiled
from softdock.core.rings import Ring, bracket, row_of
from softdock.core.spatial.motion import (
    POSE,
    POSE_FLOATS,
    Motion,
    Wrench,
    store_pose,
)
from softdock.core.spatial.rotations import exponential, product, rotation_from_to
from softdock.core.spatial.vectors import add, load3, load4, scale, subtract

ENTRY_CELLS = Cells(
    "reading",
    Cell("force_time", 1, "s", "instant of the force"),
    Cell("wrenches", 12, "N, Nm", "on both bodies"),
    Cell("pose_time", 1, "s", "instant of the poses"),
    Cell("poses", 2 * POSE_FLOATS, "m, -", "of both mock-ups"),
    Cell("sum_time", 1, "s", "instant of the sums"),
    Cell("sums", 6, "-", "running sums of the controller's own"),
)
ATTITUDE = POSE.at.q
ENTRY, ENTRY_FLOATS = ENTRY_CELLS.at, ENTRY_CELLS.size


@compiled
def readings(at, cycles):
    """The ring of some cycles' readings, from its first float in `mem`."""
    return Ring(at, cycles, ENTRY_FLOATS)


@apart
def keep(mem, ring, cycle, t, measured, sums):
    """The readings delivered at t [s], cycle by cycle; `sums`: two vectors."""
    here = row_of(ring, cycle)
    mem[here + ENTRY.force_time], mem[here + ENTRY.pose_time], mem[here + ENTRY.sum_time] = (
        t - measured.force_age,
        t - measured.pose_age,
        t,
    )
    store_wrenches(mem, here + ENTRY.wrenches, measured.wrenches)
    store_pose(mem, here + ENTRY.poses, measured.mock_ups.chaser)
    store_pose(mem, here + ENTRY.poses + POSE_FLOATS, measured.mock_ups.target)
    store_pair(mem, here + ENTRY.sums, sums[0], sums[1])


@compiled
def _between3(mem, a, b, s):
    first = load3(mem, a)
    return add(first, scale(s, subtract(load3(mem, b), first)))


@compiled
def _pose_between(mem, a, b, s):
    q = load4(mem, a + ATTITUDE)
    if s > 0.0:
        q = product(exponential(scale(s, rotation_from_to(q, load4(mem, b + ATTITUDE)))), q)
    return Motion(_between3(mem, a, b, s), q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@apart
def wrenches_at(mem, ring, cycle, t):
    a, b, s = bracket(mem, ring, cycle, ENTRY.force_time, t)
    if a == b:
        return load_wrenches(mem, a + ENTRY.wrenches)
    a, b = a + ENTRY.wrenches, b + ENTRY.wrenches
    chaser = Wrench(_between3(mem, a, b, s), _between3(mem, a + 3, b + 3, s))
    return Wrenches(
        chaser, Wrench(_between3(mem, a + 6, b + 6, s), _between3(mem, a + 9, b + 9, s))
    )


@apart
def poses_at(mem, ring, cycle, t):
    """Both mock-ups; without twist."""
    a, b, s = bracket(mem, ring, cycle, ENTRY.pose_time, t)
    a, b = a + ENTRY.poses, b + ENTRY.poses
    return Output(
        _pose_between(mem, a, b, s), _pose_between(mem, a + POSE_FLOATS, b + POSE_FLOATS, s)
    )


@apart
def sums_at(mem, ring, cycle, t):
    a, b, s = bracket(mem, ring, cycle, ENTRY.sum_time, t)
    return _between3(mem, a + ENTRY.sums, b + ENTRY.sums, s), _between3(
        mem, a + ENTRY.sums + 3, b + ENTRY.sums + 3, s
    )
