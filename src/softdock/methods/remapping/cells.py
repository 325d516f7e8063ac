"""What the re-mapping records and remembers: its channels, and where they and the rest stand in its
slice of `mem`."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.loop.method.corrected import CORRECTED_CELLS
from softdock.loop.method.memory import recorded
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.spatial.rigid_body import BODY_FLOATS
from softdock.methods.remapping.filter import FILTER_CELLS
from softdock.methods.remapping.stiffness import FIT_CELLS
from softdock.methods.remapping.wanted_contact import MODEL_CELLS

RECORDED = (
    recorded(
        "contact",
        "-",
        "1: a real contact is seen; 2: the satellites are in contact; 3: both; 0: neither",
    ),
    recorded(
        "overlap",
        "m",
        "of the satellites with the environment at the end of the cycle; negative: the gap; "
        "0 where none is known",
    ),
    recorded(
        "environment",
        "m",
        "place of the environment beyond the measured contact point, along the normal",
    ),
    recorded(
        "normal",
        "-",
        "direction of the measured force on the chaser, kept in target axes",
        frame="world",
        parts="xyz",
    ),
    recorded("point", "m", "contact point", frame="target axes", parts="xyz"),
    recorded(
        "line_error",
        "m",
        "distance of the wrench's line of action from the tip of the pair nearest to it, as "
        "the measured poses have it",
    ),
    recorded("stiffness", "N/m", "of the mock-ups' contact along the normal, as used"),
    recorded("rewound", "-", "cycles that were recomputed in this one"),
    recorded(
        "designed",
        "J",
        "real minus wanted contact work so far, the real one as measured, of forces above "
        "the threshold; the ledger's has the true one",
    ),
    recorded(
        "jumped",
        "J",
        "energy that appeared in the wanted contact because the environment was seen "
        "elsewhere than before; so far",
    ),
    recorded("deviation", "m", "largest distance of an executable set-point from the computed one"),
)
# of executable set-points, per robot: motion, accelerations and room to plan
FOLLOWER_FLOATS = MOTION_FLOATS + 36

CELLS = Cells(
    "remapping",
    *RECORDED,
    Cell("seen", 1, "-", "1: a real contact"),
    Cell("known", 1, "-", "1: an environment"),
    Cell("acts", 1, "-", "1: satellites that went their own way in this cycle"),
    Cell("rewound_energy", 1, "J", "gain of kinetic energy by a recomputed past"),
    Cell("free_since", 1, "-", "cycle since which no force of ours acted"),
    Cell("acted", 1, "cycles", "in which it did"),
    Cell("model", MODEL_CELLS.size, "", "the contact as the satellites feel it: wanted_contact.py"),
    Cell("felt", 2 * MOTION_FLOATS, "m, -, m/s, rad/s", "mock-ups of the last cycle"),
    Cell("read", 12, "N, Nm", "wrenches on them"),
    Cell("mean", 12, "N, Nm", "mean wrenches of this cycle"),
    Cell("after", 2 * BODY_FLOATS, "m, -, m/s, Nms", "satellites at its end"),
    Cell("contacts", 1, "-", "contacts so far"),
    Cell("rewinds", 1, "-", "pasts that were recomputed"),
    Cell("deepest", 1, "cycles", "longest of them"),
    Cell("too_short", 1, "-", "contacts that had begun before the history"),
    Cell("other_points", 1, "-", "contacts that moved to another place"),
    Cell("soft", 1, "cycles", "without a stiffness along the normal"),
    Cell("largest_below", 1, "N", "largest force that was no contact"),
    Cell("largest_line_error", 1, "m", "of `line_error`"),
    Cell("shortest", 1, "cycles", "shortest contact"),
    Cell("largest_jump", 1, "J", "of `jumped`, in one cycle"),
    Cell("largest_deviation", 1, "m", "of `deviation`"),
    Cell("estimate", FIT_CELLS.size, "", "stiffness from force and motion: stiffness.py"),
    Cell("followers", 2 * FOLLOWER_FLOATS, "", "of executable set-points, both robots"),
    Cell("filter", FILTER_CELLS.size, "", "of environment = filter: filter.py"),
    Cell("first", 3, "-", "of the contact under way: normal when it began, target axes"),
    Cell("first_pair", 1, "-", "and its pair"),
    Cell("has_left", 1, "-", "1: it has left them"),
    Cell("taken", 1, "J", "by the wanted contact since"),
    Cell("jumped_before", 1, "J", "what had jumped before"),
    Cell("began", 1, "-", "stamp of its first force"),
    Cell("taken_now", 1, "J", "by the wanted contact in this cycle"),
    Cell("missed", 1, "cycles", "in which the line missed the surface"),
    Cell("corrected", CORRECTED_CELLS.size, "", "the contact's force: corrected.py"),
    Cell("first_force", 1, "N", "of the contact's first reading"),
)
CELL, RING_AT = CELLS.at, CELLS.size  # the history stands behind
PAST_CELLS = Cells(
    "past",
    Cell("satellites", 2 * BODY_FLOATS, "m, -, m/s, Nms", "at a stamp"),
    Cell("others", 12, "N, Nm", "what others gave them in the cycle that begins there"),
    Cell("force", 3, "N", "the contact's mean force on the chaser in it"),
)
PAST, PAST_FLOATS = PAST_CELLS.at, PAST_CELLS.size


class Remapping(NamedTuple):
    """What every cycle needs; the rest is read from the vector when there is a contact."""

    memory: int
    vector: Any
    base: int  # of its parameters in the vector
    rows: int  # of the history; 0: no rewind
    threshold: float  # N
    substeps: int
    lead: float  # s
    loss: float  # wanted restitution: damping ratio, or lambda times approach speed


MARKER = Remapping(
    memory=0, vector=0, base=0, rows=0, threshold=0.0, substeps=0, lead=0.0, loss=0.0
)
