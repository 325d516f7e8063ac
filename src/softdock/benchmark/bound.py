"""What the best possible estimator could reach on a noisy case: a bound of the distance from orbit,
where softdock has one.

The bound is another part's: a function `distance_bound(scenario) -> float | None` in the module
PROVIDER. Where there is no such module, or it has no bound of a scenario, nothing is said.
"""

from __future__ import annotations

import math
from importlib import import_module
from importlib.util import find_spec

from softdock.errors import SoftdockError
from softdock.scenario.build import Scenario

PROVIDER = "softdock.analysis.noise_bound"


def bound_of(scenario: Scenario) -> float | None:
    """Root mean square of the distance from orbit that noise alone leaves, as a share of the
    approach; None: nobody knows."""
    if find_spec(PROVIDER) is None:
        return None
    try:
        found = import_module(PROVIDER).distance_bound(scenario)
    except (SoftdockError, ArithmeticError, LookupError, ValueError):
        return None  # no bound of such a scenario; the cells, which took long, are not lost by it
    return None if found is None or not math.isfinite(found) else float(found)
