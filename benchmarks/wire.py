"""The wire: what a datagram costs, how fast virtual time is, and the compiled loop beside an echo.

Aims: virtual time at least 100 times real time in one compiled call with a 7 kHz
sensor; compute per packet at most 25 us in the median; 99.99 % within 200 us or three times the
same loop that only echoes, measured alternately. CPU time for what needs no clock, the minimum of
several; the loop's own times come from the loop. `--seconds` of `main` sets how long each loop is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the emulated rig of the tests

from rig_pieces import HOST, SECOND, Rig, emulation, free_ports

from softdock.rig.drivers.compiled_loop import CompiledServer, make_hold_program
from softdock.rig.drivers.emulation import VirtualRun
from softdock.rig.drivers.emulators import Emulators
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.sockets import Port
from softdock.rig.wire import entry_points

TARGET = "one compiled call >= 100 times real time at 7 kHz; median <= 25 us a packet"
REAL_S = 2.5  # of one virtual run
REPEATS = 5


def least_cpu(work: Any, repeats: int = REPEATS) -> float:
    """CPU seconds of the quickest of several."""
    found = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def datagram_costs() -> dict[str, float]:
    """Microseconds of an entry point from Python, per datagram."""
    rig = Rig()
    data, robot = rig.robots[0].act()[0], RobotLink(rig.file, 4.0)
    robot.receive(data, 0)
    array, n = np.frombuffer(data, np.uint8).copy(), 20_000
    values, seen = robot.rob.values(), robot.rob.seen()

    def scan() -> None:
        for _ in range(n):
            entry_points.scan_telegram(
                array, len(data), robot.rob.names, robot.rob.table, values, seen
            )

    def reply() -> None:
        for _ in range(n):
            robot.reply([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    scan(), reply()
    return {"scan_Rob_us": 1e6 * least_cpu(scan) / n, "write_Sen_us": 1e6 * least_cpu(reply) / n}


def virtual_speed(rate_Hz: int) -> float:
    """Times real time of one compiled call."""

    def made() -> VirtualRun:
        rig = Rig(sensor={"rate_Hz": rate_Hz})
        links = tuple(RobotLink(rig.file, 4.0) for _ in range(2))
        rig.sensor.receive(SensorLink.request())
        return VirtualRun(
            tuple(rig.robots),
            (rig.sensor,),
            tuple(link.arrays for link in links),
            (SensorLink(1e6, 1e6).arrays, SensorLink(1e6, 1e6).arrays),
            make_hold_program(links[0]),
        )

    made().run(SECOND // 100)
    runs = [made() for _ in range(REPEATS)]
    return REAL_S / least_cpu(lambda: runs.pop().run(round(REAL_S * SECOND)))


def _loop(seconds: float, echo: bool, priority: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Compute times [us] of a compiled loop with two emulated robots and a 1 kHz sensor."""
    ports = free_ports(2)
    emulated = emulation(
        *ports,
        timeout_packets=1_000_000,
        sensor={"rate_Hz": 1000},
        priority=max(priority - 5, 0),  # below the loop: a robot's computer is another one
    )
    links = [RobotLink(r.ethernet, 4.0) for r in emulated.robots]
    with Emulators(emulated) as running:
        address = (HOST, running.ports["sensor"]["port"])
        sockets = [
            Port(HOST, port, (HOST, running.ports[name]["port"]))
            for port, name in zip(ports, ("chaser", "target"))
        ]
        sensor_port = Port(HOST, 0, address)
        server = CompiledServer(
            list(zip(sockets, links)),
            [(sensor_port, SensorLink(1e6, 1e6))],
            make_hold_program(links[0], echo),
            rows=round(250 * seconds),
        )
        server.warm_up()
        sensor_port.send(SensorLink.request(), address)
        running.go()
        server.run(seconds, priority=priority)
        for port in (*sockets, sensor_port):
            port.close()
    return server.compute_us(), server.granted.refusals


def loop_times(seconds: float, priority: int = 80) -> dict[str, Any]:
    """The loop and the echo, alternately."""
    found: dict[str, Any] = {}
    for name, echo in (("hold", False), ("echo", True)) * 2:
        times, refusals = _loop(seconds, echo, priority)
        found.setdefault(name, []).append(times)
        found["refused"] = "; ".join(refusals)
    for name in ("hold", "echo"):
        times = np.concatenate(found[name])
        share = np.percentile(times, [50.0, 99.0, 99.99])
        found[name] = dict(zip(("p50_us", "p99_us", "p99.99_us"), map(float, share)))
        found[name]["packets"] = len(times)
    return found


def run(seconds: float = 10.0) -> dict[str, Any]:
    """All of it."""
    found: dict[str, Any] = {"target": TARGET, **datagram_costs()}
    found["virtual_times_real_1_kHz"] = virtual_speed(1000)
    found["virtual_times_real_7_kHz"] = virtual_speed(7000)
    found |= loop_times(seconds)
    found["met"] = (
        found["virtual_times_real_7_kHz"] >= 100.0
        and found["hold"]["p50_us"] <= 25.0
        and found["hold"]["p99.99_us"] <= max(200.0, 3.0 * found["echo"]["p99.99_us"])
    )
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0)
    print(json.dumps(run(parser.parse_args().seconds), indent=1))
