"""What `delay_passivity` remembers: its cells; behind them the rings of the real contact's work,
then two records (records.py) of wrenches and ways.

Wrenches, ways and twists of both bodies are four vectors: the chaser's force and torque (or
translation and rotation), then the target's. Per port: six numbers (coupled: the first).
"""

from __future__ import annotations

import math
from typing import Any

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Wrenches
from softdock.loop.spatial.vectors import subtract
from softdock.methods.delay_passivity.keys import COUPLED, ROWS_BEYOND, DelayPassivity
from softdock.methods.delay_passivity.records import FOUR_VECTORS, RECORD, RECORD_ROW
from softdock.methods.measured.by_axis import recorded_work
from softdock.methods.measured.doubts import DOUBTS
from softdock.methods.measured.paired_poses import Poses
from softdock.methods.measured.real_work import REAL_WORK, RING_FLOATS, place_readings

PORTS = many(6)
STATE = Cells(
    "delay_passivity",
    recorded_work(),
    Cell("started", bool, "-", "the first cycle is over"),
    Cell("idle", float, "s", "since a force was measured"),
    Cell("active", PORTS, "J", "per port: given to the satellites less released by the contact"),
    Cell("level", PORTS, "J", "per port: `active` less what is on its way"),
    Cell("removed", PORTS, "J", "per port: by the damper in the last cycle"),
    Cell("slope", PORTS, "N/m", "per port: of the force along the way"),
    Cell("applied", FOUR_VECTORS, "N, Nm", "wrenches on the satellites in the last cycle"),
    Cell("twist", FOUR_VECTORS, "m/s, rad/s", "of the satellites at its start"),
    Cell("poses", Poses, "m, -", "of the mock-ups, last seen"),
    Cell("way", FOUR_VECTORS, "m, rad", "of the mock-ups since the start"),
    Cell("now", FOUR_VECTORS, "N, Nm", "wrenches at the newest common instant"),
    Cell("now_way", FOUR_VECTORS, "m, rad", "ways at the newest common instant"),
    Cell("last", FOUR_VECTORS, "N, Nm", "wrenches of the cycle before"),
    Cell("last_way", FOUR_VECTORS, "m, rad", "ways of the cycle before"),
    Cell("then", FOUR_VECTORS, "N, Nm", "wrenches of a baseline ago"),
    Cell("then_way", FOUR_VECTORS, "m, rad", "ways of a baseline ago"),
    Cell("along", FOUR_VECTORS, "N, Nm", "last wrenches of the contact, along which it damps"),
    Cell("touch", PORTS, "J", "per port: kinetic energy along the wrench when it was first felt"),
    Cell("open", bool, "-", "from touch until a contact is settled"),
    Cell("variance", PORTS, "J^2", "per port: of the noise's work in this contact"),
    Cell("damper", FOUR_VECTORS, "N, Nm", "the method's part of `applied`"),
    Cell("contacts", int, "-", "contacts so far"),
    Cell("dropped", float, "J", "debts that no braking repaid"),
    Cell("reserve", float, "J", "kept back for noise"),
    Cell("too_old", int, "cycles", "of contact with readings older than the records"),
    Cell("largest_touch", float, "J", "of `touch`, of all contacts"),
    Cell("net", float, "J", "given to the satellites by the contact's wrench since touch"),
    Cell("touch_kinetic", float, "J", "kinetic energy of the satellites when the contact opened"),
    Cell("real", REAL_WORK, "", "the real contact's work: methods/measured/real_work.py"),
    Cell("doubts", DOUBTS, "", "of the sensor: methods/measured/doubts.py"),
)


def count_floats(values: dict[str, Any], T: float) -> int:
    """Floats of `mem`; `values` in the user's units."""
    rows = math.ceil(1e-3 * values["longest_age_ms"] / T) + ROWS_BEYOND
    return STATE.size + rows * RING_FLOATS + 2 * (RECORD.size + RECORD_ROW.size * rows)


@compiled
def find_readings(method: DelayPassivity):
    """The rings of the real contact's work."""
    return place_readings(method.memory + STATE.size, method.rows)


@compiled
def find_records(method: DelayPassivity):
    """Where the records of wrenches and of ways begin."""
    wrenches = method.memory + STATE.size + method.rows * RING_FLOATS
    return wrenches, wrenches + RECORD.size + RECORD_ROW.size * method.rows


@compiled
def find_port(method: DelayPassivity, i):
    """The port that component i of twelve belongs to."""
    return 0 if method.coupling == COUPLED else i % 6


@compiled
def list_vectors(wrenches: Wrenches):
    """Both wrenches as four vectors."""
    chaser, target = wrenches.chaser, wrenches.target
    return chaser.force, chaser.torque, target.force, target.torque


@compiled
def subtract_vectors(a, b):
    """Of four vectors."""
    return (
        subtract(a[0], b[0]),
        subtract(a[1], b[1]),
        subtract(a[2], b[2]),
        subtract(a[3], b[3]),
    )
