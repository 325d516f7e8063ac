"""Campaign files: what they say becomes the runs they mean, and what cannot be is refused before
anything runs."""

from __future__ import annotations

import numpy as np
import pytest

from softdock.analysis.metrics import plain
from softdock.campaign import digest
from softdock.campaign.arrow_arrays import to_numbers, truths
from softdock.campaign.digest import _count, _no_counts
from softdock.campaign.maps import cells, maps
from softdock.campaign.plan import load_plan, make_plan
from softdock.campaign.spec import load_spec, preset_names, read_spec
from softdock.campaign.summary import _of_variant, distribution
from softdock.core.adaptation.registry import METHODS
from softdock.errors import BadInput
from softdock.report.campaign.maps import MOST_MAPS, map_charts
from softdock.report.campaign.words import answer

DELAY = {"key": "robots.chaser.delay_ms", "also": ["robots.target.delay_ms"]}
STIFFNESS = "contact.0.real.stiffness_N_per_m"


def plan(**tables):
    return make_plan(read_spec({"scenario": "epos_1d", **tables}))


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
    vectors = made.thin(0, 0, 12).expand()
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
    whole = made.thin(0, 0, 300).values
    np.testing.assert_array_equal(
        np.concatenate([made.thin(0, at, at + 30).values for at in range(0, 300, 30)]), whole
    )


def test_a_turn_about_the_tip_leaves_the_tip():
    """The nozzle's tilt: the chaser turns, its tip stays, and the run by itself says the same."""
    made = load_plan("nozzle_capture")
    run = 25 * 7 + 3
    tables = made.scenario_of(run).tables
    w, x, y, z = tables["chaser"]["attitude_wxyz"]
    angle = 2.0 * np.arctan2(z, w)
    assert np.degrees(angle) == pytest.approx(-9.0)
    assert (x, y) == (0.0, 0.0)
    tip = np.array(tables["chaser"]["position_m"]) + [np.cos(angle), np.sin(angle), 0.0]
    np.testing.assert_allclose(tip, [-1.01, 7 * 0.0025, 0.0], atol=1e-12)
    index = made.design.values(run, run + 1)
    np.testing.assert_allclose(index, [[7 * 0.0025, -9.0]])


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
    np.testing.assert_array_equal(made.thin(0, 0, 3).values, made.thin(1, 0, 3).values)
    assert made.scenario_of(4).tables["satellites"]["integrator"] == "symplectic_euler"
    assert made.scenario_of(4).tables["random"]["run"] == 1


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_planned(name):
    """Or, where a method it is about is not in this softdock, says so by name."""
    asked = load_spec(name).methods
    unknown = sorted(set(asked) - set(METHODS)) if isinstance(asked, list) else []
    if unknown:
        with pytest.raises(BadInput, match=unknown[0]):
            load_plan(name)
    else:
        assert load_plan(name).runs >= 200


def test_the_presets_are_those_promised():
    """Protects the names that docs and users' scripts call presets by."""
    assert preset_names() == [
        "adaptive_damping",
        "epos_monte_carlo",
        "honesty_map",
        "nozzle_capture",
        "vbar_navigation",
    ]


@pytest.mark.parametrize(
    ("tables", "named"),
    [
        ({}, "this campaign is empty"),
        (
            {"vary": [{"key": "robots.chaser.dely_ms", "list": [1.0]}]},
            r"did you mean 'robots\.chaser\.delay_ms'",
        ),
        (
            {"vary": [{"key": "satellites.integrator", "list": [1.0]}]},
            "a number of the scenario; this one is a word",
        ),
        (
            {"vary": [{"key": "chaser.position_m", "list": [1.0]}]},
            r"one of its numbers: chaser\.position_m\.0",
        ),
        (
            {
                "runs": 1000,
                "sampling": "latin_hypercube",
                "vary": [{"key": "sensor.noise_N", "normal": [0.1, 0.1]}],
            },
            # a normal is more than one deviation below its mean in 15.87 % of draws
            r"sensor\.noise_N: given -.*15\.[89] % of the values are not",
        ),
        (
            {"vary": [{"key": "chaser.mass_kg", "grid": [-10.0, 10.0, 5]}]},
            r"60 % of the values are not \(3 of 5\)",
        ),
        (
            {
                "scenario": "epos_3d",
                "vary": [{"key": "chaser.inertia_kg_m2.0", "list": [400.0, 900.0, 1001.0, -1.0]}],
            },
            r"chaser\.inertia_kg_m2: .*none above the sum of the other two; 50 % of the runs "
            r"have others \(2 of 4\)",
        ),
        ({"vary": [{"key": "chaser.mass_kg", "uniform": [60.0, 66.0]}]}, "runs: nothing given"),
        ({"vary": [{"key": "chaser.mass_kg"}]}, "one of grid, list, uniform"),
        (
            {"vary": [{"key": "chaser.mass_kg", "list": [60.0], "grid": [1.0, 2.0, 2]}]},
            "one of grid, list, uniform",
        ),
        ({"vary": [{"key": "chaser.mass_kg", "list": []}]}, "at least one"),
        ({"vary": [{"key": "chaser.mass_kg", "list": [60.0, "heavy"]}]}, r"vary\.0\.list"),
        (
            {
                "vary": [
                    {"key": "chaser.mass_kg", "list": [60.0]},
                    {"key": "chaser.mass_kg", "list": [61.0]},
                ]
            },
            "each key once",
        ),
        ({"vary": [{"key": "time.plant_steps", "list": [1.0, 1.5]}]}, "a whole number"),
        ({"vary": [{"key": "chaser.attitude_wxyz", "list": [1.0]}]}, "turn_about"),
        (
            {
                "runs": 9,
                "vary": [
                    {
                        "keys": ["chaser.mass_kg", "target.mass_kg"],
                        "mean": [9.0, 9.0],
                        "covariance": [[1.0, 2.0], [2.0, 1.0]],
                    }
                ],
            },
            "definite",
        ),
        ({"runs": 9, "sampling": "random walk"}, "one of random, latin_hypercube"),
        ({"runs": 0}, "from 1 to"),
        ({"run": 9, "runs": 9}, "did you mean 'runs'"),
        ({"runs": 9, "scenario": "epos_9d"}, "epos_1d"),
        ({"runs": 9, "methods": ["no_such_method"]}, "no_such_method"),
        ({"runs": 9, "set": {"chaser": {"mass_kg": -1.0}}}, r"chaser\.mass_kg: given -1\.0"),
        (
            {"runs": 9, "set": {"capture": {"for_s": 1.0, "pair": 2}}},
            "a contact pair that is there",
        ),
        ({"runs": 9, "report": {"map": ["a", "b"]}}, "two of what varies"),
        (
            {
                "vary": [{"key": "chaser.mass_kg", "list": [60.0]}],
                "report": {"map": ["chaser.mass_kg"] * 2},
            },
            "not the same twice",
        ),
        (
            {"vary": [{"key": "random.run", "list": [1, 2]}]},
            "a campaign numbers its runs with this one",
        ),
        (
            {
                "runs": 9,
                "vary": [
                    {"key": "chaser.mass_kg", "uniform": [60.0, 66.0], "within": [61.0, 62.0]}
                ],
            },
            "within belongs to normal",
        ),
        (
            {"vary": [{"key": "chaser.mass_kg", "grid": [60.0, 66.0, 2], "deviation": [1.0]}]},
            "grid would not heed it",
        ),
        ({"runs": 9, "trajectories": {"runs": [-1]}}, "run numbers"),
        ({"runs": 9, "trajectories": {"runs": [9]}}, "runs from 0 to 8"),
        (
            {
                "vary": [{"key": "robots.chaser.delay_ms", "list": [1900.0]}],
                "set": {"time": {"cycle_ms": 1.0}},
            },
            "the largest history",
        ),
        (
            {"vary": [{"key": STIFFNESS, "list": [1000.0, 1e9]}]},
            r"run 1: contact\.0\.real\.stiffness_N_per_m",
        ),
        ({"runs": 2**32, "vary": [{"key": "chaser.mass_kg", "list": [60.0, 61.0]}]}, "at most"),
        ({"runs": 9, "outcome_file": 3}, "Python file"),
    ],
)
def test_what_cannot_be_is_refused(tables, named):
    """Key, what was given, what is allowed; nothing has run."""
    with pytest.raises(BadInput, match=named):
        plan(**tables)


def test_problems_of_a_file_name_its_lines(tmp_path):
    """A value that is refused is named with file and line; a misspelt preset with the nearest
    one."""
    file = tmp_path / "c.toml"
    file.write_text(
        'scenario = "epos_1d"\nruns = 9\n\n[[vary]]\nkey = "sensor.noise_N"\nuniform = '
        "[-1.0, 1.0]\n"
    )
    with pytest.raises(BadInput, match=r"c\.toml:6: sensor\.noise_N"):
        load_plan(file)
    with pytest.raises(BadInput, match=r"did you mean 'honesty_map'"):
        load_plan("honesty_mop")


@pytest.mark.parametrize("name", ["run", "contacts", "stiff"])
def test_what_varies_has_a_name_of_its_own(name):
    """The tables have a column for it beside the outcomes: none may hide another."""
    mass, stiff = (
        {"key": "chaser.mass_kg", "name": name, "uniform": [60.0, 65.0]},
        {"key": STIFFNESS, "name": "stiff", "uniform": [900.0, 1100.0]},
    )
    with pytest.raises(BadInput, match="a name that no outcome and no other key that varies has"):
        plan(runs=4, vary=[mass, stiff])


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


def test_values_that_differ_by_rounding_are_drawn_as_one():
    """Values that differ in the last bits make a histogram of one bin, and no division by zero."""
    shown = distribution(1.0 + np.array([-2e-15, 0.0, 2e-15, 1e-15]))
    assert sum(shown["counts"]) == 4


def test_whole_numbers_have_a_bin_each():
    """Counts are drawn with a bin around each whole number, empty ones included."""
    shown = distribution(np.array([0.0, 1.0, 1.0, 3.0]))
    assert (list(shown["counts"]), list(shown["edges"])) == (
        [1, 2, 0, 1],
        [-0.5, 0.5, 1.5, 2.5, 3.5],
    )


@pytest.mark.parametrize(
    ("how", "scale", "first_edges"),
    [
        ({"log_uniform": [1.0, 100.0]}, "log", [1.0, 10.0]),
        ({"uniform": [1.0, 100.0]}, "linear", [1.0, 50.5]),
        ({"grid": [1.0, 100.0, 12]}, "linear", []),
        ({"list": [100.0, 1.0, 10.0]}, "values", []),
    ],
)
def test_a_maps_side_is_as_its_key_varies(how, scale, first_edges):
    """Not as the values that were drawn happen to lie; of a grid every value is a cell."""
    made = plan(
        runs=64,
        vary=[{"key": "chaser.mass_kg", **how}, {"key": STIFFNESS, "uniform": [900.0, 1100.0]}],
    )
    x = made.design.values(0, made.design.runs)[:, 0]
    side = cells(made.spec.vary[0], "chaser.mass_kg", x, 2)
    assert side.scale == scale
    np.testing.assert_allclose(side.edges[:2], first_edges)
    low, high = (
        (side.centres, side.centres) if not len(side.edges) else (side.edges[:-1], side.edges[1:])
    )
    assert np.all((x >= low[side.cell] * (1 - 1e-12)) & (x <= high[side.cell] * (1 + 1e-12)))


def test_few_runs_make_few_cells_and_empty_ones_stay_empty():
    """A map has no more cells than its runs can fill, and a cell without runs shows nothing."""
    made = plan(
        runs=60,
        vary=[
            {"key": "chaser.mass_kg", "uniform": [60.0, 65.0]},
            {"key": STIFFNESS, "normal": [1000.0, 50.0]},
        ],
    )
    values = made.design.values(0, 60)
    columns = {
        "run": np.arange(60),
        "variant": np.zeros(60, dtype=int),
        "chaser.mass_kg": values[:, 0],
        STIFFNESS: values[:, 1],
    }
    columns |= {
        name: np.ones(60)
        for name in ("captured", "peak_force_real_N", "energy_invented_share", "verdict")
    } | {"status": np.zeros(60)}
    columns["distance_from_orbit"] = np.where(np.arange(60) == 7, np.nan, 0.01)
    found = maps(made, columns)
    assert np.array(found["runs"][0]).shape == (5, 5)
    assert np.array(found["runs"][0]).sum() == 60
    np.testing.assert_array_equal(np.isnan(found["outcomes"]["captured"][0]), found["runs"][0] == 0)
    page = map_charts(
        {"maps": plain(found), "variants": [{"label": "direct"}], "honest_below": 0.05}
    )
    assert ("hold no run" in page) == bool((found["runs"][0] == 0).any())


def test_maps_without_room_are_named():
    """A map that cannot be drawn from these values is named as missing, not left out unsaid."""
    made = plan(
        vary=[
            {"key": "chaser.mass_kg", "list": [60.0, 65.0]},
            {"key": STIFFNESS, "list": [900.0, 1100.0]},
        ]
    )
    values = made.design.values(0, 4)
    columns = {
        "run": np.arange(4),
        "variant": np.zeros(4, dtype=int),
        "chaser.mass_kg": values[:, 0],
        STIFFNESS: values[:, 1],
        "status": np.zeros(4),
    }
    columns |= {
        name: np.ones(4)
        for name in ("captured", "peak_force_real_N", "energy_invented_share", "verdict")
    }
    found = plain(maps(made, columns))
    many = {
        "maps": found
        | {
            "runs": found["runs"] * 30,
            "outcomes": {name: one * 30 for name, one in found["outcomes"].items()},
        }
    }
    page = map_charts(
        many | {"variants": [{"label": f"method {i}"} for i in range(30)], "honest_below": None}
    )
    assert page.count('data-chart="') == MOST_MAPS
    assert f"{3 * 30 - MOST_MAPS} maps have no room on this page" in page
    assert "method 29" in page


def test_why_there_is_no_statement_is_told_apart():
    """A run that nothing approached is not one whose contact was on at the end."""
    columns = {
        "captured": np.full(4, np.nan),
        "verdict": np.zeros(4),
        "status": np.zeros(4),
        "distance_from_orbit": np.array([np.nan, np.nan, 0.01, 0.01]),
        "distance_from_orbit_at_end": np.array([np.nan, 0.3, 0.01, 0.01]),
        "judged": np.array([1, 1, 0, 0]),
    }
    columns |= {"contacts": np.array([0, 1, 0, 2]), "orbit_contacts": np.array([0, 1, 0, 2])}
    made = plan(runs=4, reference=True)
    row = _of_variant(made, 0, {"variant": np.zeros(4, dtype=int)}, _count(made, columns))
    assert (
        row["no_statement_rate"],
        row["no_statement_untouched_rate"],
        row["no_contact_rate"],
        row["honest_rate"],
    ) == (0.5, 0.25, 0.5, 0.5)
    said = answer({"variants": [row], "is_sample": False, "honest_below": 0.05})
    assert (
        "25 % no statement on the distance from orbit, because nothing approached or touched"
        in said
    )
    assert (
        "25 % no statement on the distance from orbit, because a contact was on at the end" in said
    )
    assert "50 % never touched" in said


def test_of_a_saltelli_design_whole_blocks_are_read(monkeypatch):
    """Else the total indices were lost above the most runs that are read."""
    monkeypatch.setattr(digest, "MOST_ROWS", 100)
    drawn = [
        {"key": "chaser.mass_kg", "uniform": [60.0, 65.0]},
        {"key": STIFFNESS, "uniform": [900.0, 1100.0]},
    ]
    made = plan(runs=256, sampling="saltelli", vary=drawn)
    kept = digest.picked(made, np.arange(made.runs)).reshape(-1, 4)
    assert 50 <= kept.sum() <= 200
    np.testing.assert_array_equal(kept.all(axis=1), kept.any(axis=1))


def test_what_nobody_asked_is_null():
    """Yes, no and not asked stay three different things in a table."""
    column = truths(np.array([True, False, False]), np.array([True, True, False]))
    np.testing.assert_array_equal(to_numbers(column), [1.0, 0.0, np.nan])


def test_a_share_of_a_grid_has_no_interval():
    """Nothing was left to chance. Nor have shares of designs whose points are spread evenly: theirs
    scatter less."""
    grid, drawn = (
        {"key": "chaser.mass_kg", **how}
        for how in ({"grid": [60.0, 65.0, 2]}, {"uniform": [60.0, 65.0]})
    )
    counts = _no_counts() | {"runs": 2, "captured": 1, "asked": 2}
    columns = {"variant": np.zeros(2, dtype=int)}
    assert _of_variant(plan(vary=[grid]), 0, columns, counts)["capture_interval"] is None
    low, high = _of_variant(plan(runs=2, vary=[drawn]), 0, columns, counts)["capture_interval"]
    assert low < 0.5 < high
    assert (
        _of_variant(plan(runs=2, sampling="sobol", vary=[drawn]), 0, columns, counts)[
            "capture_interval"
        ]
        is None
    )
    assert (
        _of_variant(
            plan(runs=2, vary=[grid, drawn | {"key": STIFFNESS, "uniform": [900.0, 1100.0]}]),
            0,
            columns,
            counts,
        )["active_interval"]
        is None
    )
