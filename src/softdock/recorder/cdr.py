"""ROS 2 messages in bytes: CDR, little endian, as DDS and MCAP have it (OMG DDSI-RTPS, 10.2).

A message starts with the four bytes 00 01 00 00; behind them every number stands at a multiple of
its own size, counted from there. A string is its length with the closing zero (uint32), its bytes
and the zero; a sequence is its length (uint32) and its items.

Here strings and lengths are constant for a message, so that each number's place is known before:
many rows are encoded at once, as columns of a table of bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.core.instants import SECOND

START = b"\x00\x01\x00\x00"


class Text(NamedTuple):
    """A constant string."""

    text: str


class Length(NamedTuple):
    """Length of a sequence."""

    items: int


class Numbers(NamedTuple):
    """One or several numbers, filled in for each row."""

    name: str
    kind: str = "<f8"  # numpy's name of the type
    items: int = 1


Part = Text | Length | Numbers


class Message:
    """The bytes of a message with constant strings: `encode` fills in the numbers of many rows."""

    def __init__(self, *parts: Part) -> None:
        self._bytes = bytearray(START)
        self._places: dict[str, tuple[int, str, int]] = {}
        for part in parts:
            if isinstance(part, Text):
                data = part.text.encode() + b"\x00"
                self._number(len(data))
                self._bytes += data
            elif isinstance(part, Length):
                self._number(part.items)
            elif part.items:
                size = np.dtype(part.kind).itemsize
                self._align(size)
                self._places[part.name] = (len(self._bytes), part.kind, part.items)
                self._bytes += bytes(size * part.items)
        fields = {name: (f"({n},){kind}", at) for name, (at, kind, n) in self._places.items()}
        self.size = len(self._bytes)
        self._row = np.dtype(
            {
                "names": list(fields),
                "formats": [form for form, _ in fields.values()],
                "offsets": [at for _, at in fields.values()],
                "itemsize": self.size,
            }
        )

    def _align(self, size: int) -> None:
        self._bytes += bytes(-(len(self._bytes) - len(START)) % size)

    def _number(self, value: int) -> None:
        self._align(4)
        self._bytes += value.to_bytes(4, "little")

    def encode(self, count: int, columns: dict[str, np.ndarray]) -> list[bytes]:
        """`count` messages; a column has one row for each, of as many numbers as declared."""
        # into the bytes themselves: numpy's copies of such a table leave out what has no name
        buffer = bytearray(bytes(self._bytes) * count)
        table = np.frombuffer(buffer, dtype=self._row)
        for name, values in columns.items():
            table[name] = np.asarray(values).reshape(count, -1)
        data, size = bytes(buffer), self.size
        return [data[i * size : (i + 1) * size] for i in range(count)]

    def decode(self, messages: list[bytes]) -> dict[str, np.ndarray]:
        """The numbers again, one row per message. Raises `ValueError` on one of another size."""
        if any(len(one) != self.size for one in messages):
            raise ValueError(f"a message that has not {self.size} bytes")
        table = np.frombuffer(b"".join(messages), dtype=self._row)
        return {name: table[name] for name in self._row.names or ()}


def stamp_parts(prefix: str = "") -> tuple[Part, ...]:
    """builtin_interfaces/Time."""
    return (Numbers(f"{prefix}sec", "<i4"), Numbers(f"{prefix}nanosec", "<u4"))


def header_parts(frame: str, prefix: str = "") -> tuple[Part, ...]:
    """std_msgs/Header."""
    return (*stamp_parts(prefix), Text(frame))


def stamps(time_ns: np.ndarray, prefix: str = "") -> dict[str, np.ndarray]:
    """Columns of a time in ns since 1970."""
    whole = np.asarray(time_ns, dtype=np.int64)
    return {f"{prefix}sec": whole // SECOND, f"{prefix}nanosec": whole % SECOND}
