"""The measured poses of both mock-ups at t_k (sensor/pose.py has the model)."""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.facility.reading import ROBOT_SIZE
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import is_full
from softdock.core.machine.params import Memory
from softdock.core.machine.vector import CHASER_ROBOT_AT, POSE_AT
from softdock.core.robots.history import HERMITE, motion_at, push
from softdock.core.robots.joint import motors_of
from softdock.core.robots.prepare import Chance
from softdock.core.robots.robot import gives_way
from softdock.core.sensor.pose import is_lost, pose_sample, prepare_pose, read_pose
from softdock.core.spatial.motion import MOTION_FLOATS, store_motion


class Watch(NamedTuple):
    """What watches the mock-ups."""

    memory: Memory
    T: float  # s
    chance: Chance
    seen_time: float  # s, of the newest poses


@compiled
def _as_before(features, vector, mem, watch, k, there):
    return watch.seen_time


@apart
def _see_poses(features, vector, mem, watch, k, there):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]. Of a robot with an
    elastic joint: its motors'."""
    pose, (m, T, chance, seen_time) = prepare_pose(vector, POSE_AT), watch
    chaser, target = there
    if gives_way(features, vector, CHASER_ROBOT_AT):
        chaser = motors_of(mem, m.chaser_robot)
    if gives_way(features, vector, CHASER_ROBOT_AT + ROBOT_SIZE):
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


@by_type(lambda cls: _see_poses if is_full(cls) else _as_before)
def see_poses(features, vector, mem, watch, k, there):
    """The measured poses at t_k, into `mem`; returns the time they are of [s]. `there`: both
    mock-ups at t_k."""
