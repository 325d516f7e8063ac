"""Stiffness, damping and Coulomb friction of one contact together, from the whole force vector.

    F = N (n - mu s)      N = k (c - p . n) - b v . n      s = v_t / sqrt(v_t^2 + slip^2)

p, v: the tip's place and velocity in the axes of the surface; n its normal, v_t the part of v along
it. A friction that is taken for a tilted normal looks like a damping: while the tip slides on, the
way along that tilt grows like the rate of a bounce falls. So all are fitted at once, and their
covariance says what the log can tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.studies.identify.estimate import compute_correlation_factor

SLIP = 1e-3  # m/s, of the regularised Coulomb law; as scenarios have it by default
STEPS = 40  # of Levenberg and Marquardt, at most
SETTLED = 1e-9  # of a parameter's own size
NAMES = ("stiffness", "damping", "friction")


@dataclass(frozen=True)
class Sliding:
    """Stiffness [N/m], damping [Ns/m], friction; their covariance, and what else was found."""

    x: np.ndarray  # of NAMES
    covariance: np.ndarray
    has_slid: bool  # otherwise there is no friction to see: its row and column are zero
    normal: np.ndarray
    residual: np.ndarray  # N
    depth: np.ndarray  # m, at the rows fitted

    @property
    def mixed(self) -> float:
        """Correlation of damping and friction; 0 where nothing slid."""
        size = np.sqrt(self.covariance[1, 1] * self.covariance[2, 2])
        return float(self.covariance[1, 2] / size) if size > 0.0 else 0.0


def fit_sliding(
    p: np.ndarray, v: np.ndarray, force: np.ndarray, normal: np.ndarray, start: np.ndarray
) -> Sliding | None:
    """`start`: stiffness, damping and k c to begin with. None where no minimum was found."""
    centre = p.mean(axis=0)
    e = _make_tangents(normal)
    k, b, kc = start
    theta = np.array([k, b, 0.0, 0.0, 0.0, kc / k - float(centre @ normal)])
    scale = np.array([k, max(abs(b), 1e-3 * k), 1.0, 1.0, 1.0, 1e-3])
    across = v - (v @ normal)[:, None] * normal
    slid = bool(np.linalg.norm(across, axis=1).max() > SLIP)
    free = np.array([True, True, slid, True, True, True])
    found = _minimise(
        theta=theta, scale=scale, free=free, p=p - centre, v=v, force=force, normal=normal, e=e
    )
    if found is None:
        return None
    theta, J, left = found
    if theta[0] <= 0.0:
        return None
    covariance = np.zeros((6, 6))
    spread = _compute_covariance(J[:, free], left) * np.outer(scale[free], scale[free])
    covariance[np.ix_(free, free)] = spread
    n = _compute_normal(theta, normal, e)
    depth = theta[5] - (p - centre) @ n
    return Sliding(
        x=theta[:3],
        covariance=covariance[:3, :3],
        has_slid=slid,
        normal=n,
        residual=left,
        depth=depth,
    )


def _compute_covariance(J: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Of the parameters, each axis with the noise that it has: a sensor of one axis has none along
    the others. Raised where neighbouring residuals are alike (a model that does not fit)."""
    inner = np.linalg.pinv(J.T @ J, rcond=1e-14)
    used = np.einsum("ij,jk,ik->i", J, inner, J).reshape(-1, 3).sum(axis=0)  # degrees of freedom
    noise = np.zeros(3)
    total = float(np.sum(left * left))
    for i in range(3):
        power = float(left[:, i] @ left[:, i])
        alike = compute_correlation_factor(left[:, i]) if power > 1e-9 * total else 1.0
        noise[i] = power / max(len(left) - used[i], 1.0) * alike
    weighted = J * np.tile(noise, len(left))[:, None]
    return np.asarray(inner @ (J.T @ weighted) @ inner)


def _make_tangents(n: np.ndarray) -> np.ndarray:
    a = np.eye(3)[int(np.argmin(np.abs(n)))]
    first = np.cross(n, a)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(n, first)])


def _compute_normal(theta: np.ndarray, normal: np.ndarray, e: np.ndarray) -> np.ndarray:
    n = normal + theta[3] * e[0] + theta[4] * e[1]
    return np.asarray(n / np.linalg.norm(n))


def _compute_force(
    theta: np.ndarray, p: np.ndarray, v: np.ndarray, normal: np.ndarray, e: np.ndarray
) -> np.ndarray:
    n = _compute_normal(theta, normal, e)
    rate = v @ n
    size = theta[0] * (theta[5] - p @ n) - theta[1] * rate
    across = v - rate[:, None] * n
    s = across / np.sqrt(np.sum(across * across, axis=1) + SLIP * SLIP)[:, None]
    return np.asarray(size[:, None] * (n - theta[2] * s))


def _minimise(
    theta: np.ndarray,
    scale: np.ndarray,
    free: np.ndarray,
    p: np.ndarray,
    v: np.ndarray,
    force: np.ndarray,
    normal: np.ndarray,
    e: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Parameters, the derivative of the force by them in units of `scale`, and what is left."""
    lift = 1e-6
    left = force - _compute_force(theta, p, v, normal, e)
    cost = float(np.sum(left * left))
    for _ in range(STEPS):
        J = _compute_derivative(theta, scale, p, v, normal, e)
        A, g = J[:, free].T @ J[:, free], J[:, free].T @ left.ravel()
        for _ in range(12):
            step = np.zeros(6)
            step[free] = np.linalg.lstsq(A + lift * np.diag(np.diag(A) + 1e-300), g, rcond=None)[0]
            trial = theta + scale * step
            rest = force - _compute_force(trial, p, v, normal, e)
            new = float(np.sum(rest * rest))
            if np.isfinite(new) and new <= cost:
                break
            lift *= 10.0
        else:
            break
        done = np.abs(step).max() < SETTLED or cost - new <= 1e-14 * cost
        theta, left, cost, lift = trial, rest, new, max(0.1 * lift, 1e-12)
        if done:
            break
    if not np.isfinite(theta).all():
        return None
    return theta, _compute_derivative(theta, scale, p, v, normal, e), left


def _compute_derivative(
    theta: np.ndarray,
    scale: np.ndarray,
    p: np.ndarray,
    v: np.ndarray,
    normal: np.ndarray,
    e: np.ndarray,
) -> np.ndarray:
    columns = []
    for i in range(6):
        h = np.zeros(6)
        h[i] = 1e-5
        ahead, behind = (
            _compute_force(theta + d * scale * h, p, v, normal, e) for d in (1.0, -1.0)
        )
        columns.append(((ahead - behind) / 2e-5).ravel())
    return np.stack(columns, axis=1)


def combine_slidings(found: list[Sliding]) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness, damping and friction over several contacts by their covariances, and the
    covariance of the whole; never surer than their scatter says."""
    weights = [np.linalg.pinv(_pad_friction(one), rcond=1e-18) for one in found]
    total = np.linalg.pinv(sum(weights), rcond=1e-18)
    x = total @ sum(w @ one.x for w, one in zip(weights, found, strict=True))
    if len(found) > 1:
        off = sum(
            float((one.x - x) @ w @ (one.x - x)) for w, one in zip(weights, found, strict=True)
        )
        freedom = 3 * (len(found) - 1)
        total = total * max(1.0, off / freedom)
    return np.asarray(x), np.asarray(total)


def _pad_friction(one: Sliding) -> np.ndarray:
    """A contact that did not slide knows nothing of friction."""
    covariance = one.covariance.copy()
    covariance[np.diag_indices(3)] += (1e-12 * one.x) ** 2 + 1e-30
    if not one.has_slid:
        covariance[2, 2] = 1e6
    return covariance
