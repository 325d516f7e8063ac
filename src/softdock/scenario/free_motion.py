"""The target's free motion, as if nothing touched it, and poses relative to it: what
`laboratory.mapping = "nominal"` lays into the laboratory (loop/nominal.py), for arrays of instants.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import inverse, product, rotate, unit_matrix

STEP_S = 2e-3  # of the attitude, at most


def compute_free_motion(body: Any, time: np.ndarray) -> np.ndarray:
    """Poses of a satellite that nothing touches, from its table: its centre coasts, its angular
    momentum stays, its attitude by Runge and Kutta's fourth order."""
    position, attitude = np.asarray(body["position_m"]), np.asarray(body["attitude_wxyz"])
    still = np.tile(np.concatenate([position, attitude]), (len(time), 1))
    if body["fixed"]:
        return still
    inertia = np.asarray(body["inertia_kg_m2"], float)
    inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    momentum = unit_matrix(attitude) @ inertia @ np.asarray(body["rate_rad_per_s"])

    def turn(q: np.ndarray) -> np.ndarray:
        rate = np.linalg.solve(inertia, unit_matrix(q / np.linalg.norm(q)).T @ momentum)
        return 0.5 * np.asarray(product(q, np.concatenate([[0.0], rate])))

    q = attitude / np.linalg.norm(attitude)
    still[0, 3:] = q
    for i, span in enumerate(np.diff(time)):
        steps = max(int(np.ceil(span / STEP_S)), 1)
        h = span / steps
        for _ in range(steps):
            a = turn(q)
            b = turn(q + 0.5 * h * a)
            c = turn(q + 0.5 * h * b)
            q = q + h / 6.0 * (a + 2.0 * b + 2.0 * c + turn(q + h * c))
            q /= np.linalg.norm(q)
        still[i + 1, 3:] = q
    still[:, :3] += np.outer(time - time[0], np.asarray(body["velocity_m_per_s"]))
    return still


def turn_back(nominal: np.ndarray) -> np.ndarray:
    """What turns orbit's axes so that the nominal attitude stays at its first."""
    return np.asarray(
        product(np.broadcast_to(nominal[0, 3:], nominal[:, 3:].shape), inverse(nominal[:, 3:]))
    )


def move_to_nominal(poses: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    """Poses relative to a nominal motion, which then rests where it begins."""
    back = turn_back(nominal)  # De Stefano 2021
    place = nominal[0, :3] + rotate(back, poses[:, :3] - nominal[:, :3])
    return np.ascontiguousarray(np.hstack([place, product(back, poses[:, 3:])]))
