"""The forces that count at t_k: of each sensor the newest sample not after it, if it can be
believed.

In: the sensors' links. Out: raw wrenches in body axes without bias, the force that each mock-up
feels in orbit's axes, and failed checks: range, status, plausibility, age, size. A reading that
jumps by more than the stated step is held back before the controller sees it: one forged record
must not become a force on a satellite.
"""

from __future__ import annotations

import math

from softdock.compile.jit import cold, compiled, noinline
from softdock.loop.bodies import BODIES
from softdock.loop.instants import NS
from softdock.loop.seam import side_of
from softdock.loop.spatial.motion import MOTION_FLOATS, load_pose
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import add, dot, load3, load4, norm, scale, store3, subtract
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import (
    AT_COUNT,
    WARNING,
    convert_to_orbit,
    fail_check,
    has_robot,
    has_sensor,
    report_event,
)
from softdock.rig.supervisor.layout import (
    APPROACH,
    ARMING,
    CONTACT,
    COUNT,
    LIMIT,
    PLAN,
    RETURNING,
    ROBOT_VALUE,
    RUN_UP,
    SENSE,
    SENSOR_COUNT,
    SENSOR_VALUE,
    TRANSFER,
    VALUE,
    WAY_OUT,
)
from softdock.rig.wire.links import LAST_WORD, NO_SAMPLE, SAMPLE_VALUES, find_sample
from softdock.rig.wire.rdt import is_fault
from softdock.rig.wire.sequences import JUMPED_BY, JUMPS

# Whether a sensor can be believed where its values alone do not tell: frozen, or off its zero.
#
# A frozen sensor sends the same six values while its count goes on. A sensor that has noise never
# does; of one that had none at rest, the same values count as frozen only in contact, when a robot
# has moved meanwhile: a contact's force does not stay the same to the last count over MOVED_M.
#
# The zero is judged in free flight, where a sensor should feel nothing: the mean force of a window
# of WINDOW_S before the first contact and of the last one. What is found is said, and stops
# nothing.

MOVED_M = 5e-5  # of a robot while its sensor says the same in contact
NOISY = 20  # readings at rest, none like the one before: a sensor with noise
FEWEST_CYCLES = 3.0  # with the same values, until a sensor is frozen
WINDOW_S = 0.25


@compiled
def _is_repeated(values, sample):
    """Whether a sample is the last one, value by value; the last one becomes this."""
    same = True
    for i in range(SAMPLE_VALUES):
        same = same and sample[i] == values[SENSOR_VALUE.last + i]
        values[SENSOR_VALUE.last + i] = sample[i]
    return same


@compiled
def _compute_way_since(program, values):
    """How far either robot is from where it was at the first of the same readings [m]."""
    way = 0.0
    for i in range(BODIES):
        here = load3(program.robot_values[i], ROBOT_VALUE.measured)
        way = max(way, norm(subtract(here, load3(values, SENSOR_VALUE.same_p + 3 * i))))
    return way


@noinline
def check_frozen(program, body, sample, stamp):
    """A new reading of a sensor: whether it is more than the last one again."""
    counts = program.sensor_counts[body]
    values = program.sensor_values[body]
    limits = program.limits
    state = program.counts[COUNT.state]
    if not _is_repeated(values, sample):
        counts[SENSOR_COUNT.same_ns] = stamp
        counts[SENSOR_COUNT.fresh] += 1 if state == ARMING else 0
        for i in range(BODIES):
            store3(
                values,
                SENSOR_VALUE.same_p + 3 * i,
                load3(program.robot_values[i], ROBOT_VALUE.measured),
            )
        return
    counts[SENSOR_COUNT.repeated] += 1 if state == ARMING else 0
    if state < TRANSFER:
        return
    most = max(limits[LIMIT.stale], FEWEST_CYCLES * program.plan[PLAN.cycle])
    lasts = NS * (stamp - counts[SENSOR_COUNT.same_ns])
    has_noise = counts[SENSOR_COUNT.fresh] >= NOISY and counts[SENSOR_COUNT.repeated] == 0
    pressed = norm(load3(values, SENSOR_VALUE.force)) > limits[LIMIT.touch]
    is_moved = (
        pressed and state in (APPROACH, CONTACT) and _compute_way_since(program, values) > MOVED_M
    )
    if lasts > most and (has_noise or is_moved):
        fail_check(program, reasons.FORCE_FROZEN, body, 1e3 * lasts, 1e3 * most)


@compiled
def _end_window(program, counts, values, now):
    """A whole window of free flight: its mean, and the spread about it."""
    n = float(counts[SENSOR_COUNT.window])
    mean = scale(1.0 / n, load3(values, SENSOR_VALUE.window_sum))
    counts[SENSOR_COUNT.window] = 0
    spread = max(0.0, values[SENSOR_VALUE.window_squares] / n - dot(mean, mean))
    values[SENSOR_VALUE.spread] = math.sqrt(spread)
    store3(values, SENSOR_VALUE.last_free, mean)
    counts[SENSOR_COUNT.last_ns] = now
    if counts[SENSOR_COUNT.first_ns] == 0:
        store3(values, SENSOR_VALUE.first_free, mean)
        counts[SENSOR_COUNT.first_ns] = now


@noinline
def average_free_force(program, now):
    """The forces of one cycle of a docking, for the zero of the sensors."""
    is_free = program.counts[COUNT.state] == APPROACH
    most = int(WINDOW_S / program.plan[PLAN.cycle] + 0.5)
    for body in range(BODIES):
        if not has_sensor(program, body):
            continue
        counts, values = program.sensor_counts[body], program.sensor_values[body]
        if not is_free:
            counts[SENSOR_COUNT.window] = 0
            continue
        force = load3(values, SENSOR_VALUE.force)
        before = (
            load3(values, SENSOR_VALUE.window_sum)
            if counts[SENSOR_COUNT.window] > 0
            else (0.0, 0.0, 0.0)
        )
        squares = values[SENSOR_VALUE.window_squares] if counts[SENSOR_COUNT.window] > 0 else 0.0
        store3(values, SENSOR_VALUE.window_sum, add(before, force))
        values[SENSOR_VALUE.window_squares] = squares + dot(force, force)
        counts[SENSOR_COUNT.window] += 1
        if counts[SENSOR_COUNT.window] >= most:
            _end_window(program, counts, values, now)


HALF = SAMPLE_VALUES // 2  # forces, then torques


@compiled
def _convert_to_body(program, body, sample):
    """Force and torque in body axes, without bias."""
    axes, values = load4(program.senses[body], SENSE.axes), program.sensor_values[body]
    force = subtract(load3(sample, 0), load3(values, SENSOR_VALUE.bias))
    torque = subtract(load3(sample, HALF), load3(values, SENSOR_VALUE.bias + HALF))
    return rotate(axes, force), rotate(axes, torque)


@compiled
def gather_bias(program, sensors, now):
    """One more sample of each sensor whose zero is taken before anything moves."""
    for body in range(BODIES):
        if not has_sensor(program, body) or program.senses[body, SENSE.take_bias] == 0.0:
            continue
        counts = program.sensor_counts[body]
        values = program.sensor_values[body]
        sensor = sensors[body]
        slot = find_sample(sensor.stamps, sensor.head, now)
        if slot == NO_SAMPLE or sensor.stamps[slot] == counts[SENSOR_COUNT.bias_ns]:
            continue
        counts[SENSOR_COUNT.bias_ns] = sensor.stamps[slot]
        counts[SENSOR_COUNT.bias_samples] += 1
        for i in range(SAMPLE_VALUES):
            apart_by = sensor.samples[slot, i] - values[SENSOR_VALUE.bias + i]
            values[SENSOR_VALUE.bias + i] += apart_by / counts[SENSOR_COUNT.bias_samples]


@compiled
def _check_sample(program, body, sample):
    """The raw channels against the range that is allowed of the sensor."""
    sense, most = program.senses[body], 0.0
    for i in range(HALF):
        most = max(most, abs(sample[i]) / sense[SENSE.range_force])
        most = max(most, abs(sample[HALF + i]) / sense[SENSE.range_torque])
    if most > 1.0:
        fail_check(program, reasons.SENSOR_RANGE, body, most, 1.0)


@compiled
def _check_status(program, body, sensor):
    counts, word = program.sensor_counts[body], sensor.whole[LAST_WORD]
    counts[SENSOR_COUNT.faulty_row] = counts[SENSOR_COUNT.faulty_row] + 1 if is_fault(word) else 0
    if counts[SENSOR_COUNT.faulty_row] > 1:  # one record may be spoilt on its way
        fail_check(
            program,
            reasons.SENSOR_STATUS,
            body,
            float(word),
            float(counts[SENSOR_COUNT.faulty_row]),
        )


@compiled
def _is_plausible(program, body, force):
    """Whether a new reading may follow the last one."""
    counts, limits = program.sensor_counts[body], program.limits
    jump = norm(subtract(force, load3(program.sensor_values[body], SENSOR_VALUE.raw)))
    if jump <= limits[LIMIT.force_step] or counts[SENSOR_COUNT.used_ns] == 0:
        counts[SENSOR_COUNT.implausible_row] = 0
        return True
    program.counts[COUNT.implausible] += 1
    counts[SENSOR_COUNT.implausible_row] += 1
    if counts[SENSOR_COUNT.implausible_row] >= limits[LIMIT.bad_in_a_row]:
        fail_check(program, reasons.FORCE_IMPLAUSIBLE, body, jump, limits[LIMIT.force_step])
    return False


@noinline
def _read_force(program, body, sensor, now):
    """One sensor's reading of this cycle: whether there is one to hand on (new, or still the
    newest)."""
    counts = program.sensor_counts[body]
    values = program.sensor_values[body]
    limits = program.limits
    is_moving = program.counts[COUNT.state] >= TRANSFER
    slot = find_sample(sensor.stamps, sensor.head, now)
    if slot == NO_SAMPLE:
        if is_moving:
            waited = 1e3 * NS * (now - program.counts[COUNT.began_ns])
            fail_check(program, reasons.FORCE_STALE, body, waited, 1e3 * limits[LIMIT.stale])
        return False
    stamp, usable = sensor.stamps[slot], True
    if stamp != counts[SENSOR_COUNT.used_ns]:
        force, torque = _convert_to_body(program, body, sensor.samples[slot])
        check_frozen(program, body, sensor.samples[slot], stamp)
        if is_moving:
            _check_sample(program, body, sensor.samples[slot])
        usable = not is_moving or _is_plausible(program, body, force)
        if usable:
            counts[SENSOR_COUNT.used_ns] = stamp
            store3(values, SENSOR_VALUE.raw, force)
            store3(values, SENSOR_VALUE.raw + HALF, torque)
    age = NS * (now - counts[SENSOR_COUNT.used_ns])
    if sensor.sequence[JUMPS] != counts[SENSOR_COUNT.jumps]:
        _report_new_count(program, body, sensor)
    if is_moving:
        program.values[VALUE.age_most] = max(program.values[VALUE.age_most], age)
        _check_status(program, body, sensor)
        if age > limits[LIMIT.stale]:
            fail_check(program, reasons.FORCE_STALE, body, 1e3 * age, 1e3 * limits[LIMIT.stale])
    return usable


@compiled
def read_forces(program, sensors, now):
    """The readings of this cycle: bits of a report's `present`, for those to hand on."""
    found = 0
    for body in range(BODIES):
        if has_sensor(program, body) and _read_force(program, body, sensors[body], now):
            found |= side_of(body).has_wrench
    return found


@cold
def _report_new_count(program, body, sensor):
    """The sensor's count went on from elsewhere: said, and its samples go on."""
    counts = program.sensor_counts[body]
    new = sensor.sequence[JUMPS] - counts[SENSOR_COUNT.jumps]
    counts[SENSOR_COUNT.jumps] = sensor.sequence[JUMPS]
    counts[SENSOR_COUNT.renewed] += new
    if program.counts[COUNT.state] >= TRANSFER:
        report_event(program, WARNING, AT_COUNT, body, float(sensor.sequence[JUMPED_BY]), b=0.0)


@compiled
def find_silent_sensor(program, sensors, now):
    """The first sensor that has not been heard just now; -1: all have been."""
    for body in range(BODIES):
        if not has_sensor(program, body):
            continue
        sensor = sensors[body]
        slot = find_sample(sensor.stamps, sensor.head, now)
        if slot == NO_SAMPLE or NS * (now - sensor.stamps[slot]) >= program.limits[LIMIT.stale]:
            return body
    return -1


@compiled
def convert_force_to_orbit(program, body):
    """The raw force that is used, orbit's axes, tool and all."""
    pose = load_pose(program.plan, PLAN.start_chaser + body * MOTION_FLOATS)  # where it stands
    if has_robot(program, body):
        pose = convert_to_orbit(
            program.frames[body], load_pose(program.robot_values[body], ROBOT_VALUE.measured)
        )
    return rotate(pose.q, load3(program.sensor_values[body], SENSOR_VALUE.raw))


@compiled
def zero_forces(program, sensors, now):
    """Tare: from here on readings count without the zero; what a tool weighs here is no contact."""
    for body in range(BODIES):
        program.sensor_counts[body, SENSOR_COUNT.used_ns] = 0
        program.sensor_counts[body, SENSOR_COUNT.zero_ns] = now
        program.sensor_counts[body, SENSOR_COUNT.repeated] -= (
            1  # the newest reading is looked at once more
        )
    read_forces(program, sensors, now)
    for body in range(BODIES):
        if has_sensor(program, body) and program.senses[body, SENSE.weighs] != 0.0:
            store3(
                program.sensor_values[body],
                SENSOR_VALUE.tool,
                convert_force_to_orbit(program, body),
            )


@compiled
def _check_force(program, body):
    state, limits = program.counts[COUNT.state], program.limits
    values = program.sensor_values[body]
    force = subtract(convert_force_to_orbit(program, body), load3(values, SENSOR_VALUE.tool))
    store3(values, SENSOR_VALUE.force, force)
    size = norm(force)
    program.values[VALUE.peak_force] = max(program.values[VALUE.peak_force], size)
    if state >= TRANSFER and state != WAY_OUT and size > limits[LIMIT.force]:
        fail_check(program, reasons.FORCE, body, size, limits[LIMIT.force])
    if state in (TRANSFER, RUN_UP, RETURNING) and size > limits[LIMIT.touch]:
        fail_check(program, reasons.TOUCH, body, size, limits[LIMIT.touch])


@noinline
def check_forces(program):
    """Outside of a docking: forces without what the tools last weighed, and their checks."""
    for body in range(BODIES):
        if has_sensor(program, body):
            _check_force(program, body)


@compiled
def is_docking(state):
    return state in (APPROACH, CONTACT)
