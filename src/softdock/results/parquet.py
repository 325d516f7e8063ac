"""Time series as Parquet: float64, zstd, one column per channel; unit, frame and meaning in each
field's metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.record import Channel
from softdock.results.series import Series

ATTRIBUTES = ("unit", "frame", "meaning")
MOST_BYTES = 64e9  # of a table once it is read; a file says in a few bytes that it holds more


def to_parquet(series: Series, about: Mapping[str, str]) -> bytes:
    """The whole file. `about`: what the file's own metadata says."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [
        pa.field(
            c.name, pa.float64(), nullable=False, metadata={a: getattr(c, a) for a in ATTRIBUTES}
        )
        for c in series.channels
    ]
    count = len(
        series.rows
        # from buffers: pa.array would import pandas, where it is installed, which takes longer than
        # writing the file
    )
    columns = [
        pa.Array.from_buffers(
            pa.float64(), count, [None, pa.py_buffer(np.ascontiguousarray(column))]
        )
        for column in series.rows.T
    ]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=dict(about)))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def from_parquet(data: bytes) -> Series:
    """Every channel the file has. Raises `ValueError` if it is no file of ours."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if 8 * file.metadata.num_rows * file.metadata.num_columns > MOST_BYTES:
            raise ValueError(f"{file.metadata.num_rows} rows, more than a run can have")
        table = file.read()
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise ValueError(str(error)) from None
    if any(chunk.null_count for column in table.columns for chunk in column.chunks):
        raise ValueError("a channel has holes")
    channels = [_read_channel(field) for field in table.schema]
    rows = np.empty((table.num_rows, len(channels)))
    for i, column in enumerate(table.columns):
        rows[:, i] = np.concatenate(
            [_read_numbers(chunk) for chunk in column.chunks] or [np.zeros(0)]
        )
    return Series(rows, channels)


def _read_numbers(chunk: Any) -> np.ndarray:
    """Without `to_numpy`, which imports pandas."""
    return np.frombuffer(
        chunk.buffers()[1], dtype=np.float64, count=len(chunk), offset=8 * chunk.offset
    )


def _read_channel(field: Any) -> Channel:
    said = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    if str(field.type) != "double" or not said.keys() >= set(ATTRIBUTES):
        raise ValueError(f"the column '{field.name}' is no channel of softdock's")
    return Channel(field.name, *(said[a] for a in ATTRIBUTES))
