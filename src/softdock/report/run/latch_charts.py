"""The latches of a run on its page: how far the tip is from its docked place, rig and orbit, and
the energy of the swings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.latch_modes import deflections, energies, latches_of, modes_of
from softdock.analysis.latches import AT, times
from softdock.core.adaptation.registry import METHODS
from softdock.core.orbit import Orbit
from softdock.report.frame.charts import Line, chart, scaled
from softdock.report.frame.elements import bullets, text
from softdock.runs.run import Run

SECONDS = "time [s]"
LEAST = 1e-15  # J; the logarithm of less is not drawn


def latch_section(run: Run, orbit: Orbit, metrics: Mapping[str, Any]) -> str:
    """Empty for a run without latches, or one whose latches never engaged."""
    tables = run.scenario.tables
    if not latches_of(tables) or metrics.get("latch") is None or not len(run.latches):
        return ""
    since = times(run.latches)["soft_docked_at_s"]
    if math.isnan(since):
        return text("No latch engaged in this run.")
    first = int(np.searchsorted(run.series["time"], since))
    parts = {"rig": run.series, "orbit": orbit.series}
    found = {
        name: (series["time"][first:], *deflections(tables, series, np.zeros(6), first))
        for name, series in parts.items()
    }
    return _ways(found) + _energies(run, orbit, found) + _methods(tables)


def _ways(found: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> str:
    factor, unit = scaled([xi[:, :3] for _, xi, _ in found.values()], "m")
    lines = []
    for axis, role in enumerate(("satellite", "mock_up", "measured")):
        for name, (time, xi, _) in found.items():
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


def _energies(
    run: Run, orbit: Orbit, found: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> str:
    """Of all modes together, once every latch is hard."""
    modes, lines = modes_of(run.scenario.tables), []
    for name, states, role in (
        ("rig", run.latches, "satellite"),
        ("orbit", orbit.latches, "orbit"),
    ):
        since = times(states)["latched_at_s"]
        if math.isnan(since):
            continue
        time, xi, rate = found[name]
        pulled = latches_of(run.scenario.tables)[0]["pull_in_s"] > 0.0
        rest = np.zeros(6) if pulled else states[0, AT.offset : AT.offset + 6]
        hard = time >= since
        energy = energies(modes, xi[hard] - rest, rate[hard]).sum(axis=1)
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


def _methods(tables: Mapping[str, Any]) -> str:
    """What the listed methods do while a latch holds, in their own words."""
    words = [
        f"{entry['name']}: {METHODS[entry['name']].while_latched or 'nobody has tried it latched'}"
        for entry in tables["methods"]
    ]
    return bullets(words, "plain")
