"""This computer's wall clock against its monotonic one, looked at anew with every receive.

The kernel stamps datagrams by the wall clock, which may be set at any time and is slewed;
everything here counts by the monotonic clock. In: one look at the wall clock between two at ours,
and stamps. Out: when a datagram arrived on our clock, and by how much the wall clock was set. A
look costs three readings of clocks; a step that it cannot tell from a reading that took long is
followed and not said.
"""

from __future__ import annotations

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled

WALL = Cells(
    "wall_clock",
    Cell("offset", 1, "ns", "wall clock less ours"),
    Cell("before", 1, "ns", "the same at the look before"),
    Cell("looked_ns", 1, "ns", "when it was looked at, on ours"),
    Cell("steps", 1, "-", "times that it was set"),
    Cell("step_ns", 1, "ns", "the last time: above 0 forward, below 0 back"),
    Cell("unfit", 1, "-", "stamps that fit no reading of it: those arrived when they were read"),
    Cell("emptied_ns", 1, "ns", "nothing was waiting then; the loop writes it"),
)
OFFSET, BEFORE, LOOKED_NS, STEPS, STEP_NS, UNFIT, EMPTIED_NS = WALL.at
WALL_COLUMNS = WALL.size
SLEWED = 0.1  # of the time between two looks: what is slewed may move it by so much
LEAST_NS = 50_000  # a smaller step is not said; it is followed all the same


@compiled
def look_at_wall(wall, earlier, clock, later):
    """The wall clock was at `clock` between two instants of ours."""
    offset = wall[OFFSET]
    nearest = min(max(offset, clock - later), clock - earlier)
    allowed = LEAST_NS + SLEWED * (later - wall[LOOKED_NS])
    if wall[LOOKED_NS] != 0 and abs(nearest - offset) > allowed:
        wall[STEPS] += 1
        wall[STEP_NS] = nearest - offset
    wall[BEFORE], wall[OFFSET], wall[LOOKED_NS] = offset, nearest, later


@compiled
def arrived_at(wall, stamp, since, now):
    """A kernel's stamp on our clock: not before `since`, when nothing was waiting, nor after `now`.

    A stamp from before a step of the wall clock fits the look before it. The later of two instants
    that fit is taken: late is jitter, early would move a peer's clock.
    """
    a, b = stamp - wall[OFFSET], stamp - wall[BEFORE]
    at = max(a, b)
    if at > now + LEAST_NS:
        at = min(a, b)
    if not since - LEAST_NS <= at <= now + LEAST_NS:
        wall[UNFIT] += 1
        return now
    return min(at, now)
