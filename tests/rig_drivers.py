"""A rig with the template's driver, its fictitious device in virtual time, and its run."""

from __future__ import annotations

import sys
from pathlib import Path

from softdock.rig.bridge import RobotBridge, SensorBridge
from softdock.rig.driver_registry import load_driver_file
from softdock.rig.writing import write_driver_rig

QUICK = {"sensors.chaser.rate_Hz": 1000, "run_up.listen_s": 0.3, "record.ring_s": 10.0}
EMULATE = "\n[emulate]\nphase_ms = 0.0\n"


def write_rig(folder: Path, emulated: bool = False, text=lambda text: text) -> Path:
    """What `softdock rig new --driver` writes, its driver loaded. `text`: changes of the driver."""
    file, driver = folder / "my_rig.toml", folder / "my_driver.py"
    write_driver_rig(file, driver, force=True)
    driver.write_text(text(driver.read_text()))
    if emulated:
        file.write_text(file.read_text() + EMULATE)
    load_driver_file(driver)
    return file


class VirtualClock:
    """Stands in the place of the module `time` in a driver's file."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def give_clock(driver, clock: VirtualClock) -> None:
    sys.modules[type(driver).__module__].time = clock


class VirtualRobot:
    """A driver and its bridge as a peer of tests/virtual_time.py: cycle by cycle."""

    def __init__(self, rig, which: str, clock: VirtualClock) -> None:
        self.name, self.clock, self.cycle_ms = which, clock, rig.clock.cycle_ms
        self.driver = rig.robot_driver(which)(rig.robots[which], self.cycle_ms)
        self.bridge = RobotBridge(rig.ethernet[which], self.cycle_ms)
        self.count, self.written = 0, []
        give_clock(self.driver, clock)
        self.driver.connect()

    @property
    def next_ns(self) -> int:
        return self.count * self.cycle_ms * 1_000_000

    def act(self) -> list[bytes]:
        self.clock.now_s = 1e-9 * self.next_ns
        self.count += 1
        return [self.bridge.make_telegram(self.driver.read())]

    def receive(self, data: bytes) -> None:
        pose = self.bridge.read_answer(data)
        assert pose is not None
        self.written.append(pose)
        self.driver.write(pose.p, pose.q)


class VirtualSensor:
    """The same for a sensor."""

    name = "sensor"

    def __init__(self, rig, which: str, clock: VirtualClock) -> None:
        keys = rig.sensors[which]
        self.clock, self.period_ns = clock, 1_000_000_000 // keys.rate_Hz
        self.driver = rig.sensor_driver(which)(keys)
        self.bridge, self.count = SensorBridge(keys), 0
        give_clock(self.driver, clock)
        self.driver.connect()

    @property
    def next_ns(self) -> int:
        return self.count * self.period_ns

    def act(self) -> list[bytes]:
        self.clock.now_s = 1e-9 * self.next_ns
        self.count += 1
        record = self.bridge.make_record(self.driver.read())
        return [] if record is None else [record]

    def receive(self, data: bytes) -> None:
        self.bridge.take_request(data)
