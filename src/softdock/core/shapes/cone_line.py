"""Where a straight line leaves a cone of the target: by its wall, inside or outside, or by the
plate at its bottom, whichever normal is nearer to the line."""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled
from softdock.core.shapes.cone_keys import AT
from softdock.core.shapes.line import on_cone, on_plane
from softdock.core.spatial.vectors import add_scaled, dot, norm, scale


@compiled
def _by_plate(vector, own, along):
    """Whether it is the bottom's plate; `along`: of the line, along the axis."""
    sine = math.sin(vector[own + AT.half_angle])
    return vector[own + AT.closed] != 0.0 and abs(abs(along) - 1.0) < abs(abs(along) - sine)


@compiled
def cone_meets(vector, own, origin, axis, p, n):
    mouth, bottom, angle, thickness = (
        vector[own + AT.mouth_radius],
        vector[own + AT.bottom_radius],
        vector[own + AT.half_angle],
        vector[own + AT.thickness],
    )
    sine, along = math.sin(angle), dot(n, axis)
    if _by_plate(vector, own, along):
        depth = (mouth - bottom) / math.tan(angle) + (thickness if along < 0.0 else 0.0)
        return on_plane(
            p, n, add_scaled(origin, -depth, axis), axis if along > 0.0 else scale(-1.0, axis)
        )
    apex = add_scaled(origin, -mouth / math.tan(angle), axis)
    if along > 0.0:
        return on_cone(p, n, apex, axis, False)
    return on_cone(p, n, add_scaled(apex, -thickness / sine, axis), axis, True)


@compiled
def cone_faces(vector, own, axis, away, n):
    sine, cosine = math.sin(vector[own + AT.half_angle]), math.cos(vector[own + AT.half_angle])
    along, radial = dot(n, axis), add_scaled(away, -dot(away, axis), axis)
    size = norm(radial)
    if size == 0.0 or _by_plate(vector, own, along):  # the apex; the bottom's plate
        return abs(along)
    return abs(sine * along - cosine * dot(n, radial) / size)
