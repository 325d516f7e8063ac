"""How near to the reference the best possible estimator could come with a noisy force sensor: the
Cramer-Rao bound of the satellites' motion after contact.

In: a scenario. Out: the root mean square distance from the reference that no unbiased estimator of
the contact's law goes below, and the bounds of the law's own numbers.

Unknown: stiffness, damping, power of the deflection, friction, and the tare along and across the
normal. Told: the mock-ups' shapes and poses, so that normal and deflection are known; how late a
reading is stands in its stamp, and costs nothing. Readings are those of the mock-ups on the
reference's own way, one a cycle, forces alone or with torques. With z the motion after the last
contact in the metric of `error_against_orbit`,

    J = sum (dy/dtheta)^T (dy/dtheta) / s^2       s^2 the variance of a reading
    E |z - z_orbit|^2 >= trace(G J^-1 G^T)         G = dz/dtheta, by changed laws

It holds for small errors (G is a derivative) and pairs that do not touch at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.contact.laws import HUNT_CROSSLEY, LAWS, LINEAR_LAWS, SPRING_DAMPER
from softdock.loop.spatial.arrays import matrix
from softdock.methods.measured.noise_bias import compute_handed_over_noise
from softdock.reference import Reference, run_reference
from softdock.results.momenta import (
    MassProperties,
    compute_kinetic_energy,
    compute_spins,
    read_mass_properties,
    read_motions,
)
from softdock.scenario.build import Scenario, build

SMALL = 1e-4  # of a number, for a derivative
RINGING = 1e-2  # of critical damping: the step in a damping
KNOWN = (*LINEAR_LAWS, LAWS[HUNT_CROSSLEY])  # laws whose numbers have a bound
LEAST = 1e-12  # of the largest singular value: below, nothing is told


@dataclass(frozen=True)
class NoiseBound:
    """What no unbiased estimator goes below."""

    distance: float  # root mean square distance from the reference
    names: tuple[str, ...]
    spreads: tuple[float, ...]  # of each number of the law, in its unit
    readings: int  # in contact
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Law:
    """A contact's law along the readings of the reference's way."""

    depth: np.ndarray
    rate: np.ndarray
    normal: np.ndarray  # N
    tangent: np.ndarray  # N
    lever: np.ndarray  # m, of the normal force about the chaser's centre of mass
    linear: bool
    power: float
    friction: float


def compute_distance_bound(scenario: Scenario) -> float | None:
    """The root mean square distance from the reference that noise alone leaves the best estimator;
    None where there is no noise, or the bound is not of this scenario's contacts."""
    try:
        return compute_noise_bound(scenario).distance
    except BadInput:
        return None


def compute_noise_bound(scenario: Scenario, torques: bool = False) -> NoiseBound:
    """The bound for a scenario's sensor. `torques`: readings of torque count too."""
    force, torque = compute_handed_over_noise(scenario)
    if not force > 0.0:
        raise BadInput(
            Problem("sensor.noise_N", force, "a number > 0: without noise there is no bound")
        )
    if torques and not torque > 0.0:
        raise BadInput(
            Problem("sensor.noise_Nm", torque, "a number > 0, where torques are to count")
        )
    reference = run_reference(scenario)
    if not reference.contacts:
        raise BadInput(Problem("scenario", scenario.tables["name"], "one whose satellites touch"))
    laws = [pair["real"] for pair in scenario.tables["contact"]]
    if any(law != laws[0] for law in laws) or laws[0]["law"] not in KNOWN:
        raise BadInput(Problem("contact", len(laws), f"pairs of one law, of {', '.join(KNOWN)}"))
    read = _evaluate_law(scenario, reference, laws[0])
    names, J = _compute_information(
        read, force, torque if torques else math.inf, _count_free_readings(reference)
    )
    G = np.stack([_compute_sensitivity(scenario, reference, name) for name in names], axis=1)
    size = np.sqrt(np.diag(J))  # N/m beside a power: singular values are those of like numbers
    size = np.where(size > 0.0, size, 1.0)
    inverse = np.linalg.pinv(J / np.outer(size, size), rcond=LEAST) / np.outer(size, size)
    whole = inverse[: len(names), : len(names)]
    spread = np.sqrt(np.maximum(np.diag(whole), 0.0))
    return NoiseBound(
        distance=math.sqrt(float(np.trace(G @ whole @ G.T))),
        names=names,
        spreads=tuple(float(x) for x in spread),
        readings=len(read.depth),
    )


def _count_free_readings(reference: Reference) -> int:
    """Readings before the first touch, which tell the tare."""
    return max(int(np.sum(reference.series["time"] < reference.contacts[0]["start_s"])), 1)


def _evaluate_law(scenario: Scenario, reference: Reference, law: Mapping[str, Any]) -> _Law:
    """Readings in contact on the reference's way."""
    series = reference.series
    time, depth = series["time"], series["contact.depth"]
    rate = np.gradient(depth, time)
    touching = depth > 0.0
    linear = law["law"] in LINEAR_LAWS
    power = 1.0 if linear else float(law["exponent"])
    force = np.linalg.norm(series["true.chaser.force"], axis=1)
    safe = np.where(touching, depth, 1.0)
    spring = float(law["stiffness_N_per_m"]) * safe**power
    if linear:
        normal = spring + float(law["damping_Ns_per_m"]) * rate
    else:
        normal = spring * (1.0 + float(law["lambda_s_per_m"]) * rate)
    touching &= normal > 0.0
    tangent = np.sqrt(np.maximum(force**2 - normal**2, 0.0))
    at = np.flatnonzero(touching)
    return _Law(
        depth=depth[at],
        rate=rate[at],
        normal=normal[at],
        tangent=tangent[at],
        lever=_compute_levers(scenario, reference, force)[at],
        linear=linear,
        power=power,
        friction=float(law["friction"]),
    )


def _compute_levers(scenario: Scenario, reference: Reference, force: np.ndarray) -> np.ndarray:
    """Torque on the chaser per force [m], from the change of its spin."""
    bodies, rows = read_mass_properties(scenario.vector), len(reference.series["time"])
    if bodies.fixed[0]:
        return np.zeros(rows)
    spin = np.stack(
        [compute_spins(bodies, read_motions(reference.series, row))[0] for row in range(rows)]
    )
    torque = np.linalg.norm(np.gradient(spin, reference.series["time"], axis=0), axis=1)
    return np.where(force > 0.0, torque / np.where(force > 0.0, force, 1.0), 0.0)


def _compute_information(
    read: _Law, force: float, torque: float, free: int
) -> tuple[tuple[str, ...], np.ndarray]:
    """Fisher's information on the law's numbers, and behind them the two tares."""
    scale = read.depth**read.power
    damped = read.rate if read.linear else scale * read.rate
    # the power's own derivative, but for a factor of the stiffness that is fitted with it
    raised = read.normal * np.log(read.depth / read.depth.max())
    normal = [scale, damped, raised]
    names: tuple[str, ...] = ("stiffness", "damping", "power")
    if read.friction > 0.0:
        names += ("friction",)
        normal.append(np.zeros_like(scale))
    share = read.tangent / read.normal
    tangent = [share * column for column in normal[:3]]
    if read.friction > 0.0:
        tangent.append(read.tangent / read.friction)
    zero, one = np.zeros_like(scale), np.ones_like(scale)
    weight = 1.0 / force**2 + (read.lever / torque) ** 2
    along = np.stack([*normal, one, zero], axis=1)
    across = np.stack([*tangent, zero, one], axis=1)
    J = along.T @ (weight[:, None] * along)
    if read.friction > 0.0:
        J = J + across.T @ across / force**2
    J[-2:, -2:] += np.eye(2) * free / force**2
    return names, J


def _compute_sensitivity(scenario: Scenario, reference: Reference, name: str) -> np.ndarray:
    """Change of the motion after the last contact per change of a number of the law."""
    law = scenario.tables["contact"][0]["real"]
    linear = law["law"] in LINEAR_LAWS
    base, changed = dict(law), dict(law)
    if name == "stiffness":
        step = SMALL * law["stiffness_N_per_m"]
        changed["stiffness_N_per_m"] += step
    elif name == "friction":
        step = SMALL * law["friction"]
        changed["friction"] += step
    elif name == "damping" and linear:
        step = (
            RINGING
            * 2.0
            * math.sqrt(law["stiffness_N_per_m"] * _compute_reduced_mass(scenario))
            * SMALL
        )
        changed["damping_Ns_per_m"] += step
    elif name == "damping":
        step = SMALL * law["stiffness_N_per_m"] * max(law["lambda_s_per_m"], 1.0)
        changed["lambda_s_per_m"] += step / law["stiffness_N_per_m"]
    else:
        step = SMALL
        deepest = float(reference.series["contact.depth"].max())
        base, changed = _change_power(law, 0.0, deepest), _change_power(law, step, deepest)
    flights = [
        reference if one == law else run_reference(_replace_law(scenario, one))
        for one in (base, changed)
    ]
    bodies = read_mass_properties(scenario.vector)
    ends = [_compute_scaled_motion(bodies, reference, one) for one in flights]
    return np.asarray((ends[1] - ends[0]) / step)


def _compute_reduced_mass(scenario: Scenario) -> float:
    bodies = read_mass_properties(scenario.vector)
    return float(1.0 / np.sum(np.where(bodies.fixed, 0.0, 1.0 / bodies.mass[:, 0])))


def _change_power(law: Mapping[str, Any], more: float, deepest: float) -> dict[str, Any]:
    """A law with a power that is a little larger, and the same force at the deepest point; a linear
    one without its damper, which hardly changes what the power does."""
    power = float(law.get("exponent", 1.0))
    return {
        "law": LAWS[HUNT_CROSSLEY],
        "stiffness_N_per_m": law["stiffness_N_per_m"] * deepest**-more,
        "exponent": power + more,
        "lambda_s_per_m": law.get("lambda_s_per_m", 0.0),
        "friction": law["friction"],
        "friction_speed_m_per_s": law["friction_speed_m_per_s"],
    }


def _replace_law(scenario: Scenario, law: Mapping[str, Any]) -> Scenario:
    tables = deepcopy(dict(scenario.tables))
    for pair in tables["contact"]:
        pair["real"] = dict(law)
        if law["law"] != LAWS[SPRING_DAMPER] and pair.get("device", {}).get("model") == "rigid":
            del pair["device"]
    tables["methods"] = []
    return build(tables)


def _compute_scaled_motion(
    bodies: MassProperties, reference: Reference, flown: Reference
) -> np.ndarray:
    """Of both bodies after the last contact, so that its length is the distance from the
    reference."""
    end = max(reference.contacts[-1]["end_s"], flown.contacts[-1]["end_s"])
    row = min(int(np.searchsorted(flown.series["time"], end)) + 1, len(flown.series["time"]) - 1)
    now, then = read_motions(flown.series, row), read_motions(reference.series, row)
    start = compute_kinetic_energy(bodies, read_motions(reference.series, 0))
    parts = [
        np.sqrt(bodies.mass[i]) * now[i, 7:10] * (0.0 if bodies.fixed[i] else 1.0) for i in range(2)
    ]
    for i in range(2):
        root = np.linalg.cholesky(np.linalg.inv(bodies.inertia[i]))
        parts.append(root.T @ matrix(then[i, 3:7]).T @ compute_spins(bodies, now)[i])
    return np.concatenate(parts) / math.sqrt(2.0 * start)
