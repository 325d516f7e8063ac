"""The published way: the force of the cycle's start is held over it, momentum first (symplectic
Euler); and flight without force."""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.loop.spatial.vectors import add_scaled, multiply
from softdock.methods.remapping.wanted_contact import (
    Model,
    compute_force,
    compute_loss,
    compute_mobility,
    compute_touch,
    compute_wrenches,
)
from softdock.methods.remapping.wanted_steps import add_wrench, arrive, move_half_way


@compiled
def _push_body(params: BodyParams, dt, body: Body, wrench: Wrench):
    if params.fixed:
        return body
    return Body(
        body.p,
        body.q,
        add_scaled(body.v, dt, multiply(params.inverse_mass, wrench.force)),
        add_scaled(body.L, dt, wrench.torque),
    )


@compiled
def push(rig: Rig, dt, satellites: Satellites, wrenches: Wrenches):
    """After an impulse: wrenches times dt."""
    return Satellites(
        _push_body(rig.chaser, dt, satellites.chaser, wrenches.chaser),
        _push_body(rig.target, dt, satellites.target, wrenches.target),
    )


@compiled
def _coast(params: BodyParams, dt, body: Body):
    """A body after dt without force."""
    return arrive(
        params,
        dt,
        body,
        move_half_way(params, dt, body).q,
        no_wrench(),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    )


@compiled
def hold_cycle(rig: Rig, model: Model, satellites: Satellites, duration, others: Wrenches):
    """The same with the force of the start, held: momentum first, then the pose."""
    touch = compute_touch(rig, model, satellites)
    force, elastic = compute_force(model.law, touch)
    lost = compute_loss(
        rig,
        model,
        satellites,
        touch,
        mobility=compute_mobility(rig, satellites, touch),
        force=force,
        elastic=elastic,
        dt=duration,
    )
    w = Wrenches(no_wrench(), no_wrench())
    if force != 0.0:
        w = compute_wrenches(model, satellites.target.q, touch, force)
    satellites = push(
        rig,
        duration,
        satellites,
        Wrenches(
            add_wrench(w.chaser, others.chaser, 1.0), add_wrench(w.target, others.target, 1.0)
        ),
    )
    return (
        Satellites(
            _coast(rig.chaser, duration, satellites.chaser),
            _coast(rig.target, duration, satellites.target),
        ),
        w,
        lost,
    )
