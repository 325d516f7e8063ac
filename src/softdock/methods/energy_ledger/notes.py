"""What the energy ledger notes of a run beside its doubts of the sensor (methods/measured/doubts.py):
readings that are not new, mock-ups that trail longer and longer, debts that nobody could pay.
"""

from __future__ import annotations

from typing import Any

from softdock.compile.jit import compiled
from softdock.loop.spatial.vectors import dot, norm
from softdock.methods.energy_ledger.cells import CELL
from softdock.methods.measured.doubt_notes import doubt_books, doubt_events

# of the fastest motion along the wrench: slower, the time that the mock-ups trail cannot be told
FAST_SHARE = 0.7
ROUNDING = 1e-9  # of the energy at the opening of the last contact: a debt below is none


@compiled
def note_trail(mem, base, T, behind, ahead):
    """How long the mock-ups trail behind the set-points: the way still to go [m] over the way of
    one cycle [m]; roughly, where the motion is fast."""
    size = norm(ahead)
    mem[base + CELL.fastest_way] = max(mem[base + CELL.fastest_way], size)
    if size > 0.0 and size >= FAST_SHARE * mem[base + CELL.fastest_way]:
        trail = max(T * dot(behind, ahead) / (size * size), 0.0)
        mem[base + CELL.longest_trail] = max(mem[base + CELL.longest_trail], trail)
        known = mem[base + CELL.shortest_trail]
        mem[base + CELL.shortest_trail] = trail if known == 0.0 else min(known, trail)


def books(mem: Any) -> dict[str, float]:
    """What the method did in a run, from its slice of `mem`."""
    return {
        "contacts": float(mem[CELL.contacts]),
        "removed_J": float(mem[CELL.removed]),
        "returned_J": float(mem[CELL.returned]),
        "unpaid_J": float(mem[CELL.debt]),
        "largest_transit_J": float(mem[CELL.largest_transit]),
        "largest_step_m_per_s": float(mem[CELL.largest_step]),
        "fastest_approach_m_per_s": float(mem[CELL.fastest]),
        "trail_shortest_s": float(mem[CELL.shortest_trail]),
        "trail_longest_s": float(mem[CELL.longest_trail]),
        "cycles_without_a_new_force": float(mem[CELL.stale]),
        **doubt_books(mem[CELL.doubts :]),
    }


def events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    b, found = books(mem), doubt_events(mem[CELL.doubts :], mem[CELL.base_kinetic])
    if b["cycles_without_a_new_force"]:
        found.append(
            f"no new force arrived in {b['cycles_without_a_new_force']:.0f} cycles of contact"
        )
    if b["trail_longest_s"] > 1.5 * b["trail_shortest_s"] + T:
        found.append(
            f"the mock-ups trailed the set-points by {1e3 * b['trail_shortest_s']:.0f} to "
            f"{1e3 * b['trail_longest_s']:.0f} ms during contact"
        )
    if b["unpaid_J"] > ROUNDING * mem[CELL.base_kinetic]:
        found.append(
            f"{b['unpaid_J']:.3g} J could not be taken: the real contact absorbed more than "
            "the satellites had along its wrench"
        )
    return found
