"""Stiffness of an arm's joints from known loads and measured deflections (Lange eqs. 7, 16).

In: the arm, and rows of a log: joints of the motors [rad; slot 0: base axis], a known force and
torque at a point of the tool [N, Nm], and by how much that point moved and turned because of it [m,
rad]; base axes. A row is a difference: the same motor angles with and without the load, so that
weight and every error of the pose that does not change fall out. Out: a stiffness for each axis
with its standard uncertainty, or a reason why the log cannot tell.

With motors held, a load W turns joint i by its torque J_i' W over its stiffness k_i, so that

    d = J K^-1 J' W = sum_i J_i (J_i' W) c_i,     c_i = 1 / k_i

is linear in the compliances c_i: least squares, translation and rotation each weighed by the
scatter of their own residuals. Holds for small deflections, rigid links and gears without play; a
joint that is softer at small loads gets its best straight line, and its residual shows it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.entry_points import flange_rows, jacobian_rows
from softdock.loop.arms.layout import AXES, WORK
from softdock.loop.spatial.arrays import unit_matrix
from softdock.studies.identify.estimate import Estimate

WORST = 0.3  # of the compliance: with more uncertainty than this the log does not tell it
MIXED = 0.95  # correlation from which another joint is named
TURNS = 3  # weights are taken from residuals this often
SURE = 2.0  # standard uncertainties of a bound


@dataclass(frozen=True)
class StiffnessLog:
    """Loads and what they did: a row each."""

    joints: np.ndarray  # (n, 7) rad or m, motors
    wrench: np.ndarray  # (n, 6) N, Nm at the point, base axes
    moved: np.ndarray  # (n, 3) m, of the point, base axes
    turned: np.ndarray | None = None  # (n, 3) rad, a rotation vector; None: not measured
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, in the flange's axes


@dataclass(frozen=True)
class JointStiffness:
    """What was found."""

    arm: str
    rows: int
    stiffness: dict[str, Estimate | None]  # by axis, Nm/rad or N/m; None: cannot tell
    units: dict[str, str]
    largest_load: dict[str, float]  # Nm or N: what the log puts on each axis at most
    at_least: dict[str, float]  # of axes that the log cannot tell: a bound, two sigma
    cannot_tell: dict[str, str]
    scatter_m: float  # standard deviation of what is left
    scatter_rad: float | None
    assumed: dict[str, float]  # what the arm's own table says

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; None where the log cannot tell."""
        joints = {}
        for name, found in self.stiffness.items():
            table = self.assumed[name]
            joints[name] = {
                "stiffness": None if found is None else found.to_dict(),
                "unit": self.units[name],
                "at_least": self.at_least.get(name),
                "largest_load": self.largest_load[name],
                "table": table if math.isfinite(table) else None,
            }
        return {
            "arm": self.arm,
            "rows": self.rows,
            "joints": joints,
            "cannot_tell": self.cannot_tell,
            "scatter_m": self.scatter_m,
            "scatter_rad": self.scatter_rad,
        }


def fit_joint_stiffness(arm: Arm, log: StiffnessLog) -> JointStiffness:
    """Stiffness of every axis that the log tells."""
    names = arm.axis_names[arm.first :]
    _refuse_short(log, len(names))
    J = compute_jacobians(arm, log.joints, log.point)[:, :, arm.first :]
    torque = np.einsum("nki,nk->ni", J, log.wrench)
    parts = J * torque[:, None, :]  # Lange eq. 16: d = J K^-1 J' W, column by column
    A, y = parts[:, :3].reshape(-1, len(names)), log.moved.ravel()
    turned = np.zeros(0) if log.turned is None else log.turned.ravel()
    if log.turned is not None:
        A, y = np.vstack([A, parts[:, 3:].reshape(-1, len(names))]), np.concatenate([y, turned])
    c, covariance, scatter = _fit_weighted(A, y, log.moved.size)
    stiffness, at_least, reasons = {}, {}, {}
    largest = np.abs(torque).max(axis=0)
    for i, name in enumerate(names):
        sigma = math.sqrt(covariance[i, i])
        why = _explain_unidentified(i, c, covariance, names, largest)
        stiffness[name] = None if why else Estimate(1.0 / c[i], sigma / c[i] ** 2)
        if why:
            reasons[name] = why
            most = c[i] + SURE * sigma
            if math.isfinite(most) and most > 0.0:
                at_least[name] = 1.0 / most
    slides = arm.base_axis == "rail"
    table = arm.of_axes("stiffness")[arm.first :]
    return JointStiffness(
        arm=arm.name,
        rows=len(log.joints),
        stiffness=stiffness,
        units={n: "N/m" if slides and i == 0 else "Nm/rad" for i, n in enumerate(names)},
        largest_load={name: float(v) for name, v in zip(names, largest, strict=True)},
        at_least=at_least,
        cannot_tell=reasons,
        scatter_m=scatter[0],
        scatter_rad=None if log.turned is None else scatter[1],
        assumed={name: float(v) for name, v in zip(names, table, strict=True)},
    )


def compute_jacobians(
    arm: Arm, joints: np.ndarray, point: tuple[float, float, float]
) -> np.ndarray:
    """(n, 6, 7) of a point that is fixed to the flange: velocity, then angular velocity."""
    joints = np.ascontiguousarray(joints, float)
    into, work, poses = np.zeros((len(joints), 42)), np.zeros(WORK.size), np.zeros((len(joints), 7))
    jacobian_rows(arm.vector, joints, work, into)
    flange_rows(arm.vector, joints, poses)
    J = into.reshape(-1, 6, AXES)
    lever = np.stack([unit_matrix(pose[3:]) @ point for pose in poses])
    J[:, :3] += np.cross(J[:, 3:], lever[:, :, None], axisa=1, axisb=1, axisc=1)  # w x r
    return J


def _refuse_short(log: StiffnessLog, axes: int) -> None:
    numbers = log.moved.size + (0 if log.turned is None else log.turned.size)
    if numbers <= axes:
        allowed = f"more than {axes} measured numbers: {axes // 3 + 1} rows or more"
        raise BadInput(Problem("rows", len(log.joints), allowed))
    if not np.abs(log.wrench).any():
        raise BadInput(Problem("fx_N", 0.0, "a load: force or torque in some row"))


def _fit_weighted(
    A: np.ndarray, y: np.ndarray, lengths: int
) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Compliances, their covariance, and the scatter of places [m] and angles [rad]. The first
    `lengths` rows are places. Directions that no row shows have an infinite variance."""
    # a millimetre and a milliradian weigh alike to begin with
    sizes = np.ones(len(y))
    for _ in range(TURNS):
        B = A / sizes[:, None]
        scale = np.linalg.norm(B, axis=0)
        scale[scale == 0.0] = 1.0
        u, s, vt = np.linalg.svd(B / scale, full_matrices=False)
        seen = s > 1e-9 * s[0]
        back = np.where(seen, 1.0 / np.where(seen, s, 1.0), 0.0)
        c = (vt.T @ (back * (u.T @ (y / sizes)))) / scale
        left = y - A @ c
        groups = [slice(0, lengths)] + ([slice(lengths, None)] if len(y) > lengths else [])
        for group in groups:
            taken = float((B[group] ** 2).sum()) / max(float((B**2).sum()), 1e-300) * seen.sum()
            freedom = max(len(y[group]) - taken, 1.0)
            sizes[group] = max(math.sqrt(float(left[group] @ left[group]) / freedom), 1e-15)
    spread = np.where(seen, back**2, math.inf)
    with np.errstate(invalid="ignore"):
        covariance = np.einsum("ki,k,kj->ij", vt, np.where(seen, spread, 0.0), vt)
    covariance /= np.outer(scale, scale)
    blind = (vt[~seen] ** 2).sum(axis=0) > 1e-12
    covariance[blind, blind] = math.inf
    return c, covariance, (float(sizes[0]), float(sizes[-1]))


def _explain_unidentified(
    i: int,
    c: np.ndarray,
    covariance: np.ndarray,
    names: tuple[str, ...],
    largest: np.ndarray,
) -> str:
    """Why a log does not tell an axis; empty: it does."""
    sigma = math.sqrt(covariance[i, i])
    if largest[i] <= 1e-9 * largest.max():
        return "no row loads it: a force beside its axis, or a torque about it, is needed"
    if sigma <= WORST * c[i]:
        return ""
    others = [k for k in range(len(names)) if k != i and math.isfinite(covariance[k, k])]
    if math.isfinite(sigma):
        alike = {
            k: covariance[i, k] / math.sqrt(covariance[i, i] * covariance[k, k])
            for k in others
            if covariance[k, k] > 0.0
        }
        most = max(alike, key=lambda k: abs(alike[k]), default=None)
        if most is not None and abs(alike[most]) > MIXED:
            return (
                f"it gives way together with {names[most]} in every row (correlation "
                f"{alike[most]:+.2f}): other poses or directions of force are needed"
            )
        return (
            f"loads of at most {largest[i]:.3g} (Nm or N) move the tool too little beside the "
            "scatter: more load, or a pose with a longer lever"
        )
    return "some joints give way together in every row: other poses or forces are needed"
