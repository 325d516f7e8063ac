"""A flat, endless wall of the target: a point on it and its outward normal, target axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.contact.drawing import Drawing, Flight, Pair, Place
from softdock.loop.contact.line import on_plane
from softdock.loop.contact.shape import TargetShape, never_closed, one_sector, store_nothing
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.loop.parameters import Group
from softdock.loop.spatial.vectors import dot

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape


@compiled
def touch_wall(shape: Shape, tip, radius, side, active):
    """`tip`: centre of the chaser's tip from the wall's point, target axes [m]."""
    depth = radius - dot(shape.axis, tip)
    return Touches(Touch(depth, shape.axis), Touch(NO_TOUCH, shape.axis), INSIDE)


@compiled
def _gap(shape: Shape, tip, radius):
    return dot(shape.axis, tip) - radius


@compiled
def _endless(shape: Shape, radius):
    return math.inf


@compiled
def _flat(shape: Shape, tip):
    return math.inf


@compiled
def _meets(vector, own, origin, axis, p, n):
    return on_plane(p, n, origin, axis)


@compiled
def _faces(vector, own, axis, away, n):
    return dot(n, axis)


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """Where the tip meets the wall, flying on at its first velocity; without approach, the foot of
    the normal."""
    origin, normal, start, velocity, radius = flight
    point = origin + radius * normal
    gap, rate = (start - point) @ normal, velocity @ normal
    met = start - velocity * (gap / rate) if gap > 0.0 and rate < 0.0 else start - gap * normal
    return [Place(normal, met)]


WALL_SHAPE = TargetShape(
    "wall",
    keys=Group("wall", "A flat wall has no keys of its own."),
    touch=touch_wall,
    seat=_gap,
    store=store_nothing,
    closed=never_closed,
    sector=one_sector,
    through=_endless,
    bend=_flat,
    meets=_meets,
    faces=_faces,
    is_flat=True,
    widest=lambda vector, own: 0.0,
    drawing=Drawing("Gap between tip and wall", "Negative: in contact.", _places),
)
