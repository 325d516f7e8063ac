"""The controller inside the rig's program: reports from telegrams and samples, one step per cycle,
and the checks of what it wants before a robot hears of it.

In: what the links know at the master's tick t_k. Out: set-points stamped t_{k+1} in the command.
Cycles whose telegrams were lost are caught up with the held wrench.
"""

from __future__ import annotations

from softdock.compile.jit import cold, compiled, noinline
from softdock.loop.bodies import BODIES, CHASER, TARGET
from softdock.loop.controller_state import CONTROLLER_STATE
from softdock.loop.instants import NS
from softdock.loop.seam import COMMAND, REPORT, side_of
from softdock.loop.seam import LOST as LOST_BIT
from softdock.loop.seam_entry_points import step_controller
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    WRENCH_FLOATS,
    Pose,
    load_motion,
    load_pose,
    store_pose,
)
from softdock.loop.spatial.rotations import inverse, logarithm, product
from softdock.loop.spatial.vectors import dot, load3, norm, scale, store3, subtract
from softdock.recording.event_text import NOBODY
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import (
    convert_to_orbit,
    fail_check,
    get_dry_run_shift,
    has_robot,
    has_sensor,
)
from softdock.rig.supervisor.energy import check_energy
from softdock.rig.supervisor.forces import convert_force_to_orbit, is_docking
from softdock.rig.supervisor.layout import (
    COUNT,
    LIMIT,
    PLAN,
    ROBOT_COUNT,
    ROBOT_VALUE,
    SENSOR_COUNT,
    SENSOR_VALUE,
    VALUE,
)
from softdock.rig.wire.links import STAMP_NS

COMMAND_AT, REPORT_AT = COMMAND.at, REPORT.at


@compiled
def _report_pose(program, which, link, first, now):
    """One robot's pose into the report: its bit of `present`."""
    if not has_robot(program, which) or program.robot_counts[which, ROBOT_COUNT.has_start] == 0:
        return 0
    report = program.report
    pose = convert_to_orbit(
        program.frames[which], load_pose(program.robot_values[which], ROBOT_VALUE.measured)
    )
    pose = Pose(
        subtract(pose.p, get_dry_run_shift(program, which)), pose.q
    )  # a dry run's is not for it
    stamp, age = link.whole[STAMP_NS] - first, NS * (now - link.whole[STAMP_NS])
    side = side_of(which)
    store_pose(report, side.motion, pose)
    report[side.stamp], report[side.age] = stamp, age
    return side.has_pose


@compiled
def _report_force(program, body, first, now):
    """The reading of one sensor that is used."""
    report = program.report
    used = program.sensor_counts[body, SENSOR_COUNT.used_ns]
    side = side_of(body)
    for i in range(WRENCH_FLOATS):
        report[side.wrench + i] = program.sensor_values[body, SENSOR_VALUE.raw + i]
    stamp, age = float(used - first), NS * (now - used)
    report[side.force_stamp], report[side.force_number] = stamp, stamp
    report[side.force_age] = age


@noinline
def fill_report(program, robots, now, lost, forces):
    """What the facility reports at t_k (seam.REPORT). `forces`: bits of those to hand on."""
    report, counts = program.report, program.counts
    first, present = counts[COUNT.first_ns], forces
    report[REPORT_AT.cycle] = counts[COUNT.cycles]
    report[REPORT_AT.now] = now - first
    report[REPORT_AT.late] = 0.0
    report[REPORT_AT.lost], report[REPORT_AT.status] = lost, LOST_BIT if lost > 0 else 0
    for body in range(BODIES):
        present |= _report_pose(program, body, robots[body], first, now)
        if has_sensor(program, body):
            _report_force(program, body, first, now)
    report[REPORT_AT.present] = present


@compiled
def _check_set_point(program, which, before, after):
    """Speed and acceleration of a robot's set-points, from their poses alone."""
    limits, values, T = program.limits, program.robot_values[which], program.plan[PLAN.cycle]
    v = scale(1.0 / T, subtract(after.p, before.p))
    w = scale(1.0 / T, logarithm(product(inverse(before.q), after.q)))
    a = norm(subtract(v, load3(values, ROBOT_VALUE.step))) / T
    alpha = norm(subtract(w, load3(values, ROBOT_VALUE.turn))) / T
    if not norm(v) <= limits[LIMIT.speed]:
        fail_check(program, reasons.SPEED, which, norm(v), limits[LIMIT.speed])
    elif not norm(w) <= limits[LIMIT.rate]:
        fail_check(program, reasons.RATE, which, norm(w), limits[LIMIT.rate])
    elif not a <= limits[LIMIT.acceleration]:
        fail_check(program, reasons.ACCELERATION, which, a, limits[LIMIT.acceleration])
    elif not alpha <= limits[LIMIT.turn_acceleration]:
        fail_check(
            program, reasons.TURN_ACCELERATION, which, alpha, limits[LIMIT.turn_acceleration]
        )
    store3(values, ROBOT_VALUE.step, v)
    store3(values, ROBOT_VALUE.turn, w)


@noinline
def _check_measured(program, body, reading, moving):
    """Force, torque and power of this cycle, by one sensor. `moving`: its mock-up's velocity."""
    limits, values, sensor = program.limits, program.values, program.sensor_values[body]
    force, torque = norm(reading.force), norm(reading.torque)
    store3(sensor, SENSOR_VALUE.force, reading.force)
    store3(
        sensor, SENSOR_VALUE.tool, subtract(convert_force_to_orbit(program, body), reading.force)
    )
    power = abs(dot(reading.force, moving))
    values[VALUE.peak_force] = max(values[VALUE.peak_force], force)
    values[VALUE.power] = max(values[VALUE.power], power)
    if force > limits[LIMIT.force]:
        fail_check(program, reasons.FORCE, body, force, limits[LIMIT.force])
    if torque > limits[LIMIT.torque]:
        fail_check(program, reasons.TORQUE, body, torque, limits[LIMIT.torque])
    if power > limits[LIMIT.power]:
        fail_check(program, reasons.POWER, body, power, limits[LIMIT.power])
    is_dry = norm(load3(program.plan, PLAN.shift)) > 0.0
    if is_dry and force > limits[LIMIT.touch]:
        fail_check(program, reasons.TOUCH, body, force, limits[LIMIT.touch])


@compiled
def _sum_force_ages(program, now):
    """Ages of the forces that act while in contact: what restitution is predicted from."""
    counts, touch = program.counts, program.limits[LIMIT.touch]
    for body in range(BODIES):
        if norm(load3(program.sensor_values[body], SENSOR_VALUE.force)) > touch:
            counts[COUNT.samples] += 1
            program.values[VALUE.age_sum] += NS * (
                now - program.sensor_counts[body, SENSOR_COUNT.used_ns]
            )


@noinline
def run_control_cycle(program, params, robots, now, lost, forces):
    """One cycle of the scenario at the master's newest tick: whether its command may be sent."""
    counts, command, k = program.counts, program.command, program.counts[COUNT.cycles]
    fill_report(program, robots, now, lost, forces)
    chaser = load_pose(command, COMMAND_AT.chaser)
    target = load_pose(command, COMMAND_AT.chaser + MOTION_FLOATS)
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
    counts[COUNT.cycles] = k + 1
    if status != 0:
        counts[COUNT.controller] = status
        fail_check(program, reasons.CONTROLLER, NOBODY, float(status), 0.0)
        return False
    kept = CONTROLLER_STATE(program.kept).whole
    if has_sensor(program, CHASER):
        _check_measured(program, CHASER, kept.reading, kept.mock_ups.chaser.v)
    if has_sensor(program, TARGET):
        _check_measured(program, TARGET, kept.second, kept.mock_ups.target.v)
    check_energy(program, params, kept)
    _sum_force_ages(program, now)
    if has_robot(program, CHASER):
        _check_set_point(program, CHASER, chaser, load_motion(command, COMMAND_AT.chaser))
    if has_robot(program, TARGET):
        after = load_motion(command, COMMAND_AT.chaser + MOTION_FLOATS)
        _check_set_point(program, TARGET, target, after)
    return is_docking(counts[COUNT.state])


@cold
def finish_control(program, params, robots, now, forces):
    """The last report, without another command: the log and the record are whole."""
    fill_report(program, robots, now, 0, forces)
    step_controller(
        params,
        program.vector,
        program.mem,
        program.log,
        k=program.counts[COUNT.cycles],
        kept=program.kept,
        report=program.report,
        command=program.command,
        record=program.record,
        act=0,
    )
