"""The pushes of an emulated rig's hand, taken out of what its sensors measured: nothing touched.

In: the series of a recording, its scenario. Out: the same with the scheduled wrench taken off the
measured one, and its work on the satellites among the external work, as in a simulated run. On a
real rig a person pushes, and nobody knows how.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import rotate, turns
from softdock.results.series import Series
from softdock.scenario.build import Scenario

BODIES = ("chaser", "target")


def _is_emulated(attachments: Mapping[str, str]) -> bool:
    try:
        return "emulate" in tomllib.loads(attachments.get("rig.toml", ""))
    except tomllib.TOMLDecodeError:
        return False


def find_pushed(tables: Mapping[str, Any], series: Series) -> list[str]:
    """Bodies that a hand pushes through a sensor that was recorded."""
    return [
        body
        for body in BODIES
        if len(tables["hand"][body]["rows"]) > 0 and f"measured.{body}.force.x" in series
    ]


def compute_push(
    tables: Mapping[str, Any], body: str, time: np.ndarray, attitude: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The hand's force and torque at some times [s], world axes."""
    hand = tables["hand"][body]
    rows = np.asarray(hand["rows"], float)
    wrench = np.stack(
        [np.interp(time, rows[:, 0], rows[:, i], left=0.0, right=0.0) for i in range(1, 7)], axis=1
    )
    force, torque = wrench[:, :3], wrench[:, 3:]
    return (
        (rotate(attitude, force), rotate(attitude, torque))
        if hand["frame"] == "body"
        else (
            force,
            torque,
        )
    )


def without_hands(
    scenario: Scenario | None, attachments: Mapping[str, str], series: Series
) -> Series:
    """The series as if the hands were thrusters; as they are where nobody was emulated."""
    if scenario is None or not _is_emulated(attachments) or "time" not in series:
        return series
    tables = scenario.tables
    bodies = find_pushed(tables, series)
    if not bodies:
        return series
    found = Series(series.rows.copy(), series.channels)
    time = found["time"] - found["time"][0]
    age = found["force_age"] if "force_age" in found else np.zeros(len(time))
    for body in bodies:
        attitude = found[f"{body}.attitude"]
        felt = compute_push(tables, body, time - age, attitude)
        for kind, push in zip(("force", "torque"), felt, strict=True):
            if f"measured.{body}.{kind}.x" in found:
                found[f"measured.{body}.{kind}"][:] -= push
        if "energy.external" in found and not tables[body]["fixed"]:
            force, torque = compute_push(tables, body, 0.5 * (time[1:] + time[:-1]), attitude[1:])
            work = (force * np.diff(found[f"{body}.position"], axis=0)).sum(axis=1)
            work += (torque * turns(attitude)).sum(axis=1)
            found["energy.external"][1:] += np.cumsum(work)
    return found
