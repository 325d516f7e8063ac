"""UDP sockets for peers: bound to a stated address, taking datagrams of a stated address only; and
a server over them.

Python sockets, one datagram at a time: for emulators and for debugging. Arrival times are the
kernel's (SO_TIMESTAMPNS, mapped to the monotonic clock with each receive), so they do not depend on
when a thread wakes up. Where any port of a host is a peer, the one that is answered first stays it
(rig/wire/links.py).
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import SECOND
from softdock.rig.wire import entry_points, links
from softdock.rig.wire.clocks import OFFSET, WALL_COLUMNS

LOOPBACK = "127.0.0.1"
LARGEST = 65535  # bytes of a datagram
SO_TIMESTAMPNS = getattr(socket, "SO_TIMESTAMPNS", 35)  # Linux
TIMESPEC = struct.Struct("@qq")


def is_loopback(address: str) -> bool:
    return address.startswith("127.")


class Datagram(NamedTuple):
    data: bytes
    arrival_ns: int  # time.monotonic_ns
    source: tuple[str, int]


def measure_clock_offset() -> int:
    """Wall clock less monotonic clock [ns], of the quickest of a few looks."""
    looks = []
    for _ in range(5):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        looks.append((after - before, wall - (before + after) // 2))
    return min(looks)[1]


def make_wall_clock() -> np.ndarray:
    """WALL (rig/wire/clocks.py), before the first look."""
    made = np.zeros(WALL_COLUMNS, np.int64)
    made[OFFSET] = measure_clock_offset()
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
        self._wall = make_wall_clock()
        self._sender = np.zeros(links.SENDER_COLUMNS, np.int64)

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
            if any_port and not entry_points.may_send(self._sender, source[1], arrival):
                entry_points.count_other(self._sender, source[1])
                continue
            return Datagram(data, arrival, source)

    def _arrival(self, extra: list[tuple[int, int, bytes]]) -> int:
        """When a datagram that was just received arrived, by the kernel where it says so."""
        earlier, clock, now = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        entry_points.update_wall_clock(self._wall, earlier, clock, now)
        for _level, kind, value in extra:
            if kind == SO_TIMESTAMPNS and len(value) >= TIMESPEC.size:
                seconds, ns = TIMESPEC.unpack(value[: TIMESPEC.size])
                return int(entry_points.convert_arrival(self._wall, seconds * SECOND + ns, 0, now))
        return now

    def pin(self, source: tuple[str, int], arrival_ns: int) -> None:
        """A valid telegram came from there: other ports of the host are counted, not taken."""
        entry_points.accept_sender(self._sender, source[1], arrival_ns)

    @property
    def others(self) -> tuple[int, int]:
        """Datagrams from other ports of the peer's host, and the last of these ports."""
        return int(self._sender[links.OTHER_SENDERS]), int(self._sender[links.OTHER_PORT])

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


def warm_up_ports() -> None:
    """Compile what a port calls for each datagram, or load it: a datagram of its own, received."""
    near = Port(LOOPBACK)
    near.peer = (LOOPBACK, 0)
    near.send(b"softdock", near.address)
    wait_for_ports([near], 1.0)
    if (datagram := near.receive()) is not None:
        near.pin(datagram.source, datagram.arrival_ns)
    entry_points.count_other(near._sender, 1)
    near.close()


def wait_for_ports(ports: list[Port], seconds: float) -> list[Port]:
    """Ports with something to receive, after at most some seconds."""
    ready, _, _ = select.select([p.socket for p in ports], [], [], max(0.0, seconds))
    return [p for p in ports if p.socket in ready]


# The controller's end over Python sockets: the same callback as in virtual time, for debugging.
#
# Waits for datagrams, hands a sensor's all of them and of a robot's only the newest that has
# arrived (after a stall the older ones are history; the jump of IPOC says how many there were), and
# sends what the callback answers to where the datagram came from. Not for hard real time: see
# docs/wire.md.

# when a datagram arrived [ns], who sent it, its bytes -> answers: to whom, bytes
Controller = Callable[[int, str, bytes], Iterable[tuple[str, bytes]]]
LONGEST_WAIT_S = 0.1  # so that `until` is looked at
SHORT_WAIT_S = 0.01  # so that no buffer of records overflows


@dataclass
class ServerCounts:
    """What happened."""

    datagrams: int = 0
    skipped: int = 0  # telegrams of robots that were not the newest
    answers: int = 0
    compute_ns: list[int] = field(default_factory=list)  # from arrival in Python to the answer


class Server:
    """Sockets by the peers' names. `sensors`: names whose every datagram counts."""

    def __init__(
        self,
        ports: dict[str, Port],
        controller: Controller,
        sensors: frozenset[str] = frozenset({"sensor"}),
        wake_for_sensors: bool = True,
    ) -> None:
        """`wake_for_sensors`: else their datagrams wait for the next telegram of a robot, with the
        kernel's time of arrival: thousands a second would keep Python busy."""
        self.ports, self.controller, self.sensors = ports, controller, sensors
        self._waits_for = [p for n, p in ports.items() if wake_for_sensors or n not in sensors]
        self._longest_s = LONGEST_WAIT_S if wake_for_sensors else SHORT_WAIT_S
        self.addresses: dict[str, tuple[str, int]] = {}
        self.served = ServerCounts()

    def tell(self, name: str, data: bytes, to: tuple[str, int] | None = None) -> None:
        """Send a datagram to a peer; `to`: where it is, if it has not been heard yet."""
        self.ports[name].send(data, to or self.addresses[name])

    def _take(self, name: str) -> None:
        found = self.ports[name].drain()
        if name not in self.sensors and len(found) > 1:
            self.served.skipped += len(found) - 1
            found = found[-1:]
        for datagram in found:
            begun = time.monotonic_ns()
            self.addresses[name] = datagram.source
            self.served.datagrams += 1
            for to, answer in self.controller(datagram.arrival_ns, name, datagram.data):
                self.ports[name].pin(datagram.source, datagram.arrival_ns)
                self.tell(to, answer)
                self.served.answers += 1
            if name not in self.sensors:
                self.served.compute_ns.append(time.monotonic_ns() - begun)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> ServerCounts:
        """Serve for some seconds, or until something is so."""
        end = time.monotonic() + seconds
        names = {id(p): n for n, p in self.ports.items()}
        first = [p for n, p in self.ports.items() if n in self.sensors]
        while (left := end - time.monotonic()) > 0.0 and not until():
            ready = wait_for_ports(self._waits_for, min(left, self._longest_s))
            for port in (*first, *(p for p in ready if p not in first)):
                self._take(names[id(port)])
        return self.served

    def close(self) -> None:
        for port in self.ports.values():
            port.close()
