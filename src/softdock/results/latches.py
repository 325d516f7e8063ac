"""What is said of the latches of a run: when they engaged, went hard or broke, what they bore, and
whether the latched pair grows.

In: a run with orbit beside it. Out: plain numbers, NaN where undefined. The growth is measured,
mode by mode (latch_modes.py), from the satellites' motion since the last latch went hard, in
stretches that nothing pushes (decrement.py): sigma of amplitude exp(sigma t). The energy of a
growing pair doubles in ln 2 / (2 sigma). A pair that grows, and touches nothing while it swings,
acts as if late by (2 sigma + b) / w^2; where the tip reaches a contact, that contact is late too,
and the number would mean nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.contact.latch import BROKEN, HARD, LATCH_CELLS, OPEN, STATES
from softdock.results.decrement import Swings, fit_oscillator_swings
from softdock.results.latch_modes import (
    Modes,
    compute_deflections,
    compute_mode_energies,
    compute_modes,
    get_latches,
)
from softdock.results.pushes import find_unpushed
from softdock.results.run import Run

AT = LATCH_CELLS.at
FEWEST_ROWS = 8
NOTICED = 1e-12  # J; a mode with less does not move
NOTICED_SHARE = 0.01  # of the energy of all modes


def summarise_times(states: np.ndarray) -> dict[str, float]:
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


def compute_latch_metrics(run: Run) -> dict[str, Any] | None:
    """Everything about the latches of a run; None: it has none."""
    tables = run.scenario.tables
    if not get_latches(tables):
        return None
    mine, orbits = summarise_times(run.latches), summarise_times(run.orbit.latches)
    found: dict[str, Any] = {
        **mine,
        "states": [STATES[int(state)] for state in run.latches[:, AT.state]],
        "orbit": {key: orbits[key] for key in ("soft_docked_at_s", "latched_at_s", "peak_force_N")},
    }
    return found | compute_latch_growth(run.scenario, run.series, run.latches)


def compute_latch_growth(
    scenario: Any, series: Mapping[str, np.ndarray], states: np.ndarray
) -> dict[str, Any]:
    """Of the mode that grows most; NaN where nothing is latched, or too briefly."""
    found = fit_mode_swings(scenario, series, states)
    swings, modes, i = found or (Swings(), None, 0)
    sigma, late = swings.per_s, math.nan
    if modes is not None and swings.is_growing and not _is_touching(series, states):
        late = float((2.0 * sigma + modes.damping[i]) / modes.squared[i])
    return {
        "growth_per_s": sigma,
        "growth_error_per_s": swings.per_s_error,
        "growth_over_ten_swings": swings.growth,
        "growth_error_over_ten_swings": swings.error,
        "energy_doubles_in_s": math.log(2.0) / (2.0 * sigma) if swings.is_growing else math.nan,
        "late_by_s": late,
        "mode": modes.names[i] if modes is not None else "",
        "frequency_rad_per_s": float(modes.frequency[i]) if modes is not None else math.nan,
    }


def fit_mode_swings(
    scenario: Any, series: Mapping[str, np.ndarray], states: np.ndarray
) -> tuple[Swings, Modes, int] | None:
    """Swings of the mode that grows most beyond its standard error, of those that hold a noticeable
    share of the energy at the end, all modes, and its number; None: nothing is latched, or no mode
    has swung often enough."""
    tables, since = scenario.tables, summarise_times(states)["latched_at_s"]
    if math.isnan(since):
        return None
    first = int(np.searchsorted(series["time"], since))
    time = series["time"][first:]
    if len(time) < FEWEST_ROWS:
        return None
    modes = compute_modes(tables)
    xi, rate = compute_deflections(tables, series, _compute_rest(tables, states), first)
    late = compute_mode_energies(modes, xi, rate)[-max(len(time) // 10, 1) :].mean(axis=0)
    least, free = (
        max(NOTICED, NOTICED_SHARE * float(late.sum())),
        find_unpushed(scenario, series, first),
    )
    y, v = xi @ modes.seen.T, rate @ modes.seen.T
    found = [
        (fit_oscillator_swings(time, y[:, i], v[:, i], float(modes.frequency[i]), free), modes, i)
        for i in np.flatnonzero(late > least).tolist()
    ]
    told = [each for each in found if not math.isnan(each[0].growth)]
    return max(told, key=lambda each: each[0].growth - 2.0 * each[0].error, default=None)


def _is_touching(series: Mapping[str, np.ndarray], states: np.ndarray) -> bool:
    """Whether a contact is within reach of the swings: the tip touches once all latches are
    hard."""
    hard = series["time"] >= summarise_times(states)["latched_at_s"]
    return bool(np.any(series["contact.depth"][hard] > 0.0))


def _compute_rest(tables: Mapping[str, Any], states: np.ndarray) -> np.ndarray:
    """The first latch's rest from its docked pose: zero, unless it holds what it caught."""
    if get_latches(tables)[0]["pull_in_s"] > 0.0:
        return np.zeros(6)
    return np.asarray(states[0, AT.offset : AT.offset + 6])
