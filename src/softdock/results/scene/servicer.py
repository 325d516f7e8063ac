"""A servicer's arm and base in the scene: rods from joint to joint, and the base as a uniform box,
each on the track that the hand and the recorded angles of the joints give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.method.declaration import SERVICER
from softdock.loop.spatial.arrays import exponential, product, rotate
from softdock.methods.registry import METHODS
from softdock.methods.servicer_arm import find_base
from softdock.results.scene.mock_ups import compute_cuboid
from softdock.results.scene.model import Mesh, Part, Track
from softdock.results.scene.surfaces import box, rod

THICK = 0.05  # of the arm's length: the radius of a rod
Drawn = tuple[list[Part], dict[str, Mesh], dict[str, Track]]


def find_servicer(tables: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The keys of a scenario's servicer with an arm; None: it has none."""
    for entry in tables["methods"]:
        method = METHODS.get(entry["name"])
        if method is not None and method.in_orbit(entry) == SERVICER:
            return dict(entry)
    return None


def draw_servicer(
    tables: Mapping[str, Any], series: Any, rows: np.ndarray, parts: list[Part], tracks: Any
) -> Drawn:
    """The parts with arm and base in place of the satellite's box; the meshes and tracks of
    these."""
    arm = find_servicer(tables)
    if arm is None:
        return parts, {}, {}
    body, joints = arm["satellite"], np.asarray(arm["joints"], float)
    role = "mock_up" if body == "chaser" else "c8"
    angles = np.stack([series[f"{arm['name']}.angle.{i}"] for i in range(len(joints))], axis=1)
    found = _follow(tracks[body], joints, angles[rows])
    ways = {f"{body}.link_{i + 1}": track for i, track in enumerate(found)}
    front = np.mean(
        [pair["tip_m" if body == "chaser" else "origin_m"] for pair in tables["contact"]]
        or [joints[0, :3]],
        axis=0,
    )
    ends = np.vstack([front, joints[:, :3]])
    radius = THICK * float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum())
    meshes, kept = {}, [part for part in parts if part.mesh != f"{body}_box"]
    names = [body, *ways]
    for i, name in enumerate(names):
        key = f"{body}.arm_{i}"
        if i < len(joints):
            meshes[key] = rod(ends[i], ends[i + 1], (radius, radius))
        else:
            meshes[key] = _make_base(tables[body], arm)
        kept.append(
            Part(
                name=f"{body}'s {'base' if i == len(joints) else f'link {i + 1}'}",
                mesh=key,
                track=name,
                role="satellite" if i == len(joints) else role,
                layer="satellites",
            )
        )
    return kept, meshes, ways


def _make_base(body: Mapping[str, Any], arm: Mapping[str, Any]) -> Mesh:
    given = np.asarray(body["inertia_kg_m2"], float)
    whole = np.diag(given) if given.ndim == 1 else given
    mass, centre, inertia = find_base(float(body["mass_kg"]), whole, arm["links"])
    edges, axes = compute_cuboid({"mass_kg": mass, "inertia_kg_m2": inertia})
    return box(edges, centre, axes)


def _follow(hand: Track, joints: np.ndarray, angles: np.ndarray) -> list[Track]:
    """Of the body behind each joint, in the axes that the hand has as the arm is set."""
    place, turn, found = hand.position, hand.attitude, []
    for row, angle in zip(joints, angles.T, strict=True):
        pivot = place + rotate(turn, row[:3])
        axis = row[3:6] / np.linalg.norm(row[3:6])
        turn = product(turn, exponential(angle[:, None] * axis))
        place = pivot - rotate(turn, row[:3])
        found.append(Track(place, turn))
    return found
