"""From a paired reading to samples of the laws: the normal force at each touch of the mock-ups, and
friction's.

The touches' normals and points are known from the shapes, so a wrench is worth more than its force:
of one touch the force at its point is the least-squares solution of six equations (three of force,
three of torque, each by its noise); of several, the normal forces are.
"""

from __future__ import annotations

from softdock.core.adaptation.faithful.cells import CELL
from softdock.core.adaptation.faithful.flight import (
    ENOUGH,
    FLIGHT,
    noise_of,
    note_flight,
    note_tool,
    tared,
    tool_error,
)
from softdock.core.adaptation.faithful.kept import FIT_FLOATS, keep_sample
from softdock.core.adaptation.faithful.law import LAW, LAW_FLOATS
from softdock.core.adaptation.faithful.readings import (
    PAIRED,
    WRENCH,
    acceleration_at,
    is_stuck,
    mock_ups_at,
    next_force,
    slope_at,
)
from softdock.core.adaptation.faithful.rub import keep_rub
from softdock.core.adaptation.faithful.touches import places_of
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart, compiled
from softdock.core.shapes.keys import MOST_PAIRS
from softdock.core.spatial.motion import Wrench, load_wrench
from softdock.core.spatial.vectors import (
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

NO_TORQUE = 1e3  # m; torques that are not to count
TINY = 1e-30  # N^2, in place of a noise of zero
FADED = 0.15  # s after a touch; before, a low-pass may still show it
STRANGE = 8.0  # standard deviations of noise: a force beyond is no noise
FRICTION_SPEED = 1e-7  # m/s; below, there is no direction of sliding


@compiled
def _at_point(place, wrench, noise):
    """The whole force at a touch, and the variance of a component of it at most."""
    r = place.on_chaser
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


@apart
def _one_touch(method, mem, i, place, wrench, slope, noise):
    """A sample of pair i, which alone touches."""
    m, n = method.memory, place.normal
    fit = m + CELL.fits + i * FIT_FLOATS
    force, matrix = _at_point(place, wrench, noise)
    pushed, variance = dot(n, force), _quadratic(matrix, n)
    change = _at_point(place, slope, noise)[0]
    rising = dot(n, change)
    keep_sample(mem, fit, place.depth, place.rate, pushed, variance, rising)
    speed = norm(place.sliding)
    if method.friction and speed > FRICTION_SPEED and pushed > 0.0:
        against = scale(-1.0 / speed, place.sliding)
        keep_rub(
            mem,
            m + CELL.rub,
            speed,
            pushed,
            dot(against, force),
            _quadratic(matrix, against),
            rising,
            dot(against, change),
        )


@compiled
def _direction(mem, law, place):
    """Force of a touch per unit of its normal force, with the friction that is believed."""
    speed, slip = norm(place.sliding), mem[law + LAW.slip]
    if mem[law + LAW.friction] == 0.0 or speed == 0.0:
        return place.normal
    share = mem[law + LAW.friction] / (speed * speed + slip * slip) ** 0.5
    return add_scaled(place.normal, -share, place.sliding)


ROW_CELLS = Cells(
    "touch_row",
    Cell("pair", 1, "-", "which pair"),
    Cell("depth", 1, "m"),
    Cell("rate", 1, "m/s"),
    Cell("force", 3, "-", "per unit of normal force"),
    Cell("torque", 3, "m", "of that, about the chaser's centre of mass"),
    Cell("spare", 1, "-"),
)
ROW, ROW_FLOATS = ROW_CELLS.at, ROW_CELLS.size
WIDTH = 2 * MOST_PAIRS + 1
SINGULAR = 1e-4  # of a touch's own weight: what is left of it beside the others; below, not told


@compiled
def _note_touch(method, mem, count, i, place):
    m = method.memory
    row = m + CELL.touch_rows + count * ROW_FLOATS
    d = _direction(mem, m + CELL.found + i * LAW_FLOATS, place)
    mem[row + ROW.pair], mem[row + ROW.depth], mem[row + ROW.rate] = (
        float(i),
        place.depth,
        place.rate,
    )
    store3(mem, row + ROW.force, d)
    store3(mem, row + ROW.torque, cross(place.on_chaser, d))


@apart
def _many_touches(method, mem, count, wrench, noise):
    """A sample of every touch: normal equations by elimination."""
    rows, matrix = method.memory + CELL.touch_rows, method.memory + CELL.touch_matrix
    a, b = 1.0 / (noise[0] * noise[0] + TINY), 1.0 / (noise[1] * noise[1] + TINY)
    for i in range(count):
        f, t = (
            load3(mem, rows + i * ROW_FLOATS + ROW.force),
            load3(mem, rows + i * ROW_FLOATS + ROW.torque),
        )
        for j in range(count):
            other = rows + j * ROW_FLOATS
            mem[matrix + i * WIDTH + j] = a * dot(f, load3(mem, other + ROW.force)) + b * dot(
                t, load3(mem, other + ROW.torque)
            )
        mem[matrix + i * WIDTH + count] = a * dot(f, wrench.force) + b * dot(t, wrench.torque)
    for i in range(count):
        own = a * dot(
            load3(mem, rows + i * ROW_FLOATS + ROW.force),
            load3(mem, rows + i * ROW_FLOATS + ROW.force),
        )
        pivot = mem[matrix + i * WIDTH + i]
        if pivot < SINGULAR * own:
            return
        mem[rows + i * ROW_FLOATS + ROW.spare] = 1.0 / pivot
        for j in range(count):
            if j != i:
                factor = mem[matrix + j * WIDTH + i] / pivot
                for c in range(i, count + 1):
                    mem[matrix + j * WIDTH + c] -= factor * mem[matrix + i * WIDTH + c]
    for i in range(count):
        row = rows + i * ROW_FLOATS
        force = mem[matrix + i * WIDTH + count] / mem[matrix + i * WIDTH + i]
        fit = method.memory + CELL.fits + int(mem[row + ROW.pair]) * FIT_FLOATS
        keep_sample(
            mem, fit, mem[row + ROW.depth], mem[row + ROW.rate], force, mem[row + ROW.spare], 0.0
        )


@compiled
def _in_flight(method, mem, flight, q, raw, a):
    """A reading while the shapes are apart: of the tare, or of a force that they do not explain."""
    m, wrench = method.memory, tared(mem, flight, q, raw)
    noise = noise_of(mem, flight)
    if mem[flight + FLIGHT.count] >= ENOUGH:
        note_tool(mem, flight, a, wrench.force)
        lag = scale(tool_error(mem, flight), a)
        wrench = Wrench(subtract(wrench.force, lag), wrench.torque)
        raw = Wrench(subtract(raw.force, lag), raw.torque)
    sure = mem[flight + FLIGHT.count] >= ENOUGH
    if sure and norm(wrench.force) > max(STRANGE * noise[0], mem[m + CELL.matters]):
        mem[m + CELL.unexplained] += 1.0
        mem[m + CELL.unexplained_now] += 1.0
        return
    mem[m + CELL.unexplained_now] = 0.0
    note_flight(mem, flight, q, raw)


@apart
def take_sample(method, mem, row):
    """One paired reading: in free flight the tare's, else a sample of what touches."""
    m = method.memory
    t, raw = mem[row], load_wrench(mem, row + WRENCH)
    both = mock_ups_at(mem, m + CELL.paired, t)
    count, which, deepest_one = 0, 0, 0.0
    for i in range(method.number):
        places = places_of(mem, m + CELL.pairs, m + CELL.mock_latches, i, both.chaser, both.target)
        deepest_one = max(deepest_one, max(places.first.depth, places.second.depth))
        if places.first.depth > 0.0:
            _note_touch(method, mem, count, i, places.first)
            count, which = count + 1, i
        if places.second.depth > 0.0:
            _note_touch(method, mem, count, i, places.second)
            count, which = count + 1, i
    mem[m + CELL.touching] = 1.0 if count > 0 else 0.0
    flight, q = m + CELL.flight, both.chaser.q
    if count == 0:
        if method.tare and t - mem[m + CELL.last_touch] > FADED:
            _in_flight(method, mem, flight, q, raw, acceleration_at(mem, m + CELL.paired, t))
        return
    mem[m + CELL.unexplained_now], mem[m + CELL.last_touch] = 0.0, t
    if method.tare and mem[flight + FLIGHT.count] < ENOUGH:
        return  # what the sensor shows without a touch is not known
    wrench = tared(mem, flight, q, raw) if method.tare else raw
    error = tool_error(mem, flight) if method.tare else 0.0
    if error != 0.0:
        a = acceleration_at(mem, m + CELL.paired, t)
        wrench = Wrench(add_scaled(wrench.force, -error, a), wrench.torque)
    if is_stuck(mem, m + CELL.paired, row, wrench.force, deepest_one):
        mem[m + CELL.paired + PAIRED.same] += 1.0
        return
    noise = noise_of(mem, flight)
    if not method.on_chaser:  # its torque was carried over the satellites' distance
        noise = (noise[0], NO_TORQUE * (noise[0] + norm(wrench.force)))
    mem[m + CELL.samples] += 1.0
    if count == 1:
        places = places_of(
            mem, m + CELL.pairs, m + CELL.mock_latches, which, both.chaser, both.target
        )
        _one_touch(
            method,
            mem,
            which,
            places.first if places.first.depth > 0.0 else places.second,
            wrench,
            slope_at(mem, m + CELL.paired),
            noise,
        )
    else:
        _many_touches(method, mem, count, wrench, noise)


@apart
def take_samples(method, mem):
    """All readings that can be paired by now."""
    row = next_force(mem, method.memory + CELL.paired)
    while row >= 0:
        take_sample(method, mem, row)
        row = next_force(mem, method.memory + CELL.paired)
