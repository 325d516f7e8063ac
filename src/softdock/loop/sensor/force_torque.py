"""The force/torque sensor: what its electronics make of the wrench at its origin, and what is
handed to the controller.

Each sample, in the sensor's axes: true wrench + white noise + bias + drift t + jump, then the
optional low-pass (settled when a run starts: the sensor was on long before), then saturation, then
quantisation; a frozen sensor repeats its last sample, with new stamps. One sample per cycle or the
sensor's own rate. A sample arrives `delay` after it was taken; the controller gets the `latest`
arrived, or the `mean` of those that arrived since the last cycle. A wrench whose force is below the
threshold is delivered as zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.chance import gaussians
from softdock.loop.instants import SAME_CYCLE
from softdock.loop.mounting import ON_BOTH, ON_CHASER, ON_TARGET
from softdock.loop.optional_limits import or_no_limit
from softdock.loop.sensor.keys import LATEST, MEAN, SENSOR
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import add, add_scaled, dot, scale

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Chance

__all__ = ["LATEST", "MEAN", "ON_BOTH", "ON_CHASER", "ON_TARGET", "SENSOR"]

FADED_SQUARED = 1e-24  # N^2, (Nm)^2; what is left of a filtered wrench below is none


class SensorParams(NamedTuple):
    on: int
    period: float  # s; never 0: the cycle if one sample per cycle
    delay: float  # s
    handover: int
    noise_force: float
    noise_torque: float
    bias: Wrench
    drift: Wrench
    keep: float  # share of the old value that the low-pass keeps each sample; 0: no filter
    range_force: float  # N; inf: none
    range_torque: float
    resolution_force: float
    resolution_torque: float
    freeze_at: float  # s
    freeze_for: float  # s; 0: never
    jump_at: float  # s
    jump_until: float  # s
    jump: Wrench
    threshold: float  # N
    noisy: bool
    plain: bool  # no electronics beyond noise


@compiled
def prepare_sensor(vector, base, T):
    keys = SENSOR(vector, base)
    period = keys.period if keys.period > 0.0 else T
    keep = math.exp(-2.0 * math.pi * keys.lowpass * period) if keys.lowpass > 0.0 else 0.0
    bias = Wrench(keys.bias_force, keys.bias_torque)
    drift = Wrench(keys.drift_force, keys.drift_torque)
    jump = Wrench(keys.jump_force, keys.jump_torque)
    # a key that changes a reading and is not asked for here would do nothing by itself: a test asks
    plain = keep == 0.0 and keys.freeze_for == 0.0
    for i in range(3):
        plain = plain and jump.force[i] == 0.0 and jump.torque[i] == 0.0
        plain = (
            plain
            and bias.force[i] == 0.0
            and bias.torque[i] == 0.0
            and drift.force[i] == 0.0
            and drift.torque[i] == 0.0
        )
    plain = plain and keys.range_force == 0.0 and keys.range_torque == 0.0
    plain = plain and keys.resolution_force == 0.0 and keys.resolution_torque == 0.0
    noisy = keys.noise_force > 0.0 or keys.noise_torque > 0.0
    jump_until = keys.jump_at + keys.jump_for if keys.jump_for > 0.0 else math.inf
    return SensorParams(
        on=int(keys.on),
        period=period,
        delay=keys.delay,
        handover=int(keys.handover),
        noise_force=keys.noise_force,
        noise_torque=keys.noise_torque,
        bias=bias,
        drift=drift,
        keep=keep,
        range_force=or_no_limit(keys.range_force),
        range_torque=or_no_limit(keys.range_torque),
        resolution_force=keys.resolution_force,
        resolution_torque=keys.resolution_torque,
        freeze_at=keys.freeze_at,
        freeze_for=keys.freeze_for,
        jump_at=keys.jump_at,
        jump_until=jump_until,
        jump=jump,
        threshold=keys.threshold,
        noisy=noisy,
        plain=plain,
    )


class Sampling(NamedTuple):
    """What every cycle needs of the sensor; its electronics are prepared from the vector when they
    are wanted."""

    on: int
    period: float  # s
    delay: float  # s
    handover: int
    noise_force: float
    noise_torque: float
    threshold: float  # N
    noisy: bool
    plain: bool  # no electronics beyond noise
    all_consumed: bool  # every sample counts: for a mean, or a filter
    prompt: (
        bool  # one sample per cycle that arrives at once: the one taken at t_k is delivered at t_k
    )
    thresholded: bool
    direct: bool  # what the chaser's sensor just sampled is what is delivered


@compiled
def prepare_sampling(vector, base, T):
    s = prepare_sensor(vector, base, T)
    all_consumed = s.handover != LATEST or s.keep > 0.0
    prompt = s.period == T and s.delay == 0.0
    direct = prompt and s.handover == LATEST and s.on == ON_CHASER and s.threshold == 0.0
    return Sampling(
        on=s.on,
        period=s.period,
        delay=s.delay,
        handover=s.handover,
        noise_force=s.noise_force,
        noise_torque=s.noise_torque,
        threshold=s.threshold,
        noisy=s.noisy,
        plain=s.plain,
        all_consumed=all_consumed,
        prompt=prompt,
        thresholded=s.threshold > 0.0,
        direct=direct,
    )


@compiled
def is_used(sensor, T, sample):
    """Whether the controller will ever look at a sample (number from the start): only then its
    noise is drawn."""
    if sensor.all_consumed or sensor.prompt:
        return True
    arrives = (sample * sensor.period + sensor.delay) / T
    seen = math.ceil(arrives - SAME_CYCLE)
    return arrives + sensor.period / T > seen + SAME_CYCLE


@compiled
def find_newest_sample(sensor, t):
    """Number of the newest sample that has arrived at time t; 0 is the one at the start."""
    return int(math.floor((t - sensor.delay) / sensor.period + SAME_CYCLE))


@compiled
def _channel(value, limit, resolution):
    value = min(max(value, -limit), limit)
    if resolution > 0.0:
        value = resolution * math.floor(value / resolution + 0.5)
    return value


@compiled
def _channels(a, limit, resolution):
    return (
        _channel(a[0], limit, resolution),
        _channel(a[1], limit, resolution),
        _channel(a[2], limit, resolution),
    )


@compiled
def _converted(sensor, wrench: Wrench):
    """Saturated and quantised."""
    force = _channels(wrench.force, sensor.range_force, sensor.resolution_force)
    return Wrench(force, _channels(wrench.torque, sensor.range_torque, sensor.resolution_torque))


@compiled
def sensor_noise(sensor, chance: Chance, which, cycle, sample):
    """White noise of one sample, sensor axes."""
    f0, f1, f2, t0 = gaussians(chance.seed, chance.run, cycle, sample, which, 0)
    if sensor.noise_torque == 0.0:
        return Wrench(scale(sensor.noise_force, (f0, f1, f2)), (0.0, 0.0, 0.0))
    t1, t2, _, _ = gaussians(chance.seed, chance.run, cycle, sample, which, 1)
    return Wrench(scale(sensor.noise_force, (f0, f1, f2)), scale(sensor.noise_torque, (t0, t1, t2)))


@compiled
def _faded(a):
    """What a low-pass still remembers of a contact long past is nothing: methods divide by the size
    of a force."""
    return a if dot(a, a) > FADED_SQUARED else (0.0, 0.0, 0.0)


@compiled
def read_sensor(sensor, chance: Chance, which, tick, filtered, true):
    """One sample. `which`: 0 chaser's, 1 target's; `tick`: when (cycle k, number of the sample,
    t [s]); `filtered`: the last sample behind the low-pass. Returns the reading and the new
    state."""
    t = tick.t
    if sensor.plain and not sensor.noisy:
        return true, filtered
    if sensor.freeze_for > 0.0 and sensor.freeze_at <= t < sensor.freeze_at + sensor.freeze_for:
        return _converted(sensor, filtered), filtered
    wrench = true
    if sensor.noisy:
        noise = sensor_noise(sensor, chance, which, tick.k, tick.sample)
        wrench = Wrench(add(wrench.force, noise.force), add(wrench.torque, noise.torque))
    if sensor.plain:
        return wrench, filtered
    force = add(wrench.force, add_scaled(sensor.bias.force, t, sensor.drift.force))
    torque = add(wrench.torque, add_scaled(sensor.bias.torque, t, sensor.drift.torque))
    if sensor.jump_at <= t < sensor.jump_until:
        force, torque = add(force, sensor.jump.force), add(torque, sensor.jump.torque)
    if sensor.keep > 0.0:
        if tick.sample == 0:  # on long before: settled on what it carries, noise averaged out
            filtered = Wrench(
                add(true.force, add_scaled(sensor.bias.force, t, sensor.drift.force)),
                add(true.torque, add_scaled(sensor.bias.torque, t, sensor.drift.torque)),
            )
        force = add(scale(sensor.keep, filtered.force), scale(1.0 - sensor.keep, force))
        torque = add(scale(sensor.keep, filtered.torque), scale(1.0 - sensor.keep, torque))
        force, torque = _faded(force), _faded(torque)
    filtered = Wrench(force, torque)
    return _converted(sensor, filtered), filtered
