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
from softdock.results.decrement import Swings, swings_of_depth
from softdock.results.latch_modes import latches_of
from softdock.results.latches import swings_of_modes
from softdock.results.pushes import ENDS, unpushed
from softdock.results.run import Run


class Swing(NamedTuple):
    """Of a pair that still touches at the end; NaN: too few swings to tell."""

    growth: float  # of the amplitude over ten swings, less the reference's
    error: float  # standard error of it
    period: float  # s


def swing_of(run: Run) -> Swing:
    """Growth and period of a pair that is latched, or still touches, at the end."""
    mine, orbits = swings_of(run)
    return Swing(*excess_growth(mine, orbits), mine.period_s)


def excess_growth(mine: Swings, orbits: Swings) -> tuple[float, float]:
    """Growth over ten swings beyond orbit's, and its standard error. A decay in orbit is not held
    against the rig, and orbit without swings counts as 0."""
    if not orbits.growth > 0.0:
        return mine.growth, mine.error
    return mine.growth - orbits.growth, math.hypot(mine.error, orbits.error)


def swings_of(run: Run) -> tuple[Swings, Swings]:
    """Of the satellites, and of orbit: of the latches' modes once all are hard, else of a contact
    that is on at the end of the run. Corrected motion where the series have it."""
    start = math.nan
    if run.contacts and math.isnan(run.contacts[-1]["restitution"]):
        start = float(run.contacts[-1]["start_s"])
    scenario, orbit = run.scenario, run.orbit
    return (
        swings(scenario, corrected(run.series), run.latches, start),
        swings(scenario, orbit.series, orbit.latches, start),
    )


def corrected(series: Mapping[str, Any]) -> Mapping[str, Any]:
    """A run's series with the satellites' corrected motion in place of what was applied at the
    time, where a method has recorded one."""
    if not is_corrected(series):
        return series
    names = [f"{body}.{part}" for body in ENDS for part in PARTS]
    kept = {name: series[name] for name in ("time", "contact.depth", "energy.external")}
    return kept | {name: series[f"corrected.{name}"] for name in names}


def swings(
    scenario: Any, series: Mapping[str, Any], latches: np.ndarray, start: float = math.nan
) -> Swings:
    """Of a recorded motion: time, `contact.depth`, `energy.external`, and of both bodies position,
    attitude, velocity and rate, one row a cycle. `latches`: their states at the end; `start`: when
    the contact that is on at the end began [s], NaN: none is."""
    if latches_of(scenario.tables):
        found = swings_of_modes(scenario, series, latches)
        return found[0] if found else Swings()
    time = series["time"]
    if math.isnan(start) or not start < time[-1]:
        return Swings()
    first = int(np.searchsorted(time, start))
    free = unpushed(scenario, series, first)
    return swings_of_depth(time[first:], series["contact.depth"][first:], free)
