"""A robot controller with RSI, emulated: its clock, its telegrams, its limits, its motion.

At each tick of its own clock the controller judges the reply to its last telegram (same IPOC, in
time, else late: Delay counts it, HOLDON keeps or drops the correction, Timeout ends RSI), limits
the correction (PosCorr), watches it (PosCorrMon), moves by softdock's own robot model and sends
`Rob`. Corrections are absolute: an offset in the robot's base from the pose at RSI_ON,
translations added, rotations R(correction) R(start). Not emulated: axes (AIPos and the like are
zero), the path's deceleration after RSI ends (the set-point stands), elastic joints.

The mock-up's motion stands in a ring, one tick ahead, with the instants of the ticks, so that a
sensor in another process can ask for any instant (`motion_at_instant`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT
from softdock.core.robots.history import HERMITE, between, push, stamped
from softdock.core.robots.prepare import Carrier
from softdock.core.robots.robot import Chance, carry, prepare_follower, receive
from softdock.core.spatial.motion import MOTION_FLOATS, Motion, Pose, coasting
from softdock.core.spatial.rotations import exponential, inverse, logarithm, product
from softdock.core.spatial.vectors import ZERO, norm, scale, subtract
from softdock.core.wire.kuka_frame import (
    DEGREE,
    FRAME_NUMBERS,
    MM,
    attitude_of,
    frame_of,
    joined,
    load_frame,
    reversed_pose,
)
from softdock.core.wire.own_clock import next_instant
from softdock.core.wire.scanner import scan
from softdock.core.wire.telegram import HOLD, OK, write

# columns of the settings (float64)
PERIOD_NS, DRIFT_PPM, TIMEOUT, IN_A_ROW, IPOC_STEP, WHICH = range(6)
LOWER = 6  # PosCorr: mm, three
UPPER = LOWER + 3
MOST_TURN = UPPER + 3  # degrees, total
MONITOR_MM, MONITOR_DEG = MOST_TURN + 1, MOST_TURN + 2  # PosCorrMon
START = MONITOR_DEG + 1  # pose at RSI_ON in the base, six numbers
BASE = START + FRAME_NUMBERS  # the base in the world, six numbers
TOOL = BASE + FRAME_NUMBERS  # the mock-up's centre of mass from the flange, six numbers
ROBOT_SETTINGS = TOOL + FRAME_NUMBERS
# columns of the whole numbers (int64)
(
    STATE,
    TICK,  # number of the last tick, from 0
    TICK_NS,  # when it was
    NEXT_NS,
    ROB_IPOC,  # of the last Rob
    ANSWERED,  # whether it has its reply
    LATE,  # Delay D
    LATE_IN_A_ROW,
    REJECTED,  # datagrams that were no valid reply
    CLAMPED,  # ticks in which PosCorr limited
    LAST_STATUS,  # of the last datagram, telegram.REASONS
    ROBOT_WHOLES,
) = range(12)
SILENT, RUNNING, TIMED_OUT, MONITOR, EXITED = range(5)
STATES = ("RSI off", "RSI on", "Timeout reached", "PosCorrMon exceeded", "RSI_MOVECORR left")
# rows of the two telegrams' tables: corrections and stop of Sen, then of Rob (0: not there)
CORRECTION, STOP_ROW = 0, FRAME_NUMBERS
MEASURED, WANTED, DELAY_ROW = STOP_ROW + 1, STOP_ROW + 7, STOP_ROW + 13
ROBOT_ROWS = DELAY_ROW + 1
# floats in `mem`: corrections applied and received, the clock's fraction, the robot model's own
# memory, then two rings: set-points and motions
APPLIED, RECEIVED = 0, FRAME_NUMBERS
REST = RECEIVED + FRAME_NUMBERS
OWN = REST + 1


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
def _rings(robot):
    """Where the set-points and the motions stand, and how many of each."""
    slots = robot.instants.shape[0]
    motions = robot.mem.shape[0] - slots * MOTION_FLOATS
    return motions - slots * MOTION_FLOATS, motions, slots


@compiled
def _in_world(robot, frame):
    """The mock-up's pose in the world for a flange pose in the base."""
    flange = joined(load_frame(robot.settings, BASE), frame)
    return joined(flange, load_frame(robot.settings, TOOL))


@compiled
def _in_base(robot, pose):
    """The flange's pose in the base for a mock-up's pose in the world: six numbers."""
    flange = joined(Pose(pose.p, pose.q), reversed_pose(load_frame(robot.settings, TOOL)))
    return frame_of(joined(reversed_pose(load_frame(robot.settings, BASE)), flange))


@compiled
def _corrected(robot):
    """The flange's set-point in the base: the pose at RSI_ON with the correction."""
    mem, start = robot.mem, load_frame(robot.settings, START)
    move = (MM * mem[APPLIED], MM * mem[APPLIED + 1], MM * mem[APPLIED + 2])
    turn = attitude_of(mem[APPLIED + 3], mem[APPLIED + 4], mem[APPLIED + 5])
    p = (start.p[0] + move[0], start.p[1] + move[1], start.p[2] + move[2])
    return Pose(p, product(turn, start.q))


@compiled
def _limit(robot):
    """PosCorr: translations per axis and the total angle held within their limits."""
    s, mem, clamped = robot.settings, robot.mem, False
    for i in range(3):
        within = min(max(mem[APPLIED + i], s[LOWER + i]), s[UPPER + i])
        clamped = clamped or within != mem[APPLIED + i]
        mem[APPLIED + i] = within
    turn = logarithm(attitude_of(mem[APPLIED + 3], mem[APPLIED + 4], mem[APPLIED + 5]))
    angle, most = norm(turn), s[MOST_TURN] * DEGREE
    if angle > most:
        pose = Pose((0.0, 0.0, 0.0), exponential(scale(most / angle, turn)))
        _, _, _, mem[APPLIED + 3], mem[APPLIED + 4], mem[APPLIED + 5] = frame_of(pose)
        clamped = True
    robot.whole[CLAMPED] += 1 if clamped else 0


@compiled
def _watch(robot):
    """PosCorrMon: a correction beyond its limits ends RSI."""
    s, mem = robot.settings, robot.mem
    move = norm((mem[APPLIED], mem[APPLIED + 1], mem[APPLIED + 2]))
    turn = norm(logarithm(attitude_of(mem[APPLIED + 3], mem[APPLIED + 4], mem[APPLIED + 5])))
    if move > s[MONITOR_MM] or turn > s[MONITOR_DEG] * DEGREE:
        robot.whole[STATE] = MONITOR


@compiled
def _judge(robot):
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
def _move(features, robot, n, set_point):
    """The set-point of tick n arrives; the mock-up's motion at the next tick."""
    set_points, motions, slots = _rings(robot)
    which = int(robot.settings[WHICH])
    T = 1e-9 * robot.settings[PERIOD_NS]
    at = CHASER_ROBOT_AT if which == 0 else TARGET_ROBOT_AT
    was = stamped(robot.mem, set_points, slots, n - 1)
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
    before, now = stamped(m, motions, slots, n), float(n)
    # a delay shorter than a cycle would need a set-point that is not there yet: the last one holds
    push(m, set_points, slots, n + 1, Motion(moving.p, moving.q, ZERO, ZERO))
    after = carry(f, v, carrier, m, before, now, now + 1.0)
    push(m, motions, slots, n + 1, after)


@compiled
def _tell(robot, n, out):
    """Rob: measured and wanted pose at tick n, the count of late replies, IPOC."""
    set_points, motions, slots = _rings(robot)
    whole, rows, told = robot.whole, robot.rows, robot.told
    measured = _in_base(robot, stamped(robot.mem, motions, slots, n))
    wanted = _in_base(robot, stamped(robot.mem, set_points, slots, n))
    for i in range(FRAME_NUMBERS):
        if rows[MEASURED + i] > 0:
            told[rows[MEASURED + i]] = measured[i]
        if rows[WANTED + i] > 0:
            told[rows[WANTED + i]] = wanted[i]
    if rows[DELAY_ROW] > 0:
        told[rows[DELAY_ROW]] = float(whole[LATE])
    whole[ANSWERED] = 0
    return write(robot.literals, robot.pieces, told, whole[ROB_IPOC], out)


@apart
def start_robot(robot, first_ns, ipoc, motion):
    """RSI_ON at an instant: set-points and motions so far are those of a steady motion.

    A robot at rest is one whose motion has no twist. The pose at RSI_ON becomes the zero of the
    corrections; a motion in the world, of the mock-up.
    """
    set_points, motions, slots = _rings(robot)
    T, whole = 1e-9 * robot.settings[PERIOD_NS], robot.whole
    for i in range(ROBOT_WHOLES):
        whole[i] = 0
    for i in range(set_points):
        robot.mem[i] = 0.0
    frame = _in_base(robot, motion)
    for i in range(FRAME_NUMBERS):
        robot.settings[START + i] = frame[i]
    for j in range(2 - slots, 2):
        push(robot.mem, set_points, slots, j, coasting(motion, j * T))
        push(robot.mem, motions, slots, j, coasting(motion, j * T))
        robot.instants[j % slots] = first_ns + int(j * robot.settings[PERIOD_NS])
    whole[STATE], whole[TICK], whole[NEXT_NS] = RUNNING, -1, first_ns
    whole[ROB_IPOC] = ipoc - int(robot.settings[IPOC_STEP])


@apart
def tick(features, robot, out):
    """The controller's next tick, at NEXT_NS: the size of its Rob in `out`; 0 when RSI is off."""
    whole, s = robot.whole, robot.settings
    if whole[STATE] == RUNNING and whole[TICK] >= 0:
        _judge(robot)
        _limit(robot)
        _watch(robot)
    n, slots = whole[TICK] + 1, robot.instants.shape[0]
    now = whole[NEXT_NS]
    after, robot.mem[REST] = next_instant(
        now, robot.mem[REST], s[PERIOD_NS], s[DRIFT_PPM], robot.windows, int(s[WHICH])
    )
    _move(features, robot, n, _in_world(robot, _corrected(robot)))
    robot.instants[n % slots], robot.instants[(n + 1) % slots] = now, after
    whole[TICK_NS], whole[NEXT_NS] = now, after
    whole[ROB_IPOC] += int(s[IPOC_STEP])
    whole[TICK] = n  # last: a sensor in another process reads the rings up to here
    return _tell(robot, n, out) if whole[STATE] == RUNNING else 0


@apart
def hear_reply(robot, data, size):
    """A datagram from the controller's peer: telegram.OK, or why it is no reply."""
    whole = robot.whole
    if whole[STATE] != RUNNING:
        return OK
    status, ipoc = scan(data, size, robot.names, robot.table, robot.heard, robot.seen)
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


@apart
def motion_at_instant(robot, instant):
    """The mock-up in the world at an instant [ns], and whether the ring holds it."""
    _, motions, slots = _rings(robot)
    T, newest = 1e-9 * robot.settings[PERIOD_NS], robot.whole[TICK] + 1
    later = newest
    for back in range(1, slots - 1):
        j = newest - back
        begin, end = robot.instants[j % slots], robot.instants[later % slots]
        if begin <= instant:
            a, b = stamped(robot.mem, motions, slots, j), stamped(robot.mem, motions, slots, later)
            if instant == begin:
                return a, True
            if instant >= end:
                return b, instant == end
            return between(HERMITE, T, a, b, (instant - begin) / (end - begin)), True
        later = j
    return stamped(robot.mem, motions, slots, later), False
