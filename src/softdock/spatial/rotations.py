"""Unit quaternions (w, x, y, z), world from body, and the rotation vectors that step them.

`exponential(phi)` is the rotation by |phi| radians about phi; `logarithm` its inverse, |phi| <= pi. `right_jacobian` maps the rate
of a rotation vector to the angular velocity in body axes: w = J_r(phi) phi'. Near zero each uses its series, continuous to rounding.
"""

from __future__ import annotations

import math

from softdock.compiled import apart, compiled
from softdock.spatial.vectors import add_scaled, cross, dot

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
    """Back to length one for a quaternion that rounding has led astray: one Newton step, exact to rounding within 1e-8 of one."""
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
def exponential(phi):
    """Rotation vector [rad] to unit quaternion. Sine and cosine as series, no library function: every machine gives the same bits."""
    squared = dot(phi, phi)
    if squared < SMALL_SQUARED:
        s = 0.5 - squared * (1.0 / 48.0 - squared * (1.0 / 3840.0 - squared / 645120.0))  # sin(x/2)/x
        c = 1.0 - squared * (0.125 - squared * (1.0 / 384.0 - squared / 46080.0))  # cos(x/2)
        return (c, s * phi[0], s * phi[1], s * phi[2])
    halvings = 0.0
    squared = min(squared, LARGEST_SQUARED)
    part = 0.5
    while squared > 1.0:
        squared *= 0.25
        part *= 0.5
        halvings += 1.0
    y = 0.25 * squared
    s = part * (1.0 - y * (S1 - y * (S2 - y * (S3 - y * (S4 - y * (S5 - y * (S6 - y * S7)))))))
    c = 1.0 - y * (C1 - y * (C2 - y * (C3 - y * (C4 - y * (C5 - y * (C6 - y * C7))))))
    q = (c, s * phi[0], s * phi[1], s * phi[2])
    while halvings > 0.0:
        q = renormalise(product(q, q))
        halvings -= 1.0
    return q


@compiled
def logarithm(q):
    """Unit quaternion to rotation vector [rad], |phi| <= pi."""
    sign = 1.0
    if q[0] < 0.0:
        sign = -1.0
    w = sign * q[0]
    squared = q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if squared < 0.25 * SMALL_SQUARED:
        # 2 asin(s)/s as a series in s^2
        f = 2.0 + squared * (1.0 / 3.0 + squared * (0.15 + squared * (5.0 / 56.0)))
    else:
        f = _long_logarithm(w, squared)
    f = f * sign
    return (f * q[1], f * q[2], f * q[3])


@apart
def _long_logarithm(w, squared):
    """Angle over its half's sine, above the short series: halve the angle until that holds."""
    f = 1.0
    while squared >= 0.25 * SMALL_SQUARED:
        w = math.sqrt(0.5 + 0.5 * w)  # cos(x/2) from cos(x)
        half = 0.5 / w
        f *= 2.0 * half  # sin(x) = 2 sin(x/2) cos(x/2)
        squared *= half * half
    return f * (2.0 + squared * (1.0 / 3.0 + squared * (0.15 + squared * (5.0 / 56.0))))


@compiled
def rotation_from_to(q0, q1):
    """Rotation vector in world axes that takes attitude q0 to q1 [rad]."""
    return logarithm(product(q1, inverse(q0)))


@compiled
def right_jacobian(phi, rate):
    """Angular velocity in body axes of the attitude exp(phi(t)): J_r(phi) phi'."""
    squared = dot(phi, phi)
    if squared < SMALL_SQUARED:
        b = 0.5 - squared * (1.0 / 24.0 - squared / 720.0)
        c = 1.0 / 6.0 - squared * (1.0 / 120.0 - squared / 5040.0)
    else:
        angle = math.sqrt(squared)
        b = (1.0 - math.cos(angle)) / squared
        c = (angle - math.sin(angle)) / (squared * angle)
    first = cross(phi, rate)
    return add_scaled(add_scaled(rate, -b, first), c, cross(phi, first))


@compiled
def right_jacobian_inverse(phi, w):
    """Rate of the rotation vector for a body angular velocity: J_r^-1(phi) w."""
    squared = dot(phi, phi)
    if squared < SMALL_SQUARED:
        c = 1.0 / 12.0 + squared * (1.0 / 720.0 + squared / 30240.0)
    else:
        half = 0.5 * math.sqrt(squared)
        c = (1.0 - half * math.cos(half) / math.sin(half)) / squared
    first = cross(phi, w)
    return add_scaled(add_scaled(w, 0.5, first), c, cross(phi, first))
