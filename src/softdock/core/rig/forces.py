"""The forces that count at t_k: of each sensor the newest sample not after it, if it can be
believed.

In: the sensors' links. Out: raw wrenches in body axes without bias, the force that each mock-up
feels in orbit's axes, and failed checks: range, status, plausibility, age, size. A reading that
jumps by more than the stated step is held back before the controller sees it: one forged record
must not become a force on a satellite.
"""

from __future__ import annotations

from softdock.core.bodies import BODIES
from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled, seldom
from softdock.core.rig import reasons
from softdock.core.rig.arrays import (
    AT_COUNT,
    LIMIT,
    RV,
    SS,
    SV,
    WARNING,
    S,
    V,
    fail,
    has_robot,
    has_sensor,
    tell,
)
from softdock.core.rig.flange import to_orbit
from softdock.core.rig.layout import (
    APPROACH,
    CONTACT,
    PLAN,
    RETURNING,
    RUN_UP,
    SENSE,
    TRANSFER,
    WAY_OUT,
)
from softdock.core.rig.zero import check_frozen
from softdock.core.seam import side_of
from softdock.core.spatial.motion import MOTION_FLOATS, load_pose
from softdock.core.spatial.rotations import rotate
from softdock.core.spatial.vectors import load3, load4, norm, store3, subtract
from softdock.core.wire.links import LAST_WORD
from softdock.core.wire.rdt import is_fault
from softdock.core.wire.samples import NO_SAMPLE, SAMPLE_VALUES, newest_not_after
from softdock.core.wire.sequences import JUMPED_BY, JUMPS

P, A = PLAN.at, SENSE.at
HALF = SAMPLE_VALUES // 2  # forces, then torques


@compiled
def _in_body(program, body, sample):
    """Force and torque in body axes, without bias."""
    axes, seen = load4(program.senses[body], A.axes), program.sensor_seen[body]
    force = subtract(load3(sample, 0), load3(seen, SV.bias))
    torque = subtract(load3(sample, HALF), load3(seen, SV.bias + HALF))
    return rotate(axes, force), rotate(axes, torque)


@compiled
def gather_bias(program, sensors, now):
    """One more sample of each sensor whose zero is taken before anything moves."""
    for body in range(BODIES):
        if not has_sensor(program, body) or program.senses[body, A.take_bias] == 0.0:
            continue
        stand, seen, sensor = program.sensor_stand[body], program.sensor_seen[body], sensors[body]
        slot = newest_not_after(sensor.stamps, sensor.head, now)
        if slot == NO_SAMPLE or sensor.stamps[slot] == stand[SS.bias_ns]:
            continue
        stand[SS.bias_ns] = sensor.stamps[slot]
        stand[SS.bias_samples] += 1
        for i in range(SAMPLE_VALUES):
            apart_by = sensor.samples[slot, i] - seen[SV.bias + i]
            seen[SV.bias + i] += apart_by / stand[SS.bias_samples]


@compiled
def _check_sample(program, body, sample):
    """The raw channels against the range that is allowed of the sensor."""
    sense, most = program.senses[body], 0.0
    for i in range(HALF):
        most = max(most, abs(sample[i]) / sense[A.range_force])
        most = max(most, abs(sample[HALF + i]) / sense[A.range_torque])
    if most > 1.0:
        fail(program, reasons.SENSOR_RANGE, body, most, 1.0)


@compiled
def _check_status(program, body, sensor):
    stand, word = program.sensor_stand[body], sensor.whole[LAST_WORD]
    stand[SS.faulty_row] = stand[SS.faulty_row] + 1 if is_fault(word) else 0
    if stand[SS.faulty_row] > 1:  # one record may be spoilt on its way
        fail(program, reasons.SENSOR_STATUS, body, float(word), float(stand[SS.faulty_row]))


@compiled
def _is_plausible(program, body, force):
    """Whether a new reading may follow the last one."""
    stand, limits = program.sensor_stand[body], program.limits
    jump = norm(subtract(force, load3(program.sensor_seen[body], SV.raw)))
    if jump <= limits[LIMIT.force_step] or stand[SS.used_ns] == 0:
        stand[SS.implausible_row] = 0
        return True
    program.stand[S.implausible] += 1
    stand[SS.implausible_row] += 1
    if stand[SS.implausible_row] >= limits[LIMIT.bad_in_a_row]:
        fail(program, reasons.FORCE_IMPLAUSIBLE, body, jump, limits[LIMIT.force_step])
    return False


@apart
def _hear_force(program, body, sensor, now):
    """One sensor's reading of this cycle: whether there is one to hand on (new, or still the
    newest)."""
    stand, seen, limits = program.sensor_stand[body], program.sensor_seen[body], program.limits
    is_moving = program.stand[S.state] >= TRANSFER
    slot = newest_not_after(sensor.stamps, sensor.head, now)
    if slot == NO_SAMPLE:
        if is_moving:
            waited = 1e3 * NS * (now - program.stand[S.began_ns])
            fail(program, reasons.FORCE_STALE, body, waited, 1e3 * limits[LIMIT.stale])
        return False
    stamp, usable = sensor.stamps[slot], True
    if stamp != stand[SS.used_ns]:
        force, torque = _in_body(program, body, sensor.samples[slot])
        check_frozen(program, body, sensor.samples[slot], stamp)
        if is_moving:
            _check_sample(program, body, sensor.samples[slot])
        usable = not is_moving or _is_plausible(program, body, force)
        if usable:
            stand[SS.used_ns] = stamp
            store3(seen, SV.raw, force)
            store3(seen, SV.raw + HALF, torque)
    age = NS * (now - stand[SS.used_ns])
    if sensor.sequence[JUMPS] != stand[SS.jumps]:
        _note_new_count(program, body, sensor)
    if is_moving:
        program.seen[V.age_most] = max(program.seen[V.age_most], age)
        _check_status(program, body, sensor)
        if age > limits[LIMIT.stale]:
            fail(program, reasons.FORCE_STALE, body, 1e3 * age, 1e3 * limits[LIMIT.stale])
    return usable


@compiled
def hear_forces(program, sensors, now):
    """The readings of this cycle: bits of a report's `present`, for those to hand on."""
    found = 0
    for body in range(BODIES):
        if has_sensor(program, body) and _hear_force(program, body, sensors[body], now):
            found |= side_of(body).has_wrench
    return found


@seldom
def _note_new_count(program, body, sensor):
    """The sensor's count went on from elsewhere: said, and its samples go on."""
    stand = program.sensor_stand[body]
    new = sensor.sequence[JUMPS] - stand[SS.jumps]
    stand[SS.jumps] = sensor.sequence[JUMPS]
    stand[SS.renewed] += new
    if program.stand[S.state] >= TRANSFER:
        tell(program, WARNING, AT_COUNT, body, float(sensor.sequence[JUMPED_BY]), b=0.0)


@compiled
def first_silent(program, sensors, now):
    """The first sensor that has not been heard just now; -1: all have been."""
    for body in range(BODIES):
        if not has_sensor(program, body):
            continue
        sensor = sensors[body]
        slot = newest_not_after(sensor.stamps, sensor.head, now)
        if slot == NO_SAMPLE or NS * (now - sensor.stamps[slot]) >= program.limits[LIMIT.stale]:
            return body
    return -1


@compiled
def in_orbit(program, body):
    """The raw force that is used, orbit's axes, tool and all."""
    pose = load_pose(program.plan, P.start_chaser + body * MOTION_FLOATS)  # where it stands
    if has_robot(program, body):
        pose = to_orbit(program.frames[body], load_pose(program.robot_seen[body], RV.measured))
    return rotate(pose.q, load3(program.sensor_seen[body], SV.raw))


@compiled
def zero_forces(program, sensors, now):
    """Tare: from here on readings count without the zero; what a tool weighs here is no contact."""
    for body in range(BODIES):
        program.sensor_stand[body, SS.used_ns] = 0
        program.sensor_stand[body, SS.zero_ns] = now
        program.sensor_stand[body, SS.repeated] -= 1  # the newest reading is looked at once more
    hear_forces(program, sensors, now)
    for body in range(BODIES):
        if has_sensor(program, body) and program.senses[body, A.weighs] != 0.0:
            store3(program.sensor_seen[body], SV.tool, in_orbit(program, body))


@compiled
def _feel(program, body):
    state, limits = program.stand[S.state], program.limits
    seen = program.sensor_seen[body]
    force = subtract(in_orbit(program, body), load3(seen, SV.tool))
    store3(seen, SV.force, force)
    size = norm(force)
    program.seen[V.peak_force] = max(program.seen[V.peak_force], size)
    if state >= TRANSFER and state != WAY_OUT and size > limits[LIMIT.force]:
        fail(program, reasons.FORCE, body, size, limits[LIMIT.force])
    if state in (TRANSFER, RUN_UP, RETURNING) and size > limits[LIMIT.touch]:
        fail(program, reasons.TOUCH, body, size, limits[LIMIT.touch])


@apart
def feel(program):
    """Outside of a docking: forces without what the tools last weighed, and their checks."""
    for body in range(BODIES):
        if has_sensor(program, body):
            _feel(program, body)


@compiled
def is_docking(state):
    return state in (APPROACH, CONTACT)
