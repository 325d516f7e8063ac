"""The robots' delay, from set-points and measured poses: the shift by which the measured path
follows the commanded one.

    seen(t - pose age) = command(t - pose age - h) + offset

The offset (a calibration of millimetres) looks like a delay while the velocity is constant; a
bounce tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.studies.identify.estimate import Estimate, compute_correlation_factor
from softdock.studies.identify.log import Log, Path

LONGEST = 0.5  # s, of the delays looked for
STEPS = 30  # of Gauss-Newton, at most
STILL = 1e-9  # m/s
RESOLUTION = 1e-3  # of a cycle: no claim beyond this, however clean the log


@dataclass(frozen=True)
class Following:
    """How a measured path follows a commanded one."""

    delay: Estimate  # s
    offset: Estimate  # m, of the measured path, world axes
    times: np.ndarray  # s, when the mock-up was where it was seen
    residual: np.ndarray  # m, measured less delayed command and offset; one row a time


def fit_following(log: Log, body: str) -> Following | None:
    """The delay of one body's robot; None if it was not measured, or if its velocity does not
    change enough to tell a delay from an offset."""
    if body not in log.seen:
        return None
    times, first = np.unique(log.time - log.pose_age[body], return_index=True)
    return _fit_delay(log.command[body], times, log.seen[body][first], log.cycle)


def _fit_delay(
    command: Path, times: np.ndarray, seen: np.ndarray, cycle: float
) -> Following | None:
    speed = command.velocity - command.velocity.mean(axis=0)
    if np.max(np.abs(speed)) < 1e-9:
        return None
    span = min(LONGEST, 0.3 * (times[-1] - times[0]))
    grid = np.arange(0.0, span, cycle)
    late = (
        times >= command.time[0] + span
    )  # the same rows for every delay tried: before the first set-point nothing is known
    if late.sum() < 20:
        return None
    t, y = times[late], seen[late]
    h = float(grid[np.argmin([_compute_residual(command, t, y, d)[1] for d in grid])])
    for _ in range(STEPS):
        left, _ = _compute_residual(command, t, y, h)
        v = -command.velocity_at(t - h)
        v -= v.mean(axis=0)
        power = float(np.sum(v * v))
        if power == 0.0:
            return None
        step = float(np.sum(v * left)) / power
        h += step
        if abs(step) < 1e-12:
            break
    left, cost = _compute_residual(command, t, y, h)
    variance = (
        cost / max(left.size - 4, 1) * max(compute_correlation_factor(left[:, i]) for i in range(3))
    )
    uncertainty = max(float(np.sqrt(variance / power)), RESOLUTION * cycle)
    if not (uncertainty < LONGEST):
        return None
    whole = times >= command.time[0] + max(h, 0.0)
    offset = y.mean(axis=0) - command.position_at(t - h).mean(axis=0)
    along = np.abs(command.velocity_at(t - h).mean(axis=0)) * uncertainty
    spread = np.hypot(np.sqrt(variance / len(t)), along)
    return Following(
        Estimate(h, uncertainty),
        Estimate(tuple(offset), tuple(spread)),
        times[whole],
        seen[whole] - command.position_at(times[whole] - h) - offset,
    )


def measure_offset(log: Log, body: str, following: Following | None) -> Estimate | None:
    """By how much the measured poses of a body are off its set-points, for good [m, world axes]; of
    one that stands still, without its delay. None: it was not measured, or moves evenly."""
    if following is not None:
        return following.offset
    if body not in log.seen or np.max(np.abs(log.command[body].velocity)) > STILL:
        return None
    off = log.seen[body] - log.command[body].position_at(log.time)
    spread = off.std(axis=0) / np.sqrt(len(off))
    return Estimate(tuple(off.mean(axis=0)), tuple(spread))


def _compute_residual(
    command: Path, t: np.ndarray, seen: np.ndarray, h: float
) -> tuple[np.ndarray, float]:
    """What a delay leaves unexplained, its mean (the offset) taken out, and the sum of its
    squares."""
    left = seen - command.position_at(t - h)
    left = left - left.mean(axis=0)
    return left, float(np.sum(left * left))


def is_structured(left: np.ndarray) -> bool:
    """Whether what a delay leaves over is more than noise: the robot lags or saturates."""
    for column in left.T:
        power = float(column @ column)
        if power > 1e-20 * len(column) and float(column[1:] @ column[:-1]) / power > 4.0 / np.sqrt(
            len(column)
        ):
            return True
    return False


def smooth(left: np.ndarray, half: int = 4) -> np.ndarray:
    """Quadratic through the neighbours (Savitzky and Golay), so that noise does not pass for
    motion."""
    n = 2 * half + 1
    if len(left) < n:
        return left
    k = np.arange(-half, half + 1.0)
    weights = np.linalg.pinv(np.stack([np.ones(n), k, k * k], axis=1))[0]
    padded = np.concatenate(
        [np.repeat(left[:1], half, axis=0), left, np.repeat(left[-1:], half, axis=0)]
    )
    return np.stack(
        [np.convolve(padded[:, i], weights[::-1], "valid") for i in range(left.shape[1])], axis=1
    )
