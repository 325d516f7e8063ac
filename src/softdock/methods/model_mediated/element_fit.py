"""Weights of the passive elements (elements.py) that a pair's samples show: least squares with
weights that are never negative (Lawson and Hanson 1974), unit columns, a ridge.

    min |A w - f|^2 + R |w|^2,   w >= 0

The problem is convex: no start and no choice of a model. A column is what its element would push
with along the mock-ups' measured way, cubic between samples. Samples that have left the surface
behind count only where the elements would push.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.methods.model_mediated.elements import (
    BENDS,
    BEYOND,
    COUNT,
    ELEMENTS,
    INNER,
    MAXWELL,
    POWERS,
    RUBBING,
    SPRING,
    UP_TO,
    compute_columns,
    move_inner,
)
from softdock.methods.model_mediated.law_samples import Sample, compute_weight

RIDGE = 1e-8  # of a unit column's own weight
LEFT = 0.02  # of the largest force: less, while it becomes less deep, has left the surface
PIECES = 4  # straight ones of the way from one sample to the next
MOST_ROUNDS = 4 * COUNT  # of Lawson and Hanson
SAME = 1e-3  # of the largest force: weights that leave so much more explain the samples as well
ROUNDS = 5  # of the search for such weights
FIRST = 0.01  # of the energy: by which they are first expected to differ
SMALL = 1e-12  # of the largest gradient: none

ELEMENT_FIT = Cells(
    "element_fit",
    Cell("inner", INNER, "", "along the mock-ups' way"),
    Cell("last", Sample, "", "the sample before"),
    Cell("last_time", float, "s", "of its second instant"),
    Cell("any_last", bool, "-", "there is one of this touch"),
    Cell("trial", ELEMENTS, "", "the elements that are sought"),
    Cell("number", int, "-", "fits so far"),
    Cell("row", many(COUNT), "m", "columns at a sample"),
    Cell("other", many(COUNT), "m", "at its second instant"),
    Cell("gram", many(COUNT * COUNT), "", "A' A, then of unit columns"),
    Cell("right", many(COUNT), "", "A' f"),
    Cell("size", many(COUNT), "m", "length of each column"),
    Cell("factor", many(COUNT * COUNT), "", "Cholesky's, of those with weight"),
    Cell("step", many(COUNT), "", "solution of those with weight"),
    Cell("now", many(COUNT), "", "weights of unit columns"),
    Cell("chosen", many(COUNT, int), "-", "numbers of those with weight"),
    Cell("line", many(COUNT), "m^2", "what each column takes along the satellites' way"),
    Cell("kept", many(COUNT), "", "A' f, while other weights are sought"),
)


@noinline
def _walk(work, sample: Sample, until, depth, rate):
    """The elements along a cubic from the sample before to a time `until` [s]."""
    law, inner = work.trial, work.inner
    if not work.any_last:
        dt = depth / rate if rate > 0.0 else law.time
        move_inner(law, inner, depth, min(dt, law.time))
        return
    last = work.last
    span = until - work.last_time
    if span <= 0.0:
        return
    for i in range(PIECES):
        b = (i + 1.0) / PIECES
        a = 1.0 - b
        d = a * a * (1.0 + 2.0 * b) * last.depth_2 + b * b * (1.0 + 2.0 * a) * depth
        d += span * a * b * (a * last.rate_2 - b * rate)
        move_inner(law, inner, max(d, 1e-6 * law.depth), span / PIECES)


@noinline
def _fill_row(work, sample: Sample, scatter):
    """Columns of a sample; of one that is a mean, the mean of two instants."""
    if work.any_last and sample.touch != work.last.touch:
        work.any_last = False
    if not work.any_last:
        work.inner.depth = 0.0
    early = sample.time - scatter
    _walk(work, sample, early, sample.depth, sample.rate)
    compute_columns(work.trial, work.inner, sample.rate, work.row)
    if scatter > 0.0:
        move_inner(work.trial, work.inner, sample.depth_2, 2.0 * scatter)
        compute_columns(work.trial, work.inner, sample.rate_2, work.other)
        for j in range(COUNT):
            work.row[j] = 0.5 * (work.row[j] + work.other[j])
    work.last = sample
    work.last_time, work.any_last = sample.time + scatter, True


@compiled
def _has_left(sample: Sample, largest):
    return sample.rate < 0.0 and sample.force <= LEFT * largest


@noinline
def _add_row(work, weight, force):
    for i in range(COUNT):
        part = weight * work.row[i]
        work.right[i] += part * force
        if part != 0.0:
            at = i * COUNT
            for j in range(i + 1):
                work.gram[at + j] += part * work.row[j]


@noinline
def _predict(work):
    found = 0.0
    for i in range(COUNT):
        found += work.trial.weights[i] * work.row[i]
    return max(found, 0.0)


@noinline
def _scale_columns(work):
    """Unit columns, and the whole matrix of its lower half."""
    gram = work.gram
    for i in range(COUNT):
        square = gram[i * COUNT + i]
        work.size[i] = math.sqrt(square) if square > 0.0 else 0.0
    for i in range(COUNT):
        for j in range(i + 1):
            size = work.size[i] * work.size[j]
            gram[i * COUNT + j] = gram[i * COUNT + j] / size if size > 0.0 else 0.0
        if work.size[i] > 0.0:
            work.right[i] /= work.size[i]


@noinline
def _unscale_columns(work):
    gram = work.gram
    for i in range(COUNT):
        for j in range(i + 1):
            gram[i * COUNT + j] *= work.size[i] * work.size[j]
        work.right[i] *= work.size[i]


@compiled
def _read_gram(work, i, j):
    return work.gram[i * COUNT + j] if i >= j else work.gram[j * COUNT + i]


@noinline
def _solve_chosen(work, count):
    """Least squares of the chosen columns, by Cholesky."""
    factor, step = work.factor, work.step
    for a in range(count):
        i = work.chosen[a]
        for b in range(a + 1):
            value = _read_gram(work, i, work.chosen[b])
            if a == b:
                value += RIDGE
            for k in range(b):
                value -= factor[a * COUNT + k] * factor[b * COUNT + k]
            if a == b:
                factor[a * COUNT + a] = math.sqrt(max(value, 0.1 * RIDGE))
            else:
                factor[a * COUNT + b] = value / factor[b * COUNT + b]
        value = work.right[i]
        for k in range(a):
            value -= factor[a * COUNT + k] * step[k]
        step[a] = value / factor[a * COUNT + a]
    for c in range(count):
        a = count - 1 - c
        value = step[a]
        for k in range(a + 1, count):
            value -= factor[k * COUNT + a] * step[k]
        step[a] = value / factor[a * COUNT + a]


@noinline
def _drop_unchosen(work, count):
    """Those without weight are chosen no more; how many are left."""
    left = 0
    for a in range(count):
        i = work.chosen[a]
        if work.now[i] > 0.0:
            work.chosen[left] = i
            left += 1
        else:
            work.now[i] = 0.0
    return left


@noinline
def _find_steepest(work, count, least):
    """The column without weight whose weight would gain most; -1: none."""
    best, most = -1, least
    for i in range(COUNT):
        if work.now[i] > 0.0 or work.size[i] == 0.0:
            continue
        gradient = work.right[i]
        for a in range(count):
            j = work.chosen[a]
            gradient -= _read_gram(work, i, j) * work.now[j]
        if gradient > most:
            best, most = i, gradient
    return best


@noinline
def _solve(work):
    """Weights of unit columns by Lawson and Hanson."""
    count, largest = 0, 0.0
    for i in range(COUNT):
        work.now[i] = 0.0
        largest = max(largest, abs(work.right[i]))
    for _ in range(MOST_ROUNDS):
        best = _find_steepest(work, count, SMALL * largest)
        if best < 0:
            return
        work.chosen[count] = best
        work.now[best] = 1e-300
        count += 1
        for _ in range(COUNT):
            _solve_chosen(work, count)
            part = 1.0
            for a in range(count):
                now = work.now[work.chosen[a]]
                if work.step[a] <= 0.0:
                    part = min(part, now / (now - work.step[a]))
            for a in range(count):
                i = work.chosen[a]
                now = work.now[i]
                work.now[i] = now + part * (work.step[a] - now)
                if work.step[a] <= 0.0 and now / (now - work.step[a]) <= part:
                    work.now[i] = 0.0
            left = _drop_unchosen(work, count)
            if left == count:
                break
            count = left


@noinline
def _take_weights(work):
    for i in range(COUNT):
        size = work.size[i]
        work.trial.weights[i] = work.now[i] / size if size > 0.0 else 0.0


@noinline
def _compute_slope(law):
    """The steepest rise of the force with the depth [N/m]."""
    w, found = law.weights, 0.0
    found = w[SPRING] + 1.5 * w[POWERS] + 2.0 * w[POWERS + 1] + 3.0 * w[POWERS + 2]
    for i in range(BENDS):
        found += w[BEYOND + i] + w[UP_TO + i]
    for i in range(MAXWELL, RUBBING):
        found += w[i]
    return found


@noinline
def fit_elements(fit, work, T, scatter):
    """The elements of a pair's samples into `work.trial`; chi^2 per sample, infinite: none."""
    law, largest = work.trial, fit.largest
    law.depth, law.rate, law.time = fit.deepest, 0.0, T
    for i in range(fit.count):
        law.rate = max(law.rate, abs(fit.rows[i].rate))
    if law.rate <= 0.0 or law.depth <= 0.0:
        return math.inf
    for i in range(COUNT * COUNT):
        work.gram[i] = 0.0
    for i in range(COUNT):
        work.right[i] = 0.0
    used, work.any_last = 0, False
    unit = 1.0 / compute_weight(fit, fit.rows[0])
    for i in range(fit.count):
        sample = fit.rows[i]
        _fill_row(work, sample, scatter)
        if not _has_left(sample, largest):
            _add_row(work, unit * compute_weight(fit, sample), sample.force)
            used += 1
    if used == 0:
        return math.inf
    chi, pushed = math.inf, True
    for turn in range(2):
        if not pushed:
            break
        _scale_columns(work)
        _solve(work)
        _take_weights(work)
        _unscale_columns(work)
        chi, pushed, work.any_last = 0.0, False, False
        for i in range(fit.count):
            sample = fit.rows[i]
            _fill_row(work, sample, scatter)
            force, weight = _predict(work), compute_weight(fit, sample)
            chi += weight * (force - sample.force) ** 2
            if _has_left(sample, largest) and force > LEFT * largest and turn == 0:
                _add_row(work, unit * weight, sample.force)
                pushed = True
    law.slope = _compute_slope(law)
    work.number += 1
    return chi / fit.count


# How much the loss at the satellites may differ among weights that explain the samples as well


@noinline
def _solve_towards(work, strength):
    """Weights with a linear term for the loss: what they leave beside a constant [N^2], and the
    loss [J]."""
    for i in range(COUNT):
        work.kept[i] = work.right[i]
        work.right[i] += strength * work.line[i]
    _scale_columns(work)
    _solve(work)
    _take_weights(work)
    _unscale_columns(work)
    left, loss = 0.0, 0.0
    for i in range(COUNT):
        work.right[i] = work.kept[i]
        weight, row = work.trial.weights[i], 0.0
        loss += weight * work.line[i]
        if weight > 0.0:
            for j in range(COUNT):
                row += work.trial.weights[j] * _read_gram(work, i, j)
            left += weight * (row - 2.0 * work.right[i])
    return left, loss


@noinline
def _find_extreme_loss(work, least, allowed, strength):
    loss = 0.0
    for _ in range(ROUNDS):
        left, loss = _solve_towards(work, strength)
        grown = max(left - least, 1e-4 * allowed)
        strength *= math.sqrt(allowed / grown)
    return loss


@noinline
def bound_loss(fit, work, energy):
    """Half the range of the loss [J] along `work.line` among weights that explain the samples of
    the last fit to SAME of the largest force, and to their noise; `energy`: a scale of it [J]."""
    allowed = fit.count * (SAME * fit.largest) ** 2 + 4.0 * fit.rows[0].variance
    first = allowed / (FIRST * energy)
    least, _ = _solve_towards(work, 0.0)
    most = _find_extreme_loss(work, least, allowed, first)
    return 0.5 * abs(most - _find_extreme_loss(work, least, allowed, -first))
