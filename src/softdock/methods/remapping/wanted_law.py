"""The law that the satellites are to feel, chosen when a contact begins: the scenario's wanted
contact, one of the method's own, or a restitution.

A restitution e needs the contact: a damper D = 2 zeta sqrt(k m) the effective mass m, Hunt and
Crossley's lambda = x / v the approach speed v. zeta and x belong to e alone (both with their
derivation in scenario/restitution.py; the force never pulls).
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.keys import AT as OF
from softdock.loop.contact.keys import LAW_KEYS, PAIR
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.tables import IN_KEY
from softdock.methods.remapping.keys import (
    BY_DAMPER,
    HUNT_CROSSLEY,
    REMAPPING,
    RESTITUTION,
    SCENARIO,
    SPRING_DAMPER,
    Remapping,
    read_keys,
)
from softdock.methods.remapping.stiffness import (
    combine_stiffness,
    is_given,
    project_on_normal,
)
from softdock.methods.remapping.wanted_contact import HUNT, SPRING, Law

LEAST = 1e-3  # restitution; less would need a damper without bound
HALVINGS = 60


@compiled
def _compute_restitution(zeta):
    """Restitution of a spring-damper of damping ratio zeta whose force is cut off at zero."""
    if zeta < 1e-9:
        return 1.0
    if abs(zeta - 1.0) < 1e-9:
        return math.exp(-2.0)
    if zeta < 1.0:
        root = math.sqrt(1.0 - zeta * zeta)
        return math.exp(-zeta / root * math.atan2(2.0 * zeta * root, 2.0 * zeta * zeta - 1.0))
    root = math.sqrt(zeta * zeta - 1.0)
    return math.exp(-zeta / root * math.log((zeta + root) / (zeta - root)))


@compiled
def _balance_hunt(x, e):
    """< 0 while lambda v = x gives more than the restitution e: from the first integral of the
    motion, x - ln(1 + x) = -x e - ln(1 - x e)."""
    if x * e >= 1.0:
        return 1.0
    return (-x * e - math.log(1.0 - x * e)) - (x - math.log(1.0 + x))


@noinline
def find_loss(restitution, by):
    """Damping ratio, or lambda times approach speed, that gives a restitution."""
    e = max(restitution, LEAST)
    if e >= 1.0:
        return 0.0
    low, high = 0.0, 1.0
    if by == BY_DAMPER:
        high = 1e3
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if _compute_restitution(middle) > e:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)
    high = 1.0 / e  # there x e = 1
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _balance_hunt(middle, e) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled
def _read_scenario_law(vector, pair_at):
    at = pair_at + OF.wanted_law
    kind = int(vector[at]) - 1
    if kind < 0:  # same as real
        at = pair_at + OF.real_law
        kind = int(vector[at])
    if kind == HUNT:
        return Law(
            kind,
            vector[at + LAW_KEYS.stiffness],
            vector[at + LAW_KEYS.factor],
            vector[at + LAW_KEYS.exponent],
        )
    return Law(kind, vector[at + LAW_KEYS.stiffness], vector[at + LAW_KEYS.damping], 1.0)


@noinline
def choose_law(method: Remapping, pair, n, chaser_q, target_q, mobility, speed):
    """The wanted law for a contact of one pair along n (world); `mobility`: 1 / effective mass
    [1/kg]; `speed`: of the approach along n [m/s]."""
    keys = read_keys(method)
    chosen = int(keys.law)
    law = _read_scenario_law(method.vector, int(keys.contacts[IN_KEY.at]) + pair * PAIR.size)
    if chosen == SCENARIO:
        return law
    stiffness, exponent = law.stiffness, law.exponent if law.kind == HUNT else 1.0
    if is_given(keys.wanted_stiffness):
        exponent = 1.0  # N/m
        stiffness = combine_stiffness(
            keys.wanted_stiffness, keys.wanted_target_stiffness, n, chaser_q, target_q
        )
    if chosen == SPRING_DAMPER:
        damping = project_on_normal(keys.wanted_damping, rotate_back(chaser_q, n))
        return Law(SPRING, stiffness, damping, 1.0)  # Lange eq. 12, along the normal
    if chosen == HUNT_CROSSLEY:
        return Law(HUNT, stiffness, keys.wanted_lambda, keys.wanted_exponent)
    if int(keys.by) == BY_DAMPER:
        return Law(SPRING, stiffness, 2.0 * method.loss * math.sqrt(stiffness / mobility), 1.0)
    return Law(HUNT, stiffness, method.loss / speed if speed > 0.0 else 0.0, exponent)


@compiled
def prepare_loss(vector, base):
    keys = REMAPPING(vector, base)
    if int(keys.law) != RESTITUTION:
        return 0.0
    return find_loss(keys.restitution, int(keys.by))
