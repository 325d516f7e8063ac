"""A scenario on a rig before anything moves: flown in virtual time through the bytes, and judged.

In: a scenario on a rig, the age of its forces as measured (`sensors.X.delay_ms`, by `softdock rig
delay`). Out: what the run should come to: restitution, energy, peak force, where each robot goes in
its box, and whether the supervisor would stop it. The age acts as delay of the robots, which the
loop cannot tell apart; the virtual sensor is in phase and has none of its own. A real rig is
emulated for this: same limits, frames, cycle and delays, addresses of nobody. Refused: a motion
that leaves the box or PosCorr's limits, speeds beyond the limits, arms that cannot do it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from softdock.drivers.faults import Faults, parse_faults
from softdock.drivers.rig_emulation import emulation_of
from softdock.drivers.rig_model import ROBOTS, Rig
from softdock.drivers.rig_outcome import RigOutcome, outcome_of
from softdock.drivers.rig_preflight import refuse_impossible
from softdock.drivers.rig_scenario import OnRig
from softdock.drivers.rig_schema import Emulate
from softdock.drivers.rig_virtual import VirtualRig
from softdock.drivers.sockets import LOOPBACK
from softdock.errors import BadInput, Problem
from softdock.placement.check import Check, check_run
from softdock.placement.motion import motion_of

OUTSIDE = ("box", "correction", "angle")  # reasons: refused, not predicted


@dataclass(frozen=True)
class RigCheck:
    """What was found."""

    outcome: RigOutcome
    force_age_ms: float | None  # as stated; None: not measured yet
    arms: Check | None  # None: no arm is described

    def to_dict(self) -> dict[str, Any]:
        return {
            "predicted": self.outcome.to_dict(),
            "force_age_ms": self.force_age_ms,
            "arms_fit": None if self.arms is None else self.arms.fits,
            "verdict": self.sentences(),
        }

    def sentences(self) -> list[str]:
        """In words, from this flight."""
        o = self.outcome
        said = []
        if o.completed:
            said.append("The run should complete: no limit stops it in virtual time.")
        else:
            said.append(f"The supervisor would stop it: {o.why}")
        if o.restitution is not None:
            said.append(
                f"Restitution {o.restitution:.6f}; energy observed {1e3 * o.observed_J:.3f} mJ of "
                f"{1e3 * o.observed_bound_J:.3f}, kinetic at most {1e3 * o.kinetic_most_J:.3f} mJ "
                f"of {1e3 * o.kinetic_bound_J:.3f}; force at most {o.peak_force_N:.3f} N."
            )
        elif o.contacts == 0:
            said.append("The mock-ups do not touch.")
        if self.force_age_ms is None:
            said.append("The age of the forces is not known: `softdock rig delay` measures it.")
        else:
            said.append(f"With forces {self.force_age_ms:.3f} ms old, as the rig file says.")
        return said


def virtual_copy(rig: Rig) -> Rig:
    """The same rig with nobody at its addresses: for virtual time, also where it is real."""
    if rig.emulate is not None:
        return rig
    sensors = {w: replace(s, address=LOOPBACK, bind=LOOPBACK) for w, s in rig.sensors.items()}
    return replace(rig, sensors=sensors, emulate=Emulate())


def force_age_ms(rig: Rig) -> float | None:
    """The age of the forces, as stated."""
    known = [s.delay_ms for s in rig.sensors.values() if s.delay_ms is not None]
    return max(known) if known else None


def _aged(on: OnRig, rig: Rig) -> OnRig:
    """With the forces' age as more delay of the robots."""
    age = force_age_ms(rig)
    if not age:
        return replace(on, rig=rig)
    stated = on.scenario.tables["robots"]
    keys = {f"robots.{w}.delay_ms": stated[w]["delay_ms"] + age for w in ROBOTS}
    robots = {
        w: r if r.delay_ms is None else replace(r, delay_ms=r.delay_ms + age)
        for w, r in rig.robots.items()
    }
    return replace(on, rig=replace(rig, robots=robots), scenario=on.scenario.with_keys(keys))


def check_rig(on: OnRig, faults: str = "", seed: int = 0, folder: Path | None = None) -> RigCheck:
    """Fly it in virtual time. Raises `BadInput` where the motion cannot be had at all."""
    refuse_impossible(on)
    arms = _check_arms(on, folder)
    aged = _aged(on, virtual_copy(on.rig))
    wrong: Faults | None = parse_faults(faults, seed) if faults else None
    flown = VirtualRig(aged, wrong, emulation=emulation_of(aged, wrong))
    flown.run()
    outcome = outcome_of(flown.program)
    _refuse_outside(on, outcome)
    return RigCheck(outcome, force_age_ms(on.rig), arms)


def _refuse_outside(on: OnRig, outcome: RigOutcome) -> None:
    if outcome.reason in OUTSIDE:
        allowed = f"a box, limits and a scenario that fit: {outcome.why}"
        raise BadInput(Problem(f"robots.*.{outcome.reason}", outcome.reason, allowed, on.rig.file))


def _check_arms(on: OnRig, folder: Path | None) -> Check | None:
    """The joints of the arms that are described, on orbit's own motion."""
    mounts = on.facility.robots()
    if not mounts or not all(m.arm for m in mounts.values()):
        return None
    found = check_run(on.facility, motion_of(on.scenario), on.scenario.tables, folder)
    if not found.fits:
        raise BadInput(found.problems())
    return found
