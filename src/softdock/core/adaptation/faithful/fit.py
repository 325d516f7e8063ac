"""A pair's contact law from its samples of deflection, rate and normal force: weighted least
squares of four laws, the simplest one that the samples bear.

    1  f = k d                  3  f = k d^n
    2  f = k d + c d'           4  f = k d^n (1 + lambda d')

Each is fitted to all samples of the pair that are kept, over all its contacts; the one with the
least chi^2 + p ln N (p its parameters, N the samples: Schwarz 1978) counts. 3 and 4 by Gauss and
Newton, for samples that 1 and 2 do not explain. Samples in which the contact is believed to have
left the surface behind (the clamp at zero) tell nothing and are left out. A damping below zero is
the lag of a sensor and no contact's: it is taken as zero, so that every law that comes out is
passive.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.faithful.kept import FIT, SAMPLE, SAMPLE_FLOATS
from softdock.core.adaptation.faithful.law import LAW
from softdock.core.machine.compiled import apart, compiled

EXACT = 1e-6  # of the largest force: below, a misfit is interpolation and rounding
EXPLAINED = 3.0  # chi^2 per sample below which a linear law has explained the samples
SLACK = 0.02  # of the largest force: what has left the surface behind, before a law is known
ROUGH = 0.01  # of the largest force: a misfit beyond is another law
ROUNDS = 8  # of Gauss and Newton
STEEPEST = 4.0  # largest power


class Sums(NamedTuple):
    """Normal equations of two parameters."""

    aa: float
    ab: float
    bb: float
    ay: float
    by: float
    yy: float
    count: float


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
        return pushed > 0.0
    return force > SLACK * mem[at + FIT.largest]


@compiled
def _weight(mem, at, row):
    small = EXACT * mem[at + FIT.largest]
    return 1.0 / (mem[row + SAMPLE.variance] + small * small)


@apart
def _sums(mem, at, law):
    """Of spring and damper."""
    aa, ab, bb, ay, by, yy, n = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(int(mem[at + FIT.count])):
        row = at + FIT.rows + i * SAMPLE_FLOATS
        d, r, f = mem[row + SAMPLE.depth], mem[row + SAMPLE.rate], mem[row + SAMPLE.force]
        if _counts(mem, at, law, d, r, f):
            w = _weight(mem, at, row)
            aa, ab, bb = aa + w * d * d, ab + w * d * r, bb + w * r * r
            ay, by, yy, n = ay + w * d * f, by + w * r * f, yy + w * f * f, n + 1.0
    return Sums(aa=aa, ab=ab, bb=bb, ay=ay, by=by, yy=yy, count=n)


class Found(NamedTuple):
    """A fitted law and how well it does."""

    model: int  # 0: none
    parameters: float
    chi: float
    stiffness: float
    power: float
    damping: float
    factor: float
    variance: float  # of the stiffness
    damping_variance: float


@compiled
def _spring(s):
    k = s.ay / s.aa
    return Found(
        model=1,
        parameters=1.0,
        chi=max(s.yy - k * s.ay, 0.0),
        stiffness=k,
        power=1.0,
        damping=0.0,
        factor=0.0,
        variance=1.0 / s.aa,
        damping_variance=0.0,
    )


@compiled
def _spring_damper(s, simple):
    determinant = s.aa * s.bb - s.ab * s.ab
    if s.count < 2.0 or determinant <= 1e-12 * s.aa * s.bb:
        return simple
    k = (s.bb * s.ay - s.ab * s.by) / determinant
    c = (s.aa * s.by - s.ab * s.ay) / determinant
    if k <= 0.0:
        return simple
    return Found(
        model=2 if c > 0.0 else 1,
        parameters=2.0,
        chi=max(s.yy - k * s.ay - c * s.by, 0.0),
        stiffness=k,
        power=1.0,
        damping=max(c, 0.0),
        factor=0.0,
        variance=s.bb / determinant,
        damping_variance=s.aa / determinant,
    )


@apart
def _power_law(mem, at, law, start, damped):
    """k, n and lambda by Gauss and Newton, with deflections in units of the deepest."""
    unit = mem[at + FIT.deepest]
    n, g = max(start.power, 1.0), 0.0
    k = start.stiffness * math.pow(unit, start.power)
    chi, variance, lowest = 0.0, 0.0, math.inf
    for _ in range(ROUNDS):
        a00, a01, a02, a11, a12, a22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        b0, b1, b2, chi = 0.0, 0.0, 0.0, 0.0
        for i in range(int(mem[at + FIT.count])):
            row = at + FIT.rows + i * SAMPLE_FLOATS
            d, r, f = mem[row + SAMPLE.depth], mem[row + SAMPLE.rate], mem[row + SAMPLE.force]
            if not _counts(mem, at, law, d, r, f):
                continue
            w, x = _weight(mem, at, row), math.log(d / unit)
            p = math.exp(n * x)
            e = f - (k + g * r) * p
            j0, j1, j2 = p, (k + g * r) * p * x, p * r
            chi += w * e * e
            a00, a01, a11 = a00 + w * j0 * j0, a01 + w * j0 * j1, a11 + w * j1 * j1
            b0, b1 = b0 + w * j0 * e, b1 + w * j1 * e
            if damped:
                a02, a12, a22 = a02 + w * j0 * j2, a12 + w * j1 * j2, a22 + w * j2 * j2
                b2 += w * j2 * e
        if not damped:
            a22 = 1.0
        c00, c01, c02 = a11 * a22 - a12 * a12, a02 * a12 - a01 * a22, a01 * a12 - a02 * a11
        determinant = a00 * c00 + a01 * c01 + a02 * c02
        if not determinant > 1e-13 * a00 * a11 * a22:
            return start
        c11, c12, c22 = a00 * a22 - a02 * a02, a01 * a02 - a00 * a12, a00 * a11 - a01 * a01
        dk = (c00 * b0 + c01 * b1 + c02 * b2) / determinant
        dn = (c01 * b0 + c11 * b1 + c12 * b2) / determinant
        dg = (c02 * b0 + c12 * b1 + c22 * b2) / determinant
        variance = c00 / determinant
        if abs(dn) < 1e-10 and chi >= lowest:
            break
        lowest = min(lowest, chi)
        if abs(dn) > 0.5:
            dk, dg, dn = 0.5 * dk / abs(dn), 0.5 * dg / abs(dn), math.copysign(0.5, dn)
        k, n, g = k + dk, min(max(n + dn, 1.0), STEEPEST), g + (dg if damped else 0.0)
    if not k > 0.0:
        return start
    stiffness = k / math.pow(unit, n)
    return Found(
        model=4 if g > 0.0 else 3,
        parameters=3.0 if damped else 2.0,
        chi=chi,
        stiffness=stiffness,
        power=n,
        damping=0.0,
        factor=max(g / k, 0.0),
        variance=variance * (stiffness / k) * (stiffness / k),
        damping_variance=0.0,
    )


@compiled
def _rough(mem, at):
    """chi^2 per sample of a misfit of 1 % of the largest force."""
    return (ROUGH * mem[at + FIT.largest]) ** 2 * _weight(mem, at, at + FIT.rows)


@compiled
def _better(one, other, least, count):
    """Of two laws the one with the lower chi^2 + p ln N, where what no law explains counts as
    noise; `least`: the lowest chi^2."""
    noise = max(least / count, 1.0)
    penalty = math.log(max(count, 2.0))
    score = other.chi / noise + other.parameters * penalty
    return other if score < one.chi / noise + one.parameters * penalty else one


@apart
def _simplest(mem, at, law, s, damped, powers):
    """The law that counts."""
    spring = _spring(s)
    braked = _spring_damper(s, spring) if damped else spring
    if not powers or s.count < 3.0 or braked.chi <= EXPLAINED * s.count:
        return _better(spring, braked, braked.chi, s.count)
    power = _power_law(mem, at, law, braked, False)
    both = power
    if damped and s.count >= 4.0:
        both = _power_law(mem, at, law, braked, True)
    least = min(min(braked.chi, power.chi), both.chi)
    linear = _better(spring, braked, least, s.count)
    if least > s.count * _rough(mem, at):
        return linear  # neither: the damper that takes what the samples' contact took
    return _better(_better(linear, power, least, s.count), both, least, s.count)


@apart
def fit_law(mem, at, law, damped, powers):
    """The law of a pair into its cells `law`; whether there is one. `damped`: laws 2 and 4 too,
    `powers`: 3 and 4."""
    if mem[at + FIT.pulled] >= 2.0:
        mem[law + LAW.pulls] = 1.0
    s = _sums(mem, at, law)
    if s.count < 1.0 or s.ay <= 0.0:
        return False
    found = _simplest(mem, at, law, s, damped, powers)
    mem[law + LAW.stiffness], mem[law + LAW.power] = found.stiffness, found.power
    mem[law + LAW.damping], mem[law + LAW.factor] = found.damping, found.factor
    mem[at + FIT.model], mem[at + FIT.chi] = float(found.model), found.chi / s.count
    weight = _weight(mem, at, at + FIT.rows)
    mem[at + FIT.misfit] = math.sqrt(found.chi / (s.count * weight)) / mem[at + FIT.largest]
    more = max(found.chi / s.count, 1.0)  # a law that does not explain the samples is worth less
    mem[at + FIT.spread] = math.sqrt(more * found.variance) / found.stiffness
    mem[at + FIT.damping_spread] = math.sqrt(more * found.damping_variance)
    return True
