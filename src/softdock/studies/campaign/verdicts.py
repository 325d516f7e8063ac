"""Faithful, distorted or unsafe, of every run of a campaign: the criteria of
`results/verdict.py` on columns, from what a batch kept while it ran (loop/settled_motion.py).

Each run is judged as it is, at its own sampling phase. A batch has no record: a pair that still
touches at the end is judged by its state there, without the growth of its swing; a sensor at its
range is not seen; with hands on the mock-ups the forces in free flight are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.entry_points import MOTIONS
from softdock.loop.schedules import ENTRY
from softdock.loop.vector import CHASER_HAND_AT, TARGET_HAND_AT, TIME_AT, TIMES
from softdock.reference import OUTCOME_COLUMNS as ORBITS
from softdock.results.quantities import format_percent
from softdock.results.verdict import (
    ALL_WORDS,
    COLOURS,
    DISTORTED,
    FAITHFUL,
    INSIDE,
    NO_VERDICT,
    UNSAFE,
    WORDS,
    Word,
    choose_word,
    make_headline,
)
from softdock.studies.campaign.arrow_arrays import make_word_column
from softdock.studies.campaign.distances import compute_approach_energies, read_columns
from softdock.studies.campaign.outcome import ShardResult
from softdock.studies.campaign.references import read_both_motions

UNSEEN: dict[str, Any] = {"growth": None, "growth_error": None, "outcome": [], "limits": ""}


def judge_runs(shard: ShardResult) -> np.ndarray:
    """Index into `ALL_WORDS` of every run."""
    assert shard.reference_results is not None
    bounds = shard.plan.variants[shard.variant].scenario.tables["verdict"]
    failed = {name: np.zeros(shard.count, bool) for name in WORDS}
    with np.errstate(divide="ignore", invalid="ignore"):
        for word, bound, number in compute_criteria(shard):
            failed[word] |= number > (bounds[bound] if bound else 0.0) * INSIDE
    words = np.where(failed[DISTORTED], WORDS.index(DISTORTED), WORDS.index(FAITHFUL))
    words = np.where(_find_runs_without_verdict(shard), ALL_WORDS.index(NO_VERDICT), words)
    return np.where(failed[UNSAFE], WORDS.index(UNSAFE), words).astype(np.int8)


def _find_runs_without_verdict(shard: ShardResult) -> np.ndarray:
    """Nothing moves or touches, or the run ended in a contact that had just begun."""
    batch, reference = shard.batch, shard.reference_results
    assert reference is not None
    settle = shard.plan.variants[shard.variant].scenario.tables["verdict"]["settle_s"]
    T = read_columns(shard.runs, TIME_AT + TIMES.cycle, 1)[:, 0]
    begun = np.full(shard.count, np.nan)
    for i in range(batch.logs.shape[1]):  # the last contact that the log kept
        begun = np.fmax(begun, batch.contact(i, "start_s"))
    still = np.isnan(reference.watched.after.at) & (batch.column("contacts") > 0.0)
    brief = still & (batch.column("cycles") * T - begun < settle)
    return ~(reference.scale > 0.0) | ~reference.orbits.completed | brief


def compute_criteria(shard: ShardResult) -> list[tuple[Word, str, np.ndarray]]:
    """Word, bound and number of every criterion, of all runs; NaN: not defined. A flag has no
    bound."""
    batch, reference = shard.batch, shard.reference_results
    assert reference is not None
    orbits, watched = reference.orbits, reference.watched
    still = np.isnan(watched.after.at) & (batch.column("contacts") > 0.0)
    distance = np.where(still, reference.at_end, np.fmax(reference.distance, reference.later))
    wanted = orbits.outcomes[:, ORBITS.index("peak_force_N")]
    touched = (batch.column("contacts") > 0.0) != (orbits.outcomes[:, ORBITS.index("contacts")] > 0)
    latched = np.isfinite(batch.column("latched_at_s")) != np.isfinite(orbits.latched)
    captured = np.isfinite(batch.column("captured_at_s")) != np.isfinite(orbits.captured)
    return [
        (UNSAFE, "", (batch.column("status") != 0.0).astype(float)),
        (UNSAFE, "unsafe_energy", watched.number("energy") / reference.scale),
        (UNSAFE, "unsafe_energy", np.where(still, _compute_kept_energy(shard), np.nan)),
        (DISTORTED, "faithful_distance", distance),
        (
            DISTORTED,
            "faithful_peak_force",
            _compute_difference(batch.column("peak_force_satellite_N"), wanted),
        ),
        (
            DISTORTED,
            "faithful_peak_force",
            _compute_difference(batch.column("latch_peak_force_N"), orbits.latch_peak),
        ),
        (DISTORTED, "free_flight", _compute_free_flight(shard)),
        (DISTORTED, "", (touched | latched | captured).astype(float)),
    ]


def _compute_difference(ours: np.ndarray, orbits: np.ndarray) -> np.ndarray:
    ours = np.nan_to_num(ours)
    largest = np.fmax(ours, orbits)
    return np.abs(ours - orbits) / np.where(largest > 0.0, largest, np.nan)


def _compute_kept_energy(shard: ShardResult) -> np.ndarray:
    """Kinetic and stored energy at the end, less the reference's, over the approach energy."""
    assert shard.reference_results is not None
    orbits, watched = shard.reference_results.orbits, shard.reference_results.watched
    mine = compute_approach_energies(shard.runs, read_both_motions(shard.batch.outcomes, MOTIONS))
    theirs = compute_approach_energies(shard.runs, orbits.motions)
    stored = watched.number("stored") - orbits.outcomes[:, ORBITS.index("stored_J")]
    return np.asarray((mine - theirs + stored) / shard.reference_results.scale)


def _compute_free_flight(shard: ShardResult) -> np.ndarray:
    """Of the approach speed."""
    assert shard.reference_results is not None
    watched, runs = shard.reference_results.watched, shard.runs
    speed = shard.reference_results.orbits.outcomes[:, ORBITS.index("reach_m_per_s")]
    hands = sum(
        read_columns(runs, at + ENTRY.at.rows, 1)[:, 0] for at in (CHASER_HAND_AT, TARGET_HAND_AT)
    )
    pushed = watched.number("before") + watched.number("after")
    return np.where(hands > 0.0, np.nan, pushed / speed)


def make_verdict_column(shard: ShardResult) -> Any:
    """The column of a campaign's table."""
    if shard.reference_results is None:
        raise ValueError("the on-orbit reference was not simulated for these runs")
    return make_word_column(judge_runs(shard), ALL_WORDS)


def get_table_word(metrics: Mapping[str, Any]) -> int:
    """The same of a single run from its metrics, by what a batch sees."""
    numbers = metrics["criteria"]
    stopped = {"limits": metrics["status"] if metrics["status"] != "completed" else ""}
    outcome = [o for o in numbers["outcome"] if o.split()[0] in ("touched", "latched", "captured")]
    seen = {**numbers, **UNSEEN, **stopped, "outcome": outcome}
    return ALL_WORDS.index(choose_word(seen, metrics["verdict"]["bounds"]))


def judge_campaign(r: Mapping[str, Any]) -> dict[str, Any]:
    """Of all runs of each variant, the worst deciding; the best variant's stands at the top."""
    rows = [v for v in r["variants"] if v.get("verdicts")]
    if not rows:
        reason = "the on-orbit reference was not simulated; set `reference = true`"
        return _make_verdict(NO_VERDICT, reason, "")
    each = [_judge_variant(v) for v in rows]
    best = min(range(len(rows)), key=lambda i: (ALL_WORDS.index(each[i]["word"]), -_share(rows[i])))
    verdict = {**each[best], "variants": each}
    if len(rows) > 1:
        good = sum(one["word"] == FAITHFUL for one in each)
        verdict["clause"] = (
            f"{good or 'none'} of {len(rows)} variants {'is' if good < 2 else 'are'} faithful in "
            f"every run; the best is {rows[best]['label']}: {each[best]['clause']}"
        )
        verdict["headline"] = make_headline(verdict["word"], verdict["clause"])
    return verdict


def _share(v: Mapping[str, Any]) -> float:
    return float(v["verdicts"][FAITHFUL] / max(v["runs"], 1))


def _judge_variant(v: Mapping[str, Any]) -> dict[str, Any]:
    counts = v["verdicts"]
    word = max((w for w in WORDS if counts[w]), key=WORDS.index, default=NO_VERDICT)
    shown = [f"{counts[w]} {'is' if counts[w] == 1 else 'are'} {w}" for w in WORDS if counts[w]]
    silent = counts[NO_VERDICT]
    shown += [f"{silent} {'has' if silent == 1 else 'have'} no verdict"] if silent else []
    clause = f"of {v['runs']} runs {_join_words(shown)}"
    if v.get("capture_rate") is not None:
        clause += f"; {format_percent(v['capture_rate'])} capture"
        if v.get("orbit_capture_rate") is not None:
            clause += f" (on orbit {format_percent(v['orbit_capture_rate'])})"
    step = {
        FAITHFUL: "Next: use this rig within the range that was varied.",
        DISTORTED: "Next: `softdock why` on the worst cases below explains the error.",
        NO_VERDICT: "Next: change the start so that the satellites move and touch.",
        UNSAFE: "Next: replay the worst case below before you switch this rig on; each has its "
        "command.",
    }[word]
    return {**_make_verdict(word, clause, step), "variant": v["label"]}


def _join_words(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _make_verdict(word: Word, clause: str, step: str) -> dict[str, Any]:
    """The verdict of results/verdict.py, of which a campaign has no criteria."""
    return {
        "word": word.value,
        "colour": COLOURS[word],
        "headline": make_headline(word, clause),
        "details": "",
        "next_step": step,
        "clause": clause,
        "cause": "",
        "method": "",
        "failed": [],
        "criteria": {},
        "doubts": [],
    }
