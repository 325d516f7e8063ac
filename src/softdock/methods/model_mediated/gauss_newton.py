"""Weighted least squares of one law (law.py) to a pair's samples, by Gauss-Newton rounds. One round
is enough where the power n is not sought and no surface is left behind.

In: the samples of the fit's scope (law_samples.py) and the numbers of the last round. Out: the
law's numbers, their variances and chi^2. No law has more than four numbers: k, tau, and either c
and f_0 or n and k lambda. Their sums stay in registers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.law import (
    EDGE,
    EXACT,
    F_0,
    NO_LAW,
    SIZE,
    STEEPEST,
    TAU,
    C,
    FittedLaw,
    G,
    N,
    Numbers,
    bound_kink_error,
    bound_ramp_error,
    has,
)

SLACK = 0.02  # of the largest force: what has left the surface behind, before a law is known
ROUNDS, LINEAR_ROUNDS = 12, 5  # of Gauss and Newton; the later ones where surfaces are left behind
LATER, FIRST, DEEPER = 0, 1, 2  # how a round of it treats surfaces that may be left behind
NO_GAIN = 1e-6  # of chi^2 per sample, or of 1: a round that gains less is the last
SINGULAR = 1e-13  # of a parameter's own weight: what is left of it beside the others
SHALLOW = 0.1  # of the deepest: shallower samples are all looked at


class Round(NamedTuple):
    """One round of Gauss and Newton."""

    solved: bool
    chi: float  # of the numbers before it
    samples: float
    gain: float  # of chi^2, by the round, where the law is linear
    p: Numbers  # after it
    change: float  # of the power
    variance: float  # of k
    damping_variance: float


class Sums(NamedTuple):
    """Normal equations of four columns, and their right side."""

    kk: float
    ka: float
    kb: float
    kt: float
    aa: float
    ab: float
    at: float
    bb: float
    bt: float
    tt: float
    k: float
    a: float
    b: float
    t: float


@compiled
def _compute_terms(bent, n, d, unit, ramp):
    """Terms of a law at a depth: d^n by its largest, its logarithm, what has come of a pre-load."""
    x, log = d / unit, 0.0
    if bent:
        log = math.log(x)
        x = math.exp(n * log)
    return x, log, min(d / ramp, 1.0) if ramp > 0.0 else 1.0


@compiled
def choose_start(fit, model):
    """How a search that knows nothing begins: with the samples of depths that grow, if enough."""
    count = 0
    if has(model, N):
        return FIRST
    for i in range(fit.scope.span):
        count += 1 if fit.rows[i].rate >= 0.0 else 0
        if count > SIZE:
            return DEEPER
    return FIRST


@noinline
def _sum_equations(fit, law, model, p: Numbers, first):
    """Normal equations of a model around numbers `p`: chi^2, samples, sums. `first`: nothing is
    known of p, and where the surface is left behind must be guessed; with DEEPER only samples of
    depths that grow are taken, which never are. Columns: k, then n and k lambda or c and f_0, then
    tau."""
    scope = fit.scope
    unit, largest = scope.deepest, scope.largest
    small = EXACT * largest * EXACT * largest
    chi, count, ramp, pulls = 0.0, 0.0, fit.ramp, law.pulls
    bent, late = has(model, N), 1.0 if has(model, TAU) else 0.0
    with_a = 1.0 if bent or has(model, C) else 0.0
    with_b = 1.0 if has(model, G) or has(model, F_0) else 0.0
    every, shallow = scope.every, SHALLOW * unit
    kk, ka, kb, kt, aa, ab, a_t, bb, bt, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k_e, a_e, b_e, t_e = 0.0, 0.0, 0.0, 0.0
    for i in range(scope.span):
        sample = fit.rows[i]
        d, r, f = sample.depth, sample.rate, sample.force
        d_2, r_2 = sample.depth_2, sample.rate_2
        if d <= 0.0 or d_2 <= 0.0 or (d > shallow and i % every != 0):
            continue
        parts = r < 0.0 and not pulls
        if parts and (first == DEEPER or (first == FIRST and f <= SLACK * largest)):
            continue
        stands = 1.0 if d <= shallow else float(every)  # for so many samples
        w, s = stands / (sample.variance + small), sample.slope
        x, log, early = _compute_terms(bent, p.n, d, unit, ramp)
        x_2, log_2, early_2, two_instants = x, log, early, d_2 != d or r_2 != r
        if two_instants:
            x_2, log_2, early_2 = _compute_terms(bent, p.n, d_2, unit, ramp)
        one, two = (p.k + p.g * r) * x, (p.k + p.g * r_2) * x_2
        rate, come = 0.5 * (r + r_2), 0.5 * (early + early_2)
        push = 0.5 * (one + two) + p.c * rate + p.f_0 * come
        if two_instants:
            half = 0.5 * EDGE * abs(one - two + p.c * (r - r_2) + p.f_0 * (early - early_2))
            unsure = bound_ramp_error(p.f_0, ramp, d, d_2) if ramp > 0.0 else 0.0
            if parts and first == LATER:
                unsure += bound_kink_error(push - half, push + half)
            w = stands / (stands / w + unsure * unsure)
        j_k, j_t = 0.5 * (x + x_2), -late * s
        j_a = with_a * (0.5 * (one * log + two * log_2) if bent else rate)
        j_b = with_b * (0.5 * (x * r + x_2 * r_2) if bent else come)
        if parts and push <= 0.0 and first == LATER:  # the surface is left behind: no force
            push, j_k, j_a, j_b = 0.0, 0.0, 0.0, 0.0
        e = f + p.tau * s - push
        chi, count = chi + w * e * e, count + stands
        w_k, w_a, w_b, w_t = w * j_k, w * j_a, w * j_b, w * j_t
        kk, ka, kb, kt = kk + w_k * j_k, ka + w_k * j_a, kb + w_k * j_b, kt + w_k * j_t
        aa, ab, a_t = aa + w_a * j_a, ab + w_a * j_b, a_t + w_a * j_t
        bb, bt, tt = bb + w_b * j_b, bt + w_b * j_t, tt + w_t * j_t
        k_e, a_e, b_e, t_e = k_e + w_k * e, a_e + w_a * e, b_e + w_b * e, t_e + w_t * e
    sums = Sums(
        kk=kk,
        ka=ka,
        kb=kb,
        kt=kt,
        aa=aa if with_a != 0.0 else 1.0,
        ab=ab,
        at=a_t,
        bb=bb if with_b != 0.0 else 1.0,
        bt=bt,
        tt=tt if late != 0.0 else 1.0,
        k=k_e,
        a=a_e,
        b=b_e,
        t=t_e,
    )
    return chi, count, sums


@compiled
def _solve(m: Sums):
    """The equations by Cholesky (L D L'): the step, what it gains of chi^2, and the variances of k
    and of the number after it; False: they are singular."""
    l_a, l_b, l_t = m.ka / m.kk, m.kb / m.kk, m.kt / m.kk
    d_a = m.aa - l_a * m.ka
    ab, a_t = m.ab - l_a * m.kb, m.at - l_a * m.kt
    solved = d_a > SINGULAR * m.aa
    d_a = d_a if solved else 1.0
    l_ab, l_at = ab / d_a, a_t / d_a
    d_b, bt = m.bb - l_b * m.kb - l_ab * ab, m.bt - l_b * m.kt - l_ab * a_t
    solved = solved and d_b > SINGULAR * m.bb
    d_b = d_b if d_b > 0.0 else 1.0
    l_bt = bt / d_b
    d_t = m.tt - l_t * m.kt - l_at * a_t - l_bt * bt
    solved = solved and d_t > SINGULAR * m.tt
    d_t = d_t if d_t > 0.0 else 1.0
    y_a = m.a - l_a * m.k
    y_b = m.b - l_b * m.k - l_ab * y_a
    y_t = m.t - l_t * m.k - l_at * y_a - l_bt * y_b
    gain = m.k * m.k / m.kk + y_a * y_a / d_a + y_b * y_b / d_b + y_t * y_t / d_t
    t = y_t / d_t
    b = y_b / d_b - l_bt * t
    a = y_a / d_a - l_ab * b - l_at * t
    k = m.k / m.kk - l_a * a - l_b * b - l_t * t
    # columns of the inverse of L, whose squares by 1 / D are the variances
    i_b, i_t = -l_ab, -l_at + l_ab * l_bt
    damping_variance = 1.0 / d_a + i_b * i_b / d_b + i_t * i_t / d_t
    k_b = -l_b + l_a * l_ab
    k_t = -l_t + l_a * l_at - k_b * l_bt
    variance = 1.0 / m.kk + l_a * l_a / d_a + k_b * k_b / d_b + k_t * k_t / d_t
    return solved, (k, a, b, t), gain, variance, damping_variance


@noinline
def run_round(fit, law, model, p: Numbers, first):
    """One round of Gauss and Newton around `p`."""
    chi, count, sums = _sum_equations(fit, law, model, p, first)
    if not (count >= 1.0 and sums.kk > 0.0):
        return Round(
            solved=False,
            chi=chi,
            samples=count,
            gain=0.0,
            p=p,
            change=0.0,
            variance=0.0,
            damping_variance=0.0,
        )
    solved, by, gain, variance, damping_variance = _solve(sums)
    if has(model, N):
        dn = by[1]
        part = 0.5 / abs(dn) if abs(dn) > 0.5 else 1.0
        n = min(max(p.n + part * dn, 1.0), STEEPEST)
        return Round(
            solved=solved,
            chi=chi,
            samples=count,
            gain=gain,
            p=Numbers(p.k + part * by[0], 0.0, 0.0, p.tau + part * by[3], n, p.g + part * by[2]),
            change=dn,
            variance=variance,
            damping_variance=0.0,
        )
    return Round(
        solved=solved,
        chi=chi,
        samples=count,
        gain=gain,
        p=Numbers(p.k + by[0], p.c + by[1], p.f_0 + by[2], p.tau + by[3], p.n, 0.0),
        change=0.0,
        variance=variance,
        damping_variance=damping_variance,
    )


@compiled
def is_last(found: Round):
    """Whether a round has gained nothing: its start counts."""
    return abs(found.change) < 1e-6 and found.gain < NO_GAIN * max(found.chi / found.samples, 1.0)


@compiled
def limit_rounds(model):
    """How many rounds a fit takes at most."""
    return ROUNDS if has(model, N) else LINEAR_ROUNDS


@noinline
def make_law(fit, model, p: Numbers, last: Round):
    """A law of the numbers `p` as a round, started there, has found it; NO_LAW where it is
    none."""
    if not (last.solved and p.k > 0.0 and p.f_0 >= 0.0 and p.tau >= 0.0):
        return NO_LAW
    parameters = 0.0
    for number in range(SIZE):
        parameters += 1.0 if has(model, number) else 0.0
    return FittedLaw(
        model=model,
        parameters=parameters,
        chi=last.chi,
        samples=last.samples,
        k=p.k,
        c=max(p.c, 0.0),
        f_0=p.f_0,
        tau=p.tau,
        n=p.n,
        g=max(p.g, 0.0),
        ramp=fit.ramp if has(model, F_0) else 0.0,
        variance=last.variance,
        damping_variance=last.damping_variance if has(model, C) else 0.0,
    )


@noinline
def fit_model(fit, law, model, p: Numbers, first):
    """One model, from numbers `p`; NO_LAW where it does not fit."""
    last = run_round(fit, law, model, p, first)
    for _ in range(1, limit_rounds(model)):
        if not last.solved:
            return NO_LAW
        p = last.p
        last = run_round(fit, law, model, p, LATER)
        if is_last(last):
            break
    return make_law(fit, model, p, last)
