"""Small motions in free space, for a tare and for measuring delays, checked before they begin.

`Turns`: the flange turned to and fro about one axis after the other, standing at each.
`Sways`: to and fro along one direction, away from the other mock-up, out of rest and into it.
`fits` refuses a path that would leave the box, PosCorr's limits or the stated speeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from softdock.arms.facility import Frame
from softdock.core.spatial.motion import Pose
from softdock.core.wire import doors
from softdock.drivers.rig_conversation import Path, Six
from softdock.drivers.rig_model import Rig
from softdock.errors import BadInput, Problem

MM = 1e-3  # m
STEEPEST = 1.875  # of the quintic: its largest speed over the mean
LOOKS = 2000  # instants at which a path is checked


def quintic(s: float) -> float:
    """From 0 to 1 with rest and no jerk at both ends."""
    s = min(max(s, 0.0), 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@dataclass(frozen=True)
class Turns:
    """Corrections A, B, C one after the other: +angle, -angle, 0; standing at each."""

    angle_deg: float
    rate_rad_per_s: float
    hold_s: float
    fastest_m_per_s: float = 0.0  # the point that RIst tells stays

    @property
    def legs(self) -> list[tuple[int, float, float]]:
        """Which of A, B, C, from which angle, to which."""
        a = self.angle_deg
        return [(i, *way) for i in range(3) for way in ((0.0, a), (a, -a), (-a, 0.0))]

    def _leg_s(self, leg: tuple[int, float, float]) -> tuple[float, float]:
        """Time on the way, and with the stand at its end."""
        way = STEEPEST * math.radians(abs(leg[2] - leg[1])) / self.rate_rad_per_s
        return way, way + self.hold_s

    @property
    def seconds(self) -> float:
        return sum(self._leg_s(leg)[1] for leg in self.legs)

    def at(self, t: float) -> Six:
        legs, begun = self.legs, 0.0
        axis, begin, end = leg = legs[0]
        for following in legs[1:]:
            whole = self._leg_s(leg)[1]
            if t < begun + whole:
                break
            begun += whole
            axis, begin, end = leg = following
        value = begin + (end - begin) * quintic((t - begun) / self._leg_s(leg)[0])
        return [0.0] * (3 + axis) + [value] + [0.0] * (2 - axis)


@dataclass(frozen=True)
class Sways:
    """Along a direction of the base: amplitude (1 - cos 2 pi f t) / 2, growing and fading."""

    direction: tuple[float, ...]  # unit, base axes
    amplitude_mm: float
    frequency_Hz: float
    periods: int

    @property
    def seconds(self) -> float:
        return self.periods / self.frequency_Hz

    @property
    def fastest_m_per_s(self) -> float:
        return MM * self.amplitude_mm * math.pi * self.frequency_Hz * 1.5

    def at(self, t: float) -> Six:
        through = self.frequency_Hz * t
        fade = quintic(min(through, self.periods - through))
        away = 0.5 * self.amplitude_mm * fade * (1.0 - math.cos(2.0 * math.pi * through))
        return [away * d for d in self.direction] + [0.0, 0.0, 0.0]


def corrected(start: Six, correction: Six) -> Pose:
    """The flange's set-point in the base: translations added, turned before the start's attitude
    [m, wxyz]."""
    at, by = (doors.load_frame(np.array(six, float), 0) for six in (start, correction))
    p = tuple(a + b for a, b in zip(at.p, by.p))
    return Pose(p, Frame((0.0, 0.0, 0.0), by.q).then(Frame((0.0, 0.0, 0.0), at.q)).q)


def fits(rig: Rig, which: str, path: Path, start: Six) -> None:
    """Refuse a path that leaves box, limits or speeds; `start`: RIst at RSI_ON."""
    robot, limits, T = rig.robots[which], rig.limits, rig.cycle_s
    times = np.linspace(0.0, path.seconds, LOOKS)
    rows = np.array([path.at(t) for t in times])
    places = MM * (rows[:, :3] + np.array(start[:3]))
    wrong = []

    def refuse(key: str, value: object, allowed: str) -> None:
        wrong.append(Problem(f"robots.{which}.{key}", value, allowed, rig.file))

    for low, high, found, key in (
        (robot.box_min_m, robot.box_max_m, places, "box_max_m"),
        (robot.lower_mm, robot.upper_mm, rows[:, :3], "upper_mm"),
    ):
        least, most = found.min(axis=0), found.max(axis=0)
        if (least < low).any() or (most > high).any():
            span = f"{np.round(least, 4).tolist()} to {np.round(most, 4).tolist()}"
            refuse(key, list(high), f"the way from where the robot stands: {span}")
    turn = float(np.abs(rows[:, 3:]).max())
    widest = min(robot.max_angle_deg, robot.max_turn_deg)
    if turn > widest:
        refuse("max_angle_deg", widest, f"at least {turn:.3g}, the turn asked for")
    steps = [path.at(t + T) for t in times[:-1]]
    moved = np.array(steps) - rows[:-1]
    speed = MM * float(np.linalg.norm(moved[:, :3], axis=1).max()) / T
    rate = math.radians(float(np.abs(moved[:, 3:]).max())) / T
    if speed > limits.speed_m_per_s or rate > limits.rate_rad_per_s:
        given = f"{speed:.3g} m/s, {rate:.3g} rad/s"
        bound = f"{limits.speed_m_per_s:g} m/s, {limits.rate_rad_per_s:g} rad/s of [limits]"
        wrong.append(Problem("speed", given, bound, rig.file))
    if wrong:
        raise BadInput(wrong)
