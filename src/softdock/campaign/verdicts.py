"""Faithful, distorted or unsafe, of every run of a campaign: the rule of `analysis/judgement.py` on
columns.

A batch keeps less than a run: the satellites' peak force is that of the contacts whose log it kept,
a sensor at its range and swings of a latched contact are not seen (the energy that stays is).
Growth of repeated contacts is reckoned from the log: a contact changes the pair's energy by its
impulse times the mean of the gap's rates before and after, so that what a later one gets is known;
friction, which only takes, is not in it. Invented
energy that no method takes out is the gain of kinetic energy plus the real contact's work where
nothing but contacts acts; with pushes, networks or a contact that a method replaces it is the
invented energy itself, and with the latter at least what the satellites gained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.judgement import (
    COLOURS,
    DISTORTED,
    FAITHFUL,
    UNSAFE,
    WORDS,
    word_of,
)
from softdock.campaign.arrow_arrays import words
from softdock.campaign.batch import Batch
from softdock.campaign.compact_vectors import Thin
from softdock.campaign.distances import approach_energies
from softdock.campaign.orbits import Orbits, before_contact, is_pushed
from softdock.campaign.outcome import Made
from softdock.core.adaptation.method import nothing_replaced
from softdock.core.adaptation.registry import METHODS
from softdock.core.orbit import OUTCOME_COLUMNS as ORBITS

NEEDED = ("impulse_Ns", "gap_rate_before_m_per_s", "gap_rate_after_m_per_s")
KEPT = 4  # contacts of a run that a campaign's log keeps


def judged(
    tables: Mapping[str, Any], runs: Thin, batch: Batch, orbits: Orbits, distance: np.ndarray
) -> np.ndarray:
    """Index into `WORDS` of every run. `distance`: the worse of both."""
    bounds = tables["verdict"]
    everyone = np.arange(len(batch))
    start = before_contact(runs, everyone, batch, orbits, None)
    with np.errstate(divide="ignore", invalid="ignore"):
        energy = left_over(tables, runs, batch, orbits.methods) / approach_energies(runs, start)
        wanted = orbits.outcomes[:, ORBITS.index("peak_force_N")]
        peak = satellite_peaks(batch)
        off_peak = np.where(
            wanted > 0.0, np.abs(peak / wanted - 1.0), np.where(peak > 0, np.inf, 0)
        )
        growing = growth(batch.column("contacts"), _logged(batch)) / approach_energies(runs, start)
    if is_pushed(runs, orbits.methods):
        growing = np.zeros(len(batch))  # schedules push between contacts
    unsafe = (batch.column("status") != 0.0) | (energy > bounds["unsafe_energy"])
    unsafe |= growing > bounds["unsafe_growth"]
    near = (distance <= bounds["faithful_distance"]) & (off_peak <= bounds["faithful_peak_force"])
    word = np.where(near, WORDS.index(FAITHFUL), WORDS.index(DISTORTED))
    return np.where(unsafe, WORDS.index(UNSAFE), word).astype(np.int8)


def words_of_runs(made: Made) -> Any:
    """The column of a campaign's table."""
    if made.beside is None:
        raise ValueError("orbit was not flown beside these runs")
    worst = np.fmax(made.beside.distance, made.beside.at_end)
    tables = made.plan.variants[made.variant].scenario.tables
    return words(judged(tables, made.runs, made.batch, made.beside.orbits, worst), WORDS)


def word_in_table(metrics: Mapping[str, Any]) -> int:
    """The same of a single run from its metrics, by what a batch sees."""
    approach = metrics["fidelity"]["approach_energy_J"]
    grown = None
    if approach and metrics["growth_repeated"] is not None:
        kept = metrics["contacts"][:KEPT]
        rows = np.array([[[_plain(c[name]) for name in NEEDED] for c in kept]]).reshape(1, -1, 3)
        grown = float(growth(np.array([metrics["contact_count"]]), rows)[0]) / approach
    seen = metrics["criteria"] | {"growth": grown}
    return WORDS.index(word_of(seen, metrics["judgement"]["bounds"]))


def _plain(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _logged(batch: Batch) -> np.ndarray:
    """NEEDED of every contact that was kept, (runs, contacts, 3)."""
    kept = range(min(batch.logs.shape[1], KEPT))
    each = [np.stack([batch.contact(i, name) for name in NEEDED], axis=1) for i in kept]
    return np.stack(each, axis=1) if each else np.zeros((len(batch), 0, 3))


def growth(contacts: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """By how much a later contact gets more energy than an earlier one [J], of each run."""
    gain = rows[:, :, 0] * 0.5 * (rows[:, :, 1] + rows[:, :, 2])
    brought, least, found = (np.zeros(len(rows)) for _ in range(3))
    for i in range(rows.shape[1]):
        another = contacts > i + 1  # which gets what this one left
        brought = np.where(another, brought + np.nan_to_num(gain[:, i]), brought)
        found = np.where(another, np.maximum(found, brought - least), found)
        least = np.minimum(least, brought)
    return found


def satellite_peaks(batch: Batch) -> np.ndarray:
    """Largest force on a satellite over the contacts that were kept [N]; 0 without any."""
    kept = range(batch.logs.shape[1])
    each = [np.nan_to_num(batch.contact(i, "peak_force_satellite_N")) for i in kept]
    return np.max(each, axis=0) if each else batch.column("peak_force_real_N")


def left_over(tables: Mapping[str, Any], runs: Thin, batch: Batch, markers: tuple) -> np.ndarray:
    """Invented energy that no method takes out [J]."""
    chosen = [METHODS[method["name"]] for method in tables["methods"]]
    replaced = any(method.replaced is not nothing_replaced for method in chosen)
    plugged = any(method.part_of_scenario for method in chosen)
    gain = batch.column("kinetic_end_J") - batch.column("kinetic_start_J")
    if not (replaced or plugged or is_pushed(runs, markers)):
        return gain + batch.column("real_work_J")
    invented = batch.column("energy_invented_J")
    if not replaced or is_pushed(runs, markers) or tables["capture"].get("latch"):
        return invented
    at_once = batch.contact(0, "start_s") <= 0.0 if batch.logs.shape[1] else False
    return np.where(at_once, invented, np.maximum(invented, gain))


def campaign_judgement(r: Mapping[str, Any]) -> dict[str, Any] | None:
    """Of all runs of each variant, the worst deciding; the best variant's stands at the top. None
    where orbit was not flown."""
    rows = [v for v in r["variants"] if v.get("judged")]
    if not rows:
        return None
    each = [_of_variant(v, len(rows) > 1) for v in rows]
    best = min(range(len(rows)), key=lambda i: (WORDS.index(each[i]["word"]), -_share(rows[i])))
    found = {**each[best], "variants": each}
    if len(rows) > 1:
        good = sum(one["word"] == FAITHFUL for one in each)
        nearest = each[best]["sentence"].partition(": ")[2]
        found["sentence"] = (
            f"{each[best]['word'].capitalize()}: of {len(rows)} variants {good or 'none'} "
            f"{'is' if good < 2 else 'are'} faithful in every run; the best is {nearest}"
        )
    return found


def _share(v: Mapping[str, Any]) -> float:
    return float(v["judged"][FAITHFUL] / max(v["runs"], 1))


def _of_variant(v: Mapping[str, Any], several: bool) -> dict[str, Any]:
    counts = v["judged"]
    word = max((w for w in WORDS if counts[w]), key=WORDS.index, default=FAITHFUL)
    said = ", ".join(f"{counts[w]} {w}" for w in WORDS)
    whose = f"{v['label']}: " if several else ""
    step = {
        FAITHFUL: "Next: this rig may be used within what was varied.",
        DISTORTED: "Next: the worst cases on the page say where it leaves orbit; "
        "`softdock why` says why.",
        UNSAFE: "Next: replay the worst case before this rig is switched on: the page lists them, "
        "each with its command.",
    }[word]
    return {
        "word": word,
        "colour": COLOURS[word],
        "sentence": f"{word.capitalize()}: {whose}of {v['runs']} runs {said}.",
        "next_step": step,
        "variant": v["label"],
    }
