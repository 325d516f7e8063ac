"""Energy-conserving Lie midpoint: the full rigid body with an exact balance at its port. Exact hold
in translation.

Rotation: the spatial angular momentum takes the torque, L1 = L0 + T tau, and the attitude turns by
phi = T w, w = J^-1 (P0 + P1) / 2, where P0, P1 are the momenta at both ends in the body's axes of
that end. A turn about w leaves w . P alone, so

    gain of energy = w . (P1 - P0) = tau . (turn in world axes),

to the solver's last digits: zero without torque, the torque's work with it. Momentum is exact, the
rule is its own mirror in time, order 2. Nothing is left to correct and nothing to carry over. (A
plain midpoint with an energy correction of the attitude must keep it small and at right angles to
the torque, or it diverges.) Cycles in which the body turns far are cut into steps, each with its
own balance. Effective delay T/2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.satellites.exact_hold import exact_translation
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.rotations import exponential, product, renormalise, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Wrench
    from softdock.loop.spatial.rigid_body import BodyParams

LONGEST_TURN = 0.25  # rad in one step
MOST_STEPS = 256
MOST_ITERATIONS = 12
CONVERGED_SQUARED = 1e-32  # relative to the turn squared: below its last bit


@compiled
def _newton_column(inverse_inertia, T, P1, phi, e):
    """One column of the equation's derivative: d(phi - T/2 J^-1 (P0 + P1)) along e. The turn's
    Jacobian to second order: enough for short turns."""
    first = cross(phi, e)
    moved = add_scaled(add_scaled(e, -0.5, first), 1.0 / 6.0, cross(phi, first))
    return add_scaled(e, -0.5 * T, symmetric_times(inverse_inertia, cross(P1, moved)))


@compiled
def _turn(inverse_inertia, T, P0, P_end):
    """The turn phi [rad, body axes] over T; momenta at start and end in the body axes of the
    start."""
    w = symmetric_times(inverse_inertia, scale(0.5, add(P0, P_end)))
    phi = scale(T, w)
    for _ in range(MOST_ITERATIONS):
        P1 = rotate_back(exponential(phi), P_end)
        residual = add_scaled(phi, -0.5 * T, symmetric_times(inverse_inertia, add(P0, P1)))
        a = _newton_column(inverse_inertia, T, P1, phi, (1.0, 0.0, 0.0))
        b = _newton_column(inverse_inertia, T, P1, phi, (0.0, 1.0, 0.0))
        c = _newton_column(inverse_inertia, T, P1, phi, (0.0, 0.0, 1.0))
        bc = cross(b, c)
        volume = dot(a, bc)
        change = (
            dot(residual, bc) / volume,
            dot(residual, cross(c, a)) / volume,
            dot(residual, cross(a, b)) / volume,
        )
        phi = subtract(phi, change)
        if dot(change, change) <= CONVERGED_SQUARED * dot(phi, phi):
            break
    return phi


@noinline
def lie_midpoint(params: BodyParams, T, body: Body, wrench: Wrench):
    p, v = exact_translation(params, T, body, wrench)
    L_end = add_scaled(body.L, T, wrench.torque)
    fastest = max(
        norm(symmetric_times(params.inverse_inertia, rotate_back(body.q, body.L))),
        norm(symmetric_times(params.inverse_inertia, rotate_back(body.q, L_end))),
    )
    turn = abs(T) * fastest
    steps = int(min(max(math.ceil(turn / LONGEST_TURN), 1.0), MOST_STEPS)) if turn < math.inf else 1
    h = T / steps
    q, L = body.q, body.L
    for _ in range(steps):
        after = add_scaled(L, h, wrench.torque)
        phi = _turn(params.inverse_inertia, h, rotate_back(q, L), rotate_back(q, after))
        q, L = renormalise(product(q, exponential(phi))), after
    return Body(p, q, v, L_end)
