"""Samples of one pair's contact law, kept for the fit (fit.py).

A sample is depth [m] and rate [m/s] at two instants of the reading's window, the normal force [N],
its variance and its slope [N/s]. When there is no room every second sample is dropped, and from
then on every second one is not taken.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline

SAMPLES = 192  # kept of each pair
SAMPLE_CELLS = Cells(
    "sample",
    Cell("depth", 1, "m", "of the mock-ups, as reported"),
    Cell("rate", 1, "m/s", "of the depth"),
    Cell("depth_2", 1, "m", "of a mean of several samples, at its second instant (samples.py)"),
    Cell("rate_2", 1, "m/s", "and there"),
    Cell("force", 1, "N", "along the normal"),
    Cell("variance", 1, "N^2", "of its noise"),
    Cell("slope", 1, "N/s", "of the force since the reading before"),
)
SAMPLE, SAMPLE_FLOATS = SAMPLE_CELLS.at, SAMPLE_CELLS.size
VIEW_CELLS = Cells(
    "view",
    Cell("span", 1, "-", "samples that are looked at, of those kept"),
    Cell("every", 1, "-", "of these, one in so many, but all that are shallow"),
    Cell("deepest", 1, "m", "largest depth"),
    Cell("largest", 1, "N", "largest force"),
)
VIEW, VIEW_FLOATS = VIEW_CELLS.at, VIEW_CELLS.size
TRIED_CELLS = Cells(
    "tried",
    Cell("chi", 1, "-", "of the best found so far"),
    Cell("paid", 1, "-", "unknowns"),
    Cell("ramp", 1, "m", "d_0"),
    Cell("numbers", 6, "", "k, c, f_0, tau, n, k lambda: models.py"),
)
TRIED, TRIED_FLOATS = TRIED_CELLS.at, TRIED_CELLS.size
SEARCH_CELLS = Cells(
    "search",
    Cell("place", 1, "-", "of the model under way in the order of search.py; 0: none is"),
    Cell("stage", 1, "-", "of its search"),
    Cell("round", 1, "-", "of that stage"),
    Cell("numbers", 6, "", "of the model"),
    Cell("spring", 1, "N", "k of the spring by itself"),
    Cell("samples", 1, "-", "that a fit of it took"),
    Cell("ramp", 1, "m", "d_0 that is tried"),
    Cell("lowest", 1, "-", "least chi^2 of those tried"),
    Cell("best_ramp", 1, "m", "and its d_0"),
    Cell("low", 1, "-", "between its logarithm"),
    Cell("high", 1, "-", "and this one it is sought"),
    Cell("low_chi", 1, "-", "chi^2 at the lower of two places between"),
    Cell("high_chi", 1, "-", "and at the upper one"),
    Cell("scope", VIEW_CELLS.size, "", "what the search looks at"),
    Cell("stride", 1, "-", "of the samples when it began"),
    Cell("seen", 1, "-", "samples that it has seen"),
    Cell("tried", 11 * TRIED_CELLS.size, "", "of each model"),
)
SEARCH, SEARCH_FLOATS = SEARCH_CELLS.at, SEARCH_CELLS.size
FIT_CELLS = Cells(
    "fit",
    Cell("count", 1, "-", "samples kept"),
    Cell("seen", 1, "-", "samples in all"),
    Cell("due", 1, "-", "samples at which it is fitted again"),
    Cell("stride", 1, "-", "every so many samples one is kept"),
    Cell("model", 1, "-", "number of the law in fit.py; 0: none"),
    Cell("fitted", 1, "-", "samples that the last fit has seen"),
    Cell("own_model", 1, "-", "of the samples in which the pair touched alone"),
    Cell("own_chi", 1, "-", "and its chi^2 per sample"),
    Cell("lag", 1, "s", "of a low-pass that no stamp tells of"),
    Cell("ramp", 1, "m", "d_0 of the model that is fitted"),
    Cell("scope", VIEW_CELLS.size, "", "what the fit looks at"),
    Cell("search", SEARCH_CELLS.size, "", "for the model: search.py"),
    Cell("chi", 1, "-", "of the law that counts, per sample"),
    Cell("spread", 1, "-", "standard deviation of the stiffness, as a share of it"),
    Cell("damping_spread", 1, "Ns/m", "standard deviation of the damping"),
    Cell("misfit", 1, "-", "its root mean square, of the largest force"),
    Cell("largest", 1, "N", "largest force"),
    Cell("deepest", 1, "m", "largest depth"),
    Cell("pulled", 1, "-", "samples in a row in which it pulled far beyond noise"),
    Cell("rows", SAMPLES * SAMPLE_FLOATS, "", "the samples"),
)
FIT, FIT_FLOATS = FIT_CELLS.at, FIT_CELLS.size
NOISE_MARGIN = 5.0  # standard deviations
PULL = 0.02  # of the largest force: below minus that, a contact pulls


@noinline
def keep_sample(mem, at, nodes, force, variance, slope):
    """A sample more; when there is no room, every second one is given up, and from then on only
    every second is kept. `nodes`: depth and rate at both instants."""
    mem[at + FIT.largest] = max(mem[at + FIT.largest], abs(force))
    mem[at + FIT.deepest] = max(mem[at + FIT.deepest], max(nodes[0], nodes[2]))
    noise = NOISE_MARGIN * math.sqrt(variance)
    if -force > max(PULL * mem[at + FIT.largest], noise):
        mem[at + FIT.pulled] += 1.0
    elif mem[at + FIT.pulled] < 2.0:
        mem[at + FIT.pulled] = 0.0
    seen = int(mem[at + FIT.seen])
    mem[at + FIT.seen] = seen + 1.0
    stride = max(int(mem[at + FIT.stride]), 1)
    if seen % stride != 0:
        return
    count = int(mem[at + FIT.count])
    if count == SAMPLES:
        count = SAMPLES // 2
        for i in range(1, count):
            for j in range(SAMPLE_FLOATS):
                mem[at + FIT.rows + i * SAMPLE_FLOATS + j] = mem[
                    at + FIT.rows + 2 * i * SAMPLE_FLOATS + j
                ]
        mem[at + FIT.stride] = 2.0 * stride
    row = at + FIT.rows + count * SAMPLE_FLOATS
    mem[row + SAMPLE.depth], mem[row + SAMPLE.rate] = nodes[0], nodes[1]
    mem[row + SAMPLE.depth_2], mem[row + SAMPLE.rate_2] = nodes[2], nodes[3]
    mem[row + SAMPLE.force], mem[row + SAMPLE.variance] = force, variance
    mem[row + SAMPLE.slope] = slope
    mem[at + FIT.count] = count + 1.0


@compiled
def is_due(mem, at):
    """Whether there are enough new samples for another fit: each of the first six, then by a fifth
    more each time."""
    return mem[at + FIT.seen] >= mem[at + FIT.due]


@compiled
def next_due(mem, at):
    seen = mem[at + FIT.seen]
    mem[at + FIT.fitted] = seen
    mem[at + FIT.due] = seen + max(1.0, math.floor(0.2 * (seen - 1.0)))
