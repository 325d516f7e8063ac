"""The controller's end over Python sockets: the same callback as in virtual time, for debugging.

Waits for datagrams, hands a sensor's all of them and of a robot's only the newest that has
arrived (after a stall the older ones are history; the jump of IPOC says how many there were), and
sends what the callback answers to where the datagram came from. Not for hard real time: see
docs/wire.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from softdock.drivers.sockets import Port, wait
from softdock.drivers.virtual_time import Controller

LONGEST_WAIT_S = 0.1  # so that `until` is looked at
SHORT_WAIT_S = 0.01  # so that no buffer of records overflows


@dataclass
class Served:
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
        self.served = Served()

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

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> Served:
        """Serve for some seconds, or until something is so."""
        end = time.monotonic() + seconds
        names = {id(p): n for n, p in self.ports.items()}
        first = [p for n, p in self.ports.items() if n in self.sensors]
        while (left := end - time.monotonic()) > 0.0 and not until():
            ready = wait(self._waits_for, min(left, self._longest_s))
            for port in (*first, *(p for p in ready if p not in first)):
                self._take(names[id(port)])
        return self.served

    def close(self) -> None:
        for port in self.ports.values():
            port.close()
