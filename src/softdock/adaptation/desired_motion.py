"""The satellites while they feel the wanted contact: steps shorter than a cycle, and flight without force.

A step is half a drift, an impulse, half a drift: second order, and for a spring as good at giving back as at taking (the middle of the step is where the
force is taken). `held_cycle` is the published way: the force of the cycle's start is held, momentum first (symplectic Euler).
"""

from __future__ import annotations

from softdock.adaptation.desired_contact import elastic_energy, force_now, force_over, lost_in, mobility, touch_apart, touch_of, wrenches_of
from softdock.adaptation.interface import Satellites, Wrenches
from softdock.compiled import apart, compiled
from softdock.spatial.motion import Wrench, no_wrench
from softdock.spatial.rigid_body import Body, body_rate
from softdock.spatial.rotations import exponential, product, renormalise
from softdock.spatial.vectors import add_scaled, multiply, scale


@compiled
def _flown(params, dt, body):
    """A body after dt without force: the momentum stays, the attitude turns with the rate of the middle."""
    if params.fixed:
        return body
    w = body_rate(params, body.q, body.L)
    if w[0] == 0.0 and w[1] == 0.0 and w[2] == 0.0:
        return Body(add_scaled(body.p, dt, body.v), body.q, body.v, body.L)
    w = body_rate(params, product(body.q, exponential(scale(0.5 * dt, w))), body.L)
    return Body(add_scaled(body.p, dt, body.v), renormalise(product(body.q, exponential(scale(dt, w)))), body.v, body.L)


@compiled
def flown(rig, dt, satellites):
    return Satellites(_flown(rig.chaser, dt, satellites.chaser), _flown(rig.target, dt, satellites.target))


@compiled
def _pushed(params, dt, body, wrench):
    if params.fixed:
        return body
    return Body(body.p, body.q, add_scaled(body.v, dt, multiply(params.inverse_mass, wrench.force)), add_scaled(body.L, dt, wrench.torque))


@compiled
def pushed(rig, dt, satellites, wrenches):
    """After an impulse: wrenches times dt."""
    return Satellites(_pushed(rig.chaser, dt, satellites.chaser, wrenches.chaser), _pushed(rig.target, dt, satellites.target, wrenches.target))


@compiled
def sum_of(a, b, factor):
    """a + factor b, on one body."""
    return Wrench(add_scaled(a.force, factor, b.force), add_scaled(a.torque, factor, b.torque))


@apart
def stepped(rig, model, satellites, duration, steps, others):
    """Satellites after some equal steps under the wanted contact and constant other wrenches, the contact's mean wrenches, the energy it took [J]."""
    dt = duration / steps
    taken = -elastic_energy(model.law, touch_apart(rig, model, satellites).overlap)
    chaser, target = no_wrench(), no_wrench()
    satellites = flown(rig, 0.5 * dt, satellites)
    for i in range(steps):
        touch = touch_of(rig, model, satellites)
        ease = mobility(rig, satellites, touch)
        force, elastic = force_over(model.law, touch, ease, dt)
        taken += lost_in(rig, model, satellites, touch, ease, force, elastic, dt)
        if force != 0.0:
            w = wrenches_of(model, satellites.target.q, touch, force)
            satellites = pushed(rig, dt, satellites, w)
            chaser, target = sum_of(chaser, w.chaser, 1.0 / steps), sum_of(target, w.target, 1.0 / steps)
        satellites = pushed(rig, dt, satellites, others)
        satellites = flown(rig, dt if i < steps - 1 else 0.5 * dt, satellites)
    taken += elastic_energy(model.law, touch_apart(rig, model, satellites).overlap)
    return satellites, Wrenches(chaser, target), taken


@apart
def held_cycle(rig, model, satellites, duration, others):
    """The same with the force of the start, held: momentum first, then the pose."""
    touch = touch_apart(rig, model, satellites)
    force, elastic = force_now(model.law, touch)
    taken = lost_in(rig, model, satellites, touch, mobility(rig, satellites, touch), force, elastic, duration)
    taken -= elastic_energy(model.law, touch.overlap)
    w = Wrenches(no_wrench(), no_wrench())
    if force != 0.0:
        w = wrenches_of(model, satellites.target.q, touch, force)
    satellites = pushed(rig, duration, satellites, Wrenches(sum_of(w.chaser, others.chaser, 1.0), sum_of(w.target, others.target, 1.0)))
    satellites = flown(rig, duration, satellites)
    return satellites, w, taken + elastic_energy(model.law, touch_apart(rig, model, satellites).overlap)


@compiled
def desired_cycle(rig, model, satellites, substeps, others):
    """One cycle, in substeps or with a held force."""
    if substeps > 1:
        return stepped(rig, model, satellites, rig.T, substeps, others)
    return held_cycle(rig, model, satellites, rig.T, others)
