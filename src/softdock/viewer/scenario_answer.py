"""What a scenario answers: the run, its scene, a light, the ledger, and where the rig is stable.

Everything said is computed from this run; nothing is kept from the one before.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

from softdock.analysis.simulation import simulate
from softdock.campaign.outcome_columns import ACTIVE
from softdock.errors import BadInput
from softdock.recorder.recording import Recording
from softdock.report.recording.scene import scene_of_recording
from softdock.runs.run import Run
from softdock.scenario.build import Scenario
from softdock.scene import Scene, scene_of
from softdock.stability import loops_of
from softdock.stability.budget import total_delay
from softdock.stability.loop import Loop, Robot
from softdock.stability.panels import Panel, panel

HONEST = 0.02  # of the approach: a run closer to orbit than this is as good as orbit


@dataclass(frozen=True)
class Answer:
    """One run with everything that is shown of it."""

    run: Run | Recording
    scene: Scene
    light: str  # red, amber or green
    word: str
    sentence: str
    stability: Panel | None  # None: no contact of which a chart can be drawn
    spent_ms: dict[str, float] = field(default_factory=dict)  # CPU, by step

    @property
    def metrics(self) -> dict[str, Any]:
        return self.run.metrics


def recorded_answer(recording: Recording) -> Answer:
    """What a rig recorded: no ledger and no distance from orbit, which need the truth."""
    light, word = recorded_light(recording)
    return Answer(
        run=recording,
        scene=scene_of_recording(recording),
        light=light,
        word=word,
        sentence=recording.sentence,
        stability=stability_panel(recording.scenario) if recording.scenario else None,
    )


def recorded_light(recording: Recording) -> tuple[str, str]:
    """Red: the rig was seen to be active. Amber: all that can be said without the truth."""
    m = recording.metrics
    seen, start = m["energy_observed_J"], m["kinetic_start_J"]
    if seen is not None and start and seen > ACTIVE * start:
        return "red", f"active: observed {100.0 * seen / start:.1f} % of the energy at the start"
    return "amber", "a recording: no statement against orbit"


def answer(scenario: Scenario, run: Run | Recording | None = None) -> Answer:
    """Simulate, fly orbit beside it, and say what came out. `run`: one already made."""
    if isinstance(run, Recording):
        return recorded_answer(run)
    spent, last = {}, time.process_time()

    def took(step: str) -> None:
        nonlocal last
        now = time.process_time()
        spent[step], last = 1e3 * (now - last), now

    made = simulate(scenario) if run is None else run
    made.fly_orbit()
    took("simulate")
    metrics = made.metrics
    took("orbit and metrics")
    scene = scene_of(made)
    took("scene")
    chart = stability_panel(scenario)
    took("stability")
    light, word = light_of(metrics)
    return Answer(
        run=made,
        scene=scene,
        light=light,
        word=word,
        sentence=str(metrics["verdict"]),
        stability=chart,
        spent_ms=spent,
    )


def light_of(metrics: dict[str, Any]) -> tuple[str, str]:
    """Red: it stopped, or it invented energy. Amber: it is off orbit. Green: as good as orbit."""
    if metrics["status"] != "completed":
        return "red", f"stopped at {metrics['ended_at_s']:.3f} s: {metrics['status']}"
    start = metrics["ledger"]["kinetic_start_J"]
    if start > 0.0 and metrics["energy_invented_J"] > ACTIVE * start:
        share = 100.0 * metrics["energy_invented_J"] / start
        return "red", f"active: invented {share:.1f} % of the energy at the start"
    distance = metrics["distance_from_orbit"]
    if distance is None or not math.isfinite(distance):
        return "amber", "no statement against orbit"
    if distance > HONEST:
        return "amber", f"off: {100.0 * distance:.1f} % from orbit"
    return "green", f"honest: {100.0 * distance:.2g} % from orbit"


def stability_panel(scenario: Scenario) -> Panel | None:
    """Damping against the whole delay, for the first contact pair."""
    try:
        loop = loops_of(scenario)[0].loop
    except (BadInput, IndexError):
        return None
    late = total_delay(loop)
    alike = Loop(
        loop.mass, loop.stiffness, loop.damping + loop.virtual_damping, (Robot(delay=late),)
    )
    return panel(alike, "damping") if alike.stiffness > 0.0 and late > 0.0 else None
