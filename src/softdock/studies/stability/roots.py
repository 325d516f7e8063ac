"""Roots of the closed loop: of the lifted matrix, of the characteristic polynomial, of the delay
equation; and how many of them grow.

Three ways that must agree: eigenvalues of the loop over one sampling pattern, roots of the
polynomial that `response` gives, and the turns of the closed loop about zero along the boundary
(the argument principle), which is the fastest and decides whether a loop is stable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from softdock.studies.stability.array_loop import ArrayLoop
from softdock.studies.stability.loop import Loop
from softdock.studies.stability.response import SampledResponse, compute_response, get_coefficients
from softdock.studies.stability.time_limit import check_time_limit

# Rightmost roots of a linear delay equation, P(s) = sum_i Q_i(s) exp(-s tau_i), by a spectral
# method of our own.
#
# The equation is written as x' = A_0 x + sum_i A_i x(t - tau_i) in companion form. The history over
# the longest delay is held at Chebyshev points, where differentiation is a matrix: its eigenvalues
# approximate the roots, the rightmost best (Breda, Maset and Vermiglio 2005). Newton's method on
# the equation itself then refines each to rounding. Polynomials have the highest power first; Q_i
# has a lower degree than P.

Term = tuple[float, np.ndarray]  # delay tau [s] and Q

POINTS = 24
NEWTON_STEPS = 30


def find_rightmost_roots(
    P: np.ndarray, terms: Sequence[Term], count: int = 2, points: int = POINTS
) -> np.ndarray:
    """The roots with the largest real parts [1/s], the rightmost first; a complex pair is two."""
    P = np.asarray(P, float)
    longest = max((tau for tau, _ in terms), default=0.0)
    if longest == 0.0:
        total = P.copy()
        for _, Q in terms:
            total[len(P) - len(Q) :] -= Q
        found = np.roots(total)
    else:
        guesses = np.linalg.eigvals(_make_generator(P, terms, longest, points)) / longest
        found = _refine_roots(P, terms, guesses[np.argsort(-guesses.real)][: 4 * count + 8])
    return found[np.argsort(-found.real, kind="stable")][:count]


def _make_generator(
    P: np.ndarray, terms: Sequence[Term], longest: float, points: int
) -> np.ndarray:
    """The matrix whose eigenvalues are roots times the longest delay."""
    n = len(P) - 1
    scale = (
        longest ** (n - np.arange(n + 1.0)) / P[0]
    )  # time in units of the longest delay, the highest power with factor 1
    nodes, differentiate = _make_chebyshev_points(points)
    size = n * (points + 1)
    A = np.zeros((size, size))
    A[n:, :] = np.kron(differentiate[1:, :], np.eye(n))  # the history moves on
    A[: n - 1, 1:n] = np.eye(n - 1)
    A[n - 1, :n] -= P[:0:-1] * scale[:n]
    for tau, Q in terms:
        row = np.zeros(n)
        row[: len(Q)] = Q[::-1] * scale[: len(Q)]
        weights = _make_interpolation(nodes, -tau / longest)
        A[n - 1, :] += np.kron(weights, row)
    return A


def _make_chebyshev_points(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on [-1, 0], the first at 0, and the matrix that differentiates a polynomial given
    there."""
    x = np.cos(np.pi * np.arange(points + 1) / points)
    c = np.where((np.arange(points + 1) % points) == 0, 2.0, 1.0) * (-1.0) ** np.arange(points + 1)
    D = np.outer(c, 1.0 / c) / (x[:, None] - x[None, :] + np.eye(points + 1))
    D -= np.diag(D.sum(axis=1))
    return 0.5 * (x - 1.0), 2.0 * D


def _make_interpolation(nodes: np.ndarray, at: float) -> np.ndarray:
    """Barycentric weights of the values at Chebyshev points."""
    gap = at - nodes
    hit = np.argmin(np.abs(gap))
    if abs(gap[hit]) < 1e-14:
        return np.eye(len(nodes))[hit]
    weights = (-1.0) ** np.arange(len(nodes))
    weights[[0, -1]] *= 0.5
    return weights / gap / np.sum(weights / gap)


def _refine_roots(P: np.ndarray, terms: Sequence[Term], guesses: np.ndarray) -> np.ndarray:
    """Newton's method on all guesses; those that do not converge are left out, and each root is
    kept once."""
    s = guesses.astype(complex)
    dP = np.polyder(P)
    size = np.zeros(len(s))
    value = s
    for _ in range(NEWTON_STEPS):
        value, slope, size = np.polyval(P, s), np.polyval(dP, s), np.polyval(np.abs(P), np.abs(s))
        for tau, Q in terms:
            decay = np.exp(np.clip(-(s * tau).real, -700.0, 700.0) - 1j * (s * tau).imag)
            value = value - np.polyval(Q, s) * decay
            slope = slope - (np.polyval(np.polyder(Q), s) - tau * np.polyval(Q, s)) * decay
            size = size + np.polyval(np.abs(Q), np.abs(s)) * np.abs(decay)
        s = s - value / slope
    good = (
        np.isfinite(s)
        & (np.abs(value) <= 1e-9 * size)
        & (np.abs(s - guesses) <= 0.5 * np.abs(guesses) + 1e-9)
    )
    distinct: list[complex] = []
    for root in s[good]:
        if all(abs(root - other) > 1e-8 * (abs(root) + 1e-12) for other in distinct):
            distinct.append(complex(root))
    return np.array(distinct)


LARGE_STEP = 0.8  # rad; along a curve whose turns are counted
MOST_REFINEMENTS = 44  # halvings of a step: then a root is on the boundary to rounding


def lifted_matrix(loop: Loop) -> np.ndarray:
    """State of the linear loop (a contact that may pull for ever) one sampling pattern later, from
    the state now."""
    arrays = ArrayLoop(loop, 1)
    n = len(arrays.state)
    arrays = ArrayLoop(loop, n)
    arrays.state[:] = np.eye(n)
    for k in range(loop.pattern):
        force = arrays.get_felt().copy()
        if loop.is_hybrid:
            depth, rate = arrays.get_seen_motion(k)
            force += loop.virtual_stiffness * depth + loop.virtual_damping * rate
        arrays.advance(k, force, lambda depth, rate: loop.stiffness * depth + loop.damping * rate)
    return arrays.state


def dominant_root(loop: Loop) -> complex:
    """The root that grows fastest, or decays slowest, as s [1/s]; with Im s >= 0. Sampled: s =
    log(z) / cycle."""
    if loop.cycle is None:
        P, terms = make_delay_equation(loop)
        root = complex(find_rightmost_roots(P, terms, 1)[0])
    else:
        z = _polish_root(loop, _compute_sampled_roots(loop))
        root = complex(np.log(complex(z))) / (loop.cycle * loop.pattern)
    return complex(root.real, abs(root.imag))


def _polish_root(loop: Loop, roots: np.ndarray) -> complex:
    """The largest root, refined by Newton's method on the polynomial where there is one."""
    z = complex(roots[np.argmax(np.abs(roots))])
    if loop.pattern == 1:
        answer = compute_response(loop)
        assert isinstance(answer, SampledResponse)
        p = answer.polynomial(loop.mass, get_coefficients(loop))
        slope = np.polyder(p)
        for _ in range(3):
            z -= complex(np.polyval(p, z) / np.polyval(slope, z))
    return z


def _compute_sampled_roots(loop: Loop) -> np.ndarray:
    check_time_limit()
    if loop.pattern != 1:
        return np.linalg.eigvals(lifted_matrix(loop))
    answer = compute_response(loop)
    assert isinstance(answer, SampledResponse)
    return np.roots(answer.polynomial(loop.mass, get_coefficients(loop)))


def spectral_radius(loop: Loop) -> float:
    """Growth of the sampled loop a cycle: stable below 1."""
    assert loop.cycle is not None
    return float(np.max(np.abs(_compute_sampled_roots(loop))) ** (1.0 / loop.pattern))


def compute_growth(loop: Loop) -> float:
    """Growth rate of the dominant root [1/s]: stable below 0."""
    return dominant_root(loop).real


def make_delay_equation(loop: Loop) -> tuple[np.ndarray, list[Term]]:
    """P and (tau, Q) of the continuous loop: P(s) = sum Q(s) exp(-s tau)."""
    filters = (
        np.array([1.0 / (2.0 * np.pi * loop.lowpass), 1.0])
        if loop.lowpass > 0.0
        else np.array([1.0])
    )
    lags = {(r.lag, r.lag_damping) for r in loop.robots if r.lag > 0.0}

    def followers(leave_out: tuple[float, float] | None = None) -> np.ndarray:
        product = np.array([1.0])
        for w, zeta in lags:
            if (w, zeta) != leave_out:
                product = np.convolve(product, [1.0 / (w * w), 2.0 * zeta / w, 1.0])
        return product

    P = np.convolve(loop.mass * np.array([1.0, 0.0, 0.0]), np.convolve(followers(), filters))
    terms: list[Term] = []
    for r in loop.robots:
        others = followers((r.lag, r.lag_damping) if r.lag > 0.0 else None)
        terms.append(
            (
                r.delay + loop.sensor_delay,
                -r.share * np.convolve([loop.damping, loop.stiffness], others),
            )
        )
        if loop.is_hybrid and loop.virtual_from == "measured":
            terms.append(
                (
                    r.delay + loop.pose_delay,
                    -r.share
                    * np.convolve(
                        [loop.virtual_damping, loop.virtual_stiffness], np.convolve(others, filters)
                    ),
                )
            )
    if loop.is_hybrid and loop.virtual_from == "simulated":
        terms.append(
            (
                0.0,
                -np.convolve(
                    [loop.virtual_damping, loop.virtual_stiffness],
                    np.convolve(followers(), filters),
                ),
            )
        )
    return P, terms


def unstable_roots(loop: Loop) -> int | None:
    """How many roots grow, by how often the closed loop turns about zero along the boundary; None:
    a root is on it."""
    answer = compute_response(loop)
    given, mass = get_coefficients(loop), loop.mass
    turned = _measure_turn(lambda w: answer.closed(w, mass, given), answer.ends(mass, given))
    if turned is None:
        return None
    half_turns = round(turned / np.pi)
    return -half_turns if isinstance(answer, SampledResponse) else 1 - half_turns


def _measure_turn(closed: Callable[[np.ndarray], np.ndarray], w: np.ndarray) -> float | None:
    """Angle through which a curve turns about zero, with points added until each step is small;
    None: it passes through zero."""
    values = closed(w)
    for _ in range(MOST_REFINEMENTS):
        check_time_limit()
        steps = np.angle(values[1:] * np.conj(values[:-1]))
        large = np.flatnonzero(np.abs(steps) > LARGE_STEP)
        if large.size == 0:
            return float(steps.sum())
        middle = 0.5 * (w[large] + w[large + 1])
        if np.any(middle <= w[large]) or np.any(middle >= w[large + 1]):
            return None
        w, values = np.insert(w, large + 1, middle), np.insert(values, large + 1, closed(middle))
    return None


def is_stable(loop: Loop) -> bool:
    """Whether every root decays."""
    if loop.cycle is not None and loop.pattern != 1:
        return compute_growth(loop) < 0.0
    return unstable_roots(loop) == 0
