"""The observed energy (Zebenay eq. 114) of a recorded run whose forces and poses are of different
ages: both taken at the newest instant of which both had arrived, and so is the energy given. The
loop itself pairs newest with newest, which is the same where the ages are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import rotate, rotate_at_once, turns
from softdock.scenario.free_motion import compute_free_motion, turn_back

SAME_AGE = 1e-9  # s
BODIES = ("chaser", "target")
# series that it takes, beside a sensor's
NEEDED = (
    "time",
    "force_age",
    "pose_age",
    *(
        f"{kind}.{body}.{part}"
        for kind, parts in (
            ("command", ("velocity", "attitude", "rate")),
            ("satellite", ("force", "torque")),
            ("seen", ("position", "attitude")),
        )
        for body in ("chaser", "target")
        for part in parts
    ),
    "chaser.position",
    "target.position",
)
Series = Mapping[str, np.ndarray]


def compute_if_ages_differ(tables: Mapping[str, Any], series: Series) -> np.ndarray | None:
    """At every row [J]; None if force and poses were of one age all the time, so that the recorded
    one is right. `tables`: of the scenario."""
    time = series["time"]
    force_time, pose_time = time - series["force_age"], time - series["pose_age"]
    if np.abs(force_time - pose_time).max() <= SAME_AGE:
        return None
    return compute_observed_energy(tables["sensor"]["on"], series, tables)


def _turn_to_laboratory(target: Any, series: Series) -> Series:
    """What is the satellites', in the axes of set-points and sensors that follow the target's free
    motion."""
    back = turn_back(compute_free_motion(target, series["time"]))
    kinds = [f"{body}.{kind}" for body in BODIES for kind in ("force", "torque")]
    turned = [f"satellite.{kind}" for kind in kinds] + [f"{body}.position" for body in BODIES]
    measured = [f"measured.{kind}" for kind in kinds if f"measured.{kind}.x" in series]
    return {name: series[name] for name in (*NEEDED, *measured)} | {
        name: rotate(back, series[name]) for name in turned
    }


def compute_observed_energy(
    sensor_on: str, series: Series, tables: Mapping[str, Any] | None = None
) -> np.ndarray:
    """At every row [J], from the series in NEEDED and those of the sensor. `tables`: of the
    scenario, where it is known."""
    if tables is not None and tables["laboratory"]["mapping"] == "nominal":
        series = _turn_to_laboratory(tables["target"], series)
    time, force_time, pose_time = (
        series["time"],
        series["time"] - series["force_age"],
        series["time"] - series["pose_age"],
    )
    common = np.maximum.accumulate(np.minimum(force_time, pose_time))
    wrench = _interpolate_readings(common, force_time, _read_wrenches(sensor_on, series))
    way = _interpolate_readings(common, pose_time, _accumulate_motion(series))
    returned = np.sum(0.5 * (wrench[1:] + wrench[:-1]) * np.diff(way, axis=0), axis=1)
    return np.asarray(
        np.interp(common, time, _compute_given_energy(series))
        - np.concatenate([[0.0], np.cumsum(returned)])
    )  # Zebenay eq. 114


def _find_new_rows(stamps: np.ndarray) -> np.ndarray:
    """Rows at which something newer than before was delivered."""
    return np.concatenate([[True], np.diff(np.maximum.accumulate(stamps)) > SAME_AGE])


def _interpolate_readings(times: np.ndarray, stamps: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Columns of readings at some times, linear between their stamps."""
    rows = _find_new_rows(stamps)
    return np.stack([np.interp(times, stamps[rows], column) for column in values[rows].T], axis=1)


def _compute_given_energy(series: Series) -> np.ndarray:
    """Energy given to the satellites up to every row [J]: the wrench of each cycle and the mean of
    the commanded velocities at its ends."""
    T = np.diff(series["time"])
    total = np.zeros(len(T))
    for body in ("chaser", "target"):
        v, w = (
            series[f"command.{body}.velocity"],
            rotate_at_once(series[f"command.{body}.attitude"], series[f"command.{body}.rate"]),
        )
        for kind, twist in (("force", v), ("torque", w)):
            total += (
                0.5
                * T
                * np.sum(series[f"satellite.{body}.{kind}"][1:] * (twist[1:] + twist[:-1]), axis=1)
            )
    return np.concatenate([[0.0], np.cumsum(total)])


def _compute_opposite_wrench(
    force: np.ndarray, torque: np.ndarray, arm: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return -force, -(torque + np.cross(arm, force))


def _read_wrenches(sensor_on: str, series: Series) -> np.ndarray:
    """On both bodies as `controller.measure` has them: chaser's force and torque, target's."""
    arm = series["chaser.position"] - series["target.position"]
    force, torque = series["measured.chaser.force"], series["measured.chaser.torque"]
    if sensor_on != "chaser":
        other = _compute_opposite_wrench(
            series["measured.target.force"], series["measured.target.torque"], -arm
        )
        force, torque = (
            other
            if sensor_on == "target"
            else (0.5 * (force + other[0]), 0.5 * (torque + other[1]))
        )
    return np.hstack([force, torque, *_compute_opposite_wrench(force, torque, arm)])


def _accumulate_motion(series: Series) -> np.ndarray:
    """How far both mock-ups were seen to move and turn since the start; rows between new poses
    repeat."""
    found = []
    for body in ("chaser", "target"):
        turned = np.cumsum(turns(series[f"seen.{body}.attitude"]), axis=0)
        found += [series[f"seen.{body}.position"], np.concatenate([np.zeros((1, 3)), turned])]
    return np.hstack(found)
