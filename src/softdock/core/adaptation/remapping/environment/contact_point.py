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

from softdock.core.adaptation.remapping.keys import AT
from softdock.core.adaptation.remapping.surface_keys import (
    BORE,
    BOX,
    CYLINDER,
    OUTER_CONE,
    PLANE,
    SPHERE,
)
from softdock.core.machine.compiled import apart, compiled
from softdock.core.shapes.keys import AT as OF
from softdock.core.shapes.models import SPHERE as BALL
from softdock.core.shapes.models import WALL
from softdock.core.spatial.vectors import add_scaled, cross, dot, load3, norm, scale, subtract

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
    """A contact pair's shape on the target; `at`: the pair in the vector."""
    geometry = int(vector[at + OF.geometry])
    origin, axis = (
        load3(vector, at + OF.origin),
        load3(vector, at + OF.axis),
    )
    axis = scale(1.0 / norm(axis), axis)
    if geometry == WALL:
        return on_plane(p, n, origin, axis)
    if geometry == BALL:
        return on_sphere(p, n, origin, vector[at + OF.sphere_radius])
    mouth, bottom, angle, thickness = (
        vector[at + OF.mouth_radius],
        vector[at + OF.bottom_radius],
        vector[at + OF.half_angle],
        vector[at + OF.thickness],
    )
    sine, along = math.sin(angle), dot(n, axis)
    if vector[at + OF.closed] != 0.0 and abs(abs(along) - 1.0) < abs(
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
        int(vector[at + OF.geometry]),
        load3(vector, at + OF.origin),
        load3(vector, at + OF.axis),
    )
    axis = scale(1.0 / norm(axis), axis)
    along, away = dot(n, axis), subtract(point, origin)
    if geometry == WALL:
        return along
    if geometry == BALL:
        return dot(n, away) / vector[at + OF.sphere_radius]
    sine, cosine = math.sin(vector[at + OF.half_angle]), math.cos(vector[at + OF.half_angle])
    radial = add_scaled(away, -dot(away, axis), axis)
    size = norm(radial)
    if size == 0.0 or (
        vector[at + OF.closed] != 0.0 and abs(abs(along) - 1.0) < abs(abs(along) - sine)
    ):  # the apex; the bottom's plate
        return abs(along)
    return abs(sine * along - cosine * dot(n, radial) / size)


@apart
def on_surface(vector, base, p, n):
    """A surface that the method itself was told; `base`: of its parameters in the vector."""
    shape, origin, axis = (
        int(vector[base + AT.surface]),
        load3(vector, base + AT.surface_origin),
        load3(vector, base + AT.surface_axis),
    )
    radius = vector[base + AT.surface_radius]
    if shape == SPHERE:
        return on_sphere(p, n, origin, radius)
    if shape == BOX:
        return on_box(p, n, origin, load3(vector, base + AT.surface_half))
    axis = scale(1.0 / norm(axis), axis)
    if shape == PLANE:
        return on_plane(p, n, origin, axis)
    if shape in (CYLINDER, BORE):
        return on_cylinder(p, n, origin, axis, radius, shape == CYLINDER)
    return on_cone(p, n, origin, axis, shape == OUTER_CONE)


@compiled
def tip_of_pair(vector, at):
    """Centre of the chaser's tip, chaser axes, and its radius [m]."""
    return load3(vector, at + OF.tip), vector[at + OF.tip_radius]
