"""What a run holds: labelled time series, contacts, the ledger, and why it ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock._arguments import TEXT, Rule, instance_of, refuse_wrong, whole_number
from softdock._notebook import format_block, format_note, format_table, format_verdict
from softdock.errors import NoTruth, NotSimulated
from softdock.loop.arms.scenario_facility import arm_robots
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.cycle import STATUSES
from softdock.loop.energy.ledger import ROWS, Ledger
from softdock.reference import Reference, run_reference
from softdock.results.joint_rows import compute_rows_over_time, split_joint_rows
from softdock.results.series import Series, to_dataframe, to_xarray
from softdock.results.verdict import Verdict, read_verdict
from softdock.scenario.build import Scenario

# `run.plot()`: gap, forces and added energy over time, for a notebook.


def draw_run(run: Run) -> Any:
    """A plotly figure of three charts over one time axis; the reference beside the rig."""
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    series, orbit = run.series, run.simulate_reference().series
    time = series["time"]

    def line(row: int, name: str, x: np.ndarray, y: np.ndarray, dash: str = "solid") -> None:
        figure.add_scatter(
            row=row,
            col=1,
            x=x,
            y=y,
            name=name,
            mode="lines",
            line={"dash": dash},
            legend=f"legend{row}" if row > 1 else "legend",
        )

    line(1, "gap of the mock-ups", time, -1e3 * series["contact.depth"])
    line(1, "gap on orbit", orbit["time"], -1e3 * orbit["contact.depth"], "dash")
    line(2, "contact on the mock-up", time, np.linalg.norm(series["true.chaser.force"], axis=1))
    line(2, "on the satellite", time, np.linalg.norm(series["satellite.chaser.force"], axis=1))
    line(2, "on orbit", orbit["time"], np.linalg.norm(orbit["true.chaser.force"], axis=1), "dash")
    rows = compute_rows_over_time(series)
    for name, energy in rows.items():
        if np.any(energy):
            line(3, name, time, energy)
    line(3, "energy added", time, np.sum(list(rows.values()), axis=0), "dot")
    for row, title in enumerate(("gap [mm]", "force [N]", "energy [J]"), start=1):
        figure.update_yaxes(title_text=title, row=row, col=1)
        top = 1.0 - (row - 1) / 3.0
        figure.update_layout(
            {f"legend{row}" if row > 1 else "legend": {"y": top, "yanchor": "top", "x": 1.01}}
        )
    figure.update_xaxes(title_text="time [s]", row=3, col=1)
    figure.update_layout(
        title={"text": run.scenario.name, "subtitle": {"text": run.metrics["summary"]}}, height=760
    )
    return figure


class LoopSummary(NamedTuple):
    """What is known only while a run is under way. NaN: not known, or not captured."""

    peak_force_real_N: float = math.nan  # largest true force of a contact pair
    peak_torque_real_Nm: float = math.nan  # largest true torque about either centre of mass
    captured_at_s: float = math.nan


_LIST, _DICT = instance_of("a list", list), instance_of("a dict", dict)
PARTS: dict[str, Rule] = {  # what a run is made of
    "scenario": instance_of("a Scenario", Scenario),
    "series": instance_of("a Series", Series),
    "contacts": _LIST,
    "contact_count": whole_number(0),
    "cycles": whole_number(0),
    "status": TEXT,
    "state": instance_of("an array", np.ndarray),
    "warnings": _LIST,
    "method_books": _DICT,
    "events": _LIST,
    "joint_books": _DICT,
    "reached": instance_of("a Reached", LoopSummary),
    "latches": instance_of("an array", np.ndarray),
}

REPORTED = (
    "this run is known from reports alone: its metrics would compare the true contact with "
    "the reference's; run.save(FOLDER) judges what a rig knows"
)


@dataclass(repr=False)
class Run:
    """One run of the loop. A run that stopped early holds everything up to there."""

    scenario: Scenario
    series: Series
    contacts: list[dict[str, float]]
    contact_count: int  # all contacts, also those beyond the log
    cycles: int
    status: str  # one of cycle.STATUSES
    # the loop's last state, flat (loop/state.py); empty in a run read from a folder
    state: np.ndarray
    warnings: list[str] = field(default_factory=list)
    # what methods did: removed, returned, by axis (docs/metrics.md)
    method_books: dict[str, dict[str, Any]] = field(default_factory=dict)
    # what went wrong with readings and robots (results/faults.py)
    events: list[dict[str, Any]] = field(default_factory=list)
    # of robots with an elastic joint, J; empty in a run read from a folder
    joint_books: dict[str, dict[str, float]] = field(default_factory=dict)
    reached: LoopSummary = field(default_factory=LoopSummary)
    # a `latch_state` each (loop/contact/latch.py), at the end; empty in a run read from a folder
    latches: np.ndarray = field(default_factory=lambda: np.zeros((0, LATCH_FLOATS)))

    # all runs of which the verdict is, itself first, where they were to be kept
    judged_runs: list[Run] = field(default_factory=list, repr=False)

    _reference: Reference | None = field(default=None, repr=False)
    _metrics: dict[str, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        refuse_wrong(PARTS, vars(self))

    @property
    def reference(self) -> Reference:
        """What the reference would do with this scenario, recorded at the same instants. Raises
        `NotSimulated` where nobody has simulated it: reading never simulates."""
        if self._reference is None:
            raise NotSimulated(
                "the on-orbit reference was not simulated for this run: "
                "run.simulate_reference() does so"
            )
        return self._reference

    @reference.setter
    def reference(self, flown: Reference) -> None:
        self._reference = flown

    def simulate_reference(self) -> Reference:
        """Simulate the reference beside this run, unless that was done before; it is kept as
        `run.reference`."""
        if self._reference is None:
            self._reference = run_reference(self.scenario)
        return self._reference

    @property
    def metrics(self) -> dict[str, Any]:
        """Everything this run says about the rig, with the reference beside it: see
        docs/metrics.md. Raises `NotSimulated` for a run that was simulated alone and not judged,
        `NoTruth` for one known from reports alone."""
        if self._metrics is None:
            if not self.has_truth:
                raise NoTruth(REPORTED)
            raise NotSimulated(
                "this run has no metrics yet: softdock.judge(run) simulates the on-orbit reference "
                "and computes them"
            )
        return self._metrics

    @metrics.setter
    def metrics(self, found: dict[str, Any]) -> None:
        self._metrics = found

    @property
    def verdict(self) -> Verdict:
        """Faithful, distorted or unsafe, with headline, criteria, doubts and next step, over the
        sampling phases that were judged: one after `simulate`, eight with `softdock run`. Raises
        as `metrics` does."""
        return read_verdict(self.metrics["verdict"])

    def __repr__(self) -> str:
        said = self.verdict.headline if self.is_judged else "not judged"
        return f"Run({self.scenario.name}: {self.cycles} cycles, {self.status}. {said})"

    def _repr_html_(self) -> str:
        """For a notebook: the verdict, and the numbers beside those of the reference."""
        title = f"{self.scenario.name}: {self.cycles} cycles, {self.status}"
        if self._metrics is None:
            return format_block(title, format_note("Not judged: softdock.judge(run) judges it."))
        from softdock.results.metrics import format_row, list_shown_rows

        m = self._metrics
        rows = [format_row(m, key, row) for key, row in list_shown_rows(m)]

        parts = [format_verdict(m["verdict"])]
        parts += [format_note(f"Doubt: {one}") for one in self.verdict.doubts]
        parts.append(format_table(("", "this rig", "on orbit"), rows))
        return format_block(title, *parts)

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
        something in it, unless `force`. Simulates the reference if that was not done. A run known
        from reports alone becomes a recording, with its verdict and its page. Returns its path."""
        from softdock.output.folders.run_folder import save_run

        path: Path = save_run(self, folder, force)
        return path

    def save_mcap(self, path: str | Path, *, note: str = "", force: bool = False) -> Path:
        """Write the run as an MCAP file with ROS 2 messages, for Foxglove, PlotJuggler and rosbags.
        Refuses a file that exists, unless `force`. Judges the run, if that was not done. Returns
        its path."""
        from softdock.recording.simulated import save_mcap

        written: Path = save_mcap(self, path, note=note, force=force)
        return written

    def plot(self) -> Any:
        """A plotly figure: gap, forces and added energy over time. Simulates the reference if
        that was not done."""
        return draw_run(self)

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
        """The rows that sum to the added energy, J; with those of elastic joints, where robots
        have them (results/joint_rows.py). Raises `NoTruth` without the truth."""
        self._need_truth("the added energy")
        books = self.ledger
        rows = {row: books[row] for row in ROWS}
        return split_joint_rows(rows, self.joint_books, arm_robots(self.scenario.tables))

    @property
    def energy_added_J(self) -> float:
        """Gain of kinetic energy - W_external + W_real + W_virtual - W_designed. Raises `NoTruth`
        without the truth."""
        self._need_truth("the added energy")
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


def list_contacts(log: np.ndarray, count: int) -> list[dict[str, Any]]:
    """The log as a list of contacts."""
    rows = [
        dict(zip(LOG_COLUMNS, map(float, row), strict=True)) for row in log[: min(count, len(log))]
    ]
    for row in rows:
        row["pair"] = int(row["pair"])
    return rows


def name_status(code: float) -> str:
    return STATUSES[int(code)]
