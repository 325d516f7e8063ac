"""Runs of a rig one after the other, each with its own recording, and what they have in common."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from softdock.core.rig.layout import DOCK
from softdock.drivers.compiled_loop import Granted
from softdock.drivers.rig_outcome import RigOutcome, outcome_of
from softdock.drivers.rig_peers import RigPeers
from softdock.drivers.rig_program import RigProgram
from softdock.drivers.rig_scenario import OnRig
from softdock.recorder.recorder import Recorder
from softdock.rig.recording import recorder_for
from softdock.rig.session import Look, Session

WATCH_S = 0.5  # between two looks at the recorder
MEASURED = (
    "restitution",
    "observed_J",
    "peak_force_N",
    "force_age_ms",
    "force_age_most_ms",
    "slowest_us",
)


@dataclass
class RigRun:
    """One run of a series."""

    outcome: RigOutcome
    program: RigProgram = field(repr=False)
    recording: Path | None
    said: list[str]  # what is missing of the recording
    not_judged: str = ""  # why there is no verdict or page of it

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.outcome.to_dict(),
            "recording": None if self.recording is None else str(self.recording),
            "said": self.said,
            "not_judged": self.not_judged,
        }


@dataclass
class RigSeries:
    """All runs, and what the machine granted."""

    runs: list[RigRun]
    planned: int
    granted: Granted
    compute_us: Any  # numpy array, of all answers
    not_taken: dict[str, dict[str, int]]  # datagrams, by whose socket and why

    @property
    def completed(self) -> bool:
        return len(self.runs) == self.planned and all(r.outcome.completed for r in self.runs)

    @property
    def recorded(self) -> bool:
        """Whether every recording that was made is whole."""
        return not any(r.said for r in self.runs)

    def statistics(self) -> dict[str, dict[str, float]]:
        """Mean, spread, least and largest of what was measured in completed runs."""
        found = {}
        for name in MEASURED:
            values = [getattr(r.outcome, name) for r in self.runs if r.outcome.completed]
            values = [v for v in values if v is not None and math.isfinite(v)]
            if values:
                found[name] = {
                    "runs": len(values),
                    "mean": statistics.fmean(values),
                    "spread": statistics.stdev(values) if len(values) > 1 else 0.0,
                    "least": min(values),
                    "largest": max(values),
                }
        return found


def folder_for(on: OnRig, given: Path | None, now: datetime | None = None) -> Path:
    """Where recordings of a series go: a new folder by the time of day."""
    if given is not None:
        return given
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%d-%H%M%S")
    return Path(on.rig.record.folder) / f"{stamp}-{on.scenario.tables['name']}"


def run_series(
    on: OnRig,
    peers: RigPeers,
    switch_on: Callable[[], Any],
    *,
    repeat: int = 1,
    shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
    folder: Path | None = None,
    note: str = "",
    task: int = DOCK,
    look: Look = lambda program, elapsed: None,
    recorded: Callable[[Path], None] = lambda rings: None,
    begun: Callable[[Granted], None] = lambda granted: None,
    ended: Callable[[int, RigRun], None] = lambda number, run: None,
    troubled: Callable[[str], None] = lambda text: None,
) -> RigSeries:
    """`repeat` runs; the first that does not complete is the last. `folder` None: no recording.
    `recorded` is told the rings of each run before it begins, for whoever looks on beside the
    recorder (recorder/live_rows.py); `troubled` what goes wrong with a recording, when it does."""
    runs: list[RigRun] = []
    with Session(on, peers) as session:
        for number in range(repeat):
            recorder = _recorder(on, peers, folder, note, number, repeat, shift_m)
            if recorder is not None:
                recorded(recorder.rings.path)
            try:
                program = session.prepare(
                    shift_m, None if recorder is None else recorder.rings, task
                )
                session.take(program)
                if number == 0:
                    session.begin(switch_on, begun)
                session.follow(_watching(look, recorder, troubled))
            finally:
                session.stop_recording()
                said = [] if recorder is None else recorder.close()
            file = None if recorder is None else recorder.file
            runs.append(RigRun(outcome_of(program), program, file, said))
            ended(number, runs[-1])
            if not runs[-1].outcome.completed:
                break
        return RigSeries(
            runs=runs,
            planned=repeat,
            granted=session.granted,
            compute_us=session.compute_us(),
            not_taken=session.not_taken(),
        )


def _watching(look: Look, recorder: Recorder | None, troubled: Callable[[str], None]) -> Look:
    """A look that also tells, once, what has gone wrong with the recording."""
    if recorder is None:
        return look
    told, next_s = set[str](), 0.0

    def both(program: RigProgram, elapsed_s: float) -> None:
        nonlocal next_s
        look(program, elapsed_s)
        if elapsed_s < next_s:
            return
        next_s = elapsed_s + WATCH_S
        for text in recorder.said():
            kind = re.sub(r"[0-9]+", "", text)  # rows that are lost grow in number
            if kind not in told:
                told.add(kind)
                troubled(text)

    return both


def _recorder(
    on: OnRig,
    peers: RigPeers,
    folder: Path | None,
    note: str,
    number: int,
    repeat: int,
    shift_m: tuple[float, float, float],
) -> Recorder | None:
    if folder is None:
        return None
    name = "run.mcap" if repeat == 1 else f"run-{number + 1:03d}.mcap"
    said = {"number": f"{number + 1} of {repeat}", "dry_shift_m": str(list(shift_m))}
    recorder = recorder_for(on, folder / name, note, peers.calibrations, said)
    recorder.start()
    return recorder
