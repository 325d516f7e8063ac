"""A robot that is where its set-points were a delay ago. Delay zero is the ideal robot.

h(t) = delay + ramp t + wobble sin(2 pi f t) [s], never below zero. The mock-up is at X(t - h(t)), X the curve through the set-points, and
moves at X'(t - h)(1 - h').
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compiled import compiled
from softdock.parameters import Group, Parameter
from softdock.robots.history import INTERPOLATIONS, motion_at
from softdock.spatial.motion import Motion
from softdock.spatial.vectors import scale

MS = 1e-3  # s
LONGEST_DELAY_MS = 2000.0

ROBOT = Group(
    "robot",
    "One robot: from the stamp of a set-point to the mock-up being there.",
    Parameter("delay", "delay_ms", "delay, the controller's interpolation included", 0.0, "ms", 0.0, LONGEST_DELAY_MS, scale=MS),
    Parameter("ramp", "delay_ramp_ms_per_s", "growth of the delay", 0.0, "ms/s", -100.0, 100.0, scale=MS),
    Parameter("wobble", "delay_wobble_ms", "amplitude of a sinusoidal change of the delay", 0.0, "ms", 0.0, LONGEST_DELAY_MS, scale=MS),
    Parameter("wobble_frequency", "delay_wobble_Hz", "its frequency", 0.0, "Hz", 0.0, 1e3),
    Parameter("interpolation", "interpolation", "how the mock-up moves between set-points", "hermite", choices=INTERPOLATIONS),
)
AT = ROBOT.at


class RobotParams(NamedTuple):
    delay: float  # s
    ramp: float  # s/s
    wobble: float  # s
    wobble_rate: float  # rad/s
    interpolation: int


@compiled
def prepare_robot(vector, base):
    return RobotParams(
        vector[base + AT.delay],
        vector[base + AT.ramp],
        vector[base + AT.wobble],
        2.0 * math.pi * vector[base + AT.wobble_frequency],
        int(vector[base + AT.interpolation]),
    )


@compiled
def delay_at(robot, t):
    """Delay [s] at time t and its rate [s/s]."""
    delay = robot.delay + robot.ramp * t
    rate = robot.ramp
    if robot.wobble != 0.0:
        delay += robot.wobble * math.sin(robot.wobble_rate * t)
        rate += robot.wobble * robot.wobble_rate * math.cos(robot.wobble_rate * t)
    if delay < 0.0:
        return 0.0, 0.0
    return delay, rate


@compiled
def mock_up(robot, T, mem, at, slots, t):
    """Where the robot holds its mock-up at time t [s]."""
    delay, rate = delay_at(robot, t)
    motion = motion_at(robot.interpolation, T, mem, at, slots, (t - delay) / T)
    if rate == 0.0:
        return motion
    return Motion(motion.p, motion.q, scale(1.0 - rate, motion.v), scale(1.0 - rate, motion.w))
