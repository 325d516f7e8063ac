"""An FMU of one's own as the rig: robots, mechanism and contact behind FMI's calls.

    rig = softdock.FmuFacility("rig.fmu", {"x_set": "command.chaser.p.x",
                                           "x": "report.chaser.p.x",
                                           "F": "report.chaser_wrench.force.x"})
    run = softdock.drive(scenario, rig)

Co-simulation, FMI 2 or 3. **An FMU is machine code and runs with your rights.** A variable that has
a name of the seam (names.py) needs no entry. A cell of a pose that no variable gives is that of the
set-point: an ideal robot; one of a wrench is 0. Needs FMPy (softdock[fmi]).
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softdock._arguments import (
    PATH,
    check_arguments,
    finite_number,
    one_of,
    optional,
    whole_number,
)
from softdock.errors import BadInput, Problem, closest
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT, ROBOT_FAULT, SEAM_STATUSES
from softdock.results.stepper import refuse_exchange, refuse_rows
from softdock.rig.fmi.export import INSTALL
from softdock.rig.fmi.names import COMMANDS, REPORTS

KINDS = ("contact", "raw")
BODIES = ("chaser", "target")
NUMBERS = ("Real", "Float64")  # types of a variable: FMI 2, FMI 3
TWIST = 7  # place of the twist in a motion
R = REPORT.at


def import_fmpy() -> Any:
    """The package, or what to install."""
    try:
        import fmpy
        import fmpy.fmi2
        import fmpy.fmi3
    except ImportError:
        raise BadInput(Problem("FMPy", "not installed", INSTALL)) from None
    return fmpy


def _texts_by_name(value: Any) -> str:
    fits = isinstance(value, Mapping) and all(
        isinstance(n, str) for one in value.items() for n in one
    )
    return "" if fits else "a mapping from a variable of the FMU to a cell of the seam, both texts"


def _numbers_by_name(value: Any) -> str:
    finite = finite_number()
    fits = isinstance(value, Mapping) and not any(
        not isinstance(name, str) or finite(number) for name, number in value.items()
    )
    return "" if fits else "a mapping from a variable of the FMU to a finite number"


class FmuFacility:
    """`names`: for a variable of the FMU the cell of the interface. `wrench`: "contact", of the
    contact alone, about the centre of mass in world axes; or "raw", as a sensor sends it.
    `parameters`: start values by name. `reason`: what ended the run, if the FMU did."""

    @check_arguments(
        path=PATH,
        names=optional(_texts_by_name),
        wrench=one_of(*KINDS),
        parameters=optional(_numbers_by_name),
    )
    def __init__(
        self,
        path: str | Path,
        names: Mapping[str, str] | None = None,
        *,
        wrench: str = "contact",
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        fmpy = import_fmpy()
        self.path, self.wrench, self.reason = Path(path), wrench, ""
        try:
            self._described = fmpy.read_model_description(str(path), validate=False)
        except Exception as error:
            raise BadInput(Problem("FMU", str(path), f"an FMU ({error})")) from None
        found = self._described
        if found.fmiVersion.split(".")[0] not in "23" or found.coSimulation is None:
            given = f"FMI {found.fmiVersion}"
            raise BadInput(Problem("FMU", given, "co-simulation by FMI 2 or 3", str(path)))
        self._variables = {v.name: v for v in found.modelVariables}
        self._map(dict(names or {}))
        self._parameters = [
            (self._find(name).valueReference, float(value))
            for name, value in (parameters or {}).items()
        ]
        self._folder = ""
        self._fmu: Any = None

    def _find(self, name: str) -> Any:
        if name not in self._variables or self._variables[name].type not in NUMBERS:
            known = [n for n, v in self._variables.items() if v.type in NUMBERS]
            allowed, near = "a variable of the FMU, a real number", closest(name, known)
            raise BadInput(Problem("names", name, allowed, str(self.path), suggestion=near))
        return self._variables[name]

    def _map(self, names: dict[str, str]) -> None:
        """Value references of inputs and outputs, with their places in both arrays."""
        commands = {one.name: one.at for one in COMMANDS}
        reports = {one.name: one.at for one in REPORTS}
        mapped = {n: n for n in self._variables if n in commands or n in reports} | names
        self._inputs, self._outputs = list[tuple[int, int]](), list[tuple[int, int]]()
        for name, cell in mapped.items():
            variable, side = self._find(name), commands if cell in commands else reports
            if cell not in side:
                near = closest(cell, [*commands, *reports])
                allowed = "a cell of the interface, such as command.chaser.p.x"
                raise BadInput(Problem("names", cell, allowed, name, suggestion=near))
            wanted = "input" if side is commands else "output"
            if variable.causality != wanted:
                given = f"{name}, {variable.causality}"
                raise BadInput(Problem("names", given, f"an {wanted} of the FMU", cell))
            kept = self._inputs if side is commands else self._outputs
            kept.append((variable.valueReference, side[cell]))
        given_cells = {at for _, at in self._outputs}

        def has(first: int, last: int) -> bool:
            return any(first <= at < last for at in given_cells)

        self._present = 0
        for body in BODIES:
            pose, felt = getattr(R, body), getattr(R, f"{body}_wrench")
            self._present |= PRESENT_BITS[f"{body}_pose"]
            if has(pose + TWIST, pose + 13):
                self._present |= PRESENT_BITS[f"{body}_twist"]
            if has(felt, felt + 6):
                self._present |= PRESENT_BITS[f"{body}_wrench"]
                if self.wrench == "contact":
                    self._present |= PRESENT_BITS[f"{body}_reduced"]
        if not self._present & (PRESENT_BITS["chaser_wrench"] | PRESENT_BITS["target_wrench"]):
            allowed = "an output of the FMU for a force, such as report.chaser_wrench.force.x"
            raise BadInput(Problem("names", sorted(mapped), allowed, str(self.path)))

    def _open(self) -> Any:
        fmpy, found = import_fmpy(), self._described
        self._folder = fmpy.extract(str(self.path))
        made = fmpy.fmi2.FMU2Slave if found.fmiVersion[0] == "2" else fmpy.fmi3.FMU3Slave
        fmu = made(
            guid=found.guid,
            unzipDirectory=self._folder,
            modelIdentifier=found.coSimulation.modelIdentifier,
            instanceName="softdock",
        )
        fmu.instantiate()
        two = found.fmiVersion[0] == "2"
        self._set, self._get = (
            (fmu.setReal, fmu.getReal) if two else (fmu.setFloat64, fmu.getFloat64)
        )
        if self._parameters:
            self._set(*map(list, zip(*self._parameters)))
        if two:
            fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        return fmu

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        """A new instance, at the set-points of t = 0."""
        refuse_rows(command=(command, COMMAND.size), report=(report, REPORT.size))
        self._close()
        self.reason = ""
        try:
            self._fmu = self._open()
            self._send(command)
            self._fmu.exitInitializationMode()
        except Exception as error:
            raise BadInput(
                Problem("FMU", str(self.path), f"an FMU that starts ({error})")
            ) from None
        return self._fill(0, 0.0, command, report)

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        """One step of it, with the set-points of its end as inputs."""
        refuse_exchange(k, command, report)
        if self._fmu is None:
            raise BadInput(Problem("exchange", "no instance", "after start()", str(self.path)))
        before, now = float(report[R.now]), float(command[COMMAND.at.stamp])
        try:
            self._send(command)
            self._fmu.doStep(1e-9 * before, 1e-9 * (now - before))
        except Exception as error:
            self.reason = f"the FMU ended at {1e-9 * before:g} s: {error}"
            report[R.status] = ROBOT_FAULT
            return ROBOT_FAULT
        return self._fill(k + 1, now, command, report)

    def _send(self, command: np.ndarray) -> None:
        if self._inputs:
            references, places = zip(*self._inputs)
            self._set(list(references), command[list(places)].tolist())

    def _fill(self, k: int, now: float, command: np.ndarray, report: np.ndarray) -> int:
        report[:] = 0.0
        report[R.cycle], report[R.now], report[R.present] = k, now, self._present
        for body in BODIES:
            at, ideal = getattr(R, body), getattr(COMMAND.at, body)
            report[at : at + 13] = command[ideal : ideal + 13]
            report[getattr(R, f"{body}_stamp")] = now
            report[getattr(R, f"{body}_force_stamp")] = now
            report[getattr(R, f"{body}_force_number")] = k
        references, places = zip(*self._outputs)
        report[list(places)] = values = self._get(list(references))
        if not all(map(math.isfinite, values)):
            at = next(i for i, one in enumerate(values) if not math.isfinite(one))
            cell = REPORTS[self._outputs[at][1]].name
            self.reason = f"the FMU gave {values[at]} for {cell} at {1e-9 * now:g} s"
            report[R.status] = ROBOT_FAULT
        return int(report[R.status])

    @check_arguments(why=whole_number(0, len(SEAM_STATUSES) - 1))
    def stop(self, why: int) -> None:
        """Ends the instance."""
        self._close()

    def _close(self) -> None:
        if self._fmu is not None:
            for step in (self._fmu.terminate, self._fmu.freeInstance):
                try:
                    step()
                except Exception as error:
                    self.reason = self.reason or f"the FMU did not close: {error}"
            self._fmu = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""
