"""KUKA RSI over Ethernet: the driver of a robot whose telegrams the compiled loop reads itself.

Here: the keys of its table in the rig file, what is refused of them (the controller's Ethernet file
and RSI context against the rig file), and the files that it writes for a controller. Telegrams are
rsi_config.py and rig/wire/telegram.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softdock.errors import BadInput, Problem
from softdock.files.reading import LARGEST_FILE, Unreadable, read_bytes
from softdock.rig.driver import Notes, RobotDriver
from softdock.rig.drivers.rsi_config import (
    CYCLES_MS,
    RELATIVE,
    EthernetFile,
    parse_ethernet_file,
    read_ethernet_file,
)
from softdock.rig.drivers.rsi_templates import (
    ContextLimits,
    RobotFiles,
    read_context,
    refuse_loopback,
    write_context_xml,
    write_ethernet_xml,
    write_krl_program,
)
from softdock.rig.schema import RobotEnd, choice, flag, text

if TYPE_CHECKING:
    from softdock.rig.model import Rig


@dataclass(frozen=True)
class KukaKeys(RobotEnd):
    """`[robots.chaser]` with `driver = "kuka_rsi"`: a KUKA controller with RSI, beside the keys
    of every robot."""

    ethernet_xml: str = text("", "the controller's Ethernet file; none: the one that rig new makes")
    context: str = text("", "the controller's RSI context; none: the limits below count")
    correction: str = choice(("absolute", "relative"), "relative is refused: held, it runs away")
    hold_on: bool = flag(True, "HOLDON of the correction, as in the Ethernet file")


class KukaRsi(RobotDriver):
    """The registration."""

    Keys = KukaKeys
    cycles_ms = tuple(CYCLES_MS.values())
    why_cycles = "RSI_ON of KUKA knows IPO_FAST (4 ms) and IPO (12 ms) only"
    compiled = True

    @classmethod
    def check(cls, rig: Rig, which: str, folder: Path | None, notes: Notes) -> EthernetFile:
        robot, at = _keys_of(rig, which), f"robots.{which}"
        if robot.correction != "absolute":
            notes.wrong(f"{at}.correction", robot.correction, RELATIVE)
        if not robot.hold_on:
            allowed = "true: without it a late reply drops the correction to zero, a jump to RSI_ON"
            notes.wrong(f"{at}.hold_on", robot.hold_on, allowed)
        found = _read_ethernet_file(rig, which, folder, notes)
        _check_context(robot, which, folder, notes)
        return found

    @classmethod
    def files(cls, rig: Rig, which: str, name: str) -> dict[str, str]:
        if rig.emulate is not None:
            return {}  # no controller is there to load them
        refuse_loopback(rig.robots[which].bind)
        files = replace(make_own_files(rig, which), name=name)
        return {
            f"{name}.xml": write_ethernet_xml(files),
            f"{name}.rsi.xml": write_context_xml(files),
            f"{name}.src": write_krl_program(files),
        }

    @classmethod
    def say(cls, keys: Any, which: str, emulated: bool) -> list[str]:
        if keys.context or emulated:
            return []
        return [
            f"the {which}'s PosCorr limits and Timeout count as stated: no RSI context is named"
        ]


def _keys_of(rig: Rig, which: str) -> KukaKeys:
    keys = rig.robots[which]
    assert isinstance(keys, KukaKeys)  # as the registry has it
    return keys


def make_own_files(rig: Rig, which: str) -> RobotFiles:
    """What softdock would write for a robot's controller."""
    robot = rig.robots[which]
    return RobotFiles(
        name=f"softdock_{which}",
        address=robot.bind,
        port=robot.port,
        mode=rig.clock.mode or "IPO_FAST",  # another cycle has been refused
        timeout_packets=robot.timeout_packets,
        lower_mm=robot.lower_mm,
        upper_mm=robot.upper_mm,
        max_turn_deg=robot.max_turn_deg,
    )


def _read_ethernet_file(rig: Rig, which: str, folder: Path | None, notes: Notes) -> EthernetFile:
    robot, at = _keys_of(rig, which), f"robots.{which}"
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
        notes.of_robot(which, Problem(key, 0, allowed, found.file))
    return found


def _check_context(robot: KukaKeys, which: str, folder: Path | None, notes: Notes) -> None:
    if not robot.context:
        return
    path = (folder or Path()) / robot.context
    try:
        found = read_context(read_bytes(path, LARGEST_FILE, "RSI context"), str(path))
    except Unreadable as error:
        notes.wrong(f"robots.{which}.context", robot.context, error.allowed)
        return
    except BadInput as error:
        for one in error.problems:
            notes.of_robot(which, one)
        return
    _compare_context(robot, which, found, str(path), notes)


def _compare_context(
    robot: RobotEnd, which: str, found: ContextLimits, file: str, notes: Notes
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
