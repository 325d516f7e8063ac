"""What a method put into the satellites, or took from them, by body, force or torque, and world
axis: twelve running sums [J] at the head of its memory, recorded as channels. Rising: energy put in
(returned); falling: energy taken (removed). `softdock.results.method_reports` makes tables of them.
"""

from __future__ import annotations

from typing import Any

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Rig, Satellites
from softdock.loop.method.memory import Recorded, recorded
from softdock.loop.spatial.rigid_body import Body, BodyParams, body_rate
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import Vector, add

BODIES, KINDS, AXES = ("chaser", "target"), ("force", "torque"), "xyz"
WORK_NAMES = tuple(f"{body}.{kind}.{axis}" for body in BODIES for kind in KINDS for axis in AXES)
# one number for each axis of the chaser's force, its torque, the target's force, its torque
BY_AXIS: Any = (Vector,) * (len(BODIES) * len(KINDS))


def recorded_work() -> Recorded:
    """The cell `work` with which such a method's memory begins."""
    return recorded(
        "work",
        "J",
        "energy put into the satellites so far; falling: taken",
        frame="world",
        parts=WORK_NAMES,
        kind=BY_AXIS,
    )


@compiled
def _compute_gains(params: BodyParams, before: Body, after: Body):
    """Gains of kinetic energy by axis, of translation and of rotation; their sum is the gain of the
    body's kinetic energy."""
    if params.fixed:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    w0, w1 = (
        rotate(before.q, body_rate(params, before.q, before.L)),
        rotate(after.q, body_rate(params, after.q, after.L)),
    )
    m, u, v, L0, L1 = params.mass, before.v, after.v, before.L, after.L
    return (
        0.5 * m[0] * (v[0] * v[0] - u[0] * u[0]),
        0.5 * m[1] * (v[1] * v[1] - u[1] * u[1]),
        0.5 * m[2] * (v[2] * v[2] - u[2] * u[2]),
    ), (
        0.5 * (w1[0] * L1[0] - w0[0] * L0[0]),
        0.5 * (w1[1] * L1[1] - w0[1] * L0[1]),
        0.5 * (w1[2] * L1[2] - w0[2] * L0[2]),
    )


@noinline
def add_gains(work, rig: Rig, before: Satellites, after: Satellites):
    """`work`, the cell of the twelve sums, with the gains of both satellites from one state to the
    one that a correction made of it."""
    chaser, chaser_turn = _compute_gains(rig.chaser, before.chaser, after.chaser)
    target, target_turn = _compute_gains(rig.target, before.target, after.target)
    return (
        add(work[0], chaser),
        add(work[1], chaser_turn),
        add(work[2], target),
        add(work[3], target_turn),
    )
