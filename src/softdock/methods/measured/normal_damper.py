"""A virtual damper along the line of the measured force, moved by the simulated satellites: for
methods that decide its coefficient as they go.

The sum of measured and virtual force never pulls. Its memory is 38 floats: its wrenches, and the
satellites' motions, of the last cycle.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import BOOK_VIRTUAL, Measured, Output, Wrenches
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.vectors import dot
from softdock.methods.measured.line_of_action import average, plus_wrenches, work_between

DAMPER = Cells(
    "normal_damper",
    Cell("wrenches", Wrenches, "N, Nm", "of the damper on both satellites in the last cycle"),
    Cell("motions", Output, "m, -, m/s, rad/s", "of the satellites in the last cycle"),
)


@compiled
def compute_damper_wrenches(measured: Measured, wrenches: Wrenches, force, push):
    """A force `push` [N] along the measured one, kept from pulling."""
    along = dot(measured.wrenches.chaser.force, wrenches.chaser.force) / force
    return plus_wrenches(
        Wrenches(no_wrench(), no_wrench()), max(push, -along) / force, measured.wrenches
    )


@compiled
def count_damper(mem, damper, virtual: Wrenches, motions: Output):
    """Energy absorbed since the last cycle [J], trapezoid over the satellites' displacement; keeps
    wrenches and motions for the next. `damper`: its view."""
    absorbed = -work_between(average(damper.wrenches, virtual), damper.motions, motions)
    mem[BOOK_VIRTUAL] += absorbed
    damper.wrenches, damper.motions = virtual, motions
    return absorbed
