"""UDP sockets for peers: bound to a stated address, heard from a stated address only.

Python sockets, one datagram at a time: for emulators and for debugging. Arrival times are the
kernel's (SO_TIMESTAMPNS, mapped to the monotonic clock with each receive), so they do not depend on
when a thread wakes up. Where any port of a host is a peer, the one that is answered first stays it
(core/wire/senders.py).
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from typing import NamedTuple

import numpy as np

from softdock.core.instants import SECOND
from softdock.core.wire import doors, senders
from softdock.core.wire.wall_clock import OFFSET, WALL_COLUMNS
from softdock.errors import BadInput, Problem

LOOPBACK = "127.0.0.1"
LARGEST = 65535  # bytes of a datagram
SO_TIMESTAMPNS = getattr(socket, "SO_TIMESTAMPNS", 35)  # Linux
TIMESPEC = struct.Struct("@qq")


class Datagram(NamedTuple):
    data: bytes
    arrival_ns: int  # time.monotonic_ns
    source: tuple[str, int]


def monotonic_offset() -> int:
    """Wall clock less monotonic clock [ns], of the quickest of a few looks."""
    looks = []
    for _ in range(5):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        looks.append((after - before, wall - (before + after) // 2))
    return min(looks)[1]


def new_wall() -> np.ndarray:
    """WALL (core/wire/wall_clock.py), before the first look."""
    made = np.zeros(WALL_COLUMNS, np.int64)
    made[OFFSET] = monotonic_offset()
    return made


class Port:
    """One UDP socket. `peer`: whose datagrams are taken; port 0: any port of that host, until one
    is pinned."""

    def __init__(self, host: str = LOOPBACK, port: int = 0, peer: tuple[str, int] | None = None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.peer, self.foreign = peer, 0
        try:
            self.socket.bind((host, port))
        except OSError as error:
            self.socket.close()
            allowed = f"an address of this machine and a free port ({error.strerror})"
            raise BadInput(Problem("bind", f"{host}:{port}", allowed)) from None
        self.socket.setblocking(False)
        self._stamped = True
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        except OSError:
            self._stamped = False
        self._wall = new_wall()
        self._sender = np.zeros(senders.SENDER_COLUMNS, np.int64)

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.socket.getsockname()
        return host, port

    def _is_peer(self, source: tuple[str, int]) -> bool:
        return self.peer is None or (source[0] == self.peer[0] and self.peer[1] in (0, source[1]))

    def receive(self) -> Datagram | None:
        """The next datagram of the peer that has arrived; None: there is none."""
        while True:
            try:
                data, extra, _, source = self.socket.recvmsg(LARGEST, 64)
            except (BlockingIOError, ConnectionRefusedError):
                return None
            if not self._is_peer(source):
                self.foreign += 1
                continue
            arrival = self._arrival(extra)
            any_port = self.peer is not None and self.peer[1] == 0
            if any_port and not doors.may_send(self._sender, source[1], arrival):
                doors.count_other(self._sender, source[1])
                continue
            return Datagram(data, arrival, source)

    def _arrival(self, extra: list[tuple[int, int, bytes]]) -> int:
        """When a datagram that was just received arrived, by the kernel where it says so."""
        earlier, clock, now = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        doors.look_at_wall(self._wall, earlier, clock, now)
        for _level, kind, value in extra:
            if kind == SO_TIMESTAMPNS and len(value) >= TIMESPEC.size:
                seconds, ns = TIMESPEC.unpack(value[: TIMESPEC.size])
                return int(doors.arrived_at(self._wall, seconds * SECOND + ns, 0, now))
        return now

    def pin(self, source: tuple[str, int], arrival_ns: int) -> None:
        """A valid telegram came from there: other ports of the host are counted, not taken."""
        doors.has_sent(self._sender, source[1], arrival_ns)

    @property
    def others(self) -> tuple[int, int]:
        """Datagrams from other ports of the peer's host, and the last of these ports."""
        return int(self._sender[senders.OTHERS]), int(self._sender[senders.OTHER])

    def drain(self) -> list[Datagram]:
        """All that has arrived, oldest first: after a stall only the newest is worth an answer."""
        found = []
        while (datagram := self.receive()) is not None:
            found.append(datagram)
        return found

    def send(self, data: bytes, to: tuple[str, int]) -> None:
        # nobody there, or no room: as lost as any datagram may be
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            self.socket.sendto(data, to)

    def close(self) -> None:
        self.socket.close()


def wait(ports: list[Port], seconds: float) -> list[Port]:
    """Ports with something to receive, after at most some seconds."""
    ready, _, _ = select.select([p.socket for p in ports], [], [], max(0.0, seconds))
    return [p for p in ports if p.socket in ready]
