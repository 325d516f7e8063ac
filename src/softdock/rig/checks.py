"""What cannot be seen key by key: a rig file against itself, its Ethernet files and its contexts.

In: a rig whose every key is allowed. Out: the same with the Ethernet files read and the sentences
that must be printed, or `BadInput` with all that does not fit together.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.reading import LARGEST_FILE, Unreadable, read_bytes
from softdock.files.tables import Locate
from softdock.rig.drivers.rsi_config import (
    RELATIVE,
    EthernetFile,
    parse_ethernet_file,
    read_ethernet_file,
)
from softdock.rig.drivers.rsi_templates import (
    ContextLimits,
    RobotFiles,
    read_context,
    write_ethernet_xml,
)
from softdock.rig.model import Rig, is_loopback
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
            files[which] = _read_ethernet_file(rig, which, folder, notes)
            _check_context(rig.robots[which], which, folder, notes)
        except BadInput as error:
            for found in error.problems:
                notes.of_robot(which, found)
    _check_ports(rig, notes)
    _check_bindings(rig, notes)
    for which, sensor in rig.sensors.items():
        if sensor.sample_Hz % sensor.rate_Hz:
            allowed = f"a whole part of sample_Hz, {sensor.sample_Hz}"
            notes.wrong(f"sensors.{which}.rate_Hz", sensor.rate_Hz, allowed)
    if notes.problems:
        raise BadInput(notes.problems)
    return replace(rig, ethernet=files, notes=tuple(_list_notes(rig)))


def _check_robot(rig: Rig, which: str, notes: _Notes) -> None:
    robot, at = rig.robots[which], f"robots.{which}"
    if robot.correction != "absolute":
        notes.wrong(f"{at}.correction", robot.correction, RELATIVE)
    if not robot.hold_on:
        allowed = "true: without it a late reply drops the correction to zero, a jump to RSI_ON"
        notes.wrong(f"{at}.hold_on", robot.hold_on, allowed)
    for low, high, key in (
        (robot.box_min_m, robot.box_max_m, "box_max_m"),
        (robot.lower_mm, robot.upper_mm, "upper_mm"),
    ):
        if not all(a < b for a, b in zip(low, high)):
            notes.wrong(f"{at}.{key}", list(high), f"above {list(low)}, axis by axis")
    if not all(a < 0.0 < b for a, b in zip(robot.lower_mm, robot.upper_mm)):
        notes.wrong(f"{at}.lower_mm", list(robot.lower_mm), "below 0, and upper_mm above it")


def make_own_files(rig: Rig, which: str) -> RobotFiles:
    """What softdock would write for a robot's controller."""
    robot = rig.robots[which]
    return RobotFiles(
        name=f"softdock_{which}",
        address=robot.bind,
        port=robot.port,
        mode=rig.clock.mode,
        timeout_packets=robot.timeout_packets,
        lower_mm=robot.lower_mm,
        upper_mm=robot.upper_mm,
        max_turn_deg=robot.max_turn_deg,
    )


def _read_ethernet_file(rig: Rig, which: str, folder: Path | None, notes: _Notes) -> EthernetFile:
    robot, at = rig.robots[which], f"robots.{which}"
    if robot.ethernet_xml:
        found = read_ethernet_file((folder or Path()) / robot.ethernet_xml)
    else:
        files = make_own_files(rig, which)
        found = parse_ethernet_file(write_ethernet_xml(files).encode(), f"{files.name}.xml")
    if found.port != robot.port:
        notes.wrong(f"{at}.port", robot.port, f"{found.port}, as in {found.file}")
    if found.address != robot.bind:
        allowed = f"{found.address}, the IP_NUMBER in {found.file}: there the controller sends to"
        notes.wrong(f"{at}.bind", robot.bind, allowed)
    name = found.correction()
    dropped = [v.attribute for v in found.receive if v.element == name and not v.hold]
    if dropped:
        allowed = "HOLDON=1: else a late reply drops the correction to zero, a jump"
        key = f"{name}.{dropped[0]} HOLDON"
        notes.problems.append(Problem(key, 0, allowed, found.file))
    sent = {v.element for v in found.send} | {f"{v.element}.{v.attribute}" for v in found.send}
    if robot.stop_input and robot.stop_input not in sent:
        allowed = f'a value that {found.file} sends, or "": no operator\'s stop over the wire'
        notes.wrong(f"{at}.stop_input", robot.stop_input, allowed)
    return found


def _check_context(robot: RobotEnd, which: str, folder: Path | None, notes: _Notes) -> None:
    if not robot.context:
        return
    path = (folder or Path()) / robot.context
    try:
        found = read_context(read_bytes(path, LARGEST_FILE, "RSI context"), str(path))
    except Unreadable as error:
        notes.wrong(f"robots.{which}.context", robot.context, error.allowed)
        return
    _compare_context(robot, which, found, str(path), notes)


def _compare_context(
    robot: RobotEnd, which: str, found: ContextLimits, file: str, notes: _Notes
) -> None:
    at, source = f"robots.{which}", f"as the context {file} has it"
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("lower_mm", list(robot.lower_mm), found.lower_mm),
        ("upper_mm", list(robot.upper_mm), found.upper_mm),
        ("max_turn_deg", robot.max_turn_deg, found.max_turn_deg),
        ("timeout_packets", robot.timeout_packets, found.timeout_packets),
    )
    for key, given, own in pairs:
        own = list(own) if isinstance(own, tuple) else own
        if own is not None and own != given:
            notes.wrong(f"{at}.{key}", given, f"{own}, {source}")


def _check_ports(rig: Rig, notes: _Notes) -> None:
    places = [(rig.robots[n].bind, rig.robots[n].port) for n in rig.moving]
    if len(places) == 2 and places[0] == places[1]:
        allowed = "another port than the chaser's: two robots on one port cannot be told apart"
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
        if is_loopback(end.bind) and not is_loopback(end.address):
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
        if not robot.context and rig.emulate is None:
            lines.append(
                f"the {which}'s PosCorr limits and Timeout are believed: no RSI context is named"
            )
    for which, sensor in rig.sensors.items():
        if sensor.bind in rig.beyond_loopback:
            lines.append(
                f"listening on {sensor.bind}, beyond loopback, for the sensor at "
                f"{sensor.address} only"
            )
        if sensor.http_port == 0:
            lines.append(f"the {which}'s sensor is not asked for its scale: the file is believed")
    return lines
