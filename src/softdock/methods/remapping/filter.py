"""A Kalman filter for the place of the environment behind elastic joints (Lange IV-C), from motor
positions and the force sensor.

Along the normal n, five states: of each mock-up the deflection from its motors and the velocity (q1
- m1, q1', q2 - m2, q2'), and delta, the place of the environment from a point fixed to both bodies:
the unknown gap. Model (Lange eqs. 7, 10) and measurement (Lange eq. 24):

    M_i q_i'' = K_i (m_i - q_i) + D_i (m_i' - q_i') +- f
    f         = k (way + (q2 - m2) - (q1 - m1) + delta) + c (q2' - q1')

`way`: how far the motors have brought that point together along n. The measured force is both input
(linear between samples, so that deflections are tracked without a contact too, in all three axes)
and measurement. When a contact opens, the impulse since its onset within the cycle is found from
the first sample, and delta is taken as unknown. Errors are carried along n alone. Fixed cost: no
loop depends on data.

The normal itself is the measured force's direction, weighed by how well it is known: a force of 2 N
with 0.5 N of noise points 14 deg astray, and would move the environment with it. In target axes,
one variance for both directions across.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.oscillator import free_response
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
)

STATES = 5  # of the filter
DIAGONAL = STATES + 1  # from one number of its diagonal to the next
MOCK_UP = Cells(
    "filtered_mock_up",
    Cell("deflection", 3, "m", "from its motors"),
    Cell("velocity", 3, "m/s"),
    Cell("motor", 3, "m", "position of the motors"),
    Cell("motor_speed", 3, "m/s", "velocity of the motors"),
)
FILTER = Cells(  # what the filter of environment = filter remembers; in these functions `s`
    "environment_filter",
    Cell("started", bool, "-", "the first cycle is over"),
    Cell("touched", float, "-", "FELT_ONCE, IN_CONTACT, or 0"),
    Cell("delta", float, "m", "place of the environment"),
    Cell("chaser", MOCK_UP, "m, m/s", "its mock-up and motors"),
    Cell("target", MOCK_UP, "m, m/s", "its mock-up and motors"),
    Cell("force", 3, "N", "on the chaser's mock-up at the last sample"),
    Cell("on_chaser", 3, "m", "the point on the chaser, chaser axes"),
    Cell("on_target", 3, "m", "the same point on the target, target axes"),
    Cell("covariance", many(STATES * STATES), "m, m/s", "of the five states, row by row"),
    Cell("normal", 3, "-", "direction of the force, target axes"),
    Cell("normal_variance", float, "rad^2", "of each direction across"),
)
FELT_ONCE, IN_CONTACT = 0.5, 1.0  # of `touched`


class BelievedJoint(NamedTuple):
    stiffness: float  # N/m; 0: rigid
    mass: float  # kg
    w: float  # rad/s
    zeta: float
    response: tuple  # deflection and its rate after a cycle from both before: ee, er, re, rr


class FilterParams(NamedTuple):
    chaser: BelievedJoint
    target: BelievedJoint
    noise_force: float  # N
    noise_position: float  # m, of each motor


UNKNOWN = 0.01  # m, standard deviation of delta before it was seen
# cycles of process noise in the state before a contact: what a lightly damped joint remembers
SETTLED = 10.0
ONSET_ROUNDS = 4
TURNING = 0.01  # rad a cycle, by which the normal may turn in target axes


@compiled
def prepare_joint(stiffness, mass, zeta, T):
    if stiffness <= 0.0:
        return BelievedJoint(
            stiffness=0.0, mass=math.inf, w=0.0, zeta=0.0, response=(0.0, 0.0, 0.0, 0.0)
        )
    w = math.sqrt(stiffness / mass)
    return BelievedJoint(
        stiffness=stiffness, mass=mass, w=w, zeta=zeta, response=free_response(w, zeta, T)
    )


@compiled
def _deflect(mock_up, joint: BelievedJoint, T, motor: Motion, force, slope):
    """One mock-up over a cycle: `force` on it at the start and its `slope` [N, N/s]; the motors on
    a parabola through their positions and velocities."""
    if joint.stiffness == 0.0:
        mock_up.deflection = ZERO
        mock_up.velocity = motor.v
    else:
        ee, er, re, rr = joint.response
        u = scale(1.0 / T, subtract(motor.p, mock_up.motor))
        late = scale(-2.0 * joint.zeta / (joint.w * joint.stiffness), slope)
        # mean of the motors' way beside its chord
        bent = scale(-T / 12.0, subtract(motor.v, mock_up.motor_speed))
        aside, rate = add(late, bent), scale(1.0 / joint.stiffness, slope)
        begin, end = (
            add(scale(1.0 / joint.stiffness, force), aside),
            add(scale(1.0 / joint.stiffness, add_scaled(force, T, slope)), aside),
        )
        e = subtract(mock_up.deflection, begin)
        r = subtract(subtract(mock_up.velocity, u), rate)
        mock_up.deflection = add(end, add(scale(ee, e), scale(er, r)))  # Lange eqs. 7, 10
        mock_up.velocity = add(add(u, rate), add(scale(re, e), scale(rr, r)))
    mock_up.motor = motor.p
    mock_up.motor_speed = motor.v


@compiled
def _compute_closing(s, mock_ups: Output, n, point):
    """Rate at which the mock-ups come together at a point along n [m/s]: their own velocities, the
    motors' rotation."""
    c, t = mock_ups.chaser, mock_ups.target
    chaser = add(s.chaser.velocity, cross(rotate(c.q, c.w), subtract(point, c.p)))
    target = add(s.target.velocity, cross(rotate(t.q, t.w), subtract(point, t.p)))
    return dot(n, subtract(target, chaser))


@compiled
def _compute_way(s, mock_ups: Output, n):
    c, t = mock_ups.chaser, mock_ups.target
    on_chaser = add(c.p, rotate(c.q, s.on_chaser))
    return dot(n, subtract(add(t.p, rotate(t.q, s.on_target)), on_chaser))


@compiled
def _shift(mock_up, n, deflection, velocity):
    """Move one mock-up's state along n."""
    mock_up.deflection = add_scaled(mock_up.deflection, deflection, n)
    mock_up.velocity = add_scaled(mock_up.velocity, velocity, n)


@noinline
def _begin_contact(params: FilterParams, s, T, mock_ups: Output, n, point, force, k, c):
    """The impulse since the contact's onset, from its first sample; the point on both bodies; delta
    unknown."""
    s.on_chaser = rotate_back(mock_ups.chaser.q, subtract(point, mock_ups.chaser.p))
    s.on_target = rotate_back(mock_ups.target.q, subtract(point, mock_ups.target.p))
    free = _compute_closing(s, mock_ups, n, point)  # without the contact
    mobility = 1.0 / params.chaser.mass + 1.0 / params.target.mass
    impulse, since, mean = 0.0, 0.0, free
    for _ in range(ONSET_ROUNDS):
        rate = free - mobility * impulse
        mean = 0.5 * (free + rate)
        depth = max(force - c * rate, 0.0) / k
        since = min(depth / mean, T) if mean > 0.0 else T
        impulse = since * (c * mean + 0.5 * k * depth)
    moved = since * since * mean * (0.5 * c + k * since / 6.0)  # way times mass
    _shift(s.chaser, n, moved / params.chaser.mass, impulse / params.chaser.mass)
    _shift(s.target, n, -moved / params.target.mass, -impulse / params.target.mass)
    P = s.covariance
    for i in range(STATES * STATES):
        P[i] = 0.0
    for i, joint in ((0, params.chaser), (2, params.target)):
        q = _compute_process_noise(joint, T, params.noise_force, params.noise_position)
        if joint.stiffness > 0.0:
            P[DIAGONAL * i] = SETTLED * q / (joint.w * joint.w)
            P[DIAGONAL * (i + 1)] = SETTLED * q
    P[DIAGONAL * (STATES - 1)] = UNKNOWN * UNKNOWN
    s.delta = 0.0


@compiled
def _compute_process_noise(joint: BelievedJoint, T, noise_force, noise_position):
    """Variance that one cycle's noise of force and motor adds to a mock-up's velocity [m^2/s^2]."""
    by_motor, by_force = joint.stiffness * noise_position, noise_force
    return (T / joint.mass) * (T / joint.mass) * (by_motor * by_motor + by_force * by_force)


@compiled
def _respond(P, row, column, joint: BelievedJoint):
    """Two entries of the covariance, a deflection and a velocity, after a cycle."""
    a, b = STATES * row[0] + column[0], STATES * row[1] + column[1]
    ee, er, re, rr = joint.response
    e, v = P[a], P[b]
    P[a], P[b] = ee * e + er * v, re * e + rr * v


@noinline
def _spread(params: FilterParams, s, T):
    """Covariance after a cycle: A P A^T + Q, A in two blocks of two and a one."""
    P = s.covariance
    for i, joint in ((0, params.chaser), (2, params.target)):
        for j in range(STATES):
            _respond(P, (i, i + 1), (j, j), joint)
    for i, joint in ((0, params.chaser), (2, params.target)):
        for j in range(STATES):
            _respond(P, (j, j), (i, i + 1), joint)
        if joint.stiffness > 0.0:
            P[DIAGONAL * (i + 1)] += _compute_process_noise(
                joint, T, params.noise_force, params.noise_position
            )


@noinline
def _update(params: FilterParams, s, mock_ups: Output, n, point, force, k, c):
    """The measured force corrects the state along n."""
    h = (-k, -c, k, c, k)
    if params.chaser.stiffness == 0.0:
        h = (0.0, 0.0, h[2], h[3], k)
    if params.target.stiffness == 0.0:
        h = (h[0], h[1], 0.0, 0.0, k)
    apart_by = dot(n, subtract(s.target.deflection, s.chaser.deflection))
    depth = _compute_way(s, mock_ups, n) + apart_by + s.delta
    missing = force - k * depth - c * _compute_closing(s, mock_ups, n, point)  # Lange eq. 24
    P = s.covariance
    g = (
        _multiply_row(P, 0, h),
        _multiply_row(P, 1, h),
        _multiply_row(P, 2, h),
        _multiply_row(P, 3, h),
        _multiply_row(P, 4, h),
    )
    by_motors = k * params.noise_position
    size = params.noise_force * params.noise_force + 2.0 * by_motors * by_motors
    for i in range(5):
        size += h[i] * g[i]
    for i in range(5):
        for j in range(STATES):
            P[5 * i + j] -= g[i] * g[j] / size
    gain = missing / size
    _shift(s.chaser, n, gain * g[0], gain * g[1])
    _shift(s.target, n, gain * g[2], gain * g[3])
    s.delta += gain * g[4]


@compiled
def _multiply_row(P, row, h):
    """A row of the covariance times h."""
    total = P[STATES * row] * h[0]
    for i in range(1, STATES):
        total += P[STATES * row + i] * h[i]
    return total


@compiled
def settle_normal(params: FilterParams, s, target_q, n, force, opens):
    """The normal as believed with this sample, world; `n`: the measured force's direction."""
    seen = rotate_back(target_q, n)
    noise = params.noise_force * params.noise_force / (force * force)
    if opens:
        s.normal_variance = noise
    else:
        known = s.normal
        before = s.normal_variance + TURNING * TURNING
        gain = before / (before + noise)
        s.normal_variance = gain * noise
        mixed = add_scaled(known, gain, subtract(seen, known))
        seen = scale(1.0 / norm(mixed), mixed) if norm(mixed) > 0.0 else seen
    s.normal = seen
    return rotate(target_q, seen)


@compiled
def _start_mock_up(mock_up, motor: Motion):
    mock_up.velocity = motor.v
    mock_up.motor = motor.p
    mock_up.motor_speed = motor.v


@noinline
def follow_mock_ups(params: FilterParams, s, T, mock_ups: Output, force, opens):
    """Both mock-ups a cycle on, under the measured force on the chaser's (world; zero: no contact).
    `opens`: a contact's first sample, of which `place_environment` makes the impulse."""
    f0, f1 = s.force, force
    s.force = force
    if not s.started:
        s.started = True
        _start_mock_up(s.chaser, mock_ups.chaser)
        _start_mock_up(s.target, mock_ups.target)
        return
    if opens:
        f0, f1 = ZERO, ZERO
    slope = scale(1.0 / T, subtract(f1, f0))
    _deflect(s.chaser, params.chaser, T, mock_ups.chaser, f0, slope)
    _deflect(s.target, params.target, T, mock_ups.target, scale(-1.0, f0), scale(-1.0, slope))


@noinline
def place_environment(params: FilterParams, s, T, mock_ups: Output, n, point, force, k, c, opens):
    """x_e - x_c along n, from where the motors are [m]; its rate as the mock-ups really close
    [m/s]. `k`, `c`: of the mock-ups' contact."""
    if opens:
        _begin_contact(params, s, T, mock_ups, n, point, force=force, k=k, c=c)
    else:
        _spread(params, s, T)
    _update(params, s, mock_ups, n, point, force, k=k, c=c)
    return _compute_way(s, mock_ups, n) + s.delta, _compute_closing(s, mock_ups, n, point)
