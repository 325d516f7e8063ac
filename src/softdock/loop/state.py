"""The loop's state as one flat array: what crosses the border between Python and compiled code, and
what `step` is given and returns.

`STATE` says where each part begins, `place("tracker.closed")` where anything below it stands.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.contact.log import TRACKER, Tracker
from softdock.loop.energy.ledger import LEDGER, Ledger
from softdock.loop.facility.simulated import FACILITY, Facility
from softdock.loop.flat_structures import storing
from softdock.loop.loop import Loop
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.spatial.motion import MOTION, WRENCH
from softdock.loop.spatial.rigid_body import BODY_STATE

SATELLITES = Cells(
    "satellites",
    Cell("chaser", BODY_STATE.size, "", "the chaser satellite: a `body_state`"),
    Cell("target", BODY_STATE.size, "", "the target satellite: a `body_state`"),
)
OUTPUT = Cells(
    "set_points",
    Cell("chaser", MOTION.size, "", "of the chaser's robot: a `motion`"),
    Cell("target", MOTION.size, "", "of the target's robot: a `motion`"),
)
WRENCHES = Cells(
    "wrenches",
    Cell("chaser", WRENCH.size, "N, Nm", "on the chaser satellite"),
    Cell("target", WRENCH.size, "N, Nm", "on the target satellite"),
)
PARTS = {
    "satellites": SATELLITES,
    "command": OUTPUT,
    "facility": FACILITY,
    "wrenches": WRENCHES,
    "ledger": LEDGER,
    "tracker": TRACKER,
}
STATE = Cells(
    "state",
    Cell("satellites", SATELLITES.size, "", "both satellites"),
    Cell("command", OUTPUT.size, "", "set-points stamped t_k"),
    Cell("facility", FACILITY.size, "", "mock-ups, true wrenches and what was handed over"),
    Cell("wrenches", WRENCHES.size, "N, Nm", "on the satellites over the cycle that ended at t_k"),
    Cell("ledger", LEDGER.size, "J", "sums since the start"),
    Cell("tracker", TRACKER.size, "", "the contact under way"),
    Cell("depth", 1, "m", "of the real contact; negative: the gap"),
    Cell("status", 1, "-", "of the run, an index of `STATUSES`"),
)
AT, STATE_FLOATS = STATE.at, STATE.size

storing(Satellites, SATELLITES)
store_output, load_output = storing(Output, OUTPUT)
storing(Wrenches, WRENCHES)
store_facility_at, load_facility_at = storing(Facility, FACILITY)
store_ledger, _ = storing(Ledger, LEDGER)
storing(Tracker, TRACKER)
_store_loop, _load_loop = storing(Loop, STATE)


def place(path: str) -> slice:
    """Where a part of the state stands: `command`, `tracker.closed`, `facility.reading`."""
    part, _, field = path.partition(".")
    if not field:
        return STATE.slice_of(part)
    return PARTS[part].slice_of(field, getattr(AT, part))


@compiled
def store_loop(flat, loop):
    _store_loop(flat, 0, loop)


@compiled
def load_loop(flat):
    return _load_loop(flat, 0)
