"""A whole path of poses through one arm: joints on a followed branch, and the nearest limits.

In: the arm; `frames` (FRAMES): the orbit frame in the arm's base, the flange in the satellite,
gravity and the direction of approach in base axes; rows of the satellite's pose, of the force on it
and of the point where that acts [orbit frame], and of the base axis. Out: rows of joints and
torques, and `worst` (a row of WORST each): use of a limit (1: at the limit), the row of the path,
the axis.

Speeds and accelerations are central differences of the joints over the path's own times; at the
ends those of the neighbour. The use of a clearance is NEEDED_CLEARANCE over what is there.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point, noinline
from softdock.loop.arms.dynamics import torques
from softdock.loop.arms.follow import SINGULAR_BELOW, UNREACHABLE, begin, follow
from softdock.loop.arms.forward import first_axis, link_frames
from softdock.loop.arms.layout import ARM, AXES, AXIS_VALUES, WORK, on_base
from softdock.loop.arms.stiffness import stiffness_along
from softdock.loop.arms.tip import join
from softdock.loop.spatial.motion import POSE, Pose
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import VECTOR, add, cross, dot, subtract

FRAMES = Cells(  # what stays the same along a path
    "sweep_frames",
    Cell("orbit", Pose, "", "pose of the orbit frame in the arm's base"),
    Cell("flange", Pose, "", "pose of the flange in the satellite's frame"),
    Cell("gravity", 3, "m/s^2", "in base axes"),
    Cell("approach", 3, "-", "unit vector in base axes"),
)
WORST = ("range", "speed", "acceleration", "torque", "singularity", "reach", "stiffness")
RANGE, SPEED, ACCELERATION, TORQUE, SINGULARITY, REACH, STIFFNESS = range(len(WORST))
WORST_ROW = Cells(  # of each of WORST
    "worst_use",
    Cell("use", float, "-", "largest use of the limit; of the stiffness, the least [N/m]"),
    Cell("row", int, "-", "of the path, where that is"),
    Cell("axis", int, "-", "whose it is"),
)
ENDED = Cells(
    "branch_end",
    Cell("status", int, "-", "why the row is not reached (loop/arms/follow.py)"),
    Cell("joint", int, "-", "the axis it is about"),
    Cell("missing", float, "m", "by how much"),
)
IN_WORST, WORST_FLOATS = WORST_ROW.at, WORST_ROW.size
NEEDED_CLEARANCE = 0.1  # sine; 6 deg from aligned, joints ten times as fast as far away from it


@compiled
def _flange_at(frames, satellite):
    """Pose of the flange in the base for a satellite's pose in the orbit frame."""
    return join(join(frames.orbit, satellite), frames.flange)


@compiled
def _note(worst, what, use, row, axis):
    """Keep the largest use, where and of which axis."""
    limit = WORST_ROW(worst, what)
    if use > limit.use:
        limit.use = use
        limit.row = row
        limit.axis = axis


@compiled
def _note_position(arm, found, row, worst):
    """Range, singularity and reach of one row."""
    for i in range(first_axis(arm), AXES):
        middle = 0.5 * (arm.low[i] + arm.high[i])
        half = 0.5 * (arm.high[i] - arm.low[i])
        _note(worst, RANGE, abs(found.q[i] - middle) / half, row, i)
    for k in range(3):  # of shoulder, elbow and wrist: joints 1, 3, 5
        clearance = max(found.clearance[k], SINGULAR_BELOW * 1e-3)
        _note(worst, SINGULARITY, NEEDED_CLEARANCE / clearance, row, 2 * k + 1)
    _note(worst, REACH, reach_used(arm, found.q[3]), row, 3)


@compiled
def reach_used(arm, third):
    """Distance from shoulder to wrist over that of the arm stretched out."""
    h = arm.directions[3]
    a, b = arm.offsets[3], arm.offsets[4]
    c, s = math.cos(third), math.sin(third)
    ha, hb, aa, bb = dot(h, a), dot(h, b), dot(a, a), dot(b, b)
    turned = c * dot(a, b) + s * dot(a, cross(h, b)) + (1.0 - c) * ha * hb
    across = math.sqrt((aa - ha * ha) * (bb - hb * hb))
    return math.sqrt((aa + bb + 2.0 * turned) / (aa + bb + 2.0 * (across + ha * hb)))


@noinline
def _follow_path(arm, frames, motions, base, start, branch, joints, worst, ended):
    """Joints of every row; returns how many rows were reached."""
    before = on_base(base[0], start)
    for row in range(len(motions)):
        pose = _flange_at(frames, POSE(motions, row).whole)
        if row == 0 and start[0] != 0.0:  # no joints to start near
            found = begin(arm, pose, base[0], branch)
        else:
            found = follow(arm, pose, on_base(base[row], before), branch)
        if found.status == UNREACHABLE:
            end = ENDED(ended)
            end.status = found.status
            end.joint = found.joint
            end.missing = found.missing
            return row
        before = found.q
        AXIS_VALUES(joints, row).values = found.q
        _note_position(arm, found, row, worst)
    return len(motions)


@compiled
def _difference(joints, times, row, i, last):
    """Speed and acceleration of an axis at a row, by central differences."""
    k = min(max(row, 1), last - 1)
    h1, h2 = times[k] - times[k - 1], times[k + 1] - times[k]
    d1, d2 = (joints[k, i] - joints[k - 1, i]) / h1, (joints[k + 1, i] - joints[k, i]) / h2
    return (h2 * d1 + h1 * d2) / (h1 + h2), 2.0 * (d2 - d1) / (h1 + h2)


@noinline
def _note_motion(arm, frames, times, joints, forces, points, rows, work, torque_rows, worst):
    """Speeds, accelerations, torques and stiffness of the rows that were reached."""
    orbit, gravity, n = frames.orbit, frames.gravity, frames.approach
    first = first_axis(arm)
    softest = WORST_ROW(worst, STIFFNESS)
    for row in range(rows):
        v0, a0 = 0.0, 0.0
        if first == 0:
            v0, a0 = _difference(joints, times, row, 0, rows - 1)
        v1, a1 = _difference(joints, times, row, 1, rows - 1)
        v2, a2 = _difference(joints, times, row, 2, rows - 1)
        v3, a3 = _difference(joints, times, row, 3, rows - 1)
        v4, a4 = _difference(joints, times, row, 4, rows - 1)
        v5, a5 = _difference(joints, times, row, 5, rows - 1)
        v6, a6 = _difference(joints, times, row, 6, rows - 1)
        v, a = (v0, v1, v2, v3, v4, v5, v6), (a0, a1, a2, a3, a4, a5, a6)
        q = AXIS_VALUES(joints, row).values
        flange = link_frames(arm, q, work)
        point = add(orbit.p, rotate(orbit.q, VECTOR(points, row).value))
        stiff = stiffness_along(arm, work, point, n)
        if row == 0 or stiff < softest.use:  # the least, and not a use of a limit
            softest.use = stiff
            softest.row = row
        force = rotate(orbit.q, VECTOR(forces, row).value)
        twist = cross(subtract(point, flange.p), force)
        torques(
            arm,
            q,
            speed=v,
            acceleration=a,
            gravity=gravity,
            pushed=force,
            twisted=twist,
            work=work,
            into=torque_rows[row],
        )
        for i in range(first, AXES):
            _note(worst, SPEED, abs(v[i]) / arm.speed[i], row, i)
            _note(worst, ACCELERATION, abs(a[i]) / arm.acceleration[i], row, i)
            _note(worst, TORQUE, abs(torque_rows[row, i]) / arm.torque[i], row, i)


@entry_point
def sweep(
    arm,
    frames,
    times,
    motions,
    forces,
    points,
    base,
    start,
    branch,
    work,
    joints,
    torque_rows,
    worst,
    ended,
):
    """A path through an arm. Returns the number of rows reached, all of them if it fits.

    `start`: joints to start near, slot 0 zero; slot 0 not zero: each in the middle of its range.
    """
    for what in range(len(WORST)):
        for i in range(WORST_FLOATS):
            worst[what, i] = 0.0
    placed, here, along = ARM(arm), FRAMES(frames), WORK(work)
    rows = _follow_path(
        placed, here, motions, base, start, branch, joints, worst=worst, ended=ended
    )
    if rows > 2:
        _note_motion(
            placed,
            here,
            times,
            joints,
            forces,
            points,
            rows,
            work=along,
            torque_rows=torque_rows,
            worst=worst,
        )
    return rows
