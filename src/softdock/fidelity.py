"""A run against orbit: how far the docking seen in the lab is from the one that would happen.

In: the two bodies' motions as plain arrays (2, 13), chaser then target: position [m], attitude wxyz, velocity [m/s], world
axes, and rate [rad/s], body axes. Out: dicts of floats, units in the keys.

Energies are those of the pair's barycentric frame, rotation included; of the laboratory frame if one body is fixed.

Tumbling. A free body with unequal moments keeps its angular momentum while its rate wanders, so two equal tumbles compared at
slightly different phases would seem far apart. Every body is therefore compared by its angular momentum in world axes, weighed
with the inverse inertia at orbit's attitude. For a body that does not tumble this is the twist's own difference in the mass
matrix, so that no threshold has to say what tumbles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softdock.layout import CHASER_AT, TARGET_AT
from softdock.spatial.rigid_body import BODY

if TYPE_CHECKING:
    from softdock.reference import Orbit
    from softdock.run import Run


@dataclass(frozen=True)
class MassProperties:
    """Of chaser and target, in this order."""

    fixed: np.ndarray  # (2,) bool
    mass: np.ndarray  # (2, 3) kg, per world axis
    inertia: np.ndarray  # (2, 3, 3) kg m^2, body axes

    @property
    def any_fixed(self) -> bool:
        return bool(self.fixed.any())

    @property
    def is_isotropic(self) -> bool:
        """False if a mass differs per axis; then the angular momentum of the pair is not conserved."""
        return bool(np.all(self.mass == self.mass[:, :1]))


def mass_properties(vector: np.ndarray) -> MassProperties:
    """From a parameter vector."""
    at = BODY.at
    fixed, mass, inertia = [], [], []
    for base in (CHASER_AT, TARGET_AT):
        xx, yy, zz, xy, xz, yz = vector[base + at.inertia : base + at.inertia + 6]
        fixed.append(vector[base + at.fixed] != 0.0)
        mass.append(vector[base + at.mass : base + at.mass + 3])
        inertia.append([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(np.array(fixed), np.array(mass), np.array(inertia))


def kinetic_energy(bodies: MassProperties, motions: np.ndarray) -> float:
    """In the pair's barycentric frame [J]; in the laboratory frame if one body is fixed."""
    v, w = motions[:, 7:10], motions[:, 10:13]
    free = ~bodies.fixed
    if not bodies.any_fixed:
        v = v - linear_momentum(bodies, motions) / bodies.mass.sum(axis=0)
    translation = 0.5 * float(np.sum(free[:, None] * bodies.mass * v * v))
    return translation + 0.5 * float(np.einsum("b,bi,bij,bj->", free.astype(float), w, bodies.inertia, w))


def linear_momentum(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Of both bodies, world axes [Ns]."""
    return np.asarray(np.sum(~bodies.fixed[:, None] * bodies.mass * motions[:, 7:10], axis=0))


def spins(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Angular momentum of each body about its own centre of mass, world axes [Nms], (2, 3)."""
    in_body = np.einsum("bij,bj->bi", bodies.inertia, motions[:, 10:13])
    turned = np.stack([_matrix(q) @ L for q, L in zip(motions[:, 3:7], in_body, strict=True)])
    return np.asarray(~bodies.fixed[:, None] * turned)


def angular_momentum(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Of both bodies about their common centre of mass, world axes [Nms]."""
    share = bodies.mass / bodies.mass.sum(axis=0)
    p = motions[:, 0:3] - np.sum(share * motions[:, 0:3], axis=0)
    v = motions[:, 7:10] - np.sum(share * motions[:, 7:10], axis=0)
    return np.asarray(np.sum(np.cross(p, bodies.mass * v), axis=0) + spins(bodies, motions).sum(axis=0))


def distance_from_orbit(bodies: MassProperties, start: np.ndarray, loop: np.ndarray, orbit: np.ndarray) -> float:
    """sqrt(delta^T M delta / (2 KE_rel)): 0 is orbit, 1 is as far as the approach itself. Tumbling: see the header."""
    dv = loop[:, 7:10] - orbit[:, 7:10]
    spin = spins(bodies, loop) - spins(bodies, orbit)
    squared = float(np.sum(~bodies.fixed[:, None] * bodies.mass * dv * dv))
    for inertia, q, dL in zip(bodies.inertia, orbit[:, 3:7], spin, strict=True):
        dL_B = _matrix(q).T @ dL
        squared += float(dL_B @ np.linalg.solve(inertia, dL_B))
    return math.sqrt(squared / (2.0 * kinetic_energy(bodies, start)))


def fidelity(bodies: MassProperties, start: np.ndarray, loop: np.ndarray, orbit: np.ndarray) -> dict[str, float]:
    """Two ends of the same beginning. `start`: before the first contact; `loop`, `orbit`: after the last."""
    before, after, wanted = (kinetic_energy(bodies, m) for m in (start, loop, orbit))
    result = {
        "energy_ratio": after / before,
        "energy_ratio_orbit": wanted / before,
        "energy_error_J": after - wanted,
        "distance_from_orbit": distance_from_orbit(bodies, start, loop, orbit),
    }
    for i, body in enumerate(("chaser", "target")):
        rates = [_matrix(m[i, 3:7]) @ m[i, 10:13] for m in (loop, orbit)]
        result[f"{body}_velocity_error_m_per_s"] = float(np.linalg.norm(loop[i, 7:10] - orbit[i, 7:10]))
        result[f"{body}_rate_error_rad_per_s"] = float(np.linalg.norm(rates[0] - rates[1]))
        result[f"{body}_spin_error_Nms"] = float(np.linalg.norm(spins(bodies, loop)[i] - spins(bodies, orbit)[i]))
    return result | momentum_errors(bodies, start, loop)


def momentum_errors(bodies: MassProperties, start: np.ndarray, end: np.ndarray) -> dict[str, float]:
    """Change of the pair's momenta, which no contact changes. NaN with a fixed body; angular also with masses per axis."""
    linear = angular = math.nan
    if not bodies.any_fixed:
        linear = float(np.linalg.norm(linear_momentum(bodies, end) - linear_momentum(bodies, start)))
        if bodies.is_isotropic:
            angular = float(np.linalg.norm(angular_momentum(bodies, end) - angular_momentum(bodies, start)))
    return {"linear_momentum_error_Ns": linear, "angular_momentum_error_Nms": angular}


def compare(run: Run, orbit: Orbit) -> dict[str, float]:
    """A run against orbit, both from their first to their last instant, with their contacts."""
    start, loop = (_motions(run, row) for row in (0, -1))
    result = fidelity(mass_properties(run.scenario.vector), start, loop, np.stack([orbit.chaser, orbit.target]))
    result["contacts"], result["contacts_orbit"] = float(run.contact_count), float(orbit.contact_count)
    for suffix, contacts in (("", run.contacts), ("_orbit", orbit.contacts)):
        result[f"restitution{suffix}"] = contacts[0]["restitution"] if contacts else math.nan
        result[f"impulse{suffix}_Ns"] = sum(c["impulse_Ns"] for c in contacts)
        result[f"contact_time{suffix}_s"] = sum(c["end_s"] - c["start_s"] for c in contacts)
        result[f"peak_force{suffix}_N"] = max((c["peak_force_satellite_N"] for c in contacts), default=0.0)
    return result


def _motions(run: Run, row: int) -> np.ndarray:
    parts = ("position", "attitude", "velocity", "rate")
    return np.stack([np.concatenate([run.series[f"{body}.{part}"][row] for part in parts]) for body in ("chaser", "target")])


def _matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix, world from body."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
