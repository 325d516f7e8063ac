"""One cell of the benchmark: one entry on one case, in every level, at the worst of the sampling
phases (with anything random each phase has a seed of its own).

In: a case's scenario and an entry. Out: plain data.

    status   completed; how the run stopped (diverged, force limit, ...); "cannot run"; "failed"
    reason   why it cannot run, or what failed
    distance from the reference at the worst phase and error, the worse of after the last contact
             and at the end (docs/metrics.md); null: not defined
    median   the same at the middle phase, of the worst error; rms: root mean square over the phases
    word, energy_share, peak_force_error   by the verdict's one rule (results/verdict.py)
    error    kind and percent of the belief whose error was worst; null: none is wrong
    changes  the keys that make this scenario from the case: `softdock run CASE --set KEY=VALUE`
"""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import replace
from typing import Any

from numba.core.errors import NumbaError

from softdock.compile.features import Markers
from softdock.errors import BadInput, SoftdockError
from softdock.methods.registry import RAW
from softdock.reference import Reference, run_reference
from softdock.results.metrics import convert_to_plain
from softdock.results.phases import judge_metrics, list_phases
from softdock.scenario.build import Scenario
from softdock.scenario.method_compile import why_not_compiled
from softdock.studies.benchmark.plan import (
    EXACT,
    NONE,
    WRONG,
    Entry,
    PreparedEntry,
    prepare_entries,
    prepare_with_errors,
)
from softdock.studies.compare.compare import list_pushing_methods
from softdock.studies.compare.outcomes import measure_costs_per_cycle, run_against
from softdock.studies.compare.settings import drop_defaults

CANNOT, FAILED, COMPLETED = "cannot run", "failed", "completed"
Row = dict[str, Any]


def measure_cell(case: Scenario, entry: Entry, phases: int | None, levels: list[str]) -> Row:
    """The cell. `phases`: in place of the case's own number."""
    began = time.process_time()
    count = case.tables["verdict"]["phases"] if phases is None else phases
    orbits = [run_reference(phased) for phased in list_phases(case, count)]
    rows: dict[str, Row] = {}
    ways = _list_ways(case, entry)
    for level, way in ways.items():
        if level not in levels and level != EXACT:
            continue
        if isinstance(way, str):
            rows[level] = make_refusal(CANNOT, way)
        elif _are_same(way, ways[EXACT]) and EXACT in rows:
            rows[level] = rows[EXACT]  # without parameters, or with those it has by default
        else:
            rows[level] = _find_worst(case, way, orbits)
    return {
        "knowledge": {level: rows[level] for level in levels},
        "cost": _measure_cost(case, ways),
        "cpu_s": round(time.process_time() - began, 4),
    }


def make_refusal(status: str, reason: str) -> Row:
    """A cell without a number."""
    numbers = dict.fromkeys(
        ("distance", "median", "rms", "word", "energy_share", "peak_force_error")
    )
    return {"status": status, "reason": reason, **numbers, "runs": 0, "error": None, "changes": {}}


Ways = dict[str, list[PreparedEntry] | str]


def _list_ways(case: Scenario, entry: Entry) -> Ways:
    """By level of knowledge: exact first, because the others may be the same."""
    exact = prepare_entries(case, entry, EXACT)
    wrong = exact if isinstance(exact, str) else prepare_with_errors(exact[0].scenario)
    return {EXACT: exact, WRONG: wrong, NONE: prepare_entries(case, entry, NONE)}


def _are_same(way: list[PreparedEntry], exact: list[PreparedEntry] | str) -> bool:
    if isinstance(exact, str):
        return False
    return not way or (len(way) == 1 and way[0].scenario.tables == exact[0].scenario.tables)


def _find_worst(case: Scenario, ways: list[PreparedEntry], orbits: list[Reference]) -> Row:
    """Of several errors of knowledge, the one that costs most."""
    return max((_run_phases(case, way, orbits) for way in ways), key=rank_badness)


def rank_badness(row: Row) -> tuple[int, float]:
    """By which of two results the worse one is found: without a number, stopped, far."""
    if row["status"] != COMPLETED:
        return (2 if row["status"] in (CANNOT, FAILED) else 1, row["distance"] or 0.0)
    return (1, 0.0) if row["distance"] is None else (0, row["distance"])


def _run_phases(case: Scenario, way: PreparedEntry, orbits: list[Reference]) -> Row:
    """One scenario at all phases, judged as `softdock run` judges it."""
    error = {"kind": way.kind, "percent": way.percent} if way.kind else None
    try:
        metrics: list[Row] = []
        same = list_pushing_methods(way.scenario) == list_pushing_methods(
            case
        )  # else an entry pushes, in the reference too
        for phased, runs in zip(list_phases(way.scenario, len(orbits)), orbits, strict=True):
            metrics.append(run_against(phased, runs if same else run_reference(phased)).metrics)
            if metrics[0]["status"] != COMPLETED:
                break  # as `softdock run`, which then simulates no other phase
        worst = judge_metrics(way.scenario, metrics)
    except NumbaError as failure:
        return {**make_refusal(CANNOT, why_not_compiled(failure)), "error": error}
    except BadInput as failure:
        return {**make_refusal(CANNOT, str(failure)), "error": error}
    except (SoftdockError, ArithmeticError, LookupError, TypeError, ValueError) as failure:
        return {**make_refusal(FAILED, f"{type(failure).__name__}: {failure}"), "error": error}
    numbers = worst["criteria"]
    statuses = [m["status"] for m in metrics]
    distances = [m["error_against_orbit_worst"] for m in metrics]
    row = {
        "status": next((s for s in statuses if s != COMPLETED), COMPLETED),
        "reason": "",
        "distance": numbers["distance"]["number"],
        "median": None if None in distances else statistics.median(distances),
        "rms": None if None in distances else math.hypot(*distances) / math.sqrt(len(distances)),
        "word": worst["word"],
        "energy_share": numbers["energy"]["number"],
        "peak_force_error": numbers["peak_force"]["number"],
        "runs": len(metrics),
        "error": error,
        "changes": _list_changes(case, way.scenario, len(orbits)),
    }
    return dict(convert_to_plain(row))


def _list_changes(case: Scenario, scenario: Scenario, phases: int) -> Row:
    """Keys of the case that make the scenario; a law that only the scenario's contacts can have is
    among them, and the reference would then be simulated with it too."""
    changes: Row = {"methods": [drop_defaults(listed) for listed in scenario.tables["methods"]]}
    for i, (pair, asked) in enumerate(
        zip(scenario.tables["contact"], case.tables["contact"], strict=True)
    ):
        if pair != asked:
            changes[f"contact.{i}.wanted"] = pair["wanted"]
    if case.tables["verdict"]["phases"] != phases:
        changes["verdict.phases"] = phases
    return changes


def _measure_cost(case: Scenario, ways: Ways) -> Row:
    """CPU time of a cycle, and against the raw loop's, measured in the same turns and with the same
    features: what a method's loop has that a plain one lacks is not the method's."""
    for level in (EXACT, NONE):
        way = ways[level]
        if isinstance(way, str) or not way:
            continue
        raw = [e for e in case.tables["methods"] if e["name"] != RAW]
        base = case.replace({"methods": [{"name": RAW}, *raw]})
        features = way[0].scenario.markers.features
        base = replace(base, markers=Markers(features, base.markers.methods))
        try:
            of_raw, mine = measure_costs_per_cycle([base, way[0].scenario], enough_s=0.0)
        except (SoftdockError, NumbaError, ArithmeticError, LookupError, TypeError, ValueError):
            break
        ratio = mine / of_raw if mine and of_raw else None
        return {"ns_per_cycle": mine, "ratio_to_direct": ratio}
    return {"ns_per_cycle": None, "ratio_to_direct": None}
