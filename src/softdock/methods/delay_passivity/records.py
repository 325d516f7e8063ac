"""Records of four vectors with the instants they belong to, so that forces and motions of different
ages can be paired.

A record is rows (time [s], four vectors) in a ring, behind one float that counts what was
remembered. Between two rows it is linear; before the oldest and after the newest it is constant.

Its own search, and not `rings.bracket`: at a row's very instant, and after the newest, this one
takes the end of the step before (e + 1 (l - e)), which may differ from the row by rounding.
"""

from __future__ import annotations

from typing import Any

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.vectors import Vector, add_scaled, subtract

# of the chaser's force, its torque, the target's force, its torque; or of ways and twists:
# translation and rotation
FOUR_VECTORS: Any = (Vector,) * 4
RECORD_ROW = Cells("record_row", Cell("time", float, "s"), Cell("values", FOUR_VECTORS))
RECORD = Cells("record", Cell("count", int, "-", "rows remembered"))  # behind: the ring of rows


@compiled
def _find_ring(at, rows):
    return Ring(at + RECORD.size, rows, RECORD_ROW.size)


@noinline
def remember(mem, at, rows, time, values):
    """Add four vectors; a time that is not new replaces the newest row."""
    record, ring = RECORD(mem, at), _find_ring(at, rows)
    count = record.count
    if count == 0 or time > RECORD_ROW(mem, row_of(ring, count - 1)).time:
        count += 1
        record.count = count
    row = RECORD_ROW(mem, row_of(ring, count - 1))
    row.time, row.values = time, values


@compiled
def _interpolate(earlier, later, share):
    return add_scaled(earlier, share, subtract(later, earlier))


@noinline
def look_up(mem, at, rows, time):
    """The four vectors at a time."""
    count, ring = RECORD(mem, at).count, _find_ring(at, rows)
    oldest = max(0, count - rows)
    b = count - 1
    while b > oldest and RECORD_ROW(mem, row_of(ring, b - 1)).time >= time:
        b -= 1
    later = RECORD_ROW(mem, row_of(ring, b))
    earlier = RECORD_ROW(mem, row_of(ring, b - 1 if b > oldest else b))
    span = later.time - earlier.time
    share = min(max((time - earlier.time) / span, 0.0), 1.0) if span > 0.0 else 1.0
    a, c = earlier.values, later.values
    return (
        _interpolate(a[0], c[0], share),
        _interpolate(a[1], c[1], share),
        _interpolate(a[2], c[2], share),
        _interpolate(a[3], c[3], share),
    )
