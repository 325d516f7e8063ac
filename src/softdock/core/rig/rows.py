"""Rows of the recording, written when the reply has left (core/recorder/layout.py has the cells).

Cycles of the scenario are the controller's own record (machine/record.py), cell by cell. While the
robots brake or back off, satellites stand as they were and rows go on with what the robots are sent
and where they are. Packets of both robots and the sensor's samples are kept in every state.
"""

from __future__ import annotations

from softdock.core.bodies import BODIES, CHASER, TARGET
from softdock.core.energy.ledger import LEDGER
from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.record import RECORD
from softdock.core.recorder.layout import CYCLE, PACKET, SAMPLE
from softdock.core.recorder.ring import push
from softdock.core.rig.arrays import RV, SS, SV, S, V, has_robot, has_sensor, master_of
from softdock.core.rig.flange import to_orbit
from softdock.core.rig.layout import BRAKING, FRAME, PLAN, RETREATING
from softdock.core.seam import R
from softdock.core.spatial.motion import (
    MOTION,
    MOTION_FLOATS,
    WRENCH_FLOATS,
    load_pose,
    store_pose,
)
from softdock.core.spatial.rotations import rotate
from softdock.core.spatial.vectors import load3, store3, store4
from softdock.core.wire.links import ARRIVED_NS, COUNTED, LATE_REPLIES, NEWEST
from softdock.core.wire.samples import SAMPLE_VALUES
from softdock.core.wire.sequences import LOST

Y, K, L, F = CYCLE.at, RECORD.at, LEDGER.at, FRAME.at
A, B, P, M = PACKET.at, SAMPLE.at, PLAN.at, MOTION.at
POSITION, QUATERNION = 3, 4  # numbers
COPIED = (  # cells of the record, where they stand in a cycle's row, and how many numbers
    (K.time, Y.time, 1),
    (K.chaser, Y.chaser, MOTION_FLOATS),
    (K.target, Y.target, MOTION_FLOATS),
    (K.command_chaser, Y.command_chaser, MOTION_FLOATS),
    (K.command_target, Y.command_target, MOTION_FLOATS),
    (K.seen_chaser_p, Y.seen_chaser_p, POSITION),
    (K.seen_chaser_q, Y.seen_chaser_q, QUATERNION),
    (K.seen_target_p, Y.seen_target_p, POSITION),
    (K.seen_target_q, Y.seen_target_q, QUATERNION),
    (K.measured_chaser, Y.measured_chaser, WRENCH_FLOATS),
    (K.measured_target, Y.measured_target, WRENCH_FLOATS),
    (K.satellite_chaser, Y.satellite_chaser, WRENCH_FLOATS),
    (K.satellite_target, Y.satellite_target, WRENCH_FLOATS),
    (K.force_age, Y.force_age, 1),
    (K.pose_age, Y.pose_age, 1),
    (K.ledger + L.kinetic, Y.energy_kinetic, 1),
    (K.ledger + L.external, Y.energy_external, 1),
    (K.ledger + L.observed, Y.energy_observed, 1),
)


@compiled
def _now(program, robots):
    """What a row has beside the record."""
    row, stand, report = program.cycles.row, program.stand, program.report
    row[Y.state], row[Y.reason] = float(stand[S.state]), float(stand[S.reason])
    row[Y.pose_age_chaser], row[Y.pose_age_target] = report[R.chaser_age], report[R.target_age]
    row[Y.late_s] = program.seen[V.compute_last]
    lost = 0
    for body in range(BODIES):
        at = Y.raw_chaser if body == CHASER else Y.raw_target
        for i in range(WRENCH_FLOATS):
            row[at + i] = program.sensor_seen[body, SV.raw + i]
        lost += robots[body].sequence[LOST]
    row[Y.lost] = float(lost)


@compiled
def _docking_rows(program, robots):
    """All cycles of the scenario that have no row yet."""
    stand, rows, T = program.stand, program.cycles, program.plan[P.cycle]
    record, cycle_ns = program.record, int(T / NS + 0.5)
    while stand[S.rows] < min(stand[S.k], record.shape[0]):
        k = stand[S.rows]
        for source, at, size in COPIED:
            for i in range(size):
                rows.row[at + i] = record[k, source + i]
        rows.row[Y.stamp_ns] = float(stand[S.first_ns] + k * cycle_ns)
        _now(program, robots)
        push(rows.slots, rows.count, rows.words)
        stand[S.rows] += 1


@compiled
def _sent_to(program, which, command, place, attitude):
    """A robot that is braking: what it was sent and where it is, orbit's axes."""
    row, kept, frame = program.cycles.row, program.robot_seen[which], program.frames[which]
    store_pose(row, command, to_orbit(frame, load_pose(kept, RV.reply)))
    v = rotate(load_pose(frame, F.base).q, load3(kept, RV.v))
    store3(row, command + M.v, v)
    measured = to_orbit(frame, load_pose(kept, RV.measured))
    store3(row, place, measured.p)
    store4(row, attitude, measured.q)


@compiled
def _stopping_row(program, robots):
    rows, stand = program.cycles, program.stand
    rows.row[Y.time] += program.plan[P.cycle] * stand[S.due]
    rows.row[Y.stamp_ns] = float(stand[S.now_ns])
    if has_robot(program, CHASER):
        _sent_to(program, CHASER, Y.command_chaser, Y.seen_chaser_p, Y.seen_chaser_q)
    if has_robot(program, TARGET):
        _sent_to(program, TARGET, Y.command_target, Y.seen_target_p, Y.seen_target_q)
    for body in range(BODIES):
        at = Y.measured_chaser if body == CHASER else Y.measured_target
        if has_sensor(program, body):
            store3(rows.row, at, load3(program.sensor_seen[body], SV.force))
    _now(program, robots)
    push(rows.slots, rows.count, rows.words)


@compiled
def _packet_row(program, robots, which, spent_ns):
    rows, link, stand = program.packets, robots[which], program.stand
    row, arrived = rows.row, link.whole[ARRIVED_NS]
    row[A.stamp_ns] = float(arrived)
    row[A.time] = NS * (arrived - stand[S.first_ns]) if stand[S.first_ns] != 0 else 0.0
    row[A.robot], row[A.ipoc] = float(which), float(link.whole[NEWEST])
    row[A.delay], row[A.lost] = float(link.whole[LATE_REPLIES]), float(link.sequence[LOST])
    row[A.compute_ns] = float(spent_ns)
    push(rows.slots, rows.count, rows.words)


@compiled
def _sample_rows(program, body, sensor):
    """All samples of a sensor that have no row yet; of those that its ring has lost, none."""
    rows, stand = program.samples[body], program.sensor_stand[body]
    slots = sensor.stamps.shape[0]
    if sensor.head[0] - stand[SS.kept] > slots:
        stand[SS.kept] = sensor.head[0] - slots
    while stand[SS.kept] < sensor.head[0]:
        slot = stand[SS.kept] % slots
        rows.row[B.stamp_ns] = float(sensor.stamps[slot])
        rows.row[B.sequence], rows.row[B.status] = (
            float(sensor.counted[slot, COUNTED.sequence]),
            float(sensor.counted[slot, COUNTED.status]),
        )
        for i in range(SAMPLE_VALUES):
            rows.row[B.force + i] = sensor.samples[slot, i]
        push(rows.slots, rows.count, rows.words)
        stand[SS.kept] += 1


@apart
def keep_rows(program, robots, sensors, which, spent_ns):
    """Everything that a telegram and its answer leave for the recorder."""
    program.seen[V.compute_last] = NS * spent_ns
    _packet_row(program, robots, which, spent_ns)
    if which != master_of(program):
        return
    for body in range(BODIES):
        if has_sensor(program, body):
            _sample_rows(program, body, sensors[body])
    _docking_rows(program, robots)
    if program.stand[S.state] in (BRAKING, RETREATING) and program.stand[S.rows] > 0:
        _stopping_row(program, robots)
