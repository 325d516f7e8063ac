"""Robots of a scenario that are arms: which they are, and where their numbers go in the vector.

The arms themselves are read by softdock.loop.arms, which stands below this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softdock.errors import BadInput, Problem
from softdock.loop.arms.scenario_facility import arm_robots
from softdock.loop.method.method import Method
from softdock.loop.robots.keys import ROBOT
from softdock.loop.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT

if TYPE_CHECKING:
    from softdock.loop.arms.facility import Facility

BASES = {"chaser": CHASER_ROBOT_AT, "target": TARGET_ROBOT_AT}


def unknown_arms(room: Facility, locate: Callable[[str], str]) -> list[Problem]:
    """What is wrong with arms that are named or spelled out. A file is read where it is used: a
    run's folder may be opened where that file is not."""
    from softdock.loop.arms.sources import arm_of

    found: list[Problem] = []
    for robot, mount in room.robots().items():
        if isinstance(mount.arm, str) and mount.arm.endswith((".toml", ".urdf")):
            continue
        try:
            arm_of(mount)
        except BadInput as error:
            key = f"facility.{robot}.arm"
            found += [replace(p, key=key, where=p.where or locate(key)) for p in error.problems]
    return found


def arm_place(robot: str) -> int:
    """Where the vector says at which place a robot's arm stands."""
    return BASES[robot] + int(ROBOT.at.arm)


def frozen_by_arms(tables: Mapping[str, Any], key: str) -> str:
    """Why a key cannot differ from run to run of one batch where robots are arms; empty: it can.
    The arms' numbers are made from these keys once, for all runs."""
    table, _, _ = key.partition(".")
    if not arm_robots(tables) or table not in ("laboratory", "mock_up"):
        return ""
    if table == "mock_up" and not any(
        tables["robots"][robot].get("elastic_joints") for robot in arm_robots(tables)
    ):
        return ""
    return "one value in a batch: the arms of [facility] are set up and loaded for it"


def tell_arms(reader: Any, key: str, method: Method, values: dict[str, Any], base: int) -> None:
    """What a method that takes the arms' own stiffness is told of them, into the vector at
    `base`. `key`: of its entry."""
    wanted = () if reader.problems else method.told_of_arms(values)
    if not wanted:
        return
    from softdock.loop.arms.at_contact import arms_at_contact  # few scenarios need its kinematics

    try:
        told = arms_at_contact(reader.resolved, wanted, reader.folder)
    except BadInput as error:
        asked = f"; {key} ({method.name}) asks for how the arms give way"
        problems = [replace(one, allowed=one.allowed + asked) for one in error.problems]
        reader.problems += [located(problem, reader.locate) for problem in problems]
        return
    for name in wanted:
        at = base + getattr(method.group.at, name)
        reader.vector[at : at + len(told[name])] = told[name]


def located(problem: Problem, locate: Callable[[str], str]) -> Problem:
    """With file and line, where it has none yet."""
    return problem if problem.where else replace(problem, where=locate(problem.key))
