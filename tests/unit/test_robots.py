"""Robots that lag, have limits, jitter or lose set-points: each against its closed form, alone and
in the loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall, lange_impact, sphere_on_sphere
from scipy.linalg import expm
from turned import hamilton, matrix, quaternion

from softdock import Stepper, build, run_loop
from softdock.compile.jit import entry_point
from softdock.loop.robots import lag, limited
from softdock.loop.robots.limited import ROBOT_FLOATS
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import logarithm
from softdock.loop.state import place
from softdock.results.simulation import _collect_run

follow_with_lag, follow_within_limits = (
    entry_point(lag.follow_with_lag),
    entry_point(limited.follow_within_limits),
)
log = entry_point(logarithm)
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
T = 0.004  # s


def motion(x=0.0, v=0.0, angle=0.0, rate=0.0):
    """Along AXIS and turned about it, after no other attitude."""
    return Motion(
        tuple(x * AXIS), tuple(quaternion(angle * AXIS)), tuple(v * AXIS), tuple(rate * AXIS)
    )


def along(m):
    """Position and velocity along AXIS, angle and rate about it; nothing else may move."""
    angle = 2.0 * math.atan2(np.dot(m.q[1:], AXIS), m.q[0])
    assert np.linalg.norm(np.cross(m.p, AXIS)) + np.linalg.norm(np.cross(m.w, AXIS)) < 1e-12
    return np.array([np.dot(m.p, AXIS), np.dot(m.v, AXIS), angle, np.dot(m.w, AXIS)])


def lag_by_matrix(w, zeta, t, rate):
    """x and x' of x'' = w^2 (u - x) - 2 zeta w x' from rest, u = 0.3 + rate t: the matrix
    exponential, no shared formula."""
    A = np.array([[0, 1, 0, 0], [-w * w, -2 * zeta * w, w * w, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    return (expm(A * t) @ [0.0, 0.0, 0.3, rate])[:2]


@pytest.mark.parametrize("zeta", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("rate", [0.0, 0.8])
def test_a_lag_answers_step_and_ramp_as_its_equation(zeta, rate):
    """From rest, under-, critically and overdamped, translation and rotation about a fixed axis:
    exact at every step, however long the step."""
    w = 25.0
    for dt in (0.004, 0.03):
        robot = motion()
        for n in range(1, int(0.24 / dt)):  # six times 1 / w
            u0, u1 = 0.3 + rate * dt * (n - 1), 0.3 + rate * dt * n
            robot = follow_with_lag(
                w, zeta, dt, robot, motion(u0, rate, u0, rate), motion(u1, rate, u1, rate)
            )
            x, v = lag_by_matrix(w, zeta, n * dt, rate)
            assert along(robot) == pytest.approx([x, v, x, v], abs=1e-11)


def test_a_stiff_lag_is_where_its_set_point_is():
    """No lag that is allowed overflows, however stiff and damped: at the limits of both keys the
    robot has arrived within the step, but for what a ramp is followed late."""
    w, zeta, dt = 2.0 * math.pi * 1e4, 100.0, 0.25
    robot = motion(x=-0.4, angle=-0.2)
    robot = follow_with_lag(w, zeta, dt, robot, motion(0.3, 0.1), motion(0.325, 0.1))
    late = 2.0 * zeta / w
    assert along(robot) == pytest.approx([0.325 - 0.1 * late, 0.1, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("cell", ["ledger.turnover", "ledger.observed", "facility.chaser"])
def test_a_run_with_a_number_that_is_none_is_not_completed(cell):
    """NaN in the energy balance or in where a mock-up is makes a run diverged, also where the
    satellites do not feel it."""
    scenario = build(lange_impact(model="lag", lag_Hz=10.0))
    loop = Stepper(scenario, rows=8)
    assert loop.step(5) == "completed"
    loop.state[place(cell)] = math.nan
    loop.step(1)
    assert _collect_run(scenario, loop, 6, loop.status).status == "diverged"


@pytest.mark.parametrize("zeta", [0.5, 1.0])
def test_a_lag_follows_a_ramp_two_zeta_over_w_late(zeta):
    """In the loop, in free flight: once settled, the mock-up is where the set-point was 2 zeta / w
    ago, delay apart."""
    tables = epos_wall(speed=0.003)
    tables["time"]["duration_s"] = 2.0
    tables["robots"] = {
        "chaser": {"model": "lag", "delay_ms": 8.0, "lag_Hz": 4.0, "lag_damping_ratio": zeta}
    }
    tables["chaser"]["rate_rad_per_s"] = [0.0, 0.0, 0.2]
    series = run_loop(tables).series
    late = 0.008 + 2.0 * zeta / (2.0 * math.pi * 4.0)
    settled = series["time"] > 1.5
    assert not series["true.chaser.force"].any()
    behind = series["command.chaser.position.x"] - series["mock_up.chaser.position.x"]
    assert behind[settled] == pytest.approx(-0.003 * late, abs=1e-9)
    turn = [
        log(tuple(hamilton(np.array(m) * [1, -1, -1, -1], c)))[2]
        for m, c in zip(
            series["mock_up.chaser.attitude"][settled],
            series["command.chaser.attitude"][settled],
            strict=True,
        )
    ]
    assert turn == pytest.approx(np.full(len(turn), 0.2 * late), abs=1e-7)


def test_an_uncompensated_lag_gives_energy():
    """A lag acts as a delay: e = exp(pi sigma / w) of the dominant root of s^2 (1 + s / w_r)^2 + k
    / mu = 0, for Lange's impact with critically damped robots that are 5 and 20 ms late. 3 %: the
    formula is that of a two-sided spring."""
    for late in (0.005, 0.02):
        w_r = 2.0 / late
        roots = np.roots([1.0 / w_r**2, 2.0 / w_r, 1.0, 0.0, 50000.0 / 50.0])
        root = roots[np.argmax(roots.real)]
        found = [
            run_loop(lange_impact(phase, model="lag", lag_Hz=w_r / (2.0 * math.pi))).restitution
            for phase in np.arange(4) / 4
        ]
        assert np.mean(found) == pytest.approx(
            math.exp(math.pi * root.real / abs(root.imag)), rel=0.03
        )


LIMITS = (0.5, 2.0, 30.0, 0.6, 3.0, 50.0)


def test_limits_are_kept_and_a_moving_set_point_is_caught():
    """From rest, far off: speed, acceleration and jerk stay within limits at every step; then the
    robot is on the set-point and stays."""
    mem, robot, dt = np.zeros(3 + ROBOT_FLOATS), motion(), 0.004
    states, accelerations = [], []
    for n in range(1, 700):
        set_point = motion(0.4 + 0.05 * n * dt, 0.05, 0.5 - 0.1 * n * dt, -0.1)
        robot = follow_within_limits(LIMITS, dt, mem, 3, robot, set_point)
        states.append((robot, set_point))
        accelerations.append(mem[3:9].copy())
    for k, slack in (
        (0, 1e-9),
        (3, 0.01),
        # 1 %: rotation is planned in the rotation vector, whose rate is the body's only for small
        # turns
    ):
        rates = np.array([(s.v if k == 0 else s.w) for s, _ in states])
        assert np.abs(rates).max() <= LIMITS[k] * (1 + slack)
        assert (
            np.abs(np.array(accelerations)[:, k : k + 3]).max() > 0.99 * LIMITS[k + 1]
        )  # the limit was used
        assert np.abs(np.diff(rates, axis=0)).max() <= LIMITS[k + 1] * dt * (1 + slack)
        assert np.abs(np.array(accelerations)[:, k : k + 3]).max() <= LIMITS[k + 1] * (1 + slack)
        assert np.abs(np.diff(np.array(accelerations)[:, k : k + 3], axis=0)).max() <= LIMITS[
            k + 2
        ] * dt * (1 + 1e-6 + 10 * slack)
    for s, u in states[-200:]:
        assert s.p == pytest.approx(u.p, abs=1e-12)
        assert s.v == pytest.approx(u.v, abs=1e-11)
        assert matrix(s.q) == pytest.approx(matrix(u.q), abs=1e-11)
    assert mem[:3].tolist() == [0.0] * 3


def test_limits_are_kept_in_the_loop():
    """Through Lange's impact: differences of the recorded velocity never exceed the limits, and the
    limits are reached."""
    a, jerk = 2.3, 8.86
    run = run_loop(
        lange_impact(
            0.4,
            model="limited",
            max_acceleration_m_per_s2=a,
            max_jerk_m_per_s3=jerk,
            max_speed_m_per_s=0.6,
        )
    )
    for name in ("chaser", "target"):
        v = run.series[f"mock_up.{name}.velocity"]
        assert np.abs(v).max() <= 0.6 * (1 + 1e-9)
        assert np.abs(np.diff(v, axis=0)).max() <= a * T * (1 + 1e-9)
        assert np.abs(np.diff(v, 2, axis=0)).max() <= jerk * T * T * (1 + 1e-6)
        assert np.abs(np.diff(v, 2, axis=0)).max() >= 0.99 * jerk * T * T


def test_limited_rotation_in_the_loop():
    """Turning bodies that collide: the mock-ups' rates change within the limit per axis (1 %: axes
    of a turning body are not those of the plan), and before the contact they are on their
    set-points."""
    tables = sphere_on_sphere()
    robot = {
        "model": "limited",
        "max_acceleration_m_per_s2": 5.0,
        "max_angular_acceleration_rad_per_s2": 0.25,
    }
    tables["robots"] = {"chaser": dict(robot), "target": dict(robot)}
    run = run_loop(tables)
    first = int(run.contacts[0]["start_s"] / T) - 1
    for name in ("chaser", "target"):
        w = run.series[f"mock_up.{name}.rate"]
        assert np.abs(np.diff(w, axis=0)).max() <= 0.25 * T * 1.01
        assert run.series[f"mock_up.{name}.position"][1:first] == pytest.approx(
            run.series[f"command.{name}.position"][1:first], abs=1e-9
        )
        assert w[1:first] == pytest.approx(run.series[f"command.{name}.rate"][1:first], abs=1e-3)
    assert run.contact_count >= 1
