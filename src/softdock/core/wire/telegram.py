"""KUKA RSI telegrams, `Rob` and `Sen`: the tables that describe them, and the writer.

Both are made from the controller's Ethernet file (drivers/rsi_tables.py). A table has one row per
value; row 0 is the root with the `Type` it must have (size 0: any). A template has one row per
piece: literal bytes, then a value. In: values by row of the table, and the IPOC. Out: the bytes,
or NO_ROOM. No blank is written that the template has not: some controllers read by position.
"""

from __future__ import annotations

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart
from softdock.core.wire.numbers import NO_ROOM, write_decimal, write_integer

TABLE = Cells(
    "telegram_row",
    Cell("element", 1, "-", "where the element's name begins in `names`"),
    Cell("element_size", 1, "-", "its bytes"),
    Cell("attribute", 1, "-", "where the attribute's name begins in `names`"),
    Cell("attribute_size", 1, "-", "its bytes; 0: the element's text"),
    Cell("kind", 1, "-", "of the value"),
    Cell("required", 1, "-", "1: a telegram without it is refused"),
    Cell("hold", 1, "-", "1: HOLDON, the last value holds when a reply is late"),
)
ELEMENT, ELEMENT_SIZE, ATTRIBUTE, ATTRIBUTE_SIZE, KIND, REQUIRED, HOLD = TABLE.at
TABLE_COLUMNS = TABLE.size
PIECE = Cells(
    "telegram_piece",
    Cell("literal", 1, "-", "where its bytes begin in `literals`"),
    Cell("literal_size", 1, "-", "how many"),
    Cell("kind", 1, "-", "of the value behind them"),
    Cell("row", 1, "-", "of that value in the table"),
    Cell("decimals", 1, "-", "that are written"),
)
LITERAL, LITERAL_SIZE, PIECE_KIND, PIECE_ROW, DECIMALS = PIECE.at
PIECE_COLUMNS = PIECE.size
KINDS = ("nothing", "double", "long", "bool", "string", "ipoc")
NOTHING, DOUBLE, LONG, BOOL, STRING, IPOC = range(len(KINDS))
REASONS = (
    "ok",
    "longer than its buffer",
    "malformed",
    "another root element",
    "another Type",
    "a value that is no number",
    "a value given twice",
    "a value is missing",
    "no IPOC",
)
(
    OK,
    TOO_LONG,
    MALFORMED,
    WRONG_ROOT,
    WRONG_TYPE,
    BAD_NUMBER,
    REPEATED,
    MISSING,
    NO_IPOC,
) = range(len(REASONS))
LONGEST = 4096  # bytes; a file with all that RSI offers needs 1.5 kB


@apart
def write(literals, pieces, values, ipoc, out):
    """A telegram from its template: its size, or NO_ROOM."""
    at = 0
    for i in range(pieces.shape[0]):
        piece = pieces[i]
        start, size, kind = piece[LITERAL], piece[LITERAL_SIZE], piece[PIECE_KIND]
        if at + size > min(out.shape[0], LONGEST) or start + size > literals.shape[0]:
            return NO_ROOM
        for j in range(size):
            out[at + j] = literals[start + j]
        at += size
        if kind == IPOC:
            at = write_integer(out, at, ipoc)
        elif kind == DOUBLE:
            at = write_decimal(out, at, values[piece[PIECE_ROW]], piece[DECIMALS])
        elif kind in (LONG, BOOL):
            at = write_decimal(out, at, values[piece[PIECE_ROW]], 0)
        if at < 0:
            return NO_ROOM
    return at
