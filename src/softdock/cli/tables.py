"""Tables in the terminal that several commands print: a run's metrics, calibrations, estimates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.cli.progress import output
from softdock.results.metrics import format_row, list_shown_rows
from softdock.results.quantities import format_quantity
from softdock.results.verdict import is_rebound

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
    ("start_s", "start", "s"),
    ("end_s", "end", "s"),
    ("cycles", "cycles", ""),
    ("restitution", "restitution", ""),
    ("peak_force_real_N", "peak, mock-up", "N"),
    ("peak_force_satellite_N", "peak, satellite", "N"),
    ("impulse_Ns", "impulse", "Ns"),
)
MOST_CONTACTS = 12  # shown in the terminal
SHOWN_SHARE = 1e-3  # of the busiest axis of a method: less is not shown in the terminal
BALANCE_PRECISION = 1e-12  # of the turnover: rounding error of the energy balance, shown as 0


def show_run(to: Console, m: Mapping[str, Any]) -> None:
    """Print a run: verdict, metrics, contacts, energy balance, warnings."""
    print_verdict(to, m["verdict"])
    if not is_rebound(m["verdict"]):  # else the headline says it
        to.print(Text(m["summary"]), soft_wrap=True)
    if "why" in m:
        to.print(Text(m["why"]["sentence"]), soft_wrap=True)
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
    to.print(Text("\nwhere the added energy comes from", style="bold"))
    to.print(_ledger_table(m))
    if any("axes" in books for books in m["method_books"].values()):
        to.print(
            Text(
                "\nenergy that the methods removed from the satellites or their set-points, and "
                "returned",
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
        to.print(Text(f"Or set {one['line']}: {one['word']}, {one['text']}"), soft_wrap=True)


def print_verdict(to: Console, verdict: Mapping[str, Any]) -> None:
    """Print the verdict: its headline with the word in its colour, next step, details, doubts."""
    line = Text(verdict["headline"], style="bold")
    line.stylize(f"bold {verdict['colour']}", 0, len(verdict["word"]) + 1)
    to.print(line, soft_wrap=True)
    if verdict["next_step"]:
        to.print(Text(verdict["next_step"]), soft_wrap=True)
    if verdict["details"]:
        to.print(Text(verdict["details"], style="dim"), soft_wrap=True)
    for doubt in verdict["doubts"]:
        to.print(Text(f"Doubt: {doubt}", style="yellow"), soft_wrap=True)


def _end_sentence(description: str) -> str:
    return f"{description.rstrip('.')}. " if description else ""


def _metrics_table(m: Mapping[str, Any]) -> Table:
    spread = m.get("phases", {}).get("spread")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("this rig", justify="right")
    table.add_column("on orbit", justify="right")
    if spread is not None:
        table.add_column(f"mean of {m['phases']['count']} phases", justify="right")
        table.add_column("std", justify="right")
        table.add_column("min to max", justify="right")
    for key, shown in list_shown_rows(m):
        row = list(format_row(m, key, shown))
        if spread is not None:
            row += _format_spread(spread.get(key), shown.unit)
        table.add_row(*row)
    return table


def _format_spread(found: Mapping[str, Any] | None, unit: str) -> list[str]:
    if not found:
        return ["-", "-", "-"]
    mean, std, low, high = (
        format_quantity(found[key], unit) for key in ("mean", "std", "min", "max")
    )
    return [mean, std, f"{low} to {high}"]


def _contacts_table(m: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    for _, words, _ in CONTACT_COLUMNS:
        table.add_column(Text(words), justify="right")  # as text: [s] would be taken for markup
    for contact in m["contacts"][:MOST_CONTACTS]:
        table.add_row(*(format_quantity(contact[key], unit) for key, _, unit in CONTACT_COLUMNS))
    left = m["contact_count"] - min(len(m["contacts"]), MOST_CONTACTS)
    if left:
        table.caption = f"and {left} more"
    return table


def _methods_table(m: Mapping[str, Any]) -> Table:
    """Energies of each method by axis, without axes below SHOWN_SHARE of the largest."""
    table = Table(box=None, pad_edge=False, header_style="")
    for words in ("method", "axis"):
        table.add_column(words)
    for words in ("removed", "returned", "first", "last"):
        table.add_column(Text(words), justify="right")
    for name, books in m["method_books"].items():
        axes = books.get("axes", [])
        most = max((axis["removed_J"] + axis["returned_J"] for axis in axes), default=0.0)
        for axis in axes:
            if axis["removed_J"] + axis["returned_J"] > SHOWN_SHARE * most:
                energies = (axis["removed_J"], axis["returned_J"])
                times = (axis["first_s"], axis["last_s"])
                table.add_row(
                    name,
                    axis["axis"],
                    *(format_quantity(energy, "J") for energy in energies),
                    *(format_quantity(time, "s") for time in times),
                )
    return table


def _ledger_table(m: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    rounding = BALANCE_PRECISION * (m["ledger"]["turnover_J"] or 0.0)
    table.add_column("")
    table.add_column("", justify="right")
    for row, energy in m["ledger"]["rows"].items():
        small = energy is not None and abs(energy) <= rounding
        table.add_row(row, format_quantity(0.0 if small else energy, "J"))
    table.add_row("in all", format_quantity(m["energy_added_J"], "J"), style="bold")
    return table
