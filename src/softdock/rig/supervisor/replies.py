"""What each robot is told: the set-point of its own instant, by the state of the rig, through the
box and the last gate.

    to the start, return    a quintic from rest to rest in the robot's base
    run-up                  the scenario's motion of t = 0, coasted backwards (paths.py)
    approach, contact       the controller's set-point, coasted from t_{k+1} to the robot's own tick
    retreat, braking        from the last two replies (paths.py)
    all others              the last reply again
"""

from __future__ import annotations

from softdock.compile.jit import cold, compiled, noinline
from softdock.loop.instants import NS
from softdock.loop.seam import COMMAND
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    Pose,
    coasting,
    load_motion,
    load_pose,
    store_pose,
)
from softdock.loop.spatial.rotations import inverse, logarithm, product, rotate_back
from softdock.loop.spatial.vectors import (
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
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import (
    compute_correction,
    convert_to_base,
    fail_check,
    get_dry_run_shift,
    get_force,
    get_master,
    get_retreat_sign,
    get_retreating_body,
)
from softdock.rig.supervisor.layout import (
    APPROACH,
    BRAKING,
    CONTACT,
    COUNT,
    FRAME,
    LIMIT,
    PLAN,
    REPLY_SLOTS,
    RETREATING,
    RETURNING,
    ROBOT_COUNT,
    ROBOT_VALUE,
    RUN_UP,
    TRANSFER,
    VALUE,
    WAY_OUT,
)
from softdock.rig.supervisor.paths import (
    compute_run_up_time,
    interpolate_path,
    is_finite_pose,
    is_step_allowed,
    measure_step,
    step_stop,
)
from softdock.rig.wire.kuka_frame import DEGREE, FRAME_NUMBERS
from softdock.rig.wire.links import LOST_NOW, NEWEST, STAMP_NS
from softdock.rig.wire.telegram import write_telegram

COMMAND_AT = COMMAND.at


@compiled
def _compute_lag(program, robots, which):
    """How much later than the master's newest tick this robot's is [s], at most a cycle: further
    nothing is foretold."""
    master = get_master(program)
    if which == master or robots[master].whole[NEWEST] == 0:
        return 0.0
    T = program.plan[PLAN.cycle]
    after = NS * (robots[which].whole[STAMP_NS] - robots[master].whole[STAMP_NS])
    return min(max(after, -T), T)


@compiled
def _convert_set_point(program, which, motion):
    """A set-point of the mock-up as what RIst tells, base; a dry run keeps its distance."""
    p = add(motion.p, get_dry_run_shift(program, which))
    return convert_to_base(program.frames[which], Pose(p, motion.q))


@compiled
def compute_run_up_pose(program, which, tau):
    """Pose of the run-up after tau [s], base axes."""
    plan = program.plan
    start = load_motion(plan, PLAN.start_chaser + which * MOTION_FLOATS)
    s = compute_run_up_time(tau, plan[PLAN.ramp], plan[PLAN.settle])
    return _convert_set_point(program, which, coasting(start, s))


@compiled
def _get_retreat_axis(program, which):
    """The axis away from the other mock-up, orbit's axes."""
    return scale(get_retreat_sign(which), load3(program.limits, LIMIT.axis))


@compiled
def _compute_retreat_velocity(program, which):
    """Where a retreat goes [m/s, orbit's axes]: along the force while there is one."""
    limits, force = program.limits, get_force(program, which)
    size, backed = norm(force), program.robot_values[which, ROBOT_VALUE.retreat_way]
    is_over = backed >= limits[LIMIT.retreat] or program.frames[which, FRAME.stays] != 0.0
    if is_over:
        return ZERO
    if program.counts[COUNT.reason] == reasons.FORCE_STALE:
        return scale(limits[LIMIT.retreat_speed], _get_retreat_axis(program, which))
    if size <= 0.5 * limits[LIMIT.touch]:
        return ZERO
    return scale(limits[LIMIT.retreat_speed] / size, force)


@compiled
def _compute_exit_velocity(program, which):
    """The way out of a jam: along the axis, giving way to what pushes sideways [m/s]."""
    limits = program.limits
    if (
        which != get_retreating_body(program)
        or program.robot_values[which, ROBOT_VALUE.retreat_way] >= limits[LIMIT.retreat]
    ):
        return ZERO
    axis, force = _get_retreat_axis(program, which), get_force(program, which)
    sideways = scale(limits[LIMIT.relief], add_scaled(force, -dot(force, axis), axis))
    size, most = norm(sideways), limits[LIMIT.retreat_speed]
    if size > most:
        sideways = scale(most / size, sideways)
    return add_scaled(sideways, most, axis)


@cold
def _compute_stop_pose(program, robots, which, is_calm):
    """One more cycle of a stop, a retreat or a way out: the next set-point, base."""
    limits, values, T = program.limits, program.robot_values[which], program.plan[PLAN.cycle]
    state = program.counts[COUNT.state]
    wanted = ZERO
    if state == RETREATING:
        wanted = _compute_retreat_velocity(program, which)
    elif state == WAY_OUT:
        wanted = _compute_exit_velocity(program, which)
    wanted = rotate_back(load_pose(program.frames[which], FRAME.base).q, wanted)
    v, w = load3(values, ROBOT_VALUE.v), load3(values, ROBOT_VALUE.w)
    if is_calm:  # it stood on its last correction all the while
        v, w = ZERO, ZERO
    pose = load_pose(values, ROBOT_VALUE.reply)
    made, v_new, w_new = step_stop(
        pose,
        v,
        w,
        wanted,
        limits[LIMIT.deceleration],
        limits[LIMIT.turn_deceleration],
        T,
    )
    store3(values, ROBOT_VALUE.stop_v, v_new)
    store3(values, ROBOT_VALUE.stop_w, w_new)
    values[ROBOT_VALUE.retreat_way] += max(0.0, dot(v_new, wanted)) * T / max(norm(wanted), 1e-12)
    if norm(wanted) == 0.0 and norm(v_new) == 0.0 and norm(w_new) == 0.0:
        program.robot_counts[which, ROBOT_COUNT.at_rest] = 1
    return made


@compiled
def is_stopping(state):
    return state in (RETREATING, BRAKING, WAY_OUT)


@noinline
def _compute_set_point(program, robots, which):
    """The set-point of this robot's own instant, a cycle after its newest tick; base."""
    counts, plan, values = program.counts, program.plan, program.robot_values[which]
    state, after = counts[COUNT.state], _compute_lag(program, robots, which)
    tau = (counts[COUNT.in_state] + 1) * plan[PLAN.cycle] + after
    if state in (TRANSFER, RETURNING):
        goal = load_pose(values, ROBOT_VALUE.start)
        if state == TRANSFER:
            goal = compute_run_up_pose(program, which, 0.0)
        lasts = program.values[VALUE.transfer_s]
        return interpolate_path(
            load_pose(values, ROBOT_VALUE.path_start), goal, tau / lasts if lasts > 0.0 else 1.0
        )
    if state == RUN_UP:
        return compute_run_up_pose(program, which, tau)
    if state in (APPROACH, CONTACT):
        command = load_motion(program.command, COMMAND_AT.chaser + which * MOTION_FLOATS)
        if after != 0.0:
            command = coasting(command, after)
        return _convert_set_point(program, which, command)
    if is_stopping(state):
        is_calm = robots[which].whole[LOST_NOW] >= program.limits[LIMIT.lost_in_a_row]
        return _compute_stop_pose(program, robots, which, is_calm)
    return load_pose(values, ROBOT_VALUE.reply)


@compiled
def _check_place(program, which, pose):
    """Box, corrections and angle: whether a set-point may be sent."""
    frame, zero = program.frames[which], load_pose(program.robot_values[which], ROBOT_VALUE.start)
    if program.counts[COUNT.state] in (BRAKING, RETREATING):
        return True  # on its way to rest, from a place that was allowed
    if not is_finite_pose(pose):
        return True  # the gate's to name
    for axis in range(3):
        low, high = frame[FRAME.box_min + axis], frame[FRAME.box_max + axis]
        out = max(low - pose.p[axis], pose.p[axis] - high)
        if out > 0.0:
            fail_check(program, reasons.BOX, which, 1e3 * out, float(axis))
            return False
        moved = pose.p[axis] - zero.p[axis]
        if not frame[FRAME.lower + axis] <= moved <= frame[FRAME.upper + axis]:
            side = frame[FRAME.upper + axis] if moved > 0.0 else frame[FRAME.lower + axis]
            fail_check(program, reasons.CORRECTION, which, 1e3 * moved, 1e3 * side)
            return False
    angle = norm(logarithm(product(inverse(zero.q), pose.q)))
    if angle > frame[FRAME.max_angle]:
        fail_check(program, reasons.ANGLE, which, angle / DEGREE, frame[FRAME.max_angle] / DEGREE)
        return False
    return True


@compiled
def _check_step(program, which, pose):
    """The last gate: whether a set-point may leave, as it is."""
    limits, T = program.limits, program.plan[PLAN.cycle]
    values = program.robot_values[which]
    if not is_finite_pose(pose):
        fail_check(program, reasons.NOT_FINITE, which, 0.0, 0.0)
        return False
    way, angle = measure_step(load_pose(values, ROBOT_VALUE.reply), pose)
    if is_step_allowed(way, angle, limits[LIMIT.speed], limits[LIMIT.rate], T):
        values[ROBOT_VALUE.largest_step] = max(values[ROBOT_VALUE.largest_step], way)
        values[ROBOT_VALUE.largest_turn] = max(values[ROBOT_VALUE.largest_turn], angle)
        return True
    if way > limits[LIMIT.speed] * T:
        fail_check(program, reasons.GATE, which, 1e3 * way, 1e3 * limits[LIMIT.speed] * T)
    else:
        fail_check(
            program, reasons.GATE_ANGLE, which, angle / DEGREE, limits[LIMIT.rate] * T / DEGREE
        )
    return False


@compiled
def _choose_reply(program, robots, which):
    """The set-point that leaves: what is wanted, or else a stop from the last two replies, or else
    the last reply again; and whether it is one of a stop."""
    pose = _compute_set_point(program, robots, which)
    if not _check_place(program, which, pose):
        pose = _compute_set_point(program, robots, which)
    if _check_step(program, which, pose):
        return pose, is_stopping(program.counts[COUNT.state])
    program.robot_counts[which, ROBOT_COUNT.blocked] += 1
    pose = _compute_set_point(program, robots, which)  # the state has changed
    if _check_step(program, which, pose):
        return pose, is_stopping(program.counts[COUNT.state])
    return load_pose(program.robot_values[which], ROBOT_VALUE.reply), False


@compiled
def _store_reply(program, robots, which, pose, is_stop):
    """The reply that leaves: its velocity, and where the robot was sent for its instant."""
    values = program.robot_values[which]
    counts = program.robot_counts[which]
    T = program.plan[PLAN.cycle]
    last = load_pose(values, ROBOT_VALUE.reply)
    per_s = 1.0 / (T * (1 + robots[which].whole[LOST_NOW]))
    store3(values, ROBOT_VALUE.v, scale(per_s, subtract(pose.p, last.p)))
    store3(values, ROBOT_VALUE.w, scale(per_s, logarithm(product(pose.q, inverse(last.q)))))
    if is_stop:  # the mean of a cycle in which it slows down is not where the next one begins
        store3(values, ROBOT_VALUE.v, load3(values, ROBOT_VALUE.stop_v))
        store3(values, ROBOT_VALUE.w, load3(values, ROBOT_VALUE.stop_w))
    store_pose(values, ROBOT_VALUE.reply, pose)
    slot = counts[ROBOT_COUNT.replies] % REPLY_SLOTS
    program.reply_ns[which, slot] = robots[which].whole[STAMP_NS] + int(T / NS + 0.5)
    store_pose(program.replies[which, slot], 0, pose)
    counts[ROBOT_COUNT.replies] += 1


@noinline
def write_reply(program, robots, which, out):
    """The answer to a robot's newest telegram into `out`: its size."""
    pose, is_stop = _choose_reply(program, robots, which)
    _store_reply(program, robots, which, pose, is_stop)
    answer = program.answers[which]
    correction = compute_correction(load_pose(program.robot_values[which], ROBOT_VALUE.start), pose)
    for i in range(FRAME_NUMBERS):
        answer.values[answer.correction[i]] = correction[i]
    ipoc = robots[which].whole[NEWEST]
    return write_telegram(answer.literals, answer.pieces, answer.values, ipoc, out)
