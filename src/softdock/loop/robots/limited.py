"""A robot with limits of speed, acceleration and jerk: each axis intercepts the moving set-point in
the shortest time.

Per axis and unsynchronised (`coordinated`: together, in coordinated.py), translation in world axes,
rotation in the rotation vector from the robot's own attitude. The set-point is taken as moving on
at its velocity, with acceleration zero; the plan is made again at every step. A limit of zero is no
limit (speed and jerk only). The robot's six accelerations are kept in `mem`, with room for the
three axes being planned behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.robots.coordinated import follow_together
from softdock.loop.robots.delay import delay_set_point
from softdock.loop.robots.interception import advance_profile, intercepting_profile
from softdock.loop.robots.memory import ROBOT_FLOATS, ROBOT_STATE
from softdock.loop.robots.model import Linear, RobotModel
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import (
    inverse,
    normalise,
    product,
    right_jacobian,
    turn_and_rate,
    turned,
)
from softdock.loop.spatial.vectors import ZERO, add_scaled

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier

__all__ = ["ROBOT_FLOATS", "follow_together", "follow_within_limits"]


@noinline
def _plan_axis(axis, acceleration, largest_speed, largest_acceleration, largest_jerk, dt):
    """One axis over one step, in place; returns its acceleration. Called for every axis, so that
    the planner is compiled once."""
    profile = intercepting_profile(
        p0=axis.x,
        v0=axis.v,
        a0=acceleration,
        pf=axis.target,
        vf=axis.target_rate,
        vmax=largest_speed,
        amax=largest_acceleration,
        jmax=largest_jerk,
    )
    axis.x, axis.v, a = advance_profile(profile, axis.x, axis.v, acceleration, dt)
    return a


@compiled
def _plan(axes, accelerations, limits, dt):
    """Three axes over one step; returns their accelerations."""
    speed, acceleration, jerk = limits
    return (
        _plan_axis(axes[0], accelerations[0], speed, acceleration, jerk, dt),
        _plan_axis(axes[1], accelerations[1], speed, acceleration, jerk, dt),
        _plan_axis(axes[2], accelerations[2], speed, acceleration, jerk, dt),
    )


@compiled
def _set_axes(axes, x, v, target, target_rate):
    for i in range(3):
        axis = axes[i]
        axis.x = x[i]
        axis.v = v[i]
        axis.target = target[i]
        axis.target_rate = target_rate[i]


@compiled
def _places(axes):
    return (axes[0].x, axes[1].x, axes[2].x)


@compiled
def _rates(axes):
    return (axes[0].v, axes[1].v, axes[2].v)


@compiled
def follow_within_limits(limits, dt, mem, at, robot, set_point: Motion):
    """The mock-up after dt; `set_point`: where the delayed set-point is at the end of the step."""
    s = ROBOT_STATE(mem, at)
    begun = add_scaled(set_point.p, -dt, set_point.v)
    _set_axes(s.axes, robot.p, robot.v, begun, set_point.v)
    turn, rate = turn_and_rate(product(inverse(robot.q), set_point.q), set_point.w)
    _set_axes(s.turns, ZERO, robot.w, add_scaled(turn, -dt, rate), rate)
    s.acceleration = _plan(s.axes, s.acceleration, limits[:3], dt)
    turning = _plan(s.turns, s.turning, limits[3:], dt)
    phi = _places(s.turns)
    s.turning = right_jacobian(phi, turning)
    q, w = turned(phi, _rates(s.turns))
    return Motion(_places(s.axes), normalise(product(robot.q, q)), _rates(s.axes), w)


@compiled
def _intercept(vector, carrier: Carrier, robot, mem, motion: Motion, t0, t1):
    """The mock-up on its way to where the delayed set-point will be."""
    arrived = delay_set_point(robot, carrier, mem, t1)
    if carrier.follower.coordinated:  # a constant of a CUDA kernel, as all of a `Follower`
        return follow_together(robot.limits, t1 - t0, mem, carrier.state, motion, arrived)
    return follow_within_limits(robot.limits, t1 - t0, mem, carrier.state, motion, arrived)


LEFT_OUT = (
    "limits of speed, acceleration and jerk are left out: within them it is a pure delay, beyond "
    "them it is worse"
)
LIMITED_MODEL = RobotModel(
    "limited",
    follow=_intercept,
    words="limits of speed and acceleration",
    linear=lambda robot: Linear(left_out=LEFT_OUT),
    strongest=lambda robot: robot["max_acceleration_m_per_s2"],
)
