"""What the exported FMU does: a scenario's controller behind FMI's calls. Knows no FMI library.

Inputs: the report of t_k. A step from t_k to t_{k+1}: outputs are the set-points stamped t_{k+1}.
Before the first step they are those of t = 0. Only steps of the scenario's cycle are taken.
"""

from __future__ import annotations

from pathlib import Path

from softdock.loop.seam import COMMAND, REPORT, SEAM_STATUSES, new_command, new_report
from softdock.results.controller import Controller
from softdock.scenario.files import load_scenario

SCENARIO_FILE = "scenario.toml"
STATUS = REPORT.size + COMMAND.size  # value references: report, command, status
NEAR = 1e-6  # of a cycle: how exact steps must be


class ScenarioController:
    """Value references are places in `values`."""

    values: list[float]

    def open(self, folder: str | Path) -> None:
        """The scenario that lies in the FMU's resources."""
        self._scenario = load_scenario(Path(folder) / SCENARIO_FILE)
        self._controller = Controller(self._scenario)
        self.T = self._controller.T
        self._report, self._command = new_report(), self._controller.first_command()
        self.values = [0.0] * REPORT.size + self._command.tolist() + [0.0]

    def set_float64(self, vrs: list[int], values: list[float]) -> None:
        for vr, value in zip(vrs, values, strict=True):
            self.values[vr] = value

    def get_float64(self, vrs: list[int]) -> list[float]:
        return [self.values[vr] for vr in vrs]

    def exit_initialization_mode(self) -> None:
        """Machine code is compiled or loaded here, and not in the first step."""
        Controller(self._scenario).step(0, new_report(), new_command())

    def advance(self, current_time: float, step_size: float) -> str:
        """One cycle; once it has ended (`status`), nothing. Returns what is wrong with the step."""
        k = round(current_time / self.T)
        if max(abs(current_time - k * self.T), abs(step_size - self.T)) > NEAR * self.T:
            return (
                f"a step from {current_time!r} s of {step_size!r} s: the controller's cycle is "
                f"{self.T!r} s; use fixed steps of it from 0"
            )
        if self.values[STATUS] != 0.0:
            return ""
        self._report[:] = self.values[: REPORT.size]
        status = self._controller.step(k, self._report, self._command)
        self.values[REPORT.size :] = [*self._command.tolist(), float(status)]
        return ""

    def describe_status(self) -> str:
        """Meanings of the output `status`."""
        return "; ".join(f"{i}: {text}" for i, text in enumerate(SEAM_STATUSES))
