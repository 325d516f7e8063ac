"""A run against orbit: how far the docking seen in the lab is from the one that would happen.

In: the two bodies' motions as plain arrays (2, 13), chaser then target: position [m], attitude
wxyz, velocity [m/s], world axes, and rate [rad/s], body axes. Out: dicts of floats, units in the
keys.

Energies are those of the pair's barycentric frame, rotation included; of the laboratory frame if
one body is fixed.

Tumbling. A free body with unequal moments keeps its angular momentum while its rate wanders, so two
equal tumbles compared at slightly different phases would seem far apart. Every body is therefore
compared by its angular momentum in world axes, weighed with the inverse inertia at orbit's
attitude. For a body that does not tumble this is the twist's own difference in the mass matrix, so
that no threshold has to say what tumbles.

Instants (`instants`). Run and orbit are compared at the same two rows, so that pushes from outside
count in both alike. *Before* is the last row before the first contact of either: in orbit the
bodies touch where the satellites are, on a rig one delay later, where the mock-ups are. *After* is
the first row at which both have done with their last contact: on a rig the mock-ups are apart and
every reading taken while they touched has ceased to act. Without any contact: the first and the
last row. Whatever pushes a satellite after that (noise, a bias, a method) shows in a second
distance, at the last row of the run; the worse of the two judges. A batch finds the same instant
while it runs (settled_motion.py), without a record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.analysis.momenta import (
    MassProperties,
    angular_momentum,
    kinetic_energy,
    linear_momentum,
    mass_properties,
    motions,
    spins,
)
from softdock.core.adaptation.memory import numbered
from softdock.core.adaptation.registry import METHODS
from softdock.core.instants import SAME_CYCLE
from softdock.core.machine.vector import SENSOR_AT, TIME_AT, TIMES
from softdock.core.orbit import Orbit
from softdock.core.sensor.force_torque import MEAN, SENSOR
from softdock.core.settled_motion import FILTER_TIMES
from softdock.core.spatial.arrays import matrix
from softdock.runs.run import Run


def distance_from_orbit(
    bodies: MassProperties, start: np.ndarray, loop: np.ndarray, orbit: np.ndarray
) -> float:
    """sqrt(delta^T M delta / (2 KE_rel)): 0 is orbit, 1 is as far as the approach itself. Tumbling:
    see the header. NaN: nothing approaches."""
    dv = loop[:, 7:10] - orbit[:, 7:10]
    spin = spins(bodies, loop) - spins(bodies, orbit)
    squared = float(np.sum(~bodies.fixed[:, None] * bodies.mass * dv * dv))
    for inertia, q, dL in zip(bodies.inertia, orbit[:, 3:7], spin, strict=True):
        dL_B = matrix(q).T @ dL
        squared += float(dL_B @ np.linalg.solve(inertia, dL_B))
    return math.sqrt(_ratio(squared, 2.0 * kinetic_energy(bodies, start)))


def fidelity(
    bodies: MassProperties,
    start: np.ndarray,
    loop: np.ndarray,
    orbit: np.ndarray,
    start_orbit: np.ndarray | None = None,
) -> dict[str, float]:
    """Two ends of the same beginning. `start`: before the first contact; `loop`, `orbit`: after the
    last. `start_orbit`: where orbit's differs."""
    start_orbit = start if start_orbit is None else start_orbit
    after, wanted = (kinetic_energy(bodies, m) for m in (loop, orbit))
    result = {
        "energy_ratio": _ratio(after, kinetic_energy(bodies, start)),
        "energy_ratio_orbit": _ratio(wanted, kinetic_energy(bodies, start_orbit)),
        "energy_error_J": after - wanted,
        "distance_from_orbit": distance_from_orbit(bodies, start_orbit, loop, orbit),
    }
    for i, body in enumerate(("chaser", "target")):
        rates = [matrix(m[i, 3:7]) @ m[i, 10:13] for m in (loop, orbit)]
        result[f"{body}_velocity_error_m_per_s"] = float(
            np.linalg.norm(loop[i, 7:10] - orbit[i, 7:10])
        )
        result[f"{body}_rate_error_rad_per_s"] = float(np.linalg.norm(rates[0] - rates[1]))
        result[f"{body}_spin_error_Nms"] = float(
            np.linalg.norm(spins(bodies, loop)[i] - spins(bodies, orbit)[i])
        )
    return result | momentum_errors(bodies, start, loop, start_orbit, orbit)


def momentum_errors(
    bodies: MassProperties,
    start: np.ndarray,
    end: np.ndarray,
    start_orbit: np.ndarray,
    end_orbit: np.ndarray,
) -> dict[str, float]:
    """Change of the pair's momenta, less orbit's (which pushes from outside make). NaN with a fixed
    body; angular also with masses per axis."""

    def error(momentum: Any) -> float:
        change, wanted = (
            momentum(bodies, b) - momentum(bodies, a)
            for a, b in ((start, end), (start_orbit, end_orbit))
        )
        return float(np.linalg.norm(change - wanted))

    linear = math.nan if bodies.any_fixed else error(linear_momentum)
    angular = math.nan if bodies.any_fixed or not bodies.is_isotropic else error(angular_momentum)
    return {"linear_momentum_error_Ns": linear, "angular_momentum_error_Nms": angular}


class Instants(NamedTuple):
    """Rows at which run and orbit are compared."""

    before: int
    after: int | None  # None: there is no such instant
    why: str  # there is none


def instants(run: Run, orbit: Orbit) -> Instants:
    """Before the first and after the last contact of both. See the header."""
    time, T = run.series["time"], run.scenario.vector[TIME_AT + TIMES.cycle]
    rows = min(len(time), len(orbit.series["time"]))
    starts = [contacts[0]["start_s"] for contacts in (run.contacts, orbit.contacts) if contacts]
    before = min(math.floor(min(starts, default=0.0) / T + 1e-9), rows - 1)
    if not starts:
        whole = run.status == orbit.status == "completed"
        return Instants(before, rows - 1 if whole else None, "" if whole else "the run ended early")
    clear = _is_clear_of_contact(run, rows)
    clear &= (
        orbit.series["time"][:rows] - _last_touch(orbit.contacts, orbit.series) > SAME_CYCLE * T
    )
    if not clear[-1]:
        return Instants(before, None, "the contact was not over when the run ended")
    after = rows - int(np.argmin(clear[::-1])) if not clear.all() else before
    if orbit.status != "completed":
        return Instants(before, None, f"orbit's own run ended early: {orbit.status}")
    if (
        run.status != "completed"
        and orbit.contacts
        and orbit.contacts[-1]["end_s"] > time[rows - 1]
    ):
        return Instants(before, None, "the run ended early, before orbit's last contact")
    return Instants(before, after, "")


def _own_energy_ratio(bodies: MassProperties, orbit: Orbit, before: int) -> float:
    """Orbit's, where the run has none."""
    clear = orbit.series["time"] > _last_touch(orbit.contacts, orbit.series)
    if not clear[-1] or orbit.status != "completed":
        return math.nan
    return _ratio(
        kinetic_energy(bodies, motions(orbit.series, int(np.argmax(clear)))),
        kinetic_energy(bodies, motions(orbit.series, before)),
    )


def _last_touch(contacts: list[dict[str, Any]], series: Mapping[str, np.ndarray]) -> float:
    """Time of it [s]; -inf: none. The record knows also of contacts beyond the log."""
    touching = series["time"][series["contact.depth"] > 0.0]
    return max(
        contacts[-1]["end_s"] if contacts else -math.inf,
        float(touching[-1]) if len(touching) else -math.inf,
    )


def _is_clear_of_contact(run: Run, rows: int) -> np.ndarray:
    """Of each row: nothing touches any more, and no reading of the last touch can act."""
    last, vector = _last_touch(run.contacts, run.series), run.scenario.vector
    time = run.series["time"][:rows]
    stale = (
        0.5 * vector[TIME_AT + TIMES.cycle]
        if vector[SENSOR_AT + SENSOR.at.handover] == MEAN
        else 0.0
    )  # its oldest sample: the stamp is of its middle
    cut_off = vector[SENSOR_AT + SENSOR.at.lowpass]
    tail = FILTER_TIMES / cut_off if cut_off > 0.0 else 0.0
    oldest = np.minimum(
        time - run.series["force_age"][:rows] - stale, time - run.series["pose_age"][:rows]
    )
    apart = SAME_CYCLE * vector[TIME_AT + TIMES.cycle]
    clear = np.asarray((time - last > apart) & (oldest - last > tail + apart))
    return clear & ~_is_held(run, clear)


def _is_held(run: Run, clear: np.ndarray) -> np.ndarray:
    """Of each row: a method that puts a wanted contact in place of the real one still has the
    satellites in the last one (`Method.holds_contact`)."""
    held, listed = np.zeros(len(clear), bool), [m["name"] for m in run.scenario.tables["methods"]]
    for name, prefix in zip(listed, numbered(listed), strict=True):
        channel = METHODS[name].holds_contact
        if channel and clear.any():
            first = int(np.argmax(clear))
            acts = run.series[f"{prefix}.{channel}"]
            parted = np.nonzero(acts[first : len(clear)] < 2.0)[0]
            held[first : first + int(parted[0]) if len(parted) else len(clear)] = True
    return held


def compare(run: Run, orbit: Orbit) -> dict[str, float]:
    """A run against a recorded orbit, from before the first to after the last contact; NaN where
    there is no such instant. With their contacts."""
    at, bodies = instants(run, orbit), mass_properties(run.scenario.vector)
    time = run.series["time"]
    last = min(len(time), len(orbit.series["time"])) - 1
    start, start_orbit = motions(run.series, at.before), motions(orbit.series, at.before)
    after = last if at.after is None else at.after
    ends = {
        row: fidelity(
            bodies, start, motions(run.series, row), motions(orbit.series, row), start_orbit
        )
        for row in {after, last}
    }
    result = ends[after].copy()
    if at.after is None:
        result = dict.fromkeys(result, math.nan) | {
            "energy_ratio_orbit": _own_energy_ratio(bodies, orbit, at.before)
        }
    result["energy_ratio_at_end"] = ends[last]["energy_ratio"]
    result["distance_from_orbit_at_end"] = ends[last]["distance_from_orbit"]
    result["distance_from_orbit_worst"] = worse(
        result["distance_from_orbit"], result["distance_from_orbit_at_end"]
    )
    result["approach_energy_J"] = kinetic_energy(bodies, start_orbit)
    result["compared_from_s"] = float(time[at.before])
    result["compared_at_s"] = math.nan if at.after is None else float(time[at.after])
    result["contacts"], result["contacts_orbit"] = (
        float(run.contact_count),
        float(orbit.contact_count),
    )
    for suffix, contacts in (("", run.contacts), ("_orbit", orbit.contacts)):
        result[f"restitution{suffix}"] = contacts[0]["restitution"] if contacts else math.nan
        result[f"impulse{suffix}_Ns"] = sum(c["impulse_Ns"] for c in contacts)
        result[f"contact_time{suffix}_s"] = sum(c["end_s"] - c["start_s"] for c in contacts)
        result[f"peak_force{suffix}_N"] = max(
            (c["peak_force_satellite_N"] for c in contacts), default=0.0
        )
    return result


def worse(after_contact: float, at_end: float) -> float:
    """The distance from orbit that judges: the larger of the two that are defined. A kick after
    parting shows at the end alone, a contact that is still on at the end has no other."""
    return max((d for d in (after_contact, at_end) if not math.isnan(d)), default=math.nan)


def _ratio(value: float, of: float) -> float:
    """NaN where there is nothing to compare with."""
    return value / of if of > 0.0 else math.nan
