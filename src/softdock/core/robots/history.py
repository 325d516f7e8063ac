"""The stamped buffer of set-points, and the motion between them.

A ring of `slots` motions in `mem` (rings.py); the set-point stamped t_j = j T is row number j.
Between stamps the mock-up follows the cubic Hermite curve through stamped pose and twist (the exact
motion for the exact-hold integrator); rotation likewise, in the rotation vector from the earlier
attitude. `linear` keeps the chord, `hold` the earlier pose at rest (a staircase).
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled
from softdock.core.rings import Ring, row_near, row_of
from softdock.core.spatial.motion import MOTION_FLOATS, Motion, load_motion, store_motion
from softdock.core.spatial.rotations import exponential, inverse, product, turn_and_rate, turned
from softdock.core.spatial.vectors import add_scaled, scale, subtract

HERMITE, LINEAR, HOLD = 0, 1, 2
INTERPOLATIONS = ("hermite", "linear", "hold")
ON_STAMP = 1e-9  # cycles; nearer to a stamp than this is on it


@compiled
def push(mem, at, slots, stamp, motion):
    store_motion(mem, row_of(Ring(at, slots, MOTION_FLOATS), stamp), motion)


@compiled
def near(mem, at, slots, k, by):
    """The set-point `by` stamps after k, -slots <= by < slots."""
    return load_motion(mem, row_near(Ring(at, slots, MOTION_FLOATS), k, by))


@compiled
def stamped(mem, at, slots, stamp):
    return load_motion(mem, row_of(Ring(at, slots, MOTION_FLOATS), stamp))


@compiled
def between(mode, T, a, b, s):
    """Motion at fraction s of the way from set-point a to set-point b, one cycle T [s] apart."""
    if mode == HOLD:
        return Motion(a.p, a.q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    step = subtract(b.p, a.p)
    turn, rate_b = turn_and_rate(product(inverse(a.q), b.q), b.w)
    rate = 1.0 / T
    if mode == LINEAR:
        return Motion(
            add_scaled(a.p, s, step),
            product(a.q, exponential(scale(s, turn))),
            scale(rate, step),
            scale(rate, turn),
        )
    # cubic Hermite basis on [0, 1] with value 0 at the start: end value, start slope, end slope;
    # and their derivatives
    h1, h0p, h1p = s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s), s * s * (s - 1.0)
    d1, d0p, d1p = 6.0 * s * (1.0 - s), (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
    p = add_scaled(add_scaled(add_scaled(a.p, h1, step), T * h0p, a.v), T * h1p, b.v)
    v = add_scaled(add_scaled(scale(rate * d1, step), d0p, a.v), d1p, b.v)
    phi = add_scaled(add_scaled(scale(h1, turn), T * h0p, a.w), T * h1p, rate_b)
    phi_rate = add_scaled(add_scaled(scale(rate * d1, turn), d0p, a.w), d1p, rate_b)
    q, w = turned(phi, phi_rate)
    return Motion(p, product(a.q, q), v, w)


@compiled
def motion_at(mode, T, mem, at, slots, cycles):
    """Motion of the set-points at the time `cycles` T, whole or fractional."""
    nearest = math.floor(cycles + 0.5)
    if abs(cycles - nearest) < ON_STAMP:
        return stamped(mem, at, slots, int(nearest))
    earlier = math.floor(cycles)
    a = stamped(mem, at, slots, int(earlier))
    b = stamped(mem, at, slots, int(earlier) + 1)
    return between(mode, T, a, b, cycles - earlier)


@compiled
def acceleration_at(T, mem, at, slots, cycles):
    """Mean acceleration over the interval between set-points: linear [m/s^2, world] and angular
    [rad/s^2, body axes].

    On a stamp, that of the interval that ends there. The Hermite curve's own second derivative
    would be no better: where the integrator's positions and velocities do not fit each other it
    swings around this mean.
    """
    earlier = int(math.ceil(cycles - ON_STAMP)) - 1
    a = stamped(mem, at, slots, earlier)
    b = stamped(mem, at, slots, earlier + 1)
    return scale(1.0 / T, subtract(b.v, a.v)), scale(1.0 / T, subtract(b.w, a.w))
