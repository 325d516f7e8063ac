"""Scenario in, run out. Also the loop stepped by hand: `Stepper`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from softdock.core.adaptation.hooks import memory_slots
from softdock.core.adaptation.registry import METHODS
from softdock.core.contact.seat import CAPTURES
from softdock.core.contact_log import LOG_COLUMNS
from softdock.core.cycle import DEEPEST_START
from softdock.core.machine import doors
from softdock.core.machine.record import channels_of
from softdock.core.machine.state import REST, STATE_FLOATS, TRACKER
from softdock.core.machine.vector import (
    CAPTURE_AT,
    METHODS_AT,
    PEAK_FORCE_MEM,
    PEAK_TORQUE_MEM,
    TIME,
    TIME_AT,
)
from softdock.core.spatial.motion import MOTION_FLOATS
from softdock.corrections import work_by_axis
from softdock.errors import BadInput, Problem
from softdock.events import QUIET, rig_events
from softdock.feasibility import check_feasible
from softdock.joint_books import imbalances, joint_books
from softdock.observed_by_age import observed_by_age
from softdock.run import Reached, Run, Series, contact_rows, status_name
from softdock.scenario.build import Scenario, build

LOGGED_CONTACTS = 256
CHUNK = 20_000  # cycles between two reports of progress

Progress = Callable[[int, int], None]  # cycles done, cycles in all


def cycle_count(scenario: Scenario) -> int:
    """Cycles in a whole run."""
    return math.ceil(
        scenario.vector[TIME_AT + TIME.at.duration] / scenario.vector[TIME_AT + TIME.at.cycle]
        - 1e-9
    )


class Stepper:
    """The loop, stepped by hand. All state is in three flat arrays: `state` (see flat.py), `mem`
    and `log`.

    `rows`: how many instants to record, t = 0 included; `series` has them. What runs beyond is not
    recorded.
    """

    def __init__(self, scenario: Scenario, rows: int = 0):
        self.scenario = scenario
        self.vector = scenario.vector.copy()
        self.vector[CAPTURE_AT + CAPTURES.torque] = 1.0  # one run can afford to look
        self.state = np.zeros(STATE_FLOATS)
        self.mem = np.zeros(scenario.mem_floats)
        self.log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
        self.channels = channels_of(method["name"] for method in scenario.tables["methods"])
        self.record = np.zeros((rows, len(self.channels)))
        self.cycles = 0
        depth, pair = doors.begin(
            self.vector, scenario.markers.features, self.mem, self.state, self.record
        )
        if depth > DEEPEST_START:
            deep = f"a tip {1e3 * depth:.4g} mm deep in contact at t = 0"
            raise BadInput(
                Problem(
                    f"contact.{pair}",
                    deep,
                    f"bodies apart at the start (at most {1e3 * DEEPEST_START:g} mm deep)",
                )
            )

    def step(self, cycles: int = 1) -> str:
        """Run some cycles; returns the status."""
        last = self.cycles + cycles
        self.cycles = doors.run_cycles(
            self.vector,
            self.scenario.markers,
            self.mem,
            self.state,
            self.record,
            self.log,
            self.cycles,
            last,
        )
        return self.status

    @property
    def status(self) -> str:
        return status_name(self.state[REST + 1])

    @property
    def peak_force_real_N(self) -> float:
        """Largest true force of a contact pair so far."""
        under_way = self.state[TRACKER + 8] if self.state[TRACKER] != 0.0 else 0.0
        return math.sqrt(max(self.mem[PEAK_FORCE_MEM], under_way))

    @property
    def peak_torque_real_Nm(self) -> float:
        """Largest true torque about either centre of mass so far."""
        return math.sqrt(self.mem[PEAK_TORQUE_MEM])

    @property
    def captured_at_s(self) -> float:
        """From what was recorded: when the probe had been at its seat for the time that the
        scenario states; NaN: it was not, or nobody asks."""
        if not self.vector[CAPTURE_AT + CAPTURES.hold] > 0.0:
            return math.nan
        motions = np.ascontiguousarray(self.record[: self.cycles + 1, 1 : 1 + 2 * MOTION_FLOATS])
        return float(
            doors.capture_time(self.vector, self.scenario.markers.features, self.mem, motions)
        )

    @property
    def time_s(self) -> float:
        """The instant that the loop has reached."""
        return float(self.cycles * self.scenario.vector[TIME_AT + TIME.at.cycle])

    @property
    def series(self) -> Series:
        """What was recorded so far, by channel, as in a run."""
        return Series(self.record[: self.cycles + 1], self.channels)

    def method_memory(self, index: int) -> np.ndarray:
        """The slice of `mem` of a listed method, as a view: reading tells its state, writing
        changes it (see the method's own file)."""
        methods, at = self.scenario.tables["methods"], METHODS_AT
        for method in methods[:index]:
            at += 1 + METHODS[method["name"]].group.size
        chosen, T = methods[index], self.scenario.vector[TIME_AT + TIME.at.cycle]
        first = int(self.scenario.vector[at])
        return self.mem[first : first + METHODS[chosen["name"]].memory(chosen, T)]


def method_books(
    scenario: Scenario, mem: np.ndarray, series: Mapping[str, np.ndarray]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """What each method says it did in a run, by axis where it records that, and what went wrong
    with its readings. A second one of a name is `name_2`."""
    found: dict[str, dict[str, Any]] = {}
    said, seen = [], Counter[str]()
    slots = memory_slots(scenario.markers.methods, METHODS_AT)
    for entry, slot in zip(scenario.tables["methods"], slots, strict=True):
        method, own = METHODS[entry["name"]], mem[int(scenario.vector[slot]) :]
        seen[method.name] += 1
        name = method.name if seen[method.name] == 1 else f"{method.name}_{seen[method.name]}"
        books = method.books(own)
        axes = work_by_axis(series, name)
        own_axes = books.pop("axes", {})
        if axes:
            for key in ("removed_J", "returned_J"):
                books.setdefault(key, sum(axis[key] for axis in axes))
            books["axes"] = [axis | own_axes.get(axis["axis"], {}) for axis in axes]
        if books:
            found[name] = books
        said += [
            f"{name}: {event}"
            for event in method.events(own, float(scenario.vector[TIME_AT + TIME.at.cycle]))
        ]
    return found, said


def _told_by_truth(
    scenario: Scenario,
    series: Mapping[str, np.ndarray],
    contacts: list[dict[str, Any]],
    books: dict[str, dict[str, Any]],
) -> list[str]:
    """What the simulation knows of the methods' doings and they cannot: into their books, and in
    words."""
    said, seen = [], Counter[str]()
    for entry in scenario.tables["methods"]:
        method = METHODS[entry["name"]]
        seen[method.name] += 1
        name = method.name if seen[method.name] == 1 else f"{method.name}_{seen[method.name]}"
        found, words = method.truth(name, entry, scenario.tables, series, contacts)
        if found:
            books[name] = books.get(name, {}) | found
        said += [f"{name}: {line}" for line in words]
    return said


def simulate(scenario: Scenario | Mapping[str, Any], progress: Progress | None = None) -> Run:
    """Run the loop over the scenario's whole duration, or until it stops. A `Mapping` is built (and
    checked) first."""
    if not isinstance(scenario, Scenario):
        scenario = build(scenario)
    check_feasible(scenario)
    total = cycle_count(scenario)
    loop = Stepper(scenario, rows=total + 1)
    while loop.cycles < total and loop.status == "completed":
        loop.step(min(CHUNK, total - loop.cycles))
        if progress is not None:
            progress(loop.cycles, total)
    count = doors.finish(loop.state, loop.log)
    series = Series(loop.record[: loop.cycles + 1], loop.channels)
    paired = observed_by_age(scenario.tables["sensor"]["on"], series)
    if paired is not None:
        series["energy.observed"][:] = paired
    contacts = contact_rows(loop.log, count)
    warnings = list(scenario.warnings)
    if count > LOGGED_CONTACTS:
        warnings.append(f"{count} contacts; the log keeps the first {LOGGED_CONTACTS}")
    for i, method in enumerate(scenario.tables["methods"]):
        warnings += METHODS[method["name"]].report(loop.method_memory(i), method)
    books, said = method_books(scenario, loop.mem, series)
    told = _told_by_truth(scenario, series, contacts, books)
    events = rig_events(scenario, series, contacts)
    joints = joint_books(scenario.vector, loop.mem, series)
    warnings += [
        *said,
        *told,
        *(event["text"] for event in events if event["what"] not in QUIET),
        *imbalances(joints),
    ]
    if loop.status != "completed":
        warnings.append(f"stopped after {loop.cycles} of {total} cycles: {loop.status}")
    reached = Reached(loop.peak_force_real_N, loop.peak_torque_real_Nm, loop.captured_at_s)
    return Run(
        scenario,
        series,
        contacts,
        int(count),
        loop.cycles,
        loop.status,
        loop.state,
        warnings,
        books,
        events,
        joints,
        reached,
    )
