"""Exact zero-order hold in translation, with the Lie midpoint rule in rotation.

The wrench is constant over the cycle, so the translation is exact: no drift under a held force.
Rotation: the implicit midpoint on the attitude, w = J^-1 R(q_mid)^T (L + T tau/2), solved by
fixed-point iteration (it contracts by about T |w| / 2 a time). Order 2 in rotation, exact in
translation; effective delay T/2, because the held force is on average half a cycle old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.rotations import exponential, product, renormalise, rotate_back
from softdock.loop.spatial.vectors import (
    add_scaled,
    cross,
    dot,
    multiply,
    scale,
    subtract,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Wrench
    from softdock.loop.spatial.rigid_body import BodyParams

MOST_ITERATIONS = 12
CONVERGED_SQUARED = 1e-32  # relative to |w|^2: below the last bit of the rate
# a change shrinks at least by this times T |w| in an iteration (bodies obey the triangle
# inequality)
CONTRACTION = 4.0


@compiled
def exact_translation(params: BodyParams, T, body: Body, wrench: Wrench):
    """Position and velocity after T under a constant force."""
    acceleration = multiply(params.inverse_mass, wrench.force)
    v = add_scaled(body.v, T, acceleration)
    return add_scaled(add_scaled(body.p, T, body.v), 0.5 * T * T, acceleration), v


@compiled
def exact_hold(params: BodyParams, T, body: Body, wrench: Wrench):
    p, v = exact_translation(params, T, body, wrench)
    L_mid = add_scaled(body.L, 0.5 * T, wrench.torque)
    L_B = rotate_back(
        body.q,
        L_mid,
        # the attitude moves, the momentum stays: in body axes of the start, only the turn of half a
        # cycle remains
    )
    w = symmetric_times(params.inverse_inertia, L_B)
    w = symmetric_times(
        params.inverse_inertia, add_scaled(L_B, 0.5 * T, cross(L_B, w))
    )  # the turn of half a cycle to first order: a good start
    for _ in range(MOST_ITERATIONS):
        new = symmetric_times(
            params.inverse_inertia, rotate_back(exponential(scale(0.5 * T, w)), L_B)
        )
        change = subtract(new, w)
        w = new
        squared = dot(w, w)
        shrink = CONTRACTION * CONTRACTION * T * T * squared
        if dot(change, change) * min(shrink, 1.0) <= CONVERGED_SQUARED * squared:
            break  # the next change would be lost in rounding
    q = renormalise(product(body.q, exponential(scale(T, w))))
    return Body(p, q, v, add_scaled(body.L, T, wrench.torque))
