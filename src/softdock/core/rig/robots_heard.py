"""What a robot's telegram tells the supervisor, before it is answered.

In: the link with the newest telegram (core/wire/links.py). Out: the pose at RSI_ON, the measured
pose that is believed, and failed checks: lost and late telegrams, jumps of pose and clock, the
operator's input, the distance from where the robot was sent.
"""

from __future__ import annotations

from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled, seldom
from softdock.core.rig import reasons
from softdock.core.rig.arrays import (
    AT_DRIFT,
    AT_TELEGRAMS,
    LIMIT,
    RS,
    RV,
    WARNING,
    S,
    fail,
    tell,
)
from softdock.core.rig.layout import FRAME, PLAN, RETREATING, SENT_SLOTS, STOPPED, TRANSFER
from softdock.core.rig.stop import is_number, step_between
from softdock.core.spatial.motion import Pose, load_pose, store_pose
from softdock.core.spatial.rotations import exponential, inverse, logarithm, product
from softdock.core.spatial.vectors import ZERO, add_scaled, scale, store3, subtract
from softdock.core.wire.kuka_frame import DEGREE, MM, attitude_of
from softdock.core.wire.links import COUNTS_TELEGRAMS, LATE_REPLIES, LOST_NOW, STAMP_NS
from softdock.core.wire.peer_clock import BLOCKS, CLOCK_JUMPS, JUMPED_BY, drift_ppm
from softdock.core.wire.sequences import JUMPS

F, P = FRAME.at, PLAN.at
SETTLED_BLOCKS = 6  # of the clock's line, before its drift is believed
POSE_SPEEDS = 2.0  # a pose that moved faster than so many times the speed limit is not believed


@compiled
def _frame_in(values, rows):
    p = (MM * values[rows[0]], MM * values[rows[1]], MM * values[rows[2]])
    return Pose(p, attitude_of(values[rows[3]], values[rows[4]], values[rows[5]]))


@seldom
def _begin(program, which, link, measured):
    """The first telegram: the pose at RSI_ON is the zero of all corrections. RSol where this
    telegram has it whole: it is the controller's own set-point, without the servos' error."""
    answer, kept, stand = program.answers[which], program.robot_seen[which], program.robot_stand
    zero = measured
    if answer.wanted[0] > 0:
        wanted = _frame_in(link.values, answer.wanted)
        zero = wanted if is_number(wanted) else measured
    store_pose(kept, RV.zero, zero)
    store_pose(kept, RV.reply, zero)
    store_pose(kept, RV.leave, zero)
    store_pose(kept, RV.measured, measured)
    store3(kept, RV.v, ZERO)
    store3(kept, RV.w, ZERO)
    stand[which, RS.zeroed] = 1
    stand[which, RS.late_before] = stand[which, RS.late_first] = link.whole[LATE_REPLIES]
    stand[which, RS.clock_jumps] = link.clock[CLOCK_JUMPS]
    stand[which, RS.renewed] = link.sequence[JUMPS]


@compiled
def _believe(program, which, measured, lost):
    """The measured pose, unless it jumped: whether it is believed."""
    kept, stand, limits = program.robot_seen[which], program.robot_stand[which], program.limits
    way, angle = step_between(load_pose(kept, RV.measured), measured)
    lasts = POSE_SPEEDS * program.plan[P.cycle] * (1 + lost + stand[RS.jump_row])
    most, most_angle = limits[LIMIT.speed] * lasts, limits[LIMIT.rate] * lasts
    if way <= most and angle <= most_angle:
        stand[RS.jump_row] = 0
        store_pose(kept, RV.measured, measured)
        return True
    stand[RS.jumps] += 1
    stand[RS.jump_row] += 1
    if stand[RS.jump_row] >= limits[LIMIT.bad_in_a_row]:
        if way > most:
            fail(program, reasons.POSE_JUMP, which, 1e3 * way, 1e3 * most)
        else:
            fail(program, reasons.POSE_TURN, which, angle / DEGREE, most_angle / DEGREE)
    return False


@compiled
def _check_count(program, which, link):
    """Telegrams that were lost, and replies that came late, by the controller's own count."""
    limits, kept, stand = program.limits, program.robot_seen[which], program.robot_stand[which]
    lost, late = link.whole[LOST_NOW], link.whole[LATE_REPLIES]
    share = min(1.0, program.plan[P.cycle] * (1 + lost))  # of a second
    kept[RV.lost_share] += share * (lost / (1.0 + lost) - kept[RV.lost_share])
    stand[RS.late_row] = stand[RS.late_row] + 1 if late > stand[RS.late_before] else 0
    stand[RS.late_before] = late
    if late >= limits[LIMIT.late_in_all]:
        fail(program, reasons.LATE_IN_ALL, which, float(late), limits[LIMIT.late_in_all])
    if program.stand[S.state] < TRANSFER:
        return
    if lost >= limits[LIMIT.lost_in_a_row]:
        fail(program, reasons.LOST, which, float(lost), limits[LIMIT.lost_in_a_row])
    if kept[RV.lost_share] > limits[LIMIT.lost_share]:
        fail(program, reasons.LOST_SHARE, which, kept[RV.lost_share], limits[LIMIT.lost_share])
    if stand[RS.late_row] >= limits[LIMIT.late_in_a_row]:
        fail(program, reasons.LATE, which, float(stand[RS.late_row]), limits[LIMIT.late_in_a_row])


@compiled
def _check_clock(program, which, link):
    stand, is_moving = program.robot_stand[which], program.stand[S.state] >= TRANSFER
    jumps, renewed = link.clock[CLOCK_JUMPS], link.sequence[JUMPS]
    if jumps != stand[RS.clock_jumps] and is_moving:
        ahead = -1e3 * NS * link.clock[JUMPED_BY]
        fail(program, reasons.CLOCK, which, ahead, 0.0)
    if renewed != stand[RS.renewed] and is_moving:
        fail(program, reasons.NEW_COUNT, which, float(renewed - stand[RS.renewed]), 0.0)
    stand[RS.clock_jumps], stand[RS.renewed] = jumps, renewed
    if link.whole[COUNTS_TELEGRAMS] != stand[RS.telegrams_said]:
        stand[RS.telegrams_said] = link.whole[COUNTS_TELEGRAMS]
        tell(program, WARNING, AT_TELEGRAMS, which, 0.0, b=0.0)
    drift = drift_ppm(link.line)
    known = link.clock[BLOCKS] >= SETTLED_BLOCKS and stand[RS.drift_said] == 0
    if known and abs(drift) > program.limits[LIMIT.drift_ppm]:
        stand[RS.drift_said] = 1
        tell(program, WARNING, AT_DRIFT, which, 0.0, b=drift)


@compiled
def _sent_at(program, which, instant):
    """Where a robot was sent for an instant [ns], and whether that is known."""
    stand, stamps, poses = (
        program.robot_stand[which],
        program.sent_ns[which],
        program.sent[which],
    )
    sent, later = stand[RS.sent], -1
    for back in range(1, min(sent, SENT_SLOTS) + 1):
        slot = (sent - back) % SENT_SLOTS
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
    return load_pose(program.robot_seen[which], RV.zero), sent < SENT_SLOTS


@compiled
def _check_tracking(program, which, link, measured):
    limits, kept = program.limits, program.robot_seen[which]
    delay = int(program.frames[which, F.delay] / NS)
    sent, is_known = _sent_at(program, which, link.whole[STAMP_NS] - delay)
    if not is_known:
        return
    way, angle = step_between(sent, measured)
    kept[RV.largest_error] = max(kept[RV.largest_error], way)
    if program.stand[S.state] in (RETREATING, STOPPED):
        return  # pushed away by a contact, or handed over: no reason to stop once more
    if way > limits[LIMIT.tracking]:
        fail(program, reasons.TRACKING, which, 1e3 * way, 1e3 * limits[LIMIT.tracking])
    if angle > limits[LIMIT.tracking_angle]:
        most = limits[LIMIT.tracking_angle] / DEGREE
        fail(program, reasons.TRACKING_ANGLE, which, angle / DEGREE, most)


@apart
def hear_robot(program, which, link):
    """A telegram that is to be answered: all checks that need nobody else."""
    answer, stand = program.answers[which], program.robot_stand[which]
    measured = _frame_in(link.values, answer.measured)
    if stand[RS.zeroed] == 0:
        _begin(program, which, link, measured)
    stand[RS.heard] += 1
    believed = _believe(program, which, measured, link.whole[LOST_NOW])
    _check_count(program, which, link)
    _check_clock(program, which, link)
    if believed:
        _check_tracking(program, which, link, measured)
    if answer.stop[0] > 0 and link.values[answer.stop[0]] == float(answer.stop[1]):
        asked = link.values[answer.stop[0]]
        fail(program, reasons.STOP_INPUT, which, asked, 0.0)
