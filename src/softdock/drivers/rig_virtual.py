"""A whole run of a rig in virtual time: emulated peers, the rig's own program, no socket, no clock.

`fly_virtual(on_rig(rig, scenario))` runs it by one compiled call, as fast as the machine computes;
the same program runs over sockets. Every run is a function of the rig, the scenario and the faults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from softdock.core.instants import MS, SECOND
from softdock.core.wire.robot_cells import NEXT_NS
from softdock.core.wire.virtual_queue import NEVER
from softdock.drivers.emulated_robot import EmulatedRobot
from softdock.drivers.emulated_sensor import EmulatedSensor, sensor_names
from softdock.drivers.emulation import Emulation
from softdock.drivers.faults import Faults
from softdock.drivers.links import SensorLink
from softdock.drivers.rig_emulation import emulation_of
from softdock.drivers.rig_outcome import RigOutcome, outcome_of
from softdock.drivers.rig_program import RigProgram, duration_s
from softdock.drivers.rig_scenario import OnRig
from softdock.drivers.virtual_run import VirtualRun


@dataclass
class Peers:
    """Emulated robots and sensors in this process. A robot that there is not stands and never
    ticks; `moving` are those that do."""

    robots: tuple[EmulatedRobot, EmulatedRobot]
    sensors: tuple[EmulatedSensor, ...]
    absent: tuple[str, ...] = ()

    @property
    def sensor(self) -> EmulatedSensor:
        """The first, or the only one."""
        return self.sensors[0]

    @property
    def all(self) -> list[EmulatedRobot | EmulatedSensor]:
        """Everybody who sends."""
        return [*(r for r in self.robots if r.name not in self.absent), *self.sensors]


def make_peers(e: Emulation) -> Peers:
    """All peers of an emulation, switched on at t = 0; the target's robot at its phase."""
    windows = e.faults.window_rows()
    chaser, target = (EmulatedRobot(r, e.plant, windows) for r in e.robots)
    for robot, motion, phase in zip((chaser, target), e.motions, e.phases_ms):
        robot.start(round(phase * MS), motion)
        if robot.name in e.absent:
            robot.arrays.whole[NEXT_NS] = NEVER
    sensors = []
    for settings, name in zip(e.sensors, sensor_names(e.sensors)):
        sensor = EmulatedSensor(settings, e.plant, chaser, target, windows)
        sensor.name = name
        sensor.start(0)
        sensor.hear(SensorLink.request())
        sensors.append(sensor)
    return Peers((chaser, target), tuple(sensors), e.absent)


class VirtualRig:
    """Peers and program joined by the compiled queue."""

    def __init__(
        self,
        on: OnRig,
        faults: Faults | None = None,
        emulation: Emulation | None = None,
        **options: Any,
    ) -> None:
        self.emulation = emulation or emulation_of(on, faults)
        self.peers = make_peers(self.emulation)
        self.program = RigProgram(on, ends=True, **options)
        self._run = VirtualRun(
            self.peers.robots,
            self.peers.sensors,
            self.program.links,
            self.program.records,
            self.program.arrays,
            self.emulation.faults,
        )

    def run(self, seconds: float | None = None) -> None:
        """Until the robots stand, or for some seconds."""
        self._run.run(round((duration_s(self.program) if seconds is None else seconds) * SECOND))

    def counts(self) -> dict[str, int]:
        return self._run.counts()


def fly_virtual(on: OnRig, faults: Faults | None = None, **options: Any) -> RigOutcome:
    """The scenario on the emulated rig, from standstill to standstill."""
    rig = VirtualRig(on, faults, **options)
    rig.run()
    return outcome_of(rig.program)
