"""When a loop's contacts begin and end for the satellites, and when nothing of them acts any more.

In: a run with its reference. Out: rows of the series (one per cycle) and times.

For the mock-ups a contact lasts from the first touch of any pair or latch to the last parting; gaps
shorter than the merge window (twice the whole delay) belong to it. For the satellites it ends when
no reading taken during it can act any more: age of the force, filter to 1 %, one cycle. Where a
method recomputes the past, the satellites touch up to one delay before the mock-ups do, so that the
contact begins that much earlier.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.contact.latch import BROKEN, LATCH_CELLS, OPEN
from softdock.loop.instants import SAME_CYCLE
from softdock.loop.method.memory import numbered
from softdock.loop.sensor.force_torque import MEAN, SENSOR
from softdock.loop.settled_motion import FILTER_TIMES
from softdock.loop.vector import SENSOR_AT, TIME_AT, TIMES
from softdock.methods.registry import METHODS
from softdock.reference import Reference
from softdock.results.momenta import is_corrected
from softdock.results.run import Run

AT = LATCH_CELLS.at


class Contact(NamedTuple):
    """One contact, for the satellites."""

    start: float  # s, first touch of the mock-ups
    end: float  # s, last parting; infinite: still touching
    touch: int  # row before it acts
    over: int | None  # first row at which nothing of it acts; None: it has not ended


class Contacts(NamedTuple):
    """All contacts of a run, or of its reference."""

    each: tuple[Contact, ...]
    still: bool  # one has not ended at the end of the run

    @property
    def first(self) -> float:
        """Time of the first touch [s]; infinite: none."""
        return self.each[0].start if self.each else math.inf

    @property
    def last_touch(self) -> float:
        """Time of the last parting [s]; -inf: no contact."""
        return self.each[-1].end if self.each else -math.inf


def find_contacts(run: Run) -> Contacts:
    """The loop's."""
    time, T = run.series["time"], float(run.scenario.vector[TIME_AT + TIMES.cycle])
    window = compute_merge_window(run.scenario.tables)
    spans = _merge_spans(_list_spans(run.contacts, run.latches, run.series), window)
    early = window / 2.0 + T if is_corrected(run.series) else 0.0
    readings = _find_oldest_reading(run)
    contacts: list[Contact] = []
    i = 0
    while i < len(spans):
        start, end = spans[i]
        over = None if math.isinf(end) else _find_first_clear_row(run, readings, end)
        following = spans[i + 1][0] if i + 1 < len(spans) else math.inf
        if over is not None and time[over] >= following - early:
            spans[i : i + 2] = [(start, spans[i + 1][1])]  # it still acts when the next begins
            continue
        before = (contacts[-1].over or 0) if contacts else 0
        touch = min(max(math.floor((start - early) / T + 1e-9), before), len(time) - 1)
        contacts.append(Contact(start, end, touch, over))
        i += 1
    return Contacts(tuple(contacts), bool(contacts) and contacts[-1].over is None)


def find_reference_contacts(reference: Reference) -> Contacts:
    """The reference's, whose forces act at once."""
    time = reference.series["time"]
    contacts = []
    for start, end in _merge_spans(
        _list_spans(reference.contacts, reference.latches, reference.series), 0.0
    ):
        over = int(np.searchsorted(time, end, side="right"))
        touch = max(int(np.searchsorted(time, start, side="right")) - 1, 0)
        contacts.append(Contact(start, end, touch, over if over < len(time) else None))
    return Contacts(tuple(contacts), bool(contacts) and math.isinf(contacts[-1].end))


def compute_merge_window(tables: Mapping[str, Any]) -> float:
    """Twice the whole delay [s], as the contact log has it: closer contacts are one."""
    duration, delays = float(tables["time"]["duration_s"]), []
    for robot in tables["robots"].values():
        late = robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"]
        late += max(robot["delay_ramp_ms_per_s"], 0.0) * duration
        delays.append(late + robot["delay_wobble_ms"] + robot["delay_jitter_ms"])
    return 2e-3 * (max(delays) + float(tables["sensor"]["delay_ms"]))


def _list_spans(
    contacts: list[dict[str, Any]], latches: np.ndarray, series: Mapping[str, np.ndarray]
) -> list[tuple[float, float]]:
    """From touch to parting [s], of pairs and latches; in no order."""
    time, depth = series["time"], series["contact.depth"]
    spans = [(c["start_s"], c["end_s"]) for c in contacts]
    beyond = time[depth > 0.0]  # the log keeps only so many contacts
    if spans and len(beyond) and beyond[-1] > spans[-1][1]:
        spans.append((spans[-1][1], float(beyond[-1])))
    if spans and depth[-1] > 0.0:
        spans[-1] = (spans[-1][0], math.inf)
    for latch in latches:
        if latch[AT.state] != OPEN:
            holds = latch[AT.state] != BROKEN
            spans.append(
                (float(latch[AT.engaged_at]), math.inf if holds else float(latch[AT.broken_at]))
            )
    return spans


def _merge_spans(spans: list[tuple[float, float]], window: float) -> list[tuple[float, float]]:
    """In order; what overlaps or is closer than the window [s] is one."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start - merged[-1][1] <= window:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _find_oldest_reading(run: Run) -> np.ndarray:
    """Of each row: when the oldest reading that acts was taken [s], less the time in which a
    low-pass forgets."""
    vector, time = run.scenario.vector, run.series["time"]
    stale = (
        0.5 * vector[TIME_AT + TIMES.cycle]
        if vector[SENSOR_AT + SENSOR.at.handover] == MEAN
        else 0.0
    )  # its oldest sample: the stamp is of its middle
    cut_off = vector[SENSOR_AT + SENSOR.at.lowpass]
    tail = FILTER_TIMES / cut_off if cut_off > 0.0 else 0.0
    return np.minimum(time - run.series["force_age"] - stale - tail, time - run.series["pose_age"])


def _find_first_clear_row(run: Run, readings: np.ndarray, last_touch: float) -> int | None:
    """First row at which nothing of a contact acts that ended then; None: there is none. A method
    that still has the satellites in it at the end of the run cannot keep it from having ended."""
    apart = SAME_CYCLE * run.scenario.vector[TIME_AT + TIMES.cycle]
    clear = (run.series["time"] - last_touch > apart) & (readings - last_touch > apart)
    if not clear.any():
        return None
    free = clear & ~_find_rows_held_by_method(run, clear)
    return int(np.argmax(free)) if free.any() else len(clear) - 1


def _find_rows_held_by_method(run: Run, clear: np.ndarray) -> np.ndarray:
    """Of each row: a method that puts a wanted contact in place of the real one still has the
    satellites in the last one (`Method.holds_contact`)."""
    held, listed = np.zeros(len(clear), bool), [m["name"] for m in run.scenario.tables["methods"]]
    for name, prefix in zip(listed, numbered(listed), strict=True):
        channel = METHODS[name].holds_contact
        if channel and clear.any():
            first = int(np.argmax(clear))
            acts = run.series[f"{prefix}.{channel}"]
            parted = np.nonzero(acts[first : len(clear)] < 2.0)[0]
            held[first : first + int(parted[0]) if len(parted) else len(clear)] = True
    return held


def find_separation_row(run: Run, loop: Contacts, reference: Contacts) -> int | None:
    """First row at which neither is in contact any more, after the last contact of both; None: one
    is still touching."""
    if loop.still or reference.still:
        return None
    rows = [c.each[-1].over for c in (loop, reference) if c.each]
    if not rows or None in rows:
        return None
    row = max(int(r) for r in rows if r is not None)
    return row if row < min(len(run.series["time"]), len(run.reference.series["time"])) else None
