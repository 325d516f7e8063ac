"""What a robot's telegram tells the supervisor, before it is answered.

In: the link with the newest telegram (rig/wire/links.py). Out: the pose at RSI_ON, the measured
pose that is believed, and failed checks: lost and late telegrams, jumps of pose and clock, the
operator's input, the distance from where the robot was sent.
"""

from __future__ import annotations

from softdock.compile.jit import cold, compiled, noinline
from softdock.loop.instants import NS
from softdock.loop.spatial.motion import Pose, load_pose, store_pose
from softdock.loop.spatial.rotations import exponential, inverse, logarithm, product
from softdock.loop.spatial.vectors import ZERO, add_scaled, scale, store3, subtract
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import AT_DRIFT, AT_TELEGRAMS, WARNING, fail_check, report_event
from softdock.rig.supervisor.layout import (
    COUNT,
    FRAME,
    LIMIT,
    PLAN,
    REPLY_SLOTS,
    RETREATING,
    ROBOT_COUNT,
    ROBOT_VALUE,
    STOPPED,
    TRANSFER,
)
from softdock.rig.supervisor.paths import is_finite_pose, measure_step
from softdock.rig.wire.clocks import BLOCKS, CLOCK_JUMPS, JUMPED_BY, compute_drift_ppm
from softdock.rig.wire.kuka_frame import DEGREE, MM, to_quaternion
from softdock.rig.wire.links import COUNTS_TELEGRAMS, LATE_REPLIES, LOST_NOW, STAMP_NS
from softdock.rig.wire.sequences import JUMPS

SETTLED_BLOCKS = 6  # of the clock's line, before its drift is believed
POSE_SPEEDS = 2.0  # a pose that moved faster than so many times the speed limit is not believed


@compiled
def _read_pose(values, rows):
    p = (MM * values[rows[0]], MM * values[rows[1]], MM * values[rows[2]])
    return Pose(p, to_quaternion(values[rows[3]], values[rows[4]], values[rows[5]]))


@cold
def _store_start(program, which, link, measured):
    """The first telegram: the pose at RSI_ON is the zero of all corrections. RSol where this
    telegram has it whole: it is the controller's own set-point, without the servos' error."""
    answer = program.answers[which]
    values = program.robot_values[which]
    counts = program.robot_counts
    zero = measured
    if answer.wanted[0] > 0:
        wanted = _read_pose(link.values, answer.wanted)
        zero = wanted if is_finite_pose(wanted) else measured
    store_pose(values, ROBOT_VALUE.start, zero)
    store_pose(values, ROBOT_VALUE.reply, zero)
    store_pose(values, ROBOT_VALUE.path_start, zero)
    store_pose(values, ROBOT_VALUE.measured, measured)
    store3(values, ROBOT_VALUE.v, ZERO)
    store3(values, ROBOT_VALUE.w, ZERO)
    counts[which, ROBOT_COUNT.has_start] = 1
    counts[which, ROBOT_COUNT.late_before] = counts[which, ROBOT_COUNT.late_first] = link.whole[
        LATE_REPLIES
    ]
    counts[which, ROBOT_COUNT.clock_jumps] = link.clock[CLOCK_JUMPS]
    counts[which, ROBOT_COUNT.renewed] = link.sequence[JUMPS]


@compiled
def _accept_pose(program, which, measured, lost):
    """The measured pose, unless it jumped: whether it is believed."""
    values = program.robot_values[which]
    counts = program.robot_counts[which]
    limits = program.limits
    way, angle = measure_step(load_pose(values, ROBOT_VALUE.measured), measured)
    lasts = POSE_SPEEDS * program.plan[PLAN.cycle] * (1 + lost + counts[ROBOT_COUNT.jump_row])
    most, most_angle = limits[LIMIT.speed] * lasts, limits[LIMIT.rate] * lasts
    if way <= most and angle <= most_angle:
        counts[ROBOT_COUNT.jump_row] = 0
        store_pose(values, ROBOT_VALUE.measured, measured)
        return True
    counts[ROBOT_COUNT.jumps] += 1
    counts[ROBOT_COUNT.jump_row] += 1
    if counts[ROBOT_COUNT.jump_row] >= limits[LIMIT.bad_in_a_row]:
        if way > most:
            fail_check(program, reasons.POSE_JUMP, which, 1e3 * way, 1e3 * most)
        else:
            fail_check(program, reasons.POSE_TURN, which, angle / DEGREE, most_angle / DEGREE)
    return False


@compiled
def _check_count(program, which, link):
    """Telegrams that were lost, and replies that came late, by the controller's own count."""
    limits = program.limits
    values = program.robot_values[which]
    counts = program.robot_counts[which]
    lost, late = link.whole[LOST_NOW], link.whole[LATE_REPLIES]
    share = min(1.0, program.plan[PLAN.cycle] * (1 + lost))  # of a second
    values[ROBOT_VALUE.lost_share] += share * (lost / (1.0 + lost) - values[ROBOT_VALUE.lost_share])
    counts[ROBOT_COUNT.late_row] = (
        counts[ROBOT_COUNT.late_row] + 1 if late > counts[ROBOT_COUNT.late_before] else 0
    )
    counts[ROBOT_COUNT.late_before] = late
    if late >= limits[LIMIT.late_in_all]:
        fail_check(program, reasons.LATE_IN_ALL, which, float(late), limits[LIMIT.late_in_all])
    if program.counts[COUNT.state] < TRANSFER:
        return
    if lost >= limits[LIMIT.lost_in_a_row]:
        fail_check(program, reasons.LOST, which, float(lost), limits[LIMIT.lost_in_a_row])
    if values[ROBOT_VALUE.lost_share] > limits[LIMIT.lost_share]:
        fail_check(
            program,
            reasons.LOST_SHARE,
            which,
            values[ROBOT_VALUE.lost_share],
            limits[LIMIT.lost_share],
        )
    if counts[ROBOT_COUNT.late_row] >= limits[LIMIT.late_in_a_row]:
        fail_check(
            program,
            reasons.LATE,
            which,
            float(counts[ROBOT_COUNT.late_row]),
            limits[LIMIT.late_in_a_row],
        )


@compiled
def _check_clock(program, which, link):
    counts, is_moving = program.robot_counts[which], program.counts[COUNT.state] >= TRANSFER
    jumps, renewed = link.clock[CLOCK_JUMPS], link.sequence[JUMPS]
    if jumps != counts[ROBOT_COUNT.clock_jumps] and is_moving:
        ahead = -1e3 * NS * link.clock[JUMPED_BY]
        fail_check(program, reasons.CLOCK, which, ahead, 0.0)
    if renewed != counts[ROBOT_COUNT.renewed] and is_moving:
        fail_check(
            program, reasons.NEW_COUNT, which, float(renewed - counts[ROBOT_COUNT.renewed]), 0.0
        )
    counts[ROBOT_COUNT.clock_jumps], counts[ROBOT_COUNT.renewed] = jumps, renewed
    if link.whole[COUNTS_TELEGRAMS] != counts[ROBOT_COUNT.count_reported]:
        counts[ROBOT_COUNT.count_reported] = link.whole[COUNTS_TELEGRAMS]
        report_event(program, WARNING, AT_TELEGRAMS, which, 0.0, b=0.0)
    drift = compute_drift_ppm(link.line)
    known = link.clock[BLOCKS] >= SETTLED_BLOCKS and counts[ROBOT_COUNT.drift_reported] == 0
    if known and abs(drift) > program.limits[LIMIT.drift_ppm]:
        counts[ROBOT_COUNT.drift_reported] = 1
        report_event(program, WARNING, AT_DRIFT, which, 0.0, b=drift)


@compiled
def _find_set_point(program, which, instant):
    """Where a robot was sent for an instant [ns], and whether that is known."""
    counts = program.robot_counts[which]
    stamps = program.reply_ns[which]
    poses = program.replies[which]
    sent, later = counts[ROBOT_COUNT.replies], -1
    for back in range(1, min(sent, REPLY_SLOTS) + 1):
        slot = (sent - back) % REPLY_SLOTS
        if stamps[slot] <= instant:
            a = load_pose(poses[slot], 0)
            if later < 0:
                return a, True
            b, span = load_pose(poses[later], 0), stamps[later] - stamps[slot]
            share = (instant - stamps[slot]) / span if span > 0 else 0.0
            turn = logarithm(product(inverse(a.q), b.q))
            q = product(a.q, exponential(scale(share, turn)))
            return Pose(add_scaled(a.p, share, subtract(b.p, a.p)), q), True
        later = slot
    return load_pose(program.robot_values[which], ROBOT_VALUE.start), sent < REPLY_SLOTS


@compiled
def _check_tracking(program, which, link, measured):
    limits, values = program.limits, program.robot_values[which]
    delay = int(program.frames[which, FRAME.delay] / NS)
    sent, is_known = _find_set_point(program, which, link.whole[STAMP_NS] - delay)
    if not is_known:
        return
    way, angle = measure_step(sent, measured)
    values[ROBOT_VALUE.largest_error] = max(values[ROBOT_VALUE.largest_error], way)
    if program.counts[COUNT.state] in (RETREATING, STOPPED):
        return  # pushed away by a contact, or handed over: no reason to stop once more
    if way > limits[LIMIT.tracking]:
        fail_check(program, reasons.TRACKING, which, 1e3 * way, 1e3 * limits[LIMIT.tracking])
    if angle > limits[LIMIT.tracking_angle]:
        most = limits[LIMIT.tracking_angle] / DEGREE
        fail_check(program, reasons.TRACKING_ANGLE, which, angle / DEGREE, most)


@noinline
def check_telegram(program, which, link):
    """A telegram that is to be answered: all checks that need nobody else."""
    answer, counts = program.answers[which], program.robot_counts[which]
    measured = _read_pose(link.values, answer.measured)
    if counts[ROBOT_COUNT.has_start] == 0:
        _store_start(program, which, link, measured)
    counts[ROBOT_COUNT.telegrams] += 1
    believed = _accept_pose(program, which, measured, link.whole[LOST_NOW])
    _check_count(program, which, link)
    _check_clock(program, which, link)
    if believed:
        _check_tracking(program, which, link, measured)
    if answer.stop[0] > 0 and link.values[answer.stop[0]] == float(answer.stop[1]):
        asked = link.values[answer.stop[0]]
        fail_check(program, reasons.STOP_INPUT, which, asked, 0.0)
