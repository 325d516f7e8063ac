"""The tables of a campaign file, each read strictly: names, trajectories, report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.errors import closest


def read_names(tables: Mapping[str, Any], key: str, refuse: Any) -> list[str] | str | None:
    value = tables.get(key)
    if value is None or value == "all":
        return value
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        refuse(key, value, 'a list of names, or "all"')
        return None
    return value


def read_trajectories(table: Mapping[str, Any], refuse: Any) -> dict[str, Any]:
    known = {
        "runs": "a list of run numbers, from 0",
        "worst": "a whole number, how many of the worst",
        "every_ms": "a number above 0",
    }
    for key in table:
        if key not in known:
            refuse(
                f"trajectories.{key}",
                table[key],
                "one of " + ", ".join(known),
                closest(str(key), known),
            )
    runs, worst, every = table.get("runs", []), table.get("worst", 0), table.get("every_ms", 20.0)
    if not isinstance(runs, list) or not all(
        isinstance(r, int) and not isinstance(r, bool) and r >= 0 for r in runs
    ):
        refuse("trajectories.runs", runs, known["runs"])
        runs = []
    if not isinstance(worst, int) or isinstance(worst, bool) or not 0 <= worst <= 1000:
        refuse("trajectories.worst", worst, known["worst"])
        worst = 0
    if not isinstance(every, int | float) or isinstance(every, bool) or not 0.0 < every < math.inf:
        refuse("trajectories.every_ms", every, known["every_ms"])
        every = 20.0
    return {"runs": runs, "worst": worst, "every_ms": float(every)}


def read_report(table: Mapping[str, Any], labels: list[str], refuse: Any) -> dict[str, Any]:
    known = ("map", "worst_by")
    for key in table:
        if key not in known:
            refuse(
                f"report.{key}", table[key], "one of " + ", ".join(known), closest(str(key), known)
            )
    axes = table.get("map", labels[:2] if len(labels) > 1 else [])
    if (
        not isinstance(axes, list)
        or len(axes) not in (0, 2)
        or not all(a in labels for a in axes)
        or ("map" in table and len(set(axes)) < len(axes))
    ):
        refuse("report.map", axes, "two of what varies, not the same twice: " + ", ".join(labels))
        axes = []
    worst = table.get("worst_by", "")
    if not isinstance(worst, str):
        refuse("report.worst_by", worst, "the name of an outcome")
        worst = ""
    return {"map": axes, "worst_by": worst}
