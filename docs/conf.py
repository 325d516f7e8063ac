"""The docs as a site: `make docs`. Pages are plain Markdown and read well without it; navigation is
what index.md links to, in its order."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parent))
from formulas import typeset
from notebooks import write_notebooks

from softdock._version import __version__

# A hundred pages are millions of nodes that stay: to look through them for garbage again and again
# takes a third of the time.
gc.disable()

project, release = "softdock", __version__
copyright = "the softdock developers"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
highlight_language = "none"  # a block without a language is text
html_theme = "furo"
html_title = f"softdock {__version__}"
html_show_sphinx = html_show_copyright = html_copy_source = False
INDICES = ("index", "decisions/README")  # pages that list others
# Formulas are plain text in the pages and MathML on the site (formulas.py): no maths library is
# loaded. System fonts, no requests (tests/docs/test_site.py).


def _navigation(app: Any, page: str, source: list[str]) -> None:
    """Every section of an index becomes a part of the navigation. Links named after a file are
    named after the page."""
    text = source[0]
    if page in INDICES:
        for section in re.split(r"^## ", text, flags=re.M)[1:]:
            pages = "\n".join(re.findall(r"\]\(([\w/-]+)\.md\)", section))
            text += (
                f"\n\n```{{toctree}}\n:hidden:\n:caption: {section.splitlines()[0]}\n{pages}\n```\n"
            )
    text = re.sub(r"\[(\w+)\.md\]\(", lambda link: f"[{link[1].replace('_', ' ')}](", text)
    source[0] = typeset(text)


def _course(app: Any, failed: Exception | None) -> None:
    """The lessons as notebooks, beside the pages: build/docs/course/*.ipynb."""
    if failed is None and app.builder.format == "html":
        write_notebooks(Path(app.outdir) / "course")


def setup(app: Any) -> None:
    app.connect("source-read", _navigation)
    app.connect("build-finished", _course)
