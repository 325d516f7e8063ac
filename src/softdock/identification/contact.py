"""Contact stiffness and damping, contact by contact, from measured forces and the mock-ups' motion.

In the axes of the body without the sensor the surface stands still: its normal is the direction of
the measured force, the tip is where the measured torque says the force acts. Along that normal,
while in touch,

    force = stiffness depth + damping depth'    depth = c - x: tip x, surface c, along the normal

which is linear in stiffness, damping and stiffness c. Rows are taken by the fitted depth and force,
not by the noisy reading, which would favour large ones. Force and motion are paired by their ages;
a mean's is that of its samples on average. The tip's motion is the commanded one, delayed as its
robot delays it; what that leaves of the measured positions is added, smoothed, where it is more
than noise (a robot that lags).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.identification.delays import Following, is_structured, smoothed
from softdock.identification.estimate import Estimate, least_squares
from softdock.identification.log import BODIES, Log

FEWEST_READINGS = 8  # of one contact
ROUNDS = 30  # of choosing the rows in touch
SIGMAS = 4.0  # of the mean of five readings counts as touch: 9 sigma of it
LEAST_SHARE = 0.5  # of the readings in touch
MERGE = 10  # cycles; touches closer than this are one contact


@dataclass(frozen=True)
class ContactFit:
    """One contact, fitted."""

    start_s: float
    end_s: float
    stiffness: Estimate  # N/m
    damping: Estimate  # Ns/m
    readings: int
    noise_N: float  # what the fit leaves, standard deviation
    peak_force_N: float
    normal: tuple[
        float, ...
    ]  # on the body with the sensor, world axes at the middle of the contact
    force_age_s: float  # mean
    share: float  # of the readings in touch that the fit accounts for

    @property
    def is_sound(self) -> bool:
        """A force that grows with depth for most of the touch; a hand's push is none."""
        return self.stiffness.uncertainty < self.stiffness.value and self.share >= LEAST_SHARE


def touches(log: Log, body: str) -> list[slice]:
    """Rows of each contact, by the force alone. The log begins in free flight: its first twentieth
    gives the zero."""
    force = log.force[body] - baseline(log, body)
    mean = np.stack([np.convolve(force[:, i], np.full(5, 0.2), "same") for i in range(3)], axis=1)
    size = np.linalg.norm(mean, axis=1)
    touching = np.flatnonzero(size > max(SIGMAS * noise_of(force), 0.01 * size.max(), 1e-12))
    if len(touching) == 0:
        return []
    groups = np.split(touching, np.flatnonzero(np.diff(touching) > MERGE) + 1)
    return [slice(int(g[0]), int(g[-1]) + 1) for g in groups]


def baseline(log: Log, body: str) -> np.ndarray:
    """Mean force of the free flight at the beginning [N]."""
    rows = max(10, len(log.time) // 20)
    return np.asarray(np.median(log.force[body][:rows], axis=0))


def noise_of(force: np.ndarray) -> float:
    """Standard deviation of white noise [N], from differences of neighbours, which a slow contact
    hardly changes."""
    steps = np.diff(force, axis=0)
    return float(
        np.max(1.4826 * np.median(np.abs(steps - np.median(steps, axis=0)), axis=0))
        / math.sqrt(2.0)
    )


def fit_contact(
    log: Log, body: str, rows: slice, following: dict[str, Following | None]
) -> ContactFit | None:
    """Stiffness and damping of one contact; None if it has too few readings."""
    wide = slice(max(rows.start - 2 * MERGE, 0), min(rows.stop + 2 * MERGE, len(log.time)))
    taken, first = np.unique((log.time - log.force_age)[wide], return_index=True)
    force_W = (log.force[body] - baseline(log, body))[wide][first]
    torque_W = log.torque[body][wide][first]
    inside = (taken >= log.time[rows.start]) & (taken <= log.time[rows.stop - 1])
    if inside.sum() < FEWEST_READINGS:
        return None
    along, force, normal_W = _along_the_normal(
        log, body, following, taken, force_W, torque_W, inside
    )
    x = along(taken)
    quarter = 0.25 * log.cycle
    rate = (along(taken + quarter) - along(taken - quarter)) / (2.0 * quarter)
    chosen = inside
    for _ in range(ROUNDS):
        if chosen.sum() < FEWEST_READINGS:
            return None
        fit = least_squares(np.stack([-x, -rate, np.ones_like(x)], axis=1)[chosen], force[chosen])
        k, b, kc = fit.x
        if k <= 0.0:
            return None
        deep = (kc / k - x > 0.0) & (kc - k * x - b * rate > 0.0)
        again = _without_edges(deep)
        if np.array_equal(again, chosen):
            break
        chosen = again
    sigma = np.sqrt(np.diag(fit.covariance))
    followed = following[body]
    lag = 0.0 if followed is None else followed.delay.uncertainty
    unsaid = log.cycle / math.sqrt(
        12.0
    )  # s, for a low-pass in the sensor, of which the ages say nothing
    timing = math.hypot(
        unsaid, lag
    )  # a force paired with a motion this much later looks like a damping of k times that
    at = taken[chosen]
    return ContactFit(
        float(at[0]),
        float(at[-1]),
        Estimate(float(k), float(sigma[0])),
        Estimate(float(b), math.hypot(float(sigma[1]), float(k) * timing)),
        int(chosen.sum()),
        float(np.std(fit.residual)),
        float(np.max(kc - k * x[chosen] - b * rate[chosen])),
        tuple(float(v) for v in normal_W),
        float(np.mean(log.force_age[rows])),
        float(chosen.sum() / inside.sum()),
    )


def _without_edges(deep: np.ndarray) -> np.ndarray:
    """The longest stretch in touch without the readings next to its ends, which may be partly out
    of touch."""
    at = np.flatnonzero(deep)
    kept = np.zeros_like(deep)
    if len(at):
        longest = max(np.split(at, np.flatnonzero(np.diff(at) > 1) + 1), key=len)
        kept[longest[2:-2]] = True
    return kept


Along = Callable[[np.ndarray], np.ndarray]


def _along_the_normal(
    log: Log,
    body: str,
    following: dict[str, Following | None],
    taken: np.ndarray,
    force_W: np.ndarray,
    torque_W: np.ndarray,
    inside: np.ndarray,
) -> tuple[Along, np.ndarray, np.ndarray]:
    """The tip's place along the normal as a function of time [m], the force along it [N], and the
    normal in world axes."""
    other = next(b for b in BODIES if b != body)
    R, S = _rotations(log, body, following, taken), _rotations(log, other, following, taken)
    lever = _lever(
        np.einsum("nji,nj->ni", R, force_W)[inside], np.einsum("nji,nj->ni", R, torque_W)[inside]
    )
    force_O = np.einsum("nji,nj->ni", S, force_W)
    normal_O = force_O[inside].sum(axis=0)
    normal_O /= np.linalg.norm(normal_O)

    def along(t: np.ndarray) -> np.ndarray:
        tip = _positions(log, body, following, t) + np.einsum(
            "nij,j->ni", _rotations(log, body, following, t), lever
        )
        from_other = tip - _positions(log, other, following, t)
        return np.asarray(
            np.einsum("nji,nj->ni", _rotations(log, other, following, t), from_other) @ normal_O
        )

    middle = int(np.flatnonzero(inside)[inside.sum() // 2])
    return along, force_O @ normal_O, S[middle] @ normal_O


def _lever(force: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """From the centre of mass to the line of the force, body axes [m]: the shortest r with r x f =
    torque. What lies along the force does not matter."""
    rows = np.concatenate([_minus_cross(f) for f in force])
    return np.asarray(np.linalg.lstsq(rows, torque.ravel(), rcond=1e-6)[0])


def _minus_cross(f: np.ndarray) -> np.ndarray:
    """The matrix of r -> r x f."""
    return np.array([[0.0, f[2], -f[1]], [-f[2], 0.0, f[0]], [f[1], -f[0], 0.0]])


def _delay(following: dict[str, Following | None], body: str) -> float:
    """A robot that does not move shows no delay, and none is needed."""
    own = following[body]
    return own.delay.value if own is not None else 0.0


def _positions(
    log: Log, body: str, following: dict[str, Following | None], t: np.ndarray
) -> np.ndarray:
    position = log.command[body].position_at(t - _delay(following, body))
    own = following[body]
    if own is not None and is_structured(own.left):
        left = smoothed(own.left)
        position = position + np.stack(
            [np.interp(t, own.times, left[:, i]) for i in range(3)], axis=1
        )
    return position


def _rotations(
    log: Log, body: str, following: dict[str, Following | None], t: np.ndarray
) -> np.ndarray:
    return log.command[body].rotation_at(t - _delay(following, body))
