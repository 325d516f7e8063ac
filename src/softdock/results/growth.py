"""By how much the swing of a pair that is latched, or still touches, grows.

In: a run with orbit beside it. Out: growth over ten swings (decrement.py), less what they do in
orbit; NaN: too few swings to tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.results.corrected import PARTS, is_corrected
from softdock.results.decrement import Swings, fit_depth_swings
from softdock.results.latch_modes import get_latches
from softdock.results.latches import fit_mode_swings
from softdock.results.pushes import ENDS, find_unpushed
from softdock.results.run import Run


class Swing(NamedTuple):
    """Of a pair that still touches at the end; NaN: too few swings to tell."""

    growth: float  # of the amplitude over ten swings, less the reference's
    error: float  # standard error of it
    period: float  # s


def measure_swing(run: Run) -> Swing:
    """Growth and period of a pair that is latched, or still touches, at the end."""
    mine, orbits = fit_run_swings(run)
    return Swing(*compute_excess_growth(mine, orbits), mine.period_s)


def compute_excess_growth(mine: Swings, orbits: Swings) -> tuple[float, float]:
    """Growth over ten swings beyond orbit's, and its standard error. A decay in orbit is not held
    against the rig, and orbit without swings counts as 0."""
    if not orbits.growth > 0.0:
        return mine.growth, mine.error
    return mine.growth - orbits.growth, math.hypot(mine.error, orbits.error)


def fit_run_swings(run: Run) -> tuple[Swings, Swings]:
    """Of the satellites, and of orbit: of the latches' modes once all are hard, else of a contact
    that is on at the end of the run. Corrected motion where the series have it."""
    start = math.nan
    if run.contacts and math.isnan(run.contacts[-1]["restitution"]):
        start = float(run.contacts[-1]["start_s"])
    scenario, orbit = run.scenario, run.orbit
    return (
        fit_swings(scenario, use_corrected_motion(run.series), run.latches, start),
        fit_swings(scenario, orbit.series, orbit.latches, start),
    )


def use_corrected_motion(series: Mapping[str, Any]) -> Mapping[str, Any]:
    """A run's series with the satellites' corrected motion in place of what was applied at the
    time, where a method has recorded one."""
    if not is_corrected(series):
        return series
    names = [f"{body}.{part}" for body in ENDS for part in PARTS]
    kept = {name: series[name] for name in ("time", "contact.depth", "energy.external")}
    return kept | {name: series[f"corrected.{name}"] for name in names}


def fit_swings(
    scenario: Any, series: Mapping[str, Any], latches: np.ndarray, start: float = math.nan
) -> Swings:
    """Of a recorded motion: time, `contact.depth`, `energy.external`, and of both bodies position,
    attitude, velocity and rate, one row a cycle. `latches`: their states at the end; `start`: when
    the contact that is on at the end began [s], NaN: none is."""
    if get_latches(scenario.tables):
        found = fit_mode_swings(scenario, series, latches)
        return found[0] if found else Swings()
    time = series["time"]
    if math.isnan(start) or not start < time[-1]:
        return Swings()
    first = int(np.searchsorted(time, start))
    free = find_unpushed(scenario, series, first)
    return fit_depth_swings(time[first:], series["contact.depth"][first:], free)
