"""Why does a rig fail its verdict? Its causes are switched off, and what that changes of the
criterion that failed is their share.

In: a scenario. Out: a plain dict, largest cause first.

Explained is the first criterion that failed, else the one nearest to its bound: its number at the
sampling phase that decided the verdict and at the one half a cycle away, the larger of both.
Shares are Shapley's values. Numbers count as x / (1 + |x|), so that a wreck at ten
times the approach weighs little more than one at five; a criterion without a number counts 1 where
it failed. Beside the shares stand three numbers that anybody can check: with this cause alone,
without it, and without it and all larger ones (what is left).

The ledger's row `sensor` is split by difference: row of the whole rig less row without the cause.

Methods stay on and stay told what they were told: what is left with all causes off is theirs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from softdock._arguments import TEXT, check_arguments, instance_of, whole_number
from softdock.methods.registry import RAW
from softdock.results.causes import Cause, list_causes
from softdock.results.free_flight import analyse_free_flight
from softdock.results.phases import MOST_PHASES, judge_metrics, list_phases, simulate_metrics
from softdock.results.quantities import format_percent
from softdock.results.stepper import count_cycles
from softdock.results.variants import Variants, change_scenario
from softdock.results.verdict import CRITERIA, compute_excess
from softdock.scenario.build import Scenario

# Which of several causes has which share of a number: Shapley's value.
#
# A cause adds something else when it comes alone than when it comes last. So an ideal rig is made
# real one cause after the other, and the share of a cause is the mean of what it adds, over all
# orders. With up to EXACT causes that change the number at all, every set of them is simulated and
# the mean is exact; with more it is that of some orders at random and their reverses.
#
# A cause changes the number if it does so alone (all others off) or last (all others on), by more
# than NOTHING of the largest value seen.

EXACT = 8
ORDERS = 24
NOTHING = 1e-3
Set = frozenset[int]
# (of the sets of causes that are on) -> the number of each
Values = Callable[[Iterable[Set]], dict[Set, float]]


def compute_shares(count: int, values: Values) -> list[float]:
    """Of each cause, of all that adds; 0: it adds nothing, or takes away."""
    added = compute_shapley_values(count, values)
    total = sum(max(x, 0.0) for x in added)
    return [max(x, 0.0) / total if total > 0.0 else 0.0 for x in added]


def compute_shapley_values(count: int, values: Values) -> list[float]:
    """What each cause adds in the mean. NaN values (a set that cannot be simulated) add nothing."""
    everyone = frozenset(range(count))
    ends = [frozenset(), everyone]
    ends += [frozenset({i}) for i in everyone] + [everyone - {i} for i in everyone]
    known = values(ends)
    largest = max((abs(v) for v in known.values() if math.isfinite(v)), default=0.0)
    players = [
        i
        for i in range(count)
        if max(
            _size(known[frozenset({i})] - known[frozenset()]),
            _size(known[everyone] - known[everyone - {i}]),
        )
        > NOTHING * largest
    ]
    others = everyone - set(players)
    known |= values(on | others for on in _list_needed_sets(players))
    if len(players) <= EXACT:
        found = {i: _compute_exact_value(i, players, others, known) for i in players}
    else:
        found = _sample_values(players, others, known)
    return [found.get(i, 0.0) for i in range(count)]


def _list_needed_sets(players: Sequence[int]) -> list[Set]:
    if len(players) <= EXACT:
        return [frozenset(on) for k in range(len(players) + 1) for on in combinations(players, k)]
    return [frozenset(order[:k]) for order in draw_orders(players) for k in range(len(order) + 1)]


def _compute_exact_value(
    i: int, players: Sequence[int], others: Set, known: dict[Set, float]
) -> float:
    rest, n = [j for j in players if j != i], len(players)
    total = 0.0
    for k in range(n):
        weight = math.factorial(k) * math.factorial(n - k - 1) / math.factorial(n)
        for before in combinations(rest, k):
            on = others | set(before)
            total += weight * _or_0(known[on | {i}] - known[on])
    return total


def _sample_values(
    players: Sequence[int], others: Set, known: dict[Set, float]
) -> dict[int, float]:
    values = dict.fromkeys(players, 0.0)
    listed = draw_orders(players)
    for order in listed:
        for k, i in enumerate(order):
            on = others | set(order[:k])
            values[i] += _or_0(known[on | {i}] - known[on]) / len(listed)
    return values


def draw_orders(players: Sequence[int]) -> list[list[int]]:
    """Some orders at random, the same every time, each with its reverse."""
    chance, orders = random.Random(len(players)), []
    for _ in range(ORDERS // 2):
        order = chance.sample(list(players), len(players))
        orders += [order, order[::-1]]
    return orders


def _size(x: float) -> float:
    """A set that cannot be simulated may hide a cause: it is taken for one."""
    return abs(x) if math.isfinite(x) else math.inf


def _or_0(x: float) -> float:
    return x if math.isfinite(x) else 0.0


PHASES = 2
QUICK_CYCLES = 150_000  # of all simulations together: some 0.3 s on two cores
SMALL = 0.02  # a share below this is not named in the sentence
NAMED = 3  # causes in the sentence
EITHER_WAY = ("peak_force", "latch_force")
OF = {
    "limits": "the limits that were passed",
    "energy": "the energy added in contacts",
    "growth": "the growth in ten oscillations",
    "energy_kept": "the energy of the pair in contact",
    "distance": "the error against the on-orbit reference",
    "peak_force": "the error of the peak contact force",
    "latch_force": "the error of the latches' peak force",
    "free_flight": "the velocity change in free flight",
    "outcome": "the different outcome",
}


@check_arguments(
    scenario=instance_of("a Scenario", Scenario),
    phases=whole_number(1, MOST_PHASES),
    called=TEXT,
)
def find_causes(
    scenario: Scenario,
    phases: int = PHASES,
    called: str = "",
    verdict: Mapping[str, Any] | None = None,
    variants: Variants | None = None,
) -> dict[str, Any]:
    """The causes with their shares, and the verdict they explain. `verdict`, `variants`: where
    they are known already."""
    if verdict is None:
        metrics = simulate_metrics(list_phases(scenario, scenario.tables["verdict"]["phases"]))
        verdict = judge_metrics(scenario, metrics, called)
    causes = list_causes(scenario)
    criterion = choose_criterion(verdict)
    worst = int(verdict["criteria"][criterion]["run"])
    variants = variants or Variants(scenario, max(phases, int(verdict["runs"])))
    chosen = [(worst + i * variants.count // phases) % variants.count for i in range(phases)]
    numbers = _CriterionNumbers(variants, chosen, causes, criterion)
    share_of = compute_shares(len(causes), numbers.compute_all)
    order = sorted(range(len(causes)), key=lambda i: -share_of[i])
    everyone = frozenset(range(len(causes)))
    left = [everyone - set(order[: k + 1]) for k in range(len(order))]
    numbers.compute_all(left)
    sensor_J = numbers.compute_sensor_J(everyone)
    rows = [
        {
            "cause": causes[i].name,
            "what": causes[i].what,
            "share": share_of[i],
            "alone": numbers.compute(frozenset({i})),
            "without": numbers.compute(everyone - {i}),
            "left": numbers.compute(on),
            "of_sensor_row_J": sensor_J - numbers.compute_sensor_J(everyone - {i})
            if causes[i].of_sensor
            else None,
            "helps": causes[i].helps,
            "in_free_flight": causes[i].in_free_flight,
        }
        for i, on in zip(order, left, strict=True)
    ]
    result: dict[str, Any] = {
        "scenario": scenario.name,
        "phases": phases,
        "verdict": dict(verdict),
        "criterion": criterion,
        "of": OF[criterion],
        "number": numbers.compute(everyone),
        "bound": verdict["criteria"][criterion]["bound"],
        "all_off": numbers.compute(frozenset()),
        "sensor_row_J": sensor_J,
        "rows": rows,
        "free_flight": analyse_free_flight(scenario).text,
    }
    result["sentence"] = describe_causes(result, list_methods(scenario))
    return result


def list_methods(scenario: Scenario) -> list[str]:
    return [entry["name"] for entry in scenario.tables["methods"] if entry["name"] != RAW]


def is_quick(scenario: Scenario) -> bool:
    """Whether it takes no longer than a page should wait for."""
    count = len(list_causes(scenario))
    sets = 2**count if count <= EXACT else ORDERS * count
    return count_cycles(scenario) * (sets + 2 * count) * PHASES <= QUICK_CYCLES


def describe_main_cause(result: Mapping[str, Any]) -> str:
    """The largest cause, with its size; empty: none stands out."""
    first = next(iter(result["rows"]), None)
    return str(first["what"]) if first is not None and first["share"] >= SMALL else ""


def describe_causes(result: Mapping[str, Any], methods: Iterable[str] = ()) -> str:
    """The causes in their order, and what is left without them."""
    named = [row for row in result["rows"] if row["share"] >= SMALL][:NAMED]
    number, bound = result["number"], result["bound"]
    is_now = ""
    if number is not None and bound is not None:
        what = result["of"][0].upper() + result["of"][1:]
        is_now = f" {what} is {format_percent(number)} (limit {format_percent(bound)})"
    if not named:
        return (
            f"No single cause stands out.{is_now and is_now + '.'}{_describe_rest(result, methods)}"
        )
    listed = ", then ".join(
        f"{row['what']} ({format_percent(row['share'])}{'' if i else ' of ' + result['of']})"
        for i, row in enumerate(named)
    )
    left = named[-1]["left"]
    without = ""
    if is_now and left is not None and math.isfinite(left):
        without = f"; without {'it' if len(named) == 1 else 'them'} {format_percent(left)} remains"
    helps = "; ".join(dict.fromkeys(row["helps"] for row in named))
    reduced = "It is reduced by" if len(named) == 1 else "They are reduced, in this order, by"
    cause = "Cause" if len(named) == 1 else "Causes"
    now = f"{is_now}{without}." if is_now else ""
    return f"{cause}: {listed}.{now}{_describe_rest(result, methods)} {reduced}: {helps}."


def _describe_rest(result: Mapping[str, Any], methods: Iterable[str]) -> str:
    """What no cause explains is the methods'."""
    off, bound, listed = result["all_off"], result["bound"], ", ".join(methods)
    if not listed or off is None or bound is None or not abs(off) > bound:
        return ""
    return f" With all causes removed, {format_percent(off)} remains: it comes from {listed}."


class _CriterionNumbers:
    """Of the rig with some of its causes on: the criterion's number."""

    def __init__(self, variants: Variants, at: list[int], found: list[Cause], criterion: str):
        self.variants, self.at, self.found, self.criterion = variants, at, found, criterion

    def _collect_off(self, on: Set) -> dict[str, Any]:
        return collect_off_keys(cause for i, cause in enumerate(self.found) if i not in on)

    def _collect_numbers(self, on: Set) -> list[dict[str, Any]]:
        simulated = self.variants.get(self._collect_off(on), self.at)
        return [one.numbers for one in simulated if one.numbers]

    def compute_all(self, sets: Iterable[Set]) -> dict[Set, float]:
        listed = list(sets)
        self.variants.simulate_all((self._collect_off(on) for on in listed), self.at)
        return {on: self._compute_worst(on) for on in listed}

    def _compute_worst(self, on: Set) -> float:
        """The worst of the phases; NaN: it cannot be simulated."""
        return max((self._compute_run(n, on) for n in self._collect_numbers(on)), default=math.nan)

    def _compute_run(self, n: Mapping[str, Any], on: Set) -> float:
        """What is not defined is no fault: it is what the rig without any cause has. But a run that
        met a limit is a fault of every criterion."""
        x = measure_criterion(n, self.criterion)
        if x is None and n["limits"]:
            return 1.0
        if x is None:
            return self._compute_worst(frozenset()) if on else 0.0
        return math.copysign(1.0, x) if math.isinf(x) else x / (1.0 + abs(x))

    def compute(self, on: Set) -> float | None:
        """As it is said: the larger of the phases'; None: it is not defined, or cannot be
        simulated."""
        if not CRITERIA[self.criterion].bound:
            return None
        values = [measure_criterion(n, self.criterion) for n in self._collect_numbers(on)]
        return max((v for v in values if v is not None), default=None)

    def compute_sensor_J(self, on: Set) -> float:
        simulated = self.variants.get(self._collect_off(on), self.at)
        return sum(one.sensor_J for one in simulated) / len(simulated)


def choose_criterion(verdict: Mapping[str, Any]) -> str:
    """The first criterion that failed; else the one nearest to its bound."""
    if verdict["failed"]:
        return str(verdict["failed"][0])
    each = verdict["criteria"]
    return max(each, key=lambda name: each[name]["excess"] or 0.0)


def measure_criterion(n: Mapping[str, Any], criterion: str) -> float | None:
    """A criterion's number in one run, its size where it counts either way; without a bound 1 where
    it fails, else 0."""
    one = CRITERIA[criterion]
    if not one.bound:
        return float(compute_excess(criterion, n, {}) > 0.0)
    x = n[criterion]
    if x is None:
        return None
    return abs(float(x)) if criterion in EITHER_WAY else float(x)


def collect_off_keys(off: Iterable[Cause]) -> dict[str, Any]:
    return {key: value for cause in off for key, value in cause.off.items()}


def switch_off(scenario: Scenario, off: Iterable[Cause]) -> Scenario:
    """The scenario without some causes, run by the same machine code."""
    return change_scenario(scenario, collect_off_keys(off))
