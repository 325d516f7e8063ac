"""What a driver of a robot or a force sensor is: one class in one file.

A driver in plain Python derives from `RobotDriver` or `SensorDriver` and has `connect`, `read`,
`write` (a robot) or `zero` (a sensor) and `stop`, the cycles it can run at (`cycles_ms`), the
largest limits that its device bears (`limits`) and, where the rig file has keys of its own for it,
a `Keys` dataclass. It runs in a process of its own (rig/bridge.py) and knows no supervisor, no
recorder and no scenario.

A driver that is `compiled` speaks to the compiled loop itself: KUKA RSI (drivers/kuka_rsi.py) and
Net F/T (drivers/net_ft.py). Universal Robots by RTDE (drivers/ur_rtde.py) is in plain Python. Keys,
checks, files of a controller and emulation are the same methods for both kinds.
rig/driver_registry.py finds a driver by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from softdock.rig.drivers.rsi_config import EthernetFile, parse_ethernet_file
from softdock.rig.drivers.rsi_templates import RobotFiles, write_ethernet_xml
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.schema import LONGEST_MS, SHORTEST_MS, RobotEnd, SensorEnd

if TYPE_CHECKING:
    from softdock.rig.drivers.emulated_robot import RobotSettings
    from softdock.rig.drivers.emulated_sensor import SensorSettings
    from softdock.rig.drivers.net_ft_page import Calibration
    from softdock.rig.model import Rig

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
ALL_CYCLES_MS = tuple(range(SHORTEST_MS, LONGEST_MS + 1))


class RobotReading(NamedTuple):
    """One cycle of a robot. The pose is that of the flange (or of whatever frame the mounting in
    `[facility]` starts from) in the robot's base."""

    p_m: Three
    q_wxyz: Four
    cycle: int  # the robot's own count; it steps by 1, and a jump is a lost cycle
    stop_asked: bool = False  # by the operator: the run stops


class SensorReading(NamedTuple):
    """One sample of a force sensor: sensor axes, about the sensor's origin, tool and all."""

    force_N: Three
    torque_Nm: Three
    sample: int  # the sensor's own count; it steps by 1 at rate_Hz
    fault: bool = False  # this sample must not be used


class Notes(Protocol):
    """Where a driver says what is wrong with its part of a rig file (rig/checks.py)."""

    def wrong(self, key: str, value: object, allowed: str) -> None: ...
    def of_robot(self, which: str, found: Any) -> None: ...


class Driver:
    """What both kinds have."""

    cycles_ms: ClassVar[tuple[int, ...]] = ALL_CYCLES_MS
    why_cycles: ClassVar[str] = ""  # why no others, for the refusal
    limits: ClassVar[Mapping[str, float]] = {}  # largest value of so many keys of [limits]
    simulated: ClassVar[bool] = False  # True: no machine moves, and nobody is asked before a run
    compiled: ClassVar[bool] = False  # the compiled loop reads and writes its bytes

    @classmethod
    def is_simulated(cls, keys: Any) -> bool:
        """Whether no machine moves with these keys."""
        return cls.simulated

    def connect(self) -> None:
        """Open what leads to the device; raise with the reason where that fails. Nothing moves."""
        raise NotImplementedError

    def stop(self, why: str) -> None:
        """The end, whatever the reason: the device must come to rest and be left alone."""
        raise NotImplementedError


class RobotDriver(Driver):
    """A robot. `read` and `write` take turns, once each cycle."""

    Keys: ClassVar[type[RobotEnd]] = RobotEnd

    def __init__(self, keys: Any, cycle_ms: int) -> None:
        self.keys, self.cycle_ms = keys, cycle_ms

    def read(self) -> RobotReading:
        """Wait for the robot's next cycle: its measured pose then."""
        raise NotImplementedError

    def write(self, p_m: Three, q_wxyz: Four) -> None:
        """The pose to be at after the next cycle. A cycle without a call: hold the last one."""
        raise NotImplementedError

    @classmethod
    def check(cls, rig: Rig, which: str, folder: Path | None, notes: Notes) -> EthernetFile:
        """The telegrams of this robot as the loop reads them, with all that is wrong with its table
        in `notes`. Of a driver in Python: those that its process sends on loopback."""
        robot = rig.robots[which]
        if robot.bind != LOOPBACK:
            allowed = f"{LOOPBACK}: the driver's process and the loop are on this computer"
            notes.wrong(f"robots.{which}.bind", robot.bind, allowed)
        files = RobotFiles(name=f"softdock_{which}", address=robot.bind, port=robot.port)
        return parse_ethernet_file(write_ethernet_xml(files).encode(), f"{files.name}.xml")

    @classmethod
    def files(cls, rig: Rig, which: str, name: str) -> dict[str, str]:
        """Files for the robot's controller, by their names."""
        return {}

    @classmethod
    def say(cls, keys: Any, which: str, emulated: bool) -> list[str]:
        """Sentences that every command with this rig prints."""
        return []

    @classmethod
    def emulate(cls, keys: Any, settings: RobotSettings) -> RobotSettings:
        """The emulated robot of `[emulate]` and of virtual time."""
        return settings


class SensorDriver(Driver):
    """A force sensor. `read` is called again as soon as it has returned."""

    Keys: ClassVar[type[SensorEnd]] = SensorEnd

    def __init__(self, keys: Any) -> None:
        self.keys = keys

    def read(self) -> SensorReading:
        """Wait for the sensor's next sample."""
        raise NotImplementedError

    def zero(self) -> None:
        """Take what is felt now as zero, at rest and in free space. Without it the driver's process
        takes the next sample off all later ones."""
        raise NotImplementedError

    @classmethod
    def say(cls, keys: Any, which: str) -> list[str]:
        """Sentences that every command with this rig prints."""
        return []

    @classmethod
    def ask(cls, keys: Any, which: str, file: str) -> Calibration | None:
        """What the sensor says of itself, before a run; refused where it is not what `keys` say."""
        return None

    @classmethod
    def emulate(cls, keys: Any, settings: SensorSettings) -> SensorSettings:
        """The emulated sensor of `[emulate]` and of virtual time."""
        return settings
