"""Can the robots do it? Reach, speed and acceleration that the reference's motion asks of them,
checked before a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import rotate
from softdock.reference import run_reference
from softdock.scenario.build import Scenario
from softdock.scenario.free_motion import compute_free_motion, move_to_nominal

LIMITS = ("reach_m", "allowed_speed_m_per_s", "allowed_acceleration_m_per_s2")


def check_feasible(scenario: Scenario) -> None:
    """Raise `BadInput` naming the first violation of each robot, if it has limits to check. The
    reference's own motion is what a faithful rig would follow."""
    robots = scenario.tables["robots"]
    limited = [
        name for name in ("chaser", "target") if any(robots[name][key] > 0.0 for key in LIMITS)
    ]
    if not limited:
        return
    series = run_reference(scenario).series
    places = _convert_to_laboratory(scenario.tables, series)
    problems = [
        problem
        for name in limited
        if (problem := _find_first_violation(name, robots[name], series["time"], *places[name]))
        is not None
    ]
    if problems:
        raise BadInput(problems)


def _convert_to_laboratory(
    tables: dict[str, Any], series: Any
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and velocity of each mock-up in laboratory axes."""
    laboratory = tables["laboratory"]
    positions = {name: series[f"{name}.position"] for name in ("chaser", "target")}
    velocities = {name: series[f"{name}.velocity"] for name in ("chaser", "target")}
    if laboratory["mapping"] == "shared":
        s = laboratory["chaser_share"]
        for parts in (positions, velocities):
            middle = (1.0 - s) * parts["chaser"] + s * parts["target"]
            parts["chaser"], parts["target"] = parts["chaser"] - middle, parts["target"] - middle
    elif laboratory["mapping"] == "nominal":
        time = np.asarray(series["time"])
        nominal = compute_free_motion(tables["target"], time)
        for name in positions:
            poses = np.hstack([positions[name], series[f"{name}.attitude"]])
            positions[name] = move_to_nominal(poses, nominal)[:, :3]
            velocities[name] = np.gradient(positions[name], time, axis=0)
    q = np.asarray(laboratory["attitude_wxyz"], dtype=float) / np.linalg.norm(
        laboratory["attitude_wxyz"]
    )
    shift = np.asarray(laboratory["position_m"], dtype=float)
    return {
        name: (rotate(q, positions[name]) + shift, rotate(q, velocities[name]))
        for name in positions
    }


def _find_first_violation(
    name: str, robot: dict[str, Any], time: np.ndarray, position: np.ndarray, velocity: np.ndarray
) -> Problem | None:
    if len(time) < 2:  # the reference itself did not start: the run says why
        return None
    acceleration = np.gradient(velocity, time, axis=0)
    distance = np.linalg.norm(position - np.asarray(robot["reach_centre_m"], dtype=float), axis=1)
    wanted = (
        ("reach_m", distance, "m"),
        ("allowed_speed_m_per_s", np.linalg.norm(velocity, axis=1), "m/s"),
        ("allowed_acceleration_m_per_s2", np.linalg.norm(acceleration, axis=1), "m/s^2"),
    )
    violations: list[tuple[int, str, float, str]] = []
    for key, values, unit in wanted:
        beyond = values > robot[key]
        if robot[key] > 0.0 and beyond.any():
            first = int(np.argmax(beyond))
            violations.append((first, key, float(values[first]), unit))
    if not violations:
        return None
    row, key, value, unit = min(violations)
    return Problem(
        f"robots.{name}.{key}",
        robot[key],
        f"at least {value:.4g} {unit}: that is what the motion on orbit asks for at t = "
        f"{time[row]:.4g} s",
    )
