"""Continuous loops: their rightmost roots against an independent finder, and as limits of
sampled ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softdock.studies.stability import (
    Loop,
    Robot,
    dominant_root,
)
from softdock.studies.stability.roots import find_rightmost_roots, make_delay_equation

PLAIN = Loop(mass=15.6, stiffness=3000.0, damping=60.0, robots=(Robot(delay=0.016),), cycle=0.004)
CONTINUOUS = {
    "delay": replace(PLAIN, cycle=None),
    "lag and filter": Loop(
        60.0,
        1000.0,
        50.0,
        (Robot(delay=0.016, lag=60.0, lag_damping=0.8),),
        lowpass=50.0,
        sensor_delay=0.004,
    ),
    "virtual": Loop(
        60.0, 1000.0, 10.0, (Robot(delay=0.016, lag=60.0),), virtual_damping=30.0, pose_delay=0.016
    ),
    "unstable": Loop(60.0, 1000.0, 5.0, (Robot(delay=0.15),)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_rightmost_roots_against_an_independent_finder(name):
    """The spectral method finds what the mapping algorithm of `qpmr` finds."""
    from qpmr.qpmr_v2 import qpmr

    P, terms = make_delay_equation(CONTINUOUS[name])
    coefficients = np.zeros((len(terms) + 1, len(P)))
    coefficients[0] = P[::-1]
    for row, (_, Q) in zip(coefficients[1:], terms):
        row[: len(Q)] = -Q[::-1]
    found, _ = qpmr(
        [-25.0, 10.0, 0.0, 60.0], coefficients, np.array([0.0, *(tau for tau, _ in terms)]), e=1e-9
    )
    oracle = max(found, key=lambda root: root.real)
    ours = dominant_root(CONTINUOUS[name])
    assert abs(ours - complex(oracle.real, abs(oracle.imag))) < 1e-7


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_loops_are_limits_of_sampled_ones(name):
    """With an ever shorter cycle the sampled dominant root, growth and frequency, becomes the
    continuous one: the error falls with the cycle."""
    loop = CONTINUOUS[name]
    if loop.virtual_damping > 0.0:
        loop = loop.changed(
            virtual_from="simulated"
        )  # sampled loops carry late poses to the force's instant, continuous ones do not
    truth = dominant_root(loop)
    errors = [
        abs(dominant_root(loop.changed(cycle=T, integrator="symplectic_euler")) - truth)
        for T in (0.002, 0.001)
    ]
    assert errors[1] < 0.6 * errors[0]
    assert errors[1] < 0.02 * abs(truth)


def test_rightmost_roots_without_delay_are_those_of_the_polynomial():
    """With zero delay the characteristic roots are the polynomial's, found independently."""
    found = find_rightmost_roots(np.array([2.0, 3.0, 40.0]), [(0.0, np.array([-1.0, -2.0]))], 2)
    assert sorted(found, key=lambda z: z.imag) == pytest.approx(
        sorted(np.roots([2.0, 4.0, 42.0]), key=lambda z: z.imag)
    )
