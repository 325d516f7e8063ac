"""Rig files written: a new one with every line commented, and numbers put back into one.

In: a rig file and numbers by their keys (`robots.chaser.delay_ms`). Out: the file, written whole or
not at all, and for each key what stood there before. A key is replaced in its line, or put under
the header of its table, or both at the end. The new text is read before it is written: if it is not
the same rig with these numbers, nothing is written and the lines to type are in the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.files.folders import ensure_folder
from softdock.files.toml_text import parse_toml
from softdock.rig.drivers.rsi_config import CYCLES_MS
from softdock.rig.drivers.sockets import LOOPBACK, is_loopback
from softdock.rig.file import read_rig, rig_presets, rig_text
from softdock.scenario.keys import set_key

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?\Z")


def _format_value(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(repr(float(v)) for v in value) + "]"
    return repr(float(value))


def _set_key(lines: list[str], key: str, text: str) -> list[str]:
    """The lines with one key stated."""
    table, _, name = key.rpartition(".")
    line = re.compile(rf"(\s*{re.escape(name)}\s*=\s*)([^#]*?)(\s*(?:#.*)?)\Z")
    header: int | None = None
    for at, one in enumerate(lines):
        found = _HEADER.match(one)
        if found:
            if header is not None:
                break
            header = at if found[1].replace(" ", "") == table else None
        elif header is not None and (stated := line.match(one)):
            return [*lines[:at], stated[1] + text + stated[3], *lines[at + 1 :]]
    if header is None:
        return [*lines, "", f"[{table}]", f"{name} = {text}"]
    return [*lines[: header + 1], f"{name} = {text}", *lines[header + 1 :]]


def _get_value(tables: Any, key: str) -> Any:
    for part in key.split("."):
        tables = tables.get(part) if isinstance(tables, Mapping) else None
    return tables


def write_back(
    source: str | Path, values: Mapping[str, float | tuple[float, ...]]
) -> dict[str, Any]:
    """State keys in a rig file: what stood there before, None where nothing did."""
    if str(source) in rig_presets() and not Path(source).exists():
        allowed = "a rig file of yours (softdock rig new); presets stay as they are"
        raise BadInput(Problem("--write", str(source), allowed))
    text, name, folder = rig_text(source)
    before, _, _ = parse_toml(text, name)
    lines = text.splitlines()
    for key, value in values.items():
        lines = _set_key(lines, key, _format_value(value))
    made = "\n".join(lines) + "\n"
    try:
        after, locate, _ = parse_toml(made, name)
        wanted, _, _ = parse_toml(text, name)
        for key, value in values.items():
            set_key(wanted, key, list(value) if isinstance(value, tuple) else float(value))
        same = after == wanted
        if same:
            read_rig(after, name, folder, locate)
    except BadInput:
        same = False
    if not same:
        typed = "; ".join(f"{key} = {_format_value(value)}" for key, value in values.items())
        allowed = f"a file with plain tables; this one must be changed by hand: {typed}"
        raise BadInput(Problem("--write", str(source), allowed, name))
    write_whole(Path(source), made.encode("utf-8"))
    return {key: _get_value(before, key) for key in values}


# A new rig file as text, every line commented, with the files of the robots' controllers.
#
# What is written can be read: `rig_text_of` is checked by `read_rig` before anything is written,
# and the Ethernet files and contexts that it names are those of drivers/rsi_templates.py, made from
# it.

PORTS = {"chaser": 59152, "target": 59153}
EMULATED_SENSORS = {"chaser": (59154, 59155), "target": (59156, 59157)}  # UDP, page
REAL_SENSOR = (49152, 80)


@dataclass(frozen=True)
class Addresses:
    """Who is where in the rig's network."""

    computer: str = LOOPBACK
    chaser: str = LOOPBACK  # "": it stands in the room
    target: str = LOOPBACK  # the same
    sensor: str = LOOPBACK  # behind the chaser's mock-up; "": none
    target_sensor: str = ""  # behind the target's

    @property
    def emulated(self) -> bool:
        ends = (self.chaser, self.target, self.sensor, self.target_sensor)
        named = [self.computer, *(a for a in ends if a)]
        return all(a.startswith("127.") for a in named)

    @property
    def sensors(self) -> dict[str, str]:
        both = {"chaser": self.sensor, "target": self.target_sensor}
        return {which: address for which, address in both.items() if address}


HEAD = """\
# A rig for softdock. Every key: docs/rig_file.md. What is not stated has the value given there.
# softdock is no safety function: the robots' own limits and safety controller are the guard.
schema = 1
name = "{name}"
note = "" # yours; kept in every recording

[clock]
master = "{master}" # whose telegrams are the clock
cycle_ms = {cycle_ms} # KUKA: 4 (RSI_ON's IPO_FAST) or 12 (IPO)
"""
ROBOT = """
[robots.{which}]
address = "{address}" # of the robot controller: only its datagrams are taken
bind = "{computer}" # of this computer, in the RSI network
port = {port}
ethernet_xml = "{file}.xml" # on the controller, in ...\\\\SensorInterface
context = "{file}.rsi.xml" # the same; PosCorr's limits and Timeout must be as here
timeout_packets = 50 # late replies at which RSI stops
lower_mm = [-200.0, -200.0, -200.0] # PosCorr, from the pose at RSI_ON
upper_mm = [200.0, 200.0, 200.0]
max_turn_deg = 20.0
box_min_m = [{low}] # of RIst in the robot's base: MEASURE, as small as the docking needs
box_max_m = [{high}]
max_angle_deg = 15.0 # from the pose at RSI_ON
stop_input = "DiL" # the operator's stop, a digital input of the controller; "": none
stop_value = 1
# delay_ms = 16.0 # `softdock rig delay` finds it
"""
FIXED = """
[robots.{which}]
driver = "fixed" # the {which}'s mock-up stands in the room
"""
SENSOR = """
[sensors.{which}]
address = "{address}"
bind = "{computer}"
port = {port}
http_port = {http} # of the page with its scale; 0: not asked
rate_Hz = 7000 # as set on its page; a slow sensor is an old one
counts_per_N = 1e6 # must be what its page says
counts_per_Nm = 1e6
range_N = 1000.0 # of the calibration in use
range_Nm = 100.0
in_flange_m = [0.0, 0.0, 0.0] # the sensor's origin in the frame that RIst tells: MEASURE
in_flange_wxyz = [1.0, 0.0, 0.0, 0.0]

# [tools.{which}] # what is taken out of the readings: `softdock rig tare` finds it
# mass_kg = 2.0
# centre_m = [0.0, 0.0, 0.0]
"""
REST = """
[limits]
# kinetic energy after a bounce: at most restitution^2 of that before it, plus the floor. Of the
# 12.6 mJ of epos_1d the floor of 1 mJ allows 1.136 times the speed, not 1.10
restitution = 1.10
energy_floor_J = 0.001
energy_contact = 0.2 # added in one contact, share of the approach energy
energy_run = 0.5
force_N = 100.0
torque_Nm = 20.0
touch_N = 0.5 # above this the mock-ups touch: well above the sensor's noise
speed_m_per_s = 0.1
acceleration_m_per_s2 = 2.0

[stop]
deceleration_m_per_s2 = 0.5
retreat_m = 0.01 # how far the robots back off from a contact
axis = [1.0, 0.0, 0.0] # the chaser's way out, orbit axes

[run_up]
ramp_s = 0.5 # from rest to the scenario's speed

[machine]
priority = 80 # SCHED_FIFO; beyond loopback a run is refused without

[record]
folder = "softdock-runs"
"""
MOUNTING = """
# [facility.chaser] # where the robots stand, what they hold; `softdock place` writes such a table
# arm = "kr16"
# base_m = [1.5, 0.0, 0.0] # of the robot's base in the laboratory
# base_wxyz = [0.0, 0.0, 0.0, 1.0]
# mock_up_m = [0.0, 0.0, 0.1] # of the mock-up in the frame that RIst tells
"""
EMULATE = """
[emulate] # robots and sensor are emulated on loopback; take this out for real ones
phase_ms = 1.7
"""


OWN_DRIVER = """\
# A rig for softdock with a driver of your own. Keys: docs/rig_file.md; the driver's own: its Keys.
# THE DRIVER FILE IS PYTHON CODE. Commands run it only where it is named once more, by somebody who
# has looked at it: --driver-file {driver}
# softdock is no safety function: the robots' own limits and safety controller are the guard.
schema = 1
name = "{name}"
note = "" # yours; kept in every recording

[clock]
cycle_ms = 4 # of the robot, 1 to 20: what its driver allows

[robots.chaser]
driver = "{driver}"
port = 59152 # on this computer, between driver and loop
timeout_packets = 50 # answers too late at which the driver's stop is called
lower_mm = [-200.0, -200.0, -200.0] # from where it stood at first
upper_mm = [200.0, 200.0, 200.0]
box_min_m = [-0.3, -0.3, -0.3] # of the set-point in the robot's base: MEASURE
box_max_m = [0.3, 0.3, 0.3]
delay_ms = 4.0 # MEASURE: `softdock rig delay` finds it

[robots.target]
driver = "fixed" # the target's mock-up stands in the room

[sensors.chaser]
driver = "{driver}"
port = 59154 # on this computer, between driver and loop
range_N = 1000.0
range_Nm = 100.0
in_flange_m = [0.0, 0.0, 0.0] # the sensor's origin in the frame of the robot's poses: MEASURE
in_flange_wxyz = [1.0, 0.0, 0.0, 0.0]
"""


UR10E = """\
# A rig for softdock: a UR10e with its own force sensor, by RTDE. Every key: docs/rig_file.md.
# softdock is no safety function: the robot's own limits and safety controller are the guard.
schema = 1
name = "{name}"
note = "" # yours; kept in every recording

[clock]
cycle_ms = 4 # 2, 4, 8, 10, 20: RTDE sends every 2 ms

[robots.chaser]
driver = "ur_rtde"
address = "{address}" # of the controller; on loopback: python -m softdock.rig.drivers.ur_emulator
port = 59152 # on this computer, between driver and loop
timeout_packets = 25 # late answers at which the driver stops the robot
lower_mm = [-200.0, -200.0, -200.0] # from where it stood at first
upper_mm = [200.0, 200.0, 200.0]
box_min_m = [0.3, -0.3, 0.1] # of the tool in the robot's base: MEASURE, as small as can be
box_max_m = [0.9, 0.3, 0.7]
lookahead_s = 0.03 # of servoL; 0.03 to 0.2
gain = 1000
wait_us = 200 # that a pose waits for the force of the same instant
pose_age_ms = 0.2 # the same
delay_ms = {delay} # MEASURE: `softdock rig delay` finds it; at 0.03 s users have seen 34

[robots.target]
driver = "fixed" # the target's mock-up stands in the room

[sensors.chaser]
driver = "ur_rtde"
address = "{address}" # of the same controller
port = 59154 # on this computer, between driver and loop
rate_Hz = 500
sample_Hz = 500
wrench = "ft_raw_wrench" # at the tool flange; e-Series from 5.9
sign = 1 # MEASURE: push the tool by hand along +x of the flange; force x must be positive
range_N = 100.0
range_Nm = 10.0
in_flange_m = [0.0, 0.0, 0.0] # of the sensor's origin, from the TCP that is set on the controller
in_flange_wxyz = [1.0, 0.0, 0.0, 0.0]

[facility.chaser]
base_m = [-0.6, 0.0, -0.4] # of the robot's base in the laboratory: MEASURE
base_wxyz = [1.0, 0.0, 0.0, 0.0]
mock_up_m = [0.0, 0.0, 0.0] # of the mock-up in the tool's frame: MEASURE
"""
EMULATED_DELAY_MS, SEEN_DELAY_MS = 15.8, 34.0  # ur_emulator's 16 less wait_us; servoL's on a robot


def write_ur_rig(file: Path, address: str, force: bool) -> list[Path]:
    """A rig file of a UR10e."""
    delay = EMULATED_DELAY_MS if is_loopback(address) else SEEN_DELAY_MS
    text = UR10E.format(name=file.stem, address=address, delay=delay) + REST
    tables, locate, _ = parse_toml(text, str(file))
    read_rig(tables, str(file), file.parent, locate)  # nothing is written that cannot be read
    _refuse_present([file], force)
    ensure_folder(file.parent)
    write_whole(file, text.encode())
    return [file]


def write_driver_rig(file: Path, driver: Path, force: bool) -> list[Path]:
    """A rig file and the driver file that it names, from the template; a driver file that is there
    already is left as it is."""
    named = driver.name if driver.parent == file.parent else str(driver)
    texts = {file: OWN_DRIVER.format(name=file.stem, driver=named) + REST}
    if not driver.exists():
        texts[driver] = files("softdock.rig").joinpath("driver_template.py").read_text("utf-8")
    _refuse_present(texts, force)
    for path, text in texts.items():
        ensure_folder(path.parent)
        write_whole(path, text.encode())
    return list(texts)


def _refuse_present(places: Iterable[Path], force: bool) -> None:
    there = [p for p in places if p.exists() and not force]
    if there:
        allowed = "a new file; --force writes over this one"
        raise BadInput([Problem("FILE", str(p), allowed) for p in there])


def new_rig_text(name: str, addresses: Addresses, mode: str) -> str:
    """The file of a rig."""
    a, master = addresses, "chaser" if addresses.chaser else "target"
    text = HEAD.format(name=name, cycle_ms=CYCLES_MS[mode], master=master)
    for which in ("chaser", "target"):
        address = getattr(a, which)
        if not address:
            text += FIXED.format(which=which)
            continue
        text += ROBOT.format(
            which=which,
            address=address,
            computer=a.computer,
            port=PORTS[which],
            file=f"{name}_{which}",
            low="-0.3, -0.3, -0.3",
            high="0.3, 0.3, 0.3",
        )
    for which, address in a.sensors.items():
        port, http = EMULATED_SENSORS[which] if a.emulated else REAL_SENSOR
        text += SENSOR.format(
            which=which, address=address, computer=a.computer, port=port, http=http
        )
    return text + REST + MOUNTING + (EMULATE if a.emulated else "")


def write_new_rig(file: Path, addresses: Addresses, mode: str, force: bool) -> list[Path]:
    """The rig's file and those of its robots; refused if one is there already."""
    text = new_rig_text(file.stem, addresses, mode)
    named = ("ethernet_xml", "context")  # files of a controller
    plain = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(named))
    text = plain if addresses.emulated else text
    tables, locate, _ = parse_toml(plain, str(file))
    rig = read_rig(tables, str(file), file.parent, locate)  # nothing is written that cannot be read
    texts: dict[str, str] = {}
    for which in rig.moving:
        texts |= rig.robot_driver(which).files(rig, which, f"{file.stem}_{which}")
    places = [file, *(file.parent / name for name in texts)]
    _refuse_present(places, force)
    ensure_folder(file.parent)
    for name, own in texts.items():
        write_whole(file.parent / name, own.replace("\n", "\r\n").encode("ascii"))
    write_whole(file, text.encode())
    return places
