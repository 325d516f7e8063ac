"""Robots that jitter or lose set-points: the share that is lost, the range of the delay, each
by its seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere

from softdock import run_loop
from softdock.compile.jit import entry_point
from softdock.loop.robots import delay
from softdock.loop.robots.history import HERMITE
from softdock.loop.robots.keys import DELAY
from softdock.loop.robots.robot import Chance, RobotParams

delay_at = entry_point(delay.delay_at)
T = 0.004  # s


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
    series = run_loop(free_flight(dropout_probability=probability, on_dropout="hold")).series
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
    series = run_loop(free_flight(dropout_probability=0.5)).series
    assert series["mock_up.chaser.position"] == pytest.approx(
        series["command.chaser.position"], abs=1e-9
    )
    assert series["mock_up.chaser.rate"] == pytest.approx(series["command.chaser.rate"], abs=1e-9)
    lossy = sphere_on_sphere()
    lossy["robots"] = {"chaser": {"dropout_probability": 0.5}}
    assert (
        run_loop(lossy).restitution != run_loop(sphere_on_sphere()).restitution
    )  # in contact it does cost


def test_each_robot_loses_its_own_set_points():
    """Chaser's and target's robots draw apart: losses of one say nothing of the other's."""
    tables = free_flight(dropout_probability=0.3, on_dropout="hold")
    tables["target"] = {
        "mass_kg": 100.0,
        "inertia_kg_m2": [10.0] * 3,
        "velocity_m_per_s": [0.0, 0.0, 0.01],
    }
    tables["robots"]["target"] = dict(tables["robots"]["chaser"])
    series = run_loop(tables).series
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
    first, again = run_loop(tables), run_loop(tables)
    tables["random"]["run"] = 2
    assert first.series.rows.tobytes() == again.series.rows.tobytes()
    assert run_loop(tables).restitution != first.restitution


def test_the_twist_of_a_jittering_mock_up_is_the_derivative_of_its_pose():
    """Between plant steps the recorded velocity agrees with differences of the recorded position:
    jitter makes no hidden jumps."""
    tables = free_flight(delay_ms=8.0, delay_jitter_ms=2.0)
    tables["time"]["duration_s"] = 2.0
    series = run_loop(tables).series
    v = np.diff(series["mock_up.chaser.position.y"]) / T
    # the delay is linear within a cycle, so that the mean velocity of a cycle is the one at its
    # end, before the slope changes:
    # 0.01 (1 - h')
    assert 0.01 * 0.5 <= v.min() < v.max() <= 0.01 * 1.5
    assert np.abs(np.diff(series["mock_up.chaser.position.y"])).max() <= 0.01 * (T + 0.002)
