"""What a run should have come to, from its own measured ages.

The force that acts is older than the instant it acts at, by its measured age; to the loop that is
more delay. So the same scenario is simulated in one process with the robots' delay longer by the
mean age of the forces in contact. On EPOS 1-D restitution grows by 7.0 per second of age.
"""

from __future__ import annotations

import math

from softdock.core.contact_log import LOG_COLUMNS
from softdock.runs.stepper import Stepper, cycle_count
from softdock.scenario.build import Scenario

RESTITUTION = LOG_COLUMNS.index("restitution")


def predicted_restitution(scenario: Scenario, age_s: float) -> float | None:
    """Of the first contact; None: there is none, or it has not closed."""
    keys = {
        f"robots.{name}.delay_ms": scenario.tables["robots"][name]["delay_ms"] + 1e3 * age_s
        for name in ("chaser", "target")
    }
    stepper = Stepper(scenario.with_keys(keys))
    stepper.step(cycle_count(scenario))
    found = float(stepper.log[0, RESTITUTION])
    return found if math.isfinite(found) and found > 0.0 else None
