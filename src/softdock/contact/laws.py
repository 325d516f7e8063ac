"""Contact laws: depth d [m] > 0 and its rate [m/s] in, normal force [N] out, with the energy stored [J].

spring_damper      f = k d + b d', clamped at zero: a contact never pulls
spring_damper_pull f = k d + b d' while d > 0, also where that is negative (the papers' linear law, by name only)
hunt_crossley      f = k d^n (1 + lambda d'), clamped at zero (Hunt and Crossley 1975)

What is absorbed is either stored, V(d), or dissipated, f d' - dV/dt. Where the clamp acts the surface is left behind and its stored energy
counts as dissipated.
"""

from __future__ import annotations

import math

from softdock.compiled import compiled

SPRING_DAMPER, SPRING_DAMPER_PULL, HUNT_CROSSLEY = 0, 1, 2
LAWS = ("spring_damper", "spring_damper_pull", "hunt_crossley")


@compiled
def elastic_force(law, depth):
    """The part of the force that the stored energy gives back: dV/dd [N]."""
    if law.kind != HUNT_CROSSLEY or law.exponent == 1.0:
        return law.stiffness * depth
    return law.stiffness * math.pow(depth, law.exponent)


@compiled
def normal_force(law, depth, rate):
    """Normal force at depth > 0 [N]; positive pushes apart."""
    elastic = elastic_force(law, depth)
    if law.kind == HUNT_CROSSLEY:
        force = elastic * (1.0 + law.damping * rate)
    else:
        force = elastic + law.damping * rate
    if force < 0.0 and law.kind != SPRING_DAMPER_PULL:
        return 0.0
    return force


@compiled
def stored_energy(law, depth):
    """Energy held by the compressed surface [J]."""
    if law.kind != HUNT_CROSSLEY:
        return 0.5 * law.stiffness * depth * depth
    return law.stiffness * math.pow(depth, law.exponent + 1.0) / (law.exponent + 1.0)
