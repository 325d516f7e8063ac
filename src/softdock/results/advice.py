"""Advice that was run: settings of the rig that bring the failed criterion within its limit.

In: a scenario and its verdict. Out: lines to paste (`--set key=value`), best first, each with what
the verdict says of it; or that nothing offered helps.

What is offered is in rig_settings.py. Each value is tried at the sampling phases that decided the
verdict; the best are combined with the others, and their numbers refined. A line is advised only if
at all phases of the verdict

- the first criterion that failed is within its bound, or its excess (number - bound) is halved, and
- no other criterion fails that did not fail before.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from softdock.results.rig_settings import Setting, find_middle, list_settings
from softdock.results.variants import SimulatedVariant, Variants
from softdock.results.verdict import (
    CRITERIA,
    FAITHFUL,
    INSIDE,
    NO_VERDICT,
    WORDS,
    add_cause,
    choose_word,
    compute_excess,
    explain_no_verdict,
)
from softdock.results.why import PHASES, describe_main_cause, find_causes
from softdock.scenario.build import Scenario
from softdock.scenario.files import to_toml

MOST_KEYS = 3  # settings in one line
BEAM = 3  # lines that are combined with others
REFINED = 3  # times that the interval about the best value is halved
LINES = 3  # advised at most
NEAR = 0.5  # of its bound: a criterion beyond decides at which phases lines are tried
MOST_PHASES = 3
Say = Callable[[str], None]
Keys = dict[str, Any]
Further = Callable[[], Sequence[Setting]]


class Score(NamedTuple):
    """What the verdict says of a line. In order: the better one is less."""

    word: int
    failed: int  # how many criteria
    target: float  # number over bound, of the criterion that failed first
    largest: float  # of all criteria


class TriedSettings(NamedTuple):
    changes: Keys
    settings: tuple[str, ...]
    score: Score
    failed: frozenset[str]
    text: str  # of the target, in words


def advise(
    scenario: Scenario,
    verdict: Mapping[str, Any],
    variants: Variants | None = None,
    free: Iterable[str] = (),
    further: Further | None = None,
    say: Say = lambda text: None,
    most: int | None = None,
) -> dict[str, Any]:
    """Lines that help. `free`: further keys that the user can make smaller; `further`: settings
    from outside (other methods), tried where nothing offered makes the rig faithful; `most`:
    simulations, after which no further combinations are tried."""
    if verdict["word"] in (FAITHFUL, NO_VERDICT):
        return {"target": None, "tried": 0, "lines": [], "sentence": ""}
    search = _Search(scenario, verdict, variants, most)
    settings = list_settings(scenario, free)
    search.try_singles(settings, say)
    search.combine(settings, say)
    if further is not None and not search.has_remedy():
        search.try_singles(further(), say)
    lines = search.find_lines(say)
    advice = {
        "target": search.target,
        "tried": len(search.tried),
        "lines": [
            {
                "line": format_line(one.changes),
                "changes": one.changes,
                "word": (*WORDS, NO_VERDICT)[one.score.word].value,
                "failed": sorted(one.failed),
                "excess": one.score.target,
                "text": one.text,
            }
            for one in lines
        ],
    }
    return advice | {"sentence": describe_best_line(advice)}


def describe_best_line(found: Mapping[str, Any]) -> str:
    """The best line with its result; or that none helps."""
    if not found["lines"]:
        return f"{_say_none_helps(found['tried'])}."
    best = found["lines"][0]
    return f"set `{best['line']}`: {best['word']}, {best['text']}"


def _say_none_helps(tried: int) -> str:
    if not tried:
        return "This rig has no setting that could help"
    return f"No setting of this rig is enough ({tried} tried)"


def format_line(changes: Mapping[str, Any]) -> str:
    """As it is typed."""
    return " ".join(
        f"--set {shlex.quote(f'{key}={_format_value(value)}')}" for key, value in changes.items()
    )


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{', '.join(_format_inner_value(x) for x in value)}]"
    return _format_inner_value(value)


def _format_inner_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k} = {_format_inner_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(_format_inner_value(x) for x in value)}]"
    return to_toml({"x": value}).partition("=")[2].strip()


class _Search:
    def __init__(
        self,
        scenario: Scenario,
        verdict: Mapping[str, Any],
        variants: Variants | None,
        most: int | None,
    ):
        self.bounds = scenario.tables["verdict"]
        self.variants = variants or Variants(scenario, int(verdict["runs"]))
        self.most = math.inf if most is None else self.variants.simulated_count + most
        self.target = str(verdict["failed"][0])
        self.failed = frozenset(verdict["failed"])
        each = verdict["criteria"]
        self.before = _or_inf(each[self.target]["excess"])
        close = [c for c in each if c not in self.failed and (each[c]["excess"] or 0.0) > NEAR]
        runs = [int(each[c]["run"]) for c in (*verdict["failed"], *close)]
        self.phases = list(dict.fromkeys(runs))[:MOST_PHASES]
        self.tried: dict[str, TriedSettings] = {}

    def try_singles(self, settings: Sequence[Setting], say: Say) -> None:
        self._try([((s.name,), keys) for s in settings for keys in s.values], say)

    def combine(self, settings: Sequence[Setting], say: Say) -> None:
        """The best lines with one more setting each, and their numbers refined."""
        self._refine(settings, say)
        for _ in range(MOST_KEYS - 1):
            if self.has_remedy() or self.variants.simulated_count >= self.most:
                return
            more = [
                ((*line.settings, s.name), {**line.changes, **keys})
                for line in self._find_better()[:BEAM]
                for s in settings
                if s.name not in line.settings
                for keys in s.values
            ]
            self._try(more, say)
            self._refine(settings, say)

    def _refine(self, settings: Sequence[Setting], say: Say) -> None:
        """Values half way to the neighbours of the best value of a number."""
        refined = {s.name: s for s in settings if s.refined}
        for line in self._find_better()[:BEAM]:
            for name in line.settings:
                if name in refined and not self.has_remedy():
                    self._halve(line, refined[name], say)

    def _halve(self, line: TriedSettings, setting: Setting, say: Say) -> None:
        key, best = setting.refined, line
        others = {k: v for k, v in line.changes.items() if k != key}
        for _ in range(REFINED):
            if self.variants.simulated_count >= self.most:
                return
            known = [
                one
                for one in self.tried.values()
                if key in one.changes
                and others.items() <= one.changes.items()
                and len(one.changes) == len(others) + 1
            ]
            known.sort(key=lambda one: _measure_size(one.changes[key]))
            at = known.index(best)
            beside = [known[i] for i in (at - 1, at + 1) if 0 <= i < len(known)]
            middles = [find_middle(best.changes[key], one.changes[key]) for one in beside]
            self._try([(line.settings, {**others, key: x}) for x in middles], say)
            best = min(
                (self.tried[_name_variant({**others, key: x})] for x in middles),
                key=lambda one: one.score,
                default=best,
            )
            best = min(best, line, key=lambda one: one.score)
            line = best

    def _try(self, many: Sequence[tuple[tuple[str, ...], Keys]], say: Say) -> None:
        new = [(names, keys) for names, keys in many if _name_variant(keys) not in self.tried]
        if new:
            say(f"trying {len(new)} settings")
        self.variants.simulate_all((keys for _, keys in new), self.phases)
        for names, keys in new:
            simulated = self.variants.get(keys, self.phases)
            self.tried[_name_variant(keys)] = self._judge_line(names, keys, simulated)

    def _judge_line(
        self, names: tuple[str, ...], keys: Keys, simulated: Sequence[SimulatedVariant]
    ) -> TriedSettings:
        numbers = [one.numbers for one in simulated]
        if not all(numbers):
            none = Score(len(WORDS), 0, math.inf, math.inf)
            return TriedSettings(
                changes=keys, settings=names, score=none, failed=frozenset(), text="cannot be run"
            )
        excess = {c: max(compute_excess(c, n, self.bounds) for n in numbers) for c in CRITERIA}
        words = [choose_word(n, self.bounds) for n in numbers]
        word = max(((*WORDS, NO_VERDICT).index(w) for w in words), default=0)
        if any(explain_no_verdict(n) for n in numbers):
            word = len(WORDS)
        failed = frozenset(c for c, x in excess.items() if x > INSIDE)
        one = CRITERIA[self.target]
        most = max(numbers, key=lambda n: compute_excess(self.target, n, self.bounds))
        bound = float(self.bounds[one.bound]) if one.bound else 1.0
        text = one.describe(most, bound) or f"{self.target} is within its limit"
        score = Score(word, len(failed), excess[self.target], max(excess.values()))
        return TriedSettings(changes=keys, settings=names, score=score, failed=failed, text=text)

    def _find_better(self) -> list[TriedSettings]:
        """Lines with less of the target and no other fault, best first."""
        better = [t for t in self.tried.values() if t.score.target < self.before]
        return sorted(better, key=lambda t: (bool(t.failed - self.failed), t.score))

    def has_remedy(self) -> bool:
        """Whether some line leaves nothing that fails."""
        return any(t.score.word == 0 for t in self.tried.values())

    def _helps(self, one: TriedSettings) -> bool:
        if one.score.word == len(WORDS) or one.failed - self.failed:
            return False
        x = one.score.target
        if x <= INSIDE:
            return True
        return math.isfinite(self.before) and x - 1.0 <= 0.5 * (self.before - 1.0)

    def find_lines(self, say: Say) -> list[TriedSettings]:
        """Those that help at all phases of the verdict."""
        everywhere = range(self.variants.count)
        candidates = [t for t in sorted(self.tried.values(), key=_make_order_key) if self._helps(t)]
        lines: list[TriedSettings] = []
        for one in candidates:
            if len(lines) == LINES or any(set(f.settings) <= set(one.settings) for f in lines):
                continue
            say(f"checking {format_line(one.changes)} at all phases")
            simulated = self.variants.get(one.changes, everywhere)
            whole = self._judge_line(one.settings, one.changes, simulated)
            if self._helps(whole):
                lines.append(whole)
        return sorted(lines, key=_make_order_key)


def _make_order_key(one: TriedSettings) -> tuple[int, int, int, float]:
    """The better verdict first; of the same, the line with fewer settings, then the nearer one."""
    return one.score.word, one.score.failed, len(one.settings), one.score.largest


def _name_variant(keys: Keys) -> str:
    return repr(sorted(keys.items()))


def _measure_size(value: Any) -> float:
    return max(map(_measure_size, value)) if isinstance(value, list) else float(value)


def _or_inf(x: float | None) -> float:
    return math.inf if x is None else float(x)


# What a verdict that is not faithful comes from, and what helps: causes (why.py) and advice that
# was run (advice.py), which share their simulations.


def explain(
    scenario: Scenario,
    verdict: Mapping[str, Any],
    called: str = "",
    phases: int = PHASES,
    free: Iterable[str] = (),
    further: Further | None = None,
    say: Say = lambda text: None,
    most: int | None = None,
) -> dict[str, Any]:
    """The causes, with `advice`, and the verdict whose next step is the best line. The arguments
    are those of `why` and `advise`."""
    variants = Variants(scenario, max(phases, int(verdict["runs"])))
    explanation = find_causes(scenario, phases, called, verdict, variants)
    advice = advise(scenario, verdict, variants, free, further, say, most)
    step = _suggest_next_step(explanation, advice, called or scenario.name, further is not None)
    if verdict["word"] not in (FAITHFUL, NO_VERDICT):
        cause = describe_main_cause(explanation)
        verdict = {**add_cause(verdict, cause), "next_step": step}
    return {**explanation, "advice": advice, "verdict": dict(verdict)}


def _suggest_next_step(
    found: Mapping[str, Any], advice: Mapping[str, Any], called: str, all_methods: bool
) -> str:
    """The best line; without one, where to look further."""
    if advice["lines"]:
        return f"Next: {advice['sentence']}."
    none = _say_none_helps(advice["tried"])
    if not all_methods:
        return (
            f"Next: {none[0].lower()}{none[1:]}; try another method: `softdock compare {called}`."
        )
    rows = [row for row in found["rows"] if row["share"] > 0.0]
    helps = f" The largest cause is reduced by {rows[0]['helps']}." if rows else ""
    tried = advice["tried"]
    return f"Next: change the rig. No setting and no method is enough ({tried} tried).{helps}"
