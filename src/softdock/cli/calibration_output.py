"""A calibration on the terminal: `softdock calibrate estimate` and `softdock rig tare` alike."""

from __future__ import annotations

from typing import Any

from softdock.cli.estimates_table import add_row, table_of
from softdock.cli.progress import output

ROWS = (
    ("mass", "mass_kg", "kg"),
    ("centre of mass", "centre_m", "m"),
    ("bias of the force", "bias_N", "N"),
    ("bias of the torque", "bias_Nm", "Nm"),
)


def show(found: Any, lines: str, scenario: str | None, warning: str, whose: str = "") -> None:
    """Numbers with their uncertainties, what is to be known of them, lines to paste."""
    table = table_of(f"{whose}calibrated from {found.attitudes} attitudes".capitalize())
    told = found.to_dict()
    for name, key, unit in ROWS:
        add_row(table, name, told[key], unit)
    paper = output()
    paper.print(table)
    for note in [*found.notes, *([f"warning: {warning}"] if warning else [])]:
        paper.print(note, markup=False, soft_wrap=True)
    if scenario and not warning:
        paper.print(f"Good enough for {scenario}.", markup=False, soft_wrap=True)
    paper.print(lines, markup=False, soft_wrap=True)


def as_json(found: Any, scenario: str | None, warning: str) -> dict[str, Any]:
    """As JSON has it."""
    said = {"not_enough": warning or None} if scenario else {}
    return dict(found.to_dict() | said)
