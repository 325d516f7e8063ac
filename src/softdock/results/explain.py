"""What a verdict that is not faithful comes from, and what helps: causes (why.py) and advice that
was run (advice.py), which share their flights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from softdock.results.advice import Further, Say, advise
from softdock.results.judgement import FAITHFUL, NO_VERDICT
from softdock.results.variants import Variants
from softdock.results.why import PHASES, find_causes
from softdock.scenario.build import Scenario


def explain(
    scenario: Scenario,
    judgement: Mapping[str, Any],
    called: str = "",
    phases: int = PHASES,
    free: Iterable[str] = (),
    further: Further | None = None,
    say: Say = lambda text: None,
    most: int | None = None,
) -> dict[str, Any]:
    """The causes, with `advice`, and the verdict whose next step is the best line. The arguments
    are those of `why` and `advise`."""
    variants = Variants(scenario, max(phases, int(judgement["runs"])))
    found = find_causes(scenario, phases, called, judgement, variants)
    advice = advise(scenario, judgement, variants, free, further, say, most)
    step = _suggest_next_step(found, advice, called or scenario.name, further is not None)
    changed = {} if judgement["word"] in (FAITHFUL, NO_VERDICT) else {"next_step": step}
    return {**found, "advice": advice, "judgement": {**judgement, **changed}}


def _suggest_next_step(
    found: Mapping[str, Any], advice: Mapping[str, Any], called: str, all_methods: bool
) -> str:
    """The best line; without one, where to look further."""
    if advice["lines"]:
        return f"Next: {advice['sentence']}."
    if not all_methods:
        return f"Next: {advice['sentence'][:-1]}; `softdock compare {called}` tries other methods."
    rows = [row for row in found["rows"] if row["share"] > 0.0]
    helps = f" What can: {rows[0]['helps']}." if rows else ""
    return f"Next: no setting of this rig and no method helps ({advice['tried']} tried).{helps}"
