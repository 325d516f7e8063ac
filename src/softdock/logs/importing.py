"""A log and its map to a recording: `import_log`.

Rows of the clock of the cycles become the recording's rows. Set-points and satellites are known at
all times; measured poses and wrenches are the newest that had arrived, with their age. What a log
does not hold is an absent series, never zero.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.core.machine.record import Channel
from softdock.core.recorder.layout import CYCLE_GROUPS
from softdock.errors import BadInput, Problem
from softdock.identification.carried import TOOL_KG
from softdock.logs import motions, wrenches
from softdock.logs.clocks import Stamped, overlapping, silence
from softdock.logs.cycle_rows import (
    Clocked,
    Moving,
    Taken,
    far_apart,
    put_ages,
    put_applied,
    put_motions,
    put_wrench,
)
from softdock.logs.map_parts import Map
from softdock.logs.mapping import BODIES, MOTIONS, read_map
from softdock.logs.table_files import read_tables
from softdock.logs.tables import Table
from softdock.recorder.fixed_body import with_fixed_body
from softdock.recorder.provenance import PROVENANCE, provenance
from softdock.recorder.read import Contents
from softdock.recorder.streams import CYCLE, SENSOR_ON, About, Stream
from softdock.runs.series import Series

CHANNELS = {channel.name: channel for _, group in CYCLE_GROUPS for channel in group}
MAP, SCENARIO = "map.toml", "scenario.toml"
WARNING = 30  # level of an event


def import_contents(log: str | Path, found: Map | str | Path, scenario: str = "") -> Contents:
    """What a recording of this log holds. `scenario`: the text of one, to attach. Raises `BadInput`
    with file and line; nothing is written."""
    made = found if isinstance(found, Map) else read_map(found)
    tables = _tables(Path(log), made)
    notes: list[str] = []
    series = _series(made, tables, notes)
    whole = Series(np.stack(list(series.values()), axis=1), [CHANNELS[name] for name in series])
    for body, place in made.fixed.items():
        whole = with_fixed_body(whole, body, place.position, place.attitude)
    names, rows = list(whole), whole.rows
    stream = Stream(
        name=CYCLE,
        kind="rows",
        width=len(names),
        channels=tuple(_channel(name) for name in names),
        places=tuple(range(len(names))),
    )
    sensors = [body for body in BODIES if (body, "wrench") in made.signals]
    run = {"kind": "imported", "log": Path(log).name}
    if len(sensors) == 1:
        run[SENSOR_ON] = sensors[0]
    run |= {  # its weight is taken out, what accelerates it is not
        f"{TOOL_KG}{body}": repr(signal.tool.mass_kg)
        for body in BODIES
        if (signal := made.signals.get((body, "wrench"))) is not None and signal.tool is not None
    }
    limits = {"limits": {"touch_N": repr(made.touch_N)}} if made.touch_N else {}
    attached = {MAP: made.text, **({SCENARIO: scenario} if scenario else {})}
    return Contents(
        about=About(
            name=made.name,
            attachments=attached,
            tables={"run": run, PROVENANCE: provenance(made.note), **limits},
        ),
        streams=(stream,),
        rows={CYCLE: rows},
        numbers={CYCLE: np.arange(len(rows))},
        events=[{"time_ns": 0, "level": WARNING, "text": note} for note in notes],
        end={"why": "the log ended", f"rows.{CYCLE}": str(len(rows)), f"lost.{CYCLE}": "0"},
    )


def _channel(name: str) -> Channel:
    return CHANNELS[name]


def _tables(log: Path, found: Map) -> dict[str, Table]:
    """The table of every clock."""
    files: dict[str, set[str]] = {}
    for clock in found.clocks.values():
        files.setdefault(clock.file, set()).add(clock.topic)
    opened = {}
    for file, topics in files.items():
        path = found.folder / file if file else log
        opened[file] = read_tables(path, found.form, {topic for topic in topics if topic})
    made = {}
    for name, clock in found.clocks.items():
        own = opened[clock.file]
        if clock.topic not in own:
            allowed = (
                "a topic of an MCAP file" if clock.topic else "topic = one of " + ", ".join(own)
            )
            raise BadInput(Problem(f"clock.{name}.topic", clock.topic, allowed, clock.where))
        made[name] = own[clock.topic]
    return made


def _series(found: Map, tables: dict[str, Table], notes: list[str]) -> Taken:
    clocked = Clocked(found, tables, notes)
    moving = {
        key: motions.motion_of(signal, found.mountings[key[0]], clocked.own(signal.clock))
        for key, signal in found.signals.items()
        if key[1] in MOTIONS and not signal.same_as
    }
    pushing = {
        key: wrenches.wrenches_of(
            signal, clocked.own(signal.clock), _turning(signal, key[0], moving), found
        )
        for key, signal in found.signals.items()
        if key[1] not in MOTIONS and not signal.same_as
    }
    others: list[tuple[Stamped, float, float]] = []
    both: dict[tuple[str, str], motions.Motion | wrenches.Wrenches] = {**moving, **pushing}
    for key, one in both.items():
        signal = found.signals[key]
        if clocked.rows_of(signal.clock) is None:
            held = key[1] in ("measured", "wrench", "wrench_on_satellite")
            stamps = one.arrival if held else one.time
            last = stamps[-1] + (clocked.own(signal.clock).step if held else 0.0)
            others.append((clocked.own(signal.clock), float(stamps[0]), float(last)))
    clocked.kept = overlapping(clocked.times, others, found)
    times = clocked.times[clocked.kept]
    for key, one in both.items():
        own = clocked.own(found.signals[key].clock)
        if clocked.rows_of(found.signals[key].clock) is None:
            silence(own, one.arrival, clocked.cycle, times[0], times[-1])
    series: Taken = {"time": times}
    ages: Taken = {}
    for body in BODIES:
        put_motions(series, ages, body, clocked, moving)
        put_wrench(series, ages, body, clocked, pushing)
    put_ages(series, ages)
    for body in BODIES:
        put_applied(series, body, clocked, pushing)
    far_apart(series, notes)
    order = [name for name in CHANNELS if name in series]
    return {name: np.ascontiguousarray(series[name]) for name in order}


def _turning(signal: Any, body: str, moving: Moving) -> Any:
    if not wrenches.needs_turning(signal):
        return None
    return moving.get((body, "measured")) or moving.get((body, "command"))
