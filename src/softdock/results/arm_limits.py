"""What a run asked of its arms' drives: the largest speed, acceleration and torque of a joint, with
its instant, beside the arm's own limit.

In: a scenario and its recorded series. Out: a `LimitUse` for each arm and limit that is known; those
beyond their limit as events of the run. Torques [Nm] are those that hold the links against weight,
inertia, load and contact (recursive Newton-Euler, rotors included); of elastic joints the torque
that the joint had in the run, with the weight added, which the loop takes as calibrated away.
Accelerations are differences over the run's own cycles.

The loop's drives never give in: what a drive does at its limit (saturate, trip, brake) differs from
maker to maker, and a cut that is not theirs would hide that the docking does not fit the arm. So
the run goes on, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.arms.arm import Arm
from softdock.loop.arms.entry_points import flange_rows, torque_rows
from softdock.loop.arms.facility import Facility, Mount
from softdock.loop.arms.layout import AXES, WORK
from softdock.loop.arms.limits import LIMIT_HELPS, LIMIT_NEEDS, LIMIT_WORDS
from softdock.loop.arms.mounted import loaded, mock_up_load
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.spatial.arrays import unit_matrix
from softdock.results.arms import find_mounted_arms
from softdock.scenario.build import Scenario

BEYOND = "arm beyond a limit"
UNITS = {"speed": "rad/s", "acceleration": "rad/s^2", "torque": "Nm"}  # of joints that turn
RAIL_UNITS = {"speed": "m/s", "acceleration": "m/s^2", "torque": "N"}
LEAST_ROWS = 3  # accelerations are differences
AT_LIMIT = 1.0 + 1e-6  # joints that keep a limit are at it, to rounding
Rows = Mapping[str, np.ndarray]


class LimitUse(NamedTuple):
    """The largest use of one limit of one arm in a run."""

    robot: str
    arm: str
    what: str  # speed, acceleration, torque
    joint: str
    time: float  # s
    value: float
    limit: float
    unit: str
    assumed: bool  # whether a number that it rests on is softdock's, not the maker's
    first: float  # s, beyond the limit from here
    last: float  # to here

    @property
    def share(self) -> float:
        return self.value / self.limit

    def words(self) -> str:
        """In a sentence."""
        mark = " (assumed, not the maker's)" if self.assumed else ""
        return (
            f"the {self.robot}'s arm ({self.arm}): {LIMIT_WORDS[self.what]} of {self.joint} "
            f"{self.value:.4g} {self.unit} at {self.time:.4g} s, {self.share:.3g} of its limit of "
            f"{self.limit:.4g} {self.unit}{mark}"
        )


def compute_arm_uses(scenario: Scenario, series: Rows) -> list[LimitUse]:
    """Of every arm whose joints were recorded, and every limit that it states."""
    found = []
    for robot, bare in find_mounted_arms(scenario).items():
        own = _select_recorded(robot, series)
        if len(own.get("time", ())) < LEAST_ROWS:
            continue
        facility = facility_of(scenario.tables)
        mount = facility.robots()[robot]
        arm = loaded(bare, mount, mock_up_load(scenario.tables, robot))
        moved = _compute_link_motion(arm, robot, mount, own)
        values = {"speed": moved[1], "acceleration": moved[2]}
        if arm.of_axes("mass")[1:].sum() > 0.0 and "true.chaser.force" in own:
            values["torque"] = _compute_torques(arm, robot, facility, mount, own, moved)
        found += [
            _find_largest_use(arm, robot, what, rows, own["time"])
            for what, rows in values.items()
            if arm.knows(what) and np.isfinite(rows).all()
        ]
    return found


def _select_recorded(robot: str, series: Rows) -> dict[str, np.ndarray]:
    """What is needed of the series, as long as the arm could follow its set-points: where one is
    out of reach (its clearance is 0) the joints are stopped, which no drive did."""
    if f"joints.{robot}.clearance" not in series:
        return {}
    names = ["time", f"joints.{robot}.position", f"joints.{robot}.velocity"]
    if f"joints.{robot}.energy.stored" in series:
        names += [f"joints.{robot}.motor", f"joints.{robot}.torque"]
    if "true.chaser.force.x" in series:
        names += [f"true.chaser.{what}" for what in ("force", "torque")]
        names += [f"mock_up.{body}.position" for body in ("chaser", "target")]
    lost = np.flatnonzero(np.asarray(series[f"joints.{robot}.clearance"])[1:] <= 0.0)
    rows = int(lost[0]) + 1 if len(lost) else len(series["time"])
    return {name: np.asarray(series[name])[:rows] for name in names}


def list_exceeded_limits(uses: list[LimitUse]) -> list[dict[str, Any]]:
    """Events of a run: uses above 1, with what would help."""
    return [
        {
            "what": BEYOND,
            "from_s": use.first,
            "to_s": use.last,
            "where": f"robots.{use.robot}",
            "text": f"{use.words()}; the loop's drives do not give in, a real one would; would "
            f"help: {LIMIT_HELPS[use.what]}",
        }
        for use in uses
        if use.share > AT_LIMIT
    ]


def _find_largest_use(
    arm: Arm, robot: str, what: str, rows: np.ndarray, time: np.ndarray
) -> LimitUse:
    limits = arm.of_axes(what)[arm.first :]
    used = np.abs(rows[:, arm.first :]) / limits
    row, joint = np.unravel_index(int(np.argmax(used)), used.shape)
    over = np.flatnonzero((used > AT_LIMIT).any(axis=1))
    slot = int(joint) + arm.first
    units = RAIL_UNITS if slot == 0 and arm.base_axis == "rail" else UNITS
    return LimitUse(
        robot=robot,
        arm=arm.name,
        what=what,
        joint=arm.axis_names[slot],
        time=float(time[row]),
        value=float(abs(rows[row, slot])),
        limit=float(limits[joint]),
        unit=units[what],
        assumed=arm.is_assumed(*LIMIT_NEEDS[what]),
        first=float(time[over[0]]) if len(over) else float(time[row]),
        last=float(time[over[-1]]) if len(over) else float(time[row]),
    )


def _collect_axes(arm: Arm, values: np.ndarray, still: float = 0.0) -> np.ndarray:
    """Recorded axes as rows of seven."""
    rows = np.full((len(values), AXES), still)
    rows[:, arm.first :] = values
    return rows


def _compute_link_motion(
    arm: Arm, robot: str, mount: Mount, series: Rows
) -> tuple[np.ndarray, ...]:
    """Positions of the links, speeds and accelerations of what the drives turn: (n, 7) each."""
    name, time = f"joints.{robot}", series["time"]
    position = _collect_axes(arm, series[f"{name}.position"], mount.base_axis)
    if f"{name}.motor" in series:
        speed = _collect_axes(arm, np.gradient(series[f"{name}.motor"], time, axis=0))
    else:
        speed = _collect_axes(arm, series[f"{name}.velocity"])
    return position, speed, np.gradient(speed, time, axis=0)


def _compute_torques(
    arm: Arm,
    robot: str,
    facility: Facility,
    mount: Mount,
    series: Rows,
    moved: tuple[np.ndarray, ...],
) -> np.ndarray:
    """Of every axis at every instant [Nm, N of a rail]."""
    position, speed, acceleration = moved
    gravity = np.asarray(mount.base.back().turned(facility.gravity), float)
    into, pushed = np.zeros_like(position), np.zeros((len(position), 6))
    if f"joints.{robot}.torque" in series:
        speed, acceleration = np.zeros_like(speed), np.zeros_like(speed)
    else:
        pushed = _compute_flange_wrench(arm, robot, facility, mount, series, position)
    arguments = position, speed, acceleration, gravity, pushed, np.zeros(WORK.size), into
    torque_rows(arm.vector, *arguments)
    if f"joints.{robot}.torque" in series:
        into += _collect_axes(arm, series[f"joints.{robot}.torque"])
    return into


def _compute_flange_wrench(
    arm: Arm, robot: str, facility: Facility, mount: Mount, series: Rows, joints: np.ndarray
) -> np.ndarray:
    """The contact's force and its moment about the flange, base axes: (n, 6)."""
    frame = mount.base.back().then(facility.orbit)
    R, poses = unit_matrix(frame.q), np.zeros((len(joints), 7))
    flange_rows(arm.vector, joints, poses)
    force, torque = _compute_contact_wrench(robot, series)
    place = series[f"mock_up.{robot}.position"] @ R.T + np.asarray(frame.p)
    force = force @ R.T
    moment = torque @ R.T + np.cross(place - poses[:, :3], force)
    return np.hstack([force, moment])


def _compute_contact_wrench(robot: str, series: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The contact's wrench on a mock-up, about its centre of mass, orbit axes. Recorded is the
    chaser's; the target's is opposite, about one and the same point."""
    force, torque = series["true.chaser.force"], series["true.chaser.torque"]
    if robot == "chaser":
        return force, torque
    apart = series["mock_up.chaser.position"] - series["mock_up.target.position"]
    return -force, -torque - np.cross(apart, force)
