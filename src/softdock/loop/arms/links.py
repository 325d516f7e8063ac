"""Elastic joints: the links of an arm between its motors and the contact (Lange eqs. 7, 10).

    M(q) q'' + C(q, q') q' = K (theta - q) + D (theta' - q') + J' (f; m)

theta are the motors, q the links (joints 1 to 6; the base axis is stiff), J the Jacobian of the
satellite's centre of mass, (f; m) the contact's wrench on the mock-up about that point. K and D are
full 6 x 6 matrices, diagonal where an arm states numbers for each joint; rotors belong to the
motors. Weight is taken as calibrated away, as of every elastic robot (loop/robots/joint.py), unless
`weight_acts`: then G(q) stands beside C q', the joints begin bent by it, and the work against it
counts as stored.

One step of the plant: motors at constant speed, M, C and J frozen, the wrench the mean of both ends
(loop/facility/moving.py). Within it some substeps of the implicit midpoint rule with
e = q - theta, r = e' and h a substep:

    (M + h/2 D + h^2/4 K) r_mean = M r + h/2 (J' F - C q' - K e),   e += h r_mean

which balances the energies to rounding: gain of kinetic and stored energy = work of the contact
+ work of the motors - h r_mean' D r_mean. Velocity forces do no work while M follows the links,
and none here: M is recomputed at the end of a step, and the speeds are scaled so that the kinetic
energy is what the other works left. The scale differs from 1 by the step's own error, some 1e-8.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.dynamics import mass_matrix, torques
from softdock.loop.arms.forward import jacobian_column, link_frames
from softdock.loop.arms.layout import AXES, JOINTS
from softdock.loop.arms.robot_layout import FIRST_JOINT, SQUARE
from softdock.loop.arms.tip import locate_body
from softdock.loop.spatial.cholesky import factorise, solve_factored
from softdock.loop.spatial.vectors import ZERO, dot

ONE, DIAGONAL = FIRST_JOINT, AXES + 1  # slot of joint 1; from one diagonal element to the next
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
# of the kinetic energy in a step; beyond, the speeds are left as they are, and the energy balance
# shows it
FARTHEST = 0.25
RESOLVED = 0.5  # rad of the fastest mode in a substep: its frequency to 0.5^2 / 12, 2 %
MOST_SUBSTEPS = 8.0
SETTLING = 8  # turns in which weight bends the joints; each leaves a thousandth of the error


@compiled
def _quadratic_form(matrix, width, shift, a, b):
    """x' A y of joints 1 to 6; A with rows of `width`, its first joint at `shift`."""
    total = 0.0
    for i in range(JOINTS):
        row = width * (i + shift) + shift
        for j in range(JOINTS):
            total += a[ONE + i] * matrix[row + j] * b[ONE + j]
    return total


@compiled
def kinetic_energy(s, rate):
    return 0.5 * _quadratic_form(s.mass, AXES, 1, rate, rate)


@compiled
def _elastic_energy(placed, s):
    """Energy [J] in the joints for the links as they are; the deflections stay in `target`."""
    for i in range(AXES):
        s.target[i] = s.link[i] - s.q[i]
    return 0.5 * _quadratic_form(placed.elasticity, JOINTS, 0, s.target, s.target)


@noinline
def _update_mass(placed, s):
    """Mass matrix of the links as they are, without the rotors."""
    link_frames(placed.arm, s.link, s.work)
    mass_matrix(placed.arm, s.work, s.mass)
    for i in range(AXES):
        s.mass[DIAGONAL * i] -= placed.arm.rotor[i]


@noinline
def weigh_links(placed, s):
    """Mass, kinetic and stored energy of the links as they are."""
    _update_mass(placed, s)
    s.kinetic = kinetic_energy(s, s.link_rate)
    s.stored = _elastic_energy(placed, s)


@noinline
def _weigh(placed, s):
    """What the joints must hold of the weight, at the links as they are, into `weight`."""
    if dot(placed.gravity, placed.gravity) == 0.0:
        return
    torques(
        placed.arm,
        s.link,
        speed=STILL,
        acceleration=STILL,
        gravity=placed.gravity,
        pushed=ZERO,
        twisted=ZERO,
        work=s.work,
        into=s.weight,
    )  # Lange eqs. 7, 10: G_r


@noinline
def bend_links(placed, s):
    """The links at the start, bent by their weight: K (theta - q) = G(q)."""
    if dot(placed.gravity, placed.gravity) == 0.0:
        return
    for _ in range(SETTLING):
        _weigh(placed, s)
        for i in range(JOINTS):
            s.column[i] = s.weight[ONE + i]
            for j in range(JOINTS):
                s.factor[JOINTS * i + j] = placed.elasticity[JOINTS * i + j]
        factorise(s.factor, 0, JOINTS)
        solve_factored(s.factor, 0, JOINTS, s.column, 0)
        for i in range(JOINTS):
            s.link[ONE + i] = s.q[ONE + i] - s.column[i]


@noinline
def prepare_links(placed, s, dt):
    """What a step needs however often it is tried: velocity forces, Jacobian, factor."""
    arm, q, work = placed.arm, s.link, s.work
    torques(
        arm,
        q,
        speed=s.link_rate,
        acceleration=STILL,
        gravity=ZERO,
        pushed=ZERO,
        twisted=ZERO,
        work=work,
        into=s.velocity_torque,
    )
    _weigh(placed, s)
    body = locate_body(placed, link_frames(arm, q, work))
    for i in range(JOINTS):
        along, about = jacobian_column(arm, work, i + ONE, body.p)
        for k in range(3):
            s.jacobian[AXES * k + i] = along[k]
            s.jacobian[AXES * (k + 3) + i] = about[k]
    h = dt / s.substeps
    for i in range(JOINTS):
        for j in range(JOINTS):
            k = JOINTS * i + j
            s.factor[k] = (
                s.mass[AXES * (i + ONE) + j + ONE]
                + 0.5 * h * s.loss[k]
                + 0.25 * h * h * placed.elasticity[k]
            )
    factorise(s.factor, 0, JOINTS)


@noinline
def settle_links(placed, s, zeta, dt):
    """Prepare at the start: the joints' damping (as stated, else each joint's own by the ratio
    `zeta` on its own inertia), and how many substeps a step dt [s] of the plant needs."""
    weigh_links(placed, s)
    stated = 0.0
    for k in range(SQUARE):
        s.loss[k] = placed.loss[k]
        stated += abs(placed.loss[k])
    for i in range(JOINTS):
        k = (JOINTS + 1) * i
        inertia = s.mass[DIAGONAL * (i + ONE)]
        if stated == 0.0:
            s.loss[k] = 2.0 * zeta * math.sqrt(placed.elasticity[k] * inertia)
    fastest = _fastest_mode(placed, s)
    s.substeps = min(max(math.ceil(dt * fastest / RESOLVED), 1.0), MOST_SUBSTEPS)


@compiled
def _fastest_mode(placed, s):
    """Not below the largest natural frequency [rad/s]: root of the trace of M^-1 K."""
    for i in range(JOINTS):
        for j in range(JOINTS):
            s.factor[JOINTS * i + j] = s.mass[AXES * (i + ONE) + j + ONE]
    factorise(s.factor, 0, JOINTS)
    total = 0.0
    for i in range(JOINTS):
        for j in range(JOINTS):
            s.column[j] = placed.elasticity[JOINTS * i + j]
        solve_factored(s.factor, 0, JOINTS, s.column, 0)
        total += s.column[i]
    return math.sqrt(total)


@compiled
def _project_wrench(s, force, torque):
    """Torques of a wrench (base axes) on joints 1 to 6 into `push`."""
    J = s.jacobian
    for i in range(JOINTS):
        along = (J[i], J[i + AXES], J[i + 2 * AXES])
        about = (J[i + 3 * AXES], J[i + 4 * AXES], J[i + 5 * AXES])
        s.push[i] = dot(along, force) + dot(about, torque)


@compiled
def _row_times(matrix, x, i):
    """Row i of a 6 x 6 matrix times six numbers."""
    total = 0.0
    for j in range(JOINTS):
        total += matrix[JOINTS * i + j] * x[j]
    return total


@noinline
def _substep(placed, s, h):
    """One substep of `bent` (links less motors) and `swing` (its rate); works are added up."""
    for i in range(JOINTS):
        carried, row = 0.0, AXES * (i + ONE) + ONE
        for j in range(JOINTS):
            carried += s.mass[row + j] * s.swing[j]
        push = s.push[i] - s.velocity_torque[ONE + i] - s.weight[ONE + i]
        pull = _row_times(placed.elasticity, s.bent, i)
        s.column[i] = carried + 0.5 * h * (push - pull)  # Lange eq. 10, midpoint
    solve_factored(s.factor, 0, JOINTS, s.column, 0)
    for i in range(JOINTS):  # to the middle, where the works are taken
        s.bent[i] += 0.5 * h * s.column[i]
    motor, lost, contact, velocity, lifted = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(JOINTS):
        r, u = s.column[i], s.target_rate[ONE + i]
        pull = _row_times(placed.elasticity, s.bent, i)
        drag = _row_times(s.loss, s.column, i)
        motor -= u * (pull + drag)
        lost += r * drag
        contact += (r + u) * s.push[i]
        velocity -= (r + u) * s.velocity_torque[ONE + i]
        lifted += (r + u) * s.weight[ONE + i]
        s.torque[ONE + i] = -pull - drag
    s.tried_motor_work += h * motor
    s.tried_contact_work += h * contact
    s.tried_dissipated += h * lost
    s.velocity_work += h * velocity
    s.tried_lifted += h * lifted
    for i in range(JOINTS):
        r = s.column[i]
        s.bent[i] += 0.5 * h * r
        s.swing[i] = 2.0 * r - s.swing[i]


@noinline
def try_links(placed, s, dt, force, torque):
    """The links after dt under a constant wrench (base axes, about the satellite's centre of mass),
    into `tried` and `tried_rate`. The motors were at `was` and are at `q`."""
    h = dt / s.substeps
    _project_wrench(s, force, torque)
    for i in range(AXES):
        s.target_rate[i] = (s.q[i] - s.was[i]) / dt
    for i in range(JOINTS):
        s.bent[i] = s.link[ONE + i] - s.was[ONE + i]
        s.swing[i] = s.link_rate[ONE + i] - s.target_rate[ONE + i]
    s.tried_motor_work = 0.0
    s.tried_contact_work = 0.0
    s.tried_dissipated = 0.0
    s.velocity_work = 0.0
    s.tried_lifted = 0.0
    for _ in range(int(s.substeps)):
        _substep(placed, s, h)
    for i in range(JOINTS):
        s.tried[ONE + i] = s.q[ONE + i] + s.bent[i]
        s.tried_rate[ONE + i] = s.target_rate[ONE + i] + s.swing[i]
    s.tried[0] = s.q[0]  # the base axis is stiff
    s.tried_rate[0] = s.rate[0]


@noinline
def accept_links(placed, s):
    """The step that was tried last is the one: links, works, and the mass matrix at its end."""
    left = kinetic_energy(s, s.tried_rate) - s.velocity_work
    for i in range(AXES):
        s.link[i] = s.tried[i]
        s.link_rate[i] = s.tried_rate[i]
    _update_mass(placed, s)
    now = kinetic_energy(s, s.link_rate)
    if now > 0.0 and abs(left - now) < FARTHEST * now:
        scale = math.sqrt(left / now)
        for i in range(ONE, AXES):
            s.link_rate[i] *= scale
        now = kinetic_energy(s, s.link_rate)
    s.kinetic = now
    s.motor_work += s.tried_motor_work
    s.contact_work += s.tried_contact_work
    s.dissipated += s.tried_dissipated
    s.lifted += s.tried_lifted
    s.stored = _elastic_energy(placed, s) + s.lifted
