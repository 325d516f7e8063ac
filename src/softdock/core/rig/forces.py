"""The force that counts at t_k: the newest sample not after it, if it can be believed.

In: the sensor's link. Out: the raw wrench in body axes without bias, the force that the mock-up
feels in orbit's axes, and failed checks: range, status, plausibility, age, size. A reading that
jumps by more than the stated step is held back before the controller sees it: one forged record
must not become a force on a satellite.
"""

from __future__ import annotations

from softdock.core.machine.compiled import apart, compiled
from softdock.core.rig import reasons
from softdock.core.rig.arrays import LIMIT, RV, S, V, fail
from softdock.core.rig.flange import to_orbit
from softdock.core.rig.layout import (
    APPROACH,
    CONTACT,
    PLAN,
    RETURNING,
    RUN_UP,
    TRANSFER,
    WAY_OUT,
)
from softdock.core.spatial.motion import load_pose
from softdock.core.spatial.rotations import rotate
from softdock.core.spatial.vectors import load3, load4, norm, store3, subtract
from softdock.core.wire.links import LAST_WORD
from softdock.core.wire.rdt import is_fault
from softdock.core.wire.samples import NO_SAMPLE, SAMPLE_VALUES, newest_not_after

P = PLAN.at
NS = 1e-9  # s
HALF = SAMPLE_VALUES // 2  # forces, then torques


@compiled
def _in_body(program, sample):
    """Force and torque in body axes, without bias."""
    axes, bias = load4(program.plan, P.sensor_axes), V.bias
    force = subtract(load3(sample, 0), load3(program.seen, bias))
    torque = subtract(load3(sample, HALF), load3(program.seen, bias + HALF))
    return rotate(axes, force), rotate(axes, torque)


@compiled
def gather_bias(program, sensor, slot):
    """One more sample before anything moves."""
    stand, seen = program.stand, program.seen
    if sensor.stamps[slot] == stand[S.bias_ns]:
        return
    stand[S.bias_ns] = sensor.stamps[slot]
    stand[S.bias_samples] += 1
    for i in range(SAMPLE_VALUES):
        seen[V.bias + i] += (sensor.samples[slot, i] - seen[V.bias + i]) / stand[S.bias_samples]


@compiled
def _check_sample(program, sample):
    """The raw channels against the range that is allowed of the sensor."""
    limits, most = program.limits, 0.0
    for i in range(HALF):
        most = max(most, abs(sample[i]) / limits[LIMIT.range_force])
        most = max(most, abs(sample[HALF + i]) / limits[LIMIT.range_torque])
    if most > 1.0:
        fail(program, reasons.SENSOR_RANGE, most, 1.0)


@compiled
def _check_status(program, sensor):
    stand, word = program.stand, sensor.whole[LAST_WORD]
    stand[S.faulty_row] = stand[S.faulty_row] + 1 if is_fault(word) else 0
    if stand[S.faulty_row] > 1:  # one record may be spoilt on its way
        fail(program, reasons.SENSOR_STATUS, float(word), float(stand[S.faulty_row]))


@compiled
def _is_plausible(program, force):
    """Whether a new reading may follow the last one."""
    stand, limits = program.stand, program.limits
    jump = norm(subtract(force, load3(program.seen, V.raw)))
    if jump <= limits[LIMIT.force_step] or stand[S.used_ns] == 0:
        stand[S.implausible_row] = 0
        return True
    stand[S.implausible] += 1
    stand[S.implausible_row] += 1
    if stand[S.implausible_row] >= limits[LIMIT.bad_in_a_row]:
        fail(program, reasons.FORCE_IMPLAUSIBLE, jump, limits[LIMIT.force_step])
    return False


@apart
def hear_force(program, sensor, now):
    """The reading of this cycle: whether there is one to hand on (new, or still the newest)."""
    stand, seen, limits = program.stand, program.seen, program.limits
    state = stand[S.state]
    is_moving = state >= TRANSFER
    slot = newest_not_after(sensor.stamps, sensor.head, now)
    if slot == NO_SAMPLE:
        if is_moving:
            fail(program, reasons.FORCE_STALE, 1e6, 1e3 * limits[LIMIT.stale])
        return False
    stamp, usable = sensor.stamps[slot], True
    if stamp != stand[S.used_ns]:
        force, torque = _in_body(program, sensor.samples[slot])
        if is_moving:
            _check_sample(program, sensor.samples[slot])
        usable = not is_moving or _is_plausible(program, force)
        if usable:
            stand[S.used_ns] = stamp
            store3(seen, V.raw, force)
            store3(seen, V.raw + HALF, torque)
    age = NS * (now - stand[S.used_ns])
    if is_moving:
        seen[V.age_most] = max(seen[V.age_most], age)
        _check_status(program, sensor)
        if age > limits[LIMIT.stale]:
            fail(program, reasons.FORCE_STALE, 1e3 * age, 1e3 * limits[LIMIT.stale])
    return usable


@compiled
def in_orbit(program):
    """The raw force that is used, orbit's axes, tool and all."""
    on = int(program.plan[P.sensor_on])
    pose = to_orbit(program.frames[on], load_pose(program.robot_seen[on], RV.measured))
    return rotate(pose.q, load3(program.seen, V.raw))


@apart
def feel(program):
    """Outside of a docking: the force without what the tool last weighed, and its checks."""
    state, limits = program.stand[S.state], program.limits
    force = subtract(in_orbit(program), load3(program.seen, V.tool))
    store3(program.seen, V.force, force)
    size = norm(force)
    program.seen[V.peak_force] = max(program.seen[V.peak_force], size)
    if state >= TRANSFER and state != WAY_OUT and size > limits[LIMIT.force]:
        fail(program, reasons.FORCE, size, limits[LIMIT.force])
    if state in (TRANSFER, RUN_UP, RETURNING) and size > limits[LIMIT.touch]:
        fail(program, reasons.TOUCH, size, limits[LIMIT.touch])


@compiled
def is_docking(state):
    return state in (APPROACH, CONTACT)
