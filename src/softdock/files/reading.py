"""Text from a file that a user names: a regular file of bounded size in UTF-8, or a reason.

A device or a pipe could give bytes for ever, so only regular files are read. A byte-order mark is
dropped: editors write one without saying so.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

AT_ONCE = 1 << 20  # bytes: no buffer for the largest file that is allowed
LARGEST_FILE = 16_000_000  # bytes of a scenario or a campaign, long schedules written out


class Unreadable(Exception):
    """A file that cannot be read as asked. `line`: where the text stops being text."""

    def __init__(self, allowed: str, given: str = "", line: int = 1):
        super().__init__(allowed)
        self.allowed, self.given, self.line = allowed, given, line


def _at_most(stream: BinaryIO, most: int) -> bytes:
    """Read up to so many bytes."""
    data = bytearray()
    while len(data) < most and (piece := stream.read(min(AT_ONCE, most - len(data)))):
        data += piece
    return bytes(data)


def read_bytes(path: Path, most: int, what: str = "file") -> bytes:
    """All bytes of a regular file of at most `most` bytes. Raises `Unreadable`."""
    try:
        # O_NONBLOCK: opening a pipe that nobody writes to must not wait
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, os.O_RDONLY | flags)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(f"a {what} that can be read ({reason})", str(path)) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a device or a pipe"
            raise Unreadable(f"a {what}: a regular file, and this is {kind}", str(path))
        with os.fdopen(os.dup(handle), "rb") as stream:
            data = _at_most(stream, most + 1)
    except OSError as error:
        raise Unreadable(f"a {what} that can be read ({error.strerror})", str(path)) from None
    finally:
        os.close(handle)
    if len(data) > most:
        size = max(found.st_size, len(data))
        raise Unreadable(f"a {what} of at most {most} bytes", f"{size} bytes")
    return data


def read_text(path: Path, most: int = LARGEST_FILE, what: str = "file") -> str:
    """A file's text, without a byte-order mark. Raises `Unreadable`."""
    data = read_bytes(path, most, what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("UTF-8 text", hex(data[error.start]), line) from None
