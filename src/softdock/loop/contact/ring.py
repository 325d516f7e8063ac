"""A ring about an axis, its profile a rectangle with rounded edges: a cylinder, a tube, a capsule
or a torus; and petals that stand on it.

Profile in the half-plane (rho, z): inner to outer radius, and from z = 0 at the front back to
-length; its edges are arcs of `edge`. The distance is that of the rectangle within the arcs'
centres, less `edge`: exact outside. In the material the nearest face counts. Without an inner
radius the body is solid, and the axis has no edge.

A petal is a plate with round edges: all that is nearer than half its thickness to a rectangle. The
first stands towards `across`, the others are its copies, turned about the axis. Each lies within
its own sector, so the petal of a tip's sector is the nearest. Ring and petal are two touches: where
both are near, both push.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.drawing import (
    Drawing,
    Extent,
    Flight,
    Outline,
    Pair,
    Place,
    Solid,
    circle,
    stand_across,
)
from softdock.loop.contact.shape import TargetShape, never_closed
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.vectors import add_scaled, cross, dot, norm, scale

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape

ON_AXIS = 1e-9  # m; closer to the axis the tip touches the full ring
ARC = 8  # straight pieces of an edge in a picture
AZIMUTHS = 48  # of the normals that an analysis looks at
PATCHES = 8  # along each edge of a flat face, where an analysis looks
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
# of a cuboid, counter-clockwise from outside
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
MOST_PETALS = 12
_RING = ("geometry", ("ring",))
_ACROSS = ("geometry", ("ring", "box"))


def _size(
    name: str,
    key: str,
    meaning: str,
    default: float | None,
    open_low: bool,
    when: tuple[str, tuple[str, ...]] = _RING,
) -> Parameter:
    return Parameter(
        name, key, meaning, default, unit="m", low=0.0, high=1e3, open_low=open_low, when=when
    )


KEYS = Group(
    "solid",
    "A ring with rounded edges (cylinder, tube, capsule, torus), with petals or without; or a box.",
    _size("ring_outer", "outer_radius_m", "outer radius of the ring", None, True),
    _size("ring_inner", "inner_radius_m", "inner radius of the ring; 0: it is solid", 0.0, False),
    _size("ring_length", "length_m", "of the ring along its axis, back from origin_m", None, True),
    _size("ring_edge", "edge_radius_m", "radius of the edges of ring or box", 0.0, False, _ACROSS),
    Parameter(
        "across",
        "across",
        "direction across the axis, target axes: to the first petal of a ring, or along the second "
        "size of a box; what of it lies along the axis does not count",
        (0.0, 0.0, 1.0),
        size=3,
        kind="direction",
        when=_ACROSS,
    ),
    Parameter(
        "petals",
        "petals",
        "plates that stand on the front of the ring, evenly around it",
        0,
        low=0,
        high=MOST_PETALS,
        kind="integer",
        when=_RING,
        swept=False,
    ),
    _size(
        "petal_place", "petal_radius_m", "from the axis to the middle of a petal's foot", 0.0, False
    ),
    _size("petal_width", "petal_width_m", "of a petal", 0.0, False),
    _size("petal_length", "petal_length_m", "of a petal, from the front of the ring", 0.0, False),
    _size("petal_thick", "petal_thickness_m", "of a petal; its edges are round", 0.0, False),
    Parameter(
        "petal_tilt",
        "petal_tilt_deg",
        "of a petal from the axis; positive: its end is nearer to the axis than its foot",
        0.0,
        unit="deg",
        low=-80.0,
        high=80.0,
        when=_RING,
    ),
    Parameter(
        "box",
        "size_m",
        "of a box: along its axis, along `across` and along the third direction",
        None,
        unit="m",
        size=3,
        low=0.0,
        open_low=True,
        high=1e3,
        when=("geometry", ("box",)),
    ),
)


@compiled
def _core(shape: Shape, rho, z):
    """Of the rectangle of the arcs' centres: its half sizes, and the place from its middle."""
    edge = shape.thickness
    inner = shape.bottom_radius + edge if shape.bottom_radius > 0.0 else -(shape.radius - edge)
    outer = shape.radius - edge
    half_r, half_z = 0.5 * (outer - inner), 0.5 * shape.length - edge
    return half_r, half_z, rho - 0.5 * (inner + outer), z + 0.5 * shape.length


@noinline
def ring_distance(shape: Shape, rho, z):
    """Distance from the surface [m], negative in the material, and its gradient (rho, z)."""
    half_r, half_z, r, h = _core(shape, rho, z)
    sign_r, sign_z = (1.0 if r >= 0.0 else -1.0), (1.0 if h >= 0.0 else -1.0)
    dr, dz = abs(r) - half_r, abs(h) - half_z
    if dr <= 0.0 and dz <= 0.0:
        if dr > dz:
            return dr - shape.thickness, sign_r, 0.0
        return dz - shape.thickness, 0.0, sign_z
    out_r, out_z = max(dr, 0.0), max(dz, 0.0)
    distance = math.sqrt(out_r * out_r + out_z * out_z)
    return distance - shape.thickness, sign_r * out_r / distance, sign_z * out_z / distance


class OnPetal(NamedTuple):
    """A place as the petal of its sector sees it."""

    way: tuple  # m, from the nearest point of the petal's rectangle, target axes
    sector: int  # which part of the rectangle that is: 0 its face


@compiled
def _on_petal(shape: Shape, tip):
    third = cross(shape.axis, shape.across)
    x, y, z = dot(shape.across, tip), dot(third, tip), dot(shape.axis, tip)
    step = 2.0 * math.pi / shape.petals
    turn = step * math.floor(math.atan2(y, x) / step + 0.5)
    c, s = math.cos(turn), math.sin(turn)
    out, aside = c * x + s * y - shape.half[2], c * y - s * x
    along = shape.cosine * z - shape.sine * out
    over = shape.cosine * out + shape.sine * z
    beyond = along - min(max(along, 0.0), shape.half[1])
    beside = aside - min(max(aside, -shape.half[0]), shape.half[0])
    outward = shape.cosine * over - shape.sine * beyond
    way = scale(shape.cosine * beyond + shape.sine * over, shape.axis)
    way = add_scaled(way, c * outward - s * beside, shape.across)
    way = add_scaled(way, s * outward + c * beside, third)
    sector = 0 if beyond == 0.0 else (1 if beyond > 0.0 else 2)
    return OnPetal(way, sector + (0 if beside == 0.0 else (3 if beside > 0.0 else 6)))


@noinline
def _touch_petal(shape: Shape, tip, radius):
    way = _on_petal(shape, tip).way
    distance = norm(way)
    normal = shape.axis
    if distance > ON_AXIS:
        normal = scale(1.0 / distance, way)
    return Touch(radius + shape.petal - distance, normal)


@compiled
def touch_ring(shape: Shape, tip, radius, side, active):
    """`tip`: centre of the chaser's tip from the middle of the front, target axes [m]."""
    z = dot(shape.axis, tip)
    radial = add_scaled(tip, -z, shape.axis)
    rho = norm(radial)
    distance, d_rho, d_z = ring_distance(shape, rho, z)
    normal = scale(d_z, shape.axis)
    if rho > ON_AXIS:
        normal = add_scaled(normal, d_rho / rho, radial)
    second = Touch(NO_TOUCH, normal)
    if shape.petals > 0:
        second = _touch_petal(shape, tip, radius)
    return Touches(Touch(radius - distance, normal), second, INSIDE)


@compiled
def _gap(shape: Shape, tip, radius):
    touches = touch_ring(shape, tip, radius, INSIDE, False)
    return -max(touches.first.depth, touches.second.depth)


@compiled
def _sector(shape: Shape, side, tip):
    """Which part of the profile is nearest: 0 to 8 by the arcs' centres, beyond them in the
    material; and of the petal, 16 times as much."""
    on_petal = 16 * _on_petal(shape, tip).sector if shape.petals > 0 else 0
    z = dot(shape.axis, tip)
    half_r, half_z, r, h = _core(shape, norm(add_scaled(tip, -z, shape.axis)), z)
    if abs(r) <= half_r and abs(h) <= half_z:
        if abs(r) - half_r > abs(h) - half_z:
            return on_petal + (9 if r >= 0.0 else 10)
        return on_petal + (11 if h >= 0.0 else 12)
    across = 1 if r > half_r else (2 if r < -half_r else 0)
    along = 1 if h > half_z else (2 if h < -half_z else 0)
    return on_petal + across + 3 * along


@compiled
def _through(shape: Shape, radius):
    wall = 0.5 * min(shape.radius - shape.bottom_radius, shape.length)
    return radius + (min(wall, shape.petal) if shape.petals > 0 else wall)


@compiled
def _bend(shape: Shape, tip):
    """Over an edge the normal turns within the distance from its centre."""
    z = dot(shape.axis, tip)
    rho = norm(add_scaled(tip, -z, shape.axis))
    distance, _, _ = ring_distance(shape, rho, z)
    turning = max(min(rho, distance + shape.thickness), 0.1 * shape.radius)
    if shape.petals > 0:
        turning = min(turning, max(norm(_on_petal(shape, tip).way), shape.petal))
    return turning


@compiled
def square_across(keys, axis):
    """The key `across` without what of it lies along the axis, of length one."""
    across = add_scaled(keys.across, -dot(keys.across, axis), axis)
    length = norm(across)
    return scale(1.0 / length, across) if length > 0.0 else across


@compiled
def _store(vector, own, numbers):
    keys = KEYS(vector, own)
    numbers.across = square_across(keys, numbers.axis)
    numbers.petals = int(keys.petals)
    tilt = math.pi / 180.0 * keys.petal_tilt
    numbers.sine = math.sin(tilt)
    numbers.cosine = math.cos(tilt)
    numbers.petal = 0.5 * keys.petal_thick
    half, length = 0.5 * (keys.petal_width - keys.petal_thick), keys.petal_length
    numbers.half = (half, length - 0.5 * keys.petal_thick, keys.petal_place)
    numbers.radius = keys.ring_outer
    numbers.bottom_radius = keys.ring_inner
    numbers.length = keys.ring_length
    numbers.thickness = keys.ring_edge


def _problems(vector: np.ndarray, own: int) -> list[tuple[str, float, str]]:
    keys = KEYS(vector, own)
    outer, inner, length, edge = (
        float(x) for x in (keys.ring_outer, keys.ring_inner, keys.ring_length, keys.ring_edge)
    )
    if inner >= outer:
        return [("inner_radius_m", inner, f"less than outer_radius_m = {outer:g}")]
    most = min(0.5 * length, 0.5 * (outer - inner) if inner > 0.0 else outer)
    if edge > most:
        return [("edge_radius_m", edge, f"at most {most:g}, half the length and half the wall")]
    return _petal_problems(keys) if keys.petals > 0.0 else []


def _petal_problems(keys: Any) -> list[tuple[str, float, str]]:
    place, width, length, thick = (
        float(x) for x in (keys.petal_place, keys.petal_width, keys.petal_length, keys.petal_thick)
    )
    if thick <= 0.0:
        return [("petal_thickness_m", thick, "> 0, where there are petals")]
    for key, value in (("petal_width_m", width), ("petal_length_m", length)):
        if value < thick:
            return [(key, value, f"at least petal_thickness_m = {thick:g}")]
    # within its sector everywhere: at its foot or, tilted inwards, at its end
    tilt = math.radians(float(keys.petal_tilt))
    inner = min(place, place - length * math.sin(tilt)) - thick
    half = math.pi / max(int(keys.petals), 2)
    most = 2.0 * inner * math.tan(half) if half < 0.5 * math.pi else math.inf
    if inner <= 0.0 or width > most:
        allowed = f"a petal within its sector: its inner end is {inner:g} from the axis"
        return [("petal_width_m", width, allowed)]
    return []


# For people and analyses: the outline, and where a tip may touch it.


def _profile(pair: Pair) -> np.ndarray:
    """(radius, height) once around: down the inside, up the outside."""
    inner, outer, length, edge = (
        float(pair[key])
        for key in ("inner_radius_m", "outer_radius_m", "length_m", "edge_radius_m")
    )
    turn = 0.5 * math.pi * np.arange(ARC + 1) / ARC
    corners = [(inner, 0.0), (inner, -length), (outer, -length), (outer, 0.0)]
    rows: list[tuple[float, float]] = []
    for i, (r, h) in enumerate(corners):
        if r == 0.0 or edge == 0.0:
            rows.append((r, h))
            continue
        centre_r = r + edge if i < 2 else r - edge
        centre_h = h - edge if h == 0.0 else h + edge
        angles = 0.5 * math.pi * (i + 1) + turn
        rows += [(centre_r + edge * math.cos(a), centre_h + edge * math.sin(a)) for a in angles]
    return np.array([*rows, rows[0]])


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """The faces of the profile that face the tip, all around."""
    origin, axis, start, _, radius = flight
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across = across / np.linalg.norm(across)
    third = np.cross(axis, across)
    profile = _profile(pair)
    ways = np.diff(profile, axis=0)
    whole = np.linalg.norm(ways, axis=1) > 0.0
    middles, ways = (0.5 * (profile[1:] + profile[:-1]))[whole], ways[whole]
    places = []
    for azimuth in 2.0 * math.pi * np.arange(AZIMUTHS) / AZIMUTHS:
        out = math.cos(azimuth) * across + math.sin(azimuth) * third
        for (r, h), (dr, dh) in zip(middles, ways, strict=True):
            normal = (dh * out - dr * axis) / math.hypot(dr, dh)
            point = origin + r * out + h * axis
            if r > 0.0 and normal @ (start - point) > 0.0:
                places.append(Place(normal, point + radius * normal))
    return places + _petal_places(pair, flight)


def _lines(pair: Pair, from_front: bool) -> list[Outline]:
    inner, outer = float(pair["inner_radius_m"]), float(pair["outer_radius_m"])
    if from_front:
        rings = [circle("outer edge of the ring", outer)]
        return rings + ([circle("inner edge of the ring", inner)] if inner > 0.0 else [])
    r, h = _profile(pair).T
    x, y = np.concatenate([h, [np.nan], h]), np.concatenate([r, [np.nan], -r])
    return [Outline("ring", x, y)]


def _near(pair: Pair, factor: float) -> Extent:
    outer, length = factor * float(pair["outer_radius_m"]), factor * float(pair["length_m"])
    return Extent([-1.25 * length - outer, outer], [-1.5 * outer, 1.5 * outer])


def _petal_frames(pair: Pair) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each petal: the middle of its foot, and rows across, along and out of it."""
    axis, across, third = stand_across(pair)
    tilt, frames = math.radians(float(pair["petal_tilt_deg"])), []
    for i in range(int(pair["petals"])):
        turn = 2.0 * math.pi * i / int(pair["petals"])
        out = math.cos(turn) * across + math.sin(turn) * third
        along = math.cos(tilt) * axis - math.sin(tilt) * out
        over = math.cos(tilt) * out + math.sin(tilt) * axis
        frames.append(
            (float(pair["petal_radius_m"]) * out, np.stack([np.cross(over, along), along, over]))
        )
    return frames


def _petal_places(pair: Pair, flight: Flight) -> list[Place]:
    """Both faces of each petal."""
    width, length = float(pair["petal_width_m"]), float(pair["petal_length_m"])
    off, found = 0.5 * float(pair["petal_thickness_m"]) + flight.radius, []
    steps = (np.arange(PATCHES) + 0.5) / PATCHES
    for foot, rows in _petal_frames(pair):
        for s, t, sign in itertools.product(steps, steps, (-1.0, 1.0)):
            normal = sign * rows[2]
            point = flight.origin + foot + (s - 0.5) * width * rows[0] + t * length * rows[1]
            if normal @ (flight.start - point) > 0.0:
                found.append(Place(normal, point + off * normal))
    return found


def _solid(pair: Pair) -> Solid:
    profile = tuple((float(r), float(h)) for r, h in _profile(pair))
    sizes = [float(pair[f"petal_{name}_m"]) for name in ("width", "length", "thickness")]
    half = 0.5 * np.array(sizes)
    corners: list[Any] = []
    faces: list[Any] = []
    for foot, rows in _petal_frames(pair):
        faces += [tuple(len(corners) + i for i in face) for face in FACES]
        corners += [*(foot + half[1] * rows[1] + (CORNERS * half) @ rows)]
    size = float(pair["outer_radius_m"])
    return Solid(size, profile=profile, corners=tuple(corners), faces=tuple(faces))


RING_SHAPE = TargetShape(
    "ring",
    keys=KEYS,
    touch=touch_ring,
    seat=_gap,
    store=_store,
    closed=never_closed,
    sector=_sector,
    through=_through,
    bend=_bend,
    problems=_problems,
    widest=lambda vector, own: 180.0,
    drawing=Drawing(
        "Tip before the front of the ring",
        "Along the ring's axis.",
        _places,
        lines=_lines,
        near=_near,
        solid=_solid,
    ),
)
