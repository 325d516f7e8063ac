"""Rows of the recording, written when the reply has left (recording/ring_layout.py has the cells).

Cycles of the scenario are the controller's own record (loop/record.py), cell by cell. While the
robots brake or back off, satellites stay as they were and rows go on with what the robots are sent
and where they are. Packets of both robots and the sensor's samples are recorded in every state.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import BODIES, CHASER, TARGET
from softdock.loop.energy.ledger import LEDGER
from softdock.loop.instants import NS
from softdock.loop.record import RECORD
from softdock.loop.seam import REPORT
from softdock.loop.spatial.motion import (
    MOTION,
    MOTION_FLOATS,
    WRENCH_FLOATS,
    load_pose,
    store_pose,
)
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import load3, store3, store4
from softdock.recording.ring_layout import CYCLE, PACKET, SAMPLE, push
from softdock.rig.supervisor.arrays import convert_to_orbit, get_master, has_robot, has_sensor
from softdock.rig.supervisor.layout import (
    BRAKING,
    COUNT,
    FRAME,
    PLAN,
    RETREATING,
    ROBOT_VALUE,
    SENSOR_COUNT,
    SENSOR_VALUE,
    VALUE,
)
from softdock.rig.wire.links import ARRIVED_NS, COUNTED, LATE_REPLIES, NEWEST, SAMPLE_VALUES
from softdock.rig.wire.sequences import LOST

CYCLE_AT, PACKET_AT, SAMPLE_AT = CYCLE.at, PACKET.at, SAMPLE.at
RECORD_AT, LEDGER_AT, MOTION_AT, REPORT_AT = RECORD.at, LEDGER.at, MOTION.at, REPORT.at
POSITION, QUATERNION = 3, 4  # numbers
COPIED = (  # cells of the record, where they are in a cycle's row, and how many numbers
    (RECORD_AT.time, CYCLE_AT.time, 1),
    (RECORD_AT.chaser, CYCLE_AT.chaser, MOTION_FLOATS),
    (RECORD_AT.target, CYCLE_AT.target, MOTION_FLOATS),
    (RECORD_AT.command_chaser, CYCLE_AT.command_chaser, MOTION_FLOATS),
    (RECORD_AT.command_target, CYCLE_AT.command_target, MOTION_FLOATS),
    (RECORD_AT.seen_chaser_p, CYCLE_AT.seen_chaser_p, POSITION),
    (RECORD_AT.seen_chaser_q, CYCLE_AT.seen_chaser_q, QUATERNION),
    (RECORD_AT.seen_target_p, CYCLE_AT.seen_target_p, POSITION),
    (RECORD_AT.seen_target_q, CYCLE_AT.seen_target_q, QUATERNION),
    (RECORD_AT.measured_chaser, CYCLE_AT.measured_chaser, WRENCH_FLOATS),
    (RECORD_AT.measured_target, CYCLE_AT.measured_target, WRENCH_FLOATS),
    (RECORD_AT.satellite_chaser, CYCLE_AT.satellite_chaser, WRENCH_FLOATS),
    (RECORD_AT.satellite_target, CYCLE_AT.satellite_target, WRENCH_FLOATS),
    (RECORD_AT.force_age, CYCLE_AT.force_age, 1),
    (RECORD_AT.pose_age, CYCLE_AT.pose_age, 1),
    (RECORD_AT.ledger + LEDGER_AT.kinetic, CYCLE_AT.energy_kinetic, 1),
    (RECORD_AT.ledger + LEDGER_AT.external, CYCLE_AT.energy_external, 1),
    (RECORD_AT.ledger + LEDGER_AT.observed, CYCLE_AT.energy_observed, 1),
)


@compiled
def _fill_state(program, robots):
    """What a row has beside the record."""
    row, counts, report = program.cycles.row, program.counts, program.report
    row[CYCLE_AT.state] = float(counts[COUNT.state])
    row[CYCLE_AT.reason] = float(counts[COUNT.reason])
    row[CYCLE_AT.pose_age_chaser] = report[REPORT_AT.chaser_age]
    row[CYCLE_AT.pose_age_target] = report[REPORT_AT.target_age]
    row[CYCLE_AT.late_s] = program.values[VALUE.compute_last]
    lost = 0
    for body in range(BODIES):
        at = CYCLE_AT.raw_chaser if body == CHASER else CYCLE_AT.raw_target
        for i in range(WRENCH_FLOATS):
            row[at + i] = program.sensor_values[body, SENSOR_VALUE.raw + i]
        lost += robots[body].sequence[LOST]
    row[CYCLE_AT.lost] = float(lost)


@compiled
def _write_docking_rows(program, robots):
    """All cycles of the scenario that have no row yet."""
    counts, rows, T = program.counts, program.cycles, program.plan[PLAN.cycle]
    record, cycle_ns = program.record, int(T / NS + 0.5)
    while counts[COUNT.rows] < min(counts[COUNT.cycles], record.shape[0]):
        k = counts[COUNT.rows]
        for source, at, size in COPIED:
            for i in range(size):
                rows.row[at + i] = record[k, source + i]
        rows.row[CYCLE_AT.stamp_ns] = float(counts[COUNT.first_ns] + k * cycle_ns)
        _fill_state(program, robots)
        push(rows.slots, rows.count, rows.words)
        counts[COUNT.rows] += 1


@compiled
def _fill_stop(program, which, command, place, attitude):
    """A robot that is braking: what it was sent and where it is, orbit's axes."""
    row, values, frame = program.cycles.row, program.robot_values[which], program.frames[which]
    store_pose(row, command, convert_to_orbit(frame, load_pose(values, ROBOT_VALUE.reply)))
    v = rotate(load_pose(frame, FRAME.base).q, load3(values, ROBOT_VALUE.v))
    store3(row, command + MOTION_AT.v, v)
    measured = convert_to_orbit(frame, load_pose(values, ROBOT_VALUE.measured))
    store3(row, place, measured.p)
    store4(row, attitude, measured.q)


@compiled
def _write_stop_row(program, robots):
    rows, counts = program.cycles, program.counts
    rows.row[CYCLE_AT.time] += program.plan[PLAN.cycle] * counts[COUNT.due]
    rows.row[CYCLE_AT.stamp_ns] = float(counts[COUNT.now_ns])
    if has_robot(program, CHASER):
        _fill_stop(
            program, CHASER, CYCLE_AT.command_chaser, CYCLE_AT.seen_chaser_p, CYCLE_AT.seen_chaser_q
        )
    if has_robot(program, TARGET):
        _fill_stop(
            program, TARGET, CYCLE_AT.command_target, CYCLE_AT.seen_target_p, CYCLE_AT.seen_target_q
        )
    for body in range(BODIES):
        at = CYCLE_AT.measured_chaser if body == CHASER else CYCLE_AT.measured_target
        if has_sensor(program, body):
            store3(rows.row, at, load3(program.sensor_values[body], SENSOR_VALUE.force))
    _fill_state(program, robots)
    push(rows.slots, rows.count, rows.words)


@compiled
def _write_packet_row(program, robots, which, spent_ns):
    rows, link, counts = program.packets, robots[which], program.counts
    row, arrived = rows.row, link.whole[ARRIVED_NS]
    row[PACKET_AT.stamp_ns] = float(arrived)
    row[PACKET_AT.time] = (
        NS * (arrived - counts[COUNT.first_ns]) if counts[COUNT.first_ns] != 0 else 0.0
    )
    row[PACKET_AT.robot], row[PACKET_AT.ipoc] = float(which), float(link.whole[NEWEST])
    row[PACKET_AT.delay] = float(link.whole[LATE_REPLIES])
    row[PACKET_AT.lost] = float(link.sequence[LOST])
    row[PACKET_AT.compute_ns] = float(spent_ns)
    push(rows.slots, rows.count, rows.words)


@compiled
def _write_sample_rows(program, body, sensor):
    """All samples of a sensor that have no row yet; of those that its ring has lost, none."""
    rows, counts = program.samples[body], program.sensor_counts[body]
    slots = sensor.stamps.shape[0]
    if sensor.head[0] - counts[SENSOR_COUNT.recorded] > slots:
        counts[SENSOR_COUNT.recorded] = sensor.head[0] - slots
    while counts[SENSOR_COUNT.recorded] < sensor.head[0]:
        slot = counts[SENSOR_COUNT.recorded] % slots
        rows.row[SAMPLE_AT.stamp_ns] = float(sensor.stamps[slot])
        rows.row[SAMPLE_AT.sequence] = float(sensor.counted[slot, COUNTED.sequence])
        rows.row[SAMPLE_AT.status] = float(sensor.counted[slot, COUNTED.status])
        for i in range(SAMPLE_VALUES):
            rows.row[SAMPLE_AT.force + i] = sensor.samples[slot, i]
        push(rows.slots, rows.count, rows.words)
        counts[SENSOR_COUNT.recorded] += 1


@noinline
def write_rows(program, robots, sensors, which, spent_ns):
    """Everything that a telegram and its answer leave for the recorder."""
    program.values[VALUE.compute_last] = NS * spent_ns
    _write_packet_row(program, robots, which, spent_ns)
    if which != get_master(program):
        return
    for body in range(BODIES):
        if has_sensor(program, body):
            _write_sample_rows(program, body, sensors[body])
    _write_docking_rows(program, robots)
    if program.counts[COUNT.state] in (BRAKING, RETREATING) and program.counts[COUNT.rows] > 0:
        _write_stop_row(program, robots)
