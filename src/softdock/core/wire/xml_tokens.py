"""The pieces of XML that a telegram is made of: names, quotes, where the root begins.

In: a datagram and the range that may be read. Out: places in it; -1 where there is nothing.
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.wire.numbers import is_blank, skip_blanks

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
def end_of_name(data, at, end):
    while at < end and is_name(data[at]):
        at += 1
    return at


@compiled
def same_bytes(data, at, size, names, start, length):
    if size != length:
        return False
    for i in range(size):  # noqa: SIM110 (a generator does not compile)
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
def quoted(data, at, end):
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
