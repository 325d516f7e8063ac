"""One robot's parameters from the vector: `RobotParams`, all of them, and `Follower`, what every
cycle needs. Delays in s, limits in m/s and rad/s and their derivatives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.instants import ON_STAMP
from softdock.loop.optional_limits import or_no_limit
from softdock.loop.robots.joint import prepare_joint
from softdock.loop.robots.keys import DELAY, LIMITED, ROBOT


class RobotParams(NamedTuple):
    which: int  # 0 chaser's, 1 target's
    model: int
    delay: float  # s
    ramp: float  # s/s
    wobble: float  # s
    wobble_rate: float  # rad/s
    jitter: float  # s
    dropout: float
    on_dropout: int
    interpolation: int
    w: float  # rad/s, of the lag
    zeta: float
    limits: tuple  # speed, acceleration, jerk; rate, angular acceleration, angular jerk


class Chance(NamedTuple):
    """The key of all random numbers of a run."""

    seed: int
    run: int


@compiled
def whole_delay(vector, base):
    """Delay from the stamp of a set-point to the mock-up being there: computation, transport and
    robot [s]; without what varies."""
    keys = ROBOT(vector, base)
    return keys.delay + keys.computation + keys.transport


@compiled
def prepare_robot(vector, base, which):
    keys = ROBOT(vector, base)
    limits = (
        or_no_limit(keys.speed),
        keys.acceleration,
        or_no_limit(keys.jerk),
        or_no_limit(keys.turn_speed),
        keys.turn_acceleration,
        or_no_limit(keys.turn_jerk),
    )
    return RobotParams(
        which=which,
        model=int(keys.model),
        delay=whole_delay(vector, base),
        ramp=keys.ramp,
        wobble=keys.wobble,
        wobble_rate=2.0 * math.pi * keys.wobble_frequency,
        jitter=keys.jitter,
        dropout=keys.dropout,
        on_dropout=int(keys.on_dropout),
        interpolation=int(keys.interpolation),
        w=2.0 * math.pi * keys.frequency,
        zeta=keys.zeta,
        limits=limits,
    )


@compiled
def longest_delay(robot: RobotParams, duration):
    """Upper bound of a robot's delay over the run [s]."""
    return robot.delay + max(robot.ramp, 0.0) * duration + robot.wobble + robot.jitter


@compiled
def is_elastic(vector, base):
    return ROBOT(vector, base).joint_stiffness > 0.0


@compiled
def prepare_robot_joint(vector, base):
    keys = ROBOT(vector, base)
    return prepare_joint(keys.joint_stiffness, keys.moving_mass, keys.joint_zeta)


class Follower(NamedTuple):
    """What every cycle needs of a robot; the rest is prepared from the vector when it is wanted."""

    which: int  # 0 chaser's, 1 target's
    at: int  # its parameters in the vector
    delay: float  # s
    interpolation: int
    steady: bool  # a constant delay and nothing else
    whole: bool  # and that of a whole number of cycles: the mock-up is always on a set-point
    cycles: int  # that number
    coordinated: bool  # limits hold for lengths of vectors, and all axes arrive together


@compiled
def prepare_follower(vector, base, which, T, inertial):
    """`inertial`: the mock-up's accelerations are wanted too."""
    robot = prepare_robot(vector, base, which)
    constant = robot.ramp == 0.0 and robot.wobble == 0.0 and robot.jitter == 0.0
    steady = (
        constant
        and robot.model == DELAY
        and robot.dropout == 0.0
        and not inertial
        and not is_elastic(vector, base)
    )
    nearest = math.floor(robot.delay / T + 0.5)
    whole = steady and abs(robot.delay / T - nearest) < ON_STAMP
    return Follower(
        which=which,
        at=base,
        delay=robot.delay,
        interpolation=robot.interpolation,
        steady=steady,
        whole=whole,
        cycles=int(nearest),
        coordinated=robot.model == LIMITED and ROBOT(vector, base).coordinated != 0.0,
    )


class Carrier(NamedTuple):
    """A robot, where its part of `mem` stands, and what its steps are made with."""

    follower: Follower
    history: int  # its set-points (history.py)
    slots: int  # how many are kept
    state: int  # accelerations, room to plan, an elastic joint (memory.py)
    heavy: bool  # the mock-up's accelerations are wanted, at `state`
    chance: Chance
    T: float  # s, a cycle
