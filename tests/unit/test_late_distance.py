"""The distance from orbit is also taken some time after the contacts: a kick after parting cannot
hide."""

import math

import pytest

from softdock.results.criteria import max_defined
from softdock.results.metrics import compute_metrics
from softdock.results.simulation import simulate
from softdock.scenario.files import load_scenario


def test_a_kick_after_parting_shows_later_and_judges():
    """A satellite that is kicked in free flight leaves the first distance as it was; the second and
    the one that judges have the kick in them. A kick later than `settle_s` is none of the
    contact's."""
    run = simulate(load_scenario("epos_1d", {"time.duration_s": 4.0}))
    before = run.metrics
    parted = int(before["fidelity"]["compared_at_s"] / 0.004)
    run.series["chaser.velocity"][parted + 100 :, 1] += 0.038  # m/s, sideways
    after = compute_metrics(run)
    assert after["error_against_orbit"] == before["error_against_orbit"]
    assert after["error_against_orbit_later"] > before["error_against_orbit_later"] + 0.5
    assert after["error_against_orbit_worst"] == after["error_against_orbit_later"]
    assert before["error_against_orbit_worst"] == pytest.approx(before["error_against_orbit"])
    run.series["chaser.velocity"][parted + 100 : parted + 300, 1] -= 0.038
    assert compute_metrics(run)["error_against_orbit_worst"] == before["error_against_orbit_worst"]


def test_the_worse_of_two_distances_is_the_one_that_is_defined():
    """A contact that is still on at the end has one distance, and that one judges."""
    assert max_defined(0.1, 0.2) == max_defined(0.2, 0.1) == 0.2
    assert max_defined(math.nan, 0.3) == 0.3
    assert math.isnan(max_defined(math.nan, math.nan))
