"""A scenario on a rig before anything moves: refused where it cannot fit, else simulated in virtual
time through the bytes, and judged.

In: a scenario on a rig, the age of its forces as measured (`sensors.X.delay_ms`, by `softdock rig
delay`). Out: what the run should come to: restitution, energy, peak force, where each robot goes in
its box, and whether the supervisor would stop it. The age acts as delay of the robots, which the
loop cannot tell apart; the virtual sensor is in phase and has none of its own. A real rig is
emulated for this: same limits, frames, cycle and delays, addresses of nobody. Refused: a motion
that leaves the box or PosCorr's limits, speeds beyond the limits, arms that cannot do it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.facility import Frame
from softdock.loop.spatial.motion import Motion
from softdock.results.controller import Controller
from softdock.results.stepper import count_cycles
from softdock.rig.drivers.emulation import Faults, parse_faults
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.emulated_rig import VirtualRig, compute_start_motions, make_emulation
from softdock.rig.model import ROBOTS, Rig
from softdock.rig.outcome import RigOutcome, compute_outcome
from softdock.rig.scenario import OnRig, compute_first_command, make_plan
from softdock.rig.schema import Emulate
from softdock.rig.supervisor import layout
from softdock.rig.wire import entry_points
from softdock.studies.placement.check import Check, check_run
from softdock.studies.placement.motion import load_motion

# Before anything moves: does the run-up fit the box, is the scenario within the speed limits, and
# how far apart must the mock-ups be for a dry run?
#
# In: a scenario on a rig. The scenario's own path through a contact is what `rig check` flies in
# virtual time; here is what needs no flight.

MARGIN_M = 0.02  # of a dry run, beyond where the free flight ends
INTO = 0.2  # of the way out, along the approach: beyond, it leads in
POINTS = 25  # of the run-up, that are looked at
Three = tuple[float, float, float]
NO_SHIFT: Three = (0.0, 0.0, 0.0)


def compute_dry_shift(on: OnRig, clearance_m: float | None = None) -> Three:
    """How far the chaser's mock-up stays back [m, orbit's axes]: beyond where a free flight ends,
    or a stated clearance."""
    chaser, target = compute_start_motions(on.scenario)
    closing = np.subtract(chaser.v, target.v)
    speed = float(np.linalg.norm(closing))
    duration = count_cycles(on.scenario) * on.rig.cycle_s
    back = -closing / speed if speed > 0.0 else np.array(on.rig.stop.axis)
    way = speed * duration + MARGIN_M if clearance_m is None else clearance_m
    x, y, z = (float(v) for v in way * back / np.linalg.norm(back))
    return x, y, z


def locate_in_base(on: OnRig, which: str, p: tuple[float, ...], q: tuple[float, ...]) -> Frame:
    """What RIst tells where the mock-up's centre of mass is at a pose in orbit's axes."""
    mount = on.facility.robots().get(which)
    if mount is None:
        return Frame(p, q)
    base = on.facility.orbit.back().then(mount.base)
    return base.back().then(Frame(p, q)).then(mount.satellite.back())


def compute_energy_bound(on: OnRig) -> float:
    """Kinetic energy [J] that the pair may have after its first contact."""
    controller, tables = Controller(on.scenario), on.scenario.tables
    energy, limits = controller.kinetic_J, on.rig.limits
    if not (tables["chaser"]["fixed"] or tables["target"]["fixed"]):
        masses = [
            np.broadcast_to(tables[n]["mass_kg"], 3).astype(float) for n in ("chaser", "target")
        ]
        v = [np.array(start.v) for start in compute_start_motions(on.scenario)]
        momentum = masses[0] * v[0] + masses[1] * v[1]
        energy -= float(np.sum(0.5 * momentum**2 / (masses[0] + masses[1])))
    return limits.restitution**2 * energy + limits.energy_floor_J


def _compute_shift(on: OnRig, which: str, shift: Three) -> np.ndarray:
    """The chaser in a dry run; without a robot of its own, the target the other way."""
    if "chaser" in on.rig.moving:
        return np.array(shift) if which == "chaser" else np.zeros(3)
    return -np.array(shift)


def _find_box_problems(on: OnRig, which: str, start: Motion, shift: Three) -> list[Problem]:
    robot, at = on.rig.robots[which], layout.PLAN
    plan = make_plan(on, compute_first_command(on.scenario), 1, layout.DOCK, shift, False)
    longest = 0.5 * plan[at.ramp] + plan[at.settle]
    for s in np.linspace(-longest, 0.0, POINTS):
        motion = entry_points.coast(start, float(s))
        p = np.array(motion.p) + _compute_shift(on, which, shift)
        place = locate_in_base(on, which, tuple(map(float, p)), tuple(map(float, motion.q))).p
        low, high = robot.box_min_m, robot.box_max_m
        if any(not a <= v <= b for a, v, b in zip(low, place, high)):
            place_m = [round(float(v), 6) for v in place]
            where = f"the run-up {-s:.2f} s before the start is at {place_m} m in the robot's base"
            allowed = f"a box that holds it: {where}; move the base, the box or the scenario"
            below = any(v < a for a, v in zip(low, place))
            key, given = ("box_min_m", low) if below else ("box_max_m", high)
            return [Problem(f"robots.{which}.{key}", list(given), allowed, on.rig.file)]
    return []


def _find_way_out_problems(on: OnRig) -> list[Problem]:
    """The chaser's way out must not lead further into the target: a stop without a force that can
    be believed, and `rig retreat`, go along it."""
    chaser, target = compute_start_motions(on.scenario)
    closing, axis = np.subtract(chaser.v, target.v), np.array(on.rig.stop.axis)
    along = float(closing @ axis)
    if along <= INTO * float(np.linalg.norm(closing) * np.linalg.norm(axis)):
        return []
    back = [round(float(v), 3) + 0.0 for v in -closing / np.linalg.norm(closing)]
    allowed = f"a way out of the target: the chaser of the scenario comes from {back}"
    return [Problem("stop.axis", list(on.rig.stop.axis), allowed, on.rig.file)]


def refuse_impossible(on: OnRig, shift: Three = NO_SHIFT) -> None:
    """Raise `BadInput` with everything that would stop the run before its first contact."""
    problems, limits = _find_way_out_problems(on), on.rig.limits
    for which, start in zip(("chaser", "target"), compute_start_motions(on.scenario)):
        if which not in on.rig.moving:
            continue
        speed = float(np.linalg.norm(start.v))
        rate = float(np.linalg.norm(start.w))
        if speed > limits.speed_m_per_s:
            allowed = f"at least {speed:g}: the {which} of the scenario starts so fast"
            problems.append(Problem("limits.speed_m_per_s", limits.speed_m_per_s, allowed))
        if rate > limits.rate_rad_per_s:
            allowed = f"at least {rate:g}: the {which} of the scenario starts so fast"
            problems.append(Problem("limits.rate_rad_per_s", limits.rate_rad_per_s, allowed))
        problems += _find_box_problems(on, which, start, shift)
    if not math.isfinite(compute_energy_bound(on)):
        problems.append(Problem("limits.restitution", limits.restitution, "a finite bound"))
    if problems:
        raise BadInput(problems)


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
            "summary": self.sentences(),
        }

    def sentences(self) -> list[str]:
        """In words, from this flight."""
        o = self.outcome
        lines = []
        if o.completed:
            lines.append("The run should complete: no limit stops it in virtual time.")
        else:
            lines.append(f"The supervisor would stop it: {o.why}")
        if o.restitution is not None:
            lines.append(
                f"Restitution {o.restitution:.6f}; energy observed {1e3 * o.observed_J:.3f} mJ of "
                f"{1e3 * o.observed_bound_J:.3f}, kinetic at most {1e3 * o.kinetic_most_J:.3f} mJ "
                f"of {1e3 * o.kinetic_bound_J:.3f}; force at most {o.peak_force_N:.3f} N."
            )
        elif o.contacts == 0:
            lines.append("The mock-ups do not touch.")
        if self.force_age_ms is None:
            lines.append("The age of the forces is not known: `softdock rig delay` measures it.")
        else:
            lines.append(f"With forces {self.force_age_ms:.3f} ms old, as the rig file says.")
        return lines


def copy_as_virtual(rig: Rig) -> Rig:
    """The same rig with nobody at its addresses: for virtual time, also where it is real."""
    if rig.emulate is not None:
        return rig
    sensors = {w: replace(s, address=LOOPBACK, bind=LOOPBACK) for w, s in rig.sensors.items()}
    return replace(rig, sensors=sensors, emulate=Emulate())


def get_force_age_ms(rig: Rig) -> float | None:
    """The age of the forces, as stated."""
    known = [s.delay_ms for s in rig.sensors.values() if s.delay_ms is not None]
    return max(known) if known else None


def _add_force_age(on: OnRig, rig: Rig) -> OnRig:
    """With the forces' age as more delay of the robots."""
    age = get_force_age_ms(rig)
    if not age:
        return replace(on, rig=rig)
    stated = on.scenario.tables["robots"]
    keys = {f"robots.{w}.delay_ms": stated[w]["delay_ms"] + age for w in ROBOTS}
    robots = {
        w: r if r.delay_ms is None else replace(r, delay_ms=r.delay_ms + age)
        for w, r in rig.robots.items()
    }
    return replace(on, rig=replace(rig, robots=robots), scenario=on.scenario.replace(keys))


def check_rig(on: OnRig, faults: str = "", seed: int = 0, folder: Path | None = None) -> RigCheck:
    """Fly it in virtual time. Raises `BadInput` where the motion cannot be had at all."""
    refuse_impossible(on)
    arms = _check_arms(on, folder)
    aged = _add_force_age(on, copy_as_virtual(on.rig))
    wrong: Faults | None = parse_faults(faults, seed) if faults else None
    flown = VirtualRig(aged, wrong, emulation=make_emulation(aged, wrong))
    flown.run()
    outcome = compute_outcome(flown.program)
    _refuse_outside(on, outcome)
    return RigCheck(outcome, get_force_age_ms(on.rig), arms)


def _refuse_outside(on: OnRig, outcome: RigOutcome) -> None:
    if outcome.reason in OUTSIDE:
        allowed = f"a box, limits and a scenario that fit: {outcome.why}"
        raise BadInput(Problem(f"robots.*.{outcome.reason}", outcome.reason, allowed, on.rig.file))


def _check_arms(on: OnRig, folder: Path | None) -> Check | None:
    """The joints of the arms that are described, on orbit's own motion."""
    mounts = on.facility.robots()
    if not mounts or not all(m.arm for m in mounts.values()):
        return None
    found = check_run(on.facility, load_motion(on.scenario), on.scenario.tables, folder)
    if not found.fits:
        raise BadInput(found.problems())
    return found
