"""The facility: robots, contact and sensor behind one seam. A set-point goes in, measured poses and wrenches with their ages come out.

`advance` is the simulated facility over one cycle: it owns the plant's step, the sensor's rate and the contact. A real facility is the same
exchange over a network; nothing above the seam knows which it has. What the simulation knows beyond a rig's sensors (true wrench, work at the
contact) is in `Passage`, for the ledger only: no method sees it.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compiled import compiled
from softdock.contact import touch_bodies
from softdock.layout import PAIRS_MEM
from softdock.robots.delay import mock_up
from softdock.robots.history import push
from softdock.sensor.force_torque import LATEST, read_sensor
from softdock.spatial.motion import Motion, Wrench, displacement, no_wrench, work
from softdock.spatial.vectors import add, add_scaled, negate, scale

SAME_TIME = 1e-9  # cycles; instants closer than this coincide


class Facility(NamedTuple):
    """State of the simulated facility at t_k."""

    chaser: Motion  # the mock-ups
    target: Motion
    true_chaser: Wrench  # the contact's wrench on each mock-up now
    true_target: Wrench
    dissipating: float  # W, in the contact now
    samples: int  # force samples taken since the start
    reading: Wrench  # handed to the controller: on the chaser, world axes
    reading_time: float  # s


class Passage(NamedTuple):
    """What truly happened over one cycle."""

    mean_chaser: Wrench  # true wrench, mean over the cycle
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


@compiled
def place(params, mem, t):
    """Where both mock-ups are at time t [s]."""
    chaser = mock_up(params.chaser_robot, params.T, mem, params.chaser_history, params.slots, t)
    target = mock_up(params.target_robot, params.T, mem, params.target_history, params.slots, t)
    return chaser, target


@compiled
def _half_sum(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@compiled
def _accumulate(total, weight, wrench):
    return Wrench(add_scaled(total.force, weight, wrench.force), add_scaled(total.torque, weight, wrench.torque))


@compiled
def start_facility(params, mem):
    """The facility at t = 0, the set-points up to stamp 0 being in `mem` already."""
    chaser, target = place(params, mem, 0.0)
    contact = touch_bodies(mem, PAIRS_MEM, params.pairs, chaser, target)
    true_chaser = Wrench(contact.force, contact.torque_chaser)
    true_target = Wrench(negate(contact.force), contact.torque_target)
    reading = read_sensor(params.sensor, params.seed, params.run, -1, 0, true_chaser)
    return Facility(chaser, target, true_chaser, true_target, contact.dissipated, 0, reading, 0.0), contact.stored


@compiled
def advance(params, facility, mem, k, chaser_command, target_command):
    """From t_k to t_{k+1}: the set-points stamped t_{k+1} arrive, robots move, parts touch, the sensor samples."""
    push(mem, params.chaser_history, params.slots, k + 1, chaser_command)
    push(mem, params.target_history, params.slots, k + 1, target_command)

    T = params.T
    period = params.sensor.period / T if params.sensor.period > 0.0 else 1.0  # cycles
    chaser, target = facility.chaser, facility.target
    true_chaser, true_target, dissipating = facility.true_chaser, facility.true_target, facility.dissipating
    mean_chaser, mean_target = no_wrench(), no_wrench()
    absorbed, dissipated, stored, depth, peak = 0.0, 0.0, 0.0, 0.0, 0.0
    touched, first_touch, last_touch, pair = False, 0.0, 0.0, 0
    samples, taken = facility.samples, 0
    sampled, sampled_at, summed = facility.true_chaser, facility.reading_time, no_wrench()

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
        chaser, target = place(params, mem, later * T)
        contact = touch_bodies(mem, PAIRS_MEM, params.pairs, chaser, target)
        true_chaser = Wrench(contact.force, contact.torque_chaser)
        true_target = Wrench(negate(contact.force), contact.torque_target)

        if contact.depth > 0.0:
            if not touched:
                first_touch = later * T
            touched, last_touch, pair = True, later * T, contact.pair
        dt = later - now
        half_chaser, half_target = _half_sum(was_true_chaser, true_chaser), _half_sum(was_true_target, true_target)
        absorbed -= work(half_chaser, displacement(was_chaser.p, was_chaser.q, chaser.p, chaser.q))
        absorbed -= work(half_target, displacement(was_target.p, was_target.q, target.p, target.q))
        dissipated += 0.5 * (dissipating + contact.dissipated) * dt * T
        mean_chaser, mean_target = _accumulate(mean_chaser, dt, half_chaser), _accumulate(mean_target, dt, half_target)
        stored, dissipating, depth, peak = contact.stored, contact.dissipated, contact.depth, max(peak, contact.peak)
        now = later

        if is_sample:
            samples += 1
            sampled, sampled_at = true_chaser, later * T
            if params.sensor.handover != LATEST:
                summed = _accumulate(summed, 1.0, read_sensor(params.sensor, params.seed, params.run, k, taken, true_chaser))
            taken += 1

    reading = facility.reading
    if taken > 0:
        if params.sensor.handover == LATEST:
            reading = read_sensor(params.sensor, params.seed, params.run, k, taken - 1, sampled)
        else:
            reading = _accumulate(no_wrench(), 1.0 / taken, summed)
    after = Facility(chaser, target, true_chaser, true_target, dissipating, samples, reading, sampled_at)
    return after, Passage(mean_chaser, mean_target, absorbed, stored, dissipated, touched, first_touch, last_touch, pair, depth, peak)
