"""Rings in one file of shared memory: what a loop writes and a recorder follows, by any process.

The file lies in memory (/dev/shm) where there is such a folder, and outlives both processes: after
a crash it still holds the last rows. Its parts: a page of control words, the description (JSON: the
streams and what is said about the recording), then a ring for each stream. All room is taken when
it is made: a write to a page that memory has no room for would kill the loop.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.errors import BadRecording
from softdock.recording.ring_layout import CONTENTS, push_row
from softdock.recording.streams import About, Stream, parse_about, parse_stream

MAGIC, VERSION = 0x31474E4952445346, 1  # the bytes "FSDRING1"
PAGE = 4096
WORD = 8
CONTROL = Cells(
    "ring_control",
    Cell("magic"),
    Cell("version"),
    Cell("described", 1, "bytes", "of the description"),
    Cell("closed", 1, "-", "1: the loop has ended and will write no more"),
    Cell("writer", 1, "-", "process that writes"),
    Cell("writer_began", 1, "ticks", "when that process began: numbers are used again"),
    Cell("follower", 1, "-", "process that records"),
    Cell("follower_began", 1, "ticks"),
    Cell("looked_ns", 1, "ns", "when the last look that ended had begun, monotonic"),
    Cell("slowest_ns", 1, "ns", "longest time between two looks"),
    Cell("refused", 1, "-", "errno of the disc; 0: it takes everything"),
    Cell("bytes", 1, "bytes", "that the disc has taken"),
    Cell("ended", 1, "-", "1: the file is finished"),
    Cell("recovered", 1, "-", "1: another file was made of it, with every row that it holds"),
)
STREAM = Cells(  # a cache line each, so that reader and writer do not share one
    "ring_stream",
    Cell("count", 1, "rows", "written by the loop"),
    Cell("padding", 7),
    Cell("taken", 1, "rows", "taken by the recorder"),
    Cell("lost", 1, "rows", "written over before the recorder came, or dropped for a full disc"),
    Cell("more_padding", 6),
)
FIRST_STREAM = 64  # word at which the streams' words begin
MOST_STREAMS = (PAGE // WORD - FIRST_STREAM) // STREAM.size
MOST_DESCRIBED = 64_000_000  # bytes
AT, IN = CONTROL.at, STREAM.at
SECONDS = 60.0  # that a ring holds
FEWEST_SECONDS = 2.0


@dataclass
class Ring:
    """One stream's ring: what compiled code needs to push."""

    stream: Stream
    slots: np.ndarray  # int64 (rows, CONTENTS + width)
    words: np.ndarray  # int64, the stream's control words

    @property
    def count(self) -> np.ndarray:
        """int64 (1,): rows written so far."""
        return self.words[IN.count : IN.count + 1]

    def push(self, row: np.ndarray) -> None:
        """One row of float64. The first call loads machine code: `warm_up` before."""
        push_row(self.slots, self.count, np.ascontiguousarray(row, float).view(np.int64))


class RingFile:
    """An open file of rings."""

    def __init__(self, path: Path, memory: mmap.mmap, described: dict[str, Any]) -> None:
        self.path, self._memory = path, memory
        self.identity = str(described.get("id", ""))
        self.file = str(described.get("file", ""))  # the recording that is made from it
        self.about: About = parse_about(described["about"])
        self.streams = tuple(parse_stream(one) for one in described["streams"])
        self.control = np.frombuffer(memory, np.int64, PAGE // WORD)
        self.rings: list[Ring] = []
        at = PAGE + _pages(int(self.control[AT.described]))
        for i, (stream, rows) in enumerate(zip(self.streams, described["rows"], strict=True)):
            words = (CONTENTS + stream.width) * int(rows)
            slots = np.frombuffer(memory, np.int64, words, at).reshape(int(rows), -1)
            first = FIRST_STREAM + i * STREAM.size
            self.rings.append(Ring(stream, slots, self.control[first : first + STREAM.size]))
            at += _pages(words * WORD)

    def ring(self, name: str) -> Ring:
        return next(ring for ring in self.rings if ring.stream.name == name)

    def set(self, name: str, value: int) -> None:
        self.control[getattr(AT, name)] = value

    def get(self, name: str) -> int:
        return int(self.control[getattr(AT, name)])

    @property
    def writer_lives(self) -> bool:
        return is_process_alive(self.get("writer"), self.get("writer_began"))

    @property
    def follower_lives(self) -> bool:
        return is_process_alive(self.get("follower"), self.get("follower_began"))

    def remove(self) -> None:
        """Take the file away; whoever has it open keeps it until it ends."""
        self.path.unlink(missing_ok=True)


def _pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


def _rows(stream: Stream, seconds: float) -> int:
    """The next power of two."""
    return max(64, 1 << (max(1, round(stream.per_second * seconds)) - 1).bit_length())


def _size(streams: Sequence[Stream], seconds: float, described: int) -> int:
    rings = (_pages(_rows(s, seconds) * (CONTENTS + s.width) * WORD) for s in streams)
    return PAGE + _pages(described) + sum(rings)


def find_memory_folder() -> Path:
    """Where files are memory; the folder for temporary files where there is none."""
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())


def make_ring(
    streams: Sequence[Stream],
    about: About,
    file: str | Path = "",
    folder: Path | None = None,
    seconds: float = SECONDS,
) -> RingFile:
    """A new file of rings that hold some seconds each; fewer where memory has no room for them."""
    if not 0 < len(streams) <= MOST_STREAMS:
        raise ValueError(f"{len(streams)} streams; a ring file has 1 to {MOST_STREAMS}")
    identity = secrets.token_hex(8)
    path = (folder or find_memory_folder()) / f"softdock-{identity}.ring"
    binary = getattr(os, "O_BINARY", 0)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | binary, 0o600)
    try:
        while True:
            described = {
                "id": identity,
                "file": str(Path(file).resolve()) if file else "",
                "rows": [_rows(stream, seconds) for stream in streams],
                "streams": [stream.to_dict() for stream in streams],
                "about": about.to_dict(),
            }
            text = json.dumps(described).encode()
            size = _size(streams, seconds, len(text))
            try:
                _take_room(handle, size)
                break
            except OSError as error:
                os.ftruncate(handle, 0)
                seconds *= 0.5
                if seconds < FEWEST_SECONDS:
                    raise BadRecording(
                        f"{path}: memory has no room for a ring of {size} bytes ({error.strerror})"
                    ) from None
        memory = _map_whole(handle, size)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    control = np.frombuffer(memory, np.int64, PAGE // WORD)
    memory[PAGE : PAGE + len(text)] = text
    control[AT.described], control[AT.version] = len(text), VERSION
    control[AT.writer], control[AT.writer_began] = os.getpid(), get_process_start(os.getpid())
    control[AT.magic] = MAGIC  # last: from here on it is a ring
    return RingFile(path, memory, described)


def _take_room(handle: int, size: int) -> None:
    """All pages now, where the system can (not macOS, not Windows): none is missing later."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
    else:
        os.ftruncate(handle, size)


def _map_whole(handle: int, size: int) -> mmap.mmap:
    """Every page mapped now, where the system can: the loop's first rows wait for none."""
    if hasattr(mmap, "MAP_POPULATE"):
        return mmap.mmap(handle, size, mmap.MAP_SHARED | mmap.MAP_POPULATE)
    return mmap.mmap(handle, size)


def open_ring(path: str | Path, read_only: bool = False) -> RingFile:
    """The rings of a file that exists. Raises `BadRecording` if it is none. `read_only`: mapped so
    that the system itself refuses every write, as for whoever only looks on."""
    try:
        access = os.O_RDONLY if read_only else os.O_RDWR
        handle = os.open(path, access | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise BadRecording(f"{path}: cannot be opened ({error.strerror})") from None
    try:
        size = os.fstat(handle).st_size
        if size < PAGE:
            raise BadRecording(f"{path}: no ring: {size} bytes")
        access = mmap.ACCESS_READ if read_only else mmap.ACCESS_WRITE
        memory = mmap.mmap(handle, size, access=access)
    except (OSError, ValueError) as error:
        raise BadRecording(f"{path}: cannot be read: {error}") from None
    finally:
        os.close(handle)
    control = np.frombuffer(memory, np.int64, PAGE // WORD)
    if control[AT.magic] != MAGIC or control[AT.version] != VERSION:
        raise BadRecording(f"{path}: no ring of this version of softdock")
    length = int(control[AT.described])
    if not 0 < length <= min(MOST_DESCRIBED, size - PAGE):
        raise BadRecording(f"{path}: its description is cut")
    try:
        return RingFile(Path(path), memory, json.loads(memory[PAGE : PAGE + length]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadRecording(f"{path}: its description cannot be read: {error}") from None


def warm_up() -> None:
    """Load the machine code of `Ring.push`, before a clock runs."""
    push_row(np.zeros((2, CONTENTS + 1), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))


def is_ring(path: str | Path) -> bool:
    """Whether a file begins as rings do."""
    try:
        with open(path, "rb") as file:
            return file.read(WORD) == MAGIC.to_bytes(WORD, "little")
    except OSError:
        return False


def get_process_start(process: int) -> int:
    """When a process began, in the system's ticks; 0: not known."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0


def is_process_alive(process: int, since: int) -> bool:
    """Whether that very process is still there (and is more than a name waiting to be read)."""
    if process <= 0:
        return False
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0] not in (b"Z", b"X") and (since == 0 or int(fields[19]) == since)
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return False
    except (OSError, IndexError, ValueError):
        pass
    if os.name != "posix":
        return True  # signal 0 asks nothing on Windows: it ends the process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
