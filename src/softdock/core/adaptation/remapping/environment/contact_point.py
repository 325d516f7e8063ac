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
from softdock.core.shapes.line import PARALLEL, nearest_on_line, on_cone, on_plane, on_sphere
from softdock.core.spatial.vectors import add_scaled, cross, dot, load3, norm, scale, subtract


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
