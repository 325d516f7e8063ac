"""Robots and sensor as processes of their own, on loopback: what a controller cannot tell apart.

Each robot is a process with its own clock that sends telegrams to the address of its Ethernet
file; the sensor is a process with RDT and its web page, and sees the robots' motion through shared
memory, at each sample's own instant. All clocks are the machine's monotonic one, with the stated
drift. Processes end when told, or when the parent is gone.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import shared_memory
from typing import Any

import numpy as np

from softdock.drivers.emulated_page import SensorPage
from softdock.drivers.emulated_robot import ROBOTS, EmulatedRobot, RobotSettings, shared_bytes
from softdock.drivers.emulated_sensor import EmulatedSensor, SensorSettings
from softdock.drivers.faults import Faults
from softdock.drivers.line import Line
from softdock.drivers.sockets import LOOPBACK, Port, wait
from softdock.errors import BadInput, Problem
from softdock.spatial.motion import Motion

MS, SECOND = 1_000_000, 1_000_000_000  # ns
LONGEST_SLEEP_S = 0.02  # so that the end is seen
NO_FAULTS = Faults()
BURST = 64  # records sent before requests are looked at again


@dataclass(frozen=True)
class Plant:
    """What the emulators take of a scenario; small enough to hand to a process."""

    vector: np.ndarray
    markers: Any
    mem_floats: int


@dataclass(frozen=True)
class Emulation:
    """Everything that is emulated."""

    plant: Plant
    robots: tuple[RobotSettings, RobotSettings]  # chaser's, target's
    motions: tuple[Motion, Motion]  # where the mock-ups stand, and whether they move
    sensor: SensorSettings
    faults: Faults = NO_FAULTS
    phases_ms: tuple[float, float] = (0.0, 1.7)  # of the robots' first ticks
    host: str = LOOPBACK  # of the sensor, and of the robots' own sockets
    rdt_port: int = 0  # 0: any
    http_port: int = 0


class _Watch:
    """Whether to go on: not told to end, and the parent still there."""

    def __init__(self, end: Any) -> None:
        self._end, self._parent = end, os.getppid()

    def __bool__(self) -> bool:
        return not self._end.is_set() and os.getppid() == self._parent


def _sleep_until(port: Port, instants: Sequence[int | None]) -> None:
    """Until something is due or arrives."""
    first = min((i for i in instants if i is not None), default=None)
    left = LONGEST_SLEEP_S if first is None else (first - time.monotonic_ns()) / SECOND
    wait([port], min(left, LONGEST_SLEEP_S))


def _wait_for_go(begin: Any, watch: _Watch) -> int:
    """The instant that everybody counts from; doors are compiled by then."""
    while begin.value == 0 and watch:
        time.sleep(0.002)
    return int(begin.value)


def _robot_loop(
    robot: EmulatedRobot, port: Port, peer: tuple[str, int], lines: Sequence[Line], watch: _Watch
) -> None:
    out, back = lines
    while watch:
        for datagram in port.drain():
            back.put(datagram.data, datagram.arrival_ns)
        now = time.monotonic_ns()
        for data in back.due(min(now, robot.next_ns)):  # what is later than the tick is late
            robot.hear(data)
        if robot.next_ns <= now:
            for data in robot.act():
                out.put(data, now)
        for data in out.due(now):
            port.send(data, peer)
        _sleep_until(port, (robot.next_ns, out.next_ns, back.next_ns))


def _run_robot(which: int, e: Emulation, memory: str, begin: Any, end: Any, report: Any) -> None:
    block, watch = shared_memory.SharedMemory(memory), _Watch(end)
    settings = e.robots[which]
    peer = (settings.ethernet.address, settings.ethernet.port)
    port = Port(e.host, 0, peer)
    try:
        robot = EmulatedRobot(settings, e.plant, e.faults.window_rows(), block.buf)
        robot.start(0, e.motions[which])
        Line(e.faults, 0, 0).put(robot.act()[0], 0)  # everything is compiled before RSI_ON
        robot.hear(b"")
        report.put((settings.which, {"port": port.address[1]}))
        origin = _wait_for_go(begin, watch)
        robot.arrays.windows[:] = e.faults.window_rows(origin)
        robot.start(origin + round(e.phases_ms[which] * MS), e.motions[which])
        port.drain()
        lines = [Line(e.faults, 2 * which + i, origin) for i in range(2)]
        _robot_loop(robot, port, peer, lines, watch)
        report.put((settings.which, {"state": robot.state, **robot.counts()}))
        del robot
    finally:
        port.close()
        with contextlib.suppress(BufferError):
            block.close()


def _sensor_loop(sensor: EmulatedSensor, port: Port, lines: Sequence[Line], watch: _Watch) -> None:
    out, back = lines
    client = None
    while watch:
        for datagram in port.drain():
            client = datagram.source
            back.put(datagram.data, datagram.arrival_ns)
        now = time.monotonic_ns()
        for data in back.due(now):
            sensor.hear(data)
        for _ in range(BURST):
            if sensor.next_ns > now:
                break
            for data in sensor.act():
                out.put(data, now)
        if client is not None:
            for data in out.due(now):
                port.send(data, client)
        _sleep_until(port, (sensor.next_ns, out.next_ns, back.next_ns))


def _run_sensor(e: Emulation, memories: Sequence[str], begin: Any, end: Any, report: Any) -> None:
    blocks, watch = [shared_memory.SharedMemory(name) for name in memories], _Watch(end)
    port = Port(e.host, e.rdt_port, (e.robots[0].ethernet.address, 0))
    try:
        chaser, target = (
            EmulatedRobot(settings, e.plant, None, block.buf, attach=True)
            for settings, block in zip(e.robots, blocks)
        )
        sensor = EmulatedSensor(e.sensor, e.plant, chaser, target, e.faults.window_rows())
        settings = sensor.arrays.settings
        sensor.start(0)
        sensor.hear(b"")
        sensor.act()  # everything is compiled before the first sample

        def change(changed: SensorSettings) -> None:
            settings[:] = changed.numbers()

        with SensorPage(e.sensor, e.host, e.http_port, change) as page:
            report.put(("sensor", {"port": port.address[1], "http_port": page.port}))
            origin = _wait_for_go(begin, watch)
            sensor.arrays.windows[:] = e.faults.window_rows(origin)
            sensor.start(origin)
            lines = [Line(e.faults, 2 * len(ROBOTS) + i, origin) for i in range(2)]
            _sensor_loop(sensor, port, lines, watch)
        report.put(("sensor", {"streaming": sensor.streaming}))
        del chaser, target, sensor
    finally:
        port.close()
        for block in blocks:
            with contextlib.suppress(BufferError):
                block.close()


def warm_up(e: Emulation) -> None:
    """Compile every door of the emulators once, here, so that the processes only load them."""
    robots = [EmulatedRobot(r, e.plant, e.faults.window_rows()) for r in e.robots]
    for robot, motion in zip(robots, e.motions):
        robot.start(0, motion)
        Line(e.faults, 0, 0).put(robot.act()[0], 0)
        robot.hear(b"")
    sensor = EmulatedSensor(e.sensor, e.plant, robots[0], robots[1], e.faults.window_rows())
    sensor.start(0)
    sensor.hear(b"")
    sensor.act()


class Emulators:
    """The processes. `with Emulators(emulation) as running:` starts and ends them.

    Inside, sockets are bound and doors compiled; `go` switches RSI on.
    """

    def __init__(self, emulation: Emulation) -> None:
        ports = [r.ethernet.port for r in emulation.robots]
        if ports[0] == ports[1]:
            allowed = "one port a robot: two on one port cannot be told apart"
            raise BadInput(Problem("PORT", ports[0], allowed))
        self.emulation = emulation
        self.ports: dict[str, dict[str, Any]] = {}
        self.results: dict[str, dict[str, Any]] = {}
        context = multiprocessing.get_context("spawn")
        self._end, self._report = context.Event(), context.Queue()
        self._begin = context.Value("q", 0)
        vector = emulation.plant.vector
        self._memories = [
            shared_memory.SharedMemory(create=True, size=shared_bytes(r, vector))
            for r in emulation.robots
        ]
        names = [m.name for m in self._memories]
        e, rest = emulation, (self._begin, self._end, self._report)
        self._processes = [
            context.Process(target=_run_robot, args=(i, e, names[i], *rest), daemon=True)
            for i in range(len(ROBOTS))
        ]
        sensor = context.Process(target=_run_sensor, args=(e, names, *rest), daemon=True)
        self._processes.append(sensor)

    def _collect(self, into: dict[str, dict[str, Any]], seconds: float) -> None:
        end = time.monotonic() + seconds
        while len(into) < len(self._processes):
            left = end - time.monotonic()
            dead = [p for p in self._processes if p.exitcode not in (None, 0)]
            if left <= 0.0 or dead:
                raise RuntimeError(f"emulators that answer: {sorted(into) or 'none'}")
            with contextlib.suppress(Exception):
                who, what = self._report.get(timeout=min(left, 0.2))
                into[who] = what

    def __enter__(self) -> Emulators:
        warm_up(self.emulation)
        for process in self._processes:
            process.start()
        try:
            self._collect(self.ports, 60.0)
        except RuntimeError:
            self.__exit__()
            raise
        return self

    def go(self, lead_s: float = 0.1) -> int:
        """RSI_ON and the sensor's first sample, after `lead_s`: the instant [monotonic ns]."""
        self._begin.value = time.monotonic_ns() + round(lead_s * SECOND)
        return int(self._begin.value)

    def __exit__(self, *_: object) -> None:
        self._end.set()
        with contextlib.suppress(RuntimeError):
            self._collect(self.results, 5.0)
        for process in self._processes:
            process.join(2.0)
            if process.is_alive():
                process.kill()
                process.join()
        for memory in self._memories:
            memory.close()
            with contextlib.suppress(FileNotFoundError):
                memory.unlink()
