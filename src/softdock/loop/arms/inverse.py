"""Closed-form inverse on one branch, for the two families of six-axis arms.

In: the arm, the pose of the flange in the base frame, the joint coordinates before (slot 0, rail or
turntable, is taken as it is there), a branch from 0 to 7. Out: `Solved`, angles in (-pi, pi].

A branch is three signs: bit 0 the shoulder (arm in front or turned over), bit 1 the elbow (up or
down), bit 2 the wrist (flipped or not). With h_i direction and P_i offset of axis i, and w from the
origin of joint 1 to the point where the last axes meet:

    spherical wrist (KUKA, ABB, Staubli; axes 2, 3 parallel, axes 4, 5, 6 meet in one point)
        w . R1 h2 = h2 . (P2 + P3 + P4)                     -> q1
        P3 . R3 P4 = (|u|^2 - |P3|^2 - |P4|^2) / 2           -> q3      u = R1' w - P2
        R2 (P3 + R3 P4) = u                                  -> q2
        h4 . R5 h6 = h4 . R36 h6, R4 (R5 h6) = R36 h6        -> q5, q4
    three parallel axes (UR; axes 2, 3, 4 parallel, axes 5, 6 meet)
        w . R1 h2 = h2 . (P2 + P3 + P4 + P5)                 -> q1
        h2 . R5 h6 = h2 . R16 h6, R234 (R5 h6) = R16 h6      -> q5, R234
        as above with u = R1' w - P2 - R234 P5               -> q3, q2; the rest of R234 -> q4
    both: R6 e = what is left of e                           -> q6

Offsets of shoulder and elbow in any direction are part of P. The clearances are zero where a family
is singular and about 1 at most: the determinant of the Jacobian is their product times lengths that
do not vanish. Where the wrist is aligned (or the wrist's centre on axis 1) the angle that is free
is left as before, and the pose is still met.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.arms.forward import step_along
from softdock.loop.arms.layout import AXES, NO_BASE_AXIS, SPHERICAL_WRIST
from softdock.loop.arms.subproblems import (
    Turn,
    angle_of,
    half_difference,
    level,
    onto,
    perpendicular,
    turned,
    turned_back,
)
from softdock.loop.spatial.motion import Pose
from softdock.loop.spatial.rotations import IDENTITY, inverse, product, rotate, rotate_back
from softdock.loop.spatial.vectors import ZERO, add, cross, dot, norm, scale, subtract

ALIGNED = 1e-13  # sine below which an angle is free: its value would be rounding
NEARLY_ALIGNED = 1e-10  # squared sine below which a root of 1 - cos^2 has lost its digits
ROUNDING = 1e-12  # of a squared radius: a stretched arm is in reach


class Solved(NamedTuple):
    """Joint coordinates on a branch. `joint` is the slot that cannot follow, 0: all can."""

    q: tuple  # seven, rad; slot 0 as before
    clearance: tuple  # of shoulder, elbow and wrist from their singularities
    joint: int  # 1, 3 or 5: the pose is out of this joint's reach
    missing: float  # m, by how much too far (positive) or too near (negative); 0 in reach


class _Shoulder(NamedTuple):
    turn: Turn
    clearance: float
    missing: float


class _Wrist(NamedTuple):
    outer: Turn
    fifth: Turn
    clearance: float
    room: float


class _Elbow(NamedTuple):
    second: Turn
    third: Turn
    clearance: float
    missing: float


@compiled
def side(branch, bit):
    """The sign of one bit of a branch."""
    return 1.0 if (branch >> bit) & 1 == 0 else -1.0


@compiled
def _on_base_axis(arm, pose: Pose, q0):
    """The flange's pose as seen from the frame behind the base axis."""
    if arm.base_axis == NO_BASE_AXIS:
        return Pose(subtract(pose.p, arm.offsets[0]), pose.q)
    p, turn = step_along(arm, 0, ZERO, IDENTITY, q0)
    return Pose(rotate_back(turn, subtract(pose.p, p)), product(inverse(turn), pose.q))


@compiled
def _shoulder(arm, w, lateral, sign, before):
    """Joint 1, from the lateral offset that joints 2 and 3 cannot change."""
    h1, h2 = arm.directions[1], arm.directions[2]
    found = level(w, h1, h2, lateral, sign)
    reach = arm.reach
    if found.radius < ALIGNED * reach and abs(lateral) < ALIGNED * reach:
        return _Shoulder(Turn(math.cos(before), math.sin(before)), 0.0, 0.0)
    clearance = math.sqrt(max(found.room, 0.0)) / reach
    if found.room < -ROUNDING * reach * reach:
        return _Shoulder(found.turn, 0.0, found.radius - abs(lateral))  # inside the dead cylinder
    return _Shoulder(found.turn, clearance, 0.0)


@compiled
def _elbow(arm, u, sign):
    """Joints 2 and 3, so that upper arm and forearm make the vector u."""
    h2, h3 = arm.directions[2], arm.directions[3]
    upper, lower = arm.offsets[3], arm.offsets[4]
    found = level(upper, h3, lower, half_difference(u, upper, lower), sign)
    v = add(upper, turned(h3, found.turn, lower))
    squared = found.radius * found.radius
    missing = 0.0
    if found.room < -ROUNDING * squared:
        missing = norm(u) - norm(v)
    clearance = math.sqrt(max(found.room, 0.0)) / found.radius
    return _Elbow(onto(h2, v, u), found.turn, clearance, missing)


@compiled
def _wrist(h, h5, h6, a, sign, before):
    """Joint 5 and the turn about h outside of it, so that R(h) R5 h6 = a.

    The cosine alone gives an angle near zero to 1e-8 only, so joint 5 is taken again from the whole
    vector; and the outer turn from the side on which R5 h6 leaves h.
    """
    found = level(h, h5, h6, dot(h, a), sign)
    clearance, leaning = 0.0, scale(sign, cross(h5, h))
    if found.room > NEARLY_ALIGNED:
        clearance = math.sqrt(found.room) / found.radius
        leaning = turned(h5, found.turn, h6)
    else:
        clearance = norm(cross(h, a))
    if clearance < ALIGNED:
        outer = Turn(math.cos(before), math.sin(before))
    else:
        outer = onto(h, leaning, a)
    return _Wrist(outer, onto(h5, h6, turned_back(h, outer, a)), clearance, found.room)


@compiled
def _last(arm, turn5, left):
    """Joint 6, from what the others leave of a vector across its axis."""
    h5, h6 = arm.directions[5], arm.directions[6]
    return onto(h6, perpendicular(h6), turned_back(h5, turn5, left))


@compiled
def _refused(shoulder, elbow, wrist_room):
    """The first joint that cannot follow, and by how much."""
    if shoulder.missing != 0.0:
        return 1, shoulder.missing
    if elbow.missing != 0.0:
        return 3, elbow.missing
    return (5 if wrist_room < -ROUNDING else 0), 0.0


@compiled
def _spherical(arm, w, attitude, before, branch):
    h2, h3 = arm.directions[2], arm.directions[3]
    h1, h4 = arm.directions[1], arm.directions[4]
    h5, h6 = arm.directions[5], arm.directions[6]
    P2, P3 = arm.offsets[2], arm.offsets[3]
    lateral = dot(h2, add(add(P2, P3), arm.offsets[4]))
    shoulder = _shoulder(arm, w, lateral, side(branch, 0), before[1])
    u = subtract(turned_back(h1, shoulder.turn, w), P2)
    elbow = _elbow(arm, u, side(branch, 1))

    a = _into_forearm(h1, h2, h3, shoulder.turn, elbow, rotate(attitude, h6))
    wrist = _wrist(h4, h5, h6, a, side(branch, 2), before[4])
    across = rotate(attitude, perpendicular(h6))
    left = _into_forearm(h1, h2, h3, shoulder.turn, elbow, across)
    sixth = _last(arm, wrist.fifth, turned_back(h4, wrist.outer, left))
    q = (
        before[0],
        angle_of(shoulder.turn),
        angle_of(elbow.second),
        angle_of(elbow.third),
        angle_of(wrist.outer),
        angle_of(wrist.fifth),
        angle_of(sixth),
    )
    joint, missing = _refused(shoulder, elbow, wrist.room)
    return Solved(q, (shoulder.clearance, elbow.clearance, wrist.clearance), joint, missing)


@compiled
def _into_forearm(h1, h2, h3, first, elbow, a):
    """A vector of the base's axes in those of link 3."""
    a = turned_back(h2, elbow.second, turned_back(h1, first, a))
    return turned_back(h3, elbow.third, a)


@compiled
def _parallel(arm, w, attitude, before, branch):
    h1, h2 = arm.directions[1], arm.directions[2]
    h3, h4 = arm.directions[3], arm.directions[4]
    h5, h6 = arm.directions[5], arm.directions[6]
    P2, P5 = arm.offsets[2], arm.offsets[5]
    inner = add(arm.offsets[3], arm.offsets[4])
    lateral = dot(h2, add(add(P2, inner), P5))
    shoulder = _shoulder(arm, w, lateral, side(branch, 0), before[1])

    a = turned_back(h1, shoulder.turn, rotate(attitude, h6))
    sum_before = before[2] + dot(h2, h3) * before[3] + dot(h2, h4) * before[4]
    wrist = _wrist(h2, h5, h6, a, side(branch, 2), sum_before)
    three = wrist.outer
    across = turned_back(h1, shoulder.turn, rotate(attitude, perpendicular(h6)))
    sixth = _last(arm, wrist.fifth, turned_back(h2, three, across))

    u = subtract(subtract(turned_back(h1, shoulder.turn, w), P2), turned(h2, three, P5))
    elbow = _elbow(arm, u, side(branch, 1))
    mark = perpendicular(h4)
    rest = turned_back(h3, elbow.third, turned_back(h2, elbow.second, turned(h2, three, mark)))
    q = (
        before[0],
        angle_of(shoulder.turn),
        angle_of(elbow.second),
        angle_of(elbow.third),
        angle_of(onto(h4, mark, rest)),
        angle_of(wrist.fifth),
        angle_of(sixth),
    )
    joint, missing = _refused(shoulder, elbow, wrist.room)
    return Solved(q, (shoulder.clearance, elbow.clearance, wrist.clearance), joint, missing)


@compiled
def solve(arm, pose: Pose, before, branch):
    """The joints that bring the flange to a pose in the base frame, on one branch."""
    seen = _on_base_axis(arm, pose, before[0])
    attitude = product(seen.q, inverse(arm.flange))
    meeting = subtract(seen.p, rotate(attitude, arm.offsets[AXES]))
    w = subtract(meeting, arm.offsets[1])
    if arm.family == SPHERICAL_WRIST:
        return _spherical(arm, w, attitude, before, branch)
    return _parallel(arm, w, attitude, before, branch)
