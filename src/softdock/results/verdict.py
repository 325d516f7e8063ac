"""The verdict of a rig: faithful, distorted or unsafe; the one rule and the one object for every
command and page.

In: metrics of runs of one scenario that differ in their sampling phase (or seed), and the limits of
the scenario's table `[verdict]`. Out: a plain dict, the verdict (docs/verdict.md); `Verdict` reads
it in Python.

Every criterion has a number (`criteria.py`), a limit and the word that it gives when it fails; a
run has the worst word of its criteria, a rig the worst of its runs. Methods are judged by what the
satellites did with them: nothing here knows a method's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from softdock.methods.registry import METHODS, RAW
from softdock.results.quantities import DIVERGED_SHARE, format_percent, format_quantity


class Word(StrEnum):
    """What a verdict says."""

    FAITHFUL = "faithful"
    DISTORTED = "distorted"
    UNSAFE = "unsafe"
    NO_VERDICT = "no verdict"


FAITHFUL, DISTORTED, UNSAFE, NO_VERDICT = Word
WORDS = (FAITHFUL, DISTORTED, UNSAFE)  # better before worse
ALL_WORDS = (*WORDS, NO_VERDICT)  # the order is that of the numbers in a campaign's tables
COLOURS = {FAITHFUL: "green", DISTORTED: "yellow", UNSAFE: "red", NO_VERDICT: "bright_black"}
INSIDE = 1.0 + 1e-6  # of a limit: what is nearer to it than that counts as inside
NEXT_TO_NOTHING = 1e-6  # of the approach energy
SURE = 2.0  # standard errors: a smaller growth is none
Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """A verdict as an object: `run.verdict`. `str()` is its headline."""

    word: Word
    headline: str  # one sentence or two: what decides, its limit, the main cause where it is known
    details: str  # every criterion that failed, and those always shown, with their limits
    failed: tuple[str, ...]  # names of criteria
    criteria: Mapping[str, Any]  # number, limit and word of each
    doubts: tuple[str, ...]
    next_step: str

    def __str__(self) -> str:
        return self.headline


def read_verdict(found: Mapping[str, Any]) -> Verdict:
    """The verdict in the metrics of a run, as an object."""
    return Verdict(
        word=Word(found["word"]),
        headline=found["headline"],
        details=found["details"],
        failed=tuple(found["failed"]),
        criteria=found["criteria"],
        doubts=tuple(found["doubts"]),
        next_step=found["next_step"],
    )


def make_headline(word: str, clause: str, cause: str = "", method: str = "") -> str:
    """UNSAFE. Rebound 128 % of the approach speed (on orbit 80 %). Main cause: 40 ms delay."""
    start = f"{word.upper()}{f' with {method}' if method else ''}"
    if word == NO_VERDICT:
        return f"{start}: {clause}."
    main = f" Main cause: {cause}." if cause else ""
    return f"{start}.{f' {_capitalise(clause)}.' if clause else ''}{main}"


def add_cause(verdict: Mapping[str, Any], cause: str) -> dict[str, Any]:
    """The verdict with its main cause in the headline."""
    headline = make_headline(verdict["word"], verdict["clause"], cause, verdict["method"])
    return {**verdict, "cause": cause, "headline": headline}


def name_method(verdict: Mapping[str, Any], method: str) -> dict[str, Any]:
    """The verdict with the method that it is of in the headline."""
    headline = make_headline(verdict["word"], verdict["clause"], verdict["cause"], method)
    return {**verdict, "method": method, "headline": headline}


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


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
    return [
        f"The mock-ups are loaded with {force:.3g} N, {ratio:.2g} times as much as on orbit "
        f"({orbits:.3g} N) and more than the delay explains."
    ]


class Criterion(NamedTuple):
    """One thing that is judged."""

    name: str
    word: Word  # where it fails
    bound: str  # key of `[verdict]`; empty: it has none
    excess: Callable[[Numbers, float], float]  # number over bound; above 1: it fails
    describe: Callable[[Numbers, float], str]  # in words; empty: nothing to be said


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


def _add_limit(text: str, bound: float) -> str:
    return f"{text} (limit {format_percent(bound)})"


def _describe_limit(n: Numbers, bound: float) -> str:
    """Why a run may not be believed, as a sentence."""
    why = str(n["limits"])
    if why == "diverged":
        return "the loop diverged"
    if why.endswith(" limit"):
        return f"the run stopped at the {why}"
    return f"the run stopped: {why}" if why and not why.startswith("the ") else why


def _describe_energy(n: Numbers, bound: float) -> str:
    x = n["energy"]
    if x is None:
        return ""
    if x < -NEXT_TO_NOTHING:
        return f"contacts take {format_percent(-x)} of the approach energy"
    if x < NEXT_TO_NOTHING:
        return _add_limit("no energy added", bound)
    if x >= DIVERGED_SHARE:
        return _add_limit("the loop diverged: it adds over 10 times the approach energy", bound)
    return _add_limit(f"the loop adds {format_percent(x)} of the approach energy", bound)


def _describe_kept_energy(n: Numbers, bound: float) -> str:
    x = n["energy_kept"]
    if x is None or x <= NEXT_TO_NOTHING:
        return ""
    if x >= DIVERGED_SHARE:
        return _add_limit(
            "the pair in contact diverged: it has over 10 times the approach energy", bound
        )
    return _add_limit(
        f"the pair in contact has {format_percent(x)} of the approach energy more than on orbit",
        bound,
    )


def _describe_growth(n: Numbers, bound: float) -> str:
    if not _compute_growth_excess(n, bound) > 1.0:
        return ""
    if n["growth"] >= DIVERGED_SHARE:
        return _add_limit("the pair in contact diverged: its amplitude grows tenfold", bound)
    return _add_limit(
        f"the amplitude of the pair in contact grows by {format_percent(n['growth'])} "
        "in ten oscillations",
        bound,
    )


def _describe_distance(n: Numbers, bound: float) -> str:
    x = n["distance"]
    if x is None:
        return ""
    if x >= DIVERGED_SHARE:
        return _add_limit(
            "the motion diverged: its error is over 10 times the approach speed", bound
        )
    return _add_limit(
        f"error against the on-orbit reference {format_percent(x)} of the approach speed", bound
    )


def _make_peak_text(name: str, what: str) -> Callable[[Numbers, float], str]:
    def describe(n: Numbers, bound: float) -> str:
        if n[name] is None:
            return ""
        ours, orbits = (format_quantity(n[f"{name}{key}"], "N") for key in ("_N", "_reference_N"))
        apart = format_percent(abs(n[name]))
        return (
            f"{what} {ours} (on orbit {orbits}, difference {apart}, limit {format_percent(bound)})"
        )

    return describe


def _describe_free_flight(n: Numbers, bound: float) -> str:
    x = n["free_flight"]
    if x is None or x < NEXT_TO_NOTHING:
        return ""
    return _add_limit(
        f"forces in free flight change the velocity by {format_percent(x)} of the approach speed",
        bound,
    )


def _make_criterion(
    name: str,
    word: Word,
    bound: str,
    excess: Callable[[Numbers, float], float],
    describe: Callable[[Numbers, float], str],
) -> dict[str, Criterion]:
    return {name: Criterion(name=name, word=word, bound=bound, excess=excess, describe=describe)}


CRITERIA: dict[str, Criterion] = {
    **_make_criterion("limits", UNSAFE, "", _make_flag_excess("limits"), _describe_limit),
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
        _make_peak_text("peak_force", "peak contact force"),
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
        return "the run ended during a contact; make time.duration_s longer"
    if numbers["distance"] is None and not numbers["limits"]:
        return "the run ended before the satellites could be compared"
    return ""


def choose_word(numbers: Numbers, bounds: Numbers) -> Word:
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
    clause = reason if word == NO_VERDICT else _choose_clause(judged, failed, runs)
    return {
        "word": word.value,
        "colour": COLOURS[word],
        "headline": make_headline(word, clause),
        "details": _describe_criteria(word, judged, failed, len(runs), over),
        "next_step": _suggest_next_step(
            word, runs[0], called or str(runs[0]["scenario"]), first_step
        ),
        "clause": clause,
        "cause": "",  # the largest, where causes were switched off (results/why.py)
        "method": "",  # where several are compared
        "failed": failed,
        "criteria": judged,
        "doubts": list_doubts(runs, reason if word != NO_VERDICT else ""),
        "bounds": {key: bounds[key] for key in bounds},
        "runs": len(runs),
        "over": over,
        "words": {one.value: words.count(one) for one in ALL_WORDS},
        "phases": each,
    }


def _choose_clause(
    judged: Mapping[str, Any], failed: Sequence[str], runs: Sequence[Mapping[str, Any]]
) -> str:
    """The one number that decides, beside its limit or the reference's."""
    if failed and failed[0] == "energy":
        rebound = _describe_rebound(runs[judged["energy"]["run"]])
        if rebound:
            return rebound
    shown = (*failed, *SHOWN)
    return next((judged[name]["text"] for name in shown if judged[name]["text"]), "")


def is_rebound(verdict: Mapping[str, Any]) -> bool:
    """Whether the headline is the rebound beside that on orbit."""
    return str(verdict["clause"]).startswith("rebound ")


def _describe_rebound(m: Mapping[str, Any]) -> str:
    """Of one contact that gives back more speed than it took; empty for any other run."""
    orbit = m.get("reference") or {}
    e, wanted = m.get("restitution"), orbit.get("restitution")
    one = m.get("contact_count") == 1 and orbit.get("contact_count") == 1
    if not one or e is None or wanted is None or not 1.0 < e < DIVERGED_SHARE:
        return ""
    return f"rebound {format_percent(e)} of the approach speed (on orbit {format_percent(wanted)})"


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
        "word": one.word.value,
        "failed": excess > INSIDE,
        "run": i,
        "text": one.describe(each[i], 1.0 if bound is None else float(bound)),
    }


def _or_least(x: Any) -> float:
    return float(x) if isinstance(x, int | float) and not isinstance(x, bool) else -math.inf


def _describe_criteria(
    word: Word, judged: Mapping[str, Any], failed: Sequence[str], count: int, over: str
) -> str:
    """Every criterion that failed and those always shown, each with its limit; what decides comes
    first."""
    if word == NO_VERDICT:
        return ""
    names = (*failed, *(name for name in SHOWN if name not in failed))
    texts = [judged[name]["text"] for name in names if judged[name]["text"]]
    over_all = f"Worst of {count} {over}: " if count > 1 else ""
    return _capitalise(f"{over_all}{'; '.join(texts)}.") if texts else ""


def _suggest_next_step(word: str, m: Mapping[str, Any], called: str, first_step: str) -> str:
    """One thing to do."""
    if word == FAITHFUL:
        return (
            "Next: vary the parameters that you know only roughly, in a campaign "
            "(docs/campaigns.md)."
        )
    if first_step:
        return f"Next: {first_step}"
    if set(m["methods"]) <= {RAW}:
        return f"Next: `softdock compare {called}` shows which method helps and how to set it."
    return f"Next: `softdock why {called}` shows the causes, the largest first."
