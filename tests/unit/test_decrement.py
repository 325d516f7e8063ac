"""Growth of swings, its standard error, and which cycles something pushes: against oscillators
whose growth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock.results.decrement import Swings, fit_depth_swings, fit_oscillator_swings
from softdock.results.latches import compute_excess_growth

CYCLE, FREQUENCY = 0.004, 2.0  # s, rad/s
SWING = 2.0 * math.pi / FREQUENCY


def oscillator(growth, swings, kicks=0.0, chance=None, pace=FREQUENCY):
    """z of an oscillator that grows at `growth` [1/s] and is kicked by white noise."""
    rows = round(swings * SWING / CYCLE)
    step = np.exp((growth + 1j * pace) * CYCLE)
    z = np.zeros(rows, dtype=complex)
    z[0] = 1.0
    noise = np.zeros(rows) if chance is None else kicks * chance.standard_normal(rows)
    for k in range(1, rows):
        z[k] = step * z[k - 1] + 1j * noise[k]
    return z


def measured(z, free=None):
    time = CYCLE * np.arange(len(z))
    free = np.ones(len(z) - 1, dtype=bool) if free is None else free
    return fit_oscillator_swings(time, z.real, FREQUENCY * z.imag, FREQUENCY, free)


@pytest.mark.parametrize("growth", [-0.1, -0.01, 0.0, 0.02])
def test_the_decrement_of_a_clean_oscillator(growth):
    """Growth over ten swings, rate and period to 1 %, with a standard error of nothing; a constant
    force that moves the rest changes none of it."""
    for rest in (0.0, 0.7):
        found = measured(oscillator(growth, 12.3) + rest)
        assert found.per_s == pytest.approx(growth, rel=0.01, abs=1e-4)
        assert found.growth == pytest.approx(math.expm1(10.0 * SWING * growth), abs=0.01)
        assert found.period_s == pytest.approx(SWING, rel=0.01)
        assert found.error < 0.01


def test_a_stiffer_swing_than_the_mode_says():
    """A contact in reach makes swings faster than the latch's own mode: the growth is still that of
    the motion, over swings of the motion's period."""
    found = measured(oscillator(0.02, 12.0, pace=1.2 * FREQUENCY))
    assert found.per_s == pytest.approx(0.02, rel=0.02)
    assert found.period_s == pytest.approx(SWING / 1.2, rel=0.02)


def test_the_standard_error_is_that_of_the_noise():
    """Kicked by white noise, 60 draws from seed 291: the true growth is within two standard errors
    in nine of ten, none is called growing, and the deviation of the draws is the error stated."""
    chance = np.random.default_rng(291)
    found = [measured(oscillator(-0.003, 20.0, 5e-4, chance)) for _ in range(60)]
    off = np.array([one.per_s + 0.003 for one in found])
    errors = np.array([one.per_s_error for one in found])
    assert np.mean(np.abs(off) < 2.0 * errors) >= 0.85
    assert np.std(off) == pytest.approx(errors.mean(), rel=0.4)
    assert not any(one.growth > max(0.05, 2.0 * one.error) for one in found)


def test_a_kick_is_no_growth():
    """A mode that decays and is kicked to thirty times its amplitude: growth of the stretches
    beside the kick alone; with the kick unseen it would be called growing."""
    z = oscillator(-0.02, 40.0)
    kick = len(z) // 2
    z[kick:] += 30.0 * oscillator(-0.02, 40.0)[: len(z) - kick] * abs(z[kick])
    free = np.ones(len(z) - 1, dtype=bool)
    free[kick - 1] = False
    assert measured(z, free).per_s == pytest.approx(-0.02, abs=1e-3)
    assert abs(measured(z).per_s + 0.02) > 5e-3


def test_too_few_swings_are_not_told():
    """Two swings, or stretches between pushes that are shorter than two: NaN, never a number."""
    assert math.isnan(measured(oscillator(0.1, 2.0)).growth)
    z = oscillator(0.1, 12.0)
    free = np.arange(len(z) - 1) % round(1.9 * SWING / CYCLE) != 0
    assert math.isnan(measured(z, free).growth)


def test_swings_of_a_contact_without_a_latch():
    """Depths that grow by 10 % a swing, stay, only rise, or only shake: the first is told to 1 %,
    the last two are not told."""
    time = np.linspace(0.0, 10.0, 2001)
    free = np.ones(2000, dtype=bool)
    turns = np.sin(2.0 * np.pi * time) ** 2
    stays, grows = (fit_depth_swings(time, x, free) for x in (turns, turns * 1.1 ** (2.0 * time)))
    assert stays.growth == pytest.approx(0.0, abs=1e-3)
    assert grows.growth == pytest.approx(1.1**10 - 1.0, rel=0.02)
    assert grows.period_s == pytest.approx(0.5, rel=0.02)
    assert math.isnan(fit_depth_swings(time, time, free).growth)
    noise = np.random.default_rng(0).normal(size=len(time))
    assert math.isnan(fit_depth_swings(time, time + 0.01 * noise, free).growth)


def test_a_decay_in_orbit_is_not_held_against_the_rig():
    """Orbit's growth is taken off, its decay is not."""
    decays, grows = Swings(-0.3, 0.01, 1.0), Swings(0.2, 0.03, 1.0)
    assert compute_excess_growth(Swings(-0.1, 0.04, 1.0), decays) == (-0.1, 0.04)
    assert compute_excess_growth(Swings(0.5, 0.04, 1.0), grows) == pytest.approx((0.3, 0.05))
