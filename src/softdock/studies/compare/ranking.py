"""Best first, and a recommendation in plain words.

Order: runs that reached their end before those that stopped; then by the verdict's word
(results/verdict.py); then those that vouch for their own runs (ranking.py) before those that
must be believed; then by the verdict's largest excess, number over bound; then by the size of the
added energy; equal ones (to 1e-9) in the order of the registry. The order is that of right
knowledge: what errors of knowledge cost stands beside it, in the order of their distance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from softdock.loop.method.method import Method
from softdock.results import quantities
from softdock.results.momenta import compute_kinetic_energy, read_mass_properties, read_motions
from softdock.results.run import Run
from softdock.results.verdict import ALL_WORDS, FAITHFUL
from softdock.studies.compare.knowledge import WORDS

# Does a method vouch for its own runs? One that identifies what it needs says in its books whether
# it could (`Method.vouches`), and is advised first where it did.
#
# It holds if, at every phase, the method learned what it needs, the satellites part with at most
# `ALLOWED` of the relative kinetic energy that they had and that came from outside, and the verdict
# is "faithful".

ALLOWED = 1.01  # of relative kinetic energy before and external work
Row = dict[str, Any]


def collect_vouching(chain: Sequence[Method], runs: Sequence[Run], word: str) -> Row | None:
    """Whether the methods of a chain vouch for these runs, and else why not; None: none of them
    says anything of itself."""
    sure = [method for method in chain if method.vouches is not None]
    if not sure:
        return None
    reasons: list[str] = []
    for run in runs:
        for method in sure:
            assert method.vouches is not None
            reasons += method.vouches(run.method_books.get(method.name, {}))
    ratio = max(compute_energy_ratio(run) for run in runs)
    if ratio > ALLOWED:
        reasons.append(f"separation energy is {100.0 * ratio:.4g} % of the approach energy")
    if word != FAITHFUL:
        reasons.append(f"the verdict is {word}")
    reasons = list(dict.fromkeys(reasons))
    return {"holds": not reasons, "reasons": reasons, "energy_ratio": ratio}


def compute_energy_ratio(run: Run) -> float:
    """Kinetic energy relative to the pair's common motion at the end, over that at the start and
    what external wrenches gave."""
    bodies = read_mass_properties(run.scenario.vector)
    start, end = (compute_kinetic_energy(bodies, read_motions(run.series, row)) for row in (0, -1))
    given = max(float(run.metrics["ledger"]["external_J"]), 0.0)
    return end / (start + given) if start + given > 0.0 else 0.0


def describe_vouching(row: Row) -> str:
    """What a row's own report adds to advice to use it."""
    vouch = row.get("vouch")
    if not vouch or not vouch["holds"]:
        return ""
    return (
        "It identified the contact in all phases, and separation energy never exceeds "
        f"{100.0 * vouch['energy_ratio']:.4g} % of the approach energy."
    )


def explain_no_vouching(rows: Sequence[Row]) -> str:
    """Of rows that could have vouched and did not: the first one's reasons."""
    for row in rows:
        vouch = row.get("vouch")
        if vouch and not vouch["holds"]:
            return f"{row['method']} is not ranked first: {'; '.join(vouch['reasons'])}."
    return ""


FAR = 0.05  # distance above which a row without a verdict is not recommended
SAME = 1e-9  # two distances (or energies, J) closer than this are equal


def rank(rows: list[Row]) -> list[Row]:
    """The rows best first, each with its rank."""
    ordered = sorted(rows, key=_make_order_key)
    return [{"rank": i + 1, **row} for i, row in enumerate(ordered)]


def _make_order_key(row: Row) -> tuple[bool, int, bool, float, float]:
    excess, energy = find_largest_excess(row), row["energy_added_J"]
    return (
        row["status"] != "completed",
        _rank_word(row),
        not (row.get("vouch") or {}).get("holds", False),
        math.inf if math.isinf(excess) else round(excess / SAME),
        math.inf if energy is None else round(abs(energy) / SAME),
    )


def find_largest_excess(row: Row) -> float:
    """Of the verdict's criteria, number over bound; of a row without a verdict its distance."""
    if row.get("verdict"):
        each = row["verdict"]["criteria"].values()
        return max(math.inf if c["excess"] is None else float(c["excess"]) for c in each)
    distance = find_worst_distance(row)
    return math.inf if distance is None else distance


def _rank_word(row: Row) -> int:
    word = row["verdict"]["word"] if row.get("verdict") else ALL_WORDS[0]
    return ALL_WORDS.index(word)


def find_worst_distance(row: Row) -> float | None:
    """Over its phases, the worse of after the last contact and at the end; else its distance."""
    distances: float | None = row.get("error_against_orbit_worst", row["error_against_orbit"])
    return distances


def find_worst(errors: list[Row]) -> Row | None:
    """The error of knowledge that costs most, by the same order; None without any."""
    ran = [e for e in errors if e["status"] != "not run"]
    return max(ran, key=_make_order_key, default=None)


def recommend(ranked: list[Row], orbit: dict[str, Any], before: str = "") -> str:
    """What to use, what it needs, and what an error in that does to it. `before`: what is to be
    removed first, because it pushes in free flight."""
    done = [row for row in ranked if row["status"] == "completed"]
    if not done:
        return "No method can be recommended: " + (
            "every run stopped early." if ranked else "none runs on this scenario."
        )
    best = done[0]
    if find_worst_distance(best) is None:
        name = f"{best['method']} with {best['integrator']}"
        return (
            "No error against the on-orbit reference is defined, because nothing touched or no "
            f"contact ended. By energy {name} is first: {_describe_energies(best)}."
        )
    name = f"{best['method']} with {best['integrator']}"
    far = not _is_within_limits(best)
    opening = f"Use {name}"
    if far:
        word = f", {best['verdict']['word']}" if best.get("verdict") else ""
        opening = f"No compared method is within limits; the nearest is {name}{word}"
    parts = [
        f"{opening}: {_describe_outcome(best, orbit)}.",
        _describe_knowledge(best),
        describe_vouching(best) or explain_no_vouching(done),
        _describe_errors(best),
        _suggest_safer(best, done),
    ]
    if orbit.get("contact_count") == 0:
        parts.append("On orbit nothing touches, so this comparison does not cover contact.")
    if before:
        parts.append(f"First: {before}")
    elif far:
        parts.append("Reduce the delay, soften the contact, or use another method.")
    return " ".join(part for part in parts if part)


def _is_within_limits(row: Row) -> bool:
    """Whether the verdict is faithful; without a verdict, whether the distance is small."""
    if row.get("verdict"):
        return bool(row["verdict"]["word"] == FAITHFUL)
    return (find_worst_distance(row) or 0.0) <= FAR


def describe_distance(row: Row) -> str:
    """How far from the reference a row is, as table and page say it; of one that stopped, why."""
    return (
        format_percent(find_worst_distance(row))
        if row["status"] == "completed"
        else str(row["status"])
    )


def format_percent(distance: float | None) -> str:
    """An error against the reference in percent of the approach speed."""
    return quantities.format_percent(distance, "unknown")


def _describe_outcome(row: Row, orbit: dict[str, Any]) -> str:
    text = (
        "its worst error against the on-orbit reference is "
        f"{format_percent(find_worst_distance(row))} of the approach speed"
    )
    if row["restitution"] is not None and orbit.get("restitution") is not None:
        text += f" (restitution {row['restitution']:.3f}, on orbit {orbit['restitution']:.3f})"
    return f"{text}, and {_describe_energies(row)}"


def _describe_energies(row: Row) -> str:
    energy = row["energy_added_J"]
    if energy is None:
        return "its energy is unknown"
    size = quantities.format_quantity(abs(energy), "J")
    if size.startswith("0 "):
        return "no energy is added"
    return size if size == "diverged" else f"the loop {'adds' if energy >= 0 else 'removes'} {size}"


def _describe_knowledge(row: Row) -> str:
    if row["knows"] == "no parameter":
        return "It needs no tuning."
    if row["knows"].startswith("only "):
        return f"It needs no tuning, {row['knows']}."
    if row["knows"].startswith("no parameter; "):
        rest = row["knows"].removeprefix("no parameter; ")
        return f"It needs no tuning{', only' if rest.startswith('the ') else ';'} {rest}."
    return f"It needs {row['knows']}."


def _describe_errors(row: Row) -> str:
    """The largest error of each kind: what is left of the result."""
    sentences = []
    for kind in dict.fromkeys(e["kind"] for e in row["knowledge_errors"]):
        of_kind = [e for e in row["knowledge_errors"] if e["kind"] == kind]
        largest = max(abs(e["error_percent"]) for e in of_kind)
        worst = find_worst([e for e in of_kind if abs(e["error_percent"]) == largest])
        if worst is None:
            continue
        distance, word = find_worst_distance(worst), worst.get("word", FAITHFUL)
        near = word == FAITHFUL and distance is not None and distance <= FAR
        ends = f"the error is {'still ' if near else ''}{format_percent(distance)}"
        ends += "" if word == FAITHFUL else f" and the verdict {word}"
        sentences.append(
            f"with {WORDS[kind]} wrong by {largest:g} % "
            f"{ends if worst['status'] == 'completed' else 'it stops early: ' + worst['status']}"
        )
    return (sentences[0][0].upper() + "; ".join(sentences)[1:] + ".") if sentences else ""


def _suggest_safer(best: Row, done: list[Row]) -> str:
    """Another candidate whose worst case, with right and with wrong parameters, has a better
    verdict, or the same one and a clearly smaller error; for those who are not sure of what they
    know."""
    if not best["knowledge_errors"]:
        return ""
    safest = min(done, key=_find_worst_case)
    (word, distance), (word_of_best, distance_of_best) = map(_find_worst_case, (safest, best))
    clearly = word < word_of_best or distance <= 0.8 * distance_of_best
    if safest is best or not clearly or math.isinf(distance):
        return ""
    name = f"{safest['method']} with {safest['integrator']}"
    error = f"its error is never above {format_percent(distance)}"
    if ALL_WORDS[word] == FAITHFUL:
        return f"With less certain parameters use {name}: {error}."
    return (
        f"With parameters as wrong as these no method is faithful; the nearest is {name}, "
        f"{ALL_WORDS[word]}: {error}."
    )


def _find_worst_case(row: Row) -> tuple[int, float]:
    """The worst verdict of a candidate with right and with wrong parameters, and the largest error;
    of a run that stopped early it is infinite."""
    errors = [e for e in row["knowledge_errors"] if e["status"] != "not run"]
    words = [_rank_word(row), *(ALL_WORDS.index(e.get("word", FAITHFUL)) for e in errors)]
    found = [
        find_worst_distance(case) if case["status"] == "completed" else None
        for case in (row, *errors)
    ]
    return max(words), max(math.inf if distance is None else distance for distance in found)
