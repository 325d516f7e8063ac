"""Where the loop turns unstable as one of its parameters changes: all crossings of the unit circle
(of the axis), then which stretches are stable.

Along a parameter p that enters linearly, mass D = base + p N: at each frequency one complex p, and
a crossing where it is real. For the mass itself, p = mass and D and the sum of the N change places.
The sampled loop also crosses at z = -1, where everything is real.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from softdock.studies.stability.loop import Loop
from softdock.studies.stability.response import (
    COEFFICIENTS,
    ContinuousResponse,
    SampledResponse,
    compute_response,
    get_coefficients,
)
from softdock.studies.stability.roots import is_stable

Parts = Callable[
    [np.ndarray], tuple[np.ndarray, np.ndarray]
]  # frequency to (what must be met, what the parameter multiplies)

STEPS = 40  # most, of the search for a crossing
CONVERGED, ROUNDING = 1e-15, 1e-14  # relative, of a frequency; of a sine
# sine of an angle: where everything is real to rounding (no delay at all), nothing crosses
NOISE = 1e-12
SMALL = 0.1  # sine of an angle: only cells where it comes below are looked into
FINER = 33  # points within a grid cell where two crossings may hide
FARTHEST = 1e6  # of the parameter's own scale; crossings beyond are of no use to anybody


def find_crossings(loop: Loop, name: str) -> np.ndarray:
    """Positive values of a parameter (mass, or one of `COEFFICIENTS`) at which a root crosses,
    rising. The others are the loop's own."""
    answer = compute_response(loop)
    parts = _split_parts(loop, name, answer)
    grid = answer.grid()
    frequencies = _find_zeros(parts, grid)
    if isinstance(answer, SampledResponse):
        frequencies = np.append(frequencies, np.pi)
    wanted, factor = parts(frequencies)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = (wanted / factor).real
    return np.unique(
        values[
            np.isfinite(values) & (values > 0.0) & (values < FARTHEST * _choose_scale(loop, name))
        ]
    )


def _choose_scale(loop: Loop, name: str) -> float:
    stiffness = loop.stiffness + loop.virtual_stiffness
    return {"mass": loop.mass, "stiffness": stiffness, "virtual_stiffness": stiffness}.get(
        name, math.sqrt(stiffness * loop.mass)
    )


def _split_parts(loop: Loop, name: str, answer: SampledResponse | ContinuousResponse) -> Parts:
    given = get_coefficients(loop)
    if name == "mass":

        def mass_parts(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            D, N = answer.at(w)
            return given @ N, D

        return mass_parts
    chosen = COEFFICIENTS.index(name)
    given[chosen] = 0.0

    def parts(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        D, N = answer.at(w)
        return loop.mass * D - given @ N, N[chosen]

    return parts


def _compute_imaginary(parts: Parts, w: np.ndarray) -> np.ndarray:
    """Sine of the angle between what is wanted and the parameter's factor: zero where the parameter
    is real."""
    wanted, factor = parts(w)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (wanted * np.conj(factor)).imag / (np.abs(wanted) * np.abs(factor))
    return np.nan_to_num(found)


def _find_zeros(parts: Parts, grid: np.ndarray) -> np.ndarray:
    g = _compute_imaginary(parts, grid)
    # a local approach to zero without a change of sign may hide two crossings: look closer there
    size = np.abs(g)
    lowest = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (size[1:-1] < SMALL)
    near = np.flatnonzero(lowest & (g[1:-1] * g[:-2] > 0.0) & (g[1:-1] * g[2:] > 0.0)) + 1
    if near.size:
        extra = np.unique(
            np.concatenate([np.linspace(grid[i - 1], grid[i + 1], FINER) for i in near])
        )
        grid, g = (
            np.concatenate([grid, extra]),
            np.concatenate([g, _compute_imaginary(parts, extra)]),
        )
        order = np.argsort(grid)
        grid, g = grid[order], g[order]
    clear = np.maximum(np.abs(g[:-1]), np.abs(g[1:])) > NOISE
    at = np.flatnonzero((g[:-1] * g[1:] < 0.0) & clear)
    return _refine_zeros(parts, grid[at], grid[at + 1], g[at], g[at + 1])


def _refine_zeros(
    parts: Parts, a: np.ndarray, b: np.ndarray, g_a: np.ndarray, g_b: np.ndarray
) -> np.ndarray:
    """Zeros between a and b, all at once: false position, with the end that stays halved
    (Illinois)."""
    c = 0.5 * (a + b)
    for step in range(STEPS if a.size else 0):
        before = c
        c = 0.5 * (a + b) if step % 5 == 4 else (a * g_b - b * g_a) / (g_b - g_a)
        g_c = _compute_imaginary(parts, c)
        if np.all((np.abs(c - before) <= CONVERGED * c) | (np.abs(g_c) <= ROUNDING)):
            break
        same = np.sign(g_c) == np.sign(g_b)
        a, g_a = np.where(same, a, b), np.where(same, 0.5 * g_a, g_b)
        b, g_b = c, np.where(g_c == 0.0, -1e-300 * np.sign(g_a), g_c)  # never 0 - 0 in the quotient
    return c


def stable_stretch(loop: Loop, name: str, near: float | None = None) -> tuple[float, float] | None:
    """The stretch of a parameter in which the loop is stable: the one that holds `near`, or else
    the lowest. None: there is none.

    From 0 where it begins there, to inf where it has no end.
    """
    if loop.cycle is not None and loop.pattern != 1:
        return _search_stretch(loop, name, near)
    edges = [0.0, *find_crossings(loop, name), math.inf]
    stretches = list(itertools.pairwise(edges))
    if near is not None:
        stretches.sort(
            key=lambda ends: not ends[0] <= near <= ends[1]
        )  # the one that holds it first; sort keeps the order of the others
    for low, high in stretches:
        inside = (
            0.5 * (low + high)
            if math.isfinite(high)
            else (2.0 * low if low > 0.0 else _choose_scale(loop, name))
        )
        if inside > low * (1.0 + 1e-12) and is_stable(loop.changed(**{name: inside})):
            return _join_stretches(loop, name, low, high, edges)
    return None


def _join_stretches(
    loop: Loop, name: str, low: float, high: float, edges: list[float]
) -> tuple[float, float]:
    """A stable stretch with the neighbours that are stable too: a root may touch the boundary
    without crossing, and the mass has no part in such."""
    at = edges.index(high)
    while math.isfinite(high):
        nxt = edges[at + 1]
        inside = 0.5 * (high + nxt) if math.isfinite(nxt) else 2.0 * high
        if inside <= high * (1.0 + 1e-9) or not is_stable(loop.changed(**{name: inside})):
            break
        high, at = nxt, at + 1
    return low, high


def _search_stretch(loop: Loop, name: str, near: float | None) -> tuple[float, float] | None:
    """By scanning and bisection on the growth: for sampling that repeats only after several
    cycles."""
    scale = _choose_scale(loop, name)
    values = np.geomspace(1e-4 * scale, 1e3 * scale, 57)
    if near is not None and near > 0.0:
        values = np.unique(np.append(values, near))
    good = [is_stable(loop.changed(**{name: float(v)})) for v in values]
    if not any(good):
        return None
    first = good.index(True)
    if near is not None and near > 0.0 and good[int(np.searchsorted(values, near))]:
        first = int(np.searchsorted(values, near))
        while first > 0 and good[first - 1]:
            first -= 1
    last = first
    while last + 1 < len(values) and good[last + 1]:
        last += 1
    low = 0.0 if first == 0 else _bisect(loop, name, values[first - 1], values[first])
    high = (
        math.inf if last + 1 == len(values) else _bisect(loop, name, values[last + 1], values[last])
    )
    return low, high


def _bisect(loop: Loop, name: str, unstable: float, stable: float) -> float:
    for _ in range(45):
        middle = 0.5 * (unstable + stable)
        if is_stable(loop.changed(**{name: middle})):
            stable = middle
        else:
            unstable = middle
    return float(0.5 * (unstable + stable))


def parametric_boundary(
    loop: Loop, frequencies: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness and damping of the real contact for which a root stands on the boundary, at each
    frequency [rad/s, N/m, Ns/m]."""
    answer = compute_response(loop)
    per_second = loop.cycle or 1.0
    w = answer.grid() / per_second if frequencies is None else np.asarray(frequencies, float)
    D, N = answer.at(w * per_second)
    virtual = get_coefficients(loop)[2:]
    wanted = loop.mass * D - virtual @ N[2:]
    k, b = N[0], N[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        determinant = (k * np.conj(b)).imag
        return (
            w,
            (wanted * np.conj(b)).imag / determinant,
            -(wanted * np.conj(k)).imag / determinant,
        )
