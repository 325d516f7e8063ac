"""Labelled time series: one row per cycle, one column per channel, with unit, frame and meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from softdock.errors import closest
from softdock.loop.record import CHANNELS, Channel
from softdock.scenario.build import Scenario


class Series(Mapping[str, np.ndarray]):
    """Recorded channels by name. `series["chaser.position.x"]` is one column,
    `series["chaser.position"]` all of that vector's."""

    def __init__(self, rows: np.ndarray, channels: Sequence[Channel] = CHANNELS):
        self.rows = rows  # one row per cycle, one column per channel
        self.channels = channels
        self._index = {channel.name: i for i, channel in enumerate(channels)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._index:
            return self.rows[:, self._index[name]]
        columns = [i for channel, i in self._index.items() if channel.rpartition(".")[0] == name]
        if not columns:
            groups = {channel.rpartition(".")[0] for channel in self._index} - {""}
            near = closest(name, [*self._index, *groups])
            raise KeyError(
                f"no series '{name}'"
                + (
                    f"; did you mean '{near}'?"
                    if near
                    else f"; there are: {', '.join(self._index)}"
                )
            )
        return self.rows[:, columns[0] : columns[-1] + 1]

    def __contains__(self, name: object) -> bool:
        return name in self._index or any(
            channel.rpartition(".")[0] == name for channel in self._index
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def channel(self, name: str) -> Channel:
        """Unit, frame and meaning of a channel."""
        return self.channels[self._index[name]]


# Time series as Parquet: float64, zstd, one column per channel; unit, frame and meaning in each
# field's metadata.

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


# A run, or a recording, as pandas or xarray data, where those are installed.


class WithSeries(Protocol):
    """A `Run`, or a `Recording`, which may know no scenario."""

    @property
    def series(self) -> Series: ...

    @property
    def scenario(self) -> Scenario | None: ...

    @property
    def status(self) -> str: ...


def _import_library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"this needs {name}, which comes with the extra 'dataframe': pip install "
            "'softdock[dataframe]'"
        ) from error


def _get_scenario_name(run: WithSeries) -> str:
    """Its name; empty where none is attached."""
    return "" if run.scenario is None else run.scenario.name


def to_dataframe(run: WithSeries) -> Any:
    """One column per channel, indexed by time [s]. Units, frames and meanings are in
    `.attrs["channels"]`."""
    pandas = _import_library("pandas")
    frame = pandas.DataFrame(run.series.rows, columns=list(run.series)).set_index("time")
    frame.attrs["scenario"] = _get_scenario_name(run)
    frame.attrs["channels"] = {
        c.name: {"unit": c.unit, "frame": c.frame, "meaning": c.meaning}
        for c in run.series.channels
    }
    return frame


def to_xarray(run: WithSeries) -> Any:
    """A variable a quantity over `time` [s]: vectors have a second dimension, `xyz` or `wxyz`."""
    xarray = _import_library("xarray")
    series = run.series
    groups: dict[str, list[str]] = {}
    for name in series:
        stem, _, axis = name.rpartition(".")
        groups.setdefault(stem if axis in ("w", "x", "y", "z") else name, []).append(name)
    variables = {}
    for group, names in groups.items():
        c = series.channel(names[0])
        axes = "".join(name.rpartition(".")[2] for name in names)
        dimensions = ("time",) if names == [group] else ("time", axes)
        variables[group] = (
            dimensions,
            series[group],
            {"units": c.unit, "frame": c.frame, "long_name": c.meaning},
        )
    time = variables.pop("time")
    coordinates = {"time": time, "xyz": list("xyz"), "wxyz": list("wxyz")}
    return xarray.Dataset(
        variables,
        coords=coordinates,
        attrs={"scenario": _get_scenario_name(run), "status": run.status},
    )
