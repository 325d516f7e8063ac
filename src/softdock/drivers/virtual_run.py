"""A run in virtual time by one compiled call: for many runs, with a compiled program.

The same events as drivers/virtual_time.py, whose controller is any Python callable; here the
controller is a program (core/wire/program.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softdock.core.wire import virtual_queue as logic
from softdock.core.wire.emulated_sensor import SAMPLE_AT_NS
from softdock.core.wire.program import Desk
from softdock.core.wire.telegram import LONGEST
from softdock.drivers.emulated_robot import ROBOTS, EmulatedRobot
from softdock.drivers.emulated_sensor import EmulatedSensor
from softdock.drivers.faults import Faults

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


def both_sensors(sensors: Sequence[EmulatedSensor]) -> tuple[Any, Any]:
    """The chaser's and the target's; in the place of one that is not there, one that never
    samples."""
    made: list[Any] = []
    for body in ROBOTS:
        found = [s for s in sensors if s.settings.on == body]
        if found:
            made.append(found[0].arrays)
            continue
        whole = sensors[0].arrays.whole.copy()
        whole[SAMPLE_AT_NS] = logic.NEVER
        made.append(sensors[0].arrays._replace(whole=whole))
    return made[0], made[1]


class VirtualRun:
    """Two emulated robots, one or two sensors, and a program between them. `links`, `records`: the
    arrays of both robots' and both sensors' links, in the order chaser, target."""

    def __init__(
        self,
        robots: tuple[EmulatedRobot, EmulatedRobot],
        sensors: Sequence[EmulatedSensor],
        links: tuple[Any, ...],
        records: tuple[Any, ...],
        program: Any,
        faults: Faults | None = None,
    ) -> None:
        faults = faults or Faults()
        ticks, samples = [r.next_ns for r in robots], [s.next_ns for s in sensors]
        origin = min(*ticks, *samples)
        self.features, self.program = sensors[0].features, program
        self._peers = tuple(r.arrays for r in robots)
        self._links, self._records = links, records
        self._sensors = both_sensors(sensors)
        self._desk = Desk(np.zeros(LONGEST, np.uint8), np.zeros(LONGEST, np.uint8))
        self.queue = make_queue(faults, origin)

    def run(self, until_ns: int) -> int:
        """Everything that happens before an instant: how many events it was."""
        return int(
            logic.run_queue(
                features=self.features,
                queue=self.queue,
                program=self.program,
                desk=self._desk,
                peers=self._peers,
                sensors=self._sensors,
                links=self._links,
                record_links=self._records,
                until_ns=until_ns,
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
