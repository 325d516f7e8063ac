"""What the method records and remembers."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.loop.contact.pair import PAIR_FLOATS
from softdock.loop.method.corrected import CORRECTED_CELLS
from softdock.loop.method.memory import recorded
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.spatial.rigid_body import BODY_FLOATS
from softdock.methods.faithful.free_flight import FLIGHT_CELLS
from softdock.methods.faithful.friction import RUB_CELLS
from softdock.methods.faithful.joint_cells import JOINT_CELLS
from softdock.methods.faithful.joint_samples import MANY_CELLS, TOUCH_CELLS, TOUCHES
from softdock.methods.faithful.law import BELIEVED_CELLS
from softdock.methods.faithful.law_samples import FIT_CELLS
from softdock.methods.faithful.readings import RING_CELLS

BOTH = 2 * BODY_FLOATS
SENT_ROWS = 64  # set-points kept, a power of two
OFFSET_CELLS = Cells(
    "offset",
    Cell("place", 3, "m", "of a set-point, world axes"),
    Cell("turn", 3, "rad", "of its attitude, body axes"),
)
OFFSET, OFFSET_FLOATS = OFFSET_CELLS.at, OFFSET_CELLS.size
FUTURE_CELLS = Cells(
    "future",
    Cell("stamp", 1, "-", "cycle at whose start it is ahead by its lead"),
    Cell("lead", 1, "s", "by which it is ahead"),
    Cell("age", 1, "cycles", "in which others pushed, since it was computed whole"),
    Cell("left", 1, "cycles", "of the lead, while a past's is computed"),
    Cell("latches", MOST_PAIRS, "-", "of the satellites there"),
    Cell("satellites", BOTH, "m, -, m/s, Nms", "there, under the contact that is believed"),
)
FUTURE, FUTURE_FLOATS = FUTURE_CELLS.at, FUTURE_CELLS.size
CELLS = Cells(
    "faithful",
    recorded("phase", "-", "0 apart, 1 by the ledger, 2 in contact, 3 its past recomputed"),
    recorded("depth", "m", "deepest of the satellites when last looked at; negative: the gap"),
    recorded("stiffness", "N/m^power", "of the pair last fitted, as believed"),
    recorded("power", "-", "of its deflection"),
    recorded("damping", "Ns/m", "beside its spring"),
    recorded("factor", "s/m", "its lambda"),
    recorded("friction", "-", "coefficient, as believed"),
    recorded("delay", "s", "of the chaser's robot, as believed"),
    recorded("rewound", "-", "cycles that were recomputed, where this cycle took them over"),
    recorded("force", "N", "on the chaser over the cycle", frame="world", parts="xyz"),
    Cell("ready", 1, "-", "1: the pairs are prepared"),
    Cell("pairs", MOST_PAIRS * PAIR_FLOATS, "", "the mock-ups' shapes"),
    Cell("latches", MOST_PAIRS, "-", "of the satellites"),
    Cell("mock_latches", MOST_PAIRS, "-", "of the mock-ups"),
    Cell("shadow_latches", MOST_PAIRS, "-", "of the recomputed past"),
    Cell("start_latches", MOST_PAIRS, "-", "of the satellites before they touched"),
    Cell("fits", MOST_PAIRS * FIT_CELLS.size, "", "samples of each pair: law_samples.py"),
    Cell("found", MOST_PAIRS * BELIEVED_CELLS.size, "", "law of each pair as last fitted"),
    Cell("laws", MOST_PAIRS * BELIEVED_CELLS.size, "", "law that the satellites feel"),
    Cell("shadow_laws", MOST_PAIRS * BELIEVED_CELLS.size, "", "law of the recomputed past"),
    Cell("rub", RUB_CELLS.size, "", "samples of friction: friction.py"),
    Cell("flight", FLIGHT_CELLS.size, "", "what free flight told: free_flight.py"),
    Cell("paired", RING_CELLS.size, "", "readings: readings.py"),
    Cell("start", BOTH, "m, -, m/s, Nms", "satellites before they touched"),
    Cell("start_stamp", 1, "-", "and when"),
    Cell("shadow", BOTH, "m, -, m/s, Nms", "satellites of the recomputed past"),
    Cell("shadow_stamp", 1, "-", "and how far it has come; -1: none is under way"),
    Cell("shadow_futures", 2 * FUTURE_CELLS.size, "", "and after each lead: recomputed_future.py"),
    Cell("final", 1, "-", "1: it is the last of its contact"),
    Cell("frozen", 1, "-", "1: the contact is longer than what is kept of the past"),
    Cell("after", BOTH, "m, -, m/s, Nms", "satellites at the end of the cycle"),
    Cell("acts", 1, "-", "1: they went their own way"),
    Cell("mean", 12, "N, Nm", "mean wrenches of the contact on both satellites"),
    Cell("taken", 1, "J", "by the contact in this cycle"),
    Cell("rewound_energy", 1, "J", "gain of kinetic energy by a past taken over"),
    Cell("last_touch", 1, "s", "when the mock-ups last touched"),
    Cell("touching", 1, "-", "1: the mock-ups, at the newest sample"),
    Cell("quick", 1, "-", "1: nothing can touch in this cycle"),
    Cell("clear_until", 1, "s", "before, the satellites cannot touch"),
    Cell("mock_clear_until", 1, "s", "before, the mock-ups cannot"),
    Cell("reach", 1, "m", "largest distance of a tip from the chaser's centre of mass"),
    Cell("fading", 1, "-", "1: set-points are offset"),
    Cell("clear", 1, "-", "cycles since satellites and mock-ups touched"),
    Cell("corrected", CORRECTED_CELLS.size, "", "the contact's force: corrected.py"),
    Cell("shadow_impulse", 3, "Ns", "of the contact on the chaser in the recomputed past"),
    Cell("shadow_largest", 1, "N^2", "its largest force there, squared"),
    Cell("leads", 2, "s", "by which both set-points are ahead"),
    Cell("lead_rates", 2, "-", "how fast that changes"),
    Cell("sent", 26, "m, -, m/s, rad/s", "set-points last sent"),
    Cell("futures", 2 * FUTURE_CELLS.size, "", "satellites after each robot's lead: lead.py"),
    Cell("ways", 6 * SENT_ROWS, "m, m/s", "of the chaser's set-points: commanded_acceleration.py"),
    Cell("newest_sent", 1, "-", "stamp of the newest of them"),
    Cell("any_sent", 1, "-", "1: there are any"),
    Cell("offset", 2 * OFFSET_CELLS.size, "m, rad", "of both set-points, from a jump that fades"),
    Cell("offset_rate", 2 * OFFSET_CELLS.size, "m/s, rad/s", "and their rates"),
    Cell("shared", 1, "-", "1: the robots carry shares of the relative motion"),
    Cell("output", 26, "m, -, m/s, rad/s", "set-points before they were laid out"),
    Cell("cut", 1, "J", "taken by the bound so far"),
    Cell("contacts", 1, "-", "contacts of the satellites so far"),
    Cell("rewinds", 1, "-", "pasts that were taken over"),
    Cell("longest", 1, "cycles", "longest of them"),
    Cell("samples", 1, "-", "samples of the contact under way"),
    Cell("blind", 1, "-", "contacts left to the ledger: free flight was too short"),
    Cell("strange", 1, "-", "contacts left to the ledger: a force while the shapes were apart"),
    Cell("unfelt", MOST_PAIRS, "-", "1: the satellites touched the pair before a reading told"),
    Cell("unexplained_now", 1, "-", "such samples in a row"),
    Cell("matters", 1, "N", "a force that changes the approach by 1 % in ten cycles"),
    Cell("overlong", 1, "-", "contacts longer than what is kept of the past"),
    Cell("given", 1, "J", "by others, since the contact began"),
    Cell("booked", 1, "J", "by the ledger, in the cycle before"),
    Cell("felt_cycle", 1, "-", "cycle of `felt` and `read`"),
    Cell("felt", 2 * MOTION_FLOATS, "m, -, m/s, rad/s", "mock-ups of the cycle before"),
    Cell("read", 12, "N, Nm", "wrenches on them"),
    Cell("touch_rows", TOUCHES * TOUCH_CELLS.size, "", "touches of a sample: samples.py"),
    Cell("window_latches", MOST_PAIRS, "-", "of the mock-ups within a reading's window"),
    Cell("many", MANY_CELLS.size, "", "samples of several touches at once: joint_samples.py"),
    Cell("one_law", BELIEVED_CELLS.size, "", "a law while another is sought"),
    Cell("joint", JOINT_CELLS.size, "", "their fit: joint.py"),
    Cell("unexplained", 1, "-", "samples of a force far beyond noise while nothing touched"),
)
CELL, RING_AT = CELLS.at, CELLS.size  # behind: a row for each stamp
PAST_CELLS = Cells(
    "faithful_past",
    Cell("others", 12, "N, Nm", "what others gave in the cycle that begins at the stamp"),
    Cell("satellites", BOTH, "m, -, m/s, Nms", "at the stamp, as recomputed last"),
    Cell("force", 3, "N", "of the contact on the chaser, mean over the cycle that ends there"),
    Cell("largest", 1, "N^2", "its largest in that cycle, squared"),
)
PAST, PAST_FLOATS = PAST_CELLS.at, PAST_CELLS.size
