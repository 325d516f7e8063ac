"""The facility: robots, contact and sensors behind one seam. A set-point goes in, measured poses
and wrenches with their ages come out.

`advance` is the simulated facility over one cycle: it owns the plant's step, the sensor's rate and
the contact. A real facility is the same exchange over a network; nothing above the seam knows which
it has. What the simulation knows beyond a rig's sensors (true wrench, work at the contact) is in
`Stretch`, for the ledger only: no method sees it.
"""

from __future__ import annotations

from softdock.core.adaptation.interface import Output, Wrenches
from softdock.core.contact import touch_bodies
from softdock.core.facility.latches import with_latches
from softdock.core.facility.moving import chaser_carrier, move_robots, recall, target_carrier
from softdock.core.facility.reach import out_of_reach
from softdock.core.facility.sampling import Watch, hand_over, sample_wrenches, see_poses
from softdock.core.facility.start import start_facility
from softdock.core.facility.state import FACILITY, Facility, Stretch, Tick
from softdock.core.instants import SAME_CYCLE
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.vector import PAIRS_MEM
from softdock.core.robots.robot import receive
from softdock.core.sensor.force_torque import is_consumed
from softdock.core.sensor.mock_up import plus
from softdock.core.spatial.motion import Wrench, displacement, is_felt, no_wrench, work
from softdock.core.spatial.vectors import add, dot, negate, scale

__all__ = ["FACILITY", "Facility", "out_of_reach", "recall", "start_facility"]


@compiled
def _half_sum(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@compiled
def plant_step(params, vector, mem, k, was, now, later, is_sample):
    """One step of the plant, from `now` to `later` [cycles]: robots move, parts touch, and perhaps
    the sensors sample."""
    T, dt = params.T, later - now
    chaser, target = move_robots(params, vector, mem, was, k, now, later)
    contact, holds = touch_bodies(vector, mem, PAIRS_MEM, params.pairs, chaser, target), False
    if params.latches > 0:
        there = Output(chaser, target)
        contact, holds = with_latches(
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
        if is_consumed(params.sensor, T, samples):
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
def advance(params, vector, facility, mem, k, chaser_command, target_command):
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
