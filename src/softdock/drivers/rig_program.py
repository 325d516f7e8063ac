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
from softdock.drivers.links import RobotLink, SensorLink
from softdock.drivers.rig_limits import limits_of, plan_of, robot_frame
from softdock.drivers.rig_scenario import OnRig
from softdock.errors import BadInput, Problem
from softdock.runs.controller import Controller
from softdock.runs.stepper import cycle_count

NAMES, SENSOR = ("chaser", "target"), "sensor"
AT, SEEN = layout.STAND.at, layout.SEEN.at


def check_possible(on: OnRig) -> None:
    """Refuse a rig that the program cannot run, in words."""
    rig, wrong = on.rig, []
    if rig.clock.master != "chaser" or "chaser" not in rig.moving:
        wrong.append(Problem("clock.master", rig.clock.master, "chaser, with a robot", rig.file))
    if len(rig.sensors) != 1:
        wrong.append(Problem("sensors", sorted(rig.sensors), "one force sensor", rig.file))
    if wrong:
        raise BadInput(wrong)


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
    loop ends by itself; `robots`, `sensor`: links that are there already."""

    def __init__(
        self,
        on: OnRig,
        shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rings: Any = None,
        task: int = layout.DOCK,
        ends: bool = False,
        robots: Mapping[str, RobotLink] | None = None,
        sensor: SensorLink | None = None,
    ) -> None:
        check_possible(on)
        self.on, rig, scenario = on, on.rig, on.scenario
        self.total = cycle_count(scenario)
        self.controller = Controller(scenario, self.total + 1)
        self.names = rig.moving
        made = {n: RobotLink(rig.ethernet[n], rig.clock.cycle_ms) for n in self.names}
        self.robots = [(robots or made)[n] for n in self.names]
        (self.sensor_on,) = rig.sensors
        end = rig.sensors[self.sensor_on]
        self.sensor = sensor or SensorLink(end.counts_per_N, end.counts_per_Nm, end.sample_Hz)
        command = self.controller.first_command()
        plan = plan_of(on, command, self.total, task, shift_m, ends)
        self.arrays = self._arrays(command, plan, rings)
        self.arrays.seen[layout.SEEN.slice_of("bias")] = (*end.bias_N, *end.bias_Nm)
        self._data, self._out = np.zeros(LONGEST, np.uint8), np.zeros(LONGEST, np.uint8)

    def _arrays(self, command: np.ndarray, plan: np.ndarray, rings: Any) -> Supervised:
        on, rig, controller = self.on, self.on.rig, self.controller
        number, ring = len(self.names), rings.ring if rings is not None else lambda _: None
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
            frames=np.array([robot_frame(on, n) for n in self.names]),
            stand=np.zeros(layout.STAND.size, np.int64),
            seen=np.zeros(layout.SEEN.size),
            robot_stand=np.zeros((number, layout.ROBOT_STAND.size), np.int64),
            robot_seen=np.zeros((number, layout.ROBOT_SEEN.size)),
            sent_ns=np.zeros((number, layout.SENT_SLOTS), np.int64),
            sent=np.zeros((number, layout.SENT_SLOTS, POSE_FLOATS)),
            answers=tuple(
                _answer(link, rig.robots[n].stop_input, rig.robots[n].stop_value)
                for n, link in zip(self.names, self.robots)
            ),
            asked=np.zeros(1, np.int64),
            cycles=rows_of(recorded.CYCLE.size, ring("cycle")),
            packets=rows_of(recorded.PACKET.size, ring("packets")),
            samples=rows_of(recorded.SAMPLE.size, ring("samples")),
            events=rows_of(recorded.EVENT.size, ring("events")),
        )

    def take_over(self, before: RigProgram) -> None:
        """Go on where another run has ended: the same telegrams, the same pose at RSI_ON, the same
        last replies."""
        self.robots, self.sensor = before.robots, before.sensor
        a, b = self.arrays, before.arrays
        self.arrays = a._replace(answers=b.answers)
        for mine, theirs in ((a.robot_stand, b.robot_stand), (a.robot_seen, b.robot_seen)):
            mine[:] = theirs
        a.sent_ns[:], a.sent[:] = b.sent_ns, b.sent
        a.robot_stand[:, layout.ROBOT_STAND.at.heard] = 0
        a.stand[AT.now_ns], a.stand[AT.samples_kept] = (
            b.stand[AT.now_ns],
            self.sensor.arrays.head[0],
        )
        for name in ("largest_step", "largest_turn", "largest_error", "lost_share"):
            a.robot_seen[:, getattr(layout.ROBOT_SEEN.at, name)] = 0.0

    def without_rings(self) -> Supervised:
        """The same arrays, with rows that go nowhere."""
        return self.arrays._replace(
            cycles=rows_of(recorded.CYCLE.size),
            packets=rows_of(recorded.PACKET.size),
            samples=rows_of(recorded.SAMPLE.size),
            events=rows_of(recorded.EVENT.size),
        )

    @property
    def links(self) -> tuple[Any, ...]:
        return tuple(link.arrays for link in self.robots)

    def __call__(self, now_ns: int, who: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        """A datagram from Python: what is answered."""
        if who == SENSOR:
            self.sensor.hear(data, now_ns)
            return
        which, size = self.names.index(who), len(data)
        if size > LONGEST:
            return
        self._data[:size] = np.frombuffer(data, np.uint8)
        length = logic.hear_and_answer(
            self.arrays,
            self._data,
            self._out,
            self.links,
            self.sensor.arrays,
            which,
            size,
            now_ns,
        )
        logic.look(self.arrays, self.links, self.sensor.arrays, now_ns)
        if length > 0:
            yield who, self._out[:length].tobytes()

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
        return reasons.sentence(code, seen[SEEN.value], seen[SEEN.limit]) if code else ""

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
