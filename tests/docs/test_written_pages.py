"""Pages that are written by a program say what the program says, and those of the methods are
short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softdock.benchmark.leaderboard_page import leaderboard_page, stored_file
from softdock.benchmark.results import read_results
from softdock.cli.reference_page import api_reference, command_reference
from softdock.scenario.memory_page import memory_page
from softdock.scenario.reference_page import scenario_reference

ROOT = Path(__file__).parents[2]
DOCS, SOURCES = ROOT / "docs", ROOT / "src"


def test_the_scenario_reference_is_what_the_definitions_say():
    """To renew it: python -m softdock.scenario.reference_page docs/scenario_reference.md"""
    assert (DOCS / "scenario_reference.md").read_text(encoding="utf-8") == scenario_reference()


def test_the_references_of_commands_and_names_are_what_they_are():
    """To renew them: python -m softdock.cli.reference_page docs"""
    assert (DOCS / "command_reference.md").read_text(encoding="utf-8") == command_reference()
    assert (DOCS / "api_reference.md").read_text(encoding="utf-8") == api_reference()


def test_the_page_of_methods_memory_is_the_cells():
    """To renew it: python -m softdock.scenario.memory_page docs/method_memory.md"""
    page = (DOCS / "method_memory.md").read_text(encoding="utf-8")
    assert page == memory_page()


def test_the_leaderboard_is_what_the_stored_results_say():
    """No number of the page is written by hand; its first line is the command that renews it."""
    page = (DOCS / "leaderboard.md").read_text(encoding="utf-8")
    file = stored_file(page)
    assert page == leaderboard_page(read_results(ROOT / file), file)


METHOD_PAGES = (
    "hybrid",
    "passive_integrator",
    "energy_ledger",
    "remapping",
    "full_compensation",
    "faithful",
)


@pytest.mark.parametrize("name", METHOD_PAGES)
def test_method_pages_are_short_and_open_with_a_picture(name):
    """At most 250 lines of 100 columns; the picture stands before the second section; what was
    measured on the way is in docs/notes."""
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    opening = "## ".join(text.split("\n## ")[:2])
    if name != "full_compensation":  # a part of the re-mapping, whose picture it shares
        picture = re.search(r"!\[[^\]]+\]\((pictures/\w+\.svg)\)", opening)
        assert picture is not None
        assert (DOCS / picture[1]).read_text(encoding="utf-8").startswith("<svg")


# Pages that a program writes: the tests above, test_layouts.py and others compare them with it.
WRITTEN = {
    "api_reference",
    "command_reference",
    "latch",
    "layouts",
    "leaderboard",
    "method_memory",
    "rig_file",
    "scenario_reference",
}
READ = [path for path in sorted(DOCS.rglob("*.md")) if path.stem not in WRITTEN]
READ += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]


def is_long_prose(line: str) -> bool:
    """Beyond 100 columns though it could be broken: no table, picture or heading, and a blank
    outside of code and links within the first 100."""
    if len(line) <= 100 or line.lstrip().startswith(("|", "![", "#")):
        return False
    words = re.findall(r"(?:`+[^`]*`+|!?\[[^\]]*\]\([^)]*\)|\S)+", line)
    return len(words) > 2


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(ROOT)))
def test_prose_fits_a_hundred_columns(path):
    """Protects whoever reads the pages as files, in half of a screen: code blocks and tables may be
    wider, sentences not."""
    text = re.sub(
        r"^( *)(```|~~~).*?^ *\2", "", path.read_text(encoding="utf-8"), flags=re.S | re.M
    )
    lines = [line for line in text.splitlines() if not line.startswith("    ")]
    assert [line for line in lines if is_long_prose(line)] == []
