"""The parts of `mem` whose size does not depend on the scenario: its head, and what few rigs
report.

`mem` is, one after the other: `HEAD`, the contact pairs (loop/contact/pairs.py), both robots' set-points
(loop/robots/history.py), what robots keep (loop/robots/memory.py), `REPORTS`, force samples, poses, commands
(of a rig that carries a tool), and the methods' slices. vector.memory_map finds where each begins.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.loop.spatial.motion import MOTION, MOTION_FLOATS, WRENCH_FLOATS

TWIST_FLOATS = MOTION_FLOATS - MOTION.at.v  # velocity and rate

HEAD = Cells(
    "head",
    Cell("virtual", 1, "J", "virtual work that methods book in a cycle (BOOK_VIRTUAL)"),
    Cell("designed", 1, "J", "designed work that methods book in a cycle (BOOK_DESIGNED)"),
    Cell("stop_request", 1, "-", "not 0: a method asks to stop (STOP_REQUEST)"),
    Cell("peak_force", 1, "N^2", "largest true force of a closed contact so far, squared"),
    Cell("peak_torque", 1, "(Nm)^2", "largest true torque so far, squared"),
    Cell("peak_satellite", 1, "N^2", "largest force of a closed contact on the chaser, squared"),
)
REPORTS = Cells(
    "reports",
    Cell("filters", 2 * WRENCH_FLOATS, "N, Nm", "states of both sensors' low-pass"),
    Cell("second", WRENCH_FLOATS, "N, Nm", "the target's reading, beside the chaser's"),
    Cell("seen", 2 * MOTION_FLOATS, "", "measured poses of both mock-ups: a `motion` each"),
    Cell("twists", 2 * TWIST_FLOATS, "m/s, rad/s", "the twists last reported of both mock-ups"),
    Cell("gains", 2 * TWIST_FLOATS, "m/s^2, rad/s^2", "what both gained from report to report"),
    Cell("twists_time", 1, "s", "of these twists"),
)
