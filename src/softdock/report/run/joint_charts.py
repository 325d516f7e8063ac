"""The joints of arms over a run: how far each moved, how much of its speed it used, and of elastic
joints how far the links gave way and what they stored."""

from __future__ import annotations

import numpy as np

from softdock.analysis.arm_limits import arm_uses
from softdock.report.frame.charts import Line, chart, scaled
from softdock.report.frame.elements import bullets, text
from softdock.report.run.motion_charts import SECONDS, windows_of
from softdock.runs.arms import mounted_arms
from softdock.runs.run import Run

BODIES = ("chaser", "target")


def joint_section(run: Run) -> str:
    """Empty for a run without arms."""
    parts = [_of_robot(run, body) for body in BODIES if f"joints.{body}.clearance" in run.series]
    return "".join(parts)


def _lines(run: Run, names: list[str], values: np.ndarray) -> list[Line]:
    t = run.series["time"]
    return [Line(name, f"c{1 + i % 8}", t, values[:, i]) for i, name in enumerate(names)]


def _of_robot(run: Run, body: str) -> str:
    arm, s = mounted_arms(run.scenario)[body], run.series
    names = list(arm.axis_names[arm.first :])
    position, rate = s[f"joints.{body}.position"], s[f"joints.{body}.velocity"]
    limits = arm.of_axes("speed")[arm.first :]
    used = 100.0 * np.abs(rate) / limits
    closest = int(np.argmin(s[f"joints.{body}.clearance"]))
    fastest = np.unravel_index(int(np.argmax(used)), used.shape)
    caption = (
        f"{arm.name}. Angles from the start on. Fastest: {names[int(fastest[1])]} with "
        f"{used[fastest]:.2g} % of its speed at {s['time'][fastest[0]]:.3g} s. Nearest to a "
        f"singularity: {s[f'joints.{body}.clearance'][closest]:.3g} at {s['time'][closest]:.3g} s "
        "(0 is singular, 1 far away)."
    )
    html = chart(
        f"joints-{body}",
        f"{body.capitalize()}'s joints",
        _lines(run, names, np.degrees(position - position[0])),
        SECONDS,
        "moved [deg]",
        caption=caption,
        windows=windows_of(run.contacts),
    )
    html += bullets([use.words() + "." for use in arm_uses(run.scenario, s) if use.robot == body])
    return html + (_elastic(run, body, names) if f"joints.{body}.energy.stored" in s else "")


def _elastic(run: Run, body: str, names: list[str]) -> str:
    s, t = run.series, run.series["time"]
    bent = np.degrees(s[f"joints.{body}.position"] - s[f"joints.{body}.motor"])
    stored, taken = s[f"joints.{body}.energy.stored"], s[f"joints.{body}.energy.dissipated"]
    factor, unit = scaled([stored, taken], "J")
    most = np.unravel_index(int(np.argmax(np.abs(bent))), bent.shape)
    largest = f"{names[int(most[1])]}, {abs(bent[most]):.3g} deg at {t[most[0]]:.3g} s"
    energies = [
        Line("stored", "mock_up", t, factor * stored),
        Line("taken by damping", "satellite", t, factor * taken),
    ]
    windows = windows_of(run.contacts)
    return (
        text(f"The {body}'s elastic joints gave way most in {largest}.")
        + chart(
            f"bent-{body}",
            f"How far the {body}'s links gave way",
            _lines(run, names, bent),
            SECONDS,
            "link - motor [deg]",
            windows=windows,
        )
        + chart(
            f"joint-energy-{body}",
            f"Energy in the {body}'s joints",
            energies,
            SECONDS,
            f"energy [{unit}]",
            windows=windows,
        )
    )
