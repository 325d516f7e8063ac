"""The peers of an emulated rig: what its file and a scenario say, as the emulators take it.

In: a scenario on a rig (rig_scenario.py). Out: an `Emulation`: its robot controllers with the rig's
addresses, cycle, limits and frames, its sensors with their scale and rate, faults from `[emulate]`
or from a line of text. A mock-up without a robot stands where the scenario has it. `peers_of`
starts them unless they run already (`softdock rig emulate`).
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace

from softdock.arms.facility import Frame
from softdock.core.seam import COMMAND
from softdock.core.spatial.motion import MOTION_FLOATS, Motion
from softdock.drivers.docking import motion_in
from softdock.drivers.emulate import Emulators
from softdock.drivers.emulated_robot import ROBOTS, RobotSettings
from softdock.drivers.emulated_sensor import SensorSettings
from softdock.drivers.emulation import Emulation, plant_of
from softdock.drivers.faults import Faults, parse_faults
from softdock.drivers.rig_model import Rig
from softdock.drivers.rig_scenario import OnRig
from softdock.errors import BadInput, Problem
from softdock.runs.controller import Controller

STILL = (0.0, 0.0, 0.0)
ABOVE = 5  # priority of the emulators over ours: a robot does not wait for its commander
WIDER = 1.1  # PosCorrMon over PosCorr, as in the contexts that softdock writes


def start_poses(on: OnRig) -> tuple[Motion, Motion]:
    """Both mock-ups at the scenario's start, at rest."""
    command = Controller(on.scenario).first_command()
    at = COMMAND.at.chaser
    found = [motion_in(command[at + i * MOTION_FLOATS :][:MOTION_FLOATS]) for i in range(2)]
    chaser, target = (m._replace(v=STILL, w=STILL) for m in found)
    return chaser, target


def robot_settings(on: OnRig, which: str) -> RobotSettings:
    """One emulated controller; where there is no robot, one that stands."""
    rig = on.rig
    assert rig.emulate is not None  # _can_be_emulated
    if which not in rig.moving:
        some = rig.ethernet[rig.moving[0]]
        return RobotSettings(ethernet=some, which=which, cycle_ms=rig.clock.cycle_ms)
    robot = rig.robots[which]
    farthest = [max(-low, high) for low, high in zip(robot.lower_mm, robot.upper_mm)]
    return RobotSettings(
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


def sensor_settings(on: OnRig, which: str) -> SensorSettings:
    """An emulated sensor; its axes as seen from the satellite's."""
    sensor, emulate, mount = on.rig.sensors[which], on.rig.emulate, on.facility.robots().get(which)
    assert emulate is not None
    in_flange = Frame(sensor.in_flange_m, sensor.in_flange_wxyz)
    body = Frame() if mount is None else mount.satellite
    w, x, y, z = body.back().then(in_flange).q
    return SensorSettings(
        on=which,
        address=sensor.address,
        port=sensor.port,
        http_port=sensor.http_port,
        sample_Hz=sensor.sample_Hz,
        rate_Hz=sensor.rate_Hz,
        drift_ppm=emulate.drift_sensor_ppm,
        counts_per_N=sensor.counts_per_N,
        counts_per_Nm=sensor.counts_per_Nm,
        range_N=sensor.range_N,
        range_Nm=sensor.range_Nm,
        filter=sensor.filter,
        noise_N=emulate.noise_N,
        noise_Nm=emulate.noise_Nm,
        axes=(w, x, y, z),
        serial=sensor.serial or "FT00000",
        calibration=sensor.calibration or "softdock emulated",
        seed=emulate.seed + ROBOTS.index(which),  # two sensors have noise of their own
    )


def faults_of(rig: Rig, text: str = "", seed: int | None = None) -> Faults:
    """Faults of `[emulate]`, or those of a line of text in their place."""
    if rig.emulate is None:
        raise BadInput(Problem("emulate", None, f"a table [emulate] in {rig.file}"))
    e = rig.emulate
    found = parse_faults(text or e.faults, e.seed if seed is None else seed)
    latency = found.latency_us or e.latency_us
    return replace(found, latency_us=latency, jitter_us=found.jitter_us or e.jitter_us)


def _can_be_emulated(rig: Rig) -> None:
    if rig.emulate is None:
        allowed = "a table [emulate]: without it the rig's peers are real"
        raise BadInput(Problem("emulate", None, allowed, rig.file))


def emulation_of(
    on: OnRig,
    faults: Faults | None = None,
    motions: tuple[Motion, Motion] | None = None,
    patient: bool = False,
) -> Emulation:
    """Everything that is emulated. `motions`: of the mock-ups at RSI_ON, by default at rest at the
    scenario's start; `patient`: RSI begins again after it has ended."""
    rig = on.rig
    _can_be_emulated(rig)
    assert rig.emulate is not None
    scenario = on.scenario
    return Emulation(
        plant=plant_of(scenario),
        robots=(robot_settings(on, "chaser"), robot_settings(on, "target")),
        motions=motions or start_poses(on),
        sensors=tuple(sensor_settings(on, which) for which in rig.sensors),
        absent=tuple(which for which in ROBOTS if which not in rig.moving),
        faults=faults or faults_of(rig),
        phases_ms=(0.0, rig.emulate.phase_ms),
        host=rig.robots[rig.moving[0]].address,
        priority=min(ABOVE + rig.machine.priority, 99) if rig.machine.priority > 0 else 0,
        patient=patient,
    )


def below(emulation: Emulation, rig: Rig) -> Emulation:
    """The same with a priority below our loop's: nothing of it runs while an answer is sent."""
    return replace(emulation, priority=max(rig.machine.priority - ABOVE, 0))


def are_running(rig: Rig) -> bool:
    """Whether somebody has an emulated sensor's port already."""
    sensor = next(iter(rig.sensors.values()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        try:
            tried.bind((sensor.address, sensor.port))
        except OSError:
            return True
    return False


@contextlib.contextmanager
def peers_of(
    on: OnRig, faults: Faults | None = None, yielding: bool = False
) -> Iterator[Emulators | None]:
    """The peers while a command needs them: None where they are real or run already. `yielding`:
    they wait for our loop, so that what it takes is its own: a robot's computer is another one."""
    if on.rig.emulate is None or are_running(on.rig):
        yield None
        return
    emulation = emulation_of(on, faults)
    with Emulators(below(emulation, on.rig) if yielding else emulation) as running:
        yield running
