"""Runge-Kutta-Munthe-Kaas of order 4 on the rotation group, exact hold in translation.

The spatial angular momentum under a held torque is linear in time and exact; only the attitude is
integrated, in the rotation vector phi from the attitude at the start of the cycle: phi' =
J_r^-1(phi) w(phi, t). Order 4 in rotation; effective delay T/2 (the hold).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.satellites.exact_hold import exact_translation
from softdock.loop.spatial.rigid_body import Body, body_rate
from softdock.loop.spatial.rotations import (
    exponential,
    product,
    renormalise,
    right_jacobian_inverse,
)
from softdock.loop.spatial.vectors import add, add_scaled, scale

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Wrench
    from softdock.loop.spatial.rigid_body import BodyParams


@compiled
def _rotation_rate(params: BodyParams, q, phi, L):
    w = body_rate(params, product(q, exponential(phi)), L)
    return right_jacobian_inverse(phi, w)


@noinline
def lie_rk4(params: BodyParams, T, body: Body, wrench: Wrench):
    p, v = exact_translation(params, T, body, wrench)
    L_mid = add_scaled(body.L, 0.5 * T, wrench.torque)
    L_end = add_scaled(body.L, T, wrench.torque)
    k1 = body_rate(params, body.q, body.L)
    k2 = _rotation_rate(params, body.q, scale(0.5 * T, k1), L_mid)
    k3 = _rotation_rate(params, body.q, scale(0.5 * T, k2), L_mid)
    k4 = _rotation_rate(params, body.q, scale(T, k3), L_end)
    phi = scale(T / 6.0, add(add_scaled(k1, 2.0, add(k2, k3)), k4))
    return Body(p, renormalise(product(body.q, exponential(phi))), v, L_end)
