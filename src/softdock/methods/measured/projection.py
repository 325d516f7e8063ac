"""How a method takes energy from two free bodies, or gives it: in the kinetic metric, with
the pair's momenta kept.

Both change the momenta by an internal impulse, equal and opposite about one common point, so that
linear and angular momentum of the pair stay to the last bit. With one body fixed there is no such
momentum to keep.

wrench            The impulse is along the measured wrench: only the motion that the contact can
                  change is changed. The kinetic energy along this line is a parabola; its least
                  value is the energy that the contact cannot touch.
relative_motion   Of all internal impulses the one that is least in the kinetic metric: the motion
                  relative to that of the pair welded together is scaled. Sliding and relative spin,
                  which the contact did not cause, are scaled too.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Rig, Satellites
from softdock.loop.spatial.motion import Wrench, opposite
from softdock.loop.spatial.rigid_body import Body, BodyParams, body_rate, kinetic_energy
from softdock.loop.spatial.rotations import exponential, product, renormalise, rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    multiply,
    scale,
    subtract,
    symmetric_inverse,
    symmetric_times,
)
from softdock.methods.measured.line_of_action import compute_mobility


class Line(NamedTuple):
    """Internal impulses along one wrench: per unit of impulse."""

    chaser: Wrench
    target: Wrench
    mobility: float  # (m/s) per Ns: the inverse of the effective mass
    speed: float  # m/s along the wrench; > 0: the bodies move as the wrench pushes, apart


@compiled
def compute_power(params: BodyParams, body: Body, wrench: Wrench):
    """Power [W] of a wrench on a body."""
    if params.fixed:
        return 0.0
    return dot(wrench.force, body.v) + dot(
        wrench.torque, rotate(body.q, body_rate(params, body.q, body.L))
    )


@compiled
def find_line(rig: Rig, satellites: Satellites, wrench: Wrench):
    """`wrench`: on the chaser, of unit force."""
    c, t = satellites.chaser, satellites.target
    other = opposite(wrench, subtract(c.p, t.p))
    mobility = compute_mobility(rig.chaser, c.q, wrench) + compute_mobility(rig.target, t.q, other)
    return Line(
        wrench,
        other,
        mobility,
        compute_power(rig.chaser, c, wrench) + compute_power(rig.target, t, other),
    )


@compiled
def _push(params: BodyParams, body: Body, impulse, wrench: Wrench):
    if params.fixed:
        return body
    v = add_scaled(body.v, impulse, multiply(params.inverse_mass, wrench.force))
    return Body(body.p, body.q, v, add_scaled(body.L, impulse, wrench.torque))


@compiled
def push_along(rig: Rig, satellites: Satellites, line: Line, impulse):
    """Both bodies after an internal impulse [Ns] along the line."""
    return Satellites(
        _push(rig.chaser, satellites.chaser, impulse, line.chaser),
        _push(rig.target, satellites.target, impulse, line.target),
    )


@compiled
def _world_inertia(params: BodyParams, q):
    """Inertia about the centre of mass, world axes: columns from the three unit vectors."""
    x = rotate(q, symmetric_times(params.inertia, rotate_back(q, (1.0, 0.0, 0.0))))
    y = rotate(q, symmetric_times(params.inertia, rotate_back(q, (0.0, 1.0, 0.0))))
    z = rotate(q, symmetric_times(params.inertia, rotate_back(q, (0.0, 0.0, 1.0))))
    return (x[0], y[1], z[2], y[0], z[0], z[1])


@compiled
def _steiner(mass, r):
    rr = dot(r, r)
    return (
        mass * (rr - r[0] * r[0]),
        mass * (rr - r[1] * r[1]),
        mass * (rr - r[2] * r[2]),
        -mass * r[0] * r[1],
        -mass * r[0] * r[2],
        -mass * r[1] * r[2],
    )


@noinline
def weld_pair(rig: Rig, satellites: Satellites):
    """Both bodies moving as one rigid body with the same linear and angular momentum. A fixed body:
    both at rest. Masses must not differ per axis."""
    c, t = satellites.chaser, satellites.target
    zero = (0.0, 0.0, 0.0)
    if rig.chaser.fixed or rig.target.fixed:
        return Satellites(Body(c.p, c.q, zero, zero), Body(t.p, t.q, zero, zero))
    m_c, m_t = rig.chaser.mass[0], rig.target.mass[0]
    share = m_c / (m_c + m_t)
    v = add(scale(share, c.v), scale(1.0 - share, t.v))
    centre = add(scale(share, c.p), scale(1.0 - share, t.p))
    r_c, r_t = subtract(c.p, centre), subtract(t.p, centre)
    momentum = add(
        add(c.L, t.L),
        add(scale(m_c, cross(r_c, subtract(c.v, v))), scale(m_t, cross(r_t, subtract(t.v, v)))),
    )
    I_c, I_t, S_c, S_t = (
        _world_inertia(rig.chaser, c.q),
        _world_inertia(rig.target, t.q),
        _steiner(m_c, r_c),
        _steiner(m_t, r_t),
    )
    whole = (
        I_c[0] + I_t[0] + S_c[0] + S_t[0],
        I_c[1] + I_t[1] + S_c[1] + S_t[1],
        I_c[2] + I_t[2] + S_c[2] + S_t[2],
        I_c[3] + I_t[3] + S_c[3] + S_t[3],
        I_c[4] + I_t[4] + S_c[4] + S_t[4],
        I_c[5] + I_t[5] + S_c[5] + S_t[5],
    )
    w = symmetric_times(symmetric_inverse(whole), momentum)
    chaser = Body(c.p, c.q, add(v, cross(w, r_c)), symmetric_times(I_c, w))
    return Satellites(chaser, Body(t.p, t.q, add(v, cross(w, r_t)), symmetric_times(I_t, w)))


@compiled
def _mix(weld: Body, body: Body, factor):
    return Body(
        body.p,
        body.q,
        add_scaled(weld.v, factor, subtract(body.v, weld.v)),
        add_scaled(weld.L, factor, subtract(body.L, weld.L)),
    )


@compiled
def scale_relative(rig: Rig, satellites: Satellites, weld: Satellites, factor):
    """The motion relative to the welded pair's times `factor`."""
    return Satellites(
        _mix(weld.chaser, satellites.chaser, factor),
        _mix(weld.target, satellites.target, factor),
    )


@compiled
def _carry(params: BodyParams, T, before: Body, after: Body):
    """The pose that the change of velocity, had it come evenly over the cycle, would have made."""
    if params.fixed:
        return after
    turned = scale(
        0.5 * T,
        subtract(body_rate(params, after.q, after.L), body_rate(params, before.q, before.L)),
    )
    p = add_scaled(after.p, 0.5 * T, subtract(after.v, before.v))
    return Body(p, renormalise(product(after.q, exponential(turned))), after.v, after.L)


@compiled
def carry_poses(rig: Rig, before: Satellites, after: Satellites):
    """The corrected satellites with poses to match, so that set-points and their velocities agree.
    The pair's angular momentum, which moving the bodies aside would change, is put right in their
    spins, by mass."""
    chaser, target = (
        _carry(rig.chaser, rig.T, before.chaser, after.chaser),
        _carry(rig.target, rig.T, before.target, after.target),
    )
    if rig.chaser.fixed or rig.target.fixed:
        return Satellites(chaser, target)
    aside_c, aside_t = subtract(chaser.p, after.chaser.p), subtract(target.p, after.target.p)
    extra = add(
        cross(aside_c, multiply(rig.chaser.mass, chaser.v)),
        cross(aside_t, multiply(rig.target.mass, target.v)),
    )
    share = rig.chaser.mass[0] / (rig.chaser.mass[0] + rig.target.mass[0])
    c = Body(chaser.p, chaser.q, chaser.v, add_scaled(chaser.L, -share, extra))
    return Satellites(
        c, Body(target.p, target.q, target.v, add_scaled(target.L, share - 1.0, extra))
    )


@compiled
def pair_energy(rig: Rig, satellites: Satellites):
    return kinetic_energy(rig.chaser, satellites.chaser) + kinetic_energy(
        rig.target, satellites.target
    )
