"""Unit quaternions (w, x, y, z), world from body, and the rotation vectors that step them.

`exponential(phi)` is the rotation by |phi| radians about phi; `logarithm` its inverse, |phi| <= pi.
`right_jacobian` maps the rate of a rotation vector to the angular velocity in body axes: w =
J_r(phi) phi'. Near zero each uses its series, continuous to rounding. No library's sine or cosine:
every machine gives the same bits, and a GPU has no slow path for huge angles in each place.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.vectors import add_scaled, cross, dot

IDENTITY = (1.0, 0.0, 0.0, 0.0)
LARGEST_SQUARED = 1e30  # rad^2; beyond, an attitude has no meaning
S1, S2, S3, S4, S5, S6, S7 = (1.0 / math.factorial(2 * n + 1) for n in range(1, 8))  # of sin(x)/x
C1, C2, C3, C4, C5, C6, C7 = (1.0 / math.factorial(2 * n) for n in range(1, 8))  # of cos(x)
SMALL_SQUARED = 1e-4  # rad^2; below, the series are exact to 1e-16 with the terms kept


@compiled
def product(a, b):
    """Quaternion product: first b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@compiled
def inverse(q):
    return (q[0], -q[1], -q[2], -q[3])


@compiled
def normalise(q):
    factor = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (factor * q[0], factor * q[1], factor * q[2], factor * q[3])


@compiled
def renormalise(q):
    """Back to length one for a quaternion that rounding has led astray: one Newton step, exact to
    rounding within 1e-8 of one."""
    factor = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (factor * q[0], factor * q[1], factor * q[2], factor * q[3])


@compiled
def rotate(q, a):
    """Vector in body axes to world axes."""
    u = (q[1], q[2], q[3])
    t = cross(u, a)
    t = (t[0] + t[0], t[1] + t[1], t[2] + t[2])
    s = cross(u, t)
    return (a[0] + q[0] * t[0] + s[0], a[1] + q[0] * t[1] + s[1], a[2] + q[0] * t[2] + s[2])


@compiled
def rotate_back(q, a):
    """Vector in world axes to body axes."""
    return rotate((q[0], -q[1], -q[2], -q[3]), a)


@compiled
def half_angle(squared):
    """cos(x/2) and sin(x/2)/x, from x^2, by series."""
    if squared < SMALL_SQUARED:
        s = 0.5 - squared * (1.0 / 48.0 - squared * (1.0 / 3840.0 - squared * (1.0 / 645120.0)))
        return 1.0 - squared * (0.125 - squared * (1.0 / 384.0 - squared * (1.0 / 46080.0))), s
    return _long_half_angle(squared)


@noinline
def _long_half_angle(squared):
    """The same for larger angles: of an angle halved until it is at most one, then doubled back,
    its length kept one."""
    squared = min(squared, LARGEST_SQUARED)
    end = squared
    while squared > 1.0:
        squared *= 0.25
    y = 0.25 * squared
    s = 0.5 * (1.0 - y * (S1 - y * (S2 - y * (S3 - y * (S4 - y * (S5 - y * (S6 - y * S7)))))))
    c = 1.0 - y * (C1 - y * (C2 - y * (C3 - y * (C4 - y * (C5 - y * (C6 - y * C7))))))
    while squared < end:  # compares numbers, not a counter: compilers unroll what they can count
        c, s = c * c - s * s * squared, c * s
        squared *= 4.0
        factor = 1.5 - 0.5 * (c * c + s * s * squared)
        c, s = factor * c, factor * s
    return c, s


@compiled
def exponential(phi):
    """Rotation vector [rad] to unit quaternion."""
    c, s = half_angle(dot(phi, phi))
    return (c, s * phi[0], s * phi[1], s * phi[2])


@compiled
def _stretch(w, squared):
    """Angle over the sine of its half, from the cosine and the squared sine of the half, 0 <= w."""
    if squared < 0.25 * SMALL_SQUARED:
        return 2.0 + squared * (
            1.0 / 3.0 + squared * (0.15 + squared * (5.0 / 56.0))
        )  # 2 asin(s)/s as a series in s^2
    return _long_stretch(w, squared)


@noinline
def _long_stretch(w, squared):
    """The same above the short series: halve the angle until that holds. What is no rotation (a
    run that diverged, up to infinity) ends too."""
    squared = min(squared, LARGEST_SQUARED)
    f = 1.0
    while squared >= 0.25 * SMALL_SQUARED:
        w = math.sqrt(0.5 + 0.5 * w)  # cos(x/2) from cos(x)
        half = 0.5 / w
        f *= 2.0 * half  # sin(x) = 2 sin(x/2) cos(x/2)
        squared *= half * half
    return f * (2.0 + squared * (1.0 / 3.0 + squared * (0.15 + squared * (5.0 / 56.0))))


@compiled
def logarithm(q):
    """Unit quaternion to rotation vector [rad], |phi| <= pi."""
    f = math.copysign(_stretch(abs(q[0]), q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), q[0])
    return (f * q[1], f * q[2], f * q[3])


@compiled
def rotation_from_to(q0, q1):
    """Rotation vector in world axes that takes attitude q0 to q1 [rad]."""
    return logarithm(product(q1, inverse(q0)))


@compiled
def _bent(phi, rate, b, c):
    """rate - b phi x rate + c phi x (phi x rate)."""
    first = cross(phi, rate)
    return add_scaled(add_scaled(rate, -b, first), c, cross(phi, first))


@compiled
def _jacobian_factor(squared, cosine, s):
    """(x - sin x)/x^3, from x^2 and the half angle."""
    if squared < SMALL_SQUARED:
        return 1.0 / 6.0 - squared * (1.0 / 120.0 - squared * (1.0 / 5040.0))
    return (1.0 - 2.0 * cosine * s) / squared


@compiled
def _inverse_factor(squared, cot):
    """(1 - cot)/x^2, from x^2 and cot = x/2 cot x/2."""
    if squared < SMALL_SQUARED:
        return 1.0 / 12.0 + squared * (1.0 / 720.0 + squared * (1.0 / 30240.0))
    return (1.0 - cot) / squared


@compiled
def turned(phi, rate):
    """The rotation by phi and its angular velocity in body axes, J_r(phi) phi', for a rotation
    vector and its rate."""
    squared = dot(phi, phi)
    c, s = half_angle(squared)
    return (c, s * phi[0], s * phi[1], s * phi[2]), _bent(
        phi, rate, 2.0 * s * s, _jacobian_factor(squared, c, s)
    )  # (1 - cos x)/x^2 = 2 s^2


@compiled
def right_jacobian(phi, rate):
    """Angular velocity in body axes of the attitude exp(phi(t)): J_r(phi) phi'."""
    return turned(phi, rate)[1]


@compiled
def right_jacobian_inverse(phi, w):
    """Rate of the rotation vector for a body angular velocity: J_r^-1(phi) w."""
    squared = dot(phi, phi)
    cosine, s = half_angle(squared)
    return _bent(phi, w, -0.5, _inverse_factor(squared, 0.5 * cosine / s))


@compiled
def turn_and_rate(q, w):
    """The rotation vector of a quaternion, |phi| <= pi, and its rate for a body angular velocity:
    no sine, no cosine."""
    cosine = abs(q[0])
    f = _stretch(cosine, q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    signed = math.copysign(f, q[0])
    phi = (signed * q[1], signed * q[2], signed * q[3])
    return phi, _bent(phi, w, -0.5, _inverse_factor(dot(phi, phi), 0.5 * cosine * f))
