"""The same docking at N sampling phases: where within a cycle the touch falls is chance on a rig,
so one run is one draw.

Run i starts i/N of a cycle earlier on the same free flight: both bodies are moved back along it
(positions by their velocities, attitudes and rates by their torque-free rotation), and schedules
are moved the same time later, and an orbit's radial direction is turned back. So everything happens
i/N of a cycle later than in the scenario as written, and nothing but the sampling phase changes.
Random numbers stay those of the cycle's number; delays that vary with time (ramp, wobble) are not
moved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softdock._arguments import PROGRESS, check_arguments, whole_number
from softdock.compile.interrupts import run_each_abandonable
from softdock.errors import RunInterrupted
from softdock.results.free_flight import analyse_free_flight, suggest_first_step
from softdock.results.momenta import read_mass_properties
from softdock.results.run import Run
from softdock.results.simulation import SCENARIO_OR_TABLES, simulate
from softdock.results.verdict import make_verdict
from softdock.scenario.build import Scenario, build, change_keys
from softdock.scenario.orbit_frame import has_reference, radial_at

# A run judged at the worst of its sampling phases: the run itself and a few more of the same
# docking, which run on all cores and are not kept.

MOST = 0.5  # of the distance from the reference: what makes so much is mended first
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
    return scenario.replace({"random.seed": (scenario.tables["random"]["seed"] + by) % SEEDS})


def judge_in_phases(
    run: Run, count: int | None = None, called: str = "", keep: bool = False
) -> Run:
    """The same run with its verdict over `count` sampling phases (the scenario's own number, if
    none is given). Its other metrics stay those of the run as written. `keep`: the runs that were
    judged, itself first, become `run.judged_runs`."""
    tables = run.scenario.tables["verdict"]
    others = list_phases(run.scenario, tables["phases"] if count is None else count)[1:]
    if run.status != "completed":
        others = []
    if keep:
        run.judged_runs = [run, *(simulate(one) for one in others)]
        metrics = [one.metrics for one in run.judged_runs]
    else:
        metrics = [run.metrics, *simulate_metrics(others)]
    run.metrics = {**run.metrics, "verdict": judge_metrics(run.scenario, metrics, called)}
    return run


def judge_metrics(
    scenario: Scenario, metrics: Sequence[dict[str, Any]], called: str = ""
) -> dict[str, Any]:
    """The verdict of a scenario from the metrics of its runs."""
    different = reseed(scenario, 1) is not scenario
    over = "sampling phases and seeds" if different else "sampling phases"
    step = _suggest_first_step(scenario, metrics, called or scenario.name)
    return make_verdict(metrics, scenario.tables["verdict"], called, step, over)


def _suggest_first_step(scenario: Scenario, metrics: Sequence[dict[str, Any]], called: str) -> str:
    """What comes first: a wrench in free flight where it is most of the distance; where it is one
    of several causes, their order; else nothing. A force counts by the verdict's own number, a
    torque by what it makes until the end of the run."""
    step = suggest_first_step(scenario)
    if not step:
        return ""
    numbers = [m["criteria"] for m in metrics]
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
    metrics = dict(
        run_each_abandonable(lambda i: (i, simulate(scenarios[i]).metrics), numbers, count_cores())
    )
    return [metrics[i] for i in numbers]


MOST_PHASES = 10_000
TURN_STEPS = 16  # Runge-Kutta steps over a fraction of a cycle
SHOWN = (
    "status",
    "restitution",
    "energy_ratio",
    "energy_added_J",
    "error_against_orbit",
    "error_against_orbit_worst",
    "contact_count",
)

Progress = Callable[[int, int], None]  # runs done, runs in all


@check_arguments(scenario=SCENARIO_OR_TABLES, count=whole_number(1, MOST_PHASES), progress=PROGRESS)
def simulate_phases(
    scenario: Scenario | Mapping[str, Any], count: int, progress: Progress | None = None
) -> Run:
    """The scenario's own run; its metrics have one more key, `phases`: mean and spread of every
    number over `count` phases."""
    if not isinstance(scenario, Scenario):
        scenario = build(scenario)
    cycle = scenario.tables["time"]["cycle_ms"] * 1e-3
    run = simulate(scenario)
    found = {0: run.metrics}
    threads = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )

    def fly(i: int) -> tuple[int, dict[str, Any]]:
        return i, simulate(shift_scenario(scenario, cycle * i / count)).metrics

    try:  # compiled code releases Python's lock
        for i, metrics in run_each_abandonable(fly, range(1, count), threads):
            found[i] = metrics
            if progress is not None:
                progress(len(found), count)
    except KeyboardInterrupt:
        raise RunInterrupted(_add_phases(run, found, count, cycle)) from None
    return _add_phases(run, found, count, cycle)


def _add_phases(run: Run, found: dict[int, dict[str, Any]], count: int, cycle: float) -> Run:
    """The run, with mean and spread of the phases that there are."""
    ordered = [found[i] for i in sorted(found)]
    stopped = sum(metrics["status"] != "completed" for metrics in ordered)
    warnings = list(run.metrics["warnings"])
    if stopped:
        warnings.append(f"{stopped} of {count} phases stopped early")
    if len(found) < count:
        warnings.append(f"interrupted after {len(found)} of {count} phases")
    run.metrics = {**run.metrics, "warnings": warnings, "phases": summarise_phases(ordered, cycle)}
    return run


def summarise_phases(found: list[dict[str, Any]], cycle: float) -> dict[str, Any]:
    """Mean, standard deviation (of the runs themselves: divided by N), least, most, and how many
    runs have the number, by dotted key."""
    flat = [dict(list_numbers(metrics)) for metrics in found]
    keys = list(dict.fromkeys(key for one in flat for key in one))
    spread = {}
    for key in keys:
        values = np.array([one[key] for one in flat if key in one])
        spread[key] = {
            "mean": float(values.mean()),
            "std": float(values.std()),
            "min": float(values.min()),
            "max": float(values.max()),
            "runs": len(values),
        }
    return {
        "count": len(found),
        "spread": spread,
        "runs": [
            {"phase": compute_sampling_phase(m, cycle), **{key: m[key] for key in SHOWN}}
            for m in found
        ],
    }


def compute_sampling_phase(metrics: Mapping[str, Any], cycle: float) -> float | None:
    """The fraction of a cycle at which the first contact falls in free motion, from the reference;
    None without a contact."""
    contacts = metrics["reference"]["contacts"]
    return (
        round(contacts[0]["start_s"] / cycle, 9) % 1.0 if contacts else None
    )  # rounded: a touch on the cycle has phase 0 and not 1


def list_numbers(metrics: Mapping[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    """Every number that has one value per run, by its dotted key: those at the top, of the ledger
    and of the fidelity."""
    numbers: list[tuple[str, float]] = []
    for key, value in metrics.items():
        if key in ("schema", "final", "reference", "phases", "cycle_s", "duration_s"):
            continue
        if isinstance(value, Mapping):
            numbers += list_numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            numbers.append((f"{prefix}{key}", float(value)))
    return numbers


def shift_scenario(scenario: Scenario, seconds: float) -> Scenario:
    """The same events, that much later."""
    bodies, tables = read_mass_properties(scenario.vector), scenario.tables
    changes: dict[str, Any] = {}
    for i, name in enumerate(("chaser", "target")):
        body = tables[name]
        if not bodies.fixed[i]:
            velocity, rate = (
                np.array(body[key], dtype=float) for key in ("velocity_m_per_s", "rate_rad_per_s")
            )
            changes[f"{name}.position_m"] = (
                np.array(body["position_m"], dtype=float) - seconds * velocity
            ).tolist()
            if rate.any():
                attitude, rate = rotate_free_body(
                    bodies.inertia[i], np.array(body["attitude_wxyz"], dtype=float), rate, -seconds
                )
                changes |= {
                    f"{name}.attitude_wxyz": attitude.tolist(),
                    f"{name}.rate_rad_per_s": rate.tolist(),
                }
        for kind in ("hand", "external"):
            rows = tables[kind][name]["rows"]
            if rows:
                changes[f"{kind}.{name}.rows"] = [[row[0] + seconds, *row[1:]] for row in rows]
    if has_reference(tables):
        changes["orbit.radial"] = radial_at(tables, -seconds).tolist()
    return change_keys(scenario, changes, moved=True)


def rotate_free_body(
    inertia: np.ndarray, attitude: np.ndarray, rate: np.ndarray, seconds: float
) -> tuple[np.ndarray, np.ndarray]:
    """Attitude and body rate of a free body a little later (or earlier): Runge-Kutta on both."""

    def slope(y: np.ndarray) -> np.ndarray:
        (w, x, y_, z), rates = y[:4], y[4:]
        p, q, r = rates
        turn = 0.5 * np.array(
            [
                -x * p - y_ * q - z * r,
                w * p + y_ * r - z * q,
                w * q + z * p - x * r,
                w * r + x * q - y_ * p,
            ]
        )
        return np.concatenate([turn, np.linalg.solve(inertia, np.cross(inertia @ rates, rates))])

    state, h = np.concatenate([attitude / np.linalg.norm(attitude), rate]), seconds / TURN_STEPS
    for _ in range(TURN_STEPS):
        a = slope(state)
        b = slope(state + 0.5 * h * a)
        c = slope(state + 0.5 * h * b)
        d = slope(state + h * c)
        state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return state[:4] / np.linalg.norm(state[:4]), state[4:]
