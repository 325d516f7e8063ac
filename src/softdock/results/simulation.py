"""Scenario in, run out: `run_loop` (the rig alone), `judge` (the reference beside it, and the
metrics) and `simulate`, which does both. Only what is called for is simulated: reading a number
never starts a simulation."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from softdock._arguments import PROGRESS, check_arguments, instance_of, optional
from softdock.compile.interrupts import defer_interrupts, run_abandonable
from softdock.errors import NoTruth, RunInterrupted
from softdock.loop import entry_points
from softdock.loop.arms.scenario_facility import arm_robots
from softdock.loop.facility.joint_record import BOOKS
from softdock.loop.robots.memory import JOINT, ROBOT_FLOATS
from softdock.loop.robots.robot import ROBOT
from softdock.loop.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT
from softdock.methods.registry import METHODS
from softdock.reference import Reference
from softdock.results.arms import describe_arm_stops, locate_robot
from softdock.results.faults import QUIET, find_rig_events
from softdock.results.feasibility import check_feasible
from softdock.results.free_flight import list_warnings as free_flight_warnings
from softdock.results.method_reports import add_truth_to_reports, collect_method_reports
from softdock.results.metrics import compute_metrics
from softdock.results.observed_energy import compute_if_ages_differ
from softdock.results.run import REPORTED, LoopSummary, Run, list_contacts
from softdock.results.series import Series
from softdock.results.stepper import LOGGED_CONTACTS, Stepper, check_memory, count_cycles
from softdock.scenario.build import Scenario, build

# What elastic joints did in a run: work of motors and contact on the moving mass, what is stored,
# moving and dissipated. From the run's memory at its end.
#
# The compiled ledger counts all of it in its row `robot`, the contact's work along the mock-up's
# own path; these books take it apart (results/joint_rows.py makes rows of them).

# of the works: joints that lose or gain more than this between their books are warned about
BALANCED_TO = 1e-3


def tabulate_joint_energies(
    vector: np.ndarray, mem: np.ndarray, series: Series
) -> dict[str, dict[str, float]]:
    """By robot with an elastic joint, J. `residual_J`: works minus stored, kinetic (its gain) and
    dissipated; zero but for the plant's step."""
    energies = {}
    for name, base in (("chaser", CHASER_ROBOT_AT), ("target", TARGET_ROBOT_AT)):
        K, mass = (
            float(vector[base + at]) for at in (ROBOT.at.joint_stiffness, ROBOT.at.moving_mass)
        )
        if K == 0.0:
            continue
        own = JOINT(mem, locate_robot(vector, name) + ROBOT_FLOATS)
        p, v = series[f"mock_up.{name}.position"], series[f"mock_up.{name}.velocity"]
        books = {
            "motor_work_J": float(own.motor_work),
            "contact_work_J": float(own.contact_work),
            "dissipated_J": float(own.dissipated),
            "stored_J": 0.5 * K * float(np.sum((p[-1] - own.motors.p) ** 2)),
            "kinetic_J": 0.5 * mass * float(v[-1] @ v[-1] - v[0] @ v[0]),
        }
        works = books["motor_work_J"] + books["contact_work_J"]
        energies[name] = {
            **books,
            "residual_J": works - books["dissipated_J"] - books["stored_J"] - books["kinetic_J"],
        }
    return energies


def tabulate_arm_energies(series: Series, robots: Iterable[str]) -> dict[str, dict[str, float]]:
    """The same of arms with elastic joints, from the series: of all six joints together."""
    energies = {}
    for name in robots:
        at = f"joints.{name}.energy"
        if f"{at}.stored" not in series:
            continue
        gain = {key: series[f"{at}.{key}"][-1] - series[f"{at}.{key}"][0] for key in BOOKS}
        books = {f"{key}_J": float(gain[key]) for key in BOOKS}
        works = books["motor_work_J"] + books["contact_work_J"]
        kept = books["dissipated_J"] + books["stored_J"] + books["kinetic_J"]
        energies[name] = {**books, "residual_J": works - kept}
    return energies


def list_imbalances(books: dict[str, dict[str, float]]) -> list[str]:
    """Warnings of joints that the plant's step is too coarse for."""
    warnings = []
    for name, own in books.items():
        turnover = sum(
            abs(own[f"{key}_J"])
            for key in ("motor_work", "contact_work", "dissipated", "stored", "kinetic")
        )
        if abs(own["residual_J"]) > BALANCED_TO * turnover:
            warnings.append(
                f"robots.{name}: the elastic joint's books miss {own['residual_J']:.3g} J; "
                "more time.plant_steps would resolve it"
            )
    return warnings


__all__ = [
    "LOGGED_CONTACTS",
    "Stepper",
    "collect_method_reports",
    "count_cycles",
    "judge",
    "run_loop",
    "simulate",
]

# Cycles between two looks at progress and at Ctrl-C: a few at first, then as many as take CHUNK_S.
FIRST_CHUNK, MOST_CHUNK, CHUNK_S = 64, 1_000_000, 0.1
MEASURED_CYCLES = 32  # by which the time of a run in plain Python is told
SCENARIO_OR_TABLES = instance_of("a Scenario, or tables", Scenario, Mapping)
UNIT = 1e-6  # by how much an attitude's squared length may miss 1

Progress = Callable[[int, int], None]  # cycles done, cycles in all


@check_arguments(scenario=SCENARIO_OR_TABLES, progress=PROGRESS)
def simulate(
    scenario: Scenario | Mapping[str, Any],
    progress: Progress | None = None,
    *,
    law: Any = None,
    robot: Any = None,
    method: Any = None,
) -> Run:
    """Run the loop over the scenario's whole duration, or until it stops; then simulate the
    reference beside it and take the metrics. A `Mapping` is built (and checked) first. `law`,
    `robot`, `method`: models of your own in plain Python, as of `Scenario.with_models`. Ctrl-C:
    `RunInterrupted` with the rig's run, also where it comes while the reference is simulated."""
    run = run_loop(scenario, progress, law=law, robot=robot, method=method)
    try:
        return judge(run)
    except KeyboardInterrupt:
        raise RunInterrupted(run) from None


@check_arguments(
    run=instance_of("a Run", Run), reference=optional(instance_of("a Reference", Reference))
)
def judge(run: Run, reference: Reference | None = None) -> Run:
    """The same run with the reference beside it and its metrics taken. `reference`: one already
    simulated of a scenario with the same truth. A run that has its metrics (one read from a folder)
    keeps them."""
    if not run.has_truth:
        raise NoTruth(REPORTED)
    if reference is not None:
        run.reference = reference
    run.simulate_reference()
    if not run.is_judged:
        with np.errstate(all="ignore"):  # a run that diverged holds numbers beyond all bounds
            run.metrics = compute_metrics(run)
    return run


@check_arguments(scenario=SCENARIO_OR_TABLES, progress=PROGRESS)
def run_loop(
    scenario: Scenario | Mapping[str, Any],
    progress: Progress | None = None,
    *,
    law: Any = None,
    robot: Any = None,
    method: Any = None,
) -> Run:
    """The rig alone: series, contacts, ledger, what methods did and what went wrong; the reference
    is not simulated and there are no metrics until `judge`. A `Mapping` is built (and checked)
    first. `law`, `robot`, `method`: as of `simulate`."""
    if not isinstance(scenario, Scenario):
        scenario = build(scenario)
    if not (law is None and robot is None and method is None):
        scenario = scenario.with_models(law=law, robot=robot, method=method)
    total = count_cycles(scenario)
    check_memory(scenario, total)
    check_feasible(scenario)
    if scenario.own is None:
        loop = run_abandonable(lambda: _prepare_loop(scenario, total + 1))
    else:
        loop = Stepper(scenario, rows=total + 1)
        _state_cost(loop, total)
    chunk, interrupted = FIRST_CHUNK, False
    with defer_interrupts() as pressed:
        while loop.cycles < total and loop.status == "completed" and not interrupted:
            began = time.perf_counter()
            loop.step(min(chunk, total - loop.cycles))
            chunk = _choose_chunk(chunk, time.perf_counter() - began)
            if progress is not None:
                progress(loop.cycles, total)
            interrupted = pressed()
    with np.errstate(all="ignore"):  # a run that diverged holds numbers beyond all bounds
        run = _collect_run(scenario, loop, total, "interrupted" if interrupted else loop.status)
    if interrupted:
        raise RunInterrupted(run)
    return run


def _prepare_loop(scenario: Scenario, rows: int) -> Stepper:
    """A loop at its start, compiled where there is nothing to be kept yet."""
    loop = Stepper(scenario, rows=rows)
    loop.step(0)
    return loop


class SlowModels(UserWarning):
    """How long a run with models in plain Python takes."""


def _state_cost(loop: Stepper, total: int) -> None:
    """How long a loop in plain Python will take, measured from its first cycles."""
    cycles = min(MEASURED_CYCLES, total)
    began = time.perf_counter()
    loop.step(cycles)
    per_cycle = (time.perf_counter() - began) / cycles
    warnings.warn(
        f"models in plain Python run uncompiled: {total} cycles of about {1e3 * per_cycle:.2g} ms "
        f"take about {total * per_cycle:.2g} s, without the on-orbit reference",
        SlowModels,
        stacklevel=_find_caller(),
    )


def _find_caller() -> int:
    """How many calls up the first one outside of softdock is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("softdock"):
        level, frame = level + 1, frame.f_back
    return level


def _choose_chunk(chunk: int, seconds: float) -> int:
    """Cycles until the next look at progress and Ctrl-C: some CHUNK_S of them."""
    if seconds <= 0.0:
        return 4 * chunk
    return max(1, min(4 * chunk, int(chunk * CHUNK_S / seconds), MOST_CHUNK))


def cut_attitudes(series: Series) -> None:
    """Attitudes of a run that diverged are no numbers from where they stop being rotations."""
    for name in {channel.rpartition(".")[0] for channel in series if ".attitude." in channel}:
        q = series[name]
        wrong = ~(np.abs(np.sum(q * q, axis=1) - 1.0) < UNIT)
        if wrong.any():
            q[int(np.argmax(wrong)) :] = math.nan


def _collect_run(scenario: Scenario, loop: Stepper, total: int, status: str) -> Run:
    """What is said of a loop that has ended."""
    count = entry_points.finish(loop.state, loop.log)
    series = Series(loop.record[: loop.cycles + 1], loop.channels)
    sums = [series[name][-1] for name in series if name.startswith("energy.")]
    if status == "completed" and not np.isfinite(sums).all():
        status = "diverged"  # sums keep every work that was no number, felt or not
    if status == "diverged":
        cut_attitudes(series)
    paired = compute_if_ages_differ(scenario.tables, series)
    if paired is not None:
        series["energy.observed"][:] = paired
    contacts = list_contacts(loop.log, count)
    warnings = [*scenario.warnings, *free_flight_warnings(scenario)]
    if count > LOGGED_CONTACTS:
        warnings.append(f"{count} contacts; the log keeps the first {LOGGED_CONTACTS}")
    for i, method in enumerate(scenario.tables["methods"]):
        warnings += METHODS[method["name"]].report(loop.method_memory(i), method)
    books, said = collect_method_reports(scenario, loop.mem, series)
    told = add_truth_to_reports(scenario, series, contacts, books)
    events = find_rig_events(scenario, series, contacts)
    joints = tabulate_joint_energies(scenario.vector, loop.mem, series)
    joints |= tabulate_arm_energies(series, arm_robots(scenario.tables))
    warnings += [
        *said,
        *told,
        *(event["text"] for event in events if event["what"] not in QUIET),
        *list_imbalances(joints),
    ]
    if status != "completed":
        warnings.append(f"stopped after {loop.cycles} of {total} cycles: {status}")
        warnings += describe_arm_stops(scenario, loop.mem)
    return Run(
        scenario=scenario,
        series=series,
        contacts=contacts,
        contact_count=int(count),
        cycles=loop.cycles,
        status=status,
        state=loop.state,
        warnings=warnings,
        method_books=books,
        events=events,
        joint_books=joints,
        reached=LoopSummary(loop.peak_force_real_N, loop.peak_torque_real_Nm, loop.captured_at_s),
        latches=loop.latches.copy(),
    )
