"""A contact law as it is identified, and what it does at the satellites.

    f = f_0 min(d / d_0, 1) + k d^n (1 + lambda d') + c d'

    d [m] > 0 the deflection, d' [m/s] its rate

never pulling, unless a pull was seen; k > 0, n >= 1, f_0, c, lambda >= 0. Each such law is passive:
what it stores is f_0 (d - d_0 / 2) + k d^(n+1) / (n+1) beyond d_0, and all else it takes. Friction:
mu f against the sliding velocity v, as v / sqrt(v^2 + v_0^2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled

STILL = 1e-6  # of the depth: over a shorter way the force does not change


class Believed(NamedTuple):
    """What is believed of one pair's contact."""

    stiffness: float  # N/m^power; 0: nothing is known
    power: float
    damping: float  # Ns/m
    factor: float  # lambda, s/m
    pulls: bool
    friction: float
    slip: float  # m/s
    preload: float  # N, f_0
    ramp: float  # m, d_0


BELIEVED_CELLS = Cells(
    "believed",
    Cell("stiffness", 1, "N/m^power", "0: nothing is known"),
    Cell("power", 1, "-", "of the deflection"),
    Cell("damping", 1, "Ns/m", "beside the spring"),
    Cell("factor", 1, "s/m", "lambda of Hunt and Crossley"),
    Cell("pulls", 1, "-", "1: a pull was seen"),
    Cell("friction", 1, "-", "Coulomb coefficient"),
    Cell("slip", 1, "m/s", "speed at which friction is at 71 %"),
    Cell("preload", 1, "N", "force at the first touch"),
    Cell("ramp", 1, "m", "depth over which it comes"),
)
LAW, LAW_FLOATS = BELIEVED_CELLS.at, BELIEVED_CELLS.size


@compiled
def load_law(mem, at):
    return Believed(
        stiffness=mem[at + LAW.stiffness],
        power=mem[at + LAW.power],
        damping=mem[at + LAW.damping],
        factor=mem[at + LAW.factor],
        pulls=mem[at + LAW.pulls] != 0.0,
        friction=mem[at + LAW.friction],
        slip=mem[at + LAW.slip],
        preload=mem[at + LAW.preload],
        ramp=mem[at + LAW.ramp],
    )


@compiled
def raised(depth, power):
    """depth^power of a deflection > 0."""
    return depth if power == 1.0 else math.pow(depth, power)


@compiled
def elastic(law, depth):
    """The part of the force that is given back [N]."""
    if depth <= 0.0:
        return 0.0
    share = depth / law.ramp if depth < law.ramp else 1.0
    return law.preload * share + law.stiffness * raised(depth, law.power)


@compiled
def stored(law, depth):
    """Energy of the deflection [J]."""
    if depth <= 0.0:
        return 0.0
    whole = law.stiffness * raised(depth, law.power) / (law.power + 1.0)
    way = depth - 0.5 * law.ramp
    if depth < law.ramp:
        way = 0.5 * depth * depth / law.ramp
    return law.preload * way + whole * depth


@compiled
def steepness(law, depth):
    """Slope of the elastic part [N/m]."""
    extra = law.preload / law.ramp if depth < law.ramp else 0.0
    if law.power == 1.0:
        return law.stiffness + extra
    return extra + law.stiffness * law.power * math.pow(max(depth, 0.0), law.power - 1.0)


@compiled
def push_over(law, depth, rate, mobility, dt):
    """Mean normal force over a step dt [s] whose middle has this depth and rate without force.

    The elastic part of a step in which the touch begins or ends is its exact mean along that way.
    The damper acts on the rate in the middle of the step, its own braking included.
    """
    half = 0.5 * dt * rate
    a, b = depth - half, depth + half
    if a <= 0.0 and b <= 0.0:
        return 0.0
    share, spring = 1.0, elastic(law, depth)
    if a < 0.0 or b < 0.0:
        share = max(a, b) / abs(b - a)
    if a < 0.0 or b < 0.0 or (law.preload > 0.0 and abs(half) > STILL * depth):
        spring = (stored(law, b) - stored(law, a)) / (b - a)
    brake = spring * law.factor + share * law.damping
    if brake == 0.0:
        return spring
    stiff = brake * mobility * dt
    middle = (rate - 0.5 * dt * mobility * spring) / (1.0 + (0.5 if stiff < 1.0 else 1.0) * stiff)
    force = spring + brake * middle
    if force < 0.0 and not law.pulls:
        return 0.0
    return force
