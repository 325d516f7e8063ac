"""Where a straight line leaves a surface that several shapes have: the contact point of a measured
wrench is on its line of action (Lange IV-E).

Every function takes a point of the line and its direction n, out of the shape; all in one frame. It
returns whether the line meets the surface where that faces n, and the point; where it does not, the
point of the line nearest to the shape (to its plane, centre or apex).
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.spatial.vectors import add_scaled, dot, subtract

# of a unit vector; a line closer to parallel than this has no intersection that could be told
PARALLEL = 1e-9


@compiled
def nearest_on_line(p, n, to):
    """The point of a line that is nearest to another point."""
    return add_scaled(p, dot(n, subtract(to, p)), n)


@compiled
def on_plane(p, n, origin, axis):
    """A plane through `origin` with outward normal `axis`."""
    slope = dot(n, axis)
    if abs(slope) < PARALLEL:
        return False, nearest_on_line(p, n, origin)
    return slope > 0.0, add_scaled(p, dot(subtract(origin, p), axis) / slope, n)


@compiled
def on_sphere(p, n, centre, radius):
    """A ball: of the two intersections the one from which n leads out."""
    middle = nearest_on_line(p, n, centre)
    away = subtract(middle, centre)
    squared = radius * radius - dot(away, away)
    if squared < 0.0:
        return False, middle
    return True, add_scaled(middle, math.sqrt(squared), n)


@compiled
def on_cone(p, n, apex, axis, outward):
    """A cone that opens from its apex along `axis`: the force is normal to the straight line from
    the apex to the contact point.

    Lange eqs. 37, 38: then that point is the one of the line of action nearest to the apex,
    whatever the cone's angle. `outward`: its outer face.
    """
    point = nearest_on_line(p, n, apex)  # Lange eqs. 37, 38
    from_apex = subtract(point, apex)
    along = dot(from_apex, axis)
    radial = add_scaled(from_apex, -along, axis)
    faces = dot(n, radial) > 0.0
    return along > 0.0 and faces == outward, point
