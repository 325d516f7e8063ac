"""Emulated robots and sensors as processes of their own, on loopback; a controller cannot tell the
difference.

Each robot is a process with its own clock that sends telegrams to the address of its Ethernet
file; the sensor is a process with RDT and its web page, and sees the robots' motion through shared
memory, at each sample's own instant. All clocks are the machine's monotonic one, with the stated
drift; the loops are compiled. Processes end when told, or when the parent is gone.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import socket
import time
from collections.abc import Callable, Sequence
from multiprocessing import shared_memory
from typing import Any

from softdock.errors import BadInput, Problem, SoftdockError
from softdock.loop.instants import MS, SECOND
from softdock.rig.drivers.compiled_loop import ask_priority, encode_peer, make_sockets, make_wire
from softdock.rig.drivers.emulated_robot import (
    ROBOTS,
    EmulatedRobot,
    count_shared_bytes,
    map_shared_arrays,
)
from softdock.rig.drivers.emulated_sensor import (
    EmulatedSensor,
    SensorPage,
    SensorSettings,
    name_sensors,
)
from softdock.rig.drivers.emulation import Emulation, Faults, make_queue
from softdock.rig.drivers.rsi_config import make_rob_telegram
from softdock.rig.drivers.sockets import LOOPBACK, Port
from softdock.rig.wire import serve as loop
from softdock.rig.wire.emulated_robot import (
    LATE,
    LATE_IN_A_ROW,
    ROB_IPOC,
    RUNNING,
    STATE,
    STATES,
    TICK,
    TICK_NS,
)

# An emulated controller whose operator starts the program again and again, for `rig emulate`.

AGAIN_NS = 1 * SECOND  # from the end of RSI to its next begin
STILL = (0.0, 0.0, 0.0)


class RestartingOperator:
    """A controller whose operator starts the program again: before anybody has answered no reply is
    late, and RSI that has ended begins again after a second, where the mock-up stands."""

    def __init__(self, robot: EmulatedRobot) -> None:
        self.robot, self.answered, self.ended_ns, self._seen = robot, False, 0, (0, 0)

    def look(self) -> None:
        whole, now = self.robot.arrays.whole, time.monotonic_ns()
        if whole[STATE] == RUNNING:
            ticks, late = int(whole[TICK]), int(whole[LATE])
            begun = ticks - self._seen[0] > late - self._seen[1] + 1  # one may be under way
            self.answered = self.answered or begun
            if not self.answered:
                whole[LATE] = whole[LATE_IN_A_ROW] = 0
            self._seen, self.ended_ns = (ticks, int(whole[LATE])), 0
        elif self.ended_ns == 0:
            self.ended_ns = now
        elif now - self.ended_ns > AGAIN_NS:
            stands = self.robot.motion_at(int(whole[TICK_NS]))
            still = stands._replace(v=STILL, w=STILL)
            self.robot.start(now + 10 * MS, still, int(whole[ROB_IPOC]) + AGAIN_NS // MS)
            self.answered, self.ended_ns, self._seen = False, 0, (0, 0)


SLICE_NS = 50_000_000  # ns of the compiled loop at a time, so that the end is seen
START_S, END_S, LEAVE_S = 120.0, 30.0, 10.0  # on a busy machine: to come up, to report, to go


class _Watch:
    """Whether to go on: not told to end, and the parent still there."""

    def __init__(self, end: Any) -> None:
        self._end, self._parent = end, os.getppid()

    def __bool__(self) -> bool:
        return not self._end.is_set() and os.getppid() == self._parent


def _wait_for_go(begin: Any, watch: _Watch) -> int:
    """The instant that everybody counts from; doors are compiled by then."""
    while begin.value == 0 and watch:
        time.sleep(0.002)
    return int(begin.value)


def _ask_priority(e: Emulation) -> None:
    """As quick as the machine grants; without, an emulated clock wakes up late on a busy one."""
    if e.priority > 0:
        ask_priority(e.priority)


class _Line:
    """The socket of one process as the compiled loop has it, and the faults on its way."""

    def __init__(self, port: Port, faults: Faults, origin_ns: int) -> None:
        self.wire, self.sockets = make_wire(), make_sockets([port], 0)
        self.queue = make_queue(faults, origin_ns)
        assert port.peer is not None  # make_sockets refuses a socket that hears anyone
        self.wire.reply[0] = socket.AF_INET | encode_peer(port.peer) << 16

    def arrays(self) -> tuple[Any, ...]:
        return self.queue, self.wire, self.sockets


def _serve_robot(robot: EmulatedRobot, which: int, line: _Line, until_ns: int) -> None:
    loop.serve_robot(robot.features, robot.arrays, which, *line.arrays(), until_ns)


def _serve_sensor(sensor: EmulatedSensor, line: _Line, until_ns: int) -> None:
    robots = (sensor.chaser.arrays, sensor.target.arrays)
    link = 2 * (len(ROBOTS) + ROBOTS.index(sensor.settings.on))
    loop.serve_sensor(sensor.features, sensor.arrays, *robots, link, *line.arrays(), until_ns)


def _run_and_report(work: Callable[..., None], who: str, *arguments: Any) -> None:
    """A process that cannot do its work says why to the one that started it."""
    try:
        work(*arguments)
    except (BadInput, OSError) as error:
        arguments[-1].put((who, {"failed": str(error)}))


def _run_robot(which: int, e: Emulation, memory: str, begin: Any, end: Any, report: Any) -> None:
    block, watch = shared_memory.SharedMemory(memory), _Watch(end)
    settings = e.robots[which]
    port = Port(e.host, 0, (settings.ethernet.address, settings.ethernet.port))
    try:
        robot = EmulatedRobot(settings, e.plant, e.faults.window_rows(), block.buf)
        robot.start(0, e.motions[which])
        _serve_robot(robot, which, _Line(port, e.faults, 0), 0)  # loaded before RSI_ON
        report.put((settings.which, {"port": port.address[1]}))
        origin = _wait_for_go(begin, watch)
        _ask_priority(e)
        robot.arrays.windows[:] = e.faults.window_rows(origin)
        robot.start(origin + round(e.phases_ms[which] * MS), e.motions[which])
        port.drain()
        line, patience = _Line(port, e.faults, origin), RestartingOperator(robot)
        while watch:
            _serve_robot(robot, which, line, time.monotonic_ns() + SLICE_NS)
            if e.patient:
                patience.look()
        report.put((settings.which, {"state": robot.state, **robot.counts()}))
        del robot, patience
    finally:
        port.close()
        with contextlib.suppress(BufferError):
            block.close()


def _run_sensor(
    which: int, e: Emulation, memories: Sequence[str], begin: Any, end: Any, report: Any
) -> None:
    blocks, watch = [shared_memory.SharedMemory(name) for name in memories], _Watch(end)
    own, name = e.sensors[which], name_sensors(e.sensors)[which]
    port = Port(own.address, own.port, (e.robots[0].ethernet.address, 0))
    try:
        chaser, target = (
            EmulatedRobot(settings, e.plant, None, block.buf, attach=True)
            for settings, block in zip(e.robots, blocks)
        )
        sensor = EmulatedSensor(own, e.plant, chaser, target, e.faults.window_rows())
        settings = sensor.arrays.settings
        sensor.start(0)
        _serve_sensor(sensor, _Line(port, e.faults, 0), 0)

        def change(changed: SensorSettings) -> None:
            settings[:] = changed.numbers()

        with SensorPage(own, own.address, own.http_port, change) as page:
            report.put((name, {"port": port.address[1], "http_port": page.port}))
            origin = _wait_for_go(begin, watch)
            _ask_priority(e)
            sensor.arrays.windows[:] = e.faults.window_rows(origin)
            sensor.start(origin)
            line = _Line(port, e.faults, origin)
            while watch:
                _serve_sensor(sensor, line, time.monotonic_ns() + SLICE_NS)
        report.put((name, {"streaming": sensor.streaming}))
        del chaser, target, sensor
    finally:
        port.close()
        for block in blocks:
            with contextlib.suppress(BufferError):
                block.close()


def warm_up(e: Emulation) -> None:
    """Compile every door of the emulators once, here, so that the processes only load them."""
    windows = e.faults.window_rows()
    robots = [EmulatedRobot(r, e.plant, windows) for r in e.robots]
    sensor = EmulatedSensor(e.sensors[0], e.plant, robots[0], robots[1], windows)
    port = Port(LOOPBACK, 0, (LOOPBACK, 9))
    line = _Line(port, e.faults, 0)
    for which, (robot, motion) in enumerate(zip(robots, e.motions)):
        robot.start(0, motion)
        _serve_robot(robot, which, line, 0)
    sensor.start(0)
    _serve_sensor(sensor, line, 0)
    port.close()


class Emulators:
    """The processes. `with Emulators(emulation) as running:` starts and ends them.

    Inside, sockets are bound and doors compiled; `go` switches RSI on.
    """

    def __init__(self, emulation: Emulation) -> None:
        ports = [r.ethernet.port for r in emulation.robots if r.which in emulation.moving]
        if len(set(ports)) < len(ports):
            allowed = "one port a robot: two on one port cannot be distinguished"
            raise BadInput(Problem("PORT", ports[0], allowed))
        self.emulation = emulation
        self.ports: dict[str, dict[str, Any]] = {}
        self.results: dict[str, dict[str, Any]] = {}
        context = multiprocessing.get_context("spawn")
        self._end, self._report = context.Event(), context.Queue()
        self._begin = context.Value("q", 0)
        vector = emulation.plant.vector
        self._memories = [
            shared_memory.SharedMemory(create=True, size=count_shared_bytes(r, vector))
            for r in emulation.robots
        ]
        names = [m.name for m in self._memories]
        e, rest = emulation, (self._begin, self._end, self._report)
        self._processes = [
            context.Process(
                target=_run_and_report, args=(_run_robot, who, i, e, names[i], *rest), daemon=True
            )
            for i, who in enumerate(ROBOTS)
            if who in e.moving
        ]
        for i, who in enumerate(name_sensors(e.sensors)):
            arguments = (_run_sensor, who, i, e, names, *rest)
            self._processes.append(
                context.Process(target=_run_and_report, args=arguments, daemon=True)
            )

    def _stand(self) -> None:
        """Mock-ups without a robot stand in the room, where the sensors see them."""
        e = self.emulation
        for settings, motion, memory in zip(e.robots, e.motions, self._memories):
            if settings.which in e.absent:
                EmulatedRobot(settings, e.plant, None, memory.buf).start(0, motion)

    def _collect(self, into: dict[str, dict[str, Any]], seconds: float) -> None:
        end = time.monotonic() + seconds
        while len(into) < len(self._processes):
            left = end - time.monotonic()
            dead = [p for p in self._processes if p.exitcode not in (None, 0)]
            over = all(p.exitcode is not None for p in self._processes)
            heard = len(into)
            with contextlib.suppress(Exception):
                who, what = self._report.get(timeout=max(0.0, min(left, 0.2)))
                into[who] = what
            for who, what in into.items():
                if "failed" in what:
                    raise BadInput(Problem(f"emulated {who}", None, what["failed"]))
            if left <= 0.0 or dead or (over and len(into) == heard):  # who is over says no more
                answer = ", ".join(sorted(into)) or "none"
                raise SoftdockError(f"emulators that answered within {seconds:g} s: {answer}")

    def __enter__(self) -> Emulators:
        warm_up(self.emulation)
        self._stand()
        for process in self._processes:
            process.start()
        try:
            self._collect(self.ports, START_S)
        except SoftdockError:
            self.__exit__()
            raise
        return self

    def go(self, lead_s: float = 0.1) -> int:
        """RSI_ON and the sensor's first sample, after `lead_s`: the instant [monotonic ns]."""
        self._begin.value = time.monotonic_ns() + round(lead_s * SECOND)
        return int(self._begin.value)

    def show(self, which: int, value: float, element: str, attribute: str = "") -> None:
        """Set a value that a robot sends on, such as its operator's stop: DiL."""
        settings, vector = self.emulation.robots[which], self.emulation.plant.vector
        row = make_rob_telegram(settings.ethernet).rows[element, attribute]
        map_shared_arrays(settings, vector, self._memories[which].buf)["told"][row] = value

    def seen(self, which: int) -> dict[str, Any]:
        """What the screen of a robot's controller shows now."""
        settings, vector = self.emulation.robots[which], self.emulation.plant.vector
        whole = map_shared_arrays(settings, vector, self._memories[which].buf)["whole"]
        return {
            "state": STATES[int(whole[STATE])],
            "ticks": int(whole[TICK]) + 1,
            "late": int(whole[LATE]),
        }

    def __exit__(self, *_: object) -> None:
        self._end.set()
        with contextlib.suppress(SoftdockError):
            self._collect(self.results, END_S)
        for process in self._processes:
            process.join(LEAVE_S)
            if process.is_alive():
                process.kill()
                process.join()
        for memory in self._memories:
            memory.close()
            with contextlib.suppress(FileNotFoundError):
                memory.unlink()
