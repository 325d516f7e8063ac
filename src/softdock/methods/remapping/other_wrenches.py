"""What others (thrusters, other methods) gave the satellites in a cycle of the re-mapping, and
where it leads them."""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Satellites
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import Body, body_rate
from softdock.loop.spatial.rotations import exponential, product, renormalise
from softdock.loop.spatial.vectors import add_scaled, multiply, scale, subtract
from softdock.methods.remapping.wanted_held_force import pushed


@compiled
def given_by_others(params, T, before, after, mean):
    """What a body got in this cycle besides the wanted contact, as a constant wrench."""
    if params.fixed:
        return no_wrench()
    force = subtract(multiply(params.mass, scale(1.0 / T, subtract(after.v, before.v))), mean.force)
    return Wrench(force, subtract(scale(1.0 / T, subtract(after.L, before.L)), mean.torque))


@compiled
def _carried(params, T, body, half):
    """A body with half of an impulse in place of none: that much further on the way that a constant
    wrench leads in a cycle."""
    turn = scale(T, subtract(body_rate(params, half.q, half.L), body_rate(params, body.q, body.L)))
    return Body(
        add_scaled(body.p, T, subtract(half.v, body.v)),
        renormalise(product(body.q, exponential(turn))),
        half.v,
        half.L,
    )


@compiled
def with_others(rig, satellites, others):
    """The satellites at the end of the cycle, had others pushed them as well."""
    half = pushed(rig, 0.5 * rig.T, satellites, others)
    chaser, target = (
        _carried(rig.chaser, rig.T, satellites.chaser, half.chaser),
        _carried(rig.target, rig.T, satellites.target, half.target),
    )
    return pushed(rig, 0.5 * rig.T, Satellites(chaser, target), others)


@compiled
def carried_ahead(rig, satellites, others, ahead):
    """The satellites `ahead` [s] of the end of a cycle in which others pushed, on the way that they
    would have gone without; exact where nothing touches until then."""
    given, dt = pushed(rig, rig.T, satellites, others), ahead + 0.5 * rig.T
    return Satellites(
        _carried(rig.chaser, dt, satellites.chaser, given.chaser),
        _carried(rig.target, dt, satellites.target, given.target),
    )
