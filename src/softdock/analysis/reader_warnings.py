"""What a reader of a run's numbers must know: what is not defined, resolved or accounted for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.runs.run import Run
from softdock.scenario.checks import RESOLVED_CYCLES

# of the contact's work: more unaccounted for than this is warned about (definition of the ledger's
# second check)
PHYSICS_TO = 1e-3


def warnings_of(run: Run, m: Mapping[str, Any]) -> list[str]:
    """What a reader of these numbers must know."""
    found = []
    if m["fidelity"]["compared_at_s"] is None and m["reference"]["status"] == "completed":
        found.append(
            "energy_ratio and distance_from_orbit are not defined: the contact was not over when "
            "the run ended"
        )
    warned = {w.split(".")[1] for w in run.scenario.warnings if w.startswith("contact.")}
    short = [
        c
        for c in m["contacts"]
        if c["parted"] and c["cycles"] < RESOLVED_CYCLES and str(c["pair"]) not in warned
    ]
    if short:
        shortest = min(c["cycles"] for c in short)
        found.append(
            f"a contact lasted only {shortest:.2g} cycles; below {RESOLVED_CYCLES:g} the "
            "sampling shows in the result (try --phases 32)"
        )
    residual = m["ledger"]["physics_residual"]
    if residual is not None and residual > PHYSICS_TO:
        found.append(
            f"{100.0 * residual:.2g} % of the contact's work is neither stored nor "
            "dissipated in the books; raise time.plant_steps"
        )
    if m["reference"]["status"] != "completed":
        found.append(f"orbit's own run ended early: {m['reference']['status']}")
    return found
