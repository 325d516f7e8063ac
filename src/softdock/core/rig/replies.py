"""What each robot is told: the set-point of its own instant, by the state of the rig, through the
box and the last gate.

    to the start, return    a quintic from rest to rest in the robot's base
    run-up                  the scenario's motion of t = 0, coasted backwards (paths.py)
    approach, contact       the controller's set-point, coasted from t_{k+1} to the robot's own tick
    retreat, braking        from the last two replies (stop.py)
    all others              the last reply again
"""

from __future__ import annotations

from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled, seldom
from softdock.core.rig import reasons
from softdock.core.rig.arrays import (
    LIMIT,
    RS,
    RV,
    S,
    V,
    away_sign,
    fail,
    force_on,
    leaver,
    master_of,
    shift_of,
)
from softdock.core.rig.flange import correction_from, to_base
from softdock.core.rig.layout import (
    APPROACH,
    BRAKING,
    CONTACT,
    FRAME,
    PLAN,
    RETREATING,
    RETURNING,
    RUN_UP,
    SENT_SLOTS,
    TRANSFER,
    WAY_OUT,
)
from softdock.core.rig.paths import on_way, run_up_time
from softdock.core.rig.stop import is_number, passes, step_between, stopping
from softdock.core.seam import C
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    Pose,
    coasting,
    load_motion,
    load_pose,
    store_pose,
)
from softdock.core.spatial.rotations import inverse, logarithm, product, rotate_back
from softdock.core.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    dot,
    load3,
    norm,
    scale,
    store3,
    subtract,
)
from softdock.core.wire.kuka_frame import DEGREE, FRAME_NUMBERS
from softdock.core.wire.links import LOST_NOW, NEWEST, STAMP_NS
from softdock.core.wire.telegram import write

F, P = FRAME.at, PLAN.at


@compiled
def _after_master(program, robots, which):
    """How much later than the master's newest tick this robot's is [s], at most a cycle: further
    nothing is foretold."""
    master = master_of(program)
    if which == master or robots[master].whole[NEWEST] == 0:
        return 0.0
    T = program.plan[P.cycle]
    after = NS * (robots[which].whole[STAMP_NS] - robots[master].whole[STAMP_NS])
    return min(max(after, -T), T)


@compiled
def _laid(program, which, motion):
    """A set-point of the mock-up as what RIst tells, base; a dry run keeps its distance."""
    p = add(motion.p, shift_of(program, which))
    return to_base(program.frames[which], Pose(p, motion.q))


@compiled
def run_up_pose(program, which, tau):
    """Pose of the run-up after tau [s], base axes."""
    plan = program.plan
    start = load_motion(plan, P.start_chaser + which * MOTION_FLOATS)
    s = run_up_time(tau, plan[P.ramp], plan[P.settle])
    return _laid(program, which, coasting(start, s))


@compiled
def _away(program, which):
    """The axis away from the other mock-up, orbit's axes."""
    return scale(away_sign(which), load3(program.limits, LIMIT.axis))


@compiled
def _backing_off(program, which):
    """Where a retreat goes [m/s, orbit's axes]: along the force while there is one."""
    limits, force = program.limits, force_on(program, which)
    size, backed = norm(force), program.robot_seen[which, RV.backed]
    is_over = backed >= limits[LIMIT.retreat] or program.frames[which, F.stays] != 0.0
    if is_over:
        return ZERO
    if program.stand[S.reason] == reasons.FORCE_STALE:
        return scale(limits[LIMIT.retreat_speed], _away(program, which))
    if size <= 0.5 * limits[LIMIT.touch]:
        return ZERO
    return scale(limits[LIMIT.retreat_speed] / size, force)


@compiled
def _leaving(program, which):
    """The way out of a jam: along the axis, giving way to what pushes sideways [m/s]."""
    limits = program.limits
    if which != leaver(program) or program.robot_seen[which, RV.backed] >= limits[LIMIT.retreat]:
        return ZERO
    axis, force = _away(program, which), force_on(program, which)
    sideways = scale(limits[LIMIT.relief], add_scaled(force, -dot(force, axis), axis))
    size, most = norm(sideways), limits[LIMIT.retreat_speed]
    if size > most:
        sideways = scale(most / size, sideways)
    return add_scaled(sideways, most, axis)


@seldom
def _stopped_pose(program, robots, which, is_calm):
    """One more cycle of a stop, a retreat or a way out: the next set-point, base."""
    limits, kept, T = program.limits, program.robot_seen[which], program.plan[P.cycle]
    state = program.stand[S.state]
    wanted = ZERO
    if state == RETREATING:
        wanted = _backing_off(program, which)
    elif state == WAY_OUT:
        wanted = _leaving(program, which)
    wanted = rotate_back(load_pose(program.frames[which], F.base).q, wanted)
    v, w = load3(kept, RV.v), load3(kept, RV.w)
    if is_calm:  # it stood on its last correction all the while
        v, w = ZERO, ZERO
    pose = load_pose(kept, RV.reply)
    made, v_new, w_new = stopping(
        pose,
        v,
        w,
        wanted,
        limits[LIMIT.deceleration],
        limits[LIMIT.turn_deceleration],
        T,
    )
    store3(kept, RV.stop_v, v_new)
    store3(kept, RV.stop_w, w_new)
    kept[RV.backed] += max(0.0, dot(v_new, wanted)) * T / max(norm(wanted), 1e-12)
    if norm(wanted) == 0.0 and norm(v_new) == 0.0 and norm(w_new) == 0.0:
        program.robot_stand[which, RS.standing] = 1
    return made


@compiled
def is_stopping(state):
    return state in (RETREATING, BRAKING, WAY_OUT)


@apart
def _wanted(program, robots, which):
    """The set-point of this robot's own instant, a cycle after its newest tick; base."""
    stand, plan, kept = program.stand, program.plan, program.robot_seen[which]
    state, after = stand[S.state], _after_master(program, robots, which)
    tau = (stand[S.in_state] + 1) * plan[P.cycle] + after
    if state in (TRANSFER, RETURNING):
        goal = load_pose(kept, RV.zero)
        if state == TRANSFER:
            goal = run_up_pose(program, which, 0.0)
        lasts = program.seen[V.transfer_s]
        return on_way(load_pose(kept, RV.leave), goal, tau / lasts if lasts > 0.0 else 1.0)
    if state == RUN_UP:
        return run_up_pose(program, which, tau)
    if state in (APPROACH, CONTACT):
        command = load_motion(program.command, C.chaser + which * MOTION_FLOATS)
        if after != 0.0:
            command = coasting(command, after)
        return _laid(program, which, command)
    if is_stopping(state):
        is_calm = robots[which].whole[LOST_NOW] >= program.limits[LIMIT.lost_in_a_row]
        return _stopped_pose(program, robots, which, is_calm)
    return load_pose(kept, RV.reply)


@compiled
def _check_place(program, which, pose):
    """Box, corrections and angle: whether a set-point may be sent."""
    frame, zero = program.frames[which], load_pose(program.robot_seen[which], RV.zero)
    if program.stand[S.state] in (BRAKING, RETREATING):
        return True  # on its way to rest, from a place that was allowed
    if not is_number(pose):
        return True  # the gate's to name
    for axis in range(3):
        low, high = frame[F.box_min + axis], frame[F.box_max + axis]
        out = max(low - pose.p[axis], pose.p[axis] - high)
        if out > 0.0:
            fail(program, reasons.BOX, which, 1e3 * out, float(axis))
            return False
        moved = pose.p[axis] - zero.p[axis]
        if not frame[F.lower + axis] <= moved <= frame[F.upper + axis]:
            side = frame[F.upper + axis] if moved > 0.0 else frame[F.lower + axis]
            fail(program, reasons.CORRECTION, which, 1e3 * moved, 1e3 * side)
            return False
    angle = norm(logarithm(product(inverse(zero.q), pose.q)))
    if angle > frame[F.max_angle]:
        fail(program, reasons.ANGLE, which, angle / DEGREE, frame[F.max_angle] / DEGREE)
        return False
    return True


@compiled
def _gate(program, which, pose):
    """The last gate: whether a set-point may leave, as it is."""
    limits, T = program.limits, program.plan[P.cycle]
    kept = program.robot_seen[which]
    if not is_number(pose):
        fail(program, reasons.NOT_FINITE, which, 0.0, 0.0)
        return False
    way, angle = step_between(load_pose(kept, RV.reply), pose)
    if passes(way, angle, limits[LIMIT.speed], limits[LIMIT.rate], T):
        kept[RV.largest_step] = max(kept[RV.largest_step], way)
        kept[RV.largest_turn] = max(kept[RV.largest_turn], angle)
        return True
    if way > limits[LIMIT.speed] * T:
        fail(program, reasons.GATE, which, 1e3 * way, 1e3 * limits[LIMIT.speed] * T)
    else:
        fail(program, reasons.GATE_ANGLE, which, angle / DEGREE, limits[LIMIT.rate] * T / DEGREE)
    return False


@compiled
def _through(program, robots, which):
    """The set-point that leaves: what is wanted, or else a stop from the last two replies, or else
    the last reply again; and whether it is one of a stop."""
    pose = _wanted(program, robots, which)
    if not _check_place(program, which, pose):
        pose = _wanted(program, robots, which)
    if _gate(program, which, pose):
        return pose, is_stopping(program.stand[S.state])
    program.robot_stand[which, RS.gated] += 1
    pose = _wanted(program, robots, which)  # the state has changed
    if _gate(program, which, pose):
        return pose, is_stopping(program.stand[S.state])
    return load_pose(program.robot_seen[which], RV.reply), False


@compiled
def _remember(program, robots, which, pose, is_stop):
    """The reply that leaves: its velocity, and where the robot was sent for its instant."""
    kept, stand, T = program.robot_seen[which], program.robot_stand[which], program.plan[P.cycle]
    last, per_s = load_pose(kept, RV.reply), 1.0 / (T * (1 + robots[which].whole[LOST_NOW]))
    store3(kept, RV.v, scale(per_s, subtract(pose.p, last.p)))
    store3(kept, RV.w, scale(per_s, logarithm(product(pose.q, inverse(last.q)))))
    if is_stop:  # the mean of a cycle in which it slows down is not where the next one begins
        store3(kept, RV.v, load3(kept, RV.stop_v))
        store3(kept, RV.w, load3(kept, RV.stop_w))
    store_pose(kept, RV.reply, pose)
    slot = stand[RS.sent] % SENT_SLOTS
    program.sent_ns[which, slot] = robots[which].whole[STAMP_NS] + int(T / NS + 0.5)
    store_pose(program.sent[which, slot], 0, pose)
    stand[RS.sent] += 1


@apart
def reply(program, robots, which, out):
    """The answer to a robot's newest telegram into `out`: its size."""
    pose, is_stop = _through(program, robots, which)
    _remember(program, robots, which, pose, is_stop)
    answer = program.answers[which]
    correction = correction_from(load_pose(program.robot_seen[which], RV.zero), pose)
    for i in range(FRAME_NUMBERS):
        answer.values[answer.correction[i]] = correction[i]
    ipoc = robots[which].whole[NEWEST]
    return write(answer.literals, answer.pieces, answer.values, ipoc, out)
