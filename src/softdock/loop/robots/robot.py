"""One robot: its parameters, and how its mock-up moves over a step. The list of models is in
models.py.

With an elastic joint (joint.py) what a model moves are the motors, and the mock-up is behind a
spring and a damper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softdock.compile.features import Arms, Every, is_full
from softdock.compile.jit import by_type, compiled, entry_point, noinline
from softdock.loop.arms.robot_layout import has_elastic_joints
from softdock.loop.arms.set_points import store_arm_joints
from softdock.loop.chance import draw
from softdock.loop.robots.delay import DROPOUT
from softdock.loop.robots.history import motion_at, push, read_stamped
from softdock.loop.robots.joint import read_motors
from softdock.loop.robots.keys import HOLD_LAST, MODELS, ROBOT
from softdock.loop.robots.models import follow_set_points, follow_with_arms
from softdock.loop.robots.prepare import (
    Chance,
    Follower,
    RobotParams,
    is_elastic,
    longest_delay,
    prepare_follower,
    prepare_robot,
    prepare_robot_joint,
    whole_delay,
)
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import exponential, normalise, product
from softdock.loop.spatial.vectors import add_scaled, scale

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier

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
    "prepare_robot_joint",
    "whole_delay",
]


@compiled
def receive(features, vector, carrier: Carrier, mem, stamp, set_point: Motion):
    """A set-point arrives, or is lost and replaced by what the robot makes of the last one."""
    if not carrier.follower.steady:
        set_point = replace_lost(features, vector, carrier, mem, stamp, set_point)
        store_arm_joints(features, vector, carrier, mem, stamp, set_point)
    push(mem, carrier.history, carrier.slots, stamp, set_point)


@compiled
def _keep_set_point(features, vector, carrier: Carrier, mem, stamp, set_point: Motion):
    return set_point


@noinline
def _replace_lost(features, vector, carrier: Carrier, mem, stamp, set_point: Motion):
    follower, chance = carrier.follower, carrier.chance
    robot = prepare_robot(vector, follower.at, follower.which)
    if (
        robot.dropout == 0.0
        or draw(chance.seed, chance.run, stamp, DROPOUT + robot.which) >= robot.dropout
    ):
        return set_point
    last = read_stamped(mem, carrier.history, carrier.slots, stamp - 1)
    if robot.on_dropout == HOLD_LAST:
        return Motion(last.p, last.q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    T = carrier.T
    q = normalise(product(last.q, exponential(scale(T, last.w))))
    return Motion(add_scaled(last.p, T, last.v), q, last.v, last.w)


@by_type(lambda cls: _replace_lost if is_full(cls) else _keep_set_point)
def replace_lost(features, vector, carrier, mem, stamp, set_point):
    """What reaches the robot of a set-point."""


@entry_point
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
def carry(features, vector, carrier: Carrier, mem, motion: Motion, now, later):
    """The mock-up (behind an elastic joint: the motors) at `later` [cycles] from where it was at
    `now`. Of a heavy mock-up the accelerations are left in `mem` at the carrier's state."""
    robot, T = carrier.follower, carrier.T
    if robot.steady:
        cycles = later - robot.delay / T
        return motion_at(robot.interpolation, T, mem, carrier.history, carrier.slots, cycles)
    return carry_on(features, vector, carrier, mem, motion, now * T, later * T)


@compiled
def _stay(features, vector, carrier: Carrier, mem, motion: Motion, t0, t1):
    return motion


@noinline
def _carry_on(features, vector, carrier: Carrier, mem, motion: Motion, t0, t1):
    follower = carrier.follower
    robot = prepare_robot(vector, follower.at, follower.which)
    if is_elastic(vector, follower.at):
        motion = read_motors(mem, carrier.state)
    return follow_set_points(vector, carrier, robot, mem, motion, t0, t1)


@noinline
def _carry_on_arms(features, vector, carrier: Carrier, mem, motion: Motion, t0, t1):
    follower = carrier.follower
    robot = prepare_robot(vector, follower.at, follower.which)
    if is_compliant(features, vector, follower.at):
        motion = read_motors(mem, carrier.state)
    return follow_with_arms(vector, carrier, robot, mem, motion, t0, t1)


@compiled
def _gives_way(features, vector, base):
    return is_elastic(vector, base)


@compiled
def _arm_gives_way(features, vector, base):
    return is_elastic(vector, base) or has_elastic_joints(vector, base)


@by_type(lambda cls: _arm_gives_way if cls is Arms else _gives_way)
def is_compliant(features, vector, base):
    """Whether a robot is elastic: its motors are not where its mock-up is."""


CARRIES: dict[type, Any] = {Every: _carry_on, Arms: _carry_on_arms}


@by_type(lambda cls: CARRIES.get(cls, _stay))
def carry_on(features, vector, carrier, mem, motion, t0, t1):
    """The mock-up of a robot that is more than late."""
