"""A pair that still touches at the end: how it swings, and whether the swing grows.

A swing is a full period of the tip's velocity seen from the target, along its principal axis."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from benchmarks.judge.phase import Phase, Table, motion

LEAST_SWINGS = 4
FLOOR = 1e-3  # of the largest amplitude


class Growth(NamedTuple):
    per_s: float
    error: float  # standard error
    period_s: float


def tip_velocity(phase: Phase, table: Table) -> np.ndarray:
    """Of the first pair's tip, target axes, seen from the target [m/s]."""
    chaser, target = motion(phase, table, "chaser"), motion(phase, table, "target")
    pair = phase.scenario["contact"][0]
    arm = np.einsum("kij,j->ki", chaser.R, np.asarray(pair.get("tip_m", [0, 0, 0]), dtype=float))
    place = chaser.p + arm
    v = chaser.v + np.cross(chaser.w, arm) - target.v - np.cross(target.w, place - target.p)
    return np.einsum("kji,kj->ki", target.R, v)


def swings(phase: Phase, table: Table, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of zero crossings, and the coordinate q, from row `first` on."""
    v = tip_velocity(phase, table)[first:]
    if len(v) < 8:
        return np.zeros(0, dtype=int), np.zeros(len(v))
    axes = np.linalg.svd(v - v.mean(axis=0), full_matrices=False)[2]
    q = (v - v.mean(axis=0)) @ axes[0]
    crossings = np.nonzero(np.signbit(q[1:]) != np.signbit(q[:-1]))[0] + 1
    return crossings, q


def last_swing(phase: Phase, table: Table, first: int, settle_s: float) -> tuple[int, int]:
    """First and last row over which a pair that still touches is averaged, from `first` on."""
    end = len(phase.time) - 1
    crossings, q = swings(phase, table, first)
    big = float(np.max(np.abs(q), initial=0.0))
    if len(crossings) >= 3 and big > 1e-9:
        tail = q[crossings[-3] :]
        if float(np.max(np.abs(tail))) > FLOOR * big:
            return end - int(crossings[-1] - crossings[-3]), end
    return max(first, end - round(settle_s / phase.T)), end


def is_brief(phase: Phase, table: Table, first: int, settle_s: float) -> bool:
    """A contact that has lasted neither a swing nor `settle_s` says nothing yet."""
    crossings, _ = swings(phase, table, first)
    return len(crossings) < 3 and (len(phase.time) - 1 - first) * phase.T < settle_s


def growth(phase: Phase, table: Table, first: int, quiet: np.ndarray) -> Growth | None:
    """Of the amplitude, by least squares over half swings in cycles without thrust."""
    crossings, q = swings(phase, table, first)
    peaks, times = [], []
    for a, b in itertools.pairwise(crossings):
        if b - a >= 2 and bool(np.all(quiet[first + a : first + b])):
            i = a + int(np.argmax(np.abs(q[a:b])))
            peaks.append(abs(q[i]))
            times.append(phase.time[first + i])
    if len(peaks) < 2 * LEAST_SWINGS:
        return None
    size, at = np.array(peaks), np.array(times)
    above = size > FLOOR * size.max()
    size, at = size[above], at[above]
    if len(size) < 2 * LEAST_SWINGS:
        return None
    A = np.stack([np.ones(len(at)), at - at.mean()], axis=1)
    fit, left = np.linalg.lstsq(A, np.log(size), rcond=None)[:2]
    spread = float(left[0]) / (len(at) - 2) if len(left) else 0.0
    error = np.sqrt(spread / float(np.sum((at - at.mean()) ** 2)))
    return Growth(float(fit[1]), float(error), 2.0 * float(np.mean(np.diff(at))))
