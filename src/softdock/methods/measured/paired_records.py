"""Records of twelve numbers with the instants they belong to, so that forces and motions of
different ages can be paired.

A record is rows (time [s], twelve floats) in a ring, behind one float that counts what was
remembered. Between two rows it is linear; before the oldest and after the newest it is constant.

Its own search, and not `rings.bracket`: at a row's very instant, and after the newest, this one
takes the end of the step before (e + 1 (l - e)), which may differ from the row by rounding.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.rings import Ring, row_of

VALUES = 12  # numbers of a record
RECORD_ROW = Cells("record_row", Cell("time", 1, "s"), Cell("values", VALUES))
ROW, VALUE = RECORD_ROW.size, RECORD_ROW.at.values
# a record: how many rows were remembered, then the ring of rows
RECORD = Cells("record", Cell("count"), Cell("ring", ROW)).at


@compiled
def record_floats(rows):
    """Floats of `mem` that a record takes."""
    return RECORD.ring + ROW * rows


@noinline
def remember(mem, at, rows, time, vectors):
    """Add four three-vectors; a time that is not new replaces the newest row."""
    count = int(mem[at + RECORD.count])
    ring = Ring(at + RECORD.ring, rows, ROW)
    if count == 0 or time > mem[row_of(ring, count - 1)]:
        count += 1
        mem[at + RECORD.count] = float(count)
    row = row_of(ring, count - 1)
    mem[row] = time
    for j in range(4):
        for i in range(3):
            mem[row + VALUE + 3 * j + i] = vectors[j][i]


@noinline
def look_up(mem, at, rows, time, out):
    """The twelve numbers at a time, into `mem[out:]`."""
    count = int(mem[at + RECORD.count])
    oldest, ring = max(0, count - rows), Ring(at + RECORD.ring, rows, ROW)
    b = count - 1
    while b > oldest and mem[row_of(ring, b - 1)] >= time:
        b -= 1
    later = row_of(ring, b)
    earlier = row_of(ring, b - 1) if b > oldest else later
    span = mem[later] - mem[earlier]
    share = min(max((time - mem[earlier]) / span, 0.0), 1.0) if span > 0.0 else 1.0
    for i in range(VALUES):
        mem[out + i] = mem[earlier + VALUE + i] + share * (
            mem[later + VALUE + i] - mem[earlier + VALUE + i]
        )
