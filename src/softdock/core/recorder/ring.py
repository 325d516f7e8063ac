"""The ring between a running loop and the recorder: one writer that never waits, any readers.

A slot holds the row's number (from 1; 0: nothing, or being written), a checksum of number and
contents, and the contents as 64-bit words. The writer stores contents, checksum, number and at last
the count of rows. It does so with plain stores and no fence: a compiler or a CPU other than x86 may
let a reader see them in another order, and a writer may be killed between any two. So a reader
trusts neither order nor count: a row is there if its number is the one expected and its checksum
fits, and what does not fit is not there yet, or was written over.

In: a row as int64 view of its float64 cells (layout.py). Rows of a ring: a power of two.
"""

from __future__ import annotations

import numpy as np

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled, door

SLOT = Cells(
    "ring_slot",
    Cell("number", 1, "-", "of the row, from 1; 0: nothing, or being written"),
    Cell("check", 1, "-", "checksum of number and contents"),
)
CONTENTS = SLOT.size  # word at which a row's contents begin
TURN, REST = 7, 57  # bits by which the checksum is turned at every word
LOW = (1 << TURN) - 1
AT = SLOT.at


@compiled
def push(ring, count, row):
    """Row number `count[0]` into its slot; the oldest goes. `ring`: int64 (rows, CONTENTS + words);
    `count`: int64 (1,); `row`: int64 (words,)."""
    number = count[0] + 1
    slot = count[0] & (ring.shape[0] - 1)
    ring[slot, AT.number] = 0
    check = np.int64(number)
    for i in range(row.shape[0]):
        word = row[i]
        ring[slot, CONTENTS + i] = word
        check = ((check << TURN) | ((check >> REST) & LOW)) ^ word
    ring[slot, AT.check] = check
    ring[slot, AT.number] = number
    count[0] = number


@door
def push_row(ring, count, row):
    """One row, from Python."""
    push(ring, count, row)


@door
def push_rows(ring, count, rows):
    """Many rows, one after the other."""
    for i in range(rows.shape[0]):
        push(ring, count, rows[i])


def checks(numbers: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The checksums that rows must have: `numbers` (n,), `words` (n, words), both int64."""
    found = numbers.copy()
    for column in words.T:
        found = ((found << TURN) | ((found >> REST) & LOW)) ^ column
    return found


def whole(ring: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows numbered from `first` up to and without `last`, at most as many as the ring has: their
    contents (n, words), and of each slot the row number found there, -1 if what stands there is no
    whole row."""
    at = np.arange(first, last) & (len(ring) - 1)
    slots = ring[at]
    numbers, words = slots[:, AT.number], slots[:, CONTENTS:]
    fits = (numbers > 0) & (checks(numbers, words) == slots[:, AT.check])
    return words, np.where(fits, numbers - 1, -1)
