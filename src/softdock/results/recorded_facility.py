"""A facility that only repeats what was recorded: reports of another run, whatever is commanded.

In: a recording's series, one row per cycle. Out: reports as a rig would give them, row by row:
measured poses with their ages, wrenches of the contact alone, about the centre of mass, in world
axes, as they were delivered. The loop is open: the commands change nothing. It is for asking what
another controller would have commanded.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.seam import PRESENT_BITS, REPORT

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
        self._poses = {body: self._pose(series, body) for body in BODIES}
        self._ages = {body: self._age(series, body) for body in BODIES}
        self._wrenches = {
            body: w for body in BODIES if (w := self._wrench(series, body)) is not None
        }
        if not self._wrenches:
            raise BadInput(
                Problem("series", "no measured force", "a recording with a force sensor")
            )
        self._force_age = np.asarray(series["force_age"], float)

    @staticmethod
    def _pose(series: Mapping[str, np.ndarray], body: str) -> np.ndarray:
        kinds = (f"seen.{body}.position", f"seen.{body}.attitude")
        return np.hstack([np.asarray(series[kind], float) for kind in kinds])

    @staticmethod
    def _age(series: Mapping[str, np.ndarray], body: str) -> np.ndarray:
        own = f"pose_age.{body}"
        return np.asarray(series[own if own in series else "pose_age"], float)

    @staticmethod
    def _wrench(series: Mapping[str, np.ndarray], body: str) -> np.ndarray | None:
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
