"""Samples of one pair's contact law, kept for the fit (fit.py), and the state of that fit.

A sample is depth [m] and rate [m/s] at two instants of the reading's window, the normal force [N],
its variance and its slope [N/s]. When there is no room every second sample is dropped, and from
then on every second one is not taken.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.law import EXACT, MODELS, Numbers

SAMPLES = 192  # kept of each pair


class Sample(NamedTuple):
    depth: Annotated[float, "m", "of the mock-ups, as reported"]
    rate: Annotated[float, "m/s", "of the depth"]
    # of a reading that is a mean of several samples, the same at its second instant (samples.py)
    depth_2: Annotated[float, "m", "at the second instant"]
    rate_2: Annotated[float, "m/s", "and there"]
    force: Annotated[float, "N", "along the normal"]
    variance: Annotated[float, "N^2", "of its noise"]
    slope: Annotated[float, "N/s", "of the force since the reading before"]
    time: Annotated[float, "s", "of the middle of the reading's window"]
    touch: Annotated[int, "-", "number of the mock-ups' touch"]


class Scope(NamedTuple):
    """What a fit looks at."""

    span: Annotated[int, "-", "samples that are looked at, of those kept"]
    every: Annotated[int, "-", "of these, one in so many, but all that are shallow"]
    deepest: Annotated[float, "m", "largest depth"]
    largest: Annotated[float, "N", "largest force"]


class Trial(NamedTuple):
    """The best that a search has found of one model."""

    chi: Annotated[float, "-", "chi^2"]
    paid: Annotated[float, "-", "unknowns"]
    ramp: Annotated[float, "m", "d_0"]
    numbers: Numbers


SEARCH = Cells(
    "search",
    Cell("place", int, "-", "of the model under way in the order of search.py; 0: none is"),
    Cell("stage", int, "-", "of its search"),
    Cell("round", int, "-", "of that stage"),
    Cell("numbers", Numbers, "", "of the model"),
    Cell("spring", float, "N", "k of the spring by itself"),
    Cell("samples", float, "-", "that a fit of it took"),
    Cell("ramp", float, "m", "d_0 that is tried"),
    Cell("lowest", float, "-", "least chi^2 of those tried"),
    Cell("best_ramp", float, "m", "and its d_0"),
    Cell("low", float, "-", "between its logarithm"),
    Cell("high", float, "-", "and this one it is sought"),
    Cell("low_chi", float, "-", "chi^2 at the lower of two places between"),
    Cell("high_chi", float, "-", "and at the upper one"),
    Cell("scope", Scope, "", "what the search looks at"),
    Cell("stride", int, "-", "of the samples when it began"),
    Cell("seen", int, "-", "samples that it has seen"),
    Cell("trials", many(MODELS, Trial), "", "of each model"),
)
FIT = Cells(
    "fit",
    Cell("count", int, "-", "samples kept"),
    Cell("seen", int, "-", "samples in all"),
    Cell("due", int, "-", "samples at which it is fitted again"),
    Cell("stride", int, "-", "every so many samples one is kept"),
    Cell("model", int, "-", "number of the law in fit.py; 0: none"),
    Cell("fitted", int, "-", "samples that the last fit has seen"),
    Cell("own_model", int, "-", "of the samples in which the pair touched alone"),
    Cell("own_chi", float, "-", "and its chi^2 per sample"),
    Cell("lag", float, "s", "of a low-pass, which no stamp shows"),
    Cell("ramp", float, "m", "d_0 of the model that is fitted"),
    Cell("scope", Scope, "", "what the fit looks at"),
    Cell("search", SEARCH, "", "for the model: search.py"),
    Cell("chi", float, "-", "of the law that counts, per sample"),
    Cell("spread", float, "-", "standard deviation of the stiffness, as a share of it"),
    Cell("damping_spread", float, "Ns/m", "standard deviation of the damping"),
    Cell("misfit", float, "-", "its root mean square, of the largest force"),
    Cell("largest", float, "N", "largest force"),
    Cell("deepest", float, "m", "largest depth"),
    Cell("pulled", int, "-", "samples in a row in which it pulled far beyond noise"),
    Cell("rows", many(SAMPLES, Sample), "", "the samples"),
)
NOISE_MARGIN = 5.0  # standard deviations
PULL = 0.02  # of the largest force: below minus that, a contact pulls


@noinline
def keep_sample(fit, sample: Sample):
    """A sample more; when there is no room, every second one is given up, and from then on only
    every second is kept."""
    fit.largest = max(fit.largest, abs(sample.force))
    fit.deepest = max(fit.deepest, max(sample.depth, sample.depth_2))
    noise = NOISE_MARGIN * math.sqrt(sample.variance)
    if -sample.force > max(PULL * fit.largest, noise):
        fit.pulled += 1
    elif fit.pulled < 2:
        fit.pulled = 0
    seen = fit.seen
    fit.seen = seen + 1
    stride = max(fit.stride, 1)
    if seen % stride != 0:
        return
    count = fit.count
    if count == SAMPLES:
        count = SAMPLES // 2
        for i in range(1, count):
            fit.rows[i] = fit.rows[2 * i]
        fit.stride = 2 * stride
    fit.rows[count] = sample
    fit.count = count + 1


@compiled
def compute_weight(fit, sample: Sample):
    """Weight of a sample, from its noise and from what is exact at best."""
    small = EXACT * fit.largest
    return 1.0 / (sample.variance + small * small)


@compiled
def is_due(fit):
    """Whether there are enough new samples for another fit: each of the first six, then by a fifth
    more each time."""
    return fit.seen >= fit.due


@compiled
def set_next_due(fit):
    seen = fit.seen
    fit.fitted = seen
    fit.due = seen + max(1, int(math.floor(0.2 * (seen - 1))))
