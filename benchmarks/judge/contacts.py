"""When the satellites were in contact: rows of the series, from the touch to the end.

A contact ends for the satellites one force delay after the parting: the age of the force, the
filter's fall to 1 %, and a cycle. Gaps below twice the delay of robots and sensor are merged."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from benchmarks.judge.phase import BODIES, Phase, corrected

ROUNDING = 1e-9  # of a cycle


class Contact(NamedTuple):
    start_s: float
    parted_s: float
    first: int  # row of the touch
    last: int  # row at which it has ended for the satellites; of an open one the last row
    ended: bool


def merge_window(phase: Phase) -> float:
    robots = [
        sum(
            phase.scenario["robots"][b].get(k, 0.0) for k in DELAYS if b in phase.scenario["robots"]
        )
        for b in BODIES
    ]
    return 2e-3 * (max(robots) + phase.scenario.get("sensor", {}).get("delay_ms", 0.0))


DELAYS = ("delay_ms", "computation_ms", "transport_ms")


def force_tail(phase: Phase) -> float:
    """From the parting to the last effect of a force that was measured before it [s]."""
    ages = phase.loop["force_age"]
    age = float(np.nanmax(ages[np.isfinite(ages)], initial=0.0))
    cut = phase.scenario.get("sensor", {}).get("lowpass_Hz", 0.0)
    return age + (math.log(100.0) / (2.0 * math.pi * cut) if cut > 0.0 else 0.0) + phase.T


def _is_held(phase: Phase) -> bool:
    latch = phase.metrics.get("latch")
    return latch is not None and any(s not in ("open", "broken") for s in latch["states"])


def contacts_of(phase: Phase) -> list[Contact]:
    """Of the loop. The last one is open if the pair touches, or felt a force, in the last row."""
    T, end = phase.T, float(phase.time[-1])
    spans: list[list[float]] = []
    for c in phase.metrics["contacts"]:
        if spans and c["start_s"] - spans[-1][1] < merge_window(phase):
            spans[-1][1] = c["end_s"]
        else:
            spans.append([c["start_s"], c["end_s"]])
    touching = phase.loop["contact.depth"][-1] > 0.0 or _is_held(phase)
    tail, rows, found = force_tail(phase), len(phase.time), []
    for i, (start, parted) in enumerate(spans):
        first = math.floor(start / T + ROUNDING)
        if phase.rewinds:
            first = min(first, _first_corrected_force(phase, first, found[-1].last if found else 0))
        last = math.ceil((parted + tail) / T - ROUNDING)
        if phase.rewinds:
            last = max(last, _last_own_force(phase, first, last))
        ended = parted + tail <= end + ROUNDING * T and not (i == len(spans) - 1 and touching)
        found.append(
            Contact(
                start_s=start,
                parted_s=parted,
                first=first,
                last=min(last, rows - 1) if ended else rows - 1,
                ended=ended,
            )
        )
    return found


def _first_corrected_force(phase: Phase, row: int, least: int) -> int:
    """Row of the corrected touch: the start of the force that still acts at the mock-ups' touch."""
    delay = max(phase.scenario["robots"][b].get("delay_ms", 0.0) for b in BODIES)
    back = max(least, row - math.ceil(2e-3 * delay / phase.T) - 1)
    v = corrected(phase.loop, "chaser.velocity") - corrected(phase.loop, "target.velocity")
    moved = np.linalg.norm(np.diff(v[back : row + 1], axis=0), axis=1)
    rising = np.nonzero(moved > 1e-9 + 1e-3 * float(moved.max(initial=0.0)))[0]
    return back + int(rising[0]) if len(rising) else row


def _last_own_force(phase: Phase, first: int, row: int) -> int:
    """Row at which a contact that a method computes for the satellites has ended."""
    force = np.linalg.norm(corrected(phase.loop, "satellite.chaser.force"), axis=1)
    while row < len(force) - 1 and force[row + 1] > 1e-3 * float(force[first:row].max(initial=0.0)):
        row += 1
    return row


def reference_end(phase: Phase) -> float | None:
    """Last parting of the reference [s]; None: it touches at the end, or holds."""
    contacts = phase.metrics["reference"]["contacts"]
    if not contacts:
        return 0.0
    if phase.reference["contact.depth"][-1] > 0.0 or not contacts[-1].get("parted", True):
        return None
    return float(contacts[-1]["end_s"])
