"""A robot controller with RSI, emulated: its clock, its telegrams, its limits, its motion.

At each tick of its own clock the controller judges the reply to its last telegram (same IPOC, in
time, else late: Delay counts it, HOLDON keeps or drops the correction, Timeout ends RSI), limits
the correction (PosCorr), watches it (PosCorrMon), moves by softdock's own robot model and sends
`Rob`. Corrections are absolute: an offset in the robot's base from the pose at RSI_ON,
translations added, rotations R(correction) R(start). Not emulated: axes (AIPos and the like are
zero), the path's deceleration after RSI ends (the set-point stands), elastic joints.

The mock-up's motion stands in a ring, one tick ahead, with the instants of the ticks, so that a
sensor in another process can ask for any instant (robot_motion.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.machine.compiled import apart, compiled
from softdock.core.robots.history import push, stamped
from softdock.core.spatial.motion import Pose, coasting
from softdock.core.spatial.rotations import exponential, logarithm, product
from softdock.core.spatial.vectors import add, load3, norm, scale
from softdock.core.wire.kuka_frame import (
    DEGREE,
    FRAME_NUMBERS,
    KUKA_FRAME,
    frame_of,
    joined,
    load_attitude,
    load_frame,
    reversed_pose,
)
from softdock.core.wire.own_clock import next_instant
from softdock.core.wire.robot_cells import (
    ANSWERED,
    APPLIED,
    BASE,
    CLAMPED,
    CORRECTION,
    DELAY_ROW,
    DRIFT_PPM,
    EXITED,
    IN_A_ROW,
    IPOC_STEP,
    LAST_STATUS,
    LATE,
    LATE_IN_A_ROW,
    LOWER,
    MEASURED,
    MONITOR,
    MONITOR_DEG,
    MONITOR_MM,
    MOST_TURN,
    NEXT_NS,
    PERIOD_NS,
    RECEIVED,
    REJECTED,
    REST,
    ROB_IPOC,
    ROBOT_WHOLES,
    RUNNING,
    START,
    STATE,
    STOP_ROW,
    TICK,
    TICK_NS,
    TIMED_OUT,
    TIMEOUT,
    TOOL,
    UPPER,
    WANTED,
    WHICH,
)
from softdock.core.wire.robot_motion import move_on, rings_of
from softdock.core.wire.scanner import scan
from softdock.core.wire.telegram import HOLD, OK, write

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
    offset = load_frame(mem, APPLIED)
    return Pose(add(start.p, offset.p), product(offset.q, start.q))


@compiled
def _limit(robot):
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
        _, _, _, mem[APPLIED + ANGLE.a], mem[APPLIED + ANGLE.b], mem[APPLIED + ANGLE.c] = frame_of(
            pose
        )
        clamped = True
    robot.whole[CLAMPED] += 1 if clamped else 0


@compiled
def _watch(robot):
    """PosCorrMon: a correction beyond its limits ends RSI."""
    s, mem = robot.settings, robot.mem
    move, turn = norm(load3(mem, APPLIED)), norm(logarithm(load_attitude(mem, APPLIED)))
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
def _tell(robot, n, out):
    """Rob: measured and wanted pose at tick n, the count of late replies, IPOC."""
    set_points, motions, slots = rings_of(robot)
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
    set_points, motions, slots = rings_of(robot)
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
    move_on(features, robot, n, _in_world(robot, _corrected(robot)))
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
