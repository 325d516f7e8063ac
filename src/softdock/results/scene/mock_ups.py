"""Meshes of the mock-ups: the shapes of the contact pairs, and what carries them.

In: the resolved tables of a scenario, the direction of the chaser's tips (chaser axes) and the size
of what touches [m]. Out: meshes in the axes of their body, from its centre of mass. The faces that
touch are exactly those of the contact geometry (loop/contact/); rods, plates and boxes behind them
show only what belongs together. Of an infinite wall a piece is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.loop.contact.drawing import Solid
from softdock.loop.contact.models import shape_named
from softdock.results.scene.model import Mesh
from softdock.results.scene.surfaces import (
    box,
    frame_along,
    join_meshes,
    plate,
    revolve,
    rod,
    sphere,
)

SMALLEST_EDGE = 0.05  # of the longest: an inertia of a rod or a plate still gives a box to see
NEEDLE = 0.6  # of a cone's half-angle: a pointed rod is slimmer than what it enters
WALL = 1.4  # half the edge of the piece of a wall that is drawn, of the size of what touches
MANY = 32  # tips of a set that are drawn finely
SET_BACK = 0.7  # of the size of what touches: from a set of tips back to its plate
MOST_FEET, FEET_DEEP = 6, 0.1  # struts to a set; tips so far back of its depth have one
Pair = Mapping[str, Any]


def compute_cuboid(body: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Edges [m] and principal axes (rows) of the homogeneous cuboid with a body's mass and
    inertia."""
    given = np.asarray(body["inertia_kg_m2"], dtype=float)
    moments, axes = np.linalg.eigh(np.diag(given) if given.ndim == 1 else given)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / float(body["mass_kg"])
    edges = np.sqrt(np.maximum(squares, 0.0))
    longest = float(edges.max())
    return np.maximum(edges, SMALLEST_EDGE * longest if longest > 0.0 else 1.0), axes.T


def reach_along(body: Mapping[str, Any], direction: np.ndarray) -> float:
    """Distance from the centre of a body's box to its surface along a direction [m]."""
    edges, axes = compute_cuboid(body)
    along = np.abs(axes @ direction)
    return float(np.min(0.5 * edges / np.maximum(along, 1e-9)))


def make_satellite_box(body: Mapping[str, Any], front: np.ndarray, direction: np.ndarray) -> Mesh:
    """The body's box, moved back so that it does not cover `front`."""
    edges, axes = compute_cuboid(body)
    surface = reach_along(body, direction)
    over = surface - float(front @ direction)
    return box(edges, -max(over, 0.0) * direction, axes)


def find_distinct_tips(pairs: Sequence[Pair]) -> list[Pair]:
    """One pair for each distinct tip: several shapes may share one."""
    pairs_by_tip: dict[tuple[float, ...], Pair] = {}
    for pair in pairs:
        own = np.ravel(pair.get("tips") or []).tolist()
        pairs_by_tip.setdefault((*pair["tip_m"], pair["tip_radius_m"], *own), pair)
    return list(pairs_by_tip.values())


def get_shape_solid(pair: Pair) -> Solid | None:
    """The solid of a shape; None for an infinite wall."""
    return shape_named(pair["geometry"]).drawing.solid(pair)


def choose_rod_radius(pair: Pair, scale: float) -> float:
    """Radius of a rod that fits into what it enters [m]."""
    if pair.get("tips"):
        return max(0.7 * float(np.median([row[3] for row in pair["tips"]])), 0.01 * scale)
    if pair["tip_radius_m"] > 0.0:
        return 0.62 * float(pair["tip_radius_m"])
    solid = get_shape_solid(pair)
    if solid is not None and solid.depth > 0.0:
        return min(0.25 * solid.opening, 0.6 * solid.bottom if solid.bottom > 0.0 else math.inf)
    return 0.16 * scale


def choose_probe_length(pairs: Sequence[Pair], scale: float) -> float:
    """Length from a tip back to the plate that holds its rod [m]."""
    solids = [solid for pair in pairs if (solid := get_shape_solid(pair)) is not None]
    if all(pair.get("tips") for pair in pairs):
        return SET_BACK * scale
    return max([2.6 * scale, *(1.5 * one.depth + scale for one in solids if one.depth > 0.0)])


def make_probe(pair: Pair, direction: np.ndarray, length: float, scale: float) -> Mesh:
    """A rod along `direction` (chaser axes) that ends in the pair's tip."""
    tip, radius, ball = (
        np.array(pair["tip_m"], float),
        choose_rod_radius(pair, scale),
        pair["tip_radius_m"],
    )
    root = tip - length * direction
    collar = rod(root, root + 0.35 * length * direction, (1.45 * radius, 1.15 * radius))
    if pair.get("tips"):
        rows = np.array(pair["tips"], float)
        sides = 16 if len(rows) <= MANY else 8
        balls = [sphere(tip + row[:3], row[3], sides) for row in rows]
        struts = [rod(root, tip + row[:3], (radius, radius)) for row in find_feet(rows, direction)]
        return join_meshes(*struts, *balls)
    if ball > 0.0:
        return join_meshes(rod(root, tip, (radius, radius)), collar, sphere(tip, ball))
    angle = NEEDLE * math.radians(pair.get("half_angle_deg", 0.0) or 40.0)
    taper = min(radius / math.tan(angle), 0.6 * length)
    neck = tip - taper * direction
    return join_meshes(rod(root, neck, (radius, radius)), collar, rod(neck, tip, (radius, 0.0)))


def find_feet(rows: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The tips of a set to which struts lead: of those farthest back some, evenly."""
    along = rows[:, :3] @ direction
    back = np.flatnonzero(along <= along.min() + FEET_DEEP * np.ptp(along))
    chosen = np.unique(np.linspace(0, len(back), MOST_FEET, endpoint=False).astype(int))
    return np.asarray(rows[back[chosen]])


def make_holder(
    pairs: Sequence[Pair],
    direction: np.ndarray,
    length: float,
    scale: float,
    back: float,
    flange: np.ndarray | None = None,
) -> Mesh:
    """The plate behind the rods, and the column from there to the body. `back`: its length [m];
    `flange`: position of the robot's flange, in place of the body."""
    roots = np.array([np.array(pair["tip_m"], float) - length * direction for pair in pairs])
    centre = roots.mean(axis=0)
    spread = float(np.max(np.linalg.norm(roots - centre, axis=1)))
    radius = spread + 2.4 * max(choose_rod_radius(pair, scale) for pair in pairs)
    thick = 0.35 * radius
    column = 0.55 * radius
    disc = rod(centre - thick * direction, centre, (radius, radius))
    if flange is not None:
        return join_meshes(disc, *make_column_to_flange(centre - thick * direction, flange, column))
    if back <= thick:
        return disc
    return join_meshes(
        disc, rod(centre - back * direction, centre - thick * direction, (column,) * 2)
    )


def make_column_to_flange(start: np.ndarray, end: np.ndarray, radius: float) -> list[Mesh]:
    """A column from a plate to a flange, if they are apart."""
    apart = float(np.linalg.norm(end - start)) > 1e-3
    return [rod(start, end, (radius, radius))] if apart else []


def make_column(start: np.ndarray, end: np.ndarray, radius: float) -> Mesh:
    """The column from behind a target's shape to its body or to a flange."""
    if float(np.linalg.norm(end - start)) < 1e-3:
        end = start + np.array([0.0, 0.0, 1e-3])
    return rod(start, end, (radius, radius))


def make_wall(pair: Pair, half: float) -> Mesh:
    """A square piece of the wall around its point."""
    first, second, normal = frame_along(np.array(pair["axis"], float))
    origin = np.array(pair["origin_m"], float)
    corners = [
        origin + half * (a * first + b * second) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    return plate(np.array(corners), normal, 0.12 * half)


def make_petals(pairs: Sequence[Pair], length: float) -> list[Mesh]:
    """Walls that meet in one point, each cut at its visible edges with its neighbours."""
    normals = np.array([frame_along(np.array(pair["axis"], float))[2] for pair in pairs])
    origin = np.array(pairs[0]["origin_m"], float)
    opening = normals.mean(axis=0)
    opening = opening / max(float(np.linalg.norm(opening)), 1e-12)
    meshes = []
    for i, normal in enumerate(normals):
        edges = [_find_edge(normals, i, j, opening) for j in range(len(normals)) if j != i]
        ends = [length * edge / float(edge @ opening) for edge in edges if edge is not None]
        if len(ends) != 2:
            return []
        meshes.append(
            plate(np.array([origin, origin + ends[0], origin + ends[1]]), normal, 0.05 * length)
        )
    return meshes


def _find_edge(normals: np.ndarray, i: int, j: int, opening: np.ndarray) -> np.ndarray | None:
    """The line in which two walls meet; None if another wall hides it."""
    line = np.cross(normals[i], normals[j])
    if np.linalg.norm(line) < 1e-9:
        return None
    line = line / np.linalg.norm(line)
    line = line if line @ opening > 0.0 else -line
    hidden = line @ opening < 1e-6 or float((normals @ line).min()) < -1e-9
    return None if hidden else line


def make_target_shapes(pairs: Sequence[Pair], scale: float) -> list[tuple[str, Mesh]]:
    """A name and a mesh for each shape of the target, target axes."""
    walls = [pair for pair in pairs if get_shape_solid(pair) is None]
    shared = len({tuple(pair["origin_m"]) for pair in walls}) == 1 and len(walls) > 2
    leaves = make_petals(walls, 1.5 * scale) if shared else []
    meshes = [(f"petal {i + 1}", mesh) for i, mesh in enumerate(leaves)]
    for i, pair in enumerate(pairs):
        solid, name = get_shape_solid(pair), f"{pair['geometry']} {i + 1}"
        origin, axis = np.array(pair["origin_m"], float), np.array(pair["axis"], float)
        if solid is not None and solid.profile:
            meshes.append((name, revolve(solid.profile, origin, axis)))
        if solid is not None and len(solid.faces) > 0:
            meshes.append((name, Mesh(origin + np.array(solid.corners), np.array(solid.faces))))
        elif solid is not None and not solid.profile:
            meshes.append((name, sphere(origin, solid.opening or 0.05 * scale)))
        elif solid is None and not leaves:
            meshes.append((name, make_wall(pair, WALL * scale)))
    return meshes
