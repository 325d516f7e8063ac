"""A Net F/T sensor on one of two emulated robots: what it feels, as counts in RDT records.

At each sample of its own clock: the mock-ups where the robots' rings have them at that instant,
softdock's own contact between them, the scenario's hand on the mock-up that carries it (once it was
told with which sample the docking begins: a hand has eyes), the load on the sensor (weight and
inertia of the mock-up), noise, the low-pass of its filter table, software bias, counts, range and
status word.
In: the scenario's parameters, both robots. Out: one record of 36 bytes. A sensor that is asked
for fewer records than it samples sends every n-th; the filter then steps from record to record.
Not emulated: temperature, cross-talk, the buffered packing of command 3 (one record per datagram).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.chance import gaussians
from softdock.loop.command import prepare_laboratory
from softdock.loop.contact import touch_bodies
from softdock.loop.schedules import schedule_at, scheduled
from softdock.loop.sensor.mock_up import plus, prepare_mock_up, to_sensor, weigh
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.spatial.vectors import add, load4, negate, scale, subtract
from softdock.loop.vector import (
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    LABORATORY_AT,
    PAIRS_MEM,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    forget_bristles,
    locate_bristles,
    prepare_pairs,
    store_pairs,
)
from softdock.recording.event_text import STATUS_ERROR, STATUS_SATURATED
from softdock.rig.wire.emulated_robot import interpolate_motion
from softdock.rig.wire.faults import FREEZE, SATURATE, compute_next_tick, find_window
from softdock.rig.wire.rdt import (
    BIAS,
    COUNTS,
    DOCKING,
    FT_SEQUENCE,
    LARGEST_COUNT,
    OK,
    RDT_SEQUENCE,
    RESET_LATCH,
    START_BUFFERED,
    START_REALTIME,
    STATUS,
    STOP,
    WORD,
    read_request,
    write_record,
)

SETTINGS = Cells(
    "emulated_sensor_settings",
    Cell("sample_ns", 1, "ns", "the sensor's own period"),
    Cell("every", 1, "-", "samples a record"),
    Cell("drift_ppm", 1, "ppm", "of its clock"),
    Cell("per_force", 1, "1/N", "counts"),
    Cell("per_torque", 1, "1/(Nm)", "counts"),
    Cell("force_range", 1, "N", "of each channel"),
    Cell("torque_range", 1, "Nm", "of each channel"),
    Cell("filter_hz", 1, "Hz", "of its low-pass; 0: none"),
    Cell("force_noise", 1, "N", "standard deviation of a record"),
    Cell("torque_noise", 1, "Nm", "standard deviation of a record"),
    Cell("carrier", 1, "-", "0: on the chaser's robot, 1: on the target's"),
    Cell("seed", 1, "-", "of its noise"),
    Cell("peer", 1, "-", "who it is in fault windows"),
    Cell("axes", 4, "-", "sensor axes in the body's, wxyz"),
)
SAMPLE_NS, EVERY, SENSOR_DRIFT_PPM, PER_FORCE, PER_TORQUE, *_AFTER = SETTINGS.at
FORCE_RANGE, TORQUE_RANGE, FILTER_HZ, FORCE_NOISE, TORQUE_NOISE, *_WHO = _AFTER
CARRIER, SEED, PEER, AXES = _WHO
SENSOR_SETTINGS = SETTINGS.size
WHOLES = Cells(
    "emulated_sensor_wholes",
    Cell("sent", 1, "-", "records in this stream: rdt_sequence"),
    Cell("samples", 1, "-", "the sensor's own counter: ft_sequence"),
    Cell("sample_at_ns", 1, "ns", "when the next record is"),
    Cell("streaming", 1, "-", "1: records are wanted"),
    Cell("left", 1, "-", "records still wanted, when not for ever"),
    Cell("for_ever", 1, "-", "1: until stopped"),
    Cell("bias_wanted", 1, "-", "1: the next record becomes the zero"),
    Cell("rejected", 1, "-", "requests that were none"),
    Cell("saturated_records", 1, "-", "records beyond the range"),
    Cell("docking", 1, "-", "sample with which the docking begins; -1: not told"),
)
SENT, SAMPLES, SAMPLE_AT_NS, STREAMING, LEFT, FOR_EVER, *_COUNTS = WHOLES.at
BIAS_WANTED, SENSOR_REJECTED, SATURATED_RECORDS, DOCKING_AT = _COUNTS
SENSOR_WHOLES = WHOLES.size
MEMORY = Cells(
    "emulated_sensor_memory",
    Cell("filtered", 6, "N, Nm", "the filter's state"),
    Cell("biased", 6, "N, Nm", "software bias"),
    Cell("rest", 1, "ns", "fraction of its clock"),
)
FILTERED, BIASED, SENSOR_REST = MEMORY.at
SENSOR_MEM = MEMORY.size
FILTERS_HZ = (0, 838, 326, 152, 73, 35, 18, 8, 5, 1500, 2000, 2500, 3000)  # ATI's table
DIFFERENCE = 1e-6  # s, over which accelerations are taken


class Sensor(NamedTuple):
    """All arrays of one emulated sensor."""

    settings: Any  # float64, SENSOR_SETTINGS
    whole: Any  # int64, SENSOR_WHOLES
    mem: Any  # float64, SENSOR_MEM
    contact: Any  # float64, memory of the contact pairs
    record: Any  # int64, rdt.RECORD_COLUMNS
    windows: Any  # int64, faults
    vector: Any  # float64, the scenario's parameters


@noinline
def start_sensor(features, sensor, first_ns):
    """Power on: contact prepared, no stream, the first sample at an instant."""
    for i in range(SENSOR_WHOLES):
        sensor.whole[i] = 0
    for i in range(SENSOR_MEM):
        sensor.mem[i] = 0.0
    sensor.whole[SAMPLE_AT_NS] = first_ns
    sensor.whole[DOCKING_AT] = -1
    pairs = prepare_pairs(sensor.vector, features).number
    bristles = locate_bristles(sensor.vector, pairs)
    store_pairs(sensor.vector, sensor.contact, pairs, False, bristles)
    forget_bristles(sensor.vector, sensor.contact, bristles)


@compiled
def _push(sensor, at, q):
    """The hand's wrench on a mock-up of attitude q, world axes; its time is counted in samples."""
    begin = sensor.whole[DOCKING_AT]
    if begin < 0:
        return no_wrench()
    ahead = (sensor.whole[SAMPLES] - begin + WORD // 2) % WORD - WORD // 2
    t = 1e-9 * ahead * sensor.settings[SAMPLE_NS]
    return scheduled(sensor.vector, schedule_at(sensor.vector, at), t, q)


@compiled
def _compute_wrench(features, sensor, chaser, target, now):
    """Force and torque at the sensor's origin, body axes: contact, hand, weight and inertia."""
    v = sensor.vector
    first, _ = interpolate_motion(chaser, now)
    second, _ = interpolate_motion(target, now)
    pairs = prepare_pairs(v, features)
    touch = touch_bodies(v, sensor.contact, PAIRS_MEM, pairs, first, second, True)
    on_chaser = sensor.settings[CARRIER] == 0.0
    carried = first if on_chaser else second
    mock_up = prepare_mock_up(v, CHASER_MOCK_UP_AT if on_chaser else TARGET_MOCK_UP_AT)
    force = touch.force if on_chaser else negate(touch.force)
    torque = touch.torque_chaser if on_chaser else touch.torque_target
    hand = CHASER_HAND_AT if on_chaser else TARGET_HAND_AT
    pushed = plus(Wrench(force, torque), 1.0, _push(sensor, hand, carried.q))
    felt = to_sensor(mock_up.sensor, carried.q, pushed)
    if mock_up.heavy:
        step = int(DIFFERENCE * 1e9)
        before, _ = interpolate_motion(chaser if on_chaser else target, now - step)
        a = scale(1.0 / DIFFERENCE, subtract(carried.v, before.v))
        alpha = scale(1.0 / DIFFERENCE, subtract(carried.w, before.w))
        gravity = prepare_laboratory(v, LABORATORY_AT).gravity
        load = weigh(mock_up.true, mock_up.sensor, gravity, carried, a, alpha)
        felt = Wrench(add(felt.force, load.force), add(felt.torque, load.torque))
    return felt


@compiled
def _channels(sensor, felt):
    """Six values in the sensor's own axes, with noise, filtered into `mem`."""
    s, mem = sensor.settings, sensor.mem
    axes = load4(s, AXES)
    f, t = rotate_back(axes, felt.force), rotate_back(axes, felt.torque)
    values = (f[0], f[1], f[2], t[0], t[1], t[2])
    weight = 1.0
    if s[FILTER_HZ] > 0.0:
        dt = 1e-9 * s[SAMPLE_NS] * s[EVERY]
        weight = 1.0 - math.exp(-2.0 * math.pi * s[FILTER_HZ] * dt)
    noise = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if s[FORCE_NOISE] > 0.0 or s[TORQUE_NOISE] > 0.0:
        seed, number = int(s[SEED]), sensor.whole[SAMPLES]
        a = gaussians(seed, 0, number, 0, 0, 0)
        b = gaussians(seed, 0, number, 0, 0, 1)
        noise = (a[0], a[1], a[2], a[3], b[0], b[1])
    for i in range(6):
        spread = s[FORCE_NOISE] if i < 3 else s[TORQUE_NOISE]
        value = values[i] + spread * noise[i]
        mem[FILTERED + i] += weight * (value - mem[FILTERED + i])


@compiled
def _count(sensor, saturated):
    """Filtered values as counts, less the bias, within the range; the status word."""
    s, mem, record = sensor.settings, sensor.mem, sensor.record
    status = 0
    for i in range(6):
        value, limit = mem[FILTERED + i], s[FORCE_RANGE] if i < 3 else s[TORQUE_RANGE]
        if saturated or abs(value) > limit:
            value = math.copysign(limit, value)
            status = STATUS_ERROR | STATUS_SATURATED
        counts = (value - mem[BIASED + i]) * (s[PER_FORCE] if i < 3 else s[PER_TORQUE])
        counts = min(max(math.floor(counts + 0.5), -LARGEST_COUNT), LARGEST_COUNT)
        record[COUNTS + i] = int(counts)
    record[STATUS] = status
    sensor.whole[SATURATED_RECORDS] += 1 if status != 0 else 0


@noinline
def take_sample(features, sensor, chaser, target, out):
    """The record due at SAMPLE_AT_NS: its size in `out`, 0 when nobody asked. Moves on by one."""
    whole, s = sensor.whole, sensor.settings
    now, peer = whole[SAMPLE_AT_NS], int(s[PEER])
    after, sensor.mem[SENSOR_REST] = compute_next_tick(
        now,
        sensor.mem[SENSOR_REST],
        s[SAMPLE_NS] * s[EVERY],
        s[SENSOR_DRIFT_PPM],
        sensor.windows,
        peer,
    )
    whole[SAMPLE_AT_NS] = after
    whole[SAMPLES] = (whole[SAMPLES] + int(s[EVERY])) % WORD
    if whole[STREAMING] == 0:
        return 0
    if (
        find_window(sensor.windows, FREEZE, peer, now) < 0
    ):  # frozen: the old counts, again and again
        _channels(sensor, _compute_wrench(features, sensor, chaser, target, now))
        if whole[BIAS_WANTED] != 0:
            whole[BIAS_WANTED] = 0
            for i in range(6):
                sensor.mem[BIASED + i] = sensor.mem[FILTERED + i]
        _count(sensor, find_window(sensor.windows, SATURATE, peer, now) >= 0)
        sensor.record[FT_SEQUENCE] = whole[SAMPLES]
    whole[SENT] = (whole[SENT] + 1) % WORD
    sensor.record[RDT_SEQUENCE] = whole[SENT]
    if whole[FOR_EVER] == 0:
        whole[LEFT] -= 1
        whole[STREAMING] = 1 if whole[LEFT] > 0 else 0
    return write_record(out, 0, sensor.record)


@noinline
def receive_request(sensor, data, size):
    """A datagram from a client: rdt.OK, or why it is no request."""
    whole = sensor.whole
    status, command, samples = read_request(data, size)
    if status != OK:
        whole[SENSOR_REJECTED] += 1
        return status
    if command in (START_REALTIME, START_BUFFERED):
        whole[STREAMING], whole[SENT] = 1, 0
        whole[LEFT], whole[FOR_EVER] = samples, 1 if samples == 0 else 0
    elif command == STOP:
        whole[STREAMING] = 0
    elif command == DOCKING:
        whole[DOCKING_AT] = samples
    elif command == BIAS:
        whole[BIAS_WANTED] = 1
    elif command == RESET_LATCH:
        pass  # no monitor condition is emulated, so there is nothing to reset
    return OK
