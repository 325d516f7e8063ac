"""Every case: why it is there, and for each entry and telling its numbers with the command that
makes them again."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from softdock.benchmark.replay import command
from softdock.benchmark.tellings import WORDS
from softdock.benchmark.words import percent
from softdock.comparison.knowledge import WORDS as BELIEFS
from softdock.report.benchmark.map import class_of, shown_result
from softdock.report.frame import elements as e

Results = Mapping[str, Any]
NO_COMMAND = (
    "no command: what is believed wrongly stands in the scenario's contact, and orbit "
    "would be flown with it too"
)


def case_sections(results: Results) -> str:
    """A folded part for each case."""
    by_case: dict[str, list[Mapping[str, Any]]] = {}
    for cell in results["cells"]:
        by_case.setdefault(cell["case"], []).append(cell)
    note = (
        "A command prints the cell's number in its verdict; commands with cases/NAME.toml are for "
        "the folder of these results. Methods of the user's own need their --method-file."
    )
    parts = [_case(results, case, by_case[case["name"]]) for case in results["cases"]]
    return e.text(note) + "".join(parts)


def _case(results: Results, case: Mapping[str, Any], cells: list[Mapping[str, Any]]) -> str:
    name, bound = case["name"], case.get("bound")
    said = [
        e.text(case["reason"], "plain"),
        e.text(f"{case['description']}. softdock show {case['source']}")
        if case["source"].startswith("benchmark:")
        else e.text(f"{case['description']}. File: {case['source']}"),
    ]
    if bound is not None:
        said.append(e.text(f"No estimator can be nearer than {percent(bound)} under its noise."))
    headings = ["entry"]
    for telling in results["tellings"]:
        headings += [WORDS[telling], "energy", "peak force"]
    rows = []
    for cell in cells:
        row = [escape(cell["entry"])]
        for telling in results["tellings"]:
            told = cell["tellings"][telling]
            row.append(_result(results, case, told))
            row += [escape(percent(told[key])) for key in ("energy_share", "peak_force_error")]
        rows.append(row)
    table = e.table(f"{name}, all entries", headings, rows)
    inside = f'<div id="case-{escape(name)}">{"".join(said)}{table}</div>'  # a link opens it
    return e.folded(f"{name}: {case['description']}", inside)


def _result(results: Results, case: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Number, what was believed wrongly, the command."""
    number = f'<span class="cell {class_of(row)}">{escape(shown_result(row))}</span>'
    error = row["error"]
    words = f"{BELIEFS[error['kind']]} {error['percent']:+g} %" if error else ""
    beside = f" <small>{escape(words)}</small>" if words else ""
    if row["reason"]:
        return f"{number}{beside} <small>{escape(row['reason'])}</small>"
    line = command(case["source"], row["changes"], results["method_files"]) or NO_COMMAND
    return f"{number}{beside}{e.folded('again', e.listing(line))}"
