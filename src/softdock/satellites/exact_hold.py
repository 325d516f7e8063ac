"""Exact zero-order hold in translation, with the Lie midpoint rule in rotation.

The wrench is constant over the cycle, so the translation is exact: no drift under a held force. Rotation: the implicit midpoint on the
attitude, w = J^-1 R(q_mid)^T (L + T tau/2), solved by fixed-point iteration (it contracts by about T |w| / 2 a time). Order 2 in rotation,
exact in translation; effective delay T/2, because the held force is on average half a cycle old.
"""

from __future__ import annotations

from softdock.compiled import compiled
from softdock.spatial.rigid_body import Body, body_rate
from softdock.spatial.rotations import exponential, normalise, product
from softdock.spatial.vectors import add_scaled, dot, multiply, scale, subtract

MOST_ITERATIONS = 12
CONVERGED_SQUARED = 1e-32  # relative to |w|^2: the last bit of the rate


@compiled
def exact_translation(params, T, body, wrench):
    """Position and velocity after T under a constant force."""
    acceleration = multiply(params.inverse_mass, wrench.force)
    v = add_scaled(body.v, T, acceleration)
    return add_scaled(add_scaled(body.p, T, body.v), 0.5 * T * T, acceleration), v


@compiled
def exact_hold(params, T, body, wrench):
    p, v = exact_translation(params, T, body, wrench)
    L_mid = add_scaled(body.L, 0.5 * T, wrench.torque)
    w = body_rate(params, body.q, L_mid)
    for _ in range(MOST_ITERATIONS):
        q_mid = product(body.q, exponential(scale(0.5 * T, w)))
        new = body_rate(params, q_mid, L_mid)
        change = subtract(new, w)
        w = new
        if dot(change, change) <= CONVERGED_SQUARED * dot(w, w):
            break
    q = normalise(product(body.q, exponential(scale(T, w))))
    return Body(p, q, v, add_scaled(body.L, T, wrench.torque))
