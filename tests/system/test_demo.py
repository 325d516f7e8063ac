"""`softdock demo`: measured beside predicted, the page, and that it grows with the methods."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.compile.jit import compiled
from softdock.loop.method.method import BY_TYPE
from softdock.loop.parameters import Group
from softdock.methods.registry import METHODS, Method, register
from softdock.results.scene.pack import unpack_array
from softdock.scenario.files import load_scenario
from softdock.studies.compare.demonstration import _list_candidates, demonstrate


@pytest.fixture(scope="module")
def shown():
    return demonstrate()


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def test_theory_predicts_what_the_loop_does(shown):
    """The sampled theory to 1e-12 (rounding over some 200 cycles of contact), the closed form to
    its order, (w h)^2."""
    rows, runs = shown
    assert len(runs) == len(rows) - 1
    assert rows[0]["restitution"] == pytest.approx(1.0, abs=1e-9)
    raw = [(row, run) for row, run in zip(rows[1:], runs, strict=True) if row["method"] == "direct"]
    assert [row["delay_ms"] for row, _ in raw] == [0.0, 8.0, 16.0, 32.0]
    for row, run in raw:
        assert row["restitution"] == run.restitution
        assert row["predicted_restitution"] == pytest.approx(row["restitution"], abs=1e-12)
        h = 1e-3 * (row["delay_ms"] + 2.0)  # with the integrator's half cycle
        assert row["closed_form_restitution"] == pytest.approx(
            math.exp(0.5 * math.pi * math.sqrt(1000.0 / 63.0) * h), rel=1e-12
        )
        assert row["closed_form_restitution"] == pytest.approx(
            row["restitution"], abs=1000.0 / 63.0 * h * h
        )
        # lossless: e^2 = 1 + invented / approach energy, up to the contact's work on the plant's
        # step (the ledger's second check, 1e-3)
        assert row["energy_added_share"] == pytest.approx(row["restitution"] ** 2 - 1.0, abs=1e-3)


def test_a_remedy_comes_nearer_to_orbit(shown):
    """Than the raw loop at the same delay. The rig still invents energy: the remedy takes it out
    again. No prediction is made of it."""
    rows, runs = shown
    raw = next(row for row in rows if row["method"] == "direct" and row["delay_ms"] == 16.0)
    remedies = [
        (row, run) for row, run in zip(rows[1:], runs, strict=True) if row["method"] != "direct"
    ]
    assert [row["method"] for row, _ in remedies] == [
        name for name, method in METHODS.items() if method.in_demo
    ]
    assert remedies
    for row, run in remedies:
        assert row["label"] == f"16 ms, {row['method']}"
        assert (row["delay_ms"], row["restitution"]) == (16.0, run.restitution)
        assert row["predicted_restitution"] is row["closed_form_restitution"] is None
        assert row["error_against_orbit"] < 0.1 * raw["error_against_orbit"]
        taken = run.metrics["ledger"]["virtual_J"] / run.metrics["ledger"]["kinetic_start_J"]
        assert row["energy_added_share"] - taken == pytest.approx(
            row["restitution"] ** 2 - 1.0, abs=1e-3
        )
        assert taken > 0.9 * row["energy_added_share"] > 0.0


def test_the_demo_prints_its_rows_and_writes_its_page(tmp_path, monkeypatch):
    """Table, JSON and page agree; a second time it writes over its own files and no others."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["demo"])
    assert done.exit_code == 0, done.output
    rows = json.loads((tmp_path / "softdock-runs" / "demo-1" / "demo.json").read_text())["rows"]
    for row in rows:
        assert re.search(
            rf" {row['label']} .* {row['restitution']:.4f} .* "
            rf"{number(row['predicted_restitution'])} ",
            done.output,
        )
    assert "which the method removes within the contact" in " ".join(done.output.split())
    assert "which the method removes within the contact" in (
        tmp_path / "softdock-runs" / "demo-1" / "demo.html"
    ).read_text(encoding="utf-8")
    assert "softdock-runs/demo-1/demo.html" in done.output
    assert "softdock view epos_3d" in done.output
    page = (tmp_path / "softdock-runs" / "demo-1" / "demo.html").read_text(encoding="utf-8")
    first = page[page.index('class="demo-top"') : page.index('id="numbers"')]
    assert "<code>softdock view epos_3d</code>" in first  # the hint is above the replay
    assert first.index("<code>") < first.index("<figure") < first.index('class="space"')
    packed = json.loads(re.search(r"data-replay-data[^>]*>(.*?)</script>", first, re.S)[1])
    assert [panel["firstView"] for panel in packed["panels"]] == ["contact", "contact"]
    fastest = 20.0 * max(row["restitution"] for row in rows)
    for panel, wanted in zip(packed["panels"], (20.0, fastest), strict=True):
        assert [one["name"] for one in panel["readings"]] == ["force", "speed"]
        slot = panel["readings"][1]["values"]
        speed = unpack_array(packed["numbers"], packed["length"], slot)[:, 0]
        assert speed[0] == pytest.approx(20.0, abs=1e-3)  # mm/s
        assert speed[-1] == pytest.approx(wanted, abs=1e-3)  # the rig's own, from this run
    assert (tmp_path / "softdock-runs" / "demo-1" / "demo.html").stat().st_size < 5e6
    (tmp_path / "softdock-runs" / "demo-1" / "mine.txt").write_text("mine")
    again = CliRunner().invoke(cli, ["demo", "--json", "--out", "softdock-runs/demo-1"])
    assert json.loads(again.stdout)["rows"] == rows
    assert (tmp_path / "softdock-runs" / "demo-1" / "mine.txt").read_text() == "mine"


def test_the_readme_shows_these_numbers(shown):
    """The rows of its table are the demo's, all of them and no others."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    expected = []
    for row in shown[0]:
        numbers = [
            number(row[key])
            for key in ("restitution", "predicted_restitution", "closed_form_restitution")
        ]
        energies = [
            f"{row['energy_added_J']:+.6f}",
            f"{100.0 * row['energy_added_share']:+.1f} %",
        ]
        expected.append(f"| {' | '.join([row['label'].replace(' ms', ''), *numbers, *energies])} |")
    table = re.search(r"^\| delay \[ms\] \|.*\n\|[-:|]+\|\n((?:\|.*\n)+)", readme, re.M)
    assert table is not None
    assert table[1].splitlines() == expected


def test_a_demo_that_cannot_write_says_so(tmp_path):
    """Exit code 2, before anything is run."""
    (tmp_path / "file").write_text("x")
    done = CliRunner().invoke(cli, ["demo", "--out", str(tmp_path / "file")])
    assert done.exit_code == 2
    assert "this is a file" in done.output


class Other(NamedTuple):
    memory: int


class Unable(NamedTuple):
    memory: int


class Hidden(NamedTuple):
    memory: int


def test_the_demo_grows_with_the_methods():
    """A registered method that is for the demo and can run joins at the preset's own delay; one
    that cannot, or is not for it, does not."""

    @compiled
    def prepare(marker, vector, base, memory):
        return Other(memory)

    known, types = dict(METHODS), dict(BY_TYPE)
    try:
        register(
            Method(
                name="other",
                summary="another",
                knows="nothing",
                group=Group("other", "Another."),
                marker=Other(0),
                prepare=prepare,
                in_demo=True,
            )
        )
        register(
            Method(
                name="unable",
                summary="another",
                knows="nothing",
                group=Group("unable", "Another."),
                marker=Unable(0),
                prepare=prepare,
                in_demo=True,
                refuses=lambda s: "never",
            )
        )
        register(
            Method(
                name="hidden",
                summary="another",
                knows="nothing",
                group=Group("hidden", "Another."),
                marker=Hidden(0),
                prepare=prepare,
            )
        )
        found = [
            (candidate.method, delay)
            for candidate, delay in _list_candidates(load_scenario("epos_1d"))
        ]
    finally:
        for now, before in ((METHODS, known), (BY_TYPE, types)):
            now.clear()
            now.update(before)
    assert found == [
        ("direct", 0.0),
        ("direct", 8.0),
        ("direct", 16.0),
        ("direct", 32.0),
        ("adaptive_damping", 16.0),
        ("other", 16.0),
    ]
