"""The noise of the papers' sensor, and how far an estimate is off in its own uncertainties."""

from __future__ import annotations

from typing import Any

from scenarios import epos_wall

from softdock import run_loop
from softdock.results.run import Run
from softdock.studies.identify.estimate import Estimate

NOISE = {"period_ms": 1.0, "noise_N": 0.25, "noise_Nm": 0.02, "handover": "mean"}


def wall_run(damping: float = 0.0, seed: int = 0, **tables: Any) -> Run:
    """EPOS on one axis, touching at 0.5 s."""
    found = epos_wall()
    found["contact"][0]["real"]["damping_Ns_per_m"] = damping
    found["random"] = {"seed": seed}
    for name, table in tables.items():
        found[name] = found.get(name, {}) | table
    return run_loop(found)


def off_by(estimate: Estimate | None, truth: float) -> float:
    """Error in standard uncertainties."""
    assert estimate is not None
    return (estimate.value - truth) / estimate.uncertainty
