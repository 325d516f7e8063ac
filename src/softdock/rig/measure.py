"""Tool, bias and delays of a rig, measured in free space by the code that reads logs: the motions,
their series, the estimates.

`turn_sensors` turns the flange that carries a sensor, `fit_tools` fits weight, centre and bias to
the readings at rest, as `softdock calibrate` does with a log; `sway_robots` lets each robot sway,
`fit_delays` finds the shift from set-points to measured poses. Estimates have standard
uncertainties. The delay found is from the instant that a set-point is meant for to the pose that
RIst tells: a pose that is itself old cannot be told from a robot that is late. The force's age is
what the clocks say: a latency that every record has cannot be told from the sensor's clock being
behind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, SoftdockError
from softdock.loop.arms.facility import Frame
from softdock.loop.spatial.motion import Pose
from softdock.rig.conversation import Conversation, Path, Row, Six, summarise
from softdock.rig.model import Rig
from softdock.rig.scenario import OnRig
from softdock.rig.wire import entry_points
from softdock.studies.identify.calibration import Calibration, calibrate_from_rests
from softdock.studies.identify.delays import fit_following, is_structured
from softdock.studies.identify.estimate import Estimate
from softdock.studies.identify.log import read_log

# Small motions in free space, for a tare and for measuring delays, checked before they begin.
#
# `Turns`: the flange turned to and fro about one axis after the other, standing at each.
# `Sways`: to and fro along one direction, away from the other mock-up, out of rest and into it.
# `check_path` refuses a path that would leave the box, PosCorr's limits or the stated speeds.

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


def apply_correction(start: Six, correction: Six) -> Pose:
    """The flange's set-point in the base: translations added, turned before the start's attitude
    [m, wxyz]."""
    at, by = (entry_points.load_frame(np.array(six, float), 0) for six in (start, correction))
    p = tuple(a + b for a, b in zip(at.p, by.p))
    turned = Frame((0.0, 0.0, 0.0), by.q).then(Frame((0.0, 0.0, 0.0), at.q))
    q0, q1, q2, q3 = turned.q
    return Pose(p, (q0, q1, q2, q3))


def check_path(rig: Rig, which: str, path: Path, start: Six) -> None:
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


# A conversation as the time series that `identify` reads: the same code for a rig and for a log.
#
# In: the rows of one robot (rig/conversation.py), where its base and its sensor are. Out: series
# with the names of a run's: set-points and measured positions of the mock-up in orbit axes, and, of
# the robot that carries the sensor, force and torque about the satellite's centre of mass, in orbit
# axes, the tool still in them. A telegram that was lost leaves the robot on its last correction;
# its pose and force are taken between the neighbours.

BODIES = ("chaser", "target")
FEWEST = 50  # rows


def _fill_gaps(rows: list[Row], cycle_ms: float) -> tuple[np.ndarray, np.ndarray]:
    """Every cycle from the first row to the last, and for each the last row not after it."""
    numbers = np.array([r.ipoc - rows[0].ipoc for r in rows]) / cycle_ms
    every = np.arange(round(numbers[-1]) + 1)
    return every, np.searchsorted(numbers, every + 0.5) - 1


def _differentiate(T: float, p: np.ndarray, q: np.ndarray) -> dict[str, np.ndarray]:
    """Position, velocity, attitude and rate (body axes) of set-points, one a cycle."""
    for i in range(1, len(q)):
        q[i] *= 1.0 if q[i] @ q[i - 1] >= 0.0 else -1.0
    slope = np.gradient(q, T, axis=0)
    conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
    w, v = conjugate[:, :1], conjugate[:, 1:]
    rate = 2.0 * (w * slope[:, 1:] + slope[:, :1] * v + np.cross(v, slope[:, 1:]))
    return {"position": p, "velocity": np.gradient(p, T, axis=0), "attitude": q, "rate": rate}


def _add_vector(series: dict[str, np.ndarray], name: str, values: np.ndarray) -> None:
    """A vector as a whole and by its columns, as a run's series has it."""
    series[name] = values
    axes = "wxyz" if values.shape[1] == 4 else "xyz"
    for i, axis in enumerate(axes):
        series[f"{name}.{axis}"] = values[:, i]


def make_series(on: OnRig, which: str, rows: list[Row]) -> dict[str, np.ndarray]:
    """One robot's rows as series; the other mock-up stands."""
    if len(rows) < FEWEST:
        raise BadInput(Problem(f"robots.{which}", f"{len(rows)} telegrams", f"{FEWEST} at least"))
    T = on.rig.cycle_s
    every, row_of = _fill_gaps(rows, on.rig.clock.cycle_ms)
    start = [float(v) for v in np.median([r.measured for r in rows[:10]], axis=0)]
    base, centre = (
        Frame(*entry_points.load_frame(np.array(six), 0))
        for six in (on.base_in_orbit(which), on.centre_from_flange(which))
    )
    flanges = [base.then(Frame(*apply_correction(start, rows[i].wanted))) for i in row_of]
    wanted = [flange.then(centre) for flange in flanges]
    measured = [base.then(Frame(*entry_points.load_frame(r.measured, 0))) for r in rows]
    seen = np.array([m.then(centre).p for m in measured])
    numbers = np.array([r.ipoc - rows[0].ipoc for r in rows]) / on.rig.clock.cycle_ms

    def between(values: np.ndarray) -> np.ndarray:
        return np.stack([np.interp(every, numbers, column) for column in values.T], axis=1)

    age = 1e-3 * (on.rig.robots[which].pose_age_ms or 0.0)
    ages = np.array([[r.age_s if r.wrench is not None else 0.0] for r in rows])
    series: dict[str, np.ndarray] = {
        "time": T * every,
        "pose_age": np.full(len(every), age),
        "force_age": between(ages)[:, 0],
    }
    paths = {
        which: _differentiate(T, np.array([w.p for w in wanted]), np.array([w.q for w in wanted]))
    }
    for body in BODIES:
        still = {"position": 3, "velocity": 3, "rate": 3}
        path = paths.get(body) or {k: np.zeros((len(every), n)) for k, n in still.items()}
        path.setdefault("attitude", np.tile([1.0, 0.0, 0.0, 0.0], (len(every), 1)))
        for part, values in path.items():
            _add_vector(series, f"command.{body}.{part}", values)
        _add_vector(
            series,
            f"seen.{body}.position",
            between(seen) if body == which else 0.0 * path["position"],
        )
    if which in on.rig.sensors:
        wrench = np.array([_move_wrench_to_centre(on, which, r, m) for r, m in zip(rows, measured)])
        _add_vector(series, f"measured.{which}.force", between(wrench[:, :3]))
        _add_vector(series, f"measured.{which}.torque", between(wrench[:, 3:]))
    return series


def _move_wrench_to_centre(on: OnRig, which: str, row: Row, flange: Frame) -> np.ndarray:
    """Raw wrench in sensor axes to orbit axes, about the satellite's centre of mass."""
    if row.wrench is None:
        return np.zeros(6)
    sensor = on.rig.sensors[which]
    placed = flange.then(Frame(sensor.in_flange_m, sensor.in_flange_wxyz))
    force, torque = (np.array(placed.turned(row.wrench[i : i + 3])) for i in (0, 3))
    mount = on.facility.robots().get(which)
    centre = flange.then(mount.satellite if mount is not None else Frame())
    return np.concatenate([force, torque + np.cross(np.subtract(placed.p, centre.p), force)])


QUICK = 0.8  # of the largest rate allowed
SETTLED_S = 0.2  # longer than a robot's delay
Say = Callable[[str], None]


class Halted(SoftdockError):
    """A measurement that stood still before its end; the message says why."""


def _listen_at_rest(conversation: Conversation, say: Say) -> dict[str, list[float]]:
    """Every robot and sensor heard and standing: where each robot stands (RIst)."""
    rig = conversation.rig
    say(f"listening for {rig.run_up.listen_s:g} s")
    conversation.listen(rig.run_up.listen_s)
    found = summarise(conversation, rig.run_up.listen_s)
    if found.problems:
        raise BadInput(found.problems)
    return {name: robot.pose_mm_deg for name, robot in found.robots.items()}


def _follow_paths(conversation: Conversation, paths: dict[str, Path]) -> None:
    reason = conversation.follow(paths)
    if reason:
        raise Halted(f"stood still before the end: {reason}")


def turn_sensors(
    on: OnRig, conversation: Conversation, angle_deg: float, hold_s: float, say: Say
) -> None:
    """Turn every sensor whose robot can, for `fit_tools`."""
    rig = on.rig
    if not _list_carriers(on):
        allowed = "a sensor on a robot: one that stands in the room cannot be turned"
        raise BadInput(Problem("sensors", sorted(rig.sensors), allowed, rig.file))
    start = _listen_at_rest(conversation, say)
    rate = QUICK * rig.limits.rate_rad_per_s
    paths: dict[str, Path] = {w: Turns(angle_deg, rate, hold_s) for w in _list_carriers(on)}
    for which, path in paths.items():
        check_path(rig, which, path, start[which])
    seconds = max(p.seconds for p in paths.values())
    say(f"turning by {angle_deg:g} degrees about each axis, {seconds:.0f} s")
    _follow_paths(conversation, paths)


def _list_carriers(on: OnRig) -> list[str]:
    return [which for which in on.rig.sensors if which in on.rig.moving]


def fit_tools(on: OnRig, conversation: Conversation) -> dict[str, Calibration]:
    """Tool and bias of every sensor that was turned, from where it stood."""
    made = {w: make_series(on, w, conversation.rows[w]) for w in _list_carriers(on)}
    return {
        w: calibrate_from_rests(one, w, compute_gravity(on), SETTLED_S) for w, one in made.items()
    }


def compute_gravity(on: OnRig) -> tuple[float, ...]:
    """In the axes of the series [m/s^2]."""
    return tuple(Frame((0.0, 0.0, 0.0), on.facility.orbit.back().q).turned(on.facility.gravity))


def locate_sensor(on: OnRig, which: str) -> Frame:
    """Where a sensor sits, from its satellite's centre of mass, body axes."""
    sensor = on.rig.sensors[which]
    centre = Frame(*entry_points.load_frame(np.array(on.centre_from_flange(which)), 0))
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


def sway_robots(
    on: OnRig,
    conversation: Conversation,
    amplitude_mm: float,
    frequency_Hz: float,
    periods: int,
    say: Say,
) -> None:
    """Let every robot sway, for `fit_delays`."""
    rig = on.rig
    start = _listen_at_rest(conversation, say)
    paths: dict[str, Path] = {}
    for which in rig.moving:
        mount = on.facility.robots().get(which)
        base = on.facility.orbit.back().then(mount.base) if mount else Frame()
        way = np.array(rig.stop.axis) / np.linalg.norm(rig.stop.axis)
        way = way if which == "chaser" else -way
        direction = Frame((0.0, 0.0, 0.0), base.back().q).turned(way)
        paths[which] = Sways(direction, amplitude_mm, frequency_Hz, periods)
        check_path(rig, which, paths[which], start[which])
    say(f"swaying by {amplitude_mm:g} mm, {periods / frequency_Hz:.0f} s")
    _follow_paths(conversation, paths)


def fit_delays(on: OnRig, conversation: Conversation) -> Delays:
    """Delay of every robot that swayed, and the age of the forces."""
    rig = on.rig
    found: dict[str, Estimate | None] = {}
    structured = []
    for which in rig.moving:
        log = read_log(make_series(on, which, conversation.rows[which]))
        own = fit_following(log, which)
        found[which] = own.delay if own is not None else None
        structured += [which] if own is not None and is_structured(own.residual) else []
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
