"""Poses of both mock-ups or set-points, and the relative displacement between two of them: what the
wrench on the chaser works on.

The target's wrench is equal and opposite about one common point, so the pair's work is F . d_F +
tau . d_tau with d_F, d_tau the chaser's motion as seen from the target.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import Displacement, Pose, Wrench, work
from softdock.loop.spatial.rotations import normalise, rotation_from_to
from softdock.loop.spatial.vectors import add, add_scaled, cross, scale, subtract


class Poses(NamedTuple):
    chaser: Pose
    target: Pose


@compiled
def take_poses(output: Output):
    """Poses of both bodies, without their twists."""
    return Poses(Pose(output.chaser.p, output.chaser.q), Pose(output.target.p, output.target.q))


@compiled
def compute_relative_displacement(a: Poses, b: Poses):
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
def compute_pair_work(wrench: Wrench, moved: Displacement):
    """Work [J] of the chaser's wrench, and its opposite on the target, over a relative
    displacement."""
    return work(wrench, moved)


@compiled
def _interpolate(a: Pose, b: Pose, share):
    """The pose between two near ones."""
    sign = (
        -1.0 if a.q[0] * b.q[0] + a.q[1] * b.q[1] + a.q[2] * b.q[2] + a.q[3] * b.q[3] < 0.0 else 1.0
    )
    of_a, of_b = 1.0 - share, sign * share
    q = normalise(
        (
            of_a * a.q[0] + of_b * b.q[0],
            of_a * a.q[1] + of_b * b.q[1],
            of_a * a.q[2] + of_b * b.q[2],
            of_a * a.q[3] + of_b * b.q[3],
        )
    )
    return Pose(add_scaled(a.p, share, subtract(b.p, a.p)), q)


@compiled
def interpolate_poses(a: Poses, b: Poses, share):
    return Poses(_interpolate(a.chaser, b.chaser, share), _interpolate(a.target, b.target, share))
