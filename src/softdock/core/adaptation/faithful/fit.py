"""A pair's contact law from its samples of deflection, rate and normal force: weighted least
squares of several laws, the simplest one that the samples bear.

    f + tau f' = f_0 + k d^n (1 + lambda d') + c d'      d [m] the deflection, f [N] as measured

    1  k            3  k, n              5  k, f_0        7  k, c, tau          9  k, f_0, tau
    2  k, c         4  k, n, lambda      6  k, c, f_0     8  k, n, lambda, tau  10  k, tau

Others as for an ideal spring. tau [s] is the lag of a low-pass that no stamp tells of, f_0 a
pre-load. Each is fitted to all samples of the pair that are kept, over all its contacts, by Gauss
and Newton (one round where n is not sought); the one with the least chi^2 + p ln N counts (p its
parameters, N the samples: Schwarz 1978), what no law explains taken for noise. 3 to 9 only for
samples that 1 and 2 do not explain. Samples in which the contact is believed to have left the
surface behind (the clamp at zero) tell nothing and are left out. A damping below zero is taken as
zero, so that every law that comes out is passive. Where no law fits, the second counts: its normal
equations make its damper take just the work that the samples' contact took.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.faithful.kept import FIT, SAMPLE, SAMPLE_FLOATS
from softdock.core.adaptation.faithful.law import LAW
from softdock.core.machine.compiled import apart, compiled

EXACT = 1e-6  # of the largest force: below, a misfit is interpolation and rounding
EXPLAINED = 3.0  # chi^2 per sample below which a law has explained the samples
SLACK = 0.02  # of the largest force: what has left the surface behind, before a law is known
ROUGH = 0.02  # of the largest force: a misfit beyond is another law
ROUNDS = 8  # of Gauss and Newton
STEEPEST = 4.0  # largest power
SINGULAR = 1e-13  # of a parameter's own weight: what is left of it beside the others
K, C, F_0, TAU, N, G = 0, 1, 2, 3, 4, 5  # the parameters; G = k lambda
SIZE = 6
MASKS = (  # of each model, in bits of the parameters
    0,
    1 << K,
    1 << K | 1 << C,
    1 << K | 1 << N,
    1 << K | 1 << N | 1 << G,
    1 << K | 1 << F_0,
    1 << K | 1 << C | 1 << F_0,
    1 << K | 1 << C | 1 << TAU,
    1 << K | 1 << N | 1 << G | 1 << TAU,
    1 << K | 1 << F_0 | 1 << TAU,
    1 << K | 1 << TAU,
)
MODELS = len(MASKS)
WIDTH = 2 * SIZE + 1  # of a row of the normal equations: matrix, unit matrix, right side


class Found(NamedTuple):
    """A fitted law and how well it does; its stiffness is the force at the deepest sample."""

    model: int  # 0: none
    parameters: float
    chi: float
    count: float
    k: float
    c: float
    f_0: float
    tau: float
    n: float
    g: float
    variance: float  # of k
    damping_variance: float


NOTHING = Found(
    model=0,
    parameters=0.0,
    chi=math.inf,
    count=0.0,
    k=0.0,
    c=0.0,
    f_0=0.0,
    tau=0.0,
    n=1.0,
    g=0.0,
    variance=0.0,
    damping_variance=0.0,
)


@compiled
def _counts(mem, at, law, depth, rate, force):
    """Whether a sample tells of the law: not where the surface is left behind."""
    if depth <= 0.0:
        return False
    if mem[law + LAW.pulls] != 0.0 or rate >= 0.0:
        return True
    if mem[law + LAW.stiffness] > 0.0:
        spring = mem[law + LAW.stiffness] * math.pow(depth, mem[law + LAW.power])
        pushed = spring * (1.0 + mem[law + LAW.factor] * rate) + mem[law + LAW.damping] * rate
        return pushed + mem[law + LAW.preload] > 0.0
    return force > SLACK * mem[at + FIT.largest]


@compiled
def _weight(mem, at, row):
    small = EXACT * mem[at + FIT.largest]
    return 1.0 / (mem[row + SAMPLE.variance] + small * small)


@compiled
def _has(model, parameter):
    return (MASKS[model] >> parameter) & 1 == 1


@apart
def _equations(mem, at, law, model, p):
    """Normal equations of a model around parameters `p`, into the scratch; chi^2 and samples."""
    a, unit = at + FIT.scratch, mem[at + FIT.deepest]
    for i in range(SIZE * WIDTH):
        mem[a + i] = 0.0
    chi, count = 0.0, 0.0
    for i in range(int(mem[at + FIT.count])):
        row = at + FIT.rows + i * SAMPLE_FLOATS
        d, r, f = mem[row + SAMPLE.depth], mem[row + SAMPLE.rate], mem[row + SAMPLE.force]
        if not _counts(mem, at, law, d, r, f):
            continue
        w, s = _weight(mem, at, row), mem[row + SAMPLE.slope]
        x, log = d / unit, 0.0
        if _has(model, N):
            log = math.log(x)
            x = math.exp(p[N] * log)
        whole = p[K] + p[G] * r
        e = f + p[TAU] * s - whole * x - p[C] * r - p[F_0]
        j = (
            x,
            r if _has(model, C) else 0.0,
            1.0 if _has(model, F_0) else 0.0,
            -s if _has(model, TAU) else 0.0,
            whole * x * log,
            x * r if _has(model, G) else 0.0,
        )
        chi, count = chi + w * e * e, count + 1.0
        for b in range(SIZE):
            for c in range(b, SIZE):
                mem[a + b * WIDTH + c] += w * j[b] * j[c]
            mem[a + b * WIDTH + 2 * SIZE] += w * j[b] * e
    return chi, count


@apart
def _solve(mem, at, model):
    """The equations in the scratch, with the inverse beside them; False: nothing is told."""
    a = at + FIT.scratch
    for b in range(SIZE):
        for c in range(b):
            mem[a + b * WIDTH + c] = mem[a + c * WIDTH + b]
        mem[a + b * WIDTH + SIZE + b] = 1.0
        if not _has(model, b):
            mem[a + b * WIDTH + b] = 1.0
    for b in range(SIZE):
        mem[a + b * WIDTH + SIZE + b] = 1.0
    for b in range(SIZE):
        own, pivot = 0.0, mem[a + b * WIDTH + b]
        own = max(mem[at + FIT.own + b], pivot)
        mem[at + FIT.own + b] = own
        if not pivot > SINGULAR * own:
            return False
        for c in range(WIDTH):
            mem[a + b * WIDTH + c] /= pivot
        for i in range(SIZE):
            if i != b:
                factor = mem[a + i * WIDTH + b]
                for c in range(WIDTH):
                    mem[a + i * WIDTH + c] -= factor * mem[a + b * WIDTH + c]
    return True


@compiled
def _note_own(mem, at, model):
    """Each parameter's own weight, before the others take their part of it."""
    for b in range(SIZE):
        mem[at + FIT.own + b] = mem[at + FIT.scratch + b * WIDTH + b] if _has(model, b) else 1.0


@apart
def _fitted(mem, at, law, model, k, n):
    """One model, from a start in k [N at the deepest] and n; NOTHING where it does not fit."""
    p = (k, 0.0, 0.0, 0.0, n, 0.0)
    a, seeks = at + FIT.scratch, _has(model, N)
    chi, count, variance, damping_variance = 0.0, 0.0, 0.0, 0.0
    for round_ in range(ROUNDS if seeks else 2):
        chi, count = _equations(mem, at, law, model, p)
        _note_own(mem, at, model)
        if count < 1.0 or not _solve(mem, at, model):
            return NOTHING
        variance = mem[a + K * WIDTH + SIZE + K]
        damping_variance = mem[a + C * WIDTH + SIZE + C]
        last = 2 * SIZE
        dn = mem[a + N * WIDTH + last] if seeks else 0.0
        if round_ > 0 and abs(dn) < 1e-10:
            break
        part = 0.5 / abs(dn) if abs(dn) > 0.5 else 1.0
        p = (
            p[K] + part * mem[a + K * WIDTH + last],
            p[C] + part * mem[a + C * WIDTH + last],
            p[F_0] + part * mem[a + F_0 * WIDTH + last],
            p[TAU] + part * mem[a + TAU * WIDTH + last],
            min(max(p[N] + part * dn, 1.0), STEEPEST),
            p[G] + part * mem[a + G * WIDTH + last],
        )
    if not (p[K] > 0.0 and p[F_0] >= 0.0 and p[TAU] >= 0.0):
        return NOTHING
    number = 0.0
    for b in range(SIZE):
        number += 1.0 if _has(model, b) else 0.0
    return Found(
        model=model,
        parameters=number,
        chi=chi,
        count=count,
        k=p[K],
        c=max(p[C], 0.0),
        f_0=p[F_0],
        tau=p[TAU],
        n=p[N],
        g=max(p[G], 0.0),
        variance=variance,
        damping_variance=damping_variance if _has(model, C) else 0.0,
    )


@compiled
def _better(one, other, noise):
    """Of two laws the one with the lower chi^2 + p ln N; `noise`: what no law explains."""
    if other.model == 0:
        return one
    penalty = math.log(max(other.count, 2.0))
    score = other.chi / noise + other.parameters * penalty
    return other if score < one.chi / noise + one.parameters * penalty else one


@compiled
def _rough(mem, at):
    """chi^2 per sample of a misfit of 2 % of the largest force."""
    return (ROUGH * mem[at + FIT.largest]) ** 2 * _weight(mem, at, at + FIT.rows)


@compiled
def _allowed(model, damped, powers, lags):
    """Whether a model is among those that are sought."""
    return (
        (damped or not (_has(model, C) or _has(model, G)))
        and (powers or not (_has(model, N) or _has(model, F_0)))
        and (lags or not _has(model, TAU))
    )


@apart
def _simplest(mem, at, law, damped, powers, lags):
    """The law that counts."""
    deepest = mem[at + FIT.largest]
    spring = _fitted(mem, at, law, 1, deepest, 1.0)
    if spring.model == 0:
        return NOTHING
    braked = spring
    if damped and spring.count >= 2.0:
        braked = _better(spring, _fitted(mem, at, law, 2, spring.k, 1.0), 1.0)
    if braked.chi <= EXPLAINED * spring.count:
        return braked
    before = int(mem[at + FIT.model])
    if before > 2 and _allowed(before, damped, powers, lags):
        again = _fitted(mem, at, law, before, spring.k, max(mem[law + LAW.power], 1.0))
        if again.model > 0 and again.chi <= EXPLAINED * again.count:
            return again
    return _of_all(mem, at, law, spring, damped, powers, lags)


@apart
def _of_all(mem, at, law, spring, damped, powers, lags):
    """The best of all models: once to see what the best leaves, once more to choose."""
    least = spring.chi
    best = spring
    for turn in range(2):
        noise = max(least / spring.count, 1.0)
        best = spring
        for model in range(2, MODELS):
            if not _allowed(model, damped, powers, lags):
                continue
            found = _fitted(mem, at, law, model, spring.k, 1.0)
            if found.model == 0 or found.count < found.parameters + 1.0:
                continue
            if turn == 0:
                least = min(least, found.chi)
            best = _better(best, found, noise)
        if turn == 0 and least > spring.count * _rough(mem, at):
            return _better(spring, _fitted(mem, at, law, 2, spring.k, 1.0), noise)
        if turn == 0 and noise == max(least / spring.count, 1.0):
            return best
    return best


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
    mem[law + LAW.preload] = found.f_0
    mem[at + FIT.model], mem[at + FIT.chi] = float(found.model), found.chi / found.count
    mem[at + FIT.lag] = found.tau
    weight = _weight(mem, at, at + FIT.rows)
    mem[at + FIT.misfit] = math.sqrt(found.chi / (found.count * weight)) / mem[at + FIT.largest]
    more = max(found.chi / found.count, 1.0)  # what does not explain the samples is worth less
    mem[at + FIT.spread] = math.sqrt(more * found.variance) / found.k
    mem[at + FIT.damping_spread] = math.sqrt(more * found.damping_variance)
    return True
