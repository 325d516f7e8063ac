"""One memory map for runs that differ: the most that any of them needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.values import Refused
from softdock.loop.robots.robot import ROBOT
from softdock.loop.vector import (
    CHASER_ROBOT_AT,
    MEMORY,
    MEMORY_AT,
    METHODS_AT,
    TARGET_ROBOT_AT,
    TIME,
    TIME_AT,
)
from softdock.methods.registry import METHODS
from softdock.scenario.build import Scenario
from softdock.scenario.checks import MOST_SLOTS
from softdock.scenario.memory import longest_delay, memory_sizes
from softdock.scenario.method_memory import floats_of
from softdock.scenario.schema import METHOD_TABLE
from softdock.scenario.top_tables import prefix_of


def find_too_long_delay(vectors: np.ndarray) -> Problem | None:
    """A row whose delay does not fit the largest history."""
    for name, base in (("chaser", CHASER_ROBOT_AT), ("target", TARGET_ROBOT_AT)):
        cycles = np.ceil(
            longest_delay(vectors, base) / vectors[:, TIME_AT + TIME.at.cycle] - 1e-9
        ).astype(int)
        row = int(np.argmax(cycles))
        if cycles[row] > MOST_SLOTS - 4:
            allowed = (
                f"a delay of at most {MOST_SLOTS - 4} cycles, the largest history; this one "
                f"reaches {cycles[row]} cycles"
            )
            return Problem(
                f"robots.{name}.delay_ms[{row}]", 1e3 * vectors[row, base + ROBOT.at.delay], allowed
            )
    return None


def list_methods(scenario: Scenario) -> list[tuple[Any, int]]:
    """Each listed method and where its numbers begin in the vector: first the slot of its
    memory."""
    found, at = [], METHODS_AT
    for entry in scenario.tables.get(METHOD_TABLE, []):
        method = METHODS[entry["name"]]
        found.append((method, at))
        at += 1 + method.group.size
    return found


def lay_out_memory(
    scenario: Scenario,
    vectors: np.ndarray,
    swept: Mapping[str, Any],
    known: Mapping[str, int] | None = None,
) -> int:
    """Write one memory map into all rows, as `build` does for one scenario. Returns the floats of
    `mem`. `known`: sizes over more rows than these."""
    sizes = memory_sizes(vectors) if known is None else dict(known)
    size = sizes.pop("size")
    for i, (method, at) in enumerate(list_methods(scenario)):
        vectors[:, at] = size
        size += _compute_method_floats(scenario, method, i, vectors, swept)
    for name, value in {**sizes, "size": size}.items():
        vectors[:, MEMORY_AT + getattr(MEMORY.at, name)] = value
    return size


def _compute_method_floats(
    scenario: Scenario, method: Any, index: int, vectors: np.ndarray, swept: Mapping[str, Any]
) -> int:
    """The most memory a method needs over all rows."""
    prefix = prefix_of(method, index)
    values = {p.key: get_resolved(scenario.tables, prefix + p.key) for p in method.group}
    values = {key: value for key, value in values.items() if value is not None}
    own = {
        key.removeprefix(prefix): np.atleast_1d(np.asarray(array))
        for key, array in swept.items()
        if key.startswith(prefix) and key.removeprefix(prefix) in values
    }
    periods = np.unique(vectors[:, TIME_AT + TIME.at.cycle])
    if not own:
        return max(_count_floats(method, values, T, index) for T in periods)
    most = 0
    for row in range(len(vectors)):
        here = values | {
            key: array[row if len(array) > 1 else 0].tolist()
            for key, array in own.items()
            if key in values
        }
        most = max(most, _count_floats(method, here, vectors[row, TIME_AT + TIME.at.cycle], index))
    return most


def _count_floats(method: Any, values: Mapping[str, Any], T: float, index: int) -> int:
    try:
        return floats_of(method, values, T)
    except Refused as why:
        raise BadInput(Problem(f"{METHOD_TABLE}.{index}.name", method.name, str(why))) from None


def get_resolved(tables: Any, path: str) -> Any:
    """The value a key resolved to, or None."""
    here = tables
    for part in path.split("."):
        if isinstance(here, list) and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        elif isinstance(here, dict):
            here = here.get(part)
        else:
            return None
    return here
