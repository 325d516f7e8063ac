"""The parts of `mem` whose size does not depend on the scenario: its head, and what few rigs
report.

`mem` is, one after the other: `HEAD`, the contact pairs (loop/contact/pairs.py), both robots'
set-points (loop/robots/history.py), the robots' state (loop/robots/memory.py), `REPORTS`, force
samples, poses, commands (of a rig that carries a tool), and the methods' slices. vector.memory_map
finds where each begins.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import Pose, Wrench
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.vectors import Vector


class Twist(NamedTuple):
    """Velocities of a mock-up, or accelerations."""

    v: Annotated[Vector, "m/s", "world axes"]
    w: Annotated[Vector, "rad/s", "body axes"]


HEAD = Cells(
    "head",
    Cell("virtual", float, "J", "virtual work that methods book in a cycle (BOOK_VIRTUAL)"),
    Cell("designed", float, "J", "designed work that methods book in a cycle (BOOK_DESIGNED)"),
    Cell("stop_request", float, "-", "not 0: a method asks to stop (STOP_REQUEST)"),
    Cell("peak_force", float, "N^2", "largest true force of a closed contact so far, squared"),
    Cell("peak_torque", float, "(Nm)^2", "largest true torque so far, squared"),
    Cell(
        "peak_satellite", float, "N^2", "largest force of a closed contact on the chaser, squared"
    ),
    Cell("is_relative", bool, "-", "the robots carry the motion relative to the nominal one"),
    Cell("nominal", Body, "", "the nominal motion (nominal.py), where there is one"),
    Cell("rest", Pose, "m, -", "where it rests in the laboratory"),
)
REPORTS = Cells(
    "reports",
    Cell("filters", many(2, Wrench), "N, Nm", "states of both sensors' low-pass"),
    Cell("second", Wrench, "N, Nm", "the target's reading, beside the chaser's"),
    Cell("seen", Output, "", "measured poses of both mock-ups"),
    Cell("twists", many(2, Twist), "m/s, rad/s", "the twists last reported of both mock-ups"),
    Cell("gains", many(2, Twist), "m/s^2, rad/s^2", "what both gained from report to report"),
    Cell("twists_time", float, "s", "of these twists"),
)
