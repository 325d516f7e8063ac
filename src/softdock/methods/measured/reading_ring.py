"""Readings of the last cycles, so that force and pose of one instant can be paired though they
arrive at different ages.

One entry per cycle: instant of the force, wrenches on both bodies, instant of the poses, both
poses, and six running sums of the controller's own. Instants never fall. `*_at(t)` interpolates
linearly (attitudes along the shortest turn); before the oldest entry it gives the oldest.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Output, Wrenches
from softdock.loop.rings import Ring, bracket, row_of
from softdock.loop.spatial.motion import Motion, Pose, Wrench
from softdock.loop.spatial.rotations import exponential, product, rotation_from_to
from softdock.loop.spatial.vectors import Vector, add, scale, subtract

READING = Cells(
    "reading",
    Cell("force_time", float, "s", "instant of the force"),
    Cell("wrenches", Wrenches, "N, Nm", "on both bodies"),
    Cell("pose_time", float, "s", "instant of the poses"),
    Cell("poses", (Pose, Pose), "m, -", "of both mock-ups"),
    Cell("sum_time", float, "s", "instant of the sums"),
    Cell("sums", (Vector, Vector), "-", "running sums of the controller's own"),
)


@compiled
def place_ring(at, cycles):
    """The ring of some cycles' readings, from its first float in `mem`."""
    return Ring(at, cycles, READING.size)


@noinline
def store_reading(mem, ring: Ring, cycle, t, measured: Measured, sums):
    """The readings delivered at t [s], cycle by cycle; `sums`: two vectors."""
    here, poses = READING(mem, row_of(ring, cycle)), measured.mock_ups
    here.force_time, here.pose_time = t - measured.force_age, t - measured.pose_age
    here.wrenches = measured.wrenches
    here.poses = (
        Pose(poses.chaser.p, poses.chaser.q),
        Pose(poses.target.p, poses.target.q),
    )
    here.sum_time, here.sums = t, sums


@compiled
def _between(a, b, s):
    return add(a, scale(s, subtract(b, a)))


@compiled
def _wrench_between(a: Wrench, b: Wrench, s):
    return Wrench(_between(a.force, b.force, s), _between(a.torque, b.torque, s))


@compiled
def _pose_between(a: Pose, b: Pose, s):
    q = a.q
    if s > 0.0:
        q = product(exponential(scale(s, rotation_from_to(q, b.q))), q)
    return Motion(_between(a.p, b.p, s), q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@noinline
def interpolate_wrenches(mem, ring: Ring, cycle, t):
    first, second, s = bracket(mem, ring, cycle, READING.at.force_time, t)
    a, b = READING(mem, first).wrenches, READING(mem, second).wrenches
    if first == second:
        return a
    return Wrenches(_wrench_between(a.chaser, b.chaser, s), _wrench_between(a.target, b.target, s))


@noinline
def interpolate_motions(mem, ring: Ring, cycle, t):
    """Both mock-ups; without twist."""
    first, second, s = bracket(mem, ring, cycle, READING.at.pose_time, t)
    a, b = READING(mem, first).poses, READING(mem, second).poses
    return Output(_pose_between(a[0], b[0], s), _pose_between(a[1], b[1], s))


@noinline
def interpolate_sums(mem, ring: Ring, cycle, t):
    first, second, s = bracket(mem, ring, cycle, READING.at.sum_time, t)
    a, b = READING(mem, first).sums, READING(mem, second).sums
    return _between(a[0], b[0], s), _between(a[1], b[1], s)
