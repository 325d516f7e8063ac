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
from softdock.loop.spatial.vectors import add, load3, scale
from softdock.loop.tables import row_below

ROW_CELLS = Cells(
    "schedule_row", Cell("time", 1, "s"), Cell("force", 3, "N"), Cell("torque", 3, "Nm")
)
ENTRY = Cells(  # a schedule in the parameter vector
    "schedule",
    Cell("at", 1, "-", "first float of its rows in the vector"),
    Cell("rows", 1, "-", "how many rows there are"),
    Cell("frame", 1, "-", "axes of the wrench: 0 world, 1 body"),
)
ROW, IN_ROW, ENTRY_AT = ROW_CELLS.size, ROW_CELLS.at, ENTRY.at
WORLD, BODY_FRAME = 0, 1


class Schedule(NamedTuple):
    at: int  # first float in the vector
    rows: int
    frame: int


@compiled
def schedule_at(vector, base):
    """A schedule whose entry (first float, rows, frame) stands at `base`."""
    return Schedule(
        int(vector[base + ENTRY_AT.at]),
        int(vector[base + ENTRY_AT.rows]),
        int(vector[base + ENTRY_AT.frame]),
    )


@compiled
def scheduled(vector, schedule, t, q):
    """The schedule's wrench at time t [s] on a body of attitude q; world axes, about its centre of
    mass."""
    if schedule.rows == 0:
        return no_wrench()
    return _looked_up(vector, schedule, t, q)


@noinline
def _looked_up(vector, schedule, t, q):
    if t < vector[schedule.at] or t > vector[schedule.at + ROW * (schedule.rows - 1)]:
        return no_wrench()
    a = row_below(vector, schedule.at, schedule.rows, ROW, t)
    b = a + ROW
    span = vector[b] - vector[a]
    s = (t - vector[a]) / span
    force = add(
        scale(1.0 - s, load3(vector, a + IN_ROW.force)), scale(s, load3(vector, b + IN_ROW.force))
    )
    torque = add(
        scale(1.0 - s, load3(vector, a + IN_ROW.torque)),
        scale(s, load3(vector, b + IN_ROW.torque)),
    )
    if schedule.frame == BODY_FRAME:
        return Wrench(rotate(q, force), rotate(q, torque))
    return Wrench(force, torque)
