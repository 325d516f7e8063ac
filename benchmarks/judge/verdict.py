"""The verdict of a rig from its judged phases: numbers of each criterion, the worst, the word."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from benchmarks.judge.contacts import Contact, contacts_of, reference_end
from benchmarks.judge.phase import (
    BODIES,
    Phase,
    Table,
    corrected,
    kinetic,
    matrices,
    motion,
    vector,
)
from benchmarks.judge.scale import Scale, scale_of
from benchmarks.judge.still import growth, is_brief, last_swing
from benchmarks.judge.works import external_work, held_hands, pushes, unexplained

Numbers = dict[str, float | None]
WORDS = {
    "limits": "unsafe",
    "energy": "unsafe",
    "growth": "unsafe",
    "energy_kept": "unsafe",
    "distance": "distorted",
    "peak_force": "distorted",
    "latch_force": "distorted",
    "free_flight": "distorted",
    "outcome": "distorted",
}
DEFAULTS = {
    "faithful_distance": 0.05,
    "faithful_peak_force": 0.10,
    "unsafe_energy": 0.05,
    "unsafe_growth": 0.05,
    "free_flight": 0.05,
    "settle_s": 1.0,
}
BOUND_OF = {
    "energy": "unsafe_energy",
    "growth": "unsafe_growth",
    "energy_kept": "unsafe_energy",
    "distance": "faithful_distance",
    "peak_force": "faithful_peak_force",
    "latch_force": "faithful_peak_force",
    "free_flight": "free_flight",
}
INSIDE = 1.0 + 1e-6


class Verdict(NamedTuple):
    word: str
    failed: list[str]
    numbers: Numbers  # the worst over the phases
    bounds: dict[str, float]
    phases: list[Numbers]


def bounds_of(phase: Phase) -> dict[str, float]:
    given = phase.scenario.get("verdict", {})
    return {key: float(given.get(key, value)) for key, value in DEFAULTS.items()}


def judge(phases: list[Phase]) -> Verdict:
    bounds = bounds_of(phases[0])
    found = [numbers_of(phase, bounds) for phase in phases]
    worst: Numbers = {}
    for name in WORDS:
        values = [n[name] for n in found if n.get(name) is not None]
        worst[name] = max(values) if values else None
    failed = [n for n in WORDS if is_failed(n, worst[n], bounds)]
    word = "faithful"
    if all(n.get("nothing") for n in found) and not any(WORDS[n] == "unsafe" for n in failed):
        word, failed = "no verdict", []
    elif failed:
        word = "unsafe" if any(WORDS[n] == "unsafe" for n in failed) else "distorted"
    return Verdict(word=word, failed=failed, numbers=worst, bounds=bounds, phases=found)


def is_failed(name: str, number: float | None, bounds: dict[str, float]) -> bool:
    if number is None:
        return False
    if name in ("limits", "outcome"):
        return number > 0.0
    return not number <= bounds[BOUND_OF[name]] * INSIDE


def numbers_of(phase: Phase, bounds: dict[str, float]) -> Numbers:
    contacts, settle = contacts_of(phase), bounds["settle_s"]
    found: Numbers = {"limits": _limits(phase, contacts), "outcome": _outcome(phase)}
    if found["limits"]:
        return found
    work = external_work(phase)
    first = contacts[0].last if contacts else len(work) - 1
    scale = scale_of(phase, float(work[first]))
    if scale is None:
        return found | _untouched(phase, work, settle)
    held = bool(contacts) and not contacts[-1].ended
    found["energy"] = _energy(phase, contacts, work, scale)
    found["peak_force"] = _peak_force(phase, contacts)
    found["latch_force"] = _latch_force(phase)
    rows = len(phase.time) - 1
    touch = contacts[0].first if contacts else rows
    flown = unexplained(phase, 0, min(touch, math.floor(scale.touch_s / phase.T + 1e-9)))
    parted = reference_end(phase)
    done = [i for i, c in enumerate(contacts) if c.ended]
    if done:  # after the last that ended, until the next touch at most
        begin, after = done[-1], [c.first for c in contacts[done[-1] + 1 :]]
        parting = contacts[begin].last
        until = min([rows, parting + round(settle / phase.T), *after])
        flown += unexplained(phase, parting, max(parting, until))
    if scale.speed > 1e-9:
        found["free_flight"] = flown / scale.speed
    if held or parted is None:
        since = _since(phase, contacts, scale)
        window = last_swing(phase, phase.loop, since, settle)
        swing = _size(phase, phase.loop, *window) - _size(phase, phase.reference, *window)
        found["distance"] = max(
            _distance(phase, *window, scale.energy), abs(swing) / math.sqrt(scale.energy)
        )
        if held and is_brief(phase, phase.loop, contacts[-1].first, settle):
            return {"nothing": True, "energy": found.get("energy")}
        if held:
            found["energy_kept"] = _kept(phase, *window, scale.energy)
            found["growth"] = _growth(phase, since)
    else:
        end = max(contacts[-1].last * phase.T if contacts else 0.0, parted)
        a = min(rows, math.ceil(end / phase.T - 1e-9))
        b = min(rows, a + math.ceil(settle / phase.T - 1e-9))
        found["distance"] = max(
            _distance(phase, a, a, scale.energy), _distance(phase, b, b, scale.energy)
        )
    return found


def _limits(phase: Phase, contacts: list[Contact]) -> float:
    if phase.metrics["status"] != "completed":
        return 1.0
    moving = [phase.loop[name] for name in phase.loop if name.startswith(("chaser.", "target."))]
    if not all(bool(np.all(np.isfinite(column))) for column in moving):
        return 1.0
    sensor = phase.scenario.get("sensor", {})
    for kind, limit, step in (
        ("force", sensor.get("range_N", 0.0), sensor.get("resolution_N", 0.0)),
        ("torque", sensor.get("range_Nm", 0.0), sensor.get("resolution_Nm", 0.0)),
    ):
        if limit > 0.0 and _saturated(phase, contacts, kind, limit - step):
            return 1.0
    return 0.0


def _saturated(phase: Phase, contacts: list[Contact], kind: str, limit: float) -> bool:
    for body in BODIES:
        if phase.scenario["sensor"].get("on", "chaser") in (body, "both"):
            R = matrices(vector(phase.loop, f"mock_up.{body}.attitude"))
            read = vector(phase.loop, f"measured.{body}.{kind}")
            seen = np.einsum("kji,kj->ki", R, read)
            for c in contacts:
                if np.any(np.abs(seen[c.first : c.last + 1]) >= limit * (1.0 - 1e-3)):
                    return True
    return False


def _outcome(phase: Phase) -> float:
    m, latch = phase.metrics, phase.metrics.get("latch") or {}
    orbit = latch.get("orbit") or {}
    differs = bool(m["contacts"]) != bool(m["reference"]["contacts"])
    if latch:
        for key in ("soft_docked_at_s", "latched_at_s", "broken_at_s"):
            differs |= (latch.get(key) is None) != (orbit.get(key) is None)
    if "captured" in m["reference"]:
        differs |= m["captured"] != m["reference"]["captured"]
    return float(differs)


def _energy(phase: Phase, contacts: list[Contact], work: np.ndarray, scale: Scale) -> float | None:
    K, stored = kinetic(phase, phase.loop), phase.loop["energy.stored"]
    gains = [
        K[c.last] - K[c.first] - (work[c.last] - work[c.first]) - (stored[c.first] - stored[c.last])
        for c in contacts
        if c.ended
    ]
    best, running = -math.inf, 0.0
    for gain in gains:  # the largest sum over a run of consecutive ones
        running = max(running, 0.0) + float(gain)
        best = max(best, running)
    driven = (phase.metrics.get("latch") or {}).get("driven_J", 0.0)
    return (best - driven) / scale.energy if gains else None


def _peak_force(phase: Phase, contacts: list[Contact]) -> float | None:
    reference = phase.metrics["reference"]["contacts"]
    if not contacts and not reference:
        return None
    force = corrected(phase.loop, "satellite.chaser.force")[1:] - held_hands(phase)["chaser"][:, :3]
    size = np.linalg.norm(force, axis=1)
    if phase.rewinds:  # within a cycle too
        size = np.maximum(size, phase.loop["corrected.chaser.peak_force"][1:])
    ours = max((float(size[c.first : c.last].max(initial=0.0)) for c in contacts), default=0.0)
    names = [f"true.chaser.force.{axis}" for axis in "xyz"]
    rows = np.linalg.norm(np.stack([phase.reference[n] for n in names], axis=1), axis=1)
    theirs = max([_top(rows), *(float(c["peak_force_real_N"]) for c in reference)])
    return abs(ours - theirs) / max(ours, theirs, 1e-300)


def _top(rows: np.ndarray) -> float:
    """The largest of a smooth function that was sampled: a parabola through three rows."""
    i = int(np.argmax(rows))
    if i in (0, len(rows) - 1) or min(rows[i - 1], rows[i + 1]) < 0.9 * rows[i]:
        return float(rows[i])
    a, b, c = rows[i - 1 : i + 2]
    bend = a - 2.0 * b + c
    return float(b - (a - c) ** 2 / (8.0 * bend)) if bend < 0.0 else float(b)


def _latch_force(phase: Phase) -> float | None:
    latch = phase.metrics.get("latch")
    if not latch:
        return None
    ours, theirs = latch["peak_force_N"] or 0.0, latch["orbit"]["peak_force_N"] or 0.0
    largest = max(ours, theirs)
    return abs(ours - theirs) / largest if largest > 0.0 else None


def _distance(phase: Phase, first: int, last: int, energy: float) -> float:
    """Of the mean twists over some rows, loop and reference at the same instants."""
    total, rows = 0.0, slice(first, last + 1)
    for name in BODIES:
        body = phase.body(name)
        if body.fixed:
            continue
        ours, theirs = motion(phase, phase.loop, name), motion(phase, phase.reference, name)
        dv = np.mean(ours.v[rows] - theirs.v[rows], axis=0)
        seen = theirs.R[last].T @ np.mean(ours.L[rows] - theirs.L[rows], axis=0)
        total += float(np.sum(body.mass * dv * dv) + seen @ np.linalg.solve(body.inertia, seen))
    return math.sqrt(total / (2.0 * energy))


def _size(phase: Phase, table: Table, first: int, last: int) -> float:
    """Of the motion of a pair that touches: root of its mean energy [root of J]."""
    energy = kinetic(phase, table) + table["energy.stored"]
    return math.sqrt(float(np.mean(energy[first : last + 1])))


def _since(phase: Phase, contacts: list[Contact], scale: Scale) -> int:
    """Row from which the pair that still touches is looked at: all latches hard, or the touch."""
    latch = phase.metrics.get("latch") or {}
    hard = [latch.get("latched_at_s"), (latch.get("orbit") or {}).get("latched_at_s")]
    times = [t for t in hard if t is not None]
    start = contacts[-1].start_s if contacts else scale.touch_s
    return min(len(phase.time) - 2, math.ceil(max([start, *times]) / phase.T))


def _kept(phase: Phase, first: int, last: int, energy: float) -> float:
    ours = kinetic(phase, phase.loop) + phase.loop["energy.stored"]
    theirs = kinetic(phase, phase.reference) + phase.reference["energy.stored"]
    return float(np.mean(ours[first : last + 1] - theirs[first : last + 1])) / energy


def _growth(phase: Phase, since: int) -> float | None:
    wrench = pushes(phase)
    quiet = np.ones(len(phase.time), dtype=bool)
    quiet[:-1] = sum(np.sum(np.abs(wrench[b]), axis=1) for b in BODIES) == 0.0
    ours = growth(phase, phase.loop, since, quiet)
    if ours is None:
        return None
    theirs = growth(phase, phase.reference, since, quiet)
    ten = 10.0 * ours.period_s
    number, error = math.expm1(ten * ours.per_s), ten * ours.error * math.exp(ten * ours.per_s)
    if theirs is not None and theirs.per_s > 0.0:  # what dies is not unsafe, however slowly
        number -= math.expm1(ten * theirs.per_s)
        error = math.hypot(error, ten * theirs.error * math.exp(ten * theirs.per_s))
    return number if number > 2.0 * error else min(number, 0.0)


def _untouched(phase: Phase, work: np.ndarray, settle: float) -> Numbers:
    """Neither touches: distance and energy after the last push, over the external work."""
    wrench = pushes(phase)
    pushed = np.nonzero(sum(np.sum(np.abs(wrench[b]), axis=1) for b in BODIES))[0]
    if len(pushed) == 0 or abs(work[-1]) <= 0.0:
        return {"nothing": 1.0}
    rows = len(phase.time) - 1
    a = min(rows, int(pushed[-1]) + 1)
    b, energy = min(rows, a + round(settle / phase.T)), float(abs(work[-1]))
    K = kinetic(phase, phase.loop) - kinetic(phase, phase.reference)
    return {
        "distance": max(_distance(phase, r, r, energy) for r in (a, b)),
        "energy": float(max(K[a], K[b])) / energy,
    }
