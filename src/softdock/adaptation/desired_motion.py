"""The satellites while they feel the wanted contact: steps shorter than a cycle, and flight without force.

A step is half a drift, an impulse, half a drift: second order, and for a spring as good at giving back as at taking (the middle of the step is where the
force is taken). `held_cycle` is the published way: the force of the cycle's start is held, momentum first (symplectic Euler).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.adaptation.desired_contact import (
    force_now,
    force_over,
    is_zero,
    lost_in,
    mobility,
    touch_of,
    touch_spinning,
    wrenches_of,
)
from softdock.adaptation.interface import Satellites, Wrenches
from softdock.compiled import apart, compiled
from softdock.spatial.motion import Wrench, no_wrench
from softdock.spatial.rigid_body import Body
from softdock.spatial.rotations import exponential, product, renormalise, rotate_back
from softdock.spatial.vectors import add_scaled, cross, multiply, scale, symmetric_times


class Flight(NamedTuple):
    """Satellites with the angular velocities that belong to them, body axes; after the flight of a step."""

    satellites: Satellites
    chaser_rate: tuple
    target_rate: tuple


@compiled
def _flown(params, dt, body):
    """A body after dt without force, and its rate: the momentum stays, the attitude turns with the rate of the middle; rates to first order in dt."""
    if params.fixed:
        return body, (0.0, 0.0, 0.0)
    p = add_scaled(body.p, dt, body.v)
    if is_zero(body.L):
        return Body(p, body.q, body.v, body.L), (0.0, 0.0, 0.0)
    L_B = rotate_back(body.q, body.L)
    w = symmetric_times(params.inverse_inertia, L_B)
    change = symmetric_times(params.inverse_inertia, cross(L_B, w))  # the momentum turns in body axes
    q = product(body.q, exponential(add_scaled(scale(dt, w), 0.5 * dt * dt, change)))
    return Body(p, q, body.v, body.L), add_scaled(w, dt, change)


@compiled
def flown(rig, dt, satellites):
    chaser, chaser_rate = _flown(rig.chaser, dt, satellites.chaser)
    target, target_rate = _flown(rig.target, dt, satellites.target)
    return Flight(Satellites(chaser, target), chaser_rate, target_rate)


@compiled
def _upright(body):
    return Body(body.p, renormalise(body.q), body.v, body.L)


@compiled
def upright(satellites):
    """With attitudes of length one: many products have led them astray by rounding."""
    return Satellites(_upright(satellites.chaser), _upright(satellites.target))


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


@compiled
def _any(wrenches):
    c, t = wrenches.chaser, wrenches.target
    return not (is_zero(c.force) and is_zero(c.torque) and is_zero(t.force) and is_zero(t.torque))


@apart
def stepped(rig, model, satellites, duration, steps, others):
    """Satellites after some equal steps under the wanted contact and constant other wrenches, the contact's mean wrenches, the energy it lost [J]."""
    dt, share, ease = duration / steps, 1.0 / steps, 0.0
    if model.law.damping != 0.0:
        ease = mobility(rig, satellites, touch_of(rig, model, satellites))  # it changes with the attitudes only
    lost, chaser, target = 0.0, no_wrench(), no_wrench()
    pushed_by_others = _any(others)
    flight = flown(rig, 0.5 * dt, satellites)
    for i in range(steps):
        here = flight.satellites
        touch = touch_spinning(model, here, flight.chaser_rate, flight.target_rate)
        force, elastic = force_over(model.law, touch, ease, dt)
        if force != 0.0 or elastic != 0.0:
            lost += lost_in(rig, model, here, touch, ease, force, elastic, dt)
            w = wrenches_of(model, here.target.q, touch, force)
            here = pushed(rig, dt, here, w)
            chaser, target = sum_of(chaser, w.chaser, share), sum_of(target, w.target, share)
        if pushed_by_others:
            here = pushed(rig, dt, here, others)
        flight = flown(rig, dt if i < steps - 1 else 0.5 * dt, here)
    return upright(flight.satellites), Wrenches(chaser, target), lost


@apart
def held_cycle(rig, model, satellites, duration, others):
    """The same with the force of the start, held: momentum first, then the pose."""
    touch = touch_of(rig, model, satellites)
    force, elastic = force_now(model.law, touch)
    lost = lost_in(rig, model, satellites, touch, mobility(rig, satellites, touch), force, elastic, duration)
    w = Wrenches(no_wrench(), no_wrench())
    if force != 0.0:
        w = wrenches_of(model, satellites.target.q, touch, force)
    satellites = pushed(rig, duration, satellites, Wrenches(sum_of(w.chaser, others.chaser, 1.0), sum_of(w.target, others.target, 1.0)))
    return upright(flown(rig, duration, satellites).satellites), w, lost


@compiled
def desired_cycle(rig, model, satellites, substeps, others):
    """One cycle, in substeps or with a held force: satellites after it, the contact's mean wrenches, and what it took and does not store [J]."""
    if substeps > 1:
        return stepped(rig, model, satellites, rig.T, substeps, others)
    return held_cycle(rig, model, satellites, rig.T, others)
