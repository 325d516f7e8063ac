"""A run judged at the worst of its sampling phases: the run itself and a few more of the same
docking, which fly on all cores and are not kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from softdock.compile.interrupts import each_abandonable
from softdock.results.free_flight import analyse_free_flight, suggest_first_step
from softdock.results.judgement import make_judgement
from softdock.results.phases import shift_scenario
from softdock.results.run import Run
from softdock.results.simulation import simulate
from softdock.scenario.build import Scenario

MOST = 0.5  # of the distance from orbit: what makes so much is mended first
SEEDS = 2**32  # there are as many


def list_phases(scenario: Scenario, count: int) -> list[Scenario]:
    """The scenario as it stands, then moved by even fractions of a cycle. With noise each has a
    seed of its own: chance and phase are sampled together."""
    cycle = scenario.tables["time"]["cycle_ms"] * 1e-3
    return [
        scenario,
        *(reseed(shift_scenario(scenario, cycle * i / count), i) for i in range(1, count)),
    ]


def reseed(scenario: Scenario, by: int) -> Scenario:
    """The same scenario with another seed; the same one where nothing is random."""
    sensor, pose = scenario.tables["sensor"], scenario.tables["pose"]
    random = [v for table in (sensor, pose) for k, v in table.items() if k.startswith("noise")]
    random += [
        robot[key]
        for robot in scenario.tables["robots"].values()
        for key in ("delay_jitter_ms", "dropout_probability")
    ]
    if not any(random):
        return scenario
    return scenario.with_keys({"random.seed": (scenario.tables["random"]["seed"] + by) % SEEDS})


def judge_in_phases(
    run: Run, count: int | None = None, called: str = "", keep: bool = False
) -> Run:
    """The same run with its judgement over `count` sampling phases (the scenario's own number, if
    none is given). Its other metrics stay those of the run as written. `keep`: the runs that were
    judged, itself first, become `run.judged_runs`."""
    tables = run.scenario.tables["verdict"]
    others = list_phases(run.scenario, tables["phases"] if count is None else count)[1:]
    if run.status != "completed":
        others = []
    if keep:
        run.judged_runs = [run, *(simulate(one) for one in others)]
        found = [one.metrics for one in run.judged_runs]
    else:
        found = [run.metrics, *simulate_metrics(others)]
    run.metrics = {**run.metrics, "judgement": judge_metrics(run.scenario, found, called)}
    return run


def judge_metrics(
    scenario: Scenario, found: Sequence[dict[str, Any]], called: str = ""
) -> dict[str, Any]:
    """The judgement of a scenario from the metrics of its runs."""
    different = reseed(scenario, 1) is not scenario
    over = "sampling phases and seeds" if different else "sampling phases"
    step = _suggest_first_step(scenario, found, called or scenario.name)
    return make_judgement(found, scenario.tables["verdict"], called, step, over)


def _suggest_first_step(scenario: Scenario, found: Sequence[dict[str, Any]], called: str) -> str:
    """What comes first: a wrench in free flight where it is most of the distance; where it is one
    of several causes, their order; else nothing. A force counts by the verdict's own number, a
    torque by what it makes until the end of the run."""
    step = suggest_first_step(scenario)
    if not step:
        return ""
    numbers = [m["criteria"] for m in found]
    far = max((n["distance"] or 0.0 for n in numbers), default=0.0)
    acting = analyse_free_flight(scenario)
    pushed = acting.distance
    if acting.force_N > 0.0:
        pushed = max((n["free_flight"] or 0.0 for n in numbers), default=0.0)
        if not pushed > scenario.tables["verdict"]["free_flight"]:
            return ""
    if pushed >= MOST * far:
        return step
    return f"`softdock why {called}` puts its causes in order; a force in free flight is one."


def count_cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def simulate_metrics(scenarios: Sequence[Scenario]) -> list[dict[str, Any]]:
    """Of each scenario's run, in their order, on all cores: compiled code releases Python's
    lock. Ctrl-C waits for none of them."""
    numbers = range(len(scenarios))
    found = dict(
        each_abandonable(lambda i: (i, simulate(scenarios[i]).metrics), numbers, count_cores())
    )
    return [found[i] for i in numbers]
