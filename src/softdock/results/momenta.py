"""Mass properties of both bodies, and the pair's energy and momenta from their motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softdock.loop.spatial.arrays import matrices, matrix
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, TARGET_AT

# The satellites as a method that recomputes their past has it by now; of any other run, as they
# were moved at the time.
#
# In: the series of a run, or of orbit. The channels `corrected.*` are there if a listed method can
# recompute the past (loop/corrected_record.py); `chaser.*`, `target.*` and `satellite.*` keep
# what was applied.

PARTS = ("position", "attitude", "velocity", "rate")
Columns = Mapping[str, np.ndarray]


def is_corrected(series: Columns) -> bool:
    """Whether the run has a corrected past."""
    return "corrected.chaser.peak_force" in series


def read_corrected_motions(series: Columns) -> np.ndarray:
    """Both satellites' motions, (rows, 2, 13): chaser, then target; position [m], attitude wxyz,
    velocity [m/s], world axes, and rate [rad/s], body axes."""
    stem = "corrected." if is_corrected(series) else ""
    bodies = [
        np.concatenate([series[f"{stem}{body}.{part}"] for part in PARTS], axis=1)
        for body in ("chaser", "target")
    ]
    return np.stack(bodies, axis=1)


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


def read_mass_properties(vector: np.ndarray) -> MassProperties:
    """From a parameter vector."""
    at = BODY.at
    fixed, mass, inertia = [], [], []
    for base in (CHASER_AT, TARGET_AT):
        xx, yy, zz, xy, xz, yz = vector[base + at.inertia : base + at.inertia + 6]
        fixed.append(vector[base + at.fixed] != 0.0)
        mass.append(vector[base + at.mass : base + at.mass + 3])
        inertia.append([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(np.array(fixed), np.array(mass), np.array(inertia))


def compute_kinetic_energy(bodies: MassProperties, motions: np.ndarray) -> float:
    """In the pair's barycentric frame [J]; in the laboratory frame if one body is fixed."""
    v, w = motions[:, 7:10], motions[:, 10:13]
    free = ~bodies.fixed
    if not bodies.any_fixed:
        v = v - compute_linear_momentum(bodies, motions) / bodies.mass.sum(axis=0)
    translation = 0.5 * float(np.sum(free[:, None] * bodies.mass * v * v))
    return translation + 0.5 * float(
        np.einsum("b,bi,bij,bj->", free.astype(float), w, bodies.inertia, w)
    )


def compute_linear_momentum(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Of both bodies, world axes [Ns]."""
    return np.asarray(np.sum(~bodies.fixed[:, None] * bodies.mass * motions[:, 7:10], axis=0))


def compute_spins(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Angular momentum of each body about its own centre of mass, world axes [Nms], (2, 3)."""
    in_body = np.einsum("bij,bj->bi", bodies.inertia, motions[:, 10:13])
    turned = np.stack([matrix(q) @ L for q, L in zip(motions[:, 3:7], in_body, strict=True)])
    return np.asarray(~bodies.fixed[:, None] * turned)


def compute_angular_momentum(bodies: MassProperties, motions: np.ndarray) -> np.ndarray:
    """Of both bodies about their common centre of mass, world axes [Nms]."""
    share = bodies.mass / bodies.mass.sum(axis=0)
    p = motions[:, 0:3] - np.sum(share * motions[:, 0:3], axis=0)
    v = motions[:, 7:10] - np.sum(share * motions[:, 7:10], axis=0)
    return np.asarray(
        np.sum(np.cross(p, bodies.mass * v), axis=0) + compute_spins(bodies, motions).sum(axis=0)
    )


def read_motions(series: Mapping[str, np.ndarray], row: int) -> np.ndarray:
    """Of both bodies at one row of a run's or the reference's series, (2, 13)."""
    parts = ("position", "attitude", "velocity", "rate")
    return np.stack(
        [
            np.concatenate([series[f"{body}.{part}"][row] for part in parts])
            for body in ("chaser", "target")
        ]
    )


def compute_kinetic_energies(bodies: MassProperties, rows: np.ndarray) -> np.ndarray:
    """`compute_kinetic_energy` of motions (rows, 2, 13) [J]."""
    free, v, w = (~bodies.fixed).astype(float), rows[:, :, 7:10], rows[:, :, 10:13]
    if not bodies.any_fixed:
        v = v - _compute_common_velocities(bodies, rows)[:, None, :]
    translation = np.sum(free[:, None] * bodies.mass * v * v, axis=(1, 2))
    rotation = np.einsum("b,nbi,bij,nbj->n", free, w, bodies.inertia, w)
    return np.asarray(0.5 * (translation + rotation))


def compute_common_energies(bodies: MassProperties, rows: np.ndarray) -> np.ndarray:
    """Of the common centre of mass in the laboratory frame [J]; zero if a body is fixed."""
    if bodies.any_fixed:
        return np.zeros(len(rows))
    v = _compute_common_velocities(bodies, rows)
    return np.asarray(0.5 * np.sum(bodies.mass.sum(axis=0) * v * v, axis=1))


def _compute_common_velocities(bodies: MassProperties, rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum(bodies.mass * rows[:, :, 7:10], axis=1) / bodies.mass.sum(axis=0))


def compute_twists(bodies: MassProperties, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities [m/s] and angular momenta about each centre of mass, world axes [Nms], of motions
    (rows, 2, 13); zero for a body that is fixed."""
    in_body = np.einsum("bij,nbj->nbi", bodies.inertia, rows[:, :, 10:13])
    turned = np.einsum("nbij,nbj->nbi", matrices(rows[:, :, 3:7]), in_body)
    free = ~bodies.fixed[None, :, None]
    return free * rows[:, :, 7:10], free * turned


def compute_twist_distance(
    bodies: MassProperties, loop: np.ndarray, reference: np.ndarray, scale: float
) -> float:
    """sqrt(d^T M d / (2 scale)): d is the difference of the mean twists of two motions (rows, 2,
    13), M the mass matrix at the reference's attitude at the last row. Bodies are compared by their
    angular momenta, so that equal tumbles at different phases are equal. NaN: no scale."""
    dv, dL = (
        np.mean(own - other, axis=0)
        for own, other in zip(
            compute_twists(bodies, loop), compute_twists(bodies, reference), strict=True
        )
    )
    squared = float(np.sum(bodies.mass * dv * dv))
    for inertia, q, spin in zip(bodies.inertia, reference[-1, :, 3:7], dL, strict=True):
        in_body = matrix(q).T @ spin
        squared += float(in_body @ np.linalg.solve(inertia, in_body))
    return float(np.sqrt(squared / (2.0 * scale))) if scale > 0.0 else float("nan")
