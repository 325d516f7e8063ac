"""The remaining path of a coordinated robot (`Way`): from where it is to a set-point that moves on,
as a vector in axes of its own.

In: the distance d to the set-point (m, or rad of a rotation vector), velocity and acceleration of
the robot, velocity of the set-point; limits of speed, acceleration and jerk that hold for the
*length* of each vector. Out: a `Way`, the same in three axes that turn with the vectors and not
with the laboratory.

The first axis lies along what takes longest when the robot leaves its set-point: the distance, the
difference of the velocities or the acceleration; the second along the longest of what is left
across it, as soon as that is more than nothing. Both are then kept until the robot is on its
set-point again, so that what was planned stays a plan. Where all vectors lie on one line, so does
the way, and the other two axes have nothing to do. Where they lie in a plane, the third has nothing
to do. Turned vectors give a turned way.

Ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.robots.interception import FLOOR, RESOLUTION
from softdock.loop.spatial.vectors import add, add_scaled, cross, dot, norm, scale, subtract

Three = tuple[float, float, float]
ON_THE_LINE = 1e-9  # of a vector's length: less than this across an axis is rounding
MATTERS = 0.01  # of the time that the first axis takes: from then on the second is kept


class Way(NamedTuple):
    """Along three axes; m and rad alike."""

    first: Three  # the axes, in those of the vectors that were given
    second: Three
    third: Three
    distance: Three  # to the set-point
    velocity: Three
    acceleration: Three
    target_velocity: Three  # no longer than the limit of speed
    limits: Three  # speed, acceleration, jerk: lengths
    resolution: float  # of the distance, below which it counts as none
    planar: bool  # the second axis is worth keeping


@compiled
def times_of(d, u, a, limits):
    """Roughly how long a distance, a difference of velocities and an acceleration take [s]; lengths
    in."""
    _, strongest, jerk = limits
    if jerk == math.inf:
        return math.sqrt(d / strongest), u / strongest, 0.0
    return (
        max((d / jerk) ** (1.0 / 3.0), math.sqrt(d / strongest)),
        max(math.sqrt(u / jerk), u / strongest),
        a / jerk,
    )


@compiled
def _across(axis, x):
    """What is left of a vector across an axis; nothing where it is rounding."""
    left = add_scaled(x, -dot(axis, x), axis)
    if norm(left) <= ON_THE_LINE * norm(x):
        return (0.0, 0.0, 0.0)
    return add_scaled(left, -dot(axis, left), axis)


@compiled
def _along_or(x, other):
    """The direction of x; of `other` where x has none."""
    length = norm(x)
    return scale(1.0 / length, x) if length > 0.0 else other


@compiled
def _square_to(axis):
    """Any direction square to an axis: for what has nothing to do across it."""
    x, y, z = abs(axis[0]), abs(axis[1]), abs(axis[2])
    smallest = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        smallest = (0.0, 1.0, 0.0)
    elif z <= x:
        smallest = (0.0, 0.0, 1.0)
    square = cross(axis, smallest)
    return scale(1.0 / norm(square), square)


@compiled
def _longest(d, u, a, limits):
    """The one of three vectors that takes longest, and how long [s]."""
    t_d, t_u, t_a = times_of(norm(d), norm(u), norm(a), limits)
    longest = d
    if t_u > t_d:
        longest = u
    if t_a > t_d and t_a > t_u:
        longest = a
    return longest, max(t_d, t_u, t_a)


@compiled
def in_axes(first, second, third, x):
    return (dot(first, x), dot(second, x), dot(third, x))


@compiled
def out_of_axes(way, x):
    """A vector along the way's axes in those that it was given in."""
    return add(scale(x[0], way.first), add(scale(x[1], way.second), scale(x[2], way.third)))


@noinline
def way_to(start, velocity, acceleration, target, target_velocity, limits, first, second):
    """The way from `start` to a target that is at `target` now; `first`, `second`: axes that were
    kept, or zeros."""
    speed, _, jerk = limits
    if jerk == math.inf:
        acceleration = (0.0, 0.0, 0.0)  # it may jump: what it was does not matter
    fast = norm(target_velocity)
    if fast > speed:
        target_velocity = scale(speed / fast, target_velocity)
    d, u = subtract(target, start), subtract(target_velocity, velocity)
    longest, time = _longest(d, u, acceleration, limits)
    if norm(first) == 0.0:
        first = _along_or(longest, (1.0, 0.0, 0.0))
    left, time_left = _longest(
        _across(first, d), _across(first, u), _across(first, acceleration), limits
    )
    planar = norm(second) > 0.0
    if not planar:
        planar = time_left > MATTERS * time
        second = _along_or(left, _square_to(first))
    third = cross(first, second)
    return Way(
        first=first,
        second=second,
        third=third,
        distance=in_axes(first, second, third, d),
        velocity=in_axes(first, second, third, velocity),
        acceleration=in_axes(first, second, third, acceleration),
        target_velocity=in_axes(first, second, third, target_velocity),
        limits=limits,
        resolution=RESOLUTION * (norm(start) + norm(target)) + FLOOR,
        planar=planar,
    )
