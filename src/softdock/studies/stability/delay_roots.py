"""Rightmost roots of a linear delay equation, P(s) = sum_i Q_i(s) exp(-s tau_i), by a spectral
method of our own.

The equation is written as x' = A_0 x + sum_i A_i x(t - tau_i) in companion form. The history over
the longest delay is held at Chebyshev points, where differentiation is a matrix: its eigenvalues
approximate the roots, the rightmost best (Breda, Maset and Vermiglio 2005). Newton's method on the
equation itself then refines each to rounding. Polynomials have the highest power first; Q_i has a
lower degree than P.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
    nodes, differentiate = _chebyshev(points)
    size = n * (points + 1)
    A = np.zeros((size, size))
    A[n:, :] = np.kron(differentiate[1:, :], np.eye(n))  # the history moves on
    A[: n - 1, 1:n] = np.eye(n - 1)
    A[n - 1, :n] -= P[:0:-1] * scale[:n]
    for tau, Q in terms:
        row = np.zeros(n)
        row[: len(Q)] = Q[::-1] * scale[: len(Q)]
        weights = _interpolation(nodes, -tau / longest)
        A[n - 1, :] += np.kron(weights, row)
    return A


def _chebyshev(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on [-1, 0], the first at 0, and the matrix that differentiates a polynomial given
    there."""
    x = np.cos(np.pi * np.arange(points + 1) / points)
    c = np.where((np.arange(points + 1) % points) == 0, 2.0, 1.0) * (-1.0) ** np.arange(points + 1)
    D = np.outer(c, 1.0 / c) / (x[:, None] - x[None, :] + np.eye(points + 1))
    D -= np.diag(D.sum(axis=1))
    return 0.5 * (x - 1.0), 2.0 * D


def _interpolation(nodes: np.ndarray, at: float) -> np.ndarray:
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
    kept: list[complex] = []
    for root in s[good]:
        if all(abs(root - other) > 1e-8 * (abs(root) + 1e-12) for other in kept):
            kept.append(complex(root))
    return np.array(kept)
