"""Readings that the energy ledger does not believe, and what it notes of them: a sensor that freezes, saturates or jumps, readings that are not new,
mock-ups that trail longer and longer. Each leaves the output bounded: a force that is not believed does not act.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.adaptation.energy_ledger_books import (
    CONTACTS,
    DEBT,
    FASTEST,
    FASTEST_WAY,
    FROZEN,
    JUMPS,
    LARGEST_STEP,
    LARGEST_TRANSIT,
    LONGEST_TRAIL,
    RAW,
    READING,
    REMOVED,
    RETURNED,
    SAME,
    SATURATED,
    SHORTEST_TRAIL,
    STALE,
)
from softdock.compiled import compiled
from softdock.spatial.motion import Wrench, load_wrench, no_wrench, store_wrench
from softdock.spatial.rotations import rotate_back
from softdock.spatial.vectors import dot, norm, subtract

SAME_READING = 1e-12  # of a reading: changes below are the rounding of a turn to its axes and back
FAST_SHARE = 0.7  # of the fastest motion along the wrench: slower, the time that the mock-ups trail cannot be told


class Doubts(NamedTuple):
    """When a reading is not believed."""

    frozen: float  # s; 0: never
    jump: float  # N; 0: never
    range: float  # N; 0: no limit


@compiled
def doubt(mem, base, T, doubts, threshold, wrench, attitude, giving):
    """Put the wrench that is believed into its cell; True if it is not the one handed over. `attitude`: of the chaser's mock-up, in whose axes a frozen
    sensor is constant; `giving`: the wrench now gives energy to the satellites.

    A frozen force goes on to act while it takes energy, so that nobody drives on into a contact, and no longer when it would give.
    """
    raw = load_wrench(mem, base + RAW)
    f, t = wrench.force, wrench.torque
    seen = Wrench(rotate_back(attitude, f), rotate_back(attitude, t))
    same = norm(subtract(seen.force, raw.force)) <= SAME_READING * norm(f) and norm(subtract(seen.torque, raw.torque)) <= SAME_READING * norm(t)
    saturated = doubts.range > 0.0 and max(abs(f[0]), abs(f[1]), abs(f[2])) >= doubts.range * (1.0 - 1e-9)
    mem[base + SAME] = mem[base + SAME] + 1.0 if same and norm(f) > threshold and not saturated else 0.0
    store_wrench(mem, base + RAW, seen)
    mem[base + SATURATED] += 1.0 if saturated else 0.0
    finite = math.isfinite(f[0] + f[1] + f[2] + t[0] + t[1] + t[2])
    frozen = doubts.frozen > 0.0 and mem[base + SAME] * T > doubts.frozen
    if not finite or (frozen and giving):
        mem[base + FROZEN] += 1.0
        store_wrench(mem, base + READING, no_wrench())
        return True
    if doubts.jump > 0.0 and norm(subtract(seen.force, raw.force)) > doubts.jump:
        mem[base + JUMPS] += 1.0
        return True  # the last one believed stays for this cycle
    store_wrench(mem, base + READING, wrench)
    return False


@compiled
def note_trail(mem, base, T, behind, ahead):
    """How long the mock-ups trail behind the set-points: the way still to go [m] over the way of one cycle [m]; roughly, where the motion is fast."""
    size = norm(ahead)
    mem[base + FASTEST_WAY] = max(mem[base + FASTEST_WAY], size)
    if size > 0.0 and size >= FAST_SHARE * mem[base + FASTEST_WAY]:
        trail = max(T * dot(behind, ahead) / (size * size), 0.0)
        mem[base + LONGEST_TRAIL] = max(mem[base + LONGEST_TRAIL], trail)
        known = mem[base + SHORTEST_TRAIL]
        mem[base + SHORTEST_TRAIL] = trail if known == 0.0 else min(known, trail)


def books(mem: Any) -> dict[str, float]:
    """What the method did in a run, from its slice of `mem`."""
    return {
        "contacts": float(mem[CONTACTS]),
        "removed_J": float(mem[REMOVED]),
        "returned_J": float(mem[RETURNED]),
        "unpaid_J": float(mem[DEBT]),
        "largest_transit_J": float(mem[LARGEST_TRANSIT]),
        "largest_step_m_per_s": float(mem[LARGEST_STEP]),
        "fastest_approach_m_per_s": float(mem[FASTEST]),
        "trail_shortest_s": float(mem[SHORTEST_TRAIL]),
        "trail_longest_s": float(mem[LONGEST_TRAIL]),
        "cycles_not_believed": float(mem[FROZEN]),
        "jumps": float(mem[JUMPS]),
        "cycles_saturated": float(mem[SATURATED]),
        "cycles_without_a_new_force": float(mem[STALE]),
    }


def events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    b, found = books(mem), []
    if b["cycles_not_believed"]:
        found.append(f"the force froze (or was no number) and would have given energy: it did not act in {b['cycles_not_believed']:.0f} cycles")
    if b["jumps"]:
        found.append(f"the force jumped {b['jumps']:.0f} times; each jump was held back for a cycle")
    if b["cycles_saturated"]:
        found.append(f"the force was saturated in {b['cycles_saturated']:.0f} cycles: the real work was larger than what is booked")
    if b["cycles_without_a_new_force"]:
        found.append(f"no new force arrived in {b['cycles_without_a_new_force']:.0f} cycles of contact")
    if b["trail_longest_s"] > 1.5 * b["trail_shortest_s"] + T:
        found.append(f"the mock-ups trailed the set-points by {1e3 * b['trail_shortest_s']:.0f} to {1e3 * b['trail_longest_s']:.0f} ms during contact")
    if b["unpaid_J"] > 0.0:
        found.append(f"{b['unpaid_J']:.3g} J could not be taken: the real contact absorbed more than the satellites had along its wrench")
    return found
