"""The arms of a scenario's robots, as the loop has them: `softdock.loop.arms.robot_layout.PLACED`.

In: a scenario's resolved tables. Out: one block of numbers for each robot whose model is an arm, or
`BadInput` with what is missing: no arm, an arm without the numbers that its joints need, or two
arms in one place. An arm from a file is written into the tables as a table of axes, so that a
run's own scenario needs no other file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.arm import Arm, symmetric
from softdock.loop.arms.arm_table import arm_table
from softdock.loop.arms.facility import Facility, Mount
from softdock.loop.arms.layout import ARM, AT, AXES, JOINTS
from softdock.loop.arms.mounted import loaded, mock_up_load
from softdock.loop.arms.robot_layout import PLACED
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.arms.sources import arm_of

FILES = (".toml", ".urdf")


def placed_arms(
    tables: dict[str, Any], robots: Sequence[str], folder: Path | None = None
) -> dict[str, np.ndarray]:
    """The block of every robot that is an arm, as rows of one number."""
    facility, problems, found = facility_of(tables), [], {}
    mounts = facility.robots()
    for robot in robots:
        key = f"facility.{robot}"
        if robot not in mounts:
            allowed = (
                f"a table [{key}] that names the arm and where it stands: "
                "softdock place SCENARIO --arm kr16 finds places and writes it"
            )
            problems.append(Problem(key, None, allowed))
            continue
        mount, given = mounts[robot], tables["robots"][robot]
        try:
            bare = arm_of(mount, folder)
        except BadInput as error:
            problems += [_under(p, f"{key}.arm") for p in error.problems]
            continue
        if isinstance(mount.arm, str) and Path(mount.arm).suffix in FILES:
            alone = arm_of(replace(mount, under=None), folder)  # its rail stands beside it
            tables["facility"][robot]["arm"] = arm_table(alone)
        arm = loaded(bare, mount, mock_up_load(tables, robot))
        problems += _missing(arm, robot, given) + _following(arm, mount, key)
        found[robot] = _block(facility, mount, arm, 1e-3 * tables["time"]["cycle_ms"])
        if given["weight_acts"]:
            weight = mount.base.back().turned(facility.gravity)
            found[robot][PLACED.slice_of("gravity"), 0] = weight
    if problems:
        raise BadInput(problems)
    return found


def _under(problem: Problem, key: str) -> Problem:
    """A problem of an arm, under the key that names it."""
    if problem.where or problem.key.startswith(key):
        return problem
    own = key if problem.key == "arm" else f"{key}: {problem.key}"
    return Problem(own, problem.value, problem.allowed, "", suggestion=problem.suggestion)


def _missing(arm: Arm, robot: str, given: dict[str, Any]) -> list[Problem]:
    """What a robot's joints need and its arm does not say."""
    found, key = [], f"robots.{robot}"
    if given["joints"] == "limited" and not (arm.knows("acceleration") and arm.knows("speed")):
        allowed = f"stiff or lag: {arm.name} does not state a speed and acceleration of every joint"
        found.append(Problem(f"{key}.joints", "limited", allowed))
    if given["joint_stiffness_N_per_m"] > 0.0:
        allowed = "0 with an arm: elastic_joints = true takes the stiffness of its own joints"
        value = given["joint_stiffness_N_per_m"]
        found.append(Problem(f"{key}.joint_stiffness_N_per_m", value, allowed))
    if given["weight_acts"] and not given["elastic_joints"]:
        allowed = "false, or elastic_joints = true beside it: stiff joints do not bend"
        found.append(Problem(f"{key}.weight_acts", True, allowed))
    if given["elastic_joints"]:
        last = AXES - 1
        inertia = symmetric(arm.of_axes("inertia", 6)[last])
        if not arm.knows("stiffness"):
            allowed = f"false: {arm.name} does not state a stiffness of every joint"
            found.append(Problem(f"{key}.elastic_joints", True, allowed))
        if not (arm.of_axes("mass")[last] > 0.0 and np.linalg.eigvalsh(inertia)[0] > 0.0):
            allowed = f"false: {arm.name} does not state mass and inertia of its last link"
            found.append(Problem(f"{key}.elastic_joints", True, allowed))
    return found


def _following(arm: Arm, mount: Mount, key: str) -> list[Problem]:
    """A base axis that is to follow and is not there."""
    if mount.follows == 0.0 or arm.base_axis != "none":
        return []
    allowed = "0: neither rail nor turntable is there"
    return [Problem(f"{key}.base_axis_follows", mount.follows, allowed)]


def _block(facility: Facility, mount: Mount, arm: Arm, cycle: float) -> np.ndarray:
    block = np.zeros(PLACED.size)
    block[: ARM.size] = arm.vector
    block[PLACED.slice_of("orbit")] = mount.base.back().then(facility.orbit).seven()
    block[PLACED.slice_of("grip")] = mount.satellite.back().seven()
    block[PLACED.slice_of("held")] = mount.satellite.seven()
    block[PLACED.at.slot_0] = mount.base_axis
    block[PLACED.at.follow_share], block[PLACED.at.follow_cycle] = mount.follows, cycle
    block[PLACED.at.follow_gain] = 1.0 - math.exp(-cycle / mount.follow_lag)
    if mount.joints is not None:
        block[PLACED.at.near] = 1.0
        block[PLACED.slice_of("start")] = [mount.base_axis, *mount.joints]
    for i in range(JOINTS):
        at = (JOINTS + 1) * i
        stiffness = arm.vector[AT.stiffness + 1 + i]
        block[PLACED.at.elasticity + at] = stiffness if np.isfinite(stiffness) else 0.0
        block[PLACED.at.loss + at] = arm.vector[AT.damping + 1 + i]
    return block.reshape(-1, 1)
