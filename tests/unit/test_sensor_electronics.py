"""The sensor's electronics: noise of a million readings, bias, drift, steps, saturation,
low-pass, delay and threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sensor_readings import (
    CHANCE,
    NOTHING,
    TRUE,
    T,
    far_apart,
    in_contact,
    prepare_sensor,
    read_sensor,
    sensor,
)

from softdock import build, run_loop
from softdock.compile.jit import entry_point
from softdock.loop.facility.state import Tick
from softdock.loop.robots.robot import Chance
from softdock.loop.sensor import force_torque
from softdock.loop.sensor.keys import SENSOR
from softdock.loop.spatial.motion import Wrench
from softdock.loop.vector import SENSOR_AT
from softdock.results.faults import make_faultless_keys
from softdock.scenario.memory import EVERY_SENSOR


def test_every_key_of_the_electronics_is_asked_for():
    """Protects a new error or fault of the sensor: one that the shortest way through it did not ask
    for would do nothing by itself. Keys that only say when need the one that says what."""
    still = build(far_apart()).vector
    assert prepare_sensor(still, SENSOR_AT, T).plain
    for key in SENSOR:
        says_when = key.unit == "s" and key.key not in make_faultless_keys()
        if key.name in EVERY_SENSOR or says_when:
            continue
        vector = still.copy()
        vector[SENSOR_AT + getattr(SENSOR.at, key.name)] = 1.0
        assert not prepare_sensor(vector, SENSOR_AT, T).plain, key.key


@entry_point
def fill_readings(sensor, chance, index, rows, true):
    """One reading a cycle, into rows of six."""
    state = Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for k in range(len(rows)):
        tick = Tick(k, k + 1, k * 0.004, 0.004)
        reading, state = force_torque.read_sensor(sensor, chance, index, tick, state, true)
        for i in range(3):
            rows[k, i] = reading.force[i]
            rows[k, 3 + i] = reading.torque[i]


def many_readings(sensor, chance, index, count, true):
    rows = np.empty((count, 6))
    fill_readings(sensor, chance, index, rows, true)
    return rows


# a million readings of the electronics alone


@pytest.fixture(scope="module")
def million():
    """Noise alone by (sensor, run), a million readings of six channels each, in units of the wished
    deviation."""
    noisy = sensor(noise_N=0.25, noise_Nm=0.03)
    wish = np.array([0.25] * 3 + [0.03] * 3)
    keys = {
        "chaser": (0, Chance(11, 0)),
        "target": (1, Chance(11, 0)),
        "next run": (0, Chance(11, 1)),
        "next seed": (0, Chance(12, 0)),
    }
    return {
        name: many_readings(noisy, chance, index, 1_000_000, NOTHING) / wish
        for name, (index, chance) in keys.items()
    }


def test_the_deviation_of_a_million_readings(million):
    """Every channel has the wished standard deviation within 0.5 % and no mean."""
    for rows in million.values():
        assert rows.std(axis=0) == pytest.approx(1.0, rel=0.005)
        assert np.abs(rows.mean(axis=0)).max() < 5e-3


@pytest.mark.parametrize("other", ["target", "next run", "next seed"])
def test_channels_cycles_sensors_and_runs_share_no_noise(million, other):
    """All correlations of a million readings are below 5 standard errors: between channels, from
    cycle to cycle, and to any other sensor, run or seed."""
    rows, bound = million["chaser"], 5e-3
    assert np.abs(np.corrcoef(rows.T) - np.eye(6)).max() < bound
    for lag in (1, 2, 7):
        assert np.abs(rows[lag:].T @ rows[:-lag] / len(rows)).max() < bound
    assert np.abs(rows.T @ million[other] / len(rows)).max() < bound


def read(given, t=0.0, state=NOTHING, **keys):
    return read_sensor(sensor(**keys), CHANCE, 0, Tick(1, 1, t, T), state, given)


def test_bias_and_drift_add_up():
    """reading = true + bias + drift t, each channel its own."""
    keys = {
        "bias_N": [1.0, -2.0, 3.0],
        "bias_Nm": [0.1, 0.2, 0.3],
        "drift_N_per_s": [0.01, 0.0, -0.02],
        "drift_Nm_per_s": [0.0, 0.003, 0.0],
    }
    reading, _ = read(TRUE, t=10.0, **keys)
    assert reading.force == pytest.approx((3.0 + 1.0 + 0.1, -4.0 - 2.0, 5.0 + 3.0 - 0.2), abs=1e-14)
    assert reading.torque == pytest.approx((0.1 + 0.1, 0.2 + 0.2 + 0.03, -0.3 + 0.3), abs=1e-15)


def test_the_bias_is_in_the_sensors_axes():
    """A constant error turns with the body that carries the sensor: in world axes the reading of a
    turned chaser is R bias."""
    tables = far_apart(bias_N=[1.0, 0.0, 0.0])
    tables["chaser"]["attitude_wxyz"] = [
        math.sqrt(0.5),
        0.0,
        0.0,
        math.sqrt(0.5),
    ]  # a quarter turn about z
    tables["time"]["duration_s"] = 0.1
    assert run_loop(tables).series["measured.chaser.force"][0] == pytest.approx(
        (0.0, 1.0, 0.0), abs=1e-14
    )


def test_quantisation():
    """Multiples of the resolution, at most half of it away; zero stays zero."""
    for value in np.linspace(-3.0, 3.0, 101):
        reading, _ = read(
            Wrench((float(value), 0.0, 0.0), (0.1 * float(value), 0.0, 0.0)),
            resolution_N=0.25,
            resolution_Nm=0.01,
        )
        assert reading.force[0] / 0.25 == pytest.approx(round(reading.force[0] / 0.25), abs=1e-12)
        assert abs(reading.force[0] - value) <= 0.125 + 1e-12
        assert abs(reading.torque[0] - 0.1 * value) <= 0.005 + 1e-12
        assert reading.force[1:] == (0.0, 0.0)


def test_saturation():
    """Each channel stops at its range, on both sides, and is exact within."""
    reading, _ = read(TRUE, range_N=4.5, range_Nm=0.15)
    assert reading.force == (3.0, -4.0, 4.5)
    assert reading.torque == (0.1, 0.15, -0.15)


def test_the_low_pass_answers_a_step():
    """First order: after n samples 1 - exp(-2 pi f n T) of the step, exactly at the samples;
    saturation comes after the filter."""
    f = 12.0
    rows = many_readings(sensor(lowpass_Hz=f), CHANCE, 0, 50, TRUE)
    share = 1.0 - np.exp(-2.0 * math.pi * f * T * np.arange(1, 51))
    assert rows[:, :3] == pytest.approx(np.outer(share, TRUE.force), abs=1e-12)
    assert rows[:, 3:] == pytest.approx(np.outer(share, TRUE.torque), abs=1e-12)
    cut = many_readings(sensor(lowpass_Hz=f, range_N=2.0), CHANCE, 0, 50, TRUE)
    assert cut[:, 0] == pytest.approx(np.minimum(rows[:, 0], 2.0), abs=1e-12)


def test_the_low_pass_is_settled_at_the_start():
    """A run begins with a sensor that was on long before: a tool that is weighed rightly pushes
    nothing through a low-pass, from the first reading on."""
    tables = far_apart(lowpass_Hz=15.0)
    tables["time"]["duration_s"] = 0.1
    tables["mock_up"] = {"chaser": {"mass_kg": 3.0, "centre_m": [0.9, 0.0, 0.0]}}
    force = run_loop(tables).series["measured.chaser.force"]
    assert force == pytest.approx(np.zeros_like(force), abs=1e-12)


def test_a_delayed_reading_is_the_truth_of_its_time():
    """A sample arrives 8 ms after it was taken: at t_k the wrench of t_k - 8 ms, and its age says
    so. Before the first arrival, nothing."""
    series = run_loop(in_contact(delay_ms=8.0)).series
    measured, true = series["measured.chaser.force"], series["true.chaser.force"]
    assert measured[2:] == pytest.approx(true[:-2], abs=1e-12)
    assert not measured[:2].any()
    assert series["force_age"][2:] == pytest.approx(0.008, abs=1e-12)
    assert true.any()


@pytest.mark.parametrize(
    ("period_ms", "delay_ms", "ages_ms"),
    [(1.0, 2.5, [3, 3, 3]), (3.0, 2.0, [2, 3, 4]), (0.0, 5.0, [8, 8, 8])],
)
def test_delay_and_rate_make_the_age(period_ms, delay_ms, ages_ms):
    """The newest sample that has arrived: its stamp is a multiple of the period and at least the
    delay old."""
    series = run_loop(in_contact(period_ms=period_ms, delay_ms=delay_ms)).series
    assert 1e3 * series["force_age"][2:5] == pytest.approx(ages_ms, abs=1e-9)


def test_the_mean_of_delayed_samples_is_the_mean_of_an_earlier_cycle():
    """With 8 ms of delay the mean since the last cycle is the mean that was handed over two cycles
    ago without delay. On a body too heavy to be moved by it, so that both loops move alike."""
    means = []
    for delay_ms in (0.0, 8.0):
        tables = in_contact(period_ms=1.0, handover="mean", delay_ms=delay_ms)
        for name in ("chaser", "target"):
            tables[name] |= {"mass_kg": 1e9, "inertia_kg_m2": [1e9, 1e9, 1e9]}
        means.append(run_loop(tables).series["measured.chaser.force"])
    assert means[1][4:] == pytest.approx(means[0][2:-2], abs=1e-6 * np.abs(means[0]).max())
    assert means[0].any()


def test_below_the_threshold_nothing_is_handed_over():
    """Forces smaller than the threshold are zero, torque included; larger ones are untouched."""
    series = run_loop(in_contact(threshold_N=4.0)).series
    measured, true = series["measured.chaser.force"], series["true.chaser.force"]
    small = np.linalg.norm(true, axis=1) < 4.0
    assert not measured[small].any()
    assert not series["measured.chaser.torque"][small].any()
    assert measured[~small] == pytest.approx(true[~small], abs=1e-12)
    assert (small & true.any(axis=1)).any()
    assert (~small).sum() > 10
