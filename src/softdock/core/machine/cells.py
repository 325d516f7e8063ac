"""Where things stand in a flat array: each cell is declared once; offsets, size and docs derive.

`mem`, the loop's state, a row of the record, an outcome and a contact of the log are float64
arrays. Their layouts are `Cells`, as the parameter vector's is `Group` (parameters.py):

    LEDGER = Cells("energy_ledger", Cell("debt", 1, "J", "not paid back"), Cell("work", 12, "J"))
    AT = LEDGER.at                      # offsets by name: compile-time constants in compiled code
    mem[base + AT.debt]                 # in a compiled function

A slice within a slice is a cell of its size: `Cell("doubts", DOUBTS.size)`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One named place of `size` floats."""

    name: str  # attribute in the offset table
    size: int = 1
    unit: str = "-"
    meaning: str = ""


class Cells:
    """The cells of a flat array or slice, one after the other, and `at`: their offsets by name."""

    def __init__(self, name: str, *cells: Cell):
        names = [cell.name for cell in cells]
        twice = sorted({one for one in names if names.count(one) > 1})
        if twice or any(cell.size < 1 for cell in cells):
            raise ValueError(f"cells of '{name}': names twice {twice}, or a size below 1")
        self.name, self.cells = name, cells
        offsets: list[Any] = []
        size = 0
        for cell in cells:
            offsets.append(size)
            size += cell.size
        self.size = size
        # a NamedTuple of ints: a compile-time constant in compiled code
        self.at: Any = namedtuple(f"{name}_cells", names)(*offsets) if cells else ()

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def slice_of(self, name: str, base: int = 0) -> slice:
        """Where a cell stands in an array that holds these cells from `base` on."""
        cell = next(cell for cell in self.cells if cell.name == name)
        first = base + getattr(self.at, name)
        return slice(first, first + cell.size)

    def table(self) -> str:
        """The cells as rows of a Markdown table: offset, name, size, unit, meaning."""
        rows = ["| at | name | floats | unit | meaning |", "|---:|---|---:|---|---|"]
        for cell, first in zip(self.cells, self.at, strict=True):
            rows.append(f"| {first} | `{cell.name}` | {cell.size} | {cell.unit} | {cell.meaning} |")
        return "\n".join(rows) + "\n"
