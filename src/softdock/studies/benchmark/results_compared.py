"""Two files of results side by side: what has become better or worse since.

Only what both hold is compared: entries of the same label, cases whose keys are the same (their
digests), tellings that both have. A cell has *crossed* if it came within 1 % or 0.1 % of orbit, or
left, and *moved* if its distance differs by more than rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.studies.benchmark.scores import NEAR, VERY_NEAR, get_distance, make_leaderboard

ROUNDING = 1e-9  # of the approach: less is no difference
Row = dict[str, Any]


def compare_results(now: Mapping[str, Any], before: Mapping[str, Any]) -> Row:
    """Counts by entry and telling, and the cells that crossed a bound."""
    digests = {case["name"]: case["digest"] for case in before["cases"]}
    cases = [c["name"] for c in now["cases"] if digests.get(c["name"]) == c["digest"]]
    labels = {entry["label"] for entry in before["entries"]}
    entries = [e["label"] for e in now["entries"] if e["label"] in labels]
    tellings = [t for t in now["tellings"] if t in before["tellings"]]
    counts = [
        row for telling in tellings for row in _count_changes(now, before, telling, cases, entries)
    ]
    crossed, moved = _list_crossed_cells(now, before, tellings, cases, entries)
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
    telling: str,
    cases: list[str],
    entries: list[str],
) -> list[Row]:
    then = {row["label"]: row for row in make_leaderboard(before, telling, cases)}
    rows = []
    for row in make_leaderboard(now, telling, cases):
        old = then.get(row["label"])
        if row["label"] in entries and old is not None:
            rows.append(
                {
                    "telling": telling,
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
    tellings: list[str],
    cases: list[str],
    entries: list[str],
) -> tuple[list[Row], int]:
    old = {(c["entry"], c["case"]): c for c in before["cells"]}
    crossed, moved = [], 0
    for cell in now["cells"]:
        if cell["case"] not in cases or cell["entry"] not in entries:
            continue
        for telling in tellings:
            then = get_distance(old[cell["entry"], cell["case"]]["tellings"][telling])
            here = get_distance(cell["tellings"][telling])
            if then == here or abs(then - here) <= ROUNDING:
                continue
            moved += 1
            if _classify(then) != _classify(here):
                crossed.append(
                    {
                        "case": cell["case"],
                        "entry": cell["entry"],
                        "telling": telling,
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
            f"Against results{same} of softdock {found['softdock_then']}: no distance has moved on "
            f"the {found['cases']} cases that both have."
        )
    return (
        f"Against results{same} of softdock {found['softdock_then']}: on the {found['cases']} "
        f"cases that both have, {found['moved']} distances have moved; {better} came within 1 % or "
        f"0.1 % of orbit and {worse} left."
    )


def _get_distance(x: float | None) -> float:
    return float("inf") if x is None else x
