"""How fast swings grow or decay, from the motion alone.

In: a swinging coordinate, and which cycles nothing pushes. Out: `Swings`: growth of the amplitude
over ten swings (0.05: 5 % larger), its standard error, and the same as a rate.

Each swing is set against the one before: with a the amplitude, a_next = g a + remainder, and g is
the least-squares ratio over all pairs of swings between which nothing pushes. Large swings weigh
most, so swings at the noise floor say next to nothing; noise that shakes the pair makes remainders,
and these the standard error. The amplitude of an oscillator is the RMS of its displacement and of
its velocity over its frequency, over one swing; of the depth of a contact, which may part in every
swing, it is half the way from a peak to the trough behind it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.method.hooks import any_external
from softdock.loop.spatial.arrays import matrices
from softdock.results.momenta import read_mass_properties

TEN = 10.0  # swings over which growth is stated
FEWEST_PAIRS = 2.0  # of a swing and the next without a push
# of noise that kicks an oscillator, means over neighbouring swings share a part: the spread of
# their ratio is that of so many times fewer pairs
SHARED = 1.5
STANDS_OUT = 0.1  # of the largest swing of a depth: a smaller rise or fall is no swing


class Swings(NamedTuple):
    """NaN: too few swings to tell."""

    growth: float = math.nan  # of the amplitude over ten swings
    error: float = math.nan  # its standard error
    period_s: float = math.nan
    per_s: float = math.nan  # growth rate of the amplitude, 1/s
    per_s_error: float = math.nan

    @property
    def is_growing(self) -> bool:
        """Beyond two standard errors."""
        return self.growth > 2.0 * self.error


def _fit_growth(a: np.ndarray, b: np.ndarray, pairs: float, swing: float) -> Swings:
    """From amplitudes and those one swing later; `pairs`: how many of them are independent; `swing`
    [s]."""
    whole = float(np.mean(a * a))
    if not whole > 0.0:
        return Swings()
    ratio = float(np.mean(a * b)) / whole
    left = float(np.mean((b - ratio * a) ** 2)) * pairs / max(pairs - 1.0, 1.0 / SHARED)
    if not ratio > 0.0:
        return Swings()
    rate = math.log(ratio) / swing
    spread = math.sqrt(left / (pairs * whole)) / ratio / swing
    tenfold = math.exp(min(TEN * swing * rate, 700.0))
    return Swings(
        growth=tenfold - 1.0,
        error=tenfold * TEN * swing * spread,
        period_s=swing,
        per_s=rate,
        per_s_error=spread,
    )


def fit_oscillator_swings(
    time: np.ndarray, y: np.ndarray, v: np.ndarray, frequency: float, free: np.ndarray
) -> Swings:
    """Of a coordinate y and its rate v, one row a cycle, that swing at about `frequency` [rad/s].
    `free`: of every row but the first, whether nothing pushed in the cycle before it."""
    cycle = float(time[1] - time[0])
    z = y + 1j * v / frequency
    stretches = _find_free_stretches(free)
    lag = max(round(2.0 * math.pi / _measure_frequency(z, stretches, cycle, frequency) / cycle), 1)
    before, after, pairs = [], [], 0.0
    for first, end in stretches:
        whole = (end - first) // lag * lag
        if whole < 2 * lag:
            continue
        # a constant force moves the rest, not the swings
        part = z[first:end] - z[first : first + whole].mean()
        sums = np.cumsum(np.concatenate([[0.0], np.abs(part) ** 2]))
        size = np.sqrt(np.maximum(sums[lag:] - sums[:-lag], 0.0) / lag)  # over one swing
        before.append(size[:-lag])
        after.append(size[lag:])
        pairs += (end - first) / lag - 1.0
    if pairs < FEWEST_PAIRS:
        return Swings()
    a, b = np.concatenate(before), np.concatenate(after)
    return _fit_growth(a, b, pairs / SHARED, lag * cycle)


def _measure_frequency(
    z: np.ndarray, stretches: list[tuple[int, int]], cycle: float, frequency: float
) -> float:
    """Angular frequency at which z goes round [rad/s]: a contact in reach of the swings makes them
    faster than the latch alone. `frequency` where they do not tell."""
    turned, size = 0.0, 0.0
    for first, end in stretches:
        part = z[first:end] - z[first:end].mean()
        turned += float(np.vdot(part[1:], part[:-1]).imag)  # large swings weigh most
        size += float(np.vdot(part[1:], part[1:]).real)
    pace = abs(turned) / (cycle * size) if size > 0.0 else 0.0
    return pace if 0.5 * frequency < pace < 2.0 * frequency else frequency


def fit_depth_swings(time: np.ndarray, depth: np.ndarray, free: np.ndarray) -> Swings:
    """Of the depth of a contact that is still on, from its begin: the first peak is the impact and
    is left out. `free`: as of `fit_oscillator_swings`."""
    peaks, troughs = _find_turning_points(depth)
    number = min(len(peaks), len(troughs))
    if number < 2:
        return Swings()
    peaks, troughs = peaks[1:number], troughs[1:number]
    size = 0.5 * (_refine_extrema(depth, peaks) - _refine_extrema(depth, troughs))
    pushes = np.concatenate([[0], np.cumsum(~free)])
    still = pushes[troughs[1:]] == pushes[peaks[:-1]]
    a, b = size[:-1][still], size[1:][still]
    if len(a) < FEWEST_PAIRS:
        return Swings()
    return _fit_growth(
        a, b, float(len(a)), float(np.mean((time[peaks[1:]] - time[peaks[:-1]])[still]))
    )


def _find_free_stretches(free: np.ndarray) -> list[tuple[int, int]]:
    """Rows, first and behind the last, of the stretches between which something pushes."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], free.astype(int), [0]])))
    return [(int(i), int(j) + 1) for i, j in zip(edges[::2], edges[1::2], strict=True)]


def _find_turning_points(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of maxima and of the minima that follow them, each standing out by STANDS_OUT of the
    largest way from the deepest point."""
    if len(x) == 0:
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    least = STANDS_OUT * float(np.max(x) - min(float(np.min(x)), 0.0))
    turns: tuple[list[int], list[int]] = ([], [])
    best, up = 0, 1.0
    for i, value in enumerate(map(float, x)):
        if up * value > up * float(x[best]):
            best = i
        elif up * (float(x[best]) - value) > least:
            turns[0 if up > 0.0 else 1].append(best)
            best, up = i, -up
    return np.array(turns[0], dtype=int), np.array(turns[1], dtype=int)


def _refine_extrema(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Values at turning points, by a parabola through the rows beside them."""
    inside = np.clip(rows, 1, len(x) - 2)
    low, middle, high = x[inside - 1], x[inside], x[inside + 1]
    bend = 2.0 * middle - low - high
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.where(bend != 0.0, (high - low) ** 2 / (8.0 * bend), 0.0)
    is_turn = (middle - low) * (middle - high) >= 0.0
    return np.where(is_turn, middle + more, x[rows])


# In which cycles of a recorded motion something pushes the satellites: thrusters, a hand, a
# schedule.
#
# In: a run's or the reference's series. What pushes is seen in the momenta of the pair, which
# contact and latches leave alone: the change within a cycle stands out from the usual one (a
# constant force and the slow tide are usual, and only move the rest about which a pair swings).
# With a fixed body, or masses that differ per axis, it is seen in the power of the external work.

ENDS = ("chaser", "target")
SHARE_THAT_STANDS_OUT = 10.0  # of the usual (median) change within a cycle
# of the momentum in the swings: a change within a cycle that does not matter, and the most that is
# taken for the tide and for the loop's own imbalance
NEGLIGIBLE, USUAL = 1e-6, 1e-4


def is_pushed(scenario: Any) -> bool:
    """Whether a schedule or a method may push the satellites; the tide does not count."""
    tables = scenario.tables
    rows = any(tables[kind][body]["rows"] for kind in ("hand", "external") for body in ENDS)
    return bool(rows or any_external(scenario.markers.methods))


def find_unpushed(scenario: Any, series: Mapping[str, Any], first: int) -> np.ndarray:
    """Of every row behind `first`, whether nothing pushed in the cycle that ended there."""
    free = np.ones(max(len(series["time"]) - first - 1, 0), dtype=bool)
    if not is_pushed(scenario) or len(free) == 0:
        return free
    bodies = read_mass_properties(scenario.vector)
    if bodies.any_fixed or not bodies.is_isotropic:
        work = np.diff(series["energy.external"][first:])[:, None]
        return free & ~_find_outliers(work, float(np.abs(work).max(initial=0.0)))
    linear, angular, in_swings, about = _compute_momenta(bodies, series, first)
    free &= ~_find_outliers(np.diff(linear, axis=0), in_swings)
    return free & ~_find_outliers(np.diff(angular, axis=0), about)


def _find_outliers(changes: np.ndarray, scale: float) -> np.ndarray:
    """Where the usual change is more than USUAL of `scale`, a force that varies pushes all the
    time, and every cycle counts as pushed."""
    size = np.linalg.norm(changes - np.median(changes, axis=0), axis=1)
    usual = float(np.median(size))
    if usual > USUAL * scale:
        usual = 0.0
    return np.asarray(size > max(SHARE_THAT_STANDS_OUT * usual, NEGLIGIBLE * scale))


def _compute_momenta(
    bodies: Any, series: Mapping[str, Any], first: int
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Of the pair at every row, linear and about the common centre of mass, world axes; and what
    its bodies have against each other: RMS of the same of the chaser alone."""
    share = bodies.mass[:, 0] / bodies.mass[:, 0].sum()
    p, v = (
        np.stack([series[f"{body}.{part}"][first:] for body in ENDS])
        for part in ("position", "velocity")
    )
    p, relative = p - np.tensordot(share, p, 1), v - np.tensordot(share, v, 1)
    own = bodies.mass[:, :1, None] * relative
    whole = np.tensordot(bodies.mass[:, 0], v, 1)
    spins = np.stack(
        [
            np.einsum("kij,jl,kl->ki", matrices(series[f"{b}.attitude"][first:]), inertia, rate)
            for b, inertia in zip(ENDS, bodies.inertia, strict=True)
            for rate in (series[f"{b}.rate"][first:],)
        ]
    )
    about = np.sum(np.cross(p, own) + spins, axis=0)
    swinging = own[0] - own[0].mean(axis=0)
    turning = spins[0] - spins[0].mean(axis=0)
    arm = float(np.sqrt(np.mean(np.sum(p[0] ** 2, axis=1))))
    in_swings = float(np.sqrt(np.mean(np.sum(swinging**2, axis=1))))
    return whole, about, in_swings, arm * in_swings + float(np.sqrt(np.mean(turning**2)))
