"""A whole run through the arms of a facility, before anything moves.

Joint ranges, speeds, accelerations, torques, distance from singularities, reach, and the least
distances of simple volumes, each with the instant and the joint that comes nearest. What the arm's
numbers do not say is named as not known; what rests on assumed numbers is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.facility import Facility, same_place
from softdock.loop.arms.limits import LIMIT_HELPS, LIMIT_WORDS
from softdock.loop.arms.mounted import carries_nothing, loaded, mock_up_load
from softdock.loop.arms.sources import arm_of
from softdock.results.quantities import format_percent
from softdock.studies.placement.collisions import Nearest, find_nearest_parts
from softdock.studies.placement.motion import Motion
from softdock.studies.placement.robot_path import (
    RobotPath,
    Sweeper,
    find_start_branch,
    make_end_problem,
)

THIN_ROWS = 60  # for choosing a branch


@dataclass(frozen=True)
class Check:
    """What a run asks of every robot of a facility."""

    facility: Facility
    motion: Motion
    paths: dict[str, RobotPath]
    nearest: list[Nearest]  # nearest first
    empty: tuple[str, ...] = ()  # robots whose flange carries nothing, as far as is said

    @property
    def fits(self) -> bool:
        apart = all(pair.distance > 0.0 for pair in self.nearest[:1])
        return apart and all(path.fits for path in self.paths.values())

    def problems(self, where: str = "facility") -> list[Problem]:
        """Why it does not fit, with joint, instant and what would help; nothing if it does."""
        problems = []
        for robot, path in self.paths.items():
            if path.ended is not None:
                problems.append(make_end_problem(path, f"{where}.{robot}"))
                continue
            for use in path.uses.values():
                if use.known and use.use > 1.0:
                    value = (
                        f"{format_percent(use.use)} of it at {use.time:.4g} s, joint {use.joint}"
                    )
                    allowed = f"at most 100 %; would help: {LIMIT_HELPS[use.what]}"
                    problems.append(
                        Problem(f"{where}.{robot}: {LIMIT_WORDS[use.what]}", value, allowed)
                    )
        for pair in self.nearest:
            if pair.distance <= 0.0:
                key = f"{where}: {pair.first} and {pair.second}"
                value = f"overlap by {-1e3 * pair.distance:.3g} mm at {pair.time:.4g} s"
                problems.append(Problem(key, value, "apart; would help: moving the bases apart"))
        return problems

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        robots = {robot: convert_path_to_dict(path) for robot, path in self.paths.items()}
        pairs = [vars(pair) for pair in self.nearest[:10]]
        return {
            "fits": self.fits,
            "motion": self.motion.source,
            "peak_force_N": self.motion.peak_force,
            "robots": robots,
            "nearest": pairs,
            "empty_flanges": list(self.empty),
            "problems": [str(problem) for problem in self.problems()],
        }


def convert_path_to_dict(path: RobotPath) -> dict[str, Any]:
    """What a path asks of one robot, as plain data."""
    return {
        "arm": path.arm.name,
        "source": path.arm.source,
        "branch": path.branch,
        "fits": path.fits,
        "uses": {what: vars(use) for what, use in path.uses.items()},
        "stiffness_N_per_m": path.stiffness if np.isfinite(path.stiffness) else None,
        "stiffness_at_s": path.stiffness_time,
        "stiffness_assumed": path.arm.is_assumed("stiffness"),
        "ended": None if path.ended is None else vars(path.ended),
        "warnings": list(path.arm.warnings),
    }


def check_robot(
    facility: Facility,
    robot: str,
    motion: Motion,
    tables: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> RobotPath:
    """One robot of a facility. `tables`: a scenario's, for the mock-up's mass."""
    mount = facility.robots()[robot]
    arm = loaded(arm_of(mount, folder), mount, mock_up_load(tables or {}, robot))
    if mount.joints is not None:
        branch = find_start_branch(arm, mount)
    else:
        branch, _ = Sweeper(robot, arm, motion.thin(THIN_ROWS)).best_branch(facility, mount)
    return Sweeper(robot, arm, motion).path(facility, mount, branch)


def check_run(
    facility: Facility,
    motion: Motion,
    tables: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> Check:
    """A whole run through every robot of a facility."""
    if problems := same_place(facility):
        raise BadInput(problems)
    mounts = facility.robots()
    paths = {robot: check_robot(facility, robot, motion, tables, folder) for robot in mounts}
    empty = tuple(r for r in mounts if carries_nothing(mounts[r], mock_up_load(tables or {}, r)))
    return Check(
        facility=facility,
        motion=motion,
        paths=paths,
        nearest=find_nearest_parts(facility, mounts, paths, motion.time),
        empty=empty,
    )
