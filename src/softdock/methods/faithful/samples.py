"""From a paired reading to samples of the laws: the normal force at each touch of the mock-ups, and
friction's.

The touches' normals and points are known from the shapes, so a wrench is worth more than its force:
of one touch the force at its point is the least-squares solution of six equations (three of force,
three of torque, each by its noise). Wrenches of several touches are kept whole (joint_samples.py).
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import TARGET
from softdock.loop.method.interface import CYCLE
from softdock.loop.spatial.motion import Wrench, load_wrench
from softdock.loop.spatial.vectors import (
    add_scaled,
    cross,
    dot,
    load3,
    norm,
    scale,
    store3,
    subtract,
    symmetric_inverse,
    symmetric_times,
)
from softdock.methods.faithful.cells import CELL
from softdock.methods.faithful.commanded_acceleration import tool_acceleration
from softdock.methods.faithful.free_flight import (
    ENOUGH,
    FLIGHT,
    noise_of,
    note_flight,
    note_tool,
    tared,
    tool_push,
)
from softdock.methods.faithful.friction import keep_rub
from softdock.methods.faithful.joint_samples import TOUCH, TOUCH_FLOATS, TOUCHES, keep_many
from softdock.methods.faithful.law_samples import FIT_FLOATS, keep_sample
from softdock.methods.faithful.readings import (
    PAIRED,
    WRENCH,
    is_stuck,
    mock_ups_at,
    next_force,
    slope_at,
)
from softdock.methods.faithful.touches import (
    NOWHERE,
    copy_latches,
    free_for,
    places_of,
)

# Readings that are means of a cycle's samples: each touch at two instants of the window.
#
# In: the touches at the middle of the window, in the scratch, and the mock-ups as reported (m, m/s,
# world axes). Out: the touches' depths, rates and sliding speeds at both instants.
#
# The mean of N samples, a period h apart, of a law is to third order in the window its mean at two
# instants, h sqrt((N^2 - 1) / 12) before and after the middle. Readings in whose window a touch
# begins or ends are left out.

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


@noinline
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


NO_TORQUE = 1e3  # m; torques that are not to count
TINY = 1e-30  # N^2, in place of a noise of zero
FADED = 0.15  # s after a touch; before, a low-pass may still show it
STRANGE = 8.0  # standard deviations of noise: a force beyond is no noise
SWIFTEST = 5.0  # m/s^2; no mock-up is accelerated beyond, while nothing touches
STEADY = 1e-9  # rate of a lead that is brought in no more


@compiled
def _at_point(r, wrench, noise):
    """The whole force at a touch that is `r` from the chaser's centre of mass, and the variance of
    a component of it at most."""
    a, b = 1.0 / (noise[0] * noise[0] + TINY), 1.0 / (noise[1] * noise[1] + TINY)
    rr = dot(r, r)
    matrix = (
        a + b * (rr - r[0] * r[0]),
        a + b * (rr - r[1] * r[1]),
        a + b * (rr - r[2] * r[2]),
        -b * r[0] * r[1],
        -b * r[0] * r[2],
        -b * r[1] * r[2],
    )
    inverse = symmetric_inverse(matrix)
    right = add_scaled(scale(a, wrench.force), b, cross(wrench.torque, r))
    return symmetric_times(inverse, right), inverse


@compiled
def _quadratic(m, a):
    return dot(a, symmetric_times(m, a))


@noinline
def _one_touch(method, mem, wrench, slope, noise):
    """A sample of a pair which alone touches: the one in the scratch."""
    m, row = method.memory, method.memory + CELL.touch_rows
    n, arm, sliding = (
        load3(mem, row + TOUCH.normal),
        load3(mem, row + TOUCH.arm),
        load3(mem, row + TOUCH.sliding),
    )
    fit = m + CELL.fits + int(mem[row + TOUCH.pair]) * FIT_FLOATS
    force, matrix = _at_point(arm, wrench, noise)
    pushed, variance = dot(n, force), _quadratic(matrix, n)
    change = _at_point(arm, slope, noise)[0]
    rising = dot(n, change)
    nodes = (
        mem[row + TOUCH.depth],
        mem[row + TOUCH.rate],
        mem[row + TOUCH.depth_2],
        mem[row + TOUCH.rate_2],
    )
    keep_sample(mem, fit, nodes, pushed, variance, rising)
    speed = norm(sliding)
    if method.friction and speed > FRICTION_SPEED and pushed > 0.0:
        against = scale(-1.0 / speed, sliding)
        keep_rub(
            mem,
            m + CELL.rub,
            speed,
            (mem[row + TOUCH.slides], mem[row + TOUCH.slides_2]),
            (pushed, method.scatter * rising, rising),
            (dot(against, force), dot(against, change)),
            (variance, _quadratic(matrix, against)),
        )


@compiled
def _note_touch(mem, row, i, place):
    mem[row + TOUCH.pair] = float(i)
    mem[row + TOUCH.depth], mem[row + TOUCH.rate] = place.depth, place.rate
    mem[row + TOUCH.depth_2], mem[row + TOUCH.rate_2] = place.depth, place.rate
    store3(mem, row + TOUCH.normal, place.normal)
    store3(mem, row + TOUCH.arm, place.on_chaser)
    store3(mem, row + TOUCH.sliding, place.sliding)
    speed = norm(place.sliding)
    mem[row + TOUCH.slides], mem[row + TOUCH.slides_2] = speed, speed


@compiled
def _one_place(mem, rows, count, i, place):
    """Into the scratch, where it touches; how many touch by then."""
    if place.depth <= 0.0:
        return count
    if count < TOUCHES:
        _note_touch(mem, rows + count * TOUCH_FLOATS, i, place)
    return count + 1


@compiled
def _touches(method, mem, both):
    """Where the mock-ups touch, into the scratch; how many touches there are, the largest depth."""
    m, count, found = method.memory, 0, NOWHERE
    for i in range(method.number):
        places = places_of(mem, m + CELL.pairs, m + CELL.mock_latches, i, both.chaser, both.target)
        found = max(found, max(places.first.depth, places.second.depth))
        count = _one_place(mem, m + CELL.touch_rows, count, i, places.first)
        count = _one_place(mem, m + CELL.touch_rows, count, i, places.second)
    return count, found


@compiled
def _in_flight(method, mem, flight, q, raw, a, pushed):
    """A reading while the shapes are apart: of the tare, or of a force that they do not explain.
    `pushed`: the mock-up is accelerated, by `a`."""
    m, sure = method.memory, mem[flight + FLIGHT.count] >= ENOUGH
    felt = subtract(a, method.gravity)
    if pushed or not sure:
        note_tool(mem, flight, q, raw, felt)
    left = norm(
        subtract(tared(mem, flight, q, method.gravity, raw).force, tool_push(mem, flight, a))
    )
    if sure and left > max(STRANGE * noise_of(mem, flight)[0], mem[m + CELL.matters]):
        mem[m + CELL.unexplained] += 1.0
        mem[m + CELL.unexplained_now] += 1.0
        mem[m + CELL.mock_clear_until] = 0.0
        return
    mem[m + CELL.unexplained_now] = 0.0
    if sure and not pushed:
        note_tool(mem, flight, q, raw, felt)
    note_flight(mem, flight, q, raw, felt)


@compiled
def _flies(method, mem, flight, t, chaser, raw):
    """A reading while the shapes are apart; `chaser`: its mock-up."""
    m, a = method.memory, (0.0, 0.0, 0.0)
    if not method.tare or t - mem[m + CELL.last_touch] <= FADED:
        return
    pushed = abs(mem[m + CELL.lead_rates]) + abs(mem[m + CELL.lead_rates + TARGET]) > STEADY
    pushed = pushed or mem[m + CELL.fading] != 0.0
    if pushed:
        a = tool_acceleration(mem, m, method.vector[CYCLE], t, chaser.v)
    _in_flight(method, mem, flight, chaser.q, raw, a, pushed)


@noinline
def take_sample(method, mem, row):
    """One paired reading: in free flight the tare's, else a sample of what touches."""
    m = method.memory
    t, raw = mem[row], load_wrench(mem, row + WRENCH)
    both = mock_ups_at(mem, m + CELL.paired, t)
    flight, q = m + CELL.flight, both.chaser.q
    count, deepest_one, whole = 0, 0.0, True
    if t + method.window >= mem[m + CELL.mock_clear_until]:
        count, deepest_one = _touches(method, mem, both)
        mem[m + CELL.touching] = 1.0 if count > 0 else 0.0
        whole = method.window == 0.0 or over_window(method, mem, t, count)
        if count == 0:
            free = free_for(-deepest_one, both.chaser, both.target, mem[m + CELL.reach], SWIFTEST)
            mem[m + CELL.mock_clear_until] = t + free
    if count == 0:
        if whole:
            _flies(method, mem, flight, t, both.chaser, raw)
        return
    mem[m + CELL.unexplained_now], mem[m + CELL.last_touch] = 0.0, t
    if not whole or (method.tare and mem[flight + FLIGHT.count] < ENOUGH):
        return  # what the sensor shows without a touch is not known
    wrench = tared(mem, flight, q, method.gravity, raw) if method.tare else raw
    if method.tare and mem[flight + FLIGHT.tool] != 0.0:
        a = tool_acceleration(mem, m, method.vector[CYCLE], t, both.chaser.v)
        wrench = Wrench(subtract(wrench.force, tool_push(mem, flight, a)), wrench.torque)
    if is_stuck(mem, m + CELL.paired, row, wrench.force, deepest_one):
        mem[m + CELL.paired + PAIRED.same] += 1.0
        return
    noise = noise_of(mem, flight)
    if not method.on_chaser:  # its torque was carried over the satellites' distance
        noise = (noise[0], NO_TORQUE * (noise[0] + norm(wrench.force)))
    mem[m + CELL.samples] += 1.0
    slope = slope_at(mem, m + CELL.paired)
    if count == 1:
        _one_touch(method, mem, wrench, slope, noise)
    else:
        keep_many(mem, m + CELL.many, m + CELL.touch_rows, count, wrench, slope, noise)


@compiled
def take_samples(method, mem):
    """All readings that can be paired by now."""
    late = 0.5 * method.window
    row = next_force(mem, method.memory + CELL.paired, late)
    while row >= 0:
        take_sample(method, mem, row)
        row = next_force(mem, method.memory + CELL.paired, late)
