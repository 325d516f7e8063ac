"""The satellites while they feel the wanted contact: steps shorter than a cycle, and flight without
force.

Within a cycle bodies turn little and the contact is short: normal and levers are those of the
cycle's middle (on the path without force), and along the normal there is one equation, o'' = -f(o,
o') / m with the effective mass m, which is solved in steps: half a drift, an impulse, half a drift.
Second order, and for a spring as good at giving back as at taking. The impulse and its moment in
time then move both bodies at once: linear and angular momentum are kept to rounding, whatever the
steps. `hold_cycle` is the published way: the force of the cycle's start is held, momentum first
(symplectic Euler).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import BodyParams
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
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
from softdock.methods.remapping.wanted_contact import Law, Model, compute_mean_force, is_zero
from softdock.methods.remapping.wanted_held_force import hold_cycle
from softdock.methods.remapping.wanted_steps import add_wrench, arrive, move_half_way


class Lever(NamedTuple):
    """What an impulse along the normal does to a body."""

    torque: tuple  # per unit of it, world axes, m
    spin: tuple  # change of the angular velocity, body axes, 1/(kg m)
    ease: float  # change of the velocity along the normal, 1/kg


class Push(NamedTuple):
    """What the contact does in a cycle, along the normal."""

    impulse: float  # Ns
    moment: float  # Ns s: impulse times the time left in the cycle
    lasted: float  # s
    lost: float  # J, taken and not stored


@compiled
def _compute_lever(params: BodyParams, q, arm, n):
    torque = cross(arm, n)
    if params.fixed:
        return Lever(torque, (0.0, 0.0, 0.0), 0.0)
    turning = rotate_back(q, torque)
    spin = symmetric_times(params.inverse_inertia, turning)
    return Lever(torque, spin, dot(n, multiply(params.inverse_mass, n)) + dot(turning, spin))


@compiled
def _yield_to_couple(params: BodyParams, q, couple):
    """couple . I^-1 couple."""
    if params.fixed:
        return 0.0
    turning = rotate_back(q, couple)
    return dot(turning, symmetric_times(params.inverse_inertia, turning))


@compiled
def _push_in_steps(
    law: Law, overlap, rate, ease, by_others, by_couple, turning, yielding, T, steps
):
    """The contact along the normal in steps; overlap and rate of the cycle's start. `by_others`,
    `by_couple`: change of the rate [m/s^2]; `turning`: power of the couple [W], `yielding`: its
    growth by the couple itself [W/s]."""
    dt = T / steps
    impulse, moment, lasted, lost = 0.0, 0.0, 0.0, 0.0
    for i in range(steps):
        overlap += 0.5 * dt * rate
        force, elastic = compute_mean_force(law, overlap, rate, ease, dt)
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
def _is_any(wrenches: Wrenches):
    c, t = wrenches.chaser, wrenches.target
    return not (is_zero(c.force) and is_zero(c.torque) and is_zero(t.force) and is_zero(t.torque))


@compiled
def _compute_impulse(sign, push: Push, n, lever: Lever, late, sliding, couple):
    """Impulse of the contact on one body, force and torque times time. `late`: the impulse's moment
    beside that of the cycle's middle [Ns s]; by then the contact point has moved on, at `sliding`
    from the body's centre: without that the pair's angular momentum would change."""
    torque = add_scaled(scale(push.impulse, lever.torque), -late, cross(sliding, n))
    return Wrench(
        scale(sign * push.impulse, n), scale(sign, add_scaled(torque, push.lasted, couple))
    )  # Lange eqs. 13, 21, 27, 28


@compiled
def take_steps(rig: Rig, model: Model, satellites: Satellites, T, steps, others: Wrenches):
    """Satellites after a cycle of T in steps under the wanted contact and constant other wrenches,
    the contact's mean wrenches, the energy it lost [J]."""
    c, t = satellites.chaser, satellites.target
    chaser, target = move_half_way(rig.chaser, T, c), move_half_way(rig.target, T, t)
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
        _compute_lever(rig.chaser, chaser.q, arm, n),
        _compute_lever(rig.target, target.q, from_target, n),
    )
    by_others, by_couple, turning, yielding, couple = 0.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0)
    if _is_any(others):
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
        yielding = _yield_to_couple(rig.chaser, chaser.q, couple) + _yield_to_couple(
            rig.target, target.q, couple
        )
    ease = on_chaser.ease + on_target.ease
    push = _push_in_steps(
        model.law,
        overlap,
        rate,
        ease,
        by_others,
        by_couple,
        turning,
        yielding=yielding,
        T=T,
        steps=steps,
    )
    late = push.moment - 0.5 * T * push.impulse
    turning_arm = cross(chaser.rate, arm)
    to_chaser = _compute_impulse(1.0, push, n, on_chaser, late, turning_arm, couple)
    to_target = _compute_impulse(
        -1.0, push, n, on_target, late, add(subtract(c.v, t.v), turning_arm), couple
    )
    moment, half = scale(push.moment, n), 0.5 * T * T
    c = arrive(
        rig.chaser,
        T,
        c,
        chaser.q,
        add_wrench(to_chaser, others.chaser, T),
        add_scaled(moment, half, others.chaser.force),
        scale(late, on_chaser.spin),
    )
    moment = add_scaled(negate(moment), half, others.target.force)
    t = arrive(
        rig.target,
        T,
        t,
        target.q,
        add_wrench(to_target, others.target, T),
        moment,
        scale(-late, on_target.spin),
    )
    nothing = no_wrench()
    return (
        Satellites(c, t),
        Wrenches(add_wrench(nothing, to_chaser, 1.0 / T), add_wrench(nothing, to_target, 1.0 / T)),
        push.lost,
    )


# called once or a few times a cycle: one copy of its code will do
take_steps_noinline = noinline(take_steps)


@compiled
def recompute_cycle(rig: Rig, model: Model, satellites: Satellites, substeps, others: Wrenches):
    """One cycle, in substeps or with a held force: satellites after it, the contact's mean
    wrenches, and what it took and does not store [J]. Inlined, for the many cycles of a rewind."""
    if substeps > 1:
        return take_steps(rig, model, satellites, rig.T, substeps, others)
    return hold_cycle(rig, model, satellites, rig.T, others)


@noinline
def compute_cycle(rig: Rig, model: Model, satellites: Satellites, substeps):
    """The same for the one under way, in which others have not acted yet."""
    nothing = Wrenches(no_wrench(), no_wrench())
    if substeps > 1:
        return take_steps_noinline(rig, model, satellites, rig.T, substeps, nothing)
    return hold_cycle(rig, model, satellites, rig.T, nothing)
