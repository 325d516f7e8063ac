"""Files of other programs opened as tables: CSV, Parquet, MCAP, by the ending of their name."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, printable
from softdock.files.bounded_mcap import most_bytes
from softdock.recording.logs.mcap_tables import read_mcap
from softdock.recording.logs.tables import (
    BLANKS,
    COMMENTS,
    MOST_BYTES,
    NO_NUMBER,
    CsvForm,
    Layout,
    Table,
    convert_from_arrow,
    find_layout,
)

CSV_ENDINGS, PARQUET_ENDINGS, MCAP_ENDINGS = (
    (".csv", ".tsv", ".txt", ".dat", ".asc", ".log"),
    (".parquet", ".pq"),
    (".mcap",),
)
ENDINGS = CSV_ENDINGS + PARQUET_ENDINGS + MCAP_ENDINGS
LARGEST_REWRITTEN = 1_000_000_000  # bytes of a CSV file that pyarrow cannot read as it is
BLOCK = 1 << 23  # bytes: longer lines are refused


def read_tables(path: Path, form: CsvForm, topics: Iterable[str] = ()) -> dict[str, Table]:
    """The tables of a file by topic; of CSV and Parquet there is one, of no topic. `topics`: those
    that are read of an MCAP file; none given: all."""
    ending = path.suffix.lower()
    if not path.is_file():
        raise BadInput(Problem("LOG", str(path), "a file that is there"))
    try:
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as error:
        allowed = f"a file that can be read ({error.strerror})"
        raise BadInput(Problem("LOG", str(path), allowed)) from None
    if size > MOST_BYTES:
        raise BadInput(Problem("LOG", f"{size} bytes", f"at most {MOST_BYTES}", str(path)))
    if ending in CSV_ENDINGS:
        return {"": read_csv(path, form)}
    if ending in PARQUET_ENDINGS:
        return {"": _read_parquet(path)}
    if ending in MCAP_ENDINGS:
        return read_mcap(path, set(topics))
    raise BadInput(Problem("LOG", str(path), "a file that ends in " + ", ".join(ENDINGS)))


def read_csv(path: Path, form: CsvForm) -> Table:
    """A CSV file; what `form` leaves open is found from its lines (tables.py)."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    if not path.is_file():
        raise BadInput(Problem("LOG", str(path), "a file that is there"))
    skipped: list[int] = []
    uneven: list[int] = []

    def judge(row: Any) -> str:
        if row.text.lstrip().startswith(COMMENTS) or not row.text.strip():
            skipped.append(row.number)
            return "skip"
        uneven.append(row.number)
        return "error"

    try:
        layout = find_layout(path, form)
        plain = layout.encoding.startswith("utf-8") and layout.delimiter != BLANKS
        plain = plain and _is_utf8(path)  # pyarrow prints a traceback where it is not
        source: Any = path if plain else io.BytesIO(_rewrite(path, layout))
        table = arrow_csv.read_csv(
            source,
            read_options=arrow_csv.ReadOptions(
                column_names=layout.names,
                skip_rows=layout.first - 1,
                use_threads=False,  # else rows have no numbers
                block_size=BLOCK,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter="\t" if layout.delimiter == BLANKS else layout.delimiter,
                ignore_empty_lines=False,
                invalid_row_handler=judge,
            ),
            convert_options=arrow_csv.ConvertOptions(
                decimal_point=layout.decimal, null_values=list(NO_NUMBER)
            ),
        )
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        where = f"{path}:{uneven[0]}" if uneven else f"{path}"
        count = len(layout.names)
        allowed = f"{count} cells in every line, as in line {layout.first}"
        if not uneven:
            allowed = f"a text of numbers in columns ({printable(str(error), 200)})"
        raise BadInput(Problem("LOG", str(path), allowed, where)) from None
    return _make_table(path, layout, table, skipped)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while piece := file.read(1 << 24):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _rewrite(path: Path, layout: Layout) -> bytes:
    """The text in UTF-8, one tabulator for the blanks between columns."""
    size = path.stat().st_size
    if size > LARGEST_REWRITTEN:
        allowed = f"at most {LARGEST_REWRITTEN} bytes in {layout.encoding}, by blanks; or UTF-8"
        raise BadInput(Problem("LOG", f"{size} bytes", allowed, str(path)))
    text = path.read_bytes().decode(layout.encoding, errors="replace").removeprefix("\ufeff")
    if layout.delimiter == BLANKS:
        text = re.sub(r"[ \t]+", "\t", text)
        text = re.sub(r"(?m)^\t|\t(?=[\r\n])|\t\Z", "", text)
    return text.encode()


def _make_table(path: Path, layout: Layout, table: Any, skipped: list[int]) -> Table:
    """Rows that hold nothing are left out."""
    import pyarrow as pa

    lines = layout.first + np.arange(len(table) + len(skipped))
    lines = lines[~np.isin(lines, skipped)][: len(table)]
    full = np.zeros(len(table), dtype=bool)
    for column in table.columns:
        if column.null_count == 0:
            full[:] = True
            break
        full |= column.is_valid().to_numpy(zero_copy_only=False).astype(bool)
    if not full.all():
        table, lines = table.filter(pa.array(full)), lines[full]
    if len(table) == 0:
        where = f"{path}:{layout.head or 1}"
        raise BadInput(Problem("LOG", str(path), "rows below its names", where))
    made = convert_from_arrow(table, str(path), layout.decimal)
    made.lines, made.units, made.delimiter = lines, layout.units, layout.delimiter
    made.decimal, made.head = layout.decimal, layout.head
    return made


def _read_parquet(path: Path) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    most = most_bytes(path.stat().st_size)
    try:
        file = pq.ParquetFile(path, thrift_string_size_limit=1 << 24)
        columns = _list_numeric_leaves(file)
        size = 8 * sum(
            group.column(i).num_values
            for group in (file.metadata.row_group(g) for g in range(file.metadata.num_row_groups))
            for i in columns.values()
        )
        if max(size, 8 * file.metadata.num_rows) > most:
            given = f"{file.metadata.num_rows} rows of {len(columns)} columns"
            raise BadInput(Problem("LOG", given, f"at most {most} bytes of numbers", str(path)))
        table = file.read(columns=list(columns), use_threads=False)
        while any(pa.types.is_struct(field.type) for field in table.schema):
            table = table.flatten()
        made = convert_from_arrow(table, str(path))
    except (pa.ArrowException, MemoryError, OSError, ValueError, KeyError, TypeError) as error:
        allowed = f"a Parquet file ({printable(str(error), 200)})"
        raise BadInput(Problem("LOG", str(path), allowed, str(path))) from None
    if table.num_rows == 0:
        raise BadInput(Problem("LOG", str(path), "rows of numbers", str(path)))
    return made


def _list_numeric_leaves(file: Any) -> dict[str, int]:
    """Columns that hold numbers or times, one a row, by their path; twins are refused."""
    leaves: dict[str, int] = {}
    for i in range(len(file.schema)):
        column = file.schema.column(i)
        if column.physical_type not in ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE"):
            continue
        if column.max_repetition_level > 0:
            continue
        if column.path in leaves:
            allowed = "names of columns that all differ"
            raise ValueError(f"two columns are called {column.path!r}; {allowed}")
        leaves[column.path] = i
    if not leaves:
        raise ValueError("no column of numbers in it")
    return leaves
