"""The satellites while they feel the wanted contact: steps shorter than a cycle, and flight without
force.

Within a cycle bodies turn little and the contact is short: normal and levers are those of the
cycle's middle (on the path without force), and along the normal there is one equation, o'' = -f(o,
o') / m with the effective mass m, which is solved in steps: half a drift, an impulse, half a drift.
Second order, and for a spring as good at giving back as at taking. The impulse and its moment in
time then move both bodies at once: linear and angular momentum are kept to rounding, whatever the
steps. `held_cycle` is the published way: the force of the cycle's start is held, momentum first
(symplectic Euler).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.adaptation.interface import Satellites, Wrenches
from softdock.core.adaptation.remapping.wanted.contact import (
    force_now,
    force_over,
    is_zero,
    lost_in,
    mobility,
    touch_of,
    wrenches_of,
)
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import Wrench, no_wrench
from softdock.core.spatial.rigid_body import Body
from softdock.core.spatial.rotations import exponential, product, renormalise, rotate, rotate_back
from softdock.core.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    multiply,
    negate,
    scale,
    subtract,
    symmetric_times,
)


class HalfWay(NamedTuple):
    """A body in the middle of a cycle without force."""

    q: tuple
    rate: tuple  # world axes, rad/s


class Lever(NamedTuple):
    """What an impulse along the normal does to a body."""

    torque: tuple  # per unit of it, world axes, m
    spin: tuple  # change of the angular velocity, body axes, 1/(kg m)
    ease: float  # change of the velocity along the normal, 1/kg


class Push(NamedTuple):
    """Of the contact in a cycle, along the normal."""

    impulse: float  # Ns
    moment: float  # Ns s: impulse times the time left in the cycle
    lasted: float  # s
    lost: float  # J, taken and not stored


@compiled
def _turned(params, dt, q, L, extra):
    """Attitude after dt and a small rotation besides (body axes), and the rate there (body axes):
    the momentum stays, in body axes it turns."""
    L_B = rotate_back(q, L)
    w = symmetric_times(params.inverse_inertia, L_B)
    change = symmetric_times(params.inverse_inertia, cross(L_B, w))
    q = product(q, exponential(add(extra, add_scaled(scale(dt, w), 0.5 * dt * dt, change))))
    return q, add_scaled(w, dt, change)


@compiled
def _half_way(params, T, body):
    if params.fixed or is_zero(body.L):
        return HalfWay(body.q, (0.0, 0.0, 0.0))
    q, w = _turned(params, 0.5 * T, body.q, body.L, (0.0, 0.0, 0.0))
    return HalfWay(q, rotate(q, w))


@compiled
def _lever(params, q, arm, n):
    torque = cross(arm, n)
    if params.fixed:
        return Lever(torque, (0.0, 0.0, 0.0), 0.0)
    turning = rotate_back(q, torque)
    spin = symmetric_times(params.inverse_inertia, turning)
    return Lever(torque, spin, dot(n, multiply(params.inverse_mass, n)) + dot(turning, spin))


@compiled
def _arrived(params, T, body, q, impulse, moment, extra):
    """A body at the end of a cycle: `q`, its attitude in the middle; `impulse` (force and torque)
    and the force's moment in time; `extra`: rotation besides."""
    if params.fixed:
        return body
    v, L = add(body.v, multiply(params.inverse_mass, impulse.force)), add(body.L, impulse.torque)
    p = add(add_scaled(body.p, T, body.v), multiply(params.inverse_mass, moment))
    if not is_zero(L):
        q = renormalise(_turned(params, 0.5 * T, q, L, extra)[0])
    return Body(p, q, v, L)


@compiled
def _yield_to(params, q, couple):
    """couple . I^-1 couple."""
    if params.fixed:
        return 0.0
    turning = rotate_back(q, couple)
    return dot(turning, symmetric_times(params.inverse_inertia, turning))


@compiled
def _pushed_in_steps(law, overlap, rate, ease, by_others, by_couple, turning, yielding, T, steps):
    """The contact along the normal in steps; overlap and rate of the cycle's start. `by_others`,
    `by_couple`: change of the rate [m/s^2]; `turning`: power of the couple [W], `yielding`: its
    growth by the couple itself [W/s]."""
    dt = T / steps
    impulse, moment, lasted, lost = 0.0, 0.0, 0.0, 0.0
    for i in range(steps):
        overlap += 0.5 * dt * rate
        force, elastic = force_over(law, overlap, rate, ease, dt)
        if force != 0.0 or elastic != 0.0:
            lost += (
                (force - elastic)
                * dt
                * (rate - 0.5 * dt * (ease * force + (by_couple if force != 0.0 else 0.0)))
            )
            impulse += dt * force
            moment += dt * force * (T - (i + 0.5) * dt)
            rate -= dt * ease * force
            if force != 0.0:
                lasted += dt
                lost -= dt * (turning + 0.5 * dt * (by_couple * force + yielding))
                turning += dt * (by_couple * force + yielding)
                rate -= dt * by_couple
        rate += dt * by_others
        overlap += 0.5 * dt * rate
    return Push(impulse, moment, lasted, lost)


@compiled
def sum_of(a, b, factor):
    """a + factor b, on one body."""
    return Wrench(add_scaled(a.force, factor, b.force), add_scaled(a.torque, factor, b.torque))


@compiled
def _any(wrenches):
    c, t = wrenches.chaser, wrenches.target
    return not (is_zero(c.force) and is_zero(c.torque) and is_zero(t.force) and is_zero(t.torque))


@compiled
def _impulse(sign, push, n, lever, late, sliding, couple):
    """Of the contact on one body, force and torque times time. `late`: the impulse's moment beside
    that of the cycle's middle [Ns s]; by then the contact point has moved on, at `sliding` from the
    body's centre: without that the pair's angular momentum would change."""
    torque = add_scaled(scale(push.impulse, lever.torque), -late, cross(sliding, n))
    return Wrench(
        scale(sign * push.impulse, n), scale(sign, add_scaled(torque, push.lasted, couple))
    )  # Lange eqs. 13, 21, 27, 28


@compiled
def in_steps(rig, model, satellites, T, steps, others):
    """Satellites after a cycle of T in steps under the wanted contact and constant other wrenches,
    the contact's mean wrenches, the energy it lost [J]."""
    c, t = satellites.chaser, satellites.target
    chaser, target = _half_way(rig.chaser, T, c), _half_way(rig.target, T, t)
    n, arm = rotate(target.q, model.normal), rotate(chaser.q, model.on_chaser)
    from_target = add(add_scaled(subtract(c.p, t.p), 0.5 * T, subtract(c.v, t.v)), arm)
    rate = dot(
        n,
        add(subtract(t.v, c.v), subtract(cross(target.rate, from_target), cross(chaser.rate, arm))),
    )
    overlap = (
        model.depth + dot(model.normal, model.on_target) - dot(n, from_target) - 0.5 * T * rate
    )
    on_chaser, on_target = (
        _lever(rig.chaser, chaser.q, arm, n),
        _lever(rig.target, target.q, from_target, n),
    )
    by_others, by_couple, turning, yielding, couple = 0.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0)
    if _any(others):
        pulled = subtract(
            multiply(rig.target.inverse_mass, others.target.force),
            multiply(rig.chaser.inverse_mass, others.chaser.force),
        )
        by_others = dot(n, pulled) + dot(
            rotate_back(target.q, others.target.torque), on_target.spin
        )
        by_others -= dot(rotate_back(chaser.q, others.chaser.torque), on_chaser.spin)
    if not is_zero(model.couple):
        couple = rotate(target.q, model.couple)
        by_couple = dot(rotate_back(chaser.q, couple), on_chaser.spin) + dot(
            model.couple, on_target.spin
        )
        turning = dot(couple, subtract(chaser.rate, target.rate))
        yielding = _yield_to(rig.chaser, chaser.q, couple) + _yield_to(rig.target, target.q, couple)
    ease = on_chaser.ease + on_target.ease
    push = _pushed_in_steps(
        model.law, overlap, rate, ease, by_others, by_couple, turning, yielding, T, steps
    )
    late = push.moment - 0.5 * T * push.impulse
    turning_arm = cross(chaser.rate, arm)
    to_chaser = _impulse(1.0, push, n, on_chaser, late, turning_arm, couple)
    to_target = _impulse(
        -1.0, push, n, on_target, late, add(subtract(c.v, t.v), turning_arm), couple
    )
    moment, half = scale(push.moment, n), 0.5 * T * T
    c = _arrived(
        rig.chaser,
        T,
        c,
        chaser.q,
        sum_of(to_chaser, others.chaser, T),
        add_scaled(moment, half, others.chaser.force),
        scale(late, on_chaser.spin),
    )
    moment = add_scaled(negate(moment), half, others.target.force)
    t = _arrived(
        rig.target,
        T,
        t,
        target.q,
        sum_of(to_target, others.target, T),
        moment,
        scale(-late, on_target.spin),
    )
    nothing = no_wrench()
    return (
        Satellites(c, t),
        Wrenches(sum_of(nothing, to_chaser, 1.0 / T), sum_of(nothing, to_target, 1.0 / T)),
        push.lost,
    )


@compiled
def _pushed(params, dt, body, wrench):
    if params.fixed:
        return body
    return Body(
        body.p,
        body.q,
        add_scaled(body.v, dt, multiply(params.inverse_mass, wrench.force)),
        add_scaled(body.L, dt, wrench.torque),
    )


@compiled
def pushed(rig, dt, satellites, wrenches):
    """After an impulse: wrenches times dt."""
    return Satellites(
        _pushed(rig.chaser, dt, satellites.chaser, wrenches.chaser),
        _pushed(rig.target, dt, satellites.target, wrenches.target),
    )


@compiled
def _flown(params, dt, body):
    """A body after dt without force."""
    return _arrived(
        params,
        dt,
        body,
        _half_way(params, dt, body).q,
        no_wrench(),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    )


@compiled
def held_cycle(rig, model, satellites, duration, others):
    """The same with the force of the start, held: momentum first, then the pose."""
    touch = touch_of(rig, model, satellites)
    force, elastic = force_now(model.law, touch)
    lost = lost_in(
        rig, model, satellites, touch, mobility(rig, satellites, touch), force, elastic, duration
    )
    w = Wrenches(no_wrench(), no_wrench())
    if force != 0.0:
        w = wrenches_of(model, satellites.target.q, touch, force)
    satellites = pushed(
        rig,
        duration,
        satellites,
        Wrenches(sum_of(w.chaser, others.chaser, 1.0), sum_of(w.target, others.target, 1.0)),
    )
    return (
        Satellites(
            _flown(rig.chaser, duration, satellites.chaser),
            _flown(rig.target, duration, satellites.target),
        ),
        w,
        lost,
    )


steps_apart = apart(in_steps)  # called once or a few times a cycle: one copy of its code will do


@compiled
def desired_cycle(rig, model, satellites, substeps, others):
    """One cycle, in substeps or with a held force: satellites after it, the contact's mean
    wrenches, and what it took and does not store [J]. Inlined, for the many cycles of a rewind."""
    if substeps > 1:
        return in_steps(rig, model, satellites, rig.T, substeps, others)
    return held_cycle(rig, model, satellites, rig.T, others)


@apart
def this_cycle(rig, model, satellites, substeps):
    """The same for the one under way, in which others have not acted yet."""
    nothing = Wrenches(no_wrench(), no_wrench())
    if substeps > 1:
        return steps_apart(rig, model, satellites, rig.T, substeps, nothing)
    return held_cycle(rig, model, satellites, rig.T, nothing)
