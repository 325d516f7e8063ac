"""Franken's algorithm and the better step against numbers that were computed
independently of this code."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from softdock import BadInput
from softdock.networks import (
    Sampled,
    chain,
    flexible_satellite,
    generalised_maxwell,
    hunt_crossley,
    rigid_satellite,
    single_spring,
)
from softdock.networks.continuous import simulate_continuous
from softdock.networks.satellite import bounce
from softdock.networks.walls import force_error, render_better, render_published, true_force
from softdock.papers.franken.figure_5 import compute_energies, energy_over_phases
from softdock.papers.franken.figure_6 import effective_relaxation, make_figure_6
from softdock.papers.franken.parameters import SIMULATION, push, sine, sine_velocity, solid
from softdock.papers.franken.structure import make_structure
from softdock.papers.franken.two_devices import (
    device_velocities,
    make_alpha,
    make_two_devices,
    move_devices,
)

T = 1e-3  # s
MAXWELL = [(200.0, 0.01), (150.0, 0.03), (100.0, 0.1), (60.0, 0.3), (40.0, 1.0)]  # N/m, s
energies_at = functools.cache(compute_energies)
alphas, tissue = functools.cache(make_alpha), functools.cache(make_two_devices)


def test_figure_5_at_1_khz():
    """Energy exchanged per contact [mJ] and the peak force [N], to 1e-6."""
    found = energies_at(1000)
    assert found["continuous_mJ"] == pytest.approx(0.2518962, rel=1e-6)
    assert found["euler_mJ"] == pytest.approx(-0.4867770, rel=1e-6)
    assert found["published_mJ"] == pytest.approx(0.2121201, rel=1e-6)
    assert found["published_peak_N"] == pytest.approx(5.281066, rel=1e-6)
    assert found["published_residual_J"] < 1e-14


def test_figure_5_at_100_hz_the_published_algorithm_is_active():
    """Without its controller, at a low rate; the better step is not."""
    assert energies_at(100)["published_mJ"] == pytest.approx(-1.332604, rel=1e-6)
    assert energies_at(100)["better_mJ"] > 0.0


def test_the_sampling_phase_matters():
    """0.200 to 0.218 mJ over the phase: why tests fix it."""
    low, high = energy_over_phases()
    assert low == pytest.approx(0.200, abs=1e-3)
    assert high == pytest.approx(0.218, abs=1e-3)


def test_figure_6():
    """100 Hz, controller off: energies to 1e-5, the relaxation quicker than the model's 0.8 s; with
    the controller the balance closes."""
    found = make_figure_6()
    off, on = found.rows[0], found.rows[1]
    assert [off[k] for k in ("H_I_mJ", "H_S1_mJ", "H_B1_mJ")] == pytest.approx(
        [64.0311, 35.8869, 28.2106], rel=1e-5
    )
    assert found.numbers["relaxation_s"] == pytest.approx(0.78996, rel=1e-5)
    assert effective_relaxation(0.8, 0.01) == pytest.approx(0.78996, rel=1e-5)
    assert found.numbers["residual_J"] < 1e-14
    assert off["H_I_mJ"] < off["H_S1_mJ"] + off["H_B1_mJ"] <= on["H_I_mJ"]


def test_the_dirac_matrix_is_the_printed_one():
    """(22), element by element, from the network."""
    assert make_structure().numbers["equal_to_printed"]


def test_force_errors_of_the_better_step_at_a_wall():
    """RMS against the interval means of the continuous network: SLS 0.016 %, five-branch Maxwell
    0.02 %; the published one 5.08 %."""
    assert energies_at(1000)["better_error"] == pytest.approx(1.6e-4, abs=0.1e-4)
    assert energies_at(1000)["better_error"] <= 3e-4
    assert energies_at(1000)["published_error"] == pytest.approx(0.0508, abs=1e-4)
    wall = generalised_maxwell(300.0, MAXWELL)
    truth = true_force(wall, T, 2000, sine, sine_velocity)
    error = force_error(render_better(wall, T, sine(np.arange(2001) * T)).force, truth.force)
    assert error == pytest.approx(2.1e-4, abs=0.1e-4)
    assert error <= 4e-4


def _driven(network, position, samples, states=None, **keywords):
    """Efforts of the better step and of the continuous network."""
    step = 1e-6
    truth = simulate_continuous(
        network,
        T,
        samples,
        lambda t: (position(t + step) - position(t - step)) / (2 * step),
        states=states,
    )
    q = position(np.arange(samples + 1) * T)
    return Sampled(network, T, states=states, **keywords).run(np.diff(q)), truth


def test_force_error_on_a_chain_of_ten_masses():
    """0.27 % with the last displacement as prediction; driven by 4/2/1 mm at 0.7/1.9/4.3 Hz, faded
    in."""

    def position(t):
        return (1.0 - np.exp(-((t / 0.3) ** 2))) * sum(
            a * np.sin(2 * np.pi * f * t) for a, f in ((4e-3, 0.7), (2e-3, 1.9), (1e-3, 4.3))
        )

    efforts, truth = _driven(chain(10, 0.02, 2000.0, 0.5, 200.0, 0.5), position, 4000, tank_J=1e-4)
    error = force_error(efforts, truth.mean_effort)
    assert error == pytest.approx(2.7e-3, abs=0.1e-3)
    assert error <= 5e-3


def test_force_error_on_hunt_crossley():
    """Nonlinear, without iteration: at most 0.01 % with linear extrapolation and a tank of 50
    uJ."""

    def position(t):
        return 1e-3 - 4e-3 * (1.0 - np.cos(2 * np.pi * t)) * (1.0 + 0.3 * np.sin(6 * np.pi * t))

    efforts, truth = _driven(
        hunt_crossley(8000.0, 1.5, 0.6), position, 2000, states=[1e-3], tank_J=50e-6
    )
    t = np.arange(2000 * 100 + 1) * (T / 100)
    depth, rate = np.maximum(-position(t), 0.0), -np.gradient(position(t), t)
    law = 8000.0 * depth**1.5 * (1.0 + 0.6 * rate)
    means = 0.5 * (law[:-1] + law[1:]).reshape(2000, 100).mean(axis=1)
    assert force_error(-truth.mean_effort[:, 0], means) < 1e-6  # the continuous network is the law
    assert force_error(efforts, truth.mean_effort) <= 1e-4


def test_the_published_algorithm_diverges_on_masses():
    """Its limit, kept as a test: held forces on masses make energy, and the chain runs away."""
    q = -1e-3 * np.abs(np.sin(np.arange(1001) * T * np.pi))
    assert (
        np.abs(render_published(chain(10, 0.02, 2000.0, 0.5, 200.0, 0.5), T, q).force).max() > 1e6
    )


def test_the_single_spring_is_eq_8():
    """dx = sgn(x) sqrt(x^2 + 2 x dq) - x, Franken's first example."""
    k, x, dq = 500.0, -2e-3, -1e-4
    q = np.array([0.0, x, x + dq, x + 2 * dq])
    force = render_published(single_spring(k), T, q).force
    second = -np.sqrt(x * x + 2 * x * dq)
    assert force[2:] == pytest.approx([-k * x, -k * second], rel=1e-12)


@pytest.mark.parametrize("period", [1e-3, 4e-3, 16e-3])
def test_docking_dual(period):
    """A rigid satellite of 63 kg on 1000 N/m, no delay: the bounce gives back what came in; Euler
    does not; the price is momentum."""
    found = bounce(rigid_satellite(63.0), period, 0.02, 1000.0)
    assert abs(found.restitution - 1.0) < 1e-5
    assert abs(found.carried_J) < 1e-15
    assert bounce(rigid_satellite(63.0), period, 0.02, 1000.0, "euler").restitution > 1.003
    if period == 4e-3:
        assert found.momentum_error_Ns == pytest.approx(3.2e-4, abs=0.05e-4)
        assert found.momentum_change_Ns == pytest.approx(2.52, abs=1e-3)
        assert bounce(
            rigid_satellite(63.0), period, 0.02, 1000.0, "euler"
        ).restitution == pytest.approx(1.0126, abs=5e-5)


def test_a_flexible_satellite_keeps_its_energy():
    """Hub and appendage together: after the bounce less than before by what the appendage's damper
    took, and never more."""
    assert (
        0.98
        < bounce(flexible_satellite(58.0, 5.0, 100.0, 0.1), 4e-3, 0.02, 1000.0).energy_ratio
        < 1.0
    )


def test_better_energy_is_near_the_continuous_one():
    """At 1 kHz within 1 % of the wall that does not pull."""
    found = energies_at(1000)
    assert found["better_mJ"] == pytest.approx(found["continuous_no_pull_mJ"], rel=0.01)
    assert solid(SIMULATION).linear


def published_contact(alpha, T, samples, k1=500.0, k2=50.0, b1=100.0):
    """Franken's algorithm on the standard linear solid, written out: energy exchanged [J] and peak
    force [N] of Fig. 5's motion."""
    q = 0.21 * np.sin(np.pi * np.arange(samples + 1) * T) + 0.2
    x1 = x2 = jump = force = given = peak = 0.0
    touching, waits = False, False
    for k in range(1, samples + 1):
        dq = q[k] - q[k - 1]
        fed = -force * dq
        given += fed
        f1, f2 = k1 * x1, k2 * x2
        if touching:
            b, disc = f1 + f2, (f1 + f2) ** 2 + 2.0 * k1 * fed
            if disc >= 0.0:
                root = 2.0 * fed / (b + np.copysign(np.sqrt(disc), b))
                new, handed = x1 + root, root
                empty = new >= 0.0
            else:
                handed = jump
                energy = max(0.5 * k1 * x1 * x1 + fed - f2 * handed, 0.0)
                new, empty = -np.sqrt(2.0 * energy / k1), energy == 0.0
            step = new - x1
            if x2 == 0.0:
                x2 = step
            else:
                energy = 0.5 * k2 * x2 * x2 + f2 * (handed - T * f2 / b1)
                x2 = np.copysign(np.sqrt(2.0 * max(energy, 0.0) / k2), x2)
            x1, jump = new, step
            if empty:
                x1, touching, waits = 0.0, False, True
        elif x2 != 0.0:
            energy = 0.5 * k2 * x2 * x2 - T * f2 * f2 / b1
            x2 = np.copysign(np.sqrt(2.0 * max(energy, 0.0) / k2), x2)
        waits = waits and q[k] < 0.0
        if not touching and not waits and q[k] < 0.0:
            x1 = x2 = jump = alpha * q[k]
            touching = True
        force = -(k1 * x1 + k2 * x2) if touching else 0.0
        peak = max(peak, force) if k < samples else peak
    return given, peak


@pytest.mark.parametrize("alpha", [0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("rate", [100, 1000])
def test_alpha(alpha, rate):
    """The share of the depth with which springs start (25): energy and peak of the exhibit's rows
    are those of the algorithm written out above."""
    row = next(r for r in alphas().rows if (r["alpha"], r["rate_Hz"]) == (alpha, rate))
    energy, peak = published_contact(alpha, 1.0 / rate, 2 * rate)
    assert row["energy_mJ"] == pytest.approx(1e3 * energy, rel=1e-9)
    assert row["peak_N"] == pytest.approx(peak, rel=1e-9)
    assert row["residual_J"] < 1e-14


@pytest.mark.parametrize("alpha", [0.0, 1.5, math.nan])
def test_alpha_out_of_range_is_refused(alpha):
    """Nothing, or more than the depth, is no share."""
    with pytest.raises(BadInput, match="alpha"):
        render_published(solid(SIMULATION), T, np.zeros(2), alpha=alpha)


def test_tissue_between_two_devices():
    """The continuous energy is that of the lump's equation, integrated here (Runge-Kutta, 20 kHz);
    at 1 kHz both forces are within 0.02 %; what the devices got stays within the tank; and the
    motion keeps to the cap."""
    m, k, b, kg, bg = 0.1, 1000.0, 0.5, 200.0, 0.2
    h, count = 5e-5, 80_000
    t = np.arange(2 * count + 1) * (h / 2)
    q, v = move_devices(t), device_velocities(t)

    def slope(x, w, i):
        left, right = (k * (q[i, j] - x) + b * (v[i, j] - w) for j in (0, 1))
        return w, (left + right - kg * x - bg * w) / m, left * v[i, 0] + right * v[i, 1]

    x = w = energy = 0.0
    for i in range(0, 2 * count, 2):
        one = slope(x, w, i)
        two = slope(x + 0.5 * h * one[0], w + 0.5 * h * one[1], i + 1)
        three = slope(x + 0.5 * h * two[0], w + 0.5 * h * two[1], i + 1)
        four = slope(x + h * three[0], w + h * three[1], i + 2)
        x, w, energy = (
            old + h / 6.0 * (one[j] + 2.0 * two[j] + 2.0 * three[j] + four[j])
            for j, old in enumerate((x, w, energy))
        )
    row = next(r for r in tissue().rows if r["rate_Hz"] == 1000)
    assert row["continuous_mJ"] == pytest.approx(1e3 * energy, rel=1e-5)
    assert max(row["left_error"], row["right_error"]) < 2e-4
    for row in tissue().rows:
        assert row["least_fed_mJ"] >= -0.01
        assert row["acceleration_m_per_s2"] < 3.0
    motion = move_devices(np.arange(4001) * T)
    assert np.abs(np.diff(motion, 2, axis=0)).max() / T**2 < 3.0


def test_figure_6_with_its_tank():
    """Energies of the better step and its tank close; what is stored is k1 x^2 / 2 of the 40 mm,
    what is dissipated is the continuous solid's within 1 %, integrated here."""
    found = make_figure_6()
    row = found.rows[2]
    closes = row["H_I_mJ"] + found.numbers["tank_at_start_mJ"]
    assert closes == pytest.approx(row["H_S1_mJ"] + row["H_B1_mJ"] + row["tank_mJ"], abs=1e-12)
    assert row["H_S1_mJ"] == pytest.approx(1e3 * 0.5 * 50.0 * 0.04**2, rel=1e-3)
    assert 0.0 <= row["lowest_tank_mJ"] <= found.numbers["tank_at_start_mJ"] == 0.01
    t = np.linspace(0.0, 10.0, 100_001)
    q = push(t)
    x2 = lost = 0.0
    for k in range(1, len(t)):
        if q[k] < 0.0:
            x2 += q[k] - min(q[k - 1], 0.0) - 1e-4 * 50.0 * x2 / 40.0
            lost += 1e-4 * (50.0 * x2) ** 2 / 40.0
    assert row["H_B1_mJ"] == pytest.approx(1e3 * lost, rel=0.01)
