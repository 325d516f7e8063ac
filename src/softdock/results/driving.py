"""A controller and a facility joined at the seam: `drive` runs them and gives a `Run`.

Limits, observed energy, contacts and record are the controller's, from reports alone. Where the
facility knows the truth (`facility.truth`) it is added after the run: true motions and wrenches,
the contact's depth and the ledger's rows that need them. Where it does not, those channels and
those keys of a contact are absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from softdock._arguments import (
    MOST_CYCLES,
    PROGRESS,
    check_arguments,
    instance_of,
    optional,
    whole_number,
)
from softdock.compile.interrupts import defer_interrupts
from softdock.errors import BadInput, Problem, RunInterrupted
from softdock.loop import seam_entry_points
from softdock.loop.energy.ledger import LEDGER
from softdock.loop.facility.state import FACILITY
from softdock.loop.memory import HEAD
from softdock.loop.record import RECORD
from softdock.loop.seam import (
    COMMAND,
    PRESENT_BITS,
    REPORT,
    SEAM_STATUSES,
    STATUS_BITS,
    bits,
    new_report,
)
from softdock.loop.simulated_report import TRUTH
from softdock.methods.registry import METHODS
from softdock.results.arms import refuse_arms_at_start
from softdock.results.controller import Controller
from softdock.results.faults import QUIET, find_rig_events
from softdock.results.feasibility import check_feasible
from softdock.results.method_reports import add_truth_to_reports, collect_method_reports
from softdock.results.observed_energy import compute_if_ages_differ
from softdock.results.run import LoopSummary, Run, list_contacts
from softdock.results.series import Series
from softdock.results.simulation import SCENARIO_OR_TABLES, Progress, cut_attitudes
from softdock.results.stepper import (
    LOGGED_CONTACTS,
    SCENARIO,
    check_memory,
    count_cycles,
    make_rows,
    refuse_deep_start,
    refuse_exchange,
    refuse_rows,
)
from softdock.scenario.build import Scenario, build
from softdock.scenario.own_models import refuse_own_models

# What stands on the other side of the seam: the `Facility` protocol, and the simulated one.


@runtime_checkable
class Facility(Protocol):
    """Robots, parts and sensors: simulated, emulated or real. Arrays are float64, laid out as
    seam.COMMAND and seam.REPORT; reports are filled in place, and both calls return their status
    bits. A facility that knows the truth has it as `truth`, a row of simulated_report.TRUTH for
    every instant; others have no such attribute, or None."""

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        """Be at the set-points of t = 0, and report."""
        ...

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        """From t_k to t_{k+1}: the set-points stamped t_{k+1} in, the report of t_{k+1} out."""
        ...

    def stop(self, why: int) -> None:
        """Come to rest. `why`: an index of seam.SEAM_STATUSES; 0: the run has completed."""
        ...


class SimulatedFacility:
    """The facility of a scenario, simulated. It holds robots, contact and sensors with all their
    faults; it knows no method and assumes nothing of its tools. `rows`: instants whose truth is
    kept; by default those of the scenario."""

    @check_arguments(scenario=SCENARIO, rows=optional(whole_number(0, MOST_CYCLES)))
    def __init__(self, scenario: Scenario, rows: int | None = None):
        refuse_own_models(scenario, "SimulatedFacility")
        self.scenario = scenario
        self.vector = scenario.vector.copy()
        self.mem = np.zeros(scenario.mem_floats)
        self.state = np.zeros(FACILITY.size)
        self.truth = make_rows(count_cycles(scenario) + 1 if rows is None else rows, TRUTH.size)
        self._beyond = np.zeros(TRUTH.size)  # instants that nobody keeps
        self.stopped: int | None = None  # why, once it was told to stop

    def _read_row(self, k: int) -> np.ndarray:
        return self.truth[k] if k < len(self.truth) else self._beyond

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        """At t = 0 the robots have followed the scenario's free flight so far, whatever the
        command is."""
        refuse_rows(command=(command, COMMAND.size), report=(report, REPORT.size))
        self.mem[:], self.stopped = 0.0, None
        refuse_deep_start(
            *seam_entry_points.begin_facility(
                self.vector,
                self.scenario.markers.features,
                self.mem,
                self.state,
                report,
                self._read_row(0),
            )
        )
        refuse_arms_at_start(self.scenario, self.mem)
        return int(report[REPORT.at.status])

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        refuse_exchange(k, command, report)
        seam_entry_points.exchange(
            self.vector,
            self.scenario.markers.features,
            self.mem,
            k,
            self.state,
            command,
            report,
            self._read_row(k + 1),
        )
        return int(report[REPORT.at.status])

    @check_arguments(why=whole_number(0, len(SEAM_STATUSES) - 1))
    def stop(self, why: int) -> None:
        self.stopped = why


LOOK = 64  # cycles between two looks at progress and at Ctrl-C
# what only a simulation knows: cells of the record, and sums of the ledger
TRUE_CELLS = ("mock_up_chaser", "mock_up_target", "true_chaser", "depth")
TRUE_SUMS = ("sensor", "command", "robot", "real", "stored", "dissipated", "turnover")
INTERRUPTED = "interrupted"
Heard = dict[str, list[float]]  # of each status bit: how often, when first, when last [s]


@check_arguments(
    scenario=SCENARIO_OR_TABLES,
    facility=instance_of("a Facility: start, exchange, stop", Facility),
    controller=optional(instance_of("a Controller", Controller)),
    progress=PROGRESS,
)
def drive(
    scenario: Scenario | Mapping[str, Any],
    facility: Facility,
    controller: Controller | None = None,
    progress: Progress | None = None,
) -> Run:
    """Run a scenario's controller against a facility, for its whole duration or until either ends
    it; the facility is stopped in any case. `controller`: one of one's own, with as many rows
    as instants are to be recorded. Ctrl-C ends the run and raises `RunInterrupted` with it."""
    if not isinstance(scenario, Scenario):
        scenario = build(scenario)
    total = count_cycles(scenario)
    if controller is None:
        check_memory(scenario, total)
        check_feasible(scenario)
        controller = Controller(scenario, rows=total + 1)
    if controller.scenario is not scenario or controller.rows > 0:
        raise BadInput(Problem("controller", "another's", "a new one of the same scenario"))
    heard: Heard = {}
    status, interrupted = 0, False
    try:
        with defer_interrupts() as pressed:
            status, cycles, interrupted = _run_cycles(
                controller, facility, total, heard, progress, pressed
            )
    finally:
        facility.stop(status)
    said = INTERRUPTED if interrupted else SEAM_STATUSES[status]
    with np.errstate(all="ignore"):  # a run that diverged holds numbers beyond all bounds
        run = _collect_run(controller, facility, cycles, total, said, heard)
    if interrupted:
        raise RunInterrupted(run)
    return run


def _run_cycles(
    controller: Controller,
    facility: Facility,
    total: int,
    heard: Heard,
    progress: Progress | None,
    pressed: Any,
) -> tuple[int, int, bool]:
    """All cycles: the status at the end, how many there were, and whether Ctrl-C ended them."""
    command, report = controller.first_command(), new_report()
    at, T = REPORT.at.status, controller.T
    facility.start(command, report)
    for k in range(total):
        if report[at] != 0.0:
            _note_status(heard, report[at], k * T)
        status = controller.step(k, report, command)
        if status != 0:
            return status, k, False
        facility.exchange(k, command, report)
        if k % LOOK == LOOK - 1:
            if progress is not None:
                progress(k + 1, total)
            if pressed():
                return controller.finish(k + 1, report), k + 1, True
    return controller.finish(total, report), total, False


def _note_status(heard: Heard, status: float, t: float) -> None:
    for name in bits(STATUS_BITS, status):
        count, first, _ = heard.get(name, [0.0, t, t])
        heard[name] = [count + 1.0, first, t]


def _get_truth(facility: Facility, rows: int) -> np.ndarray | None:
    truth = getattr(facility, "truth", None)
    if truth is None or len(truth) < rows:
        return None
    return np.ascontiguousarray(truth[:rows])


def _find_truth_columns() -> set[int]:
    """Columns of a record that only the truth fills."""
    ledger = RECORD.at.ledger
    names = [cell.name for cell in RECORD]
    places = [range(RECORD.size)[RECORD.slice_of(name)] for name in names if name in TRUE_CELLS]
    sums = {ledger + getattr(LEDGER.at, name) for name in TRUE_SUMS}
    return {i for place in places for i in place} | sums


def _make_series(controller: Controller, truth: np.ndarray | None) -> Series:
    """The record: with the truth, or without its channels."""
    rows, channels = controller.record[: controller.rows], controller.channels
    if truth is not None:
        s = controller.scenario
        head = np.zeros(HEAD.size)
        seam_entry_points.add_truth(s.vector, s.markers.features, head, rows, truth)
        return Series(rows, channels)
    absent = _find_truth_columns()
    kept = [i for i in range(len(channels)) if i not in absent]
    return Series(rows[:, kept], [channels[i] for i in kept])


def _list_contacts(controller: Controller, truth: np.ndarray | None) -> list[dict[str, float]]:
    """The log, by the measured force. The largest true force of each contact, where it is known."""
    rows = list_contacts(controller.log, controller.contact_count)
    for row in rows:
        row["peak_force_measured_N"] = row.pop("peak_force_real_N")
        if truth is not None:
            # the contact itself is a reading's age, and at most a cycle's hold, around its log
            margin = 2.0 * controller.T
            k = np.arange(len(truth)) * controller.T
            there = (k >= row["start_s"] - margin) & (k <= row["end_s"] + margin)
            row["peak_force_real_N"] = math.sqrt(np.max(truth[there, TRUTH.at.peak_squared]))
    return rows


def _list_events(heard: Heard) -> list[dict[str, Any]]:
    return [
        {
            "what": name,
            "from_s": first,
            "to_s": last,
            "where": "facility",
            "text": f"the facility reported '{name}' in {count:.0f} cycles, from t = {first:.3f} "
            f"to {last:.3f} s",
        }
        for name, (count, first, last) in heard.items()
    ]


def _collect_run(
    controller: Controller,
    facility: Facility,
    cycles: int,
    total: int,
    status: str,
    heard: Heard,
) -> Run:
    """What is said of a run that has ended."""
    scenario, truth = controller.scenario, _get_truth(facility, controller.rows)
    series = _make_series(controller, truth)
    if status == "diverged":
        cut_attitudes(series)
    paired = compute_if_ages_differ(scenario.tables, series)
    if paired is not None:
        series["energy.observed"][:] = paired
    contacts, count = _list_contacts(controller, truth), controller.contact_count
    events, warnings = _list_events(heard), list(scenario.warnings)
    if count > LOGGED_CONTACTS:
        warnings.append(f"{count} contacts; the log keeps the first {LOGGED_CONTACTS}")
    for i, method in enumerate(scenario.tables["methods"]):
        warnings += METHODS[method["name"]].report(controller.method_memory(i), method)
    books, said = collect_method_reports(scenario, controller.mem, series)
    warnings += said
    reached = LoopSummary()
    if truth is not None:
        warnings += add_truth_to_reports(scenario, series, contacts, books)
        events += find_rig_events(scenario, series, contacts)
        reached = LoopSummary(
            math.sqrt(truth[:, TRUTH.at.peak_squared].max()),
            math.sqrt(truth[:, TRUTH.at.peak_torque_squared].max()),
        )
    warnings += [event["text"] for event in events if event["what"] not in QUIET]
    if status != "completed":
        why = getattr(facility, "reason", "")  # where a facility says it in words
        why = f"{status}: {why}" if why else status
        warnings.append(f"stopped after {cycles} of {total} cycles: {why}")
    return Run(
        scenario=scenario,
        series=series,
        contacts=contacts,
        contact_count=count,
        cycles=cycles,
        status=status,
        state=controller.kept,
        warnings=warnings,
        method_books=books,
        events=events,
        reached=reached,
    )


# A facility that only repeats what was recorded: reports of another run, whatever is commanded.
#
# In: a recording's series, one row per cycle. Out: reports as a rig would give them, row by row:
# measured poses with their ages, wrenches of the contact alone, about the centre of mass, in world
# axes, as they were delivered. The loop is open: the commands change nothing. It is for asking what
# another controller would have commanded.

BODIES = ("chaser", "target")
R = REPORT.at
NS = 1e9  # ns in a second
UNEVEN = 1e-3  # of a cycle
POSE, POSITION = 7, 3  # numbers


class RecordedFacility:
    """Reports of recorded rows; `rows` of them from the first."""

    def __init__(self, series: Mapping[str, np.ndarray], cycle_s: float, rows: int) -> None:
        self.rows = rows
        self._time = np.asarray(series["time"], float)[:rows]
        steps = np.diff(self._time)
        if len(steps) and np.abs(steps - cycle_s).max() > UNEVEN * cycle_s:
            at = float(self._time[int(np.abs(steps - cycle_s).argmax())])
            allowed = "every cycle recorded: rows were lost, and what happened in them is not known"
            raise BadInput(Problem("series", f"a gap after {at:.3f} s", allowed))
        self._poses = {body: self._read_pose(series, body) for body in BODIES}
        self._ages = {body: self._read_age(series, body) for body in BODIES}
        self._wrenches = {
            body: w for body in BODIES if (w := self._read_wrench(series, body)) is not None
        }
        if not self._wrenches:
            raise BadInput(
                Problem("series", "no measured force", "a recording with a force sensor")
            )
        self._force_age = np.asarray(series["force_age"], float)

    @staticmethod
    def _read_pose(series: Mapping[str, np.ndarray], body: str) -> np.ndarray:
        kinds = (f"seen.{body}.position", f"seen.{body}.attitude")
        return np.hstack([np.asarray(series[kind], float) for kind in kinds])

    @staticmethod
    def _read_age(series: Mapping[str, np.ndarray], body: str) -> np.ndarray:
        own = f"pose_age.{body}"
        return np.asarray(series[own if own in series else "pose_age"], float)

    @staticmethod
    def _read_wrench(series: Mapping[str, np.ndarray], body: str) -> np.ndarray | None:
        if f"measured.{body}.force.x" not in series:
            return None
        kinds = (f"measured.{body}.force", f"measured.{body}.torque")
        return np.hstack([np.asarray(series[kind], float) for kind in kinds])

    def _fill(self, k: int, report: np.ndarray) -> None:
        report[:] = 0.0
        now, present = NS * self._time[k], 0
        report[R.cycle], report[R.now] = k, now
        for body in BODIES:
            at = REPORT.slice_of(body).start
            report[at : at + POSE] = self._poses[body][k]
            report[getattr(R, f"{body}_age")] = self._ages[body][k]
            report[getattr(R, f"{body}_stamp")] = now - NS * self._ages[body][k]
            present |= PRESENT_BITS[f"{body}_pose"]
        for body, wrench in self._wrenches.items():
            stamp = round(now - NS * self._force_age[k])
            report[REPORT.slice_of(f"{body}_wrench")] = wrench[k]
            report[getattr(R, f"{body}_force_age")] = self._force_age[k]
            report[getattr(R, f"{body}_force_stamp")] = stamp
            report[getattr(R, f"{body}_force_number")] = stamp
            present |= PRESENT_BITS[f"{body}_wrench"] | PRESENT_BITS[f"{body}_reduced"]
        report[R.present] = present

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        """What was reported at t = 0."""
        self._fill(0, report)
        return 0

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        """What was reported at t_{k+1}; the command changes nothing."""
        self._fill(min(k + 1, self.rows - 1), report)
        return 0

    def stop(self, why: int) -> None:
        """Nothing is running."""
