"""The force/torque sensor: its electronics, its own rate and delay, newest sample or mean, the age
of what is handed over, on either body."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere
from sensor_readings import CHANCE, NOTHING, TRUE, far_apart, in_contact, read_sensor, sensor

from softdock import Stepper, build, run_loop
from softdock.loop.facility.state import Tick
from softdock.loop.state import place

READING_TIME = place("facility.reading_time").start


def test_an_ideal_sensor_reads_the_truth():
    """Without noise the reading is the true wrench, bit for bit."""
    reading, state = read_sensor(sensor(), CHANCE, 0, Tick(5, 0, 0.02, 0.004), NOTHING, TRUE)
    assert reading == TRUE
    assert state == NOTHING


def test_noise_has_the_stated_deviation():
    """Force and torque noise are white with their own standard deviations: mean and deviation of 10
    000 readings within 5 standard errors, axes and successive readings uncorrelated."""
    series = run_loop(far_apart(noise_N=0.25, noise_Nm=0.03)).series
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
    series = run_loop(far_apart(noise_N=0.25)).series
    assert series["measured.chaser.force"].std() > 0.2
    assert not series["measured.chaser.torque"].any()


def test_the_mean_of_four_samples_halves_the_noise():
    """At 1 kHz and 4 ms `mean` averages four independent samples; `latest` does not."""
    spread = {
        h: run_loop(far_apart(period_ms=1.0, handover=h, noise_N=0.25))
        .series["measured.chaser.force"][1:]
        .std()
        for h in ("latest", "mean")
    }
    assert spread["latest"] == pytest.approx(0.25, rel=0.03)
    assert spread["mean"] == pytest.approx(0.125, rel=0.03)


def test_one_sample_a_cycle_is_the_true_wrench_at_the_cycles_end():
    """The default: reading at t_k = true wrench at t_k, age zero. 1e-12: to the sensor's axes and
    back."""
    series = run_loop(in_contact()).series
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
    coarse = run_loop(tables).series
    tables["time"]["cycle_ms"], tables["sensor"] = 1.0, {}
    fine = run_loop(tables).series["true.chaser.force"]
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
    series = run_loop(in_contact(period_ms=8.0)).series
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
    run = run_loop(tables)
    assert run.restitution == pytest.approx(run.series["chaser.velocity.x"][-1] / 0.02, rel=1e-9)


# on the chaser, on the target, on both


def on(body, tables=None, **keys):
    tables = tables or epos_wall(delay_ms=16.0)
    tables["sensor"] = {"on": body, **keys}
    return run_loop(tables)


def test_an_ideal_sensor_on_either_body_gives_the_same_bounce():
    """In one dimension, with delay: restitution, peaks and energy agree to rounding, whichever
    mock-up carries the sensor."""
    runs = {body: on(body) for body in ("chaser", "target", "both")}
    for run in runs.values():
        assert run.restitution == pytest.approx(runs["chaser"].restitution, rel=1e-12)
        assert run.contacts[0]["peak_force_satellite_N"] == pytest.approx(
            runs["chaser"].contacts[0]["peak_force_satellite_N"], rel=1e-12
        )
        assert run.energy_added_J == pytest.approx(runs["chaser"].energy_added_J, rel=1e-9)


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
