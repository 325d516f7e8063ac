"""What the energy ledger remembers: its cells, and the ring of its account that stands behind.

The ring keeps, for the last cycles, kinetic energy, real work, energy from outside and variance at
the end of the cycle: a contact is seen late, and its account begins before it was.
"""

from __future__ import annotations

import math
from typing import Any

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Wrenches
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion import Wrench
from softdock.methods.energy_ledger.keys import EnergyLedger
from softdock.methods.measured.by_axis import recorded_work
from softdock.methods.measured.doubts import DOUBTS
from softdock.methods.measured.paired_poses import Poses
from softdock.methods.measured.real_work import REAL_WORK, RING_FLOATS, place_readings

STATE = Cells(
    "energy_ledger",
    recorded_work(),
    Cell("real", REAL_WORK, "", "the real contact's work: methods/measured/real_work.py"),
    Cell("doubts", DOUBTS, "", "of the sensor: methods/measured/doubts.py"),
    Cell("cycles", int, "-", "cycles written into the ring of the account"),
    Cell("given", float, "J", "given from outside"),
    Cell("open", bool, "-", "a contact is open"),
    Cell("last_seen", float, "s", "when its force was last seen"),
    Cell("summit", float, "J", "its largest energy along the wrench"),
    Cell("kinetic_before", float, "J", "kinetic energy where the open contact's account begins"),
    Cell("given_before", float, "J", "`given` there"),
    Cell("debt", float, "J", "what the contacts so far could not settle"),
    Cell("direction", Wrench, "-, m", "along which energy is taken and given, of unit force"),
    Cell("acting", Wrenches, "N, Nm", "that act on both satellites in this cycle"),
    Cell("command", Poses, "m, -", "poses last sent"),
    Cell("sent", bool, "-", "there are any"),
    Cell("taken", float, "J", "net, by the corrections of the open contact"),
    Cell("force_time", float, "s", "stamp of the newest force"),
    Cell("removed", float, "J", "by corrections, for the notes"),
    Cell("returned", float, "J", "by corrections"),
    Cell("largest_step", float, "m/s", "largest change of speed beyond the force's own"),
    Cell("fastest", float, "m/s", "fastest approach along the wrench"),
    Cell("contacts", int, "-", "contacts so far"),
    Cell("stale", int, "cycles", "of contact without a new force"),
    Cell("longest_trail", float, "s", "by which the mock-ups trailed the set-points"),
    Cell("shortest_trail", float, "s", "by which the mock-ups trailed the set-points"),
    Cell("longest_way", float, "m", "of one cycle"),
    Cell("largest_transit", float, "J", "largest work still on its way"),
)
ACCOUNT_ROW = Cells(
    "account_row",
    Cell("kinetic", float, "J"),
    Cell("real", float, "J"),
    Cell("given", float, "J"),
    Cell("variance", float, "J^2"),
)
ROW_FLOATS = RING_FLOATS + ACCOUNT_ROW.size  # of all three rings, per row


def count_rows(window: float, T: float) -> int:
    """Rows that reach back over half the window."""
    return int(math.ceil(0.5 * window / T)) + 3


def count_floats(values: dict[str, Any], T: float) -> int:
    """Floats of `mem`."""
    return STATE.size + count_rows(1e-3 * values["window_ms"], T) * ROW_FLOATS


@compiled
def find_readings(method: EnergyLedger):
    """The rings of the readings: they stand behind the cells, the ring of the account behind
    them."""
    return place_readings(method.memory + STATE.size, method.rows)


@compiled
def _row_at(method: EnergyLedger, count):
    ring = method.memory + STATE.size + method.rows * RING_FLOATS
    return row_of(Ring(ring, method.rows, ACCOUNT_ROW.size), count)


@compiled
def store_account(method: EnergyLedger, mem, kinetic):
    """A row of the account at the end of a cycle, for contacts that open later."""
    s = STATE(mem, method.memory)
    row = ACCOUNT_ROW(mem, _row_at(method, s.cycles))
    row.kinetic = kinetic
    row.real = s.real.absorbed
    row.given = s.given
    row.variance = s.real.variance
    s.cycles += 1


@compiled
def open_account(method: EnergyLedger, mem, back):
    """Begin the account of a contact `back` cycles ago, or where the ring begins."""
    s = STATE(mem, method.memory)
    row = ACCOUNT_ROW(mem, _row_at(method, max(s.cycles - 1 - min(back, method.rows - 1), 0)))
    s.kinetic_before = row.kinetic
    s.real.absorbed_before = row.real
    s.given_before = row.given
    s.real.variance_before = row.variance
