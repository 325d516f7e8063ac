"""The verdict of random rigs by softdock and by `benchmarks.judge`, from the saved phases; and
whether a longer run changes it. `python -m benchmarks.judge.campaign [--rigs N] [--first I]
[--seed N] [--lengths N]`."""

from __future__ import annotations

import argparse
import copy
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.judge.phase import read_phase
from benchmarks.judge.rigs import SEED, rig
from benchmarks.judge.verdict import BOUND_OF, Verdict, judge
from softdock import build, simulate
from softdock.errors import BadInput
from softdock.results.phases import judge_in_phases

NEAR = 0.01  # of a bound: rigs nearer to one are not counted
SAME = 1e-6  # absolute, of numbers whose bounds are a few hundredths


class Judged(NamedTuple):
    ours: dict[str, Any]  # softdock's object
    other: Verdict
    last_touch_s: float  # of loop and reference, over the phases; infinite: still in contact
    contacts: int  # of loop and reference, summed over the phases


def judged(tables: dict[str, Any]) -> Judged:
    run = judge_in_phases(simulate(build(tables)), keep=True)
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run")
        places = sorted((Path(folder) / "run" / "phases").iterdir())
        phases = [read_phase(place) for place in places]
    both = [p.metrics[k] for p in phases for k in ("contacts",)]
    both += [p.metrics["reference"]["contacts"] for p in phases]
    ends = [c["end_s"] for contacts in both for c in contacts]
    still = any(one.get("still_touching") for one in run.metrics["verdict"]["phases"])
    last = float("inf") if still else max(ends, default=0.0)
    return Judged(run.metrics["verdict"], judge(phases), last, len(ends))


def is_near(found: Judged) -> bool:
    """Whether a number of either is within 1 % of its bound."""
    for name, key in BOUND_OF.items():
        bound = found.other.bounds[key]
        given = found.ours["criteria"][name]["number"]
        for number in (found.other.numbers.get(name), given):
            if isinstance(number, float) and abs(abs(number) - bound) <= NEAR * bound:
                return True
    return False


def agree(count: int, seed: int = SEED, first: int = 0) -> dict[str, Any]:
    """How many rigs get the same word and the same failed criteria from both."""
    words, differ, near, refused = 0, [], 0, 0
    for number in range(first, first + count):
        try:
            found = judged(rig(number, seed))
        except BadInput:
            refused += 1
            continue
        ours, other = found.ours, found.other
        stopped = {"limits"} <= set(ours["failed"]) & set(other.failed)  # its numbers say little
        same = stopped or set(ours["failed"]) == set(other.failed)
        if same and ours["word"] == other.word:
            words += 1
        elif is_near(found):
            near += 1
        else:
            differ.append([number, ours["word"], ours["failed"], other.word, other.failed])
    counts = {"rigs": count, "refused": refused, "same": words, "near": near}
    return {**counts, "differ": differ, "met": not differ}


def lengths(count: int, seed: int = SEED, first: int = 0) -> dict[str, Any]:
    """Whether numbers change with the length of the run beyond the last contact and settle_s."""
    tried, changed = 0, []
    for number in range(first, first + count):
        tables = rig(number, seed)
        try:
            found = judged(_lasting(tables, 2.0 * tables["time"]["duration_s"] + 2.0))
        except BadInput:
            continue
        if found.last_touch_s == float("inf") or found.contacts == 0:
            continue
        least = found.last_touch_s + found.ours["bounds"]["settle_s"] + 0.5
        runs = [judged(_lasting(tables, least + more)) for more in (0.0, 0.7, 4.0)]
        runs = [one for one in runs if one.contacts == found.contacts]
        tried += len(runs) > 1
        for name in BOUND_OF:
            numbers = [one.ours["criteria"][name]["number"] for one in runs]
            theirs = [one.other.numbers.get(name) for one in runs]
            if _spread(numbers) > SAME or _spread(theirs) > SAME:
                changed.append([number, name, numbers, theirs])
    return {"tried": tried, "changed": changed, "met": not changed}


def _lasting(tables: dict[str, Any], duration_s: float) -> dict[str, Any]:
    given = copy.deepcopy(tables)
    given["time"]["duration_s"] = duration_s
    return given


def _spread(numbers: list[Any]) -> float:
    known = [n for n in numbers if isinstance(n, float)]
    if len(known) not in (0, len(numbers)):
        return float("inf")
    return max(known) - min(known) if known else 0.0


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rigs", type=int, default=0)
    asked.add_argument("--lengths", type=int, default=0)
    asked.add_argument("--first", type=int, default=0)
    asked.add_argument("--seed", type=int, default=SEED)
    given = asked.parse_args()
    if given.rigs:
        print(agree(given.rigs, given.seed, given.first))
    if given.lengths:
        print(lengths(given.lengths, given.seed, given.first))


if __name__ == "__main__":
    main()
