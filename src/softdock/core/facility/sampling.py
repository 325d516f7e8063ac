"""What the facility reports: samples of the force sensors, what is handed over of them at t_k, and
the measured poses.

Part of the facility (facility.py calls it); the models themselves are in sensor/. A sensor that
feels nothing but the contact takes the short way; what a mock-up weighs, what electronics do and
what a hand pushes is prepared from the vector only where a scenario has it.
"""

from __future__ import annotations

from softdock.core.command.laboratory import prepare_laboratory
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import Every
from softdock.core.machine.vector import (
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    POSE_AT,
    SCHEDULE,
    SENSOR_AT,
    WRENCH_FLOATS,
    sample_floats,
)
from softdock.core.robots.history import HERMITE, acceleration_at, motion_at, push
from softdock.core.robots.joint import motor_acceleration, motors_of
from softdock.core.robots.memory import ROBOT_STATE
from softdock.core.robots.robot import ROBOT, is_elastic, whole_delay
from softdock.core.schedules import schedule_at, scheduled
from softdock.core.sensor.force_torque import (
    LATEST,
    ON_BOTH,
    ON_CHASER,
    ON_TARGET,
    newest_arrived,
    prepare_sensor,
    read_sensor,
    sensor_noise,
)
from softdock.core.sensor.mock_up import (
    COMMANDED,
    MEASURED,
    MOCK_UP,
    from_sensor,
    plus,
    prepare_mock_up,
    to_sensor,
    weigh,
)
from softdock.core.sensor.pose import is_lost, pose_sample, prepare_pose, read_pose
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    load_wrench,
    no_wrench,
    store_motion,
    store_wrench,
)
from softdock.core.spatial.vectors import load3, norm, scale, subtract

MOVING = ROBOT_STATE.at
# compile-time constants; the target's part of the vector follows the chaser's
ROBOT_SIZE, MOCK_UP_SIZE, SCHEDULE_SIZE, MOCK_UPS = (
    ROBOT.size,
    MOCK_UP.size,
    SCHEDULE.size,
    MOCK_UP.at,
)


@compiled
def _noisy(vector, sensor, chance, which, k, sample, contact, q):
    """A sensor that feels the contact alone: no need to go to its axes and back, but for the
    noise."""
    if not sensor.noisy:
        return contact
    at = load3(vector, CHASER_MOCK_UP_AT + which * MOCK_UP_SIZE + MOCK_UPS.sensor)
    return plus(contact, 1.0, from_sensor(at, q, sensor_noise(sensor, chance, which, k, sample)))


@compiled
def _contact_alone(
    features,
    vector,
    mem,
    T,
    chance,
    slots,
    history,
    state,
    filter_at,
    which,
    k,
    sample,
    t,
    dt,
    contact,
    was,
    motion,
):
    return contact


@apart
def _full_reading(
    features,
    vector,
    mem,
    T,
    chance,
    slots,
    history,
    state,
    filter_at,
    which,
    k,
    sample,
    t,
    dt,
    contact,
    was,
    motion,
):
    """One sample of a sensor with all that it carries and does, compensated and moved to the centre
    of mass, world axes."""
    sensor = prepare_sensor(vector, SENSOR_AT, T)
    mock_up = prepare_mock_up(vector, CHASER_MOCK_UP_AT + which * MOCK_UP_SIZE)
    hand = scheduled(
        vector, schedule_at(vector, CHASER_HAND_AT + which * SCHEDULE_SIZE), t, motion.q
    )
    felt = to_sensor(mock_up.sensor, motion.q, plus(contact, 1.0, hand))
    gravity = prepare_laboratory(vector, LABORATORY_AT).gravity
    elastic = is_elastic(vector, CHASER_ROBOT_AT + which * ROBOT_SIZE)
    if mock_up.heavy:
        true = (
            scale(1.0 / dt, subtract(motion.v, was.v))
            if elastic
            else load3(mem, state + MOVING.acceleration)
        )  # at `state` are the motors' accelerations
        felt = plus(
            felt,
            1.0,
            weigh(
                mock_up.true,
                mock_up.sensor,
                gravity,
                motion,
                true,
                load3(mem, state + MOVING.turning),
            ),
        )
    reading, filtered = read_sensor(
        sensor, chance, which, k, sample, t, load_wrench(mem, filter_at), felt
    )
    store_wrench(mem, filter_at, filtered)
    if mock_up.heavy:
        a, alpha = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if mock_up.acceleration == COMMANDED:
            cycles = (t - whole_delay(vector, CHASER_ROBOT_AT + which * ROBOT_SIZE)) / T
            a, alpha = acceleration_at(T, mem, history, slots, cycles)
        elif mock_up.acceleration == MEASURED:
            a = (
                motor_acceleration(mem, state)
                if elastic
                else scale(1.0 / dt, subtract(motion.v, was.v))
            )
            alpha = scale(1.0 / dt, subtract(motion.w, was.w))
        reading = plus(
            reading, -1.0, weigh(mock_up.believed, mock_up.sensor, gravity, motion, a, alpha)
        )
    return from_sensor(mock_up.sensor, motion.q, reading)


@by_type(lambda cls: _full_reading if cls is Every else _contact_alone)
def full_reading(
    features,
    vector,
    mem,
    T,
    chance,
    slots,
    history,
    state,
    filter_at,
    which,
    k,
    sample,
    t,
    dt,
    contact,
    was,
    motion,
):
    """One sample of a sensor that is more than noise on the contact."""


@compiled
def _sample_at(m, on, sample):
    """Where one sample (number from the start) is kept."""
    return m.samples + (sample & (m.sample_slots - 1)) * sample_floats(on)


@compiled
def _targets(on):
    """From there to the target's wrench."""
    return WRENCH_FLOATS if on == ON_BOTH else 0


@compiled
def sample_wrenches(
    params,
    vector,
    mem,
    k,
    sample,
    t,
    dt,
    was_chaser,
    was_target,
    chaser,
    target,
    true_chaser,
    true_target,
):
    """One sample of the force sensors, compensated and moved to the centres of mass: the chaser's
    returned; and into its slot, unless it is handed over at once."""
    m, sensor, T, chance = params.memory, params.sensor, params.T, params.chance
    slot = _sample_at(m, sensor.on, sample)
    first = no_wrench()
    if sensor.on != ON_TARGET:
        if sensor.plain and params.chaser_light:
            first = _noisy(vector, sensor, chance, 0, k, sample, true_chaser, chaser.q)
        else:
            first = full_reading(
                params.features,
                vector,
                mem,
                T,
                chance,
                m.slots,
                m.chaser_history,
                m.chaser_robot,
                m.filters,
                0,
                k,
                sample,
                t,
                dt,
                true_chaser,
                was_chaser,
                chaser,
            )
        if not sensor.direct:
            store_wrench(mem, slot, first)
    if sensor.on != ON_CHASER:
        if sensor.plain and params.target_light:
            reading = _noisy(vector, sensor, chance, 1, k, sample, true_target, target.q)
        else:
            reading = full_reading(
                params.features,
                vector,
                mem,
                T,
                chance,
                m.slots,
                m.target_history,
                m.target_robot,
                m.filters + WRENCH_FLOATS,
                1,
                k,
                sample,
                t,
                dt,
                true_target,
                was_target,
                target,
            )
        store_wrench(mem, slot + _targets(sensor.on), reading)
    return first


@compiled
def hand_over(params, mem, handed, k, sampled, reading, reading_time):
    """What the controller gets at t_k: the newest sample that has arrived, or the mean of those
    that arrived since the last hand-over."""
    m, sensor = params.memory, params.sensor
    if sensor.direct:
        return k, sampled, k * params.T
    newest = k if sensor.prompt else newest_arrived(sensor, k * params.T)
    if not sensor.prompt and (newest <= handed or newest < 0):
        return handed, reading, reading_time
    when = newest * sensor.period
    if sensor.handover == LATEST and not sensor.thresholded and sensor.on == ON_CHASER:
        return newest, load_wrench(mem, _sample_at(m, sensor.on, newest)), when
    if sensor.handover != LATEST:
        when -= (
            0.5 * (newest - max(handed + 1, newest - m.sample_slots + 1)) * sensor.period
        )  # a mean is as old as its samples are on average
    return newest, _gathered(sensor, m, mem, handed, newest), when


@apart
def _gathered(sensor, m, mem, handed, newest):
    """Latest or mean, both sensors, threshold. The target's reading goes to `mem`; returned is the
    chaser's, or the only sensor's."""
    first = newest if sensor.handover == LATEST else max(handed + 1, newest - m.sample_slots + 1)
    weight = 1.0 / (newest - first + 1)
    chaser, target = no_wrench(), no_wrench()
    for sample in range(first, newest + 1):
        slot = _sample_at(m, sensor.on, sample)
        if sensor.on != ON_TARGET:
            chaser = plus(chaser, weight, load_wrench(mem, slot))
        if sensor.on != ON_CHASER:
            target = plus(target, weight, load_wrench(mem, slot + _targets(sensor.on)))
    force = norm(chaser.force) if sensor.on != ON_TARGET else norm(target.force)
    if sensor.on == ON_BOTH:
        force = 0.5 * norm(subtract(chaser.force, target.force))
    if force < sensor.threshold:
        chaser, target = no_wrench(), no_wrench()
    if sensor.on != ON_CHASER:
        store_wrench(mem, m.second, target)
    return target if sensor.on == ON_TARGET else chaser


@compiled
def _as_before(features, vector, m, T, chance, mem, k, chaser, target, seen_time):
    return seen_time


@apart
def _see_poses(features, vector, m, T, chance, mem, k, chaser, target, seen_time):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]. Of a robot with an
    elastic joint: its motors'."""
    pose = prepare_pose(vector, POSE_AT)
    if is_elastic(vector, CHASER_ROBOT_AT):
        chaser = motors_of(mem, m.chaser_robot)
    if is_elastic(vector, CHASER_ROBOT_AT + ROBOT_SIZE):
        target = motors_of(mem, m.target_robot)
    push(mem, m.poses, m.pose_slots, k, chaser)
    push(mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, k, target)
    sample, instant = pose_sample(pose, T, k)
    if is_lost(pose, chance, sample) or instant * T <= seen_time:
        return seen_time
    true_chaser = motion_at(HERMITE, T, mem, m.poses, m.pose_slots, instant)
    true_target = motion_at(
        HERMITE, T, mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, instant
    )
    store_motion(mem, m.seen, read_pose(pose, chance, 0, sample, true_chaser))
    store_motion(mem, m.seen + MOTION_FLOATS, read_pose(pose, chance, 1, sample, true_target))
    return instant * T


@by_type(lambda cls: _see_poses if cls is Every else _as_before)
def see_poses(features, vector, m, T, chance, mem, k, chaser, target, seen_time):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]."""
