"""A rigid body under wrenches that are held for a cycle each, compiled. The damper is that of the
method in the loop."""

from __future__ import annotations

from softdock.compile.jit import entry_point
from softdock.loop.satellites import integrate
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import kinetic_energy, motion_of
from softdock.loop.spatial.rotations import rotation_from_to
from softdock.loop.spatial.vectors import dot, subtract, symmetric_inverse
from softdock.methods.passive_integrator.method import STATE
from softdock.methods.passive_integrator.rigid_body import correct_rigid_body

SMALLEST = 1e-9  # N and Nm, as the method's default
# columns of a row: set-point, J of the state, J at the port, w_pc, attitude of the state
POSE, ENERGY, PORT, TURN_CORRECTION, ATTITUDE = slice(0, 7), 7, 8, slice(9, 12), slice(12, 16)

invert = entry_point(symmetric_inverse)


@entry_point
def drive(integrator, damped, params, T, body, wrenches, mem, rows):
    """The body under wrenches that are held for a cycle each; the rows of a flight."""
    s, motion, work = STATE(mem, 0), motion_of(params, body), 0.0
    for k in range(wrenches.shape[0] + 1):
        p, q = motion.p, motion.q
        for i in range(3):
            rows[k, i] = p[i]
        for i in range(4):
            rows[k, 3 + i] = q[i]
            rows[k, 12 + i] = body.q[i]
        rows[k, ENERGY] = kinetic_energy(params, body)
        rows[k, PORT] = work
        if k == wrenches.shape[0]:
            break
        w = wrenches[k]
        held = Wrench((w[0], w[1], w[2]), (w[3], w[4], w[5]))
        after = integrate(integrator, params, T, body, held)
        motion = motion_of(params, after)
        if damped:
            motion = correct_rigid_body(
                s,
                0,
                first=k == 0,
                T=T,
                t=(k + 1) * T,
                smallest=SMALLEST,
                params=params,
                before=body,
                after=after,
                motion=motion,
            )
            for i in range(3):
                rows[k + 1, 9 + i] = s.turn_correction[i]
        work += dot(held.force, subtract(motion.p, p))
        work += dot(held.torque, rotation_from_to(q, motion.q))
        body = after
