"""What the master's telegram makes of the rig's state: one call per cycle.

    idle -> arming -> to the start -> run-up -> approach <-> contact -> braking -> return -> stopped
                                                                 any -> retreat, braking -> stopped

Arming: everybody heard for the stated time, IPOC's step learnt and equal to the stated cycle, poses
in their box and still, corrections zero, the sensor's zero taken. A failed check leads to a retreat
or to braking and then to `stopped`, never back. In `stopped` the robots stand and every telegram is
answered with the last correction until RSI is switched off.
"""

from __future__ import annotations

from softdock.core.bodies import BODIES
from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled, seldom
from softdock.core.rig import reasons
from softdock.core.rig.arrays import (
    LIMIT,
    RS,
    RV,
    S,
    V,
    enter,
    fail,
    felt_force,
    has_robot,
    leaver,
    master_of,
)
from softdock.core.rig.control import control_cycle, finish_control
from softdock.core.rig.forces import (
    feel,
    first_silent,
    gather_bias,
    hear_forces,
    is_docking,
    zero_forces,
)
from softdock.core.rig.layout import (
    APPROACH,
    ARMING,
    ASKED_STOP,
    BRAKING,
    IDLE,
    LEAVE,
    NOT_ASKED,
    PLAN,
    RETREATING,
    RETURNING,
    RUN_UP,
    STOPPED,
    TRANSFER,
    WAY_OUT,
)
from softdock.core.rig.paths import way_time
from softdock.core.rig.replies import run_up_pose
from softdock.core.rig.zero import note_free_force
from softdock.core.spatial.motion import MOTION, MOTION_FLOATS, load_pose, store_pose
from softdock.core.spatial.vectors import load3, norm, store3, subtract
from softdock.core.wire.links import COUNTS_TELEGRAMS, LEARNT_STEP, LOST_NOW, STAMP_NS
from softdock.core.wire.sequences import FAR

P, M = PLAN.at, MOTION.at
STAND_STILL_S = 3.0  # a stop that takes longer has nobody to answer
JAM_GROWTH = 1.2  # of the force when a way out begins


@compiled
def _is_heard(program, robots, sensors, now):
    """Whether everybody has been heard for long enough; refuses what will never be."""
    plan, stand = program.plan, program.stand
    waited = NS * (now - stand[S.began_ns])
    for which in range(BODIES):
        if not has_robot(program, which):
            continue
        learnt = robots[which].whole[LEARNT_STEP]
        is_stated = learnt in (0, int(plan[P.step_ms]))
        if not is_stated and robots[which].whole[COUNTS_TELEGRAMS] == 0:
            fail(program, reasons.WRONG_CYCLE, which, float(learnt), plan[P.step_ms])
            return False
        heard = program.robot_stand[which, RS.heard] * plan[P.cycle]
        if learnt == 0 or heard < 0.5 * plan[P.listen]:
            if waited > plan[P.patience]:
                fail(program, reasons.ROBOT_NOT_HEARD, which, 0.0, waited)
            return False
        kept = program.robot_seen[which]
        way = norm(subtract(load3(kept, RV.measured), load3(kept, RV.zero)))
        if way > program.limits[LIMIT.still]:
            fail(program, reasons.MOVED, which, 1e3 * way, 1e3 * program.limits[LIMIT.still])
            return False
    missing = first_silent(program, sensors, now)
    if missing >= 0 and waited > plan[P.patience]:
        refused = float(sensors[missing].sequence[FAR])
        fail(program, reasons.SENSOR_NOT_HEARD, missing, refused, waited)
    return missing < 0 and waited >= plan[P.listen]


@seldom
def _leave_for(program, state):
    """A planned way from where the robots stand: how long it takes."""
    plan, longest = program.plan, 0.0
    for which in range(BODIES):
        if not has_robot(program, which):
            continue
        kept = program.robot_seen[which]
        here = load_pose(kept, RV.reply)
        store_pose(kept, RV.leave, here)
        goal = load_pose(kept, RV.zero)
        if state == TRANSFER:
            goal = run_up_pose(program, which, 0.0)
        lasts = way_time(
            here,
            goal,
            plan[P.transfer_speed],
            plan[P.transfer_rate],
            plan[P.transfer_acceleration],
        )
        longest = max(longest, lasts)
    program.seen[V.transfer_s] = longest
    enter(program, state)


@seldom
def _arm(program, robots, sensors, now):
    gather_bias(program, sensors, now)
    if not _is_heard(program, robots, sensors, now):
        return
    zero_forces(program, sensors, program.stand[S.now_ns])
    if int(program.plan[P.task]) == LEAVE:
        feel(program)
        program.seen[V.jam_force] = felt_force(program)
        enter(program, WAY_OUT)
        return
    _leave_for(program, TRANSFER)


@seldom
def _start_docking(program, now, late):
    """t = 0 of the run: the newest tick, or `late` cycles before it."""
    stand, plan = program.stand, program.plan
    stand[S.first_ns] = now - late * int(plan[P.cycle] / NS + 0.5)
    stand[S.due] = 1 + late
    for which in range(BODIES):
        start = P.start_chaser + which * MOTION_FLOATS
        store3(program.robot_seen[which], RV.step, load3(plan, start + M.v))
        store3(program.robot_seen[which], RV.turn, load3(plan, start + M.w))
    enter(program, APPROACH)


@compiled
def _dock(program, params, robots, now, forces):
    """The scenario's cycles that this telegram stands for."""
    stand, due = program.stand, program.stand[S.due]
    stand[S.caught_up] += due - 1
    for _ in range(due):
        if stand[S.k] >= int(program.plan[P.total]):
            finish_control(program, params, robots, now, forces)
            stand[S.reason] = reasons.COMPLETED
            program.seen[V.value] = float(stand[S.k])
            enter(program, BRAKING)
            return
        if not control_cycle(program, params, robots, now, due - 1, forces):
            return


@seldom
def _end_stop(program):
    """Braking and backing off, until everybody stands."""
    stand, moving = program.stand, False
    for which in range(BODIES):
        stands = not has_robot(program, which) or program.robot_stand[which, RS.standing] != 0
        moving = moving or not stands
    slow = NS * (stand[S.now_ns] - stand[S.state_ns]) > STAND_STILL_S
    if moving and not slow:
        return
    touched = felt_force(program) > program.limits[LIMIT.touch]
    goes_back = stand[S.reason] == reasons.COMPLETED and not touched and not moving
    if goes_back:
        _leave_for(program, RETURNING)
    else:
        enter(program, STOPPED)


@seldom
def _way_out(program):
    """The way out of a jam: done, or the force grows."""
    seen, limits = program.seen, program.limits
    force = felt_force(program)
    most = max(limits[LIMIT.retreat_force], JAM_GROWTH * seen[V.jam_force])
    backed = program.robot_seen[leaver(program), RV.backed]
    if force > most:
        fail(program, reasons.JAMMED, reasons.NOBODY, force, most)
    elif backed >= limits[LIMIT.retreat]:
        program.stand[S.reason] = reasons.RETREATED
        seen[V.value] = 1e3 * backed
        enter(program, BRAKING)


@compiled
def hear_operator(program):
    """What the operator asks for; once. Also where no telegram of the master comes any more."""
    asked = program.asked[0]
    if asked == NOT_ASKED or program.stand[S.state] in (IDLE, STOPPED):
        return
    program.asked[0] = NOT_ASKED
    if asked == ASKED_STOP:
        fail(program, reasons.OPERATOR, reasons.NOBODY, 0.0, 0.0)


@apart
def next_cycle(program, params, robots, sensors):
    """The master's newest telegram: state, forces, controller."""
    stand, plan, master = program.stand, program.plan, master_of(program)
    now, lost = robots[master].whole[STAMP_NS], robots[master].whole[LOST_NOW]
    stand[S.in_state] += 1 + lost
    stand[S.due] = 1 + lost
    stand[S.cycle_rows] += 1
    if stand[S.state] == IDLE:
        stand[S.began_ns] = now
        enter(program, ARMING)
    hear_operator(program)
    forces = hear_forces(program, sensors, now)
    state, T = stand[S.state], plan[P.cycle]
    if state == ARMING:
        _arm(program, robots, sensors, now)
    elif state == TRANSFER and stand[S.in_state] * T >= program.seen[V.transfer_s]:
        enter(program, RUN_UP)
    elif state == RUN_UP:
        over = stand[S.in_state] - int((plan[P.ramp] + plan[P.settle]) / T + 0.5)
        if over >= 0:
            _start_docking(program, now, over)
    elif state == RETURNING and stand[S.in_state] * T >= program.seen[V.transfer_s]:
        enter(program, STOPPED)
    elif state in (BRAKING, RETREATING):
        _end_stop(program)
    elif state == WAY_OUT:
        _way_out(program)
    if is_docking(stand[S.state]):
        _dock(program, params, robots, now, forces)
        note_free_force(program, now)
    else:
        feel(program)
