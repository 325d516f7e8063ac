"""The laws that are fitted to a pair's samples (fit.py lists them, gauss_newton.py fits them):
their numbers, and what a window with a kink in it is worth."""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.methods.faithful.law_samples import FIT, SAMPLE

EXPLAINED = 3.0  # chi^2 per sample below which a law may have explained the samples
SPREADS = 4.0  # and standard deviations of chi^2 beyond its mean, where there are many
EXACT = 3e-5  # of the largest force: below, a misfit is interpolation and rounding
STEEPEST = 4.0  # largest power
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
