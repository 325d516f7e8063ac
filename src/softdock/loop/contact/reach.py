"""The kinetic energy that a contact can reach: E = 1/2 v^T L v.

v is the velocity of the chaser's point of contact relative to the target's [m/s, world axes], L the
pair's effective mass there (3 x 3):

    L^-1 = sum over the free bodies of 1/m - [a]x J^-1 [a]x

    a: from the centre of mass to the point of contact

Spin that does not move the point of contact and motion of the common centre of mass are not in it.
It is the scale of energies and of the distance from the reference (docs/verdict.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    multiply,
    norm,
    symmetric_inverse,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair
    from softdock.loop.spatial.motion import Motion
    from softdock.loop.spatial.rigid_body import BodyParams


class Reach(NamedTuple):
    """Of a contact at its first touch."""

    energy: float  # J
    speed: float  # m/s, of the point of contact


@compiled
def _answer(params: BodyParams, q, arm, force):
    """Acceleration of a body's point of contact for a unit force there."""
    turning = symmetric_times(params.inverse_inertia, rotate_back(q, cross(arm, force)))
    return add(multiply(params.inverse_mass, force), cross(rotate(q, turning), arm))


@compiled
def _mobility(params: BodyParams, q, arm):
    """xx, yy, zz, xy, xz, yz [1/kg]; zeros for a body that is fixed."""
    if params.fixed:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    x = _answer(params, q, arm, (1.0, 0.0, 0.0))
    y = _answer(params, q, arm, (0.0, 1.0, 0.0))
    z = _answer(params, q, arm, (0.0, 0.0, 1.0))
    return (x[0], y[1], z[2], x[1], x[2], y[2])


@noinline
def reach_of(
    pair: Pair,
    side,
    latched,
    chaser_params: BodyParams,
    target_params: BodyParams,
    chaser: Motion,
    target: Motion,
):
    """Of one pair at an instant; `side`, `latched`: of its touch (loop/contact/touch.py); `chaser`,
    `target`: motions."""
    arm, from_target, tip = tip_in_target(pair, chaser, target)
    touches = touch_pair(pair, side, latched, tip)
    normal = touches.first.normal
    if touches.second.depth > touches.first.depth:
        normal = touches.second.normal
    inward = rotate(target.q, normal)  # the point is a tip's radius against the normal
    arm = add_scaled(arm, -pair.tip_radius, inward)
    from_target = add_scaled(from_target, -pair.tip_radius, inward)
    v = rotate(target.q, tip_velocity(chaser, target, arm, from_target))
    if chaser_params.fixed and target_params.fixed:
        return Reach(0.0, norm(v))
    a = _mobility(chaser_params, chaser.q, arm)
    b = _mobility(target_params, target.q, from_target)
    both = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])
    return Reach(0.5 * dot(v, symmetric_times(symmetric_inverse(both), v)), norm(v))
