"""Talking with a rig's peers at leisure: every telegram answered, every telegram kept as a row.

The callback of serve.Server, over Python sockets: for listening, for a tare and for measuring
delays, not for a docking. Corrections are zero, or come from a `Path` (rig_moves.py). A robot's
path goes on by one cycle per telegram that is answered, whatever was lost, so that no step is ever
longer than the path's own. Something wrong (a force, a lost robot, the operator's stop) lets every
path run out at the stated deceleration; the first reason stays.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from softdock.core.instants import NS
from softdock.drivers.compiled_loop import ask_priority
from softdock.drivers.rig_peers import SENSOR, Requests, RigPeers
from softdock.drivers.serve import Server

Six = Sequence[float]
ZERO: Six = (0.0,) * 6
TAKEN = ("first", "taken", "jumped")
LEAVING = 25  # telegrams answered with Stop before the sockets close
SLACK_S = 5.0  # more than a path takes, until it is given up
SWITCH_S = 1e-4  # how long another thread may keep the interpreter from answering
LOOK_S = 0.02
FOR_EVER_S = 1e9


class Path(Protocol):
    """Corrections of one robot (mm, degrees from RSI_ON) as a function of the path's own time."""

    @property
    def seconds(self) -> float: ...
    @property
    def fastest_m_per_s(self) -> float: ...  # anywhere on it
    def at(self, t: float) -> Six: ...


@dataclass(frozen=True)
class Row:
    """One telegram of a robot and what was known then."""

    ipoc: int
    stamp_ns: int  # on our clock
    arrival_ns: int
    measured: np.ndarray  # RIst: mm, degrees
    wanted: Six  # the correction of this instant: what the telegram before was answered
    wrench: np.ndarray | None  # raw, of the sensor on this robot, else of any
    age_s: float  # of the wrench


class Conversation:
    """One rig, spoken with."""

    def __init__(self, peers: RigPeers) -> None:
        self.peers, self.rig, self.T = peers, peers.rig, peers.rig.cycle_s
        self.paths: dict[str, Path] = {}
        self.reason = ""  # why the paths ran out early
        self.rows: dict[str, list[Row]] = {name: [] for name in peers.robots}
        self.path_s = dict.fromkeys(peers.robots, 0.0)
        self.pace = dict.fromkeys(peers.robots, 1.0)  # of the paths: 1, or on its way to 0
        self.sent: dict[str, Six] = dict.fromkeys(peers.robots, ZERO)
        self.late_at_first: dict[str, int] = {}
        self.leaving = self.over = False
        sensors = frozenset(n for n in peers.ports if n.startswith(SENSOR))
        self.server = Server(peers.ports, self, sensors, wake_for_sensors=False)

    def __call__(self, now_ns: int, who: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if who.startswith(SENSOR):
            self.peers.sensors[who.removeprefix(SENSOR)].hear(data, now_ns)
            return
        link = self.peers.robots[who]
        if link.hear(data, now_ns) not in TAKEN:
            return
        self.late_at_first.setdefault(who, int(link.value("Delay", "D") or 0))
        self.rows[who].append(self._row(who, now_ns))
        self._watch(who)
        self.sent[who] = self._gated(who, self._next(who))
        if self.leaving and ("Stop", "") in link.sen.rows:
            link.values[link.sen.rows["Stop", ""]] = 1.0
        yield who, link.reply(self.sent[who])

    def _row(self, who: str, now_ns: int) -> Row:
        link, sensors = self.peers.robots[who], self.peers.sensors
        sensor = sensors.get(who) or next(iter(sensors.values()))
        found = sensor.newest(link.stamp_ns)
        return Row(
            ipoc=link.ipoc,
            stamp_ns=link.stamp_ns,
            arrival_ns=now_ns,
            measured=np.array(link.measured),
            wanted=tuple(self.sent[who]),
            wrench=None if found is None else found[0].copy(),
            age_s=math.nan if found is None else NS * (link.stamp_ns - found[1]),
        )

    def _next(self, who: str) -> Six:
        """A cycle further on the path; slower and slower when something is wrong."""
        path = self.paths.get(who)
        if path is None:
            return ZERO
        if self.reason:
            brake = self.rig.stop.deceleration_m_per_s2 / max(path.fastest_m_per_s, 1e-3)
            self.pace[who] = max(0.0, self.pace[who] - brake * self.T)
        self.path_s[who] = min(self.path_s[who] + self.pace[who] * self.T, path.seconds)
        return path.at(self.path_s[who])

    def _gated(self, who: str, wanted: Six) -> Six:
        """The last gate: no step beyond the limits leaves, whatever asked for it."""
        step = np.subtract(wanted, self.sent[who])
        limits = self.rig.limits
        far = float(np.linalg.norm(step[:3])) > 1e3 * limits.speed_m_per_s * self.T
        turned = float(np.abs(step[3:]).max()) > math.degrees(limits.rate_rad_per_s) * self.T
        if far or turned or not np.isfinite(step).all():
            self.reason = self.reason or f"a step of {step.round(3).tolist()} was held back"
            self.pace = dict.fromkeys(self.pace, 0.0)
            return self.sent[who]
        return wanted

    def _watch(self, who: str) -> None:
        """Reasons to stand still."""
        if self.reason or not self.paths:
            return
        link, limits = self.peers.robots[who], self.rig.limits
        quiet_ns = limits.silence_cycles * self.T / NS
        others = [o for n, o in self.peers.robots.items() if n != who]
        if self.is_stop_asked(who):
            name = self.rig.robots[who].stop_input
            self.reason = f"the operator's stop: {name} of the {who}'s robot"
        elif link.lost_now >= limits.lost_in_a_row:
            self.reason = f"{link.lost_now} telegrams of the {who}'s robot were lost in a row"
        elif any(link.stamp_ns - other.stamp_ns > quiet_ns for other in others):
            name = next(n for n in self.peers.robots if n != who)
            self.reason = f"the {name}'s robot was silent for {limits.silence_cycles} cycles"
        else:
            self._watch_force(link.stamp_ns)

    def _watch_force(self, now_ns: int) -> None:
        limits = self.rig.limits
        for name, sensor in self.peers.sensors.items():
            found = sensor.newest(now_ns)
            if found is None or NS * (now_ns - found[1]) > 1e-3 * limits.stale_ms:
                self.reason = f"the {name}'s sensor was silent for {limits.stale_ms:g} ms"
                return
            force, torque = (float(np.linalg.norm(found[0][i : i + 3])) for i in (0, 3))
            if force > limits.force_N or torque > limits.torque_Nm:
                self.reason = f"{force:.3g} N and {torque:.3g} Nm on the {name}'s sensor"

    def is_stop_asked(self, who: str) -> bool:
        """Whether the operator's input says stop."""
        robot = self.rig.robots[who]
        element, _, attribute = robot.stop_input.partition(".")
        value = self.peers.robots[who].value(element, attribute) if element else None
        return value == float(robot.stop_value)

    def __enter__(self) -> Conversation:
        """From here on every telegram is answered, by a thread of its own."""
        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        for which in self.peers.sensors:
            self.peers.request(which)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def _serve(self) -> None:
        if self.rig.machine.priority > 0:
            ask_priority(self.rig.machine.priority)  # of this thread; it ends with it
        self.server.run(FOR_EVER_S, lambda: self.over)

    def __exit__(self, *_: object) -> None:
        """RSI_MOVECORR left, where the Ethernet file has a Stop; the paths stand by then."""
        self.reason = self.reason or ("" if self._ended() else "interrupted")
        self._wait(SLACK_S, self._ended)
        self.leaving = True
        time.sleep(LEAVING * self.T)
        self.over = True
        self._thread.join()
        sys.setswitchinterval(self._switch_s)

    def _wait(self, seconds: float, until: Callable[[], bool]) -> None:
        end, requests = time.monotonic() + seconds, Requests(self.peers)
        while time.monotonic() < end and not until():
            time.sleep(LOOK_S)
            if not self.paths:  # nothing moves yet
                requests.repeat(time.monotonic())

    def listen(self, seconds: float) -> None:
        """For some seconds; nothing moves."""
        self._wait(seconds, lambda: False)

    def follow(self, paths: dict[str, Path]) -> str:
        """Until every path has ended: why early, or nothing."""
        self.paths = paths
        longest = max(p.seconds for p in paths.values())
        self._wait(2.0 * longest + SLACK_S, self._ended)
        if not self._ended() and not self.reason:
            self.reason = "a robot did not send enough telegrams for its path"
        return self.reason

    def _ended(self) -> bool:
        return all(
            self.path_s[name] >= path.seconds or (self.reason != "" and self.pace[name] == 0.0)
            for name, path in self.paths.items()
        )
