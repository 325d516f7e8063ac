"""Robots that lag, have limits, jitter or lose set-points: each against its closed form, alone and
in the loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall, hamilton, lange_impact, matrix, quaternion, sphere_on_sphere
from scipy.linalg import expm

from softdock import fly
from softdock.core.machine.compiled import door
from softdock.core.robots import delay, lag, limited
from softdock.core.robots.history import HERMITE
from softdock.core.robots.keys import DELAY
from softdock.core.robots.limited import ROBOT_FLOATS
from softdock.core.robots.robot import Chance, RobotParams
from softdock.core.spatial.motion import Motion
from softdock.core.spatial.rotations import logarithm

follow_with_lag, follow_within_limits = (
    door(lag.follow_with_lag),
    door(limited.follow_within_limits),
)
delay_at, log = door(delay.delay_at), door(logarithm)

STILL, NO_TURN = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
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
    series = fly(tables).series
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
    formula is that of a two-sided spring (physics.md section 2)."""
    for late in (0.005, 0.02):
        w_r = 2.0 / late
        roots = np.roots([1.0 / w_r**2, 2.0 / w_r, 1.0, 0.0, 50000.0 / 50.0])
        root = roots[np.argmax(roots.real)]
        found = [
            fly(lange_impact(phase, model="lag", lag_Hz=w_r / (2.0 * math.pi))).restitution
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
    run = fly(
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
    run = fly(tables)
    first = int(run.contacts[0]["start_s"] / T) - 1
    for name in ("chaser", "target"):
        w = run.series[f"mock_up.{name}.rate"]
        assert np.abs(np.diff(w, axis=0)).max() <= 0.25 * T * 1.01
        assert run.series[f"mock_up.{name}.position"][1:first] == pytest.approx(
            run.series[f"command.{name}.position"][1:first], abs=1e-9
        )
        assert w[1:first] == pytest.approx(run.series[f"command.{name}.rate"][1:first], abs=1e-3)
    assert run.contact_count >= 1


def free_flight(**robot):
    """Nothing touches for 40 s: 10 000 set-points."""
    tables = epos_wall(delay_ms=0.0)
    tables["chaser"] |= {
        "position_m": [1.0, 0.0, 0.0],
        "velocity_m_per_s": [0.0, 0.01, 0.0],
        "rate_rad_per_s": [0.0, 0.1, 0.0],
    }
    tables["time"]["duration_s"] = 40.0
    tables["robots"] = {"chaser": robot}
    tables["random"] = {"seed": 4}
    return tables


@pytest.mark.parametrize("probability", [0.02, 0.3, 1.0])
def test_the_share_of_lost_set_points_is_the_probability(probability):
    """`hold`: a lost set-point is the last one, at rest, so a mock-up that did not move counts it.
    Within 5 standard errors of 10 000."""
    series = fly(free_flight(dropout_probability=probability, on_dropout="hold")).series
    p = series["mock_up.chaser.position"]
    lost = (p[1:] == p[:-1]).all(axis=1)
    n = len(lost)
    assert abs(lost.mean() - probability) <= 5 * math.sqrt(probability * (1 - probability) / n)
    assert not series["mock_up.chaser.velocity"][1:][lost].any()
    arrived = np.flatnonzero(~lost) + 1
    assert (p[arrived] == series["command.chaser.position"][arrived]).all()
    if probability < 1.0:  # no pattern from one cycle to the next
        assert abs(np.corrcoef(lost[1:], lost[:-1])[0, 1]) < 5 / math.sqrt(n)


def test_extrapolation_loses_nothing_in_free_flight():
    """`extrapolate`: the robot goes on at its last twist, so that free flight is kept, with half of
    all set-points lost."""
    series = fly(free_flight(dropout_probability=0.5)).series
    assert series["mock_up.chaser.position"] == pytest.approx(
        series["command.chaser.position"], abs=1e-9
    )
    assert series["mock_up.chaser.rate"] == pytest.approx(series["command.chaser.rate"], abs=1e-9)
    lossy = sphere_on_sphere()
    lossy["robots"] = {"chaser": {"dropout_probability": 0.5}}
    assert fly(lossy).restitution != fly(sphere_on_sphere()).restitution  # in contact it does cost


def test_each_robot_loses_its_own_set_points():
    """Chaser's and target's robots draw apart: losses of one say nothing of the other's."""
    tables = free_flight(dropout_probability=0.3, on_dropout="hold")
    tables["target"] = {
        "mass_kg": 100.0,
        "inertia_kg_m2": [10.0] * 3,
        "velocity_m_per_s": [0.0, 0.0, 0.01],
    }
    tables["robots"]["target"] = dict(tables["robots"]["chaser"])
    series = fly(tables).series
    lost = [
        (np.diff(series[f"mock_up.{name}.position"], axis=0) == 0.0).all(axis=1)
        for name in ("chaser", "target")
    ]
    assert abs(np.corrcoef(*lost)[0, 1]) < 5 / math.sqrt(len(lost[0]))


def jittery(jitter, index=0):
    return RobotParams(
        which=index,
        model=DELAY,
        delay=0.008,
        ramp=0.0,
        wobble=0.0,
        wobble_rate=0.0,
        jitter=jitter,
        dropout=0.0,
        on_dropout=0,
        interpolation=HERMITE,
        w=0.0,
        zeta=1.0,
        limits=(math.inf,) * 6,
    )


def test_jitter_is_bounded_continuous_and_fills_its_range():
    """The extra delay stays in [0, jitter], has no steps, its stated rate is its slope, and over
    1000 cycles it is spread evenly."""
    robot, chance, jitter = jittery(0.003), Chance(5, 2), 0.003
    times = np.arange(0.0, 4.0, T / 8) + 1e-5
    found = np.array([delay_at(robot, chance, float(t), T) for t in times])
    assert found[:, 0].min() >= 0.008
    assert found[:, 0].max() <= 0.008 + jitter
    assert np.abs(np.diff(found[:, 0])).max() <= jitter / 8 * (1 + 1e-9)
    inside = np.arange(len(times) - 1) % 8 != 7  # not across a stamp, where the slope changes
    assert (np.diff(found[:, 0]) / (T / 8))[inside] == pytest.approx(
        found[:-1, 1][inside], abs=1e-9
    )
    knots = np.array([delay_at(robot, chance, k * T, T)[0] for k in range(1000)]) - 0.008
    assert np.histogram(knots, 4, (0.0, jitter))[0] == pytest.approx(
        250, abs=5 * math.sqrt(250 * 0.75)
    )


def test_jitter_is_a_function_of_seed_run_and_robot():
    """The same key gives the same delays, in any order; another seed, run or robot gives others."""
    times = [0.31, 0.02, 1.7]
    base = [delay_at(jittery(0.003), Chance(5, 2), t, T) for t in times]
    assert [delay_at(jittery(0.003), Chance(5, 2), t, T) for t in reversed(times)] == base[::-1]
    for robot, chance in (
        (jittery(0.003), Chance(6, 2)),
        (jittery(0.003), Chance(5, 3)),
        (jittery(0.003, 1), Chance(5, 2)),
    ):
        assert all(delay_at(robot, chance, t, T) != b for t, b in zip(times, base, strict=True))


def test_a_jittery_lossy_loop_repeats_by_seed_and_differs_by_run():
    """Bit for bit the same again; another run index, another history."""
    tables = sphere_on_sphere()
    robot = {"delay_ms": 8.0, "delay_jitter_ms": 3.0, "dropout_probability": 0.1}
    tables["robots"] = {"chaser": dict(robot), "target": dict(robot)}
    tables["random"] = {"seed": 9, "run": 1}
    first, again = fly(tables), fly(tables)
    tables["random"]["run"] = 2
    assert first.series.rows.tobytes() == again.series.rows.tobytes()
    assert fly(tables).restitution != first.restitution


def test_the_twist_of_a_jittering_mock_up_is_the_derivative_of_its_pose():
    """Between plant steps the recorded velocity agrees with differences of the recorded position:
    jitter makes no hidden jumps."""
    tables = free_flight(delay_ms=8.0, delay_jitter_ms=2.0)
    tables["time"]["duration_s"] = 2.0
    series = fly(tables).series
    v = np.diff(series["mock_up.chaser.position.y"]) / T
    # the delay is linear within a cycle, so that the mean velocity of a cycle is the one at its
    # end, before the slope changes:
    # 0.01 (1 - h')
    assert 0.01 * 0.5 <= v.min() < v.max() <= 0.01 * 1.5
    assert np.abs(np.diff(series["mock_up.chaser.position.y"])).max() <= 0.01 * (T + 0.002)
