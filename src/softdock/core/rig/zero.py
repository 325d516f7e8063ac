"""Whether a sensor can be believed where its values alone do not tell: frozen, or off its zero.

A frozen sensor sends the same six values while its count goes on. A sensor that has noise never
does; of one that had none at rest, the same values count as frozen only in contact, when a robot
has moved meanwhile: a contact's force does not stay the same to the last count over MOVED_M.

The zero is judged in free flight, where a sensor should feel nothing: the mean force of a window of
WINDOW_S before the first contact and of the last one. What is found is said, and stops nothing.
"""

from __future__ import annotations

import math

from softdock.core.bodies import BODIES
from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled
from softdock.core.rig import reasons
from softdock.core.rig.arrays import LIMIT, RV, SS, SV, S, fail, has_sensor
from softdock.core.rig.layout import APPROACH, ARMING, CONTACT, PLAN, TRANSFER
from softdock.core.spatial.vectors import add, dot, load3, norm, scale, store3, subtract
from softdock.core.wire.samples import SAMPLE_VALUES

P = PLAN.at
MOVED_M = 5e-5  # of a robot while its sensor says the same in contact
NOISY = 20  # readings at rest, none like the one before: a sensor with noise
FEWEST_CYCLES = 3.0  # with the same values, until a sensor is frozen
WINDOW_S = 0.25


@compiled
def _is_same(seen, sample):
    """Whether a sample is the last one, value by value; the last one becomes this."""
    same = True
    for i in range(SAMPLE_VALUES):
        same = same and sample[i] == seen[SV.last + i]
        seen[SV.last + i] = sample[i]
    return same


@compiled
def _way_since(program, seen):
    """How far either robot is from where it was at the first of the same readings [m]."""
    way = 0.0
    for i in range(BODIES):
        here = load3(program.robot_seen[i], RV.measured)
        way = max(way, norm(subtract(here, load3(seen, SV.same_p + 3 * i))))
    return way


@apart
def check_frozen(program, body, sample, stamp):
    """A new reading of a sensor: whether it is more than the last one again."""
    stand, seen, limits = program.sensor_stand[body], program.sensor_seen[body], program.limits
    state = program.stand[S.state]
    if not _is_same(seen, sample):
        stand[SS.same_ns] = stamp
        stand[SS.fresh] += 1 if state == ARMING else 0
        for i in range(BODIES):
            store3(seen, SV.same_p + 3 * i, load3(program.robot_seen[i], RV.measured))
        return
    stand[SS.repeated] += 1 if state == ARMING else 0
    if state < TRANSFER:
        return
    most = max(limits[LIMIT.stale], FEWEST_CYCLES * program.plan[P.cycle])
    lasts = NS * (stamp - stand[SS.same_ns])
    has_noise = stand[SS.fresh] >= NOISY and stand[SS.repeated] == 0
    pressed = norm(load3(seen, SV.force)) > limits[LIMIT.touch]
    is_moved = pressed and state in (APPROACH, CONTACT) and _way_since(program, seen) > MOVED_M
    if lasts > most and (has_noise or is_moved):
        fail(program, reasons.FORCE_FROZEN, body, 1e3 * lasts, 1e3 * most)


@compiled
def _end_window(program, stand, seen, now):
    """A whole window of free flight: its mean, and the spread about it."""
    n = float(stand[SS.window])
    mean = scale(1.0 / n, load3(seen, SV.window_sum))
    stand[SS.window] = 0
    spread = max(0.0, seen[SV.window_squares] / n - dot(mean, mean))
    seen[SV.spread] = math.sqrt(spread)
    store3(seen, SV.last_free, mean)
    stand[SS.last_ns] = now
    if stand[SS.first_ns] == 0:
        store3(seen, SV.first_free, mean)
        stand[SS.first_ns] = now


@apart
def note_free_force(program, now):
    """The forces of one cycle of a docking, for the zero of the sensors."""
    is_free = program.stand[S.state] == APPROACH
    most = int(WINDOW_S / program.plan[P.cycle] + 0.5)
    for body in range(BODIES):
        if not has_sensor(program, body):
            continue
        stand, seen = program.sensor_stand[body], program.sensor_seen[body]
        if not is_free:
            stand[SS.window] = 0
            continue
        force = load3(seen, SV.force)
        before = load3(seen, SV.window_sum) if stand[SS.window] > 0 else (0.0, 0.0, 0.0)
        squares = seen[SV.window_squares] if stand[SS.window] > 0 else 0.0
        store3(seen, SV.window_sum, add(before, force))
        seen[SV.window_squares] = squares + dot(force, force)
        stand[SS.window] += 1
        if stand[SS.window] >= most:
            _end_window(program, stand, seen, now)
