"""`[[methods]]` into the parameter vector: each method's keys, what it refuses, rows it computes
and the memory it needs. Keys of some stand in tables at the top (top_tables.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.errors import closest
from softdock.files.values import Refused
from softdock.loop.arms.scenario_facility import arm_robots
from softdock.loop.keys import MEMORY
from softdock.loop.method.declaration import SERVICER
from softdock.loop.parameters import WRITTEN_HERE
from softdock.loop.vector import MEMORY_AT
from softdock.methods.registry import METHODS, RAW, Method
from softdock.scenario.arm_tables import tell_arms
from softdock.scenario.method_chains import chain_problems
from softdock.scenario.method_memory import floats_of, is_own
from softdock.scenario.schema import METHOD_TABLE, PAIR_TABLE, TABLES
from softdock.scenario.table_reader import TableReader
from softdock.scenario.top_tables import prefix_of, with_those_at_top, written_tables

MOST_METHODS = 16  # in one scenario: each is compiled into the loop


class MethodReader(TableReader):
    """The methods of a scenario."""

    def methods(self) -> list[tuple[int, int]]:
        """Lay out the listed methods behind the vector. Returns the floats of memory each one
        needs."""
        given = self.given.get(METHOD_TABLE, [{"name": RAW}])
        if not isinstance(given, list) or not all(isinstance(m, Mapping) for m in given):
            self.refuse(METHOD_TABLE, given, "an array of tables, [[methods]], each with a name")
            return []
        given = with_those_at_top(self.given, given, self.refuse)
        if len(given) > MOST_METHODS:
            self.refuse(METHOD_TABLE, f"{len(given)} of them", f"at most {MOST_METHODS} methods")
            return []
        self.resolved[METHOD_TABLE] = [{"name": m.get("name")} for m in given]
        for i, allowed in chain_problems([m.get("name") for m in given]):
            self.refuse(f"{METHOD_TABLE}.{i}.name", given[i].get("name"), allowed)
        sizes: list[tuple[int, Method, dict[str, Any]]] = []
        for i, entry in enumerate(given):
            name = entry.get("name")
            if not isinstance(name, str) or name not in METHODS:
                self.refuse(
                    f"{METHOD_TABLE}.{i}.name",
                    name,
                    "one of " + ", ".join(METHODS),
                    closest(str(name), METHODS),
                )
                continue
            method: Method = METHODS[name]
            base = len(self.vector) + 1
            self.vector = np.concatenate([self.vector, np.zeros(1 + method.group.size)])
            values = self.fill_method(i, method, entry, base)
            self.check_method(i, method, values)
            tell_arms(self, f"{METHOD_TABLE}.{i}", method, values, base)
            self.add_rows(method, values, base)
            sizes.append((base - 1, method, values))
            if not self.problems and method.in_orbit(values) == SERVICER:
                self.vector[MEMORY_AT + MEMORY.at.orbit_servicer] = base
            elif not self.problems and method.in_orbit(values):
                self.orbit_networks.append((method.in_orbit(values), base))
            if not self.problems and (wanted := method.wanted(values)):
                self.wanted.append((f"{METHOD_TABLE}.{i}", wanted))
            self.markers.append(
                method.marker if self.problems else method.variant(values) or method.marker
            )
        if self.problems:
            return []
        T = self.vector[TABLES[0].base]
        memory = []
        for i, (at, method, values) in enumerate(sizes):
            try:
                memory.append((at, floats_of(method, values, T)))
            except Refused as why:
                self.refuse(f"{METHOD_TABLE}.{i}.name", method.name, str(why))
        return memory

    def fill_method(
        self, i: int, method: Method, entry: Mapping[str, Any], base: int
    ) -> dict[str, Any]:
        """A method's keys, from its entry or from tables at the top."""
        rest = {key: value for key, value in entry.items() if key != "name"}
        path = f"{METHOD_TABLE}.{i}"
        top = method.at_top
        if top is None:
            return self.fill(path, rest, method.group, self.vector, base)
        for key, value in rest.items():
            tables = ", ".join(top.tables)
            self.refuse(f"{path}.{key}", value, f"nothing here: its keys are in {tables}")
        written = written_tables(top, self.given, self.resolved.get(PAIR_TABLE, []))
        values = self.fill("", written, method.group, self.vector, base)
        self.resolved.setdefault(top.tables[0], {})[top.kind] = method.name
        return values

    def add_rows(self, method: Method, values: dict[str, Any], base: int) -> None:
        """What a method computed to stand behind the vector."""
        if self.problems:
            return
        for name, rows in method.rows(values):
            self.tails.append((base + getattr(method.group.at, name), rows))

    def check_method(self, i: int, method: Method, values: dict[str, Any]) -> None:
        """What a method refuses of its values, or warns about."""
        if any(
            p.key not in values
            for p in method.group
            if p.when is None and p.kind not in WRITTEN_HERE
        ):
            return  # refused already
        prefix = prefix_of(method, i)
        if any(not problem.key.startswith(METHOD_TABLE) for problem in self.problems):
            return  # a check reads the rest of the scenario too: it waits until that is right
        try:
            problems, warnings = method.check(values, self.resolved)
            if not arm_robots(self.resolved):
                problems = problems + method.without_arms(values)
        except Exception as error:
            if is_own(method):
                raise
            said = f"a method whose check can be computed ({type(error).__name__}: {error})"
            problems, warnings = [("name", method.name, said)], []
        for key, value, allowed in problems:
            self.refuse(prefix + key, value, allowed)
        self.warnings += [f"{METHOD_TABLE}.{i}: {warning}" for warning in warnings]
