"""Contacts of a recording, by what a rig measures: the force of its sensor, the satellites' motion.

A contact is where the measured force stands out: above the stated touch, or out of the noise and
above a hundredth of the peak. Its zero is the force of free flight (studies/identify/contact.py:
free_force). Touches closer than MERGE rows are one contact.

Restitution has two definitions, and neither is the simulated run's, which knows the surface:
`restitution_of_centres`, rates of the centres along the mean force after and before (for a touch in
line with the centres); `restitution_energetic`, the root of the energy that the satellites got back
over the energy that was taken from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import rotate
from softdock.studies.identify.contact import measure_free_force, measure_noise
from softdock.studies.identify.touching import MERGE

BODIES = ("chaser", "target")
SIGMAS = 6.0  # of the noise: fewer than one row in 1e8 by chance
SHARE = 0.01  # of the peak force
FLEETING, FAINT = 2, 0.1  # rows, and share of the largest force: a touch that is none
FEWEST = 20  # rows; fewer have no noise to speak of
Series = Mapping[str, np.ndarray]


def find_sensor_body(series: Series) -> str | None:
    """The body whose sensor was recorded; of two, the chaser's."""
    return next((body for body in BODIES if f"measured.{body}.force.x" in series), None)


def find_contacts(series: Series, touch_N: float | None = None) -> list[dict[str, Any]]:
    """Every contact; None where the recording has not what it takes."""
    body = find_sensor_body(series)
    time = np.asarray(series["time"])
    if body is None or len(time) < FEWEST:
        return []
    measured = np.asarray(series[f"measured.{body}.force"])
    if not np.isfinite(measured).all():
        measured = np.nan_to_num(measured)
    zero, turning = measure_free_force(measured, _read_attitude(series, body))
    force = measured - zero
    size = np.linalg.norm(force, axis=1)
    least = touch_N or max(SIGMAS * measure_noise(force), SHARE * float(size.max()), turning, 1e-9)
    touching = np.flatnonzero(size > least)
    if len(touching) == 0:
        return []
    groups = np.split(touching, np.flatnonzero(np.diff(touching) > MERGE) + 1)
    if touch_N is None:
        groups = [rows for rows in groups if not _is_noise(size[rows], float(size.max()))]
    return [_describe_contact(series, body, force, int(rows[0]), int(rows[-1])) for rows in groups]


def _read_attitude(series: Series, body: str) -> np.ndarray | None:
    """World from body, as measured or as commanded; None: not in this recording."""
    names = (f"seen.{body}.attitude", f"command.{body}.attitude")
    found = next((name for name in names if f"{name}.w" in series), None)
    return None if found is None else np.asarray(series[found])


def _is_noise(size: np.ndarray, largest: float) -> bool:
    """A reading or two by themselves, far below the docking's forces: filtered noise has such."""
    return len(size) <= FLEETING and float(size.max()) < FAINT * largest


def _describe_contact(
    series: Series, body: str, force: np.ndarray, first: int, last: int
) -> dict[str, Any]:
    time, inside = np.asarray(series["time"]), slice(first, last + 1)
    size = np.linalg.norm(force[inside], axis=1)
    end = _find_quiet_row(series, last)
    found: dict[str, Any] = {
        "start_s": float(time[first]),
        "end_s": float(time[last]),
        "ended": last + 1 < len(time),
        "peak_force_measured_N": float(size.max()),
        "peak_force_satellite_N": None,
        "impulse_Ns": None,
        "restitution_of_centres": _compute_centre_restitution(
            series, body, force[inside], first, end
        ),
        "restitution_energetic": None,
        "work_taken_J": None,
    }
    key = "satellite.chaser.force"
    if f"{key}.x" in series and end is not None:
        pushed = np.asarray(series[key])[first : end + 1]
        steps = np.diff(time[first - 1 : end + 1]) if first > 0 else np.diff(time[: end + 2])
        found["peak_force_satellite_N"] = float(np.linalg.norm(pushed, axis=1).max())
        found["impulse_Ns"] = float(np.linalg.norm((pushed * steps[: len(pushed), None]).sum(0)))
        works = _compute_works(series, first, end)
        if works is not None:
            found["work_taken_J"] = works[0]
            found["restitution_energetic"] = math.sqrt(works[1] / works[0]) if works[0] else None
    return found


def _find_quiet_row(series: Series, last: int) -> int | None:
    """First row after a contact at which nothing of it acts on the satellites any more; None if the
    recording ends before."""
    count = len(series["time"])
    if last + 1 >= count:
        return None
    key = "satellite.chaser.force"
    if f"{key}.x" not in series:
        return min(last + 2, count - 1)
    size = np.linalg.norm(np.asarray(series[key])[last + 1 :], axis=1)
    peak = float(np.linalg.norm(np.asarray(series[key]), axis=1).max())
    quiet = np.flatnonzero(size <= SHARE * peak)
    if len(quiet) == 0:
        return None
    return min(last + 1 + int(quiet[0]) + 1, count - 1)


def _read_velocity(series: Series, body: str) -> np.ndarray | None:
    key = f"{body}.velocity"
    return np.asarray(series[key]) if f"{key}.x" in series else None


def _compute_centre_restitution(
    series: Series, body: str, force: np.ndarray, first: int, end: int | None
) -> float | None:
    """-(rate after) / (rate before) of the centres' distance along the mean force."""
    chaser, target = (_read_velocity(series, one) for one in BODIES)
    if chaser is None or end is None or first == 0:
        return None
    relative = chaser - (target if target is not None else 0.0)
    normal = force.sum(axis=0) * (1.0 if body == "chaser" else -1.0)
    before, after = (float(relative[row] @ normal) for row in (first - 1, end))
    return -after / before if before < 0.0 else None


def _compute_works(series: Series, first: int, end: int) -> tuple[float, float] | None:
    """Energy taken from the satellites and given back to them [J], from the wrenches on them and
    their motion, cycle by cycle; None: not in this recording."""
    rows = slice(max(first - 1, 0), end + 1)
    steps = np.diff(np.asarray(series["time"])[rows])
    energy = np.zeros(len(steps))
    for body in BODIES:
        names = [f"{body}.velocity", f"{body}.attitude", f"{body}.rate"]
        names += [f"satellite.{body}.force", f"satellite.{body}.torque"]
        if any(f"{name}.x" not in series for name in names):
            if body == "chaser":
                return None
            continue
        v, q, w, f, t = (np.asarray(series[name])[rows] for name in names)
        turning = rotate(q, w)
        energy += 0.5 * steps * np.sum(f[1:] * (v[1:] + v[:-1]), axis=1)
        energy += 0.5 * steps * np.sum(t[1:] * (turning[1:] + turning[:-1]), axis=1)
    return -float(energy[energy < 0.0].sum()), float(energy[energy > 0.0].sum())
