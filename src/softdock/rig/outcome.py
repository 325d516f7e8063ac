"""What a run of a rig came to, and warnings of what did not stop it: from its program alone."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.loop.instants import NS
from softdock.recording.event_text import fill_text
from softdock.results.run import list_contacts
from softdock.rig.program import NAMES, RigProgram
from softdock.rig.supervisor.forces import WINDOW_S
from softdock.rig.supervisor.layout import (
    COUNT,
    ROBOT_COUNT,
    ROBOT_VALUE,
    SENSOR_COUNT,
    SENSOR_VALUE,
    SENSOR_VALUE_CELLS,
    VALUE,
)
from softdock.rig.wire.clocks import UNFIT
from softdock.rig.wire.links import OTHER_PORT, OTHER_SENDERS, SENDER_PORT

# Clocks that were set, programs that meddle, counts that began anew, and a sensor's zero that is
# not where it was: in free flight a sensor should feel nothing.

OF_TOUCH = 0.1  # of limits.touch_N: a zero that is further off is said
SPREADS = 4.0  # of the difference of two means: what noise alone may show
APART_S = 0.5  # between two windows, for a rate of drift


def find_warnings(program: RigProgram) -> tuple[str, ...]:
    """All of them, as far as this run has come."""
    lines = [*_warn_of_computer(program)]
    for which in program.names:
        lines += _warn_of_robot(program, which)
    for which in program.sensors:
        lines += _warn_of_sensor(program, which)
    return tuple(lines)


def _warn_of_computer(program: RigProgram) -> list[str]:
    times = int(program.arrays.counts[COUNT.wall_set])
    step = float(program.arrays.values[VALUE.wall_step])
    lines, unfit = [], int(program.arrays.wall[UNFIT])
    if unfit:
        lines.append(
            f"{unfit} time stamps of this computer's kernel fit no reading of its wall clock; "
            "those datagrams count from when they were read"
        )
    if not times:
        return lines
    how = fill_text("{a:set}", step, 0.0)
    often = f"{times} times, the last time {how}" if times > 1 else how
    return [
        f"this computer's wall clock was set {often}; the run counts by its monotonic clock and "
        "does not depend on it",
        *lines,
    ]


def _warn_of_robot(program: RigProgram, which: str) -> list[str]:
    lines, sender = [], program.arrays.senders[NAMES.index(which)]
    if sender[OTHER_SENDERS]:
        lines.append(
            f"a second program sent {sender[OTHER_SENDERS]} telegrams from the address of the "
            f"{which}'s robot, the last from port {sender[OTHER_PORT]}; only port "
            f"{sender[SENDER_PORT]} was answered"
        )
    if program.robots[which].counts_telegrams:
        cycle = program.on.rig.clock.cycle_ms
        lines.append(
            f"IPOC of the {which}'s robot steps by 1 every {cycle:g} ms: it counts telegrams, not "
            "ms as a KUKA controller does, and was taken so"
        )
    return lines


def _warn_of_sensor(program: RigProgram, which: str) -> list[str]:
    at = NAMES.index(which)
    counts, lines = program.arrays.sensor_counts[at], []
    if counts[SENSOR_COUNT.renewed]:
        lines.append(
            f"the count of the {which}'s sensor began anew {counts[SENSOR_COUNT.renewed]} times"
        )
    return lines + _warn_of_zero(program, which)


def _warn_of_zero(program: RigProgram, which: str) -> list[str]:
    """A zero that is off: by the mean forces of the first and the last window of free flight."""
    at = NAMES.index(which)
    counts, values = program.arrays.sensor_counts[at], program.arrays.sensor_values[at]
    if not counts[SENSOR_COUNT.first_ns]:
        return []
    cells = SENSOR_VALUE_CELLS
    first, last = (np.array(values[cells.slice_of(n)]) for n in ("first_free", "last_free"))
    samples = max(1.0, WINDOW_S / program.on.rig.cycle_s)
    noise = SPREADS * float(values[SENSOR_VALUE.spread]) * math.sqrt(2.0 / samples)
    most = max(OF_TOUCH * program.on.rig.limits.touch_N, noise)
    sizes = [float(np.linalg.norm(f)) for f in (first, last, last - first)]
    if max(sizes) <= most:
        return []
    after = [
        NS * float(counts[a] - counts[SENSOR_COUNT.zero_ns])
        for a in (SENSOR_COUNT.first_ns, SENSOR_COUNT.last_ns)
    ]
    text = (
        f"the zero of the {which}'s sensor is off: in free flight, where it should feel nothing, "
    )
    text += f"{sizes[0]:.3g} N {after[0]:.2f} s after it was taken"
    if after[1] - after[0] >= APART_S:
        rate = sizes[2] / (after[1] - after[0])
        text += f" and {sizes[1]:.3g} N after {after[1]:.2f} s: {rate:.2g} N/s"
    return [text]


@dataclass(frozen=True)
class RobotOutcome:
    """One robot."""

    name: str
    telegrams: int
    lost: int
    overtaken: int  # of the lost: that came after a newer one
    late: int  # replies, as its controller counts them
    malformed: int
    poses_held_back: int
    gated: int  # replies that the last gate held back
    largest_step_mm: float  # between two replies
    largest_error_mm: float  # from where it was sent
    drift_ppm: float


@dataclass(frozen=True)
class RigOutcome:
    """One run. Energies in J; `reason` is a name of rig/supervisor/reasons.py."""

    completed: bool
    state: str
    reason: str
    why: str
    cycles: int
    cycles_planned: int
    caught_up: int  # cycles that ran without a telegram of their own
    contacts: int
    restitution: float | None  # of the first contact that has closed
    kinetic_before_J: float
    kinetic_most_J: float  # from a contact on, of what was sent to the robots
    kinetic_bound_J: float  # of that contact: the one that came nearest to its bound
    observed_J: float
    observed_bound_J: float
    peak_force_N: float
    force_age_ms: float | None  # mean in contact
    force_age_most_ms: float
    forces_held_back: int
    samples_lost: int
    slowest_us: float
    checks_failed: dict[str, int]
    warnings: tuple[str, ...]  # what stopped nothing and should be known
    unanswered: bool  # a stop ended because robots no longer sent
    robots: tuple[RobotOutcome, ...]

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @property
    def was_late(self) -> bool:
        """Whether telegrams were lost or answered late: then ages are not all that differs."""
        return self.caught_up > 0 or any(r.lost or r.late for r in self.robots)


def _compute_robot_outcome(program: RigProgram, name: str) -> RobotOutcome:
    which = NAMES.index(name)
    counts, values = program.arrays.robot_counts[which], program.arrays.robot_values[which]
    link = program.robots[name].counts()
    return RobotOutcome(
        name=name,
        telegrams=int(link["heard"]),
        lost=int(link["lost"]),
        overtaken=int(link["old"]),
        late=int(link["late_replies"]),
        malformed=int(link["malformed"]),
        poses_held_back=int(counts[ROBOT_COUNT.jumps]),
        gated=int(counts[ROBOT_COUNT.blocked]),
        largest_step_mm=1e3 * float(values[ROBOT_VALUE.largest_step]),
        largest_error_mm=1e3 * float(values[ROBOT_VALUE.largest_error]),
        drift_ppm=float(link["drift_ppm"]),
    )


def compute_outcome(program: RigProgram) -> RigOutcome:
    """From the arrays of a program that has ended, or has not."""
    counts, values, controller = program.arrays.counts, program.arrays.values, program.controller
    rows = list_contacts(controller.log, controller.contact_count)
    closed = [r["restitution"] for r in rows if r["restitution"] == r["restitution"]]
    age = program.mean_age_s
    observed = values[VALUE.observed_run] + (
        max(0.0, values[VALUE.observed_contact]) if program.state != "stopped" else 0.0
    )
    return RigOutcome(
        completed=program.is_fine,
        state=program.state,
        reason=program.reason,
        why=program.why,
        cycles=int(counts[COUNT.cycles]),
        cycles_planned=program.total,
        caught_up=int(counts[COUNT.caught_up]),
        contacts=int(counts[COUNT.contacts]),
        restitution=float(closed[0]) if closed else None,
        kinetic_before_J=float(values[VALUE.kinetic_first]),
        kinetic_most_J=float(values[VALUE.kinetic_most]),
        kinetic_bound_J=float(values[VALUE.kinetic_most_bound]),
        observed_J=float(observed),
        observed_bound_J=float(values[VALUE.observed_bound]),
        peak_force_N=float(values[VALUE.peak_force]),
        force_age_ms=None if age is None else 1e3 * age,
        force_age_most_ms=1e3 * float(values[VALUE.age_most]),
        forces_held_back=int(counts[COUNT.implausible]),
        samples_lost=sum(int(s.counts()["lost"]) for s in program.sensors.values()),
        slowest_us=1e6 * float(values[VALUE.compute_most]),
        checks_failed=program.counts(),
        warnings=find_warnings(program),
        unanswered=bool(counts[COUNT.unanswered]),
        robots=tuple(_compute_robot_outcome(program, name) for name in program.names),
    )
