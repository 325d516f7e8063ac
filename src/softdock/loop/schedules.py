"""Wrenches that follow a schedule: a hand that pushes a mock-up, a thruster on a satellite.

A schedule is rows (time, three forces, three torques) at the end of the parameter vector, linear
between rows, zero before the first and after the last. In world or in body axes, about the centre
of mass.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import add, scale
from softdock.loop.tables import row_below

ROW_CELLS = Cells(
    "schedule_row", Cell("time", float, "s"), Cell("force", 3, "N"), Cell("torque", 3, "Nm")
)
ENTRY = Cells(  # a schedule in the parameter vector
    "schedule",
    Cell("at", int, "-", "first float of its rows in the vector"),
    Cell("rows", int, "-", "how many rows there are"),
    Cell("frame", int, "-", "axes of the wrench: 0 world, 1 body"),
)
ROW = ROW_CELLS.size
WORLD, BODY_FRAME = 0, 1


class Schedule(NamedTuple):
    at: int  # first float in the vector
    rows: int
    frame: int


@compiled
def schedule_at(vector, base):
    """A schedule whose entry (first float, rows, frame) stands at `base`."""
    entry = ENTRY(vector, base)
    return Schedule(entry.at, entry.rows, entry.frame)


@compiled
def scheduled(vector, schedule: Schedule, t, q):
    """The schedule's wrench at time t [s] on a body of attitude q; world axes, about its centre of
    mass."""
    if schedule.rows == 0:
        return no_wrench()
    return _interpolate(vector, schedule, t, q)


@noinline
def _interpolate(vector, schedule: Schedule, t, q):
    last = ROW_CELLS(vector, schedule.at + ROW * (schedule.rows - 1))
    if t < ROW_CELLS(vector, schedule.at).time or t > last.time:
        return no_wrench()
    at = row_below(vector, schedule.at, schedule.rows, ROW, t)
    a, b = ROW_CELLS(vector, at), ROW_CELLS(vector, at + ROW)
    span = b.time - a.time
    s = (t - a.time) / span
    force = add(scale(1.0 - s, a.force), scale(s, b.force))
    torque = add(scale(1.0 - s, a.torque), scale(s, b.torque))
    if schedule.frame == BODY_FRAME:
        return Wrench(rotate(q, force), rotate(q, torque))
    return Wrench(force, torque)
