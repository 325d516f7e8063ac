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
methods push the satellites this says nothing, and is NaN. A latched contact, one that is still on
at the end of the run, grows if its last swing is deeper than its second, less what orbit's own
swings do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.analysis.latches import growth_of
from softdock.analysis.momenta import kinetic_energy, mass_properties, motions
from softdock.core.adaptation.used_hooks import any_external
from softdock.core.machine.vector import TIME_AT, TIMES
from softdock.runs.run import Run
from softdock.scenario.orbit_frame import has_orbit


class Swing(NamedTuple):
    """Of a pair that still touches at the end; NaN: too few swings to tell."""

    growth: float  # of the amplitude over ten swings, less the reference's
    error: float  # standard error of it
    period: float  # s


def swing_of(run: Run) -> Swing:
    """Growth and period of a pair that still touches."""
    return Swing(latched_growth(run), 0.0, math.nan)


ENDS = ("chaser", "target")
LOOKED_AT = 64  # contacts of a run, the first ones
FEWEST_SWINGS = 4  # of a latched contact: fewer say nothing of growth
STANDS_OUT = 0.1  # of the largest depth: a rise or fall that is no noise


def not_taken_out(run: Run) -> float:
    """Invented energy that no method takes out [J]."""
    b = run.ledger
    left = run.energy_invented_J - (b["virtual"] - float(run.orbit.virtual))
    if b["designed"] == 0.0 or len(run.latches) or any(c["start_s"] <= 0.0 for c in run.contacts):
        return left
    return max(left, b["kinetic"] - b["kinetic_start"] - b["external"])


def repeated_growth(run: Run) -> float:
    """By how much a later contact gets more energy than an earlier one, of the approach energy."""
    tables = run.scenario.tables
    if any(tables[kind][body]["rows"] for kind in ("hand", "external") for body in ENDS):
        return math.nan
    if has_orbit(tables) or any_external(run.scenario.markers.methods):
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


def latched_growth(run: Run) -> float:
    """By how much the swings of a contact that is on at the end grow, less orbit's own growth; 0
    where it has not swung often enough to tell. Of a latched pair: by how much its amplitude grew
    since it went hard."""
    if len(run.latches):
        mine, orbits = (
            growth_of(run.scenario.tables, one.series, one.latches)["grown"]
            for one in (run, run.orbit)
        )
        return 0.0 if math.isnan(mine) else mine - (0.0 if math.isnan(orbits) else max(orbits, 0.0))
    if not run.contacts or not math.isnan(run.contacts[-1]["restitution"]):
        return 0.0
    start = run.contacts[-1]["start_s"]
    mine, orbits = _swings(run.series, start), _swings(run.orbit.series, start)
    if math.isnan(mine):
        return 0.0
    return mine - (0.0 if math.isnan(orbits) else max(orbits, 0.0))


def _swings(series: Mapping[str, Any], start: float) -> float:
    """Depth of the last swing since `start` over that of the second, less 1; NaN with fewer than
    FEWEST_SWINGS. The first is the impact itself; a swing is a maximum that stands out."""
    depth = series["contact.depth"][series["time"] >= start]
    if len(depth) < 3:
        return math.nan
    peaks, low, high = [], float(depth[0]), float(depth[0])
    least = STANDS_OUT * float(np.max(depth))
    rising = True
    for x in map(float, depth):
        if rising:
            high = max(high, x)
            if high - x > least:
                peaks.append(high)
                rising, low = False, x
        else:
            low = min(low, x)
            if x - low > least:
                rising, high = True, x
    return peaks[-1] / peaks[1] - 1.0 if len(peaks) >= FEWEST_SWINGS else math.nan
