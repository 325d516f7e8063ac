"""The file of results: one JSON with everything that a page and a later comparison need, versioned
and with a checksum.

In and out: a dict of plain data. `sha256` is of all else, so that a file in which a number was
changed by hand, or that was cut, is refused.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np

from softdock._version import __version__
from softdock.compile.sources import source_hash
from softdock.errors import BadInput, Problem, SoftdockError
from softdock.files.reading import Unreadable, read_text
from softdock.results.noise_bound import compute_distance_bound
from softdock.scenario.benchmark_set import case_set
from softdock.scenario.build import Scenario
from softdock.scenario.method_sources import FILES, files_of
from softdock.studies.benchmark.folder import Folder
from softdock.studies.benchmark.scores import NEAR, VERY_NEAR, get_distance, make_leaderboard

# What the best possible estimator could reach on a noisy case: a bound of the distance from the
# reference, where softdock has one.
#
# Where there is no bound of a scenario (results/noise_bound.py), nothing is said.


def compute_bound(scenario: Scenario) -> float | None:
    """Root mean square of the distance from the reference that noise alone leaves, as a share of
    the approach; None: nobody knows."""
    try:
        bound = compute_distance_bound(scenario)
    except (SoftdockError, ArithmeticError, LookupError, ValueError):
        return None  # no bound of such a scenario; the cells, which took long, are not lost by it
    return None if bound is None or not math.isfinite(bound) else float(bound)


FORMAT, SCHEMA = "softdock benchmark", 1
LARGEST = 500_000_000  # bytes
Results = dict[str, Any]


def collect_results(folder: Folder, jobs: int, wall_s: float) -> Results:
    """From the cells of a folder that has all of them."""
    plan = folder.plan
    methods = [name for entry in plan.entries for name in entry.methods]
    cases = [{**case.to_json(), "bound": compute_bound(case.scenario)} for case in plan.cases]
    entries = [
        entry.to_json() | {"files": [FILES[n].sha256 for n in entry.methods if n in FILES]}
        for entry in plan.entries
    ]
    cells = [
        {"case": at.case.name, "entry": at.entry.label}
        | {k: v for k, v in folder.cells[at.number].items() if k != "number"}
        for at in plan.cells()
    ]
    results: Results = {
        "format": FORMAT,
        "schema": SCHEMA,
        "softdock": __version__,
        "core": source_hash(),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
        },
        "set_version": case_set().version,
        "seed": plan.seed,
        "random": plan.drawn,
        "phases": plan.phases,
        "knowledge": list(plan.levels),
        "jobs": jobs,
        "wall_s": round(wall_s, 1),
        "cpu_s": round(sum(cell["cpu_s"] for cell in cells), 1),
        "method_files": sorted({file.path for file in files_of(methods)}),
        "cases": cases,
        "entries": entries,
        "cells": cells,
    }
    results["leaderboard"] = {t: make_leaderboard(results, t) for t in plan.levels}
    return results


def _hash_results(results: Mapping[str, Any]) -> str:
    body = {key: value for key, value in results.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def to_json(results: Results) -> str:
    """The file's text."""
    whole = {**results, "sha256": _hash_results(results)}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def read_results(file: str | Path, option: str = "results") -> Results:
    """A file of results, or of a folder that holds one; `BadInput` if it is none, is damaged, or of
    a newer version."""
    path = Path(file)
    path = path / "benchmark.json" if path.is_dir() else path

    def refuse(allowed: str) -> BadInput:
        return BadInput(Problem(option, str(file), allowed))

    try:
        results = json.loads(read_text(path, LARGEST, "file of results"))
    except Unreadable as error:
        raise refuse(error.allowed) from None
    except (ValueError, RecursionError):
        raise refuse("the results of a benchmark; this file is cut or no JSON") from None
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise refuse("the results of a benchmark (benchmark.json)")
    if not isinstance(results.get("schema"), int) or results["schema"] > SCHEMA:
        raise refuse(f"results of version {SCHEMA} or older of the format")
    if results.get("sha256") != _hash_results(results):
        raise refuse("the results of a benchmark as they were written; this file was changed")
    return {key: value for key, value in results.items() if key != "sha256"}


# Two files of results side by side: what has become better or worse since.
#
# Only what both hold is compared: entries of the same label, cases whose keys are the same (their
# digests), levels that both have. A cell has *crossed* if it came within 1 % or 0.1 % of the
# reference, or left, and *moved* if its distance differs by more than rounding.

ROUNDING = 1e-9  # of the approach: less is no difference
Row = dict[str, Any]


def compare_results(now: Mapping[str, Any], before: Mapping[str, Any]) -> Row:
    """Counts by entry and level, and the cells that crossed a bound."""
    digests = {case["name"]: case["digest"] for case in before["cases"]}
    cases = [c["name"] for c in now["cases"] if digests.get(c["name"]) == c["digest"]]
    labels = {entry["label"] for entry in before["entries"]}
    entries = [e["label"] for e in now["entries"] if e["label"] in labels]
    levels = [t for t in now["knowledge"] if t in before["knowledge"]]
    counts = [row for level in levels for row in _count_changes(now, before, level, cases, entries)]
    crossed, moved = _list_crossed_cells(now, before, levels, cases, entries)
    return {
        "core_then": before["core"],
        "core_now": now["core"],
        "softdock_then": before["softdock"],
        "cases": len(cases),
        "cases_left_out": [c["name"] for c in now["cases"] if c["name"] not in cases],
        "entries_left_out": [e["label"] for e in now["entries"] if e["label"] not in entries],
        "phases_differ": now["phases"] != before["phases"],
        "moved": moved,
        "counts": counts,
        "crossed": crossed,
    }


def _count_changes(
    now: Mapping[str, Any],
    before: Mapping[str, Any],
    level: str,
    cases: list[str],
    entries: list[str],
) -> list[Row]:
    then = {row["label"]: row for row in make_leaderboard(before, level, cases)}
    rows = []
    for row in make_leaderboard(now, level, cases):
        old = then.get(row["label"])
        if row["label"] in entries and old is not None:
            rows.append(
                {
                    "level": level,
                    "label": row["label"],
                    "within_1": [old["within_1"], row["within_1"]],
                    "within_01": [old["within_01"], row["within_01"]],
                    "median": [old["median"], row["median"]],
                }
            )
    return rows


def _list_crossed_cells(
    now: Mapping[str, Any],
    before: Mapping[str, Any],
    levels: list[str],
    cases: list[str],
    entries: list[str],
) -> tuple[list[Row], int]:
    old = {(c["entry"], c["case"]): c for c in before["cells"]}
    crossed, moved = [], 0
    for cell in now["cells"]:
        if cell["case"] not in cases or cell["entry"] not in entries:
            continue
        for level in levels:
            then = get_distance(old[cell["entry"], cell["case"]]["knowledge"][level])
            here = get_distance(cell["knowledge"][level])
            if then == here or abs(then - here) <= ROUNDING:
                continue
            moved += 1
            if _classify(then) != _classify(here):
                crossed.append(
                    {
                        "case": cell["case"],
                        "entry": cell["entry"],
                        "level": level,
                        "then": None if then == float("inf") else then,
                        "now": None if here == float("inf") else here,
                    }
                )
    return crossed, moved


def _classify(far: float) -> int:
    return (far > VERY_NEAR) + (far > NEAR)


def describe_changes(found: Row) -> str:
    """What has changed, in one sentence."""
    better = sum(
        _classify(_get_distance(c["now"])) < _classify(_get_distance(c["then"]))
        for c in found["crossed"]
    )
    worse = len(found["crossed"]) - better
    same = " of the same core" if found["core_then"] == found["core_now"] else ""
    if not found["moved"]:
        return (
            f"Against results{same} of softdock {found['softdock_then']}: no error has changed on "
            f"the {found['cases']} cases that both have."
        )
    return (
        f"Against results{same} of softdock {found['softdock_then']}: on the {found['cases']} "
        f"cases that both have, {found['moved']} errors have changed; {better} came within 1 % or "
        f"0.1 % and {worse} left."
    )


def _get_distance(x: float | None) -> float:
    return float("inf") if x is None else x
