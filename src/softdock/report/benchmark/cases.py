"""Every case: why it is there, and for each entry and telling its numbers with the command that
makes them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from softdock.benchmark.replay import command
from softdock.benchmark.tellings import WORDS
from softdock.benchmark.words import percent
from softdock.comparison.knowledge import WORDS as BELIEFS
from softdock.report.benchmark.map import class_of, share_of, shown_result
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
        least = f"no unbiased estimator has a root mean square below {percent(bound)}"
        said.append(e.text(f"Under its noise {least}."))
    headings = ["entry", "told", "distance", "believed wrongly", "energy", "peak force", "again"]
    rows = []
    for cell in cells:
        for telling, told in _distinct(results, cell):
            rows.append([escape(cell["entry"]), escape(telling), *_row(results, case, told)])
    table = e.table(f"{name}, all entries", headings, rows, words=(1, 3, 6))
    inside = f'<div id="case-{escape(name)}">{"".join(said)}{table}</div>'  # a link opens it
    return e.folded(f"{name}: {case['description']}", inside)


def _distinct(results: Results, cell: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each result once, with all tellings that gave it."""
    rows = [(telling, cell["tellings"][telling]) for telling in results["tellings"]]
    while rows:
        told = rows[0][1]
        yield ", ".join(WORDS[t].removeprefix("told ") for t, row in rows if row == told), told
        rows = [pair for pair in rows if pair[1] != told]


def _row(results: Results, case: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """Distance, what was believed wrongly, energy, peak force, the command or why there is none."""
    error = row["error"]
    words = f"{BELIEFS[error['kind']]} {error['percent']:+g} %" if error else ""
    rms = row.get("rms") if case.get("is_random") else None
    beside = f" <small>RMS {escape(percent(rms))}</small>" if rms is not None else ""
    line = command(case["source"], row["changes"], results["method_files"]) or NO_COMMAND
    return [
        f'<span class="cell {class_of(row)}">{escape(shown_result(row))}</span>{beside}',
        escape(words),
        share_of(row["energy_share"]),
        share_of(row["peak_force_error"]),
        escape(row["reason"]) if row["reason"] else e.folded("command", e.listing(line)),
    ]
