"""Poses as a KUKA controller writes them: X, Y, Z in mm and A, B, C in degrees.

R = Rz(A) Ry(B) Rx(C). At B = +-90 degrees only A and C together are defined: C is then zero.
In and out: `Pose` (m, unit quaternion wxyz) and six numbers. Also poses one after the other.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Pose
from softdock.loop.spatial.rotations import inverse, product, rotate
from softdock.loop.spatial.vectors import add, load3, negate, scale

MM = 1e-3  # m
DEGREE = math.pi / 180.0  # rad
UPRIGHT = 1.0 - 1e-13  # of |sin B|: beyond, A and C cannot be told apart in float64
KUKA_FRAME = Cells(
    "kuka_frame",
    Cell("move", 3, "mm", "X, Y, Z"),
    Cell("a", 1, "deg", "about Z"),
    Cell("b", 1, "deg", "then about Y"),
    Cell("c", 1, "deg", "then about X"),
)
FRAME_NUMBERS, AT = KUKA_FRAME.size, KUKA_FRAME.at


@compiled
def to_quaternion(a_deg, b_deg, c_deg):
    """Unit quaternion of A, B, C."""
    a, b, c = 0.5 * DEGREE * a_deg, 0.5 * DEGREE * b_deg, 0.5 * DEGREE * c_deg
    turn_a, turn_b = (math.cos(a), 0.0, 0.0, math.sin(a)), (math.cos(b), 0.0, math.sin(b), 0.0)
    return product(turn_a, product(turn_b, (math.cos(c), math.sin(c), 0.0, 0.0)))


@compiled
def to_kuka_angles(q):
    """A, B, C in degrees of a unit quaternion; |B| <= 90."""
    w, x, y, z = q
    sine = 2.0 * (w * y - x * z)
    if abs(sine) > UPRIGHT:
        return 2.0 * math.atan2(z, w) / DEGREE, math.copysign(90.0, sine), 0.0
    a = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    c = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return a / DEGREE, math.asin(sine) / DEGREE, c / DEGREE


@compiled
def load_attitude(array, at):
    """The unit quaternion of six numbers' A, B, C."""
    return to_quaternion(array[at + AT.a], array[at + AT.b], array[at + AT.c])


@compiled
def load_frame(array, at):
    """Six numbers, mm and degrees, as a pose."""
    return Pose(scale(MM, load3(array, at + AT.move)), load_attitude(array, at))


@compiled
def to_kuka_frame(pose):
    """A pose as six numbers, mm and degrees."""
    a, b, c = to_kuka_angles(pose.q)
    return pose.p[0] / MM, pose.p[1] / MM, pose.p[2] / MM, a, b, c


@compiled
def compose(first, second):
    """The pose `second`, given in the axes of `first`, in the axes that `first` is given in."""
    return Pose(add(first.p, rotate(first.q, second.p)), product(first.q, second.q))


@compiled
def invert_pose(pose):
    """The outer axes seen from the inner ones."""
    back = inverse(pose.q)
    return Pose(negate(rotate(back, pose.p)), back)
