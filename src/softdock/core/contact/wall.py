"""A flat, endless wall of the target: a point on it and its outward normal, target axes."""

from __future__ import annotations

from softdock.core.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.vectors import dot


@compiled
def touch_wall(shape, tip, radius):
    """`tip`: centre of the chaser's tip from the wall's point, target axes [m]."""
    depth = radius - dot(shape.axis, tip)
    return Touches(Touch(depth, shape.axis), Touch(NO_TOUCH, shape.axis), INSIDE)
