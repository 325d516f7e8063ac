"""A virtual damper along the line of the measured force, moved by the simulated satellites: for
methods that decide its coefficient as they go.

The sum of measured and virtual force never pulls. Its memory is 38 floats: its wrenches, and the
satellites' motions, of the last cycle.
"""

from __future__ import annotations

from softdock.core.adaptation.interface import BOOK_VIRTUAL, Wrenches
from softdock.core.adaptation.measured.line_of_action import mean_of, plus_wrenches, work_between
from softdock.core.adaptation.measured.motions import (
    load_both,
    load_wrenches,
    store_both,
    store_wrenches,
)
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import MOTION_FLOATS, no_wrench
from softdock.core.spatial.vectors import dot

DAMPER_CELLS = Cells(
    "normal_damper",
    Cell("wrenches", 12, "N, Nm", "of the damper on both satellites in the last cycle"),
    Cell("motions", 2 * MOTION_FLOATS, "m, -, m/s, rad/s", "of the satellites in the last cycle"),
)
DAMPER = DAMPER_CELLS.at


@compiled
def last_motions(mem, at):
    return load_both(mem, at + DAMPER.motions)


@compiled
def damper_wrenches(measured, wrenches, force, push):
    """A force `push` [N] along the measured one, kept from pulling."""
    along = dot(measured.wrenches.chaser.force, wrenches.chaser.force) / force
    return plus_wrenches(
        Wrenches(no_wrench(), no_wrench()), max(push, -along) / force, measured.wrenches
    )


@compiled
def book_damper(mem, at, virtual, motions):
    """Energy absorbed since the last cycle [J], trapezoid over the satellites' displacement; keeps
    wrenches and motions for the next."""
    before = load_wrenches(mem, at + DAMPER.wrenches)
    absorbed = -work_between(mean_of(before, virtual), load_both(mem, at + DAMPER.motions), motions)
    mem[BOOK_VIRTUAL] += absorbed
    store_wrenches(mem, at + DAMPER.wrenches, virtual)
    store_both(mem, at + DAMPER.motions, motions)
    return absorbed
