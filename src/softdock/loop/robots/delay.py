"""The delay from the stamp of a set-point to its arrival: constant, growing, swinging or jittering.

h(t) = delay + ramp t + wobble sin(2 pi f t) + jitter(t) [s], never below zero. The jitter is drawn
in each cycle, uniform in [0, jitter], and joined linearly, so that the robot does not jump. The
delayed set-point is X(t - h(t)), X the curve through the set-points, and moves at X'(t - h)(1 -
h').
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.chance import draw
from softdock.loop.robots.history import acceleration_at, motion_at
from softdock.loop.robots.memory import ROBOT_STATE
from softdock.loop.robots.model import RobotModel
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.vectors import scale

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier, Chance, RobotParams

JITTER, DROPOUT = (
    10,
    12,
)  # numbers of these sources in the random counter; + 1 for the target's robot


@noinline
def _jitter(robot: RobotParams, chance: Chance, t, T):
    """Extra delay [s] at time t, and its rate [s/s]."""
    k = math.floor(t / T + 1e-9)
    a = robot.jitter * draw(chance.seed, chance.run, int(k), JITTER + robot.which)
    b = robot.jitter * draw(chance.seed, chance.run, int(k) + 1, JITTER + robot.which)
    return a + (b - a) * (t / T - k), (b - a) / T


@compiled
def delay_at(robot: RobotParams, chance: Chance, t, T):
    """Delay [s] at time t and its rate [s/s]."""
    delay = robot.delay + robot.ramp * t
    rate = robot.ramp
    if robot.wobble != 0.0:
        delay += robot.wobble * math.sin(robot.wobble_rate * t)
        rate += robot.wobble * robot.wobble_rate * math.cos(robot.wobble_rate * t)
    if robot.jitter != 0.0:
        late, change = _jitter(robot, chance, t, T)
        delay += late
        rate += change
    if delay < 0.0:
        return 0.0, 0.0
    return delay, rate


@compiled
def delay_set_point(robot: RobotParams, carrier: Carrier, mem, t):
    """The set-point as it reaches the robot at time t [s]."""
    history, slots, T = carrier.history, carrier.slots, carrier.T
    delay, rate = delay_at(robot, carrier.chance, t, T)
    motion = motion_at(robot.interpolation, T, mem, history, slots, (t - delay) / T)
    if rate == 0.0:
        return motion
    return Motion(motion.p, motion.q, scale(1.0 - rate, motion.v), scale(1.0 - rate, motion.w))


@compiled
def store_delayed_acceleration(robot: RobotParams, carrier: Carrier, mem, t):
    """Acceleration of the delayed set-point, for the inertia of the mock-up (the delay's own change
    is left out)."""
    T, s = carrier.T, ROBOT_STATE(mem, carrier.state)
    delay, _ = delay_at(robot, carrier.chance, t, T)
    cycles = (t - delay) / T
    s.acceleration, s.turning = acceleration_at(T, mem, carrier.history, carrier.slots, cycles)


@compiled
def _arrive(vector, carrier: Carrier, robot: RobotParams, mem, motion: Motion, t0, t1):
    """The mock-up is where the delayed set-point is."""
    arrived = delay_set_point(robot, carrier, mem, t1)
    if carrier.heavy:  # else there is no room for it: what stands behind is another's
        store_delayed_acceleration(robot, carrier, mem, t1)
    return arrived


DELAY_MODEL = RobotModel("delay", follow=_arrive)
