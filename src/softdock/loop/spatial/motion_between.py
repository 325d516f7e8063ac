"""The motion between two stamped motions, one cycle apart.

The cubic Hermite curve through stamped pose and twist (the exact motion for the exact-hold
integrator); rotation likewise, in the rotation vector from the earlier attitude. `linear` keeps the
chord, `hold` the earlier pose at rest (a staircase).
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import exponential, inverse, product, turn_and_rate, turned
from softdock.loop.spatial.vectors import add_scaled, scale, subtract

HERMITE, LINEAR, HOLD = 0, 1, 2
INTERPOLATIONS = ("hermite", "linear", "hold")


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
