"""A log as tables of columns: one of a CSV or Parquet file, one a topic of an MCAP file; and how a
CSV file is written, found from its lines.

In: a file that another program wrote. Out: columns by name as they stand there, float64 or whole
numbers (stamps in nanoseconds stay exact); an empty cell is NaN. Columns that hold no numbers are
listed and not read. A cell that is no number is refused with its line.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest, printable
from softdock.recording.logs.units import is_unit

# How a CSV file is written, found from its lines: encoding, delimiter, decimal sign, the line with
# the names, units, the first line of numbers.
#
# The lines of numbers decide: of all delimiters and decimal signs the pair is taken by which they
# fall into the most numbers, with as many cells in every line. Names stand in the closest line
# above with as many cells; a line of units, a line of groups (`chaser,,,target,,`) and comments may
# stand beside it. Without such a line the columns are called column_1, column_2, ...

SAMPLE = 1 << 20  # bytes from which the form is found
LONGEST_LINE = SAMPLE - 1  # bytes
MOST_COLUMNS = 5000
LONGEST_NAME = 500  # letters, as in a map
JUDGED = 200  # lines of numbers that are looked at
BLANKS = " "  # the delimiter of columns set apart by any number of blanks
DELIMITERS = (",", ";", "\t", "|", BLANKS)
COMMENTS = ("#", "%", "//")
NO_NUMBER = (
    *("", "nan", "NaN", "NAN", "-nan", "nan(ind)", "-nan(ind)", "null", "NULL", "None", "none"),
    *("NA", "N/A", "n/a", "#N/A", "-", "--", "1.#QNAN", "-1.#IND"),
)
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?[iI]nf(inity)?"
_NUMBER = re.compile(NUMBER)
_KINDS = {"double", "float", "float64", "float32", "int", "int64", "real", "number", "string"}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written; what is empty is found."""

    delimiter: str = ""
    decimal: str = ""
    skip_lines: int = 0  # before the line with the names


@dataclass
class Layout:
    """What was found."""

    encoding: str
    delimiter: str
    decimal: str
    names: list[str]
    first: int  # number of the first line of numbers, from 1
    head: int = 0  # of the line with the names; 0: there is none
    units: dict[str, str] = field(default_factory=dict)


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a cell is a number, or stands for one that is absent."""
    text = text.strip()
    return text in NO_NUMBER or bool(_NUMBER.fullmatch(text.replace(decimal, ".")))


def find_layout(path: Path, form: CsvForm) -> Layout:
    """The layout of a file by its beginning. Raises `BadInput`."""
    with path.open("rb") as file:
        data = file.read(SAMPLE)
    if not data.strip(b"\0 \t\r\n"):
        raise BadInput(
            Problem("LOG", str(path), "a file with a line of names and rows", f"{path}:1")
        )
    encoding = _find_encoding(data)
    text = data.decode(encoding, errors="replace").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(data) == SAMPLE:
        if max(map(len, lines)) > LONGEST_LINE // 2 or len(lines) < 2:
            allowed = f"lines of at most {LONGEST_LINE // 2} letters"
            number = 1 + max(range(len(lines)), key=lambda i: len(lines[i]))
            raise BadInput(Problem("LOG", str(path), allowed, f"{path}:{number}"))
        lines.pop()  # cut
    lines = ["" if i < form.skip_lines else line for i, line in enumerate(lines)]
    delimiter, decimal, count = _find_delimiter(lines, form)
    first = _find_first_row(lines, delimiter, decimal, count)
    if first is None:
        raise BadInput(
            Problem(
                "LOG",
                next((line for line in lines if line.strip()), "")[:60],
                "lines of numbers below a line with their names (csv.delimiter, csv.decimal, "
                "csv.skip_lines say how they are written)",
                f"{path}:{form.skip_lines + 1}",
            )
        )
    if count > MOST_COLUMNS:
        raise BadInput(
            Problem("LOG", f"{count} columns", f"at most {MOST_COLUMNS}", f"{path}:{first + 1}")
        )
    head, names, units = _find_names(lines, first, delimiter, count)
    made = _make_unique(names, count)
    named = {made[i]: unit for i, unit in units.items() if i < len(made)}
    return Layout(
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        names=made,
        first=first + 1,
        head=head + 1,
        units=named,
    )


def _find_encoding(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    for name, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        if len(data) > 3 and data[zero:2000:2].count(0) > 0.8 * len(data[zero:2000:2]):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def split_cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line, without the blanks around them."""
    if delimiter == BLANKS:
        return line.split()
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return [cell.strip() for cell in line.split(delimiter)]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENTS)


def _find_delimiter(lines: list[str], form: CsvForm) -> tuple[str, str, int]:
    """Delimiter, decimal sign and number of cells."""
    judged = [line for line in lines if line.strip() and not _is_comment(line)][-JUDGED:]
    best, found = 0.0, (form.delimiter or ",", form.decimal or ".", 0)
    for delimiter in [form.delimiter] if form.delimiter else DELIMITERS:
        rows = [split_cells(line, delimiter) for line in judged]
        sizes = Counter(len(row) for row in rows)
        for decimal in [form.decimal] if form.decimal else (".", ","):
            scores: dict[int, float] = {}
            for row in rows:
                full = [cell for cell in row if cell not in NO_NUMBER]
                good = sum(is_number(cell, decimal) for cell in full)
                score = good * good / max(len(full), 1) + 1e-6 * len(row)
                scores[len(row)] = scores.get(len(row), 0.0) + score
            for size, score in scores.items():
                score *= sizes[size] / len(rows)
                if score > best * (1.0 + 1e-9):
                    best, found = score, (delimiter, decimal, size)
    return found


def _find_first_row(lines: list[str], delimiter: str, decimal: str, count: int) -> int | None:
    """Index of the first line of numbers: as many cells, and at least half as large a share of
    numbers in them as usual."""
    shares = {}
    for i, line in enumerate(lines):
        if not line.strip() or _is_comment(line):
            continue
        cells = split_cells(line, delimiter)
        full = [cell for cell in cells if cell not in NO_NUMBER]
        if len(cells) == count and full:
            shares[i] = sum(is_number(cell, decimal) for cell in full) / len(full)
    usual = sorted(shares.values())[len(shares) // 2] if shares else 0.0
    if usual == 0.0:
        return None
    return next(i for i, share in shares.items() if share >= 0.5 * usual)


def _find_names(
    lines: list[str], first: int, delimiter: str, count: int
) -> tuple[int, list[str], dict[int, str]]:
    """Index of the line with the names (-1: none), the names, and units by column."""
    units: dict[int, str] = {}
    head = -1
    names: list[str] = []
    for i in range(first - 1, max(first - 12, -1), -1):
        line = lines[i].strip()
        if line.startswith(COMMENTS):
            line = line.lstrip("#%/ ")
        cells = split_cells(line, delimiter) if line else []
        if cells and len(cells) == count + 1 and not cells[-1]:
            cells.pop()
        short = len(cells) == count - 1 and not names  # the rows end with a delimiter
        if len(cells) != count and not short:
            if names and any(cells):
                break
            continue
        full = [cell.lower() for cell in cells if cell]
        if not full or all(cell in _KINDS for cell in full):
            continue
        if not names and all(is_unit(cell) for cell in full):
            units = {j: cell.strip("[]() ") for j, cell in enumerate(cells) if cell}
        elif not names:
            head, names = i, cells
        elif len(set(names)) < len(names):
            group = ""
            for j, cell in enumerate(cells):
                group = cell or group
                names[j] = f"{group}.{names[j]}" if group and j < len(names) else names[j]
            break
        else:
            break
    return head, names, units


def _make_unique(names: list[str], count: int) -> list[str]:
    """Every column with a name of its own."""
    made: list[str] = []
    seen: set[str] = set()
    for i in range(count):
        name = (names[i] if i < len(names) else "")[:LONGEST_NAME] or f"column_{i + 1}"
        plain, number = name, 0
        while name in seen:
            number += 1
            name = f"{plain}.{number}"
        seen.add(name)
        made.append(name)
    return made


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


def convert_from_arrow(table: Any, source: str, decimal: str = ".") -> Table:
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
            made.columns[name] = _count_days(
                1e-6 * _convert_to_numpy(column, np.float64, pa.float64())
            )
            made.clocks.add(name)
            continue
        elif pa.types.is_duration(kind):
            column, kind = column.cast(pa.duration("ns"), safe=False).cast(pa.int64()), pa.int64()
        if pa.types.is_integer(kind) and column.null_count == 0 and _fits_int64(column, kind):
            made.columns[name] = _convert_to_numpy(column, np.int64, pa.int64())
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind):
            made.columns[name] = _convert_to_numpy(column, np.float64, pa.float64())
        elif pa.types.is_string(kind):
            _add_words(made, name, column, decimal)
        else:
            made.others.append(name)
    return made


def _fits_int64(column: Any, kind: Any) -> bool:
    """Whether whole numbers are below 2^63; larger ones become doubles."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_uint64(kind) or len(column) == 0:
        return True
    return bool(pc.max(column).as_py() < 2**63)


def _add_words(made: Table, name: str, column: Any, decimal: str) -> None:
    """A column of words: numbers that are written in an odd way, times of day, or words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    bare = pc.if_else(pc.is_in(bare, pa.array(NO_NUMBER)), pa.scalar(None, pa.string()), bare)
    full = len(bare) - bare.null_count
    head = bare.drop_null().slice(0, 1000).to_pylist()
    if head and sum(bool(_TIME_OF_DAY.fullmatch(one)) for one in head) == len(head):
        clock = _convert_times_of_day(bare.to_pylist())
        if clock is not None:
            made.columns[name] = clock
            made.clocks.add(name)
            return
    plain = pc.replace_substring(bare, decimal, ".") if decimal != "." else bare
    good = pc.match_substring_regex(plain, f"^({NUMBER})$").fill_null(True)
    wrong = len(good) - int(pc.sum(good).as_py() or 0)
    if full and wrong == 0:
        plain = pc.replace_substring_regex(plain, r"^\+", "")
        made.columns[name] = _convert_to_numpy(plain, np.float64, pa.float64())
        return
    made.others.append(name)
    if wrong < 0.5 * full:
        row = int(pc.index(good, False).as_py())
        made.damaged[name] = (row, bare[row].as_py())


def _convert_times_of_day(texts: list[str | None]) -> np.ndarray | None:
    """Seconds; a step back by more than half a day is midnight."""
    found = np.full(len(texts), np.nan)
    for i, text in enumerate(texts):
        match = _TIME_OF_DAY.fullmatch(text) if text else None
        if match:
            hours, minutes, seconds = match[1], match[2], match[3].replace(",", ".")
            found[i] = 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)
        elif text:
            return None
    return _count_days(found)


def _count_days(clock: np.ndarray) -> np.ndarray:
    good = np.flatnonzero(np.isfinite(clock))
    over = np.concatenate([[0], np.cumsum(np.diff(clock[good]) < -0.5 * DAY)])
    clock[good] += DAY * over[: len(good)]
    return clock


def _convert_to_numpy(column: Any, kind: Any, arrow: Any) -> np.ndarray:
    """Without pandas, which `to_numpy` of a chunked column would import; nulls are NaN."""
    parts = []
    for chunk in column.cast(arrow, safe=False).chunks:
        if chunk.null_count:
            chunk = chunk.fill_null(np.nan)
        parts.append(chunk.to_numpy(zero_copy_only=False))
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
