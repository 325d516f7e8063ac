"""Friction from its samples: the coefficient mu and the speed v_0 over which it rises, of

    f_t = mu f_n v / sqrt(v^2 + v_0^2)        v [m/s] the mock-ups' sliding as reported

by weighted least squares. mu follows in closed form for every v_0; v_0 is looked for on a grid in
its logarithm and refined. Friction is believed only where it explains the tangential force far
beyond noise."""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.law import LAW
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart, compiled

SAMPLES = 128
RUB_SAMPLE = Cells(
    "rub_sample",
    Cell("sliding", 1, "m/s", "speed of the mock-ups' touching points over each other"),
    Cell("normal", 1, "N", "normal force"),
    Cell("force", 1, "N", "tangential force against the sliding"),
    Cell("variance", 1, "N^2", "of its noise"),
    Cell("normal_slope", 1, "N/s", "of the normal force since the reading before"),
    Cell("force_slope", 1, "N/s", "of the tangential force"),
)
ROW, ROW_FLOATS = RUB_SAMPLE.at, RUB_SAMPLE.size
RUB_CELLS = Cells(
    "rub",
    Cell("count", 1, "-", "samples kept"),
    Cell("seen", 1, "-", "samples in all"),
    Cell("due", 1, "-", "samples at which it is fitted again"),
    Cell("fitted", 1, "-", "samples that the last fit has seen"),
    Cell("friction", 1, "-", "mu; 0: none is believed"),
    Cell("slip", 1, "m/s", "v_0"),
    Cell("spread", 1, "-", "standard deviation of mu"),
    Cell("largest", 1, "N", "largest normal force"),
    Cell("lag", 1, "s", "of a low-pass that the normal force has shown"),
    Cell("rows", SAMPLES * ROW_FLOATS, "", "the samples"),
)
RUB, RUB_FLOATS = RUB_CELLS.at, RUB_CELLS.size
EXACT = 1e-5  # of the largest normal force
SURE = 5.0  # standard deviations
LEAST, MOST = 1e-4, 2.0  # a smaller coefficient is none; of a larger one, something else is felt
SLOWEST, FASTEST, GRID = 1e-5, 1.0, 16  # m/s, m/s, values of v_0 that are tried
HALVINGS = 40
FINE = 1e-5  # of ln v_0: mu depends on its square


@compiled
def _misfit(mem, at, slip):
    """chi^2 and mu for a v_0, and mu's variance."""
    aa, ay, yy, small = 0.0, 0.0, 0.0, EXACT * mem[at + RUB.largest]
    lag = mem[at + RUB.lag]
    for i in range(int(mem[at + RUB.count])):
        row = at + RUB.rows + i * ROW_FLOATS
        v, y = mem[row + ROW.sliding], mem[row + ROW.force] + lag * mem[row + ROW.force_slope]
        normal = mem[row + ROW.normal] + lag * mem[row + ROW.normal_slope]
        a = max(normal, 0.0) * v / math.sqrt(v * v + slip * slip)
        w = 1.0 / (mem[row + ROW.variance] + small * small)
        aa, ay, yy = aa + w * a * a, ay + w * a * y, yy + w * y * y
    if aa <= 0.0:
        return yy, 0.0, math.inf, yy
    return yy - ay * ay / aa, ay / aa, 1.0 / aa, yy


misfit = apart(_misfit)


@apart
def fit_rub(mem, at):
    """mu and v_0 from the samples; 0 where friction is not to be believed."""
    count = mem[at + RUB.count]
    if count < 2.0:
        return
    factor = math.pow(FASTEST / SLOWEST, 1.0 / (GRID - 1))
    best, lowest = 0, math.inf
    for i in range(GRID):
        chi = misfit(mem, at, SLOWEST * math.pow(factor, i))[0]
        if chi < lowest:
            best, lowest = i, chi
    low = math.log(SLOWEST) + math.log(factor) * (best - 1)
    high = low + 2.0 * math.log(factor)
    ratio = 0.5 * (math.sqrt(5.0) - 1.0)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    f_a, f_b = misfit(mem, at, math.exp(a))[0], misfit(mem, at, math.exp(b))[0]
    for _ in range(HALVINGS):
        if f_a < f_b:
            high, b, f_b = b, a, f_a
            a = high - ratio * (high - low)
            f_a = misfit(mem, at, math.exp(a))[0]
        else:
            low, a, f_a = a, b, f_b
            b = low + ratio * (high - low)
            f_b = misfit(mem, at, math.exp(b))[0]
        if high - low < FINE:
            break
    slip = math.exp(0.5 * (low + high))
    chi, friction, variance, all_of_it = misfit(mem, at, slip)
    more = max(chi / count, 1.0)
    mem[at + RUB.spread] = math.sqrt(more * variance)
    sure = max(SURE * mem[at + RUB.spread], LEAST) < friction < MOST and chi < 0.25 * all_of_it
    mem[at + RUB.friction], mem[at + RUB.slip] = (friction, slip) if sure else (0.0, 1e-3)


@apart
def keep_rub(mem, at, sliding, normal, force, variance, normal_slope, force_slope):
    """A sample more, over the oldest where there is no room."""
    seen = int(mem[at + RUB.seen])
    row = at + RUB.rows + (seen % SAMPLES) * ROW_FLOATS
    mem[row + ROW.sliding], mem[row + ROW.normal] = sliding, normal
    mem[row + ROW.force], mem[row + ROW.variance] = force, variance
    mem[row + ROW.normal_slope], mem[row + ROW.force_slope] = normal_slope, force_slope
    mem[at + RUB.seen] = seen + 1.0
    mem[at + RUB.count] = float(min(seen + 1, SAMPLES))
    mem[at + RUB.largest] = max(mem[at + RUB.largest], normal)


@compiled
def believe_rub(mem, at, laws, count, width):
    """The friction that was found into the laws of all pairs."""
    for i in range(count):
        mem[laws + i * width + LAW.friction] = mem[at + RUB.friction]
        mem[laws + i * width + LAW.slip] = mem[at + RUB.slip]
