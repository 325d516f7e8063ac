"""A rig's program as Python holds it: arrays from a scenario on a rig, and what they say in words.

The logic is rig/supervisor/. The same object serves the compiled socket loop (`arrays` is the
program of `CompiledServer`), Python sockets and virtual time (it is called with every datagram).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import NS
from softdock.loop.seam import COMMAND, new_report
from softdock.loop.spatial.motion import MOTION, POSE_FLOATS
from softdock.recording import ring_layout as recorded
from softdock.recording.ring_layout import CONTENTS
from softdock.results.controller import Controller
from softdock.results.series import Series
from softdock.results.stepper import count_cycles
from softdock.rig.drivers.compiled_loop import LoopArrays
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.model import Rig
from softdock.rig.scenario import (
    OnRig,
    compute_first_command,
    make_frame,
    make_limits,
    make_plan,
    make_sense,
)
from softdock.rig.schema import SensorEnd
from softdock.rig.supervisor import layout, reasons
from softdock.rig.supervisor import program as logic
from softdock.rig.supervisor.arrays import Answer, Rows, Supervised
from softdock.rig.supervisor.reasons import describe_reason
from softdock.rig.wire import rdt
from softdock.rig.wire.clocks import STEPS
from softdock.rig.wire.telegram import LONGEST

NAMES, SENSOR = ("chaser", "target"), "sensor"
SAMPLE_STREAMS = {"chaser": "samples", "target": "samples_target"}  # where both have a sensor


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


def name_samples_stream(rig: Rig, which: str) -> str:
    """The recorder's stream of a sensor: `samples`, and of the second one `samples_target`."""
    return SAMPLE_STREAMS[which] if len(rig.sensors) > 1 else "samples"


def make_sensor_link(end: SensorEnd) -> SensorLink:
    return SensorLink(end.counts_per_N, end.counts_per_Nm, end.sample_Hz)


def _make_answer(link: RobotLink, stop_input: str, stop_value: int) -> Answer:
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


def make_rows(width: int, ring: Any = None) -> Rows:
    """A ring of the recorder, or one of a single row that nobody reads."""
    row = np.zeros(width)
    if ring is None:
        slots, count = np.zeros((1, CONTENTS + width), np.int64), np.zeros(1, np.int64)
        return Rows(slots, count, row, row.view(np.int64))
    return Rows(ring.slots, ring.count, row, row.view(np.int64))


class RigProgram:
    """Controller, supervisor and links of one run. `shift_m`: the chaser's distance in a dry run;
    `rings`: of a recorder (recording/ring_file.py), by stream; `task`: of layout.TASKS; `ends`: the
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
        beside: LoopArrays | None = None,
    ) -> None:
        check_possible(on)
        self.on, rig, scenario = on, on.rig, on.scenario
        self.total = count_cycles(scenario)
        self.controller = Controller(scenario, self.total + 1)
        self.names = rig.moving
        made = {n: RobotLink(rig.ethernet[n], rig.clock.cycle_ms) for n in self.names}
        self.robots = {n: (robots or made)[n] for n in self.names}
        self.sensors = dict(sensors or {n: make_sensor_link(end) for n, end in rig.sensors.items()})
        command = compute_first_command(scenario)
        plan = make_plan(on, command, self.total, task, shift_m, ends)
        self.arrays = self._arrays(command, plan, rings, beside or LoopArrays())
        self.arrays.counts[layout.COUNT.wall_steps] = self.arrays.wall[STEPS]
        for which, end in rig.sensors.items():
            row = self.arrays.sensor_values[NAMES.index(which)]
            row[layout.SENSOR_VALUE_CELLS.slice_of("bias")] = (*end.bias_N, *end.bias_Nm)
        self._silent = (
            RobotLink(rig.ethernet[self.names[0]], rig.clock.cycle_ms),
            SensorLink(1.0, 1.0),
        )
        self._data, self._out = np.zeros(LONGEST, np.uint8), np.zeros(LONGEST, np.uint8)

    def _arrays(
        self, command: np.ndarray, plan: np.ndarray, rings: Any, beside: LoopArrays
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
            limits=make_limits(on),
            plan=plan,
            frames=np.array([make_frame(on, n) for n in NAMES]),
            senses=np.array([make_sense(on, n, int(plan[layout.PLAN.task])) for n in NAMES]),
            counts=np.zeros(layout.COUNT_CELLS.size, np.int64),
            values=np.zeros(layout.VALUE_CELLS.size),
            robot_counts=np.zeros((number, layout.ROBOT_COUNT_CELLS.size), np.int64),
            robot_values=np.zeros((number, layout.ROBOT_VALUE_CELLS.size)),
            sensor_counts=np.zeros((number, layout.SENSOR_COUNT_CELLS.size), np.int64),
            sensor_values=np.zeros((number, layout.SENSOR_VALUE_CELLS.size)),
            reply_ns=np.zeros((number, layout.REPLY_SLOTS), np.int64),
            replies=np.zeros((number, layout.REPLY_SLOTS, POSE_FLOATS)),
            answers=tuple(
                _make_answer(self.robots[n], rig.robots[n].stop_input, rig.robots[n].stop_value)
                for n in (n if n in self.robots else some for n in NAMES)
            ),
            request=np.zeros(1, np.int64),
            wall=beside.wall,
            senders=beside.senders,
            cycles=make_rows(recorded.CYCLE.size, ring("cycle")),
            packets=make_rows(recorded.PACKET.size, ring("packets")),
            samples=tuple(
                make_rows(
                    recorded.SAMPLE.size,
                    ring(name_samples_stream(rig, n)) if n in self.sensors else None,
                )
                for n in NAMES
            ),
            events=make_rows(recorded.EVENT.size, ring("events")),
        )

    def take_over(self, before: RigProgram) -> None:
        """Go on where another run has ended: the same telegrams, the same pose at RSI_ON, the same
        last replies."""
        self.robots, self.sensors = before.robots, before.sensors
        a, b = self.arrays, before.arrays
        self.arrays = a._replace(answers=b.answers)
        for mine, theirs in ((a.robot_counts, b.robot_counts), (a.robot_values, b.robot_values)):
            mine[:] = theirs
        a.reply_ns[:], a.replies[:] = b.reply_ns, b.replies
        a.robot_counts[:, layout.ROBOT_COUNT.telegrams] = 0
        a.counts[layout.COUNT.now_ns] = b.counts[layout.COUNT.now_ns]
        for which, link in self.sensors.items():
            kept = a.sensor_counts[NAMES.index(which)]
            kept[layout.SENSOR_COUNT.recorded] = link.arrays.head[0]
        for name in ("largest_step", "largest_turn", "largest_error", "lost_share"):
            a.robot_values[:, getattr(layout.ROBOT_VALUE, name)] = 0.0

    def without_rings(self) -> Supervised:
        """The same arrays, with rows that go nowhere."""
        return self.arrays._replace(
            cycles=make_rows(recorded.CYCLE.size),
            packets=make_rows(recorded.PACKET.size),
            samples=tuple(make_rows(recorded.SAMPLE.size) for _ in NAMES),
            events=make_rows(recorded.EVENT.size),
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
            sensor.receive(data, now_ns)
            self.look(now_ns)
            return
        which, size = NAMES.index(who), len(data)
        if size > LONGEST:
            return
        self._data[:size] = np.frombuffer(data, np.uint8)
        length = logic.answer_datagram(
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
        logic.watch_links(self.arrays, self.links, self.records, now_ns)

    @property
    def state(self) -> str:
        return layout.STATES[int(self.arrays.counts[layout.COUNT.state])]

    @property
    def reason(self) -> str:
        return reasons.REASONS[int(self.arrays.counts[layout.COUNT.reason])].name

    @property
    def why(self) -> str:
        """The reason in a sentence; empty while there is none."""
        code = int(self.arrays.counts[layout.COUNT.reason])
        values, at = self.arrays.values, layout.VALUE
        return (
            describe_reason(
                code, values[at.reason_value], values[at.reason_limit], values[at.reason_who]
            )
            if code
            else ""
        )

    def point_out_docking(self) -> Iterator[tuple[str, bytes]]:
        """What emulated sensors are told, by mock-up, where a hand pushes: with which of their
        samples the docking begins; from the run-up on."""
        hands, counts = self.on.scenario.tables["hand"], self.arrays.counts
        emulated = self.on.rig.emulate is not None and not self.on.rig.in_python
        pushed = [n for n in self.sensors if emulated and len(hands[n]["rows"]) > 0]
        if not pushed or self.state not in ("run-up", "approach", "contact"):
            return
        begins = int(counts[layout.COUNT.first_ns])
        if self.state == "run-up":
            plan, at = self.arrays.plan, layout.PLAN
            cycles = int((plan[at.ramp] + plan[at.settle]) / plan[at.cycle] + 0.5)
            begins = int(counts[layout.COUNT.state_ns]) + round(cycles * plan[at.cycle] / NS)
        for name in pushed:
            yield name, SensorLink.request(rdt.DOCKING, self.sensors[name].number_at(begins))

    @property
    def is_over(self) -> bool:
        return self.state == "stopped"

    @property
    def is_fine(self) -> bool:
        return int(self.arrays.counts[layout.COUNT.reason]) in reasons.FINE

    @property
    def series(self) -> Series:
        """The docking as the controller recorded it; the channels of the truth are zero."""
        return Series(
            self.controller.record[: int(self.arrays.counts[layout.COUNT.cycles])],
            self.controller.channels,
        )

    @property
    def mean_age_s(self) -> float | None:
        """Of the forces that acted while in contact."""
        number = int(self.arrays.counts[layout.COUNT.samples])
        return float(self.arrays.values[layout.VALUE.age_sum]) / number if number else None

    @property
    def chaser_velocity(self) -> np.ndarray:
        """Of the chaser's newest set-point [m/s], orbit's axes."""
        found: np.ndarray = self.arrays.command[MOTION.slice_of("v", COMMAND.at.chaser)]
        return found

    def counts(self) -> dict[str, int]:
        """How often each check has failed."""
        at = layout.COUNT.reasons
        return {
            one.name: int(self.arrays.counts[at + i])
            for i, one in enumerate(reasons.REASONS)
            if self.arrays.counts[at + i]
        }


def compute_duration_s(program: RigProgram) -> float:
    """Longest time that a run takes, waits and ways included."""
    plan, at = program.arrays.plan, layout.PLAN
    way = 2.0 * max(math.dist(f[:3], (0.0, 0.0, 0.0)) for f in program.arrays.robot_values) + 1.0
    ways = 2.0 * 2.0 * way / plan[at.transfer_speed]
    docking = program.total * plan[at.cycle] + plan[at.ramp] + plan[at.settle]
    return float(plan[at.patience] + docking + ways + 20.0)
