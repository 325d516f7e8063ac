"""Tool, bias and delays of a rig, measured in free space by the code that reads logs.

`turn` turns the flange that carries a sensor, `tools_found` fits weight, centre and bias to the
readings at rest, as `softdock calibrate` does with a log; `sway` lets each robot sway,
`delays_found` finds the shift from set-points to measured poses. Estimates have standard
uncertainties. The delay found is from the instant that a set-point is meant for to the pose that
RIst tells: a pose that is itself old cannot be told from a robot that is late. The force's age is
what the clocks say: a latency that every record has cannot be told from the sensor's clock being
behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.arms.facility import Frame
from softdock.core.wire import doors
from softdock.drivers.rig_conversation import Conversation, Path
from softdock.drivers.rig_listen import heard
from softdock.drivers.rig_moves import Sways, Turns, fits
from softdock.drivers.rig_scenario import OnRig
from softdock.drivers.rig_series import series_of
from softdock.errors import BadInput, Problem, SoftdockError
from softdock.identification.calibration import Calibration
from softdock.identification.delays import is_structured, robot_following
from softdock.identification.estimate import Estimate
from softdock.identification.log import read_log
from softdock.identification.rest_attitudes import calibrated

QUICK = 0.8  # of the largest rate allowed
SETTLED_S = 0.2  # longer than a robot's delay
Say = Callable[[str], None]


class Halted(SoftdockError):
    """A measurement that stood still before its end; the message says why."""


def _listened(conversation: Conversation, say: Say) -> dict[str, list[float]]:
    """Every robot and sensor heard and standing: where each robot stands (RIst)."""
    rig = conversation.rig
    say(f"listening for {rig.run_up.listen_s:g} s")
    conversation.listen(rig.run_up.listen_s)
    found = heard(conversation, rig.run_up.listen_s)
    if found.problems:
        raise BadInput(found.problems)
    return {name: robot.pose_mm_deg for name, robot in found.robots.items()}


def _followed(conversation: Conversation, paths: dict[str, Path]) -> None:
    reason = conversation.follow(paths)
    if reason:
        raise Halted(f"stood still before the end: {reason}")


def turn(on: OnRig, conversation: Conversation, angle_deg: float, hold_s: float, say: Say) -> None:
    """Turn every sensor whose robot can, for `tools_found`."""
    rig = on.rig
    if not _carriers(on):
        allowed = "a sensor on a robot: one that stands in the room cannot be turned"
        raise BadInput(Problem("sensors", sorted(rig.sensors), allowed, rig.file))
    start = _listened(conversation, say)
    rate = QUICK * rig.limits.rate_rad_per_s
    paths: dict[str, Path] = {w: Turns(angle_deg, rate, hold_s) for w in _carriers(on)}
    for which, path in paths.items():
        fits(rig, which, path, start[which])
    seconds = max(p.seconds for p in paths.values())
    say(f"turning by {angle_deg:g} degrees about each axis, {seconds:.0f} s")
    _followed(conversation, paths)


def _carriers(on: OnRig) -> list[str]:
    return [which for which in on.rig.sensors if which in on.rig.moving]


def tools_found(on: OnRig, conversation: Conversation) -> dict[str, Calibration]:
    """Tool and bias of every sensor that was turned, from where it stood."""
    made = {w: series_of(on, w, conversation.rows[w]) for w in _carriers(on)}
    return {w: calibrated(one, w, gravity_in_orbit(on), SETTLED_S) for w, one in made.items()}


def gravity_in_orbit(on: OnRig) -> tuple[float, ...]:
    """In the axes of the series [m/s^2]."""
    return tuple(Frame((0.0, 0.0, 0.0), on.facility.orbit.back().q).turned(on.facility.gravity))


def sensor_from_centre(on: OnRig, which: str) -> Frame:
    """Where a sensor sits, from its satellite's centre of mass, body axes."""
    sensor = on.rig.sensors[which]
    centre = Frame(*doors.load_frame(np.array(on.centre_from_flange(which)), 0))
    return centre.back().then(Frame(sensor.in_flange_m, sensor.in_flange_wxyz))


@dataclass(frozen=True)
class Delays:
    """The parts of a rig's delay."""

    robots: dict[str, Estimate | None]  # s
    structured: list[str]  # robots that are no pure delay
    force_age_s: dict[str, float]
    force_period_s: dict[str, float]
    cycle_s: float

    @property
    def whole_s(self) -> float | None:
        """Robot and force path: what the loop has as delay, without the hold of half a cycle."""
        known = [e.value for e in self.robots.values() if e is not None]
        if not known or not self.force_age_s:
            return None
        return max(known) + max(self.force_age_s.values())

    def to_dict(self) -> dict[str, Any]:
        return {
            "robot_delay_s": {n: e and e.to_dict() for n, e in self.robots.items()},
            "not_a_pure_delay": self.structured,
            "force_age_s": self.force_age_s,
            "half_force_period_s": {n: 0.5 * p for n, p in self.force_period_s.items()},
            "hold_s": 0.5 * self.cycle_s,
            "whole_delay_s": self.whole_s,
        }


def sway(
    on: OnRig,
    conversation: Conversation,
    amplitude_mm: float,
    frequency_Hz: float,
    periods: int,
    say: Say,
) -> None:
    """Let every robot sway, for `delays_found`."""
    rig = on.rig
    start = _listened(conversation, say)
    paths: dict[str, Path] = {}
    for which in rig.moving:
        mount = on.facility.robots().get(which)
        base = on.facility.orbit.back().then(mount.base) if mount else Frame()
        way = np.array(rig.stop.axis) / np.linalg.norm(rig.stop.axis)
        way = way if which == "chaser" else -way
        direction = Frame((0.0, 0.0, 0.0), base.back().q).turned(way)
        paths[which] = Sways(direction, amplitude_mm, frequency_Hz, periods)
        fits(rig, which, paths[which], start[which])
    say(f"swaying by {amplitude_mm:g} mm, {periods / frequency_Hz:.0f} s")
    _followed(conversation, paths)


def delays_found(on: OnRig, conversation: Conversation) -> Delays:
    """Delay of every robot that swayed, and the age of the forces."""
    rig = on.rig
    found: dict[str, Estimate | None] = {}
    structured = []
    for which in rig.moving:
        log = read_log(series_of(on, which, conversation.rows[which]))
        own = robot_following(log, which)
        found[which] = own.delay if own is not None else None
        structured += [which] if own is not None and is_structured(own.left) else []
    ages = {}
    for name in rig.sensors:
        carrier = name if name in conversation.rows else rig.clock.master
        known = [r.age_s for r in conversation.rows[carrier] if r.wrench is not None]
        ages[name] = float(np.mean(known[len(known) // 4 :]))
    periods_s = {name: 1.0 / sensor.rate_Hz for name, sensor in rig.sensors.items()}
    return Delays(
        robots=found,
        structured=structured,
        force_age_s=ages,
        force_period_s=periods_s,
        cycle_s=rig.cycle_s,
    )
