"""The published way: the force of the cycle's start is held over it, momentum first (symplectic
Euler); and flight without force."""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Satellites, Wrenches
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.vectors import (
    add_scaled,
    multiply,
)
from softdock.methods.remapping.wanted_contact import (
    force_now,
    lost_in,
    mobility,
    touch_of,
    wrenches_of,
)
from softdock.methods.remapping.wanted_steps import arrived, half_way, sum_of


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
    return arrived(
        params,
        dt,
        body,
        half_way(params, dt, body).q,
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
        rig,
        model,
        satellites,
        touch,
        mobility=mobility(rig, satellites, touch),
        force=force,
        elastic=elastic,
        dt=duration,
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
