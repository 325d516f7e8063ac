"""The tide: what gravity does to two satellites close to a point in free fall on a circular orbit.

World axes do not turn, and their origin is in free fall. A body at p [m] from it is pulled by what
gravity there differs from gravity at the origin,

    F = m n^2 (3 u (u . p) - p)        tau = 3 n^2 u x J u

with the mean motion n [rad/s] and the unit vector u away from the planet, which turns in the plane
of the orbit. In: both satellites at t_k. Out: the wrench on each at the middle of the cycle, held
over it (world axes, about the centre of mass); the attitude is that at t_k. Booked as external.

To first order in p over the orbit's radius: the second order is some n^2 |p|^2 / radius, at 5 m in
a low orbit 1e-11 m/s^2. J2, eccentricity and drag are left out too and are larger; their size is in
docs/relative_orbit.md. In turning axes this is Clohessy and Wiltshire's law
(docs/relative_orbit.md).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add_scaled,
    cross,
    dot,
    multiply,
    norm,
    scale,
    subtract,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.method.interface import Rig, Satellites
    from softdock.loop.spatial.rigid_body import Body, BodyParams

EARTH_GM = 3.986004418e14  # m^3/s^2
EARTH_RADIUS = 6378137.0  # m, at the equator
# rad/s, just above the ground; the Earth is the densest planet, so no other allows more
FASTEST_MEAN_MOTION = math.sqrt(EARTH_GM / EARTH_RADIUS**3)

ORBIT = Group(
    "orbit",
    "The orbit that both satellites share: tide and gravity gradient, in axes that do not turn. "
    "Altitude or mean motion, not both; neither: nothing but contacts and schedules acts.",
    Parameter(
        "altitude",
        "altitude_km",
        "of a circular orbit above the Earth's equatorial radius; 0: no orbit",
        0.0,
        unit="km",
        low=0.0,
        high=1e6,
        scale=1e3,
    ),
    Parameter(
        "mean_motion",
        "mean_motion_rad_per_s",
        "of a circular orbit about any planet; 0: no orbit",
        0.0,
        unit="rad/s",
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "radial",
        "radial",
        "away from the planet at t = 0, world axes",
        (0.0, 0.0, -1.0),
        size=3,
        kind="direction",
    ),
    Parameter(
        "normal",
        "normal",
        "of the orbit's plane, along its angular momentum, world axes; at right angles to radial",
        (0.0, -1.0, 0.0),
        size=3,
        kind="direction",
    ),
)


class Tide(NamedTuple):
    """An orbit, prepared."""

    n: float  # rad/s
    radial: tuple  # unit vectors at t = 0, world axes
    along: tuple  # along-track


@compiled
def has_tide(vector, base):
    keys = ORBIT(vector, base)
    return keys.altitude > 0.0 or keys.mean_motion > 0.0


@noinline
def prepare_tide(vector, base):
    keys = ORBIT(vector, base)
    n = keys.mean_motion
    if n == 0.0:
        radius = EARTH_RADIUS + keys.altitude
        n = math.sqrt(EARTH_GM / (radius * radius * radius))
    radial = scale(1.0 / norm(keys.radial), keys.radial)
    along = cross(keys.normal, radial)
    return Tide(n, radial, scale(1.0 / norm(along), along))


@compiled
def upward(tide: Tide, t):
    """Away from the planet at time t [s], world axes."""
    angle = tide.n * t
    return add_scaled(scale(math.cos(angle), tide.radial), math.sin(angle), tide.along)


@compiled
def _pull_on_body(tide: Tide, up, params: BodyParams, half, body: Body):
    """Wrench of the tide on one body; `half` [s]: to the middle of the cycle."""
    if params.fixed:
        return no_wrench()
    squared = tide.n * tide.n
    p = add_scaled(body.p, half, body.v)
    force = multiply(params.mass, scale(squared, subtract(scale(3.0 * dot(up, p), up), p)))
    up_B = rotate_back(body.q, up)
    torque_B = cross(up_B, symmetric_times(params.inertia, up_B))
    return Wrench(force, scale(3.0 * squared, rotate(body.q, torque_B)))


@noinline
def tide_wrenches(vector, base, rig: Rig, satellites: Satellites):
    """Wrenches of the tide on chaser and target over cycle `rig.cycle`."""
    tide, half = prepare_tide(vector, base), 0.5 * rig.T
    up = upward(tide, (rig.cycle + 0.5) * rig.T)
    chaser = _pull_on_body(tide, up, rig.chaser, half, satellites.chaser)
    return chaser, _pull_on_body(tide, up, rig.target, half, satellites.target)
