"""The verdict of a rig: faithful, distorted or unsafe; the one rule for every command and page.

In: metrics of runs of one scenario that differ in their sampling phase (or seed), and the bounds of
the scenario's table `[verdict]`. Out: a plain dict, the verdict object (docs/verdict.md).

Every criterion has a number (`criteria.py`), a bound and the word that it gives when it fails; a
run has the worst word of its criteria, a rig the worst of its runs. Methods are judged by what the
satellites did with them: nothing here knows a method's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from softdock.methods.registry import METHODS, RAW

# What a verdict cannot be sure of: shown with it, and never part of it.
#
# In: the metrics of the runs that were judged. Out: sentences, each computed from those runs.

HARDER = 1.1  # times what the reference and the delay explain: below, it is not said


def list_doubts(runs: Sequence[Mapping[str, Any]], unjudged: str = "") -> list[str]:
    """Of all runs. `unjudged`: why some of them have no verdict of their own."""
    doubts = [f"Some runs have no verdict: {unjudged}."] if unjudged else []
    if len(runs) == 1:
        doubts.append("Only one sampling phase was judged.")
    for m in runs:
        for name, books in (m.get("method_books") or {}).items():
            vouches = METHODS[name.rstrip("_0123456789")].vouches if _is_method(name) else None
            doubts += [f"{name}: {reason}." for reason in (vouches(books) if vouches else [])]
    doubts += _list_overloads(runs)
    return list(dict.fromkeys(doubts))


def _is_method(name: str) -> bool:
    return name.rstrip("_0123456789") in METHODS


def _list_overloads(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Mock-ups that are hit harder than the contact in the reference and the delay alone
    explain."""
    overloads = []
    for m in runs:
        n = m["criteria"]
        force, orbits = n["mock_up_force_N"], n["mock_up_force_on_orbit_N"]
        if force and orbits and force > HARDER * max(orbits, n["mock_up_force_by_delay_N"] or 0.0):
            overloads.append((force / orbits, force, orbits))
    if not overloads:
        return []
    ratio, force, orbits = max(overloads)
    return [f"Mock-ups loaded {ratio:.2g} times: {force:.3g} N, on orbit {orbits:.3g} N."]


FAITHFUL, DISTORTED, UNSAFE, NO_VERDICT = "faithful", "distorted", "unsafe", "no verdict"
WORDS = (FAITHFUL, DISTORTED, UNSAFE)  # better before worse
ALL_WORDS = (*WORDS, NO_VERDICT)  # the order is that of the numbers in a campaign's tables
COLOURS = {FAITHFUL: "green", DISTORTED: "yellow", UNSAFE: "red", NO_VERDICT: "bright_black"}
INSIDE = 1.0 + 1e-6  # of a bound: what is nearer to it than that counts as inside
NEXT_TO_NOTHING = 1e-6  # of the approach energy
LARGE = 10.0  # shares above this are said as factors
SURE = 2.0  # standard errors: a smaller growth is none
Numbers = Mapping[str, Any]


class Criterion(NamedTuple):
    """One thing that is judged."""

    name: str
    word: str  # where it fails
    bound: str  # key of `[verdict]`; empty: it has none
    excess: Callable[[Numbers, float], float]  # number over bound; above 1: it fails
    describe: Callable[[Numbers, float], str]  # in words; empty: nothing to be said


def format_share(x: float, of: str = "") -> str:
    """A share in percent, or as a factor where percent say little; `of`: of what."""
    if x < LARGE:
        return f"{100.0 * x:.3g} %" + (f" of {of}" if of else "")
    return f"{x:.3g} times" + (f" {of}" if of else "")


def _make_ratio(name: str) -> Callable[[Numbers, float], float]:
    """A number over its bound; what is negative or not defined fails nothing."""

    def excess(n: Numbers, bound: float) -> float:
        return 0.0 if n[name] is None else max(float(n[name]), 0.0) / bound

    return excess


def _make_size_ratio(name: str) -> Callable[[Numbers, float], float]:
    """Likewise, of a difference that counts either way."""

    def excess(n: Numbers, bound: float) -> float:
        return 0.0 if n[name] is None else abs(float(n[name])) / bound

    return excess


def _make_flag_excess(name: str) -> Callable[[Numbers, float], float]:
    return lambda n, bound: math.inf if n[name] else 0.0


def _compute_growth_excess(n: Numbers, bound: float) -> float:
    growth, error = n["growth"], n["growth_error"]
    if growth is None or growth <= SURE * (error or 0.0):
        return 0.0
    return max(float(growth), 0.0) / bound


def _describe_energy(n: Numbers, bound: float) -> str:
    x = n["energy"]
    if x is None:
        return ""
    if x < -NEXT_TO_NOTHING:
        return f"the contacts take {format_share(-x, 'the approach energy')}"
    if x < NEXT_TO_NOTHING:
        return f"no energy added (bound {format_share(bound)})"
    return (
        f"the contacts add {format_share(x, 'the approach energy')} (bound {format_share(bound)})"
    )


def _describe_kept_energy(n: Numbers, bound: float) -> str:
    x = n["energy_kept"]
    if x is None or x <= 0.0:
        return ""
    return (
        f"the pair in contact has {format_share(x, 'the approach energy')} more than on orbit "
        f"(bound {format_share(bound)})"
    )


def _describe_growth(n: Numbers, bound: float) -> str:
    if not _compute_growth_excess(n, bound) > 1.0:
        return ""
    return (
        f"the swing of the pair in contact grows by {format_share(n['growth'])} in ten swings "
        f"(bound {format_share(bound)})"
    )


def _describe_distance(n: Numbers, bound: float) -> str:
    if n["distance"] is None:
        return ""
    return (
        f"{format_share(n['distance'], 'the approach')} away from orbit (bound "
        f"{format_share(bound)})"
    )


def _make_peak_text(name: str, what: str) -> Callable[[Numbers, float], str]:
    def describe(n: Numbers, bound: float) -> str:
        if n[name] is None:
            return ""
        ours, orbits = n[f"{name}_N"], n[f"{name}_reference_N"]
        return f"{what} {ours:.3g} N (on orbit {orbits:.3g} N, bound {format_share(bound)})"

    return describe


def _describe_free_flight(n: Numbers, bound: float) -> str:
    x = n["free_flight"]
    if x is None or x < NEXT_TO_NOTHING:
        return ""
    return (
        f"forces in free flight change the speed by {format_share(x, 'the approach')} "
        f"(bound {format_share(bound)})"
    )


def _make_criterion(
    name: str,
    word: str,
    bound: str,
    excess: Callable[[Numbers, float], float],
    describe: Callable[[Numbers, float], str],
) -> dict[str, Criterion]:
    return {name: Criterion(name=name, word=word, bound=bound, excess=excess, describe=describe)}


CRITERIA: dict[str, Criterion] = {
    **_make_criterion("limits", UNSAFE, "", _make_flag_excess("limits"), lambda n, b: n["limits"]),
    **_make_criterion("energy", UNSAFE, "unsafe_energy", _make_ratio("energy"), _describe_energy),
    **_make_criterion("growth", UNSAFE, "unsafe_growth", _compute_growth_excess, _describe_growth),
    **_make_criterion(
        "energy_kept", UNSAFE, "unsafe_energy", _make_ratio("energy_kept"), _describe_kept_energy
    ),
    **_make_criterion(
        "distance", DISTORTED, "faithful_distance", _make_ratio("distance"), _describe_distance
    ),
    **_make_criterion(
        "peak_force",
        DISTORTED,
        "faithful_peak_force",
        _make_size_ratio("peak_force"),
        _make_peak_text("peak_force", "peak force on the satellites"),
    ),
    **_make_criterion(
        "latch_force",
        DISTORTED,
        "faithful_peak_force",
        _make_size_ratio("latch_force"),
        _make_peak_text("latch_force", "peak force of the latches"),
    ),
    **_make_criterion(
        "free_flight", DISTORTED, "free_flight", _make_ratio("free_flight"), _describe_free_flight
    ),
    **_make_criterion(
        "outcome", DISTORTED, "", _make_flag_excess("outcome"), lambda n, b: "; ".join(n["outcome"])
    ),
}
SHOWN = ("distance", "peak_force", "energy")  # also where they do not fail


def list_failed(numbers: Numbers, bounds: Numbers) -> list[str]:
    """Criteria that one run fails, worst word first."""
    failed = [name for name in CRITERIA if compute_excess(name, numbers, bounds) > INSIDE]
    return sorted(failed, key=lambda name: -WORDS.index(CRITERIA[name].word))


def compute_excess(name: str, numbers: Numbers, bounds: Numbers) -> float:
    """How many times a number is its bound; 0 where it is not defined."""
    one = CRITERIA[name]
    return one.excess(numbers, float(bounds[one.bound]) if one.bound else 1.0)


def explain_no_verdict(numbers: Numbers) -> str:
    """Why a run has no verdict; empty: it has one."""
    if numbers["no_verdict"]:
        return str(numbers["no_verdict"])
    if numbers["ended_in_contact"]:
        return "the run ended during a contact: make time.duration_s longer"
    if numbers["distance"] is None and not numbers["limits"]:
        return "the run ended before the satellites could be compared"
    return ""


def choose_word(numbers: Numbers, bounds: Numbers) -> str:
    """The word for one run."""
    failed = list_failed(numbers, bounds)
    if failed and CRITERIA[failed[0]].word == UNSAFE:
        return UNSAFE
    if explain_no_verdict(numbers):
        return NO_VERDICT
    return DISTORTED if failed else FAITHFUL


def make_verdict(
    runs: Sequence[Mapping[str, Any]],
    bounds: Mapping[str, Any],
    called: str = "",
    first_step: str = "",
    over: str = "sampling phases",
) -> dict[str, Any]:
    """Of all runs (their metrics): the worst of each number decides. `called`: how a person names
    the scenario on the command line; `first_step`: what is to be mended before anything else;
    `over`: what the runs differ in."""
    each = [m["criteria"] for m in runs]
    words = [choose_word(n, bounds) for n in each]
    known = [word for word in words if word != NO_VERDICT]
    word = max(known, key=WORDS.index) if known else NO_VERDICT
    # a run without a verdict counts only where no run has one
    counted = [i for i, one in enumerate(words) if one != NO_VERDICT] or list(range(len(each)))
    judged = {name: _judge_worst_run(name, each, counted, bounds) for name in CRITERIA}
    failed = [name for name in judged if judged[name]["failed"] and word != NO_VERDICT]
    failed.sort(key=lambda name: -WORDS.index(CRITERIA[name].word))
    reason = next((r for r in map(explain_no_verdict, each) if r), "")
    return {
        "word": word,
        "colour": COLOURS[word],
        "sentence": _describe_verdict(word, judged, failed, reason, len(runs), over),
        "next_step": _suggest_next_step(
            word, runs[0], called or str(runs[0]["scenario"]), first_step
        ),
        "failed": failed,
        "criteria": judged,
        "doubts": list_doubts(runs, reason if word != NO_VERDICT else ""),
        "bounds": {key: bounds[key] for key in bounds},
        "runs": len(runs),
        "over": over,
        "words": {one: words.count(one) for one in ALL_WORDS},
        "phases": each,
    }


def _judge_worst_run(
    name: str, each: Sequence[Numbers], counted: Sequence[int], bounds: Numbers
) -> dict[str, Any]:
    """One criterion at its worst run of those that count."""
    one = CRITERIA[name]
    i = max(
        counted,
        key=lambda i: (compute_excess(name, each[i], bounds), _or_least(each[i][name])),
    )
    excess, bound = compute_excess(name, each[i], bounds), bounds[one.bound] if one.bound else None
    return {
        "number": each[i][name],
        "bound": bound,
        "excess": excess if math.isfinite(excess) else None,
        "word": one.word,
        "failed": excess > INSIDE,
        "run": i,
        "said": one.describe(each[i], 1.0 if bound is None else float(bound)),
    }


def _or_least(x: Any) -> float:
    return float(x) if isinstance(x, int | float) and not isinstance(x, bool) else -math.inf


def _describe_verdict(
    word: str, judged: Mapping[str, Any], failed: Sequence[str], reason: str, count: int, over: str
) -> str:
    """What was found, the bound beside each number; what decides comes first."""
    if word == NO_VERDICT:
        return f"No verdict: {reason}."
    rest = [name for name in SHOWN if name not in failed]
    sentences = [judged[name]["said"] for name in (*failed, *rest) if judged[name]["said"]]
    at = f"at the worst of {count} {over}" if count > 1 else "in this run"
    return f"{word.capitalize()}: {at} {'; '.join(sentences)}."


def _suggest_next_step(word: str, m: Mapping[str, Any], called: str, first_step: str) -> str:
    """One thing to do."""
    if word == FAITHFUL:
        return (
            "Next: vary what you are not sure of (a campaign file with this scenario, "
            "docs/campaigns.md)."
        )
    if first_step:
        return f"Next: {first_step}"
    if set(m["methods"]) <= {RAW}:
        return f"Next: `softdock compare {called}` shows which method helps and how to set it."
    return f"Next: `softdock why {called}` shows what it comes from."
