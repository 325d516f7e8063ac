"""One of the laws that are fitted to a pair's samples (fit.py lists them): weighted least squares
by Gauss and Newton, one round where the power is not sought."""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.faithful.kept import FIT, SAMPLE, SAMPLE_FLOATS
from softdock.core.adaptation.faithful.law import LAW
from softdock.core.machine.compiled import apart, compiled

EXACT = 3e-5  # of the largest force: below, a misfit is interpolation and rounding
SLACK = 0.02  # of the largest force: what has left the surface behind, before a law is known
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
    samples: float
    k: float
    c: float
    f_0: float
    tau: float
    n: float
    g: float
    ramp: float
    variance: float  # of k
    damping_variance: float


NOTHING = Found(
    model=0,
    parameters=0.0,
    chi=math.inf,
    samples=0.0,
    k=0.0,
    c=0.0,
    f_0=0.0,
    tau=0.0,
    n=1.0,
    g=0.0,
    ramp=0.0,
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
def weight_of(mem, at, row):
    small = EXACT * mem[at + FIT.largest]
    return 1.0 / (mem[row + SAMPLE.variance] + small * small)


@compiled
def has(model, parameter):
    return (MASKS[model] >> parameter) & 1 == 1


@apart
def _equations(mem, at, law, model, p):
    """Normal equations of a model around parameters `p`, into the scratch; chi^2 and samples."""
    a, unit = at + FIT.scratch, mem[at + FIT.deepest]
    for i in range(SIZE * WIDTH):
        mem[a + i] = 0.0
    chi, count, ramp = 0.0, 0.0, mem[at + FIT.ramp]
    for i in range(int(mem[at + FIT.count])):
        row = at + FIT.rows + i * SAMPLE_FLOATS
        d, r, f = mem[row + SAMPLE.depth], mem[row + SAMPLE.rate], mem[row + SAMPLE.force]
        if not _counts(mem, at, law, d, r, f):
            continue
        w, s = weight_of(mem, at, row), mem[row + SAMPLE.slope]
        x, log = d / unit, 0.0
        if has(model, N):
            log = math.log(x)
            x = math.exp(p[N] * log)
        whole = p[K] + p[G] * r
        early = min(d / ramp, 1.0) if ramp > 0.0 else 1.0
        e = f + p[TAU] * s - whole * x - p[C] * r - p[F_0] * early
        j = (
            x,
            r if has(model, C) else 0.0,
            early if has(model, F_0) else 0.0,
            -s if has(model, TAU) else 0.0,
            whole * x * log,
            x * r if has(model, G) else 0.0,
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
        if not has(model, b):
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
        mem[at + FIT.own + b] = mem[at + FIT.scratch + b * WIDTH + b] if has(model, b) else 1.0


@apart
def fitted(mem, at, law, model, k, n):
    """One model, from a start in k [N at the deepest] and n; NOTHING where it does not fit."""
    p = (k, 0.0, 0.0, 0.0, n, 0.0)
    a, seeks = at + FIT.scratch, has(model, N)
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
        number += 1.0 if has(model, b) else 0.0
    return Found(
        model=model,
        parameters=number,
        chi=chi,
        samples=count,
        k=p[K],
        c=max(p[C], 0.0),
        f_0=p[F_0],
        tau=p[TAU],
        n=p[N],
        g=max(p[G], 0.0),
        ramp=mem[at + FIT.ramp] if has(model, F_0) else 0.0,
        variance=variance,
        damping_variance=damping_variance if has(model, C) else 0.0,
    )
