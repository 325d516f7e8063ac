"""What `delay_passivity` remembers: its cells; behind them the rings of the real contact's work,
then two records (methods/measured/paired_records.py) of wrenches and ways."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.loop.method.memory import recorded
from softdock.loop.spatial.motion import POSE
from softdock.methods.measured.by_axis import WORK_NAMES
from softdock.methods.measured.doubts import DOUBTS
from softdock.methods.measured.real_work import BOOKS

# Per port: six floats (coupled: the first). Wrenches, ways and twists of both bodies are twelve:
# chaser's force, torque, target's.
PART_CELLS = Cells(
    "both_bodies",
    Cell("chaser_force", 3),
    Cell("chaser_torque", 3),
    Cell("target_force", 3),
    Cell("target_torque", 3),
)
ATTITUDE = POSE.at.q  # behind the position of a pose
PART, TWELVE = PART_CELLS.at, PART_CELLS.size
CELLS = Cells(
    "delay_passivity",
    recorded(
        "work",
        "J",
        "energy put into the satellites so far; falling: taken",
        frame="world",
        parts=WORK_NAMES,
    ),
    Cell("started", 1, "-", "1: the first cycle is over"),
    Cell("idle", 1, "s", "since a force was measured"),
    Cell("active", 6, "J", "per port: given to the satellites less released by the contact"),
    Cell("level", 6, "J", "per port: `active` less what is on its way"),
    Cell("removed", 6, "J", "per port: by the damper in the last cycle"),
    Cell("slope", 6, "N/m", "per port: of the force along the way"),
    Cell("applied", TWELVE, "N, Nm", "wrenches on the satellites in the last cycle"),
    Cell("twist", TWELVE, "m/s, rad/s", "of the satellites at its start"),
    Cell("poses", 14, "m, -", "of the mock-ups, last seen"),
    Cell("way", TWELVE, "m, rad", "of the mock-ups since the start"),
    Cell("now", TWELVE, "N, Nm", "wrenches at the newest common instant"),
    Cell("now_way", TWELVE, "m, rad", "ways at the newest common instant"),
    Cell("last", TWELVE, "N, Nm", "wrenches of the cycle before"),
    Cell("last_way", TWELVE, "m, rad", "ways of the cycle before"),
    Cell("then", TWELVE, "N, Nm", "wrenches of a baseline ago"),
    Cell("then_way", TWELVE, "m, rad", "ways of a baseline ago"),
    Cell("along", TWELVE, "N, Nm", "last wrenches of the contact, along which the damper acts"),
    Cell("touch", 6, "J", "per port: kinetic energy along the wrench when it was first felt"),
    Cell("open", 1, "-", "1 from touch until a contact is settled"),
    Cell("variance", 6, "J^2", "per port: of the noise's work in this contact"),
    Cell("damper", TWELVE, "N, Nm", "the method's part of `applied`"),
    Cell("contacts", 1, "-", "contacts so far"),
    Cell("dropped", 1, "J", "debts that no braking repaid"),
    Cell("kept", 1, "J", "kept back for noise"),
    Cell("too_old", 1, "cycles", "of contact with readings older than the records"),
    Cell("largest_touch", 1, "J", "of `touch`, of all contacts"),
    Cell("net", 1, "J", "given to the satellites by the contact's wrench since touch"),
    Cell("touch_kinetic", 1, "J", "kinetic energy of the satellites when the contact opened"),
    Cell("books", BOOKS.size, "", "of the real contact's work: methods/measured/real_work.py"),
    Cell("doubts", DOUBTS.size, "", "of the sensor: methods/measured/doubts.py"),
)
CELL, RINGS_AT = CELLS.at, CELLS.size
