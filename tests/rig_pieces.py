"""A whole emulated rig for tests: two robots, a sensor, and their processes."""

from __future__ import annotations

import itertools
import os
import socket

import softdock
from softdock.rig.drivers.emulated_robot import EmulatedRobot, RobotSettings
from softdock.rig.drivers.emulated_sensor import EmulatedSensor, SensorSettings
from softdock.rig.drivers.emulation import Emulation
from softdock.rig.drivers.rsi_config import parse_ethernet_file
from softdock.rig.emulated_rig import compute_start_motions, make_plant

MS, SECOND = 1_000_000, 1_000_000_000
HOST = "127.0.0.1"
DIGITAL_INPUT = '<ELEMENT TAG="DiL" TYPE="LONG" INDX="1"/>'


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


class Rig:
    """The same file for both robots, a sensor on the chaser, everything in phase at t = 0."""

    def __init__(
        self,
        scenario=None,
        robot=None,
        target=None,
        sensor=None,
        faults=None,
        hold=1,
    ):
        self.scenario = softdock.load_scenario("epos_1d") if scenario is None else scenario
        self.file = parse_ethernet_file(ethernet_file(hold=hold), "test.xml")
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
        for emulated, motion in zip(self.robots, compute_start_motions(self.scenario)):
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
        for m in compute_start_motions(scenario)
    )
    settings = [
        RobotSettings(file, which, timeout_packets=timeout_packets)
        for which, file in zip(("chaser", "target"), files)
    ]
    return Emulation(
        plant=make_plant(scenario),
        robots=tuple(settings),
        motions=motions,
        sensors=(SensorSettings(**(sensor or {})),),
        **options,
    )


ROB = (
    b'<Rob Type="KUKA"><RIst X="10.0" Y="0.0" Z="0.0" A="0.0" B="0.0" C="0.0"/>'
    b'<Delay D="0"/><IPOC>1000</IPOC></Rob>'
)


def warm_up(callback, names=("chaser", "target", "sensor")) -> None:
    """Every entry point behind a callback, compiled before a clock runs: it is not to be used
    again."""
    for who in names:
        list(callback(0, who, bytes(36) if who == "sensor" else ROB))


def free_host(port: int) -> str:
    """An address of loopback where nobody has a port now: of a peer whose port cannot be chosen."""
    pid = os.getpid()
    for i in range(1, 255):
        host = f"127.{1 + (pid >> 8) % 254}.{pid % 256}.{i}"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
            try:
                tried.bind((host, port))
            except OSError:
                continue
            return host
    raise RuntimeError(f"no address of loopback has port {port} free")


# Below those that the system hands out by itself: nobody gets one between its choice and its use.
# Each process counts from another place.
_candidates = itertools.cycle(range(10_000, 32_000))
for _ in range(os.getpid() * 37 % 22_000):
    next(_candidates)


def free_ports(number: int) -> list[int]:
    """UDP and TCP ports of loopback that nobody has now, none given twice."""
    found: list[int] = []
    while len(found) < number:
        port = next(_candidates)
        kinds = (socket.SOCK_DGRAM, socket.SOCK_STREAM)
        sockets = [socket.socket(socket.AF_INET, kind) for kind in kinds]
        try:
            for one in sockets:
                one.bind(("127.0.0.1", port))
            found.append(port)
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    return found
