"""Arms in a run: which are recorded, and why one could not follow its set-points: which joint,
when, and what would help."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.follow import JOINT_LIMIT, STATUSES, UNREACHABLE
from softdock.loop.arms.robot_layout import ARM_STATE, STATE_AT
from softdock.loop.arms.scenario_facility import arm_robots, facility_of
from softdock.loop.arms.sources import arm_of
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.pairs import PAIR_FLOATS
from softdock.loop.facility.joint_record import RecordedArm
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.vector import MAP, MEMORY_AT, PAIRS_MEM, TIME, TIME_AT
from softdock.scenario.arm_tables import BASES
from softdock.scenario.build import Scenario

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
    pairs, latches, slots, floats = (
        int(vector[MEMORY_AT + i])
        for i in (MAP.pair_count, MAP.latch_count, MAP.slots, MAP.robot_floats)
    )
    first = PAIRS_MEM + pairs * PAIR_FLOATS + latches * LATCH_FLOATS + 2 * slots * MOTION_FLOATS
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
    T, found = float(scenario.vector[TIME_AT + TIME.at.cycle]), []
    for robot, arm in find_mounted_arms(scenario).items():
        state = view_arm_state(scenario.vector, mem, robot)
        status = int(state[S.status])
        if status == 0:
            continue
        joint = arm.axis_names[int(state[S.slot])]
        helps = _suggest_remedy(status, float(state[S.missing]), joint)
        found.append(
            ArmStop(
                robot=robot,
                arm=arm.name,
                status=STATUSES[status],
                joint=joint,
                time=T * float(state[S.stamp]),
                helps=f"{helps}; softdock place finds a place",
            )
        )
    return found


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
