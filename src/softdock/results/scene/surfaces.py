"""Surfaces of simple bodies (boxes, bodies of revolution, spheres, capsules, plates), and rotations
onto directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softdock.results.scene.model import Mesh


def from_z_to(direction: np.ndarray) -> np.ndarray:
    """Rotations of the z axis into directions, by the shortest way."""
    d = direction / np.maximum(np.linalg.norm(direction, axis=-1, keepdims=True), 1e-300)
    w = 1.0 + d[..., 2:3]
    v = np.stack([-d[..., 1], d[..., 0], np.zeros_like(d[..., 0])], axis=-1)
    q = np.concatenate([w, v], axis=-1)
    q = np.where(w > 1e-9, q, np.array([0.0, 1.0, 0.0, 0.0]))
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def frame_along(axis: np.ndarray) -> np.ndarray:
    """Right-handed triad whose third row is the unit axis."""
    third = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(third)))], third)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(third, first), third])


SIDES = 28  # of a round body
SAME = 1e-12  # m; corners closer than this are one
BOX_FACES = np.array(
    [[1, 3, 2, 0], [6, 7, 5, 4], [4, 5, 1, 0], [3, 7, 6, 2], [2, 6, 4, 0], [5, 7, 3, 1]]
)


def box(size: np.ndarray, centre: np.ndarray, axes: np.ndarray | None = None) -> Mesh:
    """A cuboid. `size`: edge lengths along the rows of `axes`."""
    rows = np.eye(3) if axes is None else axes
    if np.linalg.det(rows) < 0.0:
        rows = rows * np.array([[1.0], [1.0], [-1.0]])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return Mesh(centre + (0.5 * signs * size) @ rows, BOX_FACES)


def revolve(
    profile: Sequence[tuple[float, float]],
    origin: np.ndarray,
    axis: np.ndarray,
    sides: int = SIDES,
) -> Mesh:
    """A profile of (radius, height) rotated about an axis.

    Its outside is to the right of the direction along the profile, seen with the axis upwards.
    """
    rows = frame_along(axis)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    around = np.cos(turn)[:, None] * rows[0] + np.sin(turn)[:, None] * rows[1]
    radius, height = np.array(profile, dtype=float).T
    rings = origin + radius[:, None, None] * around + height[:, None, None] * rows[2]
    i = np.arange(sides)
    j = (i + 1) % sides
    low = sides * np.arange(len(profile) - 1)[:, None]
    high = low + sides
    faces = np.stack([low + i, low + j, high + j, high + i], axis=-1).reshape(-1, 4)
    vertices = rings.reshape(-1, 3)
    return Mesh(vertices, _drop_degenerate(vertices, faces))


def _drop_degenerate(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Turn quads with two equal corners into triangles; drop those without area."""
    a, b, c, d = (vertices[faces[:, k]] for k in range(4))
    pointed_below = np.abs(a - b).max(axis=1) < SAME
    pointed_above = np.abs(c - d).max(axis=1) < SAME
    faces = np.where(pointed_below[:, None], faces[:, [0, 2, 3, 3]], faces)
    faces = np.where(pointed_above[:, None], faces[:, [0, 1, 2, 2]], faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(faces[area > 1e-14])


def rod(start: np.ndarray, end: np.ndarray, radii: tuple[float, float], sides: int = SIDES) -> Mesh:
    """A closed cylinder or cone between two points."""
    length = float(np.linalg.norm(end - start))
    profile = [(0.0, 0.0), (radii[0], 0.0), (radii[1], length), (0.0, length)]
    return revolve(profile, start, end - start, sides)


def sphere(centre: np.ndarray, radius: float, sides: int = SIDES) -> Mesh:
    rings = max(6, sides // 2)
    angle = np.pi * np.arange(rings + 1) / rings
    profile = [(float(radius * np.sin(a)), float(-radius * np.cos(a))) for a in angle]
    return revolve(profile, centre, np.array([0.0, 0.0, 1.0]), sides)


def capsule(length: float, radius: float, sides: int = SIDES) -> Mesh:
    """A capsule from the origin along z."""
    angle = np.linspace(-0.5 * np.pi, 0.0, 6)
    lower = [(float(radius * np.cos(a)), float(radius * np.sin(a))) for a in angle]
    upper = [(r, length - h) for r, h in reversed(lower)]
    return revolve([*lower, *upper], np.zeros(3), np.array([0.0, 0.0, 1.0]), sides)


def plate(corners: np.ndarray, normal: np.ndarray, thickness: float) -> Mesh:
    """A flat polygon of three or four corners with some thickness behind its face."""
    outline = np.asarray(corners, dtype=float)
    turning = np.cross(outline[1] - outline[0], outline[2] - outline[0])
    if np.dot(turning, normal) < 0.0:
        outline = outline[::-1]
    count = len(outline)
    back = outline - thickness * np.asarray(normal)
    front = [0, 1, 2, count - 1]
    rear = [count + i for i in ([0, 3, 2, 1] if count == 4 else [0, 2, 1, 1])]
    rims = [[i, count + i, count + (i + 1) % count, (i + 1) % count] for i in range(count)]
    return Mesh(np.concatenate([outline, back]), np.array([front, rear, *rims]))


def join_meshes(*meshes: Mesh) -> Mesh:
    """Several surfaces as one."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    faces = [mesh.faces + offset for mesh, offset in zip(meshes, first, strict=True)]
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    return Mesh(vertices, np.concatenate(faces))
