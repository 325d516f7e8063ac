"""Faithful, distorted, unsafe: one rule, whose sentence follows the numbers."""

import re

import numpy as np
import pytest

from softdock.errors import BadInput
from softdock.results.free_flight import analyse_free_flight, suggest_first_step
from softdock.results.momenta import read_mass_properties
from softdock.results.phases import judge_in_phases, judge_metrics
from softdock.results.simulation import simulate
from softdock.results.verdict import make_verdict
from softdock.scenario.files import load_scenario

BOUNDS = load_scenario("epos_1d").tables["verdict"]


def near(methods=("direct",), **changes):
    """Metrics of a run that is as in orbit, with some numbers sabotaged."""
    numbers = {
        "no_verdict": "",
        "limits": "",
        "energy": 0.001,
        "growth": None,
        "growth_error": None,
        "energy_kept": None,
        "distance": 0.01,
        "peak_force": -0.02,
        "peak_force_N": 41.0,
        "peak_force_reference_N": 42.0,
        "latch_force": None,
        "latch_force_N": 0.0,
        "latch_force_reference_N": 0.0,
        "free_flight": 0.001,
        "outcome": [],
        "ended_in_contact": False,
        "mock_up_force_N": 41.0,
        "mock_up_force_on_orbit_N": 42.0,
        "mock_up_force_by_delay_N": 3.0,
    }
    return {
        "scenario": "rig",
        "status": "completed",
        "methods": list(methods),
        "method_books": {},
        "criteria": numbers | changes,
    }


def test_a_run_near_orbit_is_faithful():
    """All numbers within their bounds: green, with every bound said; one phase is a doubt."""
    found = make_verdict([near()], BOUNDS)
    assert (found["word"], found["colour"], found["failed"]) == ("faithful", "green", [])
    assert found["headline"] == (
        "FAITHFUL. Error against the on-orbit reference 1 % of the approach speed (limit 5 %)."
    )
    assert "41 N (on orbit 42 N, difference 2 %, limit 10 %)" in found["details"]
    assert found["doubts"] == ["Only one sampling phase was judged."]


@pytest.mark.parametrize(
    ("changes", "word", "criterion", "said"),
    [
        (
            {"distance": 0.06},
            "distorted",
            "distance",
            "6 % of the approach speed (limit 5 %)",
        ),
        ({"peak_force": 0.37, "peak_force_N": 67.0}, "distorted", "peak_force", "67 N (on orbit"),
        ({"peak_force": -0.3}, "distorted", "peak_force", "on orbit 42 N"),
        ({"latch_force": 0.2}, "distorted", "latch_force", "Peak force of the latches"),
        (
            {"free_flight": 0.07},
            "distorted",
            "free_flight",
            "change the velocity by 7 %",
        ),
        ({"outcome": ["latched on this rig only"]}, "distorted", "outcome", "on this rig only"),
        ({"energy": 0.06}, "unsafe", "energy", "loop adds 6 % of the approach energy (limit 5 %)"),
        ({"energy_kept": 0.06}, "unsafe", "energy_kept", "6 % of the approach energy more than"),
        (
            {"growth": 0.5, "growth_error": 0.1},
            "unsafe",
            "growth",
            "by 50 % in ten oscillations",
        ),
        ({"limits": "force limit"}, "unsafe", "limits", "at the force limit."),
    ],
)
def test_each_number_decides_and_is_said(changes, word, criterion, said):
    """One number sabotaged: word, failed criterion and sentence follow; what decides comes
    first."""
    found = make_verdict([near(**changes)], BOUNDS)
    assert (found["word"], found["failed"]) == (word, [criterion])
    assert said in found["headline"]


@pytest.mark.parametrize(
    "changes",
    [
        {"energy": -0.2},
        {"energy_kept": -0.3},
        {"growth": 0.5, "growth_error": 0.3},
        {"growth": -0.9, "growth_error": 0.0},
        {"distance": 0.05 * (1.0 + 1e-7)},
    ],
)
def test_what_is_no_fault_fails_nothing(changes):
    """Energy taken, a growth within two standard errors, a number at its bound."""
    assert make_verdict([near(**changes)], BOUNDS)["word"] == "faithful"


def test_without_numbers_there_is_no_verdict():
    """The reason is said; a run that was unsafe before is unsafe all the same."""
    found = make_verdict([near(no_verdict="nothing moves or touches", distance=None)], BOUNDS)
    assert found["word"] == "no verdict"
    assert found["headline"] == "NO VERDICT: nothing moves or touches."
    found = make_verdict([near(ended_in_contact=True, distance=0.3)], BOUNDS)
    assert (found["word"], found["failed"]) == ("no verdict", [])
    assert "make time.duration_s longer" in found["headline"]
    cut = near(distance=None, limits="diverged")
    assert make_verdict([cut], BOUNDS)["word"] == "unsafe"


def test_the_worst_of_the_phases_decides():
    """Seven faithful phases and one that is not: its numbers, its word, and how many are which."""
    found = make_verdict([near()] * 7 + [near(distance=0.3)], BOUNDS)
    assert found["word"] == "distorted"
    assert found["details"].startswith("Worst of 8 sampling phases: error")
    assert "30 % of the approach speed" in found["headline"]
    assert found["criteria"]["distance"]["run"] == 7
    assert found["words"] == {"faithful": 7, "distorted": 1, "unsafe": 0, "no verdict": 0}


def test_a_run_without_a_verdict_counts_only_where_no_run_has_one():
    """A faithful phase and one that ended in a contact: faithful, with a doubt that says so."""
    found = make_verdict([near(), near(ended_in_contact=True, distance=0.6)], BOUNDS)
    assert (found["word"], found["failed"]) == ("faithful", [])
    assert "make time.duration_s longer" in found["doubts"][0]


def test_the_bounds_are_the_scenarios():
    """A wider bound makes the same run faithful."""
    wide = {**BOUNDS, "faithful_distance": 0.5}
    assert make_verdict([near(distance=0.3)], wide)["word"] == "faithful"
    with pytest.raises(BadInput, match=r"verdict\.faithful_distance.*did you mean|allowed: .*> 0"):
        load_scenario("epos_1d", ["verdict.faithful_distance=-1"])


def test_mock_ups_that_are_hit_harder_are_a_doubt():
    """Twice the force of orbit, and more than the delay explains: said with its ratio, and the word
    stays."""
    found = make_verdict([near(mock_up_force_N=84.0)] * 2, BOUNDS)
    assert found["word"] == "faithful"
    assert found["doubts"] == [
        "The mock-ups are loaded with 84 N, 2 times as much as on orbit (42 N) and more than the "
        "delay explains."
    ]
    late = near(mock_up_force_N=84.0, mock_up_force_by_delay_N=83.0)
    assert make_verdict([late] * 2, BOUNDS)["doubts"] == []


def test_the_next_step_follows_methods_and_free_flight():
    """Without a method: compare. With one: why. A force in free flight comes before both."""
    far = {"distance": 0.3}
    assert "softdock compare rig" in make_verdict([near(**far)], BOUNDS)["next_step"]
    assert (
        "softdock why rig" in make_verdict([near(**far, methods=["hybrid"])], BOUNDS)["next_step"]
    )
    assert "weigh" in make_verdict([near(**far)], BOUNDS, first_step="weigh it")["next_step"]


def test_run_and_phases_agree_on_epos():
    """The lossless spring at 16 ms: unsafe by a quarter of its energy, at every phase, in the
    headline as in the metrics."""
    run = judge_in_phases(simulate(load_scenario("epos_1d")), 4)
    found = run.metrics["verdict"]
    assert found["word"] == "unsafe"
    assert found["runs"] == 4
    share = found["criteria"]["energy"]["number"]
    assert share == pytest.approx(run.metrics["restitution"] ** 2 - 1.0, rel=0.01)
    said = float(re.search(r"([\d.]+) % of the approach energy", found["details"])[1])
    assert said == pytest.approx(100.0 * share, rel=0.01)
    rebound = 100.0 * run.metrics["restitution"]
    assert f"UNSAFE. Rebound {rebound:.0f} % of the approach speed (on orbit 100 %)." == str(
        run.verdict
    )


TOOL = {
    "mock_up.chaser.mass_kg": 2.0,
    "mock_up.chaser.believed.mass_kg": 1.94,
    "laboratory.gravity_m_per_s2": [0.0, 0.0, -9.81],
}


def test_a_force_in_free_flight_is_found_before_the_run():
    """60 g of tool that nobody compensates: the force, the speed it makes, what to weigh."""
    found = analyse_free_flight(load_scenario("epos_3d", {**TOOL, "time.duration_s": 20.0}))
    assert found.force_N == pytest.approx(0.06 * 9.81)
    assert found.speed_m_per_s == pytest.approx(0.06 * 9.81 * 20.0 * 2.0 / 3000.0)
    assert "0.589 N of uncompensated weight" in found.text
    assert "mock_up.chaser.believed.mass_kg" in found.remedy
    assert (
        suggest_first_step(load_scenario("epos_3d", TOOL))
        == analyse_free_flight(load_scenario("epos_3d", TOOL)).remedy
    )


def test_no_force_in_free_flight_is_none():
    """Compensated rightly, below the threshold, or a bias: nothing, nothing, the bias."""
    assert analyse_free_flight(load_scenario("epos_3d")).text == ""
    assert (
        analyse_free_flight(load_scenario("epos_3d", {**TOOL, "sensor.threshold_N": 1.0})).text
        == ""
    )
    biased = analyse_free_flight(load_scenario("epos_3d", {"sensor.bias_N": [0.0, 0.5, 0.0]}))
    assert "0.5 N of bias" in biased.text
    assert "tare" in biased.remedy


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
    found = analyse_free_flight(scenario)
    assert (found.force_N, found.torque_Nm) == (0.0, pytest.approx(3.0 * 9.81 * 0.02))
    inertia = read_mass_properties(scenario.vector).inertia[0]
    rate = np.linalg.solve(inertia, [0.0, 3.0 * 9.81 * 0.02, 0.0]) * 20.0
    assert found.rates_rad_per_s["chaser"] == pytest.approx(np.linalg.norm(rate))
    assert "Nm of uncompensated weight" in found.text
    assert "mock_up.chaser.believed.centre_m" in found.remedy


@pytest.mark.parametrize(("share", "said"), [(0.9, "weigh"), (0.1, "softdock why rig.toml")])
def test_the_first_step_is_the_largest_cause_s(share, said):
    """A force in free flight is the next step where it is most of the distance from orbit; where
    it is one cause of several, `softdock why` comes first, whose own step is the largest's."""
    scenario = load_scenario("epos_3d", {**TOOL, "time.duration_s": 20.0})
    found = judge_metrics(
        scenario, [near(distance=0.5, free_flight=0.5 * share + 0.01)], "rig.toml"
    )
    assert said in found["next_step"]
