"""A log and its map to a recording: `import_log`.

Rows of the clock of the cycles become the recording's rows. Set-points and satellites are known at
all times; measured poses and wrenches are the newest that had arrived, with their age. What a log
does not hold is an absent series, never zero.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.record import Channel
from softdock.recording.logs import readings
from softdock.recording.logs.clocks import (
    StampedRows,
    find_cycles,
    find_origin,
    find_overlap,
    read_stamps,
    refuse_silence,
)
from softdock.recording.logs.map_parts import Map
from softdock.recording.logs.mapping import BODIES, MOTIONS, read_map
from softdock.recording.logs.readings import list_columns
from softdock.recording.logs.table_files import read_tables
from softdock.recording.logs.tables import Table
from softdock.recording.read import Contents
from softdock.recording.recording import add_fixed_body
from softdock.recording.ring_layout import CYCLE_GROUPS
from softdock.recording.streams import (
    CYCLE,
    PROVENANCE,
    SENSOR_ON,
    About,
    Stream,
    describe_provenance,
)
from softdock.results.series import Series
from softdock.studies.identify.touching import TOOL_KG

# Signals of a log at the cycles of a recording: set-points and satellites at all times, measured
# poses and wrenches as they were delivered, each with its age. In: motions and wrenches at their
# own stamps. Out: series by the names of a recording's channels.

APART = 0.2  # m: set-points and measured poses further apart are worth a warning
Taken = dict[str, np.ndarray]
Moving = dict[tuple[str, str], readings.Motion]
Pushing = dict[tuple[str, str], readings.Wrenches]


class ClockedTable:
    """All clocks in common time, and the cycles."""

    def __init__(self, found: Map, tables: dict[str, Table], notes: list[str]) -> None:
        self.map = found
        used: dict[str, list[str]] = {name: [] for name in found.clocks}
        for signal in found.signals.values():
            for name in list_columns(signal):
                table = tables[signal.clock]
                table.column(name, signal.key, signal.where)
                used[signal.clock].append(name)
        origin = find_origin(found.clocks[found.rows], tables[found.rows])
        self.stamped = {
            name: read_stamps(clock, tables[name], used[name], origin)
            for name, clock in found.clocks.items()
            if used[name] or name == found.rows
        }
        self.times, self.rows = find_cycles(self.get_clock_rows(found.rows), found.span, notes)
        self.cycle = float(self.times[1] - self.times[0])
        self.kept = slice(0, len(self.times))

    def get_clock_rows(self, name: str) -> StampedRows:
        if name not in self.stamped:  # a signal of numbers alone: it is so in every row
            return self.stamped[self.map.rows]
        return self.stamped[name]

    def get_cycle_rows(self, name: str) -> slice | None:
        """The cycles' own rows, where this clock is theirs."""
        return self.rows if name == self.map.rows or name not in self.stamped else None


def _add_channels(series: Taken, name: str, values: np.ndarray, axes: str = "xyz") -> None:
    for i, axis in enumerate(axes):
        series[f"{name}.{axis}"] = values[:, i]


def add_motions(
    series: Taken,
    ages: Taken,
    body: str,
    clocked: ClockedTable,
    moving: Moving,
) -> None:
    signals, times, kept = clocked.map.signals, clocked.times[clocked.kept], clocked.kept
    for kind, prefix in (("command", f"command.{body}"), ("satellite", body)):
        key = (body, kind)
        if key not in signals:
            continue
        source = (body, signals[key].same_as or kind)
        rows = clocked.get_cycle_rows(signals[source].clock)
        whole = None if rows is None else slice(rows.start + kept.start, rows.start + kept.stop)
        for part, values in readings.interpolate_motion(moving[source], times, whole).items():
            _add_channels(
                series, f"{prefix}.{part}", values, "wxyz" if part == "attitude" else "xyz"
            )
    if (body, "measured") in signals:
        rows = clocked.get_cycle_rows(signals[body, "measured"].clock)
        p, q, age = readings.sample_motion(moving[body, "measured"], times, rows, kept)
        _add_channels(series, f"seen.{body}.position", p)
        _add_channels(series, f"seen.{body}.attitude", q, "wxyz")
        ages[f"pose.{body}"] = age


def add_wrench(
    series: Taken,
    ages: Taken,
    body: str,
    clocked: ClockedTable,
    pushing: Pushing,
) -> None:
    signal = clocked.map.signals.get((body, "wrench"))
    if signal is None:
        return
    force, torque, age = readings.sample_wrench(
        pushing[body, "wrench"],
        clocked.times[clocked.kept],
        clocked.get_cycle_rows(signal.clock),
        clocked.kept,
        signal.handover == "mean",
    )
    _add_channels(series, f"measured.{body}.force", force)
    if torque is not None:
        _add_channels(series, f"measured.{body}.torque", torque)
    ages[f"force.{body}"] = age


def add_ages(series: Taken, ages: Taken) -> None:
    forces = [age for name, age in ages.items() if name.startswith("force")]
    series["force_age"] = np.maximum.reduce(forces)
    poses = {name: age for name, age in ages.items() if name.startswith("pose")}
    if not poses:
        return
    if len(poses) == 2:
        for name, age in poses.items():
            series[f"pose_age.{name.partition('.')[2]}"] = age
    series["pose_age"] = np.maximum.reduce(list(poses.values()))


def add_applied(
    series: Taken,
    body: str,
    clocked: ClockedTable,
    pushing: Pushing,
) -> None:
    """Wrench on the satellite over the cycle that ended at each row. `same_as = "wrench"`: what was
    measured a row before, or its opposite on the body without a sensor."""
    signal = clocked.map.signals.get((body, "wrench_on_satellite"))
    if signal is None:
        return
    name = f"satellite.{body}"
    if not signal.same_as:
        force, torque, _ = readings.sample_wrench(
            pushing[body, "wrench_on_satellite"],
            clocked.times[clocked.kept],
            clocked.get_cycle_rows(signal.clock),
            clocked.kept,
            False,
        )
        _add_channels(series, f"{name}.force", force)
        if torque is not None:
            _add_channels(series, f"{name}.torque", torque)
        return
    on = body if f"measured.{body}.force.x" in series else next(b for b in BODIES if b != body)
    force = np.stack([series[f"measured.{on}.force.{a}"] for a in "xyz"], axis=1)
    has_torque = f"measured.{on}.torque.x" in series
    torque = None
    if has_torque:
        torque = np.stack([series[f"measured.{on}.torque.{a}"] for a in "xyz"], axis=1)
    if on != body:
        if torque is not None and all(f"{b}.position.x" in series for b in BODIES):
            p = {b: np.stack([series[f"{b}.position.{a}"] for a in "xyz"], axis=1) for b in BODIES}
            torque = -(torque + np.cross(p[on] - p[body], force))
        else:
            torque = None
        force = -force
    _add_channels(series, f"{name}.force", _shift_by_row(force))
    if torque is not None:
        _add_channels(series, f"{name}.torque", _shift_by_row(torque))


def _shift_by_row(values: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros((1, values.shape[1])), values[:-1]])


def refuse_far_apart(series: Taken, notes: list[str]) -> None:
    """Frames that do not fit: a mock-up far from where it was sent."""
    for body in BODIES:
        names = (f"seen.{body}.position", f"command.{body}.position")
        if not all(f"{name}.x" in series for name in names):
            continue
        seen, sent = (np.stack([series[f"{n}.{a}"] for a in "xyz"], axis=1) for n in names)
        apart = float(np.median(np.linalg.norm(seen - sent, axis=1)))
        if apart > APART:
            notes.append(
                f"the {body} was measured {apart:.3g} m away from its set-points: do both tables "
                "have the frame that they are logged in?"
            )


CHANNELS = {channel.name: channel for _, group in CYCLE_GROUPS for channel in group}
MAP, SCENARIO = "map.toml", "scenario.toml"
WARNING = 30  # level of an event


def import_contents(log: str | Path, found: Map | str | Path, scenario: str = "") -> Contents:
    """What a recording of this log holds. `scenario`: the text of one, to attach. Raises `BadInput`
    with file and line; nothing is written."""
    made = found if isinstance(found, Map) else read_map(found)
    tables = _open_tables(Path(log), made)
    notes: list[str] = []
    series = _make_series(made, tables, notes)
    whole = Series(np.stack(list(series.values()), axis=1), [CHANNELS[name] for name in series])
    for body, place in made.fixed.items():
        whole = add_fixed_body(whole, body, place.position, place.attitude)
    names, rows = list(whole), whole.rows
    stream = Stream(
        name=CYCLE,
        kind="rows",
        width=len(names),
        channels=tuple(_make_channel(name) for name in names),
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
            tables={"run": run, PROVENANCE: describe_provenance(made.note), **limits},
        ),
        streams=(stream,),
        rows={CYCLE: rows},
        numbers={CYCLE: np.arange(len(rows))},
        events=[{"time_ns": 0, "level": WARNING, "text": note} for note in notes],
        end={"why": "the log ended", f"rows.{CYCLE}": str(len(rows)), f"lost.{CYCLE}": "0"},
    )


def _make_channel(name: str) -> Channel:
    return CHANNELS[name]


def _open_tables(log: Path, found: Map) -> dict[str, Table]:
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


def _make_series(found: Map, tables: dict[str, Table], notes: list[str]) -> Taken:
    clocked = ClockedTable(found, tables, notes)
    moving = {
        key: readings.read_motion(
            signal, found.mountings[key[0]], clocked.get_clock_rows(signal.clock)
        )
        for key, signal in found.signals.items()
        if key[1] in MOTIONS and not signal.same_as
    }
    pushing = {
        key: readings.read_wrenches(
            signal,
            clocked.get_clock_rows(signal.clock),
            _find_turning(signal, key[0], moving),
            found,
        )
        for key, signal in found.signals.items()
        if key[1] not in MOTIONS and not signal.same_as
    }
    others: list[tuple[StampedRows, float, float]] = []
    both: dict[tuple[str, str], readings.Motion | readings.Wrenches] = {**moving, **pushing}
    for key, one in both.items():
        signal = found.signals[key]
        if clocked.get_cycle_rows(signal.clock) is None:
            held = key[1] in ("measured", "wrench", "wrench_on_satellite")
            stamps = one.arrival if held else one.time
            last = stamps[-1] + (clocked.get_clock_rows(signal.clock).step if held else 0.0)
            others.append((clocked.get_clock_rows(signal.clock), float(stamps[0]), float(last)))
    clocked.kept = find_overlap(clocked.times, others, found)
    times = clocked.times[clocked.kept]
    for key, one in both.items():
        own = clocked.get_clock_rows(found.signals[key].clock)
        if clocked.get_cycle_rows(found.signals[key].clock) is None:
            refuse_silence(own, one.arrival, clocked.cycle, times[0], times[-1])
    series: Taken = {"time": times}
    ages: Taken = {}
    for body in BODIES:
        add_motions(series, ages, body, clocked, moving)
        add_wrench(series, ages, body, clocked, pushing)
    add_ages(series, ages)
    for body in BODIES:
        add_applied(series, body, clocked, pushing)
    refuse_far_apart(series, notes)
    order = [name for name in CHANNELS if name in series]
    return {name: np.ascontiguousarray(series[name]) for name in order}


def _find_turning(signal: Any, body: str, moving: Moving) -> Any:
    if not readings.needs_attitude(signal):
        return None
    return moving.get((body, "measured")) or moving.get((body, "command"))
