"""Variants of a scenario, flown at some of its sampling phases: each once, on all cores.

In: a scenario that runs; for each variant, keys and values that differ from it (None: the key is
taken out). Out: what its runs are judged by, one for each phase, or why it cannot run.

The reference is flown once a phase and shared by all variants with the same satellites, contacts
and methods. A variant runs with the machine code of the scenario, which holds all that it needs.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.analysis.criteria import criteria_of
from softdock.analysis.metrics import plain
from softdock.analysis.phases import shifted
from softdock.analysis.simulation import fly
from softdock.analysis.worst_phase import cores, reseeded
from softdock.core.machine.features import Markers
from softdock.core.machine.interrupts import each_abandonable
from softdock.core.orbit import Orbit, orbit
from softdock.errors import BadInput
from softdock.scenario.build import Scenario, build
from softdock.scenario.keys import set_key

OF_THE_RIG = ("robots", "sensor", "mock_up", "pose", "satellites", "stop", "laboratory")
Keys = Mapping[str, Any]


class Flown(NamedTuple):
    numbers: list[dict[str, Any]]  # criteria_of each phase's run; empty: it cannot run
    sensor_J: float  # the ledger's row sensor, mean over the phases
    refused: str  # why it cannot run


class Variants:
    """Runs of the scenario with some keys changed."""

    def __init__(self, scenario: Scenario, phases: Sequence[int], count: int):
        """`phases`: which of `count` sampling phases are flown."""
        self.phases = [at_phase(scenario, i, count) for i in phases]
        self.known: dict[str, Flown] = {}
        self._references: dict[int, Orbit] = {}

    def of(self, changes: Keys) -> Flown:
        self.all_at_once([changes])
        return self.known[_name(changes)]

    def all_at_once(self, many: Iterable[Keys]) -> None:
        """Fly what is not known yet."""
        wanted = {_name(one): one for one in many}
        wanted = {name: one for name, one in wanted.items() if name not in self.known}
        found = each_abandonable(lambda name: (name, self._flown(wanted[name])), wanted, cores())
        self.known |= dict(found)

    def _flown(self, changes: Keys) -> Flown:
        try:
            runs = [fly(changed(one, changes)) for one in self.phases]
        except BadInput as error:  # a value that the rest of the scenario does not allow
            return Flown([], math.nan, str(error))
        numbers = []
        for i, run in enumerate(runs):
            run.orbit = self._reference(i, changes) or orbit(run.scenario)
            with np.errstate(all="ignore"):  # a run that diverged
                numbers.append(plain(criteria_of(run)))
        sensor = [run.ledger_rows["sensor"] for run in runs]
        return Flown(numbers, float(np.mean(sensor)), "")

    def _reference(self, i: int, changes: Keys) -> Orbit | None:
        """The scenario's own, if no change belongs to the reference too; else it is flown with
        the run."""
        if any(key.partition(".")[0] not in OF_THE_RIG for key in changes):
            return None
        if i not in self._references:
            self._references[i] = orbit(self.phases[i])
        return self._references[i]


def at_phase(scenario: Scenario, i: int, count: int) -> Scenario:
    """The scenario at phase i of `count`, as `in_phases` has it."""
    if i == 0:
        return scenario
    cycle = scenario.tables["time"]["cycle_ms"] * 1e-3
    return reseeded(shifted(scenario, cycle * i / count), i)


def changed(scenario: Scenario, changes: Keys) -> Scenario:
    """The scenario with some keys changed, run by the same machine code. Whole tables are set
    before keys inside them."""
    tables = copy.deepcopy(scenario.tables)
    for key in sorted(changes, key=lambda key: key.count(".")):
        if changes[key] is None:
            _drop(tables, key)
        else:
            set_key(tables, key, copy.deepcopy(changes[key]))
    found = build(tables)
    found.markers = Markers(scenario.markers.features, found.markers.methods)
    return found


def _drop(tables: dict[str, Any], path: str) -> None:
    *parents, last = path.split(".")
    here: Any = tables
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here.pop(last, None)


def _name(changes: Keys) -> str:
    return repr(sorted(changes.items()))
