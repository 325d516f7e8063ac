"""Causes and advice of random rigs against exhaustive search: `python -m benchmarks.explained
[--causes N] [--advice N] [--first I] [--seed N]`.

**Causes.** The first cause of `why` against the largest Shapley value over all sets of causes, each
flown by itself through `build` and `simulate`: of the first criterion that failed, its number x at
the phase that decided and half a cycle away, the larger of both, as x / (1 + |x|). Rigs with more
than MOST causes are left out and counted.

**Advice.** Every advised line is run again at all phases: the first criterion that failed must be
within its bound or half as far beyond it, and no other may fail that did not. All values offered
and all pairs of them are run too: where one of these does, a line must be advised.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.judge.rigs import rig
from softdock import build
from softdock.errors import BadInput
from softdock.results.advice import advise
from softdock.results.causes import list_causes
from softdock.results.phases import judge_metrics, list_phases, simulate_metrics
from softdock.results.rig_settings import list_settings
from softdock.results.simulation import simulate
from softdock.results.why import find_causes
from softdock.scenario.build import Scenario
from softdock.scenario.keys import set_key

SEED = 290711
MOST = 9  # causes
SAME = 1e-6  # of two shares that are equal
EITHER_WAY = ("peak_force", "latch_force")
Keys = dict[str, Any]


def failing(count: int, first: int, seed: int) -> Iterator[tuple[int, Scenario, dict[str, Any]]]:
    """Rigs that have a verdict and are not faithful."""
    for number in range(first, first + count):
        try:
            scenario = build(rig(number, seed))
            verdict = judge_metrics(scenario, simulate_metrics(list_phases(scenario, 8)))
        except BadInput:
            continue
        if verdict["failed"] and verdict["word"] != "no verdict":
            yield number, scenario, verdict


def with_changes(scenario: Scenario, keys: Keys) -> Scenario:
    tables = copy.deepcopy(scenario.tables)
    for key, value in sorted(keys.items(), key=lambda item: item[0].count(".")):
        if value is None:
            *parents, last = key.split(".")
            here: Any = tables
            for part in parents:
                here = here[int(part)] if isinstance(here, list) else here[part]
            here.pop(last, None)
        else:
            set_key(tables, key, copy.deepcopy(value))
    return build(tables)


def size(n: Keys, criterion: str, ideal: float) -> float:
    """A criterion's number in one run, bounded; not defined: as in the ideal rig, unless a limit
    was met."""
    if criterion in ("limits", "outcome"):
        return 0.5 if n[criterion] else 0.0
    x = n[criterion]
    if x is None:
        return 1.0 if n["limits"] else ideal
    x = abs(x) if criterion in EITHER_WAY else x
    return x / (1.0 + abs(x))


def exhaustive(scenario: Scenario, verdict: Keys) -> dict[str, float]:
    """Shapley's value of every cause."""
    found, criterion = list_causes(scenario), verdict["failed"][0]
    phases = list_phases(scenario, 8)
    worst = verdict["criteria"][criterion]["run"]
    chosen, everyone = (phases[worst], phases[(worst + 4) % 8]), range(len(found))
    values: dict[frozenset[int], float] = {}
    for k in range(len(found) + 1):
        for on in map(frozenset, itertools.combinations(everyone, k)):
            off = {key: v for i in everyone if i not in on for key, v in found[i].off.items()}
            ideal = values.get(frozenset(), 0.0)
            try:
                runs = [simulate(with_changes(one, off)).metrics["criteria"] for one in chosen]
                values[on] = max(size(n, criterion, ideal) for n in runs)
            except BadInput:
                values[on] = math.nan
    n, shapley = len(found), {}
    for i in everyone:
        rest, total = [j for j in everyone if j != i], 0.0
        for k in range(n):
            weight = 1.0 / (n * math.comb(n - 1, k))
            for before in map(frozenset, itertools.combinations(rest, k)):
                adds = values[before | {i}] - values[before]
                total += weight * (adds if math.isfinite(adds) else 0.0)
        shapley[found[i].name] = total
    return shapley


def first_causes(count: int, seed: int = SEED, first: int = 0) -> dict[str, Any]:
    """How often the first cause is that of the exhaustive ablation."""
    tried, left_out, wrong = 0, 0, []
    for number, scenario, verdict in failing(count, first, seed):
        if len(list_causes(scenario)) > MOST:
            left_out += 1
            continue
        values = exhaustive(scenario, verdict)
        if max(values.values()) <= 0.0:  # what is wrong is the method's
            left_out += 1
            continue
        tried += 1
        named = find_causes(scenario, verdict=verdict)["rows"][0]["cause"]
        if values[named] < max(values.values()) - SAME:
            wrong.append({"rig": number, "named": named, "values": values})
    met = len(wrong) <= 0.02 * tried
    return {"rigs": tried, "left_out": left_out, "wrong": wrong, "met": met and tried > 0}


def helps(before: Keys, after: Keys) -> bool:
    """The rule for a line that may be advised, of two verdicts."""
    target = before["failed"][0]
    if after["word"] == "no verdict" or set(after["failed"]) - set(before["failed"]):
        return False
    if target not in after["failed"]:
        return True
    was, now = (one["criteria"][target]["excess"] for one in (before, after))
    return was is not None and now is not None and now - 1.0 <= 0.5 * (was - 1.0)


def verdict_with(scenario: Scenario, keys: Keys) -> Keys | None:
    """At all phases; None: it cannot be run."""
    try:
        return judge_metrics(
            scenario, simulate_metrics(list_phases(with_changes(scenario, keys), 8))
        )
    except BadInput:
        return None


def found_by_grid(scenario: Scenario, verdict: Keys) -> Keys | None:
    """The first single value or pair of values of the offered settings that helps."""
    settings = list_settings(scenario)
    singles = [keys for s in settings for keys in s.values]
    pairs = [
        {**one, **other}
        for a, b in itertools.combinations(settings, 2)
        for one, other in itertools.product(a.values, b.values)
    ]
    for keys in (*singles, *pairs):
        if _may_help(scenario, verdict, keys):
            after = verdict_with(scenario, keys)
            if after is not None and helps(verdict, after):
                return keys
    return None


def _may_help(scenario: Scenario, verdict: Keys, keys: Keys) -> bool:
    """By the phase that decided alone, which is eight times as quick."""
    target = verdict["failed"][0]
    try:
        one = list_phases(with_changes(scenario, keys), 8)[verdict["criteria"][target]["run"]]
        after = judge_metrics(scenario, [simulate(one).metrics])
    except BadInput:
        return False
    return helps(verdict, after)


def advice(count: int, seed: int = SEED, first: int = 0) -> dict[str, Any]:
    """Lines that do not hold, and rigs on which a grid finds a line and nobody is advised."""
    rigs, lines, broken, possible, missed = 0, 0, [], 0, []
    for number, scenario, verdict in failing(count, first, seed):
        rigs += 1
        found = advise(scenario, verdict)["lines"]
        lines += len(found)
        for line in found:
            after = verdict_with(scenario, line["changes"])
            if after is None or not helps(verdict, after):
                broken.append({"rig": number, "line": line["line"]})
        on_grid = {} if found else found_by_grid(scenario, verdict)
        possible += on_grid is not None
        if on_grid:
            missed.append({"rig": number, "found": on_grid})
    return {
        "rigs": rigs,
        "lines": lines,
        "broken": broken,
        "possible": possible,
        "missed": missed,
        "met": not broken and len(missed) <= 0.05 * possible and lines > 0,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    ask = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    for name, default in (("causes", 0), ("advice", 0), ("first", 0), ("seed", SEED)):
        ask.add_argument(f"--{name}", type=int, default=default)
    given = ask.parse_args(arguments)
    if given.causes:
        print(json.dumps(first_causes(given.causes, given.seed, given.first), indent=1))
    if given.advice:
        print(json.dumps(advice(given.advice, given.seed, given.first), indent=1))


if __name__ == "__main__":
    main()
