"""What pages say of charts: computed from the numbers drawn, and laid out so that nothing is
alone or clipped."""

from __future__ import annotations

import copy
import dataclasses

import pytest

from softdock.output.pages.campaign_words import compare_variants
from softdock.output.pages.comparison_charts import bar_charts
from softdock.output.pages.frame.elements import axis_title, count_columns
from softdock.output.pages.stability import (
    deciding_curve,
    describe_margin,
    find_margin,
    margin_arrows,
)
from softdock.studies.stability import closed_forms
from softdock.studies.stability.chart import make_panel
from softdock.studies.stability.loop import Loop, Robot

MASS, STIFFNESS = 234.0, 4000.0


def damping_panel(delay_s: float, damping: float):
    return make_panel(Loop(MASS, STIFFNESS, damping, (Robot(delay=delay_s),)), "damping")


@pytest.mark.parametrize(("damping", "where"), [(10.0, "outside"), (300.0, "inside")])
def test_a_stability_chart_says_where_its_point_stands(damping, where):
    """The delay that is borne is the closed form's; outside and inside are told apart."""
    made = damping_panel(0.016, damping)
    here = find_margin(made, deciding_curve(made))
    borne = 1e3 * closed_forms.critical_delay(MASS, damping, STIFFNESS)
    assert here.borne_ms == pytest.approx(borne, rel=2e-3)
    assert f"{where} the stable area" in describe_margin(made)
    assert f"up to {here.borne_ms:.3g} ms" in describe_margin(made)


def test_the_arrow_leads_to_the_boundary():
    """At the damping where the arrow ends, the loop bears just its delay."""
    made = damping_panel(0.016, 10.0)
    (low,) = find_margin(made, deciding_curve(made)).crossings
    assert 1e3 * closed_forms.critical_delay(MASS, low, STIFFNESS) == pytest.approx(16.0, rel=1e-2)
    assert (
        next(note["text"] for note in margin_arrows(made) if note["text"])
        == f"{low - 10.0:+.3g} Ns/m"
    )


def test_the_chart_s_sentence_follows_its_numbers():
    """A point moved, a curve scaled: another sentence."""
    made = damping_panel(0.016, 300.0)
    moved = dataclasses.replace(made, operating_point=(90.0, 300.0))
    curve = made.curves[0]
    shorter = dataclasses.replace(
        made, curves=[dataclasses.replace(curve, delay_ms=curve.delay_ms / 9)]
    )
    assert len({describe_margin(made), describe_margin(moved), describe_margin(shorter)}) == 3
    assert "outside" in describe_margin(moved)
    assert "outside" in describe_margin(shorter)


def summary(rates: dict[str, float]) -> dict:
    variants = [
        {"label": label, "runs": 60, "within_limit_rate": rate}
        | {"capture_rate": None, "active_rate": 0.1}
        for label, rate in rates.items()
    ]
    return {"variants": variants, "error_limit": 0.05}


def test_a_campaign_s_headline_names_best_and_worst():
    """By the rate itself: swap the numbers and the names swap."""
    one = compare_variants(summary({"a": 0.9, "b": 0.2}))
    other = compare_variants(summary({"a": 0.2, "b": 0.9}))
    assert one.startswith(
        "The best of 2 variants is a: 90 % of its runs have an error of at most 5 %."
    )
    assert other.startswith("The best of 2 variants is b: 90 %")
    assert "In all 2 variants 20 %" in compare_variants(summary({"a": 0.2, "b": 0.2}))


CANDIDATE = {
    "label": "energy_ledger, exact_hold",
    "method": "energy_ledger",
    "error_against_orbit": 0.01,
    "error_against_orbit_worst": 0.02,
    "worst": None,
    "peak_force_satellite_N": 40.0,
    "verdict": {"word": "faithful", "bounds": {"faithful_distance": 0.05}},
}


def test_bars_follow_their_numbers():
    """What is beyond the chart is named, and the bound is the verdict's own."""
    results = {"candidates": [CANDIDATE], "orbit": {"peak_force_N": 42.0}}
    assert "Line: 5 %" in bar_charts(results)
    assert "Longer than the chart" not in bar_charts(results)
    far = copy.deepcopy(results)
    far["candidates"][0] |= {"error_against_orbit": 0.9, "error_against_orbit_worst": 0.95}
    far["candidates"][0]["verdict"]["bounds"]["faithful_distance"] = 0.03
    assert "Line: 3 %" in bar_charts(far)
    assert "Longer than the chart: energy_ledger" in bar_charts(far)


@pytest.mark.parametrize("most", [7, 4])
def test_no_tile_stands_alone(most):
    """Of any number that a page has but 1, no row holds a single one, if it can be helped."""
    for count in range(2, 13):
        width = count_columns(count, most)
        assert 1 < width <= most
        assert count % width != 1 or all(count % w == 1 for w in range(2, most + 1)), count
    assert count_columns(1, most) == 1


def test_axes_have_names_and_units():
    """Keys as people say them."""
    assert axis_title("chaser.position_m.1") == "chaser position, y [m]"
    assert axis_title("robots.chaser.delay_ms") == "robots chaser delay [ms]"
    assert axis_title("tilt_deg") == "tilt [deg]"
    assert axis_title("speed_m_per_s") == "speed [m/s]"
    assert axis_title("count") == "count"
