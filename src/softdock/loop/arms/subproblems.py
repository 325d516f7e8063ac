"""Two small problems that every closed-form inverse here is made of, after Paden and Kahan.

An angle stays a pair (cosine, sine) until the end: turning a vector then needs no sine, and one
arc tangent a joint is all that an inverse costs. Unit vectors k; the rest may have any length.

    onto:   R(k, angle) a = b, as near as it comes
    level:  h . R(k, angle) a = d: two solutions, apart by a sign; none if d is beyond the circle
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.spatial.vectors import cross, dot

TINY = 1e-300  # keeps 0/0 out: lengths here are squares of metres


class Turn(NamedTuple):
    """An angle as its cosine and sine."""

    c: float
    s: float


class Level(NamedTuple):
    """A solution of `level`: the turn, the radius of the circle and what is left under the root."""

    turn: Turn
    radius: float  # of the circle on which h . R a runs
    room: float  # radius^2 - d^2, d from the circle's middle; negative: out of reach


@compiled
def turned(k, turn: Turn, a):
    """R(k, angle) a."""
    along = (1.0 - turn.c) * dot(k, a)
    side = cross(k, a)
    return (
        turn.c * a[0] + turn.s * side[0] + along * k[0],
        turn.c * a[1] + turn.s * side[1] + along * k[1],
        turn.c * a[2] + turn.s * side[2] + along * k[2],
    )


@compiled
def turned_back(k, turn: Turn, a):
    """R(k, -angle) a."""
    return turned(k, Turn(turn.c, -turn.s), a)


@compiled
def onto(k, a, b):
    """The turn about k that brings a as near to b as it comes."""
    x = dot(a, b) - dot(k, a) * dot(k, b)
    y = dot(k, cross(a, b))
    n = math.sqrt(x * x + y * y)
    if n < TINY:
        return Turn(1.0, 0.0)
    return Turn(x / n, y / n)


@compiled
def level(h, k, a, d, sign):
    """The turn with h . R(k, angle) a = d on the side of `sign` (+1 or -1).

    Where there is none, the turn that comes nearest, and `room` is negative.
    """
    along = dot(h, k) * dot(k, a)
    A = dot(h, a) - along
    B = dot(h, cross(k, a))
    e = d - along
    squared = A * A + B * B
    radius = math.sqrt(squared)
    room = squared - e * e
    if squared < TINY:
        return Level(Turn(1.0, 0.0), radius, -e * e)
    if room <= 0.0:
        side = math.copysign(1.0, e) / radius
        return Level(Turn(side * A, side * B), radius, room)
    root = sign * math.sqrt(room)
    return Level(Turn((A * e - B * root) / squared, (B * e + A * root) / squared), radius, room)


@compiled
def side_of(h, k, a, turn: Turn):
    """Which sign of `level` gives this turn: -1 or +1."""
    return -math.copysign(1.0, dot(h, turned(k, turn, cross(k, a))))


@compiled
def half_difference(u, a, b):
    """(|u|^2 - |a|^2 - |b|^2) / 2: the a . R b for which a + R b is as long as u."""
    return 0.5 * (dot(u, u) - dot(a, a) - dot(b, b))


@compiled
def angle_of(turn: Turn):
    return math.atan2(turn.s, turn.c)


@compiled
def perpendicular(k):
    """Some vector across a unit vector, at least 0.6 long."""
    if abs(k[0]) < 0.6:
        return (0.0, k[2], -k[1])
    return (-k[2], 0.0, k[0])
