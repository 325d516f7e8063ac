"""The contact that the satellites feel: where the environment is, and the wanted law there (Lange
IV).

The touch was measured with the mock-ups; satellites stand elsewhere. One point of the measured
touch is fixed to both bodies (c_C and c_T), the normal n and the depth x_e - x_c of the environment
beyond it to the target. The satellites' overlap is then

    o = (x_e - x_c) + n . (x_dc2 - x_dc1)                  Lange eqs. 31 to 33

whatever the point, and free of the mock-ups' absolute positions; times the stiffness it is Lange
eq. 20. The force acts along n at the chaser's contact point x_dc1, on both satellites: equal,
opposite, about one point. With n fixed to the target that is the gradient of o, so a spring neither
makes nor takes energy or momentum.

Laws, force f [N] of overlap o [m] and its rate; never pulling, unless the scenario's law may:
    spring      k o + D o'          hunt_crossley   k o^e (1 + lambda o')
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.laws import HUNT_CROSSLEY, SPRING_DAMPER, SPRING_DAMPER_PULL
from softdock.loop.method.interface import Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams, body_rate
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    Vector,
    add,
    cross,
    dot,
    multiply,
    negate,
    scale,
    subtract,
    symmetric_times,
)

SPRING, PULLING_SPRING, HUNT = SPRING_DAMPER, SPRING_DAMPER_PULL, HUNT_CROSSLEY


class Law(NamedTuple):
    kind: int
    stiffness: Annotated[float, "N/m^exponent"]
    damping: Annotated[float, "Ns/m or s/m", "hunt: lambda"]
    exponent: float


class Model(NamedTuple):
    """What was measured, fixed to the bodies."""

    normal: Annotated[Vector, "-", "target axes"]
    on_chaser: Annotated[Vector, "m", "c_C, chaser axes"]
    on_target: Annotated[Vector, "m", "c_T, target axes"]
    depth: Annotated[float, "m", "x_e - x_c along the normal"]
    # the part of the measured torque that the force at the point does not explain
    couple: Annotated[Vector, "Nm", "target axes"]
    law: Law


class Touch(NamedTuple):
    """Two satellites at one instant."""

    normal: tuple  # world
    arm: tuple  # from the chaser's centre of mass to its contact point, world, m
    from_target: tuple  # from the target's centre of mass to the same point
    overlap: float  # m
    rate: float  # m/s, > 0: deeper


@compiled
def compute_overlap(model: Model, satellites: Satellites):
    """The overlap alone [m]; > 0: contact (Lange eqs. 34, 35)."""
    c, t = satellites.chaser, satellites.target
    from_target = add(subtract(c.p, t.p), rotate(c.q, model.on_chaser))
    return (
        model.depth
        + dot(model.normal, model.on_target)
        - dot(model.normal, rotate_back(t.q, from_target))
    )  # Lange eqs. 27, 31, 32


@compiled
def compute_touch_spinning(model: Model, satellites: Satellites, chaser_rate, target_rate):
    """`chaser_rate`, `target_rate`: angular velocities, body axes [rad/s]."""
    c, t = satellites.chaser, satellites.target
    n, arm = rotate(t.q, model.normal), rotate(c.q, model.on_chaser)
    from_target = add(subtract(c.p, t.p), arm)
    overlap = model.depth + dot(model.normal, model.on_target) - dot(n, from_target)
    turning = subtract(
        cross(rotate(t.q, target_rate), from_target), cross(rotate(c.q, chaser_rate), arm)
    )
    return Touch(
        normal=n,
        arm=arm,
        from_target=from_target,
        overlap=overlap,
        rate=dot(n, add(subtract(t.v, c.v), turning)),
    )


@noinline
def compute_touch(rig: Rig, model: Model, satellites: Satellites):
    c, t = satellites.chaser, satellites.target
    return compute_touch_spinning(
        model, satellites, body_rate(rig.chaser, c.q, c.L), body_rate(rig.target, t.q, t.L)
    )


@compiled
def _compute_rate(params: BodyParams, body: Body):
    """Angular velocity in world axes."""
    return rotate(body.q, body_rate(params, body.q, body.L))


@compiled
def compute_mobility(rig: Rig, satellites: Satellites, touch: Touch):
    """Change of the overlap's rate per impulse along the normal [1/kg]."""
    return _compute_mobility(
        rig.chaser, satellites.chaser.q, touch.normal, touch.arm
    ) + _compute_mobility(rig.target, satellites.target.q, touch.normal, touch.from_target)


@compiled
def _compute_mobility(params: BodyParams, q, n, arm):
    if params.fixed:
        return 0.0
    turning = rotate_back(q, cross(arm, n))
    return dot(n, multiply(params.inverse_mass, n)) + dot(
        turning, symmetric_times(params.inverse_inertia, turning)
    )


@compiled
def is_zero(a):
    return a[0] == 0.0 and a[1] == 0.0 and a[2] == 0.0


@compiled
def elastic_energy(law: Law, overlap):
    """Energy of the compressed surface [J]."""
    if overlap <= 0.0:
        return 0.0
    if law.kind != HUNT or law.exponent == 1.0:
        return 0.5 * law.stiffness * overlap * overlap
    return law.stiffness * math.pow(overlap, law.exponent + 1.0) / (law.exponent + 1.0)


@compiled
def elastic_force(law: Law, overlap):
    if overlap <= 0.0:
        return 0.0
    if law.kind != HUNT or law.exponent == 1.0:
        return law.stiffness * overlap
    return law.stiffness * math.pow(overlap, law.exponent)


@compiled
def law_force(law: Law, elastic, rate, share):
    """Force [N] from its elastic part; `share`: of the time in which there is contact, for the
    damper."""  # Lange eq. 12
    if law.kind == HUNT:
        force = elastic * (1.0 + law.damping * rate)
    else:
        force = elastic + share * law.damping * rate
    if force < 0.0 and law.kind != PULLING_SPRING:
        return 0.0
    return force


@compiled
def compute_force(law: Law, touch: Touch):
    """Force at one instant, and its elastic part [N]."""
    if touch.overlap <= 0.0:  # Lange eqs. 34, 35
        return 0.0, 0.0
    elastic = elastic_force(law, touch.overlap)
    return law_force(law, elastic, touch.rate, 1.0), elastic


@compiled
def compute_mean_force(law: Law, overlap, speed, mobility, dt):
    """Mean force over a step of dt [s] around an instant, on the path that the bodies take without
    it, and its elastic part [N]; `speed`: of the overlap.

    The elastic part is its exact mean along the path, so that it does not matter where in a step a
    contact begins. The damper acts on the rate in the middle of the step, its own braking included.
    """
    half = 0.5 * dt * speed
    a, b = overlap - half, overlap + half
    if a <= 0.0 and b <= 0.0:
        return 0.0, 0.0
    share, elastic = 1.0, elastic_force(law, overlap)
    if a < 0.0 or b < 0.0:
        share = max(a, b) / abs(b - a)
        elastic = (elastic_energy(law, b) - elastic_energy(law, a)) / (b - a)
    if law.damping == 0.0:
        return elastic, elastic
    braking = elastic * law.damping if law.kind == HUNT else share * law.damping
    stiff = braking * mobility * dt
    rate = (speed - 0.5 * dt * mobility * elastic) / (1.0 + (0.5 if stiff < 1.0 else 1.0) * stiff)
    return law_force(law, elastic, rate, share), elastic


@compiled
def compute_loss(
    rig: Rig, model: Model, satellites: Satellites, touch: Touch, mobility, force, elastic, dt
):
    """Energy [J] that the contact takes in a step and does not store: by its damper, by the cut at
    zero, by the torque it carries."""
    lost = (force - elastic) * dt * (touch.rate - 0.5 * dt * mobility * force)
    if force == 0.0 or is_zero(model.couple):
        return lost
    turning = subtract(
        _compute_rate(rig.chaser, satellites.chaser), _compute_rate(rig.target, satellites.target)
    )
    return lost - dt * dot(rotate(satellites.target.q, model.couple), turning)


@compiled
def compute_wrenches(model: Model, target_q, touch: Touch, force):
    """Wrenches on both satellites: the force along the normal at the chaser's contact point, and
    what torque the touch itself carries."""
    f = scale(force, touch.normal)  # Lange eqs. 27, 28
    torque, opposite = cross(touch.arm, f), negate(cross(touch.from_target, f))  # Lange eq. 13
    if is_zero(model.couple):
        return Wrenches(Wrench(f, torque), Wrench(negate(f), opposite))
    couple = rotate(target_q, model.couple)
    return Wrenches(
        Wrench(f, add(torque, couple)), Wrench(negate(f), subtract(opposite, couple))
    )  # Lange eq. 21
