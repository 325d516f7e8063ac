"""Mock-ups behind elastic joints: how far they yield to the contact over one step of the plant.
Part of the facility (facility.py calls it).

The contact's force depends on where the mock-ups are, and they yield to it: the step is made with
the force at its start, the contact is found there, and the step is made again with the mean of both
forces. Second order in the plant's step.
"""

from __future__ import annotations

from softdock.core.contact import touch_apart
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import Every
from softdock.core.machine.vector import CHASER_ROBOT_AT, PAIRS_MEM, TARGET_ROBOT_AT
from softdock.core.robots.joint import book_joint, motors_of, store_motors, yield_to
from softdock.core.robots.robot import robot_joint
from softdock.core.spatial.vectors import add, negate, scale


@compiled
def _rigid(features, params, vector, mem, dt, was_chaser, was_target, force, chaser, target):
    return chaser, target


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


@by_type(lambda cls: _yielded if cls is Every else _rigid)
def yield_joints(features, params, vector, mem, dt, was_chaser, was_target, force, chaser, target):
    """Both mock-ups after dt [s]. `was_*`: before; `force`: the contact's on the chaser's, before;
    `chaser`, `target`: the motors after."""
