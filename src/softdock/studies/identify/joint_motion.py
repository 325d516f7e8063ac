"""Stiffness, damping and moving mass of elastic joints, from a robot that is pushed with its motors
held (Lange eq. 10).

In: a log in equal steps of time, from rest: force (and torque) on the mock-up and how far it gave
way. Out: numbers with their standard uncertainty, or why the log cannot tell. Two models:

    Cartesian joint   M x'' + D x' + K x = f, the same along every axis; three unknowns
    arm               M(q) e'' + D e' + K e = J' W, e = J^-1 d; of each joint k and d, and a mass at
                      the point beside what the arm's table has

The motion is simulated with the measured forces, which are taken as linear between samples, and
fitted to the measured deflections by least squares: unlike a fit of differentiated deflections that
has no bias from their noise. The Cartesian joint's frequency is first looked for over the whole
band. Holds for small deflections; weight and what does not change falls out with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.entry_points import mass_rows
from softdock.loop.arms.layout import AXES, WORK
from softdock.studies.identify.estimate import Estimate
from softdock.studies.identify.joint_stiffness import WORST, StiffnessLog, compute_jacobians

EQUAL = 1e-3  # of a step: times this alike are in equal steps
HELD = 1e-4  # rad: motors that turn by less are held
FEWEST = 20  # samples
TRIES = 40  # frequencies over the band
STARTING_RATIO = 0.05
MASSES = (0.0, *np.geomspace(1.0, 100.0, 9))  # kg at the point, from which the fit starts
FARTHEST = 2.0  # of a joint's stiffness from its table's, as a logarithm
LEAST_RATIO, MOST_RATIO = 1e-4, 3.0
NEAREST = 3  # of these starts, which are tried until one explains the log
EXPLAINED = 0.05  # of the largest deflection: what may be left
UNSEEN = 1e6  # of a number's logarithm: what the log does not show at all


@dataclass(frozen=True)
class JointMotion:
    """What was found."""

    robot: str
    samples: int
    found: dict[str, Estimate | None]  # by key; None: cannot tell
    units: dict[str, str]
    cannot_tell: dict[str, str]
    scatter_m: float  # standard deviation of the deflections that are left

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; None where the log cannot tell."""
        return {
            "robot": self.robot,
            "samples": self.samples,
            "found": {
                key: None if one is None else one.to_dict() | {"unit": self.units[key]}
                for key, one in self.found.items()
            },
            "cannot_tell": self.cannot_tell,
            "scatter_m": self.scatter_m,
        }


def step_of(time: np.ndarray) -> float:
    """The step of a log in equal steps [s]."""
    steps = np.diff(time)
    if len(time) < FEWEST:
        raise BadInput(Problem("rows", len(time), f"at least {FEWEST} samples"))
    step = float(steps.mean())
    if not (steps > 0.0).all() or np.abs(steps - step).max() > EQUAL * step:
        raise BadInput(Problem("time_s", float(steps.min()), "rising in equal steps"))
    return step


def respond(
    M: np.ndarray, D: np.ndarray, K: np.ndarray, force: np.ndarray, step: float
) -> np.ndarray:
    """Coordinates over time of M e'' + D e' + K e = force from rest; rows are samples, between
    which the force is linear."""
    from scipy.linalg import expm
    from scipy.signal import lfilter

    n = len(M)
    Z, one = np.zeros((n, n)), np.eye(n)
    rate = np.zeros((4 * n, 4 * n))  # e, e', force, its slope
    rate[:n, n : 2 * n] = one
    rate[n : 2 * n] = np.linalg.solve(M, np.hstack([-K, -D, one, Z]))
    rate[2 * n : 3 * n, 3 * n :] = one
    P = expm(rate * step)[: 2 * n]
    driven = force[:-1] @ P[:, 2 * n : 3 * n].T + np.diff(force, axis=0) / step @ P[:, 3 * n :].T
    factors, V = np.linalg.eig(P[:, : 2 * n])  # one recursion for each of its own directions
    pushed = np.linalg.solve(V, driven.T)
    found = np.array([lfilter([1.0], [1.0, -a], u) for a, u in zip(factors, pushed, strict=True)])
    return np.vstack([np.zeros(n), (V @ found).real.T[:, :n]])


def fit_cartesian(time: np.ndarray, force: np.ndarray, moved: np.ndarray) -> JointMotion:
    """The joint of a Cartesian robot: `[robots]` keys. `force` [N] and `moved` [m]: (n, 3)."""
    step = step_of(time)
    _refuse_rest(force, moved)

    def deflections(logs: np.ndarray) -> np.ndarray:
        k, w, zeta = np.exp(logs)
        axes = (np.array([[value]]) for value in (k / w**2, 2.0 * zeta * k / w, k))
        alike = np.moveaxis(force, 1, 0)
        M, D, K = axes
        return np.column_stack([respond(M, D, K, f[:, None], step)[:, 0] for f in alike])

    best, least = np.zeros(3), math.inf
    band = np.geomspace(2.0 * math.pi / (time[-1] - time[0]), 0.5 * math.pi / step, TRIES)
    for w in band:
        unit = deflections(np.log([1.0, w, STARTING_RATIO]))
        soft = float((unit * moved).sum() / (unit * unit).sum())
        left = float(((moved - soft * unit) ** 2).sum())
        if soft > 0.0 and left < least:
            best, least = np.log([1.0 / soft, w, STARTING_RATIO]), left
    if not math.isfinite(least):
        raise BadInput(Problem("dx_mm", 0.0, "a deflection in the force's own direction"))
    logs, covariance, scatter = _fit(deflections, best, moved)
    # stiffness, damping ratio and mass = k / w^2, from their logarithms
    to_keys = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, -2.0, 0.0]])
    values, spread = np.exp(to_keys @ logs), to_keys @ covariance @ to_keys.T
    keys = ("joint_stiffness_N_per_m", "joint_damping_ratio", "moving_mass_kg")
    return _judge("cartesian", len(time), keys, ("N/m", "-", "kg"), values, spread, scatter)


def fit_arm(arm: Arm, time: np.ndarray, log: StiffnessLog) -> JointMotion:
    """Joints of an arm, and the mass at the log's point beside what the arm's table has."""
    step = step_of(time)
    q = log.joints.mean(axis=0)
    if np.abs(log.joints - q).max() > HELD:
        raise BadInput(Problem("q1_deg", None, "motors that are held: the same joints in all rows"))
    if log.turned is None:
        allowed = "rx_mrad, ry_mrad, rz_mrad: six joints need place and turn"
        raise BadInput(Problem("rx_mrad", None, allowed))
    _refuse_rest(log.wrench, log.moved)
    M = np.zeros((1, AXES * AXES))
    mass_rows(arm.vector, q[None, :], np.zeros(WORK.size), M)
    own = (M.reshape(AXES, AXES) - np.diag(arm.of_axes("rotor")))[1:, 1:]
    if not (arm.knows("stiffness") and np.linalg.eigvalsh(own)[0] > 0.0):
        allowed = "an arm that states stiffness, mass and inertia of its joints"
        raise BadInput(Problem("--joint-motion", arm.name, allowed))
    J = compute_jacobians(arm, q[None, :], log.point)[0][:, 1:]
    torque = log.wrench @ J
    measured = np.hstack([log.moved, log.turned])
    table = arm.of_axes("stiffness")[1:]
    loads = J[:3].T @ J[:3]  # of a mass of 1 kg at the point
    lightest = 0.9 / max(float(np.linalg.eigvals(np.linalg.solve(own, loads)).real.max()), 1e-9)

    def deflections(x: np.ndarray) -> np.ndarray:
        k, ratio = table * np.exp(x[:6]), np.exp(x[6:12])
        d = 2.0 * ratio * np.sqrt(k * np.diag(own))
        return respond(own + x[12] * loads, np.diag(d), np.diag(k), torque, step) @ J.T

    starts = [np.append([0.0] * 6 + [math.log(STARTING_RATIO)] * 6, mass) for mass in MASSES]
    starts.sort(key=lambda x: float(((deflections(x) - measured) ** 2).sum()))
    low = np.array([-FARTHEST] * 6 + [math.log(LEAST_RATIO)] * 6 + [-lightest])
    high = np.array([FARTHEST] * 6 + [math.log(MOST_RATIO)] * 6 + [math.inf])
    fits = []
    for begin in starts[:NEAREST]:
        fits.append(_fit(deflections, begin, measured, (low, high)))
        if fits[-1][2] < EXPLAINED * float(np.abs(log.moved).max()):
            break
    x, covariance, scatter = min(fits, key=lambda found: found[2])
    k = table * np.exp(x[:6])
    d = 2.0 * np.exp(x[6:12]) * np.sqrt(k * np.diag(own))
    to_keys = np.eye(13)
    to_keys[6:12, :6] = 0.5 * np.eye(6)  # log d = log ratio + log k / 2
    spread = to_keys @ covariance @ to_keys.T
    names = arm.axis_names[1:]
    keys = [f"{n} stiffness" for n in names] + [f"{n} damping" for n in names] + ["mass at point"]
    units = ["Nm/rad"] * 6 + ["Nms/rad"] * 6 + ["kg"]
    values = np.array([*k, *d, x[12]])
    return _judge(arm.name, len(time), keys, units, values, spread, scatter, absolute=(12,))


def _refuse_rest(force: np.ndarray, moved: np.ndarray) -> None:
    if not np.abs(force).any():
        raise BadInput(Problem("fx_N", 0.0, "a push: force or torque in some row"))
    if not np.abs(moved).any():
        raise BadInput(Problem("dx_mm", 0.0, "a deflection in some row"))


def _fit(
    model: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    measured: np.ndarray,
    bounds: Any = (-np.inf, np.inf),
) -> tuple[np.ndarray, np.ndarray, float]:
    """Unknowns, their covariance, and the scatter of places [m]; places and turns (m, rad) weigh
    alike."""
    from scipy.optimize import least_squares

    size = float(np.abs(measured).max())
    done = least_squares(
        lambda x: ((model(x) - measured) / size).ravel(), start, bounds=bounds, x_scale="jac"
    )
    left = (model(done.x) - measured).reshape(len(measured), -1)
    freedom = max(left.size - len(start), 1)
    variance = float((left**2).sum()) / freedom / size**2
    spread = variance * np.linalg.pinv(done.jac.T @ done.jac)
    unseen = np.linalg.norm(done.jac, axis=0) < 1e-9 * np.linalg.norm(done.jac)
    spread[unseen, unseen] = UNSEEN**2
    return done.x, spread, float(left[:, :3].std())


def _judge(
    robot: str,
    samples: int,
    keys: Any,
    units: Any,
    values: np.ndarray,
    spread: np.ndarray,
    scatter: float,
    absolute: tuple[int, ...] = (),
) -> JointMotion:
    """Numbers whose uncertainty is small enough; `spread`: of their logarithms, but for those that
    are `absolute`."""
    found: dict[str, Estimate | None] = {}
    reasons = {}
    for i, key in enumerate(keys):
        sigma = math.sqrt(spread[i, i]) * (1.0 if i in absolute else values[i])
        found[key] = Estimate(float(values[i]), float(sigma))
        if i not in absolute and not sigma <= WORST * values[i]:
            found[key] = None
            reasons[key] = (
                "the log hardly shows it: a push that loads this joint, and samples that resolve "
                "its motion, are needed"
            )
    return JointMotion(
        robot=robot,
        samples=samples,
        found=found,
        units=dict(zip(keys, units, strict=True)),
        cannot_tell=reasons,
        scatter_m=scatter,
    )
