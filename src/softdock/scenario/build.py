"""From what a user wrote (nested tables) to a `Scenario`: parameter vector, method markers, memory
map. All problems are found at once."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock._arguments import TEXT, Rule, check_arguments, instance_of, optional, refuse_wrong
from softdock._notebook import format_block, format_note, format_table
from softdock.compile.features import Markers
from softdock.errors import BadInput, Problem, closest
from softdock.files.tables import MOST_PROBLEMS, Locate, Reader, nowhere
from softdock.files.values import any_range
from softdock.loop.arms.scenario_facility import arm_robots
from softdock.loop.contact.pairs import MOST_PAIRS, PAIR
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import (
    MEMORY,
    MEMORY_AT,
)
from softdock.methods.registry import METHODS
from softdock.scenario.approach import PATH as APPROACH_PATH
from softdock.scenario.arm_tables import arm_place, located, unknown_arms
from softdock.scenario.checks import check_rates, check_scenario
from softdock.scenario.features import markers_of
from softdock.scenario.keys import set_key
from softdock.scenario.latch_tables import read_latches, without_latches
from softdock.scenario.memory import memory_sizes
from softdock.scenario.mesh_files import place_shape_file, with_whole_path
from softdock.scenario.method_reader import MethodReader
from softdock.scenario.own_models import OwnModels, check_own_models
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
from softdock.scenario.tip_tables import resolve_tips
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


LATE = ("delay_ms", "computation_ms", "transport_ms")  # of a robot, which add up


def is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _by_key(value: Any) -> str:
    able = isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    return "" if able else "a mapping from key to value"


@dataclass(repr=False)
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
    # models in plain Python, which no compiled code runs
    own: OwnModels | None = field(default=None, repr=False)
    # its tables as they were checked, for its variants
    checked_tables: dict[str, CheckedTable] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        refuse_wrong(PARTS, vars(self))

    @property
    def name(self) -> str:
        return str(self.tables.get("name", "unnamed"))

    def __repr__(self) -> str:
        time, methods = self.tables["time"], " + ".join(self._list_methods())
        return (
            f"Scenario({self.name}: {time['duration_s']:g} s in cycles of {time['cycle_ms']:g} ms, "
            f"{methods}, {self.tables['satellites']['integrator']})"
        )

    def _list_methods(self) -> list[str]:
        return [str(method["name"]) for method in self.tables[METHOD_TABLE]]

    def _repr_html_(self) -> str:
        """For a notebook: what decides a run, in the user's units."""
        rows = [(words, value) for words, value in self._list_rows() if value]
        title = f"{self.name}: {self.tables['description']}".rstrip(": ")
        notes = [format_note(one) for one in (*self.notes, *self.warnings)]
        return format_block(title, format_table(("", "value"), rows, texts=2), *notes)

    def _list_rows(self) -> list[tuple[str, str]]:
        tables = self.tables
        rows = []
        for body in ("chaser", "target"):
            mass, robot = tables[body]["mass_kg"], tables["robots"][body]
            is_fixed, kind = tables[body]["fixed"], robot["model"]
            rows.append((body, "fixed" if is_fixed else f"{mass:g} kg" if is_number(mass) else ""))
            late = sum(robot.get(key, 0.0) for key in LATE)
            delay = f"{late:g} ms" + ("" if kind == "delay" else f", {kind}")
            rows.append((f"{body}'s robot, delay", delay))
        for i, pair in enumerate(tables[PAIR_TABLE]):
            law = pair["real"]
            k = law.get("stiffness_N_per_m")
            stiff = "" if k is None else f", {k:g} " + ("N/m" if "exponent" not in law else "N/m^n")
            rows.append((f"contact {i}", f"{pair['geometry']}, {law['law']}{stiff}"))
        time = tables["time"]
        rows.append(("methods", " + ".join(self._list_methods())))
        rows.append(("integrator", str(tables["satellites"]["integrator"])))
        rows.append(("cycle, duration", f"{time['cycle_ms']:g} ms, {time['duration_s']:g} s"))
        return rows

    @property
    def mem_floats(self) -> int:
        """Length of the `mem` array that a run needs."""
        return int(self.vector[MEMORY_AT + MEMORY.at.size])

    @check_arguments(changes=_by_key)
    def replace(self, changes: Mapping[str, Any]) -> Scenario:
        """A new scenario with some keys replaced by path: `{"robots.chaser.delay_ms": 8.0}`, or
        whole tables: `{"methods": [{"name": "direct"}]}`."""
        return change_keys(self, changes, self.moved)

    @check_arguments(name=TEXT)
    def with_method(self, name: str, **keys: Any) -> Scenario:
        """A new scenario with this method in place of its own, and these keys of it. A key that is
        not given is what the scenario has, if it lists the method, or what the method suggests for
        it: `with_method("hybrid", damping_Ns_per_m=[50.0, 0.0, 0.0])`. Networks, thrusters and the
        like stay."""
        return self.replace({METHOD_TABLE: _with_method(self, name, keys)})

    def with_models(self, *, law: Any = None, robot: Any = None, method: Any = None) -> Scenario:
        """A new scenario with models in plain Python: a contact law `law(depth, rate)` [m, m/s, N],
        a robot `robot(set_point, motion, t0, t1)`, a method `method(rig, measured, satellites,
        wrenches)`, or small classes with these as `follow` and `wrench`
        (scenario/own_models.py). It runs uncompiled, some thousand times slower, and one sampling
        phase is judged unless `verdict.phases` is replaced."""
        own = (self.own or OwnModels()).extend(law, robot, method)
        tables = copy.deepcopy(self.tables)
        own.change(tables)
        return _build_again(self, tables, own, self.moved)


def _with_method(scenario: Scenario, name: str, keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A scenario's methods with one in place of those that are no part of it."""
    if name not in METHODS:
        raise BadInput(
            Problem("method", name, "one of " + ", ".join(METHODS), "", closest(name, METHODS))
        )
    listed = scenario.tables[METHOD_TABLE]
    found = [entry for entry in listed if entry["name"] == name]
    entry = found[0] if found else {"name": name, **METHODS[name].suggest(scenario)}
    kept = [one for one in listed if METHODS[one["name"]].is_plug_in and one["name"] != name]
    return [{**entry, **keys}, *copy.deepcopy(kept)]


def change_keys(scenario: Scenario, changes: Mapping[str, Any], moved: bool) -> Scenario:
    """A variant with some keys set by path. `moved`: along its free flight, so that its start may
    lie beyond what a user may give."""
    tables = copy.deepcopy(scenario.tables)
    for path, value in changes.items():
        set_key(tables, path, value)
    return _build_again(scenario, tables, scenario.own, moved)


def _build_again(
    scenario: Scenario, tables: Mapping[str, Any], own: OwnModels | None, moved: bool
) -> Scenario:
    if not moved:
        return build_variant(scenario, tables, own)
    with any_range():
        made = build_variant(scenario, tables, own)
    made.moved = True
    return made


@np.errstate(all="ignore")  # as of `build`
def build_variant(
    scenario: Scenario, tables: Mapping[str, Any], own: OwnModels | None = None
) -> Scenario:
    """A variant: the scenario's own tables with some keys changed. Tables that are as they were are
    not checked again; what needs more than one of them is. `build` gives the same. `own`: models in
    plain Python; without, the scenario's own."""
    builder = _Builder(tables, nowhere, Path(), scenario.checked_tables)
    own = own or scenario.own
    builder.own = None if own is None else own.keep_listed(tables)
    return builder.scenario()


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

    own: OwnModels | None = None  # its models in plain Python

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
            self.problems += check_own_models(self.own, self.resolved)
        if not self.problems:
            check_rates(self.vector, self.refuse)  # before memory is laid out for such a rate
        if self.problems:
            raise BadInput(self.problems)
        self.lay_out_memory(memory)
        markers = markers_of(self.vector, tuple(self.markers))
        if self.own is not None:
            markers = self.own.mark(markers)
            notes += self.own.describe()
        scenario = Scenario(self.resolved, self.vector, markers, own=self.own)
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
            path = f"{PAIR_TABLE}.{i}"
            given_pair = with_whole_path(pair, self.folder)
            given_pair = resolve_tips(self, path, given_pair, self.folder)
            values = self.fill(path, given_pair, PAIR, self.vector, pair_base(i))
            if not self.problems:
                place_shape_file(self, path, values, pair_base(i))
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
        sizes = memory_sizes(self.vector if self.own is None else self.own.widen(self.vector))
        size = sizes.pop("size")
        for at, floats in methods:
            self.vector[at] = size
            size += floats
        for name, value in sizes.items():
            self.vector[MEMORY_AT + getattr(MEMORY.at, name)] = value
        self.vector[MEMORY_AT + MEMORY.at.size] = size
