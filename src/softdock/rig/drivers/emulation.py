"""What is emulated: settings of robots and sensors, faults between them, and their run in virtual
time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.loop.instants import MS, SECOND, US
from softdock.loop.spatial.motion import Motion
from softdock.rig.drivers.emulated_robot import ROBOTS, EmulatedRobot, RobotSettings
from softdock.rig.drivers.emulated_sensor import EmulatedSensor, SensorSettings
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.wire import faults as wire
from softdock.rig.wire import virtual_queue as logic
from softdock.rig.wire.emulated_sensor import SAMPLE_AT_NS
from softdock.rig.wire.program import DatagramBuffers
from softdock.rig.wire.telegram import LONGEST

# Faults to be applied between peers: rates, and windows in time; all from one seed.
#
# `Faults` is what a person states; `rates` and `windows` are what compiled code reads
# (rig/wire/faults.py). As text: `loss=0.01,stall=20ms@3s,drift=50ppm@1s`.

FOR_EVER = 1 << 62  # ns
RATES = ("loss", "duplicates", "reordering", "malformed")
_WINDOW = re.compile(r"(?P<value>[-+0-9.]+)(?P<unit>ms|s|ppm)?@(?P<at>[0-9.]+)s\Z")


@dataclass(frozen=True)
class Window:
    """Something that is wrong for a while."""

    kind: str  # of core.wire.faults.WINDOWS
    begin_s: float
    end_s: float = float("inf")
    who: int = wire.EVERYONE  # a link for a stall, else a peer
    value: float = 0.0  # ppm, of a drift

    def row(self) -> list[int]:
        end = FOR_EVER if self.end_s == float("inf") else round(self.end_s * SECOND)
        kind = wire.WINDOWS.index(self.kind)
        return [kind, self.who, round(self.begin_s * SECOND), end, round(self.value)]


@dataclass(frozen=True)
class Faults:
    """What goes wrong on every link, and when else."""

    seed: int = 0
    loss: float = 0.0  # shares of all datagrams
    duplicates: float = 0.0
    reordering: float = 0.0
    malformed: float = 0.0
    reorder_ms: float = 6.0  # how long a datagram is held back
    latency_us: float = 0.0
    jitter_us: float = 0.0  # uniform, on top
    windows: tuple[Window, ...] = ()

    def __post_init__(self) -> None:
        wrong = [
            Problem(name, value, "0 to 1")
            for name in RATES
            if not 0.0 <= (value := getattr(self, name)) <= 1.0
        ]
        for name in ("reorder_ms", "latency_us", "jitter_us"):
            if not 0.0 <= getattr(self, name) <= 1e9:
                wrong.append(Problem(name, getattr(self, name), "0 to 1e9"))
        for w in self.windows:
            if w.kind not in wire.WINDOWS:
                allowed, hint = ", ".join(wire.WINDOWS), closest(w.kind, wire.WINDOWS)
                wrong.append(Problem("windows", w.kind, allowed, "", suggestion=hint))
            if not 0.0 <= w.begin_s < w.end_s:
                wrong.append(Problem(w.kind, (w.begin_s, w.end_s), "a begin before its end"))
        if wrong:
            raise BadInput(wrong)

    def rates(self) -> np.ndarray:
        """One link's rates, float64."""
        made = np.zeros(wire.RATE_COLUMNS)
        made[wire.LOSS], made[wire.DUPLICATE] = self.loss, self.duplicates
        made[wire.REORDER], made[wire.MALFORMED] = self.reordering, self.malformed
        made[wire.REORDER_NS] = self.reorder_ms * MS
        made[wire.LATENCY_NS], made[wire.JITTER_NS] = self.latency_us * US, self.jitter_us * US
        return made

    def window_rows(self, origin_ns: int = 0) -> np.ndarray:
        """All windows, int64; times count from `origin_ns`."""
        rows = np.array([w.row() for w in self.windows], dtype=np.int64)
        rows = rows.reshape(-1, wire.WINDOW_COLUMNS)
        rows[:, wire.BEGIN_NS] += origin_ns
        rows[rows[:, wire.END_NS] < FOR_EVER, wire.END_NS] += origin_ns
        return rows


def _parse_window(kind: str, text: str) -> Window:
    found = _WINDOW.match(text)
    allowed = (
        "a duration at a time (stall=20ms@3s), or for a drift ppm from a time (drift=50ppm@1s)"
    )
    if found is None or (found["unit"] == "ppm") != (kind == "drift"):
        raise BadInput(Problem(kind, text, allowed))
    value, begin = float(found["value"]), float(found["at"])
    if kind == "drift":
        return Window(kind, begin, value=value)
    return Window(kind, begin, begin + value * (1e-3 if found["unit"] == "ms" else 1.0))


def parse_faults(text: str, seed: int = 0) -> Faults:
    """Faults from one line of text; see the top of this file."""
    found: Faults = Faults(seed=seed)
    known = (*RATES, "latency_us", "jitter_us", "reorder_ms")
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, _, value = part.partition("=")
        if key in wire.WINDOWS:
            found = replace(found, windows=(*found.windows, _parse_window(key, value)))
        elif key in known:
            try:
                number = float(value)
            except ValueError:
                raise BadInput(Problem(key, value, "a number")) from None
            changes: dict[str, Any] = {key: number}
            found = replace(found, **changes)
        else:
            names = (*known, *wire.WINDOWS)
            raise BadInput(
                Problem("faults", key, ", ".join(names), "", suggestion=closest(key, names))
            )
    return found


NO_FAULTS = Faults()


@dataclass(frozen=True)
class Plant:
    """What the emulators take of a scenario; small enough to hand to a process."""

    vector: np.ndarray
    markers: Any  # without methods: they are the controller's, and a process knows no user's file
    mem_floats: int


@dataclass(frozen=True)
class Emulation:
    """Everything that is emulated."""

    plant: Plant
    robots: tuple[RobotSettings, RobotSettings]  # chaser's, target's
    motions: tuple[Motion, Motion]  # where the mock-ups stand, and whether they move
    sensors: tuple[SensorSettings, ...]  # one or two
    absent: tuple[str, ...] = ()  # robots that there are not: their mock-ups stand in the room
    faults: Faults = NO_FAULTS
    phases_ms: tuple[float, float] = (0.0, 1.7)  # of the robots' first ticks
    host: str = LOOPBACK  # of the robots' own sockets
    priority: int = 0  # SCHED_FIFO of each process, where it is granted
    patient: bool = False  # waits for a controller, and begins RSI anew after it has ended

    @property
    def moving(self) -> tuple[str, ...]:
        return tuple(name for name in ROBOTS if name not in self.absent)


# A run in virtual time by one compiled call: for many runs, with a compiled program.
#
# The same events as tests/virtual_time.py, whose controller is any Python callable; here the
# controller is a program (rig/wire/program.py).

MOST_IN_FLIGHT = 512


def make_queue(faults: Faults, origin_ns: int) -> logic.Queue:
    """An empty table of datagrams in flight; windows of faults count from `origin_ns`."""
    return logic.Queue(
        flights=np.zeros((MOST_IN_FLIGHT, logic.FLIGHT_COLUMNS), np.int64),
        bytes=np.zeros((MOST_IN_FLIGHT, LONGEST), np.uint8),
        counts=np.zeros(logic.QUEUE_COUNTS, np.int64),
        rates=faults.rates(),
        windows=faults.window_rows(origin_ns),
        seed=np.array([faults.seed], np.int64),
    )


def pair_sensors(sensors: Sequence[EmulatedSensor]) -> tuple[Any, Any]:
    """The chaser's and the target's; in the place of one that is not there, one that never
    samples."""
    made: list[Any] = []
    for body in ROBOTS:
        found = [s for s in sensors if s.settings.on == body]
        if found:
            made.append(found[0].arrays)
            continue
        whole = sensors[0].arrays.whole.copy()
        whole[SAMPLE_AT_NS] = logic.NEVER
        made.append(sensors[0].arrays._replace(whole=whole))
    return made[0], made[1]


class VirtualRun:
    """Two emulated robots, one or two sensors, and a program between them. `links`, `records`: the
    arrays of both robots' and both sensors' links, in the order chaser, target."""

    def __init__(
        self,
        robots: tuple[EmulatedRobot, EmulatedRobot],
        sensors: Sequence[EmulatedSensor],
        links: tuple[Any, ...],
        records: tuple[Any, ...],
        program: Any,
        faults: Faults | None = None,
    ) -> None:
        faults = faults or Faults()
        ticks, samples = [r.next_ns for r in robots], [s.next_ns for s in sensors]
        origin = min(*ticks, *samples)
        self.features, self.program = sensors[0].features, program
        self._peers = tuple(r.arrays for r in robots)
        self._links, self._records = links, records
        self._sensors = pair_sensors(sensors)
        self._desk = DatagramBuffers(np.zeros(LONGEST, np.uint8), np.zeros(LONGEST, np.uint8))
        self.queue = make_queue(faults, origin)

    def run(self, until_ns: int) -> int:
        """Everything that happens before an instant: how many events it was."""
        return int(
            logic.run_queue(
                features=self.features,
                queue=self.queue,
                program=self.program,
                desk=self._desk,
                peers=self._peers,
                sensors=self._sensors,
                links=self._links,
                record_links=self._records,
                until_ns=until_ns,
            )
        )

    def counts(self) -> dict[str, int]:
        c = self.queue.counts
        return {
            "sent": int(c[logic.SENT_ALL]),
            "lost": int(c[logic.LOST_ALL]),
            "delivered": int(c[logic.DELIVERED]),
            "overflown": int(c[logic.OVERFLOWN]),
        }
