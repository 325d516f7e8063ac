"""Weighted least squares of one law (models.py) to a pair's samples, by Gauss-Newton rounds. One
round is enough where the power n is not sought and no surface is left behind.

In: the samples of the fit's view (law_samples.py) and the numbers of the last round. Out: the law's
numbers, their variances and chi^2. No law has more than four numbers: k, tau, and either c and f_0
or n and k lambda. Their sums stay in registers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.methods.faithful.law import LAW
from softdock.methods.faithful.law_samples import FIT, SAMPLE, SAMPLE_FLOATS, VIEW
from softdock.methods.faithful.models import (
    EDGE,
    EXACT,
    F_0,
    NOTHING,
    SIZE,
    STEEPEST,
    TAU,
    C,
    Found,
    G,
    K,
    N,
    has,
    kink_within,
    ramp_within,
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
    p: tuple[float, float, float, float, float, float]  # the numbers after it
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
def _at_node(bent, n, d, unit, ramp):
    """Terms of a law at a depth: d^n by its largest, its logarithm, what has come of a pre-load."""
    x, log = d / unit, 0.0
    if bent:
        log = math.log(x)
        x = math.exp(n * log)
    return x, log, min(d / ramp, 1.0) if ramp > 0.0 else 1.0


@compiled
def start_of(mem, at, model):
    """How a search that knows nothing begins: with the samples of depths that grow, if enough."""
    count = 0
    if has(model, N):
        return FIRST
    for i in range(int(mem[at + FIT.scope + VIEW.span])):
        count += 1 if mem[at + FIT.rows + i * SAMPLE_FLOATS + SAMPLE.rate] >= 0.0 else 0
        if count > SIZE:
            return DEEPER
    return FIRST


@noinline
def _equations(mem, at, law, model, p, first):
    """Normal equations of a model around parameters `p`: chi^2, samples, sums. `first`: nothing is
    known of p, and where the surface is left behind must be guessed; with DEEPER only samples of
    depths that grow are taken, which never are. Columns: k, then n and k lambda or c and f_0, then
    tau."""
    unit, largest = mem[at + FIT.scope + VIEW.deepest], mem[at + FIT.scope + VIEW.largest]
    small = EXACT * largest * EXACT * largest
    chi, count, ramp, pulls = 0.0, 0.0, mem[at + FIT.ramp], mem[law + LAW.pulls] != 0.0
    bent, late = has(model, N), 1.0 if has(model, TAU) else 0.0
    with_a = 1.0 if bent or has(model, C) else 0.0
    with_b = 1.0 if has(model, G) or has(model, F_0) else 0.0
    every, shallow = int(mem[at + FIT.scope + VIEW.every]), SHALLOW * unit
    kk, ka, kb, kt, aa, ab, a_t, bb, bt, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k_e, a_e, b_e, t_e = 0.0, 0.0, 0.0, 0.0
    for i in range(int(mem[at + FIT.scope + VIEW.span])):
        row = at + FIT.rows + i * SAMPLE_FLOATS
        d, r, f = mem[row + SAMPLE.depth], mem[row + SAMPLE.rate], mem[row + SAMPLE.force]
        d_2, r_2 = mem[row + SAMPLE.depth_2], mem[row + SAMPLE.rate_2]
        if d <= 0.0 or d_2 <= 0.0 or (d > shallow and i % every != 0):
            continue
        parts = r < 0.0 and not pulls
        if parts and (first == DEEPER or (first == FIRST and f <= SLACK * largest)):
            continue
        stands = 1.0 if d <= shallow else float(every)  # for so many samples
        w, s = stands / (mem[row + SAMPLE.variance] + small), mem[row + SAMPLE.slope]
        x, log, early = _at_node(bent, p[N], d, unit, ramp)
        x_2, log_2, early_2, two_instants = x, log, early, d_2 != d or r_2 != r
        if two_instants:
            x_2, log_2, early_2 = _at_node(bent, p[N], d_2, unit, ramp)
        one, two = (p[K] + p[G] * r) * x, (p[K] + p[G] * r_2) * x_2
        rate, come = 0.5 * (r + r_2), 0.5 * (early + early_2)
        pushed = 0.5 * (one + two) + p[C] * rate + p[F_0] * come
        if two_instants:
            half = 0.5 * EDGE * abs(one - two + p[C] * (r - r_2) + p[F_0] * (early - early_2))
            unsure = ramp_within(p[F_0], ramp, d, d_2) if ramp > 0.0 else 0.0
            if parts and first == LATER:
                unsure += kink_within(pushed - half, pushed + half)
            w = stands / (stands / w + unsure * unsure)
        j_k, j_t = 0.5 * (x + x_2), -late * s
        j_a = with_a * (0.5 * (one * log + two * log_2) if bent else rate)
        j_b = with_b * (0.5 * (x * r + x_2 * r_2) if bent else come)
        if parts and pushed <= 0.0 and first == LATER:  # the surface is left behind: no force
            pushed, j_k, j_a, j_b = 0.0, 0.0, 0.0, 0.0
        e = f + p[TAU] * s - pushed
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
def _solved(m):
    """The equations by Cholesky (L D L'): the step, what it gains of chi^2, and the variances of k
    and of the number after it; False: nothing is told."""
    l_a, l_b, l_t = m.ka / m.kk, m.kb / m.kk, m.kt / m.kk
    d_a = m.aa - l_a * m.ka
    ab, a_t = m.ab - l_a * m.kb, m.at - l_a * m.kt
    told = d_a > SINGULAR * m.aa
    d_a = d_a if told else 1.0
    l_ab, l_at = ab / d_a, a_t / d_a
    d_b, bt = m.bb - l_b * m.kb - l_ab * ab, m.bt - l_b * m.kt - l_ab * a_t
    told = told and d_b > SINGULAR * m.bb
    d_b = d_b if d_b > 0.0 else 1.0
    l_bt = bt / d_b
    d_t = m.tt - l_t * m.kt - l_at * a_t - l_bt * bt
    told = told and d_t > SINGULAR * m.tt
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
    return told, (k, a, b, t), gain, variance, damping_variance


@noinline
def one_round(mem, at, law, model, p, first):
    """One round of Gauss and Newton around `p`."""
    chi, count, sums = _equations(mem, at, law, model, p, first)
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
    told, by, gain, variance, damping_variance = _solved(sums)
    if has(model, N):
        dn = by[1]
        part = 0.5 / abs(dn) if abs(dn) > 0.5 else 1.0
        n = min(max(p[N] + part * dn, 1.0), STEEPEST)
        after = (p[K] + part * by[0], 0.0, 0.0, p[TAU] + part * by[3], n, p[G] + part * by[2])
        return Round(
            solved=told,
            chi=chi,
            samples=count,
            gain=gain,
            p=after,
            change=dn,
            variance=variance,
            damping_variance=0.0,
        )
    after = (p[K] + by[0], p[C] + by[1], p[F_0] + by[2], p[TAU] + by[3], p[N], 0.0)
    return Round(
        solved=told,
        chi=chi,
        samples=count,
        gain=gain,
        p=after,
        change=0.0,
        variance=variance,
        damping_variance=damping_variance,
    )


@compiled
def is_last(found):
    """Whether a round has gained nothing: its start counts."""
    return abs(found.change) < 1e-6 and found.gain < NO_GAIN * max(found.chi / found.samples, 1.0)


@compiled
def rounds_of(model):
    return ROUNDS if has(model, N) else LINEAR_ROUNDS


@noinline
def found_law(mem, at, model, p, last):
    """A law of the numbers `p` as a round, started there, has found it; NOTHING where it is no
    law."""
    if not (last.solved and p[K] > 0.0 and p[F_0] >= 0.0 and p[TAU] >= 0.0):
        return NOTHING
    number = 0.0
    for b in range(SIZE):
        number += 1.0 if has(model, b) else 0.0
    return Found(
        model=model,
        parameters=number,
        chi=last.chi,
        samples=last.samples,
        k=p[K],
        c=max(p[C], 0.0),
        f_0=p[F_0],
        tau=p[TAU],
        n=p[N],
        g=max(p[G], 0.0),
        ramp=mem[at + FIT.ramp] if has(model, F_0) else 0.0,
        variance=last.variance,
        damping_variance=last.damping_variance if has(model, C) else 0.0,
    )


@noinline
def fitted(mem, at, law, model, p, first):
    """One model, from numbers `p`; NOTHING where it does not fit."""
    last = one_round(mem, at, law, model, p, first)
    for _ in range(1, rounds_of(model)):
        if not last.solved:
            return NOTHING
        p = last.p
        last = one_round(mem, at, law, model, p, LATER)
        if is_last(last):
            break
    return found_law(mem, at, model, p, last)
