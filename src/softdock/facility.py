"""The facility: robots, contact and sensors behind one seam. A set-point goes in, measured poses and wrenches with their ages come out.

`advance` is the simulated facility over one cycle: it owns the plant's step, the sensor's rate and the contact. A real facility is the same
exchange over a network; nothing above the seam knows which it has. What the simulation knows beyond a rig's sensors (true wrench, work at the
contact) is in `Passage`, for the ledger only: no method sees it.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.command.laboratory import in_laboratory
from softdock.compiled import apart, compiled
from softdock.contact import touch_apart, touch_bodies
from softdock.layout import PAIRS_MEM, SAMPLE_FLOATS
from softdock.robots.delay import delayed_set_point
from softdock.robots.history import HERMITE, acceleration_at, motion_at, push
from softdock.robots.robot import carry, receive
from softdock.schedules import scheduled
from softdock.sensor.force_torque import LATEST, ON_BOTH, ON_CHASER, ON_TARGET, is_consumed, newest_arrived, read_sensor, sensor_noise
from softdock.sensor.mock_up import COMMANDED, IGNORED, from_sensor, plus, to_sensor, weigh
from softdock.sensor.pose import is_lost, pose_instant, read_pose
from softdock.spatial.motion import MOTION_FLOATS, Motion, Wrench, displacement, load_wrench, no_wrench, store_motion, store_wrench, work
from softdock.spatial.vectors import add, load3, negate, norm, scale, subtract

SAME_TIME = 1e-9  # cycles; instants closer than this coincide


class Facility(NamedTuple):
    """State of the simulated facility at t_k. What few rigs need (filters, a second reading, late poses) is in `mem`, see layout.Memory."""

    chaser: Motion  # the mock-ups, truly
    target: Motion
    true_chaser: Wrench  # of the contact on each mock-up now
    true_target: Wrench
    dissipating: float  # W, in the contact now
    samples: int  # force samples taken since the start
    handed: int  # number of the newest sample handed over
    reading: Wrench  # handed to the controller, about the centre of mass, world axes: the chaser's, or the only sensor's
    reading_time: float  # s
    seen_time: float  # s, of the measured poses


class Passage(NamedTuple):
    """What truly happened over one cycle."""

    mean_chaser: Wrench  # true contact wrench, mean over the cycle
    mean_target: Wrench
    absorbed: float  # J, by the contact
    stored: float  # J, in the contact at the end
    dissipated: float  # J
    touched: bool  # at any plant step
    first_touch: float  # s
    last_touch: float  # s
    pair: int  # deepest pair of the last touch
    depth: float  # m at the end; negative: the gap
    peak: float  # N
    peak_torque: float  # Nm


@compiled
def _half_sum(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@compiled
def move_robots(params, mem, chaser, target, t0, t1):
    """Both mock-ups at t1 from where they were at t0 [s]."""
    m, T = params.memory, params.T
    chaser = carry(
        params.chaser_robot, params.chance, T, mem, m.chaser_history, m.slots, m.chaser_robot, chaser, t0, t1, params.chaser_mock_up.heavy
    )
    target = carry(
        params.target_robot, params.chance, T, mem, m.target_history, m.slots, m.target_robot, target, t0, t1, params.target_mock_up.heavy
    )
    return chaser, target


@compiled
def _reading(params, vector, mem, which, k, sample, t, dt, mock_up, robot, history, state, hand, contact, was, motion):
    """One sensor's sample, compensated and moved to the centre of mass, world axes."""
    sensor = params.sensor
    if sensor.plain and not mock_up.heavy and hand.rows == 0:  # nothing but noise: no need to go to the sensor's axes and back
        if not sensor.noisy:
            return contact
        noise = sensor_noise(sensor, params.chance, which, k, sample)
        return plus(contact, 1.0, from_sensor(mock_up.sensor, motion.q, noise))
    return _full_reading(params, vector, mem, which, k, sample, t, dt, mock_up, robot, history, state, hand, contact, was, motion)


@apart
def _full_reading(params, vector, mem, which, k, sample, t, dt, mock_up, robot, history, state, hand, contact, was, motion):
    filter_at = params.memory.filters + 6 * which
    filtered = load_wrench(mem, filter_at)
    outside = to_sensor(mock_up.sensor, motion.q, plus(contact, 1.0, scheduled(vector, hand, t, motion.q)))
    if not mock_up.heavy:
        reading, filtered = read_sensor(params.sensor, params.chance, which, k, sample, t, filtered, outside)
        store_wrench(mem, filter_at, filtered)
        return from_sensor(mock_up.sensor, motion.q, reading)
    gravity = params.laboratory.gravity
    a, alpha = load3(mem, state), load3(mem, state + 3)
    felt = plus(outside, 1.0, weigh(mock_up.true, mock_up.sensor, gravity, motion, a, alpha))
    reading, filtered = read_sensor(params.sensor, params.chance, which, k, sample, t, filtered, felt)
    store_wrench(mem, filter_at, filtered)
    if mock_up.acceleration == IGNORED:
        a, alpha = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    elif mock_up.acceleration == COMMANDED:
        cycles = (t - robot.delay) / params.T
        a, alpha = acceleration_at(HERMITE, params.T, mem, history, params.memory.slots, cycles)
    else:
        a, alpha = scale(1.0 / dt, subtract(motion.v, was.v)), scale(1.0 / dt, subtract(motion.w, was.w))
    believed = weigh(mock_up.believed, mock_up.sensor, gravity, motion, a, alpha)
    return from_sensor(mock_up.sensor, motion.q, plus(reading, -1.0, believed))


@compiled
def sample_wrenches(params, vector, mem, k, sample, t, dt, was_chaser, was_target, chaser, target, true_chaser, true_target):
    """One sample of the force sensors into its slot, compensated and moved to the centres of mass."""
    m, sensor = params.memory, params.sensor
    slot = m.samples + (sample & (m.sample_slots - 1)) * SAMPLE_FLOATS
    if sensor.on != ON_TARGET:
        mock_up, robot, hand = params.chaser_mock_up, params.chaser_robot, params.chaser_hand
        at, state = m.chaser_history, m.chaser_robot
        reading = _reading(params, vector, mem, 0, k, sample, t, dt, mock_up, robot, at, state, hand, true_chaser, was_chaser, chaser)
        store_wrench(mem, slot, reading)
    if sensor.on != ON_CHASER:
        mock_up, robot, hand = params.target_mock_up, params.target_robot, params.target_hand
        at, state = m.target_history, m.target_robot
        reading = _reading(params, vector, mem, 1, k, sample, t, dt, mock_up, robot, at, state, hand, true_target, was_target, target)
        store_wrench(mem, slot + 6, reading)


@compiled
def hand_over(params, mem, handed, t, reading, reading_time):
    """What the controller gets at t: the newest sample that has arrived, or the mean of those that arrived since the last hand-over."""
    m, sensor = params.memory, params.sensor
    newest = newest_arrived(sensor, t)
    if newest <= handed or newest < 0:
        return handed, reading, reading_time
    slot = m.samples + (newest & (m.sample_slots - 1)) * SAMPLE_FLOATS
    when = newest * sensor.period
    if sensor.handover == LATEST and sensor.threshold == 0.0 and sensor.on == ON_CHASER:
        return newest, load_wrench(mem, slot), when
    return newest, _gathered(params, mem, handed, newest), when


@apart
def _gathered(params, mem, handed, newest):
    """Latest or mean, both sensors, threshold. The target's reading goes to `mem`; returned is the chaser's, or the only sensor's."""
    m, sensor = params.memory, params.sensor
    first = newest if sensor.handover == LATEST else max(handed + 1, newest - m.sample_slots + 1)
    weight = 1.0 / (newest - first + 1)
    chaser, target = no_wrench(), no_wrench()
    for sample in range(first, newest + 1):
        slot = m.samples + (sample & (m.sample_slots - 1)) * SAMPLE_FLOATS
        chaser = plus(chaser, weight, load_wrench(mem, slot))
        target = plus(target, weight, load_wrench(mem, slot + 6))
    force = norm(chaser.force) if sensor.on != ON_TARGET else norm(target.force)
    if sensor.on == ON_BOTH:
        force = 0.5 * norm(subtract(chaser.force, target.force))
    if force < sensor.threshold:
        chaser, target = no_wrench(), no_wrench()
    store_wrench(mem, m.second, target)
    return target if sensor.on == ON_TARGET else chaser


@apart
def see_poses(params, mem, k, chaser, target, seen_time):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]."""
    m, T = params.memory, params.T
    push(mem, m.poses, m.pose_slots, k, chaser)
    push(mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, k, target)
    instant = pose_instant(params.pose, T, k)
    if is_lost(params.pose, params.chance, k) or instant * T <= seen_time:
        return seen_time
    true_chaser = motion_at(HERMITE, T, mem, m.poses, m.pose_slots, instant)
    true_target = motion_at(HERMITE, T, mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, instant)
    store_motion(mem, m.seen, read_pose(params.pose, params.chance, 0, k, true_chaser))
    store_motion(mem, m.seen + MOTION_FLOATS, read_pose(params.pose, params.chance, 1, k, true_target))
    return instant * T


@apart
def start_facility(params, vector, mem):
    """The facility at t = 0, the set-points up to stamp 0 being in `mem` already; the robots have followed them so far."""
    m, T = params.memory, params.T
    chaser = delayed_set_point(params.chaser_robot, params.chance, T, mem, m.chaser_history, m.slots, 0.0)
    target = delayed_set_point(params.target_robot, params.chance, T, mem, m.target_history, m.slots, 0.0)
    for i in range(m.pose_slots):
        push(mem, m.poses, m.pose_slots, -i, chaser)
        push(mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, -i, target)
    contact = touch_apart(vector, mem, PAIRS_MEM, params.pairs, chaser, target)
    true_chaser = Wrench(contact.force, contact.torque_chaser)
    true_target = Wrench(negate(contact.force), contact.torque_target)
    store_motion(mem, m.seen, chaser)
    store_motion(mem, m.seen + MOTION_FLOATS, target)
    sample_wrenches(params, vector, mem, -1, 0, 0.0, T, chaser, target, chaser, target, true_chaser, true_target)
    handed, reading, when = hand_over(params, mem, -1, 0.0, no_wrench(), 0.0)
    return Facility(
        chaser,
        target,
        true_chaser,
        true_target,
        contact.dissipated,
        0,
        handed,
        reading,
        when,
        -params.pose.delay,
    )


@compiled
def advance(params, vector, facility, mem, k, chaser_command, target_command):
    """From t_k to t_{k+1}: the set-points stamped t_{k+1} arrive, robots move, parts touch, the sensors sample."""
    m, T = params.memory, params.T
    receive(params.chaser_robot, params.chance, T, mem, m.chaser_history, m.slots, k + 1, chaser_command)
    receive(params.target_robot, params.chance, T, mem, m.target_history, m.slots, k + 1, target_command)

    period = params.sensor.period / T  # cycles
    chaser, target = facility.chaser, facility.target
    true_chaser, true_target, dissipating = facility.true_chaser, facility.true_target, facility.dissipating
    samples = facility.samples
    mean_chaser, mean_target = no_wrench(), no_wrench()
    absorbed, dissipated, stored, depth, peak, peak_torque = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    touched, first_touch, last_touch, pair = False, 0.0, 0.0, 0

    now = float(k)  # in cycles, as all instants below
    step = 1
    while step <= params.plant_steps:
        plant = k + step / params.plant_steps
        sample = (samples + 1) * period
        is_sample = sample <= plant + SAME_TIME
        later = plant
        if is_sample and sample < plant - SAME_TIME:
            later = sample  # a sample between two plant steps
        else:
            step += 1

        was_chaser, was_target, was_true_chaser, was_true_target = chaser, target, true_chaser, true_target
        dt = later - now
        chaser, target = move_robots(params, mem, chaser, target, now * T, later * T)
        contact = touch_bodies(vector, mem, PAIRS_MEM, params.pairs, chaser, target)
        true_chaser = Wrench(contact.force, contact.torque_chaser)
        true_target = Wrench(negate(contact.force), contact.torque_target)

        if contact.depth > 0.0:
            if not touched:
                first_touch = later * T
            touched, last_touch, pair = True, later * T, contact.pair
        half_chaser, half_target = _half_sum(was_true_chaser, true_chaser), _half_sum(was_true_target, true_target)
        absorbed -= work(half_chaser, displacement(was_chaser.p, was_chaser.q, chaser.p, chaser.q))
        absorbed -= work(half_target, displacement(was_target.p, was_target.q, target.p, target.q))
        dissipated += 0.5 * (dissipating + contact.dissipated) * dt * T
        mean_chaser, mean_target = plus(mean_chaser, dt, half_chaser), plus(mean_target, dt, half_target)
        stored, dissipating, depth, peak = contact.stored, contact.dissipated, contact.depth, max(peak, contact.peak)
        peak_torque = max(peak_torque, max(norm(contact.torque_chaser), norm(contact.torque_target)))
        now = later

        if is_sample:
            samples += 1
            if is_consumed(params.sensor, T, samples):
                sample_wrenches(
                    params, vector, mem, k, samples, later * T, dt * T, was_chaser, was_target, chaser, target, true_chaser, true_target
                )

    handed, reading, when = hand_over(params, mem, facility.handed, (k + 1) * T, facility.reading, facility.reading_time)
    seen = (k + 1) * T if params.pose.ideal else see_poses(params, mem, k + 1, chaser, target, facility.seen_time)
    after = Facility(chaser, target, true_chaser, true_target, dissipating, samples, handed, reading, when, seen)
    passage = Passage(
        mean_chaser, mean_target, absorbed, stored, dissipated, touched, first_touch, last_touch, pair, depth, peak, peak_torque
    )
    return after, passage


@compiled
def out_of_reach(params, facility):
    """Whether a robot has gone beyond its reach."""
    lab, stop = params.laboratory, params.stop
    chaser = norm(subtract(in_laboratory(lab, facility.chaser.p), stop.chaser_centre))
    target = norm(subtract(in_laboratory(lab, facility.target.p), stop.target_centre))
    return chaser > stop.chaser_reach or target > stop.target_reach
