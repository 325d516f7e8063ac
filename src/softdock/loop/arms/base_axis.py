"""Where the rail or the turntable under an arm is while a run goes on: the rule by which a seventh
axis moves.

In: the mount's rule, and the satellite's poses. Out: a coordinate for every row [m or rad].

The axis takes over a share of what the flange goes along the rail (about the turntable's axis),
with a lag, so that it carries the slow approach and leaves bounces to the joints:

    d_k = d_0 + share (s_k - s_0),    q_k = q_(k-1) + g (d_k - q_(k-1)),    g = 1 - exp(-T / lag)

s is the flange's place along the axis. q starts where the mount says, already moving as fast as it
will for the speed that the flange has there: d_0 is ahead by what such a lag is behind on a ramp.
A share of 0 stands still. What the axis then needs of its range, speed, acceleration and force is
checked as of any joint; nothing is cut off here. Ours.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.loop.arms.arm import Arm
from softdock.loop.arms.facility import Mount
from softdock.loop.arms.layout import AT
from softdock.loop.spatial.arrays import unit_matrix


def base_axis_rows(
    arm: Arm, mount: Mount, time: np.ndarray, poses: np.ndarray, orbit: np.ndarray
) -> np.ndarray:
    """At every row of a motion: times [s], poses (n, 7) of the satellite in orbit axes. `orbit`:
    pose of the orbit frame in the arm's base."""
    rows = np.full(len(time), mount.base_axis)
    if mount.follows == 0.0 or arm.base_axis == "none" or len(rows) < 2:
        return rows
    place = along(arm, flange_places(mount, poses, orbit))
    steps = np.diff(time)
    gains = 1.0 - np.exp(-steps / mount.follow_lag)
    speed = (place[1] - place[0]) / steps[0]
    behind = speed * steps[0] * (1.0 - gains[0]) / gains[0]
    wanted = mount.base_axis + mount.follows * (place - place[0] + behind)
    for k in range(1, len(rows)):
        rows[k] = rows[k - 1] + gains[k - 1] * (wanted[k] - rows[k - 1])
    return rows


def flange_places(mount: Mount, poses: np.ndarray, orbit: np.ndarray) -> np.ndarray:
    """The flange's place in the arm's base for poses of the satellite in orbit axes: (n, 3) [m]."""
    lever = np.asarray(mount.satellite.back().p)
    w, u = poses[:, 3:4], poses[:, 4:7]
    t = 2.0 * np.cross(u, lever)
    places = poses[:, :3] + lever + w * t + np.cross(u, t)
    return np.asarray(places @ unit_matrix(orbit[3:]).T + orbit[:3])


def along(arm: Arm, places: np.ndarray) -> np.ndarray:
    """Places along a rail [m], or about a turntable's axis [rad, continued through its wraps]."""
    n = arm.vector[AT.directions : AT.directions + 3]
    if arm.base_axis == "rail":
        return np.asarray(places @ n)
    r = places - arm.vector[AT.offsets : AT.offsets + 3]
    r = r - np.outer(r @ n, n)
    angles = np.arctan2(np.cross(r[0], r) @ n, r @ r[0])
    return np.asarray(np.unwrap(angles, period=2.0 * math.pi))
