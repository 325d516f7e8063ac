"""A contact law as it is identified, what it does at the satellites, and the models of it that are
fitted.

    f = f_0 min(d / d_0, 1) + k d^n (1 + lambda d') + c d'

    d [m] > 0 the deflection, d' [m/s] its rate

never pulling, unless a pull was seen; k > 0, n >= 1, f_0, c, lambda >= 0. Each such law is passive:
what it stores is f_0 (d - d_0 / 2) + k d^(n+1) / (n+1) beyond d_0, and all else it takes. Friction:
mu f against the sliding velocity v, as v / sqrt(v^2 + v_0^2).

A model says which of these numbers are sought (fit.py lists them, gauss_newton.py fits them).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import layout_of
from softdock.compile.jit import compiled

STILL = 1e-6  # of the depth: over a shorter way the force does not change


class BelievedLaw(NamedTuple):
    """What is believed of one pair's contact."""

    stiffness: Annotated[float, "N/m^power", "0: nothing is known"]
    power: Annotated[float, "-", "of the deflection"]
    damping: Annotated[float, "Ns/m", "beside the spring"]
    factor: Annotated[float, "s/m", "lambda of Hunt and Crossley"]
    pulls: Annotated[bool, "-", "a pull was seen"]
    friction: Annotated[float, "-", "Coulomb coefficient"]
    slip: Annotated[float, "m/s", "speed at which friction is at 71 %"]
    preload: Annotated[float, "N", "force at the first touch, f_0"]
    ramp: Annotated[float, "m", "depth over which it comes, d_0"]
    elements: Annotated[int, "-", "number of the fit of its elements (elements.py); 0: it has none"]


LAW = layout_of(BelievedLaw)


@compiled
def raise_to_power(depth, power):
    """depth^power of a deflection > 0."""
    return depth if power == 1.0 else math.pow(depth, power)


@compiled
def compute_elastic_force(law: BelievedLaw, depth):
    """The part of the force that is given back [N]."""
    if depth <= 0.0:
        return 0.0
    share = depth / law.ramp if depth < law.ramp else 1.0
    return law.preload * share + law.stiffness * raise_to_power(depth, law.power)


@compiled
def compute_stored_energy(law: BelievedLaw, depth):
    """Energy of the deflection [J]."""
    if depth <= 0.0:
        return 0.0
    whole = law.stiffness * raise_to_power(depth, law.power) / (law.power + 1.0)
    way = depth - 0.5 * law.ramp
    if depth < law.ramp:
        way = 0.5 * depth * depth / law.ramp
    return law.preload * way + whole * depth


@compiled
def compute_slope(law: BelievedLaw, depth):
    """Slope of the elastic part [N/m]."""
    extra = law.preload / law.ramp if depth < law.ramp else 0.0
    if law.power == 1.0:
        return law.stiffness + extra
    return extra + law.stiffness * law.power * math.pow(max(depth, 0.0), law.power - 1.0)


@compiled
def compute_mean_push(law: BelievedLaw, depth, rate, mobility, dt):
    """Mean normal force over a step dt [s] whose middle has this depth and rate without force.

    The elastic part of a step in which the touch begins or ends is its exact mean along that way.
    The damper acts on the rate in the middle of the step, its own braking included.
    """
    half = 0.5 * dt * rate
    a, b = depth - half, depth + half
    if a <= 0.0 and b <= 0.0:
        return 0.0
    share, spring = 1.0, compute_elastic_force(law, depth)
    if a < 0.0 or b < 0.0:
        share = max(a, b) / abs(b - a)
    if a < 0.0 or b < 0.0 or (law.preload > 0.0 and abs(half) > STILL * depth):
        spring = (compute_stored_energy(law, b) - compute_stored_energy(law, a)) / (b - a)
    brake = spring * law.factor + share * law.damping
    if brake == 0.0:
        return spring
    stiff = brake * mobility * dt
    middle = (rate - 0.5 * dt * mobility * spring) / (1.0 + (0.5 if stiff < 1.0 else 1.0) * stiff)
    force = spring + brake * middle
    if force < 0.0 and not law.pulls:
        return 0.0
    return force


# The models that are fitted, and what a reading's window with a kink in it is worth.

EXPLAINED = 3.0  # chi^2 per sample below which a law may have explained the samples
SPREADS = 4.0  # and standard deviations of chi^2 beyond its mean, where there are many
EXACT = 3e-5  # of the largest force: below, a misfit is interpolation and rounding
STEEPEST = 4.0  # largest power
K, C, F_0, TAU, N, G = 0, 1, 2, 3, 4, 5  # the fields of `Numbers`
SIZE = 6
MASKS = (  # of each model, in bits of the numbers
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


class Numbers(NamedTuple):
    """What a model may have."""

    k: Annotated[float, "N", "force of the spring at the deepest sample"]
    c: Annotated[float, "Ns/m", "damping"]
    f_0: Annotated[float, "N", "pre-load"]
    tau: Annotated[float, "s", "lag of a low-pass"]
    n: Annotated[float, "-", "power of the deflection"]
    g: Annotated[float, "Ns/m", "k lambda"]


class ModelKinds(NamedTuple):
    """Which models are sought beside a spring."""

    damping: bool
    powers: bool
    lags: bool


class FittedLaw(NamedTuple):
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


NO_LAW = FittedLaw(
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
def is_explained(chi, samples):
    """Whether noise alone explains what a law leaves."""
    return chi <= min(EXPLAINED * samples, samples + SPREADS * math.sqrt(2.0 * samples))


@compiled
def has(model, number):
    return (MASKS[model] >> number) & 1 == 1


@compiled
def is_allowed(model, kinds: ModelKinds):
    """Whether a model is among those that are sought."""
    return (
        (kinds.damping or not (has(model, C) or has(model, G)))
        and (kinds.powers or not (has(model, N) or has(model, F_0)))
        and (kinds.lags or not has(model, TAU))
    )


@compiled
def bound_kink_error(low, high):
    """By how much the mean of max(f, 0) over a window may differ from that of two instants [N],
    where f goes from `low` to `high` in it."""
    return 0.5 * min(-low, high) if low < 0.0 < high else 0.0


@compiled
def bound_ramp_error(f_0, ramp, d, d_2):
    """The same of a pre-load that has come in full at `ramp`, between depths d and d_2 and a bit
    beyond."""
    middle, half = 0.5 * (d + d_2), 0.5 * EDGE * abs(d_2 - d)
    inside = half - abs(middle - ramp)
    return 0.25 * f_0 / ramp * inside if inside > 0.0 and f_0 > 0.0 else 0.0
