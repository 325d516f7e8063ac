"""A haptic loop in real time: an emulated device in a process of its own, a virtual wall in this
one, and the datagrams of the UDP seam between them.

The device is the end with the clock. At each of its samples it sends where it is, as a set-point;
the wall answers with a report whose wrench is the force to hold. Until that is there the device
goes on under the force before, so that every microsecond of the way is in the touch; an answer that
takes longer than a sample counts as late. `real_time` off: the same datagrams without waiting, each
force there at once, which is the bench of networks/haptics.py to the last bit.
"""

from __future__ import annotations

import multiprocessing
import socket
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import SoftdockError
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT, new_command, new_report
from softdock.networks.haptic_loop import IN_ROW, move_for, render_sample
from softdock.networks.haptics import (
    Setting,
    Touch,
    check,
    describe_touch,
    make_bench_rows,
    prepare_touch,
)
from softdock.networks.linear_step import MOST_CUT
from softdock.rig.drivers.compiled_loop import ask_priority
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.udp.facility import UdpFacility
from softdock.rig.udp.server import serve_facility

SPIN_S = 2e-4  # before a sample, from which the device does not sleep
START_S = 120.0  # for the device's process to come up and load its code
PLACE = COMMAND.at.chaser  # x of the chaser's set-point
PUSH = REPORT.at.chaser_wrench  # x of its force
PRIORITY = 80  # SCHED_FIFO of both ends, where it is granted


class Wall:
    """The rendering as a facility: a position in, a force out."""

    def __init__(self, setting: Setting, rendering: str) -> None:
        self.made, self.cycle = prepare_touch(setting, rendering), 0
        self.last, self.force, self.fed = setting.hand_start_m, 0.0, 0.0

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        self.last = float(command[PLACE])
        return self._answer(0, command, report)

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        return self._answer(k + 1, command, report)

    def _answer(self, cycle: int, command: np.ndarray, report: np.ndarray) -> int:
        q = float(command[PLACE])
        self.fed -= self.force * (q - self.last)
        self.force = render_sample(*self.made, q, q - self.last, self.force, self.fed)
        self.last = q
        report[:] = 0.0
        report[REPORT.at.cycle] = cycle
        report[REPORT.at.present] = PRESENT_BITS["chaser_wrench"]
        report[PUSH] = self.force
        return 0

    def stop(self, why: int) -> None:
        """A wall has nothing to stop."""


def _serve_wall(wall: Wall, wire: socket.socket, real_time: bool) -> None:
    """In a thread, whose priority ends with it."""
    if real_time:
        ask_priority(PRIORITY)
    serve_facility(wall, wire, START_S)


def _wait_until(when_ns: int) -> None:
    left = 1e-9 * (when_ns - time.monotonic_ns())
    if left > SPIN_S:
        time.sleep(left - SPIN_S)
    while time.monotonic_ns() < when_ns:
        pass


def _play_device(setting: Setting, rendering: str, port: int, real_time: bool, answer: Any) -> None:
    """The device's process: its own clock, its hand, its motion."""
    bench = prepare_touch(setting, rendering).bench
    rows, T = make_bench_rows(setting), setting.sample_period_s
    move_for(bench, 0.0, setting.hand_start_m, 0.0, 0.0)  # loaded before the clock starts
    x, v, held, fed, late = setting.hand_start_m, 0.0, 0.0, 0.0, 0
    command, report = new_command(), new_report()
    command[PLACE + 3] = command[COMMAND.at.target + 3] = 1.0
    with UdpFacility(
        (LOOPBACK, port), silence_ms=1e3 * START_S, again_ms=1e3, start_s=START_S
    ) as wire:
        command[PLACE] = measure(bench.resolution, x)
        wire.start(command, report)
        if real_time:
            ask_priority(PRIORITY)
        force, begin = float(report[PUSH]), time.monotonic_ns()
        for k in range(len(rows)):
            t, waited = k * T, 0.0
            if k > 0:
                tick = begin + round(1e9 * t)
                if real_time:
                    _wait_until(tick)
                command[0], command[PLACE] = k, measure(bench.resolution, x)
                wire.exchange(k - 1, command, report)
                if wire.reason:
                    break
                held, force = force, float(report[PUSH])
                waited = 1e-9 * (time.monotonic_ns() - tick) if real_time else 0.0
            rows[k, IN_ROW.position], rows[k, IN_ROW.velocity] = x, v
            rows[k, IN_ROW.force], rows[k, IN_ROW.fed] = force, fed
            late += waited >= T
            for lasts, push, since in ((min(waited, T), held, 0.0), (T - waited, force, waited)):
                if lasts > 0.0:
                    before = x
                    x, v = move_for(bench._replace(T=lasts), t + since, x, v, push)
                    fed -= push * (x - before)
        wire.stop(0)
        took = 1e-9 * (time.monotonic_ns() - begin)
        answer.put((rows, late, took, wire.round_trip_us, wire.counts["lost"], wire.reason))


def measure(resolution: float, x: float) -> float:
    """What an encoder reads [m]."""
    return float(np.floor(x / resolution + 0.5) * resolution) if resolution > 0.0 else x


@dataclass(frozen=True)
class RealTimeTouch:
    """A touch over the wire."""

    touch: Touch
    late: int  # answers that took longer than a sample
    lost: int  # answers that did not come
    seconds: float  # that the touch took, on the device's clock
    round_trip_us: np.ndarray

    def numbers(self) -> dict[str, Any]:
        samples = len(self.touch.time_s)
        found = self.touch.numbers
        if "guarantee" in found:
            found = found | {
                "guarantee": "none: that of a force held from its own sample does not hold for one "
                f"late by the way, here {np.median(self.round_trip_us):.0f} us"
            }
        return {
            "samples": samples,
            "rate_Hz": (samples - 1) / self.seconds,
            "late": self.late,
            "lost": self.lost,
            "round_trip_median_us": float(np.median(self.round_trip_us)),
            "round_trip_99_us": float(np.percentile(self.round_trip_us, 99.0)),
        } | found


def touch_over_udp(setting: Setting, rendering: str, real_time: bool = True) -> RealTimeTouch:
    """A touch of the wall by a device in another process."""
    check(setting, [rendering])
    wall = Wall(setting, rendering)
    render_sample(*prepare_touch(setting, rendering), setting.hand_start_m, 0.0, 0.0, 0.0)  # loaded
    context = multiprocessing.get_context("spawn")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.bind((LOOPBACK, 0))
        answer = context.Queue()
        arguments = (setting, rendering, wire.getsockname()[1], real_time, answer)
        device = context.Process(target=_play_device, args=arguments, daemon=True)
        device.start()
        try:
            serving = threading.Thread(target=_serve_wall, args=(wall, wire, real_time))
            serving.start()
            serving.join()
            rows, late, took, round_trip, lost, reason = answer.get(timeout=START_S)
        except Exception as error:
            raise SoftdockError(f"the emulated device did not answer ({error})") from None
        finally:
            device.join(5.0)
            if device.is_alive():
                device.kill()
    if reason:
        raise SoftdockError(f"the emulated device stopped: {reason}")
    cut = float(wall.made.mem[MOST_CUT])
    touch = describe_touch(setting, rendering, rows, cut)
    return RealTimeTouch(touch, late, lost, took, np.array(round_trip))
