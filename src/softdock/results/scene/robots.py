"""The robots of a `[facility]` over a run: poses of their links, and use of their limits.

In: a scenario's tables and series. Out: parts, meshes and tracks in the world of the series, by the
compiled forward kinematics. Lengths, joints and axes are the arm's own; the thickness of links
follows the radii of its volumes, where it has them.

Joints are the recorded ones: `joints.chaser.0` to `.6` [rad; 0 is the base axis], or
`joints.chaser.position.A1` and so on. Otherwise a branch of the inverse kinematics is followed
through the mock-up's poses: that of the mount's `joints_deg`, or the one farthest from its limits.
A robot that cannot follow stays where it is; a sentence says when and why.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput
from softdock.loop.arms.arm import Arm, Capsule
from softdock.loop.arms.base_axis import base_axis_rows
from softdock.loop.arms.entry_points import branch_rows, link_rows
from softdock.loop.arms.facility import Facility, Frame, Mount
from softdock.loop.arms.follow import BRANCHES, STATUSES
from softdock.loop.arms.layout import AXES, WORK, WORK_AT
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.arms.sources import arm_of
from softdock.loop.arms.sweep import (
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
from softdock.loop.spatial.arrays import continuous, product, rotate
from softdock.results.scene.model import Mesh, Part, RobotJoints, Track
from softdock.results.scene.surfaces import join_meshes, revolve, rod, sphere

THIN_ROWS = 60  # for choosing a branch
STILL = 1e-6  # of a joint's largest speed: it stands
FA = FRAMES.at


def find_joints(
    body: str, arm: Arm, facility: Facility, mount: Mount, series: Any, rows: np.ndarray
) -> tuple[np.ndarray | None, str]:
    """Joints at some rows, and a sentence on them; None if no pose is within reach."""
    name = f"{body}'s robot ({arm.name})"
    given = read_joints(body, mount.base_axis, series)
    if given is not None:
        return given[rows], f"The {name} as its joints were recorded."
    time, shown = np.asarray(series["time"], float)[rows], len(rows)
    poses = np.hstack(
        [np.asarray(series[f"mock_up.{body}.{key}"])[rows] for key in ("position", "attitude")]
    )
    path = _Path(arm, sweep_frames(facility, mount), mount)
    branch = _find_mount_branch(arm, mount)
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


def read_joints(body: str, base_axis: float, series: Any) -> np.ndarray | None:
    """Recorded joint series, if a run or a recording has them complete."""
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


def sweep_frames(facility: Facility, mount: Mount) -> np.ndarray:
    """Constants of the compiled sweep along a path."""
    inward = mount.base.back()
    frames = np.zeros(FRAMES.size)
    frames[FA.orbit : FA.orbit + 7] = inward.then(facility.orbit).seven()
    frames[FA.flange : FA.flange + 7] = mount.satellite.back().seven()
    frames[FA.gravity : FA.gravity + 3] = inward.turned(facility.gravity)
    frames[FA.approach] = 1.0
    return frames


def _find_mount_branch(arm: Arm, mount: Mount) -> int:
    """Branch of the joints that a mount names; -1 if it names none."""
    if mount.joints is None:
        return -1
    into = np.zeros(1, np.int64)
    branch_rows(arm.vector, np.array([[mount.base_axis, *mount.joints]]), into)
    return int(into[0])


class _Path:
    """The compiled sweep of one arm, for its joints and the use of its limits."""

    def __init__(self, arm: Arm, frames: np.ndarray, mount: Mount) -> None:
        self.arm, self.frames, self.mount = arm, frames, mount
        self.worst, self.ended = np.zeros((len(WORST), WORST_ROW.size)), np.zeros(ENDED.size)
        self.joints = np.zeros((0, AXES))

    def run(self, time: np.ndarray, poses: np.ndarray, branch: int) -> int:
        """Number of rows reached. Forces are zero, since no torques are asked for."""
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
        """Nearness to limits; a path that ends early costs more the sooner it ends."""
        rows = self.run(time, poses, branch)
        if rows < len(time):
            return 100.0 * (2.0 - rows / len(time))
        return float(max(self.worst[k, IN_WORST.use] for k in (RANGE, SPEED, SINGULARITY)))

    def use_words(self) -> str:
        """The largest uses of limits, each with its joint."""
        names, w = self.arm.axis_names, self.worst
        parts = [f"{_format_percent(w[RANGE, 0])} of a joint's range ({names[int(w[RANGE, 2])]})"]
        if w[SPEED, 0] > STILL:
            parts.append(
                f"{_format_percent(w[SPEED, 0])} of a joint's speed ({names[int(w[SPEED, 2])]})"
            )
        parts.append(f"{_format_percent(w[REACH, 0])} of its reach")
        near = w[SINGULARITY, 0]
        singular = f"; it comes near a singularity ({names[int(w[SINGULARITY, 2])]})"
        beyond = w[RANGE, 0] > 1.0 or w[SPEED, 0] > 1.0
        over = "; more than it can do" if beyond else ""
        return ", ".join(parts[:-1]) + f" and {parts[-1]}" + (singular if near > 1.0 else "") + over

    def end_words(self) -> str:
        status, slot, missing = self.ended
        by = f", by {1e3 * abs(missing):.0f} mm" if math.isfinite(missing) and missing else ""
        return f"{STATUSES[int(status)]} (joint {self.arm.axis_names[int(slot)]}{by})"


def _format_percent(use: float) -> str:
    return f"{100.0 * use:.2g} %"


SIDES = 20  # of a round link: many are drawn
SLIM = 0.8  # of a volume's radius, which keeps a margin
THICK = 0.075  # of the arm's reach, where it has no volumes
SHORTEST = 1e-6  # m; a link of no length is its drum
MOST_MADE = 16  # arms whose meshes are kept
_MADE: dict[tuple[bytes, tuple[Capsule, ...]], dict[int, dict[str, Mesh]]] = {}


def make_link_meshes(arm: Arm) -> dict[int, dict[str, Mesh]]:
    """Meshes by slot of the link: its body (`link`), and the drum of its joint (`joint`). Made once
    for each arm."""
    key = (arm.vector.tobytes(), arm.capsules)
    if key not in _MADE:
        if len(_MADE) >= MOST_MADE:
            _MADE.clear()
        _MADE[key] = _build_link_meshes(arm)
    return _MADE[key]


def _build_link_meshes(arm: Arm) -> dict[int, dict[str, Mesh]]:
    found: dict[int, dict[str, Mesh]] = {}
    axes, volumes = arm.of_axes("directions", 3), list_arm_volumes(arm)
    for one, after in zip(volumes, [*volumes[1:], None], strict=True):
        start, end = np.array(one.start), np.array(one.end)
        if one.slot == 0:
            found[0] = {"link": make_foot(start, end, one.radius)}
            continue
        radius = SLIM * one.radius
        first = 0.8 * radius if one.slot == 1 else radius  # a turret is flatter
        drum = 1.12 * first * axes[one.slot]
        meshes = {"joint": rod(start - drum, start + drum, (1.2 * radius,) * 2, SIDES)}
        if float(np.linalg.norm(end - start)) > SHORTEST:
            # never thicker than the drum it ends in; the last one ends flat, in the flange
            last = 0.8 * radius if after is None else min(0.8 * radius, SLIM * after.radius)
            meshes["link"] = make_bone(start, end, first, min(first, last), after is None)
        found[one.slot] = meshes
    return found


def list_arm_volumes(arm: Arm) -> tuple[Capsule, ...]:
    """The arm's own volumes; without any, a capsule from each joint to the next."""
    if arm.capsules:
        return arm.capsules
    offsets = arm.of_axes("offsets", 3)
    volumes = [_make_capsule("base", 0, offsets[1], 1.4 * THICK * compute_arm_reach(arm))]
    for slot in range(1, AXES - 1):
        thick = THICK * compute_arm_reach(arm) * (1.0 - 0.09 * slot)
        volumes.append(_make_capsule(arm.axis_names[slot], slot, offsets[slot + 1], thick))
    return tuple(volumes)


def _make_capsule(name: str, slot: int, end: np.ndarray, radius: float) -> Capsule:
    x, y, z = (float(v) for v in end)
    return Capsule(name=name, slot=slot, start=(0.0, 0.0, 0.0), end=(x, y, z), radius=radius)


def compute_arm_reach(arm: Arm) -> float:
    """Distance from shoulder to wrist of the stretched arm [m]."""
    offsets = arm.of_axes("offsets", 3)
    return float(np.linalg.norm(offsets[3]) + np.linalg.norm(offsets[4]))


def locate_shoulder(arm: Arm) -> np.ndarray:
    """Position of axis 2 from the origin of link 1 [m, link 1]."""
    return np.asarray(arm.of_axes("offsets", 3)[2])


def make_bone(start: np.ndarray, end: np.ndarray, first: float, last: float, flat: bool) -> Mesh:
    """A link: round at its beginning, slimmer towards the next; `flat`: ends in a face."""
    length = float(np.linalg.norm(end - start))
    angle = np.linspace(-0.5 * np.pi, 0.0, 5)
    lower = [(float(first * np.cos(a)), float(first * np.sin(a))) for a in angle]
    upper = [(float(last * np.cos(a)), length - float(last * np.sin(a))) for a in angle[::-1]]
    if flat:
        upper = [(last, length), (0.0, length)]
    return revolve([*lower, *upper], start, end - start, SIDES)


def make_foot(start: np.ndarray, end: np.ndarray, radius: float) -> Mesh:
    """A base plate and a column up to the first joint."""
    up = end - start
    if float(np.linalg.norm(up)) < SHORTEST:
        up = np.array([0.0, 0.0, radius])
    height = float(np.linalg.norm(up))
    way = up / height
    plate = rod(start, start + 0.12 * radius * way, (1.15 * radius,) * 2, SIDES)
    return join_meshes(plate, rod(start, start + up, (0.85 * radius, 0.7 * radius), SIDES))


FEWEST_ROWS = 3  # speeds are differences
ROLES = {"chaser": "mock_up", "target": "c8"}  # of the joints: as the mock-up it carries


@dataclass(frozen=True)
class Robot:
    """One robot over some rows of a run."""

    body: str
    arm: Arm
    base: Frame  # in the world of the series
    flange: Frame  # in the satellite's axes, from its centre of mass
    joints: np.ndarray  # (rows, 7) rad, slot 0: the base axis
    usage: str  # what of its limits it used, or why it could not follow


def find_robots(
    tables: Mapping[str, Any], series: Any, rows: np.ndarray, folder: Path | None = None
) -> tuple[list[Robot], list[str]]:
    """The robots whose arms are known, at some rows, and the reasons why others are not drawn."""
    if "facility" not in tables or len(rows) < FEWEST_ROWS:
        return [], []
    facility, robots, refused = facility_of(tables, arm_needed=False), [], []
    for body, mount in facility.robots().items():
        if not mount.arm:
            continue
        try:
            arm = arm_of(mount, folder)
        except BadInput as error:
            refused.append(f"The {body}'s robot is not drawn: {error}.")
            continue
        base = facility.orbit.back().then(mount.base)
        joints, usage = find_joints(body, arm, facility, mount, series, rows)
        if joints is None:
            refused.append(usage)
            continue
        robots.append(
            Robot(
                body=body,
                arm=arm,
                base=base,
                flange=mount.satellite.back(),
                joints=joints,
                usage=usage,
            )
        )
    return robots, refused


def locate_flanges(tables: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Position of each robot's flange in its satellite's axes [m], where the carrier of the mock-up
    ends."""
    if "facility" not in tables:
        return {}
    mounts = facility_of(tables, arm_needed=False).robots()
    return {body: np.array(mount.satellite.back().p) for body, mount in mounts.items() if mount.arm}


def make_robot_parts(robot: Robot) -> tuple[list[Part], dict[str, Mesh], dict[str, Track]]:
    """Parts, meshes and tracks of a robot."""
    tracks = make_link_tracks(robot, robot.joints)
    parts: list[Part] = []
    meshes: dict[str, Mesh] = {}
    for slot, kinds in make_link_meshes(robot.arm).items():
        track = f"robot.{robot.body}.{slot}"
        for kind, mesh in kinds.items():
            key = f"{track}.{kind}"
            meshes[key] = mesh
            role = ROLES[robot.body] if kind == "joint" else "arm" if slot else "measured"
            name = robot.arm.axis_names[slot] or "base"
            parts.append(
                Part(
                    name=f"{robot.body}'s {name}, {kind}",
                    mesh=key,
                    track=track,
                    role=role,
                    layer="robots",
                )
            )
    key = f"reach.{robot.body}"
    meshes[key] = sphere(locate_shoulder(robot.arm), compute_arm_reach(robot.arm))
    what = f"reach of the {robot.body}'s robot: of its wrist from its shoulder"
    parts.append(
        Part(
            name=what,
            mesh=key,
            track=f"robot.{robot.body}.1",
            role="measured",
            layer="limits",
            opacity=0.08,
        )
    )
    used = {part.track for part in parts}
    return parts, meshes, {name: track for name, track in tracks.items() if name in used}


def make_link_tracks(robot: Robot, joints: np.ndarray) -> dict[str, Track]:
    """Tracks of all links, in the world of the series."""
    work = np.zeros((len(joints), WORK.size))
    link_rows(robot.arm.vector, np.ascontiguousarray(joints), work)
    p, q = np.array(robot.base.p), np.array(robot.base.q)
    tracks = {}
    for slot in range(AXES):
        origin = work[:, WORK_AT.origins + 3 * slot : WORK_AT.origins + 3 * slot + 3]
        turn = work[:, WORK_AT.turns + 4 * slot : WORK_AT.turns + 4 * slot + 4]
        whole = product(np.broadcast_to(q, turn.shape), turn)
        tracks[f"robot.{robot.body}.{slot}"] = Track(p + rotate(q, origin), continuous(whole))
    return tracks


def summarise_joints(robot: Robot) -> RobotJoints:
    """Joints and ranges for the panel beside the picture."""
    first, arm = robot.arm.first, robot.arm
    return RobotJoints(
        body=robot.body,
        arm=arm.name,
        names=arm.axis_names[first:],
        joints=robot.joints[:, first:],
        low=arm.of_axes("low")[first:],
        high=arm.of_axes("high")[first:],
        usage=robot.usage,
    )
