"""The paper's future work: the full rigid body. Observer and variable damper in all six axes of a
set-point that follows the explicit integrator `lie_split`.

The port is the set-point's own motion under the held wrench: force times displacement by axis, and
torque times the turn (rotation vector, world axes). Each cycle the observer adds that work less
what the body gained. The damper takes out of the motion along the wrench what the port gave too
much, and adds what it took too much:

    v_pc = E_obs / (T F) by axis,   w_pc = E_obs tau / (T |tau|^2)
    x_c(k) = x_c(k-1) + dx - T v_pc,   q_c(k) = exp(turn - T w_pc) q_c(k-1)

so the port is lossless to rounding after every cycle, whatever the wrench. No small torque makes a
large correction: E_obs is itself the torque times the integrator's error of order T^3, and w_pc is
that error's part along the torque. The damper is bounded all the same, by half of the cycle's
change of velocity; what it could not take is carried over.
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rigid_body import Body, BodyParams, body_rate
from softdock.loop.spatial.rotations import (
    exponential,
    product,
    renormalise,
    rotate,
    rotate_back,
    rotation_from_to,
)
from softdock.loop.spatial.vectors import add, add_scaled, dot, norm, scale, subtract


@compiled
def _damp_axis(s, i, T, smallest, mass, moved, v0, v1):
    """v_pc of one axis of translation [m/s]; `moved` [m] under the force that took v0 to v1."""
    force = mass * (v1 - v0) / T
    observed = s.observed[i] + force * (moved - 0.5 * T * (v0 + v1))  # De Stefano eq. 16, dE exact
    v_pc = 0.0
    if abs(force) >= smallest:
        most = 0.5 * abs(v1 - v0)
        # De Stefano eqs. 17 and 18, of either sign
        v_pc = max(-most, min(most, observed / (T * force)))
    s.observed[i] = observed - T * force * v_pc
    s.correction[i] = v_pc
    s.force[i] = force
    s.largest_force[i] = max(s.largest_force[i], abs(force))
    s.bound[i] = max(s.bound[i], 0.5 * abs(v1 - v0))
    s.work[i if i < 3 else i + 3] += -T * force * v_pc
    return v_pc


@compiled
def _damp_turn(s, which, T, smallest, params: BodyParams, before: Body, after: Body):
    """The turn of the cycle [rad] and w_pc [rad/s], world axes."""
    w0 = rotate(before.q, body_rate(params, before.q, before.L))
    w1 = rotate(after.q, body_rate(params, after.q, after.L))
    impulse = subtract(after.L, before.L)  # T tau
    turn = rotation_from_to(before.q, after.q)
    gain = 0.5 * (dot(w1, after.L) - dot(w0, before.L))
    observed = s.observed_turning[which] + dot(impulse, turn) / T - gain
    w_pc, size = (0.0, 0.0, 0.0), norm(impulse)
    if size >= T * smallest:
        w_pc = scale(observed / (size * size), impulse)
        asked, most = norm(w_pc), 0.5 * norm(subtract(w1, w0))
        if asked > most:
            w_pc = scale(most / asked, w_pc)
        observed -= dot(impulse, w_pc)
    s.observed_turning[which] = observed
    for i in range(3):
        s.turn_correction[3 * which + i] = w_pc[i]
        s.work[6 * which + 3 + i] -= impulse[i] * w_pc[i]
    return turn, w_pc


@compiled
def correct_rigid_body(
    s,
    which,
    first,
    T,
    t,
    smallest,
    params: BodyParams,
    before: Body,
    after: Body,
    motion: Motion,
):
    """One body's set-point. `s`: the state of the method; `smallest` [N and Nm]."""
    if params.fixed:
        return motion
    at = 3 * which
    if first:
        s.position[which] = before.p
        s.attitude[which] = before.q
    moved = subtract(after.p, before.p)
    for i in range(3):
        v_pc = _damp_axis(s, at + i, T, smallest, params.mass[i], moved[i], before.v[i], after.v[i])
        if abs(v_pc) > s.largest[at + i]:
            s.largest[at + i] = abs(v_pc)
            s.largest_at[at + i] = t
    v_pc = (s.correction[at], s.correction[at + 1], s.correction[at + 2])
    turn, w_pc = _damp_turn(s, which, T, smallest, params, before, after)
    s.largest_turning[which] = max(s.largest_turning[which], norm(w_pc))
    p = add_scaled(add(s.position[which], moved), -T, v_pc)
    q = renormalise(product(exponential(add_scaled(turn, -T, w_pc)), s.attitude[which]))
    s.position[which] = p
    s.attitude[which] = q
    return Motion(
        p,
        q,
        subtract(motion.v, v_pc),  # De Stefano eq. 19
        subtract(motion.w, rotate_back(after.q, w_pc)),
    )
