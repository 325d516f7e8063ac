"""The map of a log, MAP.toml: which columns are what, in which units and frames, by which clock.

A component is the name of a column or a number that stands for all rows, so that a body that is
bolted to the floor is `position = [0.0, 0.0, 0.0]`. Tables of a body have the names of a
recording's topics: satellite, command, measured, wrench, wrench_on_satellite (docs/logs.md).
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import Unreadable, read_text
from softdock.files.schema import (
    Parameter,
    file_key,
    own_key,
    set_choices,
    version_key,
)
from softdock.files.tables import Reader
from softdock.files.toml_text import parse_toml
from softdock.recording.logs.map_parts import Clock, Map, Part, Place, Signal, Tool
from softdock.recording.logs.tables import DELIMITERS, CsvForm
from softdock.recording.logs.units import FACTORS, FORMS, QUANTITY

SCHEMA = 1
BODIES = ("chaser", "target")
MOTIONS = {"satellite": ("command",), "command": (), "measured": ()}  # and what may stand in
WRENCHES = {"wrench": (), "wrench_on_satellite": ("wrench",)}
ASKED = "?"  # what `--guess` writes where a person must answer
AXES = ("world", "body", "sensor")
GRAVITY = (0.0, 0.0, -9.81)  # m/s^2, world axes
SIZES = {"position": 3, "velocity": 3, "rate": 3, "force": 3, "torque": 3}

ORIGIN = (0.0, 0.0, 0.0)
LARGEST = 1e6  # of any component that is stated
LAST = 1e18  # s: beyond every log


def _three(key: str, meaning: str, unit: str, default: tuple[float, ...] = ORIGIN) -> Parameter:
    return file_key(key, meaning, default, unit=unit, low=-LARGEST, high=LARGEST, size=3)


def _whole(key: str, meaning: str, default: int) -> Parameter:
    return file_key(key, meaning, default, kind="integer", low=default)


def _text(key: str, meaning: str, default: str | None = "", most: int = 500) -> Parameter:
    return file_key(key, meaning, default, kind="text", high=most)


def _is_stamp(value: Any) -> bool:
    """A number of seconds, or a whole number of nanoseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 2**63 if isinstance(value, int) else math.isfinite(value)


TIME_UNITS = tuple(FACTORS["time"])
TOP = (
    version_key(SCHEMA),
    _text("name", "short name of the recording", "an imported log"),
    file_key("from_s", "first time that is taken", -LAST, unit="s", low=-LAST),
    file_key("to_s", "last time that is taken", LAST, unit="s"),
    _three("gravity_m_per_s2", "world axes", "m/s^2", GRAVITY),
    file_key("touch_N", "above this the mock-ups touch; 0: from the noise", 0.0, unit="N", low=0.0),
    _text("note", "what is to be remembered", most=2000),
)
ROWS = file_key("rows", "the clock whose rows are the cycles")
CLOCK_OF_ROWS = file_key("clock", "the clock that stamps these rows")
FRAME = file_key("frame", "in which this was logged")
CSV = (
    file_key("delimiter", "between columns", "", choices=(*DELIMITERS, "")),
    file_key("decimal", "sign of a fraction", "", choices=(".", ",", "")),
    file_key("skip_lines", "before the columns' names", 0, kind="integer", low=0),
)
CLOCK = (
    _text("column", "with the stamps of rows", None),
    file_key("unit", "of the stamps", "s", choices=TIME_UNITS),
    # not through a double, which holds nanoseconds since 1970 to a quarter of a microsecond
    own_key("zero", "the stamp at which it begins", "a finite number", _is_stamp, 0.0),
    file_key("offset_s", "added to its times", 0.0, unit="s"),
    _text("file", "another file than the log"),
    _text("topic", "of a recording"),
    _whole("every", "one of so many of its rows is new", 1),
    _whole("first", "of those rows", 0),
    file_key(
        "longest_gap_ms", "0: a few steps", 0.0, "longest_gap_s", unit="ms", low=0.0, scale=1e-3
    ),
)
PLACE = (
    replace(_three("position_m", "origin", "m"), name="position"),
    file_key("attitude_wxyz", "axes", (1.0, 0.0, 0.0, 0.0), "attitude", kind="quaternion", size=4),
)
FIXED = own_key(
    "fixed",
    "bolted to the floor",
    "true, or tables of what was logged",
    lambda value: value is True,
)
SAME_AS = file_key("same_as", "another table that stands for this one", "")
ATTITUDE_FORM = file_key("attitude_form", "how attitudes are logged", "wxyz", choices=tuple(FORMS))
RATE_AXES = file_key(
    "rate_axes", "axes of the rate", "body", name="axes", choices=("body", "world")
)
WRENCH = (
    file_key("axes", "of the forces", "world", choices=AXES),
    file_key("acts", "on which of the two", "on_body", choices=("on_body", "on_sensor")),
    file_key("handover", "what a row holds", "latest", choices=("latest", "mean")),
)
STAMPED = file_key("stamped", "what the stamp says", choices=("measured", "received"))
AGE = (
    _text("age", "column of ages"),
    file_key("age_unit", "of that column", "s", choices=TIME_UNITS),
    file_key("age_ms", "the same for all rows", 0.0, unit="ms", low=0.0),
)
TOOL = (
    file_key("mass_kg", "beyond the sensor", 0.0, unit="kg", low=0.0),
    _three("centre_m", "of the tool", "m"),
    _three("bias_N", "read of nothing", "N"),
    _three("bias_Nm", "read of nothing", "Nm"),
)


def read_map(path: str | Path) -> Map:
    """The map of a file; every problem at once, each with its line."""
    file = Path(path)
    try:
        text = read_text(file, what="map")
    except Unreadable as error:
        raise BadInput(Problem("map", error.given, error.allowed, f"{path}:{error.line}")) from None
    return parse_map(text, str(path), file.parent)


def parse_map(text: str, name: str = "map", folder: Path | None = None) -> Map:
    """The map of a text."""
    tables, locate, _ = parse_toml(text, name)
    problems: list[Problem] = []
    top = Reader(tables, "", problems, locate)
    own_keys = top.read(TOP)
    clocks = _read_clocks(top)
    frames = _read_frames(top)
    rows = top.value(set_choices(ROWS, clocks or ("log",), next(iter(clocks), "log")))
    fixed, mountings, signals = dict[str, Place](), {}, {}
    for body in BODIES:
        if not top.has(body):
            top.take(body)
            continue
        own = top.inner(body)
        if own.has("fixed"):  # bolted to the floor: where it stands, and nothing else
            own.value(FIXED)
            fixed[body] = _read_place(own)
            continue
        mountings[body] = _read_place(own.inner("mounting")) if own.has("mounting") else Place()
        own.take("mounting")
        for kind in (*MOTIONS, *WRENCHES):
            if own.has(kind):
                signals[body, kind] = _read_signal(own.inner(kind), kind, clocks, frames, rows)
            own.take(kind)
        own.done()
    row = top.inner("csv")
    form = row.read(CSV)
    row.done()
    top.done()
    found = Map(
        name=own_keys["name"],
        rows=rows,
        span=(own_keys["from_s"], own_keys["to_s"]),
        form=CsvForm(form["delimiter"], form["decimal"], form["skip_lines"]),
        clocks=clocks,
        fixed=fixed,
        mountings=mountings,
        signals=signals,
        gravity=own_keys["gravity_m_per_s2"],
        touch_N=own_keys["touch_N"],
        note=own_keys["note"],
        text=text,
        folder=folder or Path(),
    )
    if not problems:
        _check_needed(found, problems, locate)
    if problems:
        raise BadInput(problems)
    return found


def _read_clocks(top: Reader) -> dict[str, Clock]:
    clocks = {}
    table = top.inner("clock")
    for name in table.table:
        own = table.inner(str(name))
        values = own.read(CLOCK)
        if values["column"] == ASKED:
            own.refuse("column", ASKED, "an answer: --guess could not tell")
        clocks[str(name)] = Clock(name=str(name), where=own.locate(own.path), **values)
        own.done()
    if not clocks:
        top.refuse("clock", None, 'a table [clock.NAME] with column = "...", the stamps of rows')
    return clocks


def _read_frames(top: Reader) -> dict[str, Place]:
    frames = {"world": Place()}
    table = top.inner("frame")
    for name in table.table:
        own = table.inner(str(name))
        frames[str(name)] = _read_place(own)
        own.done()
    return frames


def _read_place(own: Reader) -> Place:
    made = Place(**own.read(PLACE))
    own.done()
    return made


def _read_signal(
    own: Reader, kind: str, clocks: dict[str, Clock], frames: dict[str, Place], rows: str
) -> Signal:
    where = own.locate(own.path)
    stand_in = MOTIONS.get(kind, WRENCHES.get(kind, ()))
    same = own.value(set_choices(SAME_AS, (*stand_in, ""), "")) if stand_in else ""
    if same:
        own.done()
        return Signal(key=own.path, where=where, clock=rows, same_as=same, frame=Place(), parts={})
    clock = own.value(set_choices(CLOCK_OF_ROWS, clocks or ("",), rows))
    frame = frames[own.value(set_choices(FRAME, frames, "world"))]
    is_motion = kind in MOTIONS
    wanted = ("position", "attitude", "velocity", "rate") if is_motion else ("force", "torque")
    form = own.value(ATTITUDE_FORM) if is_motion else "wxyz"
    parts = {}
    for name in wanted:
        if own.has(name):
            parts[name] = _read_part(own, name, FORMS[form] if name == "attitude" else SIZES[name])
        for key in (name, f"{name}_unit"):
            own.take(key)
    must = ("position", "attitude") if is_motion else ("force",)
    for name in must:
        if name not in parts:
            own.refuse(name, None, "columns, or numbers that stand for all rows")
    axes = own.value(RATE_AXES) if is_motion else ""
    more: dict[str, Any] = {}
    if not is_motion:
        wrench = own.read(WRENCH)
        axes = wrench["axes"]
        more["sign"] = 1.0 if wrench["acts"] == "on_body" else -1.0
        more["handover"] = wrench["handover"]
        sensor = own.inner("sensor")
        more["sensor"] = _read_place(sensor)
        more["tool"] = _read_tool(own.inner("tool")) if own.has("tool") else None
        own.take("tool")
    usual = (
        "received" if clock == rows else "measured"
    )  # a row of the cycles is what was known then
    made = Signal(
        key=own.path,
        where=where,
        clock=clock,
        same_as="",
        frame=frame,
        parts=parts,
        form=form,
        axes=axes,
        age=_read_age(own),
        stamped=own.value(replace(STAMPED, default=usual)),
        **more,
    )
    own.done()
    return made


def _read_part(own: Reader, name: str, count: int) -> Part:
    """Names of columns and numbers, and their unit."""
    value, quantity = own.table[name], QUANTITY[name]
    key = own.at(name)
    if value == ASKED or (isinstance(value, list) and ASKED in value):
        own.refuse(name, value, f"{count} columns: --guess could not tell which")
        value = [0.0] * count
    good = isinstance(value, list) and len(value) == count
    if not good or not all(_is_component(v) for v in value):
        own.refuse(name, value, f"{count} names of columns, or numbers for all rows")
        value = [0.0] * count
    units = tuple(FACTORS[quantity])
    unit = own.value(file_key(f"{name}_unit", "its unit", units[0], choices=units))
    components = tuple(v if isinstance(v, str) else float(v) for v in value)
    return Part(
        components=components,
        factor=FACTORS[quantity][unit],
        unit=unit,
        key=key,
        where=own.locate(key),
    )


def _is_component(value: Any) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= 500
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _read_age(own: Reader) -> Part | None:
    values = own.read(AGE)
    column, unit, stated = values["age"], values["age_unit"], values["age_ms"]
    if column and own.has("age_ms"):
        own.refuse("age_ms", own.table["age_ms"], "nothing beside a column of ages")
    where = own.locate(own.at("age"))
    if column:
        return Part(
            components=(column,),
            factor=FACTORS["time"][unit],
            unit=unit,
            key=own.at("age"),
            where=where,
        )
    return (
        Part(components=(1e-3 * stated,), factor=1.0, unit="s", key=own.at("age_ms"), where=where)
        if stated
        else None
    )


def _read_tool(own: Reader) -> Tool:
    tool = Tool(**own.read(TOOL))
    own.done()
    return tool


def _check_needed(found: Map, problems: list[Problem], locate: Any) -> None:
    """What no recording does without: a force, and a motion of the body that has its sensor."""
    sensors = [body for body in BODIES if (body, "wrench") in found.signals]
    if not sensors:
        near = closest("wrench", [kind for _, kind in found.signals])
        problems.append(
            Problem("chaser.wrench", None, "a table with a force", locate(""), suggestion=near)
        )
    for body, kind in found.signals:
        signal = found.signals[body, kind]
        if signal.same_as and (body, signal.same_as) not in found.signals:
            other = next(b for b in BODIES if b != body)
            if kind != "wrench_on_satellite" or (other, "wrench") not in found.signals:
                allowed = f"a table [{body}.{signal.same_as}] beside it"
                problems.append(Problem(signal.key, signal.same_as, allowed, signal.where))
        turned = (signal.axes in ("body", "sensor") and kind in WRENCHES) or signal.tool
        if turned and not any((body, one) in found.signals for one in ("measured", "command")):
            allowed = f"a table [{body}.measured] or [{body}.command], to turn it into world axes"
            problems.append(Problem(signal.key, signal.axes, allowed, signal.where))
