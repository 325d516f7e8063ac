"""Minimum time over a distance: one path of profiles, from the direct change of velocity outwards,
and the root along it.

The direct change from (v0, a0) to (vf, 0) takes the least time T0 and covers d0. In a time T > T0
the distances within reach are an interval [d_low(T), d_high(T)] that starts at d0. So a target
beyond d0 is first reached where d_high = d, one short of d0 where d_low = d, which is the same
mirrored. The profiles on d_high are a path: jerk up to a1, hold, down to -a2, hold, up to 0. With
balance := a0^2/2 + jmax (vf - v0), the change of velocity is right when

    jmax amax (hold_up - hold_down) = balance + a2^2 - a1^2.

The parameter is w = a1 + a2. Without holds a1 = (w + balance/w)/2, a2 = (w - balance/w)/2, T = (2w
- a0)/jmax; once a1 or a2 is amax it stays there. At w = 2 amax both holds grow (a quadratic), at
vmax a cruise grows (linear). By the maximum principle

    d(distance)/dT = v1 + a1 (a1 + a2) / (2 jmax),

v1 and a1 being velocity and acceleration where the jerk turns down: Newton's slope. For a1 >= 0 it
only grows: there is one root. For a1 < 0 (braking already, and more to come) it falls, then grows,
so the distance may have a crest. A target below the crest is met before it; one just above it, only
much later on the path. The first root is the answer. Ours. Agrees with Ruckig's families of
profiles to rounding; both are tested against each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled

MAX_ITERATIONS = 64  # bisection alone would need 53; 5 on average, 31 the most seen
EPS = 2.2e-16  # relative spacing of doubles
ROUNDINGS = 256.0  # that may add up while a profile is followed and replanned
LATE = 1e-3  # of the time left; the most that rounding may shift an arrival


class Task(NamedTuple):
    """What one axis is to do: over the distance d, from (v0, a0) to (vf, 0)."""

    d: float  # m or rad
    v0: float
    a0: float
    vf: float


class Bounds(NamedTuple):
    """Within which limits."""

    vmin: float
    vmax: float
    amax: float
    jmax: float


@compiled
def path_durations(task, bounds, resolution, relative):
    """Sign, a1, a2 and the durations up, hold_up, cruise, hold_down of the fastest profile of a
    task that begins inside its bounds. A direct change that hits its distance to within
    `resolution` plus `relative` of its own length is taken."""
    d, v0, a0, vf = task
    _, _, amax, jmax = bounds
    blur = ROUNDINGS * EPS * (abs(v0) + abs(vf) + a0 * a0 / jmax)  # of the velocities
    balance, w = _direct(v0, a0, vf, amax, jmax, blur)
    a1, hold_up, a2, hold_down = _point(w, balance, amax, jmax)
    d_direct, slope, speed, time = _travel(v0, a0, a1, hold_up, a2, hold_down, jmax)
    resolution += relative * speed * time
    if slope * (d - d_direct) < 0.0 and blur > 0.0:
        # A hair short would mean to go back and come again: allow for the time by which the blur
        # shifts the arrival.
        resolution += abs(slope) * min(
            2.0 * blur / max(a1, a2, math.sqrt(jmax * blur)), LATE * time
        )
    s = 1.0
    cruise = 0.0
    if abs(d - d_direct) > resolution:
        if d < d_direct:
            s = -1.0
            balance, w = _direct(-v0, -a0, -vf, amax, jmax, blur)
        mirrored = Task(s * d, s * v0, s * a0, s * vf)
        limits = bounds if s > 0.0 else Bounds(-bounds.vmax, -bounds.vmin, amax, jmax)
        a1, hold_up, a2, hold_down, cruise = _outwards(mirrored, limits, balance, w, s * d_direct)
    return s, a1, a2, max((a1 - s * a0) / jmax, 0.0), hold_up, cruise, hold_down


@compiled
def _direct(v0, a0, vf, amax, jmax, blur):
    """`balance`, and the parameter w at which the path starts. If vf is what is left when a0 has
    been taken away, to within `blur`, nothing else is done: an ulp of the velocity would otherwise
    cost the root of it in time."""
    balance = 0.5 * a0 * a0 + jmax * (vf - v0)
    rise = max(a0, 0.0)
    if abs(balance - rise * rise) <= jmax * blur:
        balance = rise * rise
    if balance >= rise * rise:  # the velocity must rise: a2 = 0
        return balance, min(math.sqrt(balance), amax)
    a2 = math.sqrt(a0 * a0 - balance)  # it must fall: a1 = a0
    if a2 > amax:
        return balance, max(a0 + amax, 0.0)
    if a0 < 0.0:
        return balance, -balance / (a2 - a0)  # a0 + a2 without cancellation
    return balance, a0 + a2


@compiled
def _point(w, balance, amax, jmax):
    """a1, hold_up, a2, hold_down at w <= 2 amax."""
    ratio = 0.0
    if w > 0.0:
        ratio = balance / w
    elif balance < 0.0:  # a0 = -amax and a hold at once
        ratio = -math.inf
    a1 = 0.5 * (w + ratio)
    a2 = 0.5 * (w - ratio)
    hold_up = 0.0
    hold_down = 0.0
    if a1 > amax:
        a1 = amax
        a2 = max(w - amax, 0.0)
        hold_up = max((balance + a2 * a2 - amax * amax) / (jmax * amax), 0.0)
    elif a2 > amax:
        a2 = amax
        a1 = w - amax
        hold_down = max((a1 * a1 - amax * amax - balance) / (jmax * amax), 0.0)
    return a1, hold_up, max(a2, 0.0), hold_down


@compiled
def _travel(v0, a0, a1, hold_up, a2, hold_down, jmax):
    """Distance without cruise, its derivative by the total time, the largest speed and the total
    time."""
    t = max((a1 - a0) / jmax, 0.0)
    d = t * (v0 + t * (2.0 * a0 + a1) / 6.0)
    v = v0 + 0.5 * (a0 + a1) * t
    d += hold_up * (v + 0.5 * a1 * hold_up)
    v += a1 * hold_up
    speed = max(abs(v0), abs(v))
    time = t + hold_up
    t = (a1 + a2) / jmax
    slope = v + 0.5 * a1 * t
    d += t * (v + t * (2.0 * a1 - a2) / 6.0)
    v += 0.5 * (a1 - a2) * t
    d += hold_down * (v - 0.5 * a2 * hold_down)
    v -= a2 * hold_down
    time += t + hold_down
    t = a2 / jmax
    d += t * (v - t * a2 / 3.0)
    return d, slope, max(speed, abs(v), abs(slope)), time + t


@compiled
def _outwards(task, bounds, balance, w, d_direct):
    """a1, hold_up, a2, hold_down, cruise of the first profile on the path, from w on, that covers d
    > d_direct."""
    d, v0, a0, vf = task
    _, vmax, amax, jmax = bounds
    lo = w
    a1, hold_up, a2, hold_down = _point(lo, balance, amax, jmax)
    _, slope, _, _ = _travel(v0, a0, a1, hold_up, a2, hold_down, jmax)
    hi = 2.0 * amax
    found = False
    if a1 < 0.0 and slope > 0.0:
        crest = _crest(v0, a0, balance, amax, jmax)
        if crest > lo:
            a1, hold_up, a2, hold_down = _point(crest, balance, amax, jmax)
            d_crest, _, _, _ = _travel(v0, a0, a1, hold_up, a2, hold_down, jmax)
            if d_crest >= d:
                hi = crest
                found = True
            else:
                lo = crest
    both_hold = True
    if not found and vmax < math.inf:
        a1, hold_up = _half(0.5 * a0 * a0 + jmax * (vmax - v0), amax, jmax)
        a1 = max(a1, a0)
        a2, hold_down = _half(jmax * (vmax - vf), amax, jmax)
        d_top, _, _, _ = _travel(v0, a0, a1, hold_up, a2, hold_down, jmax)
        if d >= d_top:
            cruise = (d - d_top) / vmax if vmax > 0.0 else math.inf
            return a1, hold_up, a2, hold_down, cruise
        both_hold = hold_up > 0.0 and hold_down > 0.0
        hi = min(a1 + a2, hi)
    if not found and both_hold:
        difference = balance / (jmax * amax)
        hold_up = max(difference, 0.0)
        hold_down = max(-difference, 0.0)
        d_both, top_slope, _, _ = _travel(v0, a0, amax, hold_up, amax, hold_down, jmax)
        if d >= d_both:
            root = math.sqrt(top_slope * top_slope + amax * (d - d_both))
            more = (
                (d - d_both) / (root + top_slope) if top_slope > 0.0 else (root - top_slope) / amax
            )
            return amax, hold_up + more, amax, hold_down + more, 0.0
    w = _guess(w, d - d_direct, slope, jmax)
    w = _root(task, bounds, balance, lo, hi, w)
    a1, hold_up, a2, hold_down = _point(w, balance, amax, jmax)
    return a1, hold_up, a2, hold_down, 0.0


@compiled
def _half(squared, amax, jmax):
    """Peak acceleration and hold of a change of velocity of squared/jmax between states of no
    acceleration."""
    if squared > amax * amax:
        return amax, (squared - amax * amax) / (jmax * amax)
    return math.sqrt(max(squared, 0.0)), 0.0


@compiled
def _crest(v0, a0, balance, amax, jmax):
    """The w of the crest of the distance for a1 < 0, where the slope v1 + a1 (a1 + a2) / (2 jmax)
    falls through 0; or -1."""
    c = 2.0 * jmax * v0 - a0 * a0
    inside = amax * amax - 8.0 * c  # with a2 = amax: 2 a1^2 + amax a1 + c = 0
    if inside >= 0.0:
        x = 0.25 * (amax + math.sqrt(inside))
        if x < -a0 and x * x - balance >= amax * amax:
            return amax - x
    b = -balance - 4.0 * c  # with a2^2 = a1^2 - balance: 3 a1^4 - b a1^2 + c^2 = 0
    inside = b * b - 12.0 * c * c
    if inside >= 0.0 and b > 0.0:
        x = math.sqrt((b + math.sqrt(inside)) / 6.0)
        if x < -a0 and x * x - balance < amax * amax:
            return -balance / (x + math.sqrt(x * x - balance))
    return -1.0


@compiled
def _guess(w, excess, slope, jmax):
    """A first w: the cube root from rest, or less if the axis moves the right way, or more if it
    must turn round."""
    rest = (4.0 * jmax * jmax * excess) ** (1.0 / 3.0)
    if slope > 0.0:
        return w + min(rest, 0.5 * jmax * excess / slope)
    return w + rest + math.sqrt(-4.0 * jmax * slope)


@compiled
def _root(task, bounds, balance, lo, hi, w):
    """The w in [lo, hi] at which the distance is d: Newton, with bisection where Newton would leave
    the bracket or does not halve the error (it can run in circles about the kinks where a hold
    begins)."""
    d, v0, a0, _ = task
    _, _, amax, jmax = bounds
    w = min(max(w, lo), hi)
    last = math.inf
    for _ in range(MAX_ITERATIONS):
        a1, hold_up, a2, hold_down = _point(w, balance, amax, jmax)
        travelled, slope, speed, time = _travel(v0, a0, a1, hold_up, a2, hold_down, jmax)
        error = travelled - d
        if error < 0.0:
            lo = w
        else:
            hi = w
        rate = 2.0 * slope / jmax
        if hold_up > 0.0 or hold_down > 0.0:
            rate *= w / amax
        step = error / rate if rate > 0.0 else math.inf
        better = w - step
        if not (lo < better < hi) or abs(error) > 0.5 * last:
            better = 0.5 * (lo + hi)
        if abs(error) <= 4.0 * EPS * speed * time or abs(step) <= EPS * w or hi - lo <= EPS * w:
            break
        last = abs(error)
        w = better
    return w
