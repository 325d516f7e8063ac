"""Contact laws: depth d [m] > 0 and its rate [m/s] in, normal force [N] out, with the energy stored
[J].

spring_damper      f = k d + b d', clamped at zero: a contact never pulls
spring_damper_pull f = k d + b d' while d > 0, also where that is negative (the papers' linear law,
by name only)
hunt_crossley      f = k d^n (1 + lambda d'), clamped at zero (Hunt and Crossley 1975)
table              f = F(d) + b d', clamped at zero; F linear between the rows of a table, and
                   beyond its last row

What is absorbed is either stored, V(d), or dissipated, f d' - dV/dt. Where the clamp acts the
surface is left behind and its stored energy counts as dissipated. Coulomb friction, off by default:
mu f against the sliding velocity v, regularised as v / sqrt(v^2 + v_0^2).
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled
from softdock.core.tables import row_below

SPRING_DAMPER, SPRING_DAMPER_PULL, HUNT_CROSSLEY, TABLE = 0, 1, 2, 3
LAWS = ("spring_damper", "spring_damper_pull", "hunt_crossley", "table")
TABLE_ROW = 3  # floats in a row of a table: depth, force, energy up to there


@compiled
def table_interval(vector, law, depth):
    """First float of the row at or below a depth; the last interval also serves beyond the
    table."""
    return row_below(vector, law.at, law.rows, TABLE_ROW, depth)


@compiled
def table_slope(vector, a):
    return (vector[a + TABLE_ROW + 1] - vector[a + 1]) / (vector[a + TABLE_ROW] - vector[a])


@compiled
def elastic_force(vector, law, depth):
    """The part of the force that the stored energy gives back: dV/dd [N]."""
    if law.kind == TABLE:
        a = table_interval(vector, law, depth)
        return vector[a + 1] + table_slope(vector, a) * (depth - vector[a])
    if law.kind != HUNT_CROSSLEY or law.exponent == 1.0:
        return law.stiffness * depth
    return law.stiffness * math.pow(depth, law.exponent)


@compiled
def normal_force(law, elastic, rate):
    """Normal force at depth > 0 [N], from its elastic part; positive pushes apart."""
    if law.kind == HUNT_CROSSLEY:
        force = elastic * (1.0 + law.damping * rate)
    else:
        force = elastic + law.damping * rate
    if force < 0.0 and law.kind != SPRING_DAMPER_PULL:
        return 0.0
    return force


@compiled
def stored_energy(vector, law, depth):
    """Energy held by the compressed surface [J]."""
    if law.kind == TABLE:
        a = table_interval(vector, law, depth)
        x = depth - vector[a]
        return vector[a + 2] + x * (vector[a + 1] + 0.5 * table_slope(vector, a) * x)
    if law.kind != HUNT_CROSSLEY:
        return 0.5 * law.stiffness * depth * depth
    return law.stiffness * math.pow(depth, law.exponent + 1.0) / (law.exponent + 1.0)


@compiled
def friction_factor(law, sliding):
    """Friction force over normal force and sliding velocity [s/m]: mu / sqrt(v^2 + v_0^2)."""
    return law.friction / math.sqrt(sliding * sliding + law.slip_speed * law.slip_speed)
