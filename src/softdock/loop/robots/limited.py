"""A robot with limits of speed, acceleration and jerk: each axis intercepts the moving set-point in
the shortest time.

Per axis and unsynchronised (`coordinated`: together, in coordinated.py), translation in world axes,
rotation in the rotation vector from the robot's own attitude. The set-point is taken as moving on
at its velocity, with acceleration zero; the plan is made again at every step. A limit of zero is no
limit (speed and jerk only). The robot's six accelerations are kept in `mem`, with room for the
three axes being planned behind them.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.robots.coordinated import follow_together
from softdock.loop.robots.delay import delayed_set_point
from softdock.loop.robots.interception import advance_profile, intercepting_profile
from softdock.loop.robots.memory import AXIS, ROBOT_FLOATS, ROBOT_STATE
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
from softdock.loop.spatial.vectors import add_scaled, load3, store3

__all__ = ["ROBOT_FLOATS", "follow_together", "follow_within_limits"]
AT = ROBOT_STATE.at
STEP, IN_AXIS = AXIS.size, AXIS.at


@noinline
def _plan(mem, at, limits, dt):
    """Six axes over one step, in place: three of translation, three of rotation. One loop, so that
    the planner is compiled once."""
    for axis in range(6):
        here, moving = at + AT.axes + STEP * axis, at + AT.acceleration + axis
        speed, acceleration, jerk = limits[:3] if axis < 3 else limits[3:]
        profile = intercepting_profile(
            p0=mem[here + IN_AXIS.x],
            v0=mem[here + IN_AXIS.v],
            a0=mem[moving],
            pf=mem[here + IN_AXIS.target],
            vf=mem[here + IN_AXIS.target_rate],
            vmax=speed,
            amax=acceleration,
            jmax=jerk,
        )
        p, v, a = advance_profile(
            profile, mem[here + IN_AXIS.x], mem[here + IN_AXIS.v], mem[moving], dt
        )
        mem[here + IN_AXIS.x], mem[here + IN_AXIS.v], mem[moving] = p, v, a


@compiled
def _lay(mem, at, x, v, target, target_rate):
    for i in range(3):
        here = at + STEP * i
        mem[here + IN_AXIS.x] = x[i]
        mem[here + IN_AXIS.v] = v[i]
        mem[here + IN_AXIS.target] = target[i]
        mem[here + IN_AXIS.target_rate] = target_rate[i]


@compiled
def _across(mem, at):
    """The same number of three axes."""
    return (mem[at], mem[at + STEP], mem[at + STEP + STEP])


@compiled
def follow_within_limits(limits, dt, mem, at, robot, set_point):
    """The mock-up after dt; `set_point`: where the delayed set-point is at the end of the step."""
    axes, turns, turning = at + AT.axes, at + AT.turns, at + AT.turning
    _lay(mem, axes, robot.p, robot.v, add_scaled(set_point.p, -dt, set_point.v), set_point.v)
    turn, rate = turn_and_rate(product(inverse(robot.q), set_point.q), set_point.w)
    _lay(mem, turns, (0.0, 0.0, 0.0), robot.w, add_scaled(turn, -dt, rate), rate)
    _plan(mem, at, limits, dt)
    p, v = _across(mem, axes + IN_AXIS.x), _across(mem, axes + IN_AXIS.v)
    phi, rate = _across(mem, turns + IN_AXIS.x), _across(mem, turns + IN_AXIS.v)
    store3(mem, turning, right_jacobian(phi, load3(mem, turning)))
    q, w = turned(phi, rate)
    return Motion(p, normalise(product(robot.q, q)), v, w)


@compiled
def _intercept(vector, carrier, robot, mem, motion, t0, t1):
    """The mock-up on its way to where the delayed set-point will be."""
    arrived = delayed_set_point(robot, carrier, mem, t1)
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
