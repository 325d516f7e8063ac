"""What the energy ledger remembers: its cells, and the ring of its books that stands behind.

The ring keeps, for the last cycles, kinetic energy, real work, energy from outside and variance at
the end of the cycle: a contact is seen late, and its books begin before it was.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.memory import recorded
from softdock.loop.rings import Ring, row_of
from softdock.methods.measured.by_axis import WORK_NAMES
from softdock.methods.measured.doubts import DOUBTS
from softdock.methods.measured.real_work import BOOK, BOOKS, RING_FLOATS, Books

CELLS = Cells(
    "energy_ledger",
    recorded(
        "work",
        "J",
        "energy put into the satellites so far; falling: taken",
        frame="world",
        parts=WORK_NAMES,
    ),
    Cell("books", BOOKS.size, "", "of the real contact's work: methods/measured/real_work.py"),
    Cell("doubts", DOUBTS.size, "", "of the sensor: methods/measured/doubts.py"),
    Cell("cycles", 1, "-", "cycles written into the ring of books"),
    Cell("given", 1, "J", "given from outside"),
    Cell("open", 1, "-", "1: a contact is open"),
    Cell("last_seen", 1, "s", "when its force was last seen"),
    Cell("summit", 1, "J", "its largest energy along the wrench"),
    Cell("base_kinetic", 1, "J", "kinetic energy where the open contact's books begin"),
    Cell("base_given", 1, "J", "`given` there"),
    Cell("debt", 1, "J", "what the contacts so far could not settle"),
    Cell("direction", 6, "-, m", "wrench along which energy is taken and given, of unit force"),
    Cell("acting", 12, "N, Nm", "wrenches that act on both satellites in this cycle"),
    Cell("command", 14, "m, -", "poses last sent"),
    Cell("sent", 1, "-", "1: there are any"),
    Cell("taken", 1, "J", "net, by the corrections of the open contact"),
    Cell("force_time", 1, "s", "stamp of the newest force"),
    Cell("removed", 1, "J", "by corrections, for the notes"),
    Cell("returned", 1, "J", "by corrections"),
    Cell("largest_step", 1, "m/s", "largest change of speed beyond the force's own"),
    Cell("fastest", 1, "m/s", "fastest approach along the wrench"),
    Cell("contacts", 1, "-", "contacts so far"),
    Cell("stale", 1, "cycles", "of contact without a new force"),
    Cell("longest_trail", 1, "s", "by which the mock-ups trailed the set-points"),
    Cell("shortest_trail", 1, "s", "by which the mock-ups trailed the set-points"),
    Cell("fastest_way", 1, "m", "longest way of one cycle"),
    Cell("largest_transit", 1, "J", "largest work still on its way"),
)
CELL, RINGS_AT = CELLS.at, CELLS.size  # behind the cells: the rings of the books, then the ledger's
ROW_CELLS = Cells(
    "book_row",
    Cell("kinetic", 1, "J"),
    Cell("real", 1, "J"),
    Cell("given", 1, "J"),
    Cell("variance", 1, "J^2"),
)
ROW, BOOK_ROW = ROW_CELLS.at, ROW_CELLS.size
ROW_FLOATS = RING_FLOATS + BOOK_ROW  # of all three rings, per row


@compiled
def books_of(method):
    """Where the books of the real contact's work are."""
    return Books(method.memory + CELL.books, method.memory + RINGS_AT, method.rows)


@compiled
def _row_at(method, count):
    ring = method.memory + RINGS_AT + method.rows * RING_FLOATS
    return row_of(Ring(ring, method.rows, BOOK_ROW), count)


@compiled
def note_books(method, mem, kinetic):
    """A row of the books at the end of a cycle, for contacts that open later."""
    base, book = method.memory, method.memory + CELL.books
    count = int(mem[base + CELL.cycles])
    row = _row_at(method, count)
    mem[row + ROW.kinetic] = kinetic
    mem[row + ROW.real] = mem[book + BOOK.real]
    mem[row + ROW.given] = mem[base + CELL.given]
    mem[row + ROW.variance] = mem[book + BOOK.variance]
    mem[base + CELL.cycles] = count + 1.0


@compiled
def open_books(method, mem, back):
    """Begin the books of a contact `back` cycles ago, or where the ring begins."""
    base, book = method.memory, method.memory + CELL.books
    count = int(mem[base + CELL.cycles])
    row = _row_at(method, max(count - 1 - min(back, method.rows - 1), 0))
    mem[base + CELL.base_kinetic] = mem[row + ROW.kinetic]
    mem[book + BOOK.base_real] = mem[row + ROW.real]
    mem[base + CELL.base_given] = mem[row + ROW.given]
    mem[book + BOOK.base_variance] = mem[row + ROW.variance]
