"""Readings paired by their stamps: the wrench of a force sample with the mock-ups where they were
at that instant, from reported poses and twists on both sides of it (cubic Hermite).

A force newer than the newest pose waits for it. Nothing here depends on how late anything is.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.instants import SAME_TIME
from softdock.loop.method.interface import Output
from softdock.loop.rings import Ring, bracket, row_of
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    WRENCH_FLOATS,
    Wrench,
    load_motion,
    load_wrench,
    store_motion,
    store_wrench,
)
from softdock.loop.spatial.motion_between import HERMITE, between
from softdock.loop.spatial.vectors import dot, load3, norm, scale, subtract
from softdock.methods.measured.motions import load_both

ROWS = 32  # of each ring: how many readings a pose may come later than its force
STUCK = 2.0  # steps of a force that should have come, and did not
WRENCH_ROW = Cells(
    "stamped_wrench",
    Cell("time", 1, "s", "of the sample"),
    Cell("wrench", WRENCH_FLOATS, "N, Nm", "on the chaser"),
)
MOTIONS_ROW = Cells(
    "stamped_motions",
    Cell("time", 1, "s", "of the report"),
    Cell("chaser", MOTION_FLOATS, "", "the chaser's mock-up: a `motion`"),
    Cell("target", MOTION_FLOATS, "", "the target's"),
)
WRENCH, MOTIONS = WRENCH_ROW.at.wrench, MOTIONS_ROW.at
WRENCH_ROW_FLOATS, MOTIONS_ROW_FLOATS = WRENCH_ROW.size, MOTIONS_ROW.size
RING_CELLS = Cells(
    "paired",
    Cell("forces", 1, "-", "force samples so far"),
    Cell("poses", 1, "-", "reports of poses so far"),
    Cell("taken", 1, "-", "force samples that have been paired"),
    Cell("bad", 1, "-", "readings that are no numbers"),
    Cell("same", 1, "-", "readings of a sensor that was stuck"),
    Cell("step", 1, "N", "largest change of a reading from one to the next in contact"),
    Cell("changed", 1, "m", "depth at the last change"),
    Cell("wrenches", ROWS * WRENCH_ROW.size, "s, N, Nm", "stamp and wrench on the chaser"),
    Cell("motions", ROWS * MOTIONS_ROW.size, "s, ...", "stamp and both mock-ups"),
)
PAIRED = RING_CELLS.at


@compiled
def _wrenches(at):
    return Ring(at + PAIRED.wrenches, ROWS, WRENCH_ROW_FLOATS)


@compiled
def _motions(at):
    return Ring(at + PAIRED.motions, ROWS, MOTIONS_ROW_FLOATS)


@compiled
def _is_new(mem, ring, count, time):
    return count == 0 or time > mem[row_of(ring, count - 1)] + SAME_TIME


@compiled
def note(mem, at, t, measured):
    """What was delivered at t, as far as it is new."""
    force_time, pose_time = t - measured.force_age, t - measured.pose_age
    wrench, ring = measured.wrenches.chaser, _wrenches(at)
    count = int(mem[at + PAIRED.forces])
    if not math.isfinite(dot(wrench.force, wrench.force) + dot(wrench.torque, wrench.torque)):
        mem[at + PAIRED.bad] += 1.0
    elif _is_new(mem, ring, count, force_time):
        row = row_of(ring, count)
        mem[row] = force_time
        store_wrench(mem, row + WRENCH, wrench)
        mem[at + PAIRED.forces] = count + 1.0
    ring = _motions(at)
    count = int(mem[at + PAIRED.poses])
    if _is_new(mem, ring, count, pose_time):
        row = row_of(ring, count)
        mem[row] = pose_time
        store_motion(mem, row + MOTIONS.chaser, measured.mock_ups.chaser)
        store_motion(mem, row + MOTIONS.target, measured.mock_ups.target)
        mem[at + PAIRED.poses] = count + 1.0


@compiled
def next_force(mem, at, late):
    """First float of the oldest force sample that is not paired yet and whose instant, and `late`
    [s] more, the poses cover; -1: none."""
    count, taken = int(mem[at + PAIRED.forces]), int(mem[at + PAIRED.taken])
    taken = max(taken, count - ROWS)
    if taken >= count or mem[at + PAIRED.poses] == 0.0:
        return -1
    row = row_of(_wrenches(at), taken)
    newest = row_of(_motions(at), int(mem[at + PAIRED.poses]) - 1)
    if mem[row] + late > mem[newest] + SAME_TIME:
        return -1
    mem[at + PAIRED.taken] = taken + 1.0
    return row


@noinline
def slope_at(mem, at):
    """Change of the wrench per second since the sample before the last one paired: what a sampled
    first-order low-pass holds back is a multiple of it."""
    taken, ring = int(mem[at + PAIRED.taken]), _wrenches(at)
    a, b = row_of(ring, max(taken - 2, 0)), row_of(ring, taken - 1)
    if a == b:
        return Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    per, first, last = (
        1.0 / (mem[b] - mem[a]),
        load_wrench(mem, a + WRENCH),
        load_wrench(mem, b + WRENCH),
    )
    return Wrench(
        scale(per, subtract(last.force, first.force)),
        scale(per, subtract(last.torque, first.torque)),
    )


@compiled
def is_stuck(mem, at, row, force, depth):
    """Whether the reading at `row`, the last one paired, has not changed to the bit in the largest
    component of `force` [N] over more of the depth [m] than its steps: a sensor that is frozen, or
    at its range."""
    taken = int(mem[at + PAIRED.taken])
    now, last = (
        load3(mem, row + WRENCH),
        load3(mem, row_of(_wrenches(at), max(taken - 2, 0)) + WRENCH),
    )
    x, y, z = abs(force[0]), abs(force[1]), abs(force[2])
    i = 0 if x >= y and x >= z else (1 if y >= z else 2)
    step = abs(now[i] - last[i])
    if step > 0.0 or taken < 2:
        mem[at + PAIRED.step] = max(mem[at + PAIRED.step], step)
        mem[at + PAIRED.changed] = depth
        return False
    expected = norm(force) * abs(depth - mem[at + PAIRED.changed]) / depth
    return expected > STUCK * mem[at + PAIRED.step]


@noinline
def acceleration_at(mem, at, t):
    """Acceleration of the chaser's mock-up around an instant [m/s^2], from its reported twists."""
    newest = int(mem[at + PAIRED.poses]) - 1
    if newest < 1:
        return (0.0, 0.0, 0.0)
    ring = _motions(at)
    a, b, _ = bracket(mem, ring, newest, 0, t)
    if a == b:
        a, b = row_of(ring, newest - 1), row_of(ring, newest)
    first, last = load_motion(mem, a + MOTIONS.chaser), load_motion(mem, b + MOTIONS.chaser)
    return scale(1.0 / (mem[b] - mem[a]), subtract(last.v, first.v))


@compiled
def mock_ups_at(mem, at, t):
    """Both mock-ups at an instant."""
    a, b, share = bracket(mem, _motions(at), int(mem[at + PAIRED.poses]) - 1, 0, t)
    if a == b or share * (mem[b] - mem[a]) < SAME_TIME:
        return load_both(mem, a + MOTIONS.chaser)
    return _between(mem, a, b, share)


@noinline
def _between(mem, a, b, share):
    first, last = load_both(mem, a + MOTIONS.chaser), load_both(mem, b + MOTIONS.chaser)
    span = mem[b] - mem[a]
    return Output(
        between(HERMITE, span, first.chaser, last.chaser, share),
        between(HERMITE, span, first.target, last.target, share),
    )
