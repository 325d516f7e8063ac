"""Pose and twist, wrench, and the work of one on the other. World axes, except rates: body axes."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.compile.cells import layout_of
from softdock.compile.jit import compiled
from softdock.loop.spatial.rotations import exponential, product, rotate, rotation_from_to
from softdock.loop.spatial.vectors import (
    Quaternion,
    Vector,
    add,
    add_scaled,
    cross,
    dot,
    negate,
    subtract,
)


class Pose(NamedTuple):
    """Where a body is, without its twist."""

    p: Annotated[Vector, "m", "position of the centre of mass, world axes"]
    q: Annotated[Quaternion, "-", "attitude, world from body, wxyz"]


class Motion(NamedTuple):
    """Pose and twist: of a satellite, a set-point or a mock-up."""

    p: Annotated[Vector, "m", "position of the centre of mass, world axes"]
    q: Annotated[Quaternion, "-", "attitude, world from body, wxyz"]
    v: Annotated[Vector, "m/s", "velocity, world axes"]
    w: Annotated[Vector, "rad/s", "angular velocity, body axes"]


class Wrench(NamedTuple):
    """Force and torque on a body, about its centre of mass."""

    force: Annotated[Vector, "N", "force on a body, world axes"]
    torque: Annotated[Vector, "Nm", "torque about its centre of mass, world axes"]


POSE, MOTION, WRENCH = layout_of(Pose), layout_of(Motion), layout_of(Wrench)
POSE_FLOATS, MOTION_FLOATS, WRENCH_FLOATS = POSE.size, MOTION.size, WRENCH.size


class Displacement(NamedTuple):
    """Small motion of a body over an interval: translation [m] and rotation vector [rad], world
    axes."""

    translation: Vector
    rotation: Vector


@compiled
def no_wrench():
    return Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@compiled
def is_felt(wrench: Wrench):
    """Whether it is anything but zero (NaN is)."""
    f, t = wrench.force, wrench.torque
    return not (
        f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0 and t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0
    )


@compiled
def opposite(wrench: Wrench, arm):
    """The equal and opposite wrench about a point `arm` away: from that point to the one the wrench
    is about."""
    return Wrench(negate(wrench.force), negate(add(wrench.torque, cross(arm, wrench.force))))


@compiled
def coasting(motion: Motion, dt):
    """Where a body that keeps its twist is after dt [s]."""
    turn = exponential((dt * motion.w[0], dt * motion.w[1], dt * motion.w[2]))
    return Motion(add_scaled(motion.p, dt, motion.v), product(motion.q, turn), motion.v, motion.w)


@compiled
def displacement(p0, q0, p1, q1):
    return Displacement(subtract(p1, p0), rotation_from_to(q0, q1))


@compiled
def work(wrench: Wrench, moved: Displacement):
    """Work of a constant wrench over a displacement [J]: exact for a steady turn."""
    return dot(wrench.force, moved.translation) + dot(wrench.torque, moved.rotation)


@compiled
def port_energy(wrench: Wrench, T, before: Motion, after: Motion):
    """Energy [J] through a port in a cycle T: held wrench times the mean of the velocities at both
    ends.

    For a held force this is the gain of kinetic energy to the last bit, whatever the integrator
    makes of the position.
    """
    v = add(before.v, after.v)
    w = add(rotate(before.q, before.w), rotate(after.q, after.w))
    return 0.5 * T * (dot(wrench.force, v) + dot(wrench.torque, w))


@compiled
def load_pose(array, at):
    return POSE(array, at).whole


@compiled
def store_pose(array, at, pose):
    """Store the pose of a `Pose` or a `Motion`."""
    s = POSE(array, at)
    s.p = pose.p
    s.q = pose.q


@compiled
def load_motion(array, at):
    return MOTION(array, at).whole


@compiled
def store_motion(array, at, motion: Motion):
    MOTION(array, at).whole = motion


@compiled
def load_wrench(array, at):
    return WRENCH(array, at).whole


@compiled
def store_wrench(array, at, wrench: Wrench):
    WRENCH(array, at).whole = wrench
