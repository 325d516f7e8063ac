"""A sphere of the target against the chaser's spherical tip."""

from __future__ import annotations

from softdock.core.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.vectors import norm, scale

COINCIDENT = 1e-12  # m; centres closer than this have no normal, the pair's axis is taken


@compiled
def touch_sphere(shape, tip, radius):
    """`tip`: centre of the chaser's tip from the sphere's centre, target axes [m]."""
    distance = norm(tip)
    normal = shape.axis
    if distance > COINCIDENT:
        normal = scale(1.0 / distance, tip)
    return Touches(Touch(radius + shape.radius - distance, normal), Touch(NO_TOUCH, normal), INSIDE)
