"""What the energy ledger notes of a run beside its doubts of the sensor (measured/doubts.py):
readings that are not new, mock-ups that trail longer and longer, debts that nobody could pay.
"""

from __future__ import annotations

from typing import Any

from softdock.compile.jit import compiled
from softdock.loop.spatial.vectors import dot, norm
from softdock.methods.energy_ledger.state import STATE
from softdock.methods.measured.doubts import count_doubts, describe_doubts

# of the fastest motion along the wrench: slower, the time that the mock-ups trail cannot be told
FAST_SHARE = 0.7
ROUNDING = 1e-9  # of the energy at the opening of the last contact: a debt below is none


@compiled
def note_trail(s, T, behind, ahead):
    """How long the mock-ups trail behind the set-points: the way still to go [m] over the way of
    one cycle [m]; roughly, where the motion is fast. `s`: the ledger's state."""
    size = norm(ahead)
    s.longest_way = max(s.longest_way, size)
    if size > 0.0 and size >= FAST_SHARE * s.longest_way:
        trail = max(T * dot(behind, ahead) / (size * size), 0.0)
        s.longest_trail = max(s.longest_trail, trail)
        shortest = s.shortest_trail
        s.shortest_trail = trail if shortest == 0.0 else min(shortest, trail)


def summarize(mem: Any) -> dict[str, float]:
    """What the method did in a run, from its slice of `mem`."""
    s = STATE(mem)
    return {
        "contacts": float(s.contacts),
        "removed_J": float(s.removed),
        "returned_J": float(s.returned),
        "unpaid_J": float(s.debt),
        "largest_transit_J": float(s.largest_transit),
        "largest_step_m_per_s": float(s.largest_step),
        "fastest_approach_m_per_s": float(s.fastest),
        "trail_shortest_s": float(s.shortest_trail),
        "trail_longest_s": float(s.longest_trail),
        "cycles_without_a_new_force": float(s.stale),
        **count_doubts(s.doubts),
    }


def describe_events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    s, notes = STATE(mem), summarize(mem)
    found = describe_doubts(s.doubts, s.kinetic_before)
    if notes["cycles_without_a_new_force"]:
        found.append(
            f"no new force arrived in {notes['cycles_without_a_new_force']:.0f} cycles of contact"
        )
    if notes["trail_longest_s"] > 1.5 * notes["trail_shortest_s"] + T:
        found.append(
            f"the mock-ups trailed the set-points by {1e3 * notes['trail_shortest_s']:.0f} to "
            f"{1e3 * notes['trail_longest_s']:.0f} ms during contact"
        )
    if notes["unpaid_J"] > ROUNDING * s.kinetic_before:
        found.append(
            f"{notes['unpaid_J']:.3g} J could not be taken: the real contact absorbed more than "
            "the satellites had along its wrench"
        )
    return found
