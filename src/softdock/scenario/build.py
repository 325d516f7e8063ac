"""From what a user wrote (nested tables) to a `Scenario`: parameter vector, method markers, memory map. All problems are found at once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.adaptation.registry import METHODS, Method
from softdock.contact.pairs import MOST_PAIRS, PAIR, PAIR_FLOATS
from softdock.errors import BadInput, Problem, closest
from softdock.layout import MEMORY, MEMORY_AT, METHODS_AT, PAIRS_MEM
from softdock.parameters import Group, Parameter
from softdock.scenario.checks import check_scenario, needed_slots
from softdock.scenario.schema import METHOD_TABLE, PAIR_TABLE, SCHEMA_VERSION, TABLES, TOP_LEVEL, pair_base
from softdock.scenario.values import Refused, to_vector
from softdock.spatial.motion import MOTION_FLOATS

Locate = Callable[[str], str]  # path of a key -> file:line


@dataclass
class Scenario:
    """A checked scenario, ready to run. `tables` is what it resolved to, every default written out, in the user's units."""

    tables: dict[str, Any]
    vector: np.ndarray
    markers: tuple[Any, ...]
    warnings: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.tables.get("name", "unnamed"))

    @property
    def mem_floats(self) -> int:
        """Length of the `mem` array that a run needs."""
        return int(self.vector[MEMORY_AT + MEMORY.at.size])

    def with_changes(self, **changes: Any) -> Scenario:
        """A new scenario with some keys set; dots as double underscores: `robots__chaser__delay_ms=16`."""
        return self.with_keys({key.replace("__", "."): value for key, value in changes.items()})

    def with_keys(self, changes: Mapping[str, Any]) -> Scenario:
        """A new scenario with some keys set by path: `{"contact.0.real.stiffness_N_per_m": 2000}`."""
        tables = copy.deepcopy(self.tables)
        for path, value in changes.items():
            set_key(tables, path, value)
        return build(tables)


def build(tables: Mapping[str, Any], locate: Locate = lambda path: "") -> Scenario:
    """Check everything, fill in defaults, and lay out the vector. Raises `BadInput` with every problem found."""
    return _Builder(tables, locate).scenario()


def set_key(tables: dict[str, Any], path: str, value: Any) -> None:
    """Set one key by its dotted path; numbers index arrays of tables. Unknown keys are found later, by `build`."""
    *parents, last = path.split(".")
    here: Any = tables
    for part in parents:
        if isinstance(here, list):
            if not part.isdigit() or int(part) >= len(here):
                raise BadInput(Problem(path, value, f"an index from 0 to {len(here) - 1} in place of '{part}'"))
            here = here[int(part)]
        elif isinstance(here, dict):
            here = here.setdefault(part, {})
        else:
            raise BadInput(Problem(path, value, f"a key that exists: '{part}' is inside a single value"))
    if not isinstance(here, dict):
        raise BadInput(Problem(path, value, "a key inside a table"))
    here[last] = value


class _Builder:
    def __init__(self, tables: Mapping[str, Any], locate: Locate):
        self.given, self.locate = tables, locate
        self.problems: list[Problem] = []
        self.resolved: dict[str, Any] = {}
        self.vector = np.zeros(METHODS_AT)
        self.markers: list[Any] = []

    def scenario(self) -> Scenario:
        if not isinstance(self.given, Mapping):
            raise BadInput(Problem("scenario", self.given, "tables: time, chaser, target, contact, ..."))
        self.top_level()
        for table in TABLES:
            self.fill(table.path, self.dig(table.path), table.group, self.vector, table.base)
        self.pairs()
        memory = self.methods()
        if self.problems:
            raise BadInput(self.problems)
        self.lay_out_memory(memory)
        scenario = Scenario(self.resolved, self.vector, tuple(self.markers))
        self.problems, scenario.warnings = check_scenario(scenario, self.locate)
        if self.problems:
            raise BadInput(self.problems)
        return scenario

    def refuse(self, key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        self.problems.append(Problem(key, value, allowed, self.locate(key), suggestion))

    def top_level(self) -> None:
        tables = {t.path.split(".")[0] for t in TABLES} | {PAIR_TABLE, METHOD_TABLE}
        known = tables | set(TOP_LEVEL)
        for key in self.given:
            if key not in known:
                self.refuse(str(key), self.given[key], "one of " + ", ".join(sorted(known)), closest(str(key), known))
        robots = self.given.get("robots", {})
        if isinstance(robots, Mapping):
            for key in robots:
                if key not in ("chaser", "target"):
                    self.refuse(f"robots.{key}", robots[key], "robots.chaser or robots.target", closest(str(key), ("chaser", "target")))
        version = self.given.get("schema", SCHEMA_VERSION)
        if version != SCHEMA_VERSION or isinstance(version, bool):
            self.refuse("schema", version, f"{SCHEMA_VERSION}, the version this softdock reads")
        self.resolved["schema"] = SCHEMA_VERSION
        for key, default in (("name", "unnamed"), ("description", "")):
            text = self.given.get(key, default)
            if not isinstance(text, str):
                self.refuse(key, text, "a text")
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

    def fill(self, path: str, given: Mapping[str, Any], group: Group, vector: np.ndarray, base: int) -> dict[str, Any]:
        """One table into the vector. Returns its resolved values by key."""
        written = _flat_keys(given, {p.key for p in group})
        values: dict[str, Any] = {}
        offset = base
        for parameter in group:
            applies = self.applies(parameter, written, group)
            if parameter.key in written:
                value = written.pop(parameter.key)
                if not applies:
                    chooser, names = parameter.when or ("", ())
                    self.refuse(f"{path}.{parameter.key}", value, f"nothing here: it applies only for {chooser} = {' or '.join(names)}")
            elif not applies:
                value = None
            elif parameter.default is None:
                self.refuse(f"{path}.{parameter.key}", None, parameter.allowed)
                value = None
            else:
                value = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
            if value is not None:
                try:
                    vector[offset : offset + parameter.size] = to_vector(parameter, value)
                    values[parameter.key] = _plain(value)
                except Refused as why:
                    suggestion = closest(value, parameter.choices) if isinstance(value, str) else ""
                    self.refuse(f"{path}.{parameter.key}", value, str(why), suggestion)
            offset += parameter.size
        for key, value in written.items():
            known = [p.key for p in group]
            self.refuse(f"{path}.{key}", value, "one of " + ", ".join(known), closest(key, known))
        _nest(self.resolved, path, values)
        return values

    def applies(self, parameter: Parameter, written: Mapping[str, Any], group: Group) -> bool:
        if parameter.when is None:
            return True
        chooser, names = parameter.when
        default = next(p.default for p in group if p.key == chooser)
        return self.choices_seen(written, chooser, default) in names

    def choices_seen(self, written: Mapping[str, Any], chooser: str, default: Any) -> Any:
        if chooser in written:
            self._chosen = getattr(self, "_chosen", {})
            self._chosen[chooser] = written[chooser]
            return written[chooser]
        return self._chosen.get(chooser, default) if hasattr(self, "_chosen") else default

    def pairs(self) -> None:
        given = self.given.get(PAIR_TABLE, [])
        if not isinstance(given, list) or not all(isinstance(p, Mapping) for p in given) or len(given) > MOST_PAIRS:
            self.refuse(PAIR_TABLE, given, f"an array of up to {MOST_PAIRS} tables, [[contact]]")
            return
        self.resolved[PAIR_TABLE] = [{} for _ in given]
        for i, pair in enumerate(given):
            self._chosen: dict[str, Any] = {}
            self.fill(f"{PAIR_TABLE}.{i}", pair, PAIR, self.vector, pair_base(i))
        self.vector[MEMORY_AT + MEMORY.at.pair_count] = len(given)

    def methods(self) -> list[int]:
        """Lay out the listed methods behind the vector. Returns the floats of memory each one needs."""
        given = self.given.get(METHOD_TABLE, [{"name": "direct"}])
        if not isinstance(given, list) or not all(isinstance(m, Mapping) for m in given):
            self.refuse(METHOD_TABLE, given, "an array of tables, [[methods]], each with a name")
            return []
        self.resolved[METHOD_TABLE] = [{"name": m.get("name")} for m in given]
        sizes = []
        for i, entry in enumerate(given):
            name = entry.get("name")
            if name not in METHODS:
                self.refuse(f"{METHOD_TABLE}.{i}.name", name, "one of " + ", ".join(METHODS), closest(str(name), METHODS))
                continue
            method: Method = METHODS[name]
            base = len(self.vector) + 1
            self.vector = np.concatenate([self.vector, np.zeros(1 + method.group.size)])
            rest = {key: value for key, value in entry.items() if key != "name"}
            self._chosen = {}
            values = self.fill(f"{METHOD_TABLE}.{i}", rest, method.group, self.vector, base)
            self.markers.append(method.marker)
            sizes.append((base - 1, method, values))
        T = self.vector[TABLES[0].base]
        return [(at, method.memory(values, T)) for at, method, values in sizes]  # type: ignore[misc]

    def lay_out_memory(self, methods: list[Any]) -> None:
        slots = needed_slots(self.vector)
        pairs = int(self.vector[MEMORY_AT + MEMORY.at.pair_count])
        size = PAIRS_MEM + pairs * PAIR_FLOATS + 2 * slots * MOTION_FLOATS
        for at, floats in methods:
            self.vector[at] = size
            size += floats
        self.vector[MEMORY_AT + MEMORY.at.slots] = slots
        self.vector[MEMORY_AT + MEMORY.at.size] = size


def _flat_keys(table: Mapping[str, Any], known: set[str], prefix: str = "") -> dict[str, Any]:
    """Nested tables to dotted keys, down to keys that exist."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and path not in known:
            flat |= _flat_keys(value, known, path + ".") or {path: value}
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
