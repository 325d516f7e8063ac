"""A truncated hollow cone (a nozzle, a drogue), open or closed at the bottom, with a wall of some
thickness.

Profile in the half-plane (rho, z): z along the axis out of the mouth, 0 at the mouth; the inner
wall runs from the mouth's edge down to the bottom's. In coordinates along the wall (s, 0 at the
mouth, -length at the bottom) and out of it into the cavity (n), the wall is the rectangle -length
<= s <= 0, -thickness <= n <= 0: inner face n = 0, lip s = 0, outer face n = -thickness. While the
tip's centre is outside that rectangle its true distance counts (edges are round). The side on which
it was when it last touched nothing is remembered and latched until separation, so that a deep touch
never flips to the other face; a point tip then sees its face as endless. Inside, wall and bottom
may touch at once and both push; outside, the nearer one does.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.core.machine.compiled import compiled
from softdock.core.shapes.cone_drawing import CONE_DRAWING
from softdock.core.shapes.cone_keys import AT, KEYS
from softdock.core.shapes.cone_line import cone_faces, cone_meets
from softdock.core.shapes.shape import IN_SHAPE, TargetShape
from softdock.core.shapes.touch import INSIDE, LIP, NO_TOUCH, NONE, OUTSIDE, Touch, Touches
from softdock.core.spatial.vectors import add_scaled, dot, norm, scale

ON_AXIS = 1e-9  # m; closer to the axis the tip touches the full ring


@compiled
def _clamp(x, low, high):
    return min(max(x, low), high)


@compiled
def _side_of(shape, s, n, z):
    """Where a tip that touches nothing is: the side on which it would touch first."""
    if shape.closed and z < -shape.depth:
        return OUTSIDE
    if n >= 0.0:
        return INSIDE
    if n <= -shape.thickness:
        return OUTSIDE
    return LIP


@compiled
def _in_material(shape, s, n, rho, z):
    """Whether a point is inside the wall or the bottom plate."""
    in_wall = -shape.length <= s <= 0.0 and -shape.thickness <= n <= 0.0
    in_plate = (
        shape.closed
        and -shape.depth - shape.thickness <= z <= -shape.depth
        and rho <= shape.bottom_radius + shape.thickness * shape.cosine
    )
    return in_wall or in_plate


@compiled
def _wall_gap(shape, s, n, radius, side, active):
    """Gap [m] from the wall's rectangle and its gradient (along s, along n). `active`: a touch is
    under way on `side`."""
    low = (
        -1e300 if shape.closed and side == INSIDE else -shape.length
    )  # a closed bottom hides the wall's lower edge
    ds = s - _clamp(s, low, 0.0)
    dn = n - _clamp(n, -shape.thickness, 0.0)
    squared = ds * ds + dn * dn
    behind = (
        (side == INSIDE and n < 0.0)
        or (side == OUTSIDE and n > -shape.thickness)
        or (side == LIP and s < 0.0)
    )
    through = (
        active and behind and (radius == 0.0 or (side != LIP and ds == 0.0))
    )  # deep, or right through: the face still counts
    if squared > 0.0 and not through:
        if ds == 0.0:  # above a face
            return abs(dn), 0.0, 1.0 if dn > 0.0 else -1.0
        distance = math.sqrt(squared)
        return distance, ds / distance, dn / distance
    if side == OUTSIDE:
        return -shape.thickness - n, 0.0, -1.0
    if side == LIP:
        if s < -0.5 * shape.length:  # the lower edge of an open cone
            return -shape.length - s, -1.0, 0.0
        return s, 1.0, 0.0
    return n, 0.0, 1.0


@compiled
def _plate_gap(shape, rho, z):
    """Gap [m] of a tip outside from the bottom plate, and its gradient (along rho, along z). In the
    plate, the lower face counts."""
    dr = max(rho - (shape.bottom_radius + shape.thickness * shape.cosine), 0.0)
    dz = z - _clamp(z, -shape.depth - shape.thickness, -shape.depth)
    squared = dr * dr + dz * dz
    if squared > 0.0:
        distance = math.sqrt(squared)
        return distance, dr / distance, dz / distance
    return -(z + shape.depth + shape.thickness), 0.0, -1.0


@compiled
def _to_axes(axis, radial, rho, d_rho, d_z):
    """Gradient in the half-plane to a vector in target axes. On the axis the tip touches a full
    ring: the sideways parts cancel."""
    if rho > ON_AXIS:
        return add_scaled(scale(d_z, axis), d_rho / rho, radial)
    return scale(d_z, axis)


@compiled
def touch_cone(shape, tip, radius, side, active):
    """`tip`: centre of the chaser's tip from the middle of the mouth, target axes [m];
    `side`: of the touch under way (`active`), or the one on which the tip last was."""
    z = dot(shape.axis, tip)
    radial = add_scaled(tip, -z, shape.axis)
    rho = norm(radial)
    x = rho - shape.radius
    n = z * shape.sine - x * shape.cosine
    s = x * shape.sine + z * shape.cosine
    if not active and (side == NONE or not _in_material(shape, s, n, rho, z)):
        side = _side_of(shape, s, n, z)

    gap, along_s, along_n = _wall_gap(shape, s, n, radius, side, active)
    d_rho = along_s * shape.sine - along_n * shape.cosine
    d_z = along_s * shape.cosine + along_n * shape.sine
    first = Touch(radius - gap, _to_axes(shape.axis, radial, rho, d_rho, d_z))
    second = Touch(NO_TOUCH, shape.axis)
    if shape.closed:
        if side == INSIDE:
            second = Touch(radius - (z + shape.depth), shape.axis)
        elif side == OUTSIDE:
            gap, d_rho, d_z = _plate_gap(shape, rho, z)
            if radius - gap > first.depth:
                first = Touch(radius - gap, _to_axes(shape.axis, radial, rho, d_rho, d_z))
    return Touches(first, second, side)


@compiled
def _seat(shape, tip, radius):
    """Height above the bottom, negative below it; infinite before the mouth and where the tip's
    centre is farther out than the cone's own radius at its height. A tip that presses on the wall
    is still inside while it is nearer to the inner face than to the outer one."""
    z = dot(shape.axis, tip)
    x = norm(add_scaled(tip, -z, shape.axis)) - shape.radius
    n = max(z, -shape.depth) * shape.sine - x * shape.cosine
    is_inside = z <= 0.0 and n >= -0.5 * shape.thickness
    return z + shape.depth - radius if is_inside else math.inf


@compiled
def _range(shape, radius, within):
    """Anywhere on the bottom, and tilted until the probe would lie on the wall."""
    return shape.bottom_radius + 2.0 * within, math.atan2(shape.sine, shape.cosine)


@compiled
def _store(vector, own, mem, at):
    mouth, bottom = vector[own + AT.mouth_radius], vector[own + AT.bottom_radius]
    sine, cosine = math.sin(vector[own + AT.half_angle]), math.cos(vector[own + AT.half_angle])
    mem[at + IN_SHAPE.radius] = mouth
    mem[at + IN_SHAPE.bottom_radius] = bottom
    mem[at + IN_SHAPE.sine] = sine
    mem[at + IN_SHAPE.cosine] = cosine
    mem[at + IN_SHAPE.length] = (mouth - bottom) / sine
    mem[at + IN_SHAPE.depth] = (mouth - bottom) * cosine / sine
    mem[at + IN_SHAPE.thickness] = vector[own + AT.thickness]


@compiled
def _closed(vector, own):
    return vector[own + AT.closed] != 0.0


@compiled
def _sector(shape, side, tip):
    """Which part of the wall is nearest: 0 a face, else an edge or the lip."""
    z = dot(shape.axis, tip)
    x = norm(add_scaled(tip, -z, shape.axis)) - shape.radius
    s, n = x * shape.sine + z * shape.cosine, z * shape.sine - x * shape.cosine
    level = 1 if n > 0.0 else (2 if n >= -shape.thickness else 3)
    if s > 0.0:
        return level
    if side == LIP and s >= -shape.length:
        return level + (3 if s >= -0.5 * shape.length else 6)
    if s < -shape.length and not (shape.closed and side == INSIDE):
        return level + 9
    return 0


@compiled
def _through(shape, radius):
    return shape.thickness + radius


@compiled
def _from_axis(shape, tip):
    return norm(add_scaled(tip, -dot(shape.axis, tip), shape.axis))


def _problems(vector: np.ndarray, own: int) -> list[tuple[str, float, str]]:
    mouth, bottom = vector[own + AT.mouth_radius], vector[own + AT.bottom_radius]
    if bottom < mouth:
        return []
    return [("bottom_radius_m", float(bottom), f"less than mouth_radius_m = {mouth:g}")]


def _widest(vector: np.ndarray, own: int) -> float:
    return 90.0 - float(np.degrees(vector[own + AT.half_angle]))


CONE_SHAPE = TargetShape(
    "cone",
    keys=KEYS,
    touch=touch_cone,
    seat=_seat,
    latch_range=_range,
    store=_store,
    closed=_closed,
    sector=_sector,
    through=_through,
    bend=_from_axis,
    meets=cone_meets,
    faces=cone_faces,
    problems=_problems,
    widest=_widest,
    drawing=CONE_DRAWING,
)
