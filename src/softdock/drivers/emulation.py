"""What is emulated: everything that the emulators' processes are told, and virtual time too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.core.spatial.motion import Motion
from softdock.drivers.emulated_robot import ROBOTS, RobotSettings
from softdock.drivers.emulated_sensor import SensorSettings
from softdock.drivers.faults import Faults
from softdock.drivers.sockets import LOOPBACK
from softdock.scenario.build import Scenario

NO_FAULTS = Faults()


@dataclass(frozen=True)
class Plant:
    """What the emulators take of a scenario; small enough to hand to a process."""

    vector: np.ndarray
    markers: Any  # without methods: they are the controller's, and a process knows no user's file
    mem_floats: int


def plant_of(scenario: Scenario) -> Plant:
    """Robots, mock-ups and contact of a scenario."""
    markers = scenario.markers._replace(methods=())
    return Plant(scenario.vector, markers, scenario.mem_floats)


@dataclass(frozen=True)
class Emulation:
    """Everything that is emulated."""

    plant: Plant
    robots: tuple[RobotSettings, RobotSettings]  # chaser's, target's
    motions: tuple[Motion, Motion]  # where the mock-ups stand, and whether they move
    sensors: tuple[SensorSettings, ...]  # one or two
    absent: tuple[str, ...] = ()  # robots that there are not: their mock-ups stand in the room
    faults: Faults = NO_FAULTS
    phases_ms: tuple[float, float] = (0.0, 1.7)  # of the robots' first ticks
    host: str = LOOPBACK  # of the robots' own sockets
    priority: int = 0  # SCHED_FIFO of each process, where it is granted
    patient: bool = False  # waits for a controller, and begins RSI anew after it has ended

    @property
    def moving(self) -> tuple[str, ...]:
        return tuple(name for name in ROBOTS if name not in self.absent)
