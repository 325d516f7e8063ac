"""Listening to a rig: every telegram is answered and kept as a row; then what was heard, in
numbers.

The callback of sockets.Server, over Python sockets: for listening, for a tare and for measuring
delays, not for a docking. Corrections are zero, or come from a `Path` (rig/measure.py). A robot's
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
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from softdock.errors import Problem
from softdock.loop.instants import NS
from softdock.rig.drivers.compiled_loop import ask_priority
from softdock.rig.drivers.sockets import Server
from softdock.rig.peers import SENSOR, Requests, RigPeers

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
            self.peers.sensors[who.removeprefix(SENSOR)].receive(data, now_ns)
            return
        link = self.peers.robots[who]
        if link.receive(data, now_ns) not in TAKEN:
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


# What was heard of a rig, in numbers: rates, ages, clocks, scale; and what does not fit its file.
#
# In: a `Conversation` that has listened. Out: `ListeningSummary`, one row per robot and per sensor,
# and problems with what to do about each. Nothing moves: every telegram was answered with zero
# corrections.

FEWEST = 50  # telegrams before a rate is judged: the step of IPOC is learnt from as many gaps
HALF = 0.5  # of the telegrams that should have come
OFF_RATE = 0.02  # of the stated rate
MOVES_MM = 0.05  # spread of RIst of a robot that stands


@dataclass(frozen=True)
class RobotSummary:
    """One robot controller as it was heard."""

    telegrams: int
    rate_Hz: float | None
    step_ms: int  # of IPOC, learnt; 0: not yet
    lost: int
    late_replies: int  # of ours, by the controller's count
    malformed: int
    foreign: int  # datagrams of others
    other_senders: int  # datagrams from other ports of its address than the one that is answered
    counts_telegrams: bool  # IPOC steps by 1 a cycle: a simulator
    drift_ppm: float
    clock_jumps: int
    jitter_us: float | None  # arrival after the clock's line, 99 % of them
    phase_ms: float | None  # after the master's newest telegram
    pose_mm_deg: list[float]
    spread_mm: float | None  # of the position, largest axis
    stop_asked: bool


@dataclass(frozen=True)
class SensorSummary:
    """One sensor as it was heard."""

    records: int
    rate_Hz: float | None
    lost: int
    faulty: int  # records with an error or saturation
    malformed: int
    foreign: int
    drift_ppm: float
    age_ms: float | None  # of the newest sample at a telegram, mean
    age_worst_ms: float | None
    mean: list[float] | None  # N, Nm, sensor axes
    spread: list[float] | None
    product: str | None  # as the sensor's page says it; None: not asked
    serial: str | None
    calibration: str | None
    counts_per_N: float | None
    counts_per_Nm: float | None


@dataclass(frozen=True)
class ListeningSummary:
    """All of it."""

    seconds: float
    robots: dict[str, RobotSummary]
    sensors: dict[str, SensorSummary]
    problems: list[Problem]

    def to_dict(self) -> dict[str, Any]:
        made = asdict(self)
        made["problems"] = [str(p) for p in self.problems]
        return made


def summarise(conversation: Conversation, seconds: float) -> ListeningSummary:
    """Everything that a conversation has heard."""
    c = conversation
    robots = {name: _summarise_robot(c, name) for name in c.peers.robots}
    sensors = {name: _summarise_sensor(c, name, seconds) for name in c.peers.sensors}
    return ListeningSummary(
        seconds, robots, sensors, [*_find_problems(c, robots, sensors, seconds)]
    )


def _compute_rate(rows: list[Row]) -> float | None:
    if len(rows) < FEWEST:
        return None
    return (len(rows) - 1) / (NS * (rows[-1].stamp_ns - rows[0].stamp_ns))


def _summarise_robot(c: Conversation, name: str) -> RobotSummary:
    rows, link = c.rows[name], c.peers.robots[name]
    counts, settled = link.counts(), rows[len(rows) // 4 :]
    late = [1e-3 * (r.arrival_ns - r.stamp_ns) for r in settled]
    places = np.array([r.measured[:3] for r in settled])
    master, phase = c.peers.robots[c.rig.clock.master], None
    if rows and master.ipoc > 0:
        phase = (1e3 * NS * (link.stamp_ns - master.stamp_ns)) % (1e3 * c.T)
    first = c.late_at_first.get(name, 0)
    return RobotSummary(
        telegrams=len(rows),
        rate_Hz=_compute_rate(rows),
        step_ms=int(counts["step_ms"]),
        lost=int(counts["lost"]),
        late_replies=max(0, int(counts["late_replies"]) - first) if rows else 0,
        malformed=int(counts["malformed"]),
        foreign=c.peers.ports[name].foreign,
        other_senders=c.peers.ports[name].others[0],
        counts_telegrams=link.counts_telegrams,
        drift_ppm=float(counts["drift_ppm"]),
        clock_jumps=int(counts["clock_jumps"]),
        jitter_us=float(np.percentile(late, 99.0)) if late else None,
        phase_ms=phase,
        pose_mm_deg=[float(v) for v in link.measured] if rows else [],
        spread_mm=float(places.std(axis=0).max()) if len(places) else None,
        stop_asked=bool(rows) and c.is_stop_asked(name),
    )


def _summarise_sensor(c: Conversation, name: str, seconds: float) -> SensorSummary:
    link, page = c.peers.sensors[name], c.peers.calibrations[name]
    counts = link.counts()
    carrier = name if name in c.rows else c.rig.clock.master
    rows = [r for r in c.rows[carrier] if r.wrench is not None]
    rows = rows[len(rows) // 4 :]  # the clocks have settled by then
    ages = [1e3 * r.age_s for r in rows]
    wrench = np.array([r.wrench for r in rows])
    stamps, head = link.arrays.stamps, int(link.arrays.head[0])
    rate, kept = None, min(head, len(stamps))
    if kept > FEWEST:
        held = np.sort(stamps[:kept])
        rate = (kept - 1) / (NS * float(held[-1] - held[0]))
    return SensorSummary(
        records=int(counts["heard"]),
        rate_Hz=rate,
        lost=int(counts["lost"]),
        faulty=int(counts["faulty"]),
        malformed=int(counts["malformed"]),
        foreign=c.peers.ports[SENSOR + name].foreign,
        drift_ppm=float(counts["drift_ppm"]),
        age_ms=float(np.mean(ages)) if ages else None,
        age_worst_ms=float(np.max(ages)) if ages else None,
        mean=wrench.mean(axis=0).tolist() if ages else None,
        spread=wrench.std(axis=0).tolist() if ages else None,
        product=page.product if page else None,
        serial=page.serial if page else None,
        calibration=page.calibration if page else None,
        counts_per_N=page.counts_per_N if page else None,
        counts_per_Nm=page.counts_per_Nm if page else None,
    )


def _find_problems(
    c: Conversation,
    robots: dict[str, RobotSummary],
    sensors: dict[str, SensorSummary],
    seconds: float,
) -> Iterator[Problem]:
    """What does not fit the rig's file, each with what to do."""
    file, limits = c.rig.file, c.rig.limits
    for name, r in robots.items():
        at, stated = f"robots.{name}", c.rig.robots[name]
        if r.telegrams == 0:
            allowed = (
                f"telegrams from {stated.address} to {stated.bind}:{stated.port}: is the KRL "
                "program at RSI_MOVECORR, its Ethernet file this one, the cable in the RSI port?"
            )
            if r.foreign:
                allowed += f" {r.foreign} datagrams came from other addresses and were not taken"
            yield Problem(at, "silent", allowed, file)
            continue
        if r.telegrams + r.lost < HALF * seconds / c.T:
            given = f"{r.telegrams} telegrams in {seconds:g} s"
            allowed = f"one every {1e3 * c.T:g} ms: RSI has ended, or began late; what does the "
            yield Problem(at, given, allowed + "controller's screen say?", file)
        if r.other_senders:
            port = c.peers.ports[name].others[1]
            given = f"{r.other_senders} datagrams from another port of {stated.address}: {port}"
            yield Problem(at, given, "one program that sends as this robot", file)
        if r.malformed:
            allowed = f"telegrams as {c.rig.ethernet[name].file} has them"
            yield Problem(at, f"{r.malformed} telegrams that cannot be read", allowed, file)
        if r.step_ms not in (0, c.rig.clock.cycle_ms):
            allowed = f"{r.step_ms} ms, the step of IPOC: another clock.cycle_ms, or another RSI_ON"
            yield Problem("clock.cycle_ms", c.rig.clock.cycle_ms, allowed, file)
        if r.late_replies >= limits.late_share_of_timeout * stated.timeout_packets:
            allowed = f"fewer than half of Timeout ({stated.timeout_packets}): see rig machine"
            yield Problem(at, f"{r.late_replies} of our replies late", allowed, file)
        if abs(r.drift_ppm) > limits.drift_ppm:
            allowed = f"at most {limits.drift_ppm:g} ppm (limits.drift_ppm)"
            yield Problem(at, f"a clock {r.drift_ppm:.0f} ppm off ours", allowed, file)
        if r.spread_mm is not None and r.spread_mm > MOVES_MM:
            yield Problem(at, f"RIst moves by {r.spread_mm:.2g} mm", "a robot that stands", file)
        if r.stop_asked:
            allowed = f"another value than {stated.stop_value}: the operator's stop is pressed"
            yield Problem(f"{at}.stop_input", stated.stop_input, allowed, file)
    for name, s in sensors.items():
        yield from _find_sensor_problems(c, name, s)


def _find_sensor_problems(c: Conversation, name: str, s: SensorSummary) -> Iterator[Problem]:
    at, stated, file = f"sensors.{name}", c.rig.sensors[name], c.rig.file
    if s.records == 0:
        allowed = f"records from {stated.address}:{stated.port}: is RDT enabled on its page?"
        yield Problem(at, "silent", allowed, file)
        return
    if s.faulty:
        allowed = "records without error and saturation: see the sensor's own page"
        yield Problem(at, f"{s.faulty} faulty records", allowed, file)
    if s.rate_Hz is not None and abs(s.rate_Hz / stated.rate_Hz - 1.0) > OFF_RATE:
        allowed = f"{s.rate_Hz:.0f}, what came (the sensor's page sets it)"
        yield Problem(f"{at}.rate_Hz", stated.rate_Hz, allowed, file)
    if s.age_ms is not None and s.age_ms > c.rig.limits.stale_ms:
        allowed = f"at most limits.stale_ms, {c.rig.limits.stale_ms:g} ms"
        yield Problem(at, f"forces {s.age_ms:.3g} ms old", allowed, file)
