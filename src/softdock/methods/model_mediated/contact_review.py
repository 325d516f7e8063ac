"""What a contact that is over has shown of itself: how far the speed after it is to be doubted, and
how hard the mock-ups were pushed.

What a law that is none of the named ones says where no samples are is a guess. The doubt is of the
speed after the contact, as a share of the approach speed:

    elements    half the range of that speed among weights that explain the samples as well
    a named law that does not explain them    a quarter of the share of energy that was lost, by how
                far the mock-ups were from the satellites at most, of the depth

Beside it stands what the sensor's noise leaves open: a damper c that the samples can no longer tell
from none has the standard deviation sigma / sqrt(sum d'^2), and takes c times the integral of d'^2
along the satellites' way.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Rig, Satellites
from softdock.methods.measured.line_of_action import satellite_motions
from softdock.methods.measured.projection import pair_energy, weld_pair
from softdock.methods.model_mediated.element_fit import bound_loss, fit_elements
from softdock.methods.model_mediated.elements import (
    COUNT,
    compute_columns,
    move_inner,
    push_elements,
)
from softdock.methods.model_mediated.fit import is_unknown
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.law import compute_elastic_force
from softdock.methods.model_mediated.recomputed_past import find_row
from softdock.methods.model_mediated.state import STATE
from softdock.methods.model_mediated.touches import find_places

PART = 0.25  # of loss and distance: what the speed is in doubt by
SLOWEST = 0.05  # of the approach: a speed after the contact below is taken for it
EACH = 6  # pieces of a cycle of the past
PIECES = 64  # of the way that a mock-up goes on while nothing can react


@noinline
def _find_depth(method: ModelMediated, mem, rig: Rig, i, stamp):
    """Depth and rate of the satellites in pair i at a stamp of the recomputed past."""
    s, pairs = STATE(mem, method.memory), method.memory + STATE.at.pairs
    first = stamp <= s.start_stamp
    both = s.start if first else find_row(method, mem, stamp).satellites
    motions = satellite_motions(rig, both)
    places = find_places(mem, pairs, s.window_latches, i, motions.chaser, motions.target)
    if places.second.depth > places.first.depth:
        return places.second.depth, places.second.rate
    return places.first.depth, places.first.rate


@noinline
def _find_depth_at(method: ModelMediated, mem, rig: Rig, i, t):
    """The same at an instant [s], no less than zero: on a cubic."""
    s = STATE(mem, method.memory)
    stamp = min(max(int(math.floor(t / rig.T)), s.start_stamp), s.past_end - 1)
    d, r = _find_depth(method, mem, rig, i, stamp)
    d_1, r_1 = _find_depth(method, mem, rig, i, stamp + 1)
    b = min(max(t / rig.T - stamp, 0.0), 1.0)
    a = 1.0 - b
    found = a * a * (1.0 + 2.0 * b) * d + b * b * (1.0 + 2.0 * a) * d_1
    return max(found + rig.T * a * b * (a * r - b * r_1), 0.0)


@noinline
def _find_gap(method: ModelMediated, mem, rig: Rig, i):
    """How far the mock-ups were from the satellites in the last contact of pair i, as a share of
    the satellites' largest depth."""
    s = STATE(mem, method.memory)
    fit, gap, deepest, last = s.fits[i], 0.0, 0.0, 0.0
    s.window_latches = s.start_latches
    for n in range(fit.count):
        sample = fit.rows[n]
        if sample.touch != s.touches or sample.time <= s.start_stamp * rig.T:
            continue
        depth, last = _find_depth_at(method, mem, rig, i, sample.time), sample.time
        gap, deepest = max(gap, abs(depth - sample.depth)), max(deepest, depth)
    for stamp in range(s.start_stamp + 1, s.past_end + 1):
        depth = _find_depth(method, mem, rig, i, stamp)[0]
        deepest = max(deepest, depth)
        if stamp * rig.T > last + rig.T:  # the mock-ups have parted
            gap = max(gap, depth)
    return gap / deepest if deepest > 0.0 else 0.0


@compiled
def _take_way(law, work, way):
    """What each element takes over a way [m], where their sum pushes."""
    push = 0.0
    for j in range(COUNT):
        push += law.weights[j] * work.row[j]
    if push > 0.0:
        for j in range(COUNT):
            work.line[j] += work.row[j] * way


@noinline
def _sum_along_past(method: ModelMediated, mem, rig: Rig, i):
    """What each element takes along the satellites' way, for one of weight 1 [m^2]."""
    s = STATE(mem, method.memory)
    law, inner, work, last = s.found_elements[i], s.element_fit.inner, s.element_fit, 0.0
    for j in range(COUNT):
        work.line[j] = 0.0
    inner.depth, dt = 0.0, rig.T / EACH
    s.window_latches = s.start_latches
    d, r = _find_depth(method, mem, rig, i, s.start_stamp)
    for stamp in range(s.start_stamp, s.past_end):
        d_1, r_1 = _find_depth(method, mem, rig, i, stamp + 1)
        for n in range(EACH):
            b = (n + 1.0) / EACH
            a = 1.0 - b
            depth = a * a * (1.0 + 2.0 * b) * d + b * b * (1.0 + 2.0 * a) * d_1
            depth = max(depth + rig.T * a * b * (a * r - b * r_1), 0.0)
            if depth > 0.0 or last > 0.0:
                move_inner(law, inner, 0.5 * (depth + last), dt)
                compute_columns(law, inner, (depth - last) / dt, work.row)
                _take_way(law, work, depth - last)
            last = depth
        d, r = d_1, r_1


@noinline
def _spread_speed(method: ModelMediated, mem, rig: Rig, i, energy, loss):
    """Standard deviation of the speed after the contact by the sensor's noise, of the approach."""
    s = STATE(mem, method.memory)
    fit, squares, way = s.fits[i], 0.0, 0.0
    for n in range(fit.count):
        squares += fit.rows[n].rate ** 2 / fit.rows[n].variance
    s.window_latches = s.start_latches
    for stamp in range(s.start_stamp + 1, s.past_end + 1):
        depth, rate = _find_depth(method, mem, rig, i, stamp)
        way += rate * rate * rig.T if depth > 0.0 else 0.0
    noise = math.sqrt(max(fit.chi, 1.0) / max(squares, 1e-300))
    return 0.5 * noise * way / energy / max(math.sqrt(max(1.0 - loss, 0.0)), SLOWEST)


@noinline
def _bound_speed(method: ModelMediated, mem, rig: Rig, i, energy, loss):
    """Half the range of the speed after the contact, of the approach, among weights that explain
    the samples as well; `energy` before it [J], `loss`: its share."""
    s = STATE(mem, method.memory)
    fit_elements(s.fits[i], s.element_fit, rig.T, method.scatter)
    _sum_along_past(method, mem, rig, i)
    half = bound_loss(s.fits[i], s.element_fit, energy)
    return 0.5 * half / energy / max(math.sqrt(max(1.0 - loss, 0.0)), SLOWEST)


@noinline
def _compute_causal_force(method: ModelMediated, s, i, rate, T):
    """Force on mock-ups that go on at the speed of the touch for the whole delay [N]."""
    law, way = s.found[i].whole, rate * s.delay
    if law.elements == 0:
        force = compute_elastic_force(law, way)
        return force * (1.0 + law.factor * rate) + law.damping * rate
    elements, inner = s.found_elements[i], s.element_fit.inner
    inner.depth = 0.0
    for n in range(PIECES):
        move_inner(elements, inner, way * (n + 1.0) / PIECES, s.delay / PIECES)
    return push_elements(elements, inner, way, rate, 0.0, 1e-9 * T)


@noinline
def review_contact(method: ModelMediated, mem, rig: Rig, satellites: Satellites):
    """Note doubt and forces of the contact that is over, of each pair that was felt alone in it."""
    s = STATE(mem, method.memory)
    least = pair_energy(rig, weld_pair(rig, s.start))
    before = pair_energy(rig, s.start)
    loss = (before + s.given - pair_energy(rig, satellites)) / max(before - least, 1e-300)
    for i in range(method.number):
        fit, first, most = s.fits[i], -1, 0.0
        for n in range(fit.count):
            sample = fit.rows[n]
            if sample.touch == s.touches and sample.time > s.start_stamp * rig.T:
                first, most = n if first < 0 else first, max(most, sample.force)
        if first < 0:
            continue
        s.peak[i], s.believed_peak[i] = most, math.sqrt(s.last_largest)
        rate = max(fit.rows[first].rate, 0.0)
        s.causal_force[i] = _compute_causal_force(method, s, i, rate, rig.T)
        elements = s.found[i].elements > 0
        if fit.rows[0].variance > 0.0 and not s.joint.touched[i]:
            spread = _spread_speed(method, mem, rig, i, before - least, loss)
            s.speed_spread[i] = max(s.speed_spread[i], spread)
        if (elements or is_unknown(fit)) and s.past_end > s.start_stamp + 1:
            if elements:
                doubt = _bound_speed(method, mem, rig, i, before - least, loss)
            else:
                doubt = PART * min(max(loss, 0.0), 1.0) * _find_gap(method, mem, rig, i)
            s.doubt[i] = max(s.doubt[i], doubt)
