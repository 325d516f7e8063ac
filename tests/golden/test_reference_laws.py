"""Contact laws in orbit: the wanted law, tables and friction, against quadrature and the
balance of energy."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from orbit_cases import TABLE, balance, bounce, flown, random_docking
from scenarios import cone_docking, sphere_on_sphere

from softdock import build
from softdock.reference import run_reference
from softdock.results.momenta import compute_angular_momentum, compute_linear_momentum


def test_orbit_uses_the_wanted_law():
    """Damping of the mock-ups that orbit does not want is not in orbit."""
    tables = bounce(damping_Ns_per_m=60.0)
    tables["contact"][0]["wanted"] = {"law": "spring_damper", "stiffness_N_per_m": 2000.0}
    result = run_reference(build(tables), record=False)
    assert result.restitution == pytest.approx(1.0, abs=1e-9)
    assert result.peak_force == pytest.approx(0.02 * math.sqrt(2000.0 * 63.0), rel=1e-6)


def test_pulling_law():
    """The papers' linear law pulls until the depth is zero: half a damped period, e = exp(-pi zeta
    / sqrt(1 - zeta^2))."""
    zeta = 60.0 / (2.0 * math.sqrt(1000.0 * 63.0))
    result = run_reference(
        build(bounce(law="spring_damper_pull", damping_Ns_per_m=60.0)), record=False
    )
    assert result.restitution == pytest.approx(
        math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta * zeta)), abs=1e-9
    )


def test_overlapping_touches_are_one_contact():
    """Two tips that touch one after the other, and part one after the other, make one contact."""
    tables = bounce()
    second = {
        "geometry": "wall",
        "origin_m": [-2e-3, 0.0, 0.0],
        "axis": [1.0, 0.0, 0.0],
        "real": {"stiffness_N_per_m": 3000.0},
    }
    tables["contact"].append(second)
    result = run_reference(build(tables), record=False)
    assert result.contact_count == 1
    assert result.contacts[0]["start_s"] == pytest.approx(0.5, abs=1e-12)
    assert result.contacts[0]["restitution"] == pytest.approx(1.0, abs=1e-9)
    assert result.contacts[0]["impulse_Ns"] == pytest.approx(2.0 * 63.0 * 0.02, rel=1e-9)


def test_open_contact_at_the_end_is_logged():
    """A run that ends in contact says so: a contact without a restitution, and energy still
    stored."""
    tables = bounce()
    tables["time"]["duration_s"] = 0.8
    result = run_reference(build(tables))
    assert result.contact_count == 1
    assert math.isnan(result.restitution)
    assert result.stored + result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)


def test_table_against_quadrature():
    """Peak force and duration of a bounce on a table, from its energy: v(d)^2 = v^2 - 2 V(d) /
    m."""
    from scipy.integrate import quad
    from scipy.optimize import brentq

    m, v, rows = 63.0, 0.1, np.array(TABLE)
    energy = np.concatenate(
        [[0.0], np.cumsum(0.5 * (rows[1:, 1] + rows[:-1, 1]) * np.diff(rows[:, 0]))]
    )
    k = np.diff(rows[:, 1]) / np.diff(rows[:, 0])

    def stored(d):
        i = min(int(np.searchsorted(rows[:, 0], d, side="right")) - 1, len(k) - 1)
        x = d - rows[i, 0]
        return energy[i] + x * (rows[i, 1] + 0.5 * k[i] * x)

    deepest = brentq(lambda d: stored(d) - 0.5 * m * v * v, 0.0, 0.05, xtol=1e-15)
    kinks = [0.0, *(d for d in rows[1:, 0] if d < deepest), deepest]

    def passage(x):  # d = deepest - x^2: at rest the root stays finite
        return 2.0 * x / math.sqrt(v * v - 2.0 * stored(deepest - x * x) / m)

    roots = [math.sqrt(deepest - d) for d in kinks[:-1]] + [1e-7]
    time = sum(quad(passage, b, a, epsabs=1e-13)[0] for a, b in pairwise(roots))
    tables = bounce(mass=m, speed=v)
    tables["contact"][0]["real"] = {"law": "table", "table_m_N": TABLE}
    result = run_reference(build(tables), record=False)
    assert result.peak_force == pytest.approx(np.interp(deepest, rows[:, 0], rows[:, 1]), rel=1e-9)
    assert result.contacts[0]["end_s"] - result.contacts[0]["start_s"] == pytest.approx(
        2.0 * time, abs=1e-6
    )
    assert result.restitution == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("damping", "friction"), [(0.0, 0.0), (30.0, 0.0), (0.0, 0.3), (30.0, 0.3)]
)
def test_tables_and_friction_balance(seed, damping, friction):
    """Whatever a table, damping and friction do, no energy is lost to the steps, and the pair keeps
    both momenta."""
    tables = random_docking(seed)
    tables["contact"][0]["real"] = {
        "law": "table",
        "table_m_N": TABLE,
        "damping_Ns_per_m": damping,
        "friction": friction,
    }
    result, bodies, start, end = flown(tables, record=False)
    assert result.contact_count >= 1
    assert abs(balance(result)) < 1e-9
    assert (result.dissipated > 0.01 * result.kinetic_start) == (damping + friction > 0.0)
    assert (
        np.abs(compute_linear_momentum(bodies, end) - compute_linear_momentum(bodies, start)).max()
        < 1e-12
    )
    assert (
        np.abs(
            compute_angular_momentum(bodies, end) - compute_angular_momentum(bodies, start)
        ).max()
        < 1e-12
    )


def test_a_table_of_one_slope_is_a_spring():
    """Cutting at rows changes nothing: a straight table of many rows ends where the spring does."""
    spring, table = sphere_on_sphere(), sphere_on_sphere()
    straight = [[d, 2000.0 * d] for d in (0.0, 1e-4, 1e-3, 0.01, 0.011)]
    table["contact"][0]["real"] = {"law": "table", "table_m_N": straight}
    assert run_reference(build(table), record=False).chaser == pytest.approx(
        run_reference(build(spring), record=False).chaser, abs=1e-10
    )


@pytest.mark.parametrize(
    "law", [{}, {"damping_Ns_per_m": 40.0}, {"law": "spring_damper_pull", "damping_Ns_per_m": 40.0}]
)
def test_friction_balances(law):
    """Kinetic energy at the start = kinetic + dissipated to 1e-9, sliding or almost sticking; both
    momenta are kept."""
    for tables in (cone_docking(), sphere_on_sphere()):
        tables["contact"][0]["real"] |= law | {"friction": 0.3, "friction_speed_m_per_s": 1e-4}
        result, bodies, start, end = flown(tables, record=False)
        assert result.kinetic + result.dissipated == pytest.approx(result.kinetic_start, rel=1e-9)
        assert result.dissipated > 0.01 * result.kinetic_start
        assert (
            np.abs(
                compute_linear_momentum(bodies, end) - compute_linear_momentum(bodies, start)
            ).max()
            < 1e-12
        )
        assert (
            np.abs(
                compute_angular_momentum(bodies, end) - compute_angular_momentum(bodies, start)
            ).max()
            < 1e-12
        )


def test_sliding_friction_takes_mu_times_the_normal_impulse():
    """A body that cannot turn slides over a wall: its tangential speed falls by mu times what the
    normal speed changes, 2 v_n."""
    tables = bounce(speed=0.02, friction=0.4, friction_speed_m_per_s=1e-6)
    tables["chaser"] |= {"velocity_m_per_s": [-0.02, 0.06, 0.08], "inertia_kg_m2": [1e7, 1e7, 1e7]}
    result = run_reference(build(tables), record=False)
    left = 0.1 - 0.4 * 2.0 * 0.02  # of 0.1 m/s
    assert result.chaser[7:10] == pytest.approx([0.02, 0.6 * left, 0.8 * left], abs=1e-8)
    assert result.dissipated == pytest.approx(0.5 * 63.0 * (0.1**2 - left**2), rel=1e-6)


def test_deep_at_start_is_refused():
    """Bodies that start inside each other would bring energy from nowhere; orbit says so, as the
    loop does."""
    tables = bounce()
    tables["chaser"]["position_m"] = [-1e-3, 0.0, 0.0]
    assert run_reference(build(tables), record=False).status == "deep in contact at the start"
