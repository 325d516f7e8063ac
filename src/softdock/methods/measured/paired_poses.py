"""Poses of both mock-ups or set-points, and the relative displacement between two of them: what the
wrench on the chaser works on.

The target's wrench is equal and opposite about one common point, so the pair's work is F . d_F +
tau . d_tau with d_F, d_tau the chaser's motion as seen from the target.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import (
    POSE_FLOATS,
    Displacement,
    Pose,
    load_pose,
    store_pose,
    work,
)
from softdock.loop.spatial.rotations import normalise, rotation_from_to
from softdock.loop.spatial.vectors import add, add_scaled, cross, scale, subtract


class Poses(NamedTuple):
    chaser: Pose
    target: Pose


@compiled
def poses_of(output):
    return Poses(Pose(output.chaser.p, output.chaser.q), Pose(output.target.p, output.target.q))


@compiled
def store_poses(mem, at, poses):
    store_pose(mem, at, poses.chaser)
    store_pose(mem, at + POSE_FLOATS, poses.target)


@compiled
def load_poses(mem, at):
    return Poses(load_pose(mem, at), load_pose(mem, at + POSE_FLOATS))


@compiled
def relative_displacement(a, b):
    """The chaser's displacement as seen from the target's body, from poses `a` to poses `b`; world
    axes."""
    turned = rotation_from_to(a.target.q, b.target.q)
    before, after = subtract(a.chaser.p, a.target.p), subtract(b.chaser.p, b.target.p)
    arm = scale(0.5, add(before, after))
    return Displacement(
        subtract(subtract(after, before), cross(turned, arm)),
        subtract(rotation_from_to(a.chaser.q, b.chaser.q), turned),
    )


@compiled
def work_on(wrench, moved):
    """Work [J] of the chaser's wrench, and its opposite on the target, over a relative
    displacement."""
    return work(wrench, moved)


@compiled
def _between(a, b, share):
    """The pose between two near ones."""
    sign = (
        -1.0 if a.q[0] * b.q[0] + a.q[1] * b.q[1] + a.q[2] * b.q[2] + a.q[3] * b.q[3] < 0.0 else 1.0
    )
    keep, take = 1.0 - share, sign * share
    q = normalise(
        (
            keep * a.q[0] + take * b.q[0],
            keep * a.q[1] + take * b.q[1],
            keep * a.q[2] + take * b.q[2],
            keep * a.q[3] + take * b.q[3],
        )
    )
    return Pose(add_scaled(a.p, share, subtract(b.p, a.p)), q)


@compiled
def poses_between(a, b, share):
    return Poses(_between(a.chaser, b.chaser, share), _between(a.target, b.target, share))
