"""The controller inside the rig's program: reports from telegrams and samples, one step per cycle,
and the checks of what it wants before a robot hears of it.

In: what the links know at the master's tick t_k. Out: set-points stamped t_{k+1} in the command.
Cycles whose telegrams were lost are caught up with the held wrench.
"""

from __future__ import annotations

from softdock.core.bodies import BODIES, CHASER, TARGET
from softdock.core.controller_state import load_kept
from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled, seldom
from softdock.core.machine.seam_doors import step_controller
from softdock.core.rig import reasons
from softdock.core.rig.arrays import (
    LIMIT,
    RS,
    RV,
    SS,
    SV,
    S,
    V,
    fail,
    has_robot,
    has_sensor,
    shift_of,
)
from softdock.core.rig.energy import check_energy
from softdock.core.rig.flange import to_orbit
from softdock.core.rig.forces import in_orbit, is_docking
from softdock.core.rig.layout import PLAN
from softdock.core.seam import LOST as LOST_BIT
from softdock.core.seam import C, R, side_of
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    WRENCH_FLOATS,
    Pose,
    load_motion,
    load_pose,
    store_pose,
)
from softdock.core.spatial.rotations import inverse, logarithm, product
from softdock.core.spatial.vectors import dot, load3, norm, scale, store3, subtract
from softdock.core.wire.links import STAMP_NS

P = PLAN.at


@compiled
def _report_pose(program, which, link, first, now):
    """One robot's pose into the report: its bit of `present`."""
    if not has_robot(program, which) or program.robot_stand[which, RS.zeroed] == 0:
        return 0
    report = program.report
    pose = to_orbit(program.frames[which], load_pose(program.robot_seen[which], RV.measured))
    pose = Pose(subtract(pose.p, shift_of(program, which)), pose.q)  # a dry run's is not for it
    stamp, age = link.whole[STAMP_NS] - first, NS * (now - link.whole[STAMP_NS])
    side = side_of(which)
    store_pose(report, side.motion, pose)
    report[side.stamp], report[side.age] = stamp, age
    return side.has_pose


@compiled
def _report_force(program, body, first, now):
    """The reading of one sensor that is used."""
    report, used, side = program.report, program.sensor_stand[body, SS.used_ns], side_of(body)
    for i in range(WRENCH_FLOATS):
        report[side.wrench + i] = program.sensor_seen[body, SV.raw + i]
    stamp, age = float(used - first), NS * (now - used)
    report[side.force_stamp], report[side.force_number] = stamp, stamp
    report[side.force_age] = age


@apart
def fill_report(program, robots, now, lost, forces):
    """What the facility reports at t_k (seam.REPORT). `forces`: bits of those to hand on."""
    report, stand = program.report, program.stand
    first, present = stand[S.first_ns], forces
    report[R.cycle], report[R.now], report[R.late] = stand[S.k], now - first, 0.0
    report[R.lost], report[R.status] = lost, LOST_BIT if lost > 0 else 0
    for body in range(BODIES):
        present |= _report_pose(program, body, robots[body], first, now)
        if has_sensor(program, body):
            _report_force(program, body, first, now)
    report[R.present] = present


@compiled
def _check_set_point(program, which, before, after):
    """Speed and acceleration of a robot's set-points, from their poses alone."""
    limits, kept, T = program.limits, program.robot_seen[which], program.plan[P.cycle]
    v = scale(1.0 / T, subtract(after.p, before.p))
    w = scale(1.0 / T, logarithm(product(inverse(before.q), after.q)))
    a = norm(subtract(v, load3(kept, RV.step))) / T
    alpha = norm(subtract(w, load3(kept, RV.turn))) / T
    if not norm(v) <= limits[LIMIT.speed]:
        fail(program, reasons.SPEED, which, norm(v), limits[LIMIT.speed])
    elif not norm(w) <= limits[LIMIT.rate]:
        fail(program, reasons.RATE, which, norm(w), limits[LIMIT.rate])
    elif not a <= limits[LIMIT.acceleration]:
        fail(program, reasons.ACCELERATION, which, a, limits[LIMIT.acceleration])
    elif not alpha <= limits[LIMIT.turn_acceleration]:
        fail(program, reasons.TURN_ACCELERATION, which, alpha, limits[LIMIT.turn_acceleration])
    store3(kept, RV.step, v)
    store3(kept, RV.turn, w)


@apart
def _check_measured(program, body, reading, moving):
    """Force, torque and power of this cycle, by one sensor. `moving`: its mock-up's velocity."""
    limits, seen, own = program.limits, program.seen, program.sensor_seen[body]
    force, torque = norm(reading.force), norm(reading.torque)
    store3(own, SV.force, reading.force)
    store3(own, SV.tool, subtract(in_orbit(program, body), reading.force))
    power = abs(dot(reading.force, moving))
    seen[V.peak_force], seen[V.power] = max(seen[V.peak_force], force), max(seen[V.power], power)
    if force > limits[LIMIT.force]:
        fail(program, reasons.FORCE, body, force, limits[LIMIT.force])
    if torque > limits[LIMIT.torque]:
        fail(program, reasons.TORQUE, body, torque, limits[LIMIT.torque])
    if power > limits[LIMIT.power]:
        fail(program, reasons.POWER, body, power, limits[LIMIT.power])
    is_dry = norm(load3(program.plan, P.shift)) > 0.0
    if is_dry and force > limits[LIMIT.touch]:
        fail(program, reasons.TOUCH, body, force, limits[LIMIT.touch])


@compiled
def _note_age(program, now):
    """Ages of the forces that act while in contact: what restitution is predicted from."""
    stand, touch = program.stand, program.limits[LIMIT.touch]
    for body in range(BODIES):
        if norm(load3(program.sensor_seen[body], SV.force)) > touch:
            stand[S.samples] += 1
            program.seen[V.age_sum] += NS * (now - program.sensor_stand[body, SS.used_ns])


@apart
def control_cycle(program, params, robots, now, lost, forces):
    """One cycle of the scenario at the master's newest tick: whether its command may be sent."""
    stand, command, k = program.stand, program.command, program.stand[S.k]
    fill_report(program, robots, now, lost, forces)
    chaser, target = load_pose(command, C.chaser), load_pose(command, C.chaser + MOTION_FLOATS)
    status = step_controller(
        params,
        program.vector,
        program.mem,
        program.log,
        k,
        program.kept,
        program.report,
        command=command,
        record=program.record,
        act=1,
    )
    stand[S.k] = k + 1
    if status != 0:
        stand[S.controller] = status
        fail(program, reasons.CONTROLLER, reasons.NOBODY, float(status), 0.0)
        return False
    kept = load_kept(program.kept, 0)
    if has_sensor(program, CHASER):
        _check_measured(program, CHASER, kept.reading, kept.mock_ups.chaser.v)
    if has_sensor(program, TARGET):
        _check_measured(program, TARGET, kept.second, kept.mock_ups.target.v)
    check_energy(program, params, kept)
    _note_age(program, now)
    if has_robot(program, CHASER):
        _check_set_point(program, CHASER, chaser, load_motion(command, C.chaser))
    if has_robot(program, TARGET):
        after = load_motion(command, C.chaser + MOTION_FLOATS)
        _check_set_point(program, TARGET, target, after)
    return is_docking(stand[S.state])


@seldom
def finish_control(program, params, robots, now, forces):
    """The last report, without another command: the log and the record are whole."""
    fill_report(program, robots, now, 0, forces)
    step_controller(
        params,
        program.vector,
        program.mem,
        program.log,
        k=program.stand[S.k],
        kept=program.kept,
        report=program.report,
        command=program.command,
        record=program.record,
        act=0,
    )
