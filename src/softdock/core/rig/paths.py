"""Planned ways: from the pose at RSI_ON to the run-up, the run-up itself, and back to rest.

A way from rest to rest is a quintic: position, speed and acceleration are continuous,

    b(u) = u^3 (10 - 15 u + 6 u^2),   largest speed 15/8 d / t,   largest acceleration 5.78 d / t^2

RSI begins at rest and a scenario at speed. The run-up follows the scenario's own motion of t = 0,
coasted backwards, in a time s that starts slowly: s' = b(u) over the ramp, then s' = 1. It is
over at s = 0, where t = 0 of the run is, with the scenario's speed and no acceleration; the robots
then follow as if they had flown for ever, once the stated settling time is longer than their delay.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import Pose
from softdock.core.spatial.rotations import exponential, inverse, logarithm, product
from softdock.core.spatial.vectors import add_scaled, norm, scale, subtract

FASTEST, STRONGEST = 15.0 / 8.0, 10.0 / math.sqrt(3.0)  # of the quintic from rest to rest
SHORTEST_S = 0.1  # of a way that is not zero
NO_WAY_M, NO_TURN_RAD = 1e-9, 1e-9


@compiled
def quintic(u):
    """A quintic from 0 to 1 with u, at rest at both ends."""
    if u <= 0.0:
        return 0.0
    if u >= 1.0:
        return 1.0
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


@compiled
def quintic_area(u):
    """Its integral from 0 to u."""
    if u <= 0.0:
        return 0.0
    if u >= 1.0:
        return 0.5 + (u - 1.0)
    return u * u * u * u * (2.5 + u * (u - 3.0))


@compiled
def run_up_time(tau, ramp, settle):
    """Time of the scenario [s], after `tau` of the run-up: first -(ramp / 2 + settle)."""
    if ramp <= 0.0:
        return tau - settle
    return ramp * (quintic_area(tau / ramp) - 0.5) - settle


@compiled
def run_up_speed(tau, ramp):
    """How fast that time runs: 0 first, 1 after the ramp."""
    return quintic(tau / ramp) if ramp > 0.0 else 1.0


@compiled
def way_time(a, b, speed, rate, acceleration):
    """Duration [s] of a way from pose to pose within speed, rate and acceleration; 0: no way."""
    d, turn = norm(subtract(b.p, a.p)), norm(logarithm(product(inverse(a.q), b.q)))
    if d < NO_WAY_M and turn < NO_TURN_RAD:
        return 0.0
    by_speed = FASTEST * max(d / speed, turn / rate)
    return max(by_speed, math.sqrt(STRONGEST * d / acceleration), SHORTEST_S)


@compiled
def on_way(a, b, u):
    """The pose at a share u of the time."""
    share = quintic(u)
    turn = logarithm(product(inverse(a.q), b.q))
    return Pose(
        add_scaled(a.p, share, subtract(b.p, a.p)), product(a.q, exponential(scale(share, turn)))
    )
