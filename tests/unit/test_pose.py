"""Measured poses: delay and age, rate, noise, resolution and lost samples, apart from the force
sensor's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere
from turned import quaternion

from softdock import build, run_loop
from softdock.compile.jit import entry_point
from softdock.loop.robots.robot import Chance
from softdock.loop.sensor import pose as pose_sensor
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import inverse, logarithm, product
from softdock.loop.vector import POSE_AT

read_pose, prepare_pose, log = (
    entry_point(pose_sensor.read_pose),
    entry_point(pose_sensor.prepare_pose),
    entry_point(logarithm),
)
CHANCE = Chance(3, 1)
T = 0.004  # s


def turned(x, y, z):
    return tuple(float(c) for c in quaternion([x, y, z]))


TRUE = Motion((0.12345, -0.6, 2.0), turned(0.4, -0.7, 0.2), (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def with_pose(tables=None, **keys):
    tables = tables or sphere_on_sphere(delay_ms=6.0)
    tables["pose"] = keys
    return tables


def pose(**keys):
    return prepare_pose(build(with_pose(**keys)).vector, POSE_AT)


@entry_point
def fill_errors(pose, chance, index, rows, true):
    """Errors of position [m] and attitude (rotation vector, rad), one pose a cycle."""
    for k in range(len(rows)):
        seen = pose_sensor.read_pose(pose, chance, index, k, true)
        turn = logarithm(product(inverse(true.q), seen.q))
        for i in range(3):
            rows[k, i] = seen.p[i] - true.p[i]
            rows[k, 3 + i] = turn[i]


def many_poses(pose, chance, index, count, true):
    rows = np.empty((count, 6))
    fill_errors(pose, chance, index, rows, true)
    return rows


def test_by_default_poses_are_seen_as_they_are():
    """No age, no error: the mock-ups' own positions, bit for bit."""
    series = run_loop(sphere_on_sphere(delay_ms=6.0)).series
    for name in ("chaser", "target"):
        assert (series[f"seen.{name}.position"] == series[f"mock_up.{name}.position"]).all()
    assert not series["pose_age"].any()


def test_a_delayed_pose_is_that_of_its_time():
    """16 ms from motion to measured pose: at t_k the pose of t_k - 16 ms, bit for bit on a stamp,
    and its age says so."""
    series = run_loop(with_pose(delay_ms=16.0)).series
    for name in ("chaser", "target"):
        assert (
            series[f"seen.{name}.position"][4:] == series[f"mock_up.{name}.position"][:-4]
        ).all()
    assert series["pose_age"] == pytest.approx(0.016, abs=1e-12)


def test_before_the_start_poses_are_those_of_free_flight():
    """At t = 0 the mock-up was already moving: a pose 16 ms old is 16 ms of way behind, as are the
    set-points before t = 0."""
    tables = with_pose(epos_wall(delay_ms=0.0), delay_ms=16.0)
    series = run_loop(tables).series
    expected = 0.01 - 0.02 * (series["time"][:5] - 0.016)
    assert series["seen.chaser.position.x"][:5] == pytest.approx(expected, abs=1e-12)


def test_a_fractional_delay_lies_between_two_poses():
    """10 ms at a cycle of 4 ms: half way, on the curve through pose and twist. In free flight a
    straight line."""
    tables = with_pose(epos_wall(delay_ms=0.0), delay_ms=10.0)
    tables["time"]["duration_s"] = 0.4
    series = run_loop(tables).series
    assert series["seen.chaser.position.x"][4:] == pytest.approx(
        0.01 - 0.02 * (series["time"][4:] - 0.010), abs=1e-12
    )
    assert series["pose_age"][1:] == pytest.approx(0.010, abs=1e-12)


@pytest.mark.parametrize(
    ("period_ms", "ages_ms"),
    [(12.0, [4, 8, 0, 4, 8, 0]), (10.0, [4, 8, 2, 6, 0, 4]), (4.0, [0, 0, 0, 0, 0, 0])],
)
def test_a_slow_pose_sensor_holds_its_last_sample(period_ms, ages_ms):
    """Samples at multiples of the period; in between the last one, growing older. Between stamps
    too: the pose is that of its time."""
    tables = with_pose(epos_wall(delay_ms=0.0), period_ms=period_ms)
    tables["time"]["duration_s"] = 0.4
    series = run_loop(tables).series
    assert 1e3 * series["pose_age"][1:7] == pytest.approx(ages_ms, abs=1e-9)
    stamp = series["time"] - series["pose_age"]
    assert series["seen.chaser.position.x"] == pytest.approx(0.01 - 0.02 * stamp, abs=1e-12)


def test_noise_has_the_stated_deviation():
    """Position and attitude, a million poses: within 0.5 % on each of six channels, without
    correlation between channels, cycles or bodies."""
    noisy = pose(noise_m=2e-4, noise_rad=1e-3)
    wish = np.array([2e-4] * 3 + [1e-3] * 3)
    chaser, target = (many_poses(noisy, CHANCE, index, 1_000_000, TRUE) / wish for index in (0, 1))
    for rows in (chaser, target):
        assert rows.std(axis=0) == pytest.approx(1.0, rel=0.005)
        assert np.abs(rows.mean(axis=0)).max() < 5e-3
        assert np.abs(np.corrcoef(rows.T) - np.eye(6)).max() < 5e-3
        assert np.abs(rows[1:].T @ rows[:-1] / len(rows)).max() < 5e-3
    assert np.abs(chaser.T @ target / len(chaser)).max() < 5e-3


def test_resolution():
    """Positions are multiples of the resolution; attitudes have rotation vectors that are."""
    seen = read_pose(pose(resolution_m=0.01, resolution_rad=0.05), CHANCE, 0, 7, TRUE)
    assert seen.p == pytest.approx((0.12, -0.6, 2.0), abs=1e-12)
    assert log(seen.q) == pytest.approx((0.4, -0.7, 0.2), abs=1e-12)
    coarse = read_pose(pose(resolution_rad=0.3), CHANCE, 0, 7, TRUE)
    assert log(coarse.q) == pytest.approx((0.3, -0.6, 0.3), abs=1e-12)
    assert coarse.p == TRUE.p
    assert (seen.v, seen.w) == (TRUE.v, TRUE.w)


def far_apart(**keys):
    tables = epos_wall(delay_ms=0.0)
    tables["chaser"] |= {"position_m": [1.0, 0.0, 0.0], "velocity_m_per_s": [0.0, 0.01, 0.0]}
    tables["time"]["duration_s"] = 40.0
    return with_pose(tables, **keys)


def test_the_share_of_lost_poses_is_the_probability():
    """A lost pose leaves the one before, a cycle older. Within 5 standard errors of 10 000
    cycles."""
    series = run_loop(far_apart(dropout_probability=0.3)).series
    lost = series["pose_age"][1:] > 0.5 * T
    assert abs(lost.mean() - 0.3) < 5 * math.sqrt(0.3 * 0.7 / len(lost))
    stamp = series["time"] - series["pose_age"]
    assert series["seen.chaser.position.y"] == pytest.approx(0.01 * stamp, abs=1e-9)


def test_a_lost_sample_of_a_slow_sensor_never_arrives():
    """The probability is that of a sample, not of a look at it: with one sample in three cycles and
    half of them lost, half never show."""
    series = run_loop(far_apart(dropout_probability=0.5, period_ms=12.0)).series
    stamps = np.unique(np.round((series["time"] - series["pose_age"]) / 0.012).astype(int))
    samples = int(40.0 / 0.012)
    assert abs(len(stamps) / samples - 0.5) < 5 * math.sqrt(0.25 / samples)


def test_measured_poses_do_not_move_anything():
    """Direct adaptation does not look at poses: the run is the same bit for bit, however bad they
    are; only the observed energy changes."""
    plain = run_loop(sphere_on_sphere(delay_ms=6.0))
    bad = run_loop(with_pose(delay_ms=16.0, noise_m=1e-3, dropout_probability=0.3))
    for channel in ("chaser.position", "target.rate", "measured.chaser.force"):
        assert (plain.series[channel] == bad.series[channel]).all()
    assert plain.ledger["observed"] != bad.ledger["observed"]


def test_constant_offsets_are_each_bodys_own():
    """What a base or a tool is wrong by is in the measured position of that mock-up, and nowhere
    else."""
    wrong = pose(chaser_offset_m=[0.002, 0.0, -0.001])
    seen, other = read_pose(wrong, CHANCE, 0, 7, TRUE), read_pose(wrong, CHANCE, 1, 7, TRUE)
    assert seen.p == pytest.approx((TRUE.p[0] + 0.002, TRUE.p[1], TRUE.p[2] - 0.001))
    assert (other.p, seen.q, seen.v, seen.w) == (TRUE.p, TRUE.q, TRUE.v, TRUE.w)
    assert not wrong.ideal
