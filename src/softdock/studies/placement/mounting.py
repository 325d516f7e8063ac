"""How a robot is set up for a motion, in four numbers that a person can change.

`distance`, `side`, `height`: where the middle of the path of contact lies as seen from the base:
ahead, the way the mock-up faces; to the left of that; above the foot of the base [m].
`tilt`: of the tool mount, about the horizontal axis across the approach [rad]; at zero the mock-up
continues the flange. The base's z axis is up, its x axis faces the mock-up's way. The flange is
turned from the mock-up by the shortest way, so its roll is no fifth number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.loop.arms.arm import Arm
from softdock.loop.arms.facility import Facility, Frame, Mount
from softdock.loop.arms.layout import AT, AXES
from softdock.loop.spatial.arrays import cross_matrix, quaternion_of, unit_matrix
from softdock.studies.placement.motion import Motion, compute_facing_axis

STAND_OFF = 0.3  # m from the flange to the place of contact; assumed where no tool is described


@dataclass(frozen=True)
class Place:
    """One way to set up a robot."""

    distance: float  # m
    side: float  # m
    height: float  # m
    tilt: float  # rad

    def words(self) -> str:
        return (
            f"distance {self.distance:.2f} m, side {self.side:+.2f} m, height {self.height:.2f} m, "
            f"tool tilted {math.degrees(self.tilt):+.0f} deg"
        )


@dataclass(frozen=True)
class Stage:
    """What a motion looks like to one robot: where it happens, which way it faces, what is up."""

    middle: np.ndarray  # m, laboratory
    facing: np.ndarray  # unit vector, laboratory, level
    up: np.ndarray  # unit vector, laboratory
    body_facing: np.ndarray  # the way the mock-up faces, in its own axes
    contact: np.ndarray  # m, where it touches, in the satellite's axes

    @property
    def left(self) -> np.ndarray:
        return np.asarray(np.cross(self.up, self.facing))


def make_stage(facility: Facility, motion: Motion, robot: str) -> Stage:
    """The stage of one robot."""
    orbit = unit_matrix(facility.orbit.q)
    points = motion.point @ orbit.T + facility.orbit.p
    g = np.array(facility.gravity)
    up = -g / np.linalg.norm(g) if np.linalg.norm(g) > 1e-6 else np.array([0.0, 0.0, 1.0])
    ahead = orbit @ (motion.approach if robot == "chaser" else -motion.approach)
    level = ahead - (ahead @ up) * up
    if np.linalg.norm(level) < 1e-3:  # an approach straight up or down
        level = np.cross(up, np.eye(3)[int(np.abs(up).argmin())])
    row = motion.contact_row
    pose = motion.poses[robot][row]
    contact = unit_matrix(pose[3:]).T @ (motion.point[row] - pose[:3])
    return Stage(
        middle=0.5 * (points.min(axis=0) + points.max(axis=0)),
        facing=level / np.linalg.norm(level),
        up=up,
        body_facing=compute_facing_axis(motion, robot),
        contact=contact,
    )


def compute_flange_axis(arm: Arm) -> np.ndarray:
    """The direction in which a flange points, in its own axes."""
    offset = arm.vector[AT.offsets + 3 * AXES : AT.offsets + 3 * AXES + 3]
    turn = unit_matrix(arm.vector[AT.flange : AT.flange + 4])
    size = float(np.linalg.norm(offset))
    return turn.T @ offset / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])


def make_mount(
    stage: Stage, arm: Arm, named: Any, place: Place, like: Mount | None = None
) -> Mount:
    """A robot set up at a place. `like`: a mount whose load, volumes and tool length are kept."""
    base = stage.middle - place.distance * stage.facing - place.side * stage.left
    base = base - place.height * stage.up
    R_base = np.column_stack([stage.facing, stage.left, stage.up])
    out, facing = compute_flange_axis(arm), stage.body_facing
    across = _compute_level_axis(facing, stage)
    tilted = (
        _make_rotation(across, place.tilt) @ facing
    )  # the way the flange points, in the mock-up's axes
    R = _make_rotation_onto(tilted, out)
    tool = STAND_OFF if like is None else _measure_tool(like, stage)
    place_of_contact = tool * (R @ facing)
    centre = place_of_contact - R @ stage.contact
    return Mount(
        arm=named,
        base=Frame(tuple(base.tolist()), _convert_to_quaternion(R_base)),
        mock_up=Frame(tuple(centre.tolist()), _convert_to_quaternion(R)),
        base_axis=0.0 if like is None else like.base_axis,
        follows=0.0 if like is None else like.follows,
        follow_lag=1.0 if like is None else like.follow_lag,
        under=None if like is None else like.under,
        load=None if like is None else like.load,
        volumes=() if like is None else like.volumes,
    )


def _measure_tool(like: Mount, stage: Stage) -> float:
    """From the flange to the place of contact, in a mount that there is."""
    satellite = like.satellite
    contact = np.add(satellite.p, satellite.turned(stage.contact))
    return float(np.linalg.norm(contact))


def _compute_level_axis(facing: np.ndarray, stage: Stage) -> np.ndarray:
    """The horizontal axis across the approach, in the mock-up's axes."""
    R = _make_rotation_onto(stage.facing, facing)  # laboratory to mock-up, as far as facing says it
    return np.asarray(R @ stage.left)


def _make_rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation about an axis."""
    K = cross_matrix(axis / np.linalg.norm(axis))
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K))


def _make_rotation_onto(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest rotation that brings direction a onto b."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    n, c = np.cross(a, b), float(a @ b)
    if np.linalg.norm(n) < 1e-9:
        if c > 0.0:
            return np.eye(3)
        return _make_rotation(np.cross(a, np.eye(3)[int(np.abs(a).argmin())]), math.pi)
    return _make_rotation(n, math.atan2(float(np.linalg.norm(n)), c))


def _convert_to_quaternion(R: np.ndarray) -> tuple[float, ...]:
    return tuple(float(v) for v in quaternion_of(R))
