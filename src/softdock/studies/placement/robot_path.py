"""One robot on one path: the compiled sweep with its arrays, and what it found, named."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from softdock.errors import Problem
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.base_axis import base_axis_rows
from softdock.loop.arms.entry_points import branch_rows
from softdock.loop.arms.facility import Facility, Mount
from softdock.loop.arms.follow import BRANCHES, STATUSES
from softdock.loop.arms.layout import AXES, WORK
from softdock.loop.arms.limits import LIMIT_NEEDS
from softdock.loop.arms.sweep import (
    ENDED,
    FRAMES,
    IN_WORST,
    REACH,
    STIFFNESS,
    WORST,
    WORST_ROW,
    sweep,
)
from softdock.studies.placement.motion import Motion

FA = FRAMES.at
MARKS = {1: "shoulder", 3: "elbow", 5: "wrist"}  # which singularity a joint is about
LIMITS = {"speed": "speed", "acceleration": "acceleration", "torque": "torque"}


@dataclass(frozen=True)
class LimitUse:
    """How much of a limit a path uses: 1 is all of it. Not `known`: the arm has no number."""

    what: str
    use: float
    time: float  # s
    joint: str
    known: bool = True
    assumed: bool = False


@dataclass(frozen=True)
class BranchEnd:
    """Where a branch ended: the pose is out of reach."""

    time: float
    joint: str
    status: str
    missing: float  # m; too far positive, too near negative


@dataclass(frozen=True)
class RobotPath:
    """What a path asks of one robot."""

    robot: str
    arm: Arm
    branch: int
    rows: int  # reached
    uses: dict[str, LimitUse]
    stiffness: float  # N/m, the least along the approach; inf: not known
    stiffness_time: float
    ended: BranchEnd | None
    joints: np.ndarray = field(repr=False)
    torques: np.ndarray = field(repr=False)

    @property
    def worst(self) -> LimitUse:
        """The use that limits. Reach is not counted: a stretched arm is a singular one."""
        known = [use for use in self.uses.values() if use.known and use.what != "reach"]
        return max(known, key=lambda use: use.use)

    @property
    def fits(self) -> bool:
        return self.ended is None and self.worst.use <= 1.0


def make_frames(facility: Facility, mount: Mount, motion: Motion) -> np.ndarray:
    """What the sweep keeps fixed along a path."""
    inward = mount.base.back()
    orbit = inward.then(facility.orbit)
    frames = np.zeros(FRAMES.size)
    frames[FA.orbit : FA.orbit + 7] = orbit.seven()
    frames[FA.flange : FA.flange + 7] = mount.satellite.back().seven()
    frames[FA.gravity : FA.gravity + 3] = inward.turned(facility.gravity)
    frames[FA.approach : FA.approach + 3] = orbit.turned(motion.approach)
    return frames


class Sweeper:
    """The compiled sweep with its arrays made once, for many places of one robot."""

    def __init__(self, robot: str, arm: Arm, motion: Motion) -> None:
        self.robot, self.arm, self.motion = robot, arm, motion
        rows = len(motion.time)
        self.joints, self.torques = np.zeros((rows, AXES)), np.zeros((rows, AXES))
        self.worst, self.ended = np.zeros((len(WORST), WORST_ROW.size)), np.zeros(ENDED.size)
        self.work = np.zeros(WORK.size)
        sign = 1.0 if robot == "chaser" else -1.0
        self.force = np.ascontiguousarray(sign * motion.force)
        self.tip = motion.locate_tip(robot)
        self._kept: tuple[Facility, Mount, np.ndarray, np.ndarray] | None = None

    def run(self, facility: Facility, mount: Mount, branch: int) -> int:
        """One branch; `worst` and `ended` hold what was found. Returns the rows reached."""
        start = np.array([1.0, 0, 0, 0, 0, 0, 0])  # slot 0 not zero: no joints to start near
        if mount.joints is not None:
            start = np.array([0.0, *mount.joints])
        frames, base = self._fixed(facility, mount)
        rows = sweep(
            arm=self.arm.vector,
            frames=frames,
            times=self.motion.time,
            motions=self.motion.poses[self.robot],
            forces=self.force,
            points=self.tip,
            base=base,
            start=start,
            branch=branch,
            work=self.work,
            joints=self.joints,
            torque_rows=self.torques,
            worst=self.worst,
            ended=self.ended,
        )
        return int(rows)

    def _fixed(self, facility: Facility, mount: Mount) -> tuple[np.ndarray, np.ndarray]:
        """The frames, and the base axis at every row, computed once for all branches."""
        kept = self._kept
        if kept is None or kept[0] is not facility or kept[1] is not mount:
            frames = make_frames(facility, mount, self.motion)
            orbit = frames[FA.orbit : FA.orbit + 7]
            poses = self.motion.poses[self.robot]
            rows = base_axis_rows(self.arm, mount, self.motion.time, poses, orbit)
            self._kept = kept = facility, mount, frames, rows
        return kept[2], kept[3]

    def cost(self, rows: int) -> float:
        """The largest use; a path that ends early costs more the sooner it ends."""
        if rows < len(self.motion.time):
            return 100.0 * (2.0 - rows / len(self.motion.time))
        return float(self.worst[:REACH, IN_WORST.use].max())

    def best_branch(self, facility: Facility, mount: Mount) -> tuple[int, float]:
        """The branch of least cost, and that cost."""
        costs = [self.cost(self.run(facility, mount, branch)) for branch in range(BRANCHES)]
        best = int(np.argmin(costs))
        return best, costs[best]

    def path(self, facility: Facility, mount: Mount, branch: int) -> RobotPath:
        """One branch, with everything that is to be said of it."""
        rows = self.run(facility, mount, branch)
        time, arm = self.motion.time, self.arm
        uses = {}
        for k, what in enumerate(WORST[:STIFFNESS]):
            use, row, slot = self.worst[k]
            joint = arm.axis_names[int(slot)]
            if what == "singularity" and rows:
                joint = f"{joint} ({MARKS[int(slot)]})"
            known = what not in LIMITS or arm.knows(LIMITS[what])
            if what == "torque":
                known = known and float(arm.of_axes("mass")[1:].sum()) > 0.0
            uses[what] = LimitUse(
                what=what,
                use=float(use),
                time=float(time[int(row)]),
                joint=joint,
                known=known,
                assumed=arm.is_assumed(*LIMIT_NEEDS[what]),
            )
        ended = None
        if rows < len(time):
            status, slot, missing = self.ended
            name = arm.axis_names[int(slot)]
            ended = BranchEnd(float(time[rows]), name, STATUSES[int(status)], float(missing))
        stiffness = (
            float(self.worst[STIFFNESS, IN_WORST.use])
            if arm.knows("stiffness") and rows
            else math.inf
        )
        return RobotPath(
            robot=self.robot,
            arm=arm,
            branch=branch,
            rows=rows,
            uses=uses,
            stiffness=stiffness,
            stiffness_time=float(time[int(self.worst[STIFFNESS, IN_WORST.row])]),
            ended=ended,
            joints=self.joints[:rows].copy(),
            torques=self.torques[:rows].copy(),
        )


def find_start_branch(arm: Arm, mount: Mount) -> int:
    """The branch of the joints that a mount names."""
    assert mount.joints is not None
    into = np.zeros(1, np.int64)
    q = np.array([[mount.base_axis, *mount.joints]])
    branch_rows(arm.vector, q, into)
    return int(into[0])


def make_end_problem(path: RobotPath, key: str) -> Problem:
    """A path out of reach as a refusal: joint, instant, and what would help."""
    end = path.ended
    assert end is not None
    if end.missing > 0.0:
        helps = f"move the base {1e3 * end.missing:.0f} mm nearer or more, or take a longer arm"
    elif end.missing < 0.0:
        helps = f"move the base {-1e3 * end.missing:.0f} mm farther away or more"
    else:
        helps = "another tool angle (mock_up_wxyz)"
    when = "at the start" if path.rows == 0 else f"at {end.time:.4g} s"
    value = f"{end.status} {when}, joint {end.joint}"
    return Problem(key, value, f"a path within reach: {helps}; softdock place finds a place")
