"""An emulated rig: the peers that its file and a scenario describe, and a whole run in virtual
time.

In: a scenario on a rig (rig/scenario.py). Out: an `Emulation`: its robot controllers with the rig's
addresses, cycle, limits and frames, its sensors with their scale and rate, faults from `[emulate]`
or from a line of text. A mock-up without a robot stands where the scenario has it. `start_peers`
starts them unless they run already (`softdock rig emulate`).
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.facility import Frame
from softdock.loop.instants import MS, SECOND
from softdock.loop.seam import COMMAND
from softdock.loop.spatial.motion import MOTION, MOTION_FLOATS, Motion
from softdock.rig.bridge import Bridges
from softdock.rig.drivers.emulated_robot import ROBOTS, EmulatedRobot, RobotSettings
from softdock.rig.drivers.emulated_sensor import EmulatedSensor, SensorSettings, name_sensors
from softdock.rig.drivers.emulation import Emulation, Faults, Plant, VirtualRun, parse_faults
from softdock.rig.drivers.emulators import Emulators
from softdock.rig.drivers.links import SensorLink
from softdock.rig.model import Rig
from softdock.rig.outcome import RigOutcome, compute_outcome
from softdock.rig.program import RigProgram, compute_duration_s
from softdock.rig.scenario import OnRig, compute_first_command
from softdock.rig.wire.emulated_robot import NEXT_NS
from softdock.rig.wire.virtual_queue import NEVER
from softdock.scenario.build import Scenario

STILL = (0.0, 0.0, 0.0)
LOOK_NS = 50 * MS  # of virtual time
ABOVE = 5  # priority of the emulators over ours: a robot does not wait for its commander
WIDER = 1.1  # PosCorrMon over PosCorr, as in the contexts that softdock writes


def make_plant(scenario: Scenario) -> Plant:
    """Robots, mock-ups and contact of a scenario."""
    markers = scenario.markers._replace(methods=())
    return Plant(scenario.vector, markers, scenario.mem_floats)


def motion_in(array: np.ndarray) -> Motion:
    """A `motion` from its floats."""
    motion: Motion = MOTION([float(one) for one in array]).whole
    return motion


def compute_start_motions(scenario: Scenario) -> tuple[Motion, Motion]:
    """The first set-points of both mock-ups, chaser and target, in orbit's axes."""
    command, at = compute_first_command(scenario), COMMAND.at.chaser
    chaser, target = (motion_in(command[at + i * MOTION_FLOATS :][:MOTION_FLOATS]) for i in (0, 1))
    return chaser, target


def compute_start_poses(on: OnRig) -> tuple[Motion, Motion]:
    """Both mock-ups at the scenario's start, at rest."""
    chaser, target = (m._replace(v=STILL, w=STILL) for m in compute_start_motions(on.scenario))
    return chaser, target


def make_robot_settings(on: OnRig, which: str) -> RobotSettings:
    """One emulated controller; where there is no robot, one that stands."""
    rig = on.rig
    assert rig.emulate is not None  # _can_be_emulated
    if which not in rig.moving:
        some = rig.ethernet[rig.moving[0]]
        return RobotSettings(ethernet=some, which=which, cycle_ms=rig.clock.cycle_ms)
    robot = rig.robots[which]
    farthest = [max(-low, high) for low, high in zip(robot.lower_mm, robot.upper_mm)]
    settings = RobotSettings(
        ethernet=rig.ethernet[which],
        which=which,
        cycle_ms=rig.clock.cycle_ms,
        drift_ppm=getattr(rig.emulate, f"drift_{which}_ppm"),
        timeout_packets=robot.timeout_packets,
        lower_mm=robot.lower_mm,
        upper_mm=robot.upper_mm,
        max_turn_deg=robot.max_turn_deg,
        monitor_mm=WIDER * sum(v * v for v in farthest) ** 0.5,
        monitor_deg=min(180.0, WIDER * robot.max_turn_deg),
        base_in_world=on.base_in_orbit(which),
        tool_from_flange=on.centre_from_flange(which),
    )
    return rig.robot_driver(which).emulate(robot, settings)


def make_sensor_settings(on: OnRig, which: str) -> SensorSettings:
    """An emulated sensor; its axes as seen from the satellite's."""
    sensor, emulate, mount = on.rig.sensors[which], on.rig.emulate, on.facility.robots().get(which)
    assert emulate is not None
    in_flange = Frame(sensor.in_flange_m, sensor.in_flange_wxyz)
    body = Frame() if mount is None else mount.satellite
    w, x, y, z = body.back().then(in_flange).q
    settings = SensorSettings(
        on=which,
        address=sensor.address,
        port=sensor.port,
        sample_Hz=sensor.sample_Hz,
        rate_Hz=sensor.rate_Hz,
        drift_ppm=emulate.drift_sensor_ppm,
        counts_per_N=sensor.counts_per_N,
        counts_per_Nm=sensor.counts_per_Nm,
        range_N=sensor.range_N,
        range_Nm=sensor.range_Nm,
        noise_N=emulate.noise_N,
        noise_Nm=emulate.noise_Nm,
        axes=(w, x, y, z),
        seed=emulate.seed + ROBOTS.index(which),  # two sensors have noise of their own
    )
    return on.rig.sensor_driver(which).emulate(sensor, settings)


def read_faults(rig: Rig, text: str = "", seed: int | None = None) -> Faults:
    """Faults of `[emulate]`, or those of a line of text in their place."""
    if rig.emulate is None:
        raise BadInput(Problem("emulate", None, f"a table [emulate] in {rig.file}"))
    e = rig.emulate
    found = parse_faults(text or e.faults, e.seed if seed is None else seed)
    latency = found.latency_us or e.latency_us
    return replace(found, latency_us=latency, jitter_us=found.jitter_us or e.jitter_us)


def _refuse_real(rig: Rig) -> None:
    if rig.emulate is None:
        allowed = "a table [emulate]: without it the rig's peers are real"
        raise BadInput(Problem("emulate", None, allowed, rig.file))


def make_emulation(
    on: OnRig,
    faults: Faults | None = None,
    motions: tuple[Motion, Motion] | None = None,
    patient: bool = False,
) -> Emulation:
    """Everything that is emulated. `motions`: of the mock-ups at RSI_ON, by default at rest at the
    scenario's start; `patient`: RSI begins again after it has ended."""
    rig = on.rig
    _refuse_real(rig)
    assert rig.emulate is not None
    scenario = on.scenario
    return Emulation(
        plant=make_plant(scenario),
        robots=(make_robot_settings(on, "chaser"), make_robot_settings(on, "target")),
        motions=motions or compute_start_poses(on),
        sensors=tuple(make_sensor_settings(on, which) for which in rig.sensors),
        absent=tuple(which for which in ROBOTS if which not in rig.moving),
        faults=faults or read_faults(rig),
        phases_ms=(0.0, rig.emulate.phase_ms),
        host=rig.robots[rig.moving[0]].address,
        priority=min(ABOVE + rig.machine.priority, 99) if rig.machine.priority > 0 else 0,
        patient=patient,
    )


def lower_priority(emulation: Emulation, rig: Rig) -> Emulation:
    """The same with a priority below our loop's: nothing of it runs while an answer is sent."""
    return replace(emulation, priority=max(rig.machine.priority - ABOVE, 0))


def are_emulators_running(rig: Rig) -> bool:
    """Whether somebody has an emulated sensor's port already."""
    sensor = next(iter(rig.sensors.values()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        try:
            tried.bind((sensor.address, sensor.port))
        except OSError:
            return True
    return False


@contextlib.contextmanager
def start_peers(
    on: OnRig, faults: Faults | None = None, yielding: bool = False
) -> Iterator[Emulators | Bridges | None]:
    """The peers while a command needs them: None where they are real or run already. Drivers in
    Python are processes of their own, connected here. `yielding`: emulated peers wait for our loop,
    so that what it takes is its own: a robot's computer is another one."""
    if on.rig.in_python:
        with Bridges(on.rig) as bridges:
            yield bridges
        return
    if on.rig.emulate is None or are_emulators_running(on.rig):
        yield None
        return
    emulation = make_emulation(on, faults)
    with Emulators(lower_priority(emulation, on.rig) if yielding else emulation) as running:
        yield running


# A whole run of a rig in virtual time: emulated peers, the rig's own program, no socket, no clock.
#
# `fly_virtual(on_rig(rig, scenario))` runs it by one compiled call, as fast as the machine
# computes; the same program runs over sockets. Every run is a function of the rig, the scenario and
# the faults.


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
    for settings, name in zip(e.sensors, name_sensors(e.sensors)):
        sensor = EmulatedSensor(settings, e.plant, chaser, target, windows)
        sensor.name = name
        sensor.start(0)
        sensor.receive(SensorLink.request())
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
        self.emulation = emulation or make_emulation(on, faults)
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
        seconds = compute_duration_s(self.program) if seconds is None else seconds
        hands = self.program.on.scenario.tables["hand"]
        if any(len(hands[s.settings.on]["rows"]) > 0 for s in self.peers.sensors):
            self._run_with_hands(round(seconds * SECOND))
        else:
            self._run.run(round(seconds * SECOND))

    def _run_with_hands(self, until_ns: int) -> None:
        """In slices, between which the sensors are told when the docking begins."""
        for now in range(0, until_ns, LOOK_NS):
            self._run.run(min(now + LOOK_NS, until_ns))
            for which, data in self.program.point_out_docking():
                next(s for s in self.peers.sensors if s.settings.on == which).receive(data)
            if self.program.is_over:
                return

    def counts(self) -> dict[str, int]:
        return self._run.counts()


def run_virtual(on: OnRig, faults: Faults | None = None, **options: Any) -> RigOutcome:
    """The scenario on the emulated rig, from standstill to standstill."""
    rig = VirtualRig(on, faults, **options)
    rig.run()
    return compute_outcome(rig.program)
