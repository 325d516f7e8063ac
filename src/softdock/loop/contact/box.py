"""A box with rounded edges. In: the tip's centre from the box's, target axes [m]. Out: a `Touch`
(touch.py): the distance of the box of the edges' centres, less their radius, is exact outside. In
the material the nearest face counts.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.drawing import Drawing, Flight, Pair, Place, Solid, stand_across
from softdock.loop.contact.ring import CORNERS, FACES, KEYS, PATCHES, square_across
from softdock.loop.contact.shape import TargetShape, never_closed
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.loop.spatial.vectors import add_scaled, cross, dot, norm, scale

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape


@compiled
def _in_box(shape: Shape, tip):
    third = cross(shape.axis, shape.across)
    return dot(shape.axis, tip), dot(shape.across, tip), dot(third, tip), third


@noinline
def _distance(shape: Shape, tip):
    """Distance from the surface [m], negative in the material, and its gradient, target axes."""
    x, y, z, third = _in_box(shape, tip)
    a, b, c = abs(x) - shape.half[0], abs(y) - shape.half[1], abs(z) - shape.half[2]
    if a <= 0.0 and b <= 0.0 and c <= 0.0:
        deepest = max(a, max(b, c))
        g = (1.0, 0.0, 0.0)
        if deepest == b:
            g = (0.0, 1.0, 0.0)
        elif deepest == c:
            g = (0.0, 0.0, 1.0)
        distance = deepest
    else:
        g = (max(a, 0.0), max(b, 0.0), max(c, 0.0))
        distance = norm(g)
        g = scale(1.0 / distance, g)
    normal = scale(math.copysign(g[0], x), shape.axis)
    normal = add_scaled(normal, math.copysign(g[1], y), shape.across)
    return distance - shape.thickness, add_scaled(normal, math.copysign(g[2], z), third)


@compiled
def touch_box(shape: Shape, tip, radius, side, active):
    """`tip`: centre of the chaser's tip from the middle of the box, target axes [m]."""
    distance, normal = _distance(shape, tip)
    return Touches(Touch(radius - distance, normal), Touch(NO_TOUCH, normal), INSIDE)


@compiled
def _gap(shape: Shape, tip, radius):
    distance, _ = _distance(shape, tip)
    return distance - radius


@compiled
def _third_of(x, half):
    return 0 if abs(x) <= half else (1 if x > 0.0 else 2)


@compiled
def _sector(shape: Shape, side, tip):
    """Which face, edge or corner is nearest: 0 to 26; beyond them in the material."""
    x, y, z, _ = _in_box(shape, tip)
    h = shape.half
    outside = _third_of(x, h[0]) + 3 * _third_of(y, h[1]) + 9 * _third_of(z, h[2])
    if outside > 0:
        return outside
    a, b, c = abs(x) - h[0], abs(y) - h[1], abs(z) - h[2]
    if a >= b and a >= c:
        return 27 if x >= 0.0 else 28
    if b >= c:
        return 29 if y >= 0.0 else 30
    return 31 if z >= 0.0 else 32


@compiled
def _through(shape: Shape, radius):
    return radius + shape.thickness + min(shape.half[0], min(shape.half[1], shape.half[2]))


@compiled
def _bend(shape: Shape, tip):
    """Over an edge the normal turns within the distance from its centre."""
    distance, _ = _distance(shape, tip)
    smallest = shape.thickness + min(shape.half[0], min(shape.half[1], shape.half[2]))
    return max(distance + shape.thickness, 0.1 * smallest)


@compiled
def _store(vector, own, numbers):
    keys = KEYS(vector, own)
    edge, size = keys.ring_edge, keys.box
    numbers.across = square_across(keys, numbers.axis)
    numbers.half = (0.5 * size[0] - edge, 0.5 * size[1] - edge, 0.5 * size[2] - edge)
    numbers.thickness = edge


def _problems(vector: np.ndarray, own: int) -> list[tuple[str, float, str]]:
    keys = KEYS(vector, own)
    most, edge = 0.5 * min(float(x) for x in keys.box), float(keys.ring_edge)
    return (
        [("edge_radius_m", edge, f"at most {most:g}, half the least size")] if edge > most else []
    )


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """Places on the faces that face the tip."""
    rows, half = stand_across(pair), 0.5 * np.array(pair["size_m"], float)
    steps = (np.arange(PATCHES) + 0.5) / PATCHES * 2.0 - 1.0
    found = []
    for i, sign in itertools.product(range(3), (-1.0, 1.0)):
        normal = sign * rows[i]
        for s, t in itertools.product(steps, steps):
            point = flight.origin + (np.roll([sign, s, t], i) * half) @ rows
            if normal @ (flight.start - point) > 0.0:
                found.append(Place(normal, point + flight.radius * normal))
    return found


def _solid(pair: Pair) -> Solid:
    half = 0.5 * np.array(pair["size_m"], float)
    corners = (CORNERS * half) @ stand_across(pair)
    return Solid(float(half.max()), corners=corners, faces=FACES)


def _gaps(pair: Pair, points: np.ndarray) -> np.ndarray:
    edge = float(pair["edge_radius_m"])
    core = np.abs(points @ stand_across(pair).T) - 0.5 * np.array(pair["size_m"], float) + edge
    outside = np.linalg.norm(np.maximum(core, 0.0), axis=1)
    return np.asarray(outside + np.minimum(core.max(axis=1), 0.0) - edge)


BOX_SHAPE = TargetShape(
    "box",
    keys=KEYS,
    touch=touch_box,
    seat=_gap,
    store=_store,
    closed=never_closed,
    sector=_sector,
    through=_through,
    bend=_bend,
    problems=_problems,
    widest=lambda vector, own: 180.0,
    drawing=Drawing(
        "Gap between tip and box",
        "Negative: in contact.",
        _places,
        distance=_gaps,
        solid=_solid,
    ),
)
