"""Which of the laws of fit.py the samples of a pair bear, sought over several cycles: every model
is fitted in turn, some rounds of Gauss and Newton a cycle, to one and the same set of samples.
Where there are many, of those that are not shallow one stands for several.

A model with a power is begun from 1 and, where that does not explain the samples, from 2. Of one
with a pre-load the depth d_0 over which that comes is sought on a grid, then by golden section. The
model is linear for each of these: one round from the numbers of the depth before tells chi^2,
unless it has gained much.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.methods.faithful.gauss_newton import (
    LATER,
    found_law,
    is_last,
    one_round,
    rounds_of,
    start_of,
)
from softdock.methods.faithful.law_samples import (
    FIT,
    SEARCH,
    TRIED,
    TRIED_FLOATS,
    VIEW,
    VIEW_FLOATS,
)
from softdock.methods.faithful.models import (
    F_0,
    MODELS,
    SIZE,
    TAU,
    C,
    G,
    K,
    N,
    has,
    is_explained,
)

ORDER = (0, 1, 2, 3, 4, 7, 8, 10, 5, 6, 9)  # of the models, from place 1; pre-loads last
LOADED = 7  # the last place without one
PLAIN, STEEP, GRID, SECTION, POLISH = 0, 1, 2, 3, 4  # stages of a model's search
STEEPER = 2.0  # power from which it is sought again where the search from 1 did not end well
RAMPS, FINER, SECTIONS = 12, 0.6, 14  # of the search for the depth of a pre-load
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
MUCH = 0.1  # of chi^2: a round that gains more is followed by another
MOST_LOOKED_AT = 64  # samples of a search; of more, one in so many
A_ROUND, BENT = 12, 3  # work of a round beside its samples; of a sample, where a power is sought


@compiled
def tried_row(at, model):
    return at + FIT.search + SEARCH.tried + model * TRIED_FLOATS


@compiled
def load_numbers(mem, at):
    return (mem[at + K], mem[at + C], mem[at + F_0], mem[at + TAU], mem[at + N], mem[at + G])


@compiled
def _store_numbers(mem, at, p):
    for i in range(SIZE):
        mem[at + i] = p[i]


@compiled
def is_allowed(model, damped, powers, lags):
    """Whether a model is among those that are sought."""
    return (
        (damped or not (has(model, C) or has(model, G)))
        and (powers or not (has(model, N) or has(model, F_0)))
        and (lags or not has(model, TAU))
    )


@noinline
def least_of(mem, at):
    """chi^2 of the model that fits best."""
    least = math.inf
    for model in range(1, MODELS):
        least = min(least, mem[tried_row(at, model) + TRIED.chi])
    return least


@noinline
def begin_search(mem, at, damped, powers, lags):
    """Begin a search with the samples that are there."""
    s, count = at + FIT.search, int(mem[at + FIT.count])
    view = s + SEARCH.scope
    mem[view + VIEW.span] = float(count)
    mem[view + VIEW.every] = float((count + MOST_LOOKED_AT - 1) // MOST_LOOKED_AT)
    mem[view + VIEW.deepest] = mem[at + FIT.deepest]
    mem[view + VIEW.largest] = mem[at + FIT.largest]
    mem[s + SEARCH.stride], mem[s + SEARCH.seen] = mem[at + FIT.stride], mem[at + FIT.seen]
    for i in range(MODELS * TRIED_FLOATS):
        mem[s + SEARCH.tried + i] = math.inf
    mem[s + SEARCH.place] = 0.0
    _next_model(mem, at, damped, powers, lags)


@noinline
def _next_model(mem, at, damped, powers, lags):
    """Whether there is none."""
    s = at + FIT.search
    place = int(mem[s + SEARCH.place]) + 1
    while place < len(ORDER) and not is_allowed(ORDER[place], damped, powers, lags):
        place += 1
    done = place > LOADED and is_explained(least_of(mem, at), mem[s + SEARCH.samples])
    if place >= len(ORDER) or done:
        mem[s + SEARCH.place] = 0.0
        return True
    mem[s + SEARCH.place] = float(place)
    _begin_stage(mem, at, PLAIN)
    _store_numbers(mem, s + SEARCH.numbers, (mem[s + SEARCH.spring], 0.0, 0.0, 0.0, 1.0, 0.0))
    mem[s + SEARCH.ramp], mem[s + SEARCH.lowest] = 0.0, math.inf
    return False


@compiled
def _begin_stage(mem, at, stage):
    s = at + FIT.search
    mem[s + SEARCH.stage], mem[s + SEARCH.round] = float(stage), 0.0


@noinline
def _note(mem, at, model, found, p):
    """A model that has been fitted, if it is better than before."""
    row, s = tried_row(at, model), at + FIT.search
    if model == 1:
        mem[s + SEARCH.samples] = found.samples
    paid = found.parameters + (1.0 if found.ramp > 0.0 else 0.0)
    enough = model == 1 or found.samples >= paid + 1.0
    if found.model > 0 and enough and found.chi < mem[row + TRIED.chi]:
        mem[row + TRIED.chi], mem[row + TRIED.paid] = found.chi, paid
        mem[row + TRIED.ramp] = found.ramp
        _store_numbers(mem, row + TRIED.numbers, p)


@noinline
def _fit(mem, at, law, model, stage):
    """A round of a plain fit; whether the model is through."""
    s = at + FIT.search
    p, number = load_numbers(mem, s + SEARCH.numbers), int(mem[s + SEARCH.round])
    begins = number == 0 and stage != POLISH
    one = one_round(mem, at, law, model, p, start_of(mem, at, model) if begins else LATER)
    mem[s + SEARCH.round] += 1.0
    settled = number > 0 and (is_last(one) or number + 1 >= rounds_of(model))
    if one.solved and not settled:
        _store_numbers(mem, s + SEARCH.numbers, one.p)
        return False
    found = found_law(mem, at, model, p, one)
    _note(mem, at, model, found, p)
    if stage == PLAIN and has(model, N) and not is_explained(found.chi, found.samples):
        _begin_stage(mem, at, STEEP)
        start = (mem[s + SEARCH.spring], 0.0, 0.0, 0.0, STEEPER, 0.0)
        _store_numbers(mem, s + SEARCH.numbers, start)
        return False
    if stage == PLAIN and has(model, F_0):
        _begin_stage(mem, at, GRID)
        return False
    return True


@noinline
def _chi_at(mem, at, law, model, ramp):
    """chi^2 of a model with a pre-load that comes over `ramp`; infinite where it is no law."""
    s = at + FIT.search
    mem[s + SEARCH.ramp], mem[at + FIT.ramp] = ramp, ramp
    one = one_round(mem, at, law, model, load_numbers(mem, s + SEARCH.numbers), LATER)
    if one.solved and one.gain > MUCH * one.chi:
        one = one_round(mem, at, law, model, one.p, LATER)
    if not (one.solved and one.p[K] > 0.0 and one.p[F_0] >= 0.0 and one.p[TAU] >= 0.0):
        return math.inf
    _store_numbers(mem, s + SEARCH.numbers, one.p)
    return max(one.chi - one.gain, 0.0)


@noinline
def _grid(mem, at, law, model):
    """One depth of the grid; whether the model is through."""
    s = at + FIT.search
    number = mem[s + SEARCH.round] + 1.0
    ramp = mem[s + SEARCH.scope + VIEW.deepest] * math.pow(FINER, number)
    chi = _chi_at(mem, at, law, model, ramp)
    if chi < mem[s + SEARCH.lowest]:
        mem[s + SEARCH.lowest], mem[s + SEARCH.best_ramp] = chi, ramp
    mem[s + SEARCH.round] = number
    if number < RAMPS:
        return False
    if not mem[s + SEARCH.lowest] < mem[tried_row(at, model) + TRIED.chi]:
        return True
    _begin_stage(mem, at, SECTION)
    best = mem[s + SEARCH.best_ramp]
    mem[s + SEARCH.low], mem[s + SEARCH.high] = math.log(best * FINER), math.log(best / FINER)
    return False


@noinline
def _section(mem, at, law, model):
    """One depth of the golden section."""
    s = at + FIT.search
    low, high, number = mem[s + SEARCH.low], mem[s + SEARCH.high], int(mem[s + SEARCH.round])
    lower = number == 0
    if number > 1:
        lower = mem[s + SEARCH.low_chi] < mem[s + SEARCH.high_chi]
        if lower:
            high = low + GOLDEN * (high - low)
            mem[s + SEARCH.high_chi] = mem[s + SEARCH.low_chi]
        else:
            low = high - GOLDEN * (high - low)
            mem[s + SEARCH.low_chi] = mem[s + SEARCH.high_chi]
        mem[s + SEARCH.low], mem[s + SEARCH.high] = low, high
    step = GOLDEN * (high - low)
    chi = _chi_at(mem, at, law, model, math.exp(high - step if lower else low + step))
    mem[s + (SEARCH.low_chi if lower else SEARCH.high_chi)] = chi
    mem[s + SEARCH.round] = number + 1.0
    if number > SECTIONS:
        _begin_stage(mem, at, POLISH)
        mem[s + SEARCH.ramp] = math.exp(0.5 * (low + high))


@noinline
def _search_round(mem, at, law, model):
    """One round of the search; whether the model is through."""
    stage = int(mem[at + FIT.search + SEARCH.stage])
    mem[at + FIT.ramp] = mem[at + FIT.search + SEARCH.ramp]
    if stage == GRID:
        return _grid(mem, at, law, model)
    if stage == SECTION:
        _section(mem, at, law, model)
        return False
    return _fit(mem, at, law, model, stage)


@noinline
def search_some(mem, at, law, work, damped, powers, lags):
    """Rounds of the search for so much work [samples looked at]; whether it has ended. Where
    samples have been given up since it began, it begins again."""
    s = at + FIT.search
    if mem[s + SEARCH.stride] != mem[at + FIT.stride]:
        begin_search(mem, at, damped, powers, lags)
    for i in range(VIEW_FLOATS):
        mem[at + FIT.scope + i] = mem[s + SEARCH.scope + i]
    a_round = mem[s + SEARCH.scope + VIEW.span] / mem[s + SEARCH.scope + VIEW.every] + A_ROUND
    while work > 0.0:
        model = ORDER[int(mem[s + SEARCH.place])]
        work -= a_round * (BENT if has(model, N) else 1.0)
        through = _search_round(mem, at, law, model)
        if through and _next_model(mem, at, damped, powers, lags):
            return True
    return False
