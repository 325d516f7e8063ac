"""What the best possible estimator could reach on a noisy case: a bound of the distance from orbit,
where softdock has one.

Where there is no bound of a scenario (analysis/noise_bound.py), nothing is said.
"""

from __future__ import annotations

import math

from softdock.analysis.noise_bound import distance_bound
from softdock.errors import SoftdockError
from softdock.scenario.build import Scenario


def bound_of(scenario: Scenario) -> float | None:
    """Root mean square of the distance from orbit that noise alone leaves, as a share of the
    approach; None: nobody knows."""
    try:
        found = distance_bound(scenario)
    except (SoftdockError, ArithmeticError, LookupError, ValueError):
        return None  # no bound of such a scenario; the cells, which took long, are not lost by it
    return None if found is None or not math.isfinite(found) else float(found)
