"""Friction from its samples: the coefficient mu and the speed v_0 over which it rises, of

    f_t = mu f_n v / sqrt(v^2 + v_0^2)        v [m/s] the mock-ups' sliding as reported

by weighted least squares. mu follows in closed form for every v_0; v_0 is looked for on a grid in
its logarithm and refined. Samples that all slide far slower than v_0 determine mu / v_0 alone,
those that all slide faster mu alone: v_0 is held to be 1 mm/s within a factor of ten, which decides
only there. Of a reading that is a mean, friction is that of two instants (samples.py). Samples of
the whole contact are kept, for sliding often stops early in it. Friction is believed only where it
explains more of the tangential force than noise does.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.law import EXPLAINED

SAMPLES = 128


class FrictionSample(NamedTuple):
    sliding: Annotated[float, "m/s", "speed of the mock-ups' touching points over each other"]
    # of a reading that is a mean of several samples (samples.py)
    sliding_2: Annotated[float, "m/s", "at the second instant"]
    normal: Annotated[float, "N", "normal force"]
    leaning: Annotated[float, "N", "how much larger it is at the second instant than in the middle"]
    force: Annotated[float, "N", "tangential force against the sliding"]
    variance: Annotated[float, "N^2", "of its noise"]
    normal_variance: Annotated[float, "N^2", "of the noise of the normal force"]
    normal_slope: Annotated[float, "N/s", "of the normal force since the reading before"]
    force_slope: Annotated[float, "N/s", "of the tangential force"]


FRICTION = Cells(
    "friction",
    Cell("count", int, "-", "samples kept"),
    Cell("seen", int, "-", "samples in all"),
    Cell("due", float, "-", "samples at which it is fitted again"),
    Cell("stride", int, "-", "every so many samples one is kept"),
    Cell("fitted", int, "-", "samples that the last fit has seen"),
    Cell("coefficient", float, "-", "mu; 0: none is believed"),
    Cell("slip", float, "m/s", "v_0"),
    Cell("spread", float, "-", "standard deviation of mu"),
    Cell(
        "misfit",
        float,
        "-",
        "tangential force that is left, root mean square, of the largest force",
    ),
    Cell("chi", float, "-", "its chi^2 per sample"),
    Cell("largest", float, "N", "largest normal force"),
    Cell("lag", float, "s", "of a low-pass that the normal force has shown"),
    Cell("rows", many(SAMPLES, FrictionSample), "", "the samples"),
)
EXACT = 1e-5  # of the largest normal force
SURE = 10.0  # by how much chi^2 must fall, in that of noise: some three standard deviations
LEAST, MOST = 1e-4, 2.0  # a smaller coefficient is none; of a larger one, something else is felt
SLOWEST, FASTEST, GRID = 1e-5, 1.0, 16  # m/s, m/s, values of v_0 that are tried
HALVINGS = 40
FINE = 1e-5  # of ln v_0: mu depends on its square
BLUR = 0.1  # of the normal force, where friction comes or goes within a reading's window
USUAL, WIDE = 1e-3, 2.3  # m/s, v_0 where no sample shows it; and how far ln v_0 may be from it


@compiled
def compute_sliding_share(v, v_2, v_0):
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
def compute_friction_weight(sample: FrictionSample, coefficient, small):
    """Weight of a sample: from its own noise, and that of the normal force, for a coefficient about
    which it is; `small` [N]: below, a misfit is rounding."""
    normal = coefficient * coefficient * sample.normal_variance
    return 1.0 / (sample.variance + normal + small * small)


@noinline
def _compute_misfit(friction, slip):
    """chi^2 and mu for a v_0, and mu's variance."""
    aa, ay, yy, small = 0.0, 0.0, 0.0, EXACT * friction.largest
    lag = friction.lag
    for i in range(friction.count):
        sample = friction.rows[i]
        y = sample.force + lag * sample.force_slope
        normal = max(sample.normal + lag * sample.normal_slope, 0.0)
        g, g_2, _ = compute_sliding_share(sample.sliding, sample.sliding_2, slip)
        a = 0.5 * (normal * (g + g_2) + sample.leaning * (g_2 - g))
        w = compute_friction_weight(sample, friction.coefficient, small)
        aa, ay, yy = aa + w * a * a, ay + w * a * y, yy + w * y * y
    if aa <= 0.0:
        return yy, 0.0, math.inf, yy
    return max(yy - ay * ay / aa, 0.0), ay / aa, 1.0 / aa, yy


@compiled
def _compute_cost(friction, log):
    """What is made least over ln v_0."""
    off = (log - math.log(USUAL)) / WIDE
    return _compute_misfit(friction, math.exp(log))[0] + off * off


@compiled
def _is_friction(chi, count, coefficient, all_of_it):
    """Whether what was found is to be believed; `all_of_it`: chi^2 without friction."""
    noise = max(chi / count, 1.0)
    # not explained: most of the force must be friction's all the same
    clear = chi <= EXPLAINED * count or chi < 0.25 * all_of_it
    return LEAST < coefficient < MOST and all_of_it - chi > SURE * noise and clear


@noinline
def fit_friction(friction):
    """mu and v_0 from the samples; 0 where friction is not to be believed."""
    count = friction.count
    if count < 1:
        return
    pitch, best, lowest = math.log(FASTEST / SLOWEST) / (GRID - 1), 0, math.inf
    for i in range(GRID):
        chi = _compute_cost(friction, math.log(SLOWEST) + pitch * i)
        if chi < lowest:
            best, lowest = i, chi
    low = math.log(SLOWEST) + pitch * (best - 1)
    high = low + 2.0 * pitch
    ratio = 0.5 * (math.sqrt(5.0) - 1.0)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    f_a, f_b = _compute_cost(friction, a), _compute_cost(friction, b)
    for _ in range(HALVINGS):
        if f_a < f_b:
            high, b, f_b = b, a, f_a
            a = high - ratio * (high - low)
            f_a = _compute_cost(friction, a)
        else:
            low, a, f_a = a, b, f_b
            b = low + ratio * (high - low)
            f_b = _compute_cost(friction, b)
        if high - low < FINE:
            break
    slip = math.exp(0.5 * (low + high))
    chi, coefficient, variance, all_of_it = _compute_misfit(friction, slip)
    more = max(chi / count, 1.0)
    friction.spread = math.sqrt(more * variance)
    sure = _is_friction(chi, count, coefficient, all_of_it)
    _note_misfit(friction, chi if sure else all_of_it)
    friction.coefficient, friction.slip = (coefficient, slip) if sure else (0.0, USUAL)


@compiled
def _note_misfit(friction, chi):
    """What friction leaves of the tangential force."""
    weights, small = 0.0, EXACT * friction.largest
    for i in range(friction.count):
        weights += compute_friction_weight(friction.rows[i], friction.coefficient, small)
    friction.chi = chi / friction.count
    friction.misfit = math.sqrt(chi / weights) / friction.largest


@compiled
def _estimate_blur(sliding, slides):
    """How far off the mean of two instants may be, of the normal force: friction that comes or goes
    within a reading's window is no parabola."""
    if slides[0] == slides[1]:
        return 0.0
    g, g_2, _ = compute_sliding_share(slides[0], slides[1], USUAL)
    return BLUR * abs(compute_sliding_share(sliding, sliding, USUAL)[0] - 0.5 * (g + g_2))


@noinline
def keep_friction_sample(friction, sliding, slides, normals, forces, variances):
    """A sample more; when there is no room, every second one is given up, and from then on only
    every second is kept. Speeds in the middle and at both instants; normal force, by how much it is
    larger at the second instant, its slope; tangential force, its slope; variances of both."""
    normal, leaning, normal_slope = normals
    friction.largest = max(friction.largest, normal)
    seen = friction.seen
    friction.seen = seen + 1
    stride = max(friction.stride, 1)
    if seen % stride != 0:
        return
    count = friction.count
    if count == SAMPLES:
        count = SAMPLES // 2
        for i in range(1, count):
            friction.rows[i] = friction.rows[2 * i]
        friction.stride = 2 * stride
    blur = _estimate_blur(sliding, slides) * normal
    friction.rows[count] = FrictionSample(
        sliding=slides[0],
        sliding_2=slides[1],
        normal=normal,
        leaning=leaning,
        force=forces[0],
        variance=variances[1] + blur * blur,
        normal_variance=variances[0],
        normal_slope=normal_slope,
        force_slope=forces[1],
    )
    friction.count = count + 1


@compiled
def believe_friction(friction, laws, count):
    """The friction that was found into the laws of all pairs."""
    for i in range(count):
        law = laws[i]
        law.friction, law.slip = friction.coefficient, friction.slip
