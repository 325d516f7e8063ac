"""Numbers that a page quotes beside a command are those that the command prints now.

A case names a page, a sentence of it with its numbers as groups, and for each number the command
and the place in its JSON. A number that is quoted with so many digits is compared with so many.
Pages with tests of their own: README's table (tests/system/test_demo.py), my_rig.md
(test_my_rig.py), stability.md (tests/system/test_cli_stability.py), the course (test_course.py),
leaderboard.md (test_written_pages.py). measured.md, benchmark.md and the tables of times are of
`python -m benchmarks` and `make prove`, which store their results: too long for here.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from softdock.cli.main import cli

ROOT = Path(__file__).parents[2]
NUMBER = r"([-+]?\d+(?:\.\d+)?)"
WORDS = {8: "Eight", 9: "Nine", 10: "Ten", 11: "Eleven", 12: "Twelve"}
ADAPTIVE = 'methods=[{{name = "adaptive_damping", stiffness_N_per_m = 3000, delay_ms = {}}}]'
LOSSLESS = "contact.0.real.damping_Ns_per_m=0"


def read_page(page: str) -> str:
    """A page on one line."""
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


@functools.cache
def run_json(*command: str) -> Any:
    """What a command says as JSON."""
    result = CliRunner().invoke(cli, [*command, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def get_number(found: Any, path: str) -> float:
    for key in path.split("."):
        found = found[int(key)] if isinstance(found, list) else found[key]
    return float(found)


def agrees_with_quote(quoted: str, value: float) -> bool:
    """Equal to the digits that are quoted, a half of the last one either way."""
    digits = len(quoted.partition(".")[2])
    return abs(float(quoted) - value) <= 0.5000001 * 10.0**-digits


def make_planar_run(delay: int) -> tuple[str, ...]:
    """EPOS 2-D without its damper, 16, 32 or 40 ms of delay, with adaptive damping."""
    keys = (LOSSLESS, "satellites.integrator=exact_hold", f"robots.chaser.delay_ms={delay}")
    keys += (ADAPTIVE.format(delay + 2),)
    return ("run", "epos_2d", *(word for key in keys for word in ("--set", key)))


CHECK = ("rig", "check", "emulated_pair", "epos_1d")
GUIDED = ("run", "vbar_docking")
CASES = {  # page: sentence, (command, path in its JSON, factor) of each of its numbers
    "docs/hybrid.md": (
        rf"the contacts add {NUMBER}, {NUMBER} and {NUMBER} % of the approach energy at 16, 32 and",
        [(make_planar_run(late), "verdict.criteria.energy.number", 100.0) for late in (16, 32, 40)],
    ),
    "docs/rig.md": (
        rf"Restitution {NUMBER}; energy observed {NUMBER} mJ of {NUMBER}, kinetic at most {NUMBER} "
        rf"mJ of {NUMBER}; force at most {NUMBER} N",
        [
            (CHECK, "predicted.restitution", 1.0),
            (CHECK, "predicted.observed_J", 1e3),
            (CHECK, "predicted.observed_bound_J", 1e3),
            (CHECK, "predicted.kinetic_most_J", 1e3),
            (CHECK, "predicted.kinetic_bound_J", 1e3),
            (CHECK, "predicted.peak_force_N", 1.0),
        ],
    ),
    "docs/guided_docking.md": (
        rf"hard dock at {NUMBER} s on the rig and at {NUMBER} s on orbit; thrusters' impulse "
        rf"{NUMBER} Ns, their work {NUMBER} J and on orbit {NUMBER} J.*? the latch with "
        rf"{NUMBER} N, against {NUMBER} N on orbit. The pair decays at {NUMBER} 1/s, and at the "
        rf"worst phase its distance from the reference is {NUMBER} % of the approach",
        [
            (GUIDED, "latched_at_s", 1.0),
            (GUIDED, "reference.latched_at_s", 1.0),
            (GUIDED, "impulse_Ns", 1.0),
            (GUIDED, "ledger.external_J", 1.0),
            (GUIDED, "reference.external_J", 1.0),
            (GUIDED, "latch.peak_force_N", 1.0),
            (GUIDED, "latch.orbit.peak_force_N", 1.0),
            (GUIDED, "latch.growth_per_s", -1.0),
            (GUIDED, "verdict.criteria.distance.number", 100.0),
        ],
    ),
}
LONG = {"docs/guided_docking.md"}  # compiles methods that no other test compiles


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.prove) if p in LONG else p for p in CASES]
)
def test_a_quoted_number_is_what_the_command_prints(page):
    """The sentence stands on the page, and each of its numbers comes out now."""
    sentence, numbers = CASES[page]
    found = re.search(sentence, read_page(page))
    assert found is not None, (page, sentence)
    for quoted, (command, path, factor) in zip(found.groups(), numbers, strict=True):
        value = factor * get_number(run_json(*command), path)
        assert agrees_with_quote(quoted, value), (page, path, quoted, value)


def test_a_wrong_number_is_found():
    """The comparison can fail, by the last digit that is quoted."""
    assert agrees_with_quote("1.29", 1.2888)
    assert not agrees_with_quote("1.28", 1.2888)
    assert agrees_with_quote("-0.0898", -0.08976)
    assert not agrees_with_quote("11", 11.6)


def test_as_many_examples_as_there_are():
    """README and the page of the examples count them."""
    count = len(list((ROOT / "examples").glob("[0-9][0-9]_*.py")))
    for page in ("README.md", "docs/course.md"):
        sentence = re.search(r"(\w+) short programs", read_page(page))
        assert sentence is not None
        assert sentence[1] == WORDS[count], page


def test_two_pages_with_one_table_agree():
    """which_method.md shows numbers of my_rig.md, whose test makes them: row by row the same."""
    rows = {}
    for page in ("docs/my_rig.md", "docs/which_method.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        table = re.search(
            r"^\| method .*?from the reference.*\n\|[-:| ]+\|\n((?:\|.*\n)+)", text, re.M
        )
        assert table is not None, page
        for line in table[1].splitlines():
            cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
            rows.setdefault(cells[0], {})[page] = [re.findall(r"[\d.]+", c) for c in cells[-3:]]
    both = {name: list(found.values()) for name, found in rows.items() if len(found) == 2}
    assert len(both) >= 4
    assert {name: one for name, one in both.items() if one[0] != one[1]} == {}
