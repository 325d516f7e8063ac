"""What is said of a guided run: impulse and propellant of its thrusters, how wrong navigation was,
and how well the attitude of the docked pair was held; numbers, words and charts.

In: the record of a run. The mass of the chaser stays as it is: propellant is what the impulse would
take at the stated specific impulse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.method.shown import Curve, Flown, Number, Shown, ShownChart, ShownLine
from softdock.loop.spatial.arrays import BACK, product
from softdock.methods.guidance.keys import AXES, HOLDS

G0 = 9.80665  # m/s^2, of the specific impulse
ROLES = ("c1", "c2", "c3")


def numbers(run: Flown) -> dict[str, Any]:
    name, s = run.name, run.series
    impulse = float(s[f"{name}.impulse"][-1])
    mode, error = s[f"{name}.mode"], np.linalg.norm(s[f"{name}.error"], axis=1)
    off = compute_attitude_error(run)
    return {
        "controller": name,
        "impulse_Ns": impulse,
        "propellant_kg": impulse / (run.tables["thrusters"]["specific_impulse_s"] * G0),
        "peak_force_N": float(np.linalg.norm(s[f"{name}.force"], axis=1).max()),
        "peak_torque_Nm": float(np.linalg.norm(s[f"{name}.torque"], axis=1).max()),
        "navigation_error_rms_m": float(np.sqrt(np.mean(error**2))),
        "navigation_error_peak_m": float(error.max()),
        "holds_since_s": float(s["time"][np.argmax(mode == HOLDS)]) if len(off) else math.nan,
        "attitude_off_peak_deg": float(off.max()) if len(off) else math.nan,
        "attitude_off_end_deg": float(off[-1]) if len(off) else math.nan,
    }


def compute_attitude_error(run: Flown) -> np.ndarray:
    """How far the chaser's attitude is from the one it had when holding began, row by row since
    then [deg], in the orbit's turning axes where there is an orbit. Empty: nothing was held."""
    s = run.series
    holding = s[f"{run.name}.mode"] == HOLDS
    if not holding.any() or not holding[-1]:
        return np.zeros(0)
    first = len(holding) - int(np.argmin(holding[::-1])) if not holding.all() else 0
    time, q = s["time"][first:], s["chaser.attitude"][first:]
    q = product(_turn_back(run, time - time[0]), q)
    off = product(np.broadcast_to(q[0] * BACK, q.shape), q)
    return np.degrees(2.0 * np.arctan2(np.linalg.norm(off[:, 1:], axis=1), np.abs(off[:, 0])))


def _turn_back(run: Flown, t: np.ndarray) -> np.ndarray:
    """Quaternions that undo the turning of the orbit's axes since t = 0."""
    axes = run.turning
    if axes is None:
        return np.tile([1.0, 0.0, 0.0, 0.0], (len(t), 1))
    half = -0.5 * axes.n * t
    return np.column_stack([np.cos(half), np.sin(half)[:, None] * axes.normal])


def words(found: Mapping[str, Any]) -> str:
    held = found["attitude_off_peak_deg"]
    kept = (
        f" The pair's attitude is held since {found['holds_since_s']:.4g} s, within {held:.2g} deg."
        if held is not None
        else " No attitude of a docked pair was held."
    )
    return (
        f"Controller {found['controller']}: {found['impulse_Ns']:.4g} Ns of impulse, "
        f"{1e3 * found['propellant_kg']:.3g} g of propellant (the chaser's mass is not changed). "
        f"Navigation was wrong by {1e3 * found['navigation_error_rms_m']:.3g} mm (RMS), at most "
        f"{1e3 * found['navigation_error_peak_m']:.3g} mm, its age included." + kept
    )


def _draw_attitude_error(run: Flown) -> list[Curve]:
    off = compute_attitude_error(run)
    if len(off) < 2:
        return []
    return [Curve("chaser", "satellite", np.asarray(run.series["time"][-len(off) :]), off)]


def _list_lines(label: str, channel: str, **more: Any) -> tuple[ShownLine, ...]:
    """A line for each part of a vector."""
    return tuple(
        ShownLine(f"{label} {axis}".strip(), role, channel, part=i, **more)
        for i, (axis, role) in enumerate(zip(AXES, ROLES, strict=True))
    )


MODES = "mode: 0 approaches, 1 drifts, 2 holds"
CHARTS = (
    ShownChart(
        key="distance",
        title="Tip from the port along its axis, as navigation sees it",
        axis="distance [m]",
        lines=(
            ShownLine("seen", "measured", "distance", steps=True),
            ShownLine(MODES, "c4", "mode", second=True, steps=True),
        ),
        second_axis="mode",
        since="distance",  # before, no sample has arrived
    ),
    ShownChart(
        key="thrust",
        title="Thrust",
        axis="force [N], chaser axes",
        lines=_list_lines("force", "force") + _list_lines("torque", "torque", second=True),
        second_axis="torque [Nm]",
    ),
    ShownChart(
        key="error",
        title="Navigation's error: position seen less true, when it arrives",
        axis="target axes [{unit}]",
        lines=_list_lines("", "error", steps=True),
        caption="Noise, bias, and the way made while the sample was under way.",
        unit="m",
    ),
    ShownChart(
        key="impulse",
        title="Impulse spent",
        axis="sizes added [Ns]",
        lines=(ShownLine("all thrusters", "total", "impulse"),),
    ),
    ShownChart(
        key="held",
        title="Attitude of the docked pair from the one that is held",
        axis="angle [deg]",
        caption="In the orbit's turning axes where there is an orbit.",
        curves=_draw_attitude_error,
    ),
)
SHOWN = Shown(
    key="guidance",
    heading="Guided",
    meaning="thrusters, navigation and the attitude that was held; None: nothing guides",
    numbers=numbers,
    words=words,
    first=(
        Number(
            name="impulse_Ns",
            meaning="impulse of all thrusters, sizes added; None: nothing guides",
            label="Thrusters' impulse",
            words="impulse of the thrusters",
            unit="Ns",
            tile="Impulse of all thrusters, sizes added",
        ),
    ),
    charts=CHARTS,
)
