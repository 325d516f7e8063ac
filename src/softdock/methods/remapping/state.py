"""What the re-mapping records and remembers: its channels, and where they and the rest stand in its
slice of `mem`."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.method.corrected import CORRECTED_CELLS
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion import Motion
from softdock.methods.remapping.filter import FILTER
from softdock.methods.remapping.keys import Remapping
from softdock.methods.remapping.stiffness import FIT
from softdock.methods.remapping.wanted_contact import Model

RECORDED = (
    recorded(
        "contact",
        "-",
        "1: a real contact is seen; 2: the satellites are in contact; 3: both; 0: neither",
        kind=int,
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
    recorded("rewound", "-", "cycles that were recomputed in this one", kind=int),
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
FOLLOWER = Cells(  # of executable set-points, per robot
    "follower",
    Cell("sent", Motion, "m, -, m/s, rad/s", "last set-point"),
    Cell("room", many(36), "", "accelerations, and room to plan: loop/robots/limited.py"),
)

STATE = Cells(
    "remapping",
    *RECORDED,
    Cell("seen", bool, "-", "a real contact"),
    Cell("known", bool, "-", "an environment"),
    Cell("acts", bool, "-", "satellites that went their own way in this cycle"),
    Cell("rewound_energy", float, "J", "gain of kinetic energy by a recomputed past"),
    Cell("free_since", int, "-", "cycle since which no force of ours acted"),
    Cell("acted", int, "cycles", "in which it did"),
    Cell("model", Model, "", "the contact as the satellites feel it: wanted_contact.py"),
    Cell("felt", Output, "m, -, m/s, rad/s", "mock-ups of the last cycle"),
    Cell("read", Wrenches, "N, Nm", "wrenches on them"),
    Cell("mean", Wrenches, "N, Nm", "mean wrenches of this cycle"),
    Cell("after", Satellites, "m, -, m/s, Nms", "satellites at its end"),
    Cell("contacts", int, "-", "contacts so far"),
    Cell("rewinds", int, "-", "pasts that were recomputed"),
    Cell("deepest", int, "cycles", "longest of them"),
    Cell("too_short", int, "-", "contacts that had begun before the history"),
    Cell("other_points", int, "-", "contacts that moved to another place"),
    Cell("soft", int, "cycles", "without a stiffness along the normal"),
    Cell("largest_below", float, "N", "largest force that was no contact"),
    Cell("largest_line_error", float, "m", "of `line_error`"),
    Cell("shortest", int, "cycles", "shortest contact"),
    Cell("largest_jump", float, "J", "of `jumped`, in one cycle"),
    Cell("largest_deviation", float, "m", "of `deviation`"),
    Cell("estimate", FIT, "", "stiffness from force and motion: stiffness.py"),
    Cell("followers", many(2, FOLLOWER), "", "of executable set-points, both robots"),
    Cell("filter", FILTER, "", "of environment = filter: filter.py"),
    Cell("first", 3, "-", "of the contact under way: normal when it began, target axes"),
    Cell("first_pair", int, "-", "and its pair"),
    Cell("has_left", bool, "-", "it has left them"),
    Cell("taken", float, "J", "by the wanted contact since"),
    Cell("jumped_before", float, "J", "what had jumped before"),
    Cell("began", int, "-", "stamp of its first force"),
    Cell("taken_now", float, "J", "by the wanted contact in this cycle"),
    Cell("missed", int, "cycles", "in which the line missed the surface"),
    Cell("corrected", CORRECTED_CELLS, "", "the contact's force: corrected.py"),
    Cell("first_force", float, "N", "of the contact's first reading"),
)
PAST = Cells(  # a row of the history, which stands behind
    "past",
    Cell("satellites", Satellites, "m, -, m/s, Nms", "at a stamp"),
    Cell("others", Wrenches, "N, Nm", "what others gave them in the cycle that begins there"),
    Cell("force", 3, "N", "the contact's mean force on the chaser in it"),
)


@compiled
def find_past(method: Remapping, mem, stamp):
    """The row of a stamp."""
    return PAST(mem, row_of(Ring(method.memory + STATE.size, method.rows, PAST.size), stamp))
