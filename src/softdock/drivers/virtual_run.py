"""A run in virtual time by one compiled call: for many runs, with a compiled program.

The same events as drivers/virtual_time.py, whose controller is any Python callable; here the
controller is a program (core/wire/program.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.core.wire import virtual_queue as logic
from softdock.core.wire.program import Desk
from softdock.core.wire.telegram import LONGEST
from softdock.drivers.emulated_robot import EmulatedRobot
from softdock.drivers.emulated_sensor import EmulatedSensor
from softdock.drivers.faults import Faults
from softdock.drivers.links import RobotLink, SensorLink

MOST_IN_FLIGHT = 512


def make_queue(faults: Faults, origin_ns: int) -> logic.Queue:
    """An empty table of datagrams in flight; windows of faults count from `origin_ns`."""
    return logic.Queue(
        flights=np.zeros((MOST_IN_FLIGHT, logic.FLIGHT_COLUMNS), np.int64),
        bytes=np.zeros((MOST_IN_FLIGHT, LONGEST), np.uint8),
        counts=np.zeros(logic.QUEUE_COUNTS, np.int64),
        rates=faults.rates(),
        windows=faults.window_rows(origin_ns),
        seed=np.array([faults.seed], np.int64),
    )


class VirtualRun:
    """Two emulated robots and a sensor, their links, and a program between them."""

    def __init__(
        self,
        robots: tuple[EmulatedRobot, EmulatedRobot],
        sensor: EmulatedSensor,
        links: tuple[RobotLink, RobotLink],
        sensor_link: SensorLink,
        program: Any,
        faults: Faults | None = None,
    ) -> None:
        faults = faults or Faults()
        origin = min(p.next_ns for p in (*robots, sensor))
        self.features, self.program = sensor.features, program
        self._peers = tuple(r.arrays for r in robots)
        self._links = tuple(link.arrays for link in links)
        self._sensor, self._sensor_link = sensor.arrays, sensor_link.arrays
        self._desk = Desk(np.zeros(LONGEST, np.uint8), np.zeros(LONGEST, np.uint8))
        self.queue = make_queue(faults, origin)

    def run(self, until_ns: int) -> int:
        """Everything that happens before an instant: how many events it was."""
        return int(
            logic.run_queue(
                self.features,
                self.queue,
                self.program,
                self._desk,
                self._peers,
                self._sensor,
                self._links,
                self._sensor_link,
                until_ns,
            )
        )

    def counts(self) -> dict[str, int]:
        c = self.queue.counts
        return {
            "sent": int(c[logic.SENT_ALL]),
            "lost": int(c[logic.LOST_ALL]),
            "delivered": int(c[logic.DELIVERED]),
            "overflown": int(c[logic.OVERFLOWN]),
        }
