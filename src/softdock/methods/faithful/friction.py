"""Friction from its samples: the coefficient mu and the speed v_0 over which it rises, of

    f_t = mu f_n v / sqrt(v^2 + v_0^2)        v [m/s] the mock-ups' sliding as reported

by weighted least squares. mu follows in closed form for every v_0; v_0 is looked for on a grid in
its logarithm and refined. Samples that all slide far slower than v_0 tell mu / v_0 alone, those
that all slide faster mu alone: v_0 is held to be 1 mm/s within a factor of ten, which decides only
there. Of a reading that is a mean, friction is that of two instants (samples.py). Samples of the
whole contact are kept, for sliding often stops early in it. Friction is believed only where it
explains more of the tangential force than noise does."""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.methods.faithful.law import LAW
from softdock.methods.faithful.models import EXPLAINED

SAMPLES = 128
RUB_SAMPLE = Cells(
    "rub_sample",
    Cell("sliding", 1, "m/s", "speed of the mock-ups' touching points over each other"),
    Cell("sliding_2", 1, "m/s", "of a mean of several samples, at its second instant (samples.py)"),
    Cell("normal", 1, "N", "normal force"),
    Cell("leaning", 1, "N", "by how much it is larger at the second instant than in the middle"),
    Cell("force", 1, "N", "tangential force against the sliding"),
    Cell("variance", 1, "N^2", "of its noise"),
    Cell("normal_variance", 1, "N^2", "of the noise of the normal force"),
    Cell("normal_slope", 1, "N/s", "of the normal force since the reading before"),
    Cell("force_slope", 1, "N/s", "of the tangential force"),
)
ROW, ROW_FLOATS = RUB_SAMPLE.at, RUB_SAMPLE.size
RUB_CELLS = Cells(
    "rub",
    Cell("count", 1, "-", "samples kept"),
    Cell("seen", 1, "-", "samples in all"),
    Cell("due", 1, "-", "samples at which it is fitted again"),
    Cell("stride", 1, "-", "every so many samples one is kept"),
    Cell("fitted", 1, "-", "samples that the last fit has seen"),
    Cell("friction", 1, "-", "mu; 0: none is believed"),
    Cell("slip", 1, "m/s", "v_0"),
    Cell("spread", 1, "-", "standard deviation of mu"),
    Cell("misfit", 1, "-", "tangential force that is left, root mean square, of the largest force"),
    Cell("chi", 1, "-", "its chi^2 per sample"),
    Cell("largest", 1, "N", "largest normal force"),
    Cell("lag", 1, "s", "of a low-pass that the normal force has shown"),
    Cell("rows", SAMPLES * ROW_FLOATS, "", "the samples"),
)
RUB, RUB_FLOATS = RUB_CELLS.at, RUB_CELLS.size
EXACT = 1e-5  # of the largest normal force
SURE = 10.0  # by how much chi^2 must fall, in that of noise: some three standard deviations
LEAST, MOST = 1e-4, 2.0  # a smaller coefficient is none; of a larger one, something else is felt
SLOWEST, FASTEST, GRID = 1e-5, 1.0, 16  # m/s, m/s, values of v_0 that are tried
HALVINGS = 40
FINE = 1e-5  # of ln v_0: mu depends on its square
BLUR = 0.1  # of the normal force, where friction comes or goes within a reading's window
USUAL, WIDE = 1e-3, 2.3  # m/s, v_0 where no sample tells of it; and how far ln v_0 may be from it


@compiled
def sliding_share(v, v_2, v_0):
    """v / sqrt(v^2 + v_0^2) at both instants of a reading, and the mean of its derivative by
    ln v_0."""
    root = 1.0 / math.sqrt(v * v + v_0 * v_0)
    g = v * root
    if v_2 == v:
        return g, g, -g * v_0 * v_0 * root * root
    root_2 = 1.0 / math.sqrt(v_2 * v_2 + v_0 * v_0)
    g_2 = v_2 * root_2
    return g, g_2, -0.5 * v_0 * v_0 * (g * root * root + g_2 * root_2 * root_2)


@compiled
def rub_weight(mem, row, friction, small):
    """Weight of a sample: from its own noise, and that of the normal force, for a coefficient about
    which it is; `small` [N]: below, a misfit is rounding."""
    normal = friction * friction * mem[row + ROW.normal_variance]
    return 1.0 / (mem[row + ROW.variance] + normal + small * small)


@compiled
def _misfit(mem, at, slip):
    """chi^2 and mu for a v_0, and mu's variance."""
    aa, ay, yy, small = 0.0, 0.0, 0.0, EXACT * mem[at + RUB.largest]
    lag = mem[at + RUB.lag]
    for i in range(int(mem[at + RUB.count])):
        row = at + RUB.rows + i * ROW_FLOATS
        y = mem[row + ROW.force] + lag * mem[row + ROW.force_slope]
        normal = max(mem[row + ROW.normal] + lag * mem[row + ROW.normal_slope], 0.0)
        g, g_2, _ = sliding_share(mem[row + ROW.sliding], mem[row + ROW.sliding_2], slip)
        a = 0.5 * (normal * (g + g_2) + mem[row + ROW.leaning] * (g_2 - g))
        w = rub_weight(mem, row, mem[at + RUB.friction], small)
        aa, ay, yy = aa + w * a * a, ay + w * a * y, yy + w * y * y
    if aa <= 0.0:
        return yy, 0.0, math.inf, yy
    return max(yy - ay * ay / aa, 0.0), ay / aa, 1.0 / aa, yy


misfit = noinline(_misfit)


@compiled
def _searched(mem, at, log):
    """What is made least over ln v_0."""
    off = (log - math.log(USUAL)) / WIDE
    return misfit(mem, at, math.exp(log))[0] + off * off


@compiled
def _is_friction(chi, count, friction, all_of_it):
    """Whether what was found is to be believed; `all_of_it`: chi^2 without friction."""
    noise = max(chi / count, 1.0)
    # not explained: most of the force must be friction's all the same
    clear = chi <= EXPLAINED * count or chi < 0.25 * all_of_it
    return LEAST < friction < MOST and all_of_it - chi > SURE * noise and clear


@noinline
def fit_rub(mem, at):
    """mu and v_0 from the samples; 0 where friction is not to be believed."""
    count = mem[at + RUB.count]
    if count < 1.0:
        return
    pitch, best, lowest = math.log(FASTEST / SLOWEST) / (GRID - 1), 0, math.inf
    for i in range(GRID):
        chi = _searched(mem, at, math.log(SLOWEST) + pitch * i)
        if chi < lowest:
            best, lowest = i, chi
    low = math.log(SLOWEST) + pitch * (best - 1)
    high = low + 2.0 * pitch
    ratio = 0.5 * (math.sqrt(5.0) - 1.0)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    f_a, f_b = _searched(mem, at, a), _searched(mem, at, b)
    for _ in range(HALVINGS):
        if f_a < f_b:
            high, b, f_b = b, a, f_a
            a = high - ratio * (high - low)
            f_a = _searched(mem, at, a)
        else:
            low, a, f_a = a, b, f_b
            b = low + ratio * (high - low)
            f_b = _searched(mem, at, b)
        if high - low < FINE:
            break
    slip = math.exp(0.5 * (low + high))
    chi, friction, variance, all_of_it = misfit(mem, at, slip)
    more = max(chi / count, 1.0)
    mem[at + RUB.spread] = math.sqrt(more * variance)
    sure = _is_friction(chi, count, friction, all_of_it)
    _note_left(mem, at, chi if sure else all_of_it)
    mem[at + RUB.friction], mem[at + RUB.slip] = (friction, slip) if sure else (0.0, USUAL)


@compiled
def _note_left(mem, at, chi):
    """What friction leaves of the tangential force."""
    weights, small = 0.0, EXACT * mem[at + RUB.largest]
    for i in range(int(mem[at + RUB.count])):
        row = at + RUB.rows + i * ROW_FLOATS
        weights += rub_weight(mem, row, mem[at + RUB.friction], small)
    mem[at + RUB.chi] = chi / mem[at + RUB.count]
    mem[at + RUB.misfit] = math.sqrt(chi / weights) / mem[at + RUB.largest]


@compiled
def _blur(sliding, slides):
    """How far off the mean of two instants may be, of the normal force: friction that comes or goes
    within a reading's window is no parabola."""
    if slides[0] == slides[1]:
        return 0.0
    g, g_2, _ = sliding_share(slides[0], slides[1], USUAL)
    return BLUR * abs(sliding_share(sliding, sliding, USUAL)[0] - 0.5 * (g + g_2))


@noinline
def keep_rub(mem, at, sliding, slides, normals, forces, variances):
    """A sample more; when there is no room, every second one is given up, and from then on only
    every second is kept. Speeds in the middle and at both instants; normal force, by how much it is
    larger at the second instant, its slope; tangential force, its slope; variances of both."""
    normal, leaning, normal_slope = normals
    mem[at + RUB.largest] = max(mem[at + RUB.largest], normal)
    seen = int(mem[at + RUB.seen])
    mem[at + RUB.seen] = seen + 1.0
    stride = max(int(mem[at + RUB.stride]), 1)
    if seen % stride != 0:
        return
    count = int(mem[at + RUB.count])
    if count == SAMPLES:
        count = SAMPLES // 2
        for i in range(1, count):
            for j in range(ROW_FLOATS):
                mem[at + RUB.rows + i * ROW_FLOATS + j] = mem[
                    at + RUB.rows + 2 * i * ROW_FLOATS + j
                ]
        mem[at + RUB.stride] = 2.0 * stride
    row = at + RUB.rows + count * ROW_FLOATS
    mem[row + ROW.sliding], mem[row + ROW.sliding_2] = slides
    mem[row + ROW.normal], mem[row + ROW.leaning] = normal, leaning
    blur = _blur(sliding, slides) * normal
    mem[row + ROW.variance] = variances[1] + blur * blur
    mem[row + ROW.normal_variance], mem[row + ROW.normal_slope] = variances[0], normal_slope
    mem[row + ROW.force], mem[row + ROW.force_slope] = forces
    mem[at + RUB.count] = count + 1.0


@compiled
def believe_rub(mem, at, laws, count, width):
    """The friction that was found into the laws of all pairs."""
    for i in range(count):
        mem[laws + i * width + LAW.friction] = mem[at + RUB.friction]
        mem[laws + i * width + LAW.slip] = mem[at + RUB.slip]
