"""Tables of a scenario into the parameter vector, key by key: defaults filled in, values checked,
what is wrong noted with its place. Every problem is found, not the first alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.tables import Locate, Reader
from softdock.files.values import Refused, check_own_rows, checks_ranges, rows_of, to_vector
from softdock.loop.command import LABORATORY
from softdock.loop.parameters import WRITTEN_HERE, Group, Parameter
from softdock.loop.robots.robot import ROBOT
from softdock.loop.sensor.force_torque import SENSOR
from softdock.loop.sensor.mock_up import MOCK_UP
from softdock.loop.vector import (
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    MEMORY,
    MEMORY_AT,
    METHODS_AT,
    ORBIT_AT,
    RANDOM_AT,
    RANDOMS,
    SENSOR_AT,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
)
from softdock.scenario.keys import flat_keys, nest, plain
from softdock.scenario.schema import (
    TABLES,
    pair_base,
)

# of its range, the mock-up it is behind, its places there, and how many rows a hand has: what a
# method may know of a sensor
SENSOR_PLACES = (
    SENSOR_AT + SENSOR.at.range_force,
    SENSOR_AT + SENSOR.at.on,
    CHASER_MOCK_UP_AT + MOCK_UP.at.sensor,
    TARGET_MOCK_UP_AT + MOCK_UP.at.sensor,
    CHASER_HAND_AT + 1,
    TARGET_HAND_AT + 1,
)
# of all random numbers' key, and of the orbit: what a method may know beside its own keys
PLACES = (RANDOM_AT + RANDOMS.seed, RANDOM_AT + RANDOMS.run, ORBIT_AT)


class CheckedTable(NamedTuple):
    """A table that was checked: a variant of the scenario takes it over where it is the same."""

    written: dict[str, str]  # its resolved values by key, spelled out
    numbers: np.ndarray  # its part of the vector
    tails: tuple[tuple[int, np.ndarray], ...]  # as of `TableReader`, from the table's first number
    in_range: bool  # whether ranges were asked for


class TableReader:
    """What was found so far in what a user wrote: the vector, the resolved tables, the problems.

    `known`: tables of a checked scenario of which this one is a variant. Every other table is
    checked, and so is all that needs more than one table.
    """

    def __init__(
        self,
        tables: Mapping[str, Any],
        locate: Locate,
        folder: Path,
        known: Mapping[str, CheckedTable] | None = None,
    ):
        self.given, self.locate, self.folder = tables, locate, folder
        self.known = known or {}
        self.checked_tables: dict[str, CheckedTable] = {}
        # rows that go behind the vector, and where their place is noted
        self.tails: list[tuple[int, np.ndarray]] = []
        self.problems: list[Problem] = []
        self.network_warnings: list[str] = []
        # how orbit has each, and where its keys stand
        self.orbit_networks: list[tuple[int, int]] = []
        self.resolved: dict[str, Any] = {}
        self.vector = np.zeros(METHODS_AT)
        self.markers: list[Any] = []
        self.warnings: list[str] = []
        self.wanted: list[tuple[str, dict[str, Any]]] = []  # contacts that methods want

    def refuse(self, key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        self.problems.append(Problem(key, value, allowed, self.locate(key), suggestion=suggestion))

    def dig(self, path: str) -> Mapping[str, Any]:
        here: Any = self.given
        for part in path.split("."):
            here = here.get(part, {}) if isinstance(here, Mapping) else {}
        if not isinstance(here, Mapping):
            self.refuse(path, here, "a table")
            return {}
        return here

    def fill(
        self, path: str, given: Mapping[str, Any], group: Group, vector: np.ndarray, base: int
    ) -> dict[str, Any]:
        """One table into the vector; an empty path: tables at the top. Returns its resolved values
        by key."""
        written = flat_keys(given, {p.key for p in group} | {"csv"})
        if any(p.kind == "schedule" for p in group) and "csv" in written:
            self.read_csv(path, written)
        values = self.take_over(path, written, group, vector, base)
        if values is None:
            values = self.check(path, written, group, vector, base)
        nest(self.resolved, path, values)
        return values

    def check(
        self, path: str, written: Mapping[str, Any], group: Group, vector: np.ndarray, base: int
    ) -> dict[str, Any]:
        """Every value of a table, by key."""
        row = Reader(written, path, self.problems, self.locate)
        problems, tails = len(self.problems), len(self.tails)
        values: dict[str, Any] = {}
        offset = base
        for parameter in group:
            if parameter.kind in WRITTEN_HERE:
                self.write_here(parameter, vector, offset)
            else:
                value = row.find_value(parameter, values)
                if value is not None:
                    self.put(row, parameter, value, vector, offset, values)
            offset += parameter.size
        row.done()
        if len(self.problems) == problems and not any(p.kind == "network" for p in group):
            self.checked_tables[path] = CheckedTable(
                written={key: repr(value) for key, value in values.items()},
                numbers=vector[base:offset].copy(),
                tails=tuple((at - base, rows) for at, rows in self.tails[tails:]),
                in_range=checks_ranges(),
            )
        return values

    def take_over(
        self, path: str, written: Mapping[str, Any], group: Group, vector: np.ndarray, base: int
    ) -> dict[str, Any] | None:
        """The values of a table that was checked and is the same; None: it has to be checked."""
        known = self.known.get(path)
        if known is None or (checks_ranges() and not known.in_range):
            return None
        if len(known.numbers) != group.size or len(known.written) != len(written):
            return None
        if any(known.written.get(key) != repr(value) for key, value in written.items()):
            return None
        vector[base : base + group.size] = known.numbers
        offset = base
        for parameter in group:
            if parameter.kind in WRITTEN_HERE:
                self.write_here(parameter, vector, offset)
            offset += parameter.size
        self.tails += [(base + at, rows) for at, rows in known.tails]
        self.checked_tables[path] = known
        return {key: written[key] for key in known.written}

    def write_here(self, parameter: Parameter, vector: np.ndarray, offset: int) -> None:
        """Where a method finds in the vector what no user writes."""
        if parameter.kind == "contacts":
            vector[offset : offset + 2] = (
                pair_base(0),
                self.vector[MEMORY_AT + MEMORY.at.pair_count],
            )
        elif parameter.kind == "joints":
            vector[offset : offset + 2] = (
                CHASER_ROBOT_AT + ROBOT.at.joint_stiffness,
                TARGET_ROBOT_AT + ROBOT.at.joint_stiffness,
            )
        elif parameter.kind == "arm":
            pass  # written where the facility is read (arms.py)
        elif parameter.kind == "sensor":
            vector[offset : offset + 6] = SENSOR_PLACES
        elif parameter.kind == "places":
            vector[offset : offset + 3] = PLACES
        elif parameter.kind == "averages":
            vector[offset : offset + 2] = (
                SENSOR_AT + SENSOR.at.period,
                SENSOR_AT + SENSOR.at.handover,
            )
        elif parameter.kind == "laboratory":
            vector[offset : offset + 2] = (
                LABORATORY_AT + LABORATORY.at.attitude,
                LABORATORY_AT + LABORATORY.at.gravity,
            )

    def put(
        self,
        row: Reader,
        parameter: Parameter,
        value: Any,
        vector: np.ndarray,
        offset: int,
        values: dict[str, Any],
    ) -> None:
        """One value into the vector, or its refusal onto the list."""
        try:
            if parameter.kind == "network":
                if not self.put_network(row, parameter, value, offset):
                    return
            elif parameter.rows is not None:
                check_own_rows(parameter, parameter.rows, value)
            elif parameter.kind in ("table", "schedule", "gains"):
                if value != []:
                    self.tails.append((offset, rows_of(parameter, value)))
            else:
                vector[offset : offset + parameter.size] = to_vector(parameter, value)
            values[parameter.key] = plain(value)
        except Refused as why:
            row.refuse_value(parameter, value, why)

    def put_network(self, row: Reader, parameter: Parameter, value: Any, offset: int) -> bool:
        """A network's numbers, sampled at the scenario's cycle, behind the vector. False:
        refused."""
        from softdock.scenario.network_file import network_rows  # few scenarios have networks

        try:
            rows, warnings = network_rows(
                value, float(self.vector[TABLES[0].base]), parameter.causality
            )
            self.tails.append((offset, rows))
            self.network_warnings += [f"{row.at(parameter.key)}: {warning}" for warning in warnings]
            return True
        except BadInput as error:
            for problem in error.problems:
                row.refuse(
                    f"{parameter.key}.{problem.key}",
                    problem.value,
                    problem.allowed,
                    problem.suggestion,
                )
            return False

    def read_csv(self, path: str, written: dict[str, Any]) -> None:
        name = written.pop("csv")
        if "rows" in written:
            self.refuse(f"{path}.csv", name, "either rows or csv, not both")
            return
        from softdock.scenario.csv_rows import read_rows

        try:
            written["rows"] = read_rows(self.folder, name)
        except Refused as why:
            self.refuse(f"{path}.csv", name, str(why))
