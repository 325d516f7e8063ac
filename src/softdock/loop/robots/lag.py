"""A robot that follows its delayed set-point with a second-order lag: x'' = w^2 (u - x) - 2 zeta w
x', exact for u linear over a step.

A ramp is followed 2 zeta / w [s] late. Rotation likewise, axis by axis in the rotation vector from
the set-point at the start of the step: exact for a fixed axis, and for small angles between robot
and set-point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from softdock.compile.jit import compiled, noinline
from softdock.loop.robots.delay import delay_set_point
from softdock.loop.robots.memory import store_accelerations
from softdock.loop.robots.model import Linear, RobotModel
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.oscillator import free_response
from softdock.loop.spatial.rotations import (
    inverse,
    logarithm,
    normalise,
    product,
    turn_and_rate,
    turned,
)
from softdock.loop.spatial.vectors import add, scale, subtract

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier


@compiled
def _follow(gains, late, dt, x, v, u0, u1):
    """Three axes over one step: position and rate in, position and rate out; the set-point goes
    from u0 to u1."""
    rate = scale(1.0 / dt, subtract(u1, u0))
    behind = scale(late, rate)  # where a ramp would be followed
    e0 = add(subtract(x, u0), behind)
    r0 = subtract(v, rate)
    e1 = add(scale(gains[0], e0), scale(gains[1], r0))
    r1 = add(scale(gains[2], e0), scale(gains[3], r0))
    return add(subtract(u1, behind), e1), add(rate, r1)


@noinline
def follow_with_lag(w, zeta, dt, robot, before: Motion, after: Motion):
    """The mock-up after dt; `before`, `after`: the delayed set-point at both ends of the step."""
    gains = free_response(w, zeta, dt)
    late = 2.0 * zeta / w
    p, v = _follow(gains, late, dt, robot.p, robot.v, before.p, after.p)
    to_set_point = inverse(before.q)
    phi, rate = turn_and_rate(product(to_set_point, robot.q), robot.w)
    phi, rate = _follow(
        gains, late, dt, phi, rate, (0.0, 0.0, 0.0), logarithm(product(to_set_point, after.q))
    )
    q, w = turned(phi, rate)
    return Motion(p, normalise(product(before.q, q)), v, w)


@compiled
def _follow_late(vector, carrier: Carrier, robot, mem, motion: Motion, t0, t1):
    """The mock-up behind its delayed set-point; accelerations are means over the step."""
    arrived = delay_set_point(robot, carrier, mem, t1)
    before = delay_set_point(robot, carrier, mem, t0)
    dt = t1 - t0
    after = follow_with_lag(robot.w, robot.zeta, dt, motion, before, arrived)
    if carrier.heavy:
        store_accelerations(mem, carrier.state, dt, motion, after)
    return after


def _linear(robot: Mapping[str, Any]) -> Linear:
    return Linear(2.0 * math.pi * robot["lag_Hz"], float(robot["lag_damping_ratio"]))


LAG_MODEL = RobotModel("lag", follow=_follow_late, words="lag", linear=_linear)
