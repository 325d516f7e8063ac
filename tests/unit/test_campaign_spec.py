"""Campaign files: what they say becomes the runs they mean, and what cannot be is refused before
anything runs."""

from __future__ import annotations

import numpy as np
import pytest
from campaign_plans import STIFFNESS, plan

from softdock.errors import BadInput
from softdock.methods.registry import METHODS
from softdock.studies.campaign.plan import load_plan, make_plan
from softdock.studies.campaign.spec import list_presets, load_spec, read_spec

DELAY = {"key": "robots.chaser.delay_ms", "also": ["robots.target.delay_ms"]}


def test_grids_and_lists_combine_and_draws_repeat_at_every_point():
    """The last axis turns fastest, draws within a point; keys in `also` get the same value."""
    mass = {"key": "chaser.mass_kg", "uniform": [60.0, 66.0]}
    made = plan(
        runs=2,
        vary=[DELAY | {"grid": [0.0, 16.0, 3]}, {"key": STIFFNESS, "list": [500.0, 1000.0]}, mass],
    )
    values = made.design.values(0, made.runs)
    assert made.runs == 12
    np.testing.assert_array_equal(values[:, 0], np.repeat([0.0, 8.0, 16.0], 4))
    np.testing.assert_array_equal(values[:, 1], np.tile(np.repeat([500.0, 1000.0], 2), 3))
    assert len(set(values[:, 2])) == 12
    vectors = made.select_runs(0, 0, 12).expand()
    scenario = made.scenario_of(5)
    assert (
        scenario.tables["robots"]["target"]["delay_ms"]
        == scenario.tables["robots"]["chaser"]["delay_ms"]
        == 8.0
    )
    assert scenario.tables["chaser"]["mass_kg"] == values[5, 2]
    assert vectors.shape == (12, len(made.base.vector))


def test_correlated_normals_have_their_moments():
    """Correlated normals have the mean, deviation and correlation that the file asks for."""
    keys = ["chaser.position_m.1", "chaser.position_m.2"]
    made = plan(
        runs=20_000,
        vary=[
            {
                "keys": keys,
                "mean": [0.01, -0.02],
                "deviation": [0.003, 0.001],
                "correlation": [[1.0, 0.6], [0.6, 1.0]],
            }
        ],
    )
    values = made.design.values(0, made.runs)
    np.testing.assert_allclose(values.mean(axis=0), [0.01, -0.02], atol=1e-4)
    np.testing.assert_allclose(values.std(axis=0), [0.003, 0.001], rtol=0.02)
    assert np.corrcoef(values.T)[0, 1] == pytest.approx(0.6, abs=0.02)


def test_a_normal_is_cut_where_it_is_told():
    """A bounded normal stays within its bounds and has the mean of the cut normal, not of the
    whole."""
    made = plan(
        runs=5000, vary=[{"key": "chaser.mass_kg", "normal": [63.0, 10.0], "within": [60.0, 63.0]}]
    )
    values = made.design.values(0, made.runs)
    assert values.min() >= 60.0
    assert values.max() <= 63.0
    assert values.mean() == pytest.approx(61.52, abs=0.05)  # mean of the cut normal


def test_the_range_of_a_slice_does_not_matter():
    """A run's draws depend on its number alone, not on the slice in which they are asked for."""
    made = load_plan("epos_monte_carlo")
    whole = made.select_runs(0, 0, 300).values
    np.testing.assert_array_equal(
        np.concatenate([made.select_runs(0, at, at + 30).values for at in range(0, 300, 30)]), whole
    )


def test_a_turn_about_the_tip_leaves_the_tip():
    """The nozzle's tilt: the chaser turns, its tip stays, and the run by itself says the same."""
    made = load_plan("nozzle_capture")
    run = 13 * 7 + 3
    tables = made.scenario_of(run).tables
    w, x, y, z = tables["chaser"]["attitude_wxyz"]
    angle = 2.0 * np.arctan2(z, w)
    assert np.degrees(angle) == pytest.approx(-6.0)
    assert (x, y) == (0.0, 0.0)
    tip = np.array(tables["chaser"]["position_m"]) + [np.cos(angle), np.sin(angle), 0.0]
    np.testing.assert_allclose(tip, [-1.01, 7 * 0.005, 0.0], atol=1e-12)
    index = made.design.values(run, run + 1)
    np.testing.assert_allclose(index, [[7 * 0.005, -6.0]])


def test_a_turn_about_a_tip_that_varies_leaves_each_runs_own():
    """A turn about the tip uses each run's own tip where the tip varies too."""
    turn = {
        "key": "chaser.attitude_wxyz",
        "turn_about": [0.0, 0.0, 1.0],
        "keep_tip": True,
        "list": [0.0, 10.0],
    }
    made = make_plan(
        read_spec(
            {
                "scenario": "epos_3d",
                "vary": [turn, {"key": "contact.0.tip_m.0", "list": [1.0, 0.9]}],
            }
        )
    )
    straight, turned = (made.scenario_of(run).tables for run in (1, 3))
    assert straight["contact"][0]["tip_m"][0] == turned["contact"][0]["tip_m"][0] == 0.9
    x, y, _ = turned["contact"][0]["tip_m"]
    angle = np.radians(10.0)
    by = [x - x * np.cos(angle) + y * np.sin(angle), y - x * np.sin(angle) - y * np.cos(angle), 0.0]
    np.testing.assert_allclose(
        turned["chaser"]["position_m"], np.array(straight["chaser"]["position_m"]) + by, atol=1e-12
    )


def test_methods_and_integrators_are_variants_of_the_same_draws():
    """Variants are compared on the same draws: run i of each has the same values and the same
    noise."""
    made = plan(
        runs=3,
        integrators=["exact_hold", "symplectic_euler"],
        vary=[{"key": "chaser.mass_kg", "uniform": [60.0, 66.0]}],
    )
    assert [v.integrator for v in made.variants] == ["exact_hold", "symplectic_euler"]
    assert made.runs == 6
    np.testing.assert_array_equal(
        made.select_runs(0, 0, 3).values, made.select_runs(1, 0, 3).values
    )
    assert made.scenario_of(4).tables["satellites"]["integrator"] == "symplectic_euler"
    assert made.scenario_of(4).tables["random"]["run"] == 1


@pytest.mark.parametrize("name", list_presets())
def test_every_preset_can_be_planned(name):
    """Or, where a method it is about is not in this softdock, says so by name."""
    asked = load_spec(name).methods
    unknown = sorted(set(asked) - set(METHODS)) if isinstance(asked, list) else []
    if unknown:
        with pytest.raises(BadInput, match=unknown[0]):
            load_plan(name)
    else:
        runs = load_plan(name).runs
        if name == "nozzle_capture":
            assert runs == 13 * 13  # its grid, and each run with its reference
        else:
            assert runs >= 200


def test_the_presets_are_those_promised():
    """Protects the names that docs and users' scripts call presets by."""
    assert list_presets() == [
        "adaptive_damping",
        "epos_monte_carlo",
        "fidelity_map",
        "idss_ring_capture",
        "launch_ring_capture",
        "nozzle_capture",
        "probe_drogue_capture",
        "vbar_navigation",
    ]


def test_a_scenario_with_a_network_is_a_campaign_as_it_is():
    """A scenario with a network needs nothing more to be a campaign: its method is the one
    variant."""
    solid = {"model": "standard_linear_solid", "arguments": {"k1": 500.0, "k2": 50.0, "b1": 100.0}}
    changes = {"methods": [{"name": "network_contact", "network": solid}]}
    plan = make_plan(
        read_spec(
            {
                "name": "n",
                "scenario": "epos_1d",
                "runs": 4,
                "set": changes,
                "vary": [{"key": "chaser.mass_kg", "uniform": [60.0, 65.0]}],
            }
        )
    )
    assert [variant.method for variant in plan.variants] == ["network_contact"]
