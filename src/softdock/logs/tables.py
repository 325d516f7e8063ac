"""A log as tables of columns: one of a CSV or Parquet file, one a topic of an MCAP file.

In: a file that another program wrote. Out: columns by name as they stand there, float64 or whole
numbers (stamps in nanoseconds stay exact); an empty cell is NaN. Columns that hold no numbers are
listed and not read. A cell that is no number is refused with its line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest, printable

MOST_BYTES = 16_000_000_000  # of a log file


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written."""

    delimiter: str = ""  # "": found by the first lines
    decimal: str = "."
    skip_lines: int = 0  # before the line with the names


@dataclass
class Table:
    """Columns of one length."""

    source: str  # file, and topic where it has any
    columns: dict[str, np.ndarray]
    others: list[str] = field(default_factory=list)  # columns that hold no numbers
    first_line: int | None = None  # of the file, where rows are lines

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def where(self, row: int) -> str:
        """file:line of a row, or its number."""
        if self.first_line is None:
            return f"{self.source}, row {row + 1}"
        return f"{self.source}:{self.first_line + row}"

    def column(self, name: str, key: str, where: str) -> np.ndarray:
        """A column by name; refused, with the closest name there is."""
        if name in self.columns:
            return self.columns[name]
        if name in self.others:
            raise BadInput(
                Problem(key, name, "a column of numbers; this one holds something else", where)
            )
        known = ", ".join([*self.columns][:40])
        raise BadInput(
            Problem(
                key,
                name,
                f"a column of {printable(self.source)}: {known}",
                where,
                suggestion=closest(name, self.columns),
            )
        )


def from_arrow(table: Any, source: str) -> Table:
    """Numbers of an Arrow table; times become whole nanoseconds."""
    import pyarrow as pa

    columns: dict[str, np.ndarray] = {}
    others: list[str] = []
    for field_ in table.schema:
        column, kind = table.column(field_.name), field_.type
        if pa.types.is_timestamp(kind):
            column, kind = column.cast(pa.timestamp("ns")).cast(pa.int64()), pa.int64()
        if pa.types.is_integer(kind) and column.null_count == 0:
            columns[field_.name] = _numpy(column, np.int64, pa.int64())
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind):
            columns[field_.name] = _numpy(column, np.float64, pa.float64())
        else:
            others.append(field_.name)
    return Table(source, columns, others)


def _numpy(column: Any, kind: Any, arrow: Any) -> np.ndarray:
    """Without pandas, which `to_numpy` would import; nulls are NaN."""
    parts = []
    for chunk in column.cast(arrow).chunks:
        values = (
            np.frombuffer(chunk.buffers()[1], dtype=kind, count=len(chunk), offset=8 * chunk.offset)
            if chunk.buffers()[1] is not None
            else np.zeros(len(chunk), kind)
        )
        if chunk.null_count:
            values = values.copy()
            holes = np.array([not one for one in chunk.is_valid().to_pylist()])
            values[holes] = np.nan
        parts.append(values)
    return np.concatenate(parts) if parts else np.zeros(0, kind)
