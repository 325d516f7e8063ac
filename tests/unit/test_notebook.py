"""What objects show in a notebook: one short line, and a small table without scripts whose numbers
are those of the terminal."""

from __future__ import annotations

import re

import pytest

from softdock import load_scenario, run_loop, simulate
from softdock._notebook import format_table
from softdock.results.quantities import format_percent
from softdock.results.verdict import make_headline
from softdock.studies.campaign.result import CampaignSummary
from softdock.studies.compare.compare import Comparison

SHORT = {"time.duration_s": 1.6, "verdict.settle_s": 0.2}


def is_small(html, most=4000):
    """No script, no style sheet, no reference to anything else, closed tables."""
    assert len(html) < most
    assert not re.search(r"<script|<style|<link|https?:|src=", html)
    assert html.count("<table>") == html.count("</table>") == 1
    return True


@pytest.fixture(scope="module")
def run():
    return simulate(load_scenario("epos_1d", SHORT))


def test_a_run_shows_its_verdict_and_the_numbers_beside_orbit(run):
    """The headline is the verdict's own, the restitution as the metrics have it."""
    html = run._repr_html_()
    word, headline = run.verdict.word.value.upper(), run.verdict.headline
    assert is_small(html)
    assert f">{word}</strong>{headline[len(word) :]}" in html
    assert "on orbit" in html
    assert "restitution, first contact" in html
    assert repr(run) == f"Run(epos_1d: 400 cycles, completed. {headline})"


def test_a_run_that_is_not_judged_says_so_and_simulates_nothing():
    """Showing it simulates no reference."""
    alone = run_loop(load_scenario("epos_1d", {"time.duration_s": 0.02}))
    assert "not judged" in repr(alone)
    assert "softdock.judge(run)" in alone._repr_html_()
    assert alone._reference is None


def test_a_scenario_shows_what_decides_a_run():
    """In the user's units; text of a user is escaped."""
    scenario = load_scenario("epos_1d", {"description": "a <b> & c"})
    html = scenario._repr_html_()
    assert is_small(html)
    assert repr(scenario) == ("Scenario(epos_1d: 2.5 s in cycles of 4 ms, direct, exact_hold)")
    assert "63 kg" in html
    assert "16 ms" in html
    assert "1000 N/m" in html
    assert "a &lt;b&gt; &amp; c" in html


def test_every_preset_shows_itself():
    """Arms, latches, guidance, per-axis masses."""
    from softdock.scenario.files import preset_names

    for name in preset_names():
        assert is_small(load_scenario(name)._repr_html_(), 12_000)


def test_a_comparison_shows_its_candidates_by_rank(run):
    """Verdict and worst numbers of each, as percent."""
    judged = run.metrics["verdict"]
    row = {"label": "direct, exact_hold", "verdict": judged}
    results = {"candidates": [row], "recommendation": "Use <it>.", "phases": 8}
    html = Comparison(run.scenario, results)._repr_html_()
    assert is_small(html)
    assert format_percent(judged["criteria"]["distance"]["number"]) in html
    assert "Use &lt;it&gt;." in html
    assert "The worst of 8 sampling phases." in html
    assert repr(Comparison(run.scenario, results)) == (
        f"Comparison(epos_1d: 1 candidates; first direct, exact_hold, {judged['word']})"
    )


def test_a_campaign_shows_the_shares_of_each_verdict():
    """Of every variant; a word that no run has is no column."""
    headline = make_headline("unsafe", "of 4 runs 1 faithful, 3 unsafe")
    verdict = dict(word="unsafe", headline=headline, details="", failed=[], criteria={})
    verdict |= {"doubts": [], "next_step": "Next: replay it."}
    counts = {"faithful": 1, "distorted": 0, "unsafe": 3, "no verdict": 0}
    variant = {"label": "direct", "runs": 4, "verdicts": counts, "capture_rate": 0.5}
    summary = CampaignSummary(name="mine", runs=4, verdict=verdict, variants=[variant])
    html = summary._repr_html_()
    assert is_small(html)
    assert re.findall(r"<th [^>]*>([^<]*)<", html) == ["", "runs", "faithful", "unsafe", "captured"]
    assert re.findall(r"<td[^>]*>([^<]*)<", html) == ["direct", "4", "25 %", "75 %", "50 %"]
    assert summary.verdict.word == "unsafe"
    assert repr(summary) == f"CampaignSummary(mine: 4 runs. {headline})"


def test_texts_and_numbers_of_a_table_are_aligned():
    """Texts left, numbers right."""
    html = format_table(("", "a"), [("x<y", "1")])
    assert 'text-align:left">x&lt;y' in html
    assert 'text-align:right">1' in html


def test_units_stand_in_xarray_attributes(run):
    """`units` and `long_name`, which its plots print."""
    pytest.importorskip("xarray")
    force = run.to_xarray()["measured.chaser.force"]
    assert force.attrs["units"] == "N"
    assert force.attrs["long_name"]
