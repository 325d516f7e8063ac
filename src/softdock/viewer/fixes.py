"""What would fix it: virtual damping as theory asks, and the methods that are ready, each tried.

Every promise is a run that was made: how far from orbit the rig then is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from softdock.comparison.outcomes import run_against
from softdock.core.orbit import Orbit
from softdock.errors import BadInput, Problem
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import candidates

THRESHOLD_N = 1.0  # the virtual damper acts above this force
MOST = 3  # fixes offered


@dataclass(frozen=True)
class Fix:
    """One thing to do, tried."""

    label: str
    methods: list[dict[str, Any]]  # the scenario's list of methods with it
    distance: float  # from orbit; 0 is orbit, 1 as far as the approach itself


def fixes_for(
    scenario: Scenario, orbit: Orbit, ready: Sequence[str], now: float | None
) -> list[Fix]:
    """The best that are better than the present, best first. `now`: its distance from orbit."""
    tried = _methods(scenario, orbit, ready)
    limit = math.inf if now is None or not math.isfinite(now) else now
    better = [fix for fix in tried if math.isfinite(fix.distance) and fix.distance < limit]
    return sorted(better, key=lambda fix: fix.distance)[:MOST]


def with_methods(scenario: Scenario, method: str) -> Scenario:
    """The scenario with another method (or a chain, a+b); `BadInput` where it cannot run."""
    integrator = scenario.tables["satellites"]["integrator"]
    able, unable = candidates(scenario, [method], [integrator])
    if not able:
        raise BadInput(
            Problem("method", method, unable[0].reason if unable else "one that can run")
        )
    return able[0].scenario


def _tried(label: str, scenario: Scenario, orbit: Orbit) -> list[Fix]:
    try:
        metrics = run_against(scenario, orbit).metrics
    except BadInput:
        return []
    distance = metrics["distance_from_orbit"]
    if metrics["status"] != "completed" or distance is None:
        return []
    words = f"{label}: {100.0 * distance:.2g} % from orbit"
    return [Fix(words, scenario.tables["methods"], float(distance))]


def _methods(scenario: Scenario, orbit: Orbit, ready: Sequence[str]) -> list[Fix]:
    found: list[Fix] = []
    for method in ready:
        try:
            changed = with_methods(scenario, method)
        except BadInput:
            continue
        found += _tried(f"method {method}", changed, orbit)
    return found
