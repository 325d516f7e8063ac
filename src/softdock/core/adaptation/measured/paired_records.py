"""Records of twelve numbers with the instants they belong to, so that forces and motions of
different ages can be paired.

A record is rows (time [s], twelve floats) in a ring, behind one float that counts what was
remembered. Between two rows it is linear; before the oldest and after the newest it is constant.
"""

from __future__ import annotations

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart, compiled

VALUES = 12  # numbers of a record
RECORD_ROW = Cells("record_row", Cell("time", 1, "s"), Cell("values", VALUES))
ROW, VALUE = RECORD_ROW.size, RECORD_ROW.at.values
# a record: how many rows were remembered, then the ring of rows
RECORD = Cells("record", Cell("count"), Cell("ring", ROW)).at


@compiled
def record_floats(rows):
    """Floats of `mem` that a record takes."""
    return RECORD.ring + ROW * rows


@apart
def remember(mem, at, rows, time, vectors):
    """Add four three-vectors; a time that is not new replaces the newest row."""
    count = int(mem[at + RECORD.count])
    if count == 0 or time > mem[at + RECORD.ring + ROW * ((count - 1) % rows)]:
        count += 1
        mem[at + RECORD.count] = float(count)
    row = at + RECORD.ring + ROW * ((count - 1) % rows)
    mem[row] = time
    for j in range(4):
        for i in range(3):
            mem[row + VALUE + 3 * j + i] = vectors[j][i]


@apart
def look_up(mem, at, rows, time, out):
    """The twelve numbers at a time, into `mem[out:]`."""
    count = int(mem[at + RECORD.count])
    oldest = max(0, count - rows)
    b = count - 1
    while b > oldest and mem[at + RECORD.ring + ROW * ((b - 1) % rows)] >= time:
        b -= 1
    later = at + RECORD.ring + ROW * (b % rows)
    earlier = at + RECORD.ring + ROW * ((b - 1) % rows) if b > oldest else later
    span = mem[later] - mem[earlier]
    share = min(max((time - mem[earlier]) / span, 0.0), 1.0) if span > 0.0 else 1.0
    for i in range(VALUES):
        mem[out + i] = mem[earlier + VALUE + i] + share * (
            mem[later + VALUE + i] - mem[earlier + VALUE + i]
        )
