"""Camera presets, and the projection of a frame: corners in pixels, for pictures and tests.

The camera is a pinhole without distortion: x to the right, y down, depth along the line of sight
[m]. Each preset is framed by the corners of what it shows: at every width of the picture all of
them are inside. The replay's script (output/pages/assets/replay_scene.js) uses the same rule.

Presets: the contact, the whole rig, both satellites, and the rig from above.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import rotate
from softdock.results.scene.model import WIDE, Mesh, Part, Scene, Track, View
from softdock.results.scene.surfaces import frame_along

NEAR_LAYERS = ("mock_ups", "robots", "forces", "trail")
FAR_LAYERS = ("mock_ups", "robots", "satellites", "forces", "limits")
SATELLITE_LAYERS = ("mock_ups", "satellites", "orbit", "forces")
SOLID = ("mock_ups", "satellites", "robots")
LENS_DEG = 32.0  # vertical field of view from which the distance of a camera follows
ROOM = 1.22  # around what is framed: a title is above it and numbers are below
MOST_FRAMES = 24  # of a contact, for its bounding box
# of the distance to the eye: across the approach, along it and up
CONTACT_LEAN = (1.0, 0.62, 0.5)
RIG_LEAN = (1.0, 0.55, 0.42)
SATELLITES_LEAN = (0.5, 1.0, 0.75)
TOP_LEAN = (0.02, 0.0, 1.0)  # not straight down, where the picture could turn


def compute_lateral_axes(along: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Horizontal unit vectors across the approach and along it."""
    level = along - (along @ up) * up
    if np.linalg.norm(level) < 1e-6:
        level = frame_along(up)[0]
    level = level / np.linalg.norm(level)
    return np.cross(up, level), level


def make_view(
    name: str,
    corners: np.ndarray,
    along: np.ndarray,
    up: np.ndarray,
    lean: tuple[float, float, float],
    layers: tuple[str, ...],
    follows: str = "",
) -> View:
    """Camera whose picture holds all `corners` [m, world], at every width."""
    across, level = compute_lateral_axes(along, up)
    back = -lean[0] * across - lean[1] * level + lean[2] * up
    back = back / np.linalg.norm(back)
    right = np.cross(up, back)
    right = right / np.linalg.norm(right)
    rows = np.stack([right, np.cross(back, right), back])  # right, up, towards the eye
    seen = corners @ rows.T
    centre = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    slopes = math.tan(math.radians(0.5 * LENS_DEG)) * np.array([WIDE, 1.0])
    for _ in range(3):  # near corners take more room than far ones: the centre follows
        beside = seen - centre
        distance = float((beside[:, 2:] + np.abs(beside[:, :2]) / slopes).max()) or 1.0
        slant = beside[:, :2] / (distance - beside[:, 2:])
        centre[:2] += 0.5 * distance * (slant.min(axis=0) + slant.max(axis=0))
    beside = seen - centre
    slant = np.abs(beside[:, :2] / (distance - beside[:, 2:])).max(axis=0)
    high = max(float(slant[1]), 0.2 * float(slant[0]), 1e-6)
    return View(
        name=name,
        eye=(centre + np.array([0.0, 0.0, distance])) @ rows,
        centre=centre @ rows,
        up=up,
        follows=follows,
        layers=layers,
        angle_deg=math.degrees(2.0 * math.atan(ROOM * high)),
        wide=float(slant[0]) / high or WIDE,
        floor=not follows,
    )


def find_outer_corners(
    tracks: Mapping[str, Track],
    meshes: Mapping[str, Mesh],
    parts: Sequence[Part],
    ended: bool = False,
    layers: Collection[str] = SOLID,
) -> np.ndarray:
    """Corners of all solid parts at the first, the middle and the last frame [m, world].

    `ended`: of a run that stopped early, whose last frames may be anywhere: earlier frames.
    """
    corners = []
    count = len(next(iter(tracks.values())).position)
    frames = (0, count // 4, count // 2) if ended else (0, count // 2, count - 1)
    ends = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    for part in parts:
        if part.layer not in layers:
            continue
        track, vertices = tracks[part.track], meshes[part.mesh].vertices
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        for frame in frames:
            turned = rotate(track.attitude[frame], low + ends * (high - low))
            corners.append(track.position[frame] + turned)
    return np.concatenate(corners) if corners else np.zeros((1, 3))


def find_contact_corners(
    tracks: Mapping[str, Track],
    meshes: Mapping[str, Mesh],
    parts: Sequence[Part],
    touching: np.ndarray,
    scale: float,
) -> np.ndarray:
    """Corners of what touches, in the frames in which it does [m, world], moved along with the
    target's mock-up to where that is at the first frame. `touching`: (n,) of each frame."""
    chaser, target = tracks["mock_up.chaser"], tracks["mock_up.target"]
    apart = np.linalg.norm(chaser.position - target.position, axis=1)
    frames = np.flatnonzero(touching)
    if not len(frames):
        frames = np.array([int(np.argmin(apart))])
    first = frames[0]
    frames = frames[np.unique(np.linspace(0, len(frames) - 1, MOST_FRAMES).astype(int))]
    if abs(apart[0] - apart[first]) < scale:  # so short an approach is shown whole
        frames = np.append(frames, 0)
    corners = []
    for part in parts:
        if part.layer != "mock_ups" or not part.mesh.startswith(TOUCHING):
            continue
        track, vertices = tracks[part.track], meshes[part.mesh].vertices
        for frame in frames:
            turned = rotate(track.attitude[frame], vertices)
            way = target.position[0] - target.position[frame]
            corners.append(track.position[frame] + turned + way)
    return np.concatenate(corners) if corners else target.position[:1]


TOUCHING = ("probe_", "shape_")  # meshes: the rest of a mock-up carries them


def make_views(
    tracks: Mapping[str, Track],
    meshes: Mapping[str, Mesh],
    parts: Sequence[Part],
    *,
    along: np.ndarray,
    up: np.ndarray,
    touching: np.ndarray | None,
    scale: float,
    factor: float,
    ended: bool,
) -> dict[str, View]:
    """The presets. `along`: direction of the approach, world; `touching`: whether each frame is one
    of a contact; None: no shape is described that can be touched, and there is no such camera."""
    views = {}
    if touching is not None:
        corners = find_contact_corners(tracks, meshes, parts, touching, scale)
        near = (*NEAR_LAYERS, "orbit_far" if factor > 1.0 else "orbit")
        views["contact"] = make_view(
            "contact", corners, along, up, CONTACT_LEAN, near, follows="mock_up.target"
        )
    # how far known arms reach hides what they do: it is there to be switched on
    hidden = ("limits",) if any(part.layer == "robots" for part in parts) else ()
    far = tuple(layer for layer in FAR_LAYERS if layer not in hidden)
    whole = find_outer_corners(tracks, meshes, parts, ended)
    bodies = find_outer_corners(tracks, meshes, parts, ended, ("mock_ups", "satellites"))
    views["rig"] = make_view("rig", whole, along, up, RIG_LEAN, far)
    views["satellites"] = make_view(
        "satellites", bodies, along, up, SATELLITES_LEAN, SATELLITE_LAYERS
    )
    views["top"] = make_view("top", whole, along, up, TOP_LEAN, far)
    return views


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
    slope = math.tan(math.radians(0.5 * view.angle_deg)) * max(1.0, view.wide * height / width)
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
