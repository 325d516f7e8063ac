"""What a run holds: labelled time series, contacts, the ledger, and why it ended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softdock.core.contact_log import LOG_COLUMNS
from softdock.core.cycle import STATUSES
from softdock.core.energy.ledger import ROWS, Ledger
from softdock.core.machine.record import CHANNELS, Channel
from softdock.errors import closest
from softdock.scenario.build import Scenario

if TYPE_CHECKING:
    from softdock.core.orbit import Orbit


class Series(Mapping[str, np.ndarray]):
    """Recorded channels by name. `series["chaser.position.x"]` is one column,
    `series["chaser.position"]` all of that vector's."""

    def __init__(self, rows: np.ndarray, channels: Sequence[Channel] = CHANNELS):
        self.rows = rows  # one row a cycle, one column a channel
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

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def channel(self, name: str) -> Channel:
        """Unit, frame and meaning of a channel."""
        return self.channels[self._index[name]]


class Reached(NamedTuple):
    """What is known only while a run is under way. NaN: not known, or not captured."""

    peak_force_real_N: float = math.nan  # largest true force of a contact pair
    peak_torque_real_Nm: float = math.nan  # largest true torque about either centre of mass
    captured_at_s: float = math.nan


@dataclass
class Run:
    """One run of the loop. A run that stopped early holds everything up to there."""

    scenario: Scenario
    series: Series
    contacts: list[dict[str, float]]
    contact_count: int  # all contacts, also those beyond the log
    cycles: int
    status: str  # one of cycle.STATUSES
    state: (
        np.ndarray
    )  # the loop's last state, flat (see flat.py); empty in a run read from a folder
    warnings: list[str] = field(default_factory=list)
    method_books: dict[str, dict[str, Any]] = field(
        default_factory=dict
    )  # what methods did: removed, returned, by axis (docs/metrics.md)
    events: list[dict[str, Any]] = field(
        default_factory=list
    )  # what went wrong with readings and robots (analysis/faults.py)
    joint_books: dict[str, dict[str, float]] = field(
        default_factory=dict
    )  # of robots with an elastic joint, J; empty in a run read from a folder
    reached: Reached = field(default_factory=Reached)

    @cached_property
    def orbit(self) -> Orbit:
        """What orbit would do with this scenario, recorded at the same instants."""
        from softdock.core.orbit import orbit

        return orbit(self.scenario)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Everything this run says about the rig, with orbit beside it: see docs/metrics.md."""
        from softdock.analysis.metrics import metrics

        return metrics(self)

    def save(self, folder: str | Path, force: bool = False) -> Path:
        """Write the run folder: scenario, series, metrics and report. Refuses a folder that has
        something in it, unless `force`. Returns its path."""
        from softdock.archive.run_folder import save_run

        return save_run(self, folder, force)

    def plot(self) -> Any:
        """A plotly figure: gap, forces and invented energy over time."""
        from softdock.runs.figure import run_figure

        return run_figure(self)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame: a column a channel, indexed by time [s]. Needs the extra
        `dataframe`."""
        from softdock.runs.frames import to_dataframe

        return to_dataframe(self)

    def to_xarray(self) -> Any:
        """An xarray Dataset: a variable a quantity, with unit, frame and meaning as attributes.
        Needs the extra `dataframe`."""
        from softdock.runs.frames import to_xarray

        return to_xarray(self)

    @property
    def ledger(self) -> dict[str, float]:
        """Every sum of the ledger at the end, J. Its rows are those of `energy.ledger.ROWS`."""
        return {name: float(self.series[f"energy.{name}"][-1]) for name in Ledger._fields}

    @property
    def ledger_rows(self) -> dict[str, float]:
        """The rows that sum to the invented energy, J."""
        books = self.ledger
        return {row: books[row] for row in ROWS}

    @property
    def energy_invented_J(self) -> float:
        """Gain of kinetic energy - W_external + W_real + W_virtual - W_designed."""
        b = self.ledger
        return (
            b["kinetic"]
            - b["kinetic_start"]
            - b["external"]
            + b["real"]
            + b["virtual"]
            - b["designed"]
        )

    @property
    def restitution(self) -> float:
        """Of the first contact; NaN if there was none."""
        return self.contacts[0]["restitution"] if self.contacts else float("nan")


def contact_rows(log: np.ndarray, count: int) -> list[dict[str, Any]]:
    """The log as a list of contacts."""
    rows = [
        dict(zip(LOG_COLUMNS, map(float, row), strict=True)) for row in log[: min(count, len(log))]
    ]
    for row in rows:
        row["pair"] = int(row["pair"])
    return rows


def status_name(code: float) -> str:
    return STATUSES[int(code)]
