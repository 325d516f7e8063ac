"""Deflection of a compliant robot under the contact's wrench over one step of the plant: an arm
with elastic joints (links.py), an elastic joint in Cartesian space (loop/robots/joint.py), or neither.

In: where the mock-up was, where the motors hold it now, the mean wrench on it (about its centre of
mass, orbit axes). Out: where it is. `make_ready` once a step, `give_way` as often as a wrench is
tried, `keep_way` for the one that counts.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.links import keep_links, ready_links, try_links
from softdock.loop.arms.robot_layout import (
    PLACED_FLOATS,
    STATE_AT,
    P,
    S,
    arm_at,
    has_elastic_joints,
)
from softdock.loop.arms.tip import mock_up_at
from softdock.loop.robots.joint import book_joint, motors_of, store_motors, yield_to
from softdock.loop.robots.memory import ROBOT_STATE
from softdock.loop.robots.prepare import robot_joint
from softdock.loop.spatial.motion import load_pose
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import scale, store3, subtract

MOVING = ROBOT_STATE.at


@compiled
def make_ready(vector, mem, step):
    """What every try of this step has in common."""
    if has_elastic_joints(vector, step.at):
        first = arm_at(vector, step.at)
        ready_links(vector[first : first + PLACED_FLOATS], mem, step.state, step.dt)


@noinline
def give_way(vector, mem, step, wrench):
    """The mock-up after a step, pushed by a constant wrench."""
    base, state = step.at, step.state
    if not has_elastic_joints(vector, base):
        joint = robot_joint(vector, base)
        return yield_to(joint, step, motors_of(mem, state), wrench.force)
    first, at = arm_at(vector, base), state + STATE_AT
    arm = vector[first : first + PLACED_FLOATS]
    turn = load_pose(arm, P.orbit).q
    try_links(arm, mem, state, step.dt, rotate(turn, wrench.force), rotate(turn, wrench.torque))
    return mock_up_at(arm, mem, state, at + S.tried, at + S.tried_rate)


@noinline
def keep_way(vector, mem, step, there, force):
    """Books and state of the step that was tried last; where the mock-up is. Of elastic joints also
    its accelerations."""
    base, state, dt, was = step.at, step.state, step.dt, step.was
    if has_elastic_joints(vector, base):
        first, at = arm_at(vector, base), state + STATE_AT
        arm = vector[first : first + PLACED_FLOATS]
        keep_links(arm, mem, state)
        there = mock_up_at(arm, mem, state, at + S.link, at + S.link_rate)
        store3(mem, state + MOVING.acceleration, scale(1.0 / dt, subtract(there.v, was.v)))
        store3(mem, state + MOVING.turning, scale(1.0 / dt, subtract(there.w, was.w)))
    else:
        joint, before = robot_joint(vector, base), motors_of(mem, state)
        book_joint(joint, mem, step, before, there, force)
    store_motors(mem, state, dt, motors_of(mem, state), step.motors)
    return there
