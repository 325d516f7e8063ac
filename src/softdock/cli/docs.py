"""`softdock docs`: the documentation that comes with the package, in a browser or in the terminal,
without a network."""

from __future__ import annotations

import hashlib
import re
import tempfile
import webbrowser
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import click

import softdock
from softdock.cli.progress import output
from softdock.errors import BadInput, Problem, closest

INDEX = "index"
# system fonts, no requests, as wide as a text is read
STYLE = """
:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: flex; flex-wrap: wrap }
nav { flex: 0 0 15rem; padding: 1rem; font-size: 14px }
nav h2 { font-size: 14px; margin: 1rem 0 0.2rem }
nav a { display: block }
main { flex: 1 1 20rem; max-width: 50rem; min-width: 0; padding: 1rem }
img { max-width: 100% }
pre, table { overflow-x: auto; display: block }
pre { padding: 0.6rem; background: #8882 }
code { background: #8882 }
pre code { background: none }
th, td { padding: 0.2rem 0.6rem; text-align: left; vertical-align: top }
td { border-top: 1px solid #8886 }
"""


def find_docs() -> Path:
    """The folder of the pages: in the installed package, or beside the sources."""
    package = Path(softdock.__file__).parent
    for folder in (package / "_docs" / "docs", package.parents[1] / "docs"):
        if (folder / f"{INDEX}.md").is_file():
            return folder
    raise BadInput(Problem("docs", None, "an installation with its documentation"))


def list_pages(folder: Path) -> dict[str, Path]:
    """Every page by its name, `verdict` or `decisions/40-the-verdict`."""
    files = [*sorted(folder.glob("*.md")), *sorted(folder.glob("decisions/*.md"))]
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in files}


def find_page(pages: Mapping[str, Path], name: str) -> str:
    """A page by its name, with or without `.md`."""
    asked = name.removesuffix(".md").strip("/").replace("-", "_") if name not in pages else name
    if asked in pages:
        return asked
    known = [page for page in pages if "/" not in page]
    raise BadInput(Problem("PAGE", name, "one of " + ", ".join(known), "", closest(asked, known)))


def render_pages(pages: Mapping[str, Path], into: Path) -> None:
    """Every page as HTML; the index last, by which a rendered folder is known to be whole."""
    from markdown_it import MarkdownIt  # a package that rich needs

    parser = MarkdownIt("commonmark").enable("table")
    menu = list(_list_menu(pages[INDEX].read_text(encoding="utf-8")))
    for name in sorted(pages, key=lambda one: one == INDEX):
        target = into / f"{name}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_render(parser, pages, name, menu), encoding="utf-8")


def _list_menu(index: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Sections of the index, with the names and titles of their pages."""
    for section in re.split(r"^## ", index, flags=re.M)[1:]:
        found = re.findall(r"\[([^\]\[]+)\]\(([\w/-]+)\.md\)", section)
        yield section.splitlines()[0], [(name, title) for title, name in found]


def _render(parser: Any, pages: Mapping[str, Path], name: str, menu: list[Any]) -> str:
    up = "../" * name.count("/")
    tokens = parser.parse(pages[name].read_text(encoding="utf-8"))
    title = name
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            text = tokens[i + 1].content
            token.attrSet("id", re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
            title = text if token.tag == "h1" else title
        for child in token.children or ():
            _localise(child, pages[name].parent)
    body = parser.renderer.render(tokens, parser.options, {})
    links = "".join(
        f"<h2>{escape(section)}</h2>"
        + "".join(f'<a href="{up}{page}.html">{escape(text)}</a>' for page, text in listed)
        for section, listed in menu
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        '</title><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<style>{STYLE}</style></head><body><nav><a href="{up}{INDEX}.html">softdock '
        f"{escape(softdock.__version__)}</a>{links}</nav><main>{body}</main></body></html>\n"
    )


def _localise(token: Any, folder: Path) -> None:
    """A link to a page becomes one to its HTML; one to another file, and a picture, the file's
    own."""
    key = {"link_open": "href", "image": "src"}.get(token.type)
    target = str(token.attrGet(key)) if key else ""
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"\w+:", target):
        return
    file = (folder / path).resolve()
    is_page = not path.startswith("../") or file.parent == folder.parent  # from a decision up
    if path.endswith(".md") and is_page:
        token.attrSet(key, path.removesuffix(".md") + ".html" + mark + anchor)
    elif file.exists():
        token.attrSet(key, file.as_uri())


def _make_site(pages: Mapping[str, Path]) -> Path:
    """The rendered folder: in the cache, or in a temporary folder where there is none."""
    from softdock.compile.disk_cache import MARK, find_usable_folder
    from softdock.compile.sources import HASH_LENGTH

    texts = [
        softdock.__version__.encode(),
        STYLE.encode(),
        *(p.read_bytes() for p in pages.values()),
    ]
    name = hashlib.sha256(b"\0".join([*texts, str(pages[INDEX]).encode()])).hexdigest()[
        :HASH_LENGTH
    ]
    usable = find_usable_folder()
    base = Path(tempfile.mkdtemp(prefix="softdock-docs-")) if usable is None else usable.parent
    into = base / name
    if not (into / f"{INDEX}.html").is_file():
        into.mkdir(mode=0o700, exist_ok=True)
        (into / MARK).touch()
        render_pages(pages, into)
    return into


@click.command(short_help="Open the documentation, without a network.")
@click.argument("page", required=False, default=INDEX)
@click.option("--text", is_flag=True, help="Print the page in the terminal.")
def docs(page: str, text: bool) -> None:
    """Open the documentation that came with softdock in a browser, at PAGE: `softdock docs
    verdict`. Without a browser its path is what is printed. Nothing is fetched."""
    pages = list_pages(find_docs())
    name = find_page(pages, page)
    if text:
        from rich.markdown import Markdown

        output().print(Markdown(pages[name].read_text(encoding="utf-8")))
        return
    file = _make_site(pages) / f"{name}.html"
    webbrowser.open(file.as_uri())
    output().print(f"The page: {file}", markup=False, soft_wrap=True)
