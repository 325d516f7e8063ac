"""A session of the live viewer: the scenario as opened, the changes since, and the last answer.
Knows no viewer.

A scenario that is refused or diverges does not end the session: the message is shown, and the last
answer stays.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.contact.models import shape_named
from softdock.loop.spatial.arrays import rotate
from softdock.output.folders.sources import is_recording, open_folder_run, open_recorded_run
from softdock.output.pages.recording import build_recording_scene
from softdock.output.viewer.methods import Fix, find_fixes, name_methods, use_methods
from softdock.output.viewer.panels import round_up
from softdock.recording.recording import Recording
from softdock.results.phases import judge_in_phases
from softdock.results.run import Run
from softdock.results.scene import Scene, build_scene
from softdock.results.scene.build import find_up
from softdock.results.simulation import simulate
from softdock.results.verdict import Verdict, read_verdict
from softdock.scenario.build import Scenario
from softdock.studies.stability import loops_of
from softdock.studies.stability.analysis import total_delay
from softdock.studies.stability.closed_forms import critical_delay
from softdock.studies.stability.loop import Loop


@dataclass(frozen=True)
class StabilityChart:
    """The longest delay with which a held contact decays, over the damping, and where the loop is.
    Its axes stay the same while a session changes delay and damping."""

    critical_ms: np.ndarray  # whole delay at each damping
    damping: np.ndarray  # Ns/m, from 0 to the end of the axis
    delay_end_ms: float
    point: tuple[float, float]  # ms, Ns/m
    allowed_ms: float  # critical delay at the point


@dataclass(frozen=True)
class Answer:
    """One run with everything that is shown of it."""

    run: Run | Recording
    scene: Scene
    verdict: Verdict
    stability: StabilityChart | None  # None: no contact of which a chart can be drawn

    @property
    def metrics(self) -> dict[str, Any]:
        return self.run.metrics


def answer_scenario(
    scenario: Scenario,
    run: Run | Recording | None = None,
    ends: tuple[float, float] | None = None,
) -> Answer:
    """Simulate the scenario and its reference, and judge the run at its own sampling phase. `run`:
    a run that exists already; `ends`: of the axes of the stability chart."""
    if isinstance(run, Recording):
        verdict = read_verdict(run.judge())
        chart = chart_stability(run.scenario) if run.scenario else None
        return Answer(run, build_recording_scene(run), verdict, chart)
    done = simulate(scenario) if run is None else run
    done.simulate_reference()
    return Answer(done, build_scene(done), done.verdict, chart_stability(scenario, ends))


def find_operating_point(scenario: Scenario) -> tuple[Loop, float] | None:
    """The loop of the first contact pair, with virtual damping counted as its own, and its whole
    delay [s]; None without a stiff contact."""
    try:
        loop = loops_of(scenario)[0].loop
    except (BadInput, IndexError):
        return None
    if loop.stiffness <= 0.0:
        return None
    return loop.changed(damping=loop.damping + loop.virtual_damping), total_delay(loop)


def chart_stability(
    scenario: Scenario, ends: tuple[float, float] | None = None
) -> StabilityChart | None:
    """Damping over the whole delay, for the first contact pair. `ends`: of the axes [ms, Ns/m]."""
    found = find_operating_point(scenario)
    if found is None:
        return None
    loop, delay = found
    rule = delay * loop.stiffness  # damping that a short delay needs
    wide, high = ends or (2.0 * MS * delay or 20.0, 2.0 * max(loop.damping, rule, 1e-6))
    damping = np.linspace(0.0, round_up(high), CHART_POINTS)
    return StabilityChart(
        critical_ms=MS * np.asarray(critical_delay(loop.mass, damping, loop.stiffness)),
        damping=damping,
        delay_end_ms=round_up(wide),
        point=(MS * delay, loop.damping),
        allowed_ms=MS * float(critical_delay(loop.mass, loop.damping, loop.stiffness)),
    )


MS = 1e3
CHART_POINTS = 200
BODIES = ("chaser", "target")


@dataclass(frozen=True)
class Knob:
    """One slider."""

    name: str
    label: str  # with its unit
    low: float
    high: float
    step: float
    value: float


def round_to_digits(value: float, digits: int = 2) -> float:
    """The value rounded to some digits, for the end of a scale."""
    if value == 0.0:
        return 0.0
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def make_knob(name: str, label: str, low: float, high: float, value: float) -> Knob:
    """A knob whose ends include the value, with about 200 steps."""
    low, high = round_to_digits(min(low, value)), max(round_to_digits(high), value)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-9) / 100.0))
    return Knob(name=name, label=label, low=low, high=high, step=step, value=value)


def list_knobs(scenario: Scenario) -> list[Knob]:
    """Knobs of a scenario at their present values; those without a meaning for it are left out."""
    t = scenario.tables
    delay = max(float(t["robots"][body]["delay_ms"]) for body in BODIES)
    knobs = [make_knob("delay", "delay [ms]", 0.0, max(40.0, 2.5 * delay), delay)]
    laws = [pair["real"] for pair in t["contact"]]
    late = 1e-3 * (max(delay, 8.0) + float(t["time"]["cycle_ms"]))
    stiff = [law["stiffness_N_per_m"] for law in laws if "stiffness_N_per_m" in law]
    damped = [law["damping_Ns_per_m"] for law in laws if "damping_Ns_per_m" in law]
    if damped and stiff:
        top = max(3.0 * max(stiff) * late, 4.0 * max(damped))
        knobs.append(make_knob("damping", "damping [Ns/m]", 0.0, top, max(damped)))
    if stiff:
        k = float(max(stiff))
        knobs.append(make_knob("stiffness", "stiffness [N/m]", k / 8.0, 4.0 * k, k))
    if laws:
        knobs.append(
            make_knob("friction", "friction [-]", 0.0, 0.6, max(law["friction"] for law in laws))
        )
    speed = 1e3 * float(np.linalg.norm(t["chaser"]["velocity_m_per_s"]))
    if speed > 0.0:
        knobs.append(make_knob("speed", "speed [mm/s]", speed / 5.0, 4.0 * speed, speed))
    size = offset_size(t)
    if size > 0.0:
        knobs.append(make_knob("offset", "offset [mm]", -1e3 * size, 1e3 * size, 0.0))
    return knobs


def offset_size(tables: Mapping[str, Any]) -> float:
    """Largest lateral offset of the chaser [m]; 0 if only an infinite wall is met."""
    solids = [shape_named(pair["geometry"]).drawing.solid(pair) for pair in tables["contact"]]
    sizes = [solid.opening for solid in solids if solid is not None]
    if not sizes and len(tables["contact"]) > 1:
        sizes = [2.0 * max(float(pair["tip_radius_m"]) for pair in tables["contact"])]
    return float(max(sizes, default=0.0))


def apply_knobs(scenario: Scenario, values: Mapping[str, float]) -> Scenario:
    """The scenario with its knobs at these values; refused (`BadInput`) as any scenario is."""
    t, changes = scenario.tables, dict[str, Any]()
    at = {one.name: one.value for one in list_knobs(scenario)}
    new = {key: float(value) for key, value in values.items() if key in at and value != at[key]}
    if "delay" in new:
        changes |= {f"robots.{body}.delay_ms": new["delay"] for body in BODIES}
    for name, key in (
        ("damping", "damping_Ns_per_m"),
        ("stiffness", "stiffness_N_per_m"),
        ("friction", "friction"),
    ):
        if name in new:
            for i, pair in enumerate(t["contact"]):
                if key in pair["real"]:
                    changes[f"contact.{i}.real.{key}"] = new[name]
    if "speed" in new:
        velocity = np.array(t["chaser"]["velocity_m_per_s"], dtype=float)
        scaled = velocity * (1e-3 * new["speed"] / np.linalg.norm(velocity))
        changes["chaser.velocity_m_per_s"] = scaled.tolist()
    if "offset" in new:
        start = np.array(t["chaser"]["position_m"], dtype=float)
        changes["chaser.position_m"] = (
            start + 1e-3 * new["offset"] * lateral_direction(t)
        ).tolist()
    return scenario.replace(changes) if changes else scenario


def lateral_direction(tables: Mapping[str, Any]) -> np.ndarray:
    """Horizontal unit vector across the first pair's axis; world axes."""
    target = np.array(tables["target"]["attitude_wxyz"], dtype=float)
    axis = rotate(target / np.linalg.norm(target), np.array(tables["contact"][0]["axis"], float))
    across = np.cross(find_up(tables), axis)
    if np.linalg.norm(across) < 1e-6 * np.linalg.norm(axis):
        across = np.cross(np.eye(3)[int(np.argmin(np.abs(axis)))], axis)
    return np.asarray(across / np.linalg.norm(across))


@dataclass
class Session:
    """What is shown, and what it was made from."""

    base: Scenario
    run: Run | Recording | None = None  # of a folder or a file: shown until something is turned
    values: dict[str, float] = field(default_factory=dict)
    method: str = ""
    fix: Fix | None = None
    last: Answer | None = None

    def __post_init__(self) -> None:
        self.knobs = list_knobs(self.base)
        self.method = self.method or name_methods(self.base)
        self.own = self.method
        self.ends = self._find_chart_ends()

    def _find_chart_ends(self) -> tuple[float, float] | None:
        """Ends of the stability chart's axes: what the sliders for delay and damping can reach."""
        far = {one.name: one.high for one in self.knobs if one.name in ("delay", "damping")}
        found = find_operating_point(apply_knobs(self.base, far))
        return None if found is None else (MS * found[1], max(found[0].damping, 1e-6))

    def scenario(self) -> Scenario:
        """The scenario with all changes."""
        changed = apply_knobs(self.base, self.values)
        if self.fix is not None:
            return changed.replace({"methods": self.fix.methods})
        return changed if self.method == self.own else use_methods(changed, self.method)

    def compute(self) -> Answer:
        """Run the present setting."""
        untouched = self.run is not None and not self.values and self.fix is None
        given = self.run if untouched and self.method == self.own else None
        scenario = self.base if given is not None else self.scenario()
        self.last = answer_scenario(scenario, given, self.ends)
        return self.last

    def judge(self) -> Answer | None:
        """The last answer with the verdict that `softdock run` gives: the worst of several sampling
        phases. None for a recording, which has one."""
        last = self.last
        if last is None or isinstance(last.run, Recording):
            return None
        self.last = replace(last, verdict=judge_in_phases(last.run).verdict)
        return self.last

    def fixes(self, ready: list[str]) -> list[Fix]:
        """Fixes that are better than the last answer."""
        if self.last is None or isinstance(self.last.run, Recording):
            return []
        now = self.last.metrics
        distance = now["error_against_orbit"] if now["status"] == "completed" else None
        return find_fixes(
            apply_knobs(self.base, self.values), self.last.run.reference, ready, distance
        )


def open_session(source: str, changes: tuple[str, ...] = ()) -> Session:
    """Open a preset, a scenario file, a run folder, or a recording."""
    from softdock.scenario.files import load_scenario, parse_changes

    recorded = is_recording(source)
    if recorded or Path(source).is_dir():
        run = open_recorded_run(source) if recorded else open_folder_run(source)
        if run.scenario is None:
            allowed = "a recording with the scenario attached; `softdock picture` shows without it"
            raise BadInput(Problem("source", source, allowed))
        if changes:
            return Session(run.scenario.replace(dict(parse_changes(changes))))
        return Session(run.scenario, run)
    return Session(load_scenario(source, changes))


class NewestRequestWorker:
    """Thread that does one piece of work at a time; of the requests made meanwhile only the newest
    counts."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.asked = threading.Event()
        self.ended = False
        self.thread = threading.Thread(target=self._loop, daemon=True)
        self.thread.start()

    def ask(self) -> None:
        self.asked.set()

    def stop(self) -> None:
        self.ended = True
        self.asked.set()

    def _loop(self) -> None:
        while True:
            self.asked.wait()
            self.asked.clear()
            if self.ended:
                return
            self.work()
