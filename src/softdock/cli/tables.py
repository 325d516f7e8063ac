"""Tables in the terminal that several commands print: a run's metrics, calibrations, estimates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.cli.progress import output
from softdock.results.metrics import METRICS

CALIBRATION_ROWS = (
    ("mass", "mass_kg", "kg"),
    ("centre of mass", "centre_m", "m"),
    ("bias of the force", "bias_N", "N"),
    ("bias of the torque", "bias_Nm", "Nm"),
)


def print_calibration(
    calibration: Any, lines: str, scenario: str | None, warning: str, whose: str = ""
) -> None:
    """Print a calibration: estimates with uncertainties, notes, lines to paste (`softdock calibrate
    estimate`, `softdock rig tare`)."""
    table = make_estimates_table(
        f"{whose}calibrated from {calibration.attitudes} attitudes".capitalize()
    )
    values = calibration.to_dict()
    for name, key, unit in CALIBRATION_ROWS:
        add_estimate(table, name, values[key], unit)
    paper = output()
    paper.print(table)
    for note in [*calibration.notes, *([f"warning: {warning}"] if warning else [])]:
        paper.print(note, markup=False, soft_wrap=True)
    if scenario and not warning:
        paper.print(f"Good enough for {scenario}.", markup=False, soft_wrap=True)
    paper.print(lines, markup=False, soft_wrap=True)


def calibration_to_dict(calibration: Any, scenario: str | None, warning: str) -> dict[str, Any]:
    """The calibration as JSON data."""
    shortfall = {"not_enough": warning or None} if scenario else {}
    return dict(calibration.to_dict() | shortfall)


def make_estimates_table(title: str) -> Any:
    """An empty table of estimates with their standard uncertainties."""
    table = Table(title=title, title_justify="left")
    for heading, justify in (
        ("what", "left"),
        ("value", "right"),
        ("standard uncertainty", "right"),
        ("unit", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    return table


def add_estimate(
    table: Any, name: str, estimate: dict[str, Any] | None, unit: str, factor: float = 1.0
) -> None:
    if estimate is None:
        return
    value, sigma = estimate["value"], estimate["standard_uncertainty"]
    if isinstance(value, list):
        table.add_row(
            name,
            " ".join(f"{factor * v:.5g}" for v in value),
            " ".join(f"{factor * s:.2g}" for s in sigma),
            unit,
        )
    else:
        table.add_row(name, f"{factor * value:.6g}", f"{factor * sigma:.2g}", unit)


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
BALANCE_PRECISION = 1e-12  # of the turnover: rounding error of the energy balance, shown as 0


def show_run(to: Console, m: Mapping[str, Any]) -> None:
    """Print a run: verdict, metrics, contacts, energy balance, warnings."""
    print_verdict(to, m["verdict"])
    to.print(Text(m["summary"]))
    if "why" in m:
        to.print(Text(m["why"]["sentence"]))
        show_advice(to, m["why"]["advice"])
    to.print(
        Text(
            f"{m['scenario']}: {_end_sentence(m['description'])}{m['integrator']}, "
            f"{' + '.join(m['methods'])}. {m['status']}, {m['ended_at_s']:g} s.",
            style="dim",
        )
    )
    to.print()
    to.print(_metrics_table(m))
    if m["contacts"]:
        to.print(Text("\ncontacts", style="bold"))
        to.print(_contacts_table(m))
    to.print(Text("\nwhere the invented energy came from [J]", style="bold"))
    to.print(_ledger_table(m))
    if any("axes" in books for books in m["method_books"].values()):
        to.print(
            Text(
                "\nwhat the methods took from the satellites or their set-points, and gave "
                "back [J]",
                style="bold",
            )
        )
        to.print(_methods_table(m))
    for warning in m["warnings"]:
        to.print(Text(f"warning: {warning}", style="yellow"))
    to.print()


def show_advice(to: Console, advice: Mapping[str, Any]) -> None:
    """Print lines to paste with their results, except the first, which is the verdict's next
    step."""
    for one in advice["lines"][1:]:
        to.print(Text(f"Or: {one['line']} -> {one['word']}: {one['said']}"), soft_wrap=True)


def print_verdict(to: Console, judged: Mapping[str, Any]) -> None:
    """Print the verdict in its colour, the reason, and the next step."""
    word, sentence = judged["word"], judged["sentence"]
    line = Text(sentence, style="bold")
    line.stylize(f"bold {judged['colour']}", 0, len(word) + 1)
    to.print(line)
    for doubt in judged.get("doubts", ()):
        to.print(Text(f"Doubt: {doubt}", style="yellow"))
    to.print(Text(judged["next_step"]))


def _end_sentence(description: str) -> str:
    return f"{description.rstrip('.')}. " if description else ""


def format_number(value: Any, form: str, unit: str = "", if_none: str = "-") -> str:
    """A number with its unit; `if_none` where it is not defined."""
    return if_none if value is None else f"{value:{form}} {unit}".strip()


def _metrics_table(m: Mapping[str, Any]) -> Table:
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
        own = format_number(m[key], form, unit, shown.if_none)
        row = [shown.words, own, format_number(wanted, form.replace("+", ""), unit)]
        if spread is not None:
            found, form = spread.get(key), form.replace("d", "g")
            row += (
                [
                    format_number(found["mean"], form, unit),
                    format_number(found["std"], ".2g"),
                    f"{found['min']:{form}} to {found['max']:{form}}",
                ]
                if found
                else ["-", "-", "-"]
            )
        table.add_row(*row)
    return table


def _contacts_table(m: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    for _, words, _ in CONTACT_COLUMNS:
        table.add_column(Text(words), justify="right")  # as text: [s] would be taken for markup
    for contact in m["contacts"][:MOST_CONTACTS]:
        table.add_row(*(format_number(contact[key], form) for key, _, form in CONTACT_COLUMNS))
    left = m["contact_count"] - min(len(m["contacts"]), MOST_CONTACTS)
    if left:
        table.caption = f"and {left} more"
    return table


def _methods_table(m: Mapping[str, Any]) -> Table:
    """Energies of each method by axis, without axes below SHOWN_SHARE of the largest."""
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
                cells = [format_number(axis[key], ".4g") for key in ("removed_J", "returned_J")]
                table.add_row(
                    name,
                    axis["axis"],
                    *cells,
                    *(format_number(axis[key], ".3f") for key in ("first_s", "last_s")),
                )
    return table


def _ledger_table(m: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    rounding = BALANCE_PRECISION * (m["ledger"]["turnover_J"] or 0.0)
    table.add_column("")
    table.add_column("", justify="right")
    for row, energy in m["ledger"]["rows"].items():
        table.add_row(
            row,
            format_number(
                0.0 if energy is not None and abs(energy) <= rounding else energy, "+.6g"
            ),
        )
    table.add_row("in all", format_number(m["energy_invented_J"], "+.6g"), style="bold")
    return table
