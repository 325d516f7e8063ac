"""The laws of all pairs at once, from samples in which several touch: Levenberg and Marquardt, one
round a cycle, so that no cycle takes long.

A wrench is six numbers, and four touches may push at once, on one plate even along one line: of one
sample the forces of the touches cannot always be separated. The laws can, because the touches are
differently deep at different times. Unknown are the numbers of every pair's law, the friction of
all, and its speed. Samples in which a pair touched alone (law_samples.py) are among the equations,
and its law has the numbers of the model that they show beside those of the kind that is tried.

    kind    1  k        2, 5  k, c        3, 6  k, n, lambda        4, 7  k, c, f_0, d_0

The kinds are tried one after the other, the later ones only while none has explained the samples,
from 5 on from other starts; the one with the least chi^2 + p ln N counts. A fit of more samples
begins with the kind that explained the fewer, and ends there if it still does. A weak prior (WEAK)
keeps what no sample determines near to what was believed, and then to the other pairs."""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.methods.model_mediated.friction import LEAST, MOST
from softdock.methods.model_mediated.joint_equations import (
    add_friction,
    add_own,
    add_prior,
    add_rows,
    compute_variance,
    count_deepening,
    hold_unknown,
    keep_equations,
    solve_kept,
)
from softdock.methods.model_mediated.joint_state import (
    AGAIN,
    KIND_MASKS,
    MU,
    PER,
    SLIP,
    UNKNOWNS,
    JointData,
    U,
    begin_kind,
    choose_unknowns,
    find_model,
)
from softdock.methods.model_mediated.law import (
    EXACT,
    EXPLAINED,
    F_0,
    STEEPEST,
    ModelKinds,
    has,
    is_explained,
)

KINDS = len(KIND_MASKS)
ROUNDS, FEW_ROUNDS = 24, 8  # the latter of kinds that are nearly linear
SURE = 1.0  # standard deviations: friction that is less is none
CONVERGED = 1e-6  # of chi^2: a smaller fall is none
CRAWLS = 1e-3  # of a chi^2 that no noise explains: a smaller fall is not waited for
FIRST_BRAKE, LEAST_BRAKE, MOST_BRAKE = 1e-3, 1e-5, 1e6
SLACKER, TIGHTER = 0.1, 10.0
WEAK = 0.5  # of a stiffness that no sample determines: how far it may be from what is believed
LONGEST_STEP = 1.0  # of ln v_0 in a round
WIDE = 3.0  # of ln v_0: how far it may be from what is believed
DEEPER = 6  # samples of depths that grow, from which on a search begins with them


@compiled
def _has_explained(joint):
    """Whether a kind has explained the samples."""
    explained = is_explained(joint.best_chi * joint.used, joint.used)
    return joint.best_kind != 0 and explained


@noinline
def _fill_equations(joint, data: JointData, masks, with_friction, deeper):
    """All equations around the unknowns as they are; chi^2 and their number. `deeper`: of several
    touches those alone that become deeper."""
    laws, lag, matrix = data.laws, data.lag, joint.matrix
    for p in range(UNKNOWNS * UNKNOWNS):
        matrix[p] = 0.0
    for p in range(UNKNOWNS):
        joint.right[p] = 0.0
    chi, used = add_rows(joint, data, masks, with_friction, deeper)
    for i in range(data.number):
        if masks[i] != 0:
            fit, pulls, largest = data.fits[i], laws[i].pulls, data.several.largest
            more, count = add_own(joint, i, fit, pulls, lag, mask=masks[i], largest=largest)
            chi, used = chi + more, used + count
            k = i * PER + U.k
            size = max(abs(joint.start[k]), abs(joint.now[k]))
            chi += add_prior(joint, k, WEAK * size + 1e-30)
            if (masks[i] >> U.ramp) & 1 == 1:  # where no sample determines it, it stays
                ramp = i * PER + U.ramp
                matrix[ramp * UNKNOWNS + ramp] += 1.0
            _stay_within(joint, i * PER + U.n, 1.0, STEEPEST)
            _stay_within(joint, i * PER + U.c, 0.0, math.inf)
            _stay_within(joint, i * PER + U.g, 0.0, math.inf)
            _stay_within(joint, i * PER + U.f_0, 0.0, math.inf)
    if with_friction:
        more, count = add_friction(joint, data.friction, lag)
        chi, used = chi + more, used + count
        chi += add_prior(joint, MU, 1.0)
        chi += add_prior(joint, SLIP, WIDE)
        _stay_within(joint, MU, 0.0, MOST)
    for p in range(UNKNOWNS):  # what is not sought
        if matrix[p * UNKNOWNS + p] == 0.0:
            matrix[p * UNKNOWNS + p] = 1.0
    return chi, used


@noinline
def _stay_within(joint, p, least, most):
    """An unknown that is at an end of its range and would go beyond is not sought in this round:
    cut off after the step it would spoil the others'."""
    now, pull = joint.now[p], joint.right[p]
    if (now <= least and pull < 0.0) or (now >= most and pull > 0.0):
        hold_unknown(joint, p)


@noinline
def _take_step(joint, number):
    """The unknowns a step from the best so far, within what a passive law has."""
    now, by = joint.now, joint.right
    joint.now = joint.before
    for i in range(number):
        at = i * PER
        if not joint.touched[i]:
            continue
        change = by[at + U.n]
        part = 0.5 / abs(change) if abs(change) > 0.5 else 1.0
        k = now[at + U.k]
        for q in range(PER):
            now[at + q] += part * by[at + q]
        now[at + U.k] = max(now[at + U.k], 0.1 * k)
        now[at + U.c], now[at + U.g] = max(now[at + U.c], 0.0), max(now[at + U.g], 0.0)
        now[at + U.f_0] = max(now[at + U.f_0], 0.0)
        now[at + U.n] = min(max(now[at + U.n], 1.0), STEEPEST)
        deepest = math.log(joint.unit[i])
        now[at + U.ramp] = min(max(now[at + U.ramp], deepest - 9.0), deepest)
    _step_friction(joint)


@noinline
def _step_friction(joint):
    """mu and ln v_0 a step further. The samples tell friction at their own sliding v, mu v /
    sqrt(v^2 + v_0^2), far better than its two numbers: that goes the straight step."""
    mu, log = joint.now[MU], joint.now[SLIP]
    by, v = joint.right[SLIP], joint.sliding
    by, v_0 = min(max(by, -LONGEST_STEP), LONGEST_STEP), math.exp(log)
    felt = mu + joint.right[MU]
    if v > 0.0:
        share = v_0 * v_0 / (v * v + v_0 * v_0)
        after = math.exp(log + by)
        felt -= mu * share * by
        felt *= math.sqrt((v * v + after * after) / (v * v + v_0 * v_0))
    joint.now[MU] = min(max(felt, 0.0), MOST)
    joint.now[SLIP] = log + by


@noinline
def _is_sought(joint, kind, kinds: ModelKinds):
    """Whether a kind is among those that are sought, and still needed."""
    mask = KIND_MASKS[kind]
    if not kinds.damping and ((mask >> U.c) & 1 == 1 or (mask >> U.g) & 1 == 1):
        return False
    if not kinds.powers and ((mask >> U.n) & 1 == 1 or (mask >> U.f_0) & 1 == 1):
        return False
    return kind <= 2 or not _has_explained(joint)


@noinline
def run_joint_round(joint, data: JointData, kinds: ModelKinds, with_friction):
    """One round of the kind under way; whether all kinds are through."""
    number, kind = data.number, joint.kind
    if not _is_sought(joint, kind, kinds):
        return _begin_next_kind(joint, number)
    masks = (
        choose_unknowns(joint, 0, kind),
        choose_unknowns(joint, 1, kind),
        choose_unknowns(joint, 2, kind),
        choose_unknowns(joint, 3, kind),
    )
    deeper = joint.round == 0 and count_deepening(joint, data.several) >= DEEPER
    chi, used = _fill_equations(joint, data, masks, with_friction, deeper)
    joint.round += 1
    brake = joint.brake
    if chi < joint.chi:
        keep_equations(joint)
        joint.chi, joint.used = chi, used
        brake = SLACKER * brake if brake > LEAST_BRAKE else 0.0
    else:  # too far: a shorter step from where it was best
        brake = max(TIGHTER * brake, FIRST_BRAKE)
    joint.brake = brake
    gain = solve_kept(joint, brake)
    rounds = FEW_ROUNDS if kind <= 2 else ROUNDS
    over = joint.round >= rounds or brake > MOST_BRAKE
    hopeless = gain < CRAWLS * joint.chi and joint.chi > EXPLAINED * used
    if deeper or (gain > CONVERGED and not (over or hopeless)):
        _take_step(joint, number)
        if deeper:
            joint.chi = math.inf  # of fewer samples than the next
        return False
    if math.isfinite(solve_kept(joint, 0.0) + joint.chi):
        _note_kind(joint, kind, masks, number)
    if joint.last_kind == kind:  # the one that explained fewer samples
        joint.last_kind = 0
        if _has_explained(joint):
            joint.kind = 0
            return True
        joint.kind, joint.best_kind = 0, 0
    return _begin_next_kind(joint, number)


@noinline
def _note_kind(joint, kind, masks, number):
    """Keep the kind that ended, if it is the best so far."""
    parameters = 0.0
    for i in range(number):
        for q in range(PER):
            parameters += float((masks[i] >> q) & 1)
    used, chi = joint.used, joint.chi
    noise = max(min(joint.best_chi, chi / used), 1.0)
    penalty = math.log(max(used, 2.0))
    gained = (joint.best_chi * used - chi) / noise
    paid = (parameters - joint.best_number) * penalty
    if joint.best_kind != 0 and not gained > paid:
        return
    joint.best_kind, joint.best_chi, joint.best_number = kind, chi / used, parameters
    more = math.sqrt(max(chi / used, 1.0))
    joint.best = joint.before
    for i in range(number):
        if masks[i] != 0:
            k = abs(joint.before[i * PER + U.k]) + 1e-30
            joint.spread[i] = more * math.sqrt(compute_variance(joint, i * PER + U.k)) / k
    joint.friction_spread = more * math.sqrt(compute_variance(joint, MU))


@noinline
def _begin_next_kind(joint, number):
    joint.kind += 1
    if joint.kind < KINDS:
        begin_kind(joint, number)
        return False
    joint.kind = 0
    return True


@noinline
def believe_joint(joint, data: JointData, with_friction):
    """What was found into the laws."""
    if joint.best_kind == 0:
        return
    kind, best, several = joint.best_kind, joint.best, data.several
    joint.last_chi = joint.best_chi
    explained = kind > 2 and _has_explained(joint)
    joint.last_kind = (kind if kind < AGAIN else kind - AGAIN + 2) if explained else 0
    for i in range(data.number):
        if not joint.touched[i]:
            continue
        law, fit, at = data.laws[i], data.fits[i], i * PER
        k = best[at + U.k]
        model = find_model(choose_unknowns(joint, i, kind))
        law.stiffness = k / math.pow(joint.unit[i], best[at + U.n])
        law.power = best[at + U.n]
        law.damping = max(best[at + U.c], 0.0)
        law.factor = max(best[at + U.g], 0.0) / k
        law.preload = max(best[at + U.f_0], 0.0)
        law.ramp = math.exp(best[at + U.ramp]) if has(model, F_0) else 0.0
        fit.model, fit.chi, fit.spread = model, joint.best_chi, joint.spread[i]
        small = EXACT * several.largest
        noise = math.sqrt(several.rows[0].force_variance + small * small)
        fit.misfit = noise * math.sqrt(joint.best_chi) / several.largest
    if not with_friction:
        return
    mu, spread = best[MU], joint.friction_spread
    sure = mu > max(SURE * spread, LEAST)
    for i in range(data.number):
        law = data.laws[i]
        law.friction = mu if sure else 0.0
        law.slip = math.exp(best[SLIP]) if sure else 1e-3


assert MOST_PAIRS == 4  # masks of run_joint_round
