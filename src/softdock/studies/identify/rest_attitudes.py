"""Attitudes in which a logged tool stood still, with the mean readings of each.

In: the series of a recording or a run. Out: for every stretch of rest an attitude and mean force
and torque in body axes. A log that turns all the time is for `identify --tool-only`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import rotate_back, turns
from softdock.studies.identify.calibration import Calibration, calibrate
from softdock.studies.identify.estimate import compute_correlation_factor

STILL = 1e-3  # rad/s; slower is at rest
LEAST_S = 0.2  # of a stretch of rest
SETTLE = 0.2  # of a stretch left out at its beginning: the tool rings after


@dataclass(frozen=True)
class Rests:
    """A row a stretch of rest; `least_N`, `least_Nm`: standard uncertainty of their means."""

    attitudes: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    least_N: float
    least_Nm: float
    seconds: float  # of rest, all together


def calibrate_from_rests(
    series: Mapping[str, np.ndarray],
    body: str,
    gravity: tuple[float, ...],
    settle_s: float = 0.0,
) -> Calibration:
    """Load and bias from the rests of a log or of a live rig: one code for `softdock calibrate` and
    `softdock rig tare`. `gravity`: world axes [m/s^2]."""
    found = find_rests(series, body, settle_s)
    return calibrate(
        found.attitudes, found.force, found.torque, gravity, found.least_N, found.least_Nm
    )


def find_rests(series: Mapping[str, np.ndarray], body: str, settle_s: float = 0.0) -> Rests:
    """Raises `BadInput` if the log never rests, or has no force or attitude. `settle_s`: left out
    of each rest at least, where attitudes are those that were sent and the robot is late."""
    key = next(
        (k for k in (f"seen.{body}.attitude", f"command.{body}.attitude") if f"{k}.w" in series), ""
    )
    if not key or f"measured.{body}.torque.x" not in series:
        allowed = f"a log with attitude, force and torque of the {body}"
        raise BadInput(Problem("series", "not there", allowed))
    time, q = np.asarray(series["time"]), np.asarray(series[key])
    step = float(time[1] - time[0])
    half = max(int(0.05 / step), 1)
    angle = np.concatenate([np.zeros((1, 3)), np.cumsum(turns(q), axis=0)])
    ahead = np.minimum(np.arange(len(time)) + half, len(time) - 1)
    behind = np.maximum(np.arange(len(time)) - half, 0)
    rate = np.linalg.norm(angle[ahead] - angle[behind], axis=1) / (time[ahead] - time[behind])
    at = np.flatnonzero(rate < STILL)
    groups = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1) if len(at) else []
    found, noise = [], []
    for group in groups:
        kept = group[max(int(SETTLE * len(group)), round(settle_s / step)) :]
        if len(kept) * step < LEAST_S:
            continue
        f = rotate_back(q[kept], np.asarray(series[f"measured.{body}.force"])[kept])
        t = rotate_back(q[kept], np.asarray(series[f"measured.{body}.torque"])[kept])
        found.append((q[kept].mean(axis=0), f.mean(axis=0), t.mean(axis=0), len(kept)))
        noise.append((_compute_mean_uncertainty(f), _compute_mean_uncertainty(t)))
    if not found:
        allowed = f"rests of at least {LEAST_S} s in several attitudes (softdock calibrate plan)"
        raise BadInput(Problem("series", "a tool that never rests", allowed))
    least = np.sqrt(np.mean(np.square(noise), axis=0))
    return Rests(
        attitudes=np.stack([one[0] for one in found]),
        force=np.stack([one[1] for one in found]),
        torque=np.stack([one[2] for one in found]),
        least_N=float(least[0]),
        least_Nm=float(least[1]),
        seconds=step * sum(one[3] for one in found),
    )


def _compute_mean_uncertainty(rows: np.ndarray) -> float:
    """Standard uncertainty of a mean, a component; neighbours may be alike."""
    left = rows - rows.mean(axis=0)
    alike = max(compute_correlation_factor(left[:, i]) for i in range(3))
    return float(np.sqrt(np.mean(left * left) * alike / len(rows)))
