"""Every draw of a campaign checked before it starts, and one memory map for all its runs.
Vectorised: a second or two for a million runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.vector import MEMORY, MEMORY_AT
from softdock.scenario.build import Scenario
from softdock.scenario.checks import check_scenario
from softdock.scenario.memory import memory_sizes
from softdock.studies.campaign.batch import SparseParameters, count_cores
from softdock.studies.campaign.columns import (
    INERTIAS,
    Place,
    are_inertias,
    find_too_long_delay,
    lay_out_memory,
)
from softdock.studies.campaign.distances import read_columns
from softdock.studies.campaign.variants import Plan, Variant, fill_columns

ROWS = 2048  # runs checked together: 6 MB
SAID_EVERY = 32  # such rows
LOOKERS = 4  # threads that check
# runs built one by one, for what needs more than one key: the extremes of each column, and an even
# sample
CHECKED = 200
SIZING = (
    "time.",
    "robots.",
    "sensor.",
    "pose.",
    "mock_up.",
    "hand.",
    "methods.",
)  # keys that may change the size of a run's memory


def check_plan(plan: Plan, say: Callable[[int, int], None] | None = None) -> None:
    """Raises `BadInput` with all that is wrong; lays out the memory of every variant. `say`: told
    how many draws are checked, of how many."""
    design = plan.design
    low, high = np.full(len(design.labels), np.inf), np.full(len(design.labels), -np.inf)
    lowest, highest = np.zeros(len(low), dtype=int), np.zeros(len(low), dtype=int)
    outside = np.zeros(len(low), dtype=int)
    example = np.full(len(low), np.nan)
    definitions = _list_definitions(plan.variants[0])
    sizes: list[dict[str, int]] = [{} for _ in plan.variants]
    inertias, no_bodies = _find_varied_inertias(plan.variants[0]), 0
    sizing = any(key.startswith(SIZING) for vary in plan.spec.vary for key in vary.written)

    def look(first: int) -> tuple[list[ColumnSummary], list[dict[str, int]], int]:
        values = design.values(first, min(first + ROWS, design.runs))
        columns = [_summarise_column(places, values[:, i]) for i, places in enumerate(definitions)]
        bad = (
            _count_impossible_inertias(plan.variants[0], inertias, values, first) if inertias else 0
        )
        return (
            columns,
            _compute_sizes(plan, values, first)
            if sizing and not any(c.outside for c in columns)
            else [],
            bad,
        )

    with ThreadPoolExecutor(min(LOOKERS, count_cores())) as pool:
        for first, (columns, needed, bad) in zip(
            range(0, design.runs, ROWS), pool.map(look, range(0, design.runs, ROWS)), strict=True
        ):
            if say is not None and first % (SAID_EVERY * ROWS) == 0:
                say(first, design.runs)
            for i, column in enumerate(columns):
                outside[i] += column.outside
                example[i] = column.example if column.outside else example[i]
                for x, at, best, where, better in (
                    (column.low, column.lowest, low, lowest, np.less),
                    (column.high, column.highest, high, highest, np.greater),
                ):
                    if better(x, best[i]):
                        best[i], where[i] = x, first + at
            no_bodies += bad
            for size, more in zip(sizes, needed, strict=False):
                for name, value in more.items():
                    size[name] = max(size.get(name, 0), value)
    _refuse_outside(plan, definitions, outside, example)
    if no_bodies:
        share = (
            f"{100.0 * no_bodies / design.runs:.3g} % of the runs have others ({no_bodies} of "
            f"{design.runs})"
        )
        allowed = (
            f"principal moments of a body: positive, none above the sum of the other two; {share}"
        )
        raise BadInput(
            Problem(", ".join(inertias), "in vary", allowed, plan.spec.locate("vary.0.key"))
        )
    rows = sorted(
        {
            *lowest.tolist(),
            *highest.tolist(),
            *np.linspace(0, design.runs - 1, min(design.runs, CHECKED)).astype(int).tolist(),
        }
    )
    for variant, size in zip(plan.variants, sizes, strict=True):
        _lay_out(plan, variant, rows, size)


class ColumnSummary(NamedTuple):
    """One column of some runs: how many values are not allowed and one of them, the extremes and
    where they are."""

    outside: int
    example: float
    low: float
    lowest: int
    high: float
    highest: int


def _summarise_column(places: list[Place], x: np.ndarray) -> ColumnSummary:
    bad, lowest, highest = _find_outside(places, x), int(np.argmin(x)), int(np.argmax(x))
    return ColumnSummary(
        outside=int(bad.sum()),
        example=float(x[int(np.argmax(bad))]),
        low=float(x[lowest]),
        lowest=lowest,
        high=float(x[highest]),
        highest=highest,
    )


def _list_definitions(variant: Variant) -> list[list[Place]]:
    """For each column of the design, the keys that it sets; none for angles."""
    definitions: list[list[Place]] = []
    for vary, places in variant.places:
        if vary.turn_about:
            definitions.append([])
        elif len(vary.keys) > 1:
            definitions += [[place] for place in places]
        else:
            definitions.append(places)
    return definitions


def _find_varied_inertias(variant: Variant) -> dict[str, tuple[str, int]]:
    """Inertias of which some moment varies: key, kind, and where they begin in the vector."""
    inertias = {}
    for vary, places in variant.places:
        for key, place in zip(vary.written, places, strict=True):
            if place.parameter.kind in INERTIAS and place.size == 1:
                name, _, component = key.rpartition(".")
                inertias[name] = place.parameter.kind, place.at - int(component)
    return inertias


def _count_impossible_inertias(
    variant: Variant, inertias: dict[str, tuple[str, int]], values: np.ndarray, first: int
) -> int:
    """Runs of which some inertia is no body's."""
    runs = SparseParameters(
        variant.scenario.vector, variant.at, fill_columns(variant, values, first)
    )
    bad = np.zeros(len(values), dtype=bool)
    for kind, at in inertias.values():
        bad |= ~are_inertias(kind, read_columns(runs, at, 3)[:, :, None] * np.eye(3))
    return int(bad.sum())


def _find_outside(places: list[Place], x: np.ndarray) -> np.ndarray:
    bad = ~np.isfinite(x)
    for place in places:
        p = place.parameter
        bad |= (x > p.high) | ((x <= p.low) if p.open_low else (x < p.low))
        if p.kind == "integer":
            bad |= x != np.floor(x)
    return bad


def _refuse_outside(
    plan: Plan, definitions: list[list[Place]], outside: np.ndarray, example: np.ndarray
) -> None:
    problems = []
    at = 0
    for i, vary in enumerate(plan.spec.vary):
        for key in vary.keys:
            if outside[at]:
                share = (
                    f"{100.0 * outside[at] / plan.design.runs:.3g} % of the values are not "
                    f"({outside[at]} of {plan.design.runs})"
                )
                places = definitions[at]  # none: an angle to turn by
                allowed = places[0].parameter.allowed if places else "a finite number"
                problems.append(
                    Problem(
                        key,
                        float(example[at]),
                        f"{allowed}; {share}",
                        plan.spec.locate(f"vary.{i}.{vary.how}"),
                    )
                )
            at += 1
    if problems:
        raise BadInput(problems)


def _compute_sizes(plan: Plan, values: np.ndarray, first: int) -> list[dict[str, int]]:
    """The largest memory of these runs, for every variant; delays beyond the largest history are
    refused."""
    sizes = []
    for variant in plan.variants:
        vectors = SparseParameters(
            variant.scenario.vector, variant.at, fill_columns(variant, values, first)
        ).expand()
        problem = find_too_long_delay(vectors)
        if problem is not None:
            raise BadInput(problem)
        sizes.append(memory_sizes(vectors))
    return sizes


def _lay_out(plan: Plan, variant: Variant, rows: list[int], size: dict[str, int]) -> None:
    scenario = variant.scenario
    values = np.concatenate([plan.design.values(r, r + 1) for r in rows])
    vectors = SparseParameters(
        scenario.vector,
        variant.at,
        np.concatenate([fill_columns(variant, values[i : i + 1], r) for i, r in enumerate(rows)]),
    ).expand()
    problems: list[Problem] = []
    for r, vector in zip(rows, vectors, strict=True):
        found, _ = check_scenario(
            Scenario(scenario.tables, vector, scenario.markers), lambda key: ""
        )
        problems += [Problem(p.key, p.value, p.allowed, f"run {r}") for p in found]
    if problems:
        raise BadInput(problems[:5])
    swept: dict[str, Any] = {key: values[:, i] for i, key in enumerate(_list_column_keys(variant))}
    if size:  # one row that stands for the largest of all
        for name, value in size.items():
            vectors[:, MEMORY_AT + getattr(MEMORY.at, name)] = value
    variant.mem_floats = lay_out_memory(scenario, vectors, swept, size or None)
    base = scenario.vector.copy()
    changed = np.flatnonzero(vectors[0] != base)
    kept = [i for i in changed if i not in set(variant.at.tolist())]
    base[kept] = vectors[0, kept]
    scenario.vector = base


def _list_column_keys(variant: Variant) -> list[str]:
    return [key for vary, _ in variant.places for key in vary.keys]
