"""A whole emulated rig for tests: two robots, a sensor, and a docking controller of few lines.

The controller drives softdock's own `control_step` with what comes over the wire (the chaser's
telegrams are the clock) and is what a rig needs at least; supervision stands above it.
"""

from __future__ import annotations

import socket

import numpy as np

import softdock
from softdock.core.machine import doors
from softdock.core.machine.state import STATE_FLOATS, place
from softdock.core.spatial.motion import Motion, Pose
from softdock.core.wire import doors as wire
from softdock.drivers.emulate import Emulation, Plant
from softdock.drivers.emulated_robot import EmulatedRobot, RobotSettings
from softdock.drivers.emulated_sensor import EmulatedSensor, SensorSettings
from softdock.drivers.links import RobotLink, SensorLink
from softdock.drivers.rsi_config import parse_ethernet_file

MM, MS, SECOND = 1e-3, 1_000_000, 1_000_000_000
HOST = "127.0.0.1"
DIGITAL_INPUT = '<ELEMENT TAG="DiL" TYPE="LONG" INDX="1"/>'
SATELLITES, COMMAND, MOCK_UPS = (place(one).start for one in ("satellites", "command", "facility"))
FACILITY = place("facility.dissipating").start


def ethernet_file(
    extra_send: str = "", extra_receive: str = "", hold: int = 1, port=59152
) -> bytes:
    """An Ethernet file with RIst, RSol, AIPos, EIPos, Delay and a correction named RKorr."""
    axes = "".join(
        f'<ELEMENT TAG="RKorr.{a}" TYPE="DOUBLE" INDX="{i}" HOLDON="{hold}"/>'
        for i, a in enumerate("XYZABC", start=1)
    )
    kinds = {"RIst": "DOUBLE", "RSol": "DOUBLE", "AIPos": "DOUBLE", "EIPos": "DOUBLE"}
    sends = "".join(
        f'<ELEMENT TAG="DEF_{tag}" TYPE="{kind}" INDX="INTERNAL"/>'
        for tag, kind in {**kinds, "Delay": "LONG"}.items()
    )
    text = (
        f"<ROOT><CONFIG><IP_NUMBER>127.0.0.1</IP_NUMBER><PORT>{port}</PORT>"
        "<SENTYPE>ImFree</SENTYPE><ONLYSEND>FALSE</ONLYSEND></CONFIG>"
        f"<SEND><ELEMENTS>{sends}{extra_send}</ELEMENTS></SEND>"
        f"<RECEIVE><ELEMENTS>{axes}{extra_receive}</ELEMENTS></RECEIVE></ROOT>"
    )
    return text.encode()


def motion_in(state: np.ndarray, at: int) -> Motion:
    s = [float(x) for x in state[at : at + 13]]
    return Motion(tuple(s[0:3]), tuple(s[3:7]), tuple(s[7:10]), tuple(s[10:13]))


class Docking:
    """A controller: called with every datagram, answers with datagrams."""

    def __init__(self, scenario, file, cycle_ms: float = 4.0, scale: float = 1e6) -> None:
        self.scenario = scenario
        self.mem, self.state = np.zeros(scenario.mem_floats), np.zeros(STATE_FLOATS)
        doors.begin(
            scenario.vector, scenario.markers.features, self.mem, self.state, np.zeros((0, 1))
        )
        self.start = [motion_in(self.state, COMMAND + 13 * i) for i in range(2)]
        self.satellites, self.command = self.state.copy(), np.zeros(STATE_FLOATS)
        self.command[COMMAND : COMMAND + 26] = self.state[COMMAND : COMMAND + 26]
        self.facility, self.reports = self.state.copy(), np.zeros(scenario.mem_floats)
        self.robots = [RobotLink(file, cycle_ms) for _ in range(2)]
        self.sensor = SensorLink(scale, scale)
        self.T, self.k, self.ages_ns = 1e-3 * cycle_ms, 0, []

    def __call__(self, now_ns: int, who: str, data: bytes):
        if who == "sensor":
            self.sensor.hear(data, now_ns)
            return
        which = ("chaser", "target").index(who)
        link = self.robots[which]
        if link.hear(data, now_ns) not in ("first", "taken"):
            return
        if which == 0:
            for _ in range(1 + link.lost_now):  # catch up lost cycles with the held wrench
                self.control(now_ns)
        yield who, link.reply(self.correction(which))

    def control(self, now_ns: int) -> None:
        found = self.sensor.newest(now_ns)
        f, k = self.facility, self.k
        if found is not None:
            wrench, stamp = found
            self.ages_ns.append(now_ns - stamp)
            f[FACILITY + 5 : FACILITY + 11] = wrench  # sensor at the centre, axes as the world's
            f[FACILITY + 3] = k * self.T - 1e-9 * self.ages_ns[-1]
        f[FACILITY + 4] = k * self.T
        f[MOCK_UPS : MOCK_UPS + 26] = self.state[MOCK_UPS : MOCK_UPS + 26]
        for which, link in enumerate(self.robots):
            if link.ipoc > 0:
                pose = wire.load_frame(link.measured, 0)
                f[MOCK_UPS + 13 * which :][:7] = (*pose.p, *pose.q)
        s = self.scenario
        doors.control_step(
            s.vector, s.markers, self.mem, self.reports, k, self.satellites, f, self.command
        )
        self.k += 1

    def correction(self, which: int) -> list[float]:
        """From the pose at RSI_ON to the set-point: mm, degrees."""
        wanted, start = motion_in(self.command, COMMAND + 13 * which), self.start[which]
        x, y, z, a, b, c = wire.frame_of(Pose(wanted.p, wanted.q))
        return [x - start.p[0] / MM, y - start.p[1] / MM, z - start.p[2] / MM, a, b, c]

    @property
    def speed(self) -> float:
        """Of the chaser along x [m/s]."""
        return float(motion_in(self.satellites, SATELLITES).v[0])


class Rig:
    """The same file for both robots, a sensor on the chaser, everything in phase at t = 0."""

    def __init__(self, preset="epos_1d", robot=None, target=None, sensor=None, faults=None, hold=1):
        self.scenario = softdock.load_scenario(preset)
        self.file = parse_ethernet_file(ethernet_file(hold=hold), "test.xml")
        self.controller = Docking(self.scenario, self.file, scale=1e6)
        windows = faults.window_rows() if faults else None
        robot = robot or {}
        self.robots = [
            EmulatedRobot(RobotSettings(self.file, which, **changes), self.scenario, windows)
            for which, changes in (
                ("chaser", robot),
                ("target", robot if target is None else target),
            )
        ]
        self.sensor = EmulatedSensor(
            SensorSettings(**(sensor or {})), self.scenario, *self.robots, windows
        )
        for emulated, motion in zip(self.robots, self.controller.start):
            emulated.start(0, motion)
        self.sensor.start(0)


def emulation(
    chaser_port: int,
    target_port: int,
    moving: bool = False,
    sensor: dict | None = None,
    timeout_packets: int = 100,
    **options,
) -> Emulation:
    """epos_1d's two robots and sensor for processes; at rest, or as if RSI had been on for ever."""
    scenario = softdock.load_scenario("epos_1d")
    files = [
        parse_ethernet_file(ethernet_file(DIGITAL_INPUT, port=port), f"{port}.xml")
        for port in (chaser_port, target_port)
    ]
    motions = tuple(
        m if moving else m._replace(v=(0.0, 0.0, 0.0), w=(0.0, 0.0, 0.0))
        for m in Docking(scenario, files[0]).start
    )
    settings = [
        RobotSettings(file, which, timeout_packets=timeout_packets)
        for which, file in zip(("chaser", "target"), files)
    ]
    return Emulation(
        plant=Plant(scenario.vector, scenario.markers, scenario.mem_floats),
        robots=tuple(settings),
        motions=motions,
        sensor=SensorSettings(**(sensor or {})),
        **options,
    )


def free_ports(number: int) -> list[int]:
    """UDP ports of loopback that nobody has now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(number)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()
