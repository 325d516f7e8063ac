"""Pages that are written by a program say what the program says."""

from __future__ import annotations

import sys
from pathlib import Path

from softdock.studies.benchmark.results import read_results

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
from command_pages import api_reference, command_reference  # noqa: E402
from leaderboard_page import leaderboard_page, stored_file  # noqa: E402
from rig_page import rig_reference  # noqa: E402
from scenario_page import scenario_reference  # noqa: E402


def test_the_scenario_reference_is_what_the_definitions_say():
    """To renew it: python docs/scenario_page.py docs/scenario_reference.md"""
    assert (DOCS / "scenario_reference.md").read_text(encoding="utf-8") == scenario_reference()


def test_the_page_of_rig_keys_is_what_the_schema_says():
    """To renew it: python docs/rig_page.py docs/rig_file.md"""
    assert (DOCS / "rig_file.md").read_text(encoding="utf-8") == rig_reference()


def test_the_references_of_commands_and_names_are_what_they_are():
    """To renew them: python docs/command_pages.py docs"""
    assert (DOCS / "command_reference.md").read_text(encoding="utf-8") == command_reference()
    assert (DOCS / "api_reference.md").read_text(encoding="utf-8") == api_reference()


def test_the_leaderboard_is_what_the_stored_results_say():
    """No number of the page is written by hand; its first line is the command that renews it."""
    page = (DOCS / "leaderboard.md").read_text(encoding="utf-8")
    file = stored_file(page)
    assert page == leaderboard_page(read_results(ROOT / file), file)
