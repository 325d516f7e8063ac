"""What stands on the other side of the seam: the `Facility` protocol, and the simulated one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from softdock._arguments import (
    MOST_CYCLES,
    checked,
    is_whole,
    optional,
    refuse_wrong,
    row_of,
    whole,
)
from softdock.core.facility.state import FACILITY
from softdock.core.machine import seam_doors
from softdock.core.machine.simulated_report import TRUTH
from softdock.core.seam import COMMAND, REPORT, SEAM_STATUSES
from softdock.runs.arms import refuse_arms_at_start
from softdock.runs.stepper import (
    SCENARIO,
    cycle_count,
    refuse_deep_start,
    refuse_rows,
    rows_of,
)
from softdock.scenario.build import Scenario


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
    faults; it knows no method and believes nothing of its tools. `rows`: instants whose truth is
    kept; by default those of the scenario."""

    @checked(scenario=SCENARIO, rows=optional(whole(0, MOST_CYCLES)))
    def __init__(self, scenario: Scenario, rows: int | None = None):
        self.scenario = scenario
        self.vector = scenario.vector.copy()
        self.mem = np.zeros(scenario.mem_floats)
        self.state = np.zeros(FACILITY.size)
        self.truth = rows_of(cycle_count(scenario) + 1 if rows is None else rows, TRUTH.size)
        self._beyond = np.zeros(TRUTH.size)  # instants that nobody keeps
        self.stopped: int | None = None  # why, once it was told to stop

    def _row(self, k: int) -> np.ndarray:
        return self.truth[k] if k < len(self.truth) else self._beyond

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        """At t = 0 the robots have followed the scenario's free flight so far, whatever the
        command is."""
        refuse_rows(command=(command, COMMAND.size), report=(report, REPORT.size))
        self.mem[:], self.stopped = 0.0, None
        refuse_deep_start(
            *seam_doors.begin_facility(
                self.vector,
                self.scenario.markers.features,
                self.mem,
                self.state,
                report,
                self._row(0),
            )
        )
        refuse_arms_at_start(self.scenario, self.mem)
        return int(report[REPORT.at.status])

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        if not (row_of(report, REPORT.size) and row_of(command, COMMAND.size)):
            refuse_rows(report=(report, REPORT.size), command=(command, COMMAND.size))
        if not is_whole(k, 0, MOST_CYCLES):
            refuse_wrong({"k": whole(0, MOST_CYCLES)}, {"k": k})
        seam_doors.exchange(
            self.vector,
            self.scenario.markers.features,
            self.mem,
            k,
            self.state,
            command,
            report,
            self._row(k + 1),
        )
        return int(report[REPORT.at.status])

    @checked(why=whole(0, len(SEAM_STATUSES) - 1))
    def stop(self, why: int) -> None:
        self.stopped = why
