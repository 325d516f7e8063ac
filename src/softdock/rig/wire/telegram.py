"""KUKA RSI telegrams, `Rob` and `Sen`: the tables that describe them, the writer and the scanner.

Both are made from the controller's Ethernet file (rig/drivers/rsi_config.py). A table has one row
per value; row 0 is the root with the `Type` it must have (size 0: any). A template has one row per
piece: literal bytes, then a value. In: values by row of the table, and the IPOC. Out: the bytes, or
NO_ROOM. No blank is written that the template has not: some controllers read by position.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, noinline
from softdock.rig.wire.numbers import (
    NO_ROOM,
    is_blank,
    scan_decimal,
    scan_integer,
    skip_blanks,
    write_decimal,
    write_integer,
)

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


@noinline
def write_telegram(literals, pieces, values, ipoc, out):
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


# The scanner of KUKA RSI telegrams, driven by a table of names.
#
# In: a datagram and its table. Out: a status, the IPOC as int64, the values by row and
# which rows there were. Blanks, either quote, any order, any decimals and elements that the table
# does not know are taken; comments, elements within elements of elements, entities in a number,
# repeated values and a missing IPOC are refused. Nothing is read behind `size`.

# The pieces of XML that a telegram is made of: names, quotes, where the root begins.
#
# In: a datagram and the range that may be read. Out: places in it; -1 where there is nothing.

LESS, GREATER, SLASH, EQUALS, DOUBLE_QUOTE, QUOTE = 60, 62, 47, 61, 34, 39
QUESTION, EXCLAMATION, AMPERSAND, NUL = 63, 33, 38, 0
NO_NAME = (
    LESS,
    GREATER,
    SLASH,
    EQUALS,
    DOUBLE_QUOTE,
    QUOTE,
    QUESTION,
    EXCLAMATION,
    AMPERSAND,
    NUL,
)
CASE = 32  # bit that tells lower from upper letters
TYPE = (84, 89, 80, 69)
TRUE_WORD, FALSE_WORD = (84, 82, 85, 69), (70, 65, 76, 83, 69)


@compiled
def is_name(c):
    return not is_blank(c) and c not in NO_NAME


@compiled
def find_name_end(data, at, end):
    while at < end and is_name(data[at]):
        at += 1
    return at


@compiled
def are_bytes_equal(data, at, size, names, start, length):
    if size != length:
        return False
    for i in range(size):  # noqa: SIM110
        if data[at + i] != names[start + i]:
            return False
    return True


@compiled
def is_word(data, at, size, word):
    """Whether some bytes are a word, in upper or lower case."""
    if size != len(word):
        return False
    for i in range(size):  # noqa: SIM110
        if (int(data[at + i]) & ~CASE) != word[i]:
            return False
    return True


@compiled
def find_quoted(data, at, end):
    """A value in quotes: where it begins and ends, and where the scan goes on; -1 without one."""
    at = skip_blanks(data, at, end)
    if at >= end or data[at] != EQUALS:
        return 0, 0, -1
    at = skip_blanks(data, at + 1, end)
    if at >= end or (data[at] != DOUBLE_QUOTE and data[at] != QUOTE):
        return 0, 0, -1
    quote, first = data[at], at + 1
    last = first
    while last < end and data[last] != quote and data[last] != LESS:
        last += 1
    if last >= end or data[last] != quote:
        return 0, 0, -1
    return first, last, last + 1


@compiled
def find_root(data, size):
    """Past blanks and an XML declaration: where the root's `<` stands; -1: there is none."""
    at = skip_blanks(data, 0, size)
    if at + 1 < size and data[at] == LESS and data[at + 1] == QUESTION:
        at += 2
        while at + 1 < size and not (data[at] == QUESTION and data[at + 1] == GREATER):
            at += 1
        at = skip_blanks(data, min(at + 2, size), size)
    return at if at < size and data[at] == LESS else -1


@compiled
def is_padding(data, at, size):
    """Whether nothing but blanks and zeros is left."""
    while at < size and (is_blank(data[at]) or data[at] == NUL):
        at += 1
    return at == size


@compiled
def _find_row(data, element, element_size, attribute, attribute_size, names, table, after):
    """The row of a value, sought from behind the last one found: telegrams keep their order."""
    rows = table.shape[0]
    for i in range(1, rows):
        row = after + i
        row = row if row < rows else row - rows + 1
        r = table[row]
        if are_bytes_equal(
            data, attribute, attribute_size, names, r[ATTRIBUTE], r[ATTRIBUTE_SIZE]
        ) and are_bytes_equal(data, element, element_size, names, r[ELEMENT], r[ELEMENT_SIZE]):
            return row
    return 0


@noinline
def _store_value(data, at, end, kind, row, values):
    """One value into its row: a status, and the IPOC if it is one."""
    at = skip_blanks(data, at, end)
    while end > at and is_blank(data[end - 1]):
        end -= 1
    if kind == STRING:
        return OK, 0
    if kind == IPOC:
        number, after, found = scan_integer(data, at, end)
        return (OK if found and after == end else BAD_NUMBER), number
    if kind == BOOL and is_word(data, at, end - at, TRUE_WORD):
        values[row] = 1.0
        return OK, 0
    if kind == BOOL and is_word(data, at, end - at, FALSE_WORD):
        values[row] = 0.0
        return OK, 0
    value, after, found = scan_decimal(data, at, end)
    if not found or after != end:
        return BAD_NUMBER, 0
    values[row] = value
    return OK, 0


class Place(NamedTuple):
    """How far a scan has come."""

    at: int  # next byte
    depth: int  # 0 outside the root, 1 in it, 2 in one of its elements
    row: int  # of the last value found
    ipoc: int
    element: int  # where the open element's name begins
    element_size: int
    text: int  # where its text begins
    status: int


_move = make_replacer(Place, "at")
_set_row = make_replacer(Place, "row", "ipoc")
_set_element = make_replacer(Place, "at", "depth", "element", "element_size", "text")


@compiled
def _start_scan(at):
    """Before the root."""
    return Place(at=at, depth=0, row=0, ipoc=0, element=0, element_size=0, text=0, status=OK)


@compiled
def _refuse(place, status):
    return Place(
        at=0, depth=0, row=0, ipoc=place.ipoc, element=0, element_size=0, text=0, status=status
    )


@noinline
def _scan_value(data, place, name, name_size, attribute, attribute_size, first, last, tables):
    """A value that was found: into its row if the table knows it. Moves `row` and `ipoc` only."""
    names, table, values, seen = tables
    row = _find_row(
        data,
        element=name,
        element_size=name_size,
        attribute=attribute,
        attribute_size=attribute_size,
        names=names,
        table=table,
        after=place.row,
    )
    if row == 0:
        return place
    if seen[row] != 0:
        return _refuse(place, REPEATED)
    seen[row] = 1
    status, number = _store_value(data, first, last, table[row, KIND], row, values)
    if status != OK:
        return _refuse(place, status)
    ipoc = number if table[row, KIND] == IPOC else place.ipoc
    return _set_row(place, row, ipoc)


@compiled
def _scan_end_tag(data, size, place, tables):
    """`</name>`: the root's ends the scan, an element's ends its text."""
    names, table, _, _ = tables
    p, name = place, place.at + 2
    after = find_name_end(data, name, size)
    at = skip_blanks(data, after, size)
    if at >= size or data[at] != GREATER or p.depth == 0:
        return _refuse(p, MALFORMED)
    length, root = after - name, table[0]
    if p.depth == 1:
        if not are_bytes_equal(data, name, length, names, root[ELEMENT], root[ELEMENT_SIZE]):
            return _refuse(p, MALFORMED)
        return _set_element(p, at=at + 1, depth=0, element=0, element_size=0, text=0)
    if not are_bytes_equal(data, name, length, data, p.element, p.element_size):
        return _refuse(p, MALFORMED)
    p = _scan_value(
        data,
        place=p,
        name=p.element,
        name_size=p.element_size,
        attribute=0,
        attribute_size=0,
        first=p.text,
        last=p.at,
        tables=tables,
    )
    return _set_element(p, at=at + 1, depth=1, element=0, element_size=0, text=0)


@compiled
def _check_type(data, place, first, last, tables):
    """The root's `Type`, which must be what the Ethernet file says."""
    names, table, _, seen = tables
    root = table[0]
    if seen[0] != 0:
        return _refuse(place, REPEATED)
    seen[0] = 1
    free = root[ATTRIBUTE_SIZE] == 0
    if free or are_bytes_equal(
        data, first, last - first, names, root[ATTRIBUTE], root[ATTRIBUTE_SIZE]
    ):
        return place
    return _refuse(place, WRONG_TYPE)


@noinline
def _scan_attributes(data, size, place, name, name_size, tables):
    """All attributes of a start tag; stops at its `>` or `/`."""
    p, at = place, place.at
    while at < size and data[at] != GREATER and data[at] != SLASH:
        attribute, at = at, find_name_end(data, at, size)
        length = at - attribute
        first, last, at = find_quoted(data, at, size)
        if length == 0 or at < 0:
            return _refuse(p, MALFORMED)
        if p.depth > 0:
            p = _scan_value(
                data,
                p,
                name,
                name_size,
                attribute,
                attribute_size=length,
                first=first,
                last=last,
                tables=tables,
            )
        elif is_word(data, attribute, length, TYPE):
            p = _check_type(data, p, first, last, tables)
        if p.status != OK:
            return p
        at = skip_blanks(data, at, size)
    return _move(p, at)


@compiled
def _scan_start_tag(data, size, place, tables):
    """`<name ...>` or `<name .../>`, of the root or of an element below it."""
    names, table, _, _ = tables
    p, name, root = place, place.at + 1, table[0]
    after = find_name_end(data, name, size)
    length = after - name
    if length == 0 or p.depth > 1:
        return _refuse(p, MALFORMED)
    if p.depth == 0 and not are_bytes_equal(
        data, name, length, names, root[ELEMENT], root[ELEMENT_SIZE]
    ):
        return _refuse(p, WRONG_ROOT)
    blanks = skip_blanks(data, after, size)
    p = _scan_attributes(data, size, _move(p, blanks), name, length, tables)
    if p.status != OK:
        return p
    at = p.at + 1
    is_empty = p.at < size and data[p.at] == SLASH
    if is_empty:
        at += 1
    if at > size or data[at - 1] != GREATER:
        return _refuse(p, MALFORMED)
    if is_empty:
        return _set_element(p, at=at, depth=p.depth, element=0, element_size=0, text=0)
    return _set_element(p, at=at, depth=p.depth + 1, element=name, element_size=length, text=at)


@compiled
def _check_missing(place, table, seen):
    if table[0, ATTRIBUTE_SIZE] > 0 and seen[0] == 0:
        return WRONG_TYPE
    for back in range(1, table.shape[0]):  # IPOC is the last row, and is missed first
        row = table.shape[0] - back
        if table[row, REQUIRED] != 0 and seen[row] == 0:
            return NO_IPOC if table[row, KIND] == IPOC else MISSING
    return OK


@noinline
def scan_telegram(data, size, names, table, values, seen):
    """A telegram: status and IPOC; values by row, and in `seen` which rows it had."""
    for row in range(table.shape[0]):
        seen[row] = 0
        values[row] = math.nan
    if size > data.shape[0] or size < 0 or size > LONGEST:
        return TOO_LONG, 0
    at = find_root(data, size)
    if at < 0:
        return MALFORMED, 0
    tables = (names, table, values, seen)
    place = _scan_start_tag(data, size, _start_scan(at), tables)
    while place.status == OK and place.depth > 0:
        at = place.at
        while at < size and data[at] != LESS:
            at += 1
        if at + 1 >= size:
            return MALFORMED, 0
        if data[at + 1] == SLASH:
            place = _scan_end_tag(data, size, _move(place, at), tables)
        else:
            place = _scan_start_tag(data, size, _move(place, at), tables)
    if place.status != OK:
        return place.status, 0
    if not is_padding(data, place.at, size):
        return MALFORMED, 0
    return _check_missing(place, table, seen), place.ipoc
