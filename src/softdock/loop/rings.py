"""The one ring buffer of the core: rows of equal width in `mem`, the newest over the oldest.

    RING = Ring(at, rows, width)                  # first float, number of rows, floats of a row
    MOTION(mem, row_of(RING, k)).whole = motion   # push: row number k, over row k - rows
    MOTION(mem, row_of(RING, k - 3)).whole        # by number, as long as it is kept
    a, b, share = bracket(mem, RING, newest, field, t)    # by time: rows on both sides of t

Rows are numbered from the start of a run: a set-point by its stamp (loop/robots/history.py), a
force sample by its number (loop/facility/sampling.py), a reading by its cycle or its count.
`newest` is the number of the last row written; a count of rows is one more. Rows that carry a time
have it in a cell of their own, `field` floats behind the row's first; times rise from row to row.

Beyond the ends of a ring the nearest row counts, on both sides: `bracket` then returns it twice
with a share of zero, so that an interpolation `a + share (b - a)` needs no case of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled


class Ring(NamedTuple):
    """Where a ring stands in `mem`."""

    at: int  # first float
    rows: int
    width: int  # floats of a row


@compiled
def row_of(ring: Ring, number):
    """First float of a row; a mask where the number of rows is a power of two, as on a CPU."""
    if ring.rows & (ring.rows - 1) == 0:
        return ring.at + (number & (ring.rows - 1)) * ring.width
    return ring.at + (number % ring.rows) * ring.width


@compiled
def masked_row(ring: Ring, number):
    """The same, of a ring whose number of rows is always a power of two."""
    return ring.at + (number & (ring.rows - 1)) * ring.width


@compiled
def row_near(ring: Ring, k, by):
    """Row number k + by, -rows <= by < rows; `k % rows` is found but once for all that are near the
    same k."""
    if ring.rows & (ring.rows - 1) == 0:
        return row_of(ring, k + by)
    slot = k % ring.rows + by
    if slot < 0:
        slot += ring.rows
    elif slot >= ring.rows:
        slot -= ring.rows
    return ring.at + slot * ring.width


@compiled
def bracket(mem, ring: Ring, newest, field, t):
    """First floats of the rows at or before time t and after it, and the share of the way from one
    to the other. `newest`: number of the newest row, at least 0; `field`: of the time in a row."""
    later = row_of(ring, newest)
    if t >= mem[later + field]:
        return later, later, 0.0
    oldest = max(newest + 1 - ring.rows, 0)
    i = newest - 1
    while i >= oldest:
        row = row_of(ring, i)
        if mem[row + field] <= t:
            return row, later, (t - mem[row + field]) / (mem[later + field] - mem[row + field])
        later = row
        i -= 1
    return later, later, 0.0
