"""A frame of a scene as a camera sees it: corners in pixels, for pictures and for tests.

The camera is a pinhole without distortion: x to the right, y down, depth along the line of sight
[m]. On pictures narrower than `WIDE` the field of view grows so that as much is seen sideways.
The replay's script (report/assets/replay.js) uses the same rule.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from softdock.core.spatial.arrays import rotate
from softdock.scene.model import Part, Scene, View

WIDE = 1.5  # width over height for which the field of view is meant
NEAREST = 1e-4  # of the distance from eye to centre


class Camera(NamedTuple):
    """Where it is, which way it looks, and how large the picture is."""

    eye: np.ndarray  # m, world
    rows: np.ndarray  # (3, 3): right, down, forward
    focal: float  # pixels
    size: tuple[int, int]  # pixels
    nearest: float  # m


def camera_of(scene: Scene, view: View, frame: int, size: tuple[int, int]) -> Camera:
    """The preset at a frame: it goes along with the track that it follows."""
    eye, centre = np.asarray(view.eye, float), np.asarray(view.centre, float)
    if view.follows:
        way = scene.tracks[view.follows].position
        eye, centre = eye + way[frame] - way[0], centre + way[frame] - way[0]
    forward = centre - eye
    distance = float(np.linalg.norm(forward))
    forward = forward / distance
    right = np.cross(forward, view.up)
    right = right / np.linalg.norm(right)
    width, height = size
    slope = math.tan(math.radians(0.5 * view.angle_deg)) * max(1.0, WIDE * height / width)
    return Camera(
        eye=eye,
        rows=np.stack([right, np.cross(forward, right), forward]),
        focal=0.5 * height / slope,
        size=size,
        nearest=NEAREST * distance,
    )


def pixels(camera: Camera, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (n, 2) and depths [m] of points in the world."""
    seen = (np.asarray(points) - camera.eye) @ camera.rows.T
    depth = np.maximum(seen[:, 2], camera.nearest)
    middle = 0.5 * np.array(camera.size)
    return middle + camera.focal * seen[:, :2] / depth[:, None], seen[:, 2]


def world(scene: Scene, part: Part, frame: int) -> np.ndarray:
    """A part's vertices at a frame [m, world]."""
    track = scene.tracks[part.track]
    return track.position[frame] + rotate(track.attitude[frame], scene.meshes[part.mesh].vertices)


class Faces(NamedTuple):
    """What a camera sees, far faces first."""

    corners: np.ndarray  # (m, 4, 2) pixels
    depths: np.ndarray  # (m, 4) m
    light: np.ndarray  # (m,) 0 dark to 1 bright
    part: np.ndarray  # (m,) index into `parts`
    parts: list[Part]


def faces_seen(scene: Scene, camera: Camera, frame: int, layers: Collection[str]) -> Faces:
    """Faces that look at the camera; of translucent parts, those that look away as well."""
    parts = [part for part in scene.parts if part.layer in layers]
    corners, depths, light, owner = [], [], [], []
    lamp = _lamp(camera)
    for i, part in enumerate(parts):
        faces, points = scene.meshes[part.mesh].faces, world(scene, part, frame)
        flat, depth = pixels(camera, points)
        first, second, third = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
        normal = np.cross(second - first, third - first)
        normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        towards = np.einsum("ij,ij->i", normal, camera.eye - first) > 0.0
        kept = (depth[faces].min(axis=1) > camera.nearest) & (towards | (part.opacity < 1.0))
        shine = np.abs(normal @ lamp) if part.opacity < 1.0 else np.maximum(normal @ lamp, 0.0)
        corners.append(flat[faces[kept]])
        depths.append(depth[faces[kept]])
        light.append(0.3 + 0.7 * shine[kept])
        owner.append(np.full(int(kept.sum()), i))
    if not parts:
        empty = np.zeros(0)
        return Faces(
            corners=np.zeros((0, 4, 2)),
            depths=np.zeros((0, 4)),
            light=empty,
            part=empty.astype(int),
            parts=[],
        )
    far = np.concatenate(depths)
    order = np.argsort(-far.mean(axis=1), kind="stable")
    return Faces(
        corners=np.concatenate(corners)[order],
        depths=far[order],
        light=np.concatenate(light)[order],
        part=np.concatenate(owner)[order],
        parts=parts,
    )


def _lamp(camera: Camera) -> np.ndarray:
    """Light from the upper left behind the camera."""
    right, down, forward = camera.rows
    lamp = -0.45 * right - 0.75 * down - 0.7 * forward
    return np.asarray(lamp / np.linalg.norm(lamp))
