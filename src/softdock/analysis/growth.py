"""What makes a rig unsafe, as numbers of one run: energy from nothing that no method takes out, and
contacts that grow.

In: a run with orbit beside it. Out: joules, and shares of 1. NaN: not defined for this run.

Energy that nothing takes out is the invented energy less what virtual elements absorbed beyond what
they absorb in orbit (where only elements that are part of a satellite exist). Corrections of states
and wrenches stand in the invented energy with their signs already. Where a method moves the
satellites by a contact of its own design, that contact is not believed to be passive: what the
satellites gained beyond the work of others counts, if it is more.

Repeated contacts grow if the pair brings more energy into a contact than it brought into one
before, of the approach energy; free flight in orbit cannot do that. Where schedules, the tide or
methods push the satellites this says nothing, and is NaN. A pair that is latched, or still touching
at the end of the run, grows by what ten of its swings do (decrement.py), less what they do in
orbit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.analysis.corrected import PARTS, is_corrected
from softdock.analysis.decrement import Swings, swings_of_depth
from softdock.analysis.latch_modes import latches_of
from softdock.analysis.latches import swings_of_modes
from softdock.analysis.momenta import kinetic_energy, mass_properties, motions
from softdock.analysis.pushes import ENDS, is_pushed, unpushed
from softdock.core.machine.vector import TIME_AT, TIMES
from softdock.runs.run import Run
from softdock.scenario.orbit_frame import has_orbit

LOOKED_AT = 64  # contacts of a run, the first ones


def not_taken_out(run: Run) -> float:
    """Invented energy that no method takes out [J]."""
    b = run.ledger
    left = run.energy_invented_J - (b["virtual"] - float(run.orbit.virtual))
    if b["designed"] == 0.0 or len(run.latches) or any(c["start_s"] <= 0.0 for c in run.contacts):
        return left
    return max(left, b["kinetic"] - b["kinetic_start"] - b["external"])


def repeated_growth(run: Run) -> float:
    """By how much a later contact gets more energy than an earlier one, of the approach energy."""
    if is_pushed(run.scenario) or has_orbit(run.scenario.tables):
        return math.nan
    T, bodies = run.scenario.vector[TIME_AT + TIMES.cycle], mass_properties(run.scenario.vector)
    last = len(run.series["time"]) - 1
    rows = [min(math.floor(c["start_s"] / T + 1e-9), last) for c in run.contacts[:LOOKED_AT]]
    if not rows:
        return 0.0
    brought = np.array([kinetic_energy(bodies, motions(run.series, row)) for row in rows])
    first = min(rows[0], len(run.orbit.series["time"]) - 1)  # orbit may have stopped before
    approach = kinetic_energy(bodies, motions(run.orbit.series, first))
    least = np.minimum.accumulate(brought)
    return float(np.max(brought - least) / approach) if approach > 0.0 else math.nan


class Swing(NamedTuple):
    """Of a pair that still touches at the end; NaN: too few swings to tell."""

    growth: float  # of the amplitude over ten swings, less the reference's
    error: float  # standard error of it
    period: float  # s


def swing_of(run: Run) -> Swing:
    """Growth and period of a pair that is latched, or still touches, at the end."""
    mine, orbits = swings_of(run)
    return Swing(*excess_growth(mine, orbits), mine.period_s)


def latched_growth(run: Run) -> float:
    """Growth over ten swings beyond orbit's; 0 where the swings are too few to tell, or tell no
    growth within two standard errors."""
    growth, error, _ = swing_of(run)
    return growth if growth > 2.0 * error or growth < 0.0 else 0.0


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
