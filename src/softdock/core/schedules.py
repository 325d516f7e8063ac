"""Wrenches that follow a schedule: a hand that pushes a mock-up, a thruster on a satellite.

A schedule is rows (time, three forces, three torques) at the end of the parameter vector, linear
between rows, zero before the first and after the last. In world or in body axes, about the centre
of mass.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import Wrench, no_wrench
from softdock.core.spatial.rotations import rotate
from softdock.core.spatial.vectors import add, load3, scale
from softdock.core.tables import row_below

ROW = 7  # floats
WORLD, BODY_FRAME = 0, 1


class Schedule(NamedTuple):
    at: int  # first float in the vector
    rows: int
    frame: int


@compiled
def schedule_at(vector, base):
    """A schedule whose entry (first float, rows, frame) stands at `base`."""
    return Schedule(int(vector[base]), int(vector[base + 1]), int(vector[base + 2]))


@compiled
def scheduled(vector, schedule, t, q):
    """The schedule's wrench at time t [s] on a body of attitude q; world axes, about its centre of
    mass."""
    if schedule.rows == 0:
        return no_wrench()
    return _looked_up(vector, schedule, t, q)


@apart
def _looked_up(vector, schedule, t, q):
    if t < vector[schedule.at] or t > vector[schedule.at + ROW * (schedule.rows - 1)]:
        return no_wrench()
    a = row_below(vector, schedule.at, schedule.rows, ROW, t)
    b = a + ROW
    span = vector[b] - vector[a]
    s = (t - vector[a]) / span
    force = add(scale(1.0 - s, load3(vector, a + 1)), scale(s, load3(vector, b + 1)))
    torque = add(scale(1.0 - s, load3(vector, a + 4)), scale(s, load3(vector, b + 4)))
    if schedule.frame == BODY_FRAME:
        return Wrench(rotate(q, force), rotate(q, torque))
    return Wrench(force, torque)
