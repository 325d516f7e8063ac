"""Latches that cannot be: at a pair that is not there, a place that is not its seat, a pull-in or
an oscillation that the cycle does not resolve, nothing that holds; and methods that know none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from softdock.compile.features import Every
from softdock.loop.contact.pair import PAIR_FLOATS
from softdock.loop.entry_points import place_at_seat
from softdock.loop.vector import PAIRS_MEM, TIME_AT, TIMES
from softdock.methods.registry import METHODS
from softdock.scenario.schema import LATCH_TABLE

Refuse = Callable[..., None]
FEWEST_CYCLES = 8.0  # of a pull-in
RESOLVED_CYCLES, UNRESOLVED_CYCLES = 8.0, 1.6  # in half a period, as of a contact (checks.py)


class Scenario(Protocol):
    tables: dict[str, Any]
    vector: np.ndarray


def check_latches(scenario: Scenario, pairs: int, refuse: Refuse) -> list[str]:
    """Refusals, and warnings."""
    warnings: list[str] = []
    for i, latch in enumerate(scenario.tables["capture"].get("latch", [])):
        key = f"{LATCH_TABLE}.{i}"
        if latch["pair"] >= pairs:
            refuse(f"{key}.pair", latch["pair"], f"a contact pair that is there, below {pairs}")
            continue
        _check_place(scenario, key, latch, refuse)
        _check_pull_in(scenario, key, latch, refuse)
        warnings += _check_stiffness(scenario, key, latch, refuse)
    if scenario.tables["capture"].get("latch"):
        warnings += _check_methods(scenario, refuse)
    return warnings


def _check_methods(scenario: Scenario, refuse: Refuse) -> list[str]:
    warnings = []
    for i, entry in enumerate(scenario.tables["methods"]):
        method = METHODS[entry["name"]]
        if method.knows_no_latch:
            allowed = f"a method that knows latches: {method.knows_no_latch}"
            refuse(f"methods.{i}.name", entry["name"], allowed)
        elif not method.while_latched:
            warnings.append(
                f"methods.{i}: {entry['name']} does not say what it does while a latch holds"
            )
    return warnings


def _check_place(scenario: Scenario, key: str, latch: dict[str, Any], refuse: Refuse) -> None:
    within, pair = scenario.tables["capture"]["within_m"], int(latch["pair"])
    mem = np.zeros(PAIRS_MEM + len(scenario.tables["contact"]) * PAIR_FLOATS)
    place = tuple(float(x) for x in latch["place_m"])
    away = float(place_at_seat(scenario.vector, Every(0), mem, pair, place))
    if not abs(away) <= within:
        where = f"{1e3 * away:.4g} mm from it" if math.isfinite(away) else "outside the geometry"
        refuse(
            f"{key}.place_m",
            list(latch["place_m"]),
            f"a place within {within:g} m of the seat of contact.{pair} (capture.within_m); this "
            f"one is {where}",
        )


def _check_pull_in(scenario: Scenario, key: str, latch: dict[str, Any], refuse: Refuse) -> None:
    T = float(scenario.vector[TIME_AT + TIMES.cycle])
    if 0.0 < latch["pull_in_s"] < FEWEST_CYCLES * T:
        refuse(
            f"{key}.pull_in_s",
            latch["pull_in_s"],
            f"at least {FEWEST_CYCLES:g} cycles, {FEWEST_CYCLES * T:g} s: faster, the cycle does "
            "not resolve it; or 0 for a latch that holds what it catches",
        )


def _check_stiffness(
    scenario: Scenario, key: str, latch: dict[str, Any], refuse: Refuse
) -> list[str]:
    """Half a period of the fastest mode, in cycles."""
    from softdock.scenario.words import effective_mass

    law = latch["real"]
    along, about = law["stiffness_N_per_m"], law["stiffness_Nm_per_rad"]
    name = f"{key}.real.stiffness_N_per_m"
    if not any((*along, *about)):
        refuse(name, list(along), "a stiffness that holds along or about some axis")
        return []
    mass = effective_mass(scenario.tables, int(latch["pair"]))
    T = float(scenario.vector[TIME_AT + TIMES.cycle])
    if mass is None or not max(along) > 0.0:
        return []
    cycles = math.pi * math.sqrt(mass / max(along)) / T
    if cycles < UNRESOLVED_CYCLES and not scenario.tables["allow_unresolved"]:
        refuse(
            name,
            list(along),
            f"a swing of at least {UNRESOLVED_CYCLES:g} cycles (this one lasts {cycles:.2g}), or "
            "allow_unresolved = true",
        )
    elif cycles < RESOLVED_CYCLES:
        return [
            f"{name}: half a swing lasts only {cycles:.2g} cycles; below {RESOLVED_CYCLES:g} the "
            "sampling shows in the result"
        ]
    return []
