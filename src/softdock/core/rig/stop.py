"""Coming to rest, backing off, and the last gate.

A stop begins at the last reply, whatever was wanted, with the velocity of the last two replies:

    v <- v - min(a T, |v - v_want|) towards v_want,      p <- p + T (v_old + v_new) / 2

and the rotation likewise; v_want is zero, or on a retreat the stated speed along the force. The way
to standstill is v^2 / (2 a). Each robot does so at its own telegrams. One that has lost three or
more stood on its last correction: its stop begins there, at rest.

The last gate knows nothing of states and reasons: a reply further from the last one than the speed
limit times a cycle, or one that holds anything but numbers, does not leave; the last is repeated.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import Pose
from softdock.core.spatial.rotations import exponential, inverse, logarithm, normalise, product
from softdock.core.spatial.vectors import add, add_scaled, norm, scale, subtract

ROUNDING = 1.0 + 1e-12  # a step of exactly the limit is within it


@compiled
def towards(v, wanted, most):
    """A velocity that changes by at most `most` towards another."""
    change = subtract(wanted, v)
    size = norm(change)
    return wanted if size <= most else add_scaled(v, most / size, change)


@compiled
def stopping(pose, v, w, v_wanted, deceleration, turn_deceleration, T):
    """One cycle of a stop: pose, velocity and rate [rad/s, base axes] after it."""
    v_new = towards(v, v_wanted, deceleration * T)
    w_new = towards(w, (0.0, 0.0, 0.0), turn_deceleration * T)
    p = add_scaled(pose.p, 0.5 * T, add(v, v_new))
    turn = exponential(scale(0.5 * T, add(w, w_new)))
    return Pose(p, normalise(product(turn, pose.q))), v_new, w_new


@compiled
def step_between(a, b):
    """Way [m] and angle [rad] from one pose to another."""
    return norm(subtract(b.p, a.p)), norm(logarithm(product(b.q, inverse(a.q))))


@compiled
def is_number(pose):
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
def passes(way, angle, speed, rate, T):
    """The last gate: whether a reply may be so far from the one before. NaN does not pass."""
    return way <= ROUNDING * speed * T and angle <= ROUNDING * rate * T
