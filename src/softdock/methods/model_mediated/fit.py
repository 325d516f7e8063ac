"""A pair's contact law from its samples of deflection, rate and normal force: weighted least
squares of several laws, the simplest one that the samples bear.

    f + tau f' = f_0 min(d / d_0, 1) + k d^n (1 + lambda d') + c d'

    d [m] the deflection, f [N] as measured

    1  k            3  k, n              5  k, f_0        7  k, c, tau          9  k, f_0, tau
    2  k, c         4  k, n, lambda      6  k, c, f_0     8  k, n, lambda, tau  10  k, tau

Others as for an ideal spring. tau [s] is the lag of a low-pass, which no stamp shows, f_0 a
pre-load. Each is fitted to all samples of the pair that are kept, over all its contacts, by Gauss
and Newton (one round where n is not sought); the one with the least chi^2 + p ln N counts (p its
parameters, N the samples: Schwarz 1978), what no law explains taken for noise. 3 to 9 only for
samples that 1 and 2 do not explain, those with a pre-load only where no other does: that search
goes on over several cycles (search.py), and is done again only when there are twice as many
samples, or the contact is over. Until then the model that it found last counts, fitted to all
samples. Where a law says that the surface was left behind (it would pull) it says a force of zero.
A damping below zero is taken as zero, so that every law that comes out is passive. Where no law
fits, passive elements are tried (element_fit.py), and else the second counts.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.gauss_newton import LATER, choose_start, fit_model
from softdock.methods.model_mediated.law import (
    EXPLAINED,
    F_0,
    MODELS,
    NO_LAW,
    TAU,
    C,
    FittedLaw,
    G,
    ModelKinds,
    N,
    Numbers,
    has,
    is_allowed,
    is_explained,
)
from softdock.methods.model_mediated.law_samples import Scope, compute_weight
from softdock.methods.model_mediated.search import begin_search, find_least_chi, run_search

NEGLIGIBLE = 2e-3  # root mean square, of the largest force: what a named law may leave
ROUGH = 0.02  # of the largest force: a misfit beyond is another law
SOME = 4  # samples that a search needs
TWICE = 2.0  # times as many samples, before another search
MORE = 1.2  # the same where there will be none after them, or what explained them has failed
FEW = 96  # samples up to which any more are enough, where there will be none after them


@compiled
def _choose_better(one: FittedLaw, other: FittedLaw, noise):
    """The one of two laws with the lower chi^2 + p ln N; `noise`: what no law explains."""
    if other.model == 0:
        return one
    penalty = math.log(max(other.samples, 2.0))
    score = other.chi / noise + other.parameters * penalty
    return other if score < one.chi / noise + one.parameters * penalty else one


@compiled
def _compute_rough_chi(fit):
    """chi^2 per sample of a misfit of 2 % of the largest force beyond noise."""
    return EXPLAINED + (ROUGH * fit.largest) ** 2 * compute_weight(fit, fit.rows[0])


@compiled
def _look_at_all(fit):
    fit.scope = Scope(span=fit.count, every=1, deepest=fit.deepest, largest=fit.largest)


@noinline
def _fit_linear(fit, law, model, k):
    """A model that is linear and has no pre-load, from a spring k."""
    fit.ramp = 0.0
    start = choose_start(fit, model)
    return fit_model(fit, law, model, Numbers(k, 0.0, 0.0, 0.0, 1.0, 0.0), start)


@compiled
def _read_numbers(fit, law):
    """The numbers of the law as it is believed."""
    k = law.stiffness * math.pow(fit.deepest, law.power)
    return Numbers(k=k, c=law.damping, f_0=law.preload, tau=fit.lag, n=law.power, g=k * law.factor)


@compiled
def _select_numbers(model, p: Numbers):
    """Those of a law's numbers that a model has."""
    return Numbers(
        k=p.k,
        c=p.c if has(model, C) else 0.0,
        f_0=p.f_0 if has(model, F_0) else 0.0,
        tau=p.tau if has(model, TAU) else 0.0,
        n=p.n if has(model, N) else 1.0,
        g=p.g if has(model, G) else 0.0,
    )


@noinline
def _fit_simplest(fit, law, kinds: ModelKinds):
    """The law that counts as long as no other model is known, and whether it explains the
    samples."""
    spring = _fit_linear(fit, law, 1, fit.largest)
    if spring.model == 0:
        return NO_LAW, True
    fit.search.spring = spring.k
    damper = spring
    if kinds.damping and spring.samples >= 2.0:
        damper = _fit_linear(fit, law, 2, spring.k)
    braked = _choose_better(spring, damper, 1.0)
    if is_explained(braked.chi, spring.samples):
        return braked, True
    before = fit.own_model
    if before > 2 and is_allowed(before, kinds) and law.stiffness > 0.0:
        fit.ramp = law.ramp
        numbers = _select_numbers(before, _read_numbers(fit, law))
        again = fit_model(fit, law, before, numbers, LATER)
        if again.model > 0 and is_explained(again.chi, again.samples):
            return again, True
        if again.model > 0 and again.chi <= again.samples * _compute_rough_chi(fit):
            return again, False
    return _choose_better(spring, damper, max(braked.chi / braked.samples, 1.0)), False


@noinline
def _fit_best(fit, law, damping):
    """The best of all models that a search has tried, fitted to all samples."""
    search = fit.search
    least, samples, spring = find_least_chi(search), search.samples, search.spring
    noise, penalty = max(least / samples, 1.0), math.log(max(samples, 2.0))
    best, lowest = 1, math.inf
    for model in range(1, MODELS):
        trial = search.trials[model]
        score = trial.chi / noise + trial.paid * penalty
        if score < lowest:
            best, lowest = model, score
    _look_at_all(fit)
    if best > 2 and least <= samples * _compute_rough_chi(fit):
        trial = search.trials[best]
        p, grown = trial.numbers, fit.deepest / search.scope.deepest
        by = math.pow(grown, p.n)
        fit.ramp = trial.ramp
        p = Numbers(k=by * p.k, c=p.c, f_0=p.f_0, tau=p.tau, n=p.n, g=by * p.g)
        found = fit_model(fit, law, best, p, LATER)
        if found.model > 0:
            return found
    found = _fit_linear(fit, law, 1, spring)
    if not damping:
        return found
    return _choose_better(found, _fit_linear(fit, law, 2, spring), noise)


@compiled
def note_law(fit, law, found: FittedLaw):
    """Into the cells of the law."""
    unit = math.pow(fit.deepest, found.n)
    law.stiffness, law.power = found.k / unit, found.n
    law.damping, law.factor = found.c, found.g / found.k
    law.preload, law.ramp = found.f_0, found.ramp
    fit.model, fit.chi = found.model, found.chi / found.samples
    fit.own_model, fit.own_chi = fit.model, fit.chi
    fit.lag = found.tau
    weight = compute_weight(fit, fit.rows[0])
    fit.misfit = math.sqrt(found.chi / (found.samples * weight)) / fit.largest
    more = max(found.chi / found.samples, 1.0)  # what does not explain the samples is worth less
    fit.spread = math.sqrt(more * found.variance) / found.k
    fit.damping_spread = math.sqrt(more * found.damping_variance)


@compiled
def _has_explained(fit):
    """Whether the law that was last fitted did explain the samples."""
    count = float(fit.count)
    return is_explained(fit.own_chi * count, count)


@compiled
def is_unknown(fit):
    """Whether the law that was last fitted leaves more beyond noise than is negligible."""
    return fit.misfit * math.sqrt(max(1.0 - EXPLAINED / max(fit.chi, 1e-300), 0.0)) >= NEGLIGIBLE


@compiled
def is_negligible(fit, chi, samples):
    """Whether a chi^2 is of noise and what is negligible."""
    small = NEGLIGIBLE * fit.largest
    return chi <= samples * (EXPLAINED + small * small * compute_weight(fit, fit.rows[0]))


@compiled
def is_unfinished(fit):
    """Whether no law explains the samples, and the last search has not seen the few that there
    are. Of fewer than a search takes, none will."""
    return fit.count >= SOME and not _has_explained(fit) and fit.search.seen < fit.seen <= FEW


@noinline
def fit_law(fit, law, kinds: ModelKinds, every):
    """The law of a pair into its cells `law`; whether there is one. `kinds`: which models are
    sought; `every`: there will be no more samples."""
    if fit.pulled >= 2:
        law.pulls = True
    if fit.count < 1 or fit.deepest <= 0.0:
        return False
    search, was_explained = fit.search, _has_explained(fit)
    _look_at_all(fit)
    found, explained = _fit_simplest(fit, law, kinds)
    if explained:
        search.place = 0
    else:
        times = MORE if every or was_explained else TWICE
        more = fit.seen >= times * search.seen
        more = more or (every and is_unfinished(fit))
        if more and fit.count >= SOME and (every or search.place == 0):
            begin_search(fit, kinds)
    if found.model == 0:
        return False
    note_law(fit, law, found)
    return True


@noinline
def continue_search(fit, law, work, kinds: ModelKinds):
    """A search under way, for so much work [samples looked at]; whether it has ended with a law.
    One that explains only the samples that the search has seen is none: it begins again."""
    if not run_search(fit, law, work, kinds):
        return False
    found, search = _fit_best(fit, law, kinds.damping), fit.search
    if found.model == 0:
        return False
    explained = is_explained(find_least_chi(search), search.samples)
    fails = explained and not is_explained(found.chi, found.samples)
    if fails and fit.seen > search.seen:
        begin_search(fit, kinds)
        return False
    note_law(fit, law, found)
    return True
