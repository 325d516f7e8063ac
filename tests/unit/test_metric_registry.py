"""Metrics of a run are declared once: a new one reaches everything that shows metrics."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

import softdock
from softdock.cli.tables import show_run
from softdock.output.pages.run.page import run_page
from softdock.results.metric import Metric, Row, declare
from softdock.results.metrics import METRICS, format_metrics_json

MINE = Metric(
    name="longest_contact_s",
    meaning="of the test's own",
    value=lambda judged: max((c["end_s"] - c["start_s"] for c in judged.contacts), default=0.0),
    label="Longest contact",
    row=Row("longest contact", "s"),
    tile="A tile of this test",
)


@pytest.fixture
def declared():
    """A metric that exists during a test."""
    declare(MINE)
    yield
    del METRICS[MINE.name]


def test_a_declared_metric_reaches_python_json_page_and_terminal(declared):
    """Protects the recipe for a metric: one declaration, and no other file to be changed."""
    run = softdock.simulate(softdock.load_scenario("epos_1d"))
    longest = run.contacts[0]["end_s"] - run.contacts[0]["start_s"]
    assert run.metrics[MINE.name] == longest
    assert json.loads(format_metrics_json(run.metrics))[MINE.name] == longest

    page = run_page(run)
    for words in ("Longest contact", MINE.tile, f'data-key="{MINE.name}"'):
        assert words in page

    paper = io.StringIO()
    show_run(Console(file=paper, width=120), run.metrics)
    assert f"{longest:.4f} s" in next(
        line for line in paper.getvalue().splitlines() if "longest contact" in line
    )


def test_every_metric_says_what_it_is():
    """Protects readers of metrics: a meaning for each, and no name twice."""
    assert all(metric.meaning for metric in METRICS.values())
    with pytest.raises(ValueError, match="exists"):
        declare(METRICS["restitution"])
