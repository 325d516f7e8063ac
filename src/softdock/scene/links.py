"""Robots as capsules between their joints, given for every row of a run.

In: points (rows, joints, 3) [m, world] and a radius [m]. Out: a part, a mesh and a track for each
link. Where a facility knows its arms, their joints come from kinematics; without arms, no robots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.scene.model import Mesh, Part, Track
from softdock.scene.surfaces import capsule
from softdock.scene.turning import from_z_to, without_flips

SHORTEST = 1e-6  # m; a link of no length is not drawn


@dataclass(frozen=True)
class Arm:
    """One robot over a whole run."""

    name: str
    joints: np.ndarray  # (rows, joints, 3) m, world, from base to flange
    radius: float = 0.09  # m
    role: str = "mock_up"


def arm_parts(arm: Arm, rows: np.ndarray) -> tuple[list[Part], dict[str, Mesh], dict[str, Track]]:
    """What a scene needs to show an arm at the chosen rows."""
    parts: list[Part] = []
    meshes: dict[str, Mesh] = {}
    tracks: dict[str, Track] = {}
    joints = np.asarray(arm.joints)[rows]
    for i in range(joints.shape[1] - 1):
        way = joints[:, i + 1] - joints[:, i]
        length = float(np.median(np.linalg.norm(way, axis=1)))
        if length < SHORTEST:
            continue
        key = f"{arm.name}.link_{i + 1}"
        meshes[key] = capsule(length, arm.radius * (1.0 - 0.08 * i))
        tracks[key] = Track(joints[:, i], without_flips(from_z_to(way)))
        parts.append(Part(f"{arm.name}, link {i + 1}", key, key, arm.role, "robots"))
    return parts, meshes, tracks
