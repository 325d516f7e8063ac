"""One robot: its parameters, and how its mock-up moves over a step. The list of models stands here.

delay     the mock-up is where the set-points were a delay ago; delay zero is the ideal robot
lag       the same, followed with a second-order lag
limited   the same, followed within limits of speed, acceleration and jerk

With an elastic joint (joint.py) that is where the motors are, and the mock-up is behind a spring
and a damper.
"""

from __future__ import annotations

from softdock.core.chance import draw
from softdock.core.machine.compiled import apart, by_type, compiled, door
from softdock.core.machine.features import Every
from softdock.core.robots.delay import DROPOUT, delayed_set_point, store_delayed_acceleration
from softdock.core.robots.history import motion_at, push, stamped
from softdock.core.robots.joint import motors_of
from softdock.core.robots.keys import DELAY, HOLD_LAST, LIMITED, MODELS, ROBOT
from softdock.core.robots.lag import follow_with_lag
from softdock.core.robots.limited import follow_within_limits
from softdock.core.robots.prepare import (
    MOVING,
    Chance,
    Follower,
    RobotParams,
    is_elastic,
    longest_delay,
    prepare_follower,
    prepare_robot,
    robot_joint,
    whole_delay,
)
from softdock.core.spatial.motion import Motion
from softdock.core.spatial.rotations import exponential, normalise, product
from softdock.core.spatial.vectors import add_scaled, scale, store3, subtract

__all__ = [
    "MODELS",
    "ROBOT",
    "Chance",
    "Follower",
    "RobotParams",
    "is_elastic",
    "longest_delay",
    "prepare_follower",
    "prepare_robot",
    "robot_joint",
    "whole_delay",
]


@compiled
def receive(features, vector, carrier, chance, T, mem, stamp, set_point):
    """A set-point arrives, or is lost and replaced by what the robot makes of the last one."""
    if not carrier.follower.steady:
        set_point = arrived_or_lost(features, vector, carrier, chance, T, mem, stamp, set_point)
    push(mem, carrier.history, carrier.slots, stamp, set_point)


@compiled
def _arrived(features, vector, carrier, chance, T, mem, stamp, set_point):
    return set_point


@apart
def _arrived_or_lost(features, vector, carrier, chance, T, mem, stamp, set_point):
    robot = prepare_robot(vector, carrier.follower.at, carrier.follower.which)
    if (
        robot.dropout == 0.0
        or draw(chance.seed, chance.run, stamp, DROPOUT + robot.which) >= robot.dropout
    ):
        return set_point
    last = stamped(mem, carrier.history, carrier.slots, stamp - 1)
    if robot.on_dropout == HOLD_LAST:
        return Motion(last.p, last.q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    q = normalise(product(last.q, exponential(scale(T, last.w))))
    return Motion(add_scaled(last.p, T, last.v), q, last.v, last.w)


@by_type(lambda cls: _arrived_or_lost if cls is Every else _arrived)
def arrived_or_lost(features, vector, carrier, chance, T, mem, stamp, set_point):
    """What reaches the robot of a set-point."""


@door
def count_lost(seed, run, which, probability, first, last):
    """How many of the set-points stamped first .. last - 1 a robot loses, and the stamps of the
    first and the last of them."""
    lost, start, end = 0, 0, 0
    for stamp in range(first, last):
        if draw(seed, run, stamp, DROPOUT + which) < probability:
            start = stamp if lost == 0 else start
            end = stamp
            lost += 1
    return lost, start, end


@compiled
def carry(features, vector, carrier, chance, T, mem, motion, now, later, inertial):
    """The mock-up (behind an elastic joint: the motors) at `later` [cycles] from where it was at
    `now`. `inertial`: also leave its accelerations in `mem` at the carrier's state."""
    robot = carrier.follower
    if robot.steady:
        cycles = later - robot.delay / T
        return motion_at(robot.interpolation, T, mem, carrier.history, carrier.slots, cycles)
    return carry_on(features, vector, carrier, chance, T, mem, motion, now * T, later * T, inertial)


@compiled
def _stay(features, vector, carrier, chance, T, mem, motion, t0, t1, inertial):
    return motion


@apart
def _carry_on(features, vector, carrier, chance, T, mem, motion, t0, t1, inertial):
    follower, history, slots, state = carrier
    robot = prepare_robot(vector, follower.at, follower.which)
    if is_elastic(vector, follower.at):
        motion = motors_of(mem, state)
    arrived = delayed_set_point(robot, chance, T, mem, history, slots, t1)
    dt = t1 - t0
    if robot.model == LIMITED:
        return follow_within_limits(robot.limits, dt, mem, state, motion, arrived)
    if robot.model == DELAY:
        store_delayed_acceleration(robot, chance, T, mem, history, slots, t1, state)
        return arrived
    before = delayed_set_point(robot, chance, T, mem, history, slots, t0)
    after = follow_with_lag(robot.w, robot.zeta, dt, motion, before, arrived)
    if inertial:
        store3(mem, state + MOVING.acceleration, scale(1.0 / dt, subtract(after.v, motion.v)))
        store3(mem, state + MOVING.turning, scale(1.0 / dt, subtract(after.w, motion.w)))
    return after


@by_type(lambda cls: _carry_on if cls is Every else _stay)
def carry_on(features, vector, carrier, chance, T, mem, motion, t0, t1, inertial):
    """The mock-up of a robot that is more than late."""
