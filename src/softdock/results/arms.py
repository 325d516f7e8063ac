"""Arms in a run: which are recorded, and why one could not follow its set-points: which joint,
when, and what would help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.follow import JOINT_LIMIT, STATUSES, UNREACHABLE
from softdock.loop.arms.layout import AXES, WORK
from softdock.loop.arms.limits import LIMIT_HELPS, LIMIT_NEEDS, LIMIT_WORDS
from softdock.loop.arms.robot_layout import ARM_STATE, STATE_AT
from softdock.loop.arms.scenario_facility import arm_robots, facility_of
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.pairs import PAIR_FLOATS
from softdock.loop.facility.joint_record import RecordedArm
from softdock.loop.spatial.arrays import unit_matrix
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.vector import MAP, MEMORY_AT, PAIRS_MEM, TIME, TIME_AT
from softdock.scenario.arm_tables import BASES
from softdock.scenario.build import Scenario

if TYPE_CHECKING:
    from softdock.loop.arms.arm import Arm
    from softdock.loop.arms.facility import Facility, Mount

S = ARM_STATE.at


class ArmStop(NamedTuple):
    """An arm that could not follow a set-point."""

    robot: str
    arm: str
    status: str
    joint: str
    time: float  # s, the stamp of the set-point
    helps: str

    def words(self) -> str:
        """In a sentence."""
        return (
            f"the {self.robot}'s arm ({self.arm}): {self.status} at {self.time:.4g} s, joint "
            f"{self.joint}; would help: {self.helps}"
        )


def find_mounted_arms(scenario: Scenario) -> dict[str, Arm]:
    """The arms of the robots whose model is one, as their tables say."""
    robots = arm_robots(scenario.tables)
    if not robots:
        return {}
    from softdock.loop.arms.sources import arm_of  # few runs have arms

    mounts = facility_of(scenario.tables).robots()
    return {robot: arm_of(mounts[robot]) for robot in robots}


def name_axes(arm: Arm) -> tuple[str, ...]:
    """Names of an arm's axes as parts of a channel's name: letters, digits, `_` and `-`; numbers
    where two would be alike."""
    names = [re.sub(r"[^A-Za-z0-9_-]", "_", name) for name in arm.axis_names[arm.first :]]
    if len(set(names)) == len(names) and all(names):
        return tuple(names)
    return tuple(f"axis_{slot}" for slot in range(arm.first, len(arm.axis_names)))


def list_recorded_arms(scenario: Scenario) -> list[RecordedArm]:
    """Of which robots the joints are recorded."""
    robots = scenario.tables["robots"]
    return [
        RecordedArm(robot, name_axes(arm), bool(robots[robot]["elastic_joints"]))
        for robot, arm in find_mounted_arms(scenario).items()
    ]


def locate_robot(vector: np.ndarray, robot: str) -> int:
    """First float of a robot's part of `mem` (loop/robots/memory.py)."""
    pairs, latches, tips, slots, floats = (
        int(vector[MEMORY_AT + i])
        for i in (MAP.pair_count, MAP.latch_count, MAP.tip_floats, MAP.slots, MAP.robot_floats)
    )
    first = PAIRS_MEM + pairs * PAIR_FLOATS + latches * LATCH_FLOATS + tips
    first += 2 * slots * MOTION_FLOATS
    return first + list(BASES).index(robot) * floats


def view_arm_state(vector: np.ndarray, mem: np.ndarray, robot: str) -> np.ndarray:
    """The state of a robot's arm in `mem`, as a view: core.robots.arm.layout.ARM_STATE."""
    first = locate_robot(vector, robot) + STATE_AT
    return mem[first : first + ARM_STATE.size]


def _suggest_remedy(status: int, missing: float, joint: str) -> str:
    if status == UNREACHABLE and missing > 0.0:
        return f"the base {1e3 * missing:.3g} mm nearer or more, or a longer arm"
    if status == UNREACHABLE and missing < 0.0:
        return f"the base {-1e3 * missing:.3g} mm farther away or more"
    if status == JOINT_LIMIT:
        return f"another configuration (joints_deg), tool angle or place, for more room at {joint}"
    return "another tool angle (mock_up_wxyz), or another height of the base"


def find_arm_stops(scenario: Scenario, mem: np.ndarray) -> list[ArmStop]:
    """Every arm that could not follow."""
    T, stops = float(scenario.vector[TIME_AT + TIME.at.cycle]), []
    for robot, arm in find_mounted_arms(scenario).items():
        state = view_arm_state(scenario.vector, mem, robot)
        status = int(state[S.status])
        if status == 0:
            continue
        joint = arm.axis_names[int(state[S.slot])]
        helps = _suggest_remedy(status, float(state[S.missing]), joint)
        stops.append(
            ArmStop(
                robot=robot,
                arm=arm.name,
                status=STATUSES[status],
                joint=joint,
                time=T * float(state[S.stamp]),
                helps=f"{helps}; softdock place finds a place",
            )
        )
    return stops


def describe_arm_stops(scenario: Scenario, mem: np.ndarray) -> list[str]:
    """In sentences, for a run's warnings."""
    return [stop.words() for stop in find_arm_stops(scenario, mem)]


def refuse_arms_at_start(scenario: Scenario, mem: np.ndarray) -> None:
    """An arm that cannot reach its first pose is refused before the clock starts."""
    problems: list[Any] = []
    for stop in find_arm_stops(scenario, mem):
        when = "at the start" if stop.time == 0.0 else f"{-stop.time:.3g} s before the start"
        value = f"{stop.status} {when}, joint {stop.joint} of {stop.arm}"
        allowed = f"a first pose that the arm can take; would help: {stop.helps}"
        problems.append(Problem(f"facility.{stop.robot}", value, allowed))
    if problems:
        raise BadInput(problems)


# What a run asked of its arms' drives: the largest speed, acceleration and torque of a joint, with
# its instant, beside the arm's own limit.
#
# In: a scenario and its recorded series. Out: a `LimitUse` for each arm and limit that is known;
# those beyond their limit as events of the run. Torques [Nm] are those that hold the links against
# weight, inertia, load and contact (recursive Newton-Euler, rotors included); of elastic joints the
# torque that the joint had in the run, with the weight added, which the loop takes as calibrated
# away. Accelerations are differences over the run's own cycles.
#
# The loop's drives never give in: what a drive does at its limit (saturate, trip, brake) differs
# from maker to maker, and a cut that is not theirs would hide that the docking does not fit the
# arm. So the run goes on, and says so.

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
    uses = []
    for robot, bare in find_mounted_arms(scenario).items():
        own = _select_recorded(robot, series)
        if len(own.get("time", ())) < LEAST_ROWS:
            continue
        from softdock.loop.arms.mounted import loaded, mock_up_load

        facility = facility_of(scenario.tables)
        mount = facility.robots()[robot]
        arm = loaded(bare, mount, mock_up_load(scenario.tables, robot))
        moved = _compute_link_motion(arm, robot, mount, own)
        values = {"speed": moved[1], "acceleration": moved[2]}
        if arm.of_axes("mass")[1:].sum() > 0.0 and "true.chaser.force" in own:
            bears = bool(scenario.tables["robots"][robot]["weight_acts"])
            values["torque"] = _compute_torques(arm, robot, facility, mount, own, moved, bears)
        uses += [
            _find_largest_use(arm, robot, what, rows, own["time"])
            for what, rows in values.items()
            if arm.knows(what) and np.isfinite(rows).all()
        ]
    return uses


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
    weight_acts: bool,
) -> np.ndarray:
    """Of every axis at every instant [Nm, N of a rail]."""
    position, speed, acceleration = moved
    gravity = np.asarray(mount.base.back().turned(facility.gravity), float)
    into, pushed = np.zeros_like(position), np.zeros((len(position), 6))
    if f"joints.{robot}.torque" in series:
        speed, acceleration = np.zeros_like(speed), np.zeros_like(speed)
        if weight_acts:  # they bore it in the run
            gravity = np.zeros(3)
    else:
        pushed = _compute_flange_wrench(arm, robot, facility, mount, series, position)
    arguments = position, speed, acceleration, gravity, pushed, np.zeros(WORK.size), into
    from softdock.loop.arms.entry_points import torque_rows

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
    from softdock.loop.arms.entry_points import flange_rows

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
