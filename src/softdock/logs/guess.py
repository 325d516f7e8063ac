"""`softdock import LOG --guess`: a map to begin with, from names and numbers of the columns.

What is recognised is filled in and says why; what is not is a question (`?`), which an import
refuses with its line. Units are taken from names, else from the size of the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from softdock.logs.mapping import ASKED, BODIES
from softdock.logs.names import Said, said_by
from softdock.logs.table_files import read_tables
from softdock.logs.tables import CsvForm, Table
from softdock.logs.units import FACTORS

PARTS = {
    "command": ("position", "attitude", "velocity", "rate"),
    "satellite": ("position", "attitude", "velocity", "rate"),
    "measured": ("position", "attitude"),
    "wrench": ("force", "torque"),
    "wrench_on_satellite": ("force", "torque"),
}
MUST = {("command", "position"), ("command", "attitude"), ("wrench", "force")}
MUST |= {("measured", "position"), ("measured", "attitude")}
DEFAULT = {"position": "m", "velocity": "m/s", "rate": "rad/s", "force": "N", "torque": "Nm"}
LONG_M = 20.0  # m: positions of a laboratory beyond this are in millimetres
FAST_M_PER_S = 3.0
ANGLE_RAD = 6.4


@dataclass
class Found:
    """Columns of one part of one signal."""

    columns: list[str]
    form: str = ""
    unit: str = ""
    why: str = ""


@dataclass
class Guess:
    """Everything recognised in one log."""

    clocks: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)
    parts: dict[tuple[str, str, str], Found] = field(default_factory=dict)
    clock_of: dict[tuple[str, str], str] = field(default_factory=dict)
    ages: dict[str, tuple[str, str]] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)


def guess_map(log: str | Path) -> tuple[str, list[str]]:
    """The text of a map, and the questions in it."""
    tables = read_tables(Path(log), CsvForm())
    guess = Guess()
    for topic, table in tables.items():
        _look_at(guess, topic, table)
    return _text(Path(log), guess), guess.questions


def _look_at(guess: Guess, topic: str, table: Table) -> None:
    said = [said_by(f"{topic}.{name}" if topic else name) for name in table.columns]
    named = dict(zip(table.columns, said, strict=True))
    stamp = _stamp_of(table, named)
    clock = _clock_name(topic, guess)
    if topic and stamp is None:
        stamp = "log_time"
    guess.clocks[clock] = (topic, stamp or ASKED, *_time_unit(table, stamp))
    if stamp is None:
        guess.questions.append("which column has the stamps of the rows?")
    used = {stamp}
    for (body, role, quantity), columns in _groups(named, stamp).items():
        found = _ordered(columns, quantity, table)
        if found is not None and (body, role, quantity) not in guess.parts:
            guess.parts[body, role, quantity] = found
            guess.clock_of.setdefault((body, role), clock)
            used |= set(found.columns)
    for name, one in named.items():
        if one.is_age and name not in used:
            guess.ages["pose" if "pose" in name.lower() else "force"] = (name, one.unit)
            used.add(name)
    guess.unused += [f"{topic} {name}".strip() for name in table.columns if name not in used]


def _clock_name(topic: str, guess: Guess) -> str:
    name = "_".join(part for part in topic.split("/") if part) or "log"
    return name if name not in guess.clocks else f"{name}_2"


def _stamp_of(table: Table, named: dict[str, Said]) -> str | None:
    """The column that grows from row to row and is named like a time; a header's stamp first."""
    growing = [
        name for name, column in table.columns.items() if named[name].is_time and _grows(column)
    ]
    growing.sort(key=lambda name: ("header.stamp" not in name, "log_time" not in name, len(name)))
    return growing[0] if growing else None


def _grows(column: np.ndarray) -> bool:
    steps = np.diff(column[np.isfinite(column)] if column.dtype.kind == "f" else column)
    return len(steps) > 0 and bool(np.all(steps > 0))


def _time_unit(table: Table, stamp: str | None) -> tuple[str, str]:
    """The unit in which rows are 0.1 ms to 100 ms apart, and why."""
    if stamp is None:
        return "s", "not known"
    steps = np.diff(table.columns[stamp].astype(float))
    step = float(np.median(steps[np.isfinite(steps)])) if len(steps) else 0.0
    for unit in ("s", "ms", "us", "ns"):
        if 1e-4 <= step * FACTORS["time"][unit] <= 0.1:
            return unit, f"rows are {step:g} apart: {1e3 * step * FACTORS['time'][unit]:g} ms"
    return "s", f"rows are {step:g} apart, which fits no unit: please look"


def _groups(
    named: dict[str, Said], stamp: str | None
) -> dict[tuple[str, str, str], dict[str, Said]]:
    """Columns by body, role and quantity."""
    found: dict[tuple[str, str, str], dict[str, Said]] = {}
    for name, one in named.items():
        if name == stamp or one.is_age or not one.axis or one.role == "truth":
            continue
        quantity = one.quantity or "position"
        wrench = quantity in ("force", "torque")
        role = one.role
        if wrench and role not in ("wrench_on_satellite",):
            role = "wrench_on_satellite" if role == "satellite" else "wrench"
        elif not wrench and role in ("", "wrench", "wrench_on_satellite"):
            role = _unsaid({o.role for o in named.values()})
        found.setdefault((one.body or "chaser", role, quantity), {})[name] = one
    return found


def _unsaid(roles: set[str]) -> str:
    """What motion is whose name says no role: what the others leave open."""
    if "command" not in roles:
        return "command"
    return "satellite" if "measured" in roles else "measured"


def _ordered(columns: dict[str, Said], quantity: str, table: Table) -> Found | None:
    """The columns in the order of their axes; None if they are not as many as it takes."""
    by_axis: dict[str, str] = {}
    for name, one in columns.items():
        by_axis.setdefault(one.axis, name)
    unit = next((one.unit for one in columns.values() if one.unit), "")
    if quantity == "attitude":
        for axes, form in (
            (("w", "x", "y", "z"), "wxyz"),
            (("a", "b", "c"), "kuka_abc"),
            (("roll", "pitch", "yaw"), "rpy"),
            (("x", "y", "z"), "rotation_vector"),
        ):
            if all(axis in by_axis for axis in axes):
                names = [by_axis[axis] for axis in axes]
                angle = unit or _by_size(table, names, ANGLE_RAD, "rad", "deg")
                return Found(names, form, "" if form == "wxyz" else angle, f"named like {form}")
        return None
    if not all(axis in by_axis for axis in "xyz"):
        return None
    names = [by_axis[axis] for axis in "xyz"]
    if quantity == "force" and not any(np.any(table.columns[name] != 0.0) for name in names):
        return None  # zero throughout: no sensor stands behind it
    if unit in FACTORS.get(_quantity(quantity), {}):
        return Found(names, "", unit, "unit by name")
    if quantity == "position":
        unit = _by_size(table, names, LONG_M, "m", "mm")
    elif quantity == "velocity":
        unit = _by_size(table, names, FAST_M_PER_S, "m/s", "mm/s")
    elif quantity == "rate":
        unit = _by_size(table, names, 3.0, "rad/s", "deg/s")
    else:
        unit = DEFAULT[quantity]
    return Found(names, "", unit, "unit by size: please look")


def _quantity(name: str) -> str:
    return {"position": "length", "velocity": "speed", "attitude": "angle"}.get(name, name)


def _by_size(table: Table, names: Iterable[str], most: float, small: str, large: str) -> str:
    sizes = [float(np.nanmax(np.abs(table.columns[name].astype(float)))) for name in names]
    return small if max(sizes) <= most else large


def _text(log: Path, guess: Guess) -> str:
    bodies = [b for b in BODIES if any(key[0] == b for key in guess.parts)] or ["chaser"]
    lines = [
        f"# Map of {log.name}, guessed from its names and numbers: please look at every line.",
        f"# A {ASKED} is a question; softdock import refuses the map until it is answered.",
        "schema = 1",
        f'name = "{_plain(log.stem)}"',
        f'rows = "{_rows_clock(guess)}"  # the clock whose rows are the cycles of the rig',
        "# from_s, to_s: the part of the log to take; touch_N: a force above it is a contact",
    ]
    for name, (topic, stamp, unit, why) in guess.clocks.items():
        lines += ["", f"[clock.{name}]"]
        lines += [f'topic = "{topic}"'] if topic else []
        lines += [f'column = "{stamp}"', f'unit = "{unit}"  # {why}']
        lines += ["offset_s = 0.0  # set this clock forward to agree with the others"]
    lines += ["", "# [frame.base]  # a frame in the world, where poses are logged in another"]
    lines += ["# position_m = [0.0, 0.0, 0.0]", "# attitude_wxyz = [1.0, 0.0, 0.0, 0.0]"]
    for body in bodies if len(bodies) == 2 else ["chaser", "target"]:
        lines += _body(body, guess, body in bodies)
    if guess.unused:
        lines += ["", "# Columns not used:"] + [f"#   {name}" for name in guess.unused[:200]]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() or c in " ._-" else "_" for c in text)


def _rows_clock(guess: Guess) -> str:
    clocks = [clock for (_, role), clock in guess.clock_of.items() if role == "command"]
    return (clocks or list(guess.clocks))[0]


def _body(body: str, guess: Guess, known: bool) -> list[str]:
    if not known:
        return [
            "",
            f"[{body}]  # no column names it: taken to be bolted to the floor. Please look",
            "fixed = true  # with position_m, attitude_wxyz where it is not at the origin",
        ]
    lines = ["", f"# [{body}.mounting]  # the body's centre of mass and axes in the logged axes"]
    lines += ["# position_m = [0.0, 0.0, 0.0]"]
    for role, parts in PARTS.items():
        found = {part: guess.parts.get((body, role, part)) for part in parts}
        present = any(found.values())
        if role == "satellite" and not present:
            lines += ["", f"[{body}.satellite]", 'same_as = "command"  # robots are sent there']
            continue
        if role == "wrench_on_satellite" and not present:
            lines += [
                "",
                f"# [{body}.wrench_on_satellite]  # needed for the observed energy",
                '# same_as = "wrench"  # if the measured wrench acts on the satellite as it is',
            ]
            continue
        if role == "wrench" and found["force"] is None and _other_has_sensor(body, guess):
            continue
        lines += ["", f"[{body}.{role}]"]
        clock = guess.clock_of.get((body, role))
        lines += [f'clock = "{clock}"'] if clock else []
        for part in parts:
            lines += _part(body, role, part, found[part], guess)
        lines += _ends(role, guess)
    return lines


def _other_has_sensor(body: str, guess: Guess) -> bool:
    return any(key[0] != body and key[1:] == ("wrench", "force") for key in guess.parts)


def _part(body: str, role: str, part: str, found: Found | None, guess: Guess) -> list[str]:
    if found is None:
        if (role, part) not in MUST:
            return []
        guess.questions.append(f"{body}.{role}: which columns are its {part}?")
        still = ", e.g. [1.0, 0.0, 0.0, 0.0] if it never turns" if part == "attitude" else ""
        return [f'{part} = "{ASKED}"  # which columns? Numbers stand for all rows{still}']
    names = ", ".join(f'"{name}"' for name in found.columns)
    lines = [f"{part} = [{names}]  # {found.why}"]
    if found.form:
        lines.append(f'attitude_form = "{found.form}"')
    if found.unit:
        lines.append(f'{part}_unit = "{found.unit}"')
    return lines


def _ends(role: str, guess: Guess) -> list[str]:
    kind = {"measured": "pose", "wrench": "force"}.get(role)
    if kind is None:
        return []
    if kind in guess.ages:
        name, unit = guess.ages[kind]
        lines = [f'age = "{name}"', f'age_unit = "{unit}"']
    else:
        lines = ["age_ms = 0.0  # from the measurement to its arrival: please look"]
    if role == "wrench":
        lines += [
            'axes = "world"  # world, body or sensor: please look',
            'acts = "on_body"  # or on_sensor: the opposite sign',
            "# sensor.position_m = [0.0, 0.0, 0.0]  # origin of the torque",
            "# sensor.attitude_wxyz = [1.0, 0.0, 0.0, 0.0]  # the sensor's axes in the body's",
        ]
    return lines
