"""Case by method: every cell's distance from orbit in the colour of its class, a link to the case
with its commands."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from softdock.benchmark.cell import CANNOT, COMPLETED
from softdock.benchmark.scores import NEAR, VERY_NEAR, leaderboard
from softdock.benchmark.tellings import WORDS
from softdock.benchmark.words import percent
from softdock.report.frame import elements as e

FAR = 0.05  # of the approach: beyond, the verdict says off
CLASSES = (
    ("d0", "within 0.1 %"),
    ("d1", "within 1 %"),
    ("d2", "within 5 %"),
    ("d3", "farther"),
    ("d4", "stopped, or no distance"),
    ("d5", "cannot run"),
)
Results = Mapping[str, Any]


def class_of(row: Mapping[str, Any]) -> str:
    """The colour of a telling's result."""
    if row["status"] == CANNOT:
        return "d5"
    if row["status"] != COMPLETED or row["distance"] is None:
        return "d4"
    bounds = (VERY_NEAR, NEAR, FAR)
    return f"d{sum(row['distance'] > bound for bound in bounds)}"


def shown_result(row: Mapping[str, Any]) -> str:
    """A telling's result as text."""
    if row["status"] == COMPLETED:
        return percent(row["distance"])
    return "-" if row["status"] == CANNOT else str(row["status"])


def share_of(share: float | None) -> str:
    """A share of the approach, or of a force, on one line."""
    return f'<span class="number">{escape(percent(share))}</span>'


def map_tables(results: Results) -> str:
    """A map for each telling; the best entry on the left."""
    cells = {(c["entry"], c["case"]): c["tellings"] for c in results["cells"]}
    parts = [_legend()]
    bound = any(case.get("bound") is not None for case in results["cases"])
    for telling in results["tellings"]:
        entries = [row["label"] for row in leaderboard(results, telling)]
        rows = []
        for case in results["cases"]:
            name = case["name"]
            line = [f'<a href="#case-{escape(name)}">{escape(name)}</a>']
            if bound:
                line.append(escape(percent(case["bound"])) if case["bound"] is not None else "")
            for entry in entries:
                row = cells[entry, name][telling]
                why = row["reason"] or f"{entry} on {name}, {WORDS[telling]}"
                line.append(
                    f'<span class="cell {class_of(row)}" title="{escape(why)}">'
                    f"{escape(shown_result(row))}</span>"
                )
            rows.append(line)
        if entries:
            title = f"Distance from orbit, {WORDS[telling]}"
            headings = ["case", *(["bound by noise, RMS"] if bound else []), *entries]
            parts.append(e.table(title, headings, rows))
    return "".join(parts)


def _legend() -> str:
    keys = "".join(f'<span class="cell {key}">{escape(words)}</span> ' for key, words in CLASSES)
    return f'<p class="note">{keys}</p>'
