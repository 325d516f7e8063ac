"""The commander of a rig: its lock, and its sockets, opened before anything moves, bound as stated,
for stated peers only.

In: a `Rig`. Out: a port and a link for each robot and each sensor, and what each sensor says of
itself. Refused with the reason: a port that is in use (another commander), a sensor whose scale,
serial number, calibration, rate or filter is not the stated one.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from softdock.errors import BadInput, Problem
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.net_ft_page import Calibration
from softdock.rig.drivers.sockets import Port, warm_up_ports
from softdock.rig.model import Rig
from softdock.rig.wire import entry_points, rdt
from softdock.rig.wire.sequences import HEARD

REQUEST_S = 0.5  # without a record, until a sensor is asked again
SENSOR = "sensor."  # before the name of the robot that carries it


@dataclass
class RigPeers:
    """Both ends of every wire. Use as a context: the sockets are closed."""

    rig: Rig
    ports: dict[str, Port] = field(default_factory=dict)  # by name; sensors as "sensor.chaser"
    robots: dict[str, RobotLink] = field(default_factory=dict)
    sensors: dict[str, SensorLink] = field(default_factory=dict)
    calibrations: dict[str, Calibration | None] = field(default_factory=dict)

    def __enter__(self) -> RigPeers:
        return self

    def __exit__(self, *_: object) -> None:
        for which, link in self.sensors.items():
            if link.arrays.head[0] > 0:  # it has been streaming to us
                self.request(which, rdt.STOP)
        for port in self.ports.values():
            port.close()

    def request(self, which: str, command: int = rdt.START_REALTIME) -> None:
        """A request to a sensor: by default for records, without end."""
        self.send(which, SensorLink.request(command))

    def send(self, which: str, data: bytes) -> None:
        """A datagram to a sensor."""
        sensor = self.rig.sensors[which]
        self.ports[SENSOR + which].send(
            data, (self.rig.wire_address(f"sensors.{which}"), sensor.port)
        )


class Requests:
    """Requests for records, sent again while a sensor sends nothing: a datagram may be lost."""

    def __init__(self, peers: RigPeers) -> None:
        self._peers = peers
        self._heard = dict.fromkeys(peers.sensors, -1)
        self._since_s = dict.fromkeys(peers.sensors, 0.0)

    def repeat(self, now_s: float) -> None:
        """A look: whoever has sent nothing for REQUEST_S is asked again."""
        for which, link in self._peers.sensors.items():
            heard = int(link.arrays.sequence[HEARD])
            if heard != self._heard[which]:
                self._heard[which], self._since_s[which] = heard, now_s
            elif now_s - self._since_s[which] > REQUEST_S:
                self._since_s[which] = now_s
                self._peers.request(which)


def warm_up(rig: Rig) -> None:
    """Compile the links' doors, or load them, before a robot waits for an answer."""
    for which in rig.moving:
        robot = RobotLink(rig.ethernet[which], rig.clock.cycle_ms)
        robot.receive(b"<Rob/>", 0)
        robot.reply((0.0,) * 6)
        robot.counts()
        entry_points.load_frame(robot.measured, 0)
    warm_up_ports()
    sensor = SensorLink(1.0, 1.0)
    sensor.receive(bytes(rdt.RECORD_BYTES), 0)
    sensor.newest(0)
    sensor.counts()


def open_peers(rig: Rig) -> RigPeers:
    """Every socket of a rig, or why not; nothing is sent yet, and every door is compiled."""
    warm_up(rig)
    made = RigPeers(rig)
    try:
        for which, sensor in rig.sensors.items():
            made.calibrations[which] = rig.sensor_driver(which).ask(sensor, which, rig.file)
            made.sensors[which] = SensorLink(
                sensor.counts_per_N, sensor.counts_per_Nm, sensor.sample_Hz
            )
            peer = (rig.wire_address(f"sensors.{which}"), sensor.port)
            made.ports[SENSOR + which] = Port(sensor.bind, 0, peer)
        for which in rig.moving:
            made.robots[which] = RobotLink(rig.ethernet[which], rig.clock.cycle_ms)
            made.ports[which] = _open_robot_port(
                rig, which, (rig.wire_address(f"robots.{which}"), 0)
            )
    except BadInput:
        made.__exit__()
        raise
    return made


def _open_robot_port(rig: Rig, which: str, peer: tuple[str, int]) -> Port:
    robot = rig.robots[which]
    try:
        return Port(robot.bind, robot.port, peer)
    except BadInput as error:
        why = error.problems[0].allowed
        allowed = f"{why}: is another softdock commanding this rig, or is bind not this computer's?"
        key = f"robots.{which}.port"
        raise BadInput(Problem(key, f"{robot.bind}:{robot.port}", allowed, rig.file)) from None


# One commander at a time: a lock on this machine for every address that a rig is commanded from.
#
# Two programs that answer one robot would make it jump between two set-points. The robot's port is
# taken by the first one anyway; the lock says who has it, and holds from before the sockets are
# opened until after they are closed. It ends with the process that has it, however that ends.


def find_lock_folder() -> Path:
    """Of this user, where files do not outlive the machine's start where there is such a place."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime)
    return Path(tempfile.gettempdir())


def list_lock_names(rig: Rig) -> list[str]:
    """A name for each robot's address."""
    ends = [rig.robots[name] for name in rig.moving]
    return sorted(f"softdock-rig-{end.bind}-{end.port}.lock" for end in ends)


class Commander:
    """`with Commander(rig):` holds the rig, or raises `BadInput` with who holds it."""

    def __init__(self, rig: Rig, folder: Path | None = None) -> None:
        self._rig, self._folder = rig, folder or find_lock_folder()
        self._held: list[int] = []  # descriptors of locked files

    def __enter__(self) -> Commander:
        try:
            import fcntl  # Linux and macOS
        except ImportError:
            allowed = "another computer: a rig in real time needs Linux"
            raise BadInput(Problem("rig", self._rig.name, allowed)) from None
        for name in list_lock_names(self._rig):
            path = self._folder / name
            # not truncated: whoever holds it has written who it is
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                who = os.read(handle, 100).decode(errors="replace").strip() or "another program"
                os.close(handle)
                self.release()
                allowed = f"one commander at a time; {who} commands {self._rig.name} now ({path})"
                raise BadInput(Problem("rig", self._rig.name, allowed)) from None
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}\n".encode(), 0)
            self._held.append(handle)
        return self

    def release(self) -> None:
        while self._held:
            os.close(self._held.pop())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
