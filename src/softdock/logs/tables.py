"""A log as tables of columns: one of a CSV or Parquet file, one a topic of an MCAP file.

In: a file that another program wrote. Out: columns by name as they stand there, float64 or whole
numbers (stamps in nanoseconds stay exact); an empty cell is NaN. Columns that hold no numbers are
listed and not read. A cell that is no number is refused with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest, printable
from softdock.logs.csv_form import NO_NUMBER, NUMBER

MOST_BYTES = 16_000_000_000  # of a log file
DAY = 86400.0  # s
_TIME_OF_DAY = re.compile(
    r"(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[ T])?(\d{1,2}):(\d\d):(\d\d(?:[.,]\d*)?)"
)


@dataclass
class Table:
    """Columns of one length."""

    source: str  # file, and topic where it has any
    columns: dict[str, np.ndarray]
    others: list[str] = field(default_factory=list)  # columns that hold no numbers
    damaged: dict[str, tuple[int, str]] = field(default_factory=dict)  # row and cell, of those
    # of `others` that are numbers in most rows
    lines: np.ndarray | None = None  # of the file, where rows are lines: the number of each
    head: int = 0  # line of the file with the names; 0: none
    units: dict[str, str] = field(default_factory=dict)  # of columns, as a line of the file says
    clocks: set[str] = field(default_factory=set)  # columns made of times of day [s]
    delimiter: str = ""
    decimal: str = "."

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def where(self, row: int) -> str:
        """file:line of a row, or its number."""
        if self.lines is None:
            return f"{self.source}, row {row + 1}"
        return f"{self.source}:{self.lines[row]}"

    def column(self, name: str, key: str, where: str) -> np.ndarray:
        """A column by name; refused, with the closest name there is."""
        if name in self.columns:
            return self.columns[name]
        if name in self.damaged:
            row, cell = self.damaged[name]
            raise BadInput(Problem(name, cell, "a number", self.where(row)))
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


def from_arrow(table: Any, source: str, decimal: str = ".") -> Table:
    """Numbers of an Arrow table; dates become whole nanoseconds since 1970, times of day seconds.
    A column of words that are numbers in most rows is a damaged one."""
    import pyarrow as pa

    made = Table(source, {})
    for i, field_ in enumerate(table.schema):
        name, column, kind = field_.name, table.column(i), field_.type
        if pa.types.is_timestamp(kind):
            column, kind = column.cast(pa.timestamp("ns"), safe=False).cast(pa.int64()), pa.int64()
        elif pa.types.is_time(kind):
            column = column.cast(pa.time64("us")).cast(pa.int64())
            made.columns[name] = _days(1e-6 * _numpy(column, np.float64, pa.float64()))
            made.clocks.add(name)
            continue
        elif pa.types.is_duration(kind):
            column, kind = column.cast(pa.duration("ns"), safe=False).cast(pa.int64()), pa.int64()
        if pa.types.is_integer(kind) and column.null_count == 0 and _fits(column, kind):
            made.columns[name] = _numpy(column, np.int64, pa.int64())
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind):
            made.columns[name] = _numpy(column, np.float64, pa.float64())
        elif pa.types.is_string(kind):
            _words(made, name, column, decimal)
        else:
            made.others.append(name)
    return made


def _fits(column: Any, kind: Any) -> bool:
    """Whether whole numbers are below 2^63; larger ones become doubles."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_uint64(kind) or len(column) == 0:
        return True
    return bool(pc.max(column).as_py() < 2**63)


def _words(made: Table, name: str, column: Any, decimal: str) -> None:
    """A column of words: numbers that are written in an odd way, times of day, or words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    bare = pc.if_else(pc.is_in(bare, pa.array(NO_NUMBER)), pa.scalar(None, pa.string()), bare)
    full = len(bare) - bare.null_count
    head = bare.drop_null().slice(0, 1000).to_pylist()
    if head and sum(bool(_TIME_OF_DAY.fullmatch(one)) for one in head) == len(head):
        clock = _times_of_day(bare.to_pylist())
        if clock is not None:
            made.columns[name] = clock
            made.clocks.add(name)
            return
    plain = pc.replace_substring(bare, decimal, ".") if decimal != "." else bare
    good = pc.match_substring_regex(plain, f"^({NUMBER})$").fill_null(True)
    wrong = len(good) - int(pc.sum(good).as_py() or 0)
    if full and wrong == 0:
        plain = pc.replace_substring_regex(plain, r"^\+", "")
        made.columns[name] = _numpy(plain, np.float64, pa.float64())
        return
    made.others.append(name)
    if wrong < 0.5 * full:
        row = int(pc.index(good, False).as_py())
        made.damaged[name] = (row, bare[row].as_py())


def _times_of_day(texts: list[str | None]) -> np.ndarray | None:
    """Seconds; a step back by more than half a day is midnight."""
    found = np.full(len(texts), np.nan)
    for i, text in enumerate(texts):
        match = _TIME_OF_DAY.fullmatch(text) if text else None
        if match:
            hours, minutes, seconds = match[1], match[2], match[3].replace(",", ".")
            found[i] = 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)
        elif text:
            return None
    return _days(found)


def _days(clock: np.ndarray) -> np.ndarray:
    good = np.flatnonzero(np.isfinite(clock))
    over = np.concatenate([[0], np.cumsum(np.diff(clock[good]) < -0.5 * DAY)])
    clock[good] += DAY * over[: len(good)]
    return clock


def _numpy(column: Any, kind: Any, arrow: Any) -> np.ndarray:
    """Without pandas, which `to_numpy` of a chunked column would import; nulls are NaN."""
    parts = []
    for chunk in column.cast(arrow, safe=False).chunks:
        if chunk.null_count:
            chunk = chunk.fill_null(np.nan)
        parts.append(chunk.to_numpy(zero_copy_only=False))
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
