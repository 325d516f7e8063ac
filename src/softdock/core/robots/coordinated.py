"""Axes that are planned together: all six arrive at the set-point at the same instant, and limits
hold for the length of velocity, acceleration and jerk.

In the loop: beside the independent axes of limited.py, whose limits hold for each axis of the
laboratory and which arrive one after the other, so that such a robot does another motion when
everything is turned. This one does the same motion, turned: translation in axes of its own way
(remaining_path.py), rotation likewise in the rotation vector from the robot's attitude, limits
shared out among them (shares.py). What moves on a line stays on that line, and is there as soon as
an independent axis along it would be. In and out: as in limited.py; SI, world axes, rates in body
axes.

An acceleration that is within its length but beyond an axis's share is led back at a constant jerk
over the step, to the nearest point of the sphere of allowed ones.

Whose: what is wanted is the path-accurate generation of Lange and Albu-Schaeffer (RA-L 2016,
reference [14] of Lange's hard impacts), of which no formula is public to us; shares and axes are
ours. Not theirs: the robot heads for where the set-point is, and does not go back to a bend that
the set-point made before. Not validated: that any robot's interpolator behaves so.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import apart, compiled
from softdock.core.robots.interception import advance_profile
from softdock.core.robots.memory import ROBOT_STATE, WAY
from softdock.core.robots.remaining_path import out_of_axes, way_to
from softdock.core.robots.shares import axis_profile, share_limits
from softdock.core.spatial.motion import Motion
from softdock.core.spatial.rotations import (
    inverse,
    normalise,
    product,
    right_jacobian,
    turn_and_rate,
    turned,
)
from softdock.core.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    load3,
    norm,
    scale,
    store3,
    subtract,
)

AT, KEPT = ROBOT_STATE.at, WAY.at
KEPT_FLOATS = WAY.size
BEYOND = 1e-9  # of an axis's share: what rounding may put beyond it


@apart
def _advance(way, shares, dt):
    """Place, velocity and acceleration along the way's axes after dt."""
    x0, v0, a0 = advance_profile(
        axis_profile(way, 0, shares[0]), 0.0, way.velocity[0], way.acceleration[0], dt
    )
    x1, v1, a1 = advance_profile(
        axis_profile(way, 1, shares[1]), 0.0, way.velocity[1], way.acceleration[1], dt
    )
    x2, v2, a2 = advance_profile(
        axis_profile(way, 2, shares[2]), 0.0, way.velocity[2], way.acceleration[2], dt
    )
    _, strongest, jerk = way.limits
    if jerk < math.inf and _beyond(way.acceleration, shares, strongest):
        return _at_constant_jerk(way, (a0, a1, a2), strongest, dt)
    return (x0, x1, x2), (v0, v1, v2), (a0, a1, a2)


@compiled
def _beyond(acceleration, shares, strongest):
    """Whether an acceleration is beyond the share of an axis."""
    beyond = False
    for k in range(3):
        if abs(acceleration[k]) > (1.0 + BEYOND) * shares[k] * strongest:
            beyond = True
    return beyond


@compiled
def _at_constant_jerk(way, after, strongest, dt):
    """To the nearest acceleration within the limit. From within the limit the way there is straight
    and no longer than that to `after`: it keeps both limits."""
    length = norm(after)
    if length > strongest:
        after = scale(strongest / length, after)
    before = way.acceleration
    jerk = scale(1.0 / dt, subtract(after, before))
    v = add_scaled(add_scaled(way.velocity, dt, before), 0.5 * dt * dt, jerk)
    x = add_scaled(scale(dt, way.velocity), 0.5 * dt * dt, before)
    return add_scaled(x, dt * dt * dt / 6.0, jerk), v, after


@compiled
def _way(mem, at, start, velocity, acceleration, target, target_velocity, limits):
    return way_to(
        start,
        velocity,
        acceleration,
        target,
        target_velocity,
        limits,
        first=load3(mem, at + KEPT.first),
        second=load3(mem, at + KEPT.second),
    )


@compiled
def _keep(mem, at, way, shares, expected):
    """A way's axes and shares for the next step."""
    store3(mem, at + KEPT.first, way.first)
    store3(mem, at + KEPT.second, way.second if way.planar else ZERO)
    store3(mem, at + KEPT.shares, shares)
    mem[at + KEPT.expected] = expected


@compiled
def _forget(mem, at):
    for k in range(at, at + KEPT_FLOATS):
        mem[k] = 0.0


@compiled
def follow_together(limits, dt, mem, at, robot, set_point):
    """The mock-up after dt; `set_point`: where the delayed set-point is at the end of the step.
    Accelerations and the way are kept in `mem` at `at` (memory.py)."""
    axes, turning_axes = at + AT.axes, at + AT.turns
    acceleration, turning = load3(mem, at + AT.acceleration), load3(mem, at + AT.turning)
    now = add_scaled(set_point.p, -dt, set_point.v)
    way = _way(
        mem,
        at=axes,
        start=robot.p,
        velocity=robot.v,
        acceleration=acceleration,
        target=now,
        target_velocity=set_point.v,
        limits=limits[:3],
    )
    phi, rate = turn_and_rate(product(inverse(robot.q), set_point.q), set_point.w)
    ahead = add_scaled(phi, -dt, rate)
    turn = _way(
        mem,
        at=turning_axes,
        start=ZERO,
        velocity=robot.w,
        acceleration=turning,
        target=ahead,
        target_velocity=rate,
        limits=limits[3:],
    )
    shares, turns, latest, arrives = share_limits(
        way,
        turn,
        dt,
        load3(mem, axes + KEPT.shares),
        load3(mem, turning_axes + KEPT.shares),
        mem[axes + KEPT.expected],
    )
    if arrives and norm(set_point.v) <= limits[0] and norm(rate) <= limits[3]:
        _forget(mem, axes)
        _forget(mem, turning_axes)
        store3(mem, at + AT.acceleration, ZERO)
        store3(mem, at + AT.turning, ZERO)
        return set_point
    _keep(mem, axes, way, shares, max(latest - dt, 0.0))
    _keep(mem, turning_axes, turn, turns, max(latest - dt, 0.0))
    x, v, a = _advance(way, shares, dt)
    store3(mem, at + AT.acceleration, out_of_axes(way, a))
    x_turn, v_turn, a_turn = _advance(turn, turns, dt)
    phi = out_of_axes(turn, x_turn)
    store3(mem, at + AT.turning, right_jacobian(phi, out_of_axes(turn, a_turn)))
    q, w = turned(phi, out_of_axes(turn, v_turn))
    p = add(robot.p, out_of_axes(way, x))
    return Motion(p, normalise(product(robot.q, q)), out_of_axes(way, v), w)
