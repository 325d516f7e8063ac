"""Start of the joint fit (joint.py): which pairs are in its samples, which numbers of their laws
are unknown, and the first guess.

The guess is the laws as they are believed. Where those do not explain the samples it is one spring
for all pairs.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.vectors import dot, load3, norm
from softdock.methods.faithful.friction import RUB
from softdock.methods.faithful.joint_cells import (
    JOINT,
    LAW_UNKNOWNS,
    MU,
    PER,
    SLIP,
    UNKNOWNS,
)
from softdock.methods.faithful.joint_samples import (
    KEPT,
    ROW,
    ROW_FLOATS,
    TOUCH,
    TOUCH_FLOATS,
)
from softdock.methods.faithful.law import LAW, LAW_FLOATS
from softdock.methods.faithful.law_samples import FIT, FIT_FLOATS
from softdock.methods.faithful.models import EXPLAINED, F_0, C, G, N, has

U = LAW_UNKNOWNS.at
KIND_MASKS = (
    0,
    1 << U.k,
    1 << U.k | 1 << U.c,
    1 << U.k | 1 << U.n | 1 << U.g,
    1 << U.k | 1 << U.c | 1 << U.f_0 | 1 << U.ramp,
    1 << U.k | 1 << U.c,
    1 << U.k | 1 << U.n | 1 << U.g,
    1 << U.k | 1 << U.c | 1 << U.f_0 | 1 << U.ramp,
)
AGAIN = 5  # from this kind on: one before it, from one spring for all and other n and d_0
TOLD = 6.0  # samples of a pair alone from which on they decide its model
FIRST_RAMP = 0.03  # of the deepest sample: d_0 from which it is sought where none is known
OTHER_RAMP = 0.2  # of it, where that did not end well: no sample tells of a d_0 that is too small
START_POWER, OTHER_POWER = 1.4, 2.0  # from which a power is sought that none has told


@noinline
def mask_of(mem, joint, i, kind):
    """Unknowns of a pair, in bits: those of the kind, and those that its samples alone have told.
    Alone a pair was felt at its first touch; more may show when it is deeper or faster."""
    if mem[joint + JOINT.touched + i] == 0.0:
        return 0
    model, mask = int(mem[joint + JOINT.own + i]), KIND_MASKS[kind]
    if has(model, C):
        mask |= 1 << U.c
    if has(model, F_0):
        mask |= 1 << U.f_0 | 1 << U.ramp
    if has(model, N):
        mask |= 1 << U.n
    if has(model, G):
        mask |= 1 << U.g
    return mask


@compiled
def model_of(mask):
    """The model of fit.py with these unknowns."""
    if (mask >> U.f_0) & 1 == 1:
        return 6 if (mask >> U.c) & 1 == 1 else 5
    if (mask >> U.n) & 1 == 1:
        return 4 if (mask >> U.g) & 1 == 1 else 3
    return 2 if (mask >> U.c) & 1 == 1 else 1


@noinline
def begin_kind(mem, joint, number):
    kind = int(mem[joint + JOINT.kind])
    for p in range(UNKNOWNS):
        mem[joint + JOINT.now + p] = mem[joint + JOINT.start + p]
    for i in range(number):
        at, mask = joint + JOINT.now + i * PER, mask_of(mem, joint, i, kind)
        if kind >= AGAIN:
            for q in range(PER):
                mem[at + q] = 0.0
            mem[at + U.k] = mem[joint + JOINT.guess] * mem[joint + JOINT.unit + i]
            mem[joint + JOINT.start + i * PER + U.k] = mem[at + U.k]
            mem[at + U.ramp] = math.log(OTHER_RAMP * max(mem[joint + JOINT.unit + i], 1e-9))
        for q in range(PER):
            if (mask >> q) & 1 == 0 and q != U.k and q != U.ramp:
                mem[at + q] = 0.0
        if (mask >> U.n) & 1 == 0:
            mem[at + U.n] = 1.0
        elif mem[at + U.n] <= 1.0 or kind >= AGAIN:
            mem[at + U.n] = OTHER_POWER if kind >= AGAIN else START_POWER
    mem[joint + JOINT.round], mem[joint + JOINT.brake] = 0.0, 0.0
    mem[joint + JOINT.chi] = math.inf


@noinline
def _note_pairs(mem, joint, many, fits, laws, number):
    """Which pairs are in the samples, how deep they were, and what is believed of them."""
    for i in range(number):
        fit = fits + i * FIT_FLOATS
        mem[joint + JOINT.touched + i], mem[joint + JOINT.own + i] = 0.0, 0.0
        mem[joint + JOINT.unit + i] = mem[fit + FIT.deepest]
        told = mem[fit + FIT.count] >= TOLD and mem[fit + FIT.own_chi] <= EXPLAINED
        if told:
            mem[joint + JOINT.own + i] = mem[fit + FIT.own_model]
    slid, weight = 0.0, 0.0
    for s in range(int(mem[joint + JOINT.rows])):
        row = many + KEPT.rows + s * ROW_FLOATS
        force = load3(mem, row + ROW.wrench)
        for t in range(int(mem[row + ROW.number])):
            at = row + ROW.touches + t * TOUCH_FLOATS
            v = load3(mem, at + TOUCH.sliding)
            slid, weight = slid + dot(force, force) * dot(v, v), weight + dot(force, force)
            i = joint + JOINT.touched + int(mem[at + TOUCH.pair])
            mem[i] = 1.0
            deep = max(mem[at + TOUCH.depth], mem[at + TOUCH.depth_2])
            i += JOINT.unit - JOINT.touched
            mem[i] = max(mem[i], deep)
    mem[joint + JOINT.sliding] = math.sqrt(slid / weight) if weight > 0.0 else 0.0


@noinline
def _guess(mem, joint, many):
    """A stiffness from the largest sample [N/m]."""
    found, most = 1.0, 0.0
    for s in range(int(mem[joint + JOINT.rows])):
        row = many + KEPT.rows + s * ROW_FLOATS
        force, deep = norm(load3(mem, row + ROW.wrench)), 0.0
        for t in range(int(mem[row + ROW.number])):
            deep += mem[row + ROW.touches + t * TOUCH_FLOATS + TOUCH.depth]
        if force > most and deep > 0.0:
            found, most = force / deep, force
    return found


@noinline
def _kind_of_own(mem, joint, number):
    """Kind of laws that pairs have shown alone, beyond spring and damper; 0: none."""
    kind = 0.0
    for i in range(number):
        own = int(mem[joint + JOINT.own + i])
        if has(own, F_0):
            kind = 4.0
        elif has(own, N):
            kind = max(kind, 3.0)
    return kind


@noinline
def begin_joint(mem, joint, many, fits, laws, rub, number):
    """Begin with the first kind; with the one that explained the samples before, if one did, or
    that a pair's own samples have told: the search through all takes dozens of cycles, in which the
    mock-ups may miss a pair that the satellites touch."""
    mem[joint + JOINT.rows] = mem[many + KEPT.count]
    mem[joint + JOINT.seen], mem[joint + JOINT.best_kind] = mem[many + KEPT.seen], 0.0
    _note_pairs(mem, joint, many, fits, laws, number)
    if mem[joint + JOINT.fitted] == 0.0:
        mem[joint + JOINT.last_kind] = _kind_of_own(mem, joint, number)
    mem[joint + JOINT.kind], mem[joint + JOINT.round] = max(mem[joint + JOINT.last_kind], 1.0), 0.0
    total, known, ramp = 0.0, 0.0, 0.0
    for i in range(number):
        law, unit = laws + i * LAW_FLOATS, mem[joint + JOINT.unit + i]
        if mem[law + LAW.stiffness] > 0.0 and unit > 0.0:
            total += mem[law + LAW.stiffness] * math.pow(unit, mem[law + LAW.power]) / unit
            known += 1.0
            ramp = max(ramp, mem[law + LAW.ramp])
    good = mem[joint + JOINT.fitted] == 0.0 or mem[joint + JOINT.last_chi] <= EXPLAINED
    mem[joint + JOINT.guess] = _guess(mem, joint, many)
    mean = total / known if known > 0.0 and good else mem[joint + JOINT.guess]
    for i in range(number):
        law, at = laws + i * LAW_FLOATS, joint + JOINT.start + i * PER
        unit = mem[joint + JOINT.unit + i]
        for q in range(PER):
            mem[at + q] = 0.0
        own = mem[law + LAW.ramp] if mem[law + LAW.ramp] > 0.0 else ramp
        mem[at + U.ramp] = math.log(own if own > 0.0 else FIRST_RAMP * max(unit, 1e-9))
        mem[at + U.k], mem[at + U.n] = mean * unit, 1.0
        if good and mem[law + LAW.stiffness] > 0.0 and unit > 0.0:
            k = mem[law + LAW.stiffness] * math.pow(unit, mem[law + LAW.power])
            mem[at + U.k], mem[at + U.n] = k, mem[law + LAW.power]
            mem[at + U.c], mem[at + U.g] = mem[law + LAW.damping], k * mem[law + LAW.factor]
            mem[at + U.f_0] = mem[law + LAW.preload]
    mem[joint + JOINT.start + MU] = mem[rub + RUB.friction]
    slip = mem[rub + RUB.slip] if mem[rub + RUB.friction] > 0.0 else 1e-3
    mem[joint + JOINT.start + SLIP] = math.log(slip)
    begin_kind(mem, joint, number)
