"""The force/torque sensor: its electronics, its own rate and delay, newest sample or mean, the age
of what is handed over, on either body."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere

from softdock import Stepper, build, fly
from softdock.analysis.sensor_faults import switched_off
from softdock.core.machine.compiled import door
from softdock.core.machine.state import place
from softdock.core.machine.vector import SENSOR_AT
from softdock.core.robots.robot import Chance
from softdock.core.sensor import force_torque
from softdock.core.sensor.keys import SENSOR
from softdock.core.spatial.motion import Wrench
from softdock.scenario.memory import EVERY_SENSOR

read_sensor, prepare_sensor = door(force_torque.read_sensor), door(force_torque.prepare_sensor)
T, CHANCE = 0.004, Chance(11, 0)
NOTHING = Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
TRUE = Wrench((3.0, -4.0, 5.0), (0.1, 0.2, -0.3))
READING_TIME = place("facility.reading_time").start


def far_apart(**sensor):
    """Nothing touches: the reading is noise alone."""
    tables = epos_wall()
    tables["chaser"]["position_m"] = [1.0, 0.0, 0.0]
    tables["chaser"]["velocity_m_per_s"] = [0.0, 0.0, 0.0]
    tables["time"]["duration_s"] = 40.0
    tables["sensor"] = sensor
    tables["random"] = {"seed": 11}
    return tables


def sensor(**keys):
    """What the core prepares from a user's keys."""
    return prepare_sensor(build(far_apart(**keys)).vector, SENSOR_AT, T)


def test_every_key_of_the_electronics_is_asked_for():
    """Protects a new error or fault of the sensor: one that the shortest way through it did not ask
    for would do nothing by itself. Keys that only say when need the one that says what."""
    still = build(far_apart()).vector
    assert prepare_sensor(still, SENSOR_AT, T).plain
    for key in SENSOR:
        says_when = key.unit == "s" and key.key not in switched_off()
        if key.name in EVERY_SENSOR or says_when:
            continue
        vector = still.copy()
        vector[SENSOR_AT + getattr(SENSOR.at, key.name)] = 1.0
        assert not prepare_sensor(vector, SENSOR_AT, T).plain, key.key


@door
def fill_readings(sensor, chance, index, rows, true):
    """One reading a cycle, into rows of six."""
    state = Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for k in range(len(rows)):
        reading, state = force_torque.read_sensor(
            sensor, chance, index, k, k + 1, k * 0.004, state, true
        )
        for i in range(3):
            rows[k, i] = reading.force[i]
            rows[k, 3 + i] = reading.torque[i]


def many_readings(sensor, chance, index, count, true):
    rows = np.empty((count, 6))
    fill_readings(sensor, chance, index, rows, true)
    return rows


def test_an_ideal_sensor_reads_the_truth():
    """Without noise the reading is the true wrench, bit for bit."""
    reading, state = read_sensor(sensor(), CHANCE, 0, 5, 0, 0.02, NOTHING, TRUE)
    assert reading == TRUE
    assert state == NOTHING


def test_noise_has_the_stated_deviation():
    """Force and torque noise are white with their own standard deviations: mean and deviation of 10
    000 readings within 5 standard errors, axes and successive readings uncorrelated."""
    series = fly(far_apart(noise_N=0.25, noise_Nm=0.03)).series
    force, torque = series["measured.chaser.force"], series["measured.chaser.torque"]
    # the chaser moves under the noise, but nothing touches: the true wrench is zero throughout
    assert not series["true.chaser.force"].any()
    n = len(force)
    assert n == 10_001
    for values, sigma in ((force, 0.25), (torque, 0.03)):
        assert np.abs(values.mean(axis=0)).max() < 5 * sigma / math.sqrt(n)
        assert values.std(axis=0) == pytest.approx(sigma, rel=5 / math.sqrt(2 * n))
    both = np.hstack([force / 0.25, torque / 0.03])
    assert np.abs(np.corrcoef(both.T) - np.eye(6)).max() < 5 / math.sqrt(n)
    assert np.abs((both[1:] * both[:-1]).mean(axis=0)).max() < 5 / math.sqrt(n)


def test_noise_on_forces_only_leaves_torques_alone():
    """Each deviation is its own key: with noise on the force, torques are exact."""
    series = fly(far_apart(noise_N=0.25)).series
    assert series["measured.chaser.force"].std() > 0.2
    assert not series["measured.chaser.torque"].any()


def test_the_mean_of_four_samples_halves_the_noise():
    """At 1 kHz and 4 ms `mean` averages four independent samples; `latest` does not."""
    spread = {
        h: fly(far_apart(period_ms=1.0, handover=h, noise_N=0.25))
        .series["measured.chaser.force"][1:]
        .std()
        for h in ("latest", "mean")
    }
    assert spread["latest"] == pytest.approx(0.25, rel=0.03)
    assert spread["mean"] == pytest.approx(0.125, rel=0.03)


def in_contact(**sensor):
    tables = sphere_on_sphere(delay_ms=6.0)
    tables["sensor"] = sensor
    return tables


def test_one_sample_a_cycle_is_the_true_wrench_at_the_cycles_end():
    """The default: reading at t_k = true wrench at t_k, age zero. 1e-12: to the sensor's axes and
    back."""
    series = fly(in_contact()).series
    assert series["measured.chaser.force"] == pytest.approx(series["true.chaser.force"], abs=1e-12)
    assert series["measured.chaser.torque"] == pytest.approx(
        series["true.chaser.torque"], abs=1e-12
    )
    assert not series["force_age"].any()
    assert series["true.chaser.force"].any()


def test_the_mean_is_the_mean_of_the_samples_since_the_last_cycle():
    """With samples on the plant's own steps the mean can be formed by hand from a run four times
    finer in the plant: here from a loop whose chaser does not feel the force (a body of 1e9 kg), so
    that both loops move alike."""
    tables = in_contact(period_ms=1.0, handover="mean")
    for name in ("chaser", "target"):
        tables[name]["mass_kg"] = 1e9
        tables[name]["inertia_kg_m2"] = [1e9, 1e9, 1e9]
    coarse = fly(tables).series
    tables["time"]["cycle_ms"], tables["sensor"] = 1.0, {}
    fine = fly(tables).series["true.chaser.force"]
    by_hand = np.array(
        [fine[4 * k - 3 : 4 * k + 1].mean(axis=0) for k in range(1, len(coarse["time"]))]
    )
    # 1e-4 of the peak: a Hermite curve through set-points at 4 ms against one at 1 ms
    assert coarse["measured.chaser.force"][1:] == pytest.approx(
        by_hand, abs=1e-4 * np.abs(fine).max()
    )
    assert (
        np.abs(by_hand - coarse["true.chaser.force"][1:]).max() > 10 * 1e-4 * np.abs(fine).max()
    )  # the newest sample is not the mean


@pytest.mark.parametrize(
    ("period_ms", "ages_ms"),
    [
        (0.0, [0, 0, 0, 0, 0, 0]),
        (1.0, [0, 0, 0, 0, 0, 0]),
        (3.0, [1, 2, 0, 1, 2, 0]),
        (8.0, [4, 0, 4, 0, 4, 0]),
        (10.0, [4, 8, 2, 6, 0, 4]),
    ],
)
def test_a_sensor_with_its_own_rate_hands_over_samples_with_their_age(period_ms, ages_ms):
    """Samples at multiples of the period, the newest at t_k handed over: its age is t_k minus its
    stamp, also slower than the cycle."""
    loop = Stepper(build(in_contact(period_ms=period_ms)))
    ages = []
    for k in range(1, 7):
        loop.step()
        ages.append(1e3 * (0.004 * k - loop.state[READING_TIME]))
    assert ages == pytest.approx(ages_ms, abs=1e-9)


def test_an_old_reading_is_the_true_wrench_of_its_time():
    """Slower than the cycle: between samples the last reading is held, and at a sample it is the
    true wrench of that instant."""
    series = fly(in_contact(period_ms=8.0)).series
    measured, true = series["measured.chaser.force"], series["true.chaser.force"]
    assert measured[2::2] == pytest.approx(true[2::2], abs=1e-12)
    assert (measured[1::2] == measured[0:-1:2][: len(measured[1::2])]).all()
    assert true.any()


@pytest.mark.parametrize("period_ms", [0.0, 12.0, 40.0])
def test_restitution_counts_the_last_held_reading(period_ms):
    """A slow sensor's last reading pushes on after the parts have separated: restitution is that of
    the velocity kept in the end."""
    tables = epos_wall(delay_ms=0.0)
    tables["sensor"] = {"period_ms": period_ms}
    run = fly(tables)
    assert run.restitution == pytest.approx(run.series["chaser.velocity.x"][-1] / 0.02, rel=1e-9)


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
    return read_sensor(sensor(**keys), CHANCE, 0, 1, 1, t, state, given)


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
    assert fly(tables).series["measured.chaser.force"][0] == pytest.approx(
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
    force = fly(tables).series["measured.chaser.force"]
    assert force == pytest.approx(np.zeros_like(force), abs=1e-12)


def test_a_delayed_reading_is_the_truth_of_its_time():
    """A sample arrives 8 ms after it was taken: at t_k the wrench of t_k - 8 ms, and its age says
    so. Before the first arrival, nothing."""
    series = fly(in_contact(delay_ms=8.0)).series
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
    series = fly(in_contact(period_ms=period_ms, delay_ms=delay_ms)).series
    assert 1e3 * series["force_age"][2:5] == pytest.approx(ages_ms, abs=1e-9)


def test_the_mean_of_delayed_samples_is_the_mean_of_an_earlier_cycle():
    """With 8 ms of delay the mean since the last cycle is the mean that was handed over two cycles
    ago without delay. On a body too heavy to be moved by it, so that both loops move alike."""
    means = []
    for delay_ms in (0.0, 8.0):
        tables = in_contact(period_ms=1.0, handover="mean", delay_ms=delay_ms)
        for name in ("chaser", "target"):
            tables[name] |= {"mass_kg": 1e9, "inertia_kg_m2": [1e9, 1e9, 1e9]}
        means.append(fly(tables).series["measured.chaser.force"])
    assert means[1][4:] == pytest.approx(means[0][2:-2], abs=1e-6 * np.abs(means[0]).max())
    assert means[0].any()


def test_below_the_threshold_nothing_is_handed_over():
    """Forces smaller than the threshold are zero, torque included; larger ones are untouched."""
    series = fly(in_contact(threshold_N=4.0)).series
    measured, true = series["measured.chaser.force"], series["true.chaser.force"]
    small = np.linalg.norm(true, axis=1) < 4.0
    assert not measured[small].any()
    assert not series["measured.chaser.torque"][small].any()
    assert measured[~small] == pytest.approx(true[~small], abs=1e-12)
    assert (small & true.any(axis=1)).any()
    assert (~small).sum() > 10


# on the chaser, on the target, on both


def on(body, tables=None, **keys):
    tables = tables or epos_wall(delay_ms=16.0)
    tables["sensor"] = {"on": body, **keys}
    return fly(tables)


def test_an_ideal_sensor_on_either_body_gives_the_same_bounce():
    """In one dimension, with delay: restitution, peaks and energy agree to rounding, whichever
    mock-up carries the sensor."""
    runs = {body: on(body) for body in ("chaser", "target", "both")}
    for run in runs.values():
        assert run.restitution == pytest.approx(runs["chaser"].restitution, rel=1e-12)
        assert run.contacts[0]["peak_force_satellite_N"] == pytest.approx(
            runs["chaser"].contacts[0]["peak_force_satellite_N"], rel=1e-12
        )
        assert run.energy_invented_J == pytest.approx(runs["chaser"].energy_invented_J, rel=1e-9)


def test_an_ideal_sensor_on_either_body_gives_the_same_docking():
    """In three dimensions without delay, too: the common point of the two equal and opposite
    wrenches is the same. 1e-9: rounding, magnified by the contact."""
    runs = {body: on(body, sphere_on_sphere()) for body in ("chaser", "target", "both")}
    for run in runs.values():
        for channel in ("chaser.velocity", "target.velocity", "chaser.rate", "target.rate"):
            assert run.series[channel] == pytest.approx(runs["chaser"].series[channel], abs=1e-9), (
                channel
            )


@pytest.mark.parametrize("body", ["chaser", "target", "both"])
def test_noise_does_not_move_the_pair(body):
    """Whatever the sensors say, the two satellites get opposite forces: momentum is exact. With
    both, half the difference drives them."""
    tables = sphere_on_sphere(delay_ms=6.0)
    masses = [tables[name]["mass_kg"] for name in ("chaser", "target")]
    run = on(body, tables, noise_N=0.3, noise_Nm=0.05)
    s = run.series
    momentum = masses[0] * s["chaser.velocity"] + masses[1] * s["target.velocity"]
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-12)
    meant = {"chaser": s["measured.chaser.force"], "target": -s["measured.target.force"]}
    meant["both"] = 0.5 * (meant["chaser"] + meant["target"])
    assert s["satellite.chaser.force"][1:] == pytest.approx(meant[body][:-1], abs=1e-12)
    assert s["satellite.target.force"][1:] == pytest.approx(-meant[body][:-1], abs=1e-12)
    assert np.abs(s["satellite.chaser.force"]).max() > 1.0
