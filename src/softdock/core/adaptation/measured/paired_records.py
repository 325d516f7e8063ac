"""Records of twelve numbers with the instants they belong to, so that forces and motions of
different ages can be paired.

A record is rows (time [s], twelve floats) in a ring, behind one float that counts what was
remembered. Between two rows it is linear; before the oldest and after the newest it is constant.
"""

from __future__ import annotations

from softdock.core.machine.compiled import apart, compiled

ROW = 13


@compiled
def record_floats(rows):
    """Floats of `mem` that a record takes."""
    return 1 + ROW * rows


@apart
def remember(mem, at, rows, time, vectors):
    """Add four three-vectors; a time that is not new replaces the newest row."""
    count = int(mem[at])
    if count == 0 or time > mem[at + 1 + ROW * ((count - 1) % rows)]:
        count += 1
        mem[at] = float(count)
    row = at + 1 + ROW * ((count - 1) % rows)
    mem[row] = time
    for j in range(4):
        for i in range(3):
            mem[row + 1 + 3 * j + i] = vectors[j][i]


@apart
def look_up(mem, at, rows, time, out):
    """The twelve numbers at a time, into `mem[out:]`."""
    count = int(mem[at])
    oldest = max(0, count - rows)
    b = count - 1
    while b > oldest and mem[at + 1 + ROW * ((b - 1) % rows)] >= time:
        b -= 1
    later = at + 1 + ROW * (b % rows)
    earlier = at + 1 + ROW * ((b - 1) % rows) if b > oldest else later
    span = mem[later] - mem[earlier]
    share = min(max((time - mem[earlier]) / span, 0.0), 1.0) if span > 0.0 else 1.0
    for i in range(12):
        mem[out + i] = mem[earlier + 1 + i] + share * (mem[later + 1 + i] - mem[earlier + 1 + i])
