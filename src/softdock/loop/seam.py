"""The seam between controller and facility: what is sent and what is reported, as flat float64
arrays. Simulated, emulated and real facilities fill the same cells; nothing above knows which it
has.

COMMAND, controller to facility: the set-points stamped t_{k+1}. REPORT, facility to controller at
t_k: the mock-ups' poses with their stamps and ages, one for each robot; the force sensors' raw
wrenches with theirs, one for each sensor; lateness, lost cycles and status bits.

Stamps are whole nanoseconds since t = 0 on the controller's clock (exact below 104 days). An age is
the time from the sample to t_k [s] and is what the controller reckons with: a simulation knows it
better than to the nanosecond. What a facility does not know is absent: its bit in `present` is not
set, and its cells mean nothing (`told` gives None).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.spatial.motion import MOTION, Motion, Wrench
from softdock.loop.status import STATUSES

COMMAND = Cells(
    "command",
    Cell("cycle", int, "-", "number of the instant that the set-points are for: k + 1"),
    Cell("stamp", float, "ns", "that instant, since t = 0"),
    Cell("chaser", Motion, "", "set-point of the chaser's robot"),
    Cell("target", Motion, "", "set-point of the target's robot"),
)
REPORT = Cells(
    "report",
    Cell("cycle", int, "-", "number k of the instant of this report"),
    Cell("now", float, "ns", "that instant t_k, since t = 0"),
    Cell("late", float, "s", "by how much the report came after t_k"),
    Cell("lost", int, "-", "cycles lost since the report before"),
    Cell("status", int, "-", "bits of `STATUS_BITS`"),
    Cell("present", int, "-", "bits of `PRESENT_BITS`: what the report holds"),
    Cell("chaser_stamp", float, "ns", "when the chaser's pose was taken"),
    Cell("chaser_age", float, "s", "from then to t_k"),
    Cell("chaser", Motion, "", "the chaser's mock-up as measured"),
    Cell("target_stamp", float, "ns", "when the target's pose was taken"),
    Cell("target_age", float, "s", "from then to t_k"),
    Cell("target", Motion, "", "the target's mock-up as measured"),
    Cell(
        "chaser_force_stamp",
        float,
        "ns",
        "when the chaser's force was taken; of a mean, its middle",
    ),
    Cell("chaser_force_age", float, "s", "from then to t_k"),
    Cell("chaser_force_number", float, "-", "of that sample: one that was seen before is held"),
    Cell("chaser_wrench", Wrench, "N, Nm", "raw: sensor axes, about the sensor's origin"),
    Cell(
        "target_force_stamp",
        float,
        "ns",
        "when the target's force was taken; of a mean, its middle",
    ),
    Cell("target_force_age", float, "s", "from then to t_k"),
    Cell("target_force_number", float, "-", "of that sample: one that was seen before is held"),
    Cell("target_wrench", Wrench, "N, Nm", "raw: sensor axes, about the sensor's origin"),
)
# bits of `status`; the last three end the run
LATE, LOST, SATURATED, ROBOT_FAULT, SENSOR_FAULT, STOP_ASKED = 1, 2, 4, 8, 16, 32
STATUS_BITS: dict[str, int] = {
    "late": LATE,  # the report came after its instant
    "lost": LOST,  # cycles were lost before it
    "saturated": SATURATED,  # a channel of a force sensor is at its range
    "robot_fault": ROBOT_FAULT,
    "sensor_fault": SENSOR_FAULT,
    "stop_asked": STOP_ASKED,  # by an operator, or by a digital input
}
ENDING = ROBOT_FAULT | SENSOR_FAULT | STOP_ASKED
# bits of `present`
CHASER_POSE, CHASER_TWIST, TARGET_POSE, TARGET_TWIST = 1, 2, 4, 8
CHASER_WRENCH, TARGET_WRENCH, CHASER_REDUCED, TARGET_REDUCED = 16, 32, 64, 128
PRESENT_BITS: dict[str, int] = {
    "chaser_pose": CHASER_POSE,
    "chaser_twist": CHASER_TWIST,
    "target_pose": TARGET_POSE,
    "target_twist": TARGET_TWIST,
    "chaser_wrench": CHASER_WRENCH,
    "target_wrench": TARGET_WRENCH,
    # The wrench is not raw but of the contact alone, about the centre of mass, world axes: of a
    # robot controller that compensates itself, or of a simulated sensor that carries no tool.
    "chaser_reduced": CHASER_REDUCED,
    "target_reduced": TARGET_REDUCED,
}


class Side(NamedTuple):
    """What a report has of one body: bits of `present`, and places in the report."""

    which: int  # CHASER or TARGET
    has_pose: int
    has_twist: int
    has_wrench: int
    is_reduced: int
    stamp: int
    age: int
    motion: int
    force_stamp: int
    force_age: int
    force_number: int
    wrench: int


OF_CHASER = Side(
    which=CHASER,
    has_pose=CHASER_POSE,
    has_twist=CHASER_TWIST,
    has_wrench=CHASER_WRENCH,
    is_reduced=CHASER_REDUCED,
    stamp=REPORT.at.chaser_stamp,
    age=REPORT.at.chaser_age,
    motion=REPORT.at.chaser,
    force_stamp=REPORT.at.chaser_force_stamp,
    force_age=REPORT.at.chaser_force_age,
    force_number=REPORT.at.chaser_force_number,
    wrench=REPORT.at.chaser_wrench,
)
OF_TARGET = Side(
    which=TARGET,
    has_pose=TARGET_POSE,
    has_twist=TARGET_TWIST,
    has_wrench=TARGET_WRENCH,
    is_reduced=TARGET_REDUCED,
    stamp=REPORT.at.target_stamp,
    age=REPORT.at.target_age,
    motion=REPORT.at.target,
    force_stamp=REPORT.at.target_force_stamp,
    force_age=REPORT.at.target_force_age,
    force_number=REPORT.at.target_force_number,
    wrench=REPORT.at.target_wrench,
)


@compiled
def side_of(body):
    return OF_CHASER if body == CHASER else OF_TARGET


# how a controller ends: as a run does, or because of a report
FACILITY_STOP = len(STATUSES)
SEAM_STATUSES = (*STATUSES, "stopped by the facility")

_CELLS = {  # cells that are there if a bit of `present` is set; all others always are
    **{
        f"{one}{cell}": f"{one}_pose" for one in ("chaser", "target") for cell in ("_stamp", "_age")
    },
    **{
        f"{one}_{cell}": f"{one}_wrench"
        for one in ("chaser", "target")
        for cell in ("force_stamp", "force_age", "force_number", "wrench")
    },
    "chaser": "chaser_pose",
    "target": "target_pose",
}


def new_report() -> np.ndarray:
    """A report that holds nothing."""
    return np.zeros(REPORT.size)


def new_command() -> np.ndarray:
    return np.zeros(COMMAND.size)


def bits(names: dict[str, int], value: float) -> list[str]:
    """Names of the bits that are set."""
    return [name for name, bit in names.items() if int(value) & bit]


def told(report: np.ndarray) -> dict[str, Any]:
    """A report by names: numbers, copies of vectors, names of bits; None for what is absent. Of a
    pose without a twist the last six numbers are left out."""
    present = bits(PRESENT_BITS, report[REPORT.at.present])
    found: dict[str, Any] = {}
    for cell in REPORT:
        value = report[REPORT.slice_of(cell.name)].copy()
        if _CELLS.get(cell.name, "") not in ("", *present):
            found[cell.name] = None
        elif cell.name in ("chaser", "target") and f"{cell.name}_twist" not in present:
            found[cell.name] = value[: MOTION.at.v]
        else:
            found[cell.name] = value if cell.size > 1 else float(value[0])
    return found | {"status": bits(STATUS_BITS, report[REPORT.at.status]), "present": present}
