"""The laws of all pairs at once, from samples in which several touch: Gauss and Newton, one round a
cycle, so that no cycle takes long.

A wrench is six numbers, and four touches may push at once, on one plate even along one line: of one
sample the forces of the touches cannot always be told apart. The laws can, because the touches are
differently deep at different times. Unknown are the numbers of every pair's law, the friction of
all, and its speed. Samples in which a pair touched alone (kept.py) are among the equations, and its
law stays of the model that they have told.

    kind    1  k        2  k, c        3  k, n, lambda        4  k, c, f_0, d_0

The kinds are tried one after the other; the one with the least chi^2 + p ln N counts. A weak
prior (WEAK) keeps what no sample tells near to what was believed, and then to the other pairs."""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.joint_cells import (
    JOINT,
    LAW_UNKNOWNS,
    MU,
    PER,
    SLIP,
    UNKNOWNS,
)
from softdock.core.adaptation.faithful.joint_rows import add_own, add_rows
from softdock.core.adaptation.faithful.joint_solve import add_prior, solve_joint, variance_of
from softdock.core.adaptation.faithful.kept import FIT, FIT_FLOATS
from softdock.core.adaptation.faithful.law import LAW, LAW_FLOATS
from softdock.core.adaptation.faithful.many import (
    KEPT,
    ROW,
    ROW_FLOATS,
    TOUCH,
    TOUCH_FLOATS,
)
from softdock.core.adaptation.faithful.models import (
    EXACT,
    F_0,
    STEEPEST,
    C,
    G,
    N,
    has,
)
from softdock.core.adaptation.faithful.rub import LEAST, MOST, RUB, SURE
from softdock.core.machine.compiled import apart
from softdock.core.shapes.keys import MOST_PAIRS
from softdock.core.spatial.vectors import load3, norm

U = LAW_UNKNOWNS.at
KIND_MASKS = (
    0,
    1 << U.k,
    1 << U.k | 1 << U.c,
    1 << U.k | 1 << U.n | 1 << U.g,
    1 << U.k | 1 << U.c | 1 << U.f_0 | 1 << U.ramp,
)
KIND_MODELS = (0, 1, 2, 4, 6)  # as fit.py numbers them
KINDS = len(KIND_MASKS)
ROUNDS = 8
CONVERGED = 1e-9  # of the stiffnesses
WEAK = 0.5  # of a stiffness that no sample tells: how far it may be from what is believed
TOLD = 6.0  # samples of a pair alone from which on they decide its model
EXPLAINED = 3.0  # chi^2 per sample below which a law has explained the samples
FIRST_RAMP = 0.03  # of the deepest sample: d_0 from which it is sought where none is known
START_POWER = 1.2  # from which a power is sought that none has told
LONGEST_STEP = 1.0  # of ln v_0 in a round


@apart
def _mask(mem, joint, i, kind):
    """Unknowns of a pair, in bits."""
    if mem[joint + JOINT.touched + i] == 0.0:
        return 0
    model = int(mem[joint + JOINT.own + i])
    if model == 0:
        return KIND_MASKS[kind]
    mask = 1 << U.k
    if has(model, C):
        mask |= 1 << U.c
    if has(model, F_0):
        mask |= 1 << U.f_0 | 1 << U.ramp
    if has(model, N):
        mask |= 1 << U.n
    if has(model, G):
        mask |= 1 << U.g
    return mask


@apart
def _note_pairs(mem, joint, many, fits, laws, number):
    """Which pairs are in the samples, how deep they were, and what is believed of them."""
    for i in range(number):
        fit = fits + i * FIT_FLOATS
        mem[joint + JOINT.touched + i], mem[joint + JOINT.own + i] = 0.0, 0.0
        mem[joint + JOINT.unit + i] = mem[fit + FIT.deepest]
        told = mem[fit + FIT.count] >= TOLD and mem[fit + FIT.own_chi] <= EXPLAINED
        if told:
            mem[joint + JOINT.own + i] = mem[fit + FIT.own_model]
    for s in range(int(mem[joint + JOINT.rows])):
        row = many + KEPT.rows + s * ROW_FLOATS
        for t in range(int(mem[row + ROW.number])):
            at = row + ROW.touches + t * TOUCH_FLOATS
            i = joint + JOINT.touched + int(mem[at + TOUCH.pair])
            mem[i] = 1.0
            deep = max(mem[at + TOUCH.depth], mem[at + TOUCH.depth_2])
            i += JOINT.unit - JOINT.touched
            mem[i] = max(mem[i], deep)


@apart
def begin_joint(mem, joint, many, fits, laws, rub, number):
    """Begin with the first kind."""
    mem[joint + JOINT.kind], mem[joint + JOINT.round] = 1.0, 0.0
    mem[joint + JOINT.rows] = mem[many + KEPT.count]
    mem[joint + JOINT.seen], mem[joint + JOINT.best_kind] = mem[many + KEPT.seen], 0.0
    _note_pairs(mem, joint, many, fits, laws, number)
    total, known, ramp = 0.0, 0.0, 0.0
    for i in range(number):
        law, unit = laws + i * LAW_FLOATS, mem[joint + JOINT.unit + i]
        if mem[law + LAW.stiffness] > 0.0 and unit > 0.0:
            total += mem[law + LAW.stiffness] * math.pow(unit, mem[law + LAW.power]) / unit
            known += 1.0
            ramp = max(ramp, mem[law + LAW.ramp])
    mean = total / known if known > 0.0 else _guess(mem, joint, many)
    for i in range(number):
        law, at = laws + i * LAW_FLOATS, joint + JOINT.start + i * PER
        unit = mem[joint + JOINT.unit + i]
        for q in range(PER):
            mem[at + q] = 0.0
        own = mem[law + LAW.ramp] if mem[law + LAW.ramp] > 0.0 else ramp
        mem[at + U.ramp] = math.log(own if own > 0.0 else FIRST_RAMP * max(unit, 1e-9))
        mem[at + U.k], mem[at + U.n] = mean * unit, 1.0
        if mem[law + LAW.stiffness] > 0.0 and unit > 0.0:
            mem[at + U.k] = mem[law + LAW.stiffness] * math.pow(unit, mem[law + LAW.power])
            mem[at + U.n] = mem[law + LAW.power]
    mem[joint + JOINT.start + MU] = mem[rub + RUB.friction]
    slip = mem[rub + RUB.slip] if mem[rub + RUB.friction] > 0.0 else 1e-3
    mem[joint + JOINT.start + SLIP] = math.log(slip)
    _begin_kind(mem, joint, number)


@apart
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


@apart
def _begin_kind(mem, joint, number):
    kind = int(mem[joint + JOINT.kind])
    for p in range(UNKNOWNS):
        mem[joint + JOINT.now + p] = mem[joint + JOINT.start + p]
    for i in range(number):
        at, mask = joint + JOINT.now + i * PER, _mask(mem, joint, i, kind)
        if (mask >> U.n) & 1 == 0:
            mem[at + U.n] = 1.0
        elif mem[at + U.n] <= 1.0:
            mem[at + U.n] = START_POWER
    mem[joint + JOINT.round] = 0.0


@apart
def _equations(mem, joint, many, fits, laws, rub, lag, masks, number, rubs):
    """All equations around the unknowns as they are; chi^2 and their number."""
    for p in range(UNKNOWNS * UNKNOWNS):
        mem[joint + JOINT.matrix + p] = 0.0
    for p in range(UNKNOWNS):
        mem[joint + JOINT.right + p] = 0.0
    chi, used = add_rows(mem, joint, many, laws, LAW_FLOATS, lag, masks, rubs)
    for i in range(number):
        if masks[i] != 0:
            pulls = mem[laws + i * LAW_FLOATS + LAW.pulls] != 0.0
            more, count = add_own(mem, joint, i, fits + i * FIT_FLOATS, pulls, lag, masks[i])
            chi, used = chi + more, used + count
            at = i * PER + U.k
            add_prior(mem, joint, at, WEAK * abs(mem[joint + JOINT.start + at]) + 1e-30)
            if (masks[i] >> U.ramp) & 1 == 1:
                add_prior(mem, joint, i * PER + U.ramp, 1.0)
    if rubs:
        known = mem[rub + RUB.friction] > 0.0
        spread = max(mem[rub + RUB.spread], EXACT)
        add_prior(mem, joint, MU, spread if known else 1.0)
        add_prior(mem, joint, SLIP, 10.0 * spread / mem[rub + RUB.friction] if known else 1.0)
    for p in range(UNKNOWNS):  # what is not sought
        if mem[joint + JOINT.matrix + p * UNKNOWNS + p] == 0.0:
            mem[joint + JOINT.matrix + p * UNKNOWNS + p] = 1.0
    return chi, used


@apart
def _step(mem, joint, number):
    """The unknowns after a round, within what a passive law has; the largest relative change of a
    stiffness."""
    most = 0.0
    for i in range(number):
        at, by = joint + JOINT.now + i * PER, joint + JOINT.right + i * PER
        if mem[joint + JOINT.touched + i] == 0.0:
            continue
        change = mem[by + U.n]
        part = 0.5 / abs(change) if abs(change) > 0.5 else 1.0
        was = mem[at + U.k]
        for q in range(PER):
            mem[at + q] += part * mem[by + q]
        mem[at + U.k] = max(mem[at + U.k], 0.1 * was)
        mem[at + U.n] = min(max(mem[at + U.n], 1.0), STEEPEST)
        deepest = math.log(mem[joint + JOINT.unit + i])
        mem[at + U.ramp] = min(max(mem[at + U.ramp], deepest - 9.0), deepest)
        most = max(most, abs(mem[at + U.k] - was) / mem[at + U.k])
    mu = joint + JOINT.now + MU
    mem[mu] = min(max(mem[mu] + mem[joint + JOINT.right + MU], 0.0), MOST)
    slip = mem[joint + JOINT.right + SLIP]
    mem[joint + JOINT.now + SLIP] += min(max(slip, -LONGEST_STEP), LONGEST_STEP)
    return most


@apart
def joint_round(mem, joint, many, fits, laws, rub, lag, number, damped, powers, rubs):
    """One round of the kind under way; whether all kinds are through."""
    kind = int(mem[joint + JOINT.kind])
    if (kind == 2 and not damped) or (kind == 3 and not (powers and damped)):
        return _next_kind(mem, joint, number)
    if kind == 4 and not powers:
        return _next_kind(mem, joint, number)
    masks = (
        _mask(mem, joint, 0, kind),
        _mask(mem, joint, 1, kind),
        _mask(mem, joint, 2, kind),
        _mask(mem, joint, 3, kind),
    )
    chi, used = _equations(mem, joint, many, fits, laws, rub, lag, masks, number, rubs)
    solve_joint(mem, joint)
    mem[joint + JOINT.chi], mem[joint + JOINT.used] = chi, used
    change = _step(mem, joint, number)
    mem[joint + JOINT.round] += 1.0
    if mem[joint + JOINT.round] < ROUNDS and change > CONVERGED:
        return False
    _note_kind(mem, joint, kind, masks, number)
    return _next_kind(mem, joint, number)


@apart
def _note_kind(mem, joint, kind, masks, number):
    """Keep the kind that ended, if it is the best so far."""
    parameters = 0.0
    for i in range(number):
        for q in range(PER):
            parameters += float((masks[i] >> q) & 1)
    used, chi = mem[joint + JOINT.used], mem[joint + JOINT.chi]
    noise = max(min(mem[joint + JOINT.best_chi], chi / used), 1.0)
    penalty = math.log(max(used, 2.0))
    gained = (mem[joint + JOINT.best_chi] * used - chi) / noise
    paid = (parameters - mem[joint + JOINT.best_number]) * penalty
    if mem[joint + JOINT.best_kind] != 0.0 and not gained > paid:
        return
    mem[joint + JOINT.best_kind], mem[joint + JOINT.best_chi] = float(kind), chi / used
    mem[joint + JOINT.best_number] = parameters
    more = math.sqrt(max(chi / used, 1.0))
    for p in range(UNKNOWNS):
        mem[joint + JOINT.best + p] = mem[joint + JOINT.now + p]
    for i in range(number):
        if masks[i] != 0:
            k = abs(mem[joint + JOINT.now + i * PER + U.k]) + 1e-30
            spread = more * math.sqrt(variance_of(mem, joint, i * PER + U.k)) / k
            mem[joint + JOINT.spread + i] = spread
    mem[joint + JOINT.friction_spread] = more * math.sqrt(variance_of(mem, joint, MU))


@apart
def _next_kind(mem, joint, number):
    mem[joint + JOINT.kind] += 1.0
    if mem[joint + JOINT.kind] < KINDS:
        _begin_kind(mem, joint, number)
        return False
    mem[joint + JOINT.kind] = 0.0
    return True


@apart
def believe_joint(mem, joint, many, fits, laws, number, rubs):
    """What was found into the laws."""
    if mem[joint + JOINT.best_kind] == 0.0:
        return
    kind, best = int(mem[joint + JOINT.best_kind]), joint + JOINT.best
    for i in range(number):
        if mem[joint + JOINT.touched + i] == 0.0:
            continue
        law, fit, at = laws + i * LAW_FLOATS, fits + i * FIT_FLOATS, best + i * PER
        unit, k = mem[joint + JOINT.unit + i], mem[at + U.k]
        own = int(mem[joint + JOINT.own + i])
        model = own if own > 0 else KIND_MODELS[kind]
        mem[law + LAW.stiffness] = k / math.pow(unit, mem[at + U.n])
        mem[law + LAW.power] = mem[at + U.n]
        mem[law + LAW.damping] = max(mem[at + U.c], 0.0)
        mem[law + LAW.factor] = max(mem[at + U.g], 0.0) / k
        mem[law + LAW.preload] = max(mem[at + U.f_0], 0.0)
        mem[law + LAW.ramp] = math.exp(mem[at + U.ramp]) if has(model, F_0) else 0.0
        mem[fit + FIT.model], mem[fit + FIT.chi] = float(model), mem[joint + JOINT.best_chi]
        mem[fit + FIT.spread] = mem[joint + JOINT.spread + i]
        small = EXACT * mem[many + KEPT.largest]
        noise = math.sqrt(mem[many + KEPT.rows + ROW.force_variance] + small * small)
        misfit = noise * math.sqrt(mem[joint + JOINT.best_chi]) / mem[many + KEPT.largest]
        mem[fit + FIT.misfit] = misfit
    if not rubs:
        return
    mu, spread = mem[best + MU], mem[joint + JOINT.friction_spread]
    sure = mu > max(SURE * spread, LEAST)
    for i in range(number):
        law = laws + i * LAW_FLOATS
        mem[law + LAW.friction] = mu if sure else 0.0
        mem[law + LAW.slip] = math.exp(mem[best + SLIP]) if sure else 1e-3


assert MOST_PAIRS == 4  # masks of joint_round
