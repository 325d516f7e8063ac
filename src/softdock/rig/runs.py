"""Runs of a rig one after the other, each with its own recording; and the acceptance of a rig from
what they have in common."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import re
import statistics
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from softdock.files.folders import ensure_folder
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.recording.layouts import write_layouts
from softdock.recording.recorder import Recorder, measure_utc_offset_ns
from softdock.recording.robot_description import list_joints, write_robot_description
from softdock.recording.streams import (
    BOTH,
    SENSOR_ON,
    URDF,
    About,
    describe_provenance,
    make_rig_streams,
)
from softdock.results.controller import Controller
from softdock.results.stepper import Stepper, count_cycles
from softdock.rig.drivers.compiled_loop import Granted
from softdock.rig.drivers.net_ft_page import Calibration
from softdock.rig.outcome import RigOutcome, compute_outcome
from softdock.rig.peers import RigPeers
from softdock.rig.program import RigProgram, name_samples_stream
from softdock.rig.scenario import OnRig
from softdock.rig.session import Look, Session
from softdock.rig.supervisor.arrays import EVENT_TEXTS
from softdock.rig.supervisor.layout import DOCK, STATES
from softdock.rig.supervisor.reasons import REASONS
from softdock.rig.validation import Comparison, compare_recordings
from softdock.scenario.build import Scenario
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import attached_methods

# The recording of a rig's run: which cells its rows hold, and what the file says of itself.

CELLS = (
    "chaser",
    "target",
    "command_chaser",
    "command_target",
    "seen_chaser_p",
    "seen_chaser_q",
    "seen_target_p",
    "seen_target_q",
    "satellite_chaser",
    "satellite_target",
    "force_age",
    "pose_age",
    "energy_kinetic",
    "energy_external",
    "energy_observed",
    "state",
    "reason",
    "late_s",
    "lost",
)


def list_cells(on: OnRig) -> list[str]:
    """Cells that this rig fills: of the sensors and robots that it has."""
    own = [f"{cell}_{body}" for body in on.rig.sensors for cell in ("measured", "raw")]
    ages = [f"pose_age_{body}" for body in on.rig.moving]
    return [*CELLS, *own, *ages]


def describe_run(
    on: OnRig,
    note: str,
    calibrations: Mapping[str, Calibration | None],
    details: Mapping[str, str],
) -> About:
    """Scenario, rig file, files of the user's methods, limits, sensor as read, the operator's note.
    `details`: of this run."""
    touch_N = Controller(on.scenario).touch_N
    bodies = tuple(on.rig.sensors)
    sensor: dict[str, str] = {}
    for body in bodies:  # of one sensor without its name, as all files had it
        page, name = calibrations.get(body), f"{body}." if len(bodies) > 1 else ""
        if page is not None:
            sensor |= {f"{name}{k}": str(v) for k, v in asdict(page).items()}
    limits = {k: str(v) for k, v in asdict(on.rig.limits).items() if v is not None}
    numbered = {"states": ", ".join(STATES), "reasons": ", ".join(r.name for r in REASONS)}
    return About(
        name=f"{on.rig.name}: {on.scenario.tables['name']}",
        utc_offset_ns=measure_utc_offset_ns(),
        attachments={
            "scenario.toml": to_toml(on.scenario.tables),
            "rig.toml": on.rig.toml(),
            **attached_methods(on.scenario.tables),
        },
        tables={
            "provenance": describe_provenance(note or on.rig.note, sensor),
            # a recording's contacts are those of the controller's log; the rig's own is coarser
            "limits": {**limits, "contact_N": str(on.rig.limits.touch_N), "touch_N": str(touch_N)},
            "run": {
                SENSOR_ON: bodies[0] if len(bodies) == 1 else BOTH,
                "master": on.rig.clock.master,
                **numbered,
                **details,
            },
        },
        event_texts=EVENT_TEXTS,
    )


def make_recorder(
    on: OnRig,
    file: Path,
    note: str,
    calibrations: Mapping[str, Calibration | None],
    details: Mapping[str, str],
) -> Recorder:
    """Rings and the process behind them, not started yet."""
    rates = {name_samples_stream(on.rig, n): end.rate_Hz for n, end in on.rig.sensors.items()}
    ensure_folder(file.parent)
    streams = make_rig_streams(list_cells(on), on.rig.cycle_s, rates)
    about = describe_run(on, note, calibrations, details)
    urdf = write_robot_description(on.scenario.tables, list_joints(streams))
    if urdf:
        about = replace(about, attachments={**about.attachments, URDF: urdf})
    return Recorder(
        file,
        streams,
        about,
        flush_s=1e-3 * min(on.rig.record.flush_ms, 100.0),
        seconds=on.rig.record.ring_s,
    )


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
    problems: list[str]  # what is missing of the recording
    not_judged: str = ""  # why there is no verdict or page of it

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.outcome.to_dict(),
            "recording": None if self.recording is None else str(self.recording),
            "said": self.problems,
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
    drivers: dict[str, dict[str, float]] = field(default_factory=dict)  # in Python: what they cost

    @property
    def completed(self) -> bool:
        return len(self.runs) == self.planned and all(r.outcome.completed for r in self.runs)

    @property
    def recorded(self) -> bool:
        """Whether every recording that was made is whole."""
        return not any(r.problems for r in self.runs)

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


def choose_folder(on: OnRig, given: Path | None) -> Path:
    """Where recordings of a series go: a new folder, as of other commands."""
    if given is not None:
        return given
    base = Path(on.rig.record.folder)
    names = (base / f"rig-{on.scenario.tables['name']}-{i}" for i in itertools.count(1))
    return next(path for path in names if not path.exists())


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
    recorder (recording/live.py); `troubled` what goes wrong with a recording, when it does."""
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
                session.follow(_make_look(look, recorder, troubled))
            finally:
                session.stop_recording()
                problems = [] if recorder is None else recorder.close()
            file = None if recorder is None else recorder.file
            runs.append(RigRun(compute_outcome(program), program, file, problems))
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


def _make_look(look: Look, recorder: Recorder | None, troubled: Callable[[str], None]) -> Look:
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
        for text in recorder.find_problems():
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
    details = {"number": f"{number + 1} of {repeat}", "dry_shift_m": str(list(shift_m))}
    recorder = make_recorder(on, folder / name, note, peers.calibrations, details)
    if number == 0:  # the topics of a series are the same
        with contextlib.suppress(OSError):  # a disc that is full is the recorder's to say
            write_layouts(recorder.file, recorder.rings.about, recorder.rings.streams)
    recorder.start()
    return recorder


# Acceptance of a rig: measured restitution against what its own ages predict.

# What a run should have come to, from its own measured ages.
#
# The force that acts is older than the instant it acts at, by its measured age; to the loop that is
# more delay. So the same scenario is simulated in one process with the robots' delay longer by the
# mean age of the forces in contact. On EPOS 1-D restitution grows by 7.0 per second of age.

RESTITUTION = LOG_COLUMNS.index("restitution")


def predict_restitution(scenario: Scenario, age_s: float) -> float | None:
    """Of the first contact; None: there is none, or it has not closed."""
    keys = {
        f"robots.{name}.delay_ms": scenario.tables["robots"][name]["delay_ms"] + 1e3 * age_s
        for name in ("chaser", "target")
    }
    stepper = Stepper(scenario.replace(keys))
    stepper.step(count_cycles(scenario))
    found = float(stepper.log[0, RESTITUTION])
    return found if math.isfinite(found) and found > 0.0 else None


@dataclass(frozen=True)
class AcceptRow:
    """One bounce."""

    measured: float
    predicted: float
    age_ms: float
    on_time: bool  # no telegram was lost and no reply was late

    @property
    def apart(self) -> float:
        return self.measured - self.predicted


@dataclass(frozen=True)
class Acceptance:
    """All bounces, and the verdict."""

    rows: tuple[AcceptRow, ...]
    within: float
    runs: int
    comparisons: tuple[Comparison, ...] = ()  # of the recordings (validation.py)

    @property
    def passed(self) -> bool:
        measured = len(self.rows) == self.runs > 0
        bounced = all(r.on_time and abs(r.apart) <= self.within for r in self.rows)
        return measured and bounced and not self.unexpected

    @property
    def unexpected(self) -> tuple[Comparison, ...]:
        """What the recordings say differently than the scenario."""
        return tuple(one for one in self.comparisons if one.passed is False)

    @property
    def sentence(self) -> str:
        worst = max((abs(r.apart) for r in self.rows), default=0.0)
        late = sum(not r.on_time for r in self.rows)
        if self.passed:
            return f"PASSED: {self.runs} bounces within {worst:.1e} of the prediction"
        if len(self.rows) < self.runs:
            return f"NOT PASSED: {len(self.rows)} of {self.runs} bounces gave a restitution"
        if late:
            return f"NOT PASSED: {late} of {self.runs} bounces lost telegrams or answered late"
        if worst <= self.within:
            names = ", ".join(dict.fromkeys(one.what for one in self.unexpected))
            return f"NOT PASSED: not as expected in the recordings: {names}"
        return f"NOT PASSED: {worst:.1e} from the prediction, allowed {self.within:.1e}"

    def to_dict(self) -> dict[str, Any]:
        rows = [{**dataclasses.asdict(r), "apart": r.apart} for r in self.rows]
        return {
            "passed": self.passed,
            "within": self.within,
            "rows": rows,
            "comparisons": [one.to_dict() for one in self.comparisons],
            "sentence": self.sentence,
        }


def judge_series(on: OnRig, series: RigSeries, within: float) -> Acceptance:
    """Every completed run that bounced, and what its recording says."""
    rows, files = [], {}
    for number, run in enumerate(series.runs):
        o = run.outcome
        if o.completed and run.recording is not None:
            files[number + 1] = run.recording
        if o.restitution is None or o.force_age_ms is None or not o.completed:
            continue
        predicted = predict_restitution(on.scenario, 1e-3 * o.force_age_ms)
        if predicted is not None:
            rows.append(AcceptRow(o.restitution, predicted, o.force_age_ms, not o.was_late))
    return Acceptance(tuple(rows), within, series.planned, compare_recordings(on, files))
