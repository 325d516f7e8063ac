"""A sphere of the target against the chaser's spherical tip."""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.shapes.shape import IN_SHAPE, TargetShape, never_closed, one_sector
from softdock.core.shapes.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.core.spatial.vectors import norm, scale

COINCIDENT = 1e-12  # m; centres closer than this have no normal, the pair's axis is taken
KEYS = Group(
    "sphere",
    "A sphere.",
    Parameter(
        "sphere_radius",
        "sphere_radius_m",
        "radius of the target's sphere",
        0.0,
        "m",
        low=0.0,
        high=1e3,
        when=("geometry", ("sphere",)),
    ),
)
AT = KEYS.at


@compiled
def touch_sphere(shape, tip, radius, side, active):
    """`tip`: centre of the chaser's tip from the sphere's centre, target axes [m]."""
    distance = norm(tip)
    normal = shape.axis
    if distance > COINCIDENT:
        normal = scale(1.0 / distance, tip)
    return Touches(Touch(radius + shape.radius - distance, normal), Touch(NO_TOUCH, normal), INSIDE)


@compiled
def _gap(shape, tip, radius):
    return norm(tip) - shape.radius - radius


@compiled
def _store(vector, own, mem, at):
    mem[at + IN_SHAPE.radius] = vector[own + AT.sphere_radius]


@compiled
def _through(shape, radius):
    return shape.radius + radius


@compiled
def _from_centre(shape, tip):
    return norm(tip)


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
    widest=lambda vector, own: 180.0,
)
