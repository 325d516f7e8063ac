"""A ring about an axis, its profile a rectangle with rounded edges: a cylinder, a tube, a capsule
or a torus.

Profile in the half-plane (rho, z): inner to outer radius, and from z = 0 at the front back to
-length; its edges are arcs of `edge`. The distance is that of the rectangle within the arcs'
centres, less `edge`: exact outside. In the material the nearest face counts. Without an inner
radius the body is solid, and the axis has no edge.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

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
)
from softdock.loop.contact.shape import TargetShape, never_closed
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.vectors import add_scaled, dot, norm, scale

if TYPE_CHECKING:
    from softdock.loop.contact.shape import Shape

ON_AXIS = 1e-9  # m; closer to the axis the tip touches the full ring
ARC = 8  # straight pieces of an edge in a picture
AZIMUTHS = 48  # of the normals that an analysis looks at
_RING = ("geometry", ("ring",))


def _size(name: str, key: str, meaning: str, default: float | None, open_low: bool) -> Parameter:
    return Parameter(
        name, key, meaning, default, unit="m", low=0.0, high=1e3, open_low=open_low, when=_RING
    )


KEYS = Group(
    "ring",
    "A ring with rounded edges: cylinder, tube, capsule or torus.",
    _size("ring_outer", "outer_radius_m", "outer radius of the ring", None, True),
    _size("ring_inner", "inner_radius_m", "inner radius of the ring; 0: it is solid", 0.0, False),
    _size("ring_length", "length_m", "of the ring along its axis, back from origin_m", None, True),
    _size("ring_edge", "edge_radius_m", "radius of the ring's edges", 0.0, False),
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
    return Touches(Touch(radius - distance, normal), Touch(NO_TOUCH, normal), INSIDE)


@compiled
def _gap(shape: Shape, tip, radius):
    z = dot(shape.axis, tip)
    distance, _, _ = ring_distance(shape, norm(add_scaled(tip, -z, shape.axis)), z)
    return distance - radius


@compiled
def _sector(shape: Shape, side, tip):
    """Which part of the profile is nearest: 0 to 8 by the arcs' centres, beyond them in the
    material."""
    z = dot(shape.axis, tip)
    half_r, half_z, r, h = _core(shape, norm(add_scaled(tip, -z, shape.axis)), z)
    if abs(r) <= half_r and abs(h) <= half_z:
        if abs(r) - half_r > abs(h) - half_z:
            return 9 if r >= 0.0 else 10
        return 11 if h >= 0.0 else 12
    across = 1 if r > half_r else (2 if r < -half_r else 0)
    along = 1 if h > half_z else (2 if h < -half_z else 0)
    return across + 3 * along


@compiled
def _through(shape: Shape, radius):
    wall = shape.radius - shape.bottom_radius
    return radius + 0.5 * min(wall, shape.length)


@compiled
def _bend(shape: Shape, tip):
    """Over an edge the normal turns within the distance from its centre."""
    z = dot(shape.axis, tip)
    rho = norm(add_scaled(tip, -z, shape.axis))
    distance, _, _ = ring_distance(shape, rho, z)
    return max(min(rho, distance + shape.thickness), 0.1 * shape.radius)


@compiled
def _store(vector, own, numbers):
    keys = KEYS(vector, own)
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
    return places


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


def _solid(pair: Pair) -> Solid:
    rows = tuple((float(r), float(h)) for r, h in _profile(pair))
    return Solid(float(pair["outer_radius_m"]), profile=rows)


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
