"""Files of other programs opened as tables: CSV, Parquet, MCAP, by the ending of their name."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from softdock.errors import BadInput, Problem, printable
from softdock.logs.mcap_tables import read_mcap
from softdock.logs.tables import MOST_BYTES, CsvForm, Table, from_arrow

CSV_ENDINGS, PARQUET_ENDINGS, MCAP_ENDINGS = (
    (".csv", ".tsv", ".txt", ".dat"),
    (".parquet",),
    (".mcap",),
)
ENDINGS = CSV_ENDINGS + PARQUET_ENDINGS + MCAP_ENDINGS
DELIMITERS = ",;\t |"


def read_tables(path: Path, form: CsvForm, topics: Iterable[str] = ()) -> dict[str, Table]:
    """The tables of a file by topic; of CSV and Parquet there is one, of no topic. `topics`: those
    that are read of an MCAP file; none given: all."""
    ending = path.suffix.lower()
    if not path.is_file():
        raise BadInput(Problem("LOG", str(path), "a file that is there"))
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(Problem("LOG", f"{path.stat().st_size} bytes", f"at most {MOST_BYTES}"))
    if ending in CSV_ENDINGS:
        return {"": read_csv(path, form)}
    if ending in PARQUET_ENDINGS:
        return {"": _read_parquet(path)}
    if ending in MCAP_ENDINGS:
        return read_mcap(path, set(topics))
    raise BadInput(Problem("LOG", str(path), "a file that ends in " + ", ".join(ENDINGS)))


def read_csv(path: Path, form: CsvForm) -> Table:
    """Names in the first line that is neither skipped, empty nor a comment (#)."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    at, names, delimiter = _head(path, form)
    _no_twins(names, path, at)
    try:
        table = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=at),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, ignore_empty_lines=False),
            convert_options=arrow_csv.ConvertOptions(
                decimal_point=form.decimal, null_values=["", "nan", "NaN", "NAN", "null"]
            ),
        )
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        line = _uneven_line(path, at, delimiter, len(names))
        where = f"{path}:{line}" if line else f"{path}"
        allowed = (
            f"{len(names)} cells in every line, as in line {at} ({printable(str(error), 200)})"
        )
        raise BadInput(Problem("LOG", str(path), allowed, where)) from None
    made = from_arrow(table, str(path))
    made.first_line = at + 1
    _refuse_stray_words(made, path, at, delimiter, form.decimal)
    if len(table) == 0:
        raise BadInput(Problem("LOG", str(path), "rows below its names", f"{path}:{at}"))
    return made


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", errors="replace", newline=None) as file:
        yield from file


def _head(path: Path, form: CsvForm) -> tuple[int, list[str], str]:
    """Number of the line with the names, the names, the delimiter. Names may stand in the last
    comment (#) above the numbers."""
    comment = (0, "")
    for number, line in enumerate(_lines(path), start=1):
        bare = line.strip()
        if number <= form.skip_lines or not bare:
            continue
        if bare.startswith("#"):
            comment = (number, bare.lstrip("# "))
            continue
        delimiter = form.delimiter or max(DELIMITERS, key=lambda d: (bare.count(d), d == ","))
        cells = _cells(bare, delimiter)
        if not all(_is_number(cell, form.decimal) for cell in cells):
            return number, cells, delimiter
        names = _cells(comment[1], delimiter)
        if comment[0] and len(names) == len(cells):
            return comment[0], names, delimiter
        allowed = "a line with the names of the columns above the numbers (csv.skip_lines)"
        raise BadInput(Problem("LOG", bare[:60], allowed, f"{path}:{number}"))
    raise BadInput(Problem("LOG", str(path), "a file with a line of names", f"{path}:1"))


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def _is_number(text: str, decimal: str = ".") -> bool:
    try:
        float(text.replace(decimal, "."))
    except ValueError:
        return False
    return True


def _no_twins(names: list[str], path: Path, line: int) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        where = f"{path}:{line}"
        raise BadInput(Problem("LOG", twins[0], "names of columns that all differ", where))


def _uneven_line(path: Path, head: int, delimiter: str, cells: int) -> int | None:
    """The first line that has not as many cells as there are names."""
    for number, line in enumerate(_lines(path), start=1):
        if number <= head or not line.strip():
            continue
        if len(next(csv.reader([line], delimiter=delimiter))) != cells:
            return number
    return None


def _refuse_stray_words(table: Table, path: Path, head: int, delimiter: str, decimal: str) -> None:
    """A column that is numbers but for a cell or two is a damaged one, and no column of words."""
    for name in table.others:
        at, strange, good = None, "", 0
        for number, line in enumerate(_lines(path), start=1):
            if number <= head or not line.strip():
                continue
            cells = next(csv.reader([line], delimiter=delimiter))
            names = [*table.columns, *table.others]
            if len(cells) != len(names):
                continue
            cell = cells[_place(path, head, delimiter, name)].strip()
            if _is_number(cell, decimal):
                good += 1
            elif cell and at is None:
                at, strange = number, cell
            if number > head + 2000:
                break
        if at is not None and good > 0:
            raise BadInput(Problem(name, strange, "a number", f"{path}:{at}"))


def _place(path: Path, head: int, delimiter: str, name: str) -> int:
    for number, line in enumerate(_lines(path), start=1):
        if number == head:
            names = next(csv.reader([line.strip().lstrip("# ")], delimiter=delimiter))
            return [one.strip() for one in names].index(name)
    return 0


def _read_parquet(path: Path) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        if 8 * file.metadata.num_rows * file.metadata.num_columns > 4 * MOST_BYTES:
            raise BadInput(Problem("LOG", f"{file.metadata.num_rows} rows", "fewer"))
        table = file.read()
    except (pa.ArrowException, MemoryError, OSError) as error:
        allowed = f"a Parquet file ({printable(str(error), 200)})"
        raise BadInput(Problem("LOG", str(path), allowed)) from None
    if table.num_rows == 0:
        raise BadInput(Problem("LOG", str(path), "rows"))
    return from_arrow(table, str(path))
