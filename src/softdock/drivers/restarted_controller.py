"""An emulated controller whose operator starts the program again and again, for `rig emulate`."""

from __future__ import annotations

import time

from softdock.core.wire.robot_cells import (
    LATE,
    LATE_IN_A_ROW,
    ROB_IPOC,
    RUNNING,
    STATE,
    TICK,
    TICK_NS,
)
from softdock.drivers.emulated_robot import EmulatedRobot

MS, AGAIN_NS = 1_000_000, 1_000_000_000  # ns; from the end of RSI to its next begin
STILL = (0.0, 0.0, 0.0)


class Patience:
    """A controller whose operator starts the program again: before anybody has answered no reply is
    late, and RSI that has ended begins again after a second, where the mock-up stands."""

    def __init__(self, robot: EmulatedRobot) -> None:
        self.robot, self.answered, self.ended_ns, self._seen = robot, False, 0, (0, 0)

    def look(self) -> None:
        whole, now = self.robot.arrays.whole, time.monotonic_ns()
        if whole[STATE] == RUNNING:
            ticks, late = int(whole[TICK]), int(whole[LATE])
            begun = ticks - self._seen[0] > late - self._seen[1] + 1  # one may be under way
            self.answered = self.answered or begun
            if not self.answered:
                whole[LATE] = whole[LATE_IN_A_ROW] = 0
            self._seen, self.ended_ns = (ticks, int(whole[LATE])), 0
        elif self.ended_ns == 0:
            self.ended_ns = now
        elif now - self.ended_ns > AGAIN_NS:
            stands = self.robot.motion_at(int(whole[TICK_NS]))
            still = stands._replace(v=STILL, w=STILL)
            self.robot.start(now + 10 * MS, still, int(whole[ROB_IPOC]) + AGAIN_NS // MS)
            self.answered, self.ended_ns, self._seen = False, 0, (0, 0)
