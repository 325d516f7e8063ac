"""Acceleration of the chaser's mock-up at the instant of a force sample [m/s^2, world axes], from
the set-points that were sent.

The robot moves along the set-points a delay later, on the cubic between two of them. The gain of
reported twists from one report to the next is the mean over a cycle that lies across two such
pieces. For a tool that weighs more than is believed, in a short contact, that is not good enough.
Where the reported velocity is not the one that was sent (a robot that lags, a delay that is not
known yet) the reports count.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.instants import ON_STAMP
from softdock.loop.rings import Ring, masked_row
from softdock.loop.spatial.vectors import add, add_scaled, dot, load3, scale, store3, subtract
from softdock.methods.faithful.cells import CELL, SENT_ROWS
from softdock.methods.faithful.free_flight import delay_of
from softdock.methods.faithful.readings import acceleration_at

VELOCITY = 3  # behind a place
ANOTHER = 0.05  # of the gain's square: a velocity further from the one sent is not of it


@compiled
def _ring(m):
    return Ring(m + CELL.ways, SENT_ROWS, 6)


@compiled
def note_command(mem, m, stamp, motion):
    """The chaser's set-point."""
    row = masked_row(_ring(m), stamp)
    store3(mem, row, motion.p)
    store3(mem, row + VELOCITY, motion.v)
    mem[m + CELL.newest_sent] = float(stamp)


@compiled
def _slope(T, s, way, first, last):
    """Velocity on a cubic at the share s of its stretch; `way`: along it [m]."""
    bow = add_scaled(scale(1.0 / T, way), -0.5, add(first, last))
    straight = add_scaled(first, s, subtract(last, first))
    return add_scaled(straight, 6.0 * s * (1.0 - s), bow)


@noinline
def tool_acceleration(mem, m, T, t, v):
    """Acceleration of the chaser's mock-up at t [s], at which it is reported to move at v [m/s];
    m/s^2."""
    cycles = (t - delay_of(mem, m + CELL.flight, 0)) / T
    earlier = int(math.ceil(cycles - ON_STAMP)) - 1
    newest = int(mem[m + CELL.newest_sent])
    if earlier < 1 or earlier + 1 > newest or newest - earlier >= SENT_ROWS:
        return acceleration_at(mem, m + CELL.paired, t)
    a, b = masked_row(_ring(m), earlier), masked_row(_ring(m), earlier + 1)
    first, last = load3(mem, a + VELOCITY), load3(mem, b + VELOCITY)
    way, gain = subtract(load3(mem, b), load3(mem, a)), subtract(last, first)
    off = subtract(v, _slope(T, cycles - earlier, way, first, last))
    if dot(off, off) > ANOTHER * dot(gain, gain):
        return acceleration_at(mem, m + CELL.paired, t)
    return scale(1.0 / T, gain)
