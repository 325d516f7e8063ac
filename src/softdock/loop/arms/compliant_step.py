"""Deflection of a compliant robot under the contact's wrench over one step of the plant: an arm
with elastic joints (links.py), an elastic joint in Cartesian space (loop/robots/joint.py), or
neither.

In: where the mock-up was, where the motors hold it now, the mean wrench on it (about its centre of
mass, orbit axes). Out: where it is. `prepare_step` once a step, `try_step` as often as a wrench
is tried, `accept_step` for the one that counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.links import accept_links, prepare_links, try_links
from softdock.loop.arms.robot_layout import arm_state, has_elastic_joints, placed_arm
from softdock.loop.arms.tip import compute_mock_up
from softdock.loop.robots.joint import add_joint_works, deflect, read_motors, store_motors
from softdock.loop.robots.memory import store_accelerations
from softdock.loop.robots.prepare import prepare_robot_joint
from softdock.loop.spatial.rotations import rotate

if TYPE_CHECKING:
    from softdock.loop.robots.joint import Step
    from softdock.loop.spatial.motion import Motion, Wrench


@compiled
def prepare_step(vector, mem, step: Step):
    """What every try of this step has in common."""
    if has_elastic_joints(vector, step.at):
        prepare_links(placed_arm(vector, step.at), arm_state(mem, step.state), step.dt)


@noinline
def try_step(vector, mem, step: Step, wrench: Wrench):
    """The mock-up after a step, pushed by a constant wrench."""
    base, state = step.at, step.state
    if not has_elastic_joints(vector, base):
        joint = prepare_robot_joint(vector, base)
        return deflect(joint, step, read_motors(mem, state), wrench.force)
    placed, s = placed_arm(vector, base), arm_state(mem, state)
    turn = placed.orbit.q
    try_links(placed, s, step.dt, rotate(turn, wrench.force), rotate(turn, wrench.torque))
    return compute_mock_up(placed, s.work, s.tried, s.tried_rate)


@noinline
def accept_step(vector, mem, step: Step, there: Motion, force):
    """Works and state of the step that was tried last; where the mock-up is. Of elastic joints also
    its accelerations."""
    base, state, dt = step.at, step.state, step.dt
    if has_elastic_joints(vector, base):
        placed, s = placed_arm(vector, base), arm_state(mem, state)
        accept_links(placed, s)
        there = compute_mock_up(placed, s.work, s.link, s.link_rate)
        store_accelerations(mem, state, dt, step.was, there)
    else:
        joint, before = prepare_robot_joint(vector, base), read_motors(mem, state)
        add_joint_works(joint, mem, step, before, there, force)
    store_motors(mem, state, dt, read_motors(mem, state), step.motors)
    return there
