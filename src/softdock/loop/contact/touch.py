"""What a geometry returns: how far the chaser's tip is in, and along which direction.

A `Touch` is a function of the tip's position in the target's frame: `depth` [m] (negative: the gap)
and `normal`, the gradient of the gap, out of the target's surface, target axes. Frictionless forces
on a spherical tip pass through its centre, so the centre is the point of action. Where the tip
touches a full ring at once the gradient is shorter than one: the sum of the ring's forces.
"""

from __future__ import annotations

from typing import NamedTuple

NO_TOUCH = -1e300  # m; a depth that is never a contact

NONE, INSIDE, OUTSIDE, LIP = 0, 1, 2, 3  # side of a thin wall on which the tip first touched


class Touch(NamedTuple):
    depth: float  # m
    normal: tuple  # target axes


class Touches(NamedTuple):
    """Up to two touches of one pair at once (wall and bottom of a cone), and the side they lie
    on."""

    first: Touch
    second: Touch
    side: int
