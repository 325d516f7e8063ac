"""Torques by the recursive Newton-Euler method, and the mass matrix by composite bodies.

In: joint coordinates, speeds and accelerations, gravity in base axes, a force and a moment that the
outside puts on the flange (base axes, about the flange's origin). Out: torque or force of each
axis. The links' own axes carry the recursion (Luh, Walker, Paul 1980).

    torque_i = direction_i . moment_i + rotor_i accel_i,  M = sum J_c' m J_c + J_w' I J_w + rotors

The mass matrix keeps mass, centre and inertia about that centre of everything beyond an axis
(Featherstone 2008, ch. 6.2), so that no large terms cancel. Rotors count as inertia about their own
axis, without their gyroscopic moment. No friction.
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.arms.forward import first_axis, is_rail, joint_turn
from softdock.loop.arms.layout import AXES
from softdock.loop.spatial.rotations import IDENTITY, inverse, product, rotate, rotate_back
from softdock.loop.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    scale,
    subtract,
    symmetric_times,
)

NO_INERTIA = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@compiled
def _outward(arm, q, speed, acceleration, gravity, work):
    """Twists and accelerations from the base to the flange; the force each link needs."""
    w, alpha, a = ZERO, ZERO, scale(-1.0, gravity)  # weight as an acceleration of the base
    whole = IDENTITY
    for i in range(first_axis(arm), AXES):
        h, r = arm.directions[i], arm.offsets[i]
        a = add(a, add(cross(alpha, r), cross(w, cross(w, r))))
        turn = IDENTITY
        if is_rail(arm, i):  # nothing turns before slot 0
            a = add_scaled(a, acceleration[i], h)
        else:
            turn = joint_turn(h, q[i])
            w, alpha, a = rotate_back(turn, w), rotate_back(turn, alpha), rotate_back(turn, a)
            alpha = add_scaled(alpha, speed[i], cross(w, h))
            alpha = add_scaled(alpha, acceleration[i], h)
            w = add_scaled(w, speed[i], h)
        whole = product(whole, turn)
        c, I = arm.centre[i], arm.inertia[i]
        a_c = add(a, add(cross(alpha, c), cross(w, cross(w, c))))
        force = scale(arm.mass[i], a_c)
        moment = add(symmetric_times(I, alpha), cross(w, symmetric_times(I, w)))
        work.turns[i] = turn
        work.forces[i] = force
        work.moments[i] = add(moment, cross(c, force))
    return whole


@compiled
def torques(arm, q, speed, acceleration, gravity, pushed, twisted, work, into):
    """Torque [Nm] or force [N] of each axis into an array; slot 0 is zero without a base axis.

    `pushed`, `twisted`: force and moment of the outside on the flange, base axes.
    """
    whole = _outward(arm, q, speed, acceleration, gravity, work)
    r = arm.offsets[AXES]
    force = rotate_back(whole, scale(-1.0, pushed))
    moment = add(rotate_back(whole, scale(-1.0, twisted)), cross(r, force))
    into[0] = 0.0
    for back in range(AXES - first_axis(arm)):
        i = AXES - 1 - back
        force = add(force, work.forces[i])
        moment = add(moment, work.moments[i])
        along = force if is_rail(arm, i) else moment
        into[i] = dot(along, arm.directions[i])
        into[i] += arm.rotor[i] * acceleration[i]
        turn, r = work.turns[i], arm.offsets[i]
        force, moment = rotate(turn, force), rotate(turn, moment)
        if is_rail(arm, i):
            r = add_scaled(r, q[i], arm.directions[i])
        moment = add(moment, cross(r, force))


@compiled
def turn_inertia(turn, I):
    """R I R' of a symmetric matrix (xx, yy, zz, xy, xz, yz)."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    back = inverse(turn)
    a = rotate(turn, symmetric_times(I, rotate(back, x)))
    b = rotate(turn, symmetric_times(I, rotate(back, y)))
    c = rotate(turn, symmetric_times(I, rotate(back, z)))
    return (a[0], b[1], c[2], a[1], a[2], b[2])


@compiled
def join_inertias(I, J, m, d):
    """Two inertias about their own centres, d apart, about the common one; m: reduced mass."""
    return (
        I[0] + J[0] + m * (d[1] * d[1] + d[2] * d[2]),
        I[1] + J[1] + m * (d[0] * d[0] + d[2] * d[2]),
        I[2] + J[2] + m * (d[0] * d[0] + d[1] * d[1]),
        I[3] + J[3] - m * d[0] * d[1],
        I[4] + J[4] - m * d[0] * d[2],
        I[5] + J[5] - m * d[1] * d[2],
    )


@compiled
def _with_link(arm, work, i, mass, centre, inertia):
    """A composite body and link i in front of it, base axes."""
    turn = work.turns[i]
    c = add(work.origins[i], rotate(turn, arm.centre[i]))
    own, m = turn_inertia(turn, arm.inertia[i]), arm.mass[i]
    both = mass + m
    if both <= 0.0:
        return 0.0, c, join_inertias(inertia, own, 0.0, ZERO)
    between = subtract(c, centre)
    joined = join_inertias(inertia, own, mass * m / both, between)
    return both, add_scaled(centre, m / both, between), joined


@compiled
def mass_matrix(arm, work, into):
    """After `link_frames`: the row-major 7 x 7 mass matrix into an array; no base axis: zeros."""
    for k in range(AXES * AXES):
        into[k] = 0.0
    mass, centre, inertia = 0.0, ZERO, NO_INERTIA
    first = first_axis(arm)
    for back in range(AXES - first):
        i = AXES - 1 - back
        mass, centre, inertia = _with_link(arm, work, i, mass, centre, inertia)
        z = work.directions[i]
        if is_rail(arm, i):
            momentum, spin = scale(mass, z), ZERO
        else:
            arm_i = subtract(centre, work.origins[i])
            momentum, spin = scale(mass, cross(z, arm_i)), symmetric_times(inertia, z)
        for j in range(first, i + 1):
            z_j = work.directions[j]
            if is_rail(arm, j):
                value = dot(z_j, momentum)
            else:
                arm_j = subtract(centre, work.origins[j])
                value = dot(z_j, add(spin, cross(arm_j, momentum)))
            into[AXES * i + j] = value
            into[AXES * j + i] = value
        into[AXES * i + i] += arm.rotor[i]
