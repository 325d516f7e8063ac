"""Forward (explicit) Euler: the pose with the old rate, then momentum.

Order 1; effective delay T: the wrench of a cycle moves the body only in the next one. Offered
because it is what many rigs run; it adds energy in every contact.
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
def forward_euler(params: BodyParams, T, body: Body, wrench: Wrench):
    p = add_scaled(body.p, T, body.v)
    w = body_rate(params, body.q, body.L)
    q = renormalise(product(body.q, exponential(scale(T, w))))
    v = add_scaled(body.v, T, multiply(params.inverse_mass, wrench.force))
    return Body(p, q, v, add_scaled(body.L, T, wrench.torque))
