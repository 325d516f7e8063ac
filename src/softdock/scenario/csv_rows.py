"""Rows of a schedule from a CSV file: time and six numbers a line, an optional heading; holes and
text are refused with their line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from softdock.files.reading import Unreadable, read_text
from softdock.files.values import MOST_ROWS, Refused

COLUMNS = "time_s, fx_N, fy_N, fz_N, tx_Nm, ty_Nm, tz_Nm"
LARGEST_CSV = 20_000_000  # bytes: MOST_ROWS of seven numbers written out in full


def read_rows(folder: Path, name: Any) -> list[list[float]]:
    """All rows, as numbers. Order and finiteness are checked with the schedule. Raises
    `Refused`."""
    if not isinstance(name, str) or not name:
        raise Refused("the name of a CSV file")
    path = folder / name
    try:
        text = read_text(path, LARGEST_CSV, "CSV file")
    except Unreadable as error:
        raise Refused(error.allowed) from None
    rows: list[list[float]] = []
    for line, cells in enumerate(_cells(text), start=1):
        if not cells or not any(cell.strip() for cell in cells):
            continue
        if line == 1 and not _is_number(cells[0]):
            continue  # the heading
        if len(cells) != 7:
            raise Refused(f"seven columns, {COLUMNS}; line {line} has {len(cells)}")
        for cell in cells:
            if not _is_number(cell):
                raise Refused(
                    f"numbers in seven columns, {COLUMNS}; line {line} has "
                    f"{cell.strip() or 'a hole'!r}"
                )
        rows.append([float(cell) for cell in cells])
        if len(rows) > MOST_ROWS:
            raise Refused(f"at most {MOST_ROWS} rows")
    if len(rows) < 2:
        raise Refused(f"at least two rows of {COLUMNS}; this file has {len(rows)}")
    return rows


def _cells(text: str) -> list[list[str]]:
    """Python's own reader has limits of its own: a cell of 131072 characters."""
    try:
        return list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise Refused(f"a CSV file ({error})") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
