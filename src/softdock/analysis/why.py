"""Why is a rig not as orbit? Its causes are switched off, and what that changes is their share.

In: a scenario. Out: a plain dict, largest cause first.

A cause adds something else when it comes alone than when it comes last, so the ideal rig is made
real one cause after the other, in several orders, and a cause's share is the mean of what it adds:
Shapley's value (all orders of up to three causes, some at random and their reverses beyond). Far
distances count as d / (1 + d). Beside the shares stand three numbers that anybody can check: the
distance with this cause alone, without it, and without it and all larger ones (what is left).

The ledger's row `sensor` is split by difference: row of the whole rig less row without the cause.

Methods stay on and stay told what they were told.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from softdock._arguments import TEXT, checked, of_kind, whole
from softdock.analysis.causes import COMPARE, Cause, causes
from softdock.analysis.free_flight import free_flight
from softdock.analysis.judgement import FAITHFUL, share
from softdock.analysis.phases import MOST_PHASES
from softdock.analysis.simulation import simulate
from softdock.analysis.worst_phase import cores, in_phases, judged, metrics_of
from softdock.core.adaptation.registry import RAW
from softdock.core.machine.features import Markers
from softdock.core.machine.interrupts import each_abandonable
from softdock.errors import BadInput
from softdock.runs.stepper import cycle_count
from softdock.scenario.build import Scenario, build
from softdock.scenario.keys import set_key

PHASES = 2
ORDERS = 12
QUICK_CYCLES = 150_000  # of all flights together: some 0.3 s on two cores
SMALL = 0.02  # of the distance: a share below this is not named in the sentence


class Off(NamedTuple):
    """What a rig does with some causes off: means over the phases. NaN: it could not be flown."""

    distance: float
    energy: float  # invented and not taken out, of the approach energy
    sensor_J: float


NOT_FLOWN = Off(math.nan, math.nan, math.nan)


@checked(
    scenario=of_kind("a Scenario", Scenario),
    phases=whole(1, MOST_PHASES),
    called=TEXT,
    orders=whole(1, 10_000),
)
def why(
    scenario: Scenario, phases: int = PHASES, called: str = "", orders: int = ORDERS
) -> dict[str, Any]:
    """The causes with their shares, and the verdict they explain."""
    found = causes(scenario)
    flown = _Flights(scenario, phases)
    sequences = _orders(len(found), orders)
    flown.all_at_once(
        [found[i] for i in order[k:]] for order in sequences for k in range(len(found) + 1)
    )
    whole, ideal = flown.without([]), flown.without(found)
    far = _shares(found, sequences, flown, lambda off: _bounded(off.distance))
    energy = _shares(found, sequences, flown, lambda off: off.energy)
    ordered = sorted(found, key=lambda c: -far[c.name])
    flown.all_at_once(ordered[: i + 1] for i in range(len(ordered)))
    flown.all_at_once([o for o in found if o is not c] for c in found)
    flown.all_at_once([c] for c in found)
    rows = []
    for i, cause in enumerate(ordered):
        alone = flown.without([o for o in found if o is not cause])
        last, left = flown.without([cause]), flown.without(ordered[: i + 1])
        split = whole.sensor_J - last.sensor_J if cause.of_sensor else None
        rows.append(
            {
                "cause": cause.name,
                "what": cause.what,
                "share_of_distance": far[cause.name],
                "share_of_energy": energy[cause.name],
                "distance_alone": alone.distance,
                "distance_without": last.distance,
                "distance_left": left.distance,
                "energy_alone": alone.energy,
                "energy_without": last.energy,
                "energy_left": left.energy,
                "of_sensor_row_J": split,
                "helps": cause.helps,
                "in_free_flight": cause.in_free_flight,
            }
        )
    own = metrics_of(in_phases(scenario, scenario.tables["verdict"]["phases"]))
    result: dict[str, Any] = {
        "scenario": scenario.name,
        "phases": phases,
        "judgement": judged(scenario, own, called),
        "distance_from_orbit": whole.distance,
        "energy_share": whole.energy,
        "sensor_row_J": whole.sensor_J,
        "all_off": {"distance_from_orbit": ideal.distance, "energy_share": ideal.energy},
        "rows": rows,
        "free_flight": free_flight(scenario).said,
    }
    result["sentence"] = sentence(result)
    result["judgement"] = with_first_cause(result, scenario, called or scenario.name)
    return result


def with_first_cause(result: dict[str, Any], scenario: Scenario, called: str) -> dict[str, Any]:
    """The verdict whose next step is what helps the largest cause."""
    judgement: dict[str, Any] = result["judgement"]
    rows = result["rows"]
    if judgement["word"] == FAITHFUL or not rows or not rows[0]["share_of_distance"] > 0.0:
        return judgement
    first = rows[0]
    step = first["helps"]
    if first["in_free_flight"]:
        step = free_flight(scenario).remedy or step
    elif COMPARE in step and set(_methods(scenario)) <= {RAW}:
        step = f"`softdock compare {called}` shows which method helps and how to set it"
    said = f"Next: {step.rstrip('.')}. The largest cause is {first['cause']}."
    return {**judgement, "next_step": said}


def _methods(scenario: Scenario) -> list[str]:
    return [entry["name"] for entry in scenario.tables["methods"]]


def is_quick(scenario: Scenario) -> bool:
    """Whether it takes no longer than a page should wait for."""
    count = len(causes(scenario))
    flights = min(2**count, ORDERS * (count + 1)) + 2 * count
    return cycle_count(scenario) * flights * PHASES <= QUICK_CYCLES


def _orders(count: int, orders: int) -> list[tuple[int, ...]]:
    """Orders in which causes come in: all of a few, otherwise some at random and their
    reverses."""
    if math.factorial(count) <= orders:
        return list(permutations(range(count)))
    chance, found = random.Random(count), []
    for _ in range(orders // 2):
        order = chance.sample(range(count), count)
        found += [tuple(order), tuple(reversed(order))]
    return found


def _shares(
    found: list[Cause],
    sequences: list[tuple[int, ...]],
    flown: _Flights,
    value: Callable[[Off], float],
) -> dict[str, float]:
    """Of each cause: what it adds where it comes in, mean over the orders, as a share of all that
    adds."""
    adds = {cause.name: 0.0 for cause in found}
    for order in sequences:
        causes_in = [found[i] for i in order]
        values = [value(flown.without(causes_in[k:])) for k in range(len(found) + 1)]
        for cause, before, after in zip(causes_in, values, values[1:], strict=False):
            adds[cause.name] += _or_0(after - before) / len(sequences)
    total = sum(max(x, 0.0) for x in adds.values())
    return {name: max(x, 0.0) / total if total > 0.0 else 0.0 for name, x in adds.items()}


def _bounded(distance: float) -> float:
    """A wreck ten times the approach away from orbit says no more of its causes than one that is
    twice as far."""
    return distance / (1.0 + distance)


def sentence(result: dict[str, Any]) -> str:
    """The causes in their order, and what is left without the largest."""
    named = [row for row in result["rows"] if row["share_of_distance"] >= SMALL][:3]
    away = f"{share(result['distance_from_orbit'], 'the approach')} away from orbit"
    if not named or not math.isfinite(result["distance_from_orbit"]):
        return f"It is {away}; no single cause stands out."
    listed = ", then ".join(
        f"{row['cause']} ({share(row['share_of_distance'])} of it; {row['what']})" for row in named
    )
    left = share(named[-1]["distance_left"])
    both = "Without it" if len(named) == 1 else "Without these"
    helps = "; ".join(dict.fromkeys(row["helps"] for row in named))
    return f"It is {away}: {listed}. {both} {left} is left. What helps: {helps}."


class _Flights:
    """Runs of the scenario with some causes off, each flown once, on all cores."""

    def __init__(self, scenario: Scenario, phases: int):
        self.scenario, self.phases = scenario, phases
        self.known: dict[frozenset[str], Off] = {}

    def without(self, off: Iterable[Cause]) -> Off:
        listed = list(off)
        self.all_at_once([listed])
        return self.known[_key(listed)]

    def all_at_once(self, many: Iterable[list[Cause]]) -> None:
        """Fly what is not known yet, on all cores."""
        wanted = {_key(off): off for off in many if _key(off) not in self.known}
        flown = each_abandonable(lambda key: (key, self._fly(wanted[key])), wanted, cores())
        self.known |= dict(flown)

    def _fly(self, off: list[Cause]) -> Off:
        try:
            changed = switched_off(self.scenario, off)
            runs = [_same_code(one, changed) for one in in_phases(changed, self.phases)]
            found = [simulate(one).metrics for one in runs]
        except BadInput:  # a value that the rest of the scenario does not allow
            return NOT_FLOWN
        return Off(
            _mean(m["distance_from_orbit_worst"] for m in found),
            _mean(_energy(m) for m in found),
            _mean(m["ledger"]["rows"]["sensor"] for m in found),
        )


def _key(off: Iterable[Cause]) -> frozenset[str]:
    return frozenset(cause.name for cause in off)


def switched_off(scenario: Scenario, off: Iterable[Cause]) -> Scenario:
    """The scenario without some causes, run by the same machine code."""
    tables = copy.deepcopy(scenario.tables)
    for cause in off:
        for key, value in cause.off.items():
            if value is None:
                _drop(tables, key)
            else:
                set_key(tables, key, value)
    return _same_code(build(tables), scenario)


def _same_code(changed: Scenario, scenario: Scenario) -> Scenario:
    """Compiled with what the scenario itself needs, so that nothing is recompiled."""
    changed.markers = Markers(scenario.markers.features, changed.markers.methods)
    return changed


def _drop(tables: dict[str, Any], path: str) -> None:
    *parents, last = path.split(".")
    here: Any = tables
    for part in parents:
        here = here[part]
    here.pop(last, None)


def _energy(m: dict[str, Any]) -> float | None:
    approach, left = m["fidelity"]["approach_energy_J"], m["energy_not_taken_out_J"]
    return left / approach if approach and left is not None else None


def _mean(values: Iterable[float | None]) -> float:
    known = [math.nan if v is None else float(v) for v in values]
    return float(np.mean(known)) if known else math.nan


def _or_0(x: float) -> float:
    return x if math.isfinite(x) else 0.0
