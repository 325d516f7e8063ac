"""The metrics of a run: one plain dict, the same in Python, in `metrics.json`, in `softdock run
--json` and on the page. See docs/metrics.md.

Keys carry their units. Every value is a plain number, text, list or dict; what is not defined (a
restitution without a contact) is None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock._version import __version__
from softdock.analysis.fidelity import (
    MassProperties,
    angular_momentum,
    compare,
    instants,
    kinetic_energy,
    linear_momentum,
    mass_properties,
    motions,
)
from softdock.analysis.growth import latched_growth, not_taken_out, repeated_growth
from softdock.analysis.judgement import judgement
from softdock.analysis.verdict import verdict
from softdock.core.energy.ledger import ROWS
from softdock.core.machine.vector import TIME_AT, TIMES
from softdock.runs.run import Run
from softdock.scenario.checks import RESOLVED_CYCLES

SCHEMA = 1  # rises when a key changes its meaning or goes; new keys may come at any time
# of the contact's work: more unaccounted for than this is warned about (definition of the ledger's
# second check)
PHYSICS_TO = 1e-3


def metrics(run: Run) -> dict[str, Any]:
    """All metrics of a run, with orbit's beside them."""
    orbit = run.orbit
    T, tables = float(run.scenario.vector[TIME_AT + TIMES.cycle]), run.scenario.tables
    bodies = mass_properties(run.scenario.vector)
    against = compare(run, orbit)
    contacts, wanted = (
        [_contact(c, T, states_corrected(run)) for c in run.contacts],
        [_contact(c, T, False) for c in orbit.contacts],
    )
    orbit_end = np.stack([orbit.chaser, orbit.target])
    result: dict[str, Any] = {
        "schema": SCHEMA,
        "softdock": __version__,
        "scenario": run.scenario.name,
        "description": tables["description"],
        "integrator": tables["satellites"]["integrator"],
        "methods": [m["name"] for m in tables["methods"]],
        "status": run.status,
        "stopped_at_s": None if run.status == "completed" else run.cycles * T,
        "ended_at_s": run.cycles * T,
        "cycles": run.cycles,
        "cycle_s": T,
        "duration_s": float(run.scenario.vector[TIME_AT + TIMES.duration]),
        "restitution": run.restitution,
        "restitution_energetic": contacts[0]["restitution_energetic"] if contacts else math.nan,
        "energy_ratio": against["energy_ratio"],
        "energy_invented_J": run.energy_invented_J,
        "energy_error_J": against["energy_error_J"],
        "distance_from_orbit": against["distance_from_orbit"],
        "distance_from_orbit_at_end": against["distance_from_orbit_at_end"],
        "distance_from_orbit_worst": against["distance_from_orbit_worst"],
        "energy_not_taken_out_J": not_taken_out(run),
        "growth_repeated": repeated_growth(run),
        "growth_latched": latched_growth(run),
        "peak_force_real_N": run.reached.peak_force_real_N,
        "peak_torque_real_Nm": run.reached.peak_torque_real_Nm,
        "captured": math.isfinite(run.reached.captured_at_s)
        if tables["capture"]["for_s"] > 0.0
        else None,
        "captured_at_s": run.reached.captured_at_s,
        "ledger": _ledger(run),
        "method_books": run.method_books,
        "events": run.events,
        "contacts": contacts,
        "contact_count": run.contact_count,
        "final": _state(bodies, motions(run.series, -1), run.cycles * T),
        "reference": {
            "status": orbit.status,
            "restitution": orbit.restitution,
            "restitution_energetic": wanted[0]["restitution_energetic"] if wanted else math.nan,
            "energy_ratio": against["energy_ratio_orbit"],
            "contacts": wanted,
            "contact_count": orbit.contact_count,
            "dissipated_J": orbit.dissipated,
            "external_J": orbit.external,
            "virtual_J": orbit.virtual,
            **_state(bodies, orbit_end, orbit.time),
        },
        "fidelity": against,
    }
    result = plain(result)
    result["verdict"] = verdict(result)
    result["judgement"] = judgement([result], tables["verdict"])
    result["warnings"] = [*run.warnings, *_warnings(run, result)]
    return result


def plain(value: Any) -> Any:
    """Fit for JSON: numpy to Python, NaN and infinity to None."""
    if isinstance(value, Mapping):
        return {str(key): plain(v) for key, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and np.isfinite(value).all():
        return value.tolist()  # curves of a page: many numbers at once
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def metrics_json(metrics: Mapping[str, Any]) -> str:
    """As it stands in `metrics.json` and comes from `softdock run --json`."""
    return json.dumps(metrics, indent=1, allow_nan=False) + "\n"


def states_corrected(run: Run) -> bool:
    """Whether a method moved energy by correcting the satellites' states: what is counted at the
    ports of wrench and motion does not see that."""
    return bool(np.any(run.series["energy.correction"]))


def _contact(contact: Mapping[str, Any], T: float, corrected: bool) -> dict[str, Any]:
    """One contact of the log. `parted`: false if it was still under way at the end."""
    parted = not math.isnan(contact["restitution"])
    energetic = (
        contact["restitution_energetic"] if parted and not corrected else math.nan
    )  # half a contact has not given back what it will
    return {
        **contact,
        "restitution_energetic": energetic,
        "cycles": (contact["end_s"] - contact["start_s"]) / T,
        "parted": parted,
    }


def _ledger(run: Run) -> dict[str, Any]:
    books, rows = run.ledger, run.ledger_rows
    kept = run.series["energy.stored"] + run.series["energy.dissipated"]
    missing = np.abs(run.series["energy.real"] - kept).max()
    return {
        "rows": {row: books[row] for row in ROWS},
        "kinetic_start_J": books["kinetic_start"],
        "kinetic_end_J": books["kinetic"],
        **{
            f"{name}_J": books[name]
            for name in (
                "external",
                "real",
                "virtual",
                "designed",
                "observed",
                "stored",
                "dissipated",
                "turnover",
            )
        },
        "residual_J": sum(rows.values()) - run.energy_invented_J,
        "physics_residual": float(missing / kept.max()) if kept.max() > 0.0 else math.nan,
        "joints": run.joint_books,
    }


def _state(bodies: MassProperties, both: np.ndarray, time: float) -> dict[str, Any]:
    """Where both bodies are at an instant, and the pair's momenta and energies."""
    result: dict[str, Any] = {"time_s": time}
    for name, motion in zip(("chaser", "target"), both, strict=True):
        result[name] = {
            "position_m": motion[0:3],
            "attitude_wxyz": motion[3:7],
            "velocity_m_per_s": motion[7:10],
            "rate_rad_per_s": motion[10:13],
        }
    free, v, w = ~bodies.fixed, both[:, 7:10], both[:, 10:13]
    turning = 0.5 * np.einsum("b,bi,bij,bj->", free.astype(float), w, bodies.inertia, w)
    result["linear_momentum_Ns"] = linear_momentum(bodies, both)
    result["angular_momentum_Nms"] = None if bodies.any_fixed else angular_momentum(bodies, both)
    result["kinetic_energy_J"] = float(0.5 * np.sum(free[:, None] * bodies.mass * v * v) + turning)
    result["kinetic_energy_relative_J"] = kinetic_energy(bodies, both)
    return result


def _warnings(run: Run, m: Mapping[str, Any]) -> list[str]:
    """What a reader of these numbers must know."""
    found = []
    at = instants(run, run.orbit)
    if at.after is None:
        found.append(f"energy_ratio and distance_from_orbit are not defined: {at.why}")
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
