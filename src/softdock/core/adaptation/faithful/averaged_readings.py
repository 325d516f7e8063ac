"""Readings that are means of a cycle's samples: each touch at two instants of the window.

In: the touches at the middle of the window, in the scratch, and the mock-ups as reported (m, m/s,
world axes). Out: the touches' depths, rates and sliding speeds at both instants.

The mean of N samples, a period h apart, of a law is to third order in the window its mean at two
instants, h sqrt((N^2 - 1) / 12) before and after the middle. Readings in whose window a touch
begins or ends are left out.
"""

from __future__ import annotations

from softdock.core.adaptation.faithful.cells import CELL
from softdock.core.adaptation.faithful.joint_samples import TOUCH, TOUCH_FLOATS, TOUCHES
from softdock.core.adaptation.faithful.readings import mock_ups_at
from softdock.core.adaptation.faithful.touches import copy_latches, places_of
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.vectors import dot, load3, scale

BENT = 0.15  # of a rate; an oscillation of half a period in eight windows bends by 0.04 of it
FRICTION_SPEED = 1e-7  # m/s; below, there is no direction of sliding


@compiled
def _two_instants(y_0, before, after, share):
    """Values of a quantity, known at the middle and both ends of a window, at the two instants
    whose mean is that of all samples in it."""
    odd, even = 0.5 * (after - before), 0.5 * (after + before) - y_0
    return y_0 - share * odd + share * share * even, y_0 + share * odd + share * share * even


@compiled
def _bends(before, now, after):
    """Whether a rate changes its slope within a window more than a contact's oscillation does: the
    way has a kink there (a robot's next set-point), and no three instants tell of the others."""
    most = max(abs(now), max(abs(before), abs(after)))
    return abs(before - 2.0 * now + after) > BENT * most


@compiled
def _spread_touch(mem, row, share, before, after):
    d = _two_instants(mem[row + TOUCH.depth], before.depth, after.depth, share)
    r = _two_instants(mem[row + TOUCH.rate], before.rate, after.rate, share)
    mem[row + TOUCH.depth], mem[row + TOUCH.depth_2] = d
    mem[row + TOUCH.rate], mem[row + TOUCH.rate_2] = r
    speed = mem[row + TOUCH.slides]
    if speed > FRICTION_SPEED:
        along = scale(1.0 / speed, load3(mem, row + TOUCH.sliding))
        first, last = dot(along, before.sliding), dot(along, after.sliding)
        s = _two_instants(speed, first, last, share)
        mem[row + TOUCH.slides], mem[row + TOUCH.slides_2] = s


@apart
def over_window(method, mem, t, count):
    """A reading that is the mean of a window: every touch of the scratch at its two instants.
    False: a touch began or ended within, or the way has a kink, and it tells of no law."""
    m, half = method.memory, 0.5 * method.window
    copy_latches(mem, m + CELL.mock_latches, m + CELL.window_latches)
    early = mock_ups_at(mem, m + CELL.paired, t - half)
    late = mock_ups_at(mem, m + CELL.paired, t + half)
    share, noted = method.scatter / half, 0
    for i in range(method.number):
        at = m + CELL.window_latches
        before = places_of(mem, m + CELL.pairs, at, i, early.chaser, early.target)
        after = places_of(mem, m + CELL.pairs, at, i, late.chaser, late.target)
        for second in range(2):
            one = before.second if second == 1 else before.first
            other = after.second if second == 1 else after.first
            if (one.depth > 0.0) != (other.depth > 0.0):
                return False
            if one.depth > 0.0:
                row = m + CELL.touch_rows + noted * TOUCH_FLOATS
                noted += 1
                if noted > min(count, TOUCHES) or int(mem[row + TOUCH.pair]) != i:
                    return False
                if _bends(one.rate, mem[row + TOUCH.rate], other.rate):
                    return False
                _spread_touch(mem, row, share, one, other)
    return noted == count
