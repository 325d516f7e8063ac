"""Maps and statements of a campaign: cells as the keys vary, no statement where there is
nothing to say, and why."""

from __future__ import annotations

import numpy as np
import pytest
from campaign_plans import STIFFNESS, plan

from softdock.output.pages.campaign_charts import MOST_MAPS, map_charts
from softdock.output.pages.campaign_words import summarise
from softdock.results.metrics import convert_to_plain
from softdock.studies.campaign import digest
from softdock.studies.campaign.arrow_arrays import make_boolean_column, to_numbers
from softdock.studies.campaign.digest import _count, _make_zero_counts
from softdock.studies.campaign.maps import make_cells, make_maps
from softdock.studies.campaign.summary import _summarise_variant, summarise_distribution


def test_values_that_differ_by_rounding_are_drawn_as_one():
    """Values that differ in the last bits make a histogram of one bin, and no division by zero."""
    shown = summarise_distribution(1.0 + np.array([-2e-15, 0.0, 2e-15, 1e-15]))
    assert sum(shown["counts"]) == 4


def test_whole_numbers_have_a_bin_each():
    """Counts are drawn with a bin around each whole number, empty ones included."""
    shown = summarise_distribution(np.array([0.0, 1.0, 1.0, 3.0]))
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
    side = make_cells(made.spec.vary[0], "chaser.mass_kg", x, 2)
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
        for name in ("captured", "peak_force_real_N", "energy_added_share", "activity")
    } | {"status": np.zeros(60)}
    columns["error_against_orbit"] = np.where(np.arange(60) == 7, np.nan, 0.01)
    found = make_maps(made, columns)
    assert np.array(found["runs"][0]).shape == (5, 5)
    assert np.array(found["runs"][0]).sum() == 60
    np.testing.assert_array_equal(np.isnan(found["outcomes"]["captured"][0]), found["runs"][0] == 0)
    page = map_charts(
        {"maps": convert_to_plain(found), "variants": [{"label": "direct"}], "error_limit": 0.05}
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
        for name in ("captured", "peak_force_real_N", "energy_added_share", "activity")
    }
    found = convert_to_plain(make_maps(made, columns))
    many = {
        "maps": found
        | {
            "runs": found["runs"] * 30,
            "outcomes": {name: one * 30 for name, one in found["outcomes"].items()},
        }
    }
    page = map_charts(
        many | {"variants": [{"label": f"method {i}"} for i in range(30)], "error_limit": None}
    )
    assert page.count('data-chart="') == MOST_MAPS
    assert f"{3 * 30 - MOST_MAPS} maps have no room on this page" in page
    assert "method 29" in page


def test_why_there_is_no_statement_is_told_apart():
    """A run that nothing approached is not one whose contact was on at the end."""
    columns = {
        "captured": np.full(4, np.nan),
        "activity": np.zeros(4),
        "status": np.zeros(4),
        "error_against_orbit": np.array([np.nan, np.nan, 0.01, 0.01]),
        "error_against_orbit_later": np.array([np.nan, 0.3, 0.01, 0.01]),
        "verdict": np.array([1, 1, 0, 0]),
    }
    columns |= {"contacts": np.array([0, 1, 0, 2]), "orbit_contacts": np.array([0, 1, 0, 2])}
    columns["orbit_captured"] = columns["captured"]
    made = plan(runs=4, reference=True)
    row = _summarise_variant(made, 0, {"variant": np.zeros(4, dtype=int)}, _count(made, columns))
    assert (
        row["no_statement_rate"],
        row["no_statement_untouched_rate"],
        row["no_contact_rate"],
        row["within_limit_rate"],
    ) == (0.5, 0.25, 0.5, 0.5)
    said = summarise({"variants": [row], "is_sample": False, "error_limit": 0.05})
    assert "in 25 % no error is defined, because nothing approached or touched" in said
    assert "in 25 % no error is defined, because a contact was under way at the end" in said
    assert "50 % never touch" in said


def test_of_a_saltelli_design_whole_blocks_are_read(monkeypatch):
    """Else the total indices were lost above the most runs that are read."""
    monkeypatch.setattr(digest, "MOST_ROWS", 100)
    drawn = [
        {"key": "chaser.mass_kg", "uniform": [60.0, 65.0]},
        {"key": STIFFNESS, "uniform": [900.0, 1100.0]},
    ]
    made = plan(runs=256, sampling="saltelli", vary=drawn)
    kept = digest.pick_runs(made, np.arange(made.runs)).reshape(-1, 4)
    assert 50 <= kept.sum() <= 200
    np.testing.assert_array_equal(kept.all(axis=1), kept.any(axis=1))


def test_what_nobody_asked_is_null():
    """Yes, no and not asked stay three different things in a table."""
    column = make_boolean_column(np.array([True, False, False]), np.array([True, True, False]))
    np.testing.assert_array_equal(to_numbers(column), [1.0, 0.0, np.nan])


def test_a_share_of_a_grid_has_no_interval():
    """Nothing was left to chance. Nor have shares of designs whose points are spread evenly: theirs
    scatter less."""
    grid, drawn = (
        {"key": "chaser.mass_kg", **how}
        for how in ({"grid": [60.0, 65.0, 2]}, {"uniform": [60.0, 65.0]})
    )
    counts = _make_zero_counts() | {"runs": 2, "captured": 1, "asked": 2}
    columns = {"variant": np.zeros(2, dtype=int)}
    assert _summarise_variant(plan(vary=[grid]), 0, columns, counts)["capture_interval"] is None
    low, high = _summarise_variant(plan(runs=2, vary=[drawn]), 0, columns, counts)[
        "capture_interval"
    ]
    assert low < 0.5 < high
    assert (
        _summarise_variant(plan(runs=2, sampling="sobol", vary=[drawn]), 0, columns, counts)[
            "capture_interval"
        ]
        is None
    )
    assert (
        _summarise_variant(
            plan(runs=2, vary=[grid, drawn | {"key": STIFFNESS, "uniform": [900.0, 1100.0]}]),
            0,
            columns,
            counts,
        )["active_interval"]
        is None
    )
