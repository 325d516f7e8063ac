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
from softdock.core.adaptation.faithful.joint_start import KIND_MASKS, begin_kind, mask_of
from softdock.core.adaptation.faithful.kept import FIT, FIT_FLOATS
from softdock.core.adaptation.faithful.law import LAW, LAW_FLOATS
from softdock.core.adaptation.faithful.many import (
    KEPT,
    ROW,
)
from softdock.core.adaptation.faithful.models import (
    EXACT,
    F_0,
    STEEPEST,
    has,
)
from softdock.core.adaptation.faithful.rub import LEAST, MOST, RUB
from softdock.core.machine.compiled import apart
from softdock.core.shapes.keys import MOST_PAIRS

U = LAW_UNKNOWNS.at
KIND_MODELS = (0, 1, 2, 4, 6)  # as fit.py numbers them
KINDS = len(KIND_MASKS)
ROUNDS = 12
EXPLAINED = 3.0  # chi^2 per equation below which laws have explained the samples
SURE = 1.0  # standard deviations: friction that is less is none
CONVERGED = 1e-9  # of the stiffnesses
WEAK = 0.5  # of a stiffness that no sample tells: how far it may be from what is believed
LONGEST_STEP = 1.0  # of ln v_0 in a round


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
            fit, largest = fits + i * FIT_FLOATS, mem[many + KEPT.largest]
            more, count = add_own(mem, joint, i, fit, pulls, lag, masks[i], largest)
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
    for p in range(UNKNOWNS):
        own = joint + JOINT.matrix + p * UNKNOWNS + p
        mem[joint + JOINT.sought + p] = 0.0 if mem[own] == 0.0 else 1.0
        if mem[own] == 0.0:
            mem[own] = 1.0
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
    found = mem[joint + JOINT.best_kind] != 0.0 and mem[joint + JOINT.best_chi] <= EXPLAINED
    if (kind == 4 and not powers) or (kind > 2 and found):
        return _next_kind(mem, joint, number)
    masks = (
        mask_of(mem, joint, 0, kind),
        mask_of(mem, joint, 1, kind),
        mask_of(mem, joint, 2, kind),
        mask_of(mem, joint, 3, kind),
    )
    chi, used = _equations(mem, joint, many, fits, laws, rub, lag, masks, number, rubs)
    mem[joint + JOINT.round] += 1.0
    over = mem[joint + JOINT.round] >= ROUNDS
    if chi > mem[joint + JOINT.chi_before] and not over:  # too far: half of the way back
        for p in range(UNKNOWNS):
            was, now = joint + JOINT.before + p, joint + JOINT.now + p
            mem[now] = 0.5 * (mem[was] + mem[now])
        return False
    solve_joint(mem, joint)
    mem[joint + JOINT.chi], mem[joint + JOINT.used] = chi, used
    mem[joint + JOINT.chi_before] = chi
    for p in range(UNKNOWNS):
        mem[joint + JOINT.before + p] = mem[joint + JOINT.now + p]
    change = _step(mem, joint, number)
    if not over and change > CONVERGED:
        return False
    for p in range(UNKNOWNS):  # those that chi^2 is of
        mem[joint + JOINT.now + p] = mem[joint + JOINT.before + p]
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
        begin_kind(mem, joint, number)
        return False
    mem[joint + JOINT.kind] = 0.0
    return True


@apart
def believe_joint(mem, joint, many, fits, laws, number, rubs):
    """What was found into the laws."""
    if mem[joint + JOINT.best_kind] == 0.0:
        return
    kind, best = int(mem[joint + JOINT.best_kind]), joint + JOINT.best
    mem[joint + JOINT.last_chi] = mem[joint + JOINT.best_chi]
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
