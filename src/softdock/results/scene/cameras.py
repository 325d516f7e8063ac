"""Camera presets, and the projection of a frame: corners in pixels, for pictures and tests.

The camera is a pinhole without distortion: x to the right, y down, depth along the line of sight
[m]. On pictures narrower than `WIDE` the field of view grows so that the same width is seen. The
replay's script (output/pages/assets/replay.js) uses the same rule.

Presets: the whole facility, the contact, and both satellites as in orbit.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import rotate
from softdock.results.scene.model import Mesh, Part, Scene, Track, View
from softdock.results.scene.scenario_bodies import Furniture
from softdock.results.scene.surfaces import frame_along

NEAR_LAYERS = ("mock_ups", "robots", "forces", "trail")
FAR_LAYERS = ("mock_ups", "robots", "satellites", "forces", "limits")
ORBIT_LAYERS = ("mock_ups", "satellites", "orbit", "forces")
SOLID = ("mock_ups", "satellites", "robots")
SIDE, BACK, ABOVE = 1.0, 0.55, 0.42  # of the distance, from where one looks


def compute_lateral_axes(along: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Horizontal unit vectors across the approach and along it."""
    level = along - (along @ up) * up
    if np.linalg.norm(level) < 1e-6:
        level = frame_along(up)[0]
    level = level / np.linalg.norm(level)
    return np.cross(up, level), level


def make_view(
    name: str,
    centre: np.ndarray,
    radius: float,
    along: np.ndarray,
    up: np.ndarray,
    follows: str = "",
    layers: tuple[str, ...] = (),
    lean: tuple[float, float, float] = (SIDE, BACK, ABOVE),
) -> View:
    """Camera at the side, behind and above, so far away that a ball of `radius` fills the
    picture."""
    across, level = compute_lateral_axes(along, up)
    to_eye = -lean[0] * across - lean[1] * level + lean[2] * up
    angle = 32.0
    distance = radius / np.sin(np.radians(0.5 * angle))
    eye = centre + distance * to_eye / np.linalg.norm(to_eye)
    return View(
        name=name,
        eye=eye,
        centre=centre,
        up=up,
        follows=follows,
        layers=layers,
        angle_deg=angle,
        floor=not follows,
    )


def find_outer_corners(
    tracks: Mapping[str, Track],
    meshes: Mapping[str, Mesh],
    parts: Sequence[Part],
    ended: bool = False,
) -> np.ndarray:
    """Corners of all solid parts at the first, the middle and the last frame [m, world].

    `ended`: of a run that stopped early, whose last frames may be anywhere: earlier frames.
    """
    corners = []
    count = len(next(iter(tracks.values())).position)
    frames = (0, count // 4, count // 2) if ended else (0, count // 2, count - 1)
    ends = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    for part in parts:
        if part.layer not in SOLID:
            continue
        track, vertices = tracks[part.track], meshes[part.mesh].vertices
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        for frame in frames:
            turned = rotate(track.attitude[frame], low + ends * (high - low))
            corners.append(track.position[frame] + turned)
    return np.concatenate(corners) if corners else np.zeros((1, 3))


def make_views(
    furniture: Furniture,
    tracks: Mapping[str, Track],
    up: np.ndarray,
    parts: Sequence[Part],
    factor: float,
    everything: np.ndarray,
) -> dict[str, View]:
    """The presets; near ones only where a shape is described that can be touched. `everything`:
    the corners of all solid parts."""
    centre = 0.5 * (everything.min(axis=0) + everything.max(axis=0))
    radius = 0.5 * float(np.linalg.norm(np.ptp(everything, axis=0))) or 1.0
    target = tracks["mock_up.target"]
    along = rotate(target.attitude[0], furniture.along)
    views = {}
    if furniture.touches:
        focus = target.position[0] + rotate(target.attitude[0], furniture.focus)
        near = (*NEAR_LAYERS, "orbit_far" if factor > 1.0 else "orbit")
        views["contact"] = make_view(
            "contact",
            focus,
            furniture.near,
            along,
            up,
            follows="mock_up.target",
            layers=near,
            lean=(1.0, 0.62, 0.5),
        )
    # how far known arms reach hides what they do: it is there to be switched on
    hidden = ("limits",) if any(part.layer == "robots" for part in parts) else ()
    far = tuple(layer for layer in FAR_LAYERS if layer not in hidden)
    views["facility"] = make_view("facility", centre, 0.72 * radius, along, up, layers=far)
    views["orbit"] = make_view(
        "orbit",
        centre,
        0.85 * radius,
        along,
        up,
        layers=ORBIT_LAYERS,
        lean=(0.5, 1.0, 0.75),
    )
    return views


WIDE = 1.5  # width over height for which the field of view is meant
NEAREST = 1e-4  # of the distance from eye to centre


class Camera(NamedTuple):
    """Where it is, which way it looks, and how large the picture is."""

    eye: np.ndarray  # m, world
    rows: np.ndarray  # (3, 3): right, down, forward
    focal: float  # pixels
    size: tuple[int, int]  # pixels
    nearest: float  # m


def place_camera(scene: Scene, view: View, frame: int, size: tuple[int, int]) -> Camera:
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


def project(camera: Camera, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (n, 2) and depths [m] of points in the world."""
    seen = (np.asarray(points) - camera.eye) @ camera.rows.T
    depth = np.maximum(seen[:, 2], camera.nearest)
    middle = 0.5 * np.array(camera.size)
    return middle + camera.focal * seen[:, :2] / depth[:, None], seen[:, 2]


def compute_world_vertices(scene: Scene, part: Part, frame: int) -> np.ndarray:
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


def find_visible_faces(scene: Scene, camera: Camera, frame: int, layers: Collection[str]) -> Faces:
    """Faces that look at the camera; of translucent parts, those that look away as well."""
    parts = [part for part in scene.parts if part.layer in layers]
    corners, depths, light, owner = [], [], [], []
    lamp = _compute_light_direction(camera)
    for i, part in enumerate(parts):
        faces, points = scene.meshes[part.mesh].faces, compute_world_vertices(scene, part, frame)
        flat, depth = project(camera, points)
        first, second, third = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
        normal = np.cross(second - first, third - first)
        normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        towards = np.einsum("ij,ij->i", normal, camera.eye - first) > 0.0
        visible = (depth[faces].min(axis=1) > camera.nearest) & (towards | (part.opacity < 1.0))
        shine = np.abs(normal @ lamp) if part.opacity < 1.0 else np.maximum(normal @ lamp, 0.0)
        corners.append(flat[faces[visible]])
        depths.append(depth[faces[visible]])
        light.append(0.3 + 0.7 * shine[visible])
        owner.append(np.full(int(visible.sum()), i))
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


def _compute_light_direction(camera: Camera) -> np.ndarray:
    """Light from the upper left behind the camera."""
    right, down, forward = camera.rows
    lamp = -0.45 * right - 0.75 * down - 0.7 * forward
    return np.asarray(lamp / np.linalg.norm(lamp))
