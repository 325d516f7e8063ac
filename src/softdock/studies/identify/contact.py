"""Contact stiffness, damping and friction, contact by contact, from measured forces and the
mock-ups' motion.

First along the direction of the mean force, while in touch,

    force = stiffness depth + damping depth'    depth = c - x: tip x, surface c, along the force

which is linear in stiffness, damping and stiffness c, and says which rows are in touch; then the
whole force vector with friction and the normal's own direction (contact.py). Force and motion are
paired by their ages; a mean's is that of its samples on average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from softdock.loop.spatial.arrays import matrices
from softdock.studies.identify.delays import Following
from softdock.studies.identify.estimate import (
    Estimate,
    compute_correlation_factor,
    solve_least_squares,
)
from softdock.studies.identify.log import Log
from softdock.studies.identify.touching import FEWEST_READINGS, MERGE, CarriedMass, read_touch

# Stiffness, damping and Coulomb friction of one contact together, from the whole force vector.
#
#     F = N (n - mu s)      N = k (c - p . n) - b v . n      s = v_t / sqrt(v_t^2 + slip^2)
#
# p, v: the tip's place and velocity in the axes of the surface; n its normal, v_t the part of v
# along it. A friction that is taken for a tilted normal looks like a damping: while the tip slides
# on, the way along that tilt grows like the rate of a bounce falls. So all are fitted at once, and
# their covariance says what the log can tell apart.

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


ROUNDS = 30  # of choosing the rows in touch
SIGMAS = 4.0  # of the mean of five readings counts as touch: 9 sigma of it
FEWEST_TURNED, MOST_FITTED = 100, 3000  # rows
TURNED = 0.02  # of a rotation's entries: less tells no bias from a contact
SIGMAS_FREE, ROUNDS_FREE = 6.0, 4
MOSTLY, MORE = 0.5, 0.2  # of the rows: explained by a turning weight and bias, and by nothing less
LARGEST = 1e12  # N: beyond it nothing is fitted
LEFT = 0.05  # of that force: the tool's inertia in motion, cross talk
LEAST_SHARE = 0.5  # of the readings in touch


@dataclass(frozen=True)
class ContactFit:
    """One contact, fitted."""

    start_s: float
    end_s: float
    stiffness: Estimate  # N/m
    damping: Estimate  # Ns/m
    friction: Estimate | None  # Coulomb's coefficient; None: the tip did not slide
    timing_s: float  # s, by which force and motion may be paired wrongly: k times it of damping
    readings: int
    noise_N: float  # what the fit leaves, standard deviation
    peak_force_N: float
    normal: tuple[
        float, ...
    ]  # on the body with the sensor, world axes at the middle of the contact
    force_age_s: float  # mean
    share: float  # of the readings in touch that the fit accounts for
    sliding: Sliding  # the fit itself

    @property
    def is_sound(self) -> bool:
        """A force that grows with depth for most of the touch; a hand's push is none."""
        return self.stiffness.uncertainty < self.stiffness.value and self.share >= LEAST_SHARE


def find_touches(log: Log, body: str) -> list[slice]:
    """Rows of each contact, by the force less that of free flight."""
    zero, least = measure_free_force(log.force[body], log.command[body].attitude)
    force = log.force[body] - zero
    mean = np.stack([np.convolve(force[:, i], np.full(5, 0.2), "same") for i in range(3)], axis=1)
    size = np.linalg.norm(mean, axis=1)
    touching = np.flatnonzero(
        size > max(SIGMAS * measure_noise(force), 0.01 * size.max(), least, 1e-12)
    )
    if len(touching) == 0:
        return []
    groups = np.split(touching, np.flatnonzero(np.diff(touching) > MERGE) + 1)
    return [slice(int(g[0]), int(g[-1]) + 1) for g in groups]


def compute_baseline(log: Log, body: str) -> np.ndarray:
    """Force of free flight [N], a row a cycle."""
    return measure_free_force(log.force[body], log.command[body].attitude)[0]


def measure_free_force(force: np.ndarray, attitude: np.ndarray | None) -> tuple[np.ndarray, float]:
    """Force of free flight [N], a row a cycle, and the least that stands out of it.

    The log begins in free flight: the median of its first twentieth, unless the tool turns and the
    force of most rows is a weight and a bias that turn with it:

        f = u + R v + R^T w      R world from body; u, v, w are the same in all rows
    """
    rows = max(10, len(force) // 20)
    zero = np.broadcast_to(np.median(force[:rows], axis=0), force.shape)
    if attitude is None or len(force) < FEWEST_TURNED or not (np.abs(force) < LARGEST).all():
        return zero, 0.0
    kept = np.linspace(0, len(force) - 1, min(len(force), MOST_FITTED)).astype(int)
    R = matrices(attitude)
    if np.abs(R[kept] - R[0]).max() < TURNED:
        return zero, 0.0
    A = np.concatenate([np.broadcast_to(np.eye(3), R.shape), R, R.transpose(0, 2, 1)], axis=2)
    near = np.ones(len(kept), dtype=bool)
    limit = SIGMAS_FREE * max(measure_noise(force), 1e-3 * float(np.ptp(force, axis=0).max()))
    x = np.zeros(9)
    for _ in range(ROUNDS_FREE):
        x = np.linalg.lstsq(A[kept[near]].reshape(-1, 9), force[kept[near]].ravel(), rcond=1e-6)[0]
        left = np.linalg.norm(force[kept] - A[kept] @ x, axis=1)
        near = left <= max(limit, float(np.median(left)) * 3.0)
    model = A @ x
    explained = [
        np.mean(np.linalg.norm((force - one)[kept], axis=1) < limit) for one in (model, zero)
    ]
    largest = float(np.linalg.norm(model, axis=1).max())
    if explained[0] < MOSTLY or explained[0] < explained[1] + MORE:
        return zero, 0.0
    return model, LEFT * largest


def measure_noise(force: np.ndarray) -> float:
    """Standard deviation of white noise [N], from differences of neighbours, which a slow contact
    hardly changes."""
    steps = np.diff(force, axis=0)
    return float(
        np.max(1.4826 * np.median(np.abs(steps - np.median(steps, axis=0)), axis=0))
        / math.sqrt(2.0)
    )


def fit_contact(
    log: Log,
    body: str,
    rows: slice,
    following: dict[str, Following | None],
    carried: CarriedMass | None = None,
) -> ContactFit | None:
    """Stiffness, damping and friction of one contact; None if it has too few readings. `carried`:
    the mass behind the sensor, where it is known."""
    touch = read_touch(log, body, rows, following, compute_baseline(log, body), carried)
    if touch is None:
        return None
    times, inside = touch.times, touch.inside
    normal_O = touch.force[inside].sum(axis=0)
    normal_O /= np.linalg.norm(normal_O)
    force = touch.force @ normal_O
    quarter = 0.25 * log.cycle
    tip = touch.interpolate_tip(times)
    speed = (touch.interpolate_tip(times + quarter) - touch.interpolate_tip(times - quarter)) / (
        2.0 * quarter
    )
    straight = _fit_along_normal(tip @ normal_O, speed @ normal_O, force, inside)
    if straight is None:
        return None
    chosen, start = straight
    found = fit_sliding(tip[chosen], speed[chosen], touch.force[chosen], normal_O, start)
    if found is None:
        return None
    own = following[body]
    lag = own.delay.uncertainty if own is not None else 0.0
    unsaid = log.cycle / math.sqrt(12.0)  # s, for a low-pass in the sensor, unsaid by the ages
    # a force paired with a motion this much later looks like a damping of k times that
    timing = math.hypot(unsaid, lag)
    k, b, mu = found.x
    sigma = np.sqrt(np.diag(found.covariance))
    at = times[chosen]
    middle = int(np.flatnonzero(inside)[inside.sum() // 2])
    return ContactFit(
        start_s=float(at[0]),
        end_s=float(at[-1]),
        stiffness=Estimate(float(k), float(sigma[0])),
        damping=Estimate(float(b), math.hypot(float(sigma[1]), float(k) * timing)),
        friction=Estimate(float(mu), float(sigma[2])) if found.has_slid else None,
        timing_s=timing,
        readings=int(chosen.sum()),
        noise_N=float(np.std(found.residual)),
        peak_force_N=float(np.max(force[chosen] - found.residual @ normal_O)),
        normal=tuple(float(v) for v in touch.interpolate_rotation(times)[middle] @ found.normal),
        force_age_s=float(np.mean(log.force_age[rows])),
        share=float(chosen.sum() / inside.sum()),
        sliding=found,
    )


def _fit_along_normal(
    x: np.ndarray, rate: np.ndarray, force: np.ndarray, inside: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows in touch, and stiffness, damping and k c to begin with, along the mean force. Rows are
    taken by the fitted depth and force, not by the noisy reading, which would favour large ones."""
    chosen = inside
    for _ in range(ROUNDS):
        if chosen.sum() < FEWEST_READINGS:
            return None
        fit = solve_least_squares(
            np.stack([-x, -rate, np.ones_like(x)], axis=1)[chosen], force[chosen]
        )
        k, b, kc = fit.x
        if k <= 0.0:
            return None
        deep = (kc / k - x > 0.0) & (kc - k * x - b * rate > 0.0)
        again = _trim_edges(deep)
        if np.array_equal(again, chosen):
            break
        chosen = again
    return (chosen, fit.x) if chosen.sum() >= FEWEST_READINGS else None


def _trim_edges(deep: np.ndarray) -> np.ndarray:
    """The longest stretch in touch without the readings next to its ends, which may be partly out
    of touch."""
    at = np.flatnonzero(deep)
    kept = np.zeros_like(deep)
    if len(at):
        longest = max(np.split(at, np.flatnonzero(np.diff(at) > 1) + 1), key=len)
        kept[longest[2:-2]] = True
    return kept
