"""The numbers by which a verdict is given, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

WORDS = {
    "limits": "the limits that were passed",
    "energy": "the energy",
    "growth": "the growth",
    "energy_kept": "the energy kept",
    "distance": "the distance",
    "peak_force": "the peak force",
    "latch_force": "the latch force",
    "free_flight_force": "the force in free flight",
    "outcome": "the outcome",
}
_OLD = {
    "energy": ("energy_share", "unsafe_energy"),
    "growth": ("growth", "unsafe_growth"),
    "distance": ("distance_from_orbit", "faithful_distance"),
    "peak_force": ("peak_force_error", "faithful_peak_force"),
}


def value_of(m: Mapping[str, Any], criterion: str) -> float | bool | None:
    from softdock.analysis.judgement import measured

    n = measured(m)
    if criterion == "limits":
        return n["status"] != "completed" or n["saturated"]
    x = n[_OLD[criterion][0]]
    return abs(x) if x is not None and criterion == "peak_force" else x


def bound_of(judgement: Mapping[str, Any], criterion: str) -> float | None:
    return judgement["bounds"][_OLD[criterion][1]] if criterion in _OLD else None


def explained(judgement: Mapping[str, Any]) -> tuple[str, int]:
    from softdock.analysis.judgement import _excess

    n = {**judgement["worst"]}
    if _excess(n, judgement["bounds"], "stopped") > 1.0:
        return "limits", 0
    names = {"energy": "energy", "growth": "growth", "distance": "distance", "peak": "peak_force"}
    by = {names[k]: _excess(n, judgement["bounds"], k) for k in names}
    for name in ("energy", "growth"):
        if by[name] > 1.0:
            return name, 0
    best = max(by, key=by.get)
    return best, 0 if math.isfinite(by[best]) else 0
