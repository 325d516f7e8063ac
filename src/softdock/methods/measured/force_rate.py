"""The rate of the measured wrenches, from one sample to the next: what a lead of the force is made
of.

The samples' own instants count (t_k less the age), so a sensor out of step with the cycle gives the
slope between its samples; a cycle without a new sample keeps the rate. A rate from samples as far
apart as T is T/2 late, and white noise of s newton becomes s sqrt(2) / T.
"""

from __future__ import annotations

import math
from typing import Any

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Wrenches
from softdock.loop.parameters import Parameter
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.vectors import add, scale, subtract

FORCE_LEAD = Parameter(
    "force_lead",
    "force_lead_ms",
    "lead of the force: how late it is",
    unit="ms",
    low=0.0,
    high=2000.0,
    scale=1e-3,
)
RATE_FILTER = Parameter(
    "filter",
    "filter_ms",
    "time constant of the low-pass on the force's rate; 0: none",
    0.0,
    unit="ms",
    low=0.0,
    high=2000.0,
    scale=1e-3,
)
SAME_SAMPLE = 1e-12  # s; instants nearer than this are of one sample
FORCE_RATE = Cells(
    "force_rate",
    Cell("known", bool, "-", "a sample was seen before"),
    Cell("time", float, "s", "instant of the newest sample"),
    Cell("wrenches", Wrenches, "N, Nm", "of the newest sample"),
    Cell("rate", Wrenches, "N/s, Nm/s", "from the sample before, filtered"),
)


@compiled
def _slope(now, before, dt):
    return Wrench(
        scale(1.0 / dt, subtract(now.force, before.force)),
        scale(1.0 / dt, subtract(now.torque, before.torque)),
    )


@compiled
def _mixed(old, keep, new):
    return Wrench(
        add(scale(keep, old.force), scale(1.0 - keep, new.force)),
        add(scale(keep, old.torque), scale(1.0 - keep, new.torque)),
    )


@noinline
def find_force_rate(s, t, measured, time_constant):
    """Rate of both measured wrenches, through a first-order low-pass [N/s, Nm/s]. `s`: its view;
    `t`: t_k [s]; `time_constant` [s]: 0 filters nothing."""
    taken, wrenches = t - measured.force_age, measured.wrenches
    if not s.known:
        s.known, s.time, s.wrenches = True, taken, wrenches
        s.rate = Wrenches(no_wrench(), no_wrench())
        return s.rate
    dt = taken - s.time
    if dt <= SAME_SAMPLE:
        return s.rate
    keep = math.exp(-dt / time_constant) if time_constant > 0.0 else 0.0
    before, old = s.wrenches, s.rate
    rate = Wrenches(
        _mixed(old.chaser, keep, _slope(wrenches.chaser, before.chaser, dt)),
        _mixed(old.target, keep, _slope(wrenches.target, before.target, dt)),
    )
    s.time, s.wrenches, s.rate = taken, wrenches, rate
    return rate


TIMES_NOISE = 3.0  # more is said


def find_lead_warnings(name: str, lead_ms: float, filter_ms: float, tables: Any) -> list[str]:
    """What a lead of the force makes of white noise and of a dead band, before a run."""
    sensor, cycle_ms = tables["sensor"], tables["time"]["cycle_ms"]
    found = []
    dt = max(cycle_ms, sensor["period_ms"])
    pass_on = 1.0 - math.exp(-dt / filter_ms) if filter_ms > 0.0 else 1.0
    times = math.hypot(1.0 + pass_on * lead_ms / dt, pass_on * lead_ms / dt)
    if sensor["noise_N"] > 0.0 and times > TIMES_NOISE:
        found.append(
            f"{name}: a lead of {lead_ms:g} ms multiplies white noise of the force by {times:.2g}; "
            "filter_ms makes it less, and the lead later"
        )
    if sensor["threshold_N"] > 0.0 and lead_ms > 0.0:
        step = pass_on * lead_ms / dt * sensor["threshold_N"]
        found.append(
            f"{name}: sensor.threshold_N = {sensor['threshold_N']:g} N makes the force jump, and "
            f"the lead makes {step:.3g} N of each jump for one cycle"
        )
    return found
