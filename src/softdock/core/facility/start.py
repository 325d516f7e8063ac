"""The facility at t = 0: robots, contact and sensors after they have followed the set-points before
it.

In: the parameter vector, and past set-points in `mem`. Out: the facility's state (state.py) with
its first readings.
"""

from __future__ import annotations

from typing import Any

from softdock.core.adaptation.interface import Output, Wrenches
from softdock.core.contact import touch_apart
from softdock.core.facility.moving import chaser_carrier, target_carrier
from softdock.core.facility.sampling import hand_over, sample_wrenches
from softdock.core.facility.state import Facility, Tick
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import Arms, Every
from softdock.core.machine.vector import CHASER_ROBOT_AT, PAIRS_MEM, POSE_AT, TARGET_ROBOT_AT
from softdock.core.robots.arm.start import stand
from softdock.core.robots.delay import delayed_set_point, store_delayed_acceleration
from softdock.core.robots.history import motion_at, push
from softdock.core.robots.joint import store_motors
from softdock.core.robots.robot import prepare_robot
from softdock.core.sensor.pose import astray, prepare_pose
from softdock.core.spatial.motion import MOTION_FLOATS, Wrench, coasting, no_wrench, store_motion
from softdock.core.spatial.vectors import negate


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
    on_chaser, on_target = chaser_carrier(params), target_carrier(params)
    chaser = delayed_set_point(chaser_robot, on_chaser, mem, 0.0)
    target = delayed_set_point(target_robot, on_target, mem, 0.0)
    for i in range(m.pose_slots):  # before the start: the steady motion that led here
        push(mem, m.poses, m.pose_slots, -i, coasting(chaser, -i * T))
        push(
            mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, -i, coasting(target, -i * T)
        )
    pose = prepare_pose(vector, POSE_AT)
    late = pose.delay
    if not params.flags.ideal_pose:
        store_motion(mem, m.seen, astray(pose, 0, coasting(chaser, -late)))
        store_motion(mem, m.seen + MOTION_FLOATS, astray(pose, 1, coasting(target, -late)))
    if params.flags.elastic:
        store_motors(mem, m.chaser_robot, T, chaser, chaser)
        store_motors(mem, m.target_robot, T, target, target)
    if params.flags.chaser_heavy:
        store_delayed_acceleration(chaser_robot, on_chaser, mem, 0.0)
    if params.flags.target_heavy:
        store_delayed_acceleration(target_robot, on_target, mem, 0.0)
    return chaser, target, late


@apart
def _first_on_arms(features, params, vector, mem):
    m, T = params.memory, params.T
    chaser, target, late = _first_arrived(features, params, vector, mem)
    step = min(T / params.plant_steps, params.sensor.period)
    chaser = stand(vector, chaser_carrier(params), step, mem, chaser)
    target = stand(vector, target_carrier(params), step, mem, target)
    if params.flags.elastic:
        store_motors(mem, m.chaser_robot, T, chaser, chaser)
        store_motors(mem, m.target_robot, T, target, target)
    return chaser, target, late


CHOICES: dict[type, Any] = {Every: _first_arrived, Arms: _first_on_arms}


@by_type(lambda cls: CHOICES.get(cls, _first_stamped))
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
