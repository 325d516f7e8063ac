"""Universal Robots by RTDE: drivers of the robot and of its force sensor.

    [robots.chaser]
    driver = "ur_rtde"          # poses out by RTDE, set-points in by servoL
    [sensors.chaser]
    driver = "ur_rtde"          # wrench at the tool flange

Each is a process of its own (rig/bridge.py) with an RTDE connection of its own for what it reads.
Set-points go out by the library ur_rtde, whose program `connect` loads onto the controller: the
robot must be in remote control. A protective stop, a safeguard or an emergency stop is the
operator's stop. ur_emulator.py is a controller on loopback.

The robot needs the package ur_rtde (softdock[ur]), the sensor does not.
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.rig.driver import Four, RobotDriver, RobotReading, SensorDriver, SensorReading, Three
from softdock.rig.drivers.sockets import is_loopback
from softdock.rig.schema import RobotEnd, SensorEnd, choice, number, whole

RTDE_PORT, CONNECT_S, SILENT_S = 30004, 5.0, 1.0  # silent: without a packet
FORMS = {  # types of RTDE's variables, as struct has them
    "VECTOR6D": "6d",
    "VECTOR3D": "3d",
    "DOUBLE": "d",
    "UINT64": "Q",
    "UINT32": "I",
    "INT32": "i",
}
STOPPED = 0x7FC  # of safety_status_bits: protective stop, recovery, safeguard, emergency, fault
STOP_M_PER_S2 = 1.0  # servoStop
RAW, COMPENSATED = "ft_raw_wrench", "actual_TCP_force"
CYCLES_MS = (2, 4, 8, 10, 20)


@dataclass(frozen=True)
class UrKeys(RobotEnd):
    """`[robots.chaser]` with `driver = "ur_rtde"`, beside the keys of every robot."""

    lookahead_s: float = number(0.03, 0.03, 0.2, "s", "of servoL: it smooths, and is most delay")
    gain: int = whole(1000, 100, 2000, "", "of servoL: stiffness of its tracking")
    wait_us: int = whole(200, 0, 1000, "us", "that a pose waits for the force of the same instant")


@dataclass(frozen=True)
class UrSensorKeys(SensorEnd):
    """`[sensors.chaser]` with `driver = "ur_rtde"`, beside the keys of every sensor."""

    rate_Hz: int = whole(500, 1, 500, "Hz", "packets a second: 500, or less by a whole factor")
    sample_Hz: int = whole(500, 1, 500, "Hz", "the same")
    wrench: str = choice(
        (RAW, COMPENSATED),
        "raw: tool flange, tool and all, e-Series from 5.9; actual_TCP_force: about the TCP, "
        "turned from base to tool axes, the controller's payload taken out",
    )
    sign: int = whole(1, -1, 1, "", "-1: the values are the force of the tool on the outside")


def import_ur_rtde() -> Any:
    """Its control module, or what to install."""
    try:
        import rtde_control
    except ImportError:
        text = (
            "the package ur_rtde is not installed: pip install 'softdock[ur]' (wheels for Python "
            "3.11 and 3.12 on Linux and Windows; none for newer ones or macOS)"
        )
        raise RuntimeError(text) from None
    return rtde_control


def send_at_once(address: str) -> None:
    """TCP_NODELAY on ur_rtde's own connections to RTDE. Without it the kernel keeps a set-point
    until the one before is acknowledged, which a controller does with its next packet: after one
    late set-point every later one is a packet late too."""
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if one.is_socket():
                with socket.socket(fileno=os.dup(int(one.name))) as wire:
                    if wire.getpeername() == (address, RTDE_PORT):
                        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def to_rotation_vector(q: Four) -> Three:
    """A unit quaternion as axis times angle [rad], at most half a turn."""
    w, x, y, z = q if q[0] >= 0.0 else tuple(-one for one in q)
    size = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * math.atan2(size, w) / size if size > 1e-12 else 2.0
    return scale * x, scale * y, scale * z


def to_quaternion(r: Three) -> Four:
    """The other way."""
    angle = math.sqrt(sum(one * one for one in r))
    scale = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    return math.cos(0.5 * angle), scale * r[0], scale * r[1], scale * r[2]


def turn_back(q: Four, v: Three) -> Three:
    """A vector in base axes in those of the tool, whose attitude is q."""
    w, x, y, z = q[0], -q[1], -q[2], -q[3]
    a, b, c = v
    s, t, u = y * c - z * b, z * a - x * c, x * b - y * a
    return (
        a + 2.0 * (w * s + y * u - z * t),
        b + 2.0 * (w * t + z * s - x * u),
        c + 2.0 * (w * u + x * t - y * s),
    )


class Packets:
    """Data packets of RTDE from a connection of our own, each taken when it comes. (ur_rtde's
    receiver looks for packets by a clock of its own: up to a period late.)"""

    def __init__(self, address: str, rate_Hz: float, variables: tuple[str, ...]) -> None:
        self._wire = socket.create_connection((address, RTDE_PORT), CONNECT_S)
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._data = b""
        if self._ask("V", struct.pack(">H", 2)) != b"\x01":
            raise ConnectionError(f"{address}: no RTDE protocol 2")
        names = ("timestamp", *variables)
        told = self._ask("O", struct.pack(">d", rate_Hz) + ",".join(names).encode())
        types = told[1:].decode().split(",")
        missing = [name for name, one in zip(names, types) if one not in FORMS]
        if missing:
            raise ConnectionError(f"{address}: RTDE without {', '.join(missing)}: {types}")
        self._packet = struct.Struct(">" + "".join(FORMS[one] for one in types))
        self._sizes = [len(FORMS[one]) and int(FORMS[one][:-1] or 1) for one in types]
        if self._ask("S", b"") != b"\x01":
            raise ConnectionError(f"{address}: RTDE does not start")
        self._wire.settimeout(SILENT_S)
        self._period_s, self._first = 1.0 / rate_Hz, -1.0

    def _ask(self, kind: str, body: bytes) -> bytes:
        self._wire.sendall(struct.pack(">HB", len(body) + 3, ord(kind)) + body)
        while True:
            found, answer = self._take()
            if found == kind:
                return answer

    def _take(self) -> tuple[str, bytes]:
        """The next packet of any kind."""
        while len(self._data) < 3 or len(self._data) < (self._data[0] << 8 | self._data[1]):
            came = self._wire.recv(1 << 16)
            if not came:
                raise ConnectionError("the controller has closed RTDE")
            self._data += came
        size = self._data[0] << 8 | self._data[1]
        packet, self._data = self._data[:size], self._data[size:]
        return chr(packet[2]), packet[3:]

    def _catch_up(self) -> None:
        """All that has come since `connect`, which may be long ago."""
        self._wire.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while came := self._wire.recv(1 << 16):
                self._data += came
        self._wire.settimeout(SILENT_S)

    def wait(self) -> tuple[int, list[tuple[float, ...]]]:
        """The newest packet, as soon as one comes: its number by the robot's own clock, and the
        variables."""
        if self._first < 0.0:
            self._catch_up()
        kind, body = self._take()
        while kind != "U" or len(self._data) >= len(body) + 3:
            kind, body = self._take()
        values = self._packet.unpack(body[1:])
        if self._first < 0.0:
            self._first = values[0]
        found, at = [], 1
        for size in self._sizes[1:]:
            found.append(values[at : at + size])
            at += size
        return round((values[0] - self._first) / self._period_s), found

    def close(self) -> None:
        self._wire.close()


class UrRobot(RobotDriver):
    """The registration of the robot."""

    Keys = UrKeys
    cycles_ms = CYCLES_MS
    why_cycles = "RTDE has packets every 2 ms, and every so many of them"
    limits = {"speed_m_per_s": 1.0, "rate_rad_per_s": 2.0}  # noqa: RUF012 - far below a UR's own

    @classmethod
    def is_simulated(cls, keys: Any) -> bool:
        return is_loopback(keys.address)  # an emulator, or a simulator of the maker's

    @classmethod
    def say(cls, keys: Any, which: str, emulated: bool) -> list[str]:
        lag = f"servoL of the {which}'s robot is late by {1e3 * keys.lookahead_s:g} ms and more"
        return [] if emulated else [f"{lag}: rig delay measures it"]

    def connect(self) -> None:
        control, rate_Hz = import_ur_rtde(), 1e3 / self.cycle_ms
        self.control = control.RTDEControlInterface(self.keys.address)
        send_at_once(socket.gethostbyname(self.keys.address))
        names = ("actual_TCP_pose", "safety_status_bits")
        self.packets = Packets(self.keys.address, rate_Hz, names)

    def read(self) -> RobotReading:
        cycle, (pose, bits) = self.packets.wait()
        time.sleep(1e-6 * self.keys.wait_us)  # the sensor's packet comes by another connection
        x, y, z, *turned = pose
        q = to_quaternion((turned[0], turned[1], turned[2]))
        return RobotReading((x, y, z), q, cycle, bool(int(bits[0]) & STOPPED))

    def write(self, p_m: Three, q_wxyz: Four) -> None:
        pose, keys = [*p_m, *to_rotation_vector(q_wxyz)], self.keys
        period_s = 1e-3 * self.cycle_ms
        if not self.control.servoL(pose, 0.0, 0.0, period_s, keys.lookahead_s, float(keys.gain)):
            raise RuntimeError("servoL was refused: the program on the controller has ended")

    def stop(self, why: str) -> None:
        if getattr(self, "control", None) is not None:
            self.control.servoStop(STOP_M_PER_S2)
            self.control.stopScript()
            self.control.disconnect()
            self.packets.close()


class UrWrench(SensorDriver):
    """The registration of the sensor."""

    Keys = UrSensorKeys

    @classmethod
    def is_simulated(cls, keys: Any) -> bool:
        return is_loopback(keys.address)

    def connect(self) -> None:
        if (
            500 % self.keys.rate_Hz
            or self.keys.sample_Hz != self.keys.rate_Hz
            or not self.keys.sign
        ):
            allowed = "rate_Hz a whole part of 500, sample_Hz the same, sign 1 or -1"
            raise ValueError(f"the sensor's table: {allowed}")
        names = (self.keys.wrench, "actual_TCP_pose")
        self.packets = Packets(self.keys.address, self.keys.rate_Hz, names)

    def read(self) -> SensorReading:
        sample, (felt, pose) = self.packets.wait()
        sign = float(self.keys.sign)
        force, torque = ((sign * a, sign * b, sign * c) for a, b, c in (felt[:3], felt[3:]))
        if self.keys.wrench == COMPENSATED:
            q = to_quaternion((pose[3], pose[4], pose[5]))
            force, torque = turn_back(q, force), turn_back(q, torque)
        return SensorReading(force, torque, sample)

    def stop(self, why: str) -> None:
        if hasattr(self, "packets"):
            self.packets.close()
