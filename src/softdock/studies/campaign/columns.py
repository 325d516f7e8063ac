"""From a scenario and swept keys to the matrix of parameter vectors of a batch, one row per run.

    columns(scenario, {"robots.chaser.delay_ms": delays, "contact.0.real.stiffness_N_per_m":
    1000.0})

Keys and units are those of the scenario file; `.0`, `.1`, `.2` behind a vector's key is one
component. Values are arrays of length N or single numbers (for a whole vector, one row per run).
Every value is checked against its parameter's definition. All rows share one memory map, laid out
for the longest delay. What needs more than one key (bodies apart at the start, contacts the cycle
can resolve) is checked on every row up to `CHECKED_ROWS`, beyond that on each column's extremes and
an even sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.features import Markers
from softdock.errors import BadInput, Problem, closest
from softdock.files.values import TRIANGLE_SLACK, Refused
from softdock.loop.contact.latch_keys import LATCH
from softdock.loop.contact.pairs import PAIR
from softdock.loop.parameters import Parameter
from softdock.loop.robots.robot import ROBOT
from softdock.loop.vector import (
    CHASER_ROBOT_AT,
    MEMORY,
    MEMORY_AT,
    METHODS_AT,
    RANDOM,
    RANDOM_AT,
    TARGET_ROBOT_AT,
    TIME,
    TIME_AT,
)
from softdock.methods.registry import METHODS
from softdock.scenario.arm_tables import frozen_by_arms
from softdock.scenario.build import Scenario
from softdock.scenario.checks import MOST_SLOTS, check_scenario
from softdock.scenario.features import markers_of
from softdock.scenario.memory import longest_delay, memory_sizes
from softdock.scenario.mesh_files import frozen_by_file
from softdock.scenario.method_memory import floats_of
from softdock.scenario.own_models import refuse_own_models
from softdock.scenario.schema import (
    LATCH_TABLE,
    METHOD_TABLE,
    PAIR_TABLE,
    TABLES,
    latch_base,
    pair_base,
)
from softdock.scenario.top_tables import prefix_of

# One memory map for runs that differ: the most that any of them needs.


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
    methods, at = [], METHODS_AT
    for entry in scenario.tables.get(METHOD_TABLE, []):
        method = METHODS[entry["name"]]
        methods.append((method, at))
        at += 1 + method.group.size
    return methods


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


CHECKED_ROWS = 1000
NOT_SWEPT = ("flag", "table", "schedule", "gains", "own_rows", "network")
COMPONENTS = (
    "number",
    "mass",
)  # kinds whose components are independent; an attitude is swept as a whole
INERTIAS = (
    "inertia",
    "tool_inertia",
)  # principal moments may be swept one by one, and are checked together


class Columns(NamedTuple):
    """What a backend needs: `run_cpu(*columns)`."""

    vectors: np.ndarray  # (N, n_params), SI
    markers: Markers
    mem_floats: int


class Place(NamedTuple):
    """Where a key stands in the vector."""

    parameter: Parameter
    at: int
    size: int


def make_columns(scenario: Scenario, swept: Mapping[str, Any], runs: int | None = None) -> Columns:
    """The vectors of N runs. `runs`: N, where no key is swept. The run index of the random numbers
    is 0 .. N-1 unless swept."""
    refuse_own_models(scenario, "a campaign")
    places = list_sweepable(scenario)
    problems: list[Problem] = []
    wanted: dict[str, tuple[Place, np.ndarray]] = {}
    for key, values in swept.items():
        place = places.get(key)
        tables = scenario.tables
        if frozen := frozen_by_arms(tables, key) or frozen_by_file(tables, key):
            problems.append(Problem(key, "a sweep", frozen))
            continue
        if place is None:
            problems.append(_make_unknown_problem(scenario, key, values, places))
            continue
        try:
            wanted[key] = place, _check_values(place, values)
        except _Refused as why:
            problems.append(Problem(f"{key}{why.index}", why.value, why.allowed))
    if problems:
        raise BadInput(problems)
    count = _find_common_length({key: rows for key, (_, rows) in wanted.items()}, runs)
    vectors = np.tile(scenario.vector, (count, 1))
    vectors[:, RANDOM_AT + RANDOM.at.run] = np.arange(count)
    for place, rows in wanted.values():
        vectors[:, place.at : place.at + place.size] = rows
    too_long = find_too_long_delay(vectors)
    if too_long is not None:
        raise BadInput(too_long)
    mem_floats = lay_out_memory(scenario, vectors, swept)
    _check_rows(scenario, vectors, [place.at for place, _ in wanted.values()])
    return Columns(vectors, markers_of(vectors, scenario.markers.methods), mem_floats)


def list_sweepable(scenario: Scenario) -> dict[str, Place]:
    """Every key of this scenario that a sweep may set."""
    tables = [(t.path, t.group, t.base) for t in TABLES]
    tables += [
        (f"{PAIR_TABLE}.{i}", PAIR, pair_base(i))
        for i in range(len(scenario.tables.get(PAIR_TABLE, [])))
    ] + [
        (f"{LATCH_TABLE}.{i}", LATCH, latch_base(i))
        for i in range(len(scenario.tables["capture"].get("latch", [])))
    ]
    tables += [
        (prefix_of(method, i).rstrip("."), method.group, at + 1)
        for i, (method, at) in enumerate(list_methods(scenario))
    ]
    places: dict[str, Place] = {}
    for path, group, base in tables:
        at, before = base, f"{path}." if path else ""
        for parameter in group:
            if (
                not parameter.choices
                and parameter.swept
                and parameter.kind not in NOT_SWEPT
                and get_resolved(scenario.tables, before + parameter.key) is not None
            ):
                places[before + parameter.key] = Place(parameter, at, parameter.size)
                if parameter.size > 1 and parameter.kind in COMPONENTS:
                    places |= {
                        f"{before}{parameter.key}.{i}": Place(parameter, at + i, 1)
                        for i in range(parameter.size)
                    }
                elif (
                    parameter.kind in INERTIAS
                    and np.ndim(get_resolved(scenario.tables, before + parameter.key)) == 1
                ):
                    places |= {
                        f"{before}{parameter.key}.{i}": Place(parameter, at + i, 1)
                        for i in range(3)
                    }
            at += parameter.size
    return places


class _Refused(Exception):
    def __init__(self, value: Any, allowed: str, index: int | None = None):
        super().__init__(allowed)
        self.value, self.allowed = value, allowed
        self.index = "" if index is None else f"[{index}]"


def _check_values(place: Place, values: Any) -> np.ndarray:
    """Checked values in SI: (N, size), or (1, size) for a single value."""
    parameter = place.parameter
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise _Refused(values, parameter.allowed)
    array = array.astype(float)
    if place.size == 1:
        rows = array.reshape(-1, 1) if array.ndim <= 1 else array
    elif parameter.kind == "mass" and array.ndim <= 1:
        rows = np.repeat(array.reshape(-1, 1), 3, axis=1)
    else:
        rows = (
            _convert_inertias(parameter, array)
            if parameter.kind in INERTIAS
            else np.atleast_2d(array)
        )
    if rows.ndim != 2 or rows.shape[1] != place.size or len(rows) == 0:
        raise _Refused(f"an array of shape {array.shape}", f"{parameter.allowed}; one row a run")
    bad = (
        ~np.isfinite(rows)
        | (rows > parameter.high)
        | ((rows <= parameter.low) if parameter.open_low else (rows < parameter.low))
    )
    if parameter.kind == "integer":
        bad |= rows != np.floor(rows)
    bad_rows = bad.any(axis=1)
    if parameter.kind in ("quaternion", "direction"):
        bad_rows |= ~(np.linalg.norm(rows, axis=1) > 1e-9)
    if bad_rows.any():
        first = int(np.argmax(bad_rows))
        raise _Refused(
            rows[first, 0].item() if place.size == 1 else rows[first].tolist(),
            parameter.allowed,
            first,
        )
    return parameter.scale * rows


def _convert_inertias(parameter: Parameter, array: np.ndarray) -> np.ndarray:
    """(N, 3) principal or (N, 3, 3) full inertias to (N, 6): xx, yy, zz, xy, xz, yz. Checked as in
    files/values.py."""
    if array.ndim in (1, 2) and array.shape[-1] == 3:
        matrices = np.atleast_2d(array)[:, :, None] * np.eye(3)
    else:
        matrices = array
    if matrices.ndim != 3 or matrices.shape[1:] != (3, 3):
        raise _Refused(
            f"an array of shape {array.shape}",
            f"{parameter.allowed}; one a run: (N, 3) or (N, 3, 3)",
        )
    symmetric = (
        np.abs(matrices - matrices.transpose(0, 2, 1))
        <= 1e-9 * np.abs(matrices).max(axis=(1, 2), keepdims=True)
    ).all(axis=(1, 2))
    good = symmetric & are_inertias(parameter.kind, matrices)
    if not good.all():
        first = int(np.argmin(good))
        raise _Refused(matrices[first].tolist(), parameter.allowed, first)
    m = matrices
    return np.stack(
        [m[:, 0, 0], m[:, 1, 1], m[:, 2, 2], m[:, 0, 1], m[:, 0, 2], m[:, 1, 2]], axis=1
    )


def are_inertias(kind: str, matrices: np.ndarray) -> np.ndarray:
    """Whether symmetric matrices (N, 3, 3) are a body's: principal moments positive, none above the
    sum of the others. A tool may have none at all."""
    finite: np.ndarray = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    moments = np.linalg.eigvalsh(np.where(finite[:, None, None], matrices, np.eye(3)))
    good = (
        finite
        & (moments[:, 0] > 0.0)
        & (moments[:, 2] <= (moments[:, 0] + moments[:, 1]) * (1.0 + TRIANGLE_SLACK))
    )
    return np.asarray(good | (~matrices.any(axis=(1, 2)) if kind == "tool_inertia" else False))


def _make_unknown_problem(
    scenario: Scenario, key: str, value: Any, places: Mapping[str, Place]
) -> Problem:
    if (
        key not in places
        and get_resolved(scenario.tables, key) is not None
        and not isinstance(get_resolved(scenario.tables, key), dict)
    ):
        return Problem(
            key,
            value,
            "a key with a numeric value; this one is a choice, so make a batch for each of "
            "its values",
        )
    return Problem(
        key, value, "a key of this scenario with a numeric value", suggestion=closest(key, places)
    )


def _find_common_length(rows: Mapping[str, np.ndarray], runs: int | None) -> int:
    lengths = {key: len(array) for key, array in rows.items() if len(array) != 1}
    count = runs if runs is not None else max(lengths.values(), default=1)
    wrong = [
        Problem(key, f"{n} values", f"{count} values, as the others, or one")
        for key, n in lengths.items()
        if n != count
    ]
    if wrong:
        raise BadInput(wrong)
    if count < 1:
        raise BadInput(Problem("runs", runs, "at least 1"))
    return count


def _check_rows(scenario: Scenario, vectors: np.ndarray, swept_at: list[int]) -> None:
    """The checks across keys, on rows as they would be built one by one."""
    rows: Any = range(len(vectors))
    if len(vectors) > CHECKED_ROWS:
        extremes = {int(pick(vectors[:, at])) for at in swept_at for pick in (np.argmin, np.argmax)}
        rows = sorted(
            extremes | set(np.linspace(0, len(vectors) - 1, CHECKED_ROWS).astype(int).tolist())
        )
    for row in rows:
        one = Scenario(scenario.tables, vectors[row], scenario.markers)
        problems, _ = check_scenario(one, lambda key: "")
        if problems:
            raise BadInput([Problem(p.key, p.value, p.allowed, f"run {row}") for p in problems])
