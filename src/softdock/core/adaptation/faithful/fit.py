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
samples that 1 and 2 do not explain, those with a pre-load only where no other does. Where a law
says that the surface was left behind (it would pull) it says a force of zero. A damping below zero
is taken as zero, so that every law that comes out is passive. Where no law fits, the second counts:
its normal equations make its damper take just the work that the samples' contact took.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.kept import FIT
from softdock.core.adaptation.faithful.law import LAW
from softdock.core.adaptation.faithful.models import (
    EXPLAINED,
    F_0,
    MODELS,
    NOTHING,
    TAU,
    C,
    Found,
    G,
    N,
    fitted,
    has,
    is_explained,
    weight_of,
)
from softdock.core.machine.compiled import apart, compiled

ROUGH = 0.02  # of the largest force: a misfit beyond is another law
STEEPER = 2.0  # power from which it is sought again where the search from 1 did not end well
RAMPS, FINER, SECTIONS = 12, 0.6, 14  # of the search for the depth of a pre-load
TRIED, PAID, RAMP, POWER = 4, 1, 2, 3  # of a model that was tried: chi^2, unknowns, d_0, n


@compiled
def _better(one, other, noise):
    """Of two laws the one with the lower chi^2 + p ln N; `noise`: what no law explains."""
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
def _allowed(model, damped, powers, lags):
    """Whether a model is among those that are sought."""
    return (
        (damped or not (has(model, C) or has(model, G)))
        and (powers or not (has(model, N) or has(model, F_0)))
        and (lags or not has(model, TAU))
    )


@apart
def _simplest(mem, at, law, damped, powers, lags):
    """The law that counts."""
    deepest = mem[at + FIT.largest]
    mem[at + FIT.ramp] = 0.0
    spring = fitted(mem, at, law, 1, deepest, 1.0)
    if spring.model == 0:
        return NOTHING
    braked = spring
    if damped and spring.samples >= 2.0:
        braked = _better(spring, fitted(mem, at, law, 2, spring.k, 1.0), 1.0)
    if is_explained(braked.chi, spring.samples):
        return braked
    before = int(mem[at + FIT.own_model])
    if before > 2 and _allowed(before, damped, powers, lags):
        mem[at + FIT.ramp] = mem[law + LAW.ramp]
        again = fitted(mem, at, law, before, spring.k, max(mem[law + LAW.power], 1.0))
        if again.model > 0 and is_explained(again.chi, again.samples):
            return again
    return _of_all(mem, at, law, spring, damped, powers, lags)


@apart
def _with_ramp(mem, at, law, model, spring):
    """A model; one with a pre-load with the depth over which that comes, by golden section around
    the best of a grid."""
    mem[at + FIT.ramp] = 0.0
    found = fitted(mem, at, law, model, spring.k, 1.0)
    if has(model, N) and not is_explained(found.chi, found.samples):
        steeper = fitted(mem, at, law, model, spring.k, STEEPER)
        return steeper if steeper.chi < found.chi else found
    if not has(model, F_0):
        return found
    best, lowest = 0.0, found.chi if found.model > 0 else math.inf
    for i in range(RAMPS):
        mem[at + FIT.ramp] = mem[at + FIT.deepest] * math.pow(FINER, i + 1)
        tried = fitted(mem, at, law, model, spring.k, 1.0)
        if tried.model > 0 and tried.chi < lowest:
            best, lowest, found = mem[at + FIT.ramp], tried.chi, tried
    if best == 0.0:
        return found
    low, high, golden = math.log(best * FINER), math.log(best / FINER), 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(SECTIONS):
        a, b = high - golden * (high - low), low + golden * (high - low)
        mem[at + FIT.ramp] = math.exp(a)
        one = fitted(mem, at, law, model, spring.k, 1.0)
        mem[at + FIT.ramp] = math.exp(b)
        other = fitted(mem, at, law, model, spring.k, 1.0)
        if one.model > 0 and (other.model == 0 or one.chi < other.chi):
            high = b
        else:
            low = a
    best = math.exp(0.5 * (low + high))
    mem[at + FIT.ramp] = best
    tried = fitted(mem, at, law, model, spring.k, 1.0)
    if tried.model > 0 and tried.chi <= found.chi:
        found = tried
    return Found(
        model=found.model,
        parameters=found.parameters + 1.0,
        chi=found.chi,
        samples=found.samples,
        k=found.k,
        c=found.c,
        f_0=found.f_0,
        tau=found.tau,
        n=found.n,
        g=found.g,
        ramp=found.ramp,
        variance=found.variance,
        damping_variance=found.damping_variance,
    )


@apart
def _tried(mem, at, law, spring, damped, powers, lags, loaded):
    """Every model that is sought, with (`loaded`) or without a pre-load, into `tried`; the least
    chi^2 of them."""
    least = math.inf
    for model in range(2, MODELS):
        if has(model, F_0) != loaded or not _allowed(model, damped, powers, lags):
            continue
        found = _with_ramp(mem, at, law, model, spring)
        if found.model == 0 or found.samples < found.parameters + 1.0:
            continue
        row = at + FIT.tried + model * TRIED
        mem[row], mem[row + PAID], mem[row + RAMP], mem[row + POWER] = (
            found.chi,
            found.parameters,
            found.ramp,
            found.n,
        )
        least = min(least, found.chi)
    return least


@apart
def _of_all(mem, at, law, spring, damped, powers, lags):
    """The best of all models."""
    for i in range(MODELS * TRIED):
        mem[at + FIT.tried + i] = math.inf
    least = min(spring.chi, _tried(mem, at, law, spring, damped, powers, lags, False))
    if powers and not is_explained(least, spring.samples):
        least = min(least, _tried(mem, at, law, spring, damped, powers, lags, True))
    noise = max(least / spring.samples, 1.0)
    if least > spring.samples * _rough(mem, at):
        mem[at + FIT.ramp] = 0.0
        if not damped:
            return spring
        return _better(spring, fitted(mem, at, law, 2, spring.k, 1.0), noise)
    penalty = math.log(max(spring.samples, 2.0))
    best, lowest = 1, spring.chi / noise + penalty
    for model in range(2, MODELS):
        row = at + FIT.tried + model * TRIED
        score = mem[row] / noise + mem[row + PAID] * penalty
        if score < lowest:
            best, lowest = model, score
    if best == 1:
        return spring
    row = at + FIT.tried + best * TRIED
    mem[at + FIT.ramp] = mem[row + RAMP]
    found = fitted(mem, at, law, best, spring.k, mem[row + POWER])
    return found if found.model > 0 else spring


@apart
def fit_law(mem, at, law, damped, powers, lags):
    """The law of a pair into its cells `law`; whether there is one. `damped`, `powers`, `lags`:
    which models are sought."""
    if mem[at + FIT.pulled] >= 2.0:
        mem[law + LAW.pulls] = 1.0
    if mem[at + FIT.count] < 1.0 or mem[at + FIT.deepest] <= 0.0:
        return False
    found = _simplest(mem, at, law, damped, powers, lags)
    if found.model == 0:
        return False
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
    return True
