"""Parts of a step that both ways of computing the wanted contact share: a body half way through it
without force, and where an impulse brings it."""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.loop.spatial.rotations import exponential, product, renormalise, rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    multiply,
    scale,
    symmetric_times,
)
from softdock.methods.remapping.wanted_contact import is_zero


class HalfWay(NamedTuple):
    """A body in the middle of a cycle without force."""

    q: tuple
    rate: tuple  # world axes, rad/s


@compiled
def _turn(params: BodyParams, dt, q, L, extra):
    """Attitude after dt and a small rotation besides (body axes), and the rate there (body axes):
    the momentum stays, in body axes it turns."""
    L_B = rotate_back(q, L)
    w = symmetric_times(params.inverse_inertia, L_B)
    change = symmetric_times(params.inverse_inertia, cross(L_B, w))
    q = product(q, exponential(add(extra, add_scaled(scale(dt, w), 0.5 * dt * dt, change))))
    return q, add_scaled(w, dt, change)


@compiled
def move_half_way(params: BodyParams, T, body: Body):
    if params.fixed or is_zero(body.L):
        return HalfWay(body.q, (0.0, 0.0, 0.0))
    q, w = _turn(params, 0.5 * T, body.q, body.L, (0.0, 0.0, 0.0))
    return HalfWay(q, rotate(q, w))


@compiled
def arrive(params: BodyParams, T, body: Body, q, impulse: Wrench, moment, extra):
    """A body at the end of a cycle: `q`, its attitude in the middle; `impulse` (force and torque)
    and the force's moment in time; `extra`: rotation besides."""
    if params.fixed:
        return body
    v, L = add(body.v, multiply(params.inverse_mass, impulse.force)), add(body.L, impulse.torque)
    p = add(add_scaled(body.p, T, body.v), multiply(params.inverse_mass, moment))
    if not is_zero(L):
        q = renormalise(_turn(params, 0.5 * T, q, L, extra)[0])
    return Body(p, q, v, L)


@compiled
def add_wrench(a: Wrench, b: Wrench, factor):
    """a + factor b, on one body."""
    return Wrench(add_scaled(a.force, factor, b.force), add_scaled(a.torque, factor, b.torque))
