"""A line with faults in real time: what goes in comes out later, spoilt, twice or never."""

from __future__ import annotations

import heapq

import numpy as np

from softdock.core.wire import doors
from softdock.drivers.faults import Faults


class Line:
    """One direction between two peers; the fates are those of virtual time with the same seed."""

    def __init__(self, faults: Faults, link: int, origin_ns: int) -> None:
        self._rates, self._windows = faults.rates(), faults.window_rows(origin_ns)
        self._seed, self._link, self._number = faults.seed, link, 0
        self._waiting: list[tuple[int, int, bytes]] = []

    def put(self, data: bytes, now_ns: int) -> None:
        array = np.frombuffer(data, np.uint8).copy()
        copies, size, *arrivals = doors.disturb(
            self._rates,
            self._windows,
            self._seed,
            self._link,
            self._number,
            now_ns,
            array,
            len(data),
        )
        for copy, arrival in enumerate(arrivals[:copies]):
            item = (int(arrival), 2 * self._number + copy, array[:size].tobytes())
            heapq.heappush(self._waiting, item)
        self._number += 1

    def due(self, now_ns: int) -> list[bytes]:
        """Everything that has arrived by now."""
        found = []
        while self._waiting and self._waiting[0][0] <= now_ns:
            found.append(heapq.heappop(self._waiting)[2])
        return found

    @property
    def next_ns(self) -> int | None:
        return self._waiting[0][0] if self._waiting else None
