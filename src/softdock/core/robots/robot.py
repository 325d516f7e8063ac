"""One robot: its parameters, and how its mock-up moves over a step. The list of models stands here.

delay     the mock-up is where the set-points were a delay ago; delay zero is the ideal robot
lag       the same, followed with a second-order lag
limited   the same, followed within limits of speed, acceleration and jerk

With an elastic joint (joint.py) that is where the motors are, and the mock-up is behind a spring
and a damper.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.chance import draw
from softdock.core.limits import or_no_limit
from softdock.core.machine.compiled import apart, by_type, compiled, door
from softdock.core.machine.features import Every
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.robots.delay import DROPOUT, delayed_set_point, store_delayed_acceleration
from softdock.core.robots.history import INTERPOLATIONS, ON_STAMP, motion_at, push, stamped
from softdock.core.robots.joint import motors_of, prepare_joint
from softdock.core.robots.lag import follow_with_lag
from softdock.core.robots.limited import follow_within_limits
from softdock.core.robots.memory import ROBOT_STATE
from softdock.core.spatial.motion import Motion
from softdock.core.spatial.rotations import exponential, normalise, product
from softdock.core.spatial.vectors import add_scaled, scale, store3, subtract

MS = 1e-3  # s
LONGEST_DELAY_MS = 2000.0
DELAY, LAG, LIMITED = 0, 1, 2
MODELS = ("delay", "lag", "limited")
EXTRAPOLATE, HOLD_LAST = 0, 1
_LAG, _LIMITED = ("model", ("lag",)), ("model", ("limited",))

ROBOT = Group(
    "robot",
    "One robot: from the stamp of a set-point to the mock-up being there.",
    Parameter("model", "model", "what the delayed set-points become", "delay", choices=MODELS),
    Parameter(
        "delay",
        "delay_ms",
        "delay, the robot controller's interpolation included",
        0.0,
        "ms",
        0.0,
        LONGEST_DELAY_MS,
        scale=MS,
    ),
    Parameter(
        "ramp", "delay_ramp_ms_per_s", "growth of the delay", 0.0, "ms/s", -100.0, 100.0, scale=MS
    ),
    Parameter(
        "wobble",
        "delay_wobble_ms",
        "amplitude of a sinusoidal change of the delay",
        0.0,
        "ms",
        0.0,
        LONGEST_DELAY_MS,
        scale=MS,
    ),
    Parameter("wobble_frequency", "delay_wobble_Hz", "its frequency", 0.0, "Hz", 0.0, 1e3),
    Parameter(
        "jitter",
        "delay_jitter_ms",
        "extra delay, uniform between 0 and this, new each cycle",
        0.0,
        "ms",
        0.0,
        LONGEST_DELAY_MS,
        scale=MS,
    ),
    Parameter(
        "dropout",
        "dropout_probability",
        "share of set-points that never arrive",
        0.0,
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "on_dropout",
        "on_dropout",
        "what a lost set-point is replaced by",
        "extrapolate",
        choices=("extrapolate", "hold"),
    ),
    Parameter(
        "interpolation",
        "interpolation",
        "how the robot moves between set-points",
        "hermite",
        choices=INTERPOLATIONS,
    ),
    Parameter(
        "frequency",
        "lag_Hz",
        "natural frequency of the lag",
        None,
        "Hz",
        0.0,
        1e4,
        open_low=True,
        when=_LAG,
    ),
    Parameter(
        "zeta",
        "lag_damping_ratio",
        "damping ratio of the lag",
        1.0,
        low=0.0,
        high=100.0,
        open_low=True,
        when=_LAG,
    ),
    Parameter(
        "speed",
        "max_speed_m_per_s",
        "speed limit per axis; 0: none",
        0.0,
        "m/s",
        0.0,
        1e3,
        when=_LIMITED,
    ),
    Parameter(
        "acceleration",
        "max_acceleration_m_per_s2",
        "acceleration limit per axis",
        None,
        "m/s^2",
        0.0,
        1e4,
        open_low=True,
        when=_LIMITED,
    ),
    Parameter(
        "jerk",
        "max_jerk_m_per_s3",
        "jerk limit per axis; 0: none",
        0.0,
        "m/s^3",
        0.0,
        1e6,
        when=_LIMITED,
    ),
    Parameter(
        "turn_speed",
        "max_rate_rad_per_s",
        "rate limit per axis; 0: none",
        0.0,
        "rad/s",
        0.0,
        1e3,
        when=_LIMITED,
    ),
    Parameter(
        "turn_acceleration",
        "max_angular_acceleration_rad_per_s2",
        "angular acceleration limit per axis",
        100.0,
        "rad/s^2",
        0.0,
        1e5,
        open_low=True,
        when=_LIMITED,
    ),
    Parameter(
        "reach_centre",
        "reach_centre_m",
        "middle of the robot's reach, laboratory axes",
        (0.0, 0.0, 0.0),
        "m",
        size=3,
        low=-1e4,
        high=1e4,
    ),
    Parameter(
        "reach",
        "reach_m",
        "largest distance of the mock-up from there; 0: no limit",
        0.0,
        "m",
        0.0,
        1e6,
    ),
    Parameter(
        "allowed_speed",
        "allowed_speed_m_per_s",
        "speed that orbit's motion may ask for, checked before a run; 0: no limit",
        0.0,
        "m/s",
        0.0,
        1e3,
    ),
    Parameter(
        "allowed_acceleration",
        "allowed_acceleration_m_per_s2",
        "acceleration that orbit's motion may ask for, checked before a run; 0: no limit",
        0.0,
        "m/s^2",
        0.0,
        1e5,
    ),
    Parameter(
        "computation",
        "computation_ms",
        "time until the controller has computed a set-point: adds to the delay",
        0.0,
        "ms",
        0.0,
        1e3,
        scale=MS,
    ),
    Parameter(
        "transport",
        "transport_ms",
        "time a set-point takes to the robot: adds to the delay",
        0.0,
        "ms",
        0.0,
        1e3,
        scale=MS,
    ),
    Parameter(
        "turn_jerk",
        "max_angular_jerk_rad_per_s3",
        "angular jerk limit per axis; 0: none",
        0.0,
        "rad/s^3",
        0.0,
        1e6,
        when=_LIMITED,
    ),
    Parameter(
        "joint_stiffness",
        "joint_stiffness_N_per_m",
        "of the elastic joint between motors and mock-up; 0: rigid",
        0.0,
        "N/m",
        0.0,
        1e12,
    ),
    Parameter(
        "joint_zeta",
        "joint_damping_ratio",
        "damping ratio of the moving mass on the joint",
        0.1,
        low=0.0,
        high=10.0,
    ),
    Parameter(
        "moving_mass",
        "moving_mass_kg",
        "all that moves behind the joint, the mock-up included; needed with an elastic joint",
        0.0,
        "kg",
        0.0,
        1e6,
    ),
)
AT, MOVING = ROBOT.at, ROBOT_STATE.at


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
    """From the stamp of a set-point to the mock-up being there: computation, transport and robot
    [s]; without what varies."""
    return vector[base + AT.delay] + vector[base + AT.computation] + vector[base + AT.transport]


@compiled
def prepare_robot(vector, base, which):
    v = vector
    b = base
    limits = (
        or_no_limit(v[b + AT.speed]),
        v[b + AT.acceleration],
        or_no_limit(v[b + AT.jerk]),
        or_no_limit(v[b + AT.turn_speed]),
        v[b + AT.turn_acceleration],
        or_no_limit(v[b + AT.turn_jerk]),
    )
    return RobotParams(
        which=which,
        model=int(v[b + AT.model]),
        delay=whole_delay(v, b),
        ramp=v[b + AT.ramp],
        wobble=v[b + AT.wobble],
        wobble_rate=2.0 * math.pi * v[b + AT.wobble_frequency],
        jitter=v[b + AT.jitter],
        dropout=v[b + AT.dropout],
        on_dropout=int(v[b + AT.on_dropout]),
        interpolation=int(v[b + AT.interpolation]),
        w=2.0 * math.pi * v[b + AT.frequency],
        zeta=v[b + AT.zeta],
        limits=limits,
    )


@compiled
def longest_delay(robot, duration):
    """Upper bound of a robot's delay over the run [s]."""
    return robot.delay + max(robot.ramp, 0.0) * duration + robot.wobble + robot.jitter


@compiled
def is_elastic(vector, base):
    return vector[base + AT.joint_stiffness] > 0.0


@compiled
def robot_joint(vector, base):
    return prepare_joint(
        vector[base + AT.joint_stiffness],
        vector[base + AT.moving_mass],
        vector[base + AT.joint_zeta],
    )


class Follower(NamedTuple):
    """What every cycle needs of a robot; the rest is prepared from the vector when it is wanted."""

    which: int  # 0 chaser's, 1 target's
    at: int  # its parameters in the vector
    delay: float  # s
    interpolation: int
    steady: bool  # a constant delay and nothing else
    whole: bool  # and that of a whole number of cycles: the mock-up is always on a set-point
    cycles: int  # that number


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
    )


@compiled
def receive(features, vector, follower, chance, T, mem, at, slots, stamp, set_point):
    """A set-point arrives, or is lost and replaced by what the robot makes of the last one."""
    if not follower.steady:
        set_point = arrived_or_lost(
            features, vector, follower, chance, T, mem, at, slots, stamp, set_point
        )
    push(mem, at, slots, stamp, set_point)


@compiled
def _arrived(features, vector, follower, chance, T, mem, at, slots, stamp, set_point):
    return set_point


@apart
def _arrived_or_lost(features, vector, follower, chance, T, mem, at, slots, stamp, set_point):
    robot = prepare_robot(vector, follower.at, follower.which)
    if (
        robot.dropout == 0.0
        or draw(chance.seed, chance.run, stamp, DROPOUT + robot.which) >= robot.dropout
    ):
        return set_point
    last = stamped(mem, at, slots, stamp - 1)
    if robot.on_dropout == HOLD_LAST:
        return Motion(last.p, last.q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    q = normalise(product(last.q, exponential(scale(T, last.w))))
    return Motion(add_scaled(last.p, T, last.v), q, last.v, last.w)


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


@by_type(lambda cls: _arrived_or_lost if cls is Every else _arrived)
def arrived_or_lost(features, vector, follower, chance, T, mem, at, slots, stamp, set_point):
    """What reaches the robot of a set-point."""


@compiled
def carry(
    features, vector, follower, chance, T, mem, history, slots, state, motion, now, later, inertial
):
    """The mock-up (behind an elastic joint: the motors) at `later` [cycles] from where it was at
    `now`. `inertial`: also leave its accelerations in `mem` at `state`."""
    if follower.steady:
        return motion_at(follower.interpolation, T, mem, history, slots, later - follower.delay / T)
    return carry_on(
        features,
        vector,
        follower,
        chance,
        T,
        mem,
        history,
        slots,
        state,
        motion,
        now * T,
        later * T,
        inertial,
    )


@compiled
def _stay(
    features, vector, follower, chance, T, mem, history, slots, state, motion, t0, t1, inertial
):
    return motion


@apart
def _carry_on(
    features, vector, follower, chance, T, mem, history, slots, state, motion, t0, t1, inertial
):
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
def carry_on(
    features, vector, follower, chance, T, mem, history, slots, state, motion, t0, t1, inertial
):
    """The mock-up of a robot that is more than late."""
