"""A latched pair as oscillators: the modes of two bodies on the springs and dampers of all latches,
in the docked pose.

With xi the chaser's way and turn seen from the target at the first latch (target axes), W the
bodies' mobility there (1/kg, 1/(kg m^2)) and K, B the sums over the latches, each mode of
W K u = w^2 u is an oscillator of unit mass with stiffness w^2 and damping b = u' B u. On a rig that
is late by h with a cycle T it grows at (w^2 (h + T/2) - b) / 2: a bounce ends after half a period,
a latch does not. Dampers that are not a multiple of the springs couple the modes; that is left out.

In: a scenario's tables. Out: numbers per mode; of a run's series the energy in each mode [J].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import matrices, matrix

SOFTEST = 1e-9  # of the stiffest mode: softer ones are free
AXES = ("along x", "along y", "along z", "about x", "about y", "about z")


class Modes(NamedTuple):
    """Of a latched pair; columns of `shapes` are modes, in rising order of frequency."""

    squared: np.ndarray  # (n,) 1/s^2
    damping: np.ndarray  # (n,) 1/s, twice the decay without delay
    shapes: np.ndarray  # (6, n) xi of a unit of the mode
    seen: np.ndarray  # (n, 6) from xi to the modes
    names: list[str]  # what moves most

    @property
    def frequency(self) -> np.ndarray:
        """rad/s"""
        return np.asarray(np.sqrt(self.squared))

    def closed_form(self, late: float) -> np.ndarray:
        """Growth of the amplitude [1/s] with a whole delay of `late` [s], half a cycle included."""
        return np.asarray(0.5 * (self.squared * late - self.damping))


def get_latches(tables: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The latches of a scenario's tables; empty: it has none."""
    found: Sequence[Mapping[str, Any]] = tables["capture"].get("latch", [])
    return found


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _compute_mobility(body: Mapping[str, Any], R: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """At a point `arm` from the centre of mass; R: target axes from body."""
    if body["fixed"]:
        return np.zeros((6, 6))
    inertia = np.asarray(body["inertia_kg_m2"], dtype=float)
    inertia = np.diag(inertia) if inertia.shape == (3,) else inertia.reshape(3, 3)
    mass = np.broadcast_to(np.asarray(body["mass_kg"], dtype=float), 3)
    inside = np.zeros((6, 6))
    inside[:3, :3], inside[3:, 3:] = np.diag(1.0 / mass), R @ np.linalg.inv(inertia) @ R.T
    G = np.eye(6)
    G[:3, 3:] = -skew(arm)
    return np.asarray(G @ inside @ G.T)


def compute_modes(tables: Mapping[str, Any], which: str = "real") -> Modes:
    """Of a scenario with latches, all of them hard. `which`: real or wanted."""
    latches = get_latches(tables)
    first = latches[0]
    R = matrix(first["attitude_wxyz"])
    place = np.asarray(first["place_m"], dtype=float)
    tip = np.asarray(tables["contact"][first["pair"]]["tip_m"], dtype=float)
    W = _compute_mobility(tables["chaser"], R, R @ tip) + _compute_mobility(
        tables["target"], np.eye(3), place
    )
    K, B = np.zeros((6, 6)), np.zeros((6, 6))
    for latch in latches:
        law = latch[which]
        A = np.eye(6)
        A[:3, 3:] = -skew(np.asarray(latch["place_m"], dtype=float) - place)
        K += A.T @ np.diag([*law["stiffness_N_per_m"], *law["stiffness_Nm_per_rad"]]) @ A
        B += A.T @ np.diag([*law["damping_Ns_per_m"], *law["damping_Nms_per_rad"]]) @ A
    values, vectors = np.linalg.eigh(W)
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    squared, U = np.linalg.eigh(root @ K @ root)
    kept = squared > SOFTEST * max(float(squared[-1]), 1e-300)
    shapes = root @ U[:, kept]
    seen = U[:, kept].T @ np.linalg.pinv(root)
    share = np.abs(np.linalg.pinv(root) @ shapes)
    return Modes(
        squared=squared[kept],
        damping=np.einsum("in,ij,jn->n", shapes, B, shapes),
        shapes=shapes,
        seen=seen,
        names=[AXES[int(i)] for i in np.argmax(share, axis=0)],
    )


def compute_deflections(
    tables: Mapping[str, Any], series: Mapping[str, np.ndarray], rest: np.ndarray, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """xi and its rate from row `first` on, (rows, 6). `rest`: the latch's rest from its docked pose
    (way, turn)."""
    latch = get_latches(tables)[0]
    tip = np.asarray(tables["contact"][latch["pair"]]["tip_m"], dtype=float)
    c, t = (
        {
            key: series[f"{body}.{key}"][first:]
            for key in ("position", "attitude", "velocity", "rate")
        }
        for body in ("chaser", "target")
    )
    Rc, Rt = matrices(c["attitude"]), matrices(t["attitude"])
    arm = np.einsum("kij,j->ki", Rc, tip)
    apart = c["position"] - t["position"] + arm
    spin_c, spin_t = (np.einsum("kij,kj->ki", R, b["rate"]) for R, b in ((Rc, c), (Rt, t)))
    v = c["velocity"] + np.cross(spin_c, arm) - t["velocity"] - np.cross(spin_t, apart)
    to_target = np.swapaxes(Rt, 1, 2)
    x = np.einsum("kij,kj->ki", to_target, apart) - np.asarray(latch["place_m"]) - rest[:3]
    Q = to_target @ Rc @ matrix(latch["attitude_wxyz"]).T
    angle = rest[3:]
    turn = 0.5 * np.stack(
        [Q[:, 2, 1] - Q[:, 1, 2], Q[:, 0, 2] - Q[:, 2, 0], Q[:, 1, 0] - Q[:, 0, 1]], axis=1
    )  # small turns
    rate = np.einsum("kij,kj->ki", to_target, spin_c - spin_t)
    return (
        np.concatenate([x, turn - angle], axis=1),
        np.concatenate([np.einsum("kij,kj->ki", to_target, v), rate], axis=1),
    )


def compute_mode_energies(modes: Modes, xi: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Of every mode at every row, (rows, modes) [J]."""
    y, v = xi @ modes.seen.T, rate @ modes.seen.T
    return np.asarray(0.5 * (v * v + modes.squared * y * y))
