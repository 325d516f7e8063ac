"""The tangential loop of a late friction: its closed forms against roots and against the loop
itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock.errors import BadInput
from softdock.studies.stability.friction import (
    critical_damper,
    critical_normal_force,
    growth,
    swing,
)


def late_friction(mass, friction, normal, slip, n, T, cycles, start):
    """Sliding speeds of m v' = -mu N v / sqrt(v^2 + v_0^2), the force n cycles late and held."""
    v = [start] * (n + 1)
    for _ in range(cycles):
        seen = v[-1 - n]
        v.append(v[-1] - T / mass * friction * normal * seen / math.hypot(seen, slip))
    return np.array(v)


@pytest.mark.parametrize("n", [0, 1, 2, 4, 8])
def test_the_bound_is_where_the_roots_cross(n):
    """Just below the closed form the sampled loop decays, just above it grows."""
    bound = critical_damper(20.0, n * 0.004, 0.004)
    assert growth(20.0, 0.999 * bound, n * 0.004, 0.004) < 1.0
    assert growth(20.0, 1.001 * bound, n * 0.004, 0.004) > 1.0


def test_the_hold_is_half_a_cycle():
    """The sampled bound is the continuous one with half a cycle more delay, for long delays."""
    sampled = critical_damper(20.0, 0.064, 0.001)
    assert sampled == pytest.approx(critical_damper(20.0, 0.0645), rel=1e-4)


def test_between_two_whole_delays():
    """A fraction of a cycle lies between its neighbours."""
    low, middle, high = (critical_damper(5.0, n * 0.004, 0.004) for n in (5, 4.4, 4))
    assert low < middle < high


def test_the_loop_itself():
    """Full friction law, small start: below the bound sliding dies, above it swings by about the
    amount that one delay of full friction makes."""
    mass, mu, slip, n, T = 63.0, 0.3, 1e-3, 4, 0.004
    bound = critical_normal_force(mass, mu, slip, n * T, T)
    calm = late_friction(mass, mu, 0.9 * bound, slip, n, T, 4000, 1e-6)
    wild = late_friction(mass, mu, 5.0 * bound, slip, n, T, 4000, 1e-6)
    assert np.abs(calm[-100:]).max() < 1e-9
    expected = swing(mass, mu, 5.0 * bound, n * T, T)
    assert np.abs(wild[-100:]).max() == pytest.approx(expected, rel=0.25)


def test_what_is_no_loop_is_refused():
    """A mass of zero and friction of zero have no bound."""
    with pytest.raises(BadInput):
        critical_damper(0.0, 0.016)
    with pytest.raises(BadInput):
        critical_normal_force(60.0, 0.0, 1e-3, 0.016)
