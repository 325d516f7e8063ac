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
from typing import TYPE_CHECKING

import numpy as np

from softdock.compile.jit import compiled
from softdock.loop.contact.cone_keys import KEYS
from softdock.loop.contact.drawing import (
    Drawing,
    Extent,
    Flight,
    Outline,
    Pair,
    Place,
    Solid,
    circle,
)
from softdock.loop.contact.line import on_cone, on_plane
from softdock.loop.contact.shape import TargetShape
from softdock.loop.contact.touch import INSIDE, LIP, NO_TOUCH, NONE, OUTSIDE, Touch, Touches
from softdock.loop.spatial.vectors import add_scaled, dot, norm, scale

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape

# Where a straight line leaves a cone of the target: by its wall, inside or outside, or by the
# plate at its bottom, whichever normal is nearer to the line.


@compiled
def _leaves_by_plate(keys, along):
    """Whether it is the bottom's plate; `along`: of the line, along the axis."""
    sine = math.sin(keys.half_angle)
    return keys.closed != 0.0 and abs(abs(along) - 1.0) < abs(abs(along) - sine)


@compiled
def cone_meets(vector, own, origin, axis, p, n):
    keys = KEYS(vector, own)
    mouth, bottom, angle, thickness = (
        keys.mouth_radius,
        keys.bottom_radius,
        keys.half_angle,
        keys.thickness,
    )
    sine, along = math.sin(angle), dot(n, axis)
    if _leaves_by_plate(keys, along):
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
    keys = KEYS(vector, own)
    sine, cosine = math.sin(keys.half_angle), math.cos(keys.half_angle)
    along, radial = dot(n, axis), add_scaled(away, -dot(away, axis), axis)
    size = norm(radial)
    if size == 0.0 or _leaves_by_plate(keys, along):  # the apex; the bottom's plate
        return abs(along)
    return abs(sine * along - cosine * dot(n, radial) / size)


# A truncated hollow cone for people and analyses (drawing.py): its outline, and where a tip may
# touch it.

AZIMUTHS, HEIGHTS = 48, 3  # of the normals that an analysis looks at


def _profile(pair: Pair) -> tuple[float, float, float]:
    """Radii of mouth and bottom, and depth [m]."""
    mouth, bottom = float(pair["mouth_radius_m"]), float(pair["bottom_radius_m"])
    return mouth, bottom, (mouth - bottom) / math.tan(math.radians(pair["half_angle_deg"]))


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """The inner wall at every azimuth from mouth to bottom, and the bottom plate."""
    origin, axis, _, _, radius = flight
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across = across / np.linalg.norm(across)
    third = np.cross(axis, across)
    half = math.radians(pair["half_angle_deg"])
    mouth, bottom, depth = _profile(pair)
    places = []
    for azimuth in 2.0 * math.pi * np.arange(AZIMUTHS) / AZIMUTHS:
        out = math.cos(azimuth) * across + math.sin(azimuth) * third
        normal = math.sin(half) * axis - math.cos(half) * out
        for down in np.linspace(0.0, 1.0, HEIGHTS):
            on_wall = origin - down * depth * axis + (mouth + down * (bottom - mouth)) * out
            places.append(Place(normal, on_wall + radius * normal))
    if pair["closed_bottom"]:
        places.append(Place(axis, origin + (radius - depth) * axis))
    return places


def _lines(pair: Pair, from_front: bool) -> list[Outline]:
    mouth, bottom, depth = _profile(pair)
    if from_front:
        rings = [circle("mouth of the cone", mouth)]
        return rings + ([circle("bottom of the cone", bottom)] if bottom > 0.0 else [])
    x, y = np.array([0.0, -depth, -depth, 0.0]), np.array([mouth, bottom, -bottom, -mouth])
    if not pair["closed_bottom"]:  # two walls, nothing between them
        x, y = np.insert(x, 2, np.nan), np.insert(y, 2, np.nan)
    return [Outline("cone", x, y)]


def _near(pair: Pair, factor: float) -> Extent:
    mouth, _, depth = (factor * size for size in _profile(pair))
    return Extent([-1.25 * depth, 0.75 * depth], [-1.5 * mouth, 1.5 * mouth])


def _solid(pair: Pair) -> Solid:
    """Outline with its wall: in at the mouth, down to the bottom, out and up again."""
    angle, thick = math.radians(pair["half_angle_deg"]), float(pair["wall_thickness_m"])
    mouth, bottom, deep = _profile(pair)
    out, down = thick * math.cos(angle), thick * math.sin(angle)
    inner = [(mouth, 0.0), (bottom, -deep)]
    outer = [(bottom + out, -deep - down), (mouth + out, -down)]
    if pair["closed_bottom"]:
        inner.append((0.0, -deep))
        outer = [(0.0, -deep - thick), (bottom + out, -deep - thick), outer[1]]
    return Solid(mouth, bottom, deep, (*inner, *outer, (mouth, 0.0)))


CONE_DRAWING = Drawing(
    "Tip before the mouth of the cone",
    "Along the cone's axis. Negative: inside.",
    _places,
    lines=_lines,
    near=_near,
    solid=_solid,
)


ON_AXIS = 1e-9  # m; closer to the axis the tip touches the full ring


@compiled
def _clamp(x, low, high):
    return min(max(x, low), high)


@compiled
def _side_of(shape: Shape, s, n, z):
    """Where a tip that touches nothing is: the side on which it would touch first."""
    if shape.closed and z < -shape.depth:
        return OUTSIDE
    if n >= 0.0:
        return INSIDE
    if n <= -shape.thickness:
        return OUTSIDE
    return LIP


@compiled
def _in_material(shape: Shape, s, n, rho, z):
    """Whether a point is inside the wall or the bottom plate."""
    in_wall = -shape.length <= s <= 0.0 and -shape.thickness <= n <= 0.0
    in_plate = (
        shape.closed
        and -shape.depth - shape.thickness <= z <= -shape.depth
        and rho <= shape.bottom_radius + shape.thickness * shape.cosine
    )
    return in_wall or in_plate


@compiled
def _wall_gap(shape: Shape, s, n, radius, side, active):
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
def _plate_gap(shape: Shape, rho, z):
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
def touch_cone(shape: Shape, tip, radius, side, active):
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
def _seat(shape: Shape, tip, radius):
    """Height above the bottom, negative below it; infinite before the mouth and where the tip's
    centre is farther out than the cone's own radius at its height. A tip that presses on the wall
    is still inside while it is nearer to the inner face than to the outer one."""
    z = dot(shape.axis, tip)
    x = norm(add_scaled(tip, -z, shape.axis)) - shape.radius
    n = max(z, -shape.depth) * shape.sine - x * shape.cosine
    is_inside = z <= 0.0 and n >= -0.5 * shape.thickness
    return z + shape.depth - radius if is_inside else math.inf


@compiled
def _range(shape: Shape, radius, within):
    """Anywhere on the bottom, and tilted until the probe would lie on the wall."""
    return shape.bottom_radius + 2.0 * within, math.atan2(shape.sine, shape.cosine)


@compiled
def _store(vector, own, numbers):
    keys = KEYS(vector, own)
    mouth, bottom = keys.mouth_radius, keys.bottom_radius
    sine, cosine = math.sin(keys.half_angle), math.cos(keys.half_angle)
    numbers.radius = mouth
    numbers.bottom_radius = bottom
    numbers.sine = sine
    numbers.cosine = cosine
    numbers.length = (mouth - bottom) / sine
    numbers.depth = (mouth - bottom) * cosine / sine
    numbers.thickness = keys.thickness


@compiled
def _closed(vector, own):
    return KEYS(vector, own).closed != 0.0


@compiled
def _sector(shape: Shape, side, tip):
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
def _through(shape: Shape, radius):
    return shape.thickness + radius


@compiled
def _from_axis(shape: Shape, tip):
    return norm(add_scaled(tip, -dot(shape.axis, tip), shape.axis))


def _problems(vector: np.ndarray, own: int) -> list[tuple[str, float, str]]:
    keys = KEYS(vector, own)
    mouth, bottom = keys.mouth_radius, keys.bottom_radius
    if bottom < mouth:
        return []
    return [("bottom_radius_m", float(bottom), f"less than mouth_radius_m = {mouth:g}")]


def _widest(vector: np.ndarray, own: int) -> float:
    return 90.0 - float(np.degrees(KEYS(vector, own).half_angle))


CONE_SHAPE = TargetShape(
    "cone",
    keys=KEYS,
    touch=touch_cone,
    is_sided=True,
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
