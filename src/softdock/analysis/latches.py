"""What is said of the latches of a run: when they engaged, went hard or broke, what they bore, and
whether the latched pair grows.

In: a run with orbit beside it. Out: plain numbers, NaN where undefined. The growth is measured,
mode by mode (latch_modes.py), from the satellites' motion since the last latch went hard: sigma of
amplitude exp(sigma t). The energy of a growing pair doubles in ln 2 / (2 sigma). A damping of tau
times the stiffness holds a pair that acts as if late by tau; tau follows from the growth that was
measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.latch_modes import (
    Modes,
    deflections,
    energies,
    latches_of,
    measured_growth,
    modes_of,
)
from softdock.core.contact.latch import BROKEN, HARD, LATCH_CELLS, OPEN, STATES
from softdock.runs.run import Run

AT = LATCH_CELLS.at
FEWEST_PERIODS = 2.0  # of the slowest mode that is looked at
NOTICED = 1e-12  # J; a mode with less does not move


def times(states: np.ndarray) -> dict[str, float]:
    """Of all latches: the first that engaged, when the last went hard, the first that broke [s];
    what they bore, and what their drives gave."""
    now = states[:, AT.state]
    engaged = states[now != OPEN, AT.engaged_at]
    broken = states[now == BROKEN, AT.broken_at]
    is_hard = len(states) > 0 and bool((now == HARD).all())
    return {
        "soft_docked_at_s": float(engaged.min()) if len(engaged) else math.nan,
        "latched_at_s": float(states[:, AT.hard_at].max()) if is_hard else math.nan,
        "broken_at_s": float(broken.min()) if len(broken) else math.nan,
        "peak_force_N": math.sqrt(float(states[:, AT.peak_force].max(initial=0.0))),
        "peak_torque_Nm": math.sqrt(float(states[:, AT.peak_torque].max(initial=0.0))),
        "driven_J": float(states[:, AT.driven].sum()),
        "lost_J": float(states[:, AT.lost].sum()),
    }


def latch_numbers(run: Run) -> dict[str, Any] | None:
    """Everything about the latches of a run; None: it has none."""
    tables = run.scenario.tables
    if not latches_of(tables):
        return None
    mine, orbits = times(run.latches), times(run.orbit.latches)
    found: dict[str, Any] = {
        **mine,
        "states": [STATES[int(state)] for state in run.latches[:, AT.state]],
        "orbit": {key: orbits[key] for key in ("soft_docked_at_s", "latched_at_s", "peak_force_N")},
    }
    return found | growth_of(tables, run.series, run.latches)


def growth_of(
    tables: Mapping[str, Any], series: Mapping[str, np.ndarray], states: np.ndarray
) -> dict[str, Any]:
    """Of the mode with the most energy at the end; NaN where nothing is latched, or too briefly."""
    nothing = {
        "growth_per_s": math.nan,
        "energy_doubles_in_s": math.nan,
        "late_by_s": math.nan,
        "mode": "",
        "frequency_rad_per_s": math.nan,
        "grown": math.nan,
    }
    since = times(states)["latched_at_s"]
    if math.isnan(since):
        return nothing
    time = series["time"]
    first = int(np.searchsorted(time, since))
    modes = modes_of(tables)
    rest = _rest(tables, states)
    xi, rate = deflections(tables, series, rest, first)
    energy, span = energies(modes, xi, rate), float(time[-1] - since)
    worth = [
        i
        for i in range(len(modes.squared))
        if span * modes.frequency[i] > FEWEST_PERIODS * 2.0 * math.pi
        and _late(energy[:, i]) > NOTICED
    ]
    if not worth:
        return nothing
    most = max(worth, key=lambda i: _late(energy[:, i]))
    return {**nothing, **_of_mode(modes, most, time[first:], energy[:, most], span)}


def _late(energy: np.ndarray) -> float:
    """Of the last tenth of a series."""
    return float(np.mean(energy[-max(len(energy) // 10, 1) :]))


def _of_mode(
    modes: Modes, i: int, time: np.ndarray, energy: np.ndarray, span: float
) -> dict[str, Any]:
    sigma = measured_growth(time, energy)
    return {
        "growth_per_s": sigma,
        "energy_doubles_in_s": math.log(2.0) / (2.0 * sigma) if sigma > 0.0 else math.nan,
        "late_by_s": float((2.0 * sigma + modes.damping[i]) / modes.squared[i]),
        "mode": modes.names[i],
        "frequency_rad_per_s": float(modes.frequency[i]),
        "grown": math.expm1(min(sigma * span, 700.0)),
    }


def _rest(tables: Mapping[str, Any], states: np.ndarray) -> np.ndarray:
    """The first latch's rest from its docked pose: zero, unless it holds what it caught."""
    if latches_of(tables)[0]["pull_in_s"] > 0.0:
        return np.zeros(6)
    return np.asarray(states[0, AT.offset : AT.offset + 6])


def holding_damping(tables: Mapping[str, Any], late: float) -> list[float]:
    """Damping along the target's axes that holds the first latch where the pair acts as if late by
    `late` [s], Ns/m."""
    law = latches_of(tables)[0]["real"]
    return [float(k) * late for k in law["stiffness_N_per_m"]]
