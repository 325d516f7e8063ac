"""Faithful, off, unsafe: one rule, whose sentence follows the numbers."""

import copy
import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pytest

from softdock.analysis.free_flight import first_step, free_flight
from softdock.analysis.growth import not_taken_out, repeated_growth
from softdock.analysis.judgement import judgement
from softdock.analysis.momenta import mass_properties
from softdock.analysis.simulation import simulate
from softdock.analysis.worst_phase import judge_in_phases, judged
from softdock.errors import BadInput
from softdock.scenario.files import load_scenario

BOUNDS = load_scenario("epos_1d").tables["verdict"]


def near(**changes):
    """Metrics of a run that is as in orbit, with some numbers sabotaged."""
    m = {
        "scenario": "rig",
        "status": "completed",
        "methods": ["direct"],
        "events": [],
        "distance_from_orbit_worst": 0.01,
        "energy_not_taken_out_J": 0.001,
        "growth_repeated": 0.0,
        "growth_latched": 0.0,
        "fidelity": {"approach_energy_J": 1.0, "peak_force_N": 41.0, "peak_force_orbit_N": 42.0},
    }
    m = copy.deepcopy(m)
    for key, value in changes.items():
        (m["fidelity"] if key in m["fidelity"] else m)[key] = value
    return m


def test_a_run_near_orbit_is_faithful():
    """All numbers within their bounds: green, with every bound said."""
    found = judgement([near()], BOUNDS)
    assert (found["word"], found["colour"]) == ("faithful", "green")
    assert "1 % of the approach away from orbit (bound 5 %)" in found["sentence"]
    assert "41 N where orbit has 42 N (bound 10 %)" in found["sentence"]


@pytest.mark.parametrize(
    ("changes", "word", "said"),
    [
        ({"distance_from_orbit_worst": 0.06}, "off", "6 % of the approach away"),
        ({"peak_force_N": 67.0}, "off", "67 N where orbit has 42 N"),
        ({"peak_force_N": 30.0}, "off", "30 N where orbit has 42 N"),
        ({"energy_not_taken_out_J": 0.06}, "unsafe", "6 % of the approach energy comes from"),
        ({"growth_repeated": 0.07}, "unsafe", "contacts grow by 7 %"),
        ({"growth_latched": 0.5}, "unsafe", "contacts grow by 50 %"),
        ({"status": "force limit"}, "unsafe", "the run stopped (force limit)"),
        ({"events": [{"what": "saturated"}]}, "unsafe", "the sensor was at its range"),
        ({"distance_from_orbit_worst": None}, "off", "no distance from orbit is defined"),
        ({"peak_force_orbit_N": 0.0}, "off", "41 N where orbit has no contact"),
        ({"energy_not_taken_out_J": -0.2}, "faithful", "loses 20 % of the approach energy"),
    ],
)
def test_each_number_decides_and_is_said(changes, word, said):
    """One number sabotaged: word and sentence follow, and what decides is said first."""
    found = judgement([near(**changes)], BOUNDS)
    assert found["word"] == word
    assert said in found["sentence"]
    if word != "faithful":
        assert found["sentence"].index(said) < 60


def test_the_worst_of_the_phases_decides():
    """Seven faithful phases and one that is not: its numbers, its word, and how many are which."""
    found = judgement([near()] * 7 + [near(distance_from_orbit_worst=0.3)], BOUNDS)
    assert found["word"] == "off"
    assert "at the worst of 8 sampling phases" in found["sentence"]
    assert "30 % of the approach" in found["sentence"]
    assert found["words"] == {"faithful": 7, "off": 1, "unsafe": 0}


def test_the_bounds_are_the_scenarios():
    """A wider bound makes the same run faithful."""
    wide = {**BOUNDS, "faithful_distance": 0.5}
    assert judgement([near(distance_from_orbit_worst=0.3)], wide)["word"] == "faithful"
    with pytest.raises(BadInput, match=r"verdict\.faithful_distance.*did you mean|allowed: .*> 0"):
        load_scenario("epos_1d", ["verdict.faithful_distance=-1"])


def test_the_next_step_follows_methods_and_free_flight():
    """Without a method: compare. With one: why. A force in free flight comes before both."""
    far = {"distance_from_orbit_worst": 0.3}
    assert "softdock compare rig" in judgement([near(**far)], BOUNDS)["next_step"]
    assert "softdock why rig" in judgement([near(**far, methods=["hybrid"])], BOUNDS)["next_step"]
    assert "weigh" in judgement([near(**far)], BOUNDS, first_step="weigh it")["next_step"]


def test_run_and_phases_agree_on_epos():
    """The lossless spring at 16 ms: unsafe by a quarter of its energy, at every phase, in the
    sentence as in the metrics."""
    run = judge_in_phases(simulate(load_scenario("epos_1d")), 4)
    found = run.metrics["judgement"]
    assert found["word"] == "unsafe"
    assert found["runs"] == 4
    share = run.metrics["energy_not_taken_out_J"] / run.metrics["fidelity"]["approach_energy_J"]
    said = float(re.search(r"([\d.]+) % of the approach energy", found["sentence"])[1])
    assert said == pytest.approx(100.0 * share, rel=0.01)


TOOL = {
    "mock_up.chaser.mass_kg": 2.0,
    "mock_up.chaser.believed.mass_kg": 1.94,
    "laboratory.gravity_m_per_s2": [0.0, 0.0, -9.81],
}


def test_a_force_in_free_flight_is_found_before_the_run():
    """60 g of tool that nobody compensates: the force, the speed it makes, what to weigh."""
    found = free_flight(load_scenario("epos_3d", {**TOOL, "time.duration_s": 20.0}))
    assert found.force_N == pytest.approx(0.06 * 9.81)
    assert found.speed_m_per_s == pytest.approx(0.06 * 9.81 * 20.0 * 2.0 / 3000.0)
    assert "0.589 N of uncompensated weight" in found.said
    assert "mock_up.chaser.believed.mass_kg" in found.remedy
    assert (
        first_step(load_scenario("epos_3d", TOOL))
        == free_flight(load_scenario("epos_3d", TOOL)).remedy
    )


def test_no_force_in_free_flight_is_none():
    """Compensated rightly, below the threshold, or a bias: nothing, nothing, the bias."""
    assert free_flight(load_scenario("epos_3d")).said == ""
    assert free_flight(load_scenario("epos_3d", {**TOOL, "sensor.threshold_N": 1.0})).said == ""
    biased = free_flight(load_scenario("epos_3d", {"sensor.bias_N": [0.0, 0.5, 0.0]}))
    assert "0.5 N of bias" in biased.said
    assert "tare" in biased.remedy


def test_an_orbit_that_stopped_before_the_contact_is_no_traceback():
    """Found by random scenarios: orbit gave up at row 8, the rig touched at row 12."""
    run = simulate(load_scenario("epos_1d"))
    whole = repeated_growth(run)
    orbit = run.orbit
    cut = dataclasses.replace(orbit, series={key: v[:8] for key, v in orbit.series.items()})
    short = copy.copy(run)
    short.orbit = cut
    assert repeated_growth(short) == pytest.approx(whole, abs=1e-9)


def test_what_satellites_gain_from_a_method_s_own_contact_is_from_nothing():
    """A method whose contact is not the mock-ups' books the difference as designed; satellites
    that leave with more than they brought are unsafe all the same. A contact that was on at the
    start may give back what was stored."""
    books = {"kinetic": 5.0, "kinetic_start": 1.0, "external": 0.5, "real": 0.2}
    books |= {"virtual": 0.0, "designed": 4.2}
    run = SimpleNamespace(
        ledger=books,
        energy_invented_J=5.0 - 1.0 - 0.5 + 0.2 - 4.2,
        orbit=SimpleNamespace(virtual=0.0),
        latches=[],
        contacts=[{"start_s": 2.0}],
    )
    assert not_taken_out(run) == pytest.approx(3.5)
    run.contacts = [{"start_s": 0.0}]
    assert not_taken_out(run) == pytest.approx(-0.5)


def test_a_torque_in_free_flight_is_found_too():
    """A tool weighed rightly whose centre is wrong by 20 mm pushes nothing and turns both bodies:
    rate, distance and what to measure, as rigid bodies have it."""
    keys = {
        "mock_up.chaser.mass_kg": 3.0,
        "mock_up.chaser.centre_m": [0.9, 0.0, 0.0],
        "mock_up.chaser.believed.centre_m": [0.88, 0.0, 0.0],
        "laboratory.gravity_m_per_s2": [0.0, 0.0, -9.81],
        "time.duration_s": 20.0,
    }
    scenario = load_scenario("epos_3d", keys)
    found = free_flight(scenario)
    assert (found.force_N, found.torque_Nm) == (0.0, pytest.approx(3.0 * 9.81 * 0.02))
    inertia = mass_properties(scenario.vector).inertia[0]
    rate = np.linalg.solve(inertia, [0.0, 3.0 * 9.81 * 0.02, 0.0]) * 20.0
    assert found.rates_rad_per_s["chaser"] == pytest.approx(np.linalg.norm(rate))
    assert "Nm of uncompensated weight" in found.said
    assert "mock_up.chaser.believed.centre_m" in found.remedy


@pytest.mark.parametrize(("share", "said"), [(0.9, "weigh"), (0.1, "softdock why rig.toml")])
def test_the_first_step_is_the_largest_cause_s(share, said):
    """A force in free flight is the next step where it is most of the distance from orbit; where
    it is one cause of several, `softdock why` comes first, whose own step is the largest's."""
    scenario = load_scenario("epos_3d", {**TOOL, "time.duration_s": 20.0})
    far = free_flight(scenario).distance / share
    found = judged(scenario, [near(distance_from_orbit_worst=far)], "rig.toml")
    assert said in found["next_step"]
