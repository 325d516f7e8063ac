"""One of the laws that are fitted to a pair's samples (fit.py lists them): weighted least squares
by Gauss and Newton, one round where the power is not sought."""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.faithful.kept import FIT, SAMPLE, SAMPLE_FLOATS
from softdock.core.adaptation.faithful.law import LAW
from softdock.core.machine.compiled import apart, compiled

EXPLAINED = 3.0  # chi^2 per sample below which a law may have explained the samples
SPREADS = 4.0  # and standard deviations of chi^2 beyond its mean, where there are many
EXACT = 3e-5  # of the largest force: below, a misfit is interpolation and rounding
SLACK = 0.02  # of the largest force: what has left the surface behind, before a law is known
ROUNDS, LINEAR_ROUNDS = 12, 5  # of Gauss and Newton; the later ones where surfaces are left behind
LATER, FIRST, DEEPER = 0, 1, 2  # how a round of it treats surfaces that may be left behind
SMALL = 1e-9  # of k: a change that is none
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
EDGE = 1.74  # from the middle of a window to its end, by the distance of the two instants from it
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
def weight_of(mem, at, row):
    small = EXACT * mem[at + FIT.largest]
    return 1.0 / (mem[row + SAMPLE.variance] + small * small)


@compiled
def is_explained(chi, samples):
    """Whether noise alone explains what a law leaves."""
    return chi <= min(EXPLAINED * samples, samples + SPREADS * math.sqrt(2.0 * samples))


@compiled
def has(model, parameter):
    return (MASKS[model] >> parameter) & 1 == 1


@compiled
def _at_node(model, p, d, r, unit, ramp):
    """Of a law at a depth and a rate: d^n by its largest, its logarithm, what has come of a
    pre-load."""
    x, log = d / unit, 0.0
    if has(model, N):
        log = math.log(x)
        x = math.exp(p[N] * log)
    return x, log, min(d / ramp, 1.0) if ramp > 0.0 else 1.0


@compiled
def kink_within(low, high):
    """By how much the mean of max(f, 0) over a window may differ from that of two instants [N],
    where f goes from `low` to `high` in it."""
    return 0.5 * min(-low, high) if low < 0.0 < high else 0.0


@compiled
def ramp_within(f_0, ramp, d, d_2):
    """The same of a pre-load that has come in full at `ramp`, between depths d and d_2 and a bit
    beyond."""
    middle, half = 0.5 * (d + d_2), 0.5 * EDGE * abs(d_2 - d)
    inside = half - abs(middle - ramp)
    return 0.25 * f_0 / ramp * inside if inside > 0.0 and f_0 > 0.0 else 0.0


@compiled
def _deeper(mem, at):
    """Samples in which the depth grows."""
    count = 0
    for i in range(int(mem[at + FIT.count])):
        count += 1 if mem[at + FIT.rows + i * SAMPLE_FLOATS + SAMPLE.rate] >= 0.0 else 0
    return count


@apart
def _equations(mem, at, law, model, p, first):
    """Normal equations of a model around parameters `p`, into the scratch; chi^2 and samples.
    `first`: nothing is known of p, and where the surface is left behind must be guessed; with
    DEEPER only samples of depths that grow are taken, which never are."""
    a, unit = at + FIT.scratch, mem[at + FIT.deepest]
    for i in range(SIZE * WIDTH):
        mem[a + i] = 0.0
    chi, count, ramp, pulls = 0.0, 0.0, mem[at + FIT.ramp], mem[law + LAW.pulls] != 0.0
    size = SIZE if MASKS[model] >> F_0 != 0 else F_0  # spring and damper are the first two
    for i in range(int(mem[at + FIT.count])):
        row = at + FIT.rows + i * SAMPLE_FLOATS
        d, r, f = mem[row + SAMPLE.depth], mem[row + SAMPLE.rate], mem[row + SAMPLE.force]
        d_2, r_2 = mem[row + SAMPLE.depth_2], mem[row + SAMPLE.rate_2]
        if d <= 0.0 or d_2 <= 0.0:
            continue
        parts = r < 0.0 and not pulls
        if parts and (first == DEEPER or (first == FIRST and f <= SLACK * mem[at + FIT.largest])):
            continue
        w, s = weight_of(mem, at, row), mem[row + SAMPLE.slope]
        x, log, early = _at_node(model, p, d, r, unit, ramp)
        x_2, log_2, early_2 = x, log, early
        if d_2 != d or r_2 != r:
            x_2, log_2, early_2 = _at_node(model, p, d_2, r_2, unit, ramp)
        one, two = (p[K] + p[G] * r) * x, (p[K] + p[G] * r_2) * x_2
        rate, come = 0.5 * (r + r_2), 0.5 * (early + early_2)
        pushed = 0.5 * (one + two) + p[C] * rate + p[F_0] * come
        if d_2 != d or r_2 != r:
            half = 0.5 * EDGE * abs(one - two + p[C] * (r - r_2) + p[F_0] * (early - early_2))
            unsure = ramp_within(p[F_0], ramp, d, d_2) if ramp > 0.0 else 0.0
            if parts and first == LATER:
                unsure += kink_within(pushed - half, pushed + half)
            w = 1.0 / (1.0 / w + unsure * unsure)
        j = (
            0.5 * (x + x_2),
            rate if has(model, C) else 0.0,
            come if has(model, F_0) else 0.0,
            -s if has(model, TAU) else 0.0,
            0.5 * (one * log + two * log_2),
            0.5 * (x * r + x_2 * r_2) if has(model, G) else 0.0,
        )
        if parts and pushed <= 0.0 and first == LATER:  # the surface is left behind: no force
            pushed, j = 0.0, (0.0, 0.0, 0.0, j[TAU], 0.0, 0.0)
        e = f + p[TAU] * s - pushed
        chi, count = chi + w * e * e, count + 1.0
        for b in range(size):
            if not has(model, b):
                continue
            for c in range(b, size):
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
        if not has(model, b):
            continue  # its row is the unit matrix's
        pivot = mem[a + b * WIDTH + b]
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
    first = DEEPER if not seeks and _deeper(mem, at) > SIZE else FIRST
    for round_ in range(ROUNDS if seeks else LINEAR_ROUNDS):
        chi, count = _equations(mem, at, law, model, p, first)
        first = LATER
        _note_own(mem, at, model)
        if count < 1.0 or not _solve(mem, at, model):
            return NOTHING
        variance = mem[a + K * WIDTH + SIZE + K]
        damping_variance = mem[a + C * WIDTH + SIZE + C]
        last = 2 * SIZE
        dn = mem[a + N * WIDTH + last] if seeks else 0.0
        if round_ > 0 and abs(dn) < 1e-10 and abs(mem[a + K * WIDTH + last]) < SMALL * abs(p[K]):
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
