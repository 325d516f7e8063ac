"""A robot with limits of speed, acceleration and jerk: each axis intercepts the moving set-point in
the shortest time.

Per axis and unsynchronised, translation in world axes, rotation in the rotation vector from the
robot's own attitude. The set-point is taken as moving on at its velocity, with acceleration zero;
the plan is made anew at every step. A limit of zero is no limit (speed and jerk only). The robot's
six accelerations are kept in `mem`, with room for the three axes being planned behind them.
"""

from __future__ import annotations

from softdock.core.machine.compiled import apart, compiled
from softdock.core.robots.interception import advance_profile, intercepting_profile
from softdock.core.spatial.motion import Motion
from softdock.core.spatial.rotations import (
    inverse,
    normalise,
    product,
    right_jacobian,
    turn_and_rate,
    turned,
)
from softdock.core.spatial.vectors import add_scaled, load3, store3

ROBOT_FLOATS = (
    6 + 30
)  # accelerations; then start, rate, acceleration, target, target rate of six axes


@apart
def _plan(mem, at, limits, dt):
    """Six axes over one step, in place: three of translation, three of rotation. One loop, so that
    the planner is compiled once."""
    for axis in range(6):
        here = at + 6 + 5 * axis
        k = 0 if axis < 3 else 3
        profile = intercepting_profile(
            mem[here],
            mem[here + 1],
            mem[at + axis],
            mem[here + 3],
            mem[here + 4],
            limits[k],
            limits[k + 1],
            limits[k + 2],
        )
        p, v, a = advance_profile(profile, mem[here], mem[here + 1], mem[at + axis], dt)
        mem[here], mem[here + 1], mem[at + axis] = p, v, a


@compiled
def _lay(mem, at, x, v, target, target_rate):
    for i in range(3):
        here = at + 5 * i
        mem[here], mem[here + 1], mem[here + 3], mem[here + 4] = (
            x[i],
            v[i],
            target[i],
            target_rate[i],
        )


@compiled
def follow_within_limits(limits, dt, mem, at, robot, set_point):
    """The mock-up after dt; `set_point`: where the delayed set-point is at the end of the step."""
    _lay(mem, at + 6, robot.p, robot.v, add_scaled(set_point.p, -dt, set_point.v), set_point.v)
    turn, rate = turn_and_rate(product(inverse(robot.q), set_point.q), set_point.w)
    _lay(mem, at + 21, (0.0, 0.0, 0.0), robot.w, add_scaled(turn, -dt, rate), rate)
    _plan(mem, at, limits, dt)
    p = (mem[at + 6], mem[at + 11], mem[at + 16])
    v = (mem[at + 7], mem[at + 12], mem[at + 17])
    phi = (mem[at + 21], mem[at + 26], mem[at + 31])
    rate = (mem[at + 22], mem[at + 27], mem[at + 32])
    store3(mem, at + 3, right_jacobian(phi, load3(mem, at + 3)))
    q, w = turned(phi, rate)
    return Motion(p, normalise(product(robot.q, q)), v, w)
