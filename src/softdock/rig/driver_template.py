"""A driver of a robot and of a force sensor for softdock, as `softdock rig new --driver` writes it.

It runs as it is: its device is made up, a stage of one axis in front of a spring wall at x = 0. Put
the calls of your own device in the places marked DEVICE, and take out `Bench` and both lines
`simulated = True`: with them nobody is asked before a run.

    softdock rig check my_rig.toml epos_1d --driver-file my_driver.py
    softdock rig run my_rig.toml epos_1d --driver-file my_driver.py

Each class runs in a process of its own. softdock calls connect, then read and write in turns, and
stop at the end, whatever the reason. It supervises, records and stops; a driver does none of that.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.rig.driver import RobotDriver, RobotReading, SensorDriver, SensorReading
from softdock.rig.schema import RobotEnd, SensorEnd, above, whole

UPRIGHT = (1.0, 0.0, 0.0, 0.0)  # w, x, y, z
START_M = 0.05  # where the made-up stage stands at first


@dataclass(frozen=True)
class StageKeys(RobotEnd):
    """Keys of the rig file beside those of every robot; each with default, range and meaning."""

    bench: int = whole(0, 0, 99, "", "number of the made-up bench")


@dataclass(frozen=True)
class WallKeys(SensorEnd):
    """The same for the sensor. A field that every sensor has may get another default here."""

    rate_Hz: int = whole(1000, 1, 7000, "Hz", "samples a second")
    sample_Hz: int = whole(1000, 1, 7000, "Hz", "the same: this sensor sends every sample")
    bench: int = whole(0, 0, 99, "", "number of the made-up bench")
    wall_N_per_m: float = above(1000.0, 0.0, 1e6, "N/m", "stiffness of the made-up wall")


class Stage(RobotDriver):
    """A robot."""

    Keys = StageKeys
    cycles_ms = (1, 2, 4, 5, 8, 10, 12, 16, 20)  # what the device can run at
    why_cycles = "the stage divides its second into whole cycles"
    limits = {"speed_m_per_s": 0.25, "acceleration_m_per_s2": 5.0}  # noqa: RUF012 - what it allows
    simulated = True  # nothing moves

    def connect(self) -> None:
        """DEVICE: open its socket or bus, ask for its state. Nothing may move."""
        self.bench = Bench(self.keys.bench)
        self.period = 1e-3 * self.cycle_ms
        self.cycle = -1
        self.now_m = self.next_m = self.wanted_m = (START_M, 0.0, 0.0)
        self.begun = 0.0

    def read(self) -> RobotReading:
        """DEVICE: wait for the robot's own next cycle. `cycle` is its count, so that lost ones are
        seen; the stage here has no count of its own and takes the computer's clock for it."""
        if self.cycle < 0:
            self.begun = time.monotonic()
        due = self.cycle + 1
        wait = self.begun + due * self.period - time.monotonic()
        if wait > 0.0:
            time.sleep(wait)
        due = max(due, int((time.monotonic() - self.begun) / self.period + 1e-6))
        self.now_m = self.next_m if due == self.cycle + 1 else self.wanted_m
        self.next_m, self.cycle = self.wanted_m, due  # it is a cycle behind
        at = self.begun + due * self.period
        self.bench.move(at, self.now_m, at + self.period, self.next_m)
        return RobotReading(self.now_m, UPRIGHT, due)

    def write(self, p_m: Any, q_wxyz: Any) -> None:
        """DEVICE: send the pose, in the robot's base [m; w, x, y, z]. Do not wait for anything."""
        self.wanted_m = p_m

    def stop(self, why: str) -> None:
        """DEVICE: let it come to rest, and close. May be called before connect has ended."""


class Wall(SensorDriver):
    """A force sensor."""

    Keys = WallKeys
    simulated = True

    def connect(self) -> None:
        """DEVICE: open it, ask for its samples."""
        self.bench, self.sample, self.begun = Bench(self.keys.bench), -1, 0.0

    def read(self) -> SensorReading:
        """DEVICE: wait for its next sample. Sensor axes, about its origin, tool and all; the sign
        is that of the force on the mock-up."""
        if self.sample < 0:
            self.begun = time.monotonic()
        self.sample += 1
        at = self.begun + self.sample / self.keys.rate_Hz
        if (wait := at - time.monotonic()) > 0.0:
            time.sleep(wait)
        depth = -self.bench.locate(at)[0]
        force = self.keys.wall_N_per_m * max(0.0, depth)
        return SensorReading((force, 0.0, 0.0), (0.0, 0.0, 0.0), self.sample)

    def stop(self, why: str) -> None:
        """DEVICE: close it."""


class Bench:
    """The made-up device: where the stage is, seen from both processes. Not part of a driver."""

    FORM = struct.Struct("=8d")  # two instants, each with its place

    def __init__(self, number: int) -> None:
        path = Path(tempfile.gettempdir()) / f"softdock-bench-{number}"
        path.touch(exist_ok=True)
        with path.open("r+b") as file:
            file.truncate(self.FORM.size)
            self.memory = mmap.mmap(file.fileno(), self.FORM.size)

    def move(self, a: float, p: Any, b: float, q: Any) -> None:
        """From p at the instant a to q at the instant b."""
        self.memory[:] = self.FORM.pack(a, *p, b, *q)

    def locate(self, at: float) -> tuple[float, float, float]:
        """Where it is at an instant."""
        a, *rest = self.FORM.unpack(self.memory[:])
        p, b, q = rest[:3], rest[3], rest[4:]
        share = (at - a) / (b - a) if b > a else 0.0
        x, y, z = (p[i] + share * (q[i] - p[i]) for i in range(3))
        return x, y, z
