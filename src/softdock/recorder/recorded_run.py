"""A recording of a docking as a `Run`, so that the verdict's criteria read it like a simulated one.

In: a recording with its scenario. Out: the run beside its reference, from the first row of the
docking to the last, at the recording's own cycle. The reference starts as the recorded satellites
did: a rig starts at the scenario's state, the log of another program wherever it began.

A rig knows no depth: the measured force of its contacts stands in, which rises and falls with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.core.adaptation.memory import numbered
from softdock.core.adaptation.registry import METHODS
from softdock.core.machine.record import CHANNELS, Channel
from softdock.identification.contact import free_force
from softdock.recorder.contacts import BODIES, SHARE, sensor_body
from softdock.runs.run import Reached, Run
from softdock.runs.series import Series
from softdock.scenario.build import Scenario

OVER = ("retreat", "way out", "braking", "return", "stopped")  # states in which no satellite flies
PARTS = {"position": "position_m", "attitude": "attitude_wxyz"}
PARTS |= {"velocity": "velocity_m_per_s", "rate": "rate_rad_per_s"}
SAME = 1e-9  # m, m/s, rad/s: a start that is the scenario's own
NEAR_RANGE = 0.999  # of the sensor's range: a reading that is cut off
CHANNEL = {channel.name: channel for channel in CHANNELS}


def docking_rows(series: Mapping[str, np.ndarray], tables: Mapping[str, Any]) -> int:
    """Rows of the docking itself: a rig's go on while its robots brake or back off."""
    rows = len(series["time"])
    states = [s.strip() for s in tables.get("run", {}).get("states", "").split(",")]
    ends = [i for i, state in enumerate(states) if state in OVER]
    if "state" in series and ends:
        over = np.flatnonzero(np.isin(np.asarray(series["state"]), ends))
        rows = int(over[0]) if len(over) else rows
    return rows


def lacking(series: Mapping[str, np.ndarray]) -> str:
    """The first series without which satellites cannot be compared; empty: none is absent."""
    names = [f"{body}.{part}.x" for body in BODIES for part in PARTS]
    return next((name.removesuffix(".x") for name in names if name not in series), "")


def reference_scenario(scenario: Scenario, series: Mapping[str, np.ndarray], rows: int) -> Scenario:
    """The scenario from the recording's own start, with its cycle, and as long at least."""
    time = np.asarray(series["time"])[:rows]
    T = float(np.median(np.diff(time)))
    keys: dict[str, Any] = {}
    for body in BODIES:
        own = scenario.tables[body]
        for part, key in PARTS.items():
            start = np.asarray(series[f"{body}.{part}"][0], float)
            if np.abs(start - np.asarray(own[key], float)).max() > SAME:
                keys[f"{body}.{key}"] = start.tolist()
    if abs(1e-3 * scenario.tables["time"]["cycle_ms"] - T) > SAME:
        keys["time.cycle_ms"] = 1e3 * T
    length = float(time[-1] - time[0])
    if length > scenario.tables["time"]["duration_s"] + 0.5 * T:
        keys["time.duration_s"] = length
    return scenario.with_keys(keys) if keys else scenario


def as_run(recording: Any) -> Run:
    """The run, with its reference, which is flown where that was not done."""
    rows = docking_rows(recording.series, recording.tables)
    scenario = reference_scenario(recording.scenario, recording.series, rows)
    time = np.asarray(recording.series["time"])[:rows]
    T = 1e-3 * float(scenario.tables["time"]["cycle_ms"])
    even = T * np.arange(round((time[-1] - time[0]) / T) + 1)  # rows that were lost are filled in
    own = {
        name: np.interp(even, time - time[0], recording.series[name][:rows])
        for name in recording.series
    }
    contacts = _contacts(recording, float(time[0]), even)
    force = _measured_size(recording)[:rows]
    size = np.interp(even, time - time[0], force)
    depth = np.zeros(len(even))
    for one in contacts:
        inside = (even >= one["felt_s"]) & (even <= one["felt_until_s"])
        depth[inside] = np.maximum(size[inside], np.finfo(float).tiny)
    nothing = np.zeros(len(even))
    own = {"energy.external": nothing, "force_age": nothing, **own, "contact.depth": depth}
    own.setdefault("pose_age", own["force_age"])
    for body in BODIES:
        for axis in "xyz":
            own.setdefault(f"satellite.{body}.force.{axis}", nothing)
    own |= _held(scenario, own)
    known = {channel.name: channel for channel in recording.series.channels}
    channels = [known.get(n) or CHANNEL.get(n) or Channel(n, "-", "-", "made here") for n in own]
    series = Series(np.stack(list(own.values()), axis=1), channels)
    series["time"][:] = even
    return Run(
        scenario=scenario,
        series=series,
        contacts=contacts,
        contact_count=len(contacts),
        cycles=len(even) - 1,
        status="completed",
        state=np.zeros(0),
        events=_saturated(scenario, series, contacts),
        reached=Reached(peak_force_real_N=max((c["felt_N"] for c in contacts), default=0.0)),
        _orbit=recording.fly_orbit(),
    )


def _held(scenario: Scenario, own: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of methods that put a contact of their own in place of the real one: where it acts, by the
    force on the satellite, as a log has no series of methods."""
    size = np.sqrt(sum(own[f"satellite.chaser.force.{axis}"] ** 2 for axis in "xyz"))
    acts = np.where(size > SHARE * float(size.max()), 2.0, 0.0)
    names = [entry["name"] for entry in scenario.tables["methods"]]
    return {
        f"{prefix}.{METHODS[name].holds_contact}": acts
        for name, prefix in zip(names, numbered(names), strict=True)
        if METHODS[name].holds_contact
    }


def _measured_size(recording: Any) -> np.ndarray:
    """Of the measured force beyond what it is in free flight [N]."""
    series, body = recording.series, sensor_body(recording.series)
    if body is None:
        return np.zeros(len(series["time"]))
    force = np.nan_to_num(np.asarray(series[f"measured.{body}.force"]))
    zero, _ = free_force(force, None)
    return np.asarray(np.linalg.norm(force - zero, axis=1))


def _contacts(recording: Any, begun: float, even: np.ndarray) -> list[dict[str, Any]]:
    """Contacts by the time at which the mock-ups touched: a reading's age before it was felt."""
    series = recording.series
    ages = series["force_age"] if "force_age" in series else np.zeros(len(series["time"]))
    found = []
    for one in recording.contacts:
        start, end = one["start_s"] - begun, one["end_s"] - begun
        if start > even[-1]:
            continue
        age = [float(np.interp(t + begun, series["time"], ages)) for t in (start, end)]
        ended = one["ended"] and end < even[-1]
        found.append(
            {
                "start_s": max(start - age[0], 0.0),
                "end_s": min(end, even[-1]) - age[1],
                "felt_s": start,
                "felt_until_s": min(end, even[-1]),
                "felt_N": one["peak_force_measured_N"],
                "peak_force_satellite_N": one["peak_force_satellite_N"] or 0.0,
                "restitution": 0.0 if ended else np.nan,
            }
        )
    return found


def _saturated(
    scenario: Scenario, series: Series, contacts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Contacts in which a force channel was at the sensor's range."""
    most, body = float(scenario.tables["sensor"]["range_N"]), sensor_body(series)
    if most <= 0.0 or body is None:
        return []
    high = np.abs(series[f"measured.{body}.force"]).max(axis=1) >= NEAR_RANGE * most
    at = series["time"][high]
    return [
        {"what": "saturated", "from_s": c["start_s"], "to_s": c["end_s"]}
        for c in contacts
        if np.any((at >= c["felt_s"]) & (at <= c["felt_until_s"]))
    ]
