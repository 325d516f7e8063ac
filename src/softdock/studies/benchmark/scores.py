"""The leaderboard: what the cells say of each entry, in each level.

    cases            in the set: a case that an entry cannot run, or on which it stops, is a miss
    ran              of them: reached the end and have a distance from the reference
    within_1         of them: at most 1 % of the approach off, at the worst phase or seed
    within_01        the same with 0.1 %
    median, worst    of the distance over all cases; a case without one counts as infinitely
                     far, and null is an infinite number
    energy           largest share of the approach energy that is added and not removed
    peak_error       median over the cases of the size of the peak force's error on the satellites
    cost             median over the cases of CPU per cycle against the raw loop's

Everything is computed from the cells, so that page, terminal and file cannot differ.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from softdock.methods.registry import RAW
from softdock.results import quantities
from softdock.studies.benchmark.cell import COMPLETED
from softdock.studies.benchmark.plan import EXACT, NONE, WORDS, WRONG

NEAR, VERY_NEAR = 1e-2, 1e-3  # of the approach
Row = dict[str, Any]
Results = Mapping[str, Any]


def get_distance(row: Mapping[str, Any]) -> float:
    """Of a level's result; infinite where it did not come to an end, or has none."""
    far = row["status"] != COMPLETED or row["distance"] is None
    return math.inf if far else float(row["distance"])


def make_leaderboard(results: Results, level: str, cases: Iterable[str] | None = None) -> list[Row]:
    """Best first: by cases within 1 %, then 0.1 %, then the median. Entries that need
    parameters have no row at the level none. `cases`: of these alone."""
    chosen = set(cases) if cases is not None else {case["name"] for case in results["cases"]}
    rows = []
    for entry in results["entries"]:
        cells = [
            c for c in results["cells"] if c["entry"] == entry["label"] and c["case"] in chosen
        ]
        if is_ranked(results, entry["label"], level) and cells:
            rows.append({"label": entry["label"], **_compute_scores(cells, level)})
    rows.sort(key=lambda row: (-row["within_1"], -row["within_01"], _last(row["median"])))
    return [{"rank": i + 1, **row} for i, row in enumerate(rows)]


def is_ranked(results: Results, entry: str, level: str) -> bool:
    """Whether an entry has a row: at the level none only if it can run on some case."""
    if level != NONE:
        return True
    return any(c["knowledge"][level]["runs"] > 0 for c in results["cells"] if c["entry"] == entry)


def _compute_scores(cells: Sequence[Row], level: str) -> Row:
    rows = [cell["knowledge"][level] for cell in cells]
    distances = [get_distance(row) for row in rows]
    energies = [row["energy_share"] for row in rows if row["energy_share"] is not None]
    peaks = [abs(row["peak_force_error"]) for row in rows if row["peak_force_error"] is not None]
    costs = [c["cost"]["ratio_to_direct"] for c in cells if c["cost"]["ratio_to_direct"]]
    return {
        "cases": len(cells),
        "ran": sum(math.isfinite(d) for d in distances),
        "within_1": sum(d <= NEAR for d in distances),
        "within_01": sum(d <= VERY_NEAR for d in distances),
        "median": _finite(statistics.median(distances)),
        "worst": _finite(max(distances)),
        "energy": max(energies, default=None),
        "peak_error": statistics.median(peaks) if peaks else None,
        "cost": statistics.median(costs) if costs else None,
        "unsafe": sum(row["word"] == "unsafe" for row in rows),
    }


def count_by_group(results: Results, level: str) -> dict[str, dict[str, tuple[int, int]]]:
    """Of each entry and group: cases within 1 %, and cases in all."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for group in list_groups(results):
        names = [case["name"] for case in results["cases"] if case["group"] == group]
        for row in make_leaderboard(results, level, names):
            counts.setdefault(row["label"], {})[group] = (row["within_1"], row["cases"])
    return counts


def list_groups(results: Results) -> list[str]:
    return list(dict.fromkeys(case["group"] for case in results["cases"]))


def count_within_by_any(results: Results, level: str) -> int:
    """Cases on which some entry is within 1 %: what a choice after the fact would reach."""
    near = {
        cell["case"] for cell in results["cells"] if get_distance(cell["knowledge"][level]) <= NEAR
    }
    return len(near)


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _last(x: float | None) -> float:
    return math.inf if x is None else x


# What the results say, in sentences: every number in them is one of the leaderboard's.


def format_percent(share: float | None) -> str:
    """An error or an energy; a small one as an upper bound."""
    if share is None:
        return "-"
    if abs(share) < 1e-5:
        return "< 0.001 %"
    return quantities.format_percent(share)


def describe_winner(results: Results) -> str:
    """Who is first, without knowledge if anybody is; the raw loop beside it."""
    level = _choose_level(results)
    return _describe_first(level, make_leaderboard(results, level)) if level else "Nothing was run."


def _choose_level(results: Results) -> str:
    """The level that the answer is about: the least that somebody can run with."""
    order = [level for level in (NONE, WRONG, EXACT) if level in results["knowledge"]]
    return next((level for level in order if make_leaderboard(results, level)), "")


def _describe_first(level: str, rows: list[dict[str, Any]]) -> str:
    best = rows[0]
    sentence = (
        f"{_capitalise(WORDS[level])}, {best['label']} ranks first: {best['within_1']} of "
        f"{best['cases']} cases have an error within 1 % at the worst phase or seed, and "
        f"{best['within_01']} within 0.1 %"
    )
    tied = [row["label"] for row in rows[1:] if _score(row) == _score(best)]
    if tied:
        sentence += (
            f" (so {'is' if len(tied) == 1 else 'are'} {', '.join(tied)}; the median decides)"
        )
    raw = next((row for row in rows if row["label"] == RAW), None)
    if raw is not None and raw is not best:
        sentence += f"; the raw loop has {raw['within_1']} within 1 %"
    return sentence + "."


def list_remarks(results: Results) -> list[str]:
    """What else is worth a sentence: the other levels, and what choosing per case would give."""
    remarks = []
    for level in results["knowledge"]:
        rows = make_leaderboard(results, level)
        if not rows:
            remarks.append(f"{_capitalise(WORDS[level])}: no entry can run.")
            continue
        best, any_of = rows[0], count_within_by_any(results, level)
        worst = "in some cases no error is defined"
        if best["worst"] is not None:
            worst = f"worst error {format_percent(best['worst'])}"
        first = (
            f"{best['label']}: "
            if level == _choose_level(results)
            else f"{best['label']} ranks first: {best['within_1']} of {best['cases']} cases within "
            f"1 %, {best['within_01']} within 0.1 %, "
        )
        remarks.append(
            f"{_capitalise(WORDS[level])}, {first}{worst}. The best entry of each case, chosen "
            f"afterwards, has {any_of} within 1 %."
        )
    return remarks


def _score(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["within_1"], row["within_01"]


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
