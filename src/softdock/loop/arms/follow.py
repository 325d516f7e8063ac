"""Which of the eight solutions: the branch a configuration is on, and the followed one.

In a loop the arm must follow a *branch*. The solution nearest to the joints before is another one
near a singularity (0.3 % of random steps of 0.02 rad), and a jump of a joint by half a turn is what
follows. So the branch is chosen once, and `follow` keeps it, with every angle continued through its
wraps from the one before. A status says when the branch ends or leaves what the arm can do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.arms.inverse import solve
from softdock.loop.arms.layout import AXES, NO_BASE_AXIS, SPHERICAL_WRIST
from softdock.loop.arms.subproblems import Turn, side_of, turned
from softdock.loop.spatial.vectors import add, subtract

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Pose

BRANCHES = 8
REACHED, UNREACHABLE, JOINT_LIMIT, SINGULAR = 0, 1, 2, 3
STATUSES = ("reached", "unreachable", "joint limit", "singular")
SINGULAR_BELOW = 1e-3  # clearance: there a joint moves a thousand times faster than the tip asks
TURN = 2.0 * math.pi


class Followed(NamedTuple):
    """Joint coordinates, and whether the arm can do that: a status and the slot it is about."""

    q: tuple  # seven, rad or m
    clearance: tuple  # of shoulder, elbow and wrist
    status: int  # index in STATUSES
    joint: int  # slot of the joint that limits; 0 when reached
    missing: float  # m, by how much out of reach


@compiled
def near(q, before):
    """The same angle, less than half a turn from the one before."""
    return q + TURN * math.floor((before - q) / TURN + 0.5)


@compiled
def within(q, low, high):
    """The same angle within a range, nearest to its middle; as near as it comes otherwise."""
    return near(q, 0.5 * (low + high))


@compiled
def beyond_limits(arm, q):
    """The first slot outside of its range; -1: none."""
    for i in range(AXES):
        if (i > 0 or arm.base_axis != NO_BASE_AXIS) and not (
            arm.low[i] <= q[i] and q[i] <= arm.high[i]
        ):
            return i
    return -1


@compiled
def _with_status(arm, q, clearance, joint, missing):
    if joint > 0:
        return Followed(q=q, clearance=clearance, status=UNREACHABLE, joint=joint, missing=missing)
    beyond = beyond_limits(arm, q)
    if beyond >= 0:
        return Followed(q=q, clearance=clearance, status=JOINT_LIMIT, joint=beyond, missing=0.0)
    if clearance[0] < SINGULAR_BELOW:
        return Followed(q=q, clearance=clearance, status=SINGULAR, joint=1, missing=0.0)
    if clearance[1] < SINGULAR_BELOW:
        return Followed(q=q, clearance=clearance, status=SINGULAR, joint=3, missing=0.0)
    if clearance[2] < SINGULAR_BELOW:
        return Followed(q=q, clearance=clearance, status=SINGULAR, joint=5, missing=0.0)
    return Followed(q=q, clearance=clearance, status=REACHED, joint=0, missing=0.0)


@compiled
def follow(arm, pose: Pose, before, branch):
    """The branch's solution, continued from the joints before (rad; slot 0: base axis now)."""
    found = solve(arm, pose, before, branch)
    s = found.q
    q = (
        s[0],
        near(s[1], before[1]),
        near(s[2], before[2]),
        near(s[3], before[3]),
        near(s[4], before[4]),
        near(s[5], before[5]),
        near(s[6], before[6]),
    )
    return _with_status(arm, q, found.clearance, found.joint, found.missing)


@compiled
def begin(arm, pose: Pose, q0, branch):
    """The branch's solution with every angle where its range has most room: a start."""
    found = solve(arm, pose, (q0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), branch)
    s, low, high = found.q, arm.low, arm.high
    q = (
        q0,
        within(s[1], low[1], high[1]),
        within(s[2], low[2], high[2]),
        within(s[3], low[3], high[3]),
        within(s[4], low[4], high[4]),
        within(s[5], low[5], high[5]),
        within(s[6], low[6], high[6]),
    )
    return _with_status(arm, q, found.clearance, found.joint, found.missing)


@compiled
def _turn(angle):
    return Turn(math.cos(angle), math.sin(angle))


@compiled
def branch_of(arm, q):
    """The branch on which a configuration stands, 0 to 7. On a singularity either side is right."""
    h1, h2 = arm.directions[1], arm.directions[2]
    h3, h5 = arm.directions[3], arm.directions[5]
    h4, h6 = arm.directions[4], arm.directions[6]
    P2, P3 = arm.offsets[2], arm.offsets[3]
    P4, P5 = arm.offsets[4], arm.offsets[5]
    first, third, fifth = _turn(q[1]), _turn(q[3]), _turn(q[5])
    parallel = arm.family != SPHERICAL_WRIST
    if parallel:
        P4 = add(P4, turned(h4, _turn(q[4]), P5))
    w = turned(h1, first, add(P2, turned(h2, _turn(q[2]), add(P3, turned(h3, third, P4)))))
    if parallel:
        P4 = subtract(P4, turned(h4, _turn(q[4]), P5))
    shoulder = side_of(w, h1, h2, first)
    elbow = side_of(P3, h3, P4, third)
    wrist = side_of(h2 if parallel else h4, h5, h6, fifth)
    return (1 if shoulder < 0.0 else 0) + (2 if elbow < 0.0 else 0) + (4 if wrist < 0.0 else 0)


@compiled
def compare_joints(q, other):
    """Largest difference of two configurations over joints 1 to 6, wraps left out [rad]."""
    most = 0.0
    for i in range(1, AXES):
        most = max(most, abs(near(q[i], other[i]) - other[i]))
    return most


@compiled
def nearest_branch(arm, pose: Pose, before):
    """The branch whose solution is nearest to some joints, among those in reach; -1: none is."""
    best, least = -1, math.inf
    for branch in range(BRANCHES):
        found = solve(arm, pose, before, branch)
        away = compare_joints(found.q, before)
        if found.joint == 0 and away < least:
            best, least = branch, away
    return best
