"""What the results say, in sentences: every number in them is one of the leaderboard's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.methods.registry import RAW
from softdock.studies.benchmark.scores import count_within_by_any, make_leaderboard
from softdock.studies.benchmark.tellings import EXACTLY, NOTHING, WORDS, WRONG

Results = Mapping[str, Any]


def format_percent(share: float | None) -> str:
    """A distance or an energy; what is next to nothing is said to be that."""
    if share is None:
        return "-"
    if abs(share) < 1e-5:
        return "< 0.001 %"
    return f"{100.0 * share:.3g} %" if abs(share) < 10.0 else f"{share:.3g} times"


def describe_winner(results: Results) -> str:
    """Who is first, told nothing if anybody is; the raw loop beside it."""
    telling = _choose_telling(results)
    return (
        _describe_first(telling, make_leaderboard(results, telling))
        if telling
        else "Nothing was run."
    )


def _choose_telling(results: Results) -> str:
    """The telling that the answer is about: the least that somebody can run with."""
    order = [telling for telling in (NOTHING, WRONG, EXACTLY) if telling in results["tellings"]]
    return next((telling for telling in order if make_leaderboard(results, telling)), "")


def _describe_first(telling: str, rows: list[dict[str, Any]]) -> str:
    best = rows[0]
    said = (
        f"{_capitalise(WORDS[telling])}, {best['label']} is within 1 % of orbit on "
        f"{best['within_1']} of {best['cases']} cases at the worst phase or seed, and within 0.1 % "
        f"on {best['within_01']}"
    )
    tied = [row["label"] for row in rows[1:] if _score(row) == _score(best)]
    if tied:
        said += f" (so {'is' if len(tied) == 1 else 'are'} {', '.join(tied)}; the median decides)"
    raw = next((row for row in rows if row["label"] == RAW), None)
    if raw is not None and raw is not best:
        said += f"; the raw loop is on {raw['within_1']}"
    return said + "."


def list_remarks(results: Results) -> list[str]:
    """What else is worth a sentence: the other tellings, and what choosing per case would give."""
    said = []
    for telling in results["tellings"]:
        rows = make_leaderboard(results, telling)
        if not rows:
            said.append(f"{_capitalise(WORDS[telling])}: no entry can run.")
            continue
        best, any_of = rows[0], count_within_by_any(results, telling)
        worst = "on some case it has no distance"
        if best["worst"] is not None:
            worst = f"at worst it is {format_percent(best['worst'])} away"
        first = (
            f"{best['label']} first"
            if telling == _choose_telling(results)
            else f"{best['label']} first with {best['within_1']} of {best['cases']} within 1 % and "
            f"{best['within_01']} within 0.1 %"
        )
        said.append(
            f"{_capitalise(WORDS[telling])}: {first}; {worst}; the best entry of each case, chosen "
            f"after the fact, has {any_of} within 1 %."
        )
    return said


def _score(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["within_1"], row["within_01"]


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
