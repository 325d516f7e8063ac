"""Common parts of the regenerated papers: exhibits (a table, a figure, a test) with ours beside the
published value, as JSON and as one HTML page.

A paper is a `Paper` with a list of makers; a maker returns an `Exhibit`. Adding a paper takes one
line in `PAPERS` and a folder beside this file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from softdock._version import __version__
from softdock.errors import BadInput, Problem, closest
from softdock.files.atomic import write_whole
from softdock.output.pages.frame.elements import UNITS, bullets, headline, show_number, table, text
from softdock.output.pages.frame.page import page
from softdock.results.metrics import convert_to_plain

SCHEMA = 1
PAPERS = {  # name -> where its `Paper` stands; imported when asked for
    "zebenay": "softdock.papers.zebenay:PAPER",
    "de-stefano": "softdock.papers.de_stefano:PAPER",
    "franken": "softdock.papers.franken:PAPER",
    "lange": "softdock.papers.lange:PAPER",
}

Progress = Callable[[str], None]  # what is being made


@dataclass(frozen=True)
class Column:
    """One column of an exhibit's table. The unit is the one its key ends in."""

    key: str
    heading: str


class Findings(NamedTuple):
    """Conclusions from an exhibit's own numbers."""

    verdict: str  # the answer in a sentence or two: do ours and the paper's agree?
    differences: Sequence[str] = ()  # where ours differs, each with its numbers


Summarise = Callable[[list[dict[str, Any]], dict[str, Any]], Findings]  # rows, numbers -> words


@dataclass
class Exhibit:
    """One table or figure: our numbers, the published ones, assumptions, and the reasons why the
    two differ.

    No sentence about a run is stored: `says` makes them from `rows` and `numbers` whenever they are
    read, so that other numbers give other sentences (tests sabotage them). `remarks` holds what is
    true of the paper independently of a run.
    """

    key: str  # table_1, figure_5
    title: str
    says: Summarise
    columns: Sequence[Column] = ()
    rows: list[dict[str, Any]] = field(default_factory=list)
    numbers: dict[str, Any] = field(default_factory=dict)  # beyond the table
    assumptions: Sequence[str] = ()
    remarks: Sequence[str] = ()  # about the paper and its equations
    charts: list[str] = field(
        default_factory=list
    )  # HTML of softdock.output.pages.frame.charts; drawn from numbers of this exhibit
    by_construction: str = ""  # what was solved or chosen from the published result, if anything

    @property
    def headline(self) -> str:
        """The title; marked if the agreement is by construction."""
        return f"{self.title} (agreement by construction)" if self.by_construction else self.title

    @property
    def verdict(self) -> str:
        sentence = self.says(self.rows, self.numbers).verdict
        return (
            f"By construction: {self.by_construction}. {sentence}"
            if self.by_construction
            else sentence
        )

    @property
    def differences(self) -> list[str]:
        return [*self.says(self.rows, self.numbers).differences, *self.remarks]

    def to_dict(self) -> dict[str, Any]:
        """Everything except the charts."""
        found = {
            "key": self.key,
            "title": self.headline,
            "by_construction": self.by_construction,
            "verdict": self.verdict,
            "rows": self.rows,
            "numbers": self.numbers,
        }
        return convert_to_plain(
            found | {"assumptions": list(self.assumptions), "differences": self.differences}
        )


Maker = Callable[[], Exhibit]


@dataclass(frozen=True)
class Paper:
    """A paper and the makers of its exhibits."""

    name: str
    title: str
    reference: str
    makers: dict[str, Maker]  # key of the exhibit -> maker


def load_paper(name: str) -> Paper:
    """Import a paper by its name."""
    if name not in PAPERS:
        raise BadInput(
            Problem("paper", name, "one of " + ", ".join(PAPERS), suggestion=closest(name, PAPERS))
        )
    module, _, attribute = PAPERS[name].partition(":")
    paper: Paper = getattr(import_module(module), attribute)
    return paper


def check_only(paper: Paper, only: Sequence[str]) -> None:
    """Refuse names of exhibits that the paper does not have, before any work."""
    known = "one of " + ", ".join(paper.makers)
    unknown = [
        Problem("only", key, known, suggestion=closest(key, paper.makers))
        for key in only
        if key not in paper.makers
    ]
    if unknown:
        raise BadInput(unknown)


def regenerate(
    paper: Paper, only: Sequence[str] = (), progress: Progress = lambda what: None
) -> list[Exhibit]:
    """Make all exhibits of a paper, or some of them by key."""
    check_only(paper, only)
    exhibits = []
    for key, maker in paper.makers.items():
        if not only or key in only:
            progress(key)
            exhibits.append(maker())
    return exhibits


def collect_results(paper: Paper, exhibits: Sequence[Exhibit]) -> dict[str, Any]:
    """The page's contents as plain data."""
    return {
        "schema": SCHEMA,
        "softdock": __version__,
        "paper": paper.name,
        "title": paper.title,
        "reference": paper.reference,
        "exhibits": {e.key: e.to_dict() for e in exhibits},
    }


def results_json(paper: Paper, exhibits: Sequence[Exhibit]) -> str:
    """The contents as JSON, for `--json` and for the file beside the page."""
    return (
        json.dumps(collect_results(paper, exhibits), indent=1, allow_nan=False, ensure_ascii=False)
        + "\n"
    )


def paper_page(paper: Paper, exhibits: Sequence[Exhibit]) -> str:
    """One self-contained HTML page."""
    data = collect_results(paper, exhibits)
    sections = {e.key: (e.headline, _section(e, data)) for e in exhibits}
    lead = (
        f"{paper.reference}. Every table and figure made again by softdock, ours beside the "
        "published value."
    )
    return page(paper.title, lead, sections, {"results": data})


# the end of a sentence, and not of an abbreviation
FIRST_SENTENCE = r"(?<!Fig)(?<!Figs)(?<!eq)\. (?=[A-Z0-9])"


def _section(exhibit: Exhibit, data: dict[str, Any]) -> str:
    first, *rest = re.split(FIRST_SENTENCE, exhibit.verdict, maxsplit=1)
    parts = [headline(first + ("." if rest else "")), *(text(one, "plain") for one in rest)]
    if exhibit.rows:
        rows = [
            [
                show_number(data, f"exhibits.{exhibit.key}.rows.{i}.{c.key}", "", "results")
                for c in exhibit.columns
            ]
            for i in range(len(exhibit.rows))
        ]
        parts.append(table(exhibit.title, [c.heading for c in exhibit.columns], rows))
    parts += exhibit.charts
    for heading, items in (
        ("Assumed", exhibit.assumptions),
        ("Where ours differs, and why", exhibit.differences),
    ):
        if items:
            parts += [f"<h3>{heading}</h3>", bullets(items)]
    if exhibit.numbers:
        numbers = [
            [
                _key_words(k),
                show_number(data, f"exhibits.{exhibit.key}.numbers.{k}", None, "results"),
            ]
            for k, v in exhibit.numbers.items()
            if _is_single(v)
        ]
        parts += [table("Numbers behind it", ["what", "value"], numbers)] if numbers else []
    return "\n".join(parts)


def _is_single(value: Any) -> bool:
    return isinstance(value, (int, float, str))


def _key_words(key: str) -> str:
    """A key in words, without its unit."""
    suffix = next((suffix for suffix in UNITS if key.endswith(suffix)), "")
    return escape(key.removesuffix(suffix).replace("_", " "))


def write_paper(folder: Path, paper: Paper, exhibits: Sequence[Exhibit]) -> tuple[Path, Path]:
    """Write page and JSON to a folder, each whole or not at all. Returns their paths."""
    html, data = folder / f"{paper.name}.html", folder / f"{paper.name}.json"
    write_whole(html, paper_page(paper, exhibits).encode())
    write_whole(data, results_json(paper, exhibits).encode())
    return html, data
