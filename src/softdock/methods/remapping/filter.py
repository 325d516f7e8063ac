"""A Kalman filter for the place of the environment behind elastic joints (Lange IV-C), from motor
positions and the force sensor.

Along the normal n, five states: of each mock-up the deflection from its motors and the velocity (q1
- m1, q1', q2 - m2, q2'), and delta, the place of the environment from a point fixed to both bodies:
the unknown gap. Model (Lange eqs. 7, 10) and measurement (Lange eq. 24):

    M_i q_i'' = K_i (m_i - q_i) + D_i (m_i' - q_i') +- f
    f         = k (way + (q2 - m2) - (q1 - m1) + delta) + c (q2' - q1')

`way`: how far the motors have brought that point together along n. The measured wrench is both
input (linear between samples, so that deflections are tracked without a contact too, in every
direction) and measurement. When a contact opens, what it has done since its onset within the cycle
is found from the first sample, and delta is taken as unknown. Fixed cost: no loop depends on data.

Robots with Cartesian joints are one mass on one spring, alike in every direction. Arms are six
oscillators (loop/arms/modes.py), told before the run. Errors are carried along n alone, of an arm
in the shape in which a slow force along n bends it.

The normal itself is the measured force's direction, weighed by how well it is known: a force of 2 N
with 0.5 N of noise points 14 deg astray, and would move the environment with it. In target axes,
one variance for both directions across.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.modes import COUNT, MODES, along_mode, onto_mode, sum_modes, swing
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import Motion, Wrench, opposite
from softdock.loop.spatial.oscillator import free_response
from softdock.loop.spatial.rotations import rotate, rotate_back, rotation_from_to
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
    Cell("turn", 3, "rad", "from its motors, world axes"),
    Cell("velocity", 3, "m/s"),
    Cell("spin", 3, "rad/s", "world axes"),
    Cell("motor", Motion, "m, -, m/s, rad/s", "pose and twist of the motors"),
    Cell("z", many(COUNT), "m kg^1/2", "of an arm: its modes"),
    Cell("y", many(COUNT), "m kg^1/2/s", "of an arm: their rates, the motors' included"),
)
FILTER = Cells(  # what the filter of environment = filter remembers; in these functions `s`
    "environment_filter",
    Cell("started", bool, "-", "the first cycle is over"),
    Cell("touched", float, "-", "FELT_ONCE, IN_CONTACT, or 0"),
    Cell("delta", float, "m", "place of the environment"),
    Cell("chaser", MOCK_UP, "m, m/s", "its mock-up and motors"),
    Cell("target", MOCK_UP, "m, m/s", "its mock-up and motors"),
    Cell("wrench", Wrench, "N, Nm", "on the chaser's mock-up at the last sample"),
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


class Believed(NamedTuple):
    """Modes of both arms in the parameter vector (loop/arms/modes.py)."""

    vector: Any
    chaser: int  # where they stand; -1: the robots have Cartesian joints
    target: int
    factor: float  # of the stiffness, as believed


class FilterParams(NamedTuple):
    chaser: BelievedJoint  # of an arm: along the contact's normal
    target: BelievedJoint
    noise_force: float  # N
    noise_position: float  # m, of each motor
    modes: Believed


UNKNOWN = 0.01  # m, standard deviation of delta before it was seen
# cycles of process noise in the state before a contact: what a lightly damped joint remembers
SETTLED = 10.0
ONSET_ROUNDS = 4
SHORTEST = 1e-3  # of a cycle, that a contact has lasted when it is first felt
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
        u = scale(1.0 / T, subtract(motor.p, mock_up.motor.p))
        late = scale(-2.0 * joint.zeta / (joint.w * joint.stiffness), slope)
        # mean of the motors' way beside its chord
        bent = scale(-T / 12.0, subtract(motor.v, mock_up.motor.v))
        aside, rate = add(late, bent), scale(1.0 / joint.stiffness, slope)
        begin, end = (
            add(scale(1.0 / joint.stiffness, force), aside),
            add(scale(1.0 / joint.stiffness, add_scaled(force, T, slope)), aside),
        )
        e = subtract(mock_up.deflection, begin)
        r = subtract(subtract(mock_up.velocity, u), rate)
        mock_up.deflection = add(end, add(scale(ee, e), scale(er, r)))  # Lange eqs. 7, 10
        mock_up.velocity = add(add(u, rate), add(scale(re, e), scale(rr, r)))
    mock_up.motor = motor
    mock_up.spin = rotate(motor.q, motor.w)


# Arms: six modes in place of one mass on one spring.


@noinline
def _follow_arm(mock_up, modes, factor, T, motor: Motion, before: Wrench, after: Wrench):
    """An arm's mock-up over a cycle, under a wrench that changes linearly."""
    was = mock_up.motor
    v0, v1 = was.v, motor.v
    w0, w1 = rotate(was.q, was.w), rotate(motor.q, motor.w)
    chord_v = scale(1.0 / T, subtract(motor.p, was.p))
    chord_w = scale(1.0 / T, rotation_from_to(was.q, motor.q))
    bend_v, bend_w = subtract(v1, v0), subtract(w1, w0)
    slope_f = scale(1.0 / T, subtract(after.force, before.force))
    slope_t = scale(1.0 / T, subtract(after.torque, before.torque))
    stiffer = math.sqrt(factor)
    for i in range(COUNT):
        w, zeta = stiffer * modes.frequency[i], modes.damping[i] / stiffer
        if w > 0.0:
            mock_up.z[i], mock_up.y[i] = swing(
                free_response(w, zeta, T),
                w,
                zeta,
                T,
                mock_up.z[i],
                mock_up.y[i],
                push=onto_mode(modes.shape, i, before.force, before.torque),
                slope=onto_mode(modes.shape, i, slope_f, slope_t),
                chord=along_mode(modes.inverse, i, chord_v, chord_w),
                bend=along_mode(modes.inverse, i, bend_v, bend_w),
            )  # Lange eqs. 7, 10
    mock_up.motor = motor
    _place_arm(mock_up, modes)


@compiled
def _place_arm(mock_up, modes):
    """Deflection and twist of an arm's mock-up from its modes."""
    motor, z, y = mock_up.motor, mock_up.z, mock_up.y
    spin = rotate(motor.q, motor.w)
    own = (
        y[0] - along_mode(modes.inverse, 0, motor.v, spin),
        y[1] - along_mode(modes.inverse, 1, motor.v, spin),
        y[2] - along_mode(modes.inverse, 2, motor.v, spin),
        y[3] - along_mode(modes.inverse, 3, motor.v, spin),
        y[4] - along_mode(modes.inverse, 4, motor.v, spin),
        y[5] - along_mode(modes.inverse, 5, motor.v, spin),
    )
    mock_up.deflection, mock_up.turn = sum_modes(modes.shape, z)
    v, w = sum_modes(modes.shape, own)
    mock_up.velocity, mock_up.spin = add(motor.v, v), add(spin, w)


@compiled
def _start_arm(mock_up, modes):
    """No deflection: the modes move with the motors."""
    motor = mock_up.motor
    spin = rotate(motor.q, motor.w)
    for i in range(COUNT):
        mock_up.z[i] = 0.0
        mock_up.y[i] = along_mode(modes.inverse, i, motor.v, spin)


@noinline
def _reduce_arm(modes, factor, n, lever, T):
    """An arm as one mass on one spring along n at a point, `lever` from its centre of mass: in the
    shape in which a slow force along n bends it."""
    turning, compliance, mass, lost = cross(lever, n), 0.0, 0.0, 0.0
    for i in range(COUNT):
        w = modes.frequency[i]
        if w > 0.0:
            g = onto_mode(modes.shape, i, n, turning)
            way = g / (factor * w * w)
            compliance += g * way
            mass += way * way
            lost += 2.0 * modes.damping[i] * w * way * way
    if compliance <= 0.0:
        return prepare_joint(0.0, 1.0, 0.0, T)
    k = 1.0 / compliance
    mass *= k * k
    return prepare_joint(k, mass, lost * k * k / (2.0 * math.sqrt(k * mass)), T)


@noinline
def reduce_arms(params: FilterParams, mock_ups: Output, n, point, T):
    """Both arms along a contact's normal; Cartesian joints are the same in every direction."""
    modes = params.modes
    if modes.chaser < 0:
        return params
    at_chaser, at_target = MODES(modes.vector, modes.chaser), MODES(modes.vector, modes.target)
    return FilterParams(
        _reduce_arm(at_chaser, modes.factor, n, subtract(point, mock_ups.chaser.p), T),
        _reduce_arm(at_target, modes.factor, n, subtract(point, mock_ups.target.p), T),
        params.noise_force,
        params.noise_position,
        modes,
    )


@noinline
def _ramp_arm(mock_up, modes, factor, n, lever, force, since, counts):
    """What a force along n at a point, rising from zero over `since` [s], does to an arm: that
    point's way and rate along n; added to the arm's modes where it `counts`."""
    turning, way, rate, stiffer = cross(lever, n), 0.0, 0.0, math.sqrt(factor)
    for i in range(COUNT):
        w, zeta = stiffer * modes.frequency[i], modes.damping[i] / stiffer
        if w > 0.0:
            g = onto_mode(modes.shape, i, n, turning)
            slope, response = g * force / since, free_response(w, zeta, since)
            z, y = swing(response, w, zeta, since, 0.0, 0.0, 0.0, slope, chord=0.0, bend=0.0)
            way += g * z
            rate += g * y
            if counts:
                mock_up.z[i] += z
                mock_up.y[i] += y
    if counts:
        _place_arm(mock_up, modes)
    return way, rate


@noinline
def _bend_arm(mock_up, modes, joint: BelievedJoint, factor, n, lever, deflection, velocity):
    """Shift an arm's modes so that a point moves by a deflection and a velocity along n, in the
    shape in which a slow force bends the arm."""
    turning = cross(lever, n)
    for i in range(COUNT):
        w = modes.frequency[i]
        if w > 0.0:
            share = onto_mode(modes.shape, i, n, turning) / (factor * w * w) * joint.stiffness
            mock_up.z[i] += share * deflection
            mock_up.y[i] += share * velocity
    _place_arm(mock_up, modes)


@compiled
def _compute_closing(s, mock_ups: Output, n, point):
    """Rate at which the mock-ups come together at a point along n [m/s]."""
    c, t = mock_ups.chaser, mock_ups.target
    chaser = add(s.chaser.velocity, cross(s.chaser.spin, subtract(point, c.p)))
    target = add(s.target.velocity, cross(s.target.spin, subtract(point, t.p)))
    return dot(n, subtract(target, chaser))


@compiled
def _compute_deflection(s, mock_ups: Output, n, point):
    """How far the mock-ups have come together at a point along n by giving way [m]."""
    chaser = add(s.chaser.deflection, cross(s.chaser.turn, subtract(point, mock_ups.chaser.p)))
    target = add(s.target.deflection, cross(s.target.turn, subtract(point, mock_ups.target.p)))
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
def _shift_both(params: FilterParams, s, mock_ups: Output, n, point, chaser, target):
    """Move both mock-ups along n, each by a deflection and a velocity."""
    modes = params.modes
    if modes.chaser < 0:
        _shift(s.chaser, n, chaser[0], chaser[1])
        _shift(s.target, n, target[0], target[1])
        return
    _bend_arm(
        s.chaser,
        MODES(modes.vector, modes.chaser),
        params.chaser,
        modes.factor,
        n,
        subtract(point, mock_ups.chaser.p),
        deflection=chaser[0],
        velocity=chaser[1],
    )
    _bend_arm(
        s.target,
        MODES(modes.vector, modes.target),
        params.target,
        modes.factor,
        n,
        subtract(point, mock_ups.target.p),
        deflection=target[0],
        velocity=target[1],
    )


@compiled
def _push_joints(params: FilterParams, s, T, mock_ups: Output, n, point, force, k, c):
    """Cartesian joints: the impulse since the onset, on masses that are free in so short a time."""
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


@noinline
def _ramp_arms(modes: Believed, s, T, mock_ups: Output, n, point, force, k, c):
    """Arms: a force that has risen since the onset, on all of their modes."""
    of_chaser, of_target = MODES(modes.vector, modes.chaser), MODES(modes.vector, modes.target)
    on_chaser, on_target = subtract(point, mock_ups.chaser.p), subtract(point, mock_ups.target.p)
    free = _compute_closing(s, mock_ups, n, point)  # without the contact
    since, way, rate, factor = T, 0.0, 0.0, modes.factor
    for last in range(ONSET_ROUNDS):
        depth = max(force - c * (free - rate), 0.0) / k
        since = min(max((depth + way) / free, SHORTEST * T), T) if free > 0.0 else T
        counts = last == ONSET_ROUNDS - 1
        a = _ramp_arm(s.chaser, of_chaser, factor, n, on_chaser, force, since, counts)
        b = _ramp_arm(s.target, of_target, factor, n, on_target, -force, since, counts)
        way, rate = a[0] - b[0], a[1] - b[1]


@noinline
def _begin_contact(params: FilterParams, s, T, mock_ups: Output, n, point, force, k, c):
    """The impulse since the contact's onset, from its first sample; the point on both bodies; delta
    unknown."""
    s.on_chaser = rotate_back(mock_ups.chaser.q, subtract(point, mock_ups.chaser.p))
    s.on_target = rotate_back(mock_ups.target.q, subtract(point, mock_ups.target.p))
    if params.modes.chaser < 0:
        _push_joints(params, s, T, mock_ups, n, point, force=force, k=k, c=c)
    else:
        _ramp_arms(params.modes, s, T, mock_ups, n, point, force=force, k=k, c=c)
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
    depth = _compute_way(s, mock_ups, n) + _compute_deflection(s, mock_ups, n, point) + s.delta
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
    chaser, target = (gain * g[0], gain * g[1]), (gain * g[2], gain * g[3])
    _shift_both(params, s, mock_ups, n, point, chaser, target)
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
    mock_up.spin = rotate(motor.q, motor.w)
    mock_up.motor = motor


@noinline
def follow_mock_ups(params: FilterParams, s, T, mock_ups: Output, wrench: Wrench, opens):
    """Both mock-ups a cycle on, under the measured wrench on the chaser's (about its centre of
    mass, world; zero: no contact). `opens`: a contact's first sample, of which `place_environment`
    makes the impulse."""
    c, t, modes = mock_ups.chaser, mock_ups.target, params.modes
    before, after = s.wrench, wrench
    s.wrench = wrench
    if not s.started:
        s.started = True
        _start_mock_up(s.chaser, c)
        _start_mock_up(s.target, t)
        if modes.chaser >= 0:
            _start_arm(s.chaser, MODES(modes.vector, modes.chaser))
            _start_arm(s.target, MODES(modes.vector, modes.target))
        return
    if opens:
        before, after = Wrench(ZERO, ZERO), Wrench(ZERO, ZERO)
    if modes.chaser >= 0:
        apart = subtract(c.p, t.p)
        on_target = opposite(before, apart), opposite(after, apart)
        of_chaser, of_target = MODES(modes.vector, modes.chaser), MODES(modes.vector, modes.target)
        _follow_arm(s.chaser, of_chaser, modes.factor, T, c, before=before, after=after)
        _follow_arm(
            s.target, of_target, modes.factor, T, t, before=on_target[0], after=on_target[1]
        )
        return
    f0 = before.force
    slope = scale(1.0 / T, subtract(after.force, f0))
    _deflect(s.chaser, params.chaser, T, c, f0, slope)
    _deflect(s.target, params.target, T, t, scale(-1.0, f0), scale(-1.0, slope))


@noinline
def place_environment(params: FilterParams, s, T, mock_ups: Output, n, point, force, k, c, opens):
    """x_e - x_c along n, from where the motors are [m]; its rate as the mock-ups really close
    [m/s]. `k`, `c`: of the mock-ups' contact."""
    params = reduce_arms(params, mock_ups, n, point, T)
    if opens:
        _begin_contact(params, s, T, mock_ups, n, point, force=force, k=k, c=c)
    else:
        _spread(params, s, T)
    _update(params, s, mock_ups, n, point, force, k=k, c=c)
    return _compute_way(s, mock_ups, n) + s.delta, _compute_closing(s, mock_ups, n, point)
