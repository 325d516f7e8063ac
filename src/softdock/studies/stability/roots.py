"""Roots of the closed loop: of the lifted matrix, of the characteristic polynomial, of the delay
equation; and how many of them grow.

Three ways that must agree: eigenvalues of the loop over one sampling pattern, roots of the
polynomial that `response` gives, and the turns of the closed loop about zero along the boundary
(the argument principle), which is the fastest and decides whether a loop is stable.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softdock.studies.stability.array_loop import ArrayLoop
from softdock.studies.stability.delay_roots import Term, find_rightmost_roots
from softdock.studies.stability.loop import Loop
from softdock.studies.stability.response import SampledResponse, compute_response, get_coefficients
from softdock.studies.stability.time_limit import check_time_limit

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
        force = arrays.reading().copy()
        if loop.is_hybrid:
            depth, rate = arrays.seen(k)
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
