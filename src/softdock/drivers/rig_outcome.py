"""What a run of a rig came to: numbers from its program alone."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from softdock.core.rig import layout
from softdock.drivers.rig_program import NAMES, RigProgram
from softdock.drivers.rig_warnings import warnings_of
from softdock.runs.run import contact_rows

S, V = layout.STAND.at, layout.SEEN.at
RS, RV = layout.ROBOT_STAND.at, layout.ROBOT_SEEN.at


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
    """One run. Energies in J; `reason` is a name of core/rig/reasons.py."""

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


def _robot(program: RigProgram, name: str) -> RobotOutcome:
    which = NAMES.index(name)
    stand, seen = program.arrays.robot_stand[which], program.arrays.robot_seen[which]
    counts = program.robots[name].counts()
    return RobotOutcome(
        name=name,
        telegrams=int(counts["heard"]),
        lost=int(counts["lost"]),
        overtaken=int(counts["old"]),
        late=int(counts["late_replies"]),
        malformed=int(counts["malformed"]),
        poses_held_back=int(stand[RS.jumps]),
        gated=int(stand[RS.gated]),
        largest_step_mm=1e3 * float(seen[RV.largest_step]),
        largest_error_mm=1e3 * float(seen[RV.largest_error]),
        drift_ppm=float(counts["drift_ppm"]),
    )


def outcome_of(program: RigProgram) -> RigOutcome:
    """From the arrays of a program that has ended, or has not."""
    stand, seen, controller = program.arrays.stand, program.arrays.seen, program.controller
    rows = contact_rows(controller.log, controller.contact_count)
    closed = [r["restitution"] for r in rows if r["restitution"] == r["restitution"]]
    age = program.mean_age_s
    observed = seen[V.observed_run] + (
        max(0.0, seen[V.observed_contact]) if program.state != "stopped" else 0.0
    )
    return RigOutcome(
        completed=program.is_fine,
        state=program.state,
        reason=program.reason,
        why=program.why,
        cycles=int(stand[S.k]),
        cycles_planned=program.total,
        caught_up=int(stand[S.caught_up]),
        contacts=int(stand[S.contacts]),
        restitution=float(closed[0]) if closed else None,
        kinetic_before_J=float(seen[V.kinetic_first]),
        kinetic_most_J=float(seen[V.kinetic_most]),
        kinetic_bound_J=float(seen[V.kinetic_most_bound]),
        observed_J=float(observed),
        observed_bound_J=float(seen[V.observed_bound]),
        peak_force_N=float(seen[V.peak_force]),
        force_age_ms=None if age is None else 1e3 * age,
        force_age_most_ms=1e3 * float(seen[V.age_most]),
        forces_held_back=int(stand[S.implausible]),
        samples_lost=sum(int(s.counts()["lost"]) for s in program.sensors.values()),
        slowest_us=1e6 * float(seen[V.compute_most]),
        checks_failed=program.counts(),
        warnings=warnings_of(program),
        unanswered=bool(stand[S.unanswered]),
        robots=tuple(_robot(program, name) for name in program.names),
    )
