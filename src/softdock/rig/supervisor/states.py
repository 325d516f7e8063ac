"""What the master's telegram makes of the rig's state: one call per cycle.

    idle -> arming -> to the start -> run-up -> approach <-> contact -> braking -> return -> stopped
                                                                 any -> retreat, braking -> stopped

Arming: everybody heard for the stated time, IPOC's step learnt and equal to the stated cycle, poses
in their box and still, corrections zero, the sensor's zero taken. A failed check leads to a retreat
or to braking and then to `stopped`, never back. In `stopped` the robots stand and every telegram is
answered with the last correction until RSI is switched off.
"""

from __future__ import annotations

from softdock.compile.jit import cold, compiled, noinline
from softdock.loop.bodies import BODIES
from softdock.loop.instants import NS
from softdock.loop.spatial.motion import MOTION, MOTION_FLOATS, load_pose, store_pose
from softdock.loop.spatial.vectors import load3, norm, store3, subtract
from softdock.recording.event_text import NOBODY
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import (
    enter_state,
    fail_check,
    get_largest_force,
    get_master,
    get_retreating_body,
    has_robot,
)
from softdock.rig.supervisor.control import finish_control, run_control_cycle
from softdock.rig.supervisor.forces import (
    average_free_force,
    check_forces,
    find_silent_sensor,
    gather_bias,
    is_docking,
    read_forces,
    zero_forces,
)
from softdock.rig.supervisor.layout import (
    APPROACH,
    ARMING,
    BRAKING,
    COUNT,
    IDLE,
    LEAVE,
    LIMIT,
    NO_REQUEST,
    PLAN,
    RETREATING,
    RETURNING,
    ROBOT_COUNT,
    ROBOT_VALUE,
    RUN_UP,
    STOP_REQUEST,
    STOPPED,
    TRANSFER,
    VALUE,
    WAY_OUT,
)
from softdock.rig.supervisor.paths import compute_path_duration
from softdock.rig.supervisor.replies import compute_run_up_pose
from softdock.rig.wire.links import COUNTS_TELEGRAMS, LEARNT_STEP, LOST_NOW, STAMP_NS
from softdock.rig.wire.sequences import FAR

MOTION_AT = MOTION.at
STAND_STILL_S = 3.0  # a stop that takes longer has nobody to answer
JAM_GROWTH = 1.2  # of the force when a way out begins


@compiled
def _is_armed(program, robots, sensors, now):
    """Whether everybody has been heard for long enough; refuses what will never be."""
    plan, counts = program.plan, program.counts
    waited = NS * (now - counts[COUNT.began_ns])
    for which in range(BODIES):
        if not has_robot(program, which):
            continue
        learnt = robots[which].whole[LEARNT_STEP]
        is_stated = learnt in (0, int(plan[PLAN.step_ms]))
        if not is_stated and robots[which].whole[COUNTS_TELEGRAMS] == 0:
            fail_check(program, reasons.WRONG_CYCLE, which, float(learnt), plan[PLAN.step_ms])
            return False
        heard = program.robot_counts[which, ROBOT_COUNT.telegrams] * plan[PLAN.cycle]
        if learnt == 0 or heard < 0.5 * plan[PLAN.listen]:
            if waited > plan[PLAN.patience]:
                fail_check(program, reasons.ROBOT_NOT_HEARD, which, 0.0, waited)
            return False
        values = program.robot_values[which]
        way = norm(subtract(load3(values, ROBOT_VALUE.measured), load3(values, ROBOT_VALUE.start)))
        if way > program.limits[LIMIT.still]:
            fail_check(program, reasons.MOVED, which, 1e3 * way, 1e3 * program.limits[LIMIT.still])
            return False
    missing = find_silent_sensor(program, sensors, now)
    if missing >= 0 and waited > plan[PLAN.patience]:
        refused = float(sensors[missing].sequence[FAR])
        fail_check(program, reasons.SENSOR_NOT_HEARD, missing, refused, waited)
    return missing < 0 and waited >= plan[PLAN.listen]


@cold
def _begin_path(program, state):
    """A planned way from where the robots stand: how long it takes."""
    plan, longest = program.plan, 0.0
    for which in range(BODIES):
        if not has_robot(program, which):
            continue
        values = program.robot_values[which]
        here = load_pose(values, ROBOT_VALUE.reply)
        store_pose(values, ROBOT_VALUE.path_start, here)
        goal = load_pose(values, ROBOT_VALUE.start)
        if state == TRANSFER:
            goal = compute_run_up_pose(program, which, 0.0)
        lasts = compute_path_duration(
            here,
            goal,
            plan[PLAN.transfer_speed],
            plan[PLAN.transfer_rate],
            plan[PLAN.transfer_acceleration],
        )
        longest = max(longest, lasts)
    program.values[VALUE.transfer_s] = longest
    enter_state(program, state)


@cold
def _arm(program, robots, sensors, now):
    gather_bias(program, sensors, now)
    if not _is_armed(program, robots, sensors, now):
        return
    zero_forces(program, sensors, program.counts[COUNT.now_ns])
    if int(program.plan[PLAN.task]) == LEAVE:
        check_forces(program)
        program.values[VALUE.jam_force] = get_largest_force(program)
        enter_state(program, WAY_OUT)
        return
    _begin_path(program, TRANSFER)


@cold
def _start_docking(program, now, late):
    """t = 0 of the run: the newest tick, or `late` cycles before it."""
    counts, plan = program.counts, program.plan
    counts[COUNT.first_ns] = now - late * int(plan[PLAN.cycle] / NS + 0.5)
    counts[COUNT.due] = 1 + late
    for which in range(BODIES):
        start = PLAN.start_chaser + which * MOTION_FLOATS
        store3(program.robot_values[which], ROBOT_VALUE.step, load3(plan, start + MOTION_AT.v))
        store3(program.robot_values[which], ROBOT_VALUE.turn, load3(plan, start + MOTION_AT.w))
    enter_state(program, APPROACH)


@compiled
def _run_due_cycles(program, params, robots, now, forces):
    """The scenario's cycles that this telegram stands for."""
    counts, due = program.counts, program.counts[COUNT.due]
    counts[COUNT.caught_up] += due - 1
    for _ in range(due):
        if counts[COUNT.cycles] >= int(program.plan[PLAN.total]):
            finish_control(program, params, robots, now, forces)
            counts[COUNT.reason] = reasons.COMPLETED
            program.values[VALUE.reason_value] = float(counts[COUNT.cycles])
            enter_state(program, BRAKING)
            return
        if not run_control_cycle(program, params, robots, now, due - 1, forces):
            return


@cold
def _end_stop(program):
    """Braking and backing off, until everybody stands."""
    counts, moving = program.counts, False
    for which in range(BODIES):
        stands = (
            not has_robot(program, which) or program.robot_counts[which, ROBOT_COUNT.at_rest] != 0
        )
        moving = moving or not stands
    slow = NS * (counts[COUNT.now_ns] - counts[COUNT.state_ns]) > STAND_STILL_S
    if moving and not slow:
        return
    touched = get_largest_force(program) > program.limits[LIMIT.touch]
    goes_back = counts[COUNT.reason] == reasons.COMPLETED and not touched and not moving
    if goes_back:
        _begin_path(program, RETURNING)
    else:
        enter_state(program, STOPPED)


@cold
def _check_way_out(program):
    """The way out of a jam: done, or the force grows."""
    values, limits = program.values, program.limits
    force = get_largest_force(program)
    most = max(limits[LIMIT.retreat_force], JAM_GROWTH * values[VALUE.jam_force])
    backed = program.robot_values[get_retreating_body(program), ROBOT_VALUE.retreat_way]
    if force > most:
        fail_check(program, reasons.JAMMED, NOBODY, force, most)
    elif backed >= limits[LIMIT.retreat]:
        program.counts[COUNT.reason] = reasons.RETREATED
        values[VALUE.reason_value] = 1e3 * backed
        enter_state(program, BRAKING)


@compiled
def read_request(program):
    """What the operator asks for; once. Also where no telegram of the master comes any more."""
    asked = program.request[0]
    if asked == NO_REQUEST or program.counts[COUNT.state] in (IDLE, STOPPED):
        return
    program.request[0] = NO_REQUEST
    if asked == STOP_REQUEST:
        fail_check(program, reasons.OPERATOR, NOBODY, 0.0, 0.0)


@noinline
def run_cycle(program, params, robots, sensors):
    """The master's newest telegram: state, forces, controller."""
    counts, plan, master = program.counts, program.plan, get_master(program)
    now, lost = robots[master].whole[STAMP_NS], robots[master].whole[LOST_NOW]
    counts[COUNT.in_state] += 1 + lost
    counts[COUNT.due] = 1 + lost
    counts[COUNT.cycle_rows] += 1
    if counts[COUNT.state] == IDLE:
        counts[COUNT.began_ns] = now
        enter_state(program, ARMING)
    read_request(program)
    forces = read_forces(program, sensors, now)
    state, T = counts[COUNT.state], plan[PLAN.cycle]
    if state == ARMING:
        _arm(program, robots, sensors, now)
    elif state == TRANSFER and counts[COUNT.in_state] * T >= program.values[VALUE.transfer_s]:
        enter_state(program, RUN_UP)
    elif state == RUN_UP:
        over = counts[COUNT.in_state] - int((plan[PLAN.ramp] + plan[PLAN.settle]) / T + 0.5)
        if over >= 0:
            _start_docking(program, now, over)
    elif state == RETURNING and counts[COUNT.in_state] * T >= program.values[VALUE.transfer_s]:
        enter_state(program, STOPPED)
    elif state in (BRAKING, RETREATING):
        _end_stop(program)
    elif state == WAY_OUT:
        _check_way_out(program)
    if is_docking(counts[COUNT.state]):
        _run_due_cycles(program, params, robots, now, forces)
        average_free_force(program, now)
    else:
        check_forces(program)
