"""Planned ways (from the pose at RSI_ON to the run-up, the run-up, back to rest) and stops.

A way from rest to rest is a quintic: position, speed and acceleration are continuous,

    b(u) = u^3 (10 - 15 u + 6 u^2),   largest speed 15/8 d / t,   largest acceleration 5.78 d / t^2

RSI begins at rest and a scenario at speed. The run-up follows the scenario's own motion of t = 0,
coasted backwards, in a time s that starts slowly: s' = b(u) over the ramp, then s' = 1. It is
over at s = 0, where t = 0 of the run is, with the scenario's speed and no acceleration; the robots
then follow as if they had flown for ever, once the stated settling time is longer than their delay.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Pose
from softdock.loop.spatial.rotations import exponential, inverse, logarithm, normalise, product
from softdock.loop.spatial.vectors import add, add_scaled, norm, scale, subtract

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
def compute_run_up_time(tau, ramp, settle):
    """Time of the scenario [s], after `tau` of the run-up: first -(ramp / 2 + settle)."""
    if ramp <= 0.0:
        return tau - settle
    return ramp * (quintic_area(tau / ramp) - 0.5) - settle


@compiled
def compute_path_duration(a, b, speed, rate, acceleration):
    """Duration [s] of a way from pose to pose within speed, rate and acceleration; 0: no way."""
    d, turn = norm(subtract(b.p, a.p)), norm(logarithm(product(inverse(a.q), b.q)))
    if d < NO_WAY_M and turn < NO_TURN_RAD:
        return 0.0
    by_speed = FASTEST * max(d / speed, turn / rate)
    return max(by_speed, math.sqrt(STRONGEST * d / acceleration), SHORTEST_S)


@compiled
def interpolate_path(a, b, u):
    """The pose at a share u of the time."""
    share = quintic(u)
    turn = logarithm(product(inverse(a.q), b.q))
    return Pose(
        add_scaled(a.p, share, subtract(b.p, a.p)), product(a.q, exponential(scale(share, turn)))
    )


# Coming to rest, backing off, and the last gate.
#
# A stop begins at the last reply, whatever was wanted, with the velocity of the last two replies:
#
#     v <- v - min(a T, |v - v_want|) towards v_want,      p <- p + T (v_old + v_new) / 2
#
# and the rotation likewise; v_want is zero, or on a retreat the stated speed along the force. The
# way to standstill is v^2 / (2 a). Each robot does so at its own telegrams. One that has lost three
# or more stood on its last correction: its stop begins there, at rest.
#
# The last gate knows nothing of states and reasons: a reply further from the last one than the
# speed limit times a cycle, or one that holds anything but numbers, does not leave; the last is
# repeated.

ROUNDING = 1.0 + 1e-12  # a step of exactly the limit is within it


@compiled
def limit_change(v, wanted, most):
    """A velocity that changes by at most `most` towards another."""
    change = subtract(wanted, v)
    size = norm(change)
    return wanted if size <= most else add_scaled(v, most / size, change)


@compiled
def step_stop(pose, v, w, v_wanted, deceleration, turn_deceleration, T):
    """One cycle of a stop: pose, velocity and rate [rad/s, base axes] after it."""
    v_new = limit_change(v, v_wanted, deceleration * T)
    w_new = limit_change(w, (0.0, 0.0, 0.0), turn_deceleration * T)
    p = add_scaled(pose.p, 0.5 * T, add(v, v_new))
    turn = exponential(scale(0.5 * T, add(w, w_new)))
    return Pose(p, normalise(product(turn, pose.q))), v_new, w_new


@compiled
def measure_step(a, b):
    """Way [m] and angle [rad] from one pose to another."""
    return norm(subtract(b.p, a.p)), norm(logarithm(product(b.q, inverse(a.q))))


@compiled
def is_finite_pose(pose):
    """Whether all seven numbers of a pose are finite."""
    return (
        math.isfinite(pose.p[0])
        and math.isfinite(pose.p[1])
        and math.isfinite(pose.p[2])
        and math.isfinite(pose.q[0])
        and math.isfinite(pose.q[1])
        and math.isfinite(pose.q[2])
        and math.isfinite(pose.q[3])
    )


@compiled
def is_step_allowed(way, angle, speed, rate, T):
    """The last gate: whether a reply may be so far from the one before. NaN does not pass."""
    return way <= ROUNDING * speed * T and angle <= ROUNDING * rate * T
