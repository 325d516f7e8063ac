"""A sphere of the target against the chaser's spherical tip. In: the tip's centre from the
sphere's, target axes [m]. Out: a `Touch` (touch.py): depth d = R + r - |tip|, normal along tip.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from softdock.compile.jit import compiled
from softdock.loop.contact.drawing import Drawing, Flight, Pair, Place, Solid, circle
from softdock.loop.contact.line import on_sphere
from softdock.loop.contact.shape import TargetShape, never_closed, one_sector
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.vectors import dot, norm, scale

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape

DIRECTIONS = 200  # of the normals that an analysis looks at
COINCIDENT = 1e-12  # m; centres closer than this have no normal, the pair's axis is taken
KEYS = Group(
    "sphere",
    "A sphere.",
    Parameter(
        "sphere_radius",
        "sphere_radius_m",
        "radius of the target's sphere",
        0.0,
        unit="m",
        low=0.0,
        high=1e3,
        when=("geometry", ("sphere",)),
    ),
)


@compiled
def touch_sphere(shape: Shape, tip, radius, side, active):
    """`tip`: centre of the chaser's tip from the sphere's centre, target axes [m]."""
    distance = norm(tip)
    normal = shape.axis
    if distance > COINCIDENT:
        normal = scale(1.0 / distance, tip)
    return Touches(Touch(radius + shape.radius - distance, normal), Touch(NO_TOUCH, normal), INSIDE)


@compiled
def _gap(shape: Shape, tip, radius):
    return norm(tip) - shape.radius - radius


@compiled
def _store(vector, own, numbers):
    numbers.radius = KEYS(vector, own).sphere_radius


@compiled
def _through(shape: Shape, radius):
    return shape.radius + radius


@compiled
def _from_centre(shape: Shape, tip):
    return norm(tip)


@compiled
def _meets(vector, own, origin, axis, p, n):
    return on_sphere(p, n, origin, KEYS(vector, own).sphere_radius)


@compiled
def _faces(vector, own, axis, away, n):
    return dot(n, away) / KEYS(vector, own).sphere_radius


def _directions() -> np.ndarray:
    """Unit vectors spread evenly over the sphere (Fibonacci)."""
    i = np.arange(DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * i / DIRECTIONS
    azimuth = math.pi * (1.0 + math.sqrt(5.0)) * i
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(azimuth), r * np.sin(azimuth), z])


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """The half that faces the tip."""
    towards = flight.start - flight.origin
    reach = flight.radius + float(pair["sphere_radius_m"])
    return [Place(n, flight.origin + reach * n) for n in _directions() if n @ towards > 0.0]


def _radius(pair: Pair) -> float:
    return float(pair.get("sphere_radius_m", 0.0))


SPHERE_SHAPE = TargetShape(
    "sphere",
    keys=KEYS,
    touch=touch_sphere,
    seat=_gap,
    store=_store,
    closed=never_closed,
    sector=one_sector,
    through=_through,
    bend=_from_centre,
    meets=_meets,
    faces=_faces,
    widest=lambda vector, own: 180.0,
    drawing=Drawing(
        "Gap between tip and sphere",
        "Negative: in contact.",
        _places,
        is_round=True,
        radius=_radius,
        lines=lambda pair, from_front: [circle("sphere", _radius(pair))],
        solid=lambda pair: Solid(_radius(pair)),
    ),
)
