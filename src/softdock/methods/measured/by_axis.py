"""What a method put into the satellites, or took from them, by body, force or torque, and world
axis: twelve running sums [J] at the head of its memory, recorded as channels. Rising: energy put in
(returned); falling: energy taken (removed). `softdock.results.method_books` makes tables of them.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.rigid_body import body_rate
from softdock.loop.spatial.rotations import rotate

BODIES, KINDS, AXES = ("chaser", "target"), ("force", "torque"), "xyz"
TORQUES = len(AXES)  # behind the forces
WORK_NAMES = tuple(f"{body}.{kind}.{axis}" for body in BODIES for kind in KINDS for axis in AXES)
WORK_CHANNELS = tuple(
    (f"work.{name}", "J", "world", "energy put into the satellites so far; falling: taken")
    for name in WORK_NAMES
)


@compiled
def _body_gain(mem, at, params, before, after):
    """Gain of kinetic energy by axis, of translation and of rotation; their sum is the gain of the
    body's kinetic energy."""
    if params.fixed:
        return
    w0, w1 = (
        rotate(before.q, body_rate(params, before.q, before.L)),
        rotate(after.q, body_rate(params, after.q, after.L)),
    )
    for i in range(3):
        mem[at + i] += 0.5 * params.mass[i] * (after.v[i] * after.v[i] - before.v[i] * before.v[i])
        mem[at + TORQUES + i] += 0.5 * (w1[i] * after.L[i] - w0[i] * before.L[i])


@noinline
def note_gains(mem, at, rig, before, after):
    """Note the gains of both satellites, from one state to the one that a correction made of it."""
    _body_gain(mem, at, rig.chaser, before.chaser, after.chaser)
    _body_gain(mem, at + 6, rig.target, before.target, after.target)
