"""Measured poses of the mock-ups: their own delay, rate, noise, resolution, offsets and dropouts,
apart from the force sensor's.

The mock-ups' motion is kept in a ring, one entry per cycle. Reported is the pose at the newest
sampling instant that lies `delay` back, with its age. The twist that goes with it is the robot's
own report of its velocity at that instant, without noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.chance import draw, gaussians
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import exponential, logarithm, product
from softdock.loop.spatial.vectors import add, add_scaled, scale

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Chance

POSE_SENSOR, POSE_DROPOUT = (
    4,
    14,
)  # numbers of these sources in the random counter; + 1 for the target's

_NONE = (0.0, 0.0, 0.0)

POSE = Group(
    "pose",
    "How the mock-ups' poses are measured.",
    Parameter(
        "delay",
        "delay_ms",
        "from motion to measured pose",
        0.0,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    Parameter(
        "period",
        "period_ms",
        "time between samples; 0: one sample a cycle",
        0.0,
        unit="ms",
        low=0.0,
        high=1e4,
        scale=1e-3,
    ),
    Parameter(
        "noise_position",
        "noise_m",
        "standard deviation of each position channel",
        0.0,
        unit="m",
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "noise_attitude",
        "noise_rad",
        "standard deviation of each attitude channel",
        0.0,
        unit="rad",
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "resolution_position",
        "resolution_m",
        "quantisation of the position; 0: none",
        0.0,
        unit="m",
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "resolution_attitude",
        "resolution_rad",
        "quantisation of the attitude; 0: none",
        0.0,
        unit="rad",
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "dropout",
        "dropout_probability",
        "share of pose samples that never arrive",
        0.0,
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "chaser_offset",
        "chaser_offset_m",
        "constant error of the chaser's measured position, world axes",
        _NONE,
        unit="m",
        low=-1.0,
        high=1.0,
        size=3,
    ),
    Parameter(
        "target_offset",
        "target_offset_m",
        "constant error of the target's measured position, world axes",
        _NONE,
        unit="m",
        low=-1.0,
        high=1.0,
        size=3,
    ),
)
POSE_SIZE = POSE.size


class PoseParams(NamedTuple):
    delay: float  # s
    period: float  # s
    noise_position: float
    noise_attitude: float
    resolution_position: float
    resolution_attitude: float
    dropout: float
    chaser_offset: tuple  # m
    target_offset: tuple
    ideal: bool


@compiled
def prepare_pose(vector, base):
    keys, ideal = POSE(vector, base), True
    for i in range(POSE_SIZE):
        ideal = ideal and vector[base + i] == 0.0
    return PoseParams(
        delay=keys.delay,
        period=keys.period,
        noise_position=keys.noise_position,
        noise_attitude=keys.noise_attitude,
        resolution_position=keys.resolution_position,
        resolution_attitude=keys.resolution_attitude,
        dropout=keys.dropout,
        chaser_offset=keys.chaser_offset,
        target_offset=keys.target_offset,
        ideal=ideal,
    )


@compiled
def pose_sample(pose: PoseParams, T, k):
    """Number of the pose sample that is newest at t_k, and its time [cycles]."""
    cycles = k - pose.delay / T
    if pose.period <= 0.0:
        return k, cycles
    step = pose.period / T
    number = int(math.floor(cycles / step + 1e-9))
    return number, number * step


@compiled
def is_lost(pose: PoseParams, chance: Chance, sample):
    return pose.dropout > 0.0 and draw(chance.seed, chance.run, sample, POSE_DROPOUT) < pose.dropout


@compiled
def _round(value, resolution):
    if resolution > 0.0:
        return resolution * math.floor(value / resolution + 0.5)
    return value


@compiled
def _rounded(a, resolution):
    return (_round(a[0], resolution), _round(a[1], resolution), _round(a[2], resolution))


@compiled
def astray(pose: PoseParams, which, true: Motion):
    """A motion with the constant error of its measured position."""
    offset = pose.target_offset
    if which == 0:
        offset = pose.chaser_offset
    return Motion(add(true.p, offset), true.q, true.v, true.w)


@noinline
def read_pose(pose: PoseParams, chance: Chance, which, sample, true: Motion):
    """One measured pose. `which`: 0 chaser's, 1 target's."""
    p, q = astray(pose, which, true).p, true.q
    if pose.noise_position > 0.0 or pose.noise_attitude > 0.0:
        x, y, z, a = gaussians(chance.seed, chance.run, sample, 0, POSE_SENSOR + which, 0)
        b, c, _, _ = gaussians(chance.seed, chance.run, sample, 0, POSE_SENSOR + which, 1)
        p = add_scaled(p, pose.noise_position, (x, y, z))
        q = product(q, exponential(scale(pose.noise_attitude, (a, b, c))))
    if pose.resolution_position > 0.0:
        p = _rounded(p, pose.resolution_position)
    if pose.resolution_attitude > 0.0:
        q = exponential(_rounded(logarithm(q), pose.resolution_attitude))
    return Motion(p, q, true.v, true.w)
