"""A controller and a facility joined at the seam: `drive` runs them and gives a `Run`.

Limits, observed energy, contacts and record are the controller's, from reports alone. Where the
facility knows the truth (`facility.truth`) it is added after the run: true motions and wrenches,
the contact's depth and the ledger's rows that need them. Where it does not, those channels and
those keys of a contact are absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock._arguments import PROGRESS, checked, of_kind, optional
from softdock.analysis.faults import QUIET, rig_events
from softdock.analysis.feasibility import check_feasible
from softdock.analysis.method_books import method_books, told_by_truth
from softdock.analysis.observed_energy import observed_by_age
from softdock.analysis.simulation import SCENARIO_OR_TABLES, Progress, cut_attitudes
from softdock.core.adaptation.registry import METHODS
from softdock.core.energy.ledger import LEDGER
from softdock.core.machine import seam_doors
from softdock.core.machine.interrupts import deferred
from softdock.core.machine.record import RECORD
from softdock.core.machine.simulated_report import TRUTH
from softdock.core.seam import REPORT, SEAM_STATUSES, STATUS_BITS, bits, new_report
from softdock.errors import BadInput, Problem, RunInterrupted
from softdock.runs.controller import Controller
from softdock.runs.facility import Facility
from softdock.runs.memory import check_memory
from softdock.runs.run import Reached, Run, contact_rows
from softdock.runs.series import Series
from softdock.runs.stepper import LOGGED_CONTACTS, cycle_count
from softdock.scenario.build import Scenario, build

LOOK = 64  # cycles between two looks at progress and at Ctrl-C
# what only a simulation knows: cells of the record, and sums of the ledger
TRUE_CELLS = ("mock_up_chaser", "mock_up_target", "true_chaser", "depth")
TRUE_SUMS = ("sensor", "command", "robot", "real", "stored", "dissipated", "turnover")
INTERRUPTED = "interrupted"
Heard = dict[str, list[float]]  # of each status bit: how often, when first, when last [s]


@checked(
    scenario=SCENARIO_OR_TABLES,
    facility=of_kind("a Facility: start, exchange, stop", Facility),
    controller=optional(of_kind("a Controller", Controller)),
    progress=PROGRESS,
)
def drive(
    scenario: Scenario | Mapping[str, Any],
    facility: Facility,
    controller: Controller | None = None,
    progress: Progress | None = None,
) -> Run:
    """Run a scenario's controller against a facility, for its whole duration or until either ends
    it; the facility is told to stop in any case. `controller`: one of one's own, with as many rows
    as instants are to be recorded. Ctrl-C ends the run and raises `RunInterrupted` with it."""
    if not isinstance(scenario, Scenario):
        scenario = build(scenario)
    total = cycle_count(scenario)
    if controller is None:
        check_memory(scenario, total)
        check_feasible(scenario)
        controller = Controller(scenario, rows=total + 1)
    if controller.scenario is not scenario or controller.rows > 0:
        raise BadInput(Problem("controller", "another's", "a new one of the same scenario"))
    heard: Heard = {}
    status, interrupted = 0, False
    try:
        with deferred() as pressed:
            status, cycles, interrupted = _cycles(
                controller, facility, total, heard, progress, pressed
            )
    finally:
        facility.stop(status)
    said = INTERRUPTED if interrupted else SEAM_STATUSES[status]
    with np.errstate(all="ignore"):  # a run that diverged holds numbers beyond all bounds
        run = _told(controller, facility, cycles, total, said, heard)
    if interrupted:
        raise RunInterrupted(run)
    return run


def _cycles(
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
            _hear(heard, report[at], k * T)
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


def _hear(heard: Heard, status: float, t: float) -> None:
    for name in bits(STATUS_BITS, status):
        count, first, _ = heard.get(name, [0.0, t, t])
        heard[name] = [count + 1.0, first, t]


def _truth_of(facility: Facility, rows: int) -> np.ndarray | None:
    truth = getattr(facility, "truth", None)
    if truth is None or len(truth) < rows:
        return None
    return np.ascontiguousarray(truth[:rows])


def _absent() -> set[int]:
    """Columns of a record that only the truth fills."""
    ledger = RECORD.at.ledger
    names = [cell.name for cell in RECORD]
    places = [range(RECORD.size)[RECORD.slice_of(name)] for name in names if name in TRUE_CELLS]
    sums = {ledger + getattr(LEDGER.at, name) for name in TRUE_SUMS}
    return {i for place in places for i in place} | sums


def _series(controller: Controller, truth: np.ndarray | None) -> Series:
    """The record: with the truth, or without its channels."""
    rows, channels = controller.record[: controller.rows], controller.channels
    if truth is not None:
        s = controller.scenario
        seam_doors.add_truth(s.vector, s.markers.features, rows, truth)
        return Series(rows, channels)
    absent = _absent()
    kept = [i for i in range(len(channels)) if i not in absent]
    return Series(rows[:, kept], [channels[i] for i in kept])


def _contacts(controller: Controller, truth: np.ndarray | None) -> list[dict[str, float]]:
    """The log, by the measured force. The largest true force of each contact, where it is known."""
    rows = contact_rows(controller.log, controller.contact_count)
    for row in rows:
        row["peak_force_measured_N"] = row.pop("peak_force_real_N")
        if truth is not None:
            # the contact itself is a reading's age, and at most a cycle's hold, around its log
            margin = 2.0 * controller.T
            k = np.arange(len(truth)) * controller.T
            there = (k >= row["start_s"] - margin) & (k <= row["end_s"] + margin)
            row["peak_force_real_N"] = math.sqrt(np.max(truth[there, TRUTH.at.peak_squared]))
    return rows


def _events(heard: Heard) -> list[dict[str, Any]]:
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


def _told(
    controller: Controller,
    facility: Facility,
    cycles: int,
    total: int,
    status: str,
    heard: Heard,
) -> Run:
    """What is said of a run that has ended."""
    scenario, truth = controller.scenario, _truth_of(facility, controller.rows)
    series = _series(controller, truth)
    if status == "diverged":
        cut_attitudes(series)
    paired = observed_by_age(scenario.tables["sensor"]["on"], series)
    if paired is not None:
        series["energy.observed"][:] = paired
    contacts, count = _contacts(controller, truth), controller.contact_count
    events, warnings = _events(heard), list(scenario.warnings)
    if count > LOGGED_CONTACTS:
        warnings.append(f"{count} contacts; the log keeps the first {LOGGED_CONTACTS}")
    for i, method in enumerate(scenario.tables["methods"]):
        warnings += METHODS[method["name"]].report(controller.method_memory(i), method)
    books, said = method_books(scenario, controller.mem, series)
    warnings += said
    reached = Reached()
    if truth is not None:
        warnings += told_by_truth(scenario, series, contacts, books)
        events += rig_events(scenario, series, contacts)
        reached = Reached(
            math.sqrt(truth[:, TRUTH.at.peak_squared].max()),
            math.sqrt(truth[:, TRUTH.at.peak_torque_squared].max()),
        )
    warnings += [event["text"] for event in events if event["what"] not in QUIET]
    if status != "completed":
        warnings.append(f"stopped after {cycles} of {total} cycles: {status}")
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
