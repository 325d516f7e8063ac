"""From what a user wrote (nested tables) to a `Scenario`: parameter vector, method markers, memory
map. All problems are found at once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock.core.adaptation.registry import METHODS, Method
from softdock.core.contact.pairs import MOST_PAIRS, PAIR
from softdock.core.machine.features import Markers
from softdock.core.machine.parameters import WRITTEN_HERE, Group, Parameter
from softdock.core.machine.vector import (
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    MEMORY,
    MEMORY_AT,
    METHODS_AT,
    SENSOR_AT,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
)
from softdock.core.robots.robot import ROBOT
from softdock.core.sensor.force_torque import SENSOR
from softdock.core.sensor.mock_up import MOCK_UP
from softdock.errors import BadInput, Problem, closest, is_plain
from softdock.scenario.approach import PATH as APPROACH_PATH
from softdock.scenario.checks import check_rates, check_scenario, memory_sizes
from softdock.scenario.csv_rows import read_rows
from softdock.scenario.features import features_of
from softdock.scenario.method_chains import chain_problems, idle_settings
from softdock.scenario.network_file import network_rows
from softdock.scenario.schema import (
    METHOD_TABLE,
    PAIR_TABLE,
    SCHEMA_VERSION,
    TABLES,
    TOP_LEVEL,
    pair_base,
)
from softdock.scenario.values import Refused, rows_of, to_vector
from softdock.scenario.verdict_table import PATH as VERDICT_PATH
from softdock.scenario.verdict_table import VERDICT
from softdock.scenario.words import in_plain_keys

# of its range, the mock-up it is behind, its places there, and how many rows a hand has: what a
# method may know of a sensor
MOST_METHODS = 16  # in one scenario: each is compiled into the loop
MOST_PROBLEMS = 1000  # that are looked for; the first ones are shown
SENSOR_PLACES = (
    SENSOR_AT + SENSOR.at.range_force,
    SENSOR_AT + SENSOR.at.on,
    CHASER_MOCK_UP_AT + MOCK_UP.at.sensor,
    TARGET_MOCK_UP_AT + MOCK_UP.at.sensor,
    CHASER_HAND_AT + 1,
    TARGET_HAND_AT + 1,
)
Locate = Callable[[str], str]  # path of a key -> file:line


@dataclass
class Scenario:
    """A checked scenario, ready to run. `tables` is what it resolved to, every default written out,
    in the user's units."""

    tables: dict[str, Any]
    vector: np.ndarray
    markers: Markers
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what words were turned into (words.py)

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

    def with_keys(self, changes: Mapping[str, Any]) -> Scenario:
        """A new scenario with some keys set by path: `{"contact.0.real.stiffness_N_per_m":
        2000}`."""
        tables = copy.deepcopy(self.tables)
        for path, value in changes.items():
            set_key(tables, path, value)
        return build(tables)


def build(
    tables: Mapping[str, Any], locate: Locate = lambda path: "", folder: Path | None = None
) -> Scenario:
    """Check everything, fill in defaults, and lay out the vector. Raises `BadInput` with every
    problem found.

    `folder`: where files named in the scenario (CSV) are looked for.
    """
    return _Builder(tables, locate, folder or Path()).scenario()


def set_key(tables: dict[str, Any], path: str, value: Any) -> None:
    """Set one key by its dotted path; numbers index arrays of tables. Unknown keys are found later,
    by `build`."""
    *parents, last = path.split(".")
    here: Any = tables
    for part in parents:
        if isinstance(here, list):
            if not part.isdigit() or int(part) >= len(here):
                raise BadInput(
                    Problem(path, value, f"an index from 0 to {len(here) - 1} in place of '{part}'")
                )
            here = here[int(part)]
        elif isinstance(here, dict):
            here = here.setdefault(part, {})
        else:
            raise BadInput(
                Problem(path, value, f"a key that exists: '{part}' is inside a single value")
            )
    if not isinstance(here, dict):
        raise BadInput(Problem(path, value, "a key inside a table"))
    here[last] = value


class _Builder:
    def __init__(self, tables: Mapping[str, Any], locate: Locate, folder: Path):
        self.given, self.locate, self.folder = tables, locate, folder
        self.chosen: dict[str, Any] = {}  # choices seen in the table being filled
        self.tails: list[
            tuple[int, np.ndarray]
        ] = []  # rows that go behind the vector, and where their place is noted
        self.problems: list[Problem] = []
        self.network_warnings: list[str] = []
        self.orbit_networks: list[
            tuple[int, int]
        ] = []  # how orbit has each, and where its keys stand
        self.resolved: dict[str, Any] = {}
        self.vector = np.zeros(METHODS_AT)
        self.markers: list[Any] = []
        self.warnings: list[str] = []

    def scenario(self) -> Scenario:
        if not isinstance(self.given, Mapping):
            raise BadInput(
                Problem("scenario", self.given, "tables: time, chaser, target, contact, ...")
            )
        self.given, notes = in_plain_keys(self.given, self.refuse)
        self.top_level()
        for table in TABLES:
            self.fill(table.path, self.dig(table.path), table.group, self.vector, table.base)
        self.pairs()
        memory = self.methods()
        nowhere = np.zeros(VERDICT.size)  # who judges reads the resolved tables
        self.fill(VERDICT_PATH, self.dig(VERDICT_PATH), VERDICT, nowhere, 0)
        if not self.problems:
            check_rates(self.vector, self.refuse)  # before memory is laid out for such a rate
        if self.problems:
            raise BadInput(self.problems)
        self.lay_out_memory(memory)
        scenario = Scenario(
            self.resolved, self.vector, Markers(features_of(self.vector), tuple(self.markers))
        )
        self.problems, warnings = check_scenario(scenario, self.locate)
        scenario.notes = notes
        scenario.warnings = self.warnings + warnings + self.network_warnings
        if self.problems:
            raise BadInput(self.problems)
        return scenario

    def refuse(self, key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        self.problems.append(Problem(key, value, allowed, self.locate(key), suggestion))

    def top_level(self) -> None:
        tables = {t.path.split(".")[0] for t in TABLES} | {PAIR_TABLE, METHOD_TABLE}
        known = tables | set(TOP_LEVEL) | {VERDICT_PATH, APPROACH_PATH}
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
        version = self.given.get("schema", SCHEMA_VERSION)
        if version != SCHEMA_VERSION or isinstance(version, bool):
            self.refuse("schema", version, f"{SCHEMA_VERSION}, the version this softdock reads")
        self.resolved["schema"] = SCHEMA_VERSION
        for key, default in (("name", "unnamed"), ("description", "")):
            text = self.given.get(key, default)
            if not isinstance(text, str) or not is_plain(text):
                self.refuse(key, text, "a text without control characters")
            self.resolved[key] = text
        unresolved = self.given.get("allow_unresolved", False)
        if not isinstance(unresolved, bool):
            self.refuse("allow_unresolved", unresolved, "true or false")
        self.resolved["allow_unresolved"] = unresolved

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
        """One table into the vector. Returns its resolved values by key."""
        written = _flat_keys(given, {p.key for p in group} | {"csv"})
        self.chosen = {}
        values: dict[str, Any] = {}
        offset = base
        if any(p.kind == "schedule" for p in group) and "csv" in written:
            self.read_csv(path, written)
        for parameter in group:
            value = None
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
            elif parameter.kind == "sensor":
                vector[offset : offset + 6] = SENSOR_PLACES
            else:
                value = self.value_of(path, parameter, written, values, group)
            if value is not None:
                self.put(path, parameter, value, vector, offset, values)
            offset += parameter.size
        known = [p.key for p in group if p.kind not in WRITTEN_HERE]
        for key, value in written.items():
            if len(self.problems) >= MOST_PROBLEMS:
                break
            self.refuse(f"{path}.{key}", value, "one of " + ", ".join(known), closest(key, known))
        _nest(self.resolved, path, values)
        return values

    def value_of(
        self,
        path: str,
        parameter: Parameter,
        written: dict[str, Any],
        values: dict[str, Any],
        group: Group,
    ) -> Any:
        """What the user wrote for a parameter, or its default; None if there is nothing to put."""
        applies = self.applies(parameter, written, group)
        if parameter.key in written:
            value = written.pop(parameter.key)
            if not applies:
                chooser, names = parameter.when or ("", ())
                self.refuse(
                    f"{path}.{parameter.key}",
                    value,
                    f"nothing here: it applies only for {chooser} = {' or '.join(names)}",
                )
                return None
            if value is None:
                self.refuse(f"{path}.{parameter.key}", None, parameter.allowed)
            return value
        if not applies:
            return None
        if parameter.default is None:
            self.refuse(f"{path}.{parameter.key}", None, parameter.allowed)
            return None
        if isinstance(parameter.default, str) and parameter.default.startswith("@"):
            return values.get(parameter.default[1:])
        return (
            list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
        )

    def put(
        self,
        path: str,
        parameter: Parameter,
        value: Any,
        vector: np.ndarray,
        offset: int,
        values: dict[str, Any],
    ) -> None:
        """One value into the vector, or its refusal onto the list."""
        try:
            if parameter.kind == "network":
                if not self.put_network(path, parameter, value, offset):
                    return
            elif parameter.kind in ("table", "schedule", "gains"):
                if value != []:
                    self.tails.append((offset, rows_of(parameter, value)))
            else:
                vector[offset : offset + parameter.size] = to_vector(parameter, value)
            values[parameter.key] = _plain(value)
        except Refused as why:
            suggestion = closest(value, parameter.choices) if isinstance(value, str) else ""
            self.refuse(f"{path}.{parameter.key}", value, str(why), suggestion)

    def put_network(self, path: str, parameter: Parameter, value: Any, offset: int) -> bool:
        """A network's numbers, sampled at the scenario's cycle, behind the vector. False:
        refused."""
        try:
            rows, warnings = network_rows(
                value, float(self.vector[TABLES[0].base]), parameter.causality
            )
            self.tails.append((offset, rows))
            self.network_warnings += [f"{path}.{parameter.key}: {warning}" for warning in warnings]
            return True
        except BadInput as error:
            for problem in error.problems:
                self.refuse(
                    f"{path}.{parameter.key}.{problem.key}",
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
        try:
            written["rows"] = read_rows(self.folder, name)
        except Refused as why:
            self.refuse(f"{path}.csv", name, str(why))

    def applies(self, parameter: Parameter, written: Mapping[str, Any], group: Group) -> bool:
        """Whether a parameter belongs to the models chosen in its table."""
        if parameter.choices:
            self.chosen[parameter.key] = written.get(parameter.key, parameter.default)
        if parameter.when is None:
            return True
        chooser, names = parameter.when
        return self.chosen.get(chooser) in names

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

    def methods(self) -> list[tuple[int, int]]:
        """Lay out the listed methods behind the vector. Returns the floats of memory each one
        needs."""
        given = self.given.get(METHOD_TABLE, [{"name": "direct"}])
        if not isinstance(given, list) or not all(isinstance(m, Mapping) for m in given):
            self.refuse(METHOD_TABLE, given, "an array of tables, [[methods]], each with a name")
            return []
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
            rest = {key: value for key, value in entry.items() if key != "name"}
            values = self.fill(f"{METHOD_TABLE}.{i}", rest, method.group, self.vector, base)
            self.check_method(i, method, values)
            sizes.append((base - 1, method, values))
            if not self.problems and method.in_orbit(values):
                self.orbit_networks.append((method.in_orbit(values), base))
            self.markers.append(
                method.marker if self.problems else method.variant(values) or method.marker
            )
        if self.problems:
            return []
        T = self.vector[TABLES[0].base]
        return [(at, method.memory(values, T)) for at, method, values in sizes]

    def check_method(self, i: int, method: Method, values: dict[str, Any]) -> None:
        """What a method refuses of its values, or warns about."""
        if any(
            p.key not in values
            for p in method.group
            if p.when is None and p.kind not in WRITTEN_HERE
        ):
            return  # refused already
        if any(not problem.key.startswith(METHOD_TABLE) for problem in self.problems):
            return  # a check reads the rest of the scenario too: it waits until that is right
        problems, warnings = method.check(values, self.resolved)
        for key, value, allowed in problems:
            self.refuse(f"{METHOD_TABLE}.{i}.{key}", value, allowed)
        self.warnings += [
            f"{METHOD_TABLE}.{i}: {warning}"
            for warning in [*warnings, *idle_settings(method.name, values)]
        ]

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


def _flat_keys(table: Mapping[str, Any], known: set[str], prefix: str = "") -> dict[str, Any]:
    """Nested tables to dotted keys, down to keys that exist."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and path not in known:
            flat |= _flat_keys(value, known, path + ".")
        else:
            flat[path] = value
    return flat


def _nest(resolved: dict[str, Any], path: str, values: Mapping[str, Any]) -> None:
    here: Any = resolved
    for part in path.split("."):
        here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
    for key, value in values.items():
        *parents, last = key.split(".")
        inner = here
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = value


def _plain(value: Any) -> Any:
    """Numpy to plain Python, so that it can be written as TOML."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value
