"""What each method says it did in a run, and what the simulation knows of it beyond that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.work_by_axis import work_by_axis
from softdock.core.adaptation.hooks import memory_slots
from softdock.core.adaptation.registry import METHODS
from softdock.core.machine.vector import METHODS_AT, TIME, TIME_AT
from softdock.scenario.build import Scenario


def method_books(
    scenario: Scenario, mem: np.ndarray, series: Mapping[str, np.ndarray]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """What each method says it did in a run, by axis where it records that, and what went wrong
    with its readings. A second one of a name is `name_2`."""
    found: dict[str, dict[str, Any]] = {}
    said, seen = [], Counter[str]()
    slots = memory_slots(scenario.markers.methods, METHODS_AT)
    for entry, slot in zip(scenario.tables["methods"], slots, strict=True):
        method, own = METHODS[entry["name"]], mem[int(scenario.vector[slot]) :]
        seen[method.name] += 1
        name = method.name if seen[method.name] == 1 else f"{method.name}_{seen[method.name]}"
        books = method.books(own)
        axes = work_by_axis(series, name)
        own_axes = books.pop("axes", {})
        if axes:
            for key in ("removed_J", "returned_J"):
                books.setdefault(key, sum(axis[key] for axis in axes))
            books["axes"] = [axis | own_axes.get(axis["axis"], {}) for axis in axes]
        if books:
            found[name] = books
        said += [
            f"{name}: {event}"
            for event in method.events(own, float(scenario.vector[TIME_AT + TIME.at.cycle]))
        ]
    return found, said


def told_by_truth(
    scenario: Scenario,
    series: Mapping[str, np.ndarray],
    contacts: list[dict[str, Any]],
    books: dict[str, dict[str, Any]],
) -> list[str]:
    """What the simulation knows of the methods' doings and they cannot: into their books, and in
    words."""
    said, seen = [], Counter[str]()
    for entry in scenario.tables["methods"]:
        method = METHODS[entry["name"]]
        seen[method.name] += 1
        name = method.name if seen[method.name] == 1 else f"{method.name}_{seen[method.name]}"
        found, words = method.truth(name, entry, scenario.tables, series, contacts)
        if found:
            books[name] = books.get(name, {}) | found
        said += [f"{name}: {line}" for line in words]
    return said
