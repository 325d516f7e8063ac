"""Readings paired by their stamps: the wrench of a force sample with the mock-ups where they were
at that instant, from reported poses and twists on both sides of it (cubic Hermite); and how the
chaser's mock-up was accelerated then.

A force newer than the newest pose waits for it. Nothing here depends on how late anything is.

The robot moves along the set-points that were sent a delay later, on the cubic between two of them.
The gain of reported twists from one report to the next is the mean over a cycle that lies across
two such pieces. For a tool that weighs more than is believed, in a short contact, that is not good
enough: the acceleration is taken from the set-points. Where the reported velocity is not the one
that was sent (a robot that lags, a delay that is not known yet) the reports count.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, layout_of, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.instants import ON_STAMP, SAME_TIME
from softdock.loop.method.interface import Measured, Output
from softdock.loop.rings import Ring, bracket, row_of
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.motion_between import HERMITE, between
from softdock.loop.spatial.vectors import Vector, add, add_scaled, dot, norm, scale, subtract
from softdock.methods.model_mediated.free_flight import choose_delay

ROWS = 32  # of each ring: how many readings a pose may come later than its force
STUCK = 2.0  # steps of a force that should have come, and did not
SENT_ROWS = 64  # set-points kept, a power of two
ANOTHER = 0.05  # of the gain's square: a velocity further from the one sent is not of it


class StampedWrench(NamedTuple):
    time: Annotated[float, "s", "of the sample"]
    wrench: Wrench  # on the chaser


class StampedMotions(NamedTuple):
    time: Annotated[float, "s", "of the report"]
    motions: Output  # of both mock-ups


class SentMotion(NamedTuple):
    """A set-point of the chaser, world axes."""

    p: Annotated[Vector, "m"]
    v: Annotated[Vector, "m/s"]


STAMPED_WRENCH, STAMPED_MOTIONS = layout_of(StampedWrench), layout_of(StampedMotions)
READINGS = Cells(
    "readings",
    Cell("forces", int, "-", "force samples so far"),
    Cell("poses", int, "-", "reports of poses so far"),
    Cell("taken", int, "-", "force samples that have been paired"),
    Cell("bad", int, "-", "readings that are no numbers"),
    Cell("same", int, "-", "readings of a sensor that was stuck"),
    Cell("step", float, "N", "largest change of a reading from one to the next in contact"),
    Cell("changed", float, "m", "depth at the last change"),
    Cell("wrenches", many(ROWS, STAMPED_WRENCH), "s, N, Nm", "a ring, on the chaser"),
    Cell("motions", many(ROWS, STAMPED_MOTIONS), "s, ...", "a ring, of both mock-ups"),
)


@compiled
def _find_wrenches(at):
    return Ring(at + READINGS.at.wrenches, ROWS, STAMPED_WRENCH.size)


@compiled
def _find_motions(at):
    return Ring(at + READINGS.at.motions, ROWS, STAMPED_MOTIONS.size)


@compiled
def note_readings(mem, at, t, measured: Measured):
    """What was delivered at t, as far as it is new. `at`: where the readings stand in `mem`."""
    readings = READINGS(mem, at)
    force_time, pose_time = t - measured.force_age, t - measured.pose_age
    wrench, ring, count = measured.wrenches.chaser, _find_wrenches(at), readings.forces
    if not math.isfinite(dot(wrench.force, wrench.force) + dot(wrench.torque, wrench.torque)):
        readings.bad += 1
    elif count == 0 or force_time > STAMPED_WRENCH(mem, row_of(ring, count - 1)).time + SAME_TIME:
        STAMPED_WRENCH(mem, row_of(ring, count)).whole = StampedWrench(force_time, wrench)
        readings.forces = count + 1
    ring, count = _find_motions(at), readings.poses
    if count == 0 or pose_time > STAMPED_MOTIONS(mem, row_of(ring, count - 1)).time + SAME_TIME:
        row = STAMPED_MOTIONS(mem, row_of(ring, count))
        row.time, row.motions = pose_time, measured.mock_ups
        readings.poses = count + 1


@compiled
def take_next_force(mem, at, late):
    """First float of the oldest force sample that is not paired yet and whose instant, and `late`
    [s] more, the poses cover; -1: none."""
    readings = READINGS(mem, at)
    count, poses = readings.forces, readings.poses
    taken = max(readings.taken, count - ROWS)
    if taken >= count or poses == 0:
        return -1
    row = row_of(_find_wrenches(at), taken)
    newest = STAMPED_MOTIONS(mem, row_of(_find_motions(at), poses - 1))
    if STAMPED_WRENCH(mem, row).time + late > newest.time + SAME_TIME:
        return -1
    readings.taken = taken + 1
    return row


@noinline
def compute_wrench_slope(mem, at):
    """Change of the wrench per second since the sample before the last one paired: what a sampled
    first-order low-pass holds back is a multiple of it."""
    taken, ring = READINGS(mem, at).taken, _find_wrenches(at)
    a, b = row_of(ring, max(taken - 2, 0)), row_of(ring, taken - 1)
    if a == b:
        return Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    first, last = STAMPED_WRENCH(mem, a), STAMPED_WRENCH(mem, b)
    per = 1.0 / (last.time - first.time)
    return Wrench(
        scale(per, subtract(last.wrench.force, first.wrench.force)),
        scale(per, subtract(last.wrench.torque, first.wrench.torque)),
    )


@compiled
def is_stuck(mem, at, row, force, depth):
    """Whether the reading at `row`, the last one paired, has not changed to the bit in the largest
    component of `force` [N] over more of the depth [m] than its steps: a sensor that is frozen, or
    at its range."""
    readings = READINGS(mem, at)
    taken = readings.taken
    before = STAMPED_WRENCH(mem, row_of(_find_wrenches(at), max(taken - 2, 0)))
    now, last = STAMPED_WRENCH(mem, row).wrench.force, before.wrench.force
    x, y, z = abs(force[0]), abs(force[1]), abs(force[2])
    i = 0 if x >= y and x >= z else (1 if y >= z else 2)
    step = abs(now[i] - last[i])
    if step > 0.0 or taken < 2:
        readings.step = max(readings.step, step)
        readings.changed = depth
        return False
    expected = norm(force) * abs(depth - readings.changed) / depth
    return expected > STUCK * readings.step


@compiled
def interpolate_mock_ups(mem, at, flight, t):
    """Both mock-ups at an instant; `flight`: what free flight has shown of the reports' offsets."""
    both, poses = _interpolate_reports(mem, at, t), flight.poses
    return Output(
        _move_back(both.chaser, poses[CHASER].offset), _move_back(both.target, poses[TARGET].offset)
    )


@compiled
def _move_back(motion: Motion, offset):
    return Motion(subtract(motion.p, offset), motion.q, motion.v, motion.w)


@compiled
def _interpolate_reports(mem, at, t):
    newest = READINGS(mem, at).poses - 1
    a, b, share = bracket(mem, _find_motions(at), newest, STAMPED_MOTIONS.at.time, t)
    first, last = STAMPED_MOTIONS(mem, a), STAMPED_MOTIONS(mem, b)
    if a == b or share * (last.time - first.time) < SAME_TIME:
        return first.motions
    return _interpolate(first, last, share)


@noinline
def _interpolate(first, last, share):
    span = last.time - first.time
    a, b = first.motions, last.motions
    return Output(
        between(HERMITE, span, a.chaser, b.chaser, share),
        between(HERMITE, span, a.target, b.target, share),
    )


# Acceleration of the chaser's mock-up


@noinline
def _differentiate_reports(mem, at, t):
    """Acceleration of the chaser's mock-up around an instant [m/s^2], from its reported twists."""
    newest = READINGS(mem, at).poses - 1
    if newest < 1:
        return (0.0, 0.0, 0.0)
    ring = _find_motions(at)
    a, b, _ = bracket(mem, ring, newest, STAMPED_MOTIONS.at.time, t)
    if a == b:
        a, b = row_of(ring, newest - 1), row_of(ring, newest)
    first, last = STAMPED_MOTIONS(mem, a), STAMPED_MOTIONS(mem, b)
    per = 1.0 / (last.time - first.time)
    return scale(per, subtract(last.motions.chaser.v, first.motions.chaser.v))


@compiled
def note_command(s, stamp, motion: Motion):
    """The chaser's set-point. `s`: the method's cells (state.py)."""
    s.ways[stamp & (SENT_ROWS - 1)] = SentMotion(motion.p, motion.v)
    s.newest_sent = stamp


@compiled
def _interpolate_velocity(T, share, way, first, last):
    """Velocity on a cubic at a share of its stretch; `way`: along it [m]."""
    bow = add_scaled(scale(1.0 / T, way), -0.5, add(first, last))
    straight = add_scaled(first, share, subtract(last, first))
    return add_scaled(straight, 6.0 * share * (1.0 - share), bow)


@noinline
def estimate_acceleration(mem, s, at, T, t, v):
    """Acceleration of the chaser's mock-up at t [s], at which it is reported to move at v [m/s];
    m/s^2, world axes. `s`: the method's cells, `at`: where its readings stand in `mem`."""
    cycles = (t - choose_delay(s.flight, 0)) / T
    earlier = int(math.ceil(cycles - ON_STAMP)) - 1
    newest = s.newest_sent
    if earlier < 1 or earlier + 1 > newest or newest - earlier >= SENT_ROWS:
        return _differentiate_reports(mem, at, t)
    first, last = s.ways[earlier & (SENT_ROWS - 1)], s.ways[(earlier + 1) & (SENT_ROWS - 1)]
    way, gain = subtract(last.p, first.p), subtract(last.v, first.v)
    off = subtract(v, _interpolate_velocity(T, cycles - earlier, way, first.v, last.v))
    if dot(off, off) > ANOTHER * dot(gain, gain):
        return _differentiate_reports(mem, at, t)
    return scale(1.0 / T, gain)
