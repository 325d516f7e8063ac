"""What the facility reports: samples of the force sensors, what is delivered of them at t_k, and
the measured poses.

Part of the facility (simulated.py calls it); the models themselves are in sensor/. A sensor that
feels nothing but the contact takes the short way; what a mock-up weighs, what electronics do and
what a hand pushes is prepared from the vector only where a scenario has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.facility.moving import chaser_carrier, target_carrier
from softdock.loop.facility.reading import ROBOT_SIZE, sample_contact, sample_full_sensor
from softdock.loop.facility.state import Felt
from softdock.loop.memory import REPORTS
from softdock.loop.method.interface import Output
from softdock.loop.params import Memory
from softdock.loop.rings import Ring, masked_row
from softdock.loop.robots.history import HERMITE, motion_at, push
from softdock.loop.robots.joint import read_motors
from softdock.loop.robots.prepare import Chance
from softdock.loop.robots.robot import is_compliant
from softdock.loop.sensor.force_torque import (
    LATEST,
    ON_BOTH,
    ON_CHASER,
    ON_TARGET,
    find_newest_sample,
)
from softdock.loop.sensor.mock_up import plus
from softdock.loop.sensor.pose import is_lost, pose_sample, prepare_pose, read_pose
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    WRENCH,
    no_wrench,
)
from softdock.loop.vector import CHASER_ROBOT_AT, POSE_AT, WRENCH_FLOATS, sample_floats

if TYPE_CHECKING:
    from softdock.loop.facility.state import Tick
    from softdock.loop.method.interface import Wrenches
    from softdock.loop.params import Params
    from softdock.loop.spatial.motion import Wrench

# The measured poses of both mock-ups at t_k (loop/sensor/pose.py has the model).


class Watch(NamedTuple):
    """What watches the mock-ups."""

    memory: Memory
    T: float  # s
    chance: Chance
    seen_time: float  # s, of the newest poses


@compiled
def _as_before(features, vector, mem, watch: Watch, k, there: Output):
    return watch.seen_time


@noinline
def _see_poses(features, vector, mem, watch: Watch, k, there: Output):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]. Of a robot with an
    elastic joint: its motors'."""
    pose, (m, T, chance, seen_time) = prepare_pose(vector, POSE_AT), watch
    chaser, target = there
    if is_compliant(features, vector, CHASER_ROBOT_AT):
        chaser = read_motors(mem, m.chaser_robot)
    if is_compliant(features, vector, CHASER_ROBOT_AT + ROBOT_SIZE):
        target = read_motors(mem, m.target_robot)
    push(mem, m.poses, m.pose_slots, k, chaser)
    push(mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, k, target)
    sample, instant = pose_sample(pose, T, k)
    if is_lost(pose, chance, sample) or instant * T <= seen_time:
        return seen_time
    true_chaser = motion_at(HERMITE, T, mem, m.poses, m.pose_slots, instant)
    true_target = motion_at(
        HERMITE, T, mem, m.poses + m.pose_slots * MOTION_FLOATS, m.pose_slots, instant
    )
    REPORTS(mem, m.reports).seen = Output(
        read_pose(pose, chance, 0, sample, true_chaser),
        read_pose(pose, chance, 1, sample, true_target),
    )
    return instant * T


@by_type(lambda cls: _see_poses if is_full(cls) else _as_before)
def see_poses(features, vector, mem, watch, k, there):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]. `there`: both
    mock-ups at t_k."""


__all__ = ["Watch", "see_poses"]


@compiled
def _sample_at(m, on, sample):
    """Where one sample (number from the start) is kept."""
    return masked_row(Ring(m.samples, m.sample_slots, sample_floats(on)), sample)


@compiled
def _target_offset(on):
    """Offset from there to the target's wrench."""
    return WRENCH_FLOATS if on == ON_BOTH else 0


@compiled
def sample_wrenches(
    params: Params, vector, mem, tick: Tick, before: Output, now: Output, true: Wrenches
):
    """One sample of the force sensors, as the report has it: with a tool raw in sensor axes, else
    about the centre of mass, world axes. The chaser's is returned; and into its slot, unless it is
    delivered at once. `before`, `now`: both mock-ups at the begin and the end of the plant's
    step; `true`: the contact's wrenches on them."""
    m, sensor, chance = params.memory, params.sensor, params.chance
    slot = _sample_at(m, sensor.on, tick.sample)
    first = no_wrench()
    if sensor.on != ON_TARGET:
        if sensor.plain and params.flags.chaser_light:
            first = sample_contact(vector, sensor, chance, 0, tick, true.chaser, now.chaser.q)
        else:
            robot, felt = chaser_carrier(params), Felt(true.chaser, before.chaser, now.chaser)
            first = sample_full_sensor(params.features, vector, mem, robot, m.reports, tick, felt)
        if not sensor.direct:
            WRENCH(mem, slot).whole = first
    if sensor.on != ON_CHASER:
        if sensor.plain and params.flags.target_light:
            reading = sample_contact(vector, sensor, chance, 1, tick, true.target, now.target.q)
        else:
            robot, felt = target_carrier(params), Felt(true.target, before.target, now.target)
            reading = sample_full_sensor(params.features, vector, mem, robot, m.reports, tick, felt)
        WRENCH(mem, slot + _target_offset(sensor.on)).whole = reading
    return first


@compiled
def hand_over(params: Params, mem, handed, k, sampled: Wrench, reading: Wrench, reading_time):
    """What the controller gets at t_k: the newest sample that has arrived, or the mean of those
    that arrived since the last hand-over."""
    m, sensor = params.memory, params.sensor
    if sensor.direct:
        return k, sampled, k * params.T
    newest = k if sensor.prompt else find_newest_sample(sensor, k * params.T)
    if not sensor.prompt and (newest <= handed or newest < 0):
        return handed, reading, reading_time
    when = newest * sensor.period
    if sensor.handover == LATEST and not sensor.thresholded and sensor.on == ON_CHASER:
        return newest, WRENCH(mem, _sample_at(m, sensor.on, newest)).whole, when
    if sensor.handover != LATEST:
        when -= (
            0.5 * (newest - max(handed + 1, newest - m.sample_slots + 1)) * sensor.period
        )  # a mean is as old as its samples are on average
    return newest, _combine_samples(sensor, m, mem, handed, newest), when


@noinline
def _combine_samples(sensor, m, mem, handed, newest):
    """Latest or mean, both sensors. The target's reading goes to `mem`; returned is the
    chaser's, or the only sensor's."""
    first = newest if sensor.handover == LATEST else max(handed + 1, newest - m.sample_slots + 1)
    weight = 1.0 / (newest - first + 1)
    chaser, target = no_wrench(), no_wrench()
    for sample in range(first, newest + 1):
        slot = _sample_at(m, sensor.on, sample)
        if sensor.on != ON_TARGET:
            chaser = plus(chaser, weight, WRENCH(mem, slot).whole)
        if sensor.on != ON_CHASER:
            target = plus(target, weight, WRENCH(mem, slot + _target_offset(sensor.on)).whole)
    if sensor.on != ON_CHASER:
        REPORTS(mem, m.reports).second = target
    return target if sensor.on == ON_TARGET else chaser
