"""A contact law that is none of the named ones (law.py): passive elements side by side, each with a
weight that is never negative.

    f = max(0, sum_j w_j phi_j),   w_j >= 0                      d depth [m], u = d' / v

    springs     d, max(d - g, 0), min(d, g);  D x^1.5, D x^2, D x^3            x = d / D
    dampers     D u, d u, d x u, min(d, g) u;  the same of u |u|
    Maxwell     q_i' = d' - q_i / tau_i                           tau_i = tau (1, 2, 4 .. 32)
    sliders     z_i = min(max(z_i + dd, -r_i), r_i)
    crushing    max(d - a_i d_max, 0)
    friction    min(d, g) tanh(u / 0.03)

Every element alone stores energy or takes it, so their sum does. D is the deepest sample, v its
largest rate, tau a cycle. What an element remembers (`INNER`) is zero where nothing touches.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline

KNOTS = (0.05, 0.1, 0.2, 0.35, 0.55, 0.8)  # g of the springs, of D
SLIPS = (0.015, 0.03, 0.06, 0.11, 0.2, 0.32, 0.5, 0.75)  # r of the sliders, of D
CRUSHES = (0.15, 0.3, 0.5, 0.67, 0.8)  # a of crushing
PADS = (0.2, 0.5)  # g of friction, of D; a third grows on
WIDTH = 0.03  # of v: friction is at 76 % there
RAMPS = (0.1, 0.4)  # g of the dampers, of D
BRANCHES, LONGEST = 6, 32.0  # of Maxwell; the longest tau_i, of tau
BENDS, SLIDES, BREAKS, STARTS = len(KNOTS), len(SLIPS), len(CRUSHES), len(RAMPS)
SPRING = 0  # first number of each kind
BEYOND = SPRING + 1
UP_TO = BEYOND + BENDS
POWERS = UP_TO + BENDS
MAXWELL = POWERS + 3
SLIDERS = MAXWELL + BRANCHES
CRUSHING = SLIDERS + SLIDES
RUBBING = CRUSHING + BREAKS
LINEAR = RUBBING + 3
SQUARE = LINEAR + 3 + STARTS
COUNT = SQUARE + 3 + STARTS
NEWTON = 6  # rounds for the rate in the middle of a step
SETTLED = 1e-9  # of v

INNER = Cells(
    "inner",
    Cell("depth", float, "m", "at which the elements are; 0: nothing touches"),
    Cell("deepest", float, "m", "since the touch"),
    Cell("stretch", many(BRANCHES), "m", "q of the Maxwell elements"),
    Cell("slip", many(SLIDES), "m", "z of the sliders"),
)
ELEMENTS = Cells(
    "elements",
    Cell("depth", float, "m", "D"),
    Cell("rate", float, "m/s", "v"),
    Cell("time", float, "s", "tau"),
    Cell("slope", float, "N/m", "steepest that the force may rise"),
    Cell("weights", many(COUNT), "N/m", "of all elements"),
)


@noinline
def move_inner(law, inner, depth, dt):
    """What the elements remember, after a straight way to `depth` in dt [s]."""
    if depth <= 0.0:
        inner.depth = 0.0
        return
    if inner.depth <= 0.0:
        inner.depth, inner.deepest = 0.0, 0.0
        for i in range(BRANCHES):
            inner.stretch[i] = 0.0
        for i in range(SLIDES):
            inner.slip[i] = 0.0
    way = depth - inner.depth
    inner.depth, inner.deepest = depth, max(inner.deepest, depth)
    last = LONGEST * law.time
    keep = math.exp(-dt / last)
    for j in range(BRANCHES):
        i = BRANCHES - 1 - j
        # of a straight way: q(dt) = q keep + way tau / dt (1 - keep)
        inner.stretch[i] = inner.stretch[i] * keep + way * (1.0 - keep) * last / dt
        keep, last = keep * keep, 0.5 * last
    for i in range(SLIDES):
        reach = SLIPS[i] * law.depth
        inner.slip[i] = min(max(inner.slip[i] + way, -reach), reach)


@compiled
def _fill_dampers(D, d, u, out, first):
    out[first], out[first + 1], out[first + 2] = D * u, d * u, d * d / D * u
    for i in range(STARTS):
        out[first + 3 + i] = min(d, RAMPS[i] * D) * u


@compiled
def _sum_dampers(D, d, weights, first):
    """Force of some dampers at u = 1 [N]."""
    found = D * weights[first] + d * (weights[first + 1] + d / D * weights[first + 2])
    for i in range(STARTS):
        found += min(d, RAMPS[i] * D) * weights[first + 3 + i]
    return found


@noinline
def compute_columns(law, inner, rate, out):
    """phi of all elements [m] at the depth of `inner`, into `out`."""
    D, d, u = law.depth, inner.depth, rate / law.rate
    x = d / D
    root = math.sqrt(x)
    out[SPRING] = d
    for i in range(BENDS):
        g = KNOTS[i] * D
        out[BEYOND + i], out[UP_TO + i] = max(d - g, 0.0), min(d, g)
    for i in range(BRANCHES):
        out[MAXWELL + i] = inner.stretch[i]
    for i in range(SLIDES):
        out[SLIDERS + i] = inner.slip[i]
    out[POWERS], out[POWERS + 1], out[POWERS + 2] = d * root, d * x, d * x * x
    _fill_dampers(D, d, u, out, LINEAR)
    _fill_dampers(D, d, u * abs(u), out, SQUARE)
    for i in range(BREAKS):
        out[CRUSHING + i] = max(d - CRUSHES[i] * inner.deepest, 0.0)
    sense = math.tanh(u / WIDTH)
    out[RUBBING] = min(d, PADS[0] * D) * sense
    out[RUBBING + 1] = min(d, PADS[1] * D) * sense
    out[RUBBING + 2] = d * sense


@noinline
def _sum_springs(law, inner):
    """Force of all that does not depend on the rate [N]."""
    D, d, w = law.depth, inner.depth, law.weights
    x = d / D
    found = d * (w[SPRING] + math.sqrt(x) * w[POWERS] + x * (w[POWERS + 1] + x * w[POWERS + 2]))
    for i in range(BENDS):
        g = KNOTS[i] * D
        found += w[BEYOND + i] * max(d - g, 0.0) + w[UP_TO + i] * min(d, g)
    for i in range(BRANCHES):
        found += w[MAXWELL + i] * inner.stretch[i]
    for i in range(SLIDES):
        found += w[SLIDERS + i] * inner.slip[i]
    for i in range(BREAKS):
        found += w[CRUSHING + i] * max(d - CRUSHES[i] * inner.deepest, 0.0)
    return found


@noinline
def push_elements(law, inner, depth, rate, mobility, dt):
    """Mean normal force over a step dt [s] whose middle has this depth and rate without force, as
    compute_mean_push (law.py); the elements go on by the step."""
    half = 0.5 * dt * rate
    high, low = depth + abs(half), depth - abs(half)
    share = 1.0
    if low < 0.0:  # a touch begins or ends: the middle of what lies within
        share = high / (high - low)
        depth = 0.5 * high
    taken = dt
    if inner.depth <= 0.0 and rate > 0.0:
        taken = min(dt, depth / rate)
    if depth != inner.depth:  # not when asked again within a step
        move_inner(law, inner, depth, taken)
    if depth <= 0.0:
        return 0.0
    D, d, v, w = law.depth, depth, law.rate, law.weights
    spring = _sum_springs(law, inner)
    linear, square = _sum_dampers(D, d, w, LINEAR) / v, _sum_dampers(D, d, w, SQUARE) / (v * v)
    rub = w[RUBBING] * min(d, PADS[0] * D) + w[RUBBING + 1] * min(d, PADS[1] * D)
    rub += w[RUBBING + 2] * d
    if linear + square + rub == 0.0:
        return max(share * spring, 0.0)
    # rate in the middle of the step, its own braking included: r = rate - by f(r), f rising
    by, narrow = 0.5 * dt * mobility * share, WIDTH * v
    r, high, low = rate, max(rate, rate - by * spring), min(rate, rate - by * spring)
    high, low = max(high, 0.0), min(low, 0.0)
    force = spring
    for _ in range(NEWTON):
        sense = math.tanh(r / narrow) if rub > 0.0 else 0.0
        force = spring + r * (linear + square * abs(r)) + rub * sense
        miss = r - rate + by * force
        if miss > 0.0:
            high = r
        else:
            low = r
        rises = 1.0 + by * (linear + 2.0 * square * abs(r) + rub * (1.0 - sense * sense) / narrow)
        after = r - miss / rises
        r = after if low <= after <= high else 0.5 * (low + high)
        if abs(miss) < SETTLED * v:
            break
    return max(share * force, 0.0)


@compiled
def is_touched(inner):
    return inner.depth > 0.0
