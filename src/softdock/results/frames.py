"""A run, or a recording, as pandas or xarray data, where those are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from softdock.results.series import Series
from softdock.scenario.build import Scenario


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
