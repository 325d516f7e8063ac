"""The map of a log, MAP.toml: which columns are what, in which units and frames, by which clock.

A component is the name of a column or a number that stands for all rows, so that a body that is
bolted to the floor is `position = [0.0, 0.0, 0.0]`. Tables of a body have the names of a
recording's topics: satellite, command, measured, wrench, wrench_on_satellite (docs/import.md).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import Unreadable, read_text
from softdock.files.strict_tables import Reader
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


def read_map(path: str | Path) -> Map:
    """The map of a file; every problem at once, each with its line."""
    file = Path(path)
    try:
        text = read_text(file, what="map")
    except Unreadable as error:
        raise BadInput(Problem("map", error.given, error.allowed, f"{path}:{error.line}")) from None
    return map_of(text, str(path), file.parent)


def map_of(text: str, name: str = "map", folder: Path | None = None) -> Map:
    """The map of a text."""
    tables, locate, _ = parse_toml(text, name)
    problems: list[Problem] = []
    top = Reader(tables, "", problems, locate)
    if top.take("schema") != SCHEMA:
        top.refuse("schema", tables.get("schema"), f"{SCHEMA}")
    clocks = _clocks(top)
    frames = _frames(top)
    rows = top.choice("rows", list(clocks) or ["log"], next(iter(clocks), "log"))
    fixed, mountings, signals = dict[str, Place](), {}, {}
    for body in BODIES:
        if not top.has(body):
            top.take(body)
            continue
        own = top.inner(body)
        if own.has("fixed"):  # bolted to the floor: where it stands, and nothing else
            if own.take("fixed") is not True:
                own.refuse("fixed", own.table["fixed"], "true, or tables of what was logged")
            fixed[body] = _place(own)
            continue
        mountings[body] = _place(own.inner("mounting")) if own.has("mounting") else Place()
        own.take("mounting")
        for kind in (*MOTIONS, *WRENCHES):
            if own.has(kind):
                signals[body, kind] = _signal(own.inner(kind), kind, clocks, frames, rows)
            own.take(kind)
        own.done()
    form = top.inner("csv")
    found = Map(
        name=top.text("name", "an imported log"),
        rows=rows,
        span=(
            top.number("from_s", -1e18, low=-1e18),
            top.number("to_s", 1e18),
        ),
        form=CsvForm(
            form.choice("delimiter", (*DELIMITERS, ""), ""),
            form.choice("decimal", (".", ",", ""), ""),
            int(form.number("skip_lines", 0.0, low=0.0)),
        ),
        clocks=clocks,
        fixed=fixed,
        mountings=mountings,
        signals=signals,
        gravity=top.numbers("gravity_m_per_s2", 3, GRAVITY, "m/s^2"),
        touch_N=top.number("touch_N", 0.0, low=0.0, unit="N"),
        note=top.text("note", "", 2000),
        text=text,
        folder=folder or Path(),
    )
    form.done()
    top.done()
    if not problems:
        _needed(found, problems, locate)
    if problems:
        raise BadInput(problems)
    return found


def _clocks(top: Reader) -> dict[str, Clock]:
    found = {}
    table = top.inner("clock")
    for name in table.table:
        own = table.inner(str(name))
        where = own.locate(own.path)
        found[str(name)] = Clock(
            name=str(name),
            column=_answered(own, "column"),
            unit=own.choice("unit", list(FACTORS["time"]), "s"),
            zero=_zero(own),
            offset_s=own.number("offset_s", 0.0),
            file=own.text("file", ""),
            topic=own.text("topic", ""),
            every=int(own.number("every", 1.0, low=1.0)),
            first=int(own.number("first", 0.0, low=0.0)),
            longest_gap_s=1e-3 * own.number("longest_gap_ms", 0.0, low=0.0, unit="ms"),
            where=where,
        )
        own.done()
    if not found:
        top.refuse("clock", None, 'a table [clock.NAME] with column = "...", the stamps of rows')
    return found


def _zero(own: Reader) -> int | float:
    """Not through a double, which holds nanoseconds since 1970 to a quarter of a microsecond."""
    value = own.table.get("zero")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        own.take("zero")
        return value
    return own.number("zero", 0.0)


def _answered(own: Reader, key: str) -> str:
    value = own.text(key)
    if value == ASKED:
        own.refuse(key, value, "an answer: --guess could not tell")
    return value


def _frames(top: Reader) -> dict[str, Place]:
    found = {"world": Place()}
    table = top.inner("frame")
    for name in table.table:
        own = table.inner(str(name))
        found[str(name)] = _place(own)
        own.done()
    return found


def _place(own: Reader) -> Place:
    position = own.numbers("position_m", 3, (0.0, 0.0, 0.0), "m")
    made = Place(position, own.attitude("attitude_wxyz"))
    own.done()
    return made


def _signal(
    own: Reader, kind: str, clocks: dict[str, Clock], frames: dict[str, Place], rows: str
) -> Signal:
    where = own.locate(own.path)
    stand_in = MOTIONS.get(kind, WRENCHES.get(kind, ()))
    same = own.choice("same_as", [*stand_in, ""], "") if stand_in else ""
    if same:
        own.done()
        return Signal(key=own.path, where=where, clock=rows, same_as=same, frame=Place(), parts={})
    clock = own.choice("clock", list(clocks) or [""], rows)
    frame = frames[own.choice("frame", list(frames), "world")]
    is_motion = kind in MOTIONS
    wanted = ("position", "attitude", "velocity", "rate") if is_motion else ("force", "torque")
    form = own.choice("attitude_form", list(FORMS), "wxyz") if is_motion else "wxyz"
    parts = {}
    for name in wanted:
        if own.has(name):
            parts[name] = _part(own, name, FORMS[form] if name == "attitude" else SIZES[name])
        for key in (name, f"{name}_unit"):
            own.take(key)
    must = ("position", "attitude") if is_motion else ("force",)
    for name in must:
        if name not in parts:
            own.refuse(name, None, "columns, or numbers that stand for all rows")
    axes = own.choice("rate_axes", ("body", "world"), "body") if is_motion else ""
    more: dict[str, Any] = {}
    if not is_motion:
        axes = own.choice("axes", AXES, "world")
        sign = own.choice("acts", ("on_body", "on_sensor"), "on_body")
        more["sign"] = 1.0 if sign == "on_body" else -1.0
        more["handover"] = own.choice("handover", ("latest", "mean"), "latest")
        sensor = own.inner("sensor")
        more["sensor"] = _place(sensor)
        more["tool"] = _tool(own.inner("tool")) if own.has("tool") else None
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
        age=_age(own),
        stamped=own.choice("stamped", ("measured", "received"), usual),
        **more,
    )
    own.done()
    return made


def _part(own: Reader, name: str, count: int) -> Part:
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
    units = list(FACTORS[quantity])
    unit = own.choice(f"{name}_unit", units, units[0])
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


def _age(own: Reader) -> Part | None:
    column = own.text("age", "")
    unit = own.choice("age_unit", list(FACTORS["time"]), "s")
    stated = own.number("age_ms", 0.0, low=0.0, unit="ms")
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


def _tool(own: Reader) -> Tool:
    made = Tool(
        own.number("mass_kg", 0.0, low=0.0, unit="kg"),
        own.numbers("centre_m", 3, (0.0, 0.0, 0.0), "m"),
        own.numbers("bias_N", 3, (0.0, 0.0, 0.0), "N"),
        own.numbers("bias_Nm", 3, (0.0, 0.0, 0.0), "Nm"),
    )
    own.done()
    return made


def _needed(found: Map, problems: list[Problem], locate: Any) -> None:
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
