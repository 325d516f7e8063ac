"""Formulas of the docs: plain text in the pages, MathML on the site."""

import html
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
from formulas import BLOCK, formula, typeset  # noqa: E402

BLOCKS = [(p.name, b) for p in sorted(DOCS.rglob("*.md")) for b in BLOCK.findall(p.read_text())]


def parse_formula(line):
    return ElementTree.fromstring(html.unescape(formula(line)))


@pytest.mark.parametrize(("name", "block"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_every_formula_is_typeset(name, block):
    """Well-formed, a line each, and nothing that is a mark of the plain text is left."""
    for line in formula(block).splitlines():
        shown = "".join(ElementTree.fromstring(html.unescape(line)).itertext())
        assert not re.search(r"[\\^/]|sqrt|<=", shown), shown


def test_what_is_written_is_what_is_drawn():
    """Fractions take their neighbours, roots and scripts what belongs to them; x between two
    factors is a cross product, elsewhere a letter."""
    fraction = parse_formula("b = b_m + (E - e^2 E_0) / J").find(".//mfrac")
    assert "".join(fraction[0].itertext()) == "E\u2212e2E0"
    assert "".join(fraction[1].itertext()) == "J"
    assert parse_formula("D = 2 zeta sqrt(K M)").find(".//msqrt") is not None
    assert "\u00d7" in "".join(parse_formula("tau = 3 n^2 u x J u").itertext())
    assert "\u00d7" not in "".join(parse_formula("M x'' = K (m - x)").itertext())


def test_a_page_stays_readable_without_it():
    """Only blocks of formulas change; other code stays code."""
    page = "```formula\ne^2 = 1\n```\n\n```\nsoftdock run a / b\n```\n"
    made = typeset(page)
    assert "<math" in made
    assert "softdock run a / b" in made
    assert len(BLOCKS) >= 15
