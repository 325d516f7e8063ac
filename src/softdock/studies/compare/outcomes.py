"""One candidate run and measured: its metrics against the reference, the curves a page shows, and
what a cycle of it costs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.loop.energy.ledger import ROWS
from softdock.reference import Reference
from softdock.results.metric import list_phase_metrics
from softdock.results.run import Run
from softdock.results.scene import Scene, build_scene, make_scene_from_reference
from softdock.results.simulation import judge, run_loop
from softdock.results.stepper import Stepper, count_cycles
from softdock.scenario.build import Scenario

LEAST_TURNS, MOST_TURNS = 5, 60  # batches of each candidate, of which the best counts
ENOUGH_S = 0.15  # s per candidate, after the least number of turns
BATCH_CYCLES = 5000  # at most


@dataclass(frozen=True)
class Curves:
    """What is drawn of a run, one value per cycle."""

    label: str
    time_s: np.ndarray
    gap_m: np.ndarray  # between the parts that touch; negative: their depth
    force_N: np.ndarray  # on the chaser satellite
    energy_added_J: np.ndarray
    off_m: np.ndarray  # chaser seen from the target: distance from where the reference has it
    scene: Scene | None = None  # for the replay


def make_curves(run: Run, label: str) -> Curves:
    s, o = run.series, run.reference.series
    added = np.sum([s[f"energy.{row}"] for row in ROWS], axis=0)
    gap = -s["contact.depth"]
    gap[0] = math.nan  # the loop measures its depth from the first cycle on
    rows = min(len(s["time"]), len(o["time"]))
    off = np.full(len(gap), math.nan)
    apart, in_orbit = (x["chaser.position"][:rows] - x["target.position"][:rows] for x in (s, o))
    off[:rows] = np.linalg.norm(apart - in_orbit, axis=1)
    scene = build_scene(run, name=label, reference=False)
    return Curves(
        label=label,
        time_s=s["time"].copy(),
        gap_m=gap,
        force_N=np.linalg.norm(s["satellite.chaser.force"], axis=1),
        energy_added_J=added,
        off_m=off,
        scene=scene,
    )


def make_reference_curves(scenario: Scenario, orbit: Reference) -> Curves:
    s = orbit.series
    force = np.linalg.norm(s["true.chaser.force"], axis=1)
    scene = make_scene_from_reference(scenario, orbit)
    return Curves(
        label="orbit",
        time_s=s["time"].copy(),
        gap_m=-s["contact.depth"],
        force_N=force,
        energy_added_J=np.zeros(len(force)),
        off_m=np.zeros(len(force)),
        scene=scene,
    )


def run_against(scenario: Scenario, orbit: Reference) -> Run:
    """A run that is compared with an reference already simulated: the truth of all candidates is
    the same."""
    return judge(run_loop(scenario), orbit)


def summarise_outcome(runs: Sequence[Run]) -> dict[str, Any]:
    """Metrics of one run, or means over the sampling phases of several. The first that stopped
    early decides the status, and then there are no numbers: nothing shows them beside it."""
    all_metrics = [run.metrics for run in runs]
    stopped = [m["status"] for m in all_metrics if m["status"] != "completed"]
    result: dict[str, Any] = {"status": stopped[0] if stopped else "completed"}
    for key in list_phase_metrics():
        values = [m[key] for m in all_metrics]
        if key == "contact_count":
            result[key] = max(values)
        else:
            known = not stopped and all(v is not None for v in values)
            result[key] = float(np.mean(values)) if known else None
    worst = [m["error_against_orbit_worst"] for m in all_metrics]
    result["error_against_orbit_worst"] = None if stopped or None in worst else max(worst)
    if len(runs) > 1:
        distances = [m["error_against_orbit"] for m in all_metrics]
        known = not stopped and all(d is not None for d in distances)
        result["error_against_orbit_min"], result["error_against_orbit_max"] = (
            (min(distances), max(distances)) if known else (None, None)
        )
    return result


def measure_costs_per_cycle(
    scenarios: Sequence[Scenario], enough_s: float = ENOUGH_S
) -> list[float | None]:
    """ns per cycle of each, without recording: the best of some short batches, taken in turn so
    that a slow moment hits all alike. `enough_s`: per scenario, after the least number of turns."""
    best = [math.inf] * len(scenarios)
    begun = time.perf_counter()
    for turn in range(MOST_TURNS):
        if turn >= LEAST_TURNS and time.perf_counter() - begun > enough_s * len(scenarios):
            break
        for i, scenario in enumerate(scenarios):
            loop = Stepper(scenario)
            cycles = min(count_cycles(scenario), BATCH_CYCLES)
            begin = time.thread_time_ns()  # of this thread alone, whatever else the machine does
            loop.step(cycles)
            took = time.thread_time_ns() - begin
            if loop.cycles:
                best[i] = min(best[i], took / loop.cycles)
    return [b if math.isfinite(b) else None for b in best]
