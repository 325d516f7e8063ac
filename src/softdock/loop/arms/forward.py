"""Forward kinematics and the geometric Jacobian.

In: a view of the arm (layout.py: ARM) and its seven joint coordinates q [rad or m]. Out: pose of
the flange in the base frame; frames of all links in `work` (a view of WORK); the Jacobian of a
point, base axes, rows (v; w), a row-major 6 x 7 matrix in an array.

    p_i = p_(i-1) + R_(i-1) offset_i (+ R_(i-1) direction_0 q_0 for a rail)
    R_i = R_(i-1) exp(direction_i q_i)
    column of a joint: (z_i x (p - o_i); z_i), of a rail (z_0; 0)        z_i = R_i direction_i
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.arms.layout import AXES, NO_BASE_AXIS, RAIL
from softdock.loop.spatial.motion import Pose
from softdock.loop.spatial.rotations import IDENTITY, product, rotate
from softdock.loop.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    subtract,
)


@compiled
def first_axis(arm):
    """The slot of the first axis that there is: 0 with a rail or a turntable, else 1."""
    return 1 if arm.base_axis == NO_BASE_AXIS else 0


@compiled
def is_rail(arm, i):
    """Whether an axis slides."""
    return i == 0 and arm.base_axis == RAIL


@compiled
def joint_turn(direction, angle):
    """Quaternion of a turn about a unit vector."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), s * direction[0], s * direction[1], s * direction[2])


@compiled
def step_along(arm, i, p, turn, q):
    """Origin of axis i and attitude of link i, from those of the link before."""
    axis = arm.directions[i]
    p = add(p, rotate(turn, arm.offsets[i]))
    if is_rail(arm, i):
        return add_scaled(p, q, rotate(turn, axis)), turn
    return p, product(turn, joint_turn(axis, q))


@compiled
def flange_pose(arm, q):
    """Pose of the flange in the base frame."""
    p, turn = ZERO, IDENTITY
    for i in range(AXES):
        if i > 0 or arm.base_axis != NO_BASE_AXIS:
            p, turn = step_along(arm, i, p, turn, q[i])
        else:
            p = arm.offsets[0]
    p = add(p, rotate(turn, arm.offsets[AXES]))
    return Pose(p, product(turn, arm.flange))


@compiled
def link_frames(arm, q, work):
    """Frames of all links into `work` (attitude, origin, direction of the axis), base frame.

    Returns the flange's pose.
    """
    p, turn = ZERO, IDENTITY
    for i in range(AXES):
        if i > 0 or arm.base_axis != NO_BASE_AXIS:
            p, turn = step_along(arm, i, p, turn, q[i])
        else:
            p = arm.offsets[0]
        work.origins[i] = p
        work.turns[i] = turn
        work.directions[i] = rotate(turn, arm.directions[i])
    p = add(p, rotate(turn, arm.offsets[AXES]))
    return Pose(p, product(turn, arm.flange))


@compiled
def jacobian_column(arm, work, i, point):
    """Velocity of a point that moves with the flange and angular velocity, for unit speed of i."""
    z = work.directions[i]
    if i == 0 and arm.base_axis == NO_BASE_AXIS:
        return ZERO, ZERO
    if is_rail(arm, i):
        return z, ZERO
    return cross(z, subtract(point, work.origins[i])), z


@compiled
def jacobian(arm, work, point, into):
    """Jacobian of a point in the base frame, after `link_frames`; row-major 6 x 7 `into` an
    array."""
    for i in range(AXES):
        v, w = jacobian_column(arm, work, i, point)
        for k in range(3):
            into[AXES * k + i] = v[k]
            into[AXES * (k + 3) + i] = w[k]
