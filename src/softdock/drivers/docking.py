"""A docking over the wire: `Controller` between two robots with RSI and a Net F/T sensor.

Called with every datagram, it answers with datagrams: on sockets, or in virtual time
(virtual_time.py). The chaser's telegrams are the clock: t_k is the instant that its k-th was sent.
In: RIst of both robots [mm, degrees] and the newest sample not after t_k, each with its own age.
Out: corrections from the pose at RSI_ON, for each robot the set-point of its own instant:

    the set-point stamped t_{k+1} is coasted by what the robot's telegram was sent after t_k

so that a target whose clock ticks between the chaser's is not told to be where it was. Cycles whose
telegrams were lost are caught up with the held wrench. It holds while robot base, flange and sensor
have the axes of orbit; supervision (limits, safe stop, run-up) stands above it and is not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from softdock.core.seam import COMMAND, LOST, PRESENT_BITS, REPORT, new_report
from softdock.core.spatial.motion import MOTION_FLOATS, Motion, Pose
from softdock.core.wire import doors
from softdock.drivers.links import RobotLink, SensorLink
from softdock.drivers.rsi_config import EthernetFile
from softdock.errors import BadInput, Problem
from softdock.runs.controller import Controller
from softdock.scenario.build import Scenario

NAMES, SENSOR = ("chaser", "target"), "sensor"
MM, S = 1e-3, 1e-9  # m, s per ns
P, Q = 3, 7  # numbers of a position, of a pose
R = REPORT.at


def motion_in(array: np.ndarray) -> Motion:
    """A `motion` from its floats."""
    x = [float(one) for one in array]
    return Motion(tuple(x[:P]), tuple(x[P:Q]), tuple(x[Q : Q + P]), tuple(x[Q + P :]))


class Docking:
    """The controller's end of a rig. `files`: the Ethernet files of the chaser's and the target's
    robot; the sensor is on the chaser's."""

    def __init__(
        self,
        scenario: Scenario,
        files: Sequence[EthernetFile],
        counts_per_N: float,
        counts_per_Nm: float,
        rows: int = 0,
    ) -> None:
        if scenario.tables["sensor"]["on"] != "chaser":
            raise BadInput(Problem("sensor.on", scenario.tables["sensor"]["on"], "chaser"))
        self.scenario, self.controller = scenario, Controller(scenario, rows)
        self.T = self.controller.T
        cycle_ms = round(1e3 * self.T, 9)
        self.robots = [RobotLink(file, cycle_ms) for file in files]
        self.sensor = SensorLink(counts_per_N, counts_per_Nm)
        self.command, self.report = self.controller.first_command(), new_report()
        # of both robots at RSI_ON, from where their corrections count
        self.start = [self.set_point(which) for which in range(len(NAMES))]
        self.k = 0  # cycles so far
        self.status = 0  # of the controller; any but 0: the last set-points stand
        self.first_ns: int | None = None  # t = 0 on our clock
        self.ages_ns: list[int] = []  # of every force that was used

    def __call__(self, now_ns: int, who: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if who == SENSOR:
            self.sensor.hear(data, now_ns)
            return
        which = NAMES.index(who)
        link = self.robots[which]
        if link.hear(data, now_ns) not in ("first", "taken"):
            return
        if which == 0:
            for _ in range(1 + link.lost_now):  # lost cycles are caught up with the held wrench
                self._control(link.lost_now)
        yield who, link.reply(self.correction(which))

    def _control(self, lost: int) -> None:
        """One cycle at the instant of the chaser's newest telegram."""
        now = self.robots[0].stamp_ns
        if self.first_ns is None:
            self.first_ns = now
        report, present = self.report, 0
        report[R.cycle], report[R.now], report[R.late] = self.k, now - self.first_ns, 0.0
        report[R.lost], report[R.status] = lost, LOST if lost else 0
        for name, link in zip(NAMES, self.robots, strict=True):
            if link.ipoc > 0:
                present |= PRESENT_BITS[f"{name}_pose"]
                pose = doors.load_frame(link.measured, 0)
                at = REPORT.slice_of(name).start
                report[at : at + Q] = (*pose.p, *pose.q)
                report[getattr(R, f"{name}_stamp")] = link.stamp_ns - self.first_ns
                report[getattr(R, f"{name}_age")] = S * (now - link.stamp_ns)
        found = self.sensor.newest(now)
        if found is not None:
            present |= PRESENT_BITS["chaser_wrench"]
            wrench, stamp = found
            self.ages_ns.append(now - stamp)
            report[REPORT.slice_of("chaser_wrench")] = wrench
            report[R.chaser_force_stamp] = stamp - self.first_ns
            report[R.chaser_force_number] = stamp - self.first_ns
            report[R.chaser_force_age] = S * (now - stamp)
        report[R.present] = present
        if self.status == 0:
            self.status = self.controller.step(self.k, report, self.command)
        self.k += 1

    def set_point(self, which: int) -> Motion:
        """The newest set-point, stamped t_{k+1}."""
        at = COMMAND.at.chaser + which * MOTION_FLOATS
        return motion_in(self.command[at : at + MOTION_FLOATS])

    def own_set_point(self, which: int) -> Motion:
        """The same at the robot's own instant: a cycle after its newest telegram was sent."""
        wanted, link = self.set_point(which), self.robots[which]
        after = S * (link.stamp_ns - self.robots[0].stamp_ns) if self.robots[0].ipoc > 0 else 0.0
        if which == 0 or after == 0.0:
            return wanted
        # further than a cycle nothing is foretold: the chaser is silent
        made: Motion = doors.coast(wanted, min(max(after, -self.T), self.T))
        return made

    def correction(self, which: int) -> list[float]:
        """From the pose at RSI_ON to the robot's own set-point: mm, degrees."""
        wanted, start = self.own_set_point(which), self.start[which]
        x, y, z, a, b, c = doors.frame_of(Pose(wanted.p, wanted.q))
        return [x - start.p[0] / MM, y - start.p[1] / MM, z - start.p[2] / MM, a, b, c]

    @property
    def speed(self) -> float:
        """Of the chaser satellite along x [m/s]."""
        return float(motion_in(self.controller.set_points()[0]).v[0])
