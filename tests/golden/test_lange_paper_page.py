"""`softdock papers lange`: claims, page, terminal and docs say what the exhibits' numbers say."""

from __future__ import annotations

import io
import json
import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from lange_exhibits import (
    causality,
    claims,
    figure_6,
    figure_7,
    fits_the_frame,
    offsets,
    rows_of,
    wrong_stiffness,
)
from rich.console import Console
from sabotage import fixed_claims, unmoved

from softdock.cli.main import cli
from softdock.cli.papers import show_exhibits
from softdock.output.pages.frame.elements import format_number, look_up
from softdock.papers.frame import collect_results, paper_page
from softdock.papers.lange import PAPER
from softdock.papers.lange.cone import NEITHER, OURS

TELL_APART = ("cycle_ms", "stiffness_N_per_mm", "error_percent")  # keys of rows


def test_no_sentence_outlives_its_numbers():
    """Numbers made wrong on purpose: no claim stays whatever they are, and nothing that is said of
    a run is a fixed text. What was fitted says so in its headline."""
    made = [figure_6(), figure_7(), causality(), wrong_stiffness(), offsets(), claims()]
    for exhibit in made:
        assert fixed_claims(exhibit, TELL_APART) == []
        assert unmoved(exhibit, TELL_APART) == []
    assert [e.key for e in made if "by construction" in e.headline] == ["figure_6", "figure_7"]
    assert not any("confirmed" in text for e in made for text in (e.verdict, *e.differences))


def test_claims_are_judged_by_their_numbers():
    """A tool 2 mm elsewhere costs nothing, against the same run without; a reported one does. The
    verdict counts what holds."""
    rows = {(row["claim"], row["meaning"]): row for row in claims().rows}
    assert (
        abs(
            rows["IV-D: absolute positions may be wrong", "change of e, tool 2 mm elsewhere"][
                "value"
            ]
        )
        < 1e-9
    )
    assert rows["IV-D: the same", "change of e, reported +-2 mm off"]["found"] != "holds here"
    kept = [row["found"] for row in claims().rows].count("holds here")
    assert claims().verdict.startswith(f"{kept} of {len(claims().rows)} ")
    assert kept == 5


def test_the_page_says_what_the_json_says():
    """Every number of the page is the JSON's; every exhibit explains itself."""
    exhibits = [figure_6(), figure_7(), causality(), wrong_stiffness(), offsets(), claims()]
    page, data = paper_page(PAPER, exhibits), collect_results(PAPER, exhibits)
    shown = re.findall(r'data-key="([^"]+)" data-value="([^"]+)"', page)
    assert len(shown) > 300
    for key, value in shown:
        assert json.loads(unescape(value)) == look_up(data, key)
    for exhibit in exhibits:
        fits_the_frame(exhibit)
        assert exhibit.key == "claims" or (exhibit.assumptions and exhibit.differences)


def test_the_docs_state_these_numbers():
    """docs/papers.md says what the command makes."""
    page = Path(__file__).parents[2] / "docs" / "papers.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    impact_row, cone = (
        rows_of(figure_6(), "robots", "cycle_ms", "loop"),
        rows_of(figure_7(), "loop"),
    )
    published = impact_row["jerk", 12.0, "published"]
    assert (
        f"{published['satellite_N']:.1f} N at the satellites and {published['robot_N']:.0f} "
        "N at the robots" in text
    )
    assert (
        f"multiplies the energy by {impact_row['jerk', 12.0, 'naive']['energy_ratio']:.0f}" in text
    )
    assert (
        ", ".join(
            f"{cone[OURS][order + '_s']:.3f}" for order in ("first", "second", "third", "fourth")
        )
        in text
    )
    assert f"{cone[NEITHER]['energy_percent']:+.0f} % with neither" in text
    led = [figure_7().numbers[f"naive_led_{end}_percent"] for end in ("least", "most")]
    assert f"{led[0]:+.0f} to {led[1]:+.0f} % after four contacts" in text
    late = rows_of(causality(), "means", "cycle_ms", "stiffness_N_per_mm")["nothing", 4.0, 50.0]
    assert f"e = {late['held_least']:.2f} to {late['held_most']:.2f} with nothing" in text
    wrong = rows_of(wrong_stiffness(), "robots", "error_percent")
    assert (
        f"{wrong['jerk', 10.0]['held_percent']:.0f} to "
        f"{wrong['jerk', -10.0]['held_percent']:+.0f} %" in text
    )


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_terminal_shows_every_cell(width):
    """No cell is cut on a terminal of 100 columns, nor on a narrower one; every number stands there
    in full."""
    exhibits = [figure_6(), figure_7(), causality(), wrong_stiffness(), offsets(), claims()]
    console = Console(width=width, file=io.StringIO())
    show_exhibits(console, exhibits)
    text = console.file.getvalue()
    assert "\u2026" not in text
    assert max(len(line) for line in text.splitlines()) <= width
    for exhibit in exhibits:
        for row in exhibit.rows:
            assert all(
                format_number(row[c.key], 4) in text
                for c in exhibit.columns
                if not isinstance(row[c.key], str)
            )


def test_the_command(tmp_path):
    """`softdock papers lange`: page and JSON in a folder."""
    shown = CliRunner().invoke(
        cli, ["papers", "lange", "--only", "offsets", "--out", str(tmp_path / "out")]
    )
    assert shown.exit_code == 0, shown.output
    assert "IV-D" in shown.stdout
    assert (
        json.loads((tmp_path / "out" / "lange.json").read_text(encoding="utf-8"))["paper"]
        == "lange"
    )
    assert (tmp_path / "out" / "lange.html").stat().st_size < 5e6
