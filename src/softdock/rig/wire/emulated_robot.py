"""A robot controller with RSI, emulated: its clock, its telegrams, its limits, its motion.

At each tick of its own clock the controller judges the reply to its last telegram (same IPOC, in
time, else late: Delay counts it, HOLDON keeps or drops the correction, Timeout ends RSI), limits
the correction (PosCorr), watches it (PosCorrMon), moves by softdock's own robot model and sends
`Rob`. Corrections are absolute: an offset in the robot's base from the pose at RSI_ON,
translations added, rotations R(correction) R(start). Not emulated: axes (AIPos and the like are
zero), the path's deceleration after RSI ends (the set-point stands), elastic joints.

The mock-up's motion stands in a ring, one tick ahead, with the instants of the ticks, so that a
sensor in another process can ask for any instant.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.robots.history import HERMITE, between, push, read_stamped
from softdock.loop.robots.prepare import Carrier
from softdock.loop.robots.robot import Chance, carry, prepare_follower, receive
from softdock.loop.spatial.motion import MOTION_FLOATS, Motion, Pose, coasting
from softdock.loop.spatial.rotations import exponential, inverse, logarithm, product
from softdock.loop.spatial.vectors import ZERO, add, load3, norm, scale, subtract
from softdock.loop.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT
from softdock.rig.wire.faults import compute_next_tick
from softdock.rig.wire.kuka_frame import (
    DEGREE,
    FRAME_NUMBERS,
    KUKA_FRAME,
    compose,
    invert_pose,
    load_attitude,
    load_frame,
    to_kuka_frame,
)
from softdock.rig.wire.telegram import HOLD, OK, scan_telegram, write_telegram

# Where the numbers of an emulated robot controller stand: settings, whole numbers, rows of its
# telegrams, and the floats of `mem` before the robot model's own memory and the two rings.

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


# The motion of an emulated robot: its set-points and its mock-up's motions, in two rings of `mem`.
#
# In: the set-point of a tick, as a pose in the world. Out: the mock-up's motion one tick ahead, by
# softdock's own robot model, and at any instant that the ring holds [ns], between the ticks on the
# Hermite curve.


@compiled
def locate_rings(robot):
    """Where the set-points and the motions stand, and how many of each."""
    slots = robot.instants.shape[0]
    motions = robot.mem.shape[0] - slots * MOTION_FLOATS
    return motions - slots * MOTION_FLOATS, motions, slots


@compiled
def move_robot(features, robot, n, set_point):
    """The set-point of tick n arrives; the mock-up's motion at the next tick."""
    set_points, motions, slots = locate_rings(robot)
    which = int(robot.settings[WHICH])
    T = 1e-9 * robot.settings[PERIOD_NS]
    at = CHASER_ROBOT_AT if which == 0 else TARGET_ROBOT_AT
    was = read_stamped(robot.mem, set_points, slots, n - 1)
    turn = logarithm(product(inverse(was.q), set_point.q))
    rate = 1.0 / T
    moving = Motion(
        set_point.p, set_point.q, scale(rate, subtract(set_point.p, was.p)), scale(rate, turn)
    )
    f, v, m = features, robot.vector, robot.mem
    carrier = Carrier(
        follower=prepare_follower(v, at, which, T, False),
        history=set_points,
        slots=slots,
        state=OWN,
        heavy=False,
        chance=Chance(0, 0),
        T=T,
    )
    receive(f, v, carrier, m, n, moving)
    before, now = read_stamped(m, motions, slots, n), float(n)
    # a delay shorter than a cycle would need a set-point that is not there yet: the last one holds
    push(m, set_points, slots, n + 1, Motion(moving.p, moving.q, ZERO, ZERO))
    after = carry(f, v, carrier, m, before, now, now + 1.0)
    push(m, motions, slots, n + 1, after)


@noinline
def interpolate_motion(robot, instant):
    """The mock-up in the world at an instant [ns], and whether the ring holds it."""
    _, motions, slots = locate_rings(robot)
    T, newest = 1e-9 * robot.settings[PERIOD_NS], robot.whole[TICK] + 1
    later = newest
    for back in range(1, slots - 1):
        j = newest - back
        begin, end = robot.instants[j % slots], robot.instants[later % slots]
        if begin <= instant:
            a, b = (
                read_stamped(robot.mem, motions, slots, j),
                read_stamped(robot.mem, motions, slots, later),
            )
            if instant == begin:
                return a, True
            if instant >= end:
                return b, instant == end
            return between(HERMITE, T, a, b, (instant - begin) / (end - begin)), True
        later = j
    return read_stamped(robot.mem, motions, slots, later), False


ANGLE = KUKA_FRAME.at


class Robot(NamedTuple):
    """All arrays of one emulated controller."""

    settings: Any  # float64, ROBOT_SETTINGS
    rows: Any  # int64, ROBOT_ROWS
    whole: Any  # int64, ROBOT_WHOLES
    mem: Any  # float64: `OWN` on, the robot model's floats, then the rings
    instants: Any  # int64, when each slot of the rings was or will be [ns]
    windows: Any  # int64, faults
    vector: Any  # float64, the scenario's parameters
    names: Any  # of Sen
    table: Any
    heard: Any  # float64, values of the last Sen
    seen: Any
    literals: Any  # of Rob
    pieces: Any
    told: Any  # float64, values of the next Rob


@compiled
def _convert_to_world(robot, frame):
    """The mock-up's pose in the world for a flange pose in the base."""
    flange = compose(load_frame(robot.settings, BASE), frame)
    return compose(flange, load_frame(robot.settings, TOOL))


@compiled
def _convert_to_base(robot, pose):
    """The flange's pose in the base for a mock-up's pose in the world: six numbers."""
    flange = compose(Pose(pose.p, pose.q), invert_pose(load_frame(robot.settings, TOOL)))
    return to_kuka_frame(compose(invert_pose(load_frame(robot.settings, BASE)), flange))


@compiled
def _apply_correction(robot):
    """The flange's set-point in the base: the pose at RSI_ON with the correction."""
    mem, start = robot.mem, load_frame(robot.settings, START)
    offset = load_frame(mem, APPLIED)
    return Pose(add(start.p, offset.p), product(offset.q, start.q))


@compiled
def _limit_correction(robot):
    """PosCorr: translations per axis and the total angle held within their limits."""
    s, mem, clamped = robot.settings, robot.mem, False
    for i in range(3):
        within = min(max(mem[APPLIED + i], s[LOWER + i]), s[UPPER + i])
        clamped = clamped or within != mem[APPLIED + i]
        mem[APPLIED + i] = within
    turn = logarithm(load_attitude(mem, APPLIED))
    angle, most = norm(turn), s[MOST_TURN] * DEGREE
    if angle > most:
        pose = Pose((0.0, 0.0, 0.0), exponential(scale(most / angle, turn)))
        _, _, _, mem[APPLIED + ANGLE.a], mem[APPLIED + ANGLE.b], mem[APPLIED + ANGLE.c] = (
            to_kuka_frame(pose)
        )
        clamped = True
    robot.whole[CLAMPED] += 1 if clamped else 0


@compiled
def _check_monitor(robot):
    """PosCorrMon: a correction beyond its limits ends RSI."""
    s, mem = robot.settings, robot.mem
    move, turn = norm(load3(mem, APPLIED)), norm(logarithm(load_attitude(mem, APPLIED)))
    if move > s[MONITOR_MM] or turn > s[MONITOR_DEG] * DEGREE:
        robot.whole[STATE] = MONITOR


@compiled
def _judge_reply(robot):
    """The reply to the last Rob at the next tick: taken, or late and held or dropped."""
    whole, mem, rows = robot.whole, robot.mem, robot.rows
    if whole[ANSWERED] != 0:
        whole[LATE_IN_A_ROW] = 0
        for i in range(FRAME_NUMBERS):
            mem[APPLIED + i] = mem[RECEIVED + i]
    else:
        whole[LATE] += 1
        whole[LATE_IN_A_ROW] += 1
        for i in range(FRAME_NUMBERS):
            if robot.table[rows[CORRECTION + i], HOLD] == 0:
                mem[APPLIED + i] = 0.0
        in_a_row = robot.settings[IN_A_ROW] != 0.0
        count = whole[LATE_IN_A_ROW] if in_a_row else whole[LATE]
        if count >= robot.settings[TIMEOUT]:
            whole[STATE] = TIMED_OUT


@compiled
def _write_telegram(robot, n, out):
    """Rob: measured and wanted pose at tick n, the count of late replies, IPOC."""
    set_points, motions, slots = locate_rings(robot)
    whole, rows, told = robot.whole, robot.rows, robot.told
    measured = _convert_to_base(robot, read_stamped(robot.mem, motions, slots, n))
    wanted = _convert_to_base(robot, read_stamped(robot.mem, set_points, slots, n))
    for i in range(FRAME_NUMBERS):
        if rows[MEASURED + i] > 0:
            told[rows[MEASURED + i]] = measured[i]
        if rows[WANTED + i] > 0:
            told[rows[WANTED + i]] = wanted[i]
    if rows[DELAY_ROW] > 0:
        told[rows[DELAY_ROW]] = float(whole[LATE])
    whole[ANSWERED] = 0
    return write_telegram(robot.literals, robot.pieces, told, whole[ROB_IPOC], out)


@noinline
def start_robot(robot, first_ns, ipoc, motion):
    """RSI_ON at an instant: set-points and motions so far are those of a steady motion.

    A robot at rest is one whose motion has no twist. The pose at RSI_ON becomes the zero of the
    corrections; a motion in the world, of the mock-up.
    """
    set_points, motions, slots = locate_rings(robot)
    T, whole = 1e-9 * robot.settings[PERIOD_NS], robot.whole
    for i in range(ROBOT_WHOLES):
        whole[i] = 0
    for i in range(set_points):
        robot.mem[i] = 0.0
    frame = _convert_to_base(robot, motion)
    for i in range(FRAME_NUMBERS):
        robot.settings[START + i] = frame[i]
    for j in range(2 - slots, 2):
        push(robot.mem, set_points, slots, j, coasting(motion, j * T))
        push(robot.mem, motions, slots, j, coasting(motion, j * T))
        robot.instants[j % slots] = first_ns + int(j * robot.settings[PERIOD_NS])
    whole[STATE], whole[TICK], whole[NEXT_NS] = RUNNING, -1, first_ns
    whole[ROB_IPOC] = ipoc - int(robot.settings[IPOC_STEP])


@noinline
def tick_robot(features, robot, out):
    """The controller's next tick, at NEXT_NS: the size of its Rob in `out`; 0 when RSI is off."""
    whole, s = robot.whole, robot.settings
    if whole[STATE] == RUNNING and whole[TICK] >= 0:
        _judge_reply(robot)
        _limit_correction(robot)
        _check_monitor(robot)
    n, slots = whole[TICK] + 1, robot.instants.shape[0]
    now = whole[NEXT_NS]
    after, robot.mem[REST] = compute_next_tick(
        now, robot.mem[REST], s[PERIOD_NS], s[DRIFT_PPM], robot.windows, int(s[WHICH])
    )
    move_robot(features, robot, n, _convert_to_world(robot, _apply_correction(robot)))
    robot.instants[n % slots], robot.instants[(n + 1) % slots] = now, after
    whole[TICK_NS], whole[NEXT_NS] = now, after
    whole[ROB_IPOC] += int(s[IPOC_STEP])
    whole[TICK] = n  # last: a sensor in another process reads the rings up to here
    return _write_telegram(robot, n, out) if whole[STATE] == RUNNING else 0


@noinline
def receive_reply(robot, data, size):
    """A datagram from the controller's peer: telegram.OK, or why it is no reply."""
    whole = robot.whole
    if whole[STATE] != RUNNING:
        return OK
    status, ipoc = scan_telegram(data, size, robot.names, robot.table, robot.heard, robot.seen)
    whole[LAST_STATUS] = status
    if status != OK or ipoc != whole[ROB_IPOC] or whole[ANSWERED] != 0:
        whole[REJECTED] += 1
        return status
    whole[ANSWERED] = 1
    for i in range(FRAME_NUMBERS):  # kept apart: the next datagram may be no reply
        robot.mem[RECEIVED + i] = robot.heard[robot.rows[CORRECTION + i]]
    stop = robot.rows[STOP_ROW]
    if stop > 0 and robot.heard[stop] != 0.0:
        whole[STATE] = EXITED
    return OK
