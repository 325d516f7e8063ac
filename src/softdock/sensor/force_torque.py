"""A force/torque sensor that reads the wrench on the chaser's mock-up, ideal or with Gaussian noise.

The reading is the true wrench about the mock-up's centre of mass, world axes, plus white noise of the stated standard deviation on each
sample. One sample a cycle, or the sensor's own rate; handed over is the `latest` sample or the `mean` of those since the last cycle.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compiled import compiled
from softdock.parameters import Group, Parameter
from softdock.philox import gaussians
from softdock.spatial.motion import Wrench
from softdock.spatial.vectors import add_scaled

LATEST, MEAN = 0, 1
FORCE_SENSOR = 0  # the sensor's number in the random counter

SENSOR = Group(
    "sensor",
    "The force/torque sensor behind the chaser's mock-up.",
    Parameter("period", "period_ms", "time between samples; 0: one sample a cycle", 0.0, "ms", 0.0, 1e4, scale=1e-3),
    Parameter("handover", "handover", "what the controller gets: the newest sample, or the mean since the last cycle", "latest", choices=("latest", "mean")),
    Parameter("noise_force", "noise_N", "standard deviation of each force sample", 0.0, "N", 0.0, 1e6),
    Parameter("noise_torque", "noise_Nm", "standard deviation of each torque sample", 0.0, "Nm", 0.0, 1e6),
)
AT = SENSOR.at


class SensorParams(NamedTuple):
    period: float  # s; 0: the cycle
    handover: int
    noise_force: float  # N
    noise_torque: float  # Nm
    noisy: bool


@compiled
def prepare_sensor(vector, base):
    force, torque = vector[base + AT.noise_force], vector[base + AT.noise_torque]
    return SensorParams(vector[base + AT.period], int(vector[base + AT.handover]), force, torque, force > 0.0 or torque > 0.0)


@compiled
def read_sensor(sensor, seed, run, cycle, sample, true):
    """One sample of the wrench. `cycle`, `sample`: the counter that makes its noise."""
    if not sensor.noisy:
        return true
    f0, f1, f2, t0 = gaussians(seed, run, cycle, sample, FORCE_SENSOR, 0)
    t1, t2, _, _ = gaussians(seed, run, cycle, sample, FORCE_SENSOR, 1)
    force = add_scaled(true.force, sensor.noise_force, (f0, f1, f2))
    return Wrench(force, add_scaled(true.torque, sensor.noise_torque, (t0, t1, t2)))
