"""Mass properties of both bodies, and the pair's energy and momenta from their motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softdock.core.machine.vector import CHASER_AT, TARGET_AT
from softdock.core.spatial.arrays import matrix
from softdock.core.spatial.rigid_body import BODY


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
        """False if a mass differs per axis; then the angular momentum of the pair is not
        conserved."""
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
    return translation + 0.5 * float(
        np.einsum("b,bi,bij,bj->", free.astype(float), w, bodies.inertia, w)
    )


def linear_momentum(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Of both bodies, world axes [Ns]."""
    return np.asarray(np.sum(~bodies.fixed[:, None] * bodies.mass * motions[:, 7:10], axis=0))


def spins(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Angular momentum of each body about its own centre of mass, world axes [Nms], (2, 3)."""
    in_body = np.einsum("bij,bj->bi", bodies.inertia, motions[:, 10:13])
    turned = np.stack([matrix(q) @ L for q, L in zip(motions[:, 3:7], in_body, strict=True)])
    return np.asarray(~bodies.fixed[:, None] * turned)


def angular_momentum(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Of both bodies about their common centre of mass, world axes [Nms]."""
    share = bodies.mass / bodies.mass.sum(axis=0)
    p = motions[:, 0:3] - np.sum(share * motions[:, 0:3], axis=0)
    v = motions[:, 7:10] - np.sum(share * motions[:, 7:10], axis=0)
    return np.asarray(
        np.sum(np.cross(p, bodies.mass * v), axis=0) + spins(bodies, motions).sum(axis=0)
    )


def motions(series: Mapping[str, np.ndarray], row: int) -> np.ndarray:
    """Of both bodies at one row of a run's or orbit's series, (2, 13)."""
    parts = ("position", "attitude", "velocity", "rate")
    return np.stack(
        [
            np.concatenate([series[f"{body}.{part}"][row] for part in parts])
            for body in ("chaser", "target")
        ]
    )
