"""Faults that a scenario may ask of the force sensor: what is said of each, and what switches it
off. The list of them stands here.

In: the sensor's table, and the time of the run's last row [s]. Out: from when, until when [s], and
a sentence; or None where the fault is not asked for. What a fault does is in
loop/sensor/force_torque.py, its keys are in loop/sensor/keys.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

_ZERO3 = [0.0, 0.0, 0.0]
Told = tuple[float, float, str]  # from [s], until [s], in words
Sensor = Mapping[str, Any]  # its table in a scenario


class SensorFault(NamedTuple):
    what: str  # of the event in a run's log
    off: dict[str, Any]  # keys of the sensor, with the values at which it never happens
    told: Callable[[Sensor, float], Told | None]


def _describe_freeze(sensor: Sensor, last: float) -> Told | None:
    at, until = sensor["freeze_at_s"], min(sensor["freeze_at_s"] + sensor["freeze_for_s"], last)
    if sensor["freeze_for_s"] == 0.0 or at > last:
        return None
    words = f"the sensor froze from t = {at:.3f} to {until:.3f} s: its readings repeat, "
    return at, until, words + "with new stamps"


def _describe_jump(sensor: Sensor, last: float) -> Told | None:
    at, jump = sensor["jump_at_s"], [*sensor["jump_N"], *sensor["jump_Nm"]]
    if not any(jump) or at > last:
        return None
    until = min(at + sensor["jump_for_s"], last) if sensor["jump_for_s"] > 0.0 else last
    sizes = f"{np.linalg.norm(jump[:3]):.3g} N and {np.linalg.norm(jump[3:]):.3g} Nm"
    words = f"the sensor's readings jumped by {sizes} at t = {at:.3f} s, until t = {until:.3f} s"
    return at, until, words


SENSOR_FAULTS = (
    SensorFault("froze", {"freeze_for_s": 0.0}, _describe_freeze),
    SensorFault("jumped", {"jump_N": _ZERO3, "jump_Nm": _ZERO3}, _describe_jump),
)


def make_faultless_keys() -> dict[str, Any]:
    """Keys of the sensor at which no fault happens."""
    return {key: value for fault in SENSOR_FAULTS for key, value in fault.off.items()}


def describe_faults(sensor: Sensor, last: float) -> str:
    """Those that the table asks for; empty: none."""
    return ", ".join(f.what for f in SENSOR_FAULTS if f.told(sensor, last) is not None)
