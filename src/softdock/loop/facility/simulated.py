"""The facility: robots, contact and sensors behind one seam. A set-point goes in, measured poses
and wrenches with their ages come out.

`advance` is the simulated facility over one cycle: it owns the plant's step, the sensor's rate and
the contact. A real facility is the same exchange over a network; nothing above the seam knows which
it has. What the simulation knows beyond a rig's sensors (true wrench, work at the contact) is in
`Stretch`, for the ledger only: no method sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softdock.compile.features import Arms, Every, is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.arms.robot_start import start_robot
from softdock.loop.contact import Contact, touch_bodies, touch_noinline
from softdock.loop.contact.latch import (
    LATCH_CELLS,
    LATCH_FLOATS,
    Latch,
    break_latch,
    follow_latch,
    is_holding,
    is_overloaded,
    latch_load,
    may_engage,
    update_peaks,
)
from softdock.loop.contact.latch_keys import LATCH, LATCH_KEYS
from softdock.loop.contact.pair import PAIR_FLOATS, pair_here
from softdock.loop.contact.seat import CAPTURE
from softdock.loop.facility.moving import (
    chaser_carrier,
    move_robots,
    reload_motions,
    target_carrier,
)
from softdock.loop.facility.reach import out_of_reach
from softdock.loop.facility.sampling import Watch, hand_over, sample_wrenches, see_poses
from softdock.loop.facility.state import FACILITY, Facility, Stretch, Tick
from softdock.loop.instants import SAME_CYCLE
from softdock.loop.memory import REPORTS
from softdock.loop.method.interface import Output, Wrenches
from softdock.loop.robots.delay import delay_set_point, store_delayed_acceleration
from softdock.loop.robots.history import motion_at, push
from softdock.loop.robots.joint import store_motors
from softdock.loop.robots.robot import prepare_robot, receive
from softdock.loop.sensor.force_torque import is_used
from softdock.loop.sensor.mock_up import plus
from softdock.loop.sensor.pose import astray, prepare_pose
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    Wrench,
    coasting,
    displacement,
    is_felt,
    no_wrench,
    work,
)
from softdock.loop.spatial.vectors import add, dot, negate, scale
from softdock.loop.vector import (
    CAPTURE_AT,
    CHASER_ROBOT_AT,
    LATCHES_AT,
    PAIRS_MEM,
    POSE_AT,
    TARGET_ROBOT_AT,
)

if TYPE_CHECKING:
    from softdock.loop.params import Params
    from softdock.loop.spatial.motion import Motion

# The facility at t = 0: robots, contact and sensors after they have followed the set-points before
# it.
#
# In: the parameter vector, and past set-points in `mem`. Out: the facility's state (state.py) with
# its first readings.


@compiled
def _first_stamped(features, params: Params, vector, mem):
    m, T, c, t = params.memory, params.T, params.chaser_robot, params.target_robot
    chaser = motion_at(c.interpolation, T, mem, m.chaser_history, m.slots, -c.delay / T)
    return chaser, motion_at(t.interpolation, T, mem, m.target_history, m.slots, -t.delay / T), 0.0


@noinline
def _first_arrived(features, params: Params, vector, mem):
    m, T = params.memory, params.T
    chaser_robot, target_robot = (
        prepare_robot(vector, CHASER_ROBOT_AT, 0),
        prepare_robot(vector, TARGET_ROBOT_AT, 1),
    )
    on_chaser, on_target = chaser_carrier(params), target_carrier(params)
    chaser = delay_set_point(chaser_robot, on_chaser, mem, 0.0)
    target = delay_set_point(target_robot, on_target, mem, 0.0)
    for i in range(m.pose_slots):  # before the start: the steady motion that led here
        push(mem, m.poses, m.pose_slots, -i, coasting(chaser, -i * T))
        push(
            mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, -i, coasting(target, -i * T)
        )
    pose = prepare_pose(vector, POSE_AT)
    late = pose.delay
    if not params.flags.ideal_pose:
        REPORTS(mem, m.reports).seen = Output(
            astray(pose, 0, coasting(chaser, -late)), astray(pose, 1, coasting(target, -late))
        )
    if params.flags.elastic:
        store_motors(mem, m.chaser_robot, T, chaser, chaser)
        store_motors(mem, m.target_robot, T, target, target)
    if params.flags.chaser_heavy:
        store_delayed_acceleration(chaser_robot, on_chaser, mem, 0.0)
    if params.flags.target_heavy:
        store_delayed_acceleration(target_robot, on_target, mem, 0.0)
    return chaser, target, late


@noinline
def _first_on_arms(features, params: Params, vector, mem):
    m, T = params.memory, params.T
    chaser, target, late = _first_arrived(features, params, vector, mem)
    step = min(T / params.plant_steps, params.sensor.period)
    chaser = start_robot(vector, chaser_carrier(params), step, mem, chaser)
    target = start_robot(vector, target_carrier(params), step, mem, target)
    if params.flags.elastic:
        store_motors(mem, m.chaser_robot, T, chaser, chaser)
        store_motors(mem, m.target_robot, T, target, target)
    return chaser, target, late


CHOICES: dict[type, Any] = {Every: _first_arrived, Arms: _first_on_arms}


@by_type(lambda cls: CHOICES.get(cls, _first_stamped))
def first_motions(features, params, vector, mem):
    """The mock-ups at t = 0, where they were before into `mem`; and how late their poses are seen
    [s]."""


@noinline
def start_facility(params: Params, vector, mem):
    """The facility at t = 0, the set-points up to stamp 0 being in `mem` already; the robots have
    followed them so far."""
    chaser, target, late = first_motions(params.features, params, vector, mem)
    contact = touch_noinline(vector, mem, PAIRS_MEM, params.pairs, chaser, target)
    true_chaser = Wrench(contact.force, contact.torque_chaser)
    true_target = Wrench(negate(contact.force), contact.torque_target)
    there, true = Output(chaser, target), Wrenches(true_chaser, true_target)
    sampled = sample_wrenches(params, vector, mem, Tick(-1, 0, 0.0, params.T), there, there, true)
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


# The latches between the mock-ups over one step of the plant: engage, pull in, go hard, break.
#
# In: the motions of both mock-ups (world axes). Out: the latches' wrenches on both, and their
# states in `mem`. loop/contact/latch.py has the law, reference/latches.py the same for the
# satellites in orbit.


@compiled
def _no_latches(features, params: Params, vector, mem, contact, there, t, dt):
    return contact, False


@noinline
def _latches(features, params: Params, vector, mem, contact, there, t, dt):
    chaser, target = there
    force, torque_chaser, torque_target = (
        contact.force,
        contact.torque_chaser,
        contact.torque_target,
    )
    stored, dissipated, peak, holds = (
        contact.stored,
        contact.dissipated,
        contact.peak_squared,
        False,
    )
    hold = CAPTURE(vector, CAPTURE_AT).hold
    for i in range(params.latches):
        base, at = LATCHES_AT + i * LATCH_KEYS, params.memory.latches + i * LATCH_FLOATS
        index, s = int(LATCH(vector, base).pair), LATCH_CELLS(mem, at)
        pair = pair_here(params.pairs, mem, PAIRS_MEM + index * PAIR_FLOATS, index)
        latch = Latch(base=base, law=base + LATCH.at.real_along, at=at, pair=pair, hold=hold)
        is_seated = may_engage(vector, CAPTURE_AT, latch, chaser, target)
        follow_latch(vector, mem, latch, is_seated, t, chaser, target)
        if not is_holding(s.state):
            continue
        load = latch_load(vector, mem, latch, t, chaser, target)
        update_peaks(s, load)
        s.driven += 0.5 * dt * (s.driving + load.driving)
        s.driving = load.driving
        if is_overloaded(vector, base, load):
            break_latch(s, t, load)
            continue
        holds = True
        force, torque_chaser = add(force, load.force), add(torque_chaser, load.torque_chaser)
        torque_target = add(torque_target, load.torque_target)
        stored += load.stored
        dissipated += load.dissipated
        peak = max(peak, load.force_squared)
    whole = Contact(
        force=force,
        torque_chaser=torque_chaser,
        torque_target=torque_target,
        stored=stored,
        dissipated=dissipated,
        depth=contact.depth,
        pair=contact.pair,
        peak_squared=peak,
        lost=contact.lost,
    )
    return whole, holds


@by_type(lambda cls: _latches if is_full(cls) else _no_latches)
def add_latches(features, params, vector, mem, contact, there, t, dt):
    """The contact with what latches add at time t [s], after a plant step of dt [s]; and whether
    any holds. `there`: both mock-ups at t."""


__all__ = ["FACILITY", "Facility", "out_of_reach", "reload_motions", "start_facility"]


@compiled
def _half_sum(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@compiled
def plant_step(params: Params, vector, mem, k, was: Stretch, now, later, is_sample):
    """One step of the plant, from `now` to `later` [cycles]: robots move, parts touch, and perhaps
    the sensors sample."""
    T, dt = params.T, later - now
    chaser, target = move_robots(params, vector, mem, was, k, now, later)
    contact, holds = touch_bodies(vector, mem, PAIRS_MEM, params.pairs, chaser, target, True), False
    if params.latches > 0:
        there = Output(chaser, target)
        contact, holds = add_latches(
            params.features, params, vector, mem, contact, there, t=later * T, dt=dt * T
        )
    true_chaser = Wrench(contact.force, contact.torque_chaser)
    true_target = Wrench(negate(contact.force), contact.torque_target)
    mean_chaser, mean_target, absorbed = was.mean_chaser, was.mean_target, was.absorbed
    if (
        contact.depth > 0.0 or holds or is_felt(was.true_chaser) or is_felt(was.true_target)
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
    if contact.depth > 0.0 or holds:
        if not touched:
            first_touch = later * T
        touched, last_touch, pair = True, later * T, contact.pair
    samples, sampled = was.samples, was.sampled
    if is_sample:
        samples += 1
        if is_used(params.sensor, T, samples):
            tick = Tick(k, samples, later * T, dt * T)
            before, after = Output(was.chaser, was.target), Output(chaser, target)
            true = Wrenches(true_chaser, true_target)
            sampled = sample_wrenches(params, vector, mem, tick, before, after, true)
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
        dissipated=was.dissipated
        + 0.5 * (was.dissipating + contact.dissipated) * dt * T
        + contact.lost,
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


@noinline
def _many_steps(params: Params, vector, mem, k, stretch: Stretch):
    """A cycle of several plant steps, or with samples between them."""
    period = params.sensor.period / params.T  # cycles
    now = float(k)
    step = 1
    while step <= params.plant_steps:
        plant = k + step / params.plant_steps
        sample = (stretch.samples + 1) * period
        is_sample = sample <= plant + SAME_CYCLE
        later = plant
        if is_sample and sample < plant - SAME_CYCLE:
            later = sample  # a sample between two plant steps
        else:
            step += 1
        stretch = plant_step(params, vector, mem, k, stretch, now, later, is_sample=is_sample)
        now = later
    return stretch


@compiled
def advance(
    params: Params,
    vector,
    facility: Facility,
    mem,
    k,
    chaser_command: Motion,
    target_command: Motion,
):
    """From t_k to t_{k+1}: the set-points stamped t_{k+1} arrive, robots move, parts touch, the
    sensors sample."""
    receive(params.features, vector, chaser_carrier(params), mem, k + 1, chaser_command)
    receive(params.features, vector, target_carrier(params), mem, k + 1, target_command)
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
    if params.flags.single_rate:  # one plant step, one sample, both at t_{k+1}: no loop
        end = plant_step(params, vector, mem, k, begun, now=float(k), later=k + 1.0, is_sample=True)
    else:
        end = _many_steps(params, vector, mem, k, begun)
    handed, reading, when = hand_over(
        params, mem, f.handed, k + 1, end.sampled, f.reading, f.reading_time
    )
    seen = (k + 1) * params.T
    if not params.flags.ideal_pose:
        watch = Watch(params.memory, params.T, params.chance, f.seen_time)
        there = Output(end.chaser, end.target)
        seen = see_poses(params.features, vector, mem, watch, k + 1, there)
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
