"""The loop stepped by hand: `Stepper`. Also how many cycles a whole run has."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from softdock._arguments import (
    MOST_CYCLES,
    check_arguments,
    instance_of,
    is_float_row,
    is_whole_number,
    refuse_wrong,
    whole_number,
)
from softdock.errors import BadInput, Problem
from softdock.loop import entry_points
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.contact.pairs import PAIR_FLOATS
from softdock.loop.contact.seat import CAPTURES
from softdock.loop.cycle import DEEPEST_START
from softdock.loop.record import CHANNEL_COUNT, RECORD, channels_of, rewinds
from softdock.loop.seam import COMMAND, REPORT
from softdock.loop.state import STATE, STATE_FLOATS, place
from softdock.loop.vector import (
    CAPTURE_AT,
    MAP,
    MEMORY_AT,
    METHODS_AT,
    PAIRS_MEM,
    PEAK_FORCE_MEM,
    PEAK_TORQUE_MEM,
    TIME,
    TIME_AT,
)
from softdock.methods.registry import METHODS
from softdock.results.arms import list_recorded_arms, refuse_arms_at_start
from softdock.results.run import name_status
from softdock.results.series import Series
from softdock.scenario.build import Scenario

# How much memory a run's record takes, and how much is free on this machine.

COPIES = 1.6  # of the record: itself, the reference's, and what metrics and page make of them


def get_free_memory_bytes() -> int | None:
    """Bytes that a process may take without swapping; None where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def compute_record_bytes(scenario: Scenario, cycles: int) -> int:
    """Memory that the record of a run takes."""
    channels = channels_of(method["name"] for method in scenario.tables["methods"])
    return 8 * (cycles + 1) * len(channels)


def check_memory(scenario: Scenario, cycles: int) -> None:
    """Refuse a run whose record would not fit into the memory that is free."""
    needed, free = compute_record_bytes(scenario, cycles), get_free_memory_bytes()
    if free is not None and COPIES * needed > free:
        duration = scenario.tables["time"]["duration_s"]
        allowed = (
            f"at most {free / COPIES / needed * duration:.3g}: {cycles} cycles take "
            f"{COPIES * needed / 1e9:.3g} GB to record and to judge, {free / 1e9:.3g} GB are free "
            "(softdock.Stepper runs without a record)"
        )
        raise BadInput(Problem("time.duration_s", duration, allowed))


LOGGED_CONTACTS = 256
SCENARIO = instance_of("a scenario: softdock.build or load_scenario makes one", Scenario)


def make_rows(rows: int, width: int) -> np.ndarray:
    """A record of so many rows, as far as there is memory."""
    try:
        return np.zeros((rows, width))
    except (MemoryError, ValueError):
        raise BadInput(Problem("rows", rows, "so many as memory holds")) from None


def refuse_rows(**rows: tuple[object, int]) -> None:
    """Arrays that compiled code cannot take: it looks at no size. Raises `BadInput`."""
    wrong = [
        Problem(name, getattr(array, "shape", array), f"a row of {size} floats")
        for name, (array, size) in rows.items()
        if not is_float_row(array, size)
    ]
    if wrong:
        raise BadInput(wrong)


def refuse_exchange(k: object, command: object, report: object) -> None:
    """What one cycle at the seam cannot take. Raises `BadInput`; called in every cycle."""
    if not (is_float_row(report, REPORT.size) and is_float_row(command, COMMAND.size)):
        refuse_rows(report=(report, REPORT.size), command=(command, COMMAND.size))
    if not is_whole_number(k, 0, MOST_CYCLES):
        refuse_wrong({"k": whole_number(0, MOST_CYCLES)}, {"k": k})


def count_cycles(scenario: Scenario) -> int:
    """Cycles in a whole run."""
    return math.ceil(
        scenario.vector[TIME_AT + TIME.at.duration] / scenario.vector[TIME_AT + TIME.at.cycle]
        - 1e-9
    )


def refuse_deep_start(depth: float, pair: int) -> None:
    """Bodies deep in contact at t = 0 would bring energy from nowhere."""
    if depth > DEEPEST_START:
        deep = f"a tip {1e3 * depth:.4g} mm deep in contact at t = 0"
        raise BadInput(
            Problem(
                f"contact.{pair}",
                deep,
                f"bodies apart at the start (at most {1e3 * DEEPEST_START:g} mm deep)",
            )
        )


def view_method_memory(scenario: Scenario, mem: np.ndarray, index: int) -> np.ndarray:
    """The slice of `mem` of a listed method, as a view."""
    methods, at = scenario.tables["methods"], METHODS_AT
    if not is_whole_number(index, 0, len(methods) - 1):
        raise BadInput(Problem("index", index, f"the place of one of {len(methods)} methods"))
    for method in methods[:index]:
        at += 1 + METHODS[method["name"]].group.size
    chosen, T = methods[index], scenario.vector[TIME_AT + TIME.at.cycle]
    first = int(scenario.vector[at])
    return mem[first : first + METHODS[chosen["name"]].memory(chosen, T)]


def call_compiled(entry_point: Any, *args: Any) -> Any:
    """Of a scenario without models in plain Python."""
    return entry_point(*args)


class Stepper:
    """The loop, stepped by hand. All state is in three flat arrays: `state` (laid out in
    loop/state.py), `mem` and `log`.

    `rows`: how many instants to record, t = 0 included; `series` has them. What runs beyond is not
    recorded; without rows nothing is, and reading `series` or `captured_at_s` is refused.
    """

    @check_arguments(scenario=SCENARIO, rows=whole_number(0, MOST_CYCLES))
    def __init__(self, scenario: Scenario, rows: int = 0):
        self.scenario = scenario
        self.vector = scenario.vector.copy()
        self.vector[CAPTURE_AT + CAPTURES.torque] = 1.0  # one run can afford to look
        self.state = np.zeros(STATE_FLOATS)
        self.mem = np.zeros(scenario.mem_floats)
        self.log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
        methods = [method["name"] for method in scenario.tables["methods"]]
        self.channels = channels_of(methods, list_recorded_arms(scenario))
        self.record = make_rows(rows, len(self.channels))
        self.cycles = 0
        # models in plain Python run uncompiled, on copies of their own
        self._call = call_compiled if scenario.own is None else scenario.own.start().call
        refuse_deep_start(
            *self._call(
                entry_points.begin,
                self.vector,
                scenario.markers.features,
                self.mem,
                self.state,
                self.record,
            )
        )
        if rows > 0 and rewinds(methods):  # `begin` knows no methods
            begun = self.record[0, RECORD.at.chaser : RECORD.at.command_chaser]
            self.record[0, CHANNEL_COUNT : CHANNEL_COUNT + len(begun)] = begun
        refuse_arms_at_start(scenario, self.mem)

    def step(self, cycles: int = 1) -> str:
        """Run some cycles; returns the status."""
        if not is_whole_number(cycles, 0, MOST_CYCLES):
            refuse_wrong({"cycles": whole_number(0, MOST_CYCLES)}, {"cycles": cycles})
        last = self.cycles + cycles
        self.cycles = self._call(
            entry_points.run_cycles,
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
        return name_status(self.state[STATE.at.status])

    @property
    def peak_force_real_N(self) -> float:
        """Largest true force of a contact pair so far."""
        (is_open,) = self.state[place("tracker.open")]
        (peak,) = self.state[place("tracker.peak_real_squared")]
        under_way = peak if is_open != 0.0 else 0.0
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
        self._refuse_without_rows("captured_at_s")
        motions = np.ascontiguousarray(
            self.record[: self.cycles + 1, RECORD.at.chaser : RECORD.at.command_chaser]
        )
        return float(
            entry_points.capture_time(
                self.vector, self.scenario.markers.features, self.mem, motions
            )
        )

    @property
    def latches(self) -> np.ndarray:
        """State of every latch between the mock-ups, a `latch_state` each, as a view."""
        count = int(self.vector[MEMORY_AT + MAP.latch_count])
        first = PAIRS_MEM + int(self.vector[MEMORY_AT + MAP.pair_count]) * PAIR_FLOATS
        return self.mem[first : first + count * LATCH_FLOATS].reshape(count, LATCH_FLOATS)

    @property
    def time_s(self) -> float:
        """The instant that the loop has reached."""
        return float(self.cycles * self.scenario.vector[TIME_AT + TIME.at.cycle])

    @property
    def series(self) -> Series:
        """What was recorded so far, by channel, as in a run."""
        self._refuse_without_rows("series")
        return Series(self.record[: self.cycles + 1], self.channels)

    def _refuse_without_rows(self, asked: str) -> None:
        if len(self.record) == 0:
            room = f"room for what is recorded, e.g. Stepper(scenario, rows={self.cycles + 1})"
            raise BadInput(Problem(f"rows, for {asked}", 0, room))

    def method_memory(self, index: int) -> np.ndarray:
        """The slice of `mem` of a listed method, as a view: reading tells its state, writing
        changes it (see the method's own file)."""
        return view_method_memory(self.scenario, self.mem, index)
