"""A mechanism of the target as a closed triangle mesh, against the chaser's spherical tip.

In: the tip's centre from the mesh's origin, target axes [m]. Out: a `Touch`: depth d = r - phi and
normal grad phi, where phi is the distance as the grid interpolates it (meshes/grid.py). Value and
gradient are of the same spline, so that the force k d grad phi has the potential k d^2 / 2 whatever
the error of phi is; a normal made one long has none.

The centre of a tip must stay outside the material: within a wall the nearest face is not the one
that it came through. A run ends where it does not (status.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.compile.jit import compiled
from softdock.compile.shared_numbers import read_double
from softdock.errors import BadInput, Problem
from softdock.loop.contact.drawing import Drawing, Flight, Pair, Place, Solid
from softdock.loop.contact.mesh_keys import KEYS
from softdock.loop.contact.shape import TargetShape, never_closed, one_sector
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.meshes.grid import interpolate

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape
    from softdock.meshes.kept import Grid

BEND = 4.0  # cells over which the normal of a surface as fine as the grid turns
MOST_DRAWN, DRAWN = 20_000, 400  # triangles of a picture; cells along the mesh at first
PLACES = 400  # possible touches that an analysis looks at


@compiled
def touch_mesh(shape: Shape, tip, radius, side, active):
    distance, gradient = interpolate(shape.grid, tip)
    return Touches(Touch(radius - distance, gradient), Touch(NO_TOUCH, gradient), INSIDE)


@compiled
def _gap(shape: Shape, tip, radius):
    distance, _ = interpolate(shape.grid, tip)
    return distance - radius


@compiled
def _through(shape: Shape, radius):
    return radius


@compiled
def _bend(shape: Shape, tip):
    return BEND * read_double(shape.grid, 6)


@compiled
def _store(vector, own, numbers):
    numbers.grid = int(KEYS(vector, own).mesh_file)


FEWEST = 2.0  # cells in a tip's radius


def _radii(pair: Pair) -> list[float]:
    """Of all tips [m]."""
    return [float(row[3]) for row in pair.get("tips") or []] or [float(pair["tip_radius_m"])]


def _place_file(pair: Pair) -> float:
    radius, least = min(_radii(pair)), FEWEST * float(pair["resolution_m"])
    if radius < least:
        allowed = f"at least {least:g}, {FEWEST:g} cells of the mesh's grid (resolution_m)"
        raise BadInput(Problem("tips" if pair.get("tips") else "tip_radius_m", radius, allowed))
    return float(grid_of_pair(pair).address)


def grid_of_pair(pair: Pair) -> Grid:
    """The grid of a pair's resolved table."""
    from softdock.meshes.kept import Wanted, find_grid

    wanted = Wanted(
        path=str(pair["file"]),
        unit=str(pair["unit"]),
        attitude=tuple(float(x) for x in pair["attitude_wxyz"]),  # type: ignore[arg-type]
        cell=float(pair["resolution_m"]),
        radius=max(_radii(pair)),
    )
    return find_grid(wanted)


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """Triangles that face the tip, spread over the mesh."""
    mesh = grid_of_pair(pair).mesh
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    middles, towards = corners.mean(axis=1), flight.start - flight.origin
    seen = np.flatnonzero((np.einsum("ij,ij->i", normals, towards - middles) > 0.0) & (areas > 0.0))
    # evenly by area: the same ones at every call
    steps = np.cumsum(areas[seen])
    at = np.searchsorted(steps, (np.arange(PLACES) + 0.5) / PLACES * steps[-1]) if len(seen) else []
    return [
        Place(n, flight.origin + middles[i] + flight.radius * n)
        for i in np.unique(seen[np.array(at, int)])
        for n in [normals[i] / areas[i]]
    ]


def _solid(pair: Pair) -> Solid:
    mesh = grid_of_pair(pair).mesh
    size = float(np.ptp(mesh.vertices, axis=0).max())
    vertices, faces = mesh
    cell = size / DRAWN
    while len(faces) > MOST_DRAWN:  # corners in one cell become one
        _, first, at = np.unique(
            np.round(mesh.vertices / cell), axis=0, return_index=True, return_inverse=True
        )
        vertices, faces = mesh.vertices[first], at.reshape(-1)[mesh.faces]
        faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
        cell *= 1.5
    quads: Any = faces[:, [0, 1, 2, 2]]
    return Solid(0.5 * size, corners=vertices, faces=quads)  # type: ignore[arg-type]


def _distance(pair: Pair, points: np.ndarray) -> np.ndarray:
    return grid_of_pair(pair).distances(points)[0]


MESH_SHAPE = TargetShape(
    "mesh",
    keys=KEYS,
    touch=touch_mesh,
    seat=_gap,
    store=_store,
    closed=never_closed,
    sector=one_sector,
    through=_through,
    bend=_bend,
    place_file=_place_file,
    widest=lambda vector, own: 180.0,
    drawing=Drawing(
        "Gap between tip and mesh",
        "Negative: in contact.",
        _places,
        distance=_distance,
        solid=_solid,
    ),
)
