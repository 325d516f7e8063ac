"""What a run holds: labelled time series, contacts, the ledger, and why it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.contact_log import LOG_COLUMNS
from softdock.cycle import STATUSES
from softdock.energy.ledger import ROWS, Ledger
from softdock.errors import closest
from softdock.record import CHANNELS, Channel
from softdock.scenario.build import Scenario


class Series(Mapping[str, np.ndarray]):
    """Recorded channels by name. `series["chaser.position.x"]` is one column, `series["chaser.position"]` all of that vector's."""

    def __init__(self, rows: np.ndarray, channels: tuple[Channel, ...] = CHANNELS):
        self.rows = rows  # one row a cycle, one column a channel
        self.channels = channels
        self.index = {channel.name: i for i, channel in enumerate(channels)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.index:
            return self.rows[:, self.index[name]]
        columns = [i for channel, i in self.index.items() if channel.rpartition(".")[0] == name]
        if not columns:
            groups = {c.name.rpartition(".")[0] for c in self.channels} - {""}
            near = closest(name, [*self.index, *groups])
            raise KeyError(f"no series '{name}'" + (f"; did you mean '{near}'?" if near else f"; there are: {', '.join(self.index)}"))
        return self.rows[:, columns[0] : columns[-1] + 1]

    def __iter__(self) -> Iterator[str]:
        return iter(self.index)

    def __len__(self) -> int:
        return len(self.index)

    def channel(self, name: str) -> Channel:
        """Unit, frame and meaning of a channel."""
        return self.channels[self.index[name]]


@dataclass
class Run:
    """One run of the loop. A run that stopped early holds everything up to there."""

    scenario: Scenario
    series: Series
    contacts: list[dict[str, float]]
    contact_count: int  # all contacts, also those beyond the log
    cycles: int
    status: str  # completed, diverged
    state: np.ndarray  # the loop's last state, flat (see flat.py)
    warnings: list[str] = field(default_factory=list)

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
        return b["kinetic"] - b["kinetic_start"] - b["external"] + b["real"] + b["virtual"] - b["designed"]

    @property
    def restitution(self) -> float:
        """Of the first contact; NaN if there was none."""
        return self.contacts[0]["restitution"] if self.contacts else float("nan")


def contact_rows(log: np.ndarray, count: int) -> list[dict[str, Any]]:
    """The log as a list of contacts."""
    rows = [dict(zip(LOG_COLUMNS, map(float, row), strict=True)) for row in log[: min(count, len(log))]]
    for row in rows:
        row["pair"] = int(row["pair"])
    return rows


def status_name(code: float) -> str:
    return STATUSES[int(code)]
