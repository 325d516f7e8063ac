"""What is said of a guided run: impulse and propellant of its thrusters, how wrong navigation was,
and how well the attitude of the docked pair was held.

In: a run whose scenario has `[guidance]`, and its record. The mass of the chaser stays as it is:
propellant is what the impulse would take at the stated specific impulse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.metric import Metric, Row
from softdock.core.adaptation.guidance.guided import G0, HOLDS
from softdock.core.spatial.arrays import BACK, product
from softdock.runs.run import Run
from softdock.scenario.orbit_frame import has_orbit, turning_axes


def controller_of(tables: Mapping[str, Any]) -> str:
    """Name of the controller of a scenario, as its channels have it; empty: it has none."""
    return str(tables.get("guidance", {}).get("controller", ""))


def guidance_numbers(run: Run) -> dict[str, Any] | None:
    """None: nothing guides."""
    tables, s = run.scenario.tables, run.series
    name = controller_of(tables)
    if not name:
        return None
    impulse = float(s[f"{name}.impulse"][-1])
    mode, error = s[f"{name}.mode"], np.linalg.norm(s[f"{name}.error"], axis=1)
    off = held_off(run)
    return {
        "controller": name,
        "impulse_Ns": impulse,
        "propellant_kg": impulse / (tables["thrusters"]["specific_impulse_s"] * G0),
        "peak_force_N": float(np.linalg.norm(s[f"{name}.force"], axis=1).max()),
        "peak_torque_Nm": float(np.linalg.norm(s[f"{name}.torque"], axis=1).max()),
        "navigation_error_rms_m": float(np.sqrt(np.mean(error**2))),
        "navigation_error_peak_m": float(error.max()),
        "holds_since_s": float(s["time"][np.argmax(mode == HOLDS)]) if len(off) else math.nan,
        "attitude_off_peak_deg": float(off.max()) if len(off) else math.nan,
        "attitude_off_end_deg": float(off[-1]) if len(off) else math.nan,
    }


def held_off(run: Run) -> np.ndarray:
    """How far the chaser's attitude is from the one it had when holding began, row by row since
    then [deg], in the orbit's turning axes where there is an orbit. Empty: nothing was held."""
    s, name = run.series, controller_of(run.scenario.tables)
    holding = s[f"{name}.mode"] == HOLDS
    if not holding.any() or not holding[-1]:
        return np.zeros(0)
    first = len(holding) - int(np.argmin(holding[::-1])) if not holding.all() else 0
    time, q = s["time"][first:], s["chaser.attitude"][first:]
    q = product(_turned_back(run, time - time[0]), q)
    off = product(np.broadcast_to(q[0] * BACK, q.shape), q)
    return np.degrees(2.0 * np.arctan2(np.linalg.norm(off[:, 1:], axis=1), np.abs(off[:, 0])))


def _turned_back(run: Run, t: np.ndarray) -> np.ndarray:
    """Quaternions that undo the turning of the orbit's axes since t = 0."""
    tables = run.scenario.tables
    if not has_orbit(tables):
        return np.tile([1.0, 0.0, 0.0, 0.0], (len(t), 1))
    axes = turning_axes(tables["orbit"])
    half = -0.5 * axes.n * t
    return np.column_stack([np.cos(half), np.sin(half)[:, None] * axes.normal])


GUIDANCE_METRICS = (
    Metric(
        name="impulse_Ns",
        meaning="impulse of all thrusters, sizes added; None: nothing guides",
        value=lambda j: (guidance_numbers(j.run) or {"impulse_Ns": None})["impulse_Ns"],
        label="Thrusters' impulse",
        row=Row("impulse of the thrusters", ".4g", "Ns", only_if="impulse_Ns"),
        tile="What all thrusters gave, sizes added",
    ),
    Metric(
        name="guidance",
        meaning="thrusters, navigation and the attitude that was held; None: nothing guides",
        value=lambda j: guidance_numbers(j.run),
    ),
)
