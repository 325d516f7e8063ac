"""What others (thrusters, other methods) gave the satellites in a cycle of the re-mapping, and
where it leads them."""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams, body_rate
from softdock.loop.spatial.rotations import exponential, product, renormalise
from softdock.loop.spatial.vectors import add_scaled, multiply, scale, subtract
from softdock.methods.remapping.wanted_held_force import push


@compiled
def compute_others(params: BodyParams, T, before: Body, after: Body, mean: Wrench):
    """What a body got in this cycle besides the wanted contact, as a constant wrench."""
    if params.fixed:
        return no_wrench()
    force = subtract(multiply(params.mass, scale(1.0 / T, subtract(after.v, before.v))), mean.force)
    return Wrench(force, subtract(scale(1.0 / T, subtract(after.L, before.L)), mean.torque))


@compiled
def _carry(params: BodyParams, T, body: Body, half: Body):
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
def add_others(rig: Rig, satellites: Satellites, others: Wrenches):
    """The satellites at the end of the cycle, had others pushed them as well."""
    half = push(rig, 0.5 * rig.T, satellites, others)
    chaser, target = (
        _carry(rig.chaser, rig.T, satellites.chaser, half.chaser),
        _carry(rig.target, rig.T, satellites.target, half.target),
    )
    return push(rig, 0.5 * rig.T, Satellites(chaser, target), others)


@compiled
def carry_ahead(rig: Rig, satellites: Satellites, others: Wrenches, ahead):
    """The satellites `ahead` [s] of the end of a cycle in which others pushed, on the way that they
    would have gone without; exact where nothing touches until then."""
    given, dt = push(rig, rig.T, satellites, others), ahead + 0.5 * rig.T
    return Satellites(
        _carry(rig.chaser, dt, satellites.chaser, given.chaser),
        _carry(rig.target, dt, satellites.target, given.target),
    )
