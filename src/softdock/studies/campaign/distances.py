"""`fidelity.compute_distance` of many runs at once, in numpy."""

from __future__ import annotations

import numpy as np

from softdock.loop.spatial.arrays import matrices
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, TARGET_AT
from softdock.studies.campaign.batch import SparseParameters

TURN = 0.05  # rad, of one step back


def compute_distances(
    runs: SparseParameters, loop: np.ndarray, orbit: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Motions of both bodies, (N, 2, 13), of run and the reference; the energy that scales them
    [J]."""
    fixed, mass, inertia = _read_bodies(runs)
    free = ~fixed
    dv = loop[:, :, 7:10] - orbit[:, :, 7:10]
    squared = np.sum(free[:, :, None] * mass * dv * dv, axis=(1, 2))
    spin = _compute_spins(free, inertia, loop) - _compute_spins(free, inertia, orbit)
    in_body = np.einsum("nbji,nbj->nbi", _convert_to_matrices(orbit[:, :, 3:7]), spin)
    squared += np.einsum(
        "nbi,nbi->n", in_body, np.linalg.solve(inertia, in_body[..., None])[..., 0]
    )
    twice = 2.0 * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(twice > 0.0, np.sqrt(squared / twice), np.nan)


def compute_approach_energies(runs: SparseParameters, start: np.ndarray) -> np.ndarray:
    """Kinetic energy of every run's motions [J], in the pair's barycentric frame; in the
    laboratory frame if a body is fixed."""
    fixed, mass, inertia = _read_bodies(runs)
    free = ~fixed
    v, w = start[:, :, 7:10], start[:, :, 10:13]
    moving = free[:, :, None] * mass
    barycentre = np.sum(moving * v, axis=1, keepdims=True) / mass.sum(axis=1, keepdims=True)
    v = np.where(np.asarray(fixed.any(axis=1))[:, None, None], v, v - barycentre)
    return 0.5 * (
        np.sum(moving * v * v, axis=(1, 2))
        + np.einsum("nb,nbi,nbij,nbj->n", free.astype(float), w, inertia, w)
    )


def rotate_back(runs: SparseParameters, motions: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Motions of bodies in free flight some time earlier [s]: velocities and angular momenta stay,
    attitudes turn. Positions are not moved."""
    fixed, _, inertia = _read_bodies(runs)
    spin, q = _compute_spins(~fixed, inertia, motions), motions[:, :, 3:7]
    turn = np.max(np.linalg.norm(motions[:, :, 10:13], axis=2), axis=1) * np.abs(by)
    steps = np.where(
        turn > 0.0, np.exp2(np.ceil(np.log2(np.maximum(turn / TURN, 1.0)))), 0.0
    )  # each run's own: no bit depends on the runs beside it
    q = q.copy()
    for count in np.unique(steps[steps > 0.0]):
        here = steps == count
        q[here] = _integrate_attitudes(
            inertia[here], spin[here], q[here], -by[here, None, None] / count, int(count)
        )
    rate = np.linalg.solve(
        inertia, np.einsum("nbji,nbj->nbi", _convert_to_matrices(q), spin)[..., None]
    )[..., 0]
    return np.concatenate([motions[:, :, :3], q, motions[:, :, 7:10], rate], axis=2)


def _integrate_attitudes(
    inertia: np.ndarray, spin: np.ndarray, q: np.ndarray, dt: np.ndarray, steps: int
) -> np.ndarray:
    """Attitudes of bodies with constant angular momenta (world axes)."""

    def turning(q: np.ndarray) -> np.ndarray:
        x, y, z = np.moveaxis(
            0.5
            * np.linalg.solve(
                inertia, np.einsum("nbji,nbj->nbi", _convert_to_matrices(q), spin)[..., None]
            )[..., 0],
            -1,
            0,
        )
        w, i, j, k = np.moveaxis(q, -1, 0)
        return np.stack(
            [
                -i * x - j * y - k * z,
                w * x + j * z - k * y,
                w * y + k * x - i * z,
                w * z + i * y - j * x,
            ],
            axis=-1,
        )

    for _ in range(steps):
        a = turning(q)
        b = turning(q + 0.5 * dt * a)
        c = turning(q + 0.5 * dt * b)
        q = q + dt / 6.0 * (a + 2.0 * b + 2.0 * c + turning(q + dt * c))
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def read_columns(runs: SparseParameters, at: int, size: int) -> np.ndarray:
    """Some numbers of every run's vector, (N, size)."""
    values = np.empty((runs.runs, size))
    values[:] = runs.base[at : at + size]
    for i, place in enumerate(runs.at):
        if at <= place < at + size:
            values[:, place - at] = runs.values[:, i]
    return values


def _read_bodies(runs: SparseParameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fixed (N, 2), mass per axis (N, 2, 3), inertia (N, 2, 3, 3) of chaser and target."""
    at = BODY.at
    fixed = np.stack(
        [read_columns(runs, base + at.fixed, 1)[:, 0] != 0.0 for base in (CHASER_AT, TARGET_AT)],
        axis=1,
    )
    mass = np.stack(
        [read_columns(runs, base + at.mass, 3) for base in (CHASER_AT, TARGET_AT)], axis=1
    )
    six = np.stack(
        [read_columns(runs, base + at.inertia, 6) for base in (CHASER_AT, TARGET_AT)], axis=1
    )
    return fixed, mass, six[:, :, [[0, 3, 4], [3, 1, 5], [4, 5, 2]]]


def read_initial_motions(runs: SparseParameters) -> np.ndarray:
    """Velocities and rates at the start; positions and attitudes are left out."""
    at = BODY.at
    motions = np.zeros((runs.runs, 2, 13))
    for b, base in enumerate((CHASER_AT, TARGET_AT)):
        motions[:, b, 7:10] = read_columns(runs, base + at.velocity, 3)
        motions[:, b, 10:13] = read_columns(runs, base + at.rate, 3)
    return motions


def _compute_spins(free: np.ndarray, inertia: np.ndarray, motions: np.ndarray) -> np.ndarray:
    """World axes."""
    in_body = np.einsum("nbij,nbj->nbi", inertia, motions[:, :, 10:13])
    return np.asarray(
        free[:, :, None]
        * np.einsum("nbij,nbj->nbi", _convert_to_matrices(motions[:, :, 3:7]), in_body)
    )


def _convert_to_matrices(q: np.ndarray) -> np.ndarray:
    """Of quaternions (..., 4) of any length; NaN for those of none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return matrices(q / np.linalg.norm(q, axis=-1, keepdims=True))
