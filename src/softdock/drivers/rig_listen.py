"""What was heard of a rig, in numbers: rates, ages, clocks, scale; and what does not fit its file.

In: a `Conversation` that has listened. Out: `Heard`, one row per robot and per sensor, and problems
with what to do about each. Nothing moves: every telegram was answered with zero corrections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softdock.core.instants import NS
from softdock.drivers.rig_conversation import Conversation, Row
from softdock.drivers.rig_peers import SENSOR
from softdock.errors import Problem

FEWEST = 50  # telegrams before a rate is judged: the step of IPOC is learnt from as many gaps
HALF = 0.5  # of the telegrams that should have come
OFF_RATE = 0.02  # of the stated rate
MOVES_MM = 0.05  # spread of RIst of a robot that stands


@dataclass(frozen=True)
class HeardRobot:
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
class HeardSensor:
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
class Heard:
    """All of it."""

    seconds: float
    robots: dict[str, HeardRobot]
    sensors: dict[str, HeardSensor]
    problems: list[Problem]

    def to_dict(self) -> dict[str, Any]:
        made = asdict(self)
        made["problems"] = [str(p) for p in self.problems]
        return made


def heard(conversation: Conversation, seconds: float) -> Heard:
    """Everything that a conversation has heard."""
    c = conversation
    robots = {name: _robot(c, name) for name in c.peers.robots}
    sensors = {name: _sensor(c, name, seconds) for name in c.peers.sensors}
    return Heard(seconds, robots, sensors, [*_problems(c, robots, sensors, seconds)])


def _rate(rows: list[Row]) -> float | None:
    if len(rows) < FEWEST:
        return None
    return (len(rows) - 1) / (NS * (rows[-1].stamp_ns - rows[0].stamp_ns))


def _robot(c: Conversation, name: str) -> HeardRobot:
    rows, link = c.rows[name], c.peers.robots[name]
    counts, settled = link.counts(), rows[len(rows) // 4 :]
    late = [1e-3 * (r.arrival_ns - r.stamp_ns) for r in settled]
    places = np.array([r.measured[:3] for r in settled])
    master, phase = c.peers.robots[c.rig.clock.master], None
    if rows and master.ipoc > 0:
        phase = (1e3 * NS * (link.stamp_ns - master.stamp_ns)) % (1e3 * c.T)
    first = c.late_at_first.get(name, 0)
    return HeardRobot(
        telegrams=len(rows),
        rate_Hz=_rate(rows),
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


def _sensor(c: Conversation, name: str, seconds: float) -> HeardSensor:
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
    return HeardSensor(
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


def _problems(
    c: Conversation,
    robots: dict[str, HeardRobot],
    sensors: dict[str, HeardSensor],
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
            allowed = f"{r.step_ms} ms, the step of IPOC: another clock.mode, or another RSI_ON"
            yield Problem("clock.mode", c.rig.clock.mode, allowed, file)
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
        yield from _sensor_problems(c, name, s)


def _sensor_problems(c: Conversation, name: str, s: HeardSensor) -> Iterator[Problem]:
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
