"""The scanner of KUKA RSI telegrams, driven by a table of names.

In: a datagram and a table (telegram.py). Out: a status, the IPOC as int64, the values by row and
which rows there were. Blanks, either quote, any order, any decimals and elements that the table
does not know are taken; comments, elements within elements of elements, entities in a number,
repeated values and a missing IPOC are refused. Nothing is read behind `size`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.generated import replacing
from softdock.core.wire.numbers import is_blank, scan_decimal, scan_integer, skip_blanks
from softdock.core.wire.telegram import (
    ATTRIBUTE,
    ATTRIBUTE_SIZE,
    BAD_NUMBER,
    BOOL,
    ELEMENT,
    ELEMENT_SIZE,
    IPOC,
    KIND,
    LONGEST,
    MALFORMED,
    MISSING,
    NO_IPOC,
    OK,
    REPEATED,
    REQUIRED,
    STRING,
    TOO_LONG,
    WRONG_ROOT,
    WRONG_TYPE,
)
from softdock.core.wire.xml_tokens import (
    FALSE_WORD,
    GREATER,
    LESS,
    SLASH,
    TRUE_WORD,
    TYPE,
    end_of_name,
    find_root,
    is_padding,
    is_word,
    quoted,
    same_bytes,
)


@compiled
def _find(data, element, element_size, attribute, attribute_size, names, table, after):
    """The row of a value, sought from behind the last one found: telegrams keep their order."""
    rows = table.shape[0]
    for i in range(1, rows):
        row = after + i
        row = row if row < rows else row - rows + 1
        r = table[row]
        if same_bytes(
            data, attribute, attribute_size, names, r[ATTRIBUTE], r[ATTRIBUTE_SIZE]
        ) and same_bytes(data, element, element_size, names, r[ELEMENT], r[ELEMENT_SIZE]):
            return row
    return 0


@apart
def _take(data, at, end, kind, row, values):
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


_moved = replacing(Place, "at")
_found = replacing(Place, "row", "ipoc")
_inside = replacing(Place, "at", "depth", "element", "element_size", "text")


@compiled
def _begun(at):
    """Before the root."""
    return Place(at=at, depth=0, row=0, ipoc=0, element=0, element_size=0, text=0, status=OK)


@compiled
def _refused(place, status):
    return Place(
        at=0, depth=0, row=0, ipoc=place.ipoc, element=0, element_size=0, text=0, status=status
    )


@apart
def _value(data, place, name, name_size, attribute, attribute_size, first, last, tables):
    """A value that was found: into its row if the table knows it. Moves `row` and `ipoc` only."""
    names, table, values, seen = tables
    row = _find(
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
        return _refused(place, REPEATED)
    seen[row] = 1
    status, number = _take(data, first, last, table[row, KIND], row, values)
    if status != OK:
        return _refused(place, status)
    ipoc = number if table[row, KIND] == IPOC else place.ipoc
    return _found(place, row, ipoc)


@compiled
def _end_tag(data, size, place, tables):
    """`</name>`: the root's ends the scan, an element's ends its text."""
    names, table, _, _ = tables
    p, name = place, place.at + 2
    after = end_of_name(data, name, size)
    at = skip_blanks(data, after, size)
    if at >= size or data[at] != GREATER or p.depth == 0:
        return _refused(p, MALFORMED)
    length, root = after - name, table[0]
    if p.depth == 1:
        if not same_bytes(data, name, length, names, root[ELEMENT], root[ELEMENT_SIZE]):
            return _refused(p, MALFORMED)
        return _inside(p, at=at + 1, depth=0, element=0, element_size=0, text=0)
    if not same_bytes(data, name, length, data, p.element, p.element_size):
        return _refused(p, MALFORMED)
    p = _value(
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
    return _inside(p, at=at + 1, depth=1, element=0, element_size=0, text=0)


@compiled
def _check_type(data, place, first, last, tables):
    """The root's `Type`, which must be what the Ethernet file says."""
    names, table, _, seen = tables
    root = table[0]
    if seen[0] != 0:
        return _refused(place, REPEATED)
    seen[0] = 1
    free = root[ATTRIBUTE_SIZE] == 0
    if free or same_bytes(data, first, last - first, names, root[ATTRIBUTE], root[ATTRIBUTE_SIZE]):
        return place
    return _refused(place, WRONG_TYPE)


@apart
def _attributes(data, size, place, name, name_size, tables):
    """All attributes of a start tag; stops at its `>` or `/`."""
    p, at = place, place.at
    while at < size and data[at] != GREATER and data[at] != SLASH:
        attribute, at = at, end_of_name(data, at, size)
        length = at - attribute
        first, last, at = quoted(data, at, size)
        if length == 0 or at < 0:
            return _refused(p, MALFORMED)
        if p.depth > 0:
            p = _value(
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
    return _moved(p, at)


@compiled
def _start_tag(data, size, place, tables):
    """`<name ...>` or `<name .../>`, of the root or of an element below it."""
    names, table, _, _ = tables
    p, name, root = place, place.at + 1, table[0]
    after = end_of_name(data, name, size)
    length = after - name
    if length == 0 or p.depth > 1:
        return _refused(p, MALFORMED)
    if p.depth == 0 and not same_bytes(
        data, name, length, names, root[ELEMENT], root[ELEMENT_SIZE]
    ):
        return _refused(p, WRONG_ROOT)
    blanks = skip_blanks(data, after, size)
    p = _attributes(data, size, _moved(p, blanks), name, length, tables)
    if p.status != OK:
        return p
    at = p.at + 1
    is_empty = p.at < size and data[p.at] == SLASH
    if is_empty:
        at += 1
    if at > size or data[at - 1] != GREATER:
        return _refused(p, MALFORMED)
    if is_empty:
        return _inside(p, at=at, depth=p.depth, element=0, element_size=0, text=0)
    return _inside(p, at=at, depth=p.depth + 1, element=name, element_size=length, text=at)


@compiled
def _all_there(place, table, seen):
    if table[0, ATTRIBUTE_SIZE] > 0 and seen[0] == 0:
        return WRONG_TYPE
    for back in range(1, table.shape[0]):  # IPOC is the last row, and is missed first
        row = table.shape[0] - back
        if table[row, REQUIRED] != 0 and seen[row] == 0:
            return NO_IPOC if table[row, KIND] == IPOC else MISSING
    return OK


@apart
def scan(data, size, names, table, values, seen):
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
    place = _start_tag(data, size, _begun(at), tables)
    while place.status == OK and place.depth > 0:
        at = place.at
        while at < size and data[at] != LESS:
            at += 1
        if at + 1 >= size:
            return MALFORMED, 0
        if data[at + 1] == SLASH:
            place = _end_tag(data, size, _moved(place, at), tables)
        else:
            place = _start_tag(data, size, _moved(place, at), tables)
    if place.status != OK:
        return place.status, 0
    if not is_padding(data, place.at, size):
        return MALFORMED, 0
    return _all_there(place, table, seen), place.ipoc
