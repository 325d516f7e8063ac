"""What each method says it did in a run, and what the simulation knows of it beyond that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.method.hooks import memory_slots
from softdock.loop.method.memory import numbered
from softdock.loop.method.shown import Flown, Number, Shown
from softdock.loop.spatial.arrays import turns
from softdock.loop.vector import METHODS_AT, TIME, TIME_AT
from softdock.methods.registry import METHODS, find_shown_numbers
from softdock.results.metric import METRICS, Metric, Row, declare
from softdock.results.run import Run
from softdock.scenario.build import Scenario
from softdock.scenario.orbit_frame import PATH, has_reference, turning_axes

# What the methods of a run did, cycle by cycle and axis by axis, from its recorded series: energy
# put in or taken out, and motion that was corrected.
#
#     compute_wrench_work(run)        {"chaser.force.x": J per cycle, ...}: < 0 is energy that
#                                     methods took from the satellites
#     compute_output_correction(run)  {"chaser.x": m/s, ...}: the state's velocity less the one that
#                                     moves the set-point, v_pc of a passive integrator
#     tabulate_work_by_axis(run.series, "energy_ledger")
#                                     what that method removed and returned, when, on which axis;
#                                     also in run.method_books

AXES = "xyz"


def tabulate_work_by_axis(series: Mapping[str, np.ndarray], method: str) -> list[dict[str, Any]]:
    """What a method took from the satellites and put into them, from its channels `work.*`; axes on
    which it did nothing are left out."""
    time, rows = series["time"], []
    for name in series:
        if name.startswith(f"{method}.work."):
            step = np.diff(series[name])
            acted = np.flatnonzero(step)
            if len(acted):
                rows.append(
                    {
                        "axis": name.removeprefix(f"{method}.work."),
                        "removed_J": float(-step[step < 0.0].sum()),
                        "returned_J": float(step[step > 0.0].sum()),
                        "first_s": float(time[acted[0] + 1]),
                        "last_s": float(time[acted[-1] + 1]),
                    }
                )
    return rows


def compute_wrench_work(run: Run) -> dict[str, np.ndarray]:
    """(F_sat - F_meas) . dx of every cycle [J], by body, force or torque, and world axis; the sum
    over all is the growth of the ledger's row `adaptation` where no method books virtual or
    designed work. Element k belongs to the cycle that ends at row k; element 0 is zero. One sensor,
    on the chaser."""
    if run.scenario.tables["sensor"]["on"] != "chaser":
        raise ValueError("wrench_work reads the chaser's sensor: the run has another")
    _check_axes(run)
    s, found = run.series, {}
    arm = s["chaser.position"] - s["target.position"]
    force, torque = s["measured.chaser.force"], s["measured.chaser.torque"]
    measured = {"chaser": (force, torque), "target": (-force, -(torque + np.cross(arm, force)))}
    for body in ("chaser", "target"):
        moves = (np.diff(s[f"{body}.position"], axis=0), turns(s[f"{body}.attitude"]))
        for kind, held, moved in zip(("force", "torque"), measured[body], moves, strict=True):
            work = (s[f"satellite.{body}.{kind}"][1:] - held[:-1]) * moved
            for i, axis in enumerate(AXES):
                found[f"{body}.{kind}.{axis}"] = np.concatenate([[0.0], work[:, i]])
    return found


def _check_axes(run: Run) -> None:
    """Satellites beside set-points and sensors, axis by axis, have a meaning in the same axes."""
    if run.scenario.tables["laboratory"]["mapping"] == "nominal":
        raise ValueError("with laboratory.mapping = nominal robots and sensors have axes that turn")


def compute_output_correction(run: Run) -> dict[str, np.ndarray]:
    """The state's new velocity less the mean velocity of its set-point over the cycle [m/s], by
    body and world axis."""
    _check_axes(run)
    T, corrections = 1e-3 * run.scenario.tables["time"]["cycle_ms"], {}
    for body in ("chaser", "target"):
        shift = (
            run.series[f"{body}.velocity"][1:]
            - np.diff(run.series[f"command.{body}.position"], axis=0) / T
        )
        for i, axis in enumerate(AXES):
            corrections[f"{body}.{axis}"] = np.concatenate([[0.0], shift[:, i]])
    return corrections


def collect_method_reports(
    scenario: Scenario, mem: np.ndarray, series: Mapping[str, np.ndarray]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """What each method says it did in a run, by axis where it records that, and what went wrong
    with its readings. A second one of a name is `name_2`."""
    found: dict[str, dict[str, Any]] = {}
    warnings, counts = [], Counter[str]()
    slots = memory_slots(scenario.markers.methods, METHODS_AT)
    for entry, slot in zip(scenario.tables["methods"], slots, strict=True):
        method, own = METHODS[entry["name"]], mem[int(scenario.vector[slot]) :]
        counts[method.name] += 1
        name = method.name if counts[method.name] == 1 else f"{method.name}_{counts[method.name]}"
        books = method.books(own)
        axes = tabulate_work_by_axis(series, name)
        own_axes = books.pop("axes", {})
        if axes:
            for key in ("removed_J", "returned_J"):
                books.setdefault(key, sum(axis[key] for axis in axes))
            books["axes"] = [axis | own_axes.get(axis["axis"], {}) for axis in axes]
        if books:
            found[name] = books
        warnings += [
            f"{name}: {event}"
            for event in method.events(own, float(scenario.vector[TIME_AT + TIME.at.cycle]))
        ]
    return found, warnings


def add_truth_to_reports(
    scenario: Scenario,
    series: Mapping[str, np.ndarray],
    contacts: list[dict[str, Any]],
    books: dict[str, dict[str, Any]],
) -> list[str]:
    """What the simulation knows of the methods' doings and they cannot: into their books, and in
    words."""
    warnings, counts = [], Counter[str]()
    for entry in scenario.tables["methods"]:
        method = METHODS[entry["name"]]
        counts[method.name] += 1
        name = method.name if counts[method.name] == 1 else f"{method.name}_{counts[method.name]}"
        found, words = method.truth(name, entry, scenario.tables, series, contacts)
        if found:
            books[name] = books.get(name, {}) | found
        warnings += [f"{name}: {line}" for line in words]
    return warnings


# Metrics that methods declare (`Method.shown`): numbers of a run with such a method, and None for
# every other run.
#
# In: a run and the registry of methods. Out: a `Metric` for each declaration, and one for each of
# its numbers that stand first.


def list_declarations() -> list[Shown]:
    """What the registered methods show, each once, in their order."""
    declarations = {shown.key: shown for shown in find_shown_numbers().values()}
    return list(declarations.values())


def select_run(shown: Shown, run: Run) -> Flown | None:
    """The run as the method sees it that shows this; None: none that does is listed."""
    tables = run.scenario.tables
    name = _name_method(shown, tables)
    if not name:
        return None
    turning = turning_axes(tables[PATH]) if has_reference(tables) else None
    return Flown(name=name, tables=tables, series=run.series, turning=turning)


def _name_method(shown: Shown, tables: Mapping[str, Any]) -> str:
    names = [entry["name"] for entry in tables.get("methods", [])]
    for name, channels in zip(names, numbered(names), strict=True):
        if name in METHODS and METHODS[name].shown == shown:
            return channels
    return ""


def make_metrics(shown: Shown) -> list[Metric]:
    """Its numbers as metrics: those that stand first, then all of them under its key."""

    def numbers(run: Run) -> dict[str, Any] | None:
        flown = select_run(shown, run)
        return None if flown is None else shown.numbers(flown)

    def one(number: Number) -> Metric:
        return Metric(
            name=number.name,
            meaning=number.meaning,
            value=lambda j: (numbers(j.run) or {number.name: None})[number.name],
            label=number.label,
            row=Row(number.words, number.unit, only_if=number.name),
            tile=number.tile,
        )

    whole = Metric(name=shown.key, meaning=shown.meaning, value=lambda j: numbers(j.run))
    return [*(one(number) for number in shown.first), whole]


def declare_new() -> None:
    """Metrics of methods that were registered since (a method file)."""
    for shown in list_declarations():
        if shown.key not in METRICS:
            declare(*make_metrics(shown))
