"""Orbit beside every run of a campaign: flown once for all runs that differ only in what orbit does not know (robots, sensors, noise, methods)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from softdock.campaign.cpu import available_cores
from softdock.campaign.thin import Thin
from softdock.contact_log import LOG_COLUMNS
from softdock.layout import (
    CHASER_AT,
    CHASER_ROBOT_AT,
    MAP,
    MEMORY_AT,
    METHODS_AT,
    PAIRS_AT,
    POSE_AT,
    RANDOM_AT,
    SATELLITES_AT,
    STOP_AT,
    TARGET_AT,
)
from softdock.reference import LOGGED_CONTACTS, OUTCOME_COLUMNS, orbit_marker, orbit_mem_floats, run_orbit
from softdock.sensor.pose import POSE
from softdock.spatial.rigid_body import BODY

CHUNK = 16  # runs a thread flies at a time
FIRST_MOTION = OUTCOME_COLUMNS.index("chaser.px")
UNKNOWN_TO_ORBIT = (  # parts of the vector
    (RANDOM_AT, SATELLITES_AT),
    (CHASER_ROBOT_AT, POSE_AT + POSE.size),  # robots, sensor, mock-ups, pose
    (STOP_AT, PAIRS_AT),  # limits and captures
    (MEMORY_AT, 10**9),  # memory map and methods
)


class Orbits(NamedTuple):
    """Of every run: orbit's outcomes (reference.OUTCOME_COLUMNS) and its first restitution, NaN without a contact."""

    outcomes: np.ndarray
    restitution: np.ndarray
    flown: int  # orbits that differ


def fly_orbits(runs: Thin, threads: int | None = None) -> Orbits:
    """Orbit of every run."""
    known = np.array([not any(a <= at < b for a, b in UNKNOWN_TO_ORBIT) for at in runs.at], dtype=bool)
    if runs.base[MEMORY_AT + MAP.orbit_network_count] > 0.0:
        known |= runs.at >= METHODS_AT  # networks that are part of satellites are listed as methods
    _, first, which = np.unique(runs.values[:, known], axis=0, return_index=True, return_inverse=True)
    outcomes, restitution = np.zeros((len(first), len(OUTCOME_COLUMNS))), np.full(len(first), np.nan)

    def fly(begin: int) -> None:
        log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
        for i in range(begin, min(begin + CHUNK, len(first))):
            vector = runs.expand(first[i], first[i] + 1)[0]
            run_orbit(orbit_marker(vector), vector, np.zeros(orbit_mem_floats(vector)), log, np.zeros((0, 0)), outcomes[i], 1.0)
            if outcomes[i, 2] > 0.0:
                restitution[i] = log[0, LOG_COLUMNS.index("restitution")]

    with ThreadPoolExecutor(threads or available_cores()) as pool:
        for _ in pool.map(fly, range(0, len(first), CHUNK)):
            pass
    which = which.reshape(-1)
    return Orbits(outcomes[which], restitution[which], len(first))


def distances(runs: Thin, loop: np.ndarray, orbit: np.ndarray) -> np.ndarray:
    """`fidelity.distance_from_orbit` of every run, at the end. `loop`, `orbit`: motions of both bodies, (N, 2, 13)."""
    fixed, mass, inertia = _bodies(runs)
    free = ~fixed
    start = _start(runs)
    dv = loop[:, :, 7:10] - orbit[:, :, 7:10]
    squared = np.sum(free[:, :, None] * mass * dv * dv, axis=(1, 2))
    matrix = _matrices(orbit[:, :, 3:7])
    spin = _spins(free, inertia, loop) - _spins(free, inertia, orbit)
    in_body = np.einsum("nbji,nbj->nbi", matrix, spin)
    squared += np.einsum("nbi,nbi->n", in_body, np.linalg.solve(inertia, in_body[..., None])[..., 0])
    v, w = start[:, :, 7:10], start[:, :, 10:13]
    barycentre = np.sum(mass * v, axis=1, keepdims=True) / mass.sum(axis=1, keepdims=True)
    v = np.where(np.asarray(fixed.any(axis=1))[:, None, None], v, v - barycentre)
    twice = np.sum(free[:, :, None] * mass * v * v, axis=(1, 2)) + np.einsum("nb,nbi,nbij,nbj->n", free.astype(float), w, inertia, w)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(twice > 0.0, np.sqrt(squared / twice), np.nan)


def _column(runs: Thin, at: int, size: int) -> np.ndarray:
    """Some numbers of every run's vector, (N, size)."""
    found = np.empty((runs.runs, size))
    found[:] = runs.base[at : at + size]
    for i, column in enumerate(runs.at):
        if at <= column < at + size:
            found[:, column - at] = runs.values[:, i]
    return found


def _bodies(runs: Thin) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fixed (N, 2), mass per axis (N, 2, 3), inertia (N, 2, 3, 3) of chaser and target."""
    at = BODY.at
    fixed = np.stack([_column(runs, base + at.fixed, 1)[:, 0] != 0.0 for base in (CHASER_AT, TARGET_AT)], axis=1)
    mass = np.stack([_column(runs, base + at.mass, 3) for base in (CHASER_AT, TARGET_AT)], axis=1)
    six = np.stack([_column(runs, base + at.inertia, 6) for base in (CHASER_AT, TARGET_AT)], axis=1)
    return fixed, mass, six[:, :, [[0, 3, 4], [3, 1, 5], [4, 5, 2]]]


def _start(runs: Thin) -> np.ndarray:
    at = BODY.at
    motions = np.zeros((runs.runs, 2, 13))
    for b, base in enumerate((CHASER_AT, TARGET_AT)):
        motions[:, b, 7:10] = _column(runs, base + at.velocity, 3)
        motions[:, b, 10:13] = _column(runs, base + at.rate, 3)
    return motions


def _spins(free: np.ndarray, inertia: np.ndarray, motions: np.ndarray) -> np.ndarray:
    """World axes."""
    in_body = np.einsum("nbij,nbj->nbi", inertia, motions[:, :, 10:13])
    return np.asarray(free[:, :, None] * np.einsum("nbij,nbj->nbi", _matrices(motions[:, :, 3:7]), in_body))


def _matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices, world from body, of quaternions (..., 4)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
