"""Where two bodies touch, from the wrench alone: its line of action, intersected with a shape
(Lange IV-E).

The measured wrench says m = (x_c - x) x f (Lange eq. 36), which leaves the place along f open. A
shape settles it. Every function takes a point of the line and its direction n, the direction of the
force on the other body, so out of the shape; both in the shape's axes. It returns whether the line
meets the shape's surface where that faces n, and the point; where it does not, the point of the
line nearest to the shape (to its plane, centre, axis or apex).
"""

from __future__ import annotations

import math

from softdock.core.adaptation.remapping.surface_keys import (
    BORE,
    BOX,
    CYLINDER,
    OUTER_CONE,
    PLANE,
    SPHERE,
)
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.vectors import add_scaled, cross, dot, norm, scale, subtract

# of a unit vector; a line closer to parallel than this has no intersection that could be told
PARALLEL = 1e-9


@compiled
def line_of_action(centre, wrench):
    """The point of the line of action nearest to the wrench's own point of reference, and the
    direction of the force."""
    f = wrench.force
    size = norm(f)
    return add_scaled(centre, 1.0 / (size * size), cross(f, wrench.torque)), scale(
        1.0 / size, f
    )  # Lange eqs. 17, 36


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
def on_cylinder(p, n, origin, axis, radius, outward):
    """An endless cylinder about `axis`; `outward`: its outer face, else a bore."""
    across = add_scaled(n, -dot(n, axis), axis)
    squared = dot(across, across)
    start = subtract(p, origin)
    start = add_scaled(start, -dot(start, axis), axis)
    if squared < PARALLEL * PARALLEL:
        return False, p
    middle = -dot(start, across) / squared
    away = add_scaled(start, middle, across)
    room = radius * radius - dot(away, away)
    if room < 0.0:
        return False, add_scaled(p, middle, n)
    reach = math.sqrt(room / squared)
    return True, add_scaled(p, middle + (reach if outward else -reach), n)


@compiled
def on_box(p, n, centre, half):
    """A box along the axes, half its edges in `half`: the point where n leaves it."""
    start = subtract(p, centre)
    enter, leave = -math.inf, math.inf
    for i in range(3):
        if abs(n[i]) < PARALLEL:
            if abs(start[i]) > half[i]:
                return False, nearest_on_line(p, n, centre)
        else:
            a, b = (-half[i] - start[i]) / n[i], (half[i] - start[i]) / n[i]
            enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    if enter > leave:
        return False, nearest_on_line(p, n, centre)
    return True, add_scaled(p, leave, n)


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


@apart
def on_pair(vector, at, p, n):
    """A contact pair's shape on the target; `at`: the pair in the vector (the order is that of
    contact/pairs.py, kept by a test)."""
    geometry = int(vector[at])
    origin, axis = (
        (vector[at + 5], vector[at + 6], vector[at + 7]),
        (vector[at + 8], vector[at + 9], vector[at + 10]),
    )
    axis = scale(1.0 / norm(axis), axis)
    if geometry == 0:
        return on_plane(p, n, origin, axis)
    if geometry == 1:
        return on_sphere(p, n, origin, vector[at + 11])
    mouth, bottom, angle, thickness = (
        vector[at + 12],
        vector[at + 13],
        vector[at + 14],
        vector[at + 15],
    )
    sine, along = math.sin(angle), dot(n, axis)
    if vector[at + 16] != 0.0 and abs(abs(along) - 1.0) < abs(
        abs(along) - sine
    ):  # the bottom's plate
        depth = (mouth - bottom) / math.tan(angle) + (thickness if along < 0.0 else 0.0)
        return on_plane(
            p, n, add_scaled(origin, -depth, axis), axis if along > 0.0 else scale(-1.0, axis)
        )
    apex = add_scaled(origin, -mouth / math.tan(angle), axis)
    if along > 0.0:
        return on_cone(p, n, apex, axis, False)
    return on_cone(p, n, add_scaled(apex, -thickness / sine, axis), axis, True)


@apart
def facing(vector, at, p, n):
    """How squarely a line meets a contact pair's shape: the cosine between n and the surface's
    normal there; -1: it does not meet it."""
    met, point = on_pair(vector, at, p, n)
    if not met:
        return -1.0
    geometry, origin, axis = (
        int(vector[at]),
        (vector[at + 5], vector[at + 6], vector[at + 7]),
        (vector[at + 8], vector[at + 9], vector[at + 10]),
    )
    axis = scale(1.0 / norm(axis), axis)
    along, away = dot(n, axis), subtract(point, origin)
    if geometry == 0:
        return along
    if geometry == 1:
        return dot(n, away) / vector[at + 11]
    sine, cosine = math.sin(vector[at + 14]), math.cos(vector[at + 14])
    radial = add_scaled(away, -dot(away, axis), axis)
    size = norm(radial)
    if size == 0.0 or (
        vector[at + 16] != 0.0 and abs(abs(along) - 1.0) < abs(abs(along) - sine)
    ):  # the apex; the bottom's plate
        return abs(along)
    return abs(sine * along - cosine * dot(n, radial) / size)


@apart
def on_surface(vector, at, p, n):
    """A surface that the method itself was told; `at`: its shape in the vector, then origin, axis,
    radius, half edges (order kept by a test)."""
    shape, origin, axis = (
        int(vector[at]),
        (vector[at + 1], vector[at + 2], vector[at + 3]),
        (vector[at + 4], vector[at + 5], vector[at + 6]),
    )
    if shape == SPHERE:
        return on_sphere(p, n, origin, vector[at + 7])
    if shape == BOX:
        return on_box(p, n, origin, (vector[at + 8], vector[at + 9], vector[at + 10]))
    axis = scale(1.0 / norm(axis), axis)
    if shape == PLANE:
        return on_plane(p, n, origin, axis)
    if shape in (CYLINDER, BORE):
        return on_cylinder(p, n, origin, axis, vector[at + 7], shape == CYLINDER)
    return on_cone(p, n, origin, axis, shape == OUTER_CONE)


@compiled
def tip_of_pair(vector, at):
    """Centre of the chaser's tip, chaser axes, and its radius [m]."""
    return (vector[at + 1], vector[at + 2], vector[at + 3]), vector[at + 4]
