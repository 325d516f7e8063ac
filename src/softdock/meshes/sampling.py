"""Tips on a mesh: spheres inside it that touch its surface, evenly spread, each with the area that
is nearer to it than to the others. The same for the same file and keys."""

from __future__ import annotations

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.meshes.reading import Mesh
from softdock.meshes.tree import make_tree, nearest_of

CANDIDATES = 64  # places a tip
ROOM = 0.999  # of the radius: how far a sphere's centre is from the surface at least
ROUNDS = 12  # of moving tips to the middle of their areas
AT_ONCE = 4_000_000  # distances
LEAST = 0.5  # of the surface that has room for a sphere


def sample_tips(mesh: Mesh, number: int, radius: float) -> np.ndarray:
    """Rows of x, y, z, radius [m] and area [m^2]; a convex edge is left out to within the
    radius."""
    points, normals, area = _spread(mesh, CANDIDATES * number)
    centres = points - radius * normals
    distances, _ = nearest_of(make_tree(mesh.vertices, mesh.faces), centres)
    room = np.flatnonzero(distances >= ROOM * radius)
    if len(room) < LEAST * len(points):
        share = 100.0 * len(room) / len(points)
        allowed = f"a smaller radius: {share:.0f} % of the surface have room for it inside the mesh"
        raise BadInput(Problem("radius_m", radius, allowed))
    chosen = room[_far_apart(points[room], number)]
    for _ in range(ROUNDS):  # each to the middle of what is nearest to it
        nearest = _nearest(points, points[chosen])
        counts = np.maximum(np.bincount(nearest, minlength=number), 1)
        middles = [np.bincount(nearest, points[:, i], number) / counts for i in range(3)]
        chosen = room[_nearest(np.stack(middles, axis=1), points[room])]
    nearest = _nearest(points, points[chosen])
    areas = area * np.bincount(nearest, minlength=number) / len(points)
    return np.column_stack([centres[chosen], np.full(number, radius), areas])


def _spread(mesh: Mesh, count: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Places evenly by area, the normals there, and the area of all."""
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(normals, axis=1)
    steps = np.cumsum(doubled)
    i = np.arange(count) + 0.5
    triangle = np.searchsorted(steps, i / count * steps[-1])
    # a sequence that fills the unit square evenly (Roberts 2018), folded into the triangle
    s, t = i * 0.7548776662466927 % 1.0, i * 0.5698402909980532 % 1.0
    s, t = np.where(s + t > 1.0, 1.0 - s, s), np.where(s + t > 1.0, 1.0 - t, t)
    a, b, c = np.moveaxis(corners[triangle], 1, 0)
    points = a + s[:, None] * (b - a) + t[:, None] * (c - a)
    return points, normals[triangle] / doubled[triangle, None], float(0.5 * steps[-1])


def _nearest(points: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Of each point, the number of the nearest of `to`."""
    squares, found = (to**2).sum(axis=1), []
    for part in np.array_split(points, max(1, len(points) * len(to) // AT_ONCE)):
        found.append(np.argmin(squares - 2.0 * part @ to.T, axis=1))
    return np.concatenate(found)


def _far_apart(points: np.ndarray, number: int) -> np.ndarray:
    """So many of them, each as far from those before as can be."""
    chosen = [int(np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1)))]
    apart = np.full(len(points), np.inf)
    while len(chosen) < number:
        apart = np.minimum(apart, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(np.argmax(apart)))
    return np.array(chosen)
