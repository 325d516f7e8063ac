"""Drivers in Python between their device and the compiled loop: a small process each, which speaks
to the loop on loopback as an emulated controller or sensor does.

    device <- driver.read / driver.write -> bridge <- telegrams, records on 127.0.0.1 -> loop

So supervisor, last gate, energy bound, recorder and page are the same for every driver, and Python
delays no answer to another robot. Each cycle: `read` returns with the robot's cycle, its telegram
goes to the loop, the answer comes back, `write` gets the pose. An answer that is not there when the
cycle is over is late: counted, not written, and after `timeout_packets` of them `stop` is called.
What passes between the end of `read` and the call of `write` is measured in every cycle
(`Bridges.latencies`), and so is what `write` itself takes.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import MS
from softdock.loop.spatial.motion import Pose
from softdock.recording.event_text import STATUS_ERROR, STATUS_SATURATED
from softdock.rig.driver import RobotDriver, RobotReading, SensorDriver, SensorReading
from softdock.rig.driver_registry import find_driver, find_file, load_driver_file
from softdock.rig.drivers.compiled_loop import ask_priority
from softdock.rig.drivers.rsi_config import (
    EthernetFile,
    make_rob_telegram,
    make_sen_telegram,
)
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.model import Rig
from softdock.rig.wire import entry_points, rdt, telegram
from softdock.rig.wire.rdt import (
    BIAS,
    COUNTS,
    FT_SEQUENCE,
    LARGEST_COUNT,
    RDT_SEQUENCE,
    START_BUFFERED,
    START_REALTIME,
    STATUS,
    STOP,
    TORQUE_COUNTS,
    WORD,
)

FIRST_IPOC = 1_000_000  # ms
DECIMALS = 6  # of mm and degrees: a nanometre
AWAKE_NS = 150_000 if os.cpu_count() != 1 else 0  # that an answer is looked for without a pause
OVER = 0.9  # of a cycle: an answer that comes later is late
CONNECT_S, END_S, STOP_S = 60.0, 2.0, 5.0  # for connect, for a cycle to end, for stop
ENDED = "the session has ended"
KEPT = 1 << 16  # cycles whose times are kept
LONGEST = telegram.LONGEST
DONE, LATE, TOOK_NS, WROTE_NS = 0, 1, 2, 2 + KEPT  # in the times of a bridge


class RobotBridge:
    """Readings of a driver as telegrams, and answers as poses; no socket, no clock."""

    def __init__(self, ethernet: EthernetFile, cycle_ms: int) -> None:
        self.rob, self.sen = make_rob_telegram(ethernet, DECIMALS), make_sen_telegram(ethernet)
        self.cycle_ms, self.late, self.stop_wanted = cycle_ms, 0, False
        self._told, self._heard, self._seen = self.rob.values(), self.sen.values(), self.sen.seen()
        self._correction = self.sen.frame(ethernet.correction())
        self._stop = self.sen.rows.get(("Stop", ""), 0)
        self._out = np.zeros(LONGEST, np.uint8)
        self._start: Pose | None = None
        self._sent: Pose | None = None
        self._first, self._ipoc = 0, 0

    def make_telegram(self, reading: RobotReading) -> bytes:
        """The telegram of a cycle. The first pose is the zero of all corrections."""
        (x, y, z), (w, i, j, k) = map(float, reading.p_m), map(float, reading.q_wxyz)
        pose = Pose((x, y, z), (w, i, j, k))
        if self._start is None or self._sent is None:
            self._start = self._sent = pose
            self._first = reading.cycle
        self._ipoc = FIRST_IPOC + (reading.cycle - self._first) * self.cycle_ms
        for element, at in (("RIst", pose), ("RSol", self._sent)):
            for row, value in zip(self.rob.frame(element), entry_points.to_kuka_frame(at)):
                self._told[row] = value
        self._told[self.rob.rows["Delay", "D"]] = self.late
        self._told[self.rob.rows["DiL", ""]] = 1.0 if reading.stop_asked else 0.0
        size = entry_points.write_telegram(
            self.rob.literals, self.rob.pieces, self._told, self._ipoc, self._out
        )
        if size < 0:
            raise ValueError(f"read() gave a pose that is no pose: {reading}")
        return self._out[:size].tobytes()

    def read_answer(self, data: bytes) -> Pose | None:
        """The pose that the answer to the newest telegram asks for; None: it is no such answer."""
        array = np.frombuffer(data, np.uint8).copy()
        status, ipoc = entry_points.scan_telegram(
            array, len(data), self.sen.names, self.sen.table, self._heard, self._seen
        )
        if status != telegram.OK or ipoc != self._ipoc or self._start is None:
            return None
        turned = entry_points.load_frame(self._heard[self._correction], 0)
        zero, p = self._start, turned.p
        self._sent = Pose(
            (zero.p[0] + p[0], zero.p[1] + p[1], zero.p[2] + p[2]), _multiply(turned.q, zero.q)
        )
        self.stop_wanted = self._stop > 0 and self._heard[self._stop] != 0.0
        return self._sent


def _multiply(a: Any, b: Any) -> Any:
    """Quaternions, in plain Python: the compiled product would be compiled in the first cycle."""
    w, x, y, z = a
    s, i, j, k = b
    return (
        w * s - x * i - y * j - z * k,
        w * i + x * s + y * k - z * j,
        w * j - x * k + y * s + z * i,
        w * k + x * j - y * i + z * s,
    )


class SensorBridge:
    """Samples of a driver as records; no socket, no clock."""

    def __init__(self, keys: Any, zero: Any = None) -> None:
        self.keys, self.streaming, self._zero = keys, False, zero
        self._record = np.zeros(rdt.RECORD_COLUMNS, np.int64)
        self._out = np.zeros(rdt.RECORD_BYTES, np.uint8)
        self._scale = (*(float(keys.counts_per_N),) * 3, *(float(keys.counts_per_Nm),) * 3)
        self._taken_off: tuple[float, ...] = (0.0,) * 6
        self._bias_wanted = False

    def take_request(self, data: bytes) -> None:
        status, command, _ = entry_points.read_request(
            np.frombuffer(data, np.uint8).copy(), len(data)
        )
        if status != rdt.OK:
            return
        if command in (START_REALTIME, START_BUFFERED):
            self.streaming, self._record[RDT_SEQUENCE] = True, 0
        elif command == STOP:
            self.streaming = False
        elif command == BIAS and self._zero is not None:
            self._zero()
        elif command == BIAS:
            self._bias_wanted = True

    def make_record(self, reading: SensorReading) -> bytes | None:
        """The record of a sample; None where nobody has asked for any."""
        felt = (*map(float, reading.force_N), *map(float, reading.torque_Nm))
        fault = reading.fault or not all(map(math.isfinite, felt))
        if fault:
            felt = self._taken_off
        elif self._bias_wanted:
            self._taken_off, self._bias_wanted = felt, False
        if not self.streaming:
            return None
        rows = zip(felt, self._taken_off, self._scale)
        counts = [round(scale * (value - zero)) for value, zero, scale in rows]
        full = max(map(abs, counts)) > LARGEST_COUNT
        if full:
            counts = [max(-LARGEST_COUNT, min(LARGEST_COUNT, one)) for one in counts]
        r = self._record
        r[RDT_SEQUENCE] += 1
        r[FT_SEQUENCE] = reading.sample % WORD
        r[STATUS] = (STATUS_ERROR if fault else 0) | (STATUS_SATURATED if full else 0)
        r[COUNTS : COUNTS + 3], r[TORQUE_COUNTS : TORQUE_COUNTS + 3] = counts[:3], counts[3:]
        entry_points.write_record(self._out, 0, r)
        return self._out.tobytes()


# Processes: one a driver.


@dataclass(frozen=True)
class Order:
    """What a process is told of its driver: nothing that must be known to unpickle it."""

    at: str  # "robots.chaser", "sensors.target"
    driver: str
    file: str  # of the driver; "": it has a name
    values: dict[str, Any]  # of its table
    cycle_ms: int
    priority: int
    ethernet: EthernetFile | None

    @property
    def table(self) -> str:
        return self.at.partition(".")[0]


def make_orders(rig: Rig) -> list[Order]:
    """One for each driver in Python."""
    orders = []
    for at in rig.in_python:
        table, _, which = at.partition(".")
        end = getattr(rig, table)[which]
        name = rig.name_driver(at)
        file = find_file(name, rig.folder) if name.endswith(".py") else None
        orders.append(
            Order(
                at=at,
                driver=name,
                file="" if file is None else str(file),
                values=asdict(end),
                cycle_ms=rig.clock.cycle_ms,
                priority=rig.machine.priority,
                ethernet=rig.ethernet[which] if table == "robots" else None,
            )
        )
    return orders


def make_driver(order: Order) -> Any:
    """The driver of an order, in the process that it will run in."""
    name, folder = order.driver, None
    if order.file:
        load_driver_file(order.file)
        name = order.file
    cls: Any = find_driver(order.table, name, folder, f"{order.at}.driver", "")
    keys = cls.Keys(**order.values)
    return cls(keys, order.cycle_ms) if order.table == "robots" else cls(keys)


class _End:
    """Told to end, or the parent is gone."""

    def __init__(self, end: Any) -> None:
        self._end, self._parent = end, os.getppid()

    def __bool__(self) -> bool:
        return bool(self._end.value) or os.getppid() != self._parent


def _open_socket(host: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise OSError(f"{host}:{port}: {error.strerror}") from None
    made.setblocking(False)
    return made


def _drain(wire: socket.socket) -> Iterator[tuple[bytes, Any]]:
    while True:
        try:
            yield wire.recvfrom(LONGEST)
        except (BlockingIOError, ConnectionRefusedError):
            return


def _wait_for_answer(wire: socket.socket, bridge: RobotBridge, until_ns: int) -> Pose | None:
    """The answer to the telegram that was just sent, or None when the cycle is over. The answer of
    a loop with a core of its own is here before this process would have gone to sleep and woken."""
    awake_ns = time.monotonic_ns() + AWAKE_NS
    while (left := until_ns - (now := time.monotonic_ns())) > 0:
        if now > awake_ns and not select.select([wire], [], [], 1e-9 * left)[0]:
            return None
        for data, _ in _drain(wire):
            found = bridge.read_answer(data)
            if found is not None:
                return found
    return None


def serve_robot(
    driver: RobotDriver, bridge: RobotBridge, wire: socket.socket, peer: Any, times: Any, end: Any
) -> str:
    """Cycles of one robot, until it ends: why."""
    most, allowed_ns = driver.keys.timeout_packets, round(OVER * bridge.cycle_ms * MS)
    while not end:
        reading = driver.read()
        begun = time.monotonic_ns()
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            wire.sendto(bridge.make_telegram(reading), peer)
        wanted = _wait_for_answer(wire, bridge, begun + allowed_ns)
        if wanted is None:
            bridge.late += 1
            times[LATE] = bridge.late
            if bridge.late >= most:
                return f"{bridge.late} answers were late: timeout_packets is {most}"
            continue
        answered = time.monotonic_ns()
        driver.write(wanted.p, wanted.q)
        slot = times[DONE] % KEPT
        times[TOOK_NS + slot] = answered - begun
        times[WROTE_NS + slot] = time.monotonic_ns() - answered
        times[DONE] += 1
        if bridge.stop_wanted:
            return ENDED
    return ENDED


def serve_sensor(
    driver: SensorDriver, bridge: SensorBridge, wire: socket.socket, times: Any, end: Any
) -> str:
    """Samples of one sensor, until it ends: why. Who asked last gets them."""
    peer = None
    while not end:
        reading = driver.read()
        begun = time.monotonic_ns()
        for data, source in _drain(wire):
            bridge.take_request(data)
            peer = source
        record = bridge.make_record(reading)
        if record is not None and peer is not None:
            with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
                wire.sendto(record, peer)
        times[TOOK_NS + times[DONE] % KEPT] = time.monotonic_ns() - begun
        times[DONE] += 1
    return ENDED


def _run(order: Order, begin: Any, told_to_end: Any, times: Any, report: Any) -> None:
    end, why, driver = _End(told_to_end), "it failed", None
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's: it brakes first
    signal.signal(signal.SIGTERM, _leave)
    try:
        driver = make_driver(order)
        keys = driver.keys
        if order.table == "robots":
            assert order.ethernet is not None
            wire = _open_socket(LOOPBACK, 0)
            bridge: Any = RobotBridge(order.ethernet, order.cycle_ms)
            _warm_robot(order)
        else:
            wire = _open_socket(LOOPBACK, keys.port)
            overridden = type(driver).zero is not SensorDriver.zero
            bridge = SensorBridge(keys, driver.zero if overridden else None)
            _warm_sensor(keys)
        driver.connect()
        report.put((order.at, ""))
        while not begin.value and not end:
            time.sleep(0.002)
        if order.priority > 0:
            ask_priority(order.priority)
        if order.table == "robots":
            why = serve_robot(driver, bridge, wire, (LOOPBACK, keys.port), times, end)
        else:
            why = serve_sensor(driver, bridge, wire, times, end)
        if why != ENDED:
            report.put((order.at, why))
    except SystemExit:
        why = "the session has ended while read() or write() waited"
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        report.put((order.at, why))
    finally:
        if driver is not None:
            with contextlib.suppress(Exception):
                driver.stop(why)


def _leave(number: int, frame: Any) -> None:
    """SIGTERM: out of whatever the driver waits for, to its `stop`."""
    raise SystemExit


def _warm_robot(order: Order) -> None:
    """Entry points loaded before the first cycle."""
    assert order.ethernet is not None
    spare = RobotBridge(order.ethernet, order.cycle_ms)
    spare.make_telegram(RobotReading((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 0))
    sen, out = spare.sen, np.zeros(LONGEST, np.uint8)
    size = entry_points.write_telegram(sen.literals, sen.pieces, sen.values(), FIRST_IPOC, out)
    spare.read_answer(out[:size].tobytes())


def _warm_sensor(keys: Any) -> None:
    spare = SensorBridge(keys)
    spare.take_request(bytes(rdt.REQUEST_BYTES))
    spare.streaming = True
    spare.make_record(SensorReading((0.0,) * 3, (0.0,) * 3, 0))


class Bridges:
    """The processes. `with Bridges(rig) as running:` connects every driver; `go` begins cycles."""

    def __init__(self, rig: Rig) -> None:
        self.orders = make_orders(rig)
        context = multiprocessing.get_context("spawn")
        self._begin, self._end = context.Value("b", 0), context.Value("b", 0)
        self._report = context.Queue()
        self._times = {o.at: context.RawArray("q", 2 + 2 * KEPT) for o in self.orders}
        self._said: dict[str, str] = {}
        self._processes = [
            context.Process(
                target=_run,
                args=(o, self._begin, self._end, self._times[o.at], self._report),
                daemon=True,
            )
            for o in self.orders
        ]

    def _collect(self, seconds: float) -> None:
        with contextlib.suppress(Exception):
            while True:
                at, text = self._report.get(timeout=seconds)
                self._said[at] = text
                seconds = 0.0

    def __enter__(self) -> Bridges:
        for process in self._processes:
            process.start()
        until = time.monotonic() + CONNECT_S
        while len(self._said) < len(self.orders) and time.monotonic() < until:
            self._collect(0.1)
            if any(self._said.values()):
                break
        wrong = [
            Problem(f"{o.at}.driver", o.driver, "a driver that connects: " + self._said[o.at])
            if self._said.get(o.at)
            else Problem(f"{o.at}.driver", o.driver, f"connect() within {CONNECT_S:g} s")
            for o in self.orders
            if self._said.get(o.at, "silent")
        ]
        failed = [one for one in wrong if "that connects" in one.allowed]
        if wrong:
            self.__exit__()
            raise BadInput(failed or wrong)
        return self

    def go(self) -> None:
        """Cycles and samples begin."""
        self._begin.value = 1

    @property
    def problem(self) -> str:
        """A driver that has failed; empty: none has."""
        self._collect(0.0)
        failed = [
            f"the driver of {at} has ended: {text}" for at, text in self._said.items() if text
        ]
        return "; ".join(failed)

    def latencies(self) -> dict[str, dict[str, float]]:
        """By driver, what it cost so far: `answer` is from the end of read() to the call of
        write(), `write` what that took; of a sensor, from read() to its record sent."""
        found = {}
        for order in self.orders:
            times = np.array(self._times[order.at], np.int64)
            number = min(int(times[DONE]), KEPT)
            row: dict[str, float] = {"cycles": float(times[DONE]), "late": float(times[LATE])}
            parts = {"answer": TOOK_NS, "write": WROTE_NS}
            if order.table == "sensors":
                parts = {"send": TOOK_NS}
            for name, at in parts.items():
                if number:
                    us = 1e-3 * times[at : at + number]
                    p50, p99, most = np.percentile(us, [50.0, 99.0, 100.0])
                    row |= {f"{name}_p50_us": p50, f"{name}_p99_us": p99, f"{name}_most_us": most}
            found[order.at] = {name: round(float(value), 1) for name, value in row.items()}
        return found

    def __exit__(self, *_: object) -> None:
        self._begin.value, self._end.value = 1, 1
        until = time.monotonic() + END_S
        for process in self._processes:
            if process.pid is None:
                continue
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.terminate()
                process.join(STOP_S)
            if process.is_alive():
                process.kill()
                process.join()


def describe_latencies(found: dict[str, dict[str, float]]) -> list[str]:
    """In words."""
    lines = []
    for at, row in found.items():
        if "answer_p50_us" in row:
            lines.append(
                f"{at}: Python from read() to write() {row['answer_p50_us']:.0f} us in the median, "
                f"{row['answer_p99_us']:.0f} in 99 %, {row['answer_most_us']:.0f} at most, the "
                f"loop's answer included; write() took {row['write_p50_us']:.0f} us; "
                f"{row['late']:.0f} of {row['cycles'] + row['late']:.0f} answers late"
            )
        elif "send_p50_us" in row:
            lines.append(
                f"{at}: Python from read() to its record {row['send_p50_us']:.0f} us in the "
                f"median, {row['send_p99_us']:.0f} in 99 %, {row['send_most_us']:.0f} at most"
            )
        else:
            lines.append(f"{at}: no cycle was answered")
    return lines
