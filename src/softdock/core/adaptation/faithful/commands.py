"""How the chaser's mock-up is accelerated when a force is felt: its robot runs through the
set-points that were sent, a delay later, and between two of them its velocity goes straight.

What reported twists gained from one report to the next is the mean over a cycle that lies across
two such stretches; of a tool that weighs more than is believed, in a short contact, that is not
good enough. Where the reported velocity is not the one that was sent (a robot that lags, a delay
that is not known yet) the reports count.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.cells import CELL, SENT_ROWS
from softdock.core.adaptation.faithful.flight import delay_of
from softdock.core.adaptation.faithful.readings import acceleration_at
from softdock.core.machine.compiled import apart, compiled
from softdock.core.rings import Ring, masked_row
from softdock.core.spatial.vectors import add_scaled, dot, load3, scale, store3, subtract

ON_STAMP = 1e-9  # cycles; nearer to a stamp than this is on it
ANOTHER = 0.25  # of the gain's square: a velocity further from the one sent is not of it


@compiled
def _ring(m):
    return Ring(m + CELL.velocities, SENT_ROWS, 3)


@compiled
def note_command(mem, m, stamp, v):
    """The chaser's velocity [m/s] of a set-point."""
    store3(mem, masked_row(_ring(m), stamp), v)
    mem[m + CELL.newest_sent] = float(stamp)


@apart
def tool_acceleration(mem, m, T, t, v):
    """Of the chaser's mock-up at t [s], at which it is reported to move at v [m/s]; m/s^2."""
    cycles = (t - delay_of(mem, m + CELL.flight, 0)) / T
    earlier = int(math.ceil(cycles - ON_STAMP)) - 1
    newest = int(mem[m + CELL.newest_sent])
    if earlier < 1 or earlier + 1 > newest or newest - earlier >= SENT_ROWS:
        return acceleration_at(mem, m + CELL.paired, t)
    first = load3(mem, masked_row(_ring(m), earlier))
    gain = subtract(load3(mem, masked_row(_ring(m), earlier + 1)), first)
    off = subtract(v, add_scaled(first, cycles - earlier, gain))
    if dot(off, off) > ANOTHER * dot(gain, gain):
        return acceleration_at(mem, m + CELL.paired, t)
    return scale(1.0 / T, gain)
