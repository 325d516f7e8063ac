"""By how much a surface is nearer than declared (negative: farther), from the samples of its law.

    f = k (d + e) + c d'        or        f = k (d + e)^n (1 + lambda d')

d [m] is the depth by the shapes as they are believed, e what is sought: on a grid, then by golden
section; for each e both laws are fitted (gauss_newton.py). Where d + e <= 0 a force is unexplained.
A surface that is nearer than a few cycles' way was felt while the shapes were apart (samples.py);
what is sought here is what that leaves, and one that is farther. It is believed only if a law then
explains the samples, and none did before, or the surface has been moved: a pre-load looks the same,
but not if it is larger than the force of a few cycles' way.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.fit import is_negligible, note_law
from softdock.methods.model_mediated.gauss_newton import choose_start, fit_model
from softdock.methods.model_mediated.law import (
    NO_LAW,
    FittedLaw,
    ModelKinds,
    Numbers,
    is_allowed,
)
from softdock.methods.model_mediated.law_samples import Sample, Scope, compute_weight

TRIED = (2, 4)  # laws
FARTHEST = 8e-3  # m
SHARE = 0.8  # of the deepest sample: no surface is farther
CYCLES = 3.0  # of the fastest sample's way: one that is nearer was felt before
GRID, SECTIONS = 24, 16
LOOKED_AT = 64  # samples; of more, one in so many
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
MUCH_BETTER = 0.1  # of chi^2 without a shift


class Shifted(NamedTuple):
    law: FittedLaw
    chi: float  # with what is unexplained


@noinline
def _move_samples(fit, by):
    """All samples by so much deeper [m]."""
    fit.deepest = 0.0
    for i in range(fit.count):
        old = fit.rows[i]
        fit.rows[i] = Sample(
            depth=old.depth + by,
            rate=old.rate,
            depth_2=old.depth_2 + by,
            rate_2=old.rate_2,
            force=old.force,
            variance=old.variance,
            slope=old.slope,
            time=old.time,
            touch=old.touch,
        )
        fit.deepest = max(fit.deepest, max(old.depth, old.depth_2) + by)
    fit.scope = Scope(
        span=fit.count,
        every=(fit.count + LOOKED_AT - 1) // LOOKED_AT,
        deepest=fit.deepest,
        largest=fit.largest,
    )


@noinline
def _sum_unexplained(fit):
    """chi^2 of the forces where the surface is not reached."""
    chi = 0.0
    for i in range(fit.count):
        sample = fit.rows[i]
        if min(sample.depth, sample.depth_2) <= 0.0:
            chi += compute_weight(fit, sample) * sample.force * sample.force
    return chi


@noinline
def _fit_shifted(fit, law, kinds: ModelKinds):
    """The better of the laws for the samples where they are."""
    best, lowest = NO_LAW, math.inf
    if fit.deepest <= 0.0:
        return Shifted(best, lowest)
    for model in TRIED:
        if is_allowed(model, kinds):
            start = Numbers(fit.largest, 0.0, 0.0, 0.0, 1.5 if model > 2 else 1.0, 0.0)
            found = fit_model(fit, law, model, start, choose_start(fit, model))
            if found.model > 0 and found.chi < lowest:
                best, lowest = found, found.chi
    return Shifted(best, lowest + _sum_unexplained(fit))


@noinline
def _try_shift(fit, law, kinds: ModelKinds, by):
    """chi^2 with the samples by so much deeper; they stay where they are."""
    _move_samples(fit, by)
    chi = _fit_shifted(fit, law, kinds).chi
    _move_samples(fit, -by)
    return chi


@compiled
def _bound_nearer(fit, T):
    fastest = 0.0
    for i in range(fit.count):
        fastest = max(fastest, abs(fit.rows[i].rate))
    return CYCLES * T * fastest


@noinline
def find_shift(fit, law, kinds: ModelKinds, T, moved):
    """The shift [m] under which a law explains the samples that none explains else, or 0. The
    samples are moved then, and the law is in its cells. `moved`: the surface has been, roughly."""
    before = fit.chi * fit.count
    low, high = -min(SHARE * fit.deepest, FARTHEST), min(_bound_nearer(fit, T), FARTHEST)
    pitch, best, lowest = (high - low) / GRID, low, math.inf
    for i in range(GRID + 1):
        chi = _try_shift(fit, law, kinds, low + pitch * i)
        if chi < lowest:
            best, lowest = low + pitch * i, chi
    low, high = best - pitch, best + pitch
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    chi_a, chi_b = _try_shift(fit, law, kinds, a), _try_shift(fit, law, kinds, b)
    for _ in range(SECTIONS):
        if chi_a < chi_b:
            high, b, chi_b = b, a, chi_a
            a = high - GOLDEN * (high - low)
            chi_a = _try_shift(fit, law, kinds, a)
        else:
            low, a, chi_a = a, b, chi_b
            b = low + GOLDEN * (high - low)
            chi_b = _try_shift(fit, law, kinds, b)
    shift = 0.5 * (low + high)
    _move_samples(fit, shift)
    fit.scope = Scope(span=fit.count, every=1, deepest=fit.deepest, largest=fit.largest)
    found = _fit_shifted(fit, law, kinds)
    better = found.chi < MUCH_BETTER * before or moved
    if found.law.model > 0 and better and is_negligible(fit, found.chi, found.law.samples):
        note_law(fit, law, found.law)
        return shift
    _move_samples(fit, -shift)
    return 0.0
