"""A guided run on its page: closing speed against the glideslope, thrust, navigation's error,
impulse, and how well the docked pair's attitude was held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.guidance_metrics import controller_of, held_off
from softdock.report.frame.charts import Line, chart, scaled
from softdock.report.frame.elements import text
from softdock.runs.run import Run

SECONDS = "time [s]"
AXES = (("x", "c1"), ("y", "c2"), ("z", "c3"))


def guidance_section(run: Run, metrics: Mapping[str, Any]) -> str:
    """Empty for a run without guidance."""
    name = controller_of(run.scenario.tables)
    found = metrics.get("guidance")
    if not name or found is None:
        return ""
    return (
        text(_words(found), "plain")
        + _distance(run, name)
        + _thrust(run, name)
        + _error(run, name)
        + _impulse(run, name)
        + _held(run)
    )


def _words(found: Mapping[str, Any]) -> str:
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


def _distance(run: Run, name: str) -> str:
    s = run.series
    first = int(np.argmax(s[f"{name}.distance"] != 0.0))  # before, no sample has arrived
    time = s["time"][first:]
    lines = [
        Line("seen", "measured", time, s[f"{name}.distance"][first:], steps=True),
        Line(
            "mode: 0 approaches, 1 drifts, 2 holds",
            "c4",
            time,
            s[f"{name}.mode"][first:],
            second=True,
            steps=True,
        ),
    ]
    return chart(
        "guidance-distance",
        "Tip from the port along its axis, as navigation sees it",
        lines,
        SECONDS,
        "distance [m]",
        second_title="mode",
    )


def _thrust(run: Run, name: str) -> str:
    s = run.series
    lines = [
        Line(f"force {axis}", role, s["time"], s[f"{name}.force"][:, i])
        for i, (axis, role) in enumerate(AXES)
    ] + [
        Line(f"torque {axis}", role, s["time"], s[f"{name}.torque"][:, i], second=True)
        for i, (axis, role) in enumerate(AXES)
    ]
    return chart(
        "guidance-thrust",
        "Thrust",
        lines,
        SECONDS,
        "force [N], chaser axes",
        second_title="torque [Nm]",
    )


def _error(run: Run, name: str) -> str:
    s = run.series
    factor, unit = scaled([s[f"{name}.error"]], "m")
    lines = [
        Line(axis, role, s["time"], factor * s[f"{name}.error"][:, i], steps=True)
        for i, (axis, role) in enumerate(AXES)
    ]
    return chart(
        "guidance-error",
        "Navigation's error: position seen less true, when it arrives",
        lines,
        SECONDS,
        f"target axes [{unit}]",
        caption="Noise, bias, and the way made while the sample was under way.",
    )


def _impulse(run: Run, name: str) -> str:
    s = run.series
    line = Line("all thrusters", "total", s["time"], s[f"{name}.impulse"])
    return chart("guidance-impulse", "Impulse spent", [line], SECONDS, "sizes added [Ns]")


def _held(run: Run) -> str:
    off = held_off(run)
    if len(off) < 2:
        return ""
    time = run.series["time"][-len(off) :]
    line = Line("chaser", "satellite", np.asarray(time), off)
    return chart(
        "guidance-held",
        "Attitude of the docked pair from the one that is held",
        [line],
        SECONDS,
        "angle [deg]",
        caption="In the orbit's turning axes where there is an orbit.",
    )
