"""Mutations of a file's bytes: what a slip of the finger, a bad disc, a careless script or ill will
make of it. Each is one to four small changes; the seed and the number of a mutation make it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NUMBERS = (
    *("0", "-0.0", "-1", "nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "5e-324", "1e400"),
    *("9223372036854775807", "-9223372036854775809", "0x10", "1_000", "1" + "0" * 5000, "true"),
)
TOKENS = (
    *(
        b'""',
        b"[]",
        b"{}",
        b"[[]]",
        b"[nan]",
        b"[1, 2]",
        b'"\\u001b[31m"',
        b"1979-05-27",
        b"=",
        b".",
    ),
    *(b"\x1b[2J", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\r", b"\t", b'"', b"'"),
    *(b"<", b">", b"&", b"]]>", b"<!--", b"<?a?>", b"[" * 2000, b"a." * 100, b"x" * 70_000),
)
LINES = (
    *(
        b"[table]",
        b"[[contact]]",
        b"x = 1",
        b'"" = 1',
        b"[a.b.c.d]",
        b'name = "\\u001b]8;;\\u0007"',
    ),
    *(b"schema = 2", b"time = 1", b"methods = 3", b"[methods]", b"[[vary]]", b"runs = -1"),
)
_NUMBER = re.compile(rb"(?<![\w.])-?\d[\d_]*(\.\d+)?([eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*")

Rng = np.random.Generator
Change = Callable[[Rng, bytes], bytes]


class Mutant(NamedTuple):
    data: bytes
    what: str  # the changes, by name


def _at(rng: Rng, data: bytes) -> int:
    return int(rng.integers(len(data) + 1))


def _span(rng: Rng, data: bytes) -> tuple[int, int]:
    first = _at(rng, data)
    return first, min(len(data), first + int(rng.integers(1, 40)))


def _pick(rng: Rng, choices: tuple[bytes, ...]) -> bytes:
    return choices[int(rng.integers(len(choices)))]


def flip_a_bit(rng: Rng, data: bytes) -> bytes:
    if not data:
        return data
    i = int(rng.integers(len(data)))
    return data[:i] + bytes([data[i] ^ (1 << int(rng.integers(8)))]) + data[i + 1 :]


def cut_out(rng: Rng, data: bytes) -> bytes:
    first, last = _span(rng, data)
    return data[:first] + data[last:]


def cut_short(rng: Rng, data: bytes) -> bytes:
    return data[: _at(rng, data)]


def repeat(rng: Rng, data: bytes) -> bytes:
    first, last = _span(rng, data)
    return data[:last] + data[first:last] * int(rng.integers(1, 4)) + data[last:]


def insert_bytes(rng: Rng, data: bytes) -> bytes:
    i = _at(rng, data)
    return data[:i] + rng.bytes(int(rng.integers(1, 9))) + data[i:]


def insert_token(rng: Rng, data: bytes) -> bytes:
    i = _at(rng, data)
    return data[:i] + _pick(rng, TOKENS) + data[i:]


def insert_line(rng: Rng, data: bytes) -> bytes:
    lines = data.split(b"\n")
    lines.insert(int(rng.integers(len(lines) + 1)), _pick(rng, LINES))
    return b"\n".join(lines)


def drop_line(rng: Rng, data: bytes) -> bytes:
    lines = data.split(b"\n")
    del lines[int(rng.integers(len(lines)))]
    return b"\n".join(lines)


def swap_lines(rng: Rng, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.integers(len(lines), size=2)
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def double_line(rng: Rng, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i = int(rng.integers(len(lines)))
    return b"\n".join([*lines[: i + 1], *lines[i:]])


def other_number(rng: Rng, data: bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    one = found[int(rng.integers(len(found)))]
    return data[: one.start()] + _pick(rng, tuple(n.encode() for n in NUMBERS)) + data[one.end() :]


def token_for_a_number(rng: Rng, data: bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    one = found[int(rng.integers(len(found)))]
    return data[: one.start()] + _pick(rng, TOKENS) + data[one.end() :]


def other_word(rng: Rng, data: bytes) -> bytes:
    """A word in place of another of the same file: keys in wrong tables, choices elsewhere."""
    found = list(_WORD.finditer(data))
    if not found:
        return data
    one, other = (found[int(i)] for i in rng.integers(len(found), size=2))
    return data[: one.start()] + other.group() + data[one.end() :]


CHANGES: tuple[Change, ...] = (
    *(flip_a_bit, cut_out, cut_short, repeat, insert_bytes, insert_token, insert_line, drop_line),
    *(swap_lines, double_line, other_number, other_number, token_for_a_number, other_word),
    other_word,
)


def mutant(rng: Rng, data: bytes) -> Mutant:
    """One to four changes, at least one of which shows."""
    made, names = data, []
    while made == data or (len(names) < 4 and rng.random() < 0.3):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        made = change(rng, made)
        names.append(change.__name__)
        if len(names) > 20:
            break
    return Mutant(made, ", ".join(names))
