"""A rig's program as Python holds it: arrays from a scenario on a rig, and what they say in words.

The logic is core/rig/. The same object serves the compiled socket loop (`arrays` is the program of
`CompiledServer`), Python sockets and virtual time (it is called with every datagram).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softdock.core.recorder import layout as recorded
from softdock.core.recorder.ring import CONTENTS
from softdock.core.rig import layout, reasons
from softdock.core.rig import program as logic
from softdock.core.rig.arrays import Answer, Rows, Supervised
from softdock.core.seam import COMMAND, new_report
from softdock.core.spatial.motion import MOTION, POSE_FLOATS
from softdock.core.wire.telegram import LONGEST
from softdock.core.wire.wall_clock import STEPS
from softdock.drivers.compiled_loop import Beside
from softdock.drivers.event_text import sentence
from softdock.drivers.links import RobotLink, SensorLink
from softdock.drivers.rig_limits import limits_of, plan_of, robot_frame, sense_of
from softdock.drivers.rig_model import Rig
from softdock.drivers.rig_scenario import OnRig
from softdock.drivers.rig_schema import SensorEnd
from softdock.errors import BadInput, Problem
from softdock.runs.controller import Controller
from softdock.runs.stepper import cycle_count

NAMES, SENSOR = ("chaser", "target"), "sensor"
SAMPLE_STREAMS = {"chaser": "samples", "target": "samples_target"}  # where both have a sensor
AT, SEEN = layout.STAND.at, layout.SEEN.at


def check_possible(on: OnRig) -> None:
    """Refuse a rig that the program cannot run, in words."""
    rig, wrong = on.rig, []
    for which in NAMES:
        if which not in rig.moving and not on.scenario.tables[which].get("fixed", False):
            allowed = (
                f"true: {rig.file} has no robot that could move the {which}'s mock-up, so that "
                f"its satellite must stand; or [robots.{which}]"
            )
            wrong.append(Problem(f"{which}.fixed", False, allowed))
    if wrong:
        raise BadInput(wrong)


def samples_stream(rig: Rig, which: str) -> str:
    """The recorder's stream of a sensor: `samples`, and of the second one `samples_target`."""
    return SAMPLE_STREAMS[which] if len(rig.sensors) > 1 else "samples"


def sensor_link(end: SensorEnd) -> SensorLink:
    return SensorLink(end.counts_per_N, end.counts_per_Nm, end.sample_Hz)


def _answer(link: RobotLink, stop_input: str, stop_value: int) -> Answer:
    element, _, attribute = stop_input.partition(".")
    stop = link.rob.rows.get((element, attribute), 0) if stop_input else 0
    return Answer(
        literals=link.sen.literals,
        pieces=link.sen.pieces,
        values=link.values,
        correction=np.array(link.correction_rows, np.int64),
        measured=np.array(link.rob.frame("RIst"), np.int64),
        wanted=np.array(link.rob.frame("RSol"), np.int64),
        stop=np.array([stop, stop_value], np.int64),
    )


def rows_of(width: int, ring: Any = None) -> Rows:
    """A ring of the recorder, or one of a single row that nobody reads."""
    row = np.zeros(width)
    if ring is None:
        slots, count = np.zeros((1, CONTENTS + width), np.int64), np.zeros(1, np.int64)
        return Rows(slots, count, row, row.view(np.int64))
    return Rows(ring.slots, ring.count, row, row.view(np.int64))


class RigProgram:
    """Controller, supervisor and links of one run. `shift_m`: the chaser's distance in a dry run;
    `rings`: of a recorder (recorder/ring_file.py), by stream; `task`: of layout.TASKS; `ends`: the
    loop ends by itself; `robots`, `sensors`: links that are there already, by mock-up; `beside`: of
    the loop that it runs in.

    `links` and `records` are the two of everything that the compiled loop takes: what this rig has
    not is a link that hears nothing."""

    def __init__(
        self,
        on: OnRig,
        shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rings: Any = None,
        task: int = layout.DOCK,
        ends: bool = False,
        robots: Mapping[str, RobotLink] | None = None,
        sensors: Mapping[str, SensorLink] | None = None,
        beside: Beside | None = None,
    ) -> None:
        check_possible(on)
        self.on, rig, scenario = on, on.rig, on.scenario
        self.total = cycle_count(scenario)
        self.controller = Controller(scenario, self.total + 1)
        self.names = rig.moving
        made = {n: RobotLink(rig.ethernet[n], rig.clock.cycle_ms) for n in self.names}
        self.robots = {n: (robots or made)[n] for n in self.names}
        self.sensors = dict(sensors or {n: sensor_link(end) for n, end in rig.sensors.items()})
        command = self.controller.first_command()
        plan = plan_of(on, command, self.total, task, shift_m, ends)
        self.arrays = self._arrays(command, plan, rings, beside or Beside())
        self.arrays.stand[AT.wall_steps] = self.arrays.wall[STEPS]
        for which, end in rig.sensors.items():
            row = self.arrays.sensor_seen[NAMES.index(which)]
            row[layout.SENSOR_SEEN.slice_of("bias")] = (*end.bias_N, *end.bias_Nm)
        self._silent = (
            RobotLink(rig.ethernet[self.names[0]], rig.clock.cycle_ms),
            SensorLink(1.0, 1.0),
        )
        self._data, self._out = np.zeros(LONGEST, np.uint8), np.zeros(LONGEST, np.uint8)

    def _arrays(
        self, command: np.ndarray, plan: np.ndarray, rings: Any, beside: Beside
    ) -> Supervised:
        on, rig, controller = self.on, self.on.rig, self.controller
        number, ring = len(NAMES), rings.ring if rings is not None else lambda _: None
        some = self.names[0]  # in the place of a robot that is not there: never asked
        return Supervised(
            vector=controller.vector,
            markers=on.scenario.markers,
            mem=controller.mem,
            log=controller.log,
            kept=controller.kept,
            report=new_report(),
            command=command,
            record=controller.record,
            limits=limits_of(on),
            plan=plan,
            frames=np.array([robot_frame(on, n) for n in NAMES]),
            senses=np.array([sense_of(on, n, int(plan[layout.PLAN.at.task])) for n in NAMES]),
            stand=np.zeros(layout.STAND.size, np.int64),
            seen=np.zeros(layout.SEEN.size),
            robot_stand=np.zeros((number, layout.ROBOT_STAND.size), np.int64),
            robot_seen=np.zeros((number, layout.ROBOT_SEEN.size)),
            sensor_stand=np.zeros((number, layout.SENSOR_STAND.size), np.int64),
            sensor_seen=np.zeros((number, layout.SENSOR_SEEN.size)),
            sent_ns=np.zeros((number, layout.SENT_SLOTS), np.int64),
            sent=np.zeros((number, layout.SENT_SLOTS, POSE_FLOATS)),
            answers=tuple(
                _answer(self.robots[n], rig.robots[n].stop_input, rig.robots[n].stop_value)
                for n in (n if n in self.robots else some for n in NAMES)
            ),
            asked=np.zeros(1, np.int64),
            wall=beside.wall,
            senders=beside.senders,
            cycles=rows_of(recorded.CYCLE.size, ring("cycle")),
            packets=rows_of(recorded.PACKET.size, ring("packets")),
            samples=tuple(
                rows_of(
                    recorded.SAMPLE.size,
                    ring(samples_stream(rig, n)) if n in self.sensors else None,
                )
                for n in NAMES
            ),
            events=rows_of(recorded.EVENT.size, ring("events")),
        )

    def take_over(self, before: RigProgram) -> None:
        """Go on where another run has ended: the same telegrams, the same pose at RSI_ON, the same
        last replies."""
        self.robots, self.sensors = before.robots, before.sensors
        a, b = self.arrays, before.arrays
        self.arrays = a._replace(answers=b.answers)
        for mine, theirs in ((a.robot_stand, b.robot_stand), (a.robot_seen, b.robot_seen)):
            mine[:] = theirs
        a.sent_ns[:], a.sent[:] = b.sent_ns, b.sent
        a.robot_stand[:, layout.ROBOT_STAND.at.heard] = 0
        a.stand[AT.now_ns] = b.stand[AT.now_ns]
        for which, link in self.sensors.items():
            kept = a.sensor_stand[NAMES.index(which)]
            kept[layout.SENSOR_STAND.at.kept] = link.arrays.head[0]
        for name in ("largest_step", "largest_turn", "largest_error", "lost_share"):
            a.robot_seen[:, getattr(layout.ROBOT_SEEN.at, name)] = 0.0

    def without_rings(self) -> Supervised:
        """The same arrays, with rows that go nowhere."""
        return self.arrays._replace(
            cycles=rows_of(recorded.CYCLE.size),
            packets=rows_of(recorded.PACKET.size),
            samples=tuple(rows_of(recorded.SAMPLE.size) for _ in NAMES),
            events=rows_of(recorded.EVENT.size),
        )

    @property
    def links(self) -> tuple[Any, ...]:
        """Of both robots, as compiled code takes them."""
        return tuple(self.robots.get(n, self._silent[0]).arrays for n in NAMES)

    @property
    def records(self) -> tuple[Any, ...]:
        """Of both sensors."""
        return tuple(self.sensors.get(n, self._silent[1]).arrays for n in NAMES)

    def _sensor(self, who: str) -> SensorLink | None:
        """`sensor.target`, or `sensor` where there is one only."""
        _, _, body = who.partition(".")
        found = self.sensors.get(body) if body else next(iter(self.sensors.values()))
        return found if who.startswith(SENSOR) else None

    def __call__(self, now_ns: int, who: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        """A datagram from Python: what is answered."""
        if (sensor := self._sensor(who)) is not None:
            sensor.hear(data, now_ns)
            self.look(now_ns)
            return
        which, size = NAMES.index(who), len(data)
        if size > LONGEST:
            return
        self._data[:size] = np.frombuffer(data, np.uint8)
        length = logic.hear_and_answer(
            program=self.arrays,
            data=self._data,
            out=self._out,
            robots=self.links,
            sensors=self.records,
            which=which,
            size=size,
            arrival=now_ns,
        )
        self.look(now_ns)
        if length > 0:
            yield who, self._out[:length].tobytes()

    def look(self, now_ns: int) -> None:
        """A look at all links, also where nobody sends anything any more."""
        logic.look(self.arrays, self.links, self.records, now_ns)

    @property
    def state(self) -> str:
        return layout.STATES[int(self.arrays.stand[AT.state])]

    @property
    def reason(self) -> str:
        return reasons.REASONS[int(self.arrays.stand[AT.reason])].name

    @property
    def why(self) -> str:
        """The reason in a sentence; empty while there is none."""
        code = int(self.arrays.stand[AT.reason])
        seen = self.arrays.seen
        return sentence(code, seen[SEEN.value], seen[SEEN.limit], seen[SEEN.who]) if code else ""

    @property
    def is_over(self) -> bool:
        return self.state == "stopped"

    @property
    def is_fine(self) -> bool:
        return int(self.arrays.stand[AT.reason]) in reasons.FINE

    @property
    def mean_age_s(self) -> float | None:
        """Of the forces that acted while in contact."""
        number = int(self.arrays.stand[AT.samples])
        return float(self.arrays.seen[SEEN.age_sum]) / number if number else None

    @property
    def chaser_velocity(self) -> np.ndarray:
        """Of the chaser's newest set-point [m/s], orbit's axes."""
        found: np.ndarray = self.arrays.command[MOTION.slice_of("v", COMMAND.at.chaser)]
        return found

    def counts(self) -> dict[str, int]:
        """How often each check has failed."""
        at = AT.reasons
        return {
            one.name: int(self.arrays.stand[at + i])
            for i, one in enumerate(reasons.REASONS)
            if self.arrays.stand[at + i]
        }


def duration_s(program: RigProgram) -> float:
    """Longest time that a run takes, waits and ways included."""
    plan, at = program.arrays.plan, layout.PLAN.at
    way = 2.0 * max(math.dist(f[:3], (0.0, 0.0, 0.0)) for f in program.arrays.robot_seen) + 1.0
    ways = 2.0 * 2.0 * way / plan[at.transfer_speed]
    docking = program.total * plan[at.cycle] + plan[at.ramp] + plan[at.settle]
    return float(plan[at.patience] + docking + ways + 20.0)
