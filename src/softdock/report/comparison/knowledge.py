"""What each method must know, and what an error in it costs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from softdock.comparison.knowledge import ERRORS_PERCENT, WORDS
from softdock.report.comparison.numbers import (
    MINUS,
    percent_at,
)
from softdock.report.frame import elements as e


def knowledge_section(r: Any) -> str:
    told: dict[str, Any] = {}
    for c in r["candidates"]:
        told.setdefault(c["method"], c)
    rows = [
        [escape(name), escape(c["summary"]), escape(c["knows"]), _settings(c)]
        for name, c in told.items()
    ]
    parts = [
        e.table(
            "Methods",
            ["method", "what it does", "what it must be told", "told here"],
            rows,
            words=(1, 2, 3),
        )
    ]
    for kind, percents in ERRORS_PERCENT.items():
        having = [
            i
            for i, c in enumerate(r["candidates"])
            if any(error["kind"] == kind for error in c["knowledge_errors"])
        ]
        if having:
            parts.append(_errors_table(r, kind, percents, having))
    if len(parts) == 1:
        parts.append(
            e.text(
                "No candidate believes anything that could be wrong: there are no errors of "
                "knowledge to show.",
                "note",
            )
        )
    else:
        parts.append(
            e.text(
                "Only what is believed changes in these runs, never the rig: one kind of "
                "error at a time, on every belief of that kind.",
                "note",
            )
        )
    return "".join(parts)


def _settings(candidate: dict[str, Any]) -> str:
    items = [
        f"{key} = {e.number(value, 6)}"
        for entry in candidate["settings"]
        for key, value in entry.items()
        if key != "name"
    ]
    return "<br>".join(escape(item) for item in items) or e.UNDEFINED


def _errors_table(r: Any, kind: str, percents: Sequence[float], having: Sequence[int]) -> str:
    columns = sorted([*percents, 0.0])
    rows = []
    for i in having:
        errors = r["candidates"][i]["knowledge_errors"]
        cells = [escape(r["candidates"][i]["label"])]
        for percent in columns:
            j = next(
                (
                    j
                    for j, error in enumerate(errors)
                    if (error["kind"], error["error_percent"]) == (kind, percent)
                ),
                None,
            )
            if j is None:
                cells.append(percent_at(r, f"candidates.{i}.distance_from_orbit"))
            elif errors[j]["status"] != "completed":
                cells.append(
                    "<span "
                    f'title="{escape(errors[j]["reason"])}">{escape(errors[j]["status"])}</span>'
                )
            else:
                cells.append(
                    percent_at(r, f"candidates.{i}.knowledge_errors.{j}.distance_from_orbit")
                )
        rows.append(cells)
    headings = ["candidate", *(f"{p:+g} %".replace("-", MINUS) if p else "right" for p in columns)]
    return e.table(f"Distance from orbit when {WORDS[kind]} is believed wrongly", headings, rows)
