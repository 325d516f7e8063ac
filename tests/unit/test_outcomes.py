"""Outcomes of a campaign are declared once: a new one reaches everything that shows outcomes."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import softdock
from softdock.cli import campaign_tables
from softdock.output.folders.campaign_folder import run_campaign
from softdock.studies.campaign.arrow_arrays import make_number_column
from softdock.studies.campaign.outcome import Map, Outcome, Quantile, declare
from softdock.studies.campaign.outcomes import OUTCOMES, list_columns
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.replay import extract_outcomes
from softdock.studies.campaign.spec import read_spec

MINE = Outcome(
    name="contact_share_mm",
    meaning="a length of the test's own",
    column=lambda made: make_number_column(np.arange(made.count, dtype=float) + made.first),
    replayed=lambda metrics: 7.0,
    unit="mm",
    heading="length of mine",
    has_distribution=True,
    is_among_worst=True,
    quantile=Quantile("mine 95 %", "mine [mm]", "Mine, 95 %"),
    map=Map("Map of mine", "Viridis"),
)
HALF = Outcome(
    name="half_of_mine",
    meaning="derived from it",
    derived=lambda plan, columns: 0.5 * columns["contact_share_mm"],
    heading="half of it",
    has_distribution=True,
)


@pytest.fixture
def declared():
    """Two outcomes that exist during a test."""
    declare(MINE, HALF)
    yield
    del OUTCOMES[MINE.name], OUTCOMES[HALF.name]


def test_a_declared_outcome_reaches_table_summary_page_terminal_and_replay(
    declared, tmp_path, monkeypatch
):
    """Protects the recipe for an outcome: one declaration, and no other file to be changed."""
    keys = ["robots.chaser.delay_ms", "chaser.position_m.1"]
    spec = {
        "scenario": "epos_1d",
        "set": {"time": {"duration_s": 0.1}},
        "runs": 12,
        "seed": 1,
        "vary": [{"key": keys[0], "uniform": [4.0, 20.0]}, {"key": keys[1], "uniform": [0.0, 0.1]}],
        "report": {"map": keys, "worst_by": MINE.name},
    }
    summary = run_campaign(make_plan(read_spec(spec)), tmp_path / "out", backend="cpu")
    table = pq.read_table(tmp_path / "out" / "runs")
    assert table[MINE.name].to_pylist() == list(range(12))
    assert HALF.name not in table.column_names

    assert summary["variants"][0][f"{MINE.name}_most"] == 11.0
    assert summary["distributions"][MINE.name][0]["most"] == 11.0
    assert summary["distributions"][HALF.name][0]["most"] == 5.5
    assert summary["worst"][0][MINE.name] == 11.0
    assert MINE.name in summary["maps"]["outcomes"]
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary

    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for words in ("mine 95 %", "Mine, 95 %", "Map of mine", "Length of mine", "Half of it"):
        assert words in page

    paper = io.StringIO()
    monkeypatch.setattr(campaign_tables, "output", lambda: Console(file=paper, width=200))
    campaign_tables.print_summary(summary)
    assert "95 %: mine [mm]" in paper.getvalue()


def test_a_declared_outcome_is_replayed(declared):
    """Protects the comparison of a run with its row: an outcome says itself where a single run has
    it."""
    metrics = softdock.simulate(softdock.load_scenario("epos_1d")).metrics
    assert extract_outcomes(metrics)[MINE.name] == 7.0


def test_every_outcome_says_what_it_is():
    """Protects readers of tables: a meaning for each, a unit that its name ends in, and a single
    run's value for every number of the table."""
    for outcome in OUTCOMES.values():
        assert outcome.meaning
        unit = outcome.unit.replace("/", "_per_")
        assert not unit or outcome.name.endswith(f"_{unit}")
        if outcome in list_columns(reference=True) and outcome.is_number:
            assert outcome.replayed is not None


def test_an_outcome_cannot_be_declared_twice():
    """Protects the table's columns: no name twice, and none without a value."""
    with pytest.raises(ValueError, match="exists"):
        declare(OUTCOMES["contacts"])
    with pytest.raises(ValueError, match="either"):
        declare(Outcome(name="nothing", meaning="nothing"))
