"""`softdock demo`: measured beside predicted, the page, and that it grows with the methods."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from softdock.adaptation import registry
from softdock.adaptation.registry import METHODS, Method, register
from softdock.cli.main import cli
from softdock.comparison.demonstration import _all, demonstrate
from softdock.compiled import compiled
from softdock.parameters import Group
from softdock.scenario.files import load_scenario


@pytest.fixture(scope="module")
def shown():
    return demonstrate()


def raw(rows, runs):
    """Orbit and the raw loop alone, without the other methods."""
    kept = [row for row in rows if row["method"] in (None, "direct")]
    return kept, [run for row, run in zip(rows[1:], runs, strict=True) if row["method"] == "direct"]


def test_theory_predicts_what_the_loop_does(shown):
    """The sampled theory to 1e-12 (rounding over some 200 cycles of contact), the closed form to its order, (w h)^2."""
    rows, runs = raw(*shown)
    assert [row["delay_ms"] for row in rows] == [None, 0.0, 8.0, 16.0, 32.0]
    assert len(runs) == 4
    assert rows[0]["restitution"] == pytest.approx(1.0, abs=1e-9)
    for row, run in zip(rows[1:], runs, strict=True):
        assert row["restitution"] == run.restitution
        assert row["predicted_restitution"] == pytest.approx(row["restitution"], abs=1e-12)
        h = 1e-3 * (row["delay_ms"] + 2.0)  # with the integrator's half cycle
        assert row["closed_form_restitution"] == pytest.approx(math.exp(0.5 * math.pi * math.sqrt(1000.0 / 63.0) * h), rel=1e-12)
        assert row["closed_form_restitution"] == pytest.approx(row["restitution"], abs=1000.0 / 63.0 * h * h)
        # lossless: e^2 = 1 + invented / approach energy, up to the contact's work on the plant's step (the ledger's second check, 1e-3)
        assert row["energy_invented_share"] == pytest.approx(row["restitution"] ** 2 - 1.0, abs=1e-3)


def test_the_demo_prints_its_rows_and_writes_its_page(tmp_path, monkeypatch):
    """Table, JSON and page agree; a second time it writes over its own files and no others."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["demo"])
    assert done.exit_code == 0, done.output
    rows = json.loads((tmp_path / "softdock-demo" / "demo.json").read_text())["rows"]
    for row in rows:
        predicted = "" if row["predicted_restitution"] is None else f"{row['predicted_restitution']:.4f}"
        assert re.search(rf"{row['label']} .*{row['restitution']:.4f}.*{predicted}", done.output)
    assert "softdock-demo/demo.html" in done.output
    assert (tmp_path / "softdock-demo" / "demo.html").stat().st_size < 5e6
    (tmp_path / "softdock-demo" / "mine.txt").write_text("mine")
    again = CliRunner().invoke(cli, ["demo", "--json"])
    assert json.loads(again.stdout)["rows"] == rows
    assert (tmp_path / "softdock-demo" / "mine.txt").read_text() == "mine"


def test_the_readme_shows_these_numbers(shown):
    """Its table is the demo's."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for row in raw(*shown)[0]:
        share = f"{100.0 * row['energy_invented_share']:+.1f} %"
        numbers = [f"{row[key]:.4f}" for key in ("restitution", "predicted_restitution", "closed_form_restitution")]
        assert f"| {row['label'].removesuffix(' ms')} | {' | '.join(numbers)} | {row['energy_invented_J']:+.6f} | {share} |" in readme


def test_a_demo_that_cannot_write_says_so(tmp_path):
    """Exit code 2, before anything is run."""
    (tmp_path / "file").write_text("x")
    done = CliRunner().invoke(cli, ["demo", "--out", str(tmp_path / "file")])
    assert done.exit_code == 2
    assert "this is a file" in done.output


class Other(NamedTuple):
    memory: int


def test_the_demo_grows_with_the_methods(monkeypatch):
    """A registered method that can run joins at the preset's own delay; one that cannot does not."""

    @compiled
    def prepare(marker, vector, base, memory):
        return Other(memory)

    monkeypatch.setattr(registry, "_BY_TYPE", dict(registry._BY_TYPE))
    known = dict(METHODS)
    try:
        register(Method("other", "another", "nothing", Group("other", "Another."), Other(0), prepare))
        register(Method("unable", "another", "nothing", Group("unable", "Another."), Other(0), prepare, refuses=lambda s: "never"))
        found = [(candidate.method, delay) for candidate, delay in _all(load_scenario("epos_1d"))]
    finally:
        METHODS.clear()
        METHODS.update(known)
    assert found[:4] == [("direct", 0.0), ("direct", 8.0), ("direct", 16.0), ("direct", 32.0)]
    assert [method for method, _ in found[4:]] == [*(name for name in known if name != "direct"), "other"]
    assert {delay for _, delay in found[4:]} == {16.0}
