"""What the recordings of an accepted bounce say of the rig, beside what its scenario believes: the
spring's stiffness, the robots' delays, the force in free motion (docs/rig.md, validation).

From the recordings alone, by `softdock identify`. What a recording cannot tell is listed with the
reason and does not decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import SoftdockError
from softdock.loop.contact.laws import LINEAR_LAWS
from softdock.recording.read import read_contents
from softdock.recording.recording import make_recording
from softdock.results.controller import Controller
from softdock.rig.outcome import OF_TOUCH
from softdock.rig.scenario import OnRig
from softdock.studies.identify import Identification, identify
from softdock.studies.identify.estimate import Estimate

UNCERTAINTIES = 3.0  # standard ones of the estimate, which may be wider than what is allowed
OF_STIFFNESS, DELAY_MS = 0.02, 1.0  # what identification is good for (docs/logs.md)


@dataclass(frozen=True)
class Comparison:
    """One number of a recording beside what was expected."""

    run: int
    what: str
    unit: str
    expected: float
    measured: float | None  # None: the recording cannot tell
    allowed: float  # distance
    why: str = ""  # why it cannot

    @property
    def passed(self) -> bool | None:
        if self.measured is None:
            return None
        return bool(abs(self.measured - self.expected) <= self.allowed)

    @property
    def sentence(self) -> str:
        if self.measured is None:
            return f"run {self.run}: {self.what}: not known: {self.why}"
        word = "as expected" if self.passed else "NOT as expected"
        return (
            f"run {self.run}: {self.what} {self.measured:.5g} {self.unit}, expected "
            f"{self.expected:.5g} +- {self.allowed:.2g} {self.unit}: {word}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.passed}


def compare_recordings(on: OnRig, files: dict[int, Path]) -> tuple[Comparison, ...]:
    """Of each run that was recorded; `files` by the number of the run."""
    return tuple(one for run, file in files.items() for one in _compare_run(on, run, file))


def _compare_run(on: OnRig, run: int, file: Path) -> Iterator[Comparison]:
    try:
        found = identify(make_recording(read_contents(file), as_rig=True))
    except (SoftdockError, OSError) as error:
        yield Comparison(run, "identification", "", 0.0, None, 0.0, str(error))
        return
    laws = [pair["real"] for pair in on.scenario.tables["contact"]]
    if len(laws) == 1 and laws[0]["law"] in LINEAR_LAWS:
        expected = float(laws[0]["stiffness_N_per_m"])
        why = found.cannot_tell.get("stiffness", "no contact that identifies it")
        yield _compare(
            run, "stiffness", "N/m", expected, found.stiffness, OF_STIFFNESS * expected, why
        )
    for body in on.rig.moving:
        delay = float(on.scenario.tables["robots"][body]["delay_ms"])
        why = found.cannot_tell.get(f"robot_delay.{body}", "")
        what = f"delay of the {body}'s robot"
        yield _compare(run, what, "ms", delay, found.robot_delay.get(body), DELAY_MS, why, 1e3)
    yield from _compare_zero(on, run, found)


def _compare(
    run: int,
    what: str,
    unit: str,
    expected: float,
    estimate: Estimate | None,
    allowed: float,
    why: str,
    factor: float = 1.0,
) -> Comparison:
    if estimate is None:
        return Comparison(run, what, unit, expected, None, allowed, why)
    allowed = max(allowed, UNCERTAINTIES * factor * float(estimate.uncertainty))
    return Comparison(run, what, unit, expected, factor * float(estimate.value), allowed)


def _compare_zero(on: OnRig, run: int, found: Identification) -> Iterator[Comparison]:
    """The mean force in free motion, of each sensor: what is left of weight and bias."""
    touch = Controller(on.scenario).touch_N
    for body, tool in found.tools.items():
        what = f"mean force of the {body}'s sensor in free motion"
        if tool.reading is None:
            yield Comparison(run, what, "N", 0.0, None, OF_TOUCH * touch, tool.note)
            continue
        sigma = float(np.linalg.norm(tool.reading.uncertainty))
        size = float(np.linalg.norm(tool.reading.value))
        yield Comparison(run, what, "N", 0.0, size, max(OF_TOUCH * touch, UNCERTAINTIES * sigma))
