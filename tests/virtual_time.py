"""Peers and a controller joined by bytes in virtual time: a queue of events, no socket, no clock.

Every peer has its next instant and acts then; what it sends goes through the same `disturb` as on
a real network and arrives at the controller, whose answers go the same way back. Two runs with
the same seed are the same bytes in the same order (`digest`). At one instant, sensors sample
first, then arrives what was sent, then robots tick: a sample of t_k is there when t_k's Rob is.
`look`, where it is given, is called with the instant [ns] of every event, as the loop over sockets
looks every few ms, so that a controller sees what does not come.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from softdock.rig.drivers.emulation import Faults
from softdock.rig.drivers.sockets import Controller
from softdock.rig.wire import entry_points

SAMPLE, ARRIVE, TICK = 0, 1, 2  # order at one instant


class Peer(Protocol):
    """A robot or a sensor, emulated."""

    name: str

    @property
    def next_ns(self) -> int: ...
    def act(self) -> list[bytes]: ...
    def receive(self, data: bytes) -> None: ...


class VirtualTime:
    """The network between a controller and its peers."""

    def __init__(
        self,
        peers: Sequence[Peer],
        controller: Controller,
        faults: Faults | None = None,
        samplers: frozenset[str] = frozenset({"sensor", "sensor.chaser", "sensor.target"}),
        look: Callable[[int], None] | None = None,
    ) -> None:
        faults = faults or Faults()
        self.peers = {p.name: p for p in peers}
        self.controller, self.look = controller, look
        self.now_ns = min(p.next_ns for p in peers)
        self.counts = {"sent": 0, "lost": 0, "delivered": 0}
        self._seed, self._rates = faults.seed, faults.rates()
        self._windows = faults.window_rows(self.now_ns)
        self._links = {n: 2 * i for i, n in enumerate(self.peers)}  # and 2 i + 1 back
        self._numbers = [0] * (2 * len(peers))
        self._events: list[tuple[int, int, int, bool, str, bytes | None]] = []
        self._order = 0
        self._digest = hashlib.sha256()
        self._ranks = {n: SAMPLE if n in samplers else TICK for n in self.peers}
        for name in self.peers:
            self._push_peer(name)

    def _push_peer(self, name: str) -> None:
        when, rank = self.peers[name].next_ns, self._ranks[name]
        heapq.heappush(self._events, (when, rank, self._links[name], False, name, None))

    def _push_datagram(self, when: int, who: str, data: bytes, outward: bool) -> None:
        heapq.heappush(self._events, (when, ARRIVE, self._order, outward, who, data))
        self._order += 1

    def _send(self, who: str, data: bytes, outward: bool) -> None:
        """A datagram on its way: lost, spoilt, doubled or late as the seed has it."""
        link = self._links[who] + outward
        bytes_ = np.frombuffer(data, np.uint8).copy()
        number, self._numbers[link] = self._numbers[link], self._numbers[link] + 1
        copies, size, *arrivals = entry_points.apply_faults(
            rates=self._rates,
            windows=self._windows,
            seed=self._seed,
            link=link,
            number=number,
            now=self.now_ns,
            data=bytes_,
            size=len(data),
        )
        self.counts["sent"] += 1
        self.counts["lost"] += copies == 0
        arrives = bytes_[:size].tobytes()
        for arrival in arrivals[:copies]:
            self._push_datagram(int(arrival), who, arrives, outward)

    def tell(self, name: str, data: bytes) -> None:
        """The controller sends a datagram to a peer, unasked: a request for records."""
        self._digest.update(data)
        self._send(name, data, True)

    def _arrive(self, who: str, data: bytes, outward: bool) -> None:
        self.counts["delivered"] += 1
        if outward:
            self.peers[who].receive(data)
            return
        for name, answer in self.controller(self.now_ns, who, data):
            self.tell(name, answer)

    def run(self, until_ns: int) -> None:
        """Everything that happens before an instant."""
        while self._events and self._events[0][0] < until_ns:
            self.now_ns, _, _, outward, who, data = heapq.heappop(self._events)
            if data is not None:
                self._arrive(who, data, outward)
            else:
                for sent in self.peers[who].act():
                    self._send(who, sent, False)
                self._push_peer(who)
            if self.look is not None:
                self.look(self.now_ns)

    def digest(self) -> str:
        """A hash of everything that the controller has sent."""
        return self._digest.hexdigest()
