"""Joints of a robot over a run: the recorded ones, or those that its mock-up's poses ask for.

Recorded are `joints.chaser.0` to `.6` [rad; 0 is the base axis], or `joints.chaser.position.A1` and
so on. Otherwise a branch of the inverse
kinematics is followed through the mock-up's poses: the one of the mount's `joints_deg`, or the one
that comes least near to a limit. A robot that cannot follow stands where it came to, and its
sentence says when and why.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.arms.arm import Arm
from softdock.arms.base_axis import base_axis_rows
from softdock.arms.facility import Facility, Mount
from softdock.core.arms.doors import branch_rows
from softdock.core.arms.follow import BRANCHES, STATUSES
from softdock.core.arms.layout import AXES, WORK
from softdock.core.arms.sweep import (
    ENDED,
    FRAMES,
    IN_WORST,
    RANGE,
    REACH,
    SINGULARITY,
    SPEED,
    WORST,
    WORST_ROW,
    sweep,
)

THIN_ROWS = 60  # for choosing a branch
STILL = 1e-6  # of a joint's largest speed: it stands
FA = FRAMES.at


def joints_of(
    body: str, arm: Arm, facility: Facility, mount: Mount, series: Any, rows: np.ndarray
) -> tuple[np.ndarray | None, str]:
    """Joints at some rows, and what is to be said; None where none of them is within reach."""
    name = f"{body}'s robot ({arm.name})"
    given = recorded_joints(body, mount.base_axis, series)
    if given is not None:
        return given[rows], f"The {name} as its joints were recorded."
    time, shown = np.asarray(series["time"], float)[rows], len(rows)
    poses = np.hstack(
        [np.asarray(series[f"mock_up.{body}.{key}"])[rows] for key in ("position", "attitude")]
    )
    path = _Path(arm, frames_of(facility, mount), mount)
    branch = _own_branch(arm, mount)
    if branch < 0:
        few = np.unique(np.linspace(0, shown - 1, THIN_ROWS).astype(int))
        costs = [path.cost(time[few], poses[few], which) for which in range(BRANCHES)]
        branch = int(np.argmin(costs))
    reached = path.run(time, poses, branch)
    if reached == 0:
        return None, f"The {name} is not drawn: {path.end_words()}."
    joints = path.joints
    joints[reached:] = joints[reached - 1]
    if reached < shown:
        return joints, f"The {name} stands from {time[reached]:.3f} s on: {path.end_words()}."
    return joints, f"The {name} uses {path.use_words()}."


def recorded_joints(body: str, base_axis: float, series: Any) -> np.ndarray | None:
    """Joint series where a run or a recording has them, whole."""
    names = [f"joints.{body}.{i}" for i in range(AXES)]
    known = list(series)  # asking the series themselves for what is not there looks for a near name
    if set(known).issuperset(names[1:]):
        names = [name for name in names if name in known]
    else:  # a run's are under the axes' own names
        names = [name for name in known if name.startswith(f"joints.{body}.position.")]
    if len(names) not in (AXES - 1, AXES):
        return None
    columns = [np.asarray(series[name], float) for name in names]
    if len(columns) < AXES:
        columns.insert(0, np.full(len(columns[0]), base_axis))
    joints = np.stack(columns, axis=1)
    return joints if len(joints) and np.isfinite(joints).all() and joints.any() else None


def frames_of(facility: Facility, mount: Mount) -> np.ndarray:
    """What the sweep keeps fixed along a path."""
    inward = mount.base.back()
    frames = np.zeros(FRAMES.size)
    frames[FA.orbit : FA.orbit + 7] = inward.then(facility.orbit).seven()
    frames[FA.flange : FA.flange + 7] = mount.satellite.back().seven()
    frames[FA.gravity : FA.gravity + 3] = inward.turned(facility.gravity)
    frames[FA.approach] = 1.0
    return frames


def _own_branch(arm: Arm, mount: Mount) -> int:
    """Of the joints that a mount names; -1: it names none."""
    if mount.joints is None:
        return -1
    into = np.zeros(1, np.int64)
    branch_rows(arm.vector, np.array([[mount.base_axis, *mount.joints]]), into)
    return int(into[0])


class _Path:
    """The compiled sweep of one arm, for its joints and the uses of its limits."""

    def __init__(self, arm: Arm, frames: np.ndarray, mount: Mount) -> None:
        self.arm, self.frames, self.mount = arm, frames, mount
        self.worst, self.ended = np.zeros((len(WORST), WORST_ROW.size)), np.zeros(ENDED.size)
        self.joints = np.zeros((0, AXES))

    def run(self, time: np.ndarray, poses: np.ndarray, branch: int) -> int:
        """Rows reached; no force is counted, since torques are not asked for."""
        rows = len(time)
        self.joints = np.zeros((rows, AXES))
        start = np.array(
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        )  # slot 0 not zero: nothing to start near
        if self.mount.joints is not None:
            start = np.array([0.0, *self.mount.joints])
        return int(
            sweep(
                arm=self.arm.vector,
                frames=self.frames,
                times=time,
                motions=np.ascontiguousarray(poses, float),
                forces=np.zeros((rows, 3)),
                points=np.ascontiguousarray(poses[:, :3], float),
                base=base_axis_rows(
                    self.arm, self.mount, time, poses, self.frames[FA.orbit : FA.orbit + 7]
                ),
                start=start,
                branch=branch,
                work=np.zeros(WORK.size),
                joints=self.joints,
                torque_rows=np.zeros((rows, AXES)),
                worst=self.worst,
                ended=self.ended,
            )
        )

    def cost(self, time: np.ndarray, poses: np.ndarray, branch: int) -> float:
        """How near to a limit; a path that ends early costs more the sooner it ends."""
        rows = self.run(time, poses, branch)
        if rows < len(time):
            return 100.0 * (2.0 - rows / len(time))
        return float(max(self.worst[k, IN_WORST.use] for k in (RANGE, SPEED, SINGULARITY)))

    def use_words(self) -> str:
        """The largest uses of limits, each with its joint."""
        names, w = self.arm.axis_names, self.worst
        said = [f"{_percent(w[RANGE, 0])} of a joint's range ({names[int(w[RANGE, 2])]})"]
        if w[SPEED, 0] > STILL:
            said.append(f"{_percent(w[SPEED, 0])} of a joint's speed ({names[int(w[SPEED, 2])]})")
        said.append(f"{_percent(w[REACH, 0])} of its reach")
        near = w[SINGULARITY, 0]
        singular = f"; it comes near a singularity ({names[int(w[SINGULARITY, 2])]})"
        beyond = w[RANGE, 0] > 1.0 or w[SPEED, 0] > 1.0
        over = "; more than it can do" if beyond else ""
        return ", ".join(said[:-1]) + f" and {said[-1]}" + (singular if near > 1.0 else "") + over

    def end_words(self) -> str:
        status, slot, missing = self.ended
        by = f", by {1e3 * abs(missing):.0f} mm" if math.isfinite(missing) and missing else ""
        return f"{STATUSES[int(status)]} (joint {self.arm.axis_names[int(slot)]}{by})"


def _percent(use: float) -> str:
    return f"{100.0 * use:.2g} %"
