"""The compiled loop as Python starts it: sockets, buffers, a thread, and what the machine granted.

The loop (rig/wire/serve.py) releases the interpreter's lock, so whatever Python does beside
it does not delay it. SCHED_FIFO and locked memory are asked for and what was granted is said;
nothing is assumed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import SECOND
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.sockets import Port, make_wall_clock
from softdock.rig.wire import serve as loop
from softdock.rig.wire import system_calls as calls
from softdock.rig.wire.links import OTHER_PORT, OTHER_SENDERS, SENDER_COLUMNS, SENDER_PORT
from softdock.rig.wire.program import HoldProgram

LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE
AS_USED = 4  # MCL_ONFAULT (Linux 4.4): a library's pages that nothing reads stay on the disc
ROOM = 65536  # bytes of a datagram
FOR_EVER_S = 1e9


@dataclass(frozen=True)
class Granted:
    """What the machine gave, in words where it gave nothing."""

    fifo: int  # priority; 0: none
    locked: bool
    refusals: tuple[str, ...]


def ask_priority(priority: int) -> tuple[int, str]:
    """SCHED_FIFO for this thread: the priority, or 0 and why."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (AttributeError, OSError) as error:
        return 0, f"SCHED_FIFO {priority}: {error}"
    return priority, ""


def ask_locked_memory() -> tuple[bool, str]:
    """All pages that this process uses kept in memory: those that it has read or written, and will.
    Whole, the compiler's library alone has 150 MB."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        refused = libc.mlockall(LOCK_ALL | AS_USED) != 0 and libc.mlockall(LOCK_ALL) != 0
    except (AttributeError, OSError, TypeError) as error:  # Windows has no such call
        return False, f"mlockall: {error}"
    return (False, f"mlockall: {os.strerror(ctypes.get_errno())}") if refused else (True, "")


def unlock_memory() -> None:
    """What a process takes from here on need not stay in memory."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).munlockall()


@contextlib.contextmanager
def real_time(priority: int, lock: bool) -> Iterator[Granted]:
    """SCHED_FIFO for this thread and locked memory for its process, as far as they are granted.
    The memory is given back at the end: locked, all that the process asks for later would be
    filled at once, thread stacks and buffers that are never used too."""
    fifo, why = ask_priority(priority) if priority > 0 else (0, "")
    locked, why_not = ask_locked_memory() if lock else (False, "")
    try:
        yield Granted(fifo, locked, tuple(w for w in (why, why_not) if w))
    finally:
        if locked:
            unlock_memory()


class LoopArrays:
    """What a loop keeps beside its peers' telegrams, and its programs read: the wall clock, and who
    sends for each robot."""

    def __init__(self) -> None:
        self.wall = make_wall_clock()
        self.senders = np.zeros((loop.ROBOTS, SENDER_COLUMNS), np.int64)


def make_wire(wall: np.ndarray | None = None) -> calls.Wire:
    """Buffers of one loop."""
    arrays: dict[str, np.ndarray] = {
        "header": np.zeros((calls.BATCH, calls.HEADER_WORDS), np.int64),
        "part": np.zeros((calls.BATCH, calls.PART_WORDS), np.int64),
        "control": np.zeros((calls.BATCH, calls.CONTROL_WORDS), np.int64),
        "source": np.zeros((calls.BATCH, calls.SOURCE_WORDS), np.int64),
        "reply": np.zeros(calls.SOURCE_WORDS, np.int64),
        "data": np.full((calls.BATCH, ROOM), 0, np.uint8),  # written now: no page is missing later
        "out": np.zeros(ROOM, np.uint8),
        "clock": np.zeros(2, np.int64),
        "timeout": np.zeros(2, np.int64),
    }
    addresses = np.array([a.ctypes.data for a in arrays.values()], np.int64)
    return calls.Wire(
        addresses=addresses, wall=make_wall_clock() if wall is None else wall, **arrays
    )


def encode_peer(peer: tuple[str, int]) -> int:
    """An address and a port as the loop compares them."""
    return int.from_bytes(struct.pack(">H", peer[1]) + socket.inet_aton(peer[0]), "little")


def make_sockets(
    ports: Sequence[Port | None], rows: int, beside: LoopArrays | None = None
) -> loop.Sockets:
    """What the loop polls; every port must have one stated peer. None: a place that is left out."""
    numbers = [loop.ABSENT if p is None else p.socket.fileno() for p in ports]
    descriptors = np.array(numbers, np.int64)
    open_to_all = [p.address for p in ports if p is not None and p.peer is None]
    if open_to_all:
        raise BadInput(Problem("peer", open_to_all[0], "a stated address for every socket"))
    peers = [0 if p is None or p.peer is None else encode_peer(p.peer) for p in ports]
    return loop.Sockets(
        descriptors=descriptors,
        address=np.array([descriptors.ctypes.data], np.int64),
        peers=np.array(peers, np.int64),
        senders=(beside or LoopArrays()).senders,
        counts=np.zeros((len(ports), loop.COUNT_COLUMNS), np.int64),
        compute=np.full((len(ports), rows), 0, np.int64),
    )


def make_hold_program(link: RobotLink, echo: bool = False) -> HoldProgram:
    """Answer every telegram with the link's present values, or with itself."""
    return HoldProgram(
        literals=link.sen.literals,
        pieces=link.sen.pieces,
        values=link.values,
        echo=np.array([int(echo)], np.int64),
    )


class CompiledServer:
    """Robots (one or two) and sensors (up to two) behind one compiled loop in a thread. They stand
    in the order chaser, target; None: this rig has it not."""

    def __init__(
        self,
        robots: Sequence[tuple[Port, RobotLink] | None],
        sensors: Sequence[tuple[Port, SensorLink] | None],
        program: Any,
        rows: int = 0,
        beside: LoopArrays | None = None,
    ) -> None:
        self.beside = beside or LoopArrays()
        robots = (*robots, *(None,) * (loop.ROBOTS - len(robots)))
        sensors = (*sensors, *(None,) * (loop.SENSORS - len(sensors)))
        ports = [None if end is None else end[0] for end in (*robots, *sensors)]
        self.sockets = make_sockets(ports, rows, self.beside)
        self.wire = make_wire(self.beside.wall)
        self.program, self.stop = program, np.zeros(1, np.int64)
        some = next(end[1] for end in robots if end is not None)  # in the place of one that is not
        self._robots = tuple((some if end is None else end[1]).arrays for end in robots)
        silent = SensorLink(1.0, 1.0)
        self._sensors = tuple((silent if end is None else end[1]).arrays for end in sensors)
        self.granted = Granted(0, False, ())
        self.end = ""

    def _serve(self, until_ns: int, silence_s: float) -> int:
        return int(
            loop.serve(
                sockets=self.sockets,
                wire=self.wire,
                program=self.program,
                robots=self._robots,
                sensors=self._sensors,
                stop=self.stop,
                until_ns=until_ns,
                silence_ns=round(silence_s * SECOND),
            )
        )

    def warm_up(self) -> None:
        """Compile the loop, or load it, before anything depends on it."""
        self._serve(0, 1.0)

    def serve_until(self, until_ns: int) -> str:
        """The loop in this thread, until an instant or until `stop[0]`: why it ended."""
        self.end = loop.ENDS[self._serve(until_ns, FOR_EVER_S)]
        return self.end

    def run(
        self, seconds: float, silence_s: float = FOR_EVER_S, priority: int = 0, lock: bool = False
    ) -> str:
        """The loop in a thread of its own: why it ended, one of serve.ENDS."""

        def work() -> None:
            with real_time(priority, lock) as self.granted:
                until = time.monotonic_ns() + round(seconds * SECOND)
                self.end = loop.ENDS[self._serve(until, silence_s)]

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return self.end

    def compute_us(self) -> np.ndarray:
        """From receiving a telegram to its answer sent, of all answers kept [us]; the robots take
        turns, as they were answered."""
        times = self.sockets.compute.T
        return times[times > 0] / 1e3

    def counts(self, which: int) -> dict[str, int]:
        row = self.sockets.counts[which]
        sender = self.beside.senders[which] if which < loop.ROBOTS else np.zeros(SENDER_COLUMNS)
        return {
            "received": int(row[loop.RECEIVED]),
            "answered": int(row[loop.ANSWERED]),
            "skipped": int(row[loop.SKIPPED]),
            "foreign": int(row[loop.FOREIGN]),
            "slowest_us": int(row[loop.SLOWEST_NS]) // 1000,
            "sender_port": int(sender[SENDER_PORT]),
            "other_senders": int(sender[OTHER_SENDERS]),
            "other_port": int(sender[OTHER_PORT]),
        }
