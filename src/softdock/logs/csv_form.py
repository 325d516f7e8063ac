"""How a CSV file is written, found from its lines: encoding, delimiter, decimal sign, the line with
the names, units, the first line of numbers.

The lines of numbers decide: of all delimiters and decimal signs the pair is taken by which they
fall into the most numbers, with as many cells in every line. Names stand in the closest line above
with as many cells; a line of units, a line of groups (`chaser,,,target,,`) and comments may stand
beside it. Without such a line the columns are called column_1, column_2, ...
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.logs.units import is_unit

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
    encoding = _encoding(data)
    text = data.decode(encoding, errors="replace").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(data) == SAMPLE:
        if max(map(len, lines)) > LONGEST_LINE // 2 or len(lines) < 2:
            allowed = f"lines of at most {LONGEST_LINE // 2} letters"
            number = 1 + max(range(len(lines)), key=lambda i: len(lines[i]))
            raise BadInput(Problem("LOG", str(path), allowed, f"{path}:{number}"))
        lines.pop()  # cut
    lines = ["" if i < form.skip_lines else line for i, line in enumerate(lines)]
    delimiter, decimal, count = _delimiter(lines, form)
    first = _first_row(lines, delimiter, decimal, count)
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
    head, names, units = _names(lines, first, delimiter, count)
    made = _told_apart(names, count)
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


def _encoding(data: bytes) -> str:
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


def cells_of(line: str, delimiter: str) -> list[str]:
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


def _delimiter(lines: list[str], form: CsvForm) -> tuple[str, str, int]:
    """Delimiter, decimal sign and number of cells."""
    judged = [line for line in lines if line.strip() and not _is_comment(line)][-JUDGED:]
    best, found = 0.0, (form.delimiter or ",", form.decimal or ".", 0)
    for delimiter in [form.delimiter] if form.delimiter else DELIMITERS:
        rows = [cells_of(line, delimiter) for line in judged]
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


def _first_row(lines: list[str], delimiter: str, decimal: str, count: int) -> int | None:
    """Index of the first line of numbers: as many cells, and at least half as large a share of
    numbers in them as usual."""
    shares = {}
    for i, line in enumerate(lines):
        if not line.strip() or _is_comment(line):
            continue
        cells = cells_of(line, delimiter)
        full = [cell for cell in cells if cell not in NO_NUMBER]
        if len(cells) == count and full:
            shares[i] = sum(is_number(cell, decimal) for cell in full) / len(full)
    usual = sorted(shares.values())[len(shares) // 2] if shares else 0.0
    if usual == 0.0:
        return None
    return next(i for i, share in shares.items() if share >= 0.5 * usual)


def _names(
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
        cells = cells_of(line, delimiter) if line else []
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


def _told_apart(names: list[str], count: int) -> list[str]:
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
