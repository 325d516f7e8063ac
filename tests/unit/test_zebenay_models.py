"""The paper's models (section 3) and its linear analysis (section 4): consistent with each other,
with softdock.studies.stability, and with the loop itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from delay_equation import solve_delay_equation

from softdock.papers.zebenay.effective_mass_3d import random_chaser
from softdock.papers.zebenay.loops import jacobian_of_the_loop, two_sided_plane
from softdock.papers.zebenay.models import (
    Chaser,
    PlanarChaser,
    characteristic,
    dynamics_matrix,
    effective_mass,
    limiting_masses,
    penetration_transform,
    rates_2d,
    rates_3d,
    rates_3d_reduced,
    state_3d,
    state_3d_reduced,
    transformed_matrix,
)
from softdock.results.simulation import run_loop
from softdock.studies.stability import FreeBody, critical_delay, effective_mass_2d, unstable_poles
from softdock.studies.stability import effective_mass as effective_mass_of_bodies
from softdock.studies.stability.closed_forms import crossing_frequency, short_delay_rule

PLANAR = PlanarChaser(
    mass=60.0,
    inertia=1.42297,
    length=0.3,
    half_angle=math.radians(30.0),
    stiffness=3000.0,
    damping=50.0,
)  # Zebenay, section 4.3
START = np.concatenate(
    [[0.02, 0.01], PLANAR.nominal + [0.0, 0.05, 0.0, 0.02]]
)  # y, v_y, z, v_z, theta, omega


def relative_to_largest(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def test_the_jacobian_of_the_loop_is_f_x():
    """One cycle of softdock's own loop, differenced at first touch, is (72) to 1e-8."""
    assert relative_to_largest(jacobian_of_the_loop(PLANAR), dynamics_matrix(PLANAR)) < 1e-8


def test_the_jacobian_of_the_planar_model_is_f_x():
    """What the force sees is delayed, what the states do is not: the two derivatives together are
    (72)."""
    state = np.concatenate([[0.0, 0.0], PLANAR.nominal])
    found = np.zeros((6, 6))
    for i in range(6):
        step = np.zeros(6)
        step[i] = 1e-6
        found[:, i] = (
            rates_2d(PLANAR, state + step, state + step)
            - rates_2d(PLANAR, state - step, state - step)
        ) / 2e-6
    assert relative_to_largest(found[2:, 2:], dynamics_matrix(PLANAR)) < 1e-8
    assert not found[2:, :2].any()  # motion along the wall is decoupled


def test_f_y_follows_from_f_x():
    """(92) as corrected is T F_x T^-1; as printed it is not."""
    T = penetration_transform(PLANAR)
    F_y = T @ dynamics_matrix(PLANAR) @ np.linalg.inv(T)
    assert relative_to_largest(transformed_matrix(PLANAR), F_y) < 1e-12
    k, b, m = PLANAR.stiffness, PLANAR.damping, PLANAR.mass
    printed = np.array([[0, 1, 0, 0], [0, 0, k / m, b / m], [0, 0, 0, 1], [0, 0, -k / m, -b / m]])
    assert relative_to_largest(printed, F_y) > 0.1


@pytest.mark.parametrize("delay", [0.0, 0.016])
def test_the_models_agree_in_the_plane(delay):
    """18 states, 12 states and six states describe one motion, delayed or not, far beyond the
    linear range. 1e-9: rounding and the same Runge-Kutta error."""
    chaser = PLANAR.in_space()
    moving = np.array([START[1], 0.0, START[3], 0.0, START[5], 0.0])

    def planar(t):
        return START + t * moving

    _, flat = solve_delay_equation(
        lambda x, late: rates_2d(PLANAR, x, late), planar, delay, 0.4, 400
    )
    _, whole = solve_delay_equation(
        lambda x, late: rates_3d(chaser, x, late), lambda t: state_3d(planar(t)), delay, 0.4, 400
    )
    _, reduced = solve_delay_equation(
        lambda x, late: rates_3d_reduced(chaser, x, late),
        lambda t: state_3d_reduced(planar(t)),
        delay,
        0.4,
        400,
    )
    assert np.ptp(flat[:, 4]) > 0.05  # rad: it turns
    np.testing.assert_allclose(whole[:, [1, 2, 4, 5, 15]], flat[:, [0, 2, 1, 3, 5]], atol=1e-9)
    np.testing.assert_allclose(reduced[:, [1, 2, 4, 5, 9]], flat[:, [0, 2, 1, 3, 5]], atol=1e-9)


def test_the_reduced_model_is_the_whole_one_in_space():
    """With a full inertia and a turning body, dropping two columns of D loses nothing."""
    chaser = random_chaser(3, 0.3)
    chaser = Chaser(
        mass=chaser.mass,
        inertia=chaser.inertia,
        lever=chaser.lever,
        stiffness=chaser.stiffness,
        damping=chaser.damping,
        normal=np.array([0.0, 0.0, 1.0]),
    )
    r, v, w = -chaser.lever, np.array([0.01, -0.02, 0.05]), np.array([0.3, -0.2, 0.4])
    D = np.eye(3)
    whole_start = np.concatenate([r, v, D.ravel(), w])
    reduced_start = np.concatenate([r, v, D[:, 2], w])
    _, whole = solve_delay_equation(
        lambda x, late: rates_3d(chaser, x, late), lambda t: whole_start, 0.0, 0.5, 500
    )
    _, reduced = solve_delay_equation(
        lambda x, late: rates_3d_reduced(chaser, x, late), lambda t: reduced_start, 0.0, 0.5, 500
    )
    np.testing.assert_allclose(reduced[:, :6], whole[:, :6], atol=1e-10)
    np.testing.assert_allclose(reduced[:, 9:], whole[:, 15:], atol=1e-10)


def test_a_body_without_contact_keeps_its_momentum_and_energy():
    """The gyroscopic term that (2) lacks is there: free, the model tumbles with constant angular
    momentum and energy."""
    chaser = random_chaser(1, 0.0)
    chaser = Chaser(
        mass=chaser.mass,
        inertia=chaser.inertia,
        lever=chaser.lever,
        stiffness=0.0,
        damping=0.0,
        normal=chaser.normal,
    )
    start = np.concatenate([np.zeros(6), np.eye(3).ravel(), [0.5, -0.8, 0.3]])
    _, states = solve_delay_equation(
        lambda x, late: rates_3d(chaser, x, late), lambda t: start, 0.0, 5.0, 1000
    )
    w = states[:, 15:]
    L = np.einsum("nji,nj->ni", states[:, 6:15].reshape(-1, 3, 3), w @ chaser.inertia)
    np.testing.assert_allclose(
        L, np.broadcast_to(L[0], L.shape), rtol=1e-7, atol=1e-7 * np.linalg.norm(L[0])
    )
    energy = np.einsum("ni,ij,nj->n", w, chaser.inertia, w)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)
    assert np.ptp(w, axis=0).min() > 0.1  # it does tumble


def test_the_loop_follows_the_model():
    """softdock's loop with a short cycle is the paper's 3-D delay equation, full inertia and all;
    the hold's half cycle counts as delay."""
    chaser, delay, duration = random_chaser(2, 0.3), 0.03, 0.6
    start = np.concatenate([-chaser.lever, 0.05 * chaser.normal, np.eye(3).ravel(), np.zeros(3)])
    past = lambda t: np.concatenate([start[:3] + t * start[3:6], start[3:]])  # noqa: E731
    _, exact = solve_delay_equation(
        lambda x, late: rates_3d(chaser, x, late), past, delay, duration, 1200
    )
    errors = []
    for cycle in (0.002, 0.001):
        tables = two_sided_plane(chaser, cycle, duration, delay - 0.5 * cycle)
        tables["chaser"]["velocity_m_per_s"] = (0.05 * chaser.normal).tolist()
        run = run_loop(tables)
        errors.append(float(np.max(np.abs(run.series["chaser.velocity"][-1] - exact[-1, 3:6]))))
    assert errors[1] < 1e-4 * 0.05
    assert errors[1] < 0.6 * errors[0]


def test_delay_equations_are_solved():
    """x' = -x(t - 1), x = 1 before: polynomials by the method of steps, x(2) = -1/2 and x(3) =
    -1/6."""
    _, x = solve_delay_equation(lambda now, late: -late, lambda t: np.ones(1), 1.0, 3.0, 30)
    assert x[20, 0] == pytest.approx(-0.5, abs=1e-12)
    assert x[30, 0] == pytest.approx(-1.0 / 6.0, abs=1e-12)
    with pytest.raises(ValueError, match="longer than the delay"):
        solve_delay_equation(lambda now, late: -late, lambda t: np.ones(1), 0.05, 3.0, 30)


def test_effective_mass_is_that_of_the_stability_package():
    """(84) from the models, from the closed form and from full inertia and lever are one number."""
    expected = effective_mass(PLANAR)
    assert expected == pytest.approx(15.6, abs=1e-4)  # kg, published
    assert effective_mass_2d(60.0, 1.42297, 0.3, math.radians(30.0)) == pytest.approx(
        expected, rel=1e-14
    )
    theta = PLANAR.nominal[2]
    lever = 0.3 * np.array([0.0, -math.sin(theta), math.cos(theta)])  # world axes
    body = FreeBody(60.0, np.diag([1.42297, 5.0, 9.0]), lever)
    assert effective_mass_of_bodies((0.0, 0.0, 1.0), body) == pytest.approx(expected, rel=1e-12)


def test_the_four_limits_of_the_effective_mass():
    """Frontal, parallel, large and small inertia: (84) tends to each as the paper says."""
    limits = limiting_masses(PLANAR)

    def with_(inertia: float = 1.42297, angle: float = 30.0) -> float:
        return effective_mass(
            PlanarChaser(
                mass=60.0,
                inertia=inertia,
                length=0.3,
                half_angle=math.radians(angle),
                stiffness=3000.0,
                damping=50.0,
            )
        )

    assert with_(angle=90.0) == pytest.approx(limits["frontal"], rel=1e-12)
    assert with_(angle=0.0) == pytest.approx(limits["parallel"], rel=1e-12)
    assert with_(inertia=1e9) == pytest.approx(limits["large_inertia"], rel=1e-6)
    small = limiting_masses(
        PlanarChaser(
            mass=60.0,
            inertia=1e-6,
            length=0.3,
            half_angle=math.radians(30.0),
            stiffness=3000.0,
            damping=50.0,
        )
    )["small_inertia"]
    assert with_(inertia=1e-6) == pytest.approx(small, rel=1e-6)
    assert min(with_(angle=a) for a in range(0, 91, 5)) == pytest.approx(limits["parallel"])


def test_the_characteristic_polynomial_vanishes_at_the_crossing():
    """(100) is zero at j w_c when the delay is critical, and (112) is near for light damping."""
    m_a, b, k = effective_mass(PLANAR), PLANAR.damping, PLANAR.stiffness
    h, w = critical_delay(m_a, b, k), crossing_frequency(m_a, b, k)
    scale = abs(PLANAR.mass * w**2 * k)
    assert abs(characteristic(PLANAR, h, np.array([1j * w]))[0]) < 1e-12 * scale
    assert short_delay_rule(b, k) == pytest.approx(h, rel=0.03)


@pytest.mark.parametrize("delay", [0.005, 0.02, 0.5, 1.0, 1.9])
def test_the_number_of_unstable_poles(delay):
    """Counted by the argument principle on (100)'s second factor, around the right half-plane: two
    more at each delay of the family (109)."""
    m_a, b, k = effective_mass(PLANAR), PLANAR.damping, PLANAR.stiffness
    radius = 60.0  # 1/s; beyond, |mass s^2| exceeds |b s + k|
    line = 1j * np.linspace(radius, -radius, 200_001)
    arc = radius * np.exp(1j * np.linspace(-0.5 * np.pi, 0.5 * np.pi, 20_001))
    s = np.concatenate([line + 1e-9, arc + 1e-9])
    values = characteristic(PLANAR, delay, s) / (PLANAR.mass * s**2)
    turns = np.sum(np.angle(values[1:] / values[:-1])) / (2.0 * np.pi)
    assert abs(m_a * radius**2) > abs(b * radius * 1j + k)
    assert round(turns) == unstable_poles(m_a, b, k, delay)
