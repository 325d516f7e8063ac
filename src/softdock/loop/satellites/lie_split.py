"""Half a cycle of free flight, the whole wrench at once, half a cycle of free flight: explicit, no
equation is solved by iteration. In translation that is the exact hold.

Rotation: the spatial angular momentum takes the torque, L1 = L0 + T tau, in the attitude of mid
cycle, and there changes the energy by T tau . (w0 + w1) / 2, w0 and w1 the world rates before
and after. Free flight: the rotation vector to third order in time, and then a turn at right angles
to L that brings the energy back to what it was. In that plane the energy is a quadratic in the
tangent of the turn, so the turn stands in closed form; it is about the error of the third order.
Momentum and energy of the free flight are exact.

What is left is the difference between T tau . (w0 + w1) / 2 and the torque times the turn of the
whole cycle, of order T^3: `passive_integrator` with `form = "rigid_body"` takes it off the
set-point. Order 2, effective delay T/2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.satellites.exact_hold import exact_translation
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.rotations import exponential, product, renormalise, rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Wrench
    from softdock.loop.spatial.rigid_body import BodyParams

LONGEST_TURN = 0.25  # rad in one step of the flight
MOST_STEPS = 128


@compiled
def _energy_turn(inverse_inertia, P, twice_energy):
    """The turn [body axes, quaternion] about P x w after which momentum P has the kinetic energy
    `twice_energy` / 2 [J]; none where no such turn exists. With t the tangent of the turn:
    (B - 2H) t^2 - 2 C t + (A - 2H) = 0."""
    w = symmetric_times(inverse_inertia, P)
    axis = cross(P, w)
    length = norm(axis)
    if length <= 0.0:
        return (1.0, 0.0, 0.0, 0.0)  # about a principal axis: the energy is as it was
    axis = scale(1.0 / length, axis)
    u = cross(axis, P)
    C = dot(w, u)
    excess = dot(P, w) - twice_energy
    square = C * C - (dot(u, symmetric_times(inverse_inertia, u)) - twice_energy) * excess
    if not square > 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    t = excess / (C + math.sqrt(square))
    half = t / (1.0 + math.sqrt(1.0 + t * t))  # tangent of half the turn
    s = 1.0 / math.sqrt(1.0 + half * half)
    return (s, s * half * axis[0], s * half * axis[1], s * half * axis[2])


@compiled
def _fly_free(inverse_inertia, h, q, L, twice_energy):
    """The attitude after a flight of h [s] without torque."""
    P = rotate_back(q, L)
    w = symmetric_times(inverse_inertia, P)
    steps = min(max(math.ceil(abs(h) * norm(w) / LONGEST_TURN), 1.0), MOST_STEPS)
    if not math.isfinite(steps):
        return q
    h /= steps
    for _ in range(int(steps)):
        change = cross(P, w)  # Euler's equation in body axes, P' = P x w
        w1 = symmetric_times(inverse_inertia, change)
        w2 = symmetric_times(inverse_inertia, add(cross(change, w), cross(P, w1)))
        phi = add_scaled(scale(h, w), 0.5 * h * h, w1)
        phi = add_scaled(phi, h * h * h / 6.0, add_scaled(w2, 0.5, cross(w, w1)))
        q = renormalise(product(q, exponential(phi)))
        q = renormalise(product(q, _energy_turn(inverse_inertia, rotate_back(q, L), twice_energy)))
        P = rotate_back(q, L)
        w = symmetric_times(inverse_inertia, P)
    return q


@compiled
def _world_rate(inverse_inertia, q, L):
    return rotate(q, symmetric_times(inverse_inertia, rotate_back(q, L)))


@noinline
def lie_split(params: BodyParams, T, body: Body, wrench: Wrench):
    p, v = exact_translation(params, T, body, wrench)
    inverse_inertia, q = params.inverse_inertia, body.q
    twice = dot(body.L, _world_rate(inverse_inertia, q, body.L))
    q = _fly_free(inverse_inertia, 0.5 * T, q, body.L, twice)
    L = add_scaled(body.L, T, wrench.torque)
    rates = add(_world_rate(inverse_inertia, q, body.L), _world_rate(inverse_inertia, q, L))
    twice += T * dot(wrench.torque, rates)
    return Body(p, _fly_free(inverse_inertia, 0.5 * T, q, L, twice), v, L)
