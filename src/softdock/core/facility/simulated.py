"""The facility: robots, contact and sensors behind one seam. A set-point goes in, measured poses
and wrenches with their ages come out.

`advance` is the simulated facility over one cycle: it owns the plant's step, the sensor's rate and
the contact. A real facility is the same exchange over a network; nothing above the seam knows which
it has. What the simulation knows beyond a rig's sensors (true wrench, work at the contact) is in
`Stretch`, for the ledger only: no method sees it.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.command.laboratory import in_laboratory, prepare_laboratory
from softdock.core.contact import touch_apart, touch_bodies
from softdock.core.facility.elastic import yield_joints
from softdock.core.facility.sampling import hand_over, sample_wrenches, see_poses
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import Every
from softdock.core.machine.vector import (
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    PAIRS_MEM,
    POSE_AT,
    REACHES,
    TARGET_ROBOT_AT,
)
from softdock.core.robots.delay import delayed_set_point, store_delayed_acceleration
from softdock.core.robots.history import motion_at, near, push
from softdock.core.robots.joint import store_motors
from softdock.core.robots.robot import carry, prepare_robot, receive
from softdock.core.sensor.force_torque import (
    is_consumed,
)
from softdock.core.sensor.mock_up import plus
from softdock.core.sensor.pose import astray, prepare_pose
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    WRENCH_FLOATS,
    Motion,
    Wrench,
    coasting,
    displacement,
    is_felt,
    no_wrench,
    store_motion,
    work,
)
from softdock.core.spatial.vectors import add, dot, load3, negate, norm, scale, subtract

SAME_TIME = 1e-9  # cycles; instants closer than this coincide


class Facility(NamedTuple):
    """State of the simulated facility at t_k. What few rigs need (filters, a second reading, late
    poses) is in `mem`, see layout.Memory."""

    chaser: Motion  # the mock-ups, truly
    target: Motion
    true_chaser: Wrench  # of the contact on each mock-up now
    true_target: Wrench
    dissipating: float  # W, in the contact now
    samples: int  # force samples taken since the start
    handed: int  # number of the newest sample handed over
    # handed to the controller, about the centre of mass, world axes: the chaser's, or the only
    # sensor's
    reading: Wrench
    reading_time: float  # s
    seen_time: float  # s, of the measured poses


FACILITY = Cells(
    "facility",
    Cell("chaser", MOTION_FLOATS, "", "the chaser's mock-up, truly: a `motion`"),
    Cell("target", MOTION_FLOATS, "", "the target's mock-up, truly: a `motion`"),
    Cell("true_chaser", WRENCH_FLOATS, "N, Nm", "of the contact on the chaser's mock-up"),
    Cell("true_target", WRENCH_FLOATS, "N, Nm", "of the contact on the target's mock-up"),
    Cell("dissipating", 1, "W", "power lost in the contact now"),
    Cell("samples", 1, "-", "force samples taken since the start"),
    Cell("handed", 1, "-", "number of the newest sample handed over"),
    Cell("reading_time", 1, "s", "of the reading"),
    Cell("seen_time", 1, "s", "of the measured poses"),
    Cell("reading", WRENCH_FLOATS, "N, Nm", "handed over: the chaser's, or the only sensor's"),
)


class Stretch(NamedTuple):
    """The facility within a cycle: where it is, and what has happened since t_k."""

    chaser: Motion
    target: Motion
    true_chaser: Wrench
    true_target: Wrench
    dissipating: float  # W
    samples: int
    mean_chaser: Wrench
    mean_target: Wrench
    absorbed: float  # J
    stored: float  # J
    dissipated: float  # J
    touched: bool
    first_touch: float  # s
    last_touch: float  # s
    pair: int
    depth: float  # m
    peak_squared: float  # N^2
    peak_torque_squared: float  # (Nm)^2
    sampled: Wrench  # by the chaser's sensor, last


@compiled
def _half_sum(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@compiled
def move_robots(params, vector, mem, was, k, now, later):
    """Both mock-ups at `later` from where they were at `now` [cycles]."""
    m, T, chance = params.memory, params.T, params.chance
    c, t = params.chaser_robot, params.target_robot
    if params.on_stamps:
        return on_stamps(params, mem, k, 1)
    chaser = carry(
        params.features,
        vector,
        c,
        chance,
        T,
        mem,
        m.chaser_history,
        m.slots,
        m.chaser_robot,
        was.chaser,
        now,
        later,
        params.chaser_heavy,
    )
    target = carry(
        params.features,
        vector,
        t,
        chance,
        T,
        mem,
        m.target_history,
        m.slots,
        m.target_robot,
        was.target,
        now,
        later,
        params.target_heavy,
    )
    if params.elastic:
        return yield_joints(
            params.features,
            params,
            vector,
            mem,
            (later - now) * T,
            was.chaser,
            was.target,
            was.true_chaser.force,
            chaser,
            target,
        )
    return chaser, target


@compiled
def on_stamps(params, mem, k, ahead):
    """Both mock-ups at t_k or one cycle ahead, where delays are whole cycles: each on the set-point
    stamped a delay ago."""
    m = params.memory
    chaser = near(mem, m.chaser_history, m.slots, k, ahead - params.chaser_robot.cycles)
    return chaser, near(mem, m.target_history, m.slots, k, ahead - params.target_robot.cycles)


@compiled
def recall(params, mem, facility, k):
    """The same facility at t_k, with the mock-ups' motions read anew where they stand in `mem`: a
    loop need not keep them in registers."""
    if not params.on_stamps:
        return facility
    f = facility
    chaser, target = on_stamps(params, mem, k, 0)
    return Facility(
        chaser=chaser,
        target=target,
        true_chaser=f.true_chaser,
        true_target=f.true_target,
        dissipating=f.dissipating,
        samples=f.samples,
        handed=f.handed,
        reading=f.reading,
        reading_time=f.reading_time,
        seen_time=f.seen_time,
    )


@compiled
def _first_stamped(features, params, vector, mem):
    m, T, c, t = params.memory, params.T, params.chaser_robot, params.target_robot
    chaser = motion_at(c.interpolation, T, mem, m.chaser_history, m.slots, -c.delay / T)
    return chaser, motion_at(t.interpolation, T, mem, m.target_history, m.slots, -t.delay / T), 0.0


@apart
def _first_arrived(features, params, vector, mem):
    m, T = params.memory, params.T
    chaser_robot, target_robot = (
        prepare_robot(vector, CHASER_ROBOT_AT, 0),
        prepare_robot(vector, TARGET_ROBOT_AT, 1),
    )
    chaser = delayed_set_point(chaser_robot, params.chance, T, mem, m.chaser_history, m.slots, 0.0)
    target = delayed_set_point(target_robot, params.chance, T, mem, m.target_history, m.slots, 0.0)
    for i in range(m.pose_slots):  # before the start: the steady motion that led here
        push(mem, m.poses, m.pose_slots, -i, coasting(chaser, -i * T))
        push(
            mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, -i, coasting(target, -i * T)
        )
    pose = prepare_pose(vector, POSE_AT)
    late = pose.delay
    if not params.ideal_pose:
        store_motion(mem, m.seen, astray(pose, 0, coasting(chaser, -late)))
        store_motion(mem, m.seen + MOTION_FLOATS, astray(pose, 1, coasting(target, -late)))
    if params.elastic:
        store_motors(mem, m.chaser_robot, T, chaser, chaser)
        store_motors(mem, m.target_robot, T, target, target)
    if params.chaser_heavy:
        store_delayed_acceleration(
            chaser_robot, params.chance, T, mem, m.chaser_history, m.slots, 0.0, m.chaser_robot
        )
    if params.target_heavy:
        store_delayed_acceleration(
            target_robot, params.chance, T, mem, m.target_history, m.slots, 0.0, m.target_robot
        )
    return chaser, target, late


@by_type(lambda cls: _first_arrived if cls is Every else _first_stamped)
def first_motions(features, params, vector, mem):
    """The mock-ups at t = 0, where they were before into `mem`; and how late their poses are seen
    [s]."""


@apart
def start_facility(params, vector, mem):
    """The facility at t = 0, the set-points up to stamp 0 being in `mem` already; the robots have
    followed them so far."""
    chaser, target, late = first_motions(params.features, params, vector, mem)
    contact = touch_apart(vector, mem, PAIRS_MEM, params.pairs, chaser, target)
    true_chaser = Wrench(contact.force, contact.torque_chaser)
    true_target = Wrench(negate(contact.force), contact.torque_target)
    sampled = sample_wrenches(
        params,
        vector,
        mem,
        -1,
        0,
        0.0,
        params.T,
        chaser,
        target,
        chaser,
        target,
        true_chaser,
        true_target,
    )
    handed, reading, when = hand_over(params, mem, -1, 0, sampled, no_wrench(), 0.0)
    return Facility(
        chaser=chaser,
        target=target,
        true_chaser=true_chaser,
        true_target=true_target,
        dissipating=contact.dissipated,
        samples=0,
        handed=handed,
        reading=reading,
        reading_time=when,
        seen_time=-late,
    )


@compiled
def plant_step(params, vector, mem, k, was, now, later, is_sample):
    """One step of the plant, from `now` to `later` [cycles]: robots move, parts touch, and perhaps
    the sensors sample."""
    T, dt = params.T, later - now
    chaser, target = move_robots(params, vector, mem, was, k, now, later)
    contact = touch_bodies(vector, mem, PAIRS_MEM, params.pairs, chaser, target)
    true_chaser = Wrench(contact.force, contact.torque_chaser)
    true_target = Wrench(negate(contact.force), contact.torque_target)
    mean_chaser, mean_target, absorbed = was.mean_chaser, was.mean_target, was.absorbed
    if (
        contact.depth > 0.0 or is_felt(was.true_chaser) or is_felt(was.true_target)
    ):  # else every term is zero: free flight, which is most of a run
        half_chaser, half_target = (
            _half_sum(was.true_chaser, true_chaser),
            _half_sum(was.true_target, true_target),
        )
        absorbed -= work(half_chaser, displacement(was.chaser.p, was.chaser.q, chaser.p, chaser.q))
        absorbed -= work(half_target, displacement(was.target.p, was.target.q, target.p, target.q))
        mean_chaser, mean_target = (
            plus(mean_chaser, dt, half_chaser),
            plus(mean_target, dt, half_target),
        )

    touched, first_touch, last_touch, pair = was.touched, was.first_touch, was.last_touch, was.pair
    if contact.depth > 0.0:
        if not touched:
            first_touch = later * T
        touched, last_touch, pair = True, later * T, contact.pair
    samples, sampled = was.samples, was.sampled
    if is_sample:
        samples += 1
        if is_consumed(params.sensor, T, samples):
            sampled = sample_wrenches(
                params,
                vector,
                mem,
                k,
                samples,
                later * T,
                dt * T,
                was.chaser,
                was.target,
                chaser,
                target,
                true_chaser,
                true_target,
            )
    return Stretch(
        chaser=chaser,
        target=target,
        true_chaser=true_chaser,
        true_target=true_target,
        dissipating=contact.dissipated,
        samples=samples,
        mean_chaser=mean_chaser,
        mean_target=mean_target,
        absorbed=absorbed,
        stored=contact.stored,
        dissipated=was.dissipated + 0.5 * (was.dissipating + contact.dissipated) * dt * T,
        touched=touched,
        first_touch=first_touch,
        last_touch=last_touch,
        pair=pair,
        depth=contact.depth,
        peak_squared=max(was.peak_squared, contact.peak_squared),
        peak_torque_squared=max(
            was.peak_torque_squared,
            max(
                dot(contact.torque_chaser, contact.torque_chaser),
                dot(contact.torque_target, contact.torque_target),
            ),
        ),
        sampled=sampled,
    )


@apart
def _many_steps(params, vector, mem, k, stretch):
    """A cycle of several plant steps, or with samples between them."""
    period = params.sensor.period / params.T  # cycles
    now = float(k)
    step = 1
    while step <= params.plant_steps:
        plant = k + step / params.plant_steps
        sample = (stretch.samples + 1) * period
        is_sample = sample <= plant + SAME_TIME
        later = plant
        if is_sample and sample < plant - SAME_TIME:
            later = sample  # a sample between two plant steps
        else:
            step += 1
        stretch = plant_step(params, vector, mem, k, stretch, now, later, is_sample)
        now = later
    return stretch


@compiled
def advance(params, vector, facility, mem, k, chaser_command, target_command):
    """From t_k to t_{k+1}: the set-points stamped t_{k+1} arrive, robots move, parts touch, the
    sensors sample."""
    m, T = params.memory, params.T
    receive(
        params.features,
        vector,
        params.chaser_robot,
        params.chance,
        T,
        mem,
        m.chaser_history,
        m.slots,
        k + 1,
        chaser_command,
    )
    receive(
        params.features,
        vector,
        params.target_robot,
        params.chance,
        T,
        mem,
        m.target_history,
        m.slots,
        k + 1,
        target_command,
    )
    f, none = facility, no_wrench()
    begun = Stretch(
        chaser=f.chaser,
        target=f.target,
        true_chaser=f.true_chaser,
        true_target=f.true_target,
        dissipating=f.dissipating,
        samples=f.samples,
        mean_chaser=none,
        mean_target=none,
        absorbed=0.0,
        stored=0.0,
        dissipated=0.0,
        touched=False,
        first_touch=0.0,
        last_touch=0.0,
        pair=0,
        depth=0.0,
        peak_squared=0.0,
        peak_torque_squared=0.0,
        sampled=none,
    )
    if params.single_rate:  # one plant step, one sample, both at t_{k+1}: no loop
        end = plant_step(params, vector, mem, k, begun, float(k), k + 1.0, True)
    else:
        end = _many_steps(params, vector, mem, k, begun)
    handed, reading, when = hand_over(
        params, mem, f.handed, k + 1, end.sampled, f.reading, f.reading_time
    )
    seen = (k + 1) * T
    if not params.ideal_pose:
        seen = see_poses(
            params.features,
            vector,
            m,
            T,
            params.chance,
            mem,
            k + 1,
            end.chaser,
            end.target,
            f.seen_time,
        )
    after = Facility(
        chaser=end.chaser,
        target=end.target,
        true_chaser=end.true_chaser,
        true_target=end.true_target,
        dissipating=end.dissipating,
        samples=end.samples,
        handed=handed,
        reading=reading,
        reading_time=when,
        seen_time=seen,
    )
    return after, end


@compiled
def _in_reach(features, vector, chaser, target):
    return False


@apart
def _out_of_reach(features, vector, chaser, target):
    """Whether a robot has gone beyond its reach; both mock-ups' positions in orbit axes."""
    lab = prepare_laboratory(vector, LABORATORY_AT)
    return _beyond(vector, CHASER_ROBOT_AT, in_laboratory(lab, chaser)) or _beyond(
        vector, TARGET_ROBOT_AT, in_laboratory(lab, target)
    )


@by_type(lambda cls: _out_of_reach if cls is Every else _in_reach)
def out_of_reach(features, vector, chaser, target):
    """Whether a robot has gone beyond its reach."""


@compiled
def _beyond(vector, robot, point):
    reach = vector[robot + REACHES.reach]
    return (
        reach > 0.0 and norm(subtract(point, load3(vector, robot + REACHES.reach_centre))) > reach
    )
