"""What a run holds: labelled time series, contacts, the ledger, and why it ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock._arguments import TEXT, Rule, of_kind, refuse_wrong, whole
from softdock._given import given
from softdock.arms.scenario_facility import arm_robots
from softdock.core.contact.latch import LATCH_FLOATS
from softdock.core.contact_log import LOG_COLUMNS
from softdock.core.cycle import STATUSES
from softdock.core.energy.ledger import ROWS, Ledger
from softdock.core.orbit import Orbit, orbit
from softdock.errors import NotFlown, NoTruth
from softdock.runs.figure import run_figure
from softdock.runs.frames import to_dataframe, to_xarray
from softdock.runs.joint_rows import rows_with_joints
from softdock.runs.series import Series
from softdock.scenario.build import Scenario


class Reached(NamedTuple):
    """What is known only while a run is under way. NaN: not known, or not captured."""

    peak_force_real_N: float = math.nan  # largest true force of a contact pair
    peak_torque_real_Nm: float = math.nan  # largest true torque about either centre of mass
    captured_at_s: float = math.nan


_LIST, _DICT = of_kind("a list", list), of_kind("a dict", dict)
PARTS: dict[str, Rule] = {  # what a run is made of
    "scenario": of_kind("a Scenario", Scenario),
    "series": of_kind("a Series", Series),
    "contacts": _LIST,
    "contact_count": whole(0),
    "cycles": whole(0),
    "status": TEXT,
    "state": of_kind("an array", np.ndarray),
    "warnings": _LIST,
    "method_books": _DICT,
    "events": _LIST,
    "joint_books": _DICT,
    "reached": of_kind("a Reached", Reached),
    "latches": of_kind("an array", np.ndarray),
}


@dataclass
class Run:
    """One run of the loop. A run that stopped early holds everything up to there."""

    scenario: Scenario
    series: Series
    contacts: list[dict[str, float]]
    contact_count: int  # all contacts, also those beyond the log
    cycles: int
    status: str  # one of cycle.STATUSES
    # the loop's last state, flat (core/machine/state.py); empty in a run read from a folder
    state: np.ndarray
    warnings: list[str] = field(default_factory=list)
    # what methods did: removed, returned, by axis (docs/metrics.md)
    method_books: dict[str, dict[str, Any]] = field(default_factory=dict)
    # what went wrong with readings and robots (analysis/faults.py)
    events: list[dict[str, Any]] = field(default_factory=list)
    # of robots with an elastic joint, J; empty in a run read from a folder
    joint_books: dict[str, dict[str, float]] = field(default_factory=dict)
    reached: Reached = field(default_factory=Reached)
    # a `latch_state` each (docs/layouts.md), at the end; empty in a run read from a folder
    latches: np.ndarray = field(default_factory=lambda: np.zeros((0, LATCH_FLOATS)))

    # all runs of which the verdict is, itself first, where they were to be kept
    judged_runs: list[Run] = field(default_factory=list, repr=False)

    _orbit: Orbit | None = field(default=None, repr=False)
    _metrics: dict[str, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        refuse_wrong(PARTS, vars(self))

    @property
    def orbit(self) -> Orbit:
        """What orbit would do with this scenario, recorded at the same instants. Raises `NotFlown`
        where nobody has flown it: reading never flies."""
        if self._orbit is None:
            raise NotFlown(
                "orbit has not been flown beside this run: run.fly_orbit() flies it and keeps it"
            )
        return self._orbit

    @orbit.setter
    def orbit(self, flown: Orbit) -> None:
        self._orbit = flown

    def fly_orbit(self) -> Orbit:
        """Fly orbit beside this run, unless that was done before; it is kept as `run.orbit`."""
        if self._orbit is None:
            self._orbit = orbit(self.scenario)
        return self._orbit

    @property
    def metrics(self) -> dict[str, Any]:
        """Everything this run says about the rig, with orbit beside it: see docs/metrics.md. Raises
        `NotFlown` for a run that was flown alone and not judged."""
        if self._metrics is None:
            raise NotFlown(
                "this run was flown alone: softdock.judge(run) flies orbit beside it and gives it "
                "its metrics"
            )
        return self._metrics

    @metrics.setter
    def metrics(self, found: dict[str, Any]) -> None:
        self._metrics = found

    @property
    def has_truth(self) -> bool:
        """Whether the series hold what only a simulation knows; a run of a real facility has no
        such channels."""
        return "true.chaser.force.x" in self.series

    @property
    def is_judged(self) -> bool:
        """Whether the run has its metrics."""
        return self._metrics is not None

    def save(self, folder: str | Path, force: bool = False) -> Path:
        """Write the run folder: scenario, series, metrics and report. Refuses a folder that has
        something in it, unless `force`. Flies orbit if that was not done. Returns its path."""
        path: Path = given("save_run")(self, folder, force)
        return path

    def save_mcap(self, path: str | Path, *, note: str = "", force: bool = False) -> Path:
        """Write the run as an MCAP file with ROS 2 messages, for Foxglove, PlotJuggler and rosbags.
        Refuses a file that exists, unless `force`. Judges the run, if that was not done. Returns
        its path."""
        written: Path = given("save_mcap")(self, path, note=note, force=force)
        return written

    def plot(self) -> Any:
        """A plotly figure: gap, forces and invented energy over time. Flies orbit if that was not
        done."""
        return run_figure(self)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame: one column per channel, indexed by time [s]. Needs the extra
        `dataframe`."""
        return to_dataframe(self)

    def to_xarray(self) -> Any:
        """An xarray Dataset: one variable per quantity, with unit, frame and meaning as attributes.
        Needs the extra `dataframe`."""
        return to_xarray(self)

    @property
    def ledger(self) -> dict[str, float]:
        """Every sum of the ledger at the end, J. Its rows are those of `energy.ledger.ROWS`.
        Without the truth, those that reports tell."""
        names = [name for name in Ledger._fields if f"energy.{name}" in self.series]
        return {name: float(self.series[f"energy.{name}"][-1]) for name in names}

    @property
    def ledger_rows(self) -> dict[str, float]:
        """The rows that sum to the invented energy, J; with those of elastic joints, where robots
        have them (runs/joint_rows.py). Raises `NoTruth` without the truth."""
        self._need_truth("the invented energy")
        books = self.ledger
        rows = {row: books[row] for row in ROWS}
        return rows_with_joints(rows, self.joint_books, arm_robots(self.scenario.tables))

    @property
    def energy_invented_J(self) -> float:
        """Gain of kinetic energy - W_external + W_real + W_virtual - W_designed. Raises `NoTruth`
        without the truth."""
        self._need_truth("the invented energy")
        b = self.ledger
        return (
            b["kinetic"]
            - b["kinetic_start"]
            - b["external"]
            + b["real"]
            + b["virtual"]
            - b["designed"]
        )

    def _need_truth(self, what: str) -> None:
        if not self.has_truth:
            raise NoTruth(f"{what} needs the true contact, which this run's facility did not know")

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
