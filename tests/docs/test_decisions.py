"""Decisions stay readable and findable: one short page each, of one form, and every reference to
one leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
SECTIONS = ["Context", "Decision", "Measured price", "Tried and left"]
COLUMNS, LINES = 100, 62


def too_long(line: str) -> bool:
    """A name of a test is not cut in two."""
    return len(line) > COLUMNS and not re.fullmatch(r"\s*- `[^`]+`", line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_has_its_form(page):
    """Number, status, date and the four sections in their order, short enough to be read."""
    text = page.read_text(encoding="utf-8")
    title = re.match(r"# (\d+)\. \S", text)
    assert title is not None
    assert int(title[1]) == int(page.name[:2])
    assert re.search(r"^Status: \w[^\n]*\. Date: 20\d\d-\d\d-\d\d\.$", text, re.M)
    assert re.findall(r"^## (.*)$", text, re.M) == SECTIONS
    lines = text.splitlines()
    assert len(lines) <= LINES
    assert [line for line in lines if too_long(line)] == []


def test_decisions_are_numbered_and_listed():
    """No number is missing or used twice, and the index names each page once."""
    assert [int(page.name[:2]) for page in PAGES] == list(range(1, len(PAGES) + 1))
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\(([\w-]+\.md)\)", index)) == [page.name for page in PAGES]


def test_references_to_decisions_lead_somewhere():
    """Code, tests and pages that give a decision as their reason name a page that is there."""
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")]
    for folder in ("src", "tests", "benchmarks", "docs"):
        files += [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md")]
    found = {}
    for file in files:
        for name in re.findall(r"decisions/([\w-]+\.md)", file.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(str(file.relative_to(ROOT)))
    assert len(found) > 5  # the pattern finds what there is
    assert {name: by for name, by in found.items() if not (FOLDER / name).is_file()} == {}
