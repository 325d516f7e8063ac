"""Elastic joints: the links of an arm between its motors and the contact (Lange eqs. 7, 10).

    M(q) q'' + C(q, q') q' = K (theta - q) + D (theta' - q') + J' (f; m)

theta are the motors, q the links (joints 1 to 6; the base axis is stiff), J the Jacobian of the
satellite's centre of mass, (f; m) the contact's wrench on the mock-up about that point. K and D are
full 6 x 6 matrices, diagonal where an arm states numbers for each joint. Weight is taken as
calibrated away, as of every elastic robot (loop/robots/joint.py); rotors belong to the motors.

One step of the plant: motors at constant speed, M, C and J frozen, the wrench the mean of both ends
(loop/facility/moving.py). Within it some substeps of the implicit midpoint rule with
e = q - theta, r = e' and h a substep:

    (M + h/2 D + h^2/4 K) r_mean = M r + h/2 (J' F - C q' - K e),   e += h r_mean

which balances the books to rounding: gain of kinetic and stored energy = work of the contact
+ work of the motors - h r_mean' D r_mean. Velocity forces do no work while M follows the links,
and none here: M is recomputed at the end of a step, and the speeds are scaled so that the kinetic
energy is what the other works left. The scale differs from 1 by the step's own error, some 1e-8.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.dynamics import mass_matrix, torques
from softdock.loop.arms.forward import jacobian_column, link_frames
from softdock.loop.arms.layout import AT, AXES, JOINTS, load7
from softdock.loop.arms.robot_layout import (
    FIRST_JOINT,
    MASS_FLOATS,
    SQUARE,
    STATE_AT,
    WORK_FLOATS,
    P,
    S,
    work_at,
)
from softdock.loop.arms.tip import body_in_base
from softdock.loop.spatial.cholesky import factorise, solve_factored
from softdock.loop.spatial.vectors import ZERO, dot

ONE, DIAGONAL = FIRST_JOINT, AXES + 1  # slot of joint 1; from one diagonal element to the next
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
# of the kinetic energy in a step; beyond, the speeds are left as they are and the books tell
FARTHEST = 0.25
RESOLVED = 0.5  # rad of the fastest mode in a substep: its frequency to 0.5^2 / 12, 2 %
MOST_SUBSTEPS = 8.0
MOTOR, CONTACT, DAMPING, WORKS = 0, 1, 2, 3  # in `works`, and how many


@compiled
def _form(array, at, width, shift, mem, a, b):
    """x' A y of joints 1 to 6; A from `at` with rows of `width`, its first joint at `shift`."""
    total = 0.0
    for i in range(JOINTS):
        row = at + width * (i + shift) + shift
        for j in range(JOINTS):
            total += mem[a + ONE + i] * array[row + j] * mem[b + ONE + j]
    return total


@compiled
def kinetic_of(mem, at, rate):
    return 0.5 * _form(mem, at + S.mass, AXES, 1, mem, rate, rate)


@compiled
def _stored(arm, mem, at, q):
    """Energy [J] in the joints for links at q; the deflections stay in `target`."""
    for i in range(AXES):
        mem[at + S.target + i] = mem[q + i] - mem[at + S.q + i]
    return 0.5 * _form(arm, P.elasticity, JOINTS, 0, mem, at + S.target, at + S.target)


@noinline
def _take_mass(arm, mem, state, q):
    """Mass matrix of the links at q, without the rotors."""
    at, room = state + STATE_AT, work_at(state)
    work = mem[room : room + WORK_FLOATS]
    link_frames(arm, mem[q : q + AXES], work)
    mass_matrix(arm, work, mem[at + S.mass : at + S.mass + MASS_FLOATS])
    for i in range(AXES):
        mem[at + S.mass + DIAGONAL * i] -= arm[AT.rotor + i]


@noinline
def weigh_links(arm, mem, state):
    """Mass, kinetic and stored energy of the links as they are."""
    at = state + STATE_AT
    _take_mass(arm, mem, state, at + S.link)
    mem[at + S.kinetic] = kinetic_of(mem, at, at + S.link_rate)
    mem[at + S.stored] = _stored(arm, mem, at, at + S.link)


@noinline
def ready_links(arm, mem, state, dt):
    """What a step needs however often it is tried: velocity forces, Jacobian, factor."""
    at, room = state + STATE_AT, work_at(state)
    work = mem[room : room + WORK_FLOATS]
    q, rate = load7(mem, at + S.link), load7(mem, at + S.link_rate)
    into = mem[at + S.velocity_torque : at + S.velocity_torque + AXES]
    torques(
        arm,
        q,
        speed=rate,
        acceleration=STILL,
        gravity=ZERO,
        pushed=ZERO,
        twisted=ZERO,
        work=work,
        into=into,
    )
    body = body_in_base(arm, link_frames(arm, q, work))
    for i in range(JOINTS):
        along, about = jacobian_column(arm, work, i + ONE, body.p)
        for k in range(3):
            mem[at + S.jacobian + AXES * k + i] = along[k]
            mem[at + S.jacobian + AXES * (k + 3) + i] = about[k]
    h = dt / mem[at + S.substeps]
    for i in range(JOINTS):
        for j in range(JOINTS):
            k = JOINTS * i + j
            mem[at + S.factor + k] = (
                mem[at + S.mass + AXES * (i + ONE) + j + ONE]
                + 0.5 * h * mem[at + S.loss + k]
                + 0.25 * h * h * arm[P.elasticity + k]
            )
    factorise(mem, at + S.factor, JOINTS)


@noinline
def settle_links(arm, mem, state, zeta, dt):
    """Prepare at the start: the joints' damping (as stated, else each joint's own by the ratio
    `zeta` on its own inertia), and how many substeps a step dt [s] of the plant needs."""
    at = state + STATE_AT
    weigh_links(arm, mem, state)
    stated = 0.0
    for k in range(SQUARE):
        mem[at + S.loss + k] = arm[P.loss + k]
        stated += abs(arm[P.loss + k])
    for i in range(JOINTS):
        k = (JOINTS + 1) * i
        inertia = mem[at + S.mass + DIAGONAL * (i + ONE)]
        if stated == 0.0:
            mem[at + S.loss + k] = 2.0 * zeta * math.sqrt(arm[P.elasticity + k] * inertia)
    fastest = _fastest(arm, mem, at)
    mem[at + S.substeps] = min(max(math.ceil(dt * fastest / RESOLVED), 1.0), MOST_SUBSTEPS)


@compiled
def _fastest(arm, mem, at):
    """Not below the largest natural frequency [rad/s]: root of the trace of M^-1 K."""
    for i in range(JOINTS):
        for j in range(JOINTS):
            mem[at + S.factor + JOINTS * i + j] = mem[at + S.mass + AXES * (i + ONE) + j + ONE]
    factorise(mem, at + S.factor, JOINTS)
    total = 0.0
    for i in range(JOINTS):
        for j in range(JOINTS):
            mem[at + S.column + j] = arm[P.elasticity + JOINTS * i + j]
        solve_factored(mem, at + S.factor, JOINTS, mem, at + S.column)
        total += mem[at + S.column + i]
    return math.sqrt(total)


@compiled
def _lay_push(mem, at, force, torque):
    """Torques of a wrench (base axes) on joints 1 to 6 into `push`."""
    for i in range(JOINTS):
        j = at + S.jacobian + i
        along = (mem[j], mem[j + AXES], mem[j + 2 * AXES])
        about = (mem[j + 3 * AXES], mem[j + 4 * AXES], mem[j + 5 * AXES])
        mem[at + S.push + i] = dot(along, force) + dot(about, torque)


@compiled
def _times(array, at, mem, x, i):
    """Row i of a 6 x 6 matrix times six numbers."""
    row = at + JOINTS * i
    total = 0.0
    for j in range(JOINTS):
        total += array[row + j] * mem[x + j]
    return total


@noinline
def _substep(arm, mem, at, h):
    """One substep of `bent` (links less motors) and `swing` (its rate); works are added up."""
    for i in range(JOINTS):
        carried, row = 0.0, at + S.mass + AXES * (i + ONE) + ONE
        for j in range(JOINTS):
            carried += mem[row + j] * mem[at + S.swing + j]
        push = mem[at + S.push + i] - mem[at + S.velocity_torque + ONE + i]
        pull = _times(arm, P.elasticity, mem, at + S.bent, i)
        mem[at + S.column + i] = carried + 0.5 * h * (push - pull)  # Lange eq. 10, midpoint
    solve_factored(mem, at + S.factor, JOINTS, mem, at + S.column)
    for i in range(JOINTS):  # to the middle, where the works are taken
        mem[at + S.bent + i] += 0.5 * h * mem[at + S.column + i]
    motor, lost, contact, velocity = 0.0, 0.0, 0.0, 0.0
    for i in range(JOINTS):
        r, u = mem[at + S.column + i], mem[at + S.target_rate + ONE + i]
        pull = _times(arm, P.elasticity, mem, at + S.bent, i)
        drag = _times(mem, at + S.loss, mem, at + S.column, i)
        motor -= u * (pull + drag)
        lost += r * drag
        contact += (r + u) * mem[at + S.push + i]
        velocity -= (r + u) * mem[at + S.velocity_torque + ONE + i]
        mem[at + S.torque + ONE + i] = -pull - drag
    mem[at + S.works + MOTOR] += h * motor
    mem[at + S.works + CONTACT] += h * contact
    mem[at + S.works + DAMPING] += h * lost
    mem[at + S.velocity_work] += h * velocity
    for i in range(JOINTS):
        r = mem[at + S.column + i]
        mem[at + S.bent + i] += 0.5 * h * r
        mem[at + S.swing + i] = 2.0 * r - mem[at + S.swing + i]


@noinline
def try_links(arm, mem, state, dt, force, torque):
    """The links after dt under a constant wrench (base axes, about the satellite's centre of mass),
    into `tried` and `tried_rate`. The motors were at `was` and are at `q`."""
    at = state + STATE_AT
    h = dt / mem[at + S.substeps]
    _lay_push(mem, at, force, torque)
    for i in range(AXES):
        mem[at + S.target_rate + i] = (mem[at + S.q + i] - mem[at + S.was + i]) / dt
    for i in range(JOINTS):
        k = at + ONE + i
        mem[at + S.bent + i] = mem[k + S.link] - mem[k + S.was]
        mem[at + S.swing + i] = mem[k + S.link_rate] - mem[k + S.target_rate]
    for k in range(WORKS):
        mem[at + S.works + k] = 0.0
    mem[at + S.velocity_work] = 0.0
    for _ in range(int(mem[at + S.substeps])):
        _substep(arm, mem, at, h)
    for i in range(JOINTS):
        k = at + ONE + i
        mem[k + S.tried] = mem[k + S.q] + mem[at + S.bent + i]
        mem[k + S.tried_rate] = mem[k + S.target_rate] + mem[at + S.swing + i]
    mem[at + S.tried] = mem[at + S.q]  # the base axis is stiff
    mem[at + S.tried_rate] = mem[at + S.rate]


@noinline
def keep_links(arm, mem, state):
    """The step that was tried last is the one: links, books, and the mass matrix at its end."""
    at = state + STATE_AT
    left = kinetic_of(mem, at, at + S.tried_rate) - mem[at + S.velocity_work]
    for i in range(AXES):
        mem[at + S.link + i] = mem[at + S.tried + i]
        mem[at + S.link_rate + i] = mem[at + S.tried_rate + i]
    _take_mass(arm, mem, state, at + S.link)
    now = kinetic_of(mem, at, at + S.link_rate)
    if now > 0.0 and abs(left - now) < FARTHEST * now:
        scale = math.sqrt(left / now)
        for i in range(ONE, AXES):
            mem[at + S.link_rate + i] *= scale
        now = kinetic_of(mem, at, at + S.link_rate)
    mem[at + S.kinetic] = now
    mem[at + S.motor_work] += mem[at + S.works + MOTOR]
    mem[at + S.contact_work] += mem[at + S.works + CONTACT]
    mem[at + S.dissipated] += mem[at + S.works + DAMPING]
    mem[at + S.stored] = _stored(arm, mem, at, at + S.link)
