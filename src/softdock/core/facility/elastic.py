"""Mock-ups behind elastic joints: their deflection under the contact's force over one step of the
plant. Part of the facility (simulated.py calls it).

In: motions of both mock-ups before the step and where their motors carry them (world axes), and the
contact's force on the chaser's [N]. Out: the deflected motions.

The force depends on where the mock-ups are, and they deflect under it. So the step is made with the
force at its start, the contact is computed there, and the step is made again with the mean of both
forces: second order in the step of the plant.
"""

from __future__ import annotations

from typing import Any

from softdock.core.contact import touch_apart
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import Arms, Every
from softdock.core.machine.vector import CHASER_ROBOT_AT, PAIRS_MEM, TARGET_ROBOT_AT
from softdock.core.robots.arm.compliant_step import give_way, keep_way, make_ready
from softdock.core.robots.joint import book_joint, motors_of, store_motors, yield_to
from softdock.core.robots.robot import robot_joint
from softdock.core.spatial.motion import Wrench
from softdock.core.spatial.vectors import add, negate, scale


@compiled
def _rigid(features, params, vector, mem, dt, was, chaser, target):
    return chaser, target


@compiled
def _elastic(features, params, vector, mem, dt, was, chaser, target):
    force = was.true_chaser.force
    return _yielded(
        features, params, vector, mem, dt, was.chaser, was.target, force, chaser, target
    )


@apart
def _yielded(features, params, vector, mem, dt, was_chaser, was_target, force, chaser, target):
    at_chaser, at_target = params.memory.chaser_robot, params.memory.target_robot
    chaser_joint, target_joint = (
        robot_joint(vector, CHASER_ROBOT_AT),
        robot_joint(vector, TARGET_ROBOT_AT),
    )
    before_chaser, before_target = motors_of(mem, at_chaser), motors_of(mem, at_target)
    guess_chaser = yield_to(chaser_joint, dt, was_chaser, before_chaser, chaser, force)
    guess_target = yield_to(target_joint, dt, was_target, before_target, target, negate(force))
    contact = touch_apart(vector, mem, PAIRS_MEM, params.pairs, guess_chaser, guess_target)
    mean = scale(0.5, add(force, contact.force))
    opposite = negate(mean)
    chaser_there = yield_to(chaser_joint, dt, was_chaser, before_chaser, chaser, mean)
    target_there = yield_to(target_joint, dt, was_target, before_target, target, opposite)
    book_joint(
        chaser_joint, dt, mem, at_chaser, was_chaser, before_chaser, chaser_there, chaser, mean
    )
    book_joint(
        target_joint, dt, mem, at_target, was_target, before_target, target_there, target, opposite
    )
    store_motors(mem, at_chaser, dt, before_chaser, chaser)
    store_motors(mem, at_target, dt, before_target, target)
    return chaser_there, target_there


@compiled
def _mean(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@apart
def _on_arms(features, params, vector, mem, dt, was, chaser, target):
    """The same where a robot is an arm: its links give way to the whole wrench."""
    c, t = params.memory.chaser_robot, params.memory.target_robot
    on_chaser, on_target = was.true_chaser, was.true_target
    make_ready(vector, CHASER_ROBOT_AT, mem, c, dt)
    make_ready(vector, TARGET_ROBOT_AT, mem, t, dt)
    guess_chaser = give_way(vector, CHASER_ROBOT_AT, mem, c, dt, was.chaser, chaser, on_chaser)
    guess_target = give_way(vector, TARGET_ROBOT_AT, mem, t, dt, was.target, target, on_target)
    contact = touch_apart(vector, mem, PAIRS_MEM, params.pairs, guess_chaser, guess_target)
    on_chaser = _mean(on_chaser, Wrench(contact.force, contact.torque_chaser))
    on_target = _mean(on_target, Wrench(negate(contact.force), contact.torque_target))
    there_chaser = give_way(vector, CHASER_ROBOT_AT, mem, c, dt, was.chaser, chaser, on_chaser)
    there_target = give_way(vector, TARGET_ROBOT_AT, mem, t, dt, was.target, target, on_target)
    there_chaser = keep_way(
        vector, CHASER_ROBOT_AT, mem, c, dt, was.chaser, there_chaser, chaser, on_chaser.force
    )
    there_target = keep_way(
        vector, TARGET_ROBOT_AT, mem, t, dt, was.target, there_target, target, on_target.force
    )
    return there_chaser, there_target


CHOICES: dict[type, Any] = {Arms: _on_arms, Every: _elastic}


@by_type(lambda cls: CHOICES.get(cls, _rigid))
def yield_joints(features, params, vector, mem, dt, was, chaser, target):
    """Both mock-ups after dt [s]. `was`: the facility before; `chaser`, `target`: the motors
    after."""
