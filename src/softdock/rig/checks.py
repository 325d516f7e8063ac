"""What cannot be seen key by key: a rig file against itself, its Ethernet files and its contexts.

In: a rig whose every key is allowed. Out: the same with the Ethernet files read and the sentences
that must be printed, or `BadInput` with all that does not fit together.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.files.tables import Locate
from softdock.rig.drivers.rsi_config import EthernetFile
from softdock.rig.drivers.rsi_templates import RobotFiles
from softdock.rig.drivers.sockets import is_loopback
from softdock.rig.model import Rig
from softdock.rig.schema import RobotEnd, SensorEnd


class _Notes:
    """All that is wrong, each with its line."""

    def __init__(self, locate: Locate) -> None:
        self.locate, self.problems = locate, list[Problem]()

    def wrong(self, key: str, value: object, allowed: str) -> None:
        self.problems.append(Problem(key, value, allowed, self.locate(key)))

    def of_robot(self, which: str, found: Problem) -> None:
        """What is wrong with a robot's files: what names no file means the rig's own line, which
        may have been refused already."""
        name = found.key.partition(",")[0]
        key = f"robots.{which}.{name}"
        if found.where or name not in (*RobotFiles.__dataclass_fields__, "ethernet_xml"):
            self.problems.append(found)
        elif key not in [one.key for one in self.problems]:
            self.wrong(key, found.value, found.allowed)


def check_rig_file(rig: Rig, folder: Path | None, locate: Locate) -> Rig:
    """The rig with its Ethernet files, or every reason why it cannot be used."""
    notes = _Notes(locate)
    if not rig.moving:
        notes.wrong("robots", sorted(rig.robots), "a robot: [robots.chaser], [robots.target]")
    elif rig.clock.master not in rig.moving:
        notes.wrong("clock.master", rig.clock.master, f"a robot: {', '.join(rig.moving)}")
    if not rig.sensors:
        notes.wrong("sensors", None, "a force sensor: [sensors.chaser] or [sensors.target]")
    files = {}
    for which in rig.moving:
        _check_robot(rig, which, notes)
        try:
            files[which] = rig.robot_driver(which).check(rig, which, folder, notes)
            _check_stop_input(rig, which, files[which], notes)
        except BadInput as error:
            for found in error.problems:
                notes.of_robot(which, found)
    _check_ports(rig, notes)
    _check_bindings(rig, notes)
    _check_drivers(rig, notes)
    for which, sensor in rig.sensors.items():
        if sensor.sample_Hz % sensor.rate_Hz:
            allowed = f"a whole part of sample_Hz, {sensor.sample_Hz}"
            notes.wrong(f"sensors.{which}.rate_Hz", sensor.rate_Hz, allowed)
    if notes.problems:
        raise BadInput(notes.problems)
    return replace(rig, ethernet=files, notes=tuple(_list_notes(rig)))


def _check_robot(rig: Rig, which: str, notes: _Notes) -> None:
    robot, at = rig.robots[which], f"robots.{which}"
    for low, high, key in (
        (robot.box_min_m, robot.box_max_m, "box_max_m"),
        (robot.lower_mm, robot.upper_mm, "upper_mm"),
    ):
        if not all(a < b for a, b in zip(low, high)):
            notes.wrong(f"{at}.{key}", list(high), f"above {list(low)}, axis by axis")
    if not all(a < 0.0 < b for a, b in zip(robot.lower_mm, robot.upper_mm)):
        notes.wrong(f"{at}.lower_mm", list(robot.lower_mm), "below 0, and upper_mm above it")


def _check_stop_input(rig: Rig, which: str, found: EthernetFile, notes: _Notes) -> None:
    robot = rig.robots[which]
    sent = {v.element for v in found.send} | {f"{v.element}.{v.attribute}" for v in found.send}
    if robot.stop_input and robot.stop_input not in sent:
        allowed = f'a value that {found.file} sends, or "": no operator\'s stop over the wire'
        notes.wrong(f"robots.{which}.stop_input", robot.stop_input, allowed)


def _check_drivers(rig: Rig, notes: _Notes) -> None:
    """The cycle and the limits that each device bears."""
    clock = rig.clock
    for at, driver in rig.drivers.items():
        name = rig.name_driver(at)
        cycles = driver.cycles_ms
        if clock.cycle_ms not in cycles and at.partition(".")[2] in (*rig.moving, *rig.sensors):
            allowed = f"{_list_cycles(cycles)} with {name} ({at})"
            allowed += f": {driver.why_cycles}" if driver.why_cycles else ""
            notes.wrong("clock.cycle_ms", clock.cycle_ms, allowed)
        for key, most in driver.limits.items():
            stated = getattr(rig.limits, key, None)
            if stated is None:
                allowed = f"a key of [limits]; {name} states it"
                notes.wrong(f"limits.{key}", None, allowed)
            elif stated > most:
                notes.wrong(f"limits.{key}", stated, f"at most {most:g}: what {name} allows ({at})")


def _list_cycles(cycles: tuple[int, ...]) -> str:
    if len(cycles) > 2 and cycles == tuple(range(cycles[0], cycles[-1] + 1)):
        return f"{cycles[0]} to {cycles[-1]}"
    return ", ".join(map(str, cycles[:-1])) + (" or " if cycles[1:] else "") + str(cycles[-1])


def _check_ports(rig: Rig, notes: _Notes) -> None:
    places = [(rig.robots[n].bind, rig.robots[n].port) for n in rig.moving]
    if len(places) == 2 and places[0] == places[1]:
        allowed = "another port than the chaser's: two robots on one port cannot be distinguished"
        notes.wrong("robots.target.port", places[1][1], allowed)
    senders = [(s.address, s.port) for s in rig.sensors.values()]
    if len(senders) == 2 and senders[0] == senders[1]:
        allowed = "another address or port than the chaser's sensor"
        notes.wrong("sensors.target.port", senders[1][1], allowed)
    for which, sensor in rig.sensors.items():
        if rig.emulate is not None and (sensor.address, sensor.port) in places:
            allowed = "a port that no robot's telegrams come to: the emulated sensor binds it"
            notes.wrong(f"sensors.{which}.port", sensor.port, allowed)


def _check_bindings(rig: Rig, notes: _Notes) -> None:
    ends: dict[str, RobotEnd | SensorEnd] = {f"robots.{n}": rig.robots[n] for n in rig.moving}
    ends |= {f"sensors.{n}": s for n, s in rig.sensors.items()}
    for at, end in ends.items():
        own = at in rig.in_python  # its driver opens what leads to the address
        if is_loopback(end.bind) and not is_loopback(end.address) and not own:
            allowed = f"the address of this computer in the network of {end.address}, stated"
            notes.wrong(f"{at}.bind", end.bind, allowed)
        if rig.emulate is not None and not (is_loopback(end.address) and is_loopback(end.bind)):
            allowed = "addresses of loopback (127.x.x.x): this rig is emulated"
            notes.wrong(f"{at}.address", end.address, allowed)


def _list_notes(rig: Rig) -> list[str]:
    """Sentences that every command with this rig prints."""
    lines = []
    for which in rig.moving:
        robot = rig.robots[which]
        if robot.bind in rig.beyond_loopback:
            lines.append(
                f"listening on {robot.bind}:{robot.port}, beyond loopback, for the {which}'s "
                f"robot at {robot.address} only"
            )
        lines += rig.robot_driver(which).say(robot, which, rig.emulate is not None)
    for which, sensor in rig.sensors.items():
        if sensor.bind in rig.beyond_loopback:
            lines.append(
                f"listening on {sensor.bind}, beyond loopback, for the sensor at "
                f"{sensor.address} only"
            )
        lines += rig.sensor_driver(which).say(sensor, which)
    for at in rig.in_python:
        lines.append(f"{at}: {rig.name_driver(at)} is Python code and runs in a process of its own")
    return lines
