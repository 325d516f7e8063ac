"""What the method records and remembers."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, many
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.loop.contact.pair import PAIR_CELLS
from softdock.loop.method.corrected import CORRECTED_CELLS
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.methods.model_mediated.elastic_joint import DEFLECTION
from softdock.methods.model_mediated.element_fit import ELEMENT_FIT
from softdock.methods.model_mediated.elements import ELEMENTS, INNER
from softdock.methods.model_mediated.free_flight import FLIGHT
from softdock.methods.model_mediated.friction import FRICTION
from softdock.methods.model_mediated.joint_state import JOINT, SEVERAL_TOUCHES, TOUCH, TOUCHES
from softdock.methods.model_mediated.law import LAW
from softdock.methods.model_mediated.law_samples import FIT
from softdock.methods.model_mediated.readings import READINGS, SENT_ROWS, SentMotion
from softdock.methods.model_mediated.surface import SURFACE

OFFSET = Cells(
    "offset",
    Cell("place", 3, "m, m/s", "of a set-point, world axes; or its rate"),
    Cell("turn", 3, "rad, rad/s", "of its attitude, body axes; or its rate"),
)
INNERS = 2 * MOST_PAIRS  # two touches a pair
FUTURE = Cells(
    "future",
    Cell("stamp", int, "-", "cycle at whose start it is ahead by its lead"),
    Cell("lead", float, "s", "by which it is ahead"),
    Cell("age", int, "cycles", "in which others pushed, since it was computed whole"),
    Cell("left", int, "cycles", "of the lead, while a past's is computed"),
    Cell("latches", many(MOST_PAIRS), "-", "of the satellites there"),
    Cell("inner", many(INNERS, INNER), "", "what elements remember there"),
    Cell("satellites", Satellites, "m, -, m/s, Nms", "there, under the contact that is believed"),
)
STATE = Cells(
    "model_mediated",
    recorded(
        "phase", "-", "0 apart, 1 by the ledger, 2 in contact, 3 its past recomputed", kind=int
    ),
    recorded("depth", "m", "deepest of the satellites when last looked at; negative: the gap"),
    recorded("stiffness", "N/m^power", "of the pair last fitted, as believed"),
    recorded("power", "-", "of its deflection"),
    recorded("damping", "Ns/m", "beside its spring"),
    recorded("factor", "s/m", "its lambda"),
    recorded("friction", "-", "coefficient, as believed"),
    recorded("delay", "s", "of the chaser's robot, as believed"),
    recorded("rewound", "-", "cycles that were recomputed, where this cycle took them", kind=int),
    recorded("force", "N", "on the chaser over the cycle", frame="world", parts="xyz"),
    Cell("ready", bool, "-", "the pairs are prepared"),
    Cell("pairs", many(MOST_PAIRS, PAIR_CELLS), "", "the mock-ups' shapes"),
    Cell("latches", many(MOST_PAIRS), "-", "of the satellites"),
    Cell("mock_latches", many(MOST_PAIRS), "-", "of the mock-ups"),
    Cell("shadow_latches", many(MOST_PAIRS), "-", "of the recomputed past"),
    Cell("start_latches", many(MOST_PAIRS), "-", "of the satellites before they touched"),
    Cell("fits", many(MOST_PAIRS, FIT), "", "samples of each pair: law_samples.py"),
    Cell("found", many(MOST_PAIRS, LAW), "", "law of each pair as last fitted"),
    Cell("laws", many(MOST_PAIRS, LAW), "", "law that the satellites feel"),
    Cell("shadow_laws", many(MOST_PAIRS, LAW), "", "law of the recomputed past"),
    Cell("first_laws", many(MOST_PAIRS, LAW), "", "for set-points, before any is known: lead.py"),
    Cell("found_elements", many(MOST_PAIRS, ELEMENTS), "", "of the laws as last fitted"),
    Cell("elements", many(MOST_PAIRS, ELEMENTS), "", "of the laws that the satellites feel"),
    Cell("shadow_elements", many(MOST_PAIRS, ELEMENTS), "", "of the recomputed past"),
    Cell("inner", many(INNERS, INNER), "", "what elements remember at the satellites"),
    Cell("shadow_inner", many(INNERS, INNER), "", "in the recomputed past"),
    Cell("element_fit", ELEMENT_FIT, "", "their fit: element_fit.py"),
    Cell("touches", int, "-", "of the mock-ups so far"),
    Cell("past_end", int, "-", "stamp at which the recomputed past last took over"),
    Cell("last_largest", float, "N^2", "largest force in that past, squared"),
    Cell("doubt", many(MOST_PAIRS), "-", "of the speed after a contact, of the approach"),
    Cell("speed_spread", many(MOST_PAIRS), "-", "of that speed, by the sensor's noise"),
    Cell("peak", many(MOST_PAIRS), "N", "largest force of the mock-ups in the last contact"),
    Cell("believed_peak", many(MOST_PAIRS), "N", "and of the satellites"),
    Cell("causal_force", many(MOST_PAIRS), "N", "on mock-ups that go on for the delay"),
    Cell("friction_fit", FRICTION, "", "samples of friction: friction.py"),
    Cell("flight", FLIGHT, "", "what free flight shows: free_flight.py"),
    Cell("readings", READINGS, "", "readings: readings.py"),
    Cell("start", Satellites, "m, -, m/s, Nms", "before they touched"),
    Cell("start_stamp", int, "-", "and when"),
    Cell("shadow", Satellites, "m, -, m/s, Nms", "of the recomputed past"),
    Cell("shadow_stamp", int, "-", "and how far it has come; -1: none is under way"),
    Cell("shadow_futures", many(2, FUTURE), "", "and after each lead: recomputed_past.py"),
    Cell("frozen", bool, "-", "the contact is longer than what is kept of the past"),
    Cell("after", Satellites, "m, -, m/s, Nms", "at the end of the cycle"),
    Cell("acts", bool, "-", "they went their own way"),
    Cell("mean", Wrenches, "N, Nm", "mean wrenches of the contact on both satellites"),
    Cell("taken", float, "J", "by the contact in this cycle"),
    Cell("rewound_energy", float, "J", "gain of kinetic energy by a past taken over"),
    Cell("last_touch", float, "s", "when the mock-ups last touched"),
    Cell("touching", bool, "-", "the mock-ups, at the newest sample"),
    Cell("quick", bool, "-", "nothing can touch in this cycle"),
    Cell("clear_until", float, "s", "before, the satellites cannot touch"),
    Cell("mock_clear_until", float, "s", "before, the mock-ups cannot"),
    Cell("reach", float, "m", "largest distance of a tip from the chaser's centre of mass"),
    Cell("fading", bool, "-", "set-points are offset"),
    Cell("clear", int, "-", "cycles since satellites and mock-ups touched"),
    Cell("corrected", CORRECTED_CELLS, "", "the contact's force: corrected.py"),
    Cell("shadow_impulse", 3, "Ns", "of the contact on the chaser in the recomputed past"),
    Cell("shadow_largest", float, "N^2", "its largest force there, squared"),
    Cell("leads", many(2), "s", "by which both set-points are ahead"),
    Cell("lead_rates", many(2), "-", "how fast that changes"),
    Cell("futures", many(2, FUTURE), "", "satellites after each robot's lead: lead.py"),
    Cell("ways", many(SENT_ROWS, SentMotion), "m, m/s", "a ring of set-points: readings.py"),
    Cell("newest_sent", int, "-", "stamp of the newest of them"),
    Cell("any_sent", bool, "-", "there are any"),
    Cell("offset", many(2, OFFSET), "m, rad", "of both set-points, from a jump that fades"),
    Cell("offset_rate", many(2, OFFSET), "m/s, rad/s", "and their rates"),
    Cell("shared", bool, "-", "the robots carry shares of the relative motion"),
    Cell("output", Output, "m, -, m/s, rad/s", "set-points before they were laid out"),
    Cell("cut", float, "J", "taken by the bound so far"),
    Cell("contacts", int, "-", "contacts of the satellites so far"),
    Cell("rewinds", int, "-", "pasts that were taken over"),
    Cell("longest", int, "cycles", "longest of them"),
    Cell("samples", int, "-", "samples of the contact under way"),
    Cell("blind", int, "-", "contacts left to the ledger: free flight was too short"),
    Cell("strange", int, "-", "contacts left to the ledger: a force while the shapes were apart"),
    Cell("unfelt", many(MOST_PAIRS, bool), "-", "the pair was touched before its law was known"),
    Cell("unexplained_now", int, "-", "such samples in a row"),
    Cell("onset_gap", float, "m", "of the surface that pushed first then; 0: none did"),
    Cell("onset_time", float, "s", "when"),
    Cell("onset_pair", int, "-", "and which"),
    Cell("onset_normal", 3, "-", "its normal, target axes"),
    Cell("moved", many(MOST_PAIRS), "m", "each surface from where it is declared"),
    Cell("matters", float, "N", "a force that changes the approach by 1 % in ten cycles"),
    Cell("overlong", int, "-", "contacts whose law changed after what is kept of the past"),
    Cell("given", float, "J", "by others, since the contact began"),
    Cell("booked", float, "J", "by the ledger, in the cycle before"),
    Cell("felt_cycle", int, "-", "cycle of `felt` and `read`"),
    Cell("felt", Output, "m, -, m/s, rad/s", "mock-ups of the cycle before"),
    Cell("read", Wrenches, "N, Nm", "wrenches on them"),
    Cell("touch_rows", many(TOUCHES, TOUCH), "", "touches of a sample: samples.py"),
    Cell("window_latches", many(MOST_PAIRS), "-", "of the mock-ups within a reading's window"),
    Cell("several", SEVERAL_TOUCHES, "", "samples of several touches at once: joint_state.py"),
    Cell("one_law", LAW, "", "a law while another is sought"),
    Cell("joint", JOINT, "", "their fit: joint.py"),
    Cell("unexplained", int, "-", "samples of a force far beyond noise while nothing touched"),
    Cell("surfaces", many(MOST_PAIRS, SURFACE), "", "tilt of each pair's surface: surface.py"),
    Cell("deflections", many(2, DEFLECTION), "", "of elastic joints: elastic_joint.py"),
    Cell("turned", bool, "-", "a surface was turned since the past was last recomputed"),
)
PAST = Cells(  # behind the state: a row for each stamp
    "model_mediated_past",
    Cell("others", Wrenches, "N, Nm", "what others gave in the cycle that begins at the stamp"),
    Cell("satellites", Satellites, "m, -, m/s, Nms", "at the stamp, as recomputed last"),
    Cell("force", 3, "N", "of the contact on the chaser, mean over the cycle that ends there"),
    Cell("largest", float, "N^2", "its largest in that cycle, squared"),
)
