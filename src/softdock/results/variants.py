"""Variants of a scenario, simulated at some of its sampling phases: each once, on all cores.

In: a scenario that runs; for each variant, keys and values that differ from it (None: the key is
taken out). Out: the numbers by which its runs are judged, at each phase, or why it cannot run.

The reference is simulated once a phase and shared by all variants with the same satellites,
contacts and methods. A variant runs with the machine code of the scenario, which holds all that it
needs.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.features import Markers
from softdock.compile.interrupts import run_each_abandonable
from softdock.errors import BadInput
from softdock.reference import Reference, run_reference
from softdock.results.criteria import compute_criteria
from softdock.results.metrics import convert_to_plain
from softdock.results.phases import count_cores, reseed, shift_scenario
from softdock.results.simulation import run_loop
from softdock.scenario.build import Scenario, build_variant
from softdock.scenario.keys import set_key

OF_THE_RIG = ("robots", "sensor", "mock_up", "pose", "satellites", "stop", "laboratory")
Keys = Mapping[str, Any]


class SimulatedVariant(NamedTuple):
    """A variant at one phase."""

    numbers: dict[str, Any]  # criteria_of its run; empty: it cannot run
    sensor_J: float  # the ledger's row sensor
    refused: str  # why it cannot run


class Variants:
    """Runs of the scenario with some keys changed."""

    def __init__(self, scenario: Scenario, count: int):
        """`count`: sampling phases into which a cycle is divided."""
        self.scenario, self.count = scenario, count
        self._phases: dict[int, Scenario] = {}
        self._known: dict[tuple[str, int], SimulatedVariant] = {}
        self._references: dict[int, Reference] = {}

    def get(self, changes: Keys, phases: Iterable[int]) -> list[SimulatedVariant]:
        listed = list(phases)
        self.simulate_all([changes], listed)
        return [self._known[_name_variant(changes), i] for i in listed]

    def simulate_all(self, many: Iterable[Keys], phases: Iterable[int]) -> None:
        """Fly what is not known yet, each at all of the phases."""
        listed = list(phases)
        for i in listed:
            if i not in self._phases:
                self._phases[i] = select_phase(self.scenario, i, self.count)
        wanted = {(_name_variant(one), i): one for one in many for i in listed}
        wanted = {key: one for key, one in wanted.items() if key not in self._known}
        simulated = run_each_abandonable(
            lambda key: (key, self._simulate(wanted[key], key[1])), wanted, count_cores()
        )
        self._known |= dict(simulated)

    @property
    def simulated_count(self) -> int:
        return len(self._known)

    def _simulate(self, changes: Keys, i: int) -> SimulatedVariant:
        try:
            run = run_loop(change_scenario(self._phases[i], changes))
        except BadInput as error:  # a value that the rest of the scenario does not allow
            return SimulatedVariant({}, math.nan, str(error))
        run.reference = self._get_reference(i, changes) or run_reference(run.scenario)
        with np.errstate(all="ignore"):  # a run that diverged
            numbers = convert_to_plain(compute_criteria(run))
        return SimulatedVariant(numbers, run.ledger_rows["sensor"], "")

    def _get_reference(self, i: int, changes: Keys) -> Reference | None:
        """The scenario's own, if no change belongs to the reference too; else it is simulated with
        the run."""
        if any(key.partition(".")[0] not in OF_THE_RIG for key in changes):
            return None
        if i not in self._references:
            self._references[i] = run_reference(self._phases[i])
        return self._references[i]


def select_phase(scenario: Scenario, i: int, count: int) -> Scenario:
    """The scenario at phase i of `count`, as `list_phases` has it."""
    if i == 0:
        return scenario
    cycle = scenario.tables["time"]["cycle_ms"] * 1e-3
    return reseed(shift_scenario(scenario, cycle * i / count), i)


def change_scenario(scenario: Scenario, changes: Keys) -> Scenario:
    """The scenario with some keys changed, run by the same machine code. Whole tables are set
    before keys inside them."""
    tables = copy.deepcopy(scenario.tables)
    for key in sorted(changes, key=lambda key: key.count(".")):
        if changes[key] is None:
            _remove_key(tables, key)
        else:
            set_key(tables, key, copy.deepcopy(changes[key]))
    changed = build_variant(scenario, tables)
    if "methods" not in changes:  # else it is compiled with what it needs itself
        changed.markers = Markers(scenario.markers.features, changed.markers.methods)
    return changed


def _remove_key(tables: dict[str, Any], path: str) -> None:
    *parents, last = path.split(".")
    here: Any = tables
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here.pop(last, None)


def _name_variant(changes: Keys) -> str:
    return repr(sorted(changes.items()))
