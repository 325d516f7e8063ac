"""What this computer can do for a rig: what it grants, how late it wakes up, what a loop costs; and
the machine code of a rig, ready before anything depends on it.

Three measurements, none of them a promise: SCHED_FIFO and locked memory as granted; how late a
thread wakes up at the rig's cycle; and the compiled loop between two emulated robots and a sensor
on loopback, with a docking's own program (controller, supervisor, last gate) and only echoing,
alternately. Where the echo has the same tail as the program, the tail is the machine's. The
emulators take time of the same cores: a rig's computer has more to spare than this says. Their
priority is below the loop's here: above it, sending an answer would be timed with the robot that
wakes up on the same core to read it.
"""

from __future__ import annotations

import math
import os
import platform
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock.rig import peers as rig_peers
from softdock.rig.drivers import emulators
from softdock.rig.drivers.compiled_loop import (
    CompiledServer,
    Granted,
    make_hold_program,
    real_time,
)
from softdock.rig.drivers.emulators import Emulators
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.sockets import LOOPBACK, Port
from softdock.rig.emulated_rig import VirtualRig, lower_priority, make_emulation
from softdock.rig.file import load_rig
from softdock.rig.model import Rig
from softdock.rig.program import NAMES, RigProgram
from softdock.rig.scenario import OnRig, put_on_rig
from softdock.rig.wire.serve import ROBOTS
from softdock.scenario.files import load_scenario

SHARES = (50.0, 99.0, 99.9)
MEDIAN_US, TAIL_US, TIMES_ECHO = 25.0, 200.0, 3.0  # aims of a packet's compute time
FEWEST_ROUNDS = 2  # program, echo, program, echo
BLOCK = 10_000  # answers, of which about the slowest is the 99.99th percentile
LOOP_SHARE = 0.75  # of the time, program and echo together
LONGEST_S = 20.0  # of one kind at a time
SENSOR_HZ = 7000
NEVER = 1_000_000  # late packets until an emulated robot gives up
BEARS_ALL: dict[str, Any] = {
    "robots.chaser.lower_mm": [-5000.0] * 3,
    "robots.chaser.upper_mm": [5000.0] * 3,
    "robots.chaser.box_max_m": [5.0] * 3,
    "limits.lost_share": 1.0,
    "limits.lost_in_a_row": 100,
    "limits.late_in_a_row": 100,
    "limits.silence_cycles": 100,
    "limits.bad_in_a_row": 100,
    "limits.stale_ms": 1000.0,
    "limits.compute_share": 1.0,
    "limits.restitution": 5.0,
    "limits.energy_contact": 10.0,
    "limits.energy_run": 20.0,
    "limits.tracking_m": 0.05,
    "limits.late_share_of_timeout": 1.0,
}


@dataclass(frozen=True)
class Times:
    """Microseconds of something that was done often."""

    number: int
    p50: float
    p99: float
    p999: float
    p9999: float  # in the median block of 10,000; of all where there are fewer
    worst: float

    def to_dict(self) -> dict[str, Any]:
        names = ("number", "p50_us", "p99_us", "p99.9_us", "p99.99_us", "worst_us")
        return dict(
            zip(names, (self.number, self.p50, self.p99, self.p999, self.p9999, self.worst))
        )


def compute_tails(values_us: np.ndarray) -> list[float]:
    """99.99 % of each whole block of 10,000, in the order in which they were measured; of all
    where there are fewer."""
    whole = max(len(values_us) // BLOCK, 1)
    return [float(np.percentile(values_us[i * BLOCK :][:BLOCK], 99.99)) for i in range(whole)]


def summarise_times(values_us: np.ndarray) -> Times | None:
    """None of nothing."""
    if not len(values_us):
        return None
    p50, p99, p999 = (float(v) for v in np.percentile(values_us, SHARES))
    return Times(
        number=len(values_us),
        p50=p50,
        p99=p99,
        p999=p999,
        p9999=float(np.median(compute_tails(values_us))),
        worst=float(values_us.max()),
    )


@dataclass(frozen=True)
class MachineReport:
    """All that was found."""

    system: str
    cores: int
    granted: Granted
    cycle_ms: float
    wake_up: Times | None  # after the instant that was asked for
    program: Times | None  # from receiving a telegram to its answer sent
    echo: Times | None
    late: int  # replies that came too late, by the robots' count
    ticks: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "cores": self.cores,
            "fifo_priority": self.granted.fifo,
            "memory_locked": self.granted.locked,
            "refusals": list(self.granted.refusals),
            "cycle_ms": self.cycle_ms,
            **{
                name: None if (t := getattr(self, name)) is None else t.to_dict()
                for name in ("wake_up", "program", "echo")
            },
            "late_replies": self.late,
            "telegrams": self.ticks,
            "summary": self.sentences(),
        }

    def sentences(self) -> list[str]:
        """What it means, from these numbers alone."""
        lines = []
        if self.granted.fifo:
            lines.append(f"SCHED_FIFO {self.granted.fifo} was granted.")
        else:
            lines.append(
                "No real-time priority: "
                + ("; ".join(self.granted.refusals) or "not asked for")
                + ". Beyond loopback a run is refused (machine.require_realtime); give this user "
                "an rtprio limit, or CAP_SYS_NICE."
            )
        if self.program is not None and self.echo is not None:
            bound = max(TAIL_US, TIMES_ECHO * self.echo.p9999)
            lines.append(
                f"A telegram is answered within {self.program.p50:.0f} us in the median (aim "
                f"{MEDIAN_US:.0f}: {'met' if self.program.p50 <= MEDIAN_US else 'not met'}) and "
                f"{self.program.p9999:.0f} us in 99.99 % (aim {bound:.0f}: "
                f"{'met' if self.program.p9999 <= bound else 'not met'}); only echoing takes "
                f"{self.echo.p50:.0f} and {self.echo.p9999:.0f} us."
            )
            if self.program.number < BLOCK:
                lines.append(
                    f"That is the tail of {self.program.number} answers only: 99.99 % need "
                    f"{BLOCK} (--seconds {compute_seconds(self.cycle_ms):.0f})."
                )
        if self.ticks:
            share = 100.0 * self.late / self.ticks
            lines.append(f"{self.late} of {self.ticks} replies came too late ({share:.2g} %).")
        return lines


def compute_seconds(cycle_ms: float) -> float:
    """How long to measure for a block of each kind."""
    answers_per_s = ROBOTS * 1e3 / cycle_ms
    return math.ceil(1.05 * 2.0 * BLOCK / (answers_per_s * LOOP_SHARE))


def measure_wake_ups(
    seconds: float, cycle_s: float, priority: int, lock: bool
) -> tuple[Granted, Any]:
    """How late a thread wakes up at each cycle [us]; and what was granted to it."""
    late: list[int] = []
    given: list[Granted] = []

    def work() -> None:
        with real_time(priority, lock) as granted:
            given.append(granted)
            step, wanted = round(1e9 * cycle_s), time.monotonic_ns()
            for _ in range(round(seconds / cycle_s)):
                wanted += step
                time.sleep(max(0.0, 1e-9 * (wanted - time.monotonic_ns())))
                late.append(time.monotonic_ns() - wanted)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return given[0], np.array(late) / 1e3


def find_free_ports(number: int) -> list[int]:
    """UDP ports of loopback that nobody has now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(number)]
    try:
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _make_bench(cycle_ms: int, seconds: float, rate_Hz: int) -> OnRig:
    """An emulated rig of the same cycle on ports of its own, whose docking lasts to the end: the
    chaser may go far, and no telegram that a busy machine loses is a reason to stop."""
    chaser, target, sensor, page = find_free_ports(4)
    changes = {
        **BEARS_ALL,
        "robots.chaser.port": chaser,
        "robots.target.port": target,
        "sensors.chaser.port": sensor,
        "sensors.chaser.http_port": page,
        "sensors.chaser.rate_Hz": rate_Hz,
        "clock.cycle_ms": cycle_ms,
    }
    rig = load_rig("emulated_pair", changes)
    of_time = {"time.cycle_ms": rig.clock.cycle_ms, "time.duration_s": seconds}
    return put_on_rig(rig, load_scenario("epos_1d", of_time))


def measure_loop(
    rig: Rig, seconds: float, echo: bool, rate_Hz: int = SENSOR_HZ
) -> tuple[np.ndarray, Granted, dict[str, dict[str, Any]]]:
    """Compute times [us] of the compiled loop, what was granted, and what the robots counted."""
    on = _make_bench(rig.clock.cycle_ms, seconds, rate_Hz)
    emulated = make_emulation(on)
    patient = [replace(r, timeout_packets=NEVER) for r in emulated.robots]
    emulated = lower_priority(replace(emulated, robots=(patient[0], patient[1])), rig)
    links = {r.which: RobotLink(r.ethernet, r.cycle_ms) for r in emulated.robots}
    sensor = SensorLink(1e6, 1e6)
    if echo:
        program: Any = make_hold_program(links["chaser"], echo)
    else:  # the docking itself: controller, supervisor, last gate
        program = RigProgram(on, robots=links, sensors={"chaser": sensor}).arrays
    with Emulators(emulated) as running:
        address = (LOOPBACK, running.ports["sensor"]["port"])
        ports = [
            Port(LOOPBACK, r.ethernet.port, (LOOPBACK, running.ports[r.which]["port"]))
            for r in emulated.robots
        ]
        records = Port(LOOPBACK, 0, address)
        server = CompiledServer(
            list(zip(ports, links.values())),
            [(records, sensor)],
            program,
            rows=round(1e3 * seconds / rig.clock.cycle_ms),
        )
        server.warm_up()
        records.send(SensorLink.request(), address)
        running.go()
        server.run(seconds, priority=rig.machine.priority, lock=rig.machine.lock_memory)
        counted = {r.which: running.seen(i) for i, r in enumerate(emulated.robots)}
        for port in (*ports, records):
            port.close()
    return server.compute_us(), server.granted, counted


def measure_machine(rig: Rig, seconds: float, say: Any = lambda text: None) -> MachineReport:
    """All of it, in about `seconds` and what starting takes."""
    say("how late a thread wakes up")
    machine = rig.machine
    granted, late = measure_wake_ups(
        (1.0 - LOOP_SHARE) * seconds, rig.cycle_s, machine.priority, machine.lock_memory
    )
    found: dict[bool, list[np.ndarray]] = {False: [], True: []}
    missed = ticks = 0
    each_s = 0.5 * LOOP_SHARE * seconds  # of program and echo
    rounds = max(FEWEST_ROUNDS, math.ceil(each_s / LONGEST_S))
    for block in range(2 * rounds):
        echo = bool(block % 2)
        kind = "only echoing" if echo else "with a docking"
        say(f"the compiled loop, {kind} ({block // 2 + 1} of {rounds})")
        times, granted, counted = measure_loop(rig, each_s / rounds, echo)
        found[echo].append(times)
        if not echo:
            missed += sum(c["late"] for c in counted.values())
            ticks += sum(c["ticks"] for c in counted.values())
    return MachineReport(
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        cores=len(os.sched_getaffinity(0)),
        granted=granted,
        cycle_ms=rig.clock.cycle_ms,
        wake_up=summarise_times(late),
        program=summarise_times(np.concatenate(found[False])),
        echo=summarise_times(np.concatenate(found[True])),
        late=missed,
        ticks=ticks,
    )


# Machine code of a rig, compiled or loaded before anything depends on it.
#
# A part at a time, so that whoever shows progress can name it (compile/compile_events.py) and
# `softdock warm --rig` can give each part to a process of its own. Nothing is sent and nobody is
# asked: sockets here are of loopback and have no peer.

NOBODY = (LOOPBACK, 9)


def _warm_loop(on: OnRig) -> None:
    program = RigProgram(on)
    ports = [Port(LOOPBACK, 0, NOBODY) for _ in NAMES]
    try:
        robots = [
            (port, program.robots[n]) if n in program.robots else None
            for n, port in zip(NAMES, ports)
        ]
        CompiledServer(robots, [], program.arrays).warm_up()
    finally:
        for port in ports:
            port.close()


def _warm_links(on: OnRig) -> None:
    rig_peers.warm_up(on.rig)


def _warm_emulators(on: OnRig) -> None:
    if on.rig.emulate is not None:
        emulators.warm_up(make_emulation(on))


def _warm_virtual(on: OnRig) -> None:
    if on.rig.emulate is not None:
        VirtualRig(on).run(0.0)


PARTS: dict[str, tuple[str, Callable[[OnRig], None]]] = {  # what each is, in words
    "loop": ("the rig's loop", _warm_loop),
    "links": ("the rig's telegrams", _warm_links),
    "emulators": ("the emulated robots and sensors", _warm_emulators),
    "virtual": ("the rig in virtual time", _warm_virtual),
}
OF_A_RUN = ("links", "emulators", "loop")  # `rig run`; `rig check` flies in virtual time


def warm_part(on: OnRig, part: str) -> None:
    """One part, compiled if it is not on disk."""
    PARTS[part][1](on)
