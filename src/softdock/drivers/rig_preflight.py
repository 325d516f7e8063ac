"""Before anything moves: does the run-up fit the box, is the scenario within the speed limits, and
how far apart must the mock-ups be for a dry run?

In: a scenario on a rig. The scenario's own path through a contact is what `rig check` flies in
virtual time; here is what needs no flight.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.arms.facility import Frame
from softdock.core.rig import layout
from softdock.core.seam import COMMAND
from softdock.core.spatial.motion import MOTION, MOTION_FLOATS
from softdock.core.wire import doors
from softdock.drivers.docking import motion_in
from softdock.drivers.rig_limits import plan_of
from softdock.drivers.rig_scenario import OnRig
from softdock.errors import BadInput, Problem
from softdock.runs.controller import Controller
from softdock.runs.stepper import cycle_count

MARGIN_M = 0.02  # of a dry run, beyond where the free flight ends
INTO = 0.2  # of the way out, along the approach: beyond, it leads in
POINTS = 25  # of the run-up, that are looked at
Three = tuple[float, float, float]
NO_SHIFT: Three = (0.0, 0.0, 0.0)


def _starts(on: OnRig) -> list[np.ndarray]:
    command = Controller(on.scenario).first_command()
    at = COMMAND.at.chaser
    return [command[at + i * MOTION_FLOATS :][:MOTION_FLOATS] for i in range(2)]


def dry_shift(on: OnRig, clearance_m: float | None = None) -> Three:
    """How far the chaser's mock-up stays back [m, orbit's axes]: beyond where a free flight ends,
    or a stated clearance."""
    chaser, target = _starts(on)
    closing = chaser[MOTION.slice_of("v")] - target[MOTION.slice_of("v")]
    speed = float(np.linalg.norm(closing))
    duration = cycle_count(on.scenario) * on.rig.cycle_s
    back = -closing / speed if speed > 0.0 else np.array(on.rig.stop.axis)
    way = speed * duration + MARGIN_M if clearance_m is None else clearance_m
    x, y, z = (float(v) for v in way * back / np.linalg.norm(back))
    return x, y, z


def in_base(on: OnRig, which: str, p: tuple[float, ...], q: tuple[float, ...]) -> Frame:
    """What RIst tells where the mock-up's centre of mass is at a pose in orbit's axes."""
    mount = on.facility.robots().get(which)
    if mount is None:
        return Frame(p, q)
    base = on.facility.orbit.back().then(mount.base)
    return base.back().then(Frame(p, q)).then(mount.satellite.back())


def energy_bound(on: OnRig) -> float:
    """Kinetic energy [J] that the pair may have after its first contact."""
    controller, tables = Controller(on.scenario), on.scenario.tables
    energy, limits = controller.kinetic_J, on.rig.limits
    if not (tables["chaser"]["fixed"] or tables["target"]["fixed"]):
        masses = [
            np.broadcast_to(tables[n]["mass_kg"], 3).astype(float) for n in ("chaser", "target")
        ]
        v = [start[MOTION.slice_of("v")] for start in _starts(on)]
        momentum = masses[0] * v[0] + masses[1] * v[1]
        energy -= float(np.sum(0.5 * momentum**2 / (masses[0] + masses[1])))
    return limits.restitution**2 * energy + limits.energy_floor_J


def _stands_back(on: OnRig, which: str, shift: Three) -> np.ndarray:
    """The chaser in a dry run; without a robot of its own, the target the other way."""
    if "chaser" in on.rig.moving:
        return np.array(shift) if which == "chaser" else np.zeros(3)
    return -np.array(shift)


def _box_problems(on: OnRig, which: str, start: np.ndarray, shift: Three) -> list[Problem]:
    robot, at = on.rig.robots[which], layout.PLAN.at
    plan = plan_of(on, Controller(on.scenario).first_command(), 1, layout.DOCK, shift, False)
    longest = 0.5 * plan[at.ramp] + plan[at.settle]
    for s in np.linspace(-longest, 0.0, POINTS):
        motion = doors.coast(motion_in(start), float(s))
        p = np.array(motion.p) + _stands_back(on, which, shift)
        place = in_base(on, which, tuple(map(float, p)), tuple(map(float, motion.q))).p
        low, high = robot.box_min_m, robot.box_max_m
        if any(not a <= v <= b for a, v, b in zip(low, place, high)):
            said = [round(float(v), 6) for v in place]
            where = f"the run-up {-s:.2f} s before the start is at {said} m in the robot's base"
            allowed = f"a box that holds it: {where}; move the base, the box or the scenario"
            below = any(v < a for a, v in zip(low, place))
            key, given = ("box_min_m", low) if below else ("box_max_m", high)
            return [Problem(f"robots.{which}.{key}", list(given), allowed, on.rig.file)]
    return []


def _way_out_problems(on: OnRig) -> list[Problem]:
    """The chaser's way out must not lead further into the target: a stop without a force that can
    be believed, and `rig retreat`, go along it."""
    chaser, target = (start[MOTION.slice_of("v")] for start in _starts(on))
    closing, axis = chaser - target, np.array(on.rig.stop.axis)
    along = float(closing @ axis)
    if along <= INTO * float(np.linalg.norm(closing) * np.linalg.norm(axis)):
        return []
    back = [round(float(v), 3) + 0.0 for v in -closing / np.linalg.norm(closing)]
    allowed = f"a way out of the target: the chaser of the scenario comes from {back}"
    return [Problem("stop.axis", list(on.rig.stop.axis), allowed, on.rig.file)]


def refuse_impossible(on: OnRig, shift: Three = NO_SHIFT) -> None:
    """Raise `BadInput` with everything that would stop the run before its first contact."""
    problems, limits = _way_out_problems(on), on.rig.limits
    for which, start in zip(("chaser", "target"), _starts(on)):
        if which not in on.rig.moving:
            continue
        speed = float(np.linalg.norm(start[MOTION.slice_of("v")]))
        rate = float(np.linalg.norm(start[MOTION.slice_of("w")]))
        if speed > limits.speed_m_per_s:
            allowed = f"at least {speed:g}: the {which} of the scenario starts so fast"
            problems.append(Problem("limits.speed_m_per_s", limits.speed_m_per_s, allowed))
        if rate > limits.rate_rad_per_s:
            allowed = f"at least {rate:g}: the {which} of the scenario starts so fast"
            problems.append(Problem("limits.rate_rad_per_s", limits.rate_rad_per_s, allowed))
        problems += _box_problems(on, which, start, shift)
    if not math.isfinite(energy_bound(on)):
        problems.append(Problem("limits.restitution", limits.restitution, "a finite bound"))
    if problems:
        raise BadInput(problems)
