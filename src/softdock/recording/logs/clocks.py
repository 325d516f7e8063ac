"""Clocks of a log brought together: one time, rows at one rate, newest readings delivered.

In: stamps of each table in its own unit. Out: seconds of one time that begins at the first row of
the clock whose rows are the cycles. Refused, with the line: stamps that run backwards, gaps, rates
that are none, clocks that do not overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.recording.logs.map_parts import Clock, Map
from softdock.recording.logs.tables import Table
from softdock.recording.logs.units import FACTORS

FEWEST = 50  # rows that say anything
GAP = 1.5  # steps of the clock of the cycles
SILENCE = 5.0  # steps of any other clock, and at least one cycle
SLACK = 1e-6  # s, of equal times: no log's stamps are better
JITTER = 0.5  # of a step: more is no rate
TELL = 0.01  # of a step: less jitter is not worth telling


@dataclass
class StampedRows:
    """A table with its rows in common time."""

    clock: Clock
    table: Table
    time: np.ndarray  # s
    rows: np.ndarray  # of the table: those that are kept
    step: float  # s, median

    def where(self, i: int) -> str:
        return self.table.where(int(self.rows[i]))


def read_stamps(clock: Clock, table: Table, used: list[str], origin: Fraction) -> StampedRows:
    """Rows of a table by its clock. In a log that merges several rates, rows in which all of this
    clock's columns are empty are of others, and are passed over."""
    stamps = table.column(clock.column, f"clock.{clock.name}.column", clock.where)
    kept = np.ones(len(stamps), dtype=bool)
    cells = [table.columns[name] for name in used if name in table.columns]
    if cells:
        kept = ~np.all([_find_empty(column) for column in cells], axis=0)
    if stamps.dtype.kind == "f":
        kept &= np.isfinite(stamps)
    rows = np.flatnonzero(kept)[clock.first :: clock.every]
    if len(rows) < 2:
        allowed = f"at least {FEWEST} rows with this clock's columns"
        raise BadInput(Problem(f"clock.{clock.name}", f"{len(rows)} rows", allowed, clock.where))
    scale = _get_scale(clock)
    first = stamps[rows[0]]
    start = _convert_exactly(first, clock) - origin
    time = (stamps[rows] - first).astype(float) * float(scale) + float(start)
    made = StampedRows(
        clock=clock, table=table, time=time, rows=rows, step=float(np.median(np.diff(time)))
    )
    _check_forwards(made)
    return made


def _find_empty(column: np.ndarray) -> np.ndarray:
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), bool)


def _get_scale(clock: Clock) -> Fraction:
    return Fraction(FACTORS["time"][clock.unit]).limit_denominator(10**9)


def _convert_exactly(stamp: Any, clock: Clock) -> Fraction:
    return (Fraction(stamp.item()) - Fraction(clock.zero)) * _get_scale(clock) + Fraction(
        clock.offset_s
    )


def find_origin(clock: Clock, table: Table) -> Fraction:
    """The first stamp of the clock of the cycles [s], exactly: nanoseconds since 1970 in a double
    are a quarter of a microsecond apart."""
    stamps = table.column(clock.column, f"clock.{clock.name}.column", clock.where)
    good = stamps[np.isfinite(stamps)] if stamps.dtype.kind == "f" else stamps
    if not len(good):
        raise BadInput(
            Problem(f"clock.{clock.name}", "no stamp", "a column of stamps", clock.where)
        )
    return _convert_exactly(good[0], clock)


def _check_forwards(own: StampedRows) -> None:
    back = np.flatnonzero(np.diff(own.time) <= 0.0)
    if len(back):
        i = int(back[0]) + 1
        given = f"{own.time[i]:.9g} s after {own.time[i - 1]:.9g} s"
        allowed = "stamps that grow from row to row"
        raise BadInput(
            Problem(f"clock.{own.clock.name}.{own.clock.column}", given, allowed, own.where(i))
        )


def find_cycles(
    own: StampedRows, span: tuple[float, float], notes: list[str]
) -> tuple[np.ndarray, slice]:
    """The times of the cycles, evenly spaced, and the rows that are theirs. Stamps may jitter by
    less than half a step around them."""
    inside = np.flatnonzero((own.time >= span[0] - SLACK) & (own.time <= span[1] + SLACK))
    if len(inside) < FEWEST:
        given = f"{len(inside)} rows from {max(span[0], own.time[0]):g} s on"
        allowed = f"at least {FEWEST} rows; the log lasts {own.time[0]:g} s to {own.time[-1]:g} s"
        raise BadInput(Problem("from_s", given, allowed, own.clock.where))
    part = slice(int(inside[0]), int(inside[-1]) + 1)
    time = own.time[part]
    steps = np.diff(time)
    step = float(np.median(steps))
    if not 1e-5 <= step <= 1.0:
        unit = {"s": "ms", "ms": "us", "us": "ns"}.get(own.clock.unit, "s")
        unit = unit if step > 1.0 else {"ns": "us", "us": "ms", "ms": "s"}.get(own.clock.unit, "s")
        allowed = "a cycle of 0.01 ms to 1 s: which unit are the stamps in?"
        raise BadInput(
            Problem(
                f"clock.{own.clock.name}.unit",
                f"{own.clock.unit}: rows {step:g} s apart",
                allowed,
                own.clock.where,
                suggestion=unit,
            )
        )
    gaps = np.flatnonzero(steps > GAP * step)
    if len(gaps):
        raise _check_gap(own, part.start, time, gaps, step)
    even = time[0] + (time[-1] - time[0]) / (len(time) - 1) * np.arange(len(time))
    centre = float(np.median(time - even))
    jitter = float(np.abs(time - even - centre).max())
    if jitter > JITTER * step:
        i = int(np.abs(time - even - centre).argmax())
        given = f"{1e3 * jitter:.3g} ms away from a rate of {1.0 / step:.4g} Hz"
        allowed = "rows at one rate; from_s and to_s take a part of the log"
        raise BadInput(
            Problem(f"clock.{own.clock.name}", given, allowed, own.where(part.start + i))
        )
    if jitter > TELL * step:
        notes.append(
            f"stamps of the clock '{own.clock.name}' jitter by up to {1e3 * jitter:.3g} ms: rows "
            f"are set {1e3 * step:.4g} ms apart"
        )
    return even + (centre if jitter > TELL * step else 0.0), part


def _check_gap(
    own: StampedRows, first: int, time: np.ndarray, gaps: np.ndarray, step: float
) -> BadInput:
    """With the longest part that has none."""
    ends = np.concatenate([[-1], gaps, [len(time) - 1]])
    i = int(np.argmax(np.diff(ends)))
    low, high = time[ends[i] + 1], time[ends[i + 1]]
    at = int(gaps[0])
    given = f"{time[at + 1] - time[at]:.6g} s without a row, at {time[at]:.6g} s; {len(gaps)} gaps"
    allowed = (
        f"a row every {1e3 * step:.4g} ms; the longest part without a gap: from_s = "
        f"{low - 0.25 * step:.6f}, to_s = {high + 0.25 * step:.6f}"
    )
    return BadInput(Problem(f"clock.{own.clock.name}", given, allowed, own.where(first + at + 1)))


def find_overlap(
    times: np.ndarray, others: list[tuple[StampedRows, float, float]], found: Map
) -> slice:
    """Rows of the cycles at which every other clock has handed something over. `others`: with the
    first and last instant at which each is known."""
    low = max([times[0], *(first for _, first, _ in others)]) - SLACK
    high = min([times[-1], *(last for _, _, last in others)]) + SLACK
    rows = np.flatnonzero((times >= low) & (times <= high))
    if len(rows) >= FEWEST:
        return slice(int(rows[0]), int(rows[-1]) + 1)
    problems = []
    for own, first, last in others:
        if first > times[-1] or last < times[0] or last - first < FEWEST * (times[1] - times[0]):
            given = f"{first:.6g} s to {last:.6g} s"
            allowed = (
                f"a clock that overlaps '{found.rows}', {times[0]:.6g} s to {times[-1]:.6g} s; "
                f"offset_s = {own.clock.offset_s + times[0] - first:.6f} lets both begin together"
            )
            problems.append(Problem(f"clock.{own.clock.name}", given, allowed, own.clock.where))
    if not problems:
        given = f"{len(rows)} cycles in which all clocks are known"
        problems.append(Problem("clock", given, f"at least {FEWEST}"))
    raise BadInput(problems)


def refuse_silence(
    own: StampedRows, arrival: np.ndarray, cycle: float, low: float, high: float
) -> None:
    """Refuse a clock that says nothing for too long between two instants."""
    most = own.clock.longest_gap_s or max(SILENCE * own.step, cycle + own.step)
    steps = np.diff(arrival)
    inside = (arrival[1:] > low) & (arrival[:-1] < high)
    gaps = np.flatnonzero((steps > most) & inside)
    if len(gaps):
        i = int(gaps[0])
        given = f"{steps[i]:.6g} s without a row, at {arrival[i]:.6g} s; {len(gaps)} gaps"
        allowed = (
            f"at most {most:.3g} s; longest_gap_ms = {1e3 * steps[gaps].max() + 1:.0f} holds the "
            "last reading, which grows old"
        )
        raise BadInput(Problem(f"clock.{own.clock.name}", given, allowed, own.where(i + 1)))


def find_newest(times: np.ndarray, arrival: np.ndarray) -> np.ndarray:
    """For every cycle the newest row that had arrived; -1: none yet."""
    return np.searchsorted(arrival, times + SLACK, side="right") - 1
