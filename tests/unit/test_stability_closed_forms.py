"""Closed forms of the continuous loop: each inverts the others, on arrays and on numbers; families
of delays; what cannot be is refused."""

from __future__ import annotations

import numpy as np
import pytest

from softdock.errors import BadInput
from softdock.studies.stability import (
    FreeBody,
    Loop,
    Robot,
    closed_forms,
    critical_damping,
    critical_dampings,
    critical_delay,
    dominant_root,
    effective_mass,
    effective_mass_2d,
    worst_direction,
)

RANDOM = np.random.default_rng(5)
MASS, STIFFNESS = RANDOM.uniform(5.0, 500.0, 300), 10.0 ** RANDOM.uniform(1.0, 5.0, 300)
NOSE = closed_forms.nose(MASS, STIFFNESS)[0]
DELAY = NOSE * RANDOM.uniform(0.001, 0.999, 300)


def test_both_branches_lead_back_to_the_delay():
    """Critical damping and critical delay are inverse to each other, on both branches, up to the
    nose."""
    lower, upper = critical_dampings(MASS, STIFFNESS, DELAY)
    assert np.all(lower < upper)
    for damping in (lower, upper):
        assert critical_delay(MASS, damping, STIFFNESS) == pytest.approx(DELAY, rel=1e-12)


def test_critical_stiffness_and_mass_lead_back():
    """On the boundary the critical stiffness is the stiffness, and the critical mass the mass."""
    lower, _ = critical_dampings(MASS, STIFFNESS, DELAY)
    assert closed_forms.critical_stiffness(MASS, lower, DELAY) == pytest.approx(STIFFNESS, rel=1e-9)
    away = DELAY > 0.05 * NOSE  # a short delay hides the mass
    assert closed_forms.critical_mass(STIFFNESS[away], lower[away], DELAY[away]) == pytest.approx(
        MASS[away], rel=1e-8
    )


def test_beyond_the_nose_no_damping_helps():
    """nan, for numbers and inside arrays; at the nose both branches meet."""
    delay, damping = closed_forms.nose(60.0, 1000.0)
    assert np.isnan(critical_damping(60.0, 1000.0, 1.0001 * delay))
    assert np.isnan(critical_damping(60.0, 1000.0, np.array([0.5, 1.0001]) * delay)).tolist() == [
        False,
        True,
    ]
    assert critical_dampings(60.0, 1000.0, delay * (1.0 - 1e-12)) == pytest.approx(
        (damping, damping), rel=1e-5
    )


def test_without_delay():
    """Any damping is stable; none at all is neutral."""
    assert critical_dampings(60.0, 1000.0, 0.0) == (0.0, np.inf)
    assert critical_delay(60.0, 0.0, 1000.0) == 0.0
    assert closed_forms.critical_mass(1000.0, 0.0, 0.0) == np.inf


def test_a_short_delay_hides_the_mass():
    """h_c is near b / k (Zebenay (112)) for light damping, whatever the mass."""
    for mass in (30.0, 60.0, 120.0):
        assert critical_delay(mass, 1.0, 1000.0) == pytest.approx(
            closed_forms.short_delay_rule(1.0, 1000.0), rel=1e-3
        )


def test_the_family_of_critical_delays():
    """At each of them a pair of poles crosses, and the number of unstable poles grows by two;
    checked with roots of the delay equation."""
    delays = closed_forms.critical_delays(60.0, 50.0, 1000.0, 3)
    assert np.diff(delays) == pytest.approx(
        2.0 * np.pi / closed_forms.crossing_frequency(60.0, 50.0, 1000.0)
    )
    between = [0.5 * delays[0], *(0.5 * (delays[:-1] + delays[1:])), delays[-1] + 0.5]
    assert closed_forms.unstable_poles(60.0, 50.0, 1000.0, np.array(between)).tolist() == [
        0,
        2,
        4,
        6,
    ]
    w = closed_forms.crossing_frequency(60.0, 50.0, 1000.0)
    slope = 4.0 * 60.0**2 * w**3 - 2.0 * 50.0**2 * w  # of m^2 w^4 - k^2 - b^2 w^2 (Zebenay eq. 111)
    assert closed_forms.crossing_speed(60.0, 50.0, 1000.0) == pytest.approx(slope, rel=1e-12)
    assert (
        dominant_root(Loop(60.0, 1000.0, 50.0, (Robot(delay=0.999 * float(delays[0])),))).real < 0.0
    )
    assert dominant_root(
        Loop(60.0, 1000.0, 50.0, (Robot(delay=float(delays[0])),))
    ).real == pytest.approx(0.0, abs=1e-12)


def test_the_family_by_the_argument_principle():
    """How often the closed loop turns about zero counts the same unstable poles."""
    from softdock.studies.stability import unstable_roots

    for delay in (0.02, 0.1, 1.0, 3.0, 5.0):
        loop = Loop(60.0, 1000.0, 50.0, (Robot(delay=delay),))
        assert unstable_roots(loop) == closed_forms.unstable_poles(60.0, 50.0, 1000.0, delay)


@pytest.mark.parametrize(
    "call",
    [
        lambda: critical_delay(60.0, -1.0, 1000.0),
        lambda: critical_delay(60.0, 1.0, 0.0),
        lambda: critical_delay(0.0, 1.0, 1000.0),
        lambda: critical_damping(60.0, 1000.0, -0.01),
        lambda: critical_damping(60.0, np.array([1000.0, np.nan]), 0.01),
        lambda: critical_damping(60.0, 1000.0, 0.01, cycle=0.0),
        lambda: effective_mass((0.0, 0.0, 0.0), FreeBody(1.0)),
        lambda: effective_mass((1.0, 0.0, 0.0)),
        lambda: effective_mass((1.0, 0.0, 0.0), FreeBody(0.0)),
        lambda: effective_mass_2d(60.0, 0.0, 0.3, 0.5),
    ],
)
def test_what_cannot_be_is_refused(call):
    """Zero stiffness, negative damping, no mass, no direction: named, with what is allowed."""
    with pytest.raises(BadInput, match="allowed"):
        call()


def test_effective_mass_of_two_bodies_and_the_worst_direction():
    """Mobilities add; the worst direction has the smallest effective mass of all."""
    inertia = np.array([[30.0, 2.0, -1.5], [2.0, 40.0, 3.0], [-1.5, 3.0, 55.0]])
    one, other = (
        FreeBody(60.0, inertia, (1.0, 0.2, -0.3)),
        FreeBody(150.0, 2.0 * inertia, (-0.5, 0.4, 0.1)),
    )
    n = np.array([0.3, -0.5, 0.8])
    n /= np.linalg.norm(n)
    by_hand = sum(
        1.0 / b.mass + np.cross(b.arm, n) @ np.linalg.solve(b.inertia, np.cross(b.arm, n))
        for b in (one, other)
    )
    assert 1.0 / effective_mass(n, one, other) == pytest.approx(by_hand, rel=1e-13)
    direction, smallest, largest = worst_direction(one, other)
    assert effective_mass(direction, one, other) == pytest.approx(smallest, rel=1e-12)
    directions = RANDOM.standard_normal((500, 3))
    masses = [effective_mass(d, one, other) for d in directions]
    assert smallest * (1.0 - 1e-12) <= min(masses)
    assert max(masses) <= largest * (1.0 + 1e-12)


def test_limits_of_the_planar_effective_mass():
    """Zebenay's four cases: frontal, parallel, much inertia, little inertia."""
    assert effective_mass_2d(60.0, 1.4, 0.3, np.pi / 2.0) == pytest.approx(60.0)
    assert effective_mass_2d(60.0, 1.4, 0.3, 0.0) == pytest.approx(60.0 / (1.0 + 60.0 * 0.09 / 1.4))
    assert effective_mass_2d(60.0, 1e9, 0.3, 0.5) == pytest.approx(60.0)
    assert effective_mass_2d(60.0, 1e-6, 0.3, 0.5) == pytest.approx(
        1e-6 / (0.3 * np.cos(0.5)) ** 2, rel=1e-5
    )
