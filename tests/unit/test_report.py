"""The report without a browser: its numbers are the metrics' own, nothing on it can run or call
out, no peak is lost, and the lines show what they say."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from html import escape
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softdock
from softdock.output.pages.frame.charts import MOST_POINTS, Line, chart
from softdock.output.pages.frame.elements import json_block, look_up, unit_of
from softdock.output.pages.frame.page import BUNDLE
from softdock.output.pages.run.charts import energy_added
from softdock.output.pages.run.motion_charts import choose_view, track_tip
from softdock.output.pages.run.page import run_page
from softdock.results.phases import simulate_phases
from softdock.results.quantities import (
    UNDEFINED,
    format_number,
    format_percent,
    format_quantity,
)
from softdock.results.run import Run

HOSTILE = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
DOCS = Path(__file__).parents[2] / "docs" / "compiled_core.md"
KINDS = ("epos_1d", "epos_3d", "oos_sim", "stopped", "phases")


class Seen(HTMLParser):
    """Tags with their attributes, numbers with the text shown for them, and the JSON blocks."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.numbers: list[dict[str, str]] = []
        self.blocks: dict[str, Any] = {}
        self.depth = 0
        self.block = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {k: v or "" for k, v in attrs}
        self.tags.append((tag, given))
        self.block = (
            given.get("id", given.get("data-chart", ""))
            if tag == "script" and given.get("type") == "application/json"
            else ""
        )
        if tag == "span" and "data-key" in given:
            self.numbers.append({**given, "text": ""})
            self.depth = 1
        elif tag == "span" and self.depth:
            self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        self.block = ""
        if tag == "span" and self.depth:
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.block:
            self.blocks[self.block] = json.loads(data)
        elif self.depth:
            self.numbers[-1]["text"] += data


@cache
def run_of(kind: str) -> Run:
    if kind == "stopped":
        return softdock.simulate(
            softdock.load_scenario(
                "epos_1d", {"stop.force_N": 3.0, "name": HOSTILE, "description": HOSTILE}
            )
        )
    if kind == "phases":
        return simulate_phases(softdock.load_scenario("epos_1d"), 3)
    return softdock.simulate(softdock.load_scenario(kind))


@cache
def page_of(kind: str) -> str:
    return run_page(run_of(kind))


@cache
def seen(kind: str) -> Seen:
    return Seen(page_of(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_the_metrics_own(kind: str) -> None:
    """The page carries the metrics whole, and whatever it shows is looked up there and written by
    the one formatter."""
    page, run = seen(kind), run_of(kind)
    assert page.blocks["metrics"] == json.loads(json.dumps(run.metrics))
    assert len(page.numbers) > 40
    for shown in page.numbers:
        value = look_up(page.blocks[shown.get("data-block", "metrics")], shown["data-key"])
        assert json.loads(shown["data-value"]) == value
        unit = shown["text"].partition(" ")[2] if not isinstance(value, str) else ""
        if isinstance(value, str):
            assert shown["text"] == value
        elif shown.get("data-block") == "scenario-tables":
            assert shown["text"].removesuffix(f" {unit}") == format_number(value, 9)
        elif unit:
            si = unit if unit == "%" else unit_of(shown["data-key"]) or "J"
            assert unit in (si, f"m{si}")
            assert shown["text"] == format_quantity(value, si)
        else:
            assert shown["text"] in (format_number(value), format_percent(value, UNDEFINED)), shown


@pytest.mark.parametrize("kind", ["epos_3d", "stopped", "phases"])
def test_everything_measured_is_on_the_page(kind: str) -> None:
    """Ledger, fidelity, contacts and phases are complete, not a selection."""
    keys = {shown["data-key"] for shown in seen(kind).numbers}
    metrics = run_of(kind).metrics
    wanted = {f"ledger.rows.{row}" for row in metrics["ledger"]["rows"]} | {
        f"ledger.{key}" for key in metrics["ledger"] if key not in ("rows", "joints")
    }
    wanted |= {
        f"ledger.joints.{robot}.{key}"
        for robot, books in metrics["ledger"]["joints"].items()
        for key in books
    }
    bolted = ("target_", "linear_momentum", "angular_momentum")  # nothing to say of a fixed target
    fixed = run_of(kind).scenario.tables["target"]["fixed"]
    wanted |= {
        f"fidelity.{key}"
        for key, value in metrics["fidelity"].items()
        if value is not None and not (fixed and key.startswith(bolted))
    } | {f"contacts.{i}.impulse_Ns" for i in range(len(metrics["contacts"]))}
    wanted |= {f"phases.spread.{key}.mean" for key in metrics.get("phases", {}).get("spread", {})}
    wanted |= {
        "restitution",
        "energy_ratio",
        "energy_added_J",
        "error_against_orbit",
        "contact_count",
        "status",
    }
    assert wanted <= keys, sorted(wanted - keys)
    html = page_of(kind)
    assert escape(metrics["summary"]) in html
    assert all(escape(warning) in html for warning in metrics["warnings"])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_on_a_page_runs_or_calls_out(kind: str) -> None:
    """Three scripts and one that waits as text, all named by the page's own policy; no address
    outside the page; a hostile name stays text; under 4 MB."""
    page = seen(kind)
    types = [
        attrs.get("type", "")
        for tag, attrs in page.tags
        if tag == "script" and attrs.get("type") != "application/json"
    ]
    assert sorted(types) == ["", "", "", "text/plain"]
    assert not [tag for tag, _ in page.tags if tag in ("img", "iframe", "object", "form", "base")]
    for tag, attrs in page.tags:
        assert not [name for name in attrs if name.startswith("on")], (tag, attrs)
        assert all(attrs.get(name, "#").startswith(("#", "data:")) for name in ("href", "src")), (
            tag,
            attrs,
        )
    policy = next(
        attrs["content"]
        for tag, attrs in page.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert policy.count("'sha256-") == 4
    assert len(page_of(kind).encode()) < 4_000_000


def test_json_blocks_hold_any_text() -> None:
    """What would end a script block, and what JSON has no word for, come back as they should."""
    block = json_block(
        {"name": HOSTILE, "value": math.nan, "array": np.array([1.0, math.inf])}, 'id="x"'
    )
    assert block.count("<") == 2
    assert Seen(block).blocks["x"] == {"name": HOSTILE, "value": None, "array": [1.0, None]}


def test_charts_hold_the_series_themselves() -> None:
    """The numbers drawn are the run's: energy invented ends where the metrics say, and sums from
    the rows."""
    run = run_of("epos_1d")
    ledger = seen("epos_1d").blocks["chart-ledger"]["data"]
    total = next(trace for trace in ledger if trace["name"] == "energy added")
    assert total["y"][-1] == pytest.approx(1e3 * run.metrics["energy_added_J"], rel=1e-6)  # in mJ
    assert energy_added(run)[-1] == pytest.approx(run.metrics["energy_added_J"], rel=1e-12)
    forces = {trace["name"]: trace for trace in seen("epos_3d").blocks["chart-force"]["data"]}
    peak = max(c["peak_force_satellite_N"] for c in run_of("epos_3d").contacts)
    assert max(forces["on the satellite"]["y"]) == pytest.approx(
        peak, rel=0.02
    )  # the log's peak counts noise between contacts apart
    html = chart(
        "x",
        "a title",
        [Line("a", "c1", np.array([0.0, 1.0]), np.array([math.nan, 2.0]))],
        "time [s]",
        "y [m]",
    )
    assert Seen(html).blocks["chart-x"]["data"][0]["y"] == [None, 2.0]


def test_gap_is_the_contacts_own() -> None:
    """On one axis the gap drawn for the mock-ups and for orbit is minus the depth that their
    contact records."""
    run = run_of("epos_1d")
    view = choose_view(run.scenario, run.series)
    for series, prefix in ((run.series, "mock_up."), (run.reference.series, "")):
        drawn = track_tip(view, series, prefix)
        recorded = -np.asarray(series["contact.depth"])
        touching = recorded < 0.0
        assert touching.sum() > 100
        assert drawn.gap[touching] == pytest.approx(recorded[touching], abs=1e-12)


def test_a_saved_run_gives_the_same_page(tmp_path: Any) -> None:
    """What is read back from a run folder is drawn and said as it was."""
    run = run_of("epos_1d")
    folder = run.save(tmp_path / "run")
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of("epos_1d")
    assert run_page(softdock.open_run(folder)) == page_of("epos_1d")


def test_bundle_is_the_one_that_the_package_draws_with() -> None:
    """The vendored plotly.js is of the version that the installed plotly makes figures for, with
    its licence, and calls nothing home by itself."""
    from plotly.offline import get_plotlyjs_version

    assets = files("softdock.output.pages").joinpath("assets")
    head = assets.joinpath(BUNDLE).read_text(encoding="utf-8")[:300]
    found = re.search(r"plotly\.js \(cartesian - minified\) v(\d+)\.(\S+)", head)
    assert found
    assert found[1] == get_plotlyjs_version().split(".")[0]
    assert f"plotly.js {found[1]}.{found[2]}" in DOCS.read_text(encoding="utf-8")
    assert "MIT" in assets.joinpath("plotly-LICENSE.txt").read_text(encoding="utf-8")


def test_the_documented_page_can_be_built() -> None:
    """The example on the docs' page runs as it stands, and what it says of thinning is so."""
    words = DOCS.read_text(encoding="utf-8")
    example = re.search(r"```python\n(from softdock\.output.*?)```", words, re.S)
    assert example
    names: dict[str, Any] = {"time": np.array([0.0, 1.0]), "energy": np.array([0.0, 0.0032])}
    exec(example[1], names)
    page = Seen(names["html"])
    assert page.blocks["results"] == {"gain_J": 0.0032}
    assert page.numbers[0]["text"] == "0.003200 J"
    assert f"more than {MOST_POINTS} points" in (DOCS.parent / "verdict.md").read_text("utf-8")
