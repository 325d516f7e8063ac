"""From what a user wrote (nested tables) to a `Scenario`: parameter vector, method markers, memory
map. All problems are found at once."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock._arguments import Rule, check_arguments, instance_of, optional, refuse_wrong
from softdock.compile.features import Markers
from softdock.errors import BadInput, closest
from softdock.files.tables import MOST_PROBLEMS, Locate, Reader, nowhere
from softdock.files.values import any_range
from softdock.loop.arms.scenario_facility import arm_robots
from softdock.loop.contact.pairs import MOST_PAIRS, PAIR
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import (
    MEMORY,
    MEMORY_AT,
)
from softdock.scenario.approach import PATH as APPROACH_PATH
from softdock.scenario.arm_tables import arm_place, located, unknown_arms
from softdock.scenario.checks import check_rates, check_scenario
from softdock.scenario.features import markers_of
from softdock.scenario.keys import set_key
from softdock.scenario.latch_tables import read_latches, without_latches
from softdock.scenario.memory import memory_sizes
from softdock.scenario.method_reader import MethodReader
from softdock.scenario.schema import (
    FACILITY_TABLE,
    METHOD_TABLE,
    OF_A_FIXED_BODY,
    PAIR_TABLE,
    SCHEMA_VERSION,
    TABLES,
    TOP_LEVEL,
    pair_base,
)
from softdock.scenario.table_reader import CheckedTable
from softdock.scenario.top_tables import top_tables
from softdock.scenario.verdict_table import PATH as VERDICT_PATH
from softdock.scenario.verdict_table import VERDICT
from softdock.scenario.wanted_by_methods import wanted_in_orbit
from softdock.scenario.words import in_plain_keys

PARTS: dict[str, Rule] = {  # what a scenario is made of
    "tables": instance_of("a dict", dict),
    "vector": instance_of("an array", np.ndarray),
    "markers": instance_of("markers", Markers),
    "warnings": instance_of("a list", list),
    "notes": instance_of("a list", list),
    "approach": instance_of("a dict", dict),
}


def _by_key(value: Any) -> str:
    able = isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    return "" if able else "a mapping from key to value"


@dataclass
class Scenario:
    """A checked scenario, ready to run. `tables` is what it resolved to, every default written out,
    in the user's units."""

    tables: dict[str, Any]
    vector: np.ndarray
    markers: Markers
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what words were turned into (words.py)
    # what its [approach] was resolved from; empty: it has none, or was changed since
    approach: dict[str, Any] = field(default_factory=dict, repr=False)
    # along its free flight, since it was checked: its start may lie beyond what a user may give
    moved: bool = field(default=False, repr=False)
    # its tables as they were checked, for its variants
    checked_tables: dict[str, CheckedTable] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        refuse_wrong(PARTS, vars(self))

    @property
    def name(self) -> str:
        return str(self.tables.get("name", "unnamed"))

    @property
    def mem_floats(self) -> int:
        """Length of the `mem` array that a run needs."""
        return int(self.vector[MEMORY_AT + MEMORY.at.size])

    def with_changes(self, **changes: Any) -> Scenario:
        """A new scenario with some keys set; dots as double underscores:
        `robots__chaser__delay_ms=16`."""
        return self.with_keys({key.replace("__", "."): value for key, value in changes.items()})

    @check_arguments(changes=_by_key)
    def with_keys(self, changes: Mapping[str, Any]) -> Scenario:
        """A new scenario with some keys set by path: `{"contact.0.real.stiffness_N_per_m":
        2000}`."""
        return change_keys(self, changes, self.moved)


def change_keys(scenario: Scenario, changes: Mapping[str, Any], moved: bool) -> Scenario:
    """A variant with some keys set by path. `moved`: along its free flight, so that its start may
    lie beyond what a user may give."""
    tables = copy.deepcopy(scenario.tables)
    for path, value in changes.items():
        set_key(tables, path, value)
    if not moved:
        return build_variant(scenario, tables)
    with any_range():
        made = build_variant(scenario, tables)
    made.moved = True
    return made


@np.errstate(all="ignore")  # as of `build`
def build_variant(scenario: Scenario, tables: Mapping[str, Any]) -> Scenario:
    """A variant: the scenario's own tables with some keys changed. Tables that are as they were are
    not checked again; what needs more than one of them is. `build` gives the same."""
    return _Builder(tables, nowhere, Path(), scenario.checked_tables).scenario()


@check_arguments(
    tables=instance_of("tables: time, chaser, target, contact, ...", Mapping),
    locate=lambda value: "" if callable(value) else "a function of a key's path",
    folder=optional(instance_of("a Path", Path)),
)
@np.errstate(all="ignore")  # numbers at the ends of what a float holds are refused, or run
def build(
    tables: Mapping[str, Any], locate: Locate = lambda path: "", folder: Path | None = None
) -> Scenario:
    """Check everything, fill in defaults, and lay out the vector. Raises `BadInput` with every
    problem found.

    `folder`: where files named in the scenario (CSV) are looked for.
    """
    return _Builder(tables, locate, folder or Path()).scenario()


class _Builder(MethodReader):
    """A whole scenario: tables, contact pairs, methods, memory."""

    def scenario(self) -> Scenario:
        self.given, notes, approach = in_plain_keys(self.given, self.refuse)
        self.top_level()
        for table in TABLES:
            given = without_latches(table.path, self.dig(table.path))
            if isinstance(given, Mapping) and table.group is BODY and given.get("fixed") is True:
                given = {**OF_A_FIXED_BODY, **given}
            self.fill(table.path, given, table.group, self.vector, table.base)
        self.pairs()
        read_latches(self)
        self.facility()
        memory = self.methods()
        nowhere = np.zeros(VERDICT.size)  # who judges reads the resolved tables
        self.fill(VERDICT_PATH, self.dig(VERDICT_PATH), VERDICT, nowhere, 0)
        if not self.problems:
            check_rates(self.vector, self.refuse)  # before memory is laid out for such a rate
        if self.problems:
            raise BadInput(self.problems)
        self.lay_out_memory(memory)
        scenario = Scenario(
            self.resolved, self.vector, markers_of(self.vector, tuple(self.markers))
        )
        self.problems, warnings = check_scenario(scenario, self.locate)
        for name, wanted in self.wanted:  # orbit's alone: what the rig resolves was checked before
            done, doubtful = wanted_in_orbit(name, wanted, self.resolved, self.vector)
            notes += done
            warnings += doubtful
        scenario.notes, scenario.approach = notes, approach
        scenario.checked_tables = self.checked_tables
        scenario.warnings = self.warnings + warnings + self.network_warnings
        if self.problems:
            raise BadInput(self.problems)
        return scenario

    def top_level(self) -> None:
        tables = {t.path.split(".")[0] for t in TABLES} | {PAIR_TABLE, METHOD_TABLE, FACILITY_TABLE}
        known = tables | {p.key for p in TOP_LEVEL} | {VERDICT_PATH, APPROACH_PATH, *top_tables()}
        for key in self.given:
            if len(self.problems) >= MOST_PROBLEMS:
                break
            if key not in known:
                self.refuse(
                    str(key),
                    self.given[key],
                    "one of " + ", ".join(sorted(known)),
                    closest(str(key), known),
                )
        for outer in sorted({t.path.split(".")[0] for t in TABLES if "." in t.path}):
            inner = self.given.get(outer, {})
            if not isinstance(inner, Mapping):
                self.refuse(outer, inner, f"tables {outer}.chaser and {outer}.target")
                continue
            for key in inner:
                if key not in ("chaser", "target"):
                    self.refuse(
                        f"{outer}.{key}",
                        inner[key],
                        f"{outer}.chaser or {outer}.target",
                        closest(str(key), ("chaser", "target")),
                    )
        self.resolved |= Reader(self.given, "", self.problems, self.locate).read(TOP_LEVEL)
        self.resolved["schema"] = SCHEMA_VERSION

    def pairs(self) -> None:
        given = self.given.get(PAIR_TABLE, [])
        if (
            not isinstance(given, list)
            or not all(isinstance(p, Mapping) for p in given)
            or len(given) > MOST_PAIRS
        ):
            self.refuse(PAIR_TABLE, given, f"an array of up to {MOST_PAIRS} tables, [[contact]]")
            return
        self.resolved[PAIR_TABLE] = [{} for _ in given]
        for i, pair in enumerate(given):
            self.fill(f"{PAIR_TABLE}.{i}", pair, PAIR, self.vector, pair_base(i))
        self.vector[MEMORY_AT + MEMORY.at.pair_count] = len(given)

    def facility(self) -> None:
        """Arms and their places, read and checked; the loop reads those of robots that are arms."""
        if FACILITY_TABLE in self.given:
            from softdock.loop.arms.facility import read_facility

            try:
                room = read_facility(self.given[FACILITY_TABLE], self.locate)
                self.problems += unknown_arms(room, self.locate)
                self.resolved[FACILITY_TABLE] = copy.deepcopy(self.given[FACILITY_TABLE])
            except BadInput as error:
                self.problems += error.problems
        robots = arm_robots(self.resolved)
        if not robots or self.problems:
            return
        from softdock.loop.arms.placed import placed_arms

        try:
            blocks = placed_arms(self.resolved, robots, self.folder)
        except BadInput as error:
            self.problems += [located(problem, self.locate) for problem in error.problems]
            return
        for robot, block in blocks.items():
            self.tails.append((arm_place(robot), block))

    def lay_out_memory(self, methods: list[tuple[int, int]]) -> None:
        """Rows of tables behind the vector, and the map of `mem`."""
        for at, rows in self.tails:
            self.vector[at : at + 2] = len(self.vector), len(rows)
            self.vector = np.concatenate([self.vector, rows.ravel()])
        if self.orbit_networks:
            self.vector[MEMORY_AT + MEMORY.at.orbit_networks] = len(self.vector)
            self.vector[MEMORY_AT + MEMORY.at.orbit_network_count] = len(self.orbit_networks)
            self.vector = np.concatenate(
                [self.vector, np.ravel(np.array(self.orbit_networks, float))]
            )
        sizes = memory_sizes(self.vector)
        size = sizes.pop("size")
        for at, floats in methods:
            self.vector[at] = size
            size += floats
        for name, value in sizes.items():
            self.vector[MEMORY_AT + getattr(MEMORY.at, name)] = value
        self.vector[MEMORY_AT + MEMORY.at.size] = size
