"""A run against orbit: how far the docking seen in the lab is from the one that would happen.

In: the two bodies' motions as plain arrays (2, 13), chaser then target: position [m], attitude
wxyz, velocity [m/s], world axes, and rate [rad/s], body axes. Out: dicts of floats, units in the
keys.

Energies are those of the pair's barycentric frame, rotation included; of the laboratory frame if
one body is fixed.

Tumbling. A free body with unequal moments keeps its angular momentum while its rate wanders, so two
equal tumbles compared at slightly different phases would seem far apart. Every body is therefore
compared by its angular momentum in world axes, weighed with the inverse inertia at the reference's
attitude. For a body that does not tumble this is the twist's own difference in the mass matrix, so
that no threshold has to say what tumbles.

Run and the reference are compared at the same rows (contact_spans.py), so that pushes from outside
count in both alike. Distances are scaled by the kinetic energy that the first contact can reach.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import matrix
from softdock.loop.vector import TIME_AT, TIMES
from softdock.reference import Reference
from softdock.results.contact_spans import (
    Contacts,
    find_contacts,
    find_reference_contacts,
    find_separation_row,
)
from softdock.results.momenta import (
    MassProperties,
    compute_angular_momentum,
    compute_kinetic_energy,
    compute_linear_momentum,
    compute_spins,
    compute_twist_distance,
    read_mass_properties,
    read_motions,
)
from softdock.results.run import Run


def compute_distance(
    bodies: MassProperties, scale: float, loop: np.ndarray, orbit: np.ndarray
) -> float:
    """sqrt(d^T M d / (2 scale)): 0 is the reference, 1 is as far as the approach itself. Tumbling:
    see the header. NaN: nothing approaches."""
    return compute_twist_distance(bodies, loop[None], orbit[None], scale)


def compute_fidelity(
    bodies: MassProperties,
    start: np.ndarray,
    loop: np.ndarray,
    orbit: np.ndarray,
    start_orbit: np.ndarray | None = None,
    scale: float | None = None,
) -> dict[str, float]:
    """Two ends of the same beginning. `start`: before the first contact; `loop`, `orbit`: after the
    last. `start_orbit`: where the reference's differs; `scale`: energy of the approach [J], of all
    motion if none is given."""
    start_orbit = start if start_orbit is None else start_orbit
    scale = compute_kinetic_energy(bodies, start_orbit) if scale is None else scale
    after, wanted = (compute_kinetic_energy(bodies, m) for m in (loop, orbit))
    result = {
        "energy_ratio": _divide(after, compute_kinetic_energy(bodies, start)),
        "energy_ratio_orbit": _divide(wanted, compute_kinetic_energy(bodies, start_orbit)),
        "energy_error_J": after - wanted,
        "error_against_orbit": compute_distance(bodies, scale, loop, orbit),
    }
    for i, body in enumerate(("chaser", "target")):
        rates = [matrix(m[i, 3:7]) @ m[i, 10:13] for m in (loop, orbit)]
        result[f"{body}_velocity_error_m_per_s"] = float(
            np.linalg.norm(loop[i, 7:10] - orbit[i, 7:10])
        )
        result[f"{body}_rate_error_rad_per_s"] = float(np.linalg.norm(rates[0] - rates[1]))
        result[f"{body}_spin_error_Nms"] = float(
            np.linalg.norm(compute_spins(bodies, loop)[i] - compute_spins(bodies, orbit)[i])
        )
    return result | compute_momentum_errors(bodies, start, loop, start_orbit, orbit)


def compute_momentum_errors(
    bodies: MassProperties,
    start: np.ndarray,
    end: np.ndarray,
    start_orbit: np.ndarray,
    end_orbit: np.ndarray,
) -> dict[str, float]:
    """Change of the pair's momenta, less the reference's (which pushes from outside make). NaN with
    a fixed body; angular also with masses per axis."""

    def error(momentum: Any) -> float:
        change, wanted = (
            momentum(bodies, b) - momentum(bodies, a)
            for a, b in ((start, end), (start_orbit, end_orbit))
        )
        return float(np.linalg.norm(change - wanted))

    linear = math.nan if bodies.any_fixed else error(compute_linear_momentum)
    angular = (
        math.nan if bodies.any_fixed or not bodies.is_isotropic else error(compute_angular_momentum)
    )
    return {"linear_momentum_error_Ns": linear, "angular_momentum_error_Nms": angular}


def compare_with_reference(
    run: Run, orbit: Reference, criteria: Mapping[str, Any]
) -> dict[str, float]:
    """A run against a recorded reference, from before the first to after the last contact; NaN
    where there is no such instant. `criteria`: of the run (criteria.py)."""
    bodies, scale = read_mass_properties(run.scenario.vector), criteria["scale_J"]
    loop, others = find_contacts(run), find_reference_contacts(orbit)
    time, T = run.series["time"], run.scenario.vector[TIME_AT + TIMES.cycle]
    last = min(len(time), len(orbit.series["time"])) - 1
    first = min(loop.first, others.first)
    before = min(math.floor(first / T + 1e-9) if math.isfinite(first) else 0, last)
    touched = bool(loop.each or others.each)
    after = find_separation_row(run, loop, others) if touched else last
    start, start_orbit = read_motions(run.series, before), read_motions(orbit.series, before)
    ends = {
        row: compute_fidelity(
            bodies,
            start,
            read_motions(run.series, row),
            read_motions(orbit.series, row),
            start_orbit,
            scale,
        )
        for row in {last if after is None else after, last}
    }
    result = ends[last if after is None else after].copy()
    if after is None:
        result = dict.fromkeys(result, math.nan) | {
            "energy_ratio_orbit": _compute_reference_energy_ratio(bodies, orbit, others, before)
        }
    result["energy_ratio_at_end"] = ends[last]["energy_ratio"]
    result["error_against_orbit"] = criteria["distance_after_contact"]
    result["error_against_orbit_later"] = criteria["distance_later"]
    result["error_against_orbit_at_end"] = ends[last]["error_against_orbit"]
    result["error_against_orbit_worst"] = criteria["distance"]
    result["approach_energy_J"] = scale
    result["compared_from_s"] = float(time[before])
    result["compared_at_s"] = math.nan if after is None else float(time[after])
    result["contacts"], result["contacts_orbit"] = (
        float(run.contact_count),
        float(orbit.contact_count),
    )
    for suffix, contacts in (("", run.contacts), ("_orbit", orbit.contacts)):
        result[f"restitution{suffix}"] = contacts[0]["restitution"] if contacts else math.nan
        result[f"impulse{suffix}_Ns"] = sum(c["impulse_Ns"] for c in contacts)
        result[f"contact_time{suffix}_s"] = sum(c["end_s"] - c["start_s"] for c in contacts)
    result["peak_force_N"] = criteria["peak_force_N"]
    result["peak_force_orbit_N"] = criteria["peak_force_reference_N"]
    return result


def _compute_reference_energy_ratio(
    bodies: MassProperties, orbit: Reference, others: Contacts, before: int
) -> float:
    """The reference's, where the run has none."""
    if others.still or orbit.status != "completed":
        return math.nan
    after = others.each[-1].over if others.each else len(orbit.series["time"]) - 1
    return _divide(
        compute_kinetic_energy(bodies, read_motions(orbit.series, after or 0)),
        compute_kinetic_energy(bodies, read_motions(orbit.series, before)),
    )


def _divide(value: float, of: float) -> float:
    """NaN where there is nothing to compare with."""
    return value / of if of > 0.0 else math.nan
