"""A pair's contact law from its samples of deflection, rate and normal force: weighted least
squares of several laws, the simplest one that the samples bear.

    f + tau f' = f_0 min(d / d_0, 1) + k d^n (1 + lambda d') + c d'

    d [m] the deflection, f [N] as measured

    1  k            3  k, n              5  k, f_0        7  k, c, tau          9  k, f_0, tau
    2  k, c         4  k, n, lambda      6  k, c, f_0     8  k, n, lambda, tau  10  k, tau

Others as for an ideal spring. tau [s] is the lag of a low-pass that no stamp tells of, f_0 a
pre-load. Each is fitted to all samples of the pair that are kept, over all its contacts, by Gauss
and Newton (one round where n is not sought); the one with the least chi^2 + p ln N counts (p its
parameters, N the samples: Schwarz 1978), what no law explains taken for noise. 3 to 9 only for
samples that 1 and 2 do not explain, those with a pre-load only where no other does: that search
goes on over several cycles (search.py), and is done again only when there are twice as many
samples, or the contact is over. Until then the model that it found last counts, fitted to all
samples. Where a law says that the surface was left behind (it would pull) it says a force of zero.
A damping below zero is taken as zero, so that every law that comes out is passive. Where no law
fits, the second counts: its normal equations make its damper take just the work that the samples'
contact took.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.methods.faithful.gauss_newton import LATER, fitted, start_of
from softdock.methods.faithful.law import LAW
from softdock.methods.faithful.law_samples import FIT, SEARCH, TRIED, VIEW
from softdock.methods.faithful.models import (
    EXPLAINED,
    F_0,
    MODELS,
    NOTHING,
    TAU,
    C,
    G,
    K,
    N,
    has,
    is_explained,
    weight_of,
)
from softdock.methods.faithful.search import (
    begin_search,
    is_allowed,
    least_of,
    load_numbers,
    search_some,
    tried_row,
)

ROUGH = 0.02  # of the largest force: a misfit beyond is another law
SOME = 4.0  # samples that a search needs
TWICE = 2.0  # times as many samples, before another search
MORE = 1.2  # the same where there will be none after them, or what explained them has failed
FEW = 96.0  # samples up to which any more are enough, where there will be none after them


@compiled
def _better(one, other, noise):
    """The one of two laws with the lower chi^2 + p ln N; `noise`: what no law explains."""
    if other.model == 0:
        return one
    penalty = math.log(max(other.samples, 2.0))
    score = other.chi / noise + other.parameters * penalty
    return other if score < one.chi / noise + one.parameters * penalty else one


@compiled
def _rough(mem, at):
    """chi^2 per sample of a misfit of 2 % of the largest force beyond noise."""
    return EXPLAINED + (ROUGH * mem[at + FIT.largest]) ** 2 * weight_of(mem, at, at + FIT.rows)


@compiled
def _look_at_all(mem, at):
    view = at + FIT.scope
    mem[view + VIEW.span], mem[view + VIEW.every] = mem[at + FIT.count], 1.0
    mem[view + VIEW.deepest] = mem[at + FIT.deepest]
    mem[view + VIEW.largest] = mem[at + FIT.largest]


@noinline
def _alone(mem, at, law, model, k):
    """A model that is linear and has no pre-load, from a spring k."""
    mem[at + FIT.ramp] = 0.0
    return fitted(mem, at, law, model, (k, 0.0, 0.0, 0.0, 1.0, 0.0), start_of(mem, at, model))


@compiled
def _believed(mem, at, law):
    """The numbers of the law as it is believed."""
    unit = math.pow(mem[at + FIT.deepest], mem[law + LAW.power])
    k = mem[law + LAW.stiffness] * unit
    return (
        k,
        mem[law + LAW.damping],
        mem[law + LAW.preload],
        mem[at + FIT.lag],
        mem[law + LAW.power],
        k * mem[law + LAW.factor],
    )


@compiled
def _only(model, p):
    """Those of a law's numbers that a model has."""
    return (
        p[K],
        p[C] if has(model, C) else 0.0,
        p[F_0] if has(model, F_0) else 0.0,
        p[TAU] if has(model, TAU) else 0.0,
        p[N] if has(model, N) else 1.0,
        p[G] if has(model, G) else 0.0,
    )


@noinline
def _simplest(mem, at, law, damped, powers, lags):
    """The law that counts as long as no other model is known, and whether it explains the
    samples."""
    spring = _alone(mem, at, law, 1, mem[at + FIT.largest])
    if spring.model == 0:
        return NOTHING, True
    mem[at + FIT.search + SEARCH.spring] = spring.k
    damper = spring
    if damped and spring.samples >= 2.0:
        damper = _alone(mem, at, law, 2, spring.k)
    braked = _better(spring, damper, 1.0)
    if is_explained(braked.chi, spring.samples):
        return braked, True
    before = int(mem[at + FIT.own_model])
    if before > 2 and is_allowed(before, damped, powers, lags) and mem[law + LAW.stiffness] > 0.0:
        mem[at + FIT.ramp] = mem[law + LAW.ramp]
        numbers = _only(before, _believed(mem, at, law))
        again = fitted(mem, at, law, before, numbers, LATER)
        if again.model > 0 and is_explained(again.chi, again.samples):
            return again, True
        if again.model > 0 and again.chi <= again.samples * _rough(mem, at):
            return again, False
    return _better(spring, damper, max(braked.chi / braked.samples, 1.0)), False


@noinline
def _of_all(mem, at, law, damped):
    """The best of all models that a search has tried, fitted to all samples."""
    s, least = at + FIT.search, least_of(mem, at)
    samples, spring = mem[s + SEARCH.samples], mem[s + SEARCH.spring]
    noise, penalty = max(least / samples, 1.0), math.log(max(samples, 2.0))
    best, lowest = 1, math.inf
    for model in range(1, MODELS):
        row = tried_row(at, model)
        score = mem[row + TRIED.chi] / noise + mem[row + TRIED.paid] * penalty
        if score < lowest:
            best, lowest = model, score
    row = tried_row(at, best)
    _look_at_all(mem, at)
    if best > 2 and least <= samples * _rough(mem, at):
        grown = mem[at + FIT.deepest] / mem[s + SEARCH.scope + VIEW.deepest]
        p = load_numbers(mem, row + TRIED.numbers)
        by = math.pow(grown, p[N])
        mem[at + FIT.ramp] = mem[row + TRIED.ramp]
        p = (by * p[K], p[C], p[F_0], p[TAU], p[N], by * p[G])
        found = fitted(mem, at, law, best, p, LATER)
        if found.model > 0:
            return found
    found = _alone(mem, at, law, 1, spring)
    if not damped:
        return found
    return _better(found, _alone(mem, at, law, 2, spring), noise)


@compiled
def _note_law(mem, at, law, found):
    """Into the cells of the law."""
    unit = math.pow(mem[at + FIT.deepest], found.n)
    mem[law + LAW.stiffness], mem[law + LAW.power] = found.k / unit, found.n
    mem[law + LAW.damping], mem[law + LAW.factor] = found.c, found.g / found.k
    mem[law + LAW.preload], mem[law + LAW.ramp] = found.f_0, found.ramp
    mem[at + FIT.model], mem[at + FIT.chi] = float(found.model), found.chi / found.samples
    mem[at + FIT.own_model], mem[at + FIT.own_chi] = mem[at + FIT.model], mem[at + FIT.chi]
    mem[at + FIT.lag] = found.tau
    weight = weight_of(mem, at, at + FIT.rows)
    mem[at + FIT.misfit] = math.sqrt(found.chi / (found.samples * weight)) / mem[at + FIT.largest]
    more = max(found.chi / found.samples, 1.0)  # what does not explain the samples is worth less
    mem[at + FIT.spread] = math.sqrt(more * found.variance) / found.k
    mem[at + FIT.damping_spread] = math.sqrt(more * found.damping_variance)


@compiled
def _was_explained(mem, at):
    """Whether the law that was last fitted did explain the samples."""
    return is_explained(mem[at + FIT.own_chi] * mem[at + FIT.count], mem[at + FIT.count])


@compiled
def is_unfinished(mem, at):
    """Whether no law explains the samples, and the last search has not seen the few that there
    are. Of fewer than a search takes, none will."""
    seen, last = mem[at + FIT.seen], mem[at + FIT.search + SEARCH.seen]
    return mem[at + FIT.count] >= SOME and not _was_explained(mem, at) and last < seen <= FEW


@noinline
def fit_law(mem, at, law, damped, powers, lags, every):
    """The law of a pair into its cells `law`; whether there is one. `damped`, `powers`, `lags`:
    which models are sought; `every`: there will be no more samples."""
    if mem[at + FIT.pulled] >= 2.0:
        mem[law + LAW.pulls] = 1.0
    if mem[at + FIT.count] < 1.0 or mem[at + FIT.deepest] <= 0.0:
        return False
    search, failed = at + FIT.search, _was_explained(mem, at)
    _look_at_all(mem, at)
    found, explained = _simplest(mem, at, law, damped, powers, lags)
    if explained:
        mem[search + SEARCH.place] = 0.0
    else:
        times = MORE if every or failed else TWICE
        more = mem[at + FIT.seen] >= times * mem[search + SEARCH.seen]
        more = more or (every and is_unfinished(mem, at))
        if more and mem[at + FIT.count] >= SOME and (every or mem[search + SEARCH.place] == 0.0):
            begin_search(mem, at, damped, powers, lags)
    if found.model == 0:
        return False
    _note_law(mem, at, law, found)
    return True


@noinline
def go_on(mem, at, law, work, damped, powers, lags):
    """A search under way, for so much work [samples looked at]; whether it has ended with a law.
    One that explains only the samples that the search has seen is none: it begins again."""
    if not search_some(mem, at, law, work, damped, powers, lags):
        return False
    found, search = _of_all(mem, at, law, damped), at + FIT.search
    if found.model == 0:
        return False
    told = is_explained(least_of(mem, at), mem[search + SEARCH.samples])
    fails = told and not is_explained(found.chi, found.samples)
    if fails and mem[at + FIT.seen] > mem[search + SEARCH.seen]:
        begin_search(mem, at, damped, powers, lags)
        return False
    _note_law(mem, at, law, found)
    return True
