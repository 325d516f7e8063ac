"""The docs as a site: built without a warning, complete, and without a request to any other
machine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|data)=[\"']([^\"']+)"
    r"|<link\b[^>]*?\bhref=[\"']([^\"']+)",
    re.I,
)
ELSEWHERE = re.compile(r"^(?:[a-z]+:)?//", re.I)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """As `make docs` builds it: every warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(DOCS), str(folder)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there_and_in_the_navigation(site):
    """The index's navigation leads to each page, by the page's own title."""
    navigation = (
        (site / "index.html")
        .read_text(encoding="utf-8")
        .partition('class="sidebar-tree"')[2]
        .partition("</aside>")[0]
    )
    for page in DOCS.rglob("*.md"):
        html = page.relative_to(DOCS).with_suffix(".html")
        assert (site / html).is_file()
        assert page.name == "index.md" or f'href="{html.as_posix()}"' in navigation, (
            f"{html} is not in the navigation"
        )


def test_nothing_comes_from_another_machine(site):
    """Pages load scripts, styles, fonts and pictures from the site alone; a reader without a
    network sees the same."""
    pages, sheets = sorted(site.rglob("*.html")), sorted(site.rglob("*.css"))
    assert len(pages) > 20
    loaded = {
        target
        for page in pages
        for pair in LOADED.findall(page.read_text(encoding="utf-8"))
        for target in pair
        if target
    }
    assert any(
        target.endswith(".css") or ".css?" in target for target in loaded
    )  # the pattern finds what there is
    assert [target for target in loaded if ELSEWHERE.match(target)] == []
    for sheet in sheets:
        assert (
            re.findall(
                r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"']+",
                sheet.read_text(encoding="utf-8"),
            )
            == []
        )


def test_every_file_that_a_page_loads_is_in_the_site(site):
    """No style or script is missing."""
    for page in site.glob("*.html"):
        for pair in LOADED.findall(page.read_text(encoding="utf-8")):
            for target in filter(None, pair):
                if not target.startswith(("#", "data:")):
                    assert (page.parent / re.split(r"[?#]", target)[0]).is_file(), (
                        f"{page.name}: {target}"
                    )


def test_formulas_are_typeset(site):
    """MathML in the pages, without a library that draws it."""
    html = (site / "model_mediated.html").read_text(encoding="utf-8")
    assert "<math" in html
    assert "<mfrac>" in html
    assert "MathJax" not in html
