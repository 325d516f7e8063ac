"""Charts of a run's arms and latches: joint motion, use of the speed limits, elastic deflection and
energy; offset of the latched tip and energy of its modes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.methods.registry import METHODS
from softdock.output.pages.frame.charts import Line, chart, choose_unit
from softdock.output.pages.frame.elements import bullets, text
from softdock.output.pages.run.motion_charts import SECONDS, contact_windows
from softdock.reference import Reference
from softdock.results.arms import compute_arm_uses, find_mounted_arms
from softdock.results.latches import (
    AT,
    compute_deflections,
    compute_mode_energies,
    compute_modes,
    get_latches,
    summarise_times,
)
from softdock.results.run import Run

LEAST = 1e-15  # J; the logarithm of less is not drawn


def latch_section(run: Run, orbit: Reference, metrics: Mapping[str, Any]) -> str:
    """Charts of the latches; empty for a run without latches or in which none engaged."""
    tables = run.scenario.tables
    if not get_latches(tables) or metrics.get("latch") is None or not len(run.latches):
        return ""
    since = summarise_times(run.latches)["soft_docked_at_s"]
    if math.isnan(since):
        return text("No latch engaged in this run.")
    first = int(np.searchsorted(run.series["time"], since))
    parts = {"rig": run.series, "orbit": orbit.series}
    found = {
        name: (series["time"][first:], *compute_deflections(tables, series, np.zeros(6), first))
        for name, series in parts.items()
    }
    return (
        _offset_chart(found)
        + _mode_energy_chart(run, orbit, found)
        + _methods_while_latched(tables)
    )


def _offset_chart(latches: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> str:
    factor, unit = choose_unit([xi[:, :3] for _, xi, _ in latches.values()], "m")
    lines = []
    for axis, role in enumerate(("satellite", "mock_up", "measured")):
        for name, (time, xi, _) in latches.items():
            dash = "solid" if name == "rig" else "dash"
            shown = f"{'xyz'[axis]}, {name}"
            lines.append(Line(shown, role, time, factor * xi[:, axis], dash=dash))
    return chart(
        "latch-way",
        "The tip from its docked place",
        lines,
        SECONDS,
        f"target axes [{unit}]",
        caption="Since the first latch engaged. Dashed: orbit.",
    )


def _mode_energy_chart(
    run: Run, orbit: Reference, latches: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> str:
    """Energy of all modes together, once every latch is hard."""
    modes, lines = compute_modes(run.scenario.tables), []
    for name, states, role in (
        ("rig", run.latches, "satellite"),
        ("orbit", orbit.latches, "orbit"),
    ):
        since = summarise_times(states)["latched_at_s"]
        if math.isnan(since):
            continue
        time, xi, rate = latches[name]
        pulled = get_latches(run.scenario.tables)[0]["pull_in_s"] > 0.0
        rest = np.zeros(6) if pulled else states[0, AT.offset : AT.offset + 6]
        hard = time >= since
        energy = compute_mode_energies(modes, xi[hard] - rest, rate[hard]).sum(axis=1)
        dash = "solid" if name == "rig" else "dash"
        logs = np.log10(np.maximum(energy, LEAST))
        lines.append(Line(name, role, time[hard], logs, dash=dash))
    if not lines:
        return ""
    return chart(
        "latch-energy",
        "Energy of the swings once hard",
        lines,
        SECONDS,
        "log10 of energy [J]",
        caption="A straight line that rises is a latched pair that grows.",
    )


def _methods_while_latched(tables: Mapping[str, Any]) -> str:
    """What each listed method does while a latch holds, in its own words."""
    words = [
        f"{entry['name']}: {METHODS[entry['name']].while_latched or 'not tried with latches'}"
        for entry in tables["methods"]
    ]
    return bullets(words, "plain")


BODIES = ("chaser", "target")


def joint_section(run: Run) -> str:
    """Charts of the arms' joints; empty for a run without arms."""
    parts = [
        _robot_charts(run, body) for body in BODIES if f"joints.{body}.clearance" in run.series
    ]
    return "".join(parts)


def _joint_lines(run: Run, names: list[str], values: np.ndarray) -> list[Line]:
    t = run.series["time"]
    return [Line(name, f"c{1 + i % 8}", t, values[:, i]) for i, name in enumerate(names)]


def _robot_charts(run: Run, body: str) -> str:
    arm, s = find_mounted_arms(run.scenario)[body], run.series
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
        _joint_lines(run, names, np.degrees(position - position[0])),
        SECONDS,
        "moved [deg]",
        caption=caption,
        windows=contact_windows(run.contacts),
    )
    html += bullets(
        [use.words() + "." for use in compute_arm_uses(run.scenario, s) if use.robot == body]
    )
    return html + (_elastic_charts(run, body, names) if f"joints.{body}.energy.stored" in s else "")


def _elastic_charts(run: Run, body: str, names: list[str]) -> str:
    s, t = run.series, run.series["time"]
    bent = np.degrees(s[f"joints.{body}.position"] - s[f"joints.{body}.motor"])
    stored, taken = s[f"joints.{body}.energy.stored"], s[f"joints.{body}.energy.dissipated"]
    factor, unit = choose_unit([stored, taken], "J")
    most = np.unravel_index(int(np.argmax(np.abs(bent))), bent.shape)
    largest = f"{names[int(most[1])]}, {abs(bent[most]):.3g} deg at {t[most[0]]:.3g} s"
    energies = [
        Line("stored", "mock_up", t, factor * stored),
        Line("taken by damping", "satellite", t, factor * taken),
    ]
    windows = contact_windows(run.contacts)
    return (
        text(f"The {body}'s elastic joints gave way most in {largest}.")
        + chart(
            f"bent-{body}",
            f"How far the {body}'s links gave way",
            _joint_lines(run, names, bent),
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
