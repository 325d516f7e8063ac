"""A run's metrics as tables in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.analysis.metrics import METRICS

CONTACT_COLUMNS = (
    ("start_s", "start [s]", ".4f"),
    ("end_s", "end [s]", ".4f"),
    ("cycles", "cycles", ".1f"),
    ("restitution", "restitution", ".4f"),
    ("peak_force_real_N", "peak, mock-up [N]", ".4g"),
    ("peak_force_satellite_N", "peak, satellite [N]", ".4g"),
    ("impulse_Ns", "impulse [Ns]", ".4g"),
)
MOST_CONTACTS = 12  # shown in the terminal
SHOWN_SHARE = 1e-3  # of the busiest axis of a method: less is not shown in the terminal
BOOKS_TO = 1e-12  # of the turnover: what the books are true to, so that less is shown as nothing


def show_run(to: Console, m: Mapping[str, Any]) -> None:
    """Verdict first, then the numbers, the contacts, the ledger and what to beware of."""
    show_judgement(to, m["judgement"])
    to.print(Text(m["verdict"]))
    if "why" in m:
        to.print(Text(m["why"]["sentence"]))
        show_advice(to, m["why"]["advice"])
    to.print(
        Text(
            f"{m['scenario']}: {_sentence(m['description'])}{m['integrator']}, "
            f"{' + '.join(m['methods'])}. {m['status']}, {m['ended_at_s']:g} s.",
            style="dim",
        )
    )
    to.print()
    to.print(_numbers(m))
    if m["contacts"]:
        to.print(Text("\ncontacts", style="bold"))
        to.print(_contacts(m))
    to.print(Text("\nwhere the invented energy came from [J]", style="bold"))
    to.print(_ledger(m))
    if any("axes" in books for books in m["method_books"].values()):
        to.print(
            Text(
                "\nwhat the methods took from the satellites or their set-points, and gave "
                "back [J]",
                style="bold",
            )
        )
        to.print(_methods(m))
    for warning in m["warnings"]:
        to.print(Text(f"warning: {warning}", style="yellow"))
    to.print()


def show_advice(to: Console, advice: Mapping[str, Any]) -> None:
    """Lines to paste, each with its result; the first one is the verdict's next step."""
    for one in advice["lines"][1:]:
        to.print(Text(f"Or: {one['line']} -> {one['word']}: {one['said']}"), soft_wrap=True)


def show_judgement(to: Console, judged: Mapping[str, Any]) -> None:
    """The word in its colour, why, and one next step."""
    word, sentence = judged["word"], judged["sentence"]
    line = Text(sentence, style="bold")
    line.stylize(f"bold {judged['colour']}", 0, len(word) + 1)
    to.print(line)
    for doubt in judged.get("doubts", ()):
        to.print(Text(f"Doubt: {doubt}", style="yellow"))
    to.print(Text(judged["next_step"]))


def _sentence(description: str) -> str:
    return f"{description.rstrip('.')}. " if description else ""


def text(value: Any, form: str, unit: str = "", if_none: str = "-") -> str:
    """A number as it is shown; a dash for one that is not defined."""
    return if_none if value is None else f"{value:{form}} {unit}".strip()


def _numbers(m: Mapping[str, Any]) -> Table:
    spread = m.get("phases", {}).get("spread")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("this rig", justify="right")
    table.add_column("orbit", justify="right")
    if spread is not None:
        table.add_column(f"mean of {m['phases']['count']} phases", justify="right")
        table.add_column("std", justify="right")
        table.add_column("min to max", justify="right")
    for key, shown in ((one.name, one.row) for one in METRICS.values()):
        if shown is None or key not in m or (shown.only_if and m[shown.only_if] is None):
            continue
        form, unit = shown.form, shown.unit
        wanted = m["reference"].get(key) if shown.in_orbit is None else shown.in_orbit
        mine = text(m[key], form, unit, shown.if_none)
        row = [shown.words, mine, text(wanted, form.replace("+", ""), unit)]
        if spread is not None:
            found, form = spread.get(key), form.replace("d", "g")
            row += (
                [
                    text(found["mean"], form, unit),
                    text(found["std"], ".2g"),
                    f"{found['min']:{form}} to {found['max']:{form}}",
                ]
                if found
                else ["-", "-", "-"]
            )
        table.add_row(*row)
    return table


def _contacts(m: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    for _, words, _ in CONTACT_COLUMNS:
        table.add_column(Text(words), justify="right")  # as text: [s] would be taken for markup
    for contact in m["contacts"][:MOST_CONTACTS]:
        table.add_row(*(text(contact[key], form) for key, _, form in CONTACT_COLUMNS))
    left = m["contact_count"] - min(len(m["contacts"]), MOST_CONTACTS)
    if left:
        table.caption = f"and {left} more"
    return table


def _methods(m: Mapping[str, Any]) -> Table:
    """By axis; the axes on which next to nothing was done are left out."""
    table = Table(box=None, pad_edge=False, header_style="")
    for words in ("method", "axis"):
        table.add_column(words)
    for words in ("removed", "returned", "first [s]", "last [s]"):
        table.add_column(Text(words), justify="right")
    for name, books in m["method_books"].items():
        axes = books.get("axes", [])
        most = max((axis["removed_J"] + axis["returned_J"] for axis in axes), default=0.0)
        for axis in axes:
            if axis["removed_J"] + axis["returned_J"] > SHOWN_SHARE * most:
                cells = [text(axis[key], ".4g") for key in ("removed_J", "returned_J")]
                table.add_row(
                    name,
                    axis["axis"],
                    *cells,
                    *(text(axis[key], ".3f") for key in ("first_s", "last_s")),
                )
    return table


def _ledger(m: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    dust = BOOKS_TO * (m["ledger"]["turnover_J"] or 0.0)
    table.add_column("")
    table.add_column("", justify="right")
    for row, energy in m["ledger"]["rows"].items():
        table.add_row(
            row, text(0.0 if energy is not None and abs(energy) <= dust else energy, "+.6g")
        )
    table.add_row("in all", text(m["energy_invented_J"], "+.6g"), style="bold")
    return table
