"""The laws of all pairs at once, from samples in which several touch: Levenberg and Marquardt, one
round a cycle, so that no cycle takes long.

A wrench is six numbers, and four touches may push at once, on one plate even along one line: of one
sample the forces of the touches cannot always be told apart. The laws can, because the touches are
differently deep at different times. Unknown are the numbers of every pair's law, the friction of
all, and its speed. Samples in which a pair touched alone (law_samples.py) are among the equations,
and its law has the numbers of the model that they have told beside those of the kind that is tried.

    kind    1  k        2, 5  k, c        3, 6  k, n, lambda        4, 7  k, c, f_0, d_0

The kinds are tried one after the other, the later ones only while none has explained the samples,
from 5 on from other starts; the one with the least chi^2 + p ln N counts. A fit of more samples
begins with the kind that explained the fewer, and ends there if it still does. A weak prior (WEAK)
keeps what no sample tells near to what was believed, and then to the other pairs."""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.loop.spatial.cholesky import solve_factored
from softdock.methods.faithful.friction import LEAST, MOST
from softdock.methods.faithful.joint_cells import (
    JOINT,
    LAW_UNKNOWNS,
    MU,
    PER,
    SLIP,
    UNKNOWNS,
)
from softdock.methods.faithful.joint_rows import (
    add_own,
    add_rows,
    add_rubbing,
    growing,
)
from softdock.methods.faithful.joint_samples import (
    KEPT,
    ROW,
)
from softdock.methods.faithful.joint_start import (
    AGAIN,
    KIND_MASKS,
    begin_kind,
    mask_of,
    model_of,
)
from softdock.methods.faithful.law import LAW, LAW_FLOATS
from softdock.methods.faithful.law_samples import FIT, FIT_FLOATS
from softdock.methods.faithful.models import (
    EXACT,
    EXPLAINED,
    F_0,
    STEEPEST,
    has,
    is_explained,
)

# Solver of the joint fit (joint.py): Cholesky factor of the normal equations, the step of
# Levenberg and Marquardt, and variances of the unknowns.

RIDGE = 1e-13  # of an unknown's own weight


@noinline
def keep_equations(mem, joint):
    """The equations are of the best unknowns so far: steps are taken from there."""
    for p in range(UNKNOWNS * UNKNOWNS):
        mem[joint + JOINT.kept_matrix + p] = mem[joint + JOINT.matrix + p]
    for p in range(UNKNOWNS):
        mem[joint + JOINT.kept_right + p] = mem[joint + JOINT.right + p]
        mem[joint + JOINT.before + p] = mem[joint + JOINT.now + p]


@noinline
def solve_kept(mem, joint, brake):
    """The step from the best unknowns, `brake` of their own weights more on each, into the right
    side; how much chi^2 is to fall by it."""
    for p in range(UNKNOWNS * UNKNOWNS):
        mem[joint + JOINT.matrix + p] = mem[joint + JOINT.kept_matrix + p]
    for p in range(UNKNOWNS):
        mem[joint + JOINT.matrix + p * UNKNOWNS + p] *= 1.0 + brake
        mem[joint + JOINT.right + p] = mem[joint + JOINT.kept_right + p]
    solve_joint(mem, joint)
    gain = 0.0
    for p in range(UNKNOWNS):
        gain += mem[joint + JOINT.right + p] * mem[joint + JOINT.kept_right + p]
    return gain


@noinline
def leave_out(mem, joint, p):
    """An unknown at the end of its range that would go beyond: it stays."""
    for q in range(UNKNOWNS):
        mem[joint + JOINT.matrix + max(p, q) * UNKNOWNS + min(p, q)] = 0.0
    mem[joint + JOINT.matrix + p * UNKNOWNS + p] = 1.0
    mem[joint + JOINT.right + p] = 0.0


@noinline
def _note_coupled(mem, joint):
    """Which unknowns others are tied to: of four pairs with all numbers of their laws, few are."""
    a, coupled = joint + JOINT.matrix, joint + JOINT.coupled
    for p in range(UNKNOWNS):
        mem[coupled + p] = 0.0
        for q in range(p):
            if mem[a + p * UNKNOWNS + q] != 0.0:
                mem[coupled + p], mem[coupled + q] = 1.0, 1.0


@noinline
def solve_joint(mem, joint):
    """Cholesky's triangle of the equations, and the step into their right side. An unknown that no
    other is tied to has a row of its own weight alone."""
    a, b, coupled = joint + JOINT.matrix, joint + JOINT.right, joint + JOINT.coupled
    _note_coupled(mem, joint)
    for p in range(UNKNOWNS):
        if mem[coupled + p] == 0.0:
            mem[a + p * UNKNOWNS + p] = math.sqrt(mem[a + p * UNKNOWNS + p])
            continue
        for q in range(p + 1):
            if mem[coupled + q] == 0.0:
                continue
            s = mem[a + p * UNKNOWNS + q]
            for r in range(q):
                s -= mem[a + p * UNKNOWNS + r] * mem[a + q * UNKNOWNS + r]
            if p == q:
                least = RIDGE * mem[a + p * UNKNOWNS + p]
                mem[a + p * UNKNOWNS + p] = math.sqrt(max(s, least))
            else:
                mem[a + p * UNKNOWNS + q] = s / mem[a + q * UNKNOWNS + q]
    solve_factored(mem, a, UNKNOWNS, mem, b)


@noinline
def variance_of(mem, joint, unknown):
    """Variance of one unknown, from Cholesky's factor: |L^-1 e|^2."""
    a, b, total = joint + JOINT.matrix, joint + JOINT.right, 0.0
    for p in range(unknown, UNKNOWNS):
        s = 1.0 if p == unknown else 0.0
        for r in range(unknown, p):
            s -= mem[a + p * UNKNOWNS + r] * mem[b + r]
        mem[b + p] = s / mem[a + p * UNKNOWNS + p]
        total += mem[b + p] * mem[b + p]
    return total


@noinline
def add_prior(mem, joint, p, spread):
    """Add the prior that an unknown is near where it started; returns its part of chi^2."""
    w, off = 1.0 / (spread * spread), mem[joint + JOINT.start + p] - mem[joint + JOINT.now + p]
    mem[joint + JOINT.matrix + p * UNKNOWNS + p] += w
    mem[joint + JOINT.right + p] += w * off
    return w * off * off


@compiled
def has_explained(mem, joint):
    """Whether a kind has explained the samples."""
    used = mem[joint + JOINT.used]
    explained = is_explained(mem[joint + JOINT.best_chi] * used, used)
    return mem[joint + JOINT.best_kind] != 0.0 and explained


U = LAW_UNKNOWNS.at
KINDS = len(KIND_MASKS)
ROUNDS, FEW_ROUNDS = 24, 8  # the latter of kinds that are nearly linear
SURE = 1.0  # standard deviations: friction that is less is none
CONVERGED = 1e-6  # of chi^2: a smaller fall is none
CRAWLS = 1e-3  # of a chi^2 that no noise explains: a smaller fall is not waited for
FIRST_BRAKE, LEAST_BRAKE, MOST_BRAKE = 1e-3, 1e-5, 1e6
SLACKER, TIGHTER = 0.1, 10.0
WEAK = 0.5  # of a stiffness that no sample tells: how far it may be from what is believed
LONGEST_STEP = 1.0  # of ln v_0 in a round
WIDE = 3.0  # of ln v_0: how far it may be from what is believed
DEEPER = 6  # samples of depths that grow, from which on a search begins with them


@noinline
def _equations(mem, joint, sheets, masks, rubs, deeper):
    """All equations around the unknowns as they are; chi^2 and their number. `deeper`: of several
    touches those alone that become deeper."""
    laws, lag = sheets.laws, sheets.lag
    for p in range(UNKNOWNS * UNKNOWNS):
        mem[joint + JOINT.matrix + p] = 0.0
    for p in range(UNKNOWNS):
        mem[joint + JOINT.right + p] = 0.0
    chi, used = add_rows(mem, joint, sheets, LAW_FLOATS, masks, rubs, deeper)
    for i in range(sheets.number):
        if masks[i] != 0:
            pulls = mem[laws + i * LAW_FLOATS + LAW.pulls] != 0.0
            fit, largest = sheets.fits + i * FIT_FLOATS, mem[sheets.many + KEPT.largest]
            more, count = add_own(mem, joint, i, fit, pulls, lag, mask=masks[i], largest=largest)
            chi, used = chi + more, used + count
            at = i * PER + U.k
            size = max(abs(mem[joint + JOINT.start + at]), abs(mem[joint + JOINT.now + at]))
            chi += add_prior(mem, joint, at, WEAK * size + 1e-30)
            if (masks[i] >> U.ramp) & 1 == 1:  # where no sample tells of it, it stays
                ramp = i * PER + U.ramp
                mem[joint + JOINT.matrix + ramp * UNKNOWNS + ramp] += 1.0
            _stay_within(mem, joint, i * PER + U.n, 1.0, STEEPEST)
            _stay_within(mem, joint, i * PER + U.c, 0.0, math.inf)
            _stay_within(mem, joint, i * PER + U.g, 0.0, math.inf)
            _stay_within(mem, joint, i * PER + U.f_0, 0.0, math.inf)
    if rubs:
        more, count = add_rubbing(mem, joint, sheets.rub, lag)
        chi, used = chi + more, used + count
        chi += add_prior(mem, joint, MU, 1.0)
        chi += add_prior(mem, joint, SLIP, WIDE)
        _stay_within(mem, joint, MU, 0.0, MOST)
    for p in range(UNKNOWNS):  # what is not sought
        if mem[joint + JOINT.matrix + p * UNKNOWNS + p] == 0.0:
            mem[joint + JOINT.matrix + p * UNKNOWNS + p] = 1.0
    return chi, used


@noinline
def _stay_within(mem, joint, p, least, most):
    """An unknown that is at an end of its range and would go beyond is not sought in this round:
    cut off after the step it would spoil the others'."""
    now, pull = mem[joint + JOINT.now + p], mem[joint + JOINT.right + p]
    if (now <= least and pull < 0.0) or (now >= most and pull > 0.0):
        leave_out(mem, joint, p)


@noinline
def _step(mem, joint, number):
    """The unknowns a step from the best so far, within what a passive law has."""
    for p in range(UNKNOWNS):
        mem[joint + JOINT.now + p] = mem[joint + JOINT.before + p]
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
        mem[at + U.c], mem[at + U.g] = max(mem[at + U.c], 0.0), max(mem[at + U.g], 0.0)
        mem[at + U.f_0] = max(mem[at + U.f_0], 0.0)
        mem[at + U.n] = min(max(mem[at + U.n], 1.0), STEEPEST)
        deepest = math.log(mem[joint + JOINT.unit + i])
        mem[at + U.ramp] = min(max(mem[at + U.ramp], deepest - 9.0), deepest)
    _step_friction(mem, joint)


@noinline
def _step_friction(mem, joint):
    """mu and ln v_0 a step further. The samples tell friction at their own sliding v, mu v /
    sqrt(v^2 + v_0^2), far better than its two numbers: that goes the straight step."""
    mu, log = mem[joint + JOINT.now + MU], mem[joint + JOINT.now + SLIP]
    by, v = mem[joint + JOINT.right + SLIP], mem[joint + JOINT.sliding]
    by, v_0 = min(max(by, -LONGEST_STEP), LONGEST_STEP), math.exp(log)
    felt = mu + mem[joint + JOINT.right + MU]
    if v > 0.0:
        share = v_0 * v_0 / (v * v + v_0 * v_0)
        after = math.exp(log + by)
        felt -= mu * share * by
        felt *= math.sqrt((v * v + after * after) / (v * v + v_0 * v_0))
    mem[joint + JOINT.now + MU] = min(max(felt, 0.0), MOST)
    mem[joint + JOINT.now + SLIP] = log + by


@noinline
def _is_sought(mem, joint, kind, damped, powers):
    """Whether a kind is among those that are sought, and still needed."""
    mask = KIND_MASKS[kind]
    if not damped and ((mask >> U.c) & 1 == 1 or (mask >> U.g) & 1 == 1):
        return False
    if not powers and ((mask >> U.n) & 1 == 1 or (mask >> U.f_0) & 1 == 1):
        return False
    return kind <= 2 or not has_explained(mem, joint)


@noinline
def joint_round(mem, joint, sheets, damped, powers, rubs):
    """One round of the kind under way; whether all kinds are through."""
    number = sheets.number
    kind = int(mem[joint + JOINT.kind])
    if not _is_sought(mem, joint, kind, damped, powers):
        return _next_kind(mem, joint, number)
    masks = (
        mask_of(mem, joint, 0, kind),
        mask_of(mem, joint, 1, kind),
        mask_of(mem, joint, 2, kind),
        mask_of(mem, joint, 3, kind),
    )
    deeper = mem[joint + JOINT.round] == 0.0 and growing(mem, joint, sheets.many) >= DEEPER
    chi, used = _equations(mem, joint, sheets, masks, rubs, deeper)
    mem[joint + JOINT.round] += 1.0
    brake = mem[joint + JOINT.brake]
    if chi < mem[joint + JOINT.chi]:
        keep_equations(mem, joint)
        mem[joint + JOINT.chi], mem[joint + JOINT.used] = chi, used
        brake = SLACKER * brake if brake > LEAST_BRAKE else 0.0
    else:  # too far: a shorter step from where it was best
        brake = max(TIGHTER * brake, FIRST_BRAKE)
    mem[joint + JOINT.brake] = brake
    gain = solve_kept(mem, joint, brake)
    rounds = FEW_ROUNDS if kind <= 2 else ROUNDS
    over = mem[joint + JOINT.round] >= rounds or brake > MOST_BRAKE
    hopeless = gain < CRAWLS * mem[joint + JOINT.chi] and mem[joint + JOINT.chi] > EXPLAINED * used
    if deeper or (gain > CONVERGED and not (over or hopeless)):
        _step(mem, joint, number)
        if deeper:
            mem[joint + JOINT.chi] = math.inf  # of fewer samples than the next
        return False
    if math.isfinite(solve_kept(mem, joint, 0.0) + mem[joint + JOINT.chi]):
        _note_kind(mem, joint, kind, masks, number)
    if mem[joint + JOINT.last_kind] == float(kind):  # the one that explained fewer samples
        mem[joint + JOINT.last_kind] = 0.0
        if has_explained(mem, joint):
            mem[joint + JOINT.kind] = 0.0
            return True
        mem[joint + JOINT.kind], mem[joint + JOINT.best_kind] = 0.0, 0.0
    return _next_kind(mem, joint, number)


@noinline
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
        mem[joint + JOINT.best + p] = mem[joint + JOINT.before + p]
    for i in range(number):
        if masks[i] != 0:
            k = abs(mem[joint + JOINT.before + i * PER + U.k]) + 1e-30
            spread = more * math.sqrt(variance_of(mem, joint, i * PER + U.k)) / k
            mem[joint + JOINT.spread + i] = spread
    mem[joint + JOINT.friction_spread] = more * math.sqrt(variance_of(mem, joint, MU))


@noinline
def _next_kind(mem, joint, number):
    mem[joint + JOINT.kind] += 1.0
    if mem[joint + JOINT.kind] < KINDS:
        begin_kind(mem, joint, number)
        return False
    mem[joint + JOINT.kind] = 0.0
    return True


@noinline
def believe_joint(mem, joint, many, fits, laws, number, rubs):
    """What was found into the laws."""
    if mem[joint + JOINT.best_kind] == 0.0:
        return
    kind, best = int(mem[joint + JOINT.best_kind]), joint + JOINT.best
    mem[joint + JOINT.last_chi] = mem[joint + JOINT.best_chi]
    told = kind > 2 and has_explained(mem, joint)
    mem[joint + JOINT.last_kind] = (
        float(kind if kind < AGAIN else kind - AGAIN + 2) if told else 0.0
    )
    for i in range(number):
        if mem[joint + JOINT.touched + i] == 0.0:
            continue
        law, fit, at = laws + i * LAW_FLOATS, fits + i * FIT_FLOATS, best + i * PER
        unit, k = mem[joint + JOINT.unit + i], mem[at + U.k]
        model = model_of(mask_of(mem, joint, i, kind))
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
