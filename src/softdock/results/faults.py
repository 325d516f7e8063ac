"""What went wrong with the rig's readings and robots in a run, whatever method ran: from the
recorded series and from the faults that the scenario asks for.

One event is a dict: `what` (a name of KINDS), `from_s`, `to_s`, `where` (sensor, pose,
robots.chaser, ...) and `text`, a sentence for people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.robots.robot import count_lost
from softdock.loop.spatial.arrays import BACK, rotate_at_once
from softdock.methods.registry import METHODS
from softdock.results.arms import BEYOND, compute_arm_uses, list_exceeded_limits
from softdock.scenario.build import Scenario

# Faults that a scenario may ask of the force sensor: what is said of each, and what switches it
# off. The list of them stands here.
#
# In: the sensor's table, and the time of the run's last row [s]. Out: from when, until when [s],
# and a sentence; or None where the fault is not asked for. What a fault does is in
# loop/sensor/force_torque.py, its keys are in loop/sensor/keys.py.

_ZERO3 = [0.0, 0.0, 0.0]
Told = tuple[float, float, str]  # from [s], until [s], in words
Sensor = Mapping[str, Any]  # its table in a scenario


class SensorFault(NamedTuple):
    what: str  # of the event in a run's log
    off: dict[str, Any]  # keys of the sensor, with the values at which it never happens
    describe: Callable[[Sensor, float], Told | None]


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
    return ", ".join(f.what for f in SENSOR_FAULTS if f.describe(sensor, last) is not None)


KINDS = (
    *(fault.what for fault in SENSOR_FAULTS),
    "saturated",
    "no number",
    "no new reading",
    "lost",
    "delay grew",
    "no force",
    "not felt",
    BEYOND,
)
QUIET = ("no force",)  # in the log, and no reason to warn
Event = dict[str, Any]
# of the range: the mock-up turns between a reading and its row, and readings are rounded
AT_RANGE = 0.999


def find_rig_events(
    scenario: Scenario, series: Mapping[str, np.ndarray], contacts: Sequence[Mapping[str, float]]
) -> list[Event]:
    """Every event of a run, in order of time."""
    events = [
        *_find_sensor_events(scenario, series, contacts),
        *_find_stale_cycles(scenario, series),
        *_find_robot_events(scenario, series, contacts),
        *list_exceeded_limits(compute_arm_uses(scenario, series)),
    ]
    return sorted(events, key=lambda event: event["from_s"])


def _make_event(what: str, start: float, end: float, where: str, text: str) -> Event:
    return {"what": what, "from_s": float(start), "to_s": float(end), "where": where, "text": text}


def _find_sensor_events(
    scenario: Scenario, series: Mapping[str, np.ndarray], contacts: Sequence[Mapping[str, float]]
) -> list[Event]:
    """Faults of the force sensor; and readings at its range, or of no number, or none at all."""
    sensor, time, events = scenario.tables["sensor"], series["time"], []
    last = float(time[-1])
    for fault in SENSOR_FAULTS:
        description = fault.describe(sensor, last)
        if description is not None:
            events.append(
                _make_event(fault.what, description[0], description[1], "sensor", description[2])
            )
    force = np.zeros((len(time), 3))
    for body in ("chaser", "target") if sensor["on"] == "both" else (sensor["on"],):
        reading = series[f"measured.{body}.force"]
        force = np.where(np.abs(reading) > np.abs(force), reading, force)
        in_body = rotate_at_once(BACK * series[f"mock_up.{body}.attitude"], reading)
        full = (
            np.abs(in_body).max(axis=1) >= sensor["range_N"] * AT_RANGE
            if sensor["range_N"] > 0.0
            else np.zeros(len(time), bool)
        )
        events += _make_row_events(
            "saturated",
            full,
            time,
            "sensor",
            f"the {body}'s force was at the sensor's range of {sensor['range_N']:g} N: work "
            "beyond it is unknown",
        )
        torque = rotate_at_once(
            BACK * series[f"mock_up.{body}.attitude"], series[f"measured.{body}.torque"]
        )
        torque = torque - np.cross(
            scenario.tables["mock_up"][body]["sensor_m"], in_body
        )  # about the sensor's origin
        full = (
            np.abs(torque).max(axis=1) >= sensor["range_Nm"] * AT_RANGE
            if sensor["range_Nm"] > 0.0
            else np.zeros(len(time), bool)
        )
        words = (
            f"the {body}'s torque was at the sensor's range of {sensor['range_Nm']:g} Nm: work "
            "beyond it is unknown"
        )
        events += _make_row_events("saturated", full, time, "sensor", words)
        events += _make_row_events(
            "no number",
            ~np.isfinite(reading).all(axis=1),
            time,
            "sensor",
            f"the {body}'s force was no number",
        )
    if not np.any(force) and len(contacts):
        peak = max(contact["peak_force_real_N"] for contact in contacts)
        words = (
            f"the mock-ups touched with up to {peak:.3g} N and the sensor gave none of it "
            f"(threshold_N = {sensor['threshold_N']:g})"
        )
        events.append(
            _make_event("not felt", contacts[0]["start_s"], contacts[-1]["end_s"], "sensor", words)
        )
    elif len(contacts):
        events += _find_unnoticed_contacts(scenario, np.linalg.norm(force, axis=1).max(), contacts)
    elif not np.any(force):
        events.append(
            _make_event(
                "no force",
                time[0],
                last,
                "sensor",
                "the measured force was exactly zero in the whole run",
            )
        )
    return events


def _find_unnoticed_contacts(
    scenario: Scenario, largest: float, contacts: Sequence[Mapping[str, float]]
) -> list[Event]:
    """Methods whose threshold no reading passed, so that they took nothing for a contact."""
    events = []
    for method in scenario.tables["methods"]:
        key = METHODS[method["name"]].threshold_key
        if key and largest <= method[key]:
            words = (
                f"{method['name']} did nothing: no force was above its {key} = "
                f"{method[key]:g} (the largest was {largest:.3g} N)"
            )
            events.append(
                _make_event(
                    "not felt", contacts[0]["start_s"], contacts[-1]["end_s"], "sensor", words
                )
            )
    return events


def _make_row_events(
    what: str, rows: np.ndarray, time: np.ndarray, where: str, words: str
) -> list[Event]:
    """One event for all rows in which something was so."""
    if not rows.any():
        return []
    of = time[rows]
    return [
        _make_event(
            what,
            of[0],
            of[-1],
            where,
            f"{words} ({rows.sum()} cycles, t = {of[0]:.3f} to {of[-1]:.3f} s)",
        )
    ]


def _find_stale_cycles(scenario: Scenario, series: Mapping[str, np.ndarray]) -> list[Event]:
    """Cycles at which nothing new was delivered, of a sensor that should report in each."""
    events, time, T = [], series["time"], 1e-3 * scenario.tables["time"]["cycle_ms"]
    for where, channel, words in (
        ("sensor", "force_age", "no new force"),
        ("pose", "pose_age", "no new poses"),
    ):
        grown = np.concatenate([[False], np.diff(series[channel]) > 0.5 * T])
        grown &= (
            time
            > 1e-3 * (scenario.tables[where]["delay_ms"] + scenario.tables[where]["period_ms"])
            + 1.5 * T
        )  # at first none can have arrived
        events += _make_row_events(
            "no new reading", grown, time, where, f"{words} had arrived: the last ones act on"
        )
    return events


def _find_robot_events(
    scenario: Scenario, series: Mapping[str, np.ndarray], contacts: Sequence[Mapping[str, float]]
) -> list[Event]:
    """Set-points that never arrived, and delays that grew while the mock-ups touched."""
    events, chance = [], scenario.tables["random"]
    time, T = series["time"], 1e-3 * scenario.tables["time"]["cycle_ms"]
    for which, body in enumerate(("chaser", "target")):
        robot, where = scenario.tables["robots"][body], f"robots.{body}"
        if robot["dropout_probability"] > 0.0:
            lost, first, last = count_lost(
                chance["seed"], chance["run"], which, robot["dropout_probability"], 1, len(time)
            )
            if lost:
                doing = {"extrapolate": "went on as before", "hold": "stayed where it was"}[
                    robot["on_dropout"]
                ]
                text = (
                    f"{lost} set-points never arrived (the first at t = {first * T:.3f} s): the "
                    f"robot {doing}"
                )
                events.append(_make_event("lost", first * T, last * T, where, f"{where}: {text}"))
        for i, contact in enumerate(contacts):
            start, end = contact["start_s"], contact["end_s"]
            before, after = _compute_delay_ms(robot, start), _compute_delay_ms(robot, end)
            if after - before > 1e3 * T:
                text = (
                    f"{where}: the delay grew from {before:.0f} to {after:.0f} ms during contact "
                    f"{i + 1}"
                )
                events.append(_make_event("delay grew", start, end, where, text))
    return events


def _compute_delay_ms(robot: Mapping[str, Any], t: float) -> float:
    """Of a robot at a time, without its jitter."""
    swing = robot["delay_wobble_ms"] * math.sin(2.0 * math.pi * robot["delay_wobble_Hz"] * t)
    return max(float(robot["delay_ms"] + robot["delay_ramp_ms_per_s"] * t + swing), 0.0)
