"""Where the numbers of an emulated robot controller stand: settings, whole numbers, rows of its
telegrams, and the floats of `mem` before the robot model's own memory and the two rings."""

from __future__ import annotations

from softdock.core.machine.cells import Cell, Cells
from softdock.core.wire.kuka_frame import FRAME_NUMBERS

SETTINGS = Cells(
    "emulated_robot_settings",
    Cell("period_ns", 1, "ns", "of a tick"),
    Cell("drift_ppm", 1, "ppm", "of its clock"),
    Cell("timeout", 1, "-", "late replies that end RSI"),
    Cell("in_a_row", 1, "-", "1: late replies in a row count"),
    Cell("ipoc_step", 1, "ms", "from Rob to Rob"),
    Cell("which", 1, "-", "0: the chaser's robot, 1: the target's"),
    Cell("lower", 3, "mm", "PosCorr: least correction"),
    Cell("upper", 3, "mm", "PosCorr: largest correction"),
    Cell("most_turn", 1, "deg", "PosCorr: largest angle in all"),
    Cell("monitor_mm", 1, "mm", "PosCorrMon: largest way"),
    Cell("monitor_deg", 1, "deg", "PosCorrMon: largest angle"),
    Cell("start", FRAME_NUMBERS, "mm, deg", "pose at RSI_ON in the base"),
    Cell("base", FRAME_NUMBERS, "mm, deg", "the base in the world"),
    Cell("tool", FRAME_NUMBERS, "mm, deg", "the mock-up's centre of mass from the flange"),
)
PERIOD_NS, DRIFT_PPM, TIMEOUT, IN_A_ROW, IPOC_STEP, WHICH, *_AFTER = SETTINGS.at
LOWER, UPPER, MOST_TURN, MONITOR_MM, MONITOR_DEG, START, BASE, TOOL = _AFTER
ROBOT_SETTINGS = SETTINGS.size

WHOLES = Cells(
    "emulated_robot_wholes",
    Cell("state", 1, "-", "RSI off, on, or why it ended"),
    Cell("tick", 1, "-", "number of the last tick, from 0"),
    Cell("tick_ns", 1, "ns", "when it was"),
    Cell("next_ns", 1, "ns", "when the next is"),
    Cell("rob_ipoc", 1, "ms", "of the last Rob"),
    Cell("answered", 1, "-", "whether it has its reply"),
    Cell("late", 1, "-", "late replies: Delay D"),
    Cell("late_in_a_row", 1, "-", "of them, since the last that was in time"),
    Cell("rejected", 1, "-", "datagrams that were no valid reply"),
    Cell("clamped", 1, "-", "ticks in which PosCorr limited"),
    Cell("last_status", 1, "-", "of the last datagram, telegram.REASONS"),
)
STATE, TICK, TICK_NS, NEXT_NS, ROB_IPOC, ANSWERED, *_COUNTS = WHOLES.at
LATE, LATE_IN_A_ROW, REJECTED, CLAMPED, LAST_STATUS = _COUNTS
ROBOT_WHOLES = WHOLES.size
STATES = ("RSI off", "RSI on", "Timeout reached", "PosCorrMon exceeded", "RSI_MOVECORR left")
SILENT, RUNNING, TIMED_OUT, MONITOR, EXITED = range(len(STATES))

ROWS = Cells(
    "emulated_robot_rows",
    Cell("correction", FRAME_NUMBERS, "-", "rows of Sen's table"),
    Cell("stop", 1, "-", "row of Sen's table; 0: not there"),
    Cell("measured", FRAME_NUMBERS, "-", "rows of Rob's table; 0: not there"),
    Cell("wanted", FRAME_NUMBERS, "-", "rows of Rob's table; 0: not there"),
    Cell("delay", 1, "-", "row of Rob's table; 0: not there"),
)
CORRECTION, STOP_ROW, MEASURED, WANTED, DELAY_ROW = ROWS.at
ROBOT_ROWS = ROWS.size

HEAD = Cells(
    "emulated_robot_memory",
    Cell("applied", FRAME_NUMBERS, "mm, deg", "the correction in force"),
    Cell("received", FRAME_NUMBERS, "mm, deg", "the correction of the newest reply"),
    Cell("rest", 1, "ns", "fraction of its clock"),
)
APPLIED, RECEIVED, REST = HEAD.at
OWN = HEAD.size  # the robot model's own memory stands behind, then set-points and motions
