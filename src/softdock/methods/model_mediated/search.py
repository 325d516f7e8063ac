"""Which of the laws of fit.py the samples of a pair bear, sought over several cycles: every model
is fitted in turn, some rounds of Gauss and Newton a cycle, to one and the same set of samples.
Where there are many, of those that are not shallow one stands for several.

A model with a power is begun from 1 and, where that does not explain the samples, from 2. Of one
with a pre-load the depth d_0 over which that comes is sought on a grid, then by golden section. The
model is linear for each of these: one round from the numbers of the depth before gives chi^2,
unless it has gained much.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.gauss_newton import (
    LATER,
    choose_start,
    is_last,
    limit_rounds,
    make_law,
    run_round,
)
from softdock.methods.model_mediated.law import (
    F_0,
    MODELS,
    FittedLaw,
    ModelKinds,
    N,
    Numbers,
    has,
    is_allowed,
    is_explained,
)
from softdock.methods.model_mediated.law_samples import Scope, Trial

ORDER = (0, 1, 2, 3, 4, 7, 8, 10, 5, 6, 9)  # of the models, from place 1; pre-loads last
LOADED = 7  # the last place without one
PLAIN, STEEP, GRID, SECTION, POLISH = 0, 1, 2, 3, 4  # stages of a model's search
STEEPER = 2.0  # power from which it is sought again where the search from 1 did not end well
RAMPS, FINER, SECTIONS = 12, 0.6, 14  # of the search for the depth of a pre-load
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
MUCH = 0.1  # of chi^2: a round that gains more is followed by another
MOST_LOOKED_AT = 64  # samples of a search; of more, one in so many
A_ROUND, BENT = 12, 3  # work of a round beside its samples; of a sample, where a power is sought
UNTRIED = Trial(
    chi=math.inf,
    paid=math.inf,
    ramp=math.inf,
    numbers=Numbers(math.inf, math.inf, math.inf, math.inf, math.inf, math.inf),
)


@noinline
def find_least_chi(search):
    """chi^2 of the model that fits best."""
    least = math.inf
    for model in range(1, MODELS):
        least = min(least, search.trials[model].chi)
    return least


@noinline
def begin_search(fit, kinds: ModelKinds):
    """Begin a search with the samples that are there."""
    search, count = fit.search, fit.count
    search.scope = Scope(
        span=count,
        every=(count + MOST_LOOKED_AT - 1) // MOST_LOOKED_AT,
        deepest=fit.deepest,
        largest=fit.largest,
    )
    search.stride, search.seen = fit.stride, fit.seen
    for model in range(MODELS):
        search.trials[model] = UNTRIED
    search.place = 0
    _begin_next_model(search, kinds)


@noinline
def _begin_next_model(search, kinds: ModelKinds):
    """Whether there is none."""
    place = search.place + 1
    while place < len(ORDER) and not is_allowed(ORDER[place], kinds):
        place += 1
    done = place > LOADED and is_explained(find_least_chi(search), search.samples)
    if place >= len(ORDER) or done:
        search.place = 0
        return True
    search.place = place
    _begin_stage(search, PLAIN)
    search.numbers = Numbers(search.spring, 0.0, 0.0, 0.0, 1.0, 0.0)
    search.ramp, search.lowest = 0.0, math.inf
    return False


@compiled
def _begin_stage(search, stage):
    search.stage, search.round = stage, 0


@noinline
def _note_trial(search, model, found: FittedLaw, p: Numbers):
    """A model that has been fitted, if it is better than before."""
    if model == 1:
        search.samples = found.samples
    paid = found.parameters + (1.0 if found.ramp > 0.0 else 0.0)
    enough = model == 1 or found.samples >= paid + 1.0
    if found.model > 0 and enough and found.chi < search.trials[model].chi:
        search.trials[model] = Trial(found.chi, paid, found.ramp, p)


@noinline
def _run_plain_round(fit, law, model, stage):
    """A round of a plain fit; whether the model is through."""
    search = fit.search
    p, number = search.numbers, search.round
    begins = number == 0 and stage != POLISH
    one = run_round(fit, law, model, p, choose_start(fit, model) if begins else LATER)
    search.round += 1
    settled = number > 0 and (is_last(one) or number + 1 >= limit_rounds(model))
    if one.solved and not settled:
        search.numbers = one.p
        return False
    found = make_law(fit, model, p, one)
    _note_trial(search, model, found, p)
    if stage == PLAIN and has(model, N) and not is_explained(found.chi, found.samples):
        _begin_stage(search, STEEP)
        search.numbers = Numbers(search.spring, 0.0, 0.0, 0.0, STEEPER, 0.0)
        return False
    if stage == PLAIN and has(model, F_0):
        _begin_stage(search, GRID)
        return False
    return True


@noinline
def _try_ramp(fit, law, model, ramp):
    """chi^2 of a model with a pre-load that comes over `ramp`; infinite where it is no law."""
    search = fit.search
    search.ramp, fit.ramp = ramp, ramp
    one = run_round(fit, law, model, search.numbers, LATER)
    if one.solved and one.gain > MUCH * one.chi:
        one = run_round(fit, law, model, one.p, LATER)
    if not (one.solved and one.p.k > 0.0 and one.p.f_0 >= 0.0 and one.p.tau >= 0.0):
        return math.inf
    search.numbers = one.p
    return max(one.chi - one.gain, 0.0)


@noinline
def _try_grid(fit, law, model):
    """One depth of the grid; whether the model is through."""
    search = fit.search
    number = search.round + 1
    ramp = search.scope.deepest * math.pow(FINER, float(number))
    chi = _try_ramp(fit, law, model, ramp)
    if chi < search.lowest:
        search.lowest, search.best_ramp = chi, ramp
    search.round = number
    if number < RAMPS:
        return False
    if not search.lowest < search.trials[model].chi:
        return True
    _begin_stage(search, SECTION)
    best = search.best_ramp
    search.low, search.high = math.log(best * FINER), math.log(best / FINER)
    return False


@noinline
def _try_section(fit, law, model):
    """One depth of the golden section."""
    search = fit.search
    low, high, number = search.low, search.high, search.round
    lower = number == 0
    if number > 1:
        lower = search.low_chi < search.high_chi
        if lower:
            high = low + GOLDEN * (high - low)
            search.high_chi = search.low_chi
        else:
            low = high - GOLDEN * (high - low)
            search.low_chi = search.high_chi
        search.low, search.high = low, high
    step = GOLDEN * (high - low)
    chi = _try_ramp(fit, law, model, math.exp(high - step if lower else low + step))
    if lower:
        search.low_chi = chi
    else:
        search.high_chi = chi
    search.round = number + 1
    if number > SECTIONS:
        _begin_stage(search, POLISH)
        search.ramp = math.exp(0.5 * (low + high))


@noinline
def _run_search_round(fit, law, model):
    """One round of the search; whether the model is through."""
    stage = fit.search.stage
    fit.ramp = fit.search.ramp
    if stage == GRID:
        return _try_grid(fit, law, model)
    if stage == SECTION:
        _try_section(fit, law, model)
        return False
    return _run_plain_round(fit, law, model, stage)


@noinline
def run_search(fit, law, work, kinds: ModelKinds):
    """Rounds of the search for so much work [samples looked at]; whether it has ended. Where
    samples have been given up since it began, it begins again."""
    search = fit.search
    if search.stride != fit.stride:
        begin_search(fit, kinds)
    fit.scope = search.scope
    a_round = search.scope.span / search.scope.every + A_ROUND
    while work > 0.0:
        model = ORDER[search.place]
        work -= a_round * (BENT if has(model, N) else 1.0)
        through = _run_search_round(fit, law, model)
        if through and _begin_next_model(search, kinds):
            return True
    return False
