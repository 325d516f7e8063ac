"""The robots of a `[facility]` over a run: links where they were, and what limits they came near.

In: a scenario's tables and series. Out: parts, meshes and tracks in the world of the series, from
the joints that followed.py finds and the compiled forward kinematics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.arms.arm import Arm
from softdock.arms.facility import Frame
from softdock.arms.scenario_facility import facility_of
from softdock.arms.sources import arm_of
from softdock.core.arms.doors import link_rows
from softdock.core.arms.layout import AXES, WORK, WORK_AT
from softdock.core.spatial.arrays import continuous, product, rotate
from softdock.errors import BadInput
from softdock.scene.followed import joints_of
from softdock.scene.links import link_meshes, reach_of, shoulder_of
from softdock.scene.model import Mesh, Part, RobotSeen, Track
from softdock.scene.surfaces import sphere

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
    said: str  # what of its limits it used, or why it could not follow


def robots_of(
    tables: Mapping[str, Any], series: Any, rows: np.ndarray, folder: Path | None = None
) -> tuple[list[Robot], list[str]]:
    """The robots whose arms are known, at some rows, and why others are not drawn."""
    if "facility" not in tables or len(rows) < FEWEST_ROWS:
        return [], []
    facility, found, refused = facility_of(tables, arm_needed=False), [], []
    for body, mount in facility.robots().items():
        if not mount.arm:
            continue
        try:
            arm = arm_of(mount, folder)
        except BadInput as error:
            refused.append(f"The {body}'s robot is not drawn: {error}.")
            continue
        base = facility.orbit.back().then(mount.base)
        joints, said = joints_of(body, arm, facility, mount, series, rows)
        if joints is None:
            refused.append(said)
            continue
        found.append(
            Robot(
                body=body,
                arm=arm,
                base=base,
                flange=mount.satellite.back(),
                joints=joints,
                said=said,
            )
        )
    return found, refused


def flanges(tables: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Where each robot's flange is in its satellite's axes [m]: what carries a mock-up ends
    there."""
    if "facility" not in tables:
        return {}
    mounts = facility_of(tables, arm_needed=False).robots()
    return {body: np.array(mount.satellite.back().p) for body, mount in mounts.items() if mount.arm}


def robot_parts(robot: Robot) -> tuple[list[Part], dict[str, Mesh], dict[str, Track]]:
    """What a scene needs to show a robot."""
    tracks = link_tracks(robot, robot.joints)
    parts: list[Part] = []
    meshes: dict[str, Mesh] = {}
    for slot, made in link_meshes(robot.arm).items():
        track = f"robot.{robot.body}.{slot}"
        for kind, mesh in made.items():
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
    meshes[key] = sphere(shoulder_of(robot.arm), reach_of(robot.arm))
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


def link_tracks(robot: Robot, joints: np.ndarray) -> dict[str, Track]:
    """Frames of all links, in the world of the series."""
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


def seen(robot: Robot) -> RobotSeen:
    """What a viewer tells of the joints beside the picture."""
    first, arm = robot.arm.first, robot.arm
    return RobotSeen(
        body=robot.body,
        arm=arm.name,
        names=arm.axis_names[first:],
        joints=robot.joints[:, first:],
        low=arm.of_axes("low")[first:],
        high=arm.of_axes("high")[first:],
        said=robot.said,
    )
