"""Signals of a log at the cycles of a recording: set-points and satellites at all times, measured
poses and wrenches as they were delivered, each with its age. In: motions and wrenches at their
own stamps. Out: series by the names of a recording's channels."""

from __future__ import annotations

import numpy as np

from softdock.logs import motions, wrenches
from softdock.logs.clocks import Stamped, cycles, origin_of, stamped
from softdock.logs.map_parts import Map
from softdock.logs.mapping import BODIES
from softdock.logs.readings import columns_of
from softdock.logs.tables import Table

APART = 0.2  # m: set-points and measured poses further apart are worth a warning
Taken = dict[str, np.ndarray]
Moving = dict[tuple[str, str], motions.Motion]
Pushing = dict[tuple[str, str], wrenches.Wrenches]


class Clocked:
    """All clocks in common time, and the cycles."""

    def __init__(self, found: Map, tables: dict[str, Table], notes: list[str]) -> None:
        self.map = found
        used: dict[str, list[str]] = {name: [] for name in found.clocks}
        for signal in found.signals.values():
            for name in columns_of(signal):
                table = tables[signal.clock]
                table.column(name, signal.key, signal.where)
                used[signal.clock].append(name)
        origin = origin_of(found.clocks[found.rows], tables[found.rows])
        self.stamped = {
            name: stamped(clock, tables[name], used[name], origin)
            for name, clock in found.clocks.items()
            if used[name] or name == found.rows
        }
        self.times, self.rows = cycles(self.own(found.rows), found.span, notes)
        self.cycle = float(self.times[1] - self.times[0])
        self.kept = slice(0, len(self.times))

    def own(self, name: str) -> Stamped:
        if name not in self.stamped:  # a signal of numbers alone: it is so in every row
            return self.stamped[self.map.rows]
        return self.stamped[name]

    def rows_of(self, name: str) -> slice | None:
        """The cycles' own rows, where this clock is theirs."""
        return self.rows if name == self.map.rows or name not in self.stamped else None


def _put(series: Taken, name: str, values: np.ndarray, axes: str = "xyz") -> None:
    for i, axis in enumerate(axes):
        series[f"{name}.{axis}"] = values[:, i]


def put_motions(
    series: Taken,
    ages: Taken,
    body: str,
    clocked: Clocked,
    moving: Moving,
) -> None:
    signals, times, kept = clocked.map.signals, clocked.times[clocked.kept], clocked.kept
    for kind, prefix in (("command", f"command.{body}"), ("satellite", body)):
        key = (body, kind)
        if key not in signals:
            continue
        source = (body, signals[key].same_as or kind)
        rows = clocked.rows_of(signals[source].clock)
        whole = None if rows is None else slice(rows.start + kept.start, rows.start + kept.stop)
        for part, values in motions.at_cycles(moving[source], times, whole).items():
            _put(series, f"{prefix}.{part}", values, "wxyz" if part == "attitude" else "xyz")
    if (body, "measured") in signals:
        rows = clocked.rows_of(signals[body, "measured"].clock)
        p, q, age = motions.handed(moving[body, "measured"], times, rows, kept)
        _put(series, f"seen.{body}.position", p)
        _put(series, f"seen.{body}.attitude", q, "wxyz")
        ages[f"pose.{body}"] = age


def put_wrench(
    series: Taken,
    ages: Taken,
    body: str,
    clocked: Clocked,
    pushing: Pushing,
) -> None:
    signal = clocked.map.signals.get((body, "wrench"))
    if signal is None:
        return
    force, torque, age = wrenches.handed(
        pushing[body, "wrench"],
        clocked.times[clocked.kept],
        clocked.rows_of(signal.clock),
        clocked.kept,
        signal.handover == "mean",
    )
    _put(series, f"measured.{body}.force", force)
    if torque is not None:
        _put(series, f"measured.{body}.torque", torque)
    ages[f"force.{body}"] = age


def put_ages(series: Taken, ages: Taken) -> None:
    forces = [age for name, age in ages.items() if name.startswith("force")]
    series["force_age"] = np.maximum.reduce(forces)
    poses = {name: age for name, age in ages.items() if name.startswith("pose")}
    if not poses:
        return
    if len(poses) == 2:
        for name, age in poses.items():
            series[f"pose_age.{name.partition('.')[2]}"] = age
    series["pose_age"] = np.maximum.reduce(list(poses.values()))


def put_applied(
    series: Taken,
    body: str,
    clocked: Clocked,
    pushing: Pushing,
) -> None:
    """Wrench on the satellite over the cycle that ended at each row. `same_as = "wrench"`: what was
    measured a row before, or its opposite on the body without a sensor."""
    signal = clocked.map.signals.get((body, "wrench_on_satellite"))
    if signal is None:
        return
    name = f"satellite.{body}"
    if not signal.same_as:
        force, torque, _ = wrenches.handed(
            pushing[body, "wrench_on_satellite"],
            clocked.times[clocked.kept],
            clocked.rows_of(signal.clock),
            clocked.kept,
            False,
        )
        _put(series, f"{name}.force", force)
        if torque is not None:
            _put(series, f"{name}.torque", torque)
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
    _put(series, f"{name}.force", _a_row_later(force))
    if torque is not None:
        _put(series, f"{name}.torque", _a_row_later(torque))


def _a_row_later(values: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros((1, values.shape[1])), values[:-1]])


def far_apart(series: Taken, notes: list[str]) -> None:
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
