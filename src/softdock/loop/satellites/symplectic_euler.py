"""Symplectic Euler: momentum first, then the pose with the new rate.

Order 1; effective delay 0: a lossless spring gives back what it received (De Stefano eq. 5). A held
force moves the body too far by (T/2) dv, because the new velocity acts over the whole cycle.
Rotation: spatial angular momentum first, then attitude by the exponential of the new rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.spatial.rigid_body import Body, body_rate
from softdock.loop.spatial.rotations import exponential, product, renormalise
from softdock.loop.spatial.vectors import add_scaled, multiply, scale

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Wrench
    from softdock.loop.spatial.rigid_body import BodyParams


@compiled
def symplectic_euler(params: BodyParams, T, body: Body, wrench: Wrench):
    v = add_scaled(
        body.v, T, multiply(params.inverse_mass, wrench.force)
    )  # De Stefano eq. 5, velocity
    p = add_scaled(body.p, T, v)  # De Stefano eq. 5, position with the new velocity
    L = add_scaled(body.L, T, wrench.torque)
    w = body_rate(params, body.q, L)
    return Body(p, renormalise(product(body.q, exponential(scale(T, w)))), v, L)
