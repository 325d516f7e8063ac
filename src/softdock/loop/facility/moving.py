"""Robots carry the mock-ups over one step of the plant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softdock.compile.features import Arms, Every
from softdock.compile.generated import make_replacer
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.arms.compliant_step import accept_step, prepare_step, try_step
from softdock.loop.contact import touch_noinline
from softdock.loop.facility.state import Facility
from softdock.loop.method.interface import Output
from softdock.loop.robots.history import near
from softdock.loop.robots.joint import Step, add_joint_works, deflect, read_motors, store_motors
from softdock.loop.robots.prepare import Carrier
from softdock.loop.robots.robot import carry, prepare_robot_joint
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import add, negate, scale
from softdock.loop.vector import CHASER_ROBOT_AT, PAIRS_MEM, TARGET_ROBOT_AT

if TYPE_CHECKING:
    from softdock.loop.params import Params

# Mock-ups behind elastic joints: their deflection under the contact's force over one step of the
# plant. Part of the facility (simulated.py calls it).
#
# In: motions of both mock-ups before the step and where their motors carry them (world axes), and
# the contact's force on the chaser's [N]. Out: the deflected motions.
#
# The force depends on where the mock-ups are, and they deflect under it. So the step is made with
# the force at its start, the contact is computed there, and the step is made again with the mean of
# both forces: second order in the step of the plant.


@compiled
def _rigid(features, params: Params, vector, mem, dt, was, motors: Output):
    return motors.chaser, motors.target


@compiled
def _steps(params: Params, dt, was, motors: Output):
    """The step of each robot."""
    at_chaser, at_target = params.memory.chaser_robot, params.memory.target_robot
    return (
        Step(at=CHASER_ROBOT_AT, state=at_chaser, dt=dt, was=was.chaser, motors=motors.chaser),
        Step(at=TARGET_ROBOT_AT, state=at_target, dt=dt, was=was.target, motors=motors.target),
    )


@compiled
def _elastic(features, params: Params, vector, mem, dt, was, motors: Output):
    chaser, target = _steps(params, dt, was, motors)
    return _deflect_both(params.pairs, vector, mem, chaser, target, was.true_chaser.force)


@noinline
def _deflect_both(pairs, vector, mem, chaser, target, force):
    chaser_joint, target_joint = (
        prepare_robot_joint(vector, chaser.at),
        prepare_robot_joint(vector, target.at),
    )
    before_chaser, before_target = read_motors(mem, chaser.state), read_motors(mem, target.state)
    guess_chaser = deflect(chaser_joint, chaser, before_chaser, force)
    guess_target = deflect(target_joint, target, before_target, negate(force))
    contact = touch_noinline(vector, mem, PAIRS_MEM, pairs, guess_chaser, guess_target)
    mean = scale(0.5, add(force, contact.force))
    opposite = negate(mean)
    chaser_there = deflect(chaser_joint, chaser, before_chaser, mean)
    target_there = deflect(target_joint, target, before_target, opposite)
    add_joint_works(chaser_joint, mem, chaser, before_chaser, chaser_there, mean)
    add_joint_works(target_joint, mem, target, before_target, target_there, opposite)
    store_motors(mem, chaser.state, chaser.dt, before_chaser, chaser.motors)
    store_motors(mem, target.state, target.dt, before_target, target.motors)
    return chaser_there, target_there


@compiled
def _mean(a, b):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@noinline
def _on_arms(features, params: Params, vector, mem, dt, was, motors: Output):
    """The same where a robot is an arm: its links give way to the whole wrench."""
    chaser, target = _steps(params, dt, was, motors)
    on_chaser, on_target = was.true_chaser, was.true_target
    prepare_step(vector, mem, chaser)
    prepare_step(vector, mem, target)
    guess_chaser = try_step(vector, mem, chaser, on_chaser)
    guess_target = try_step(vector, mem, target, on_target)
    contact = touch_noinline(vector, mem, PAIRS_MEM, params.pairs, guess_chaser, guess_target)
    on_chaser = _mean(on_chaser, Wrench(contact.force, contact.torque_chaser))
    on_target = _mean(on_target, Wrench(negate(contact.force), contact.torque_target))
    there_chaser = try_step(vector, mem, chaser, on_chaser)
    there_target = try_step(vector, mem, target, on_target)
    there_chaser = accept_step(vector, mem, chaser, there_chaser, on_chaser.force)
    there_target = accept_step(vector, mem, target, there_target, on_target.force)
    return there_chaser, there_target


CHOICES: dict[type, Any] = {Arms: _on_arms, Every: _elastic}


@by_type(lambda cls: CHOICES.get(cls, _rigid))
def yield_joints(features, params, vector, mem, dt, was, motors):
    """Both mock-ups after dt [s]. `was`: the facility before; `motors`: of both, after."""


@compiled
def _carrier(params: Params, follower, history, state, heavy):
    return Carrier(
        follower=follower,
        history=history,
        slots=params.memory.slots,
        state=state,
        heavy=heavy,
        chance=params.chance,
        T=params.T,
    )


@compiled
def chaser_carrier(params: Params):
    m, heavy = params.memory, params.flags.chaser_heavy
    return _carrier(params, params.chaser_robot, m.chaser_history, m.chaser_robot, heavy)


@compiled
def target_carrier(params: Params):
    m, heavy = params.memory, params.flags.target_heavy
    return _carrier(params, params.target_robot, m.target_history, m.target_robot, heavy)


@compiled
def move_robots(params: Params, vector, mem, was, k, now, later):
    """Both mock-ups at `later` from where they were at `now` [cycles]."""
    if params.flags.on_stamps:
        return on_stamps(params, mem, k, 1)
    features = params.features
    chaser = carry(features, vector, chaser_carrier(params), mem, was.chaser, now, later)
    target = carry(features, vector, target_carrier(params), mem, was.target, now, later)
    if params.flags.elastic:
        dt = (later - now) * params.T
        return yield_joints(features, params, vector, mem, dt, was, Output(chaser, target))
    return chaser, target


@compiled
def on_stamps(params: Params, mem, k, ahead):
    """Both mock-ups at t_k or one cycle ahead, where delays are whole cycles: each on the set-point
    stamped a delay ago."""
    m = params.memory
    chaser = near(mem, m.chaser_history, m.slots, k, ahead - params.chaser_robot.cycles)
    return chaser, near(mem, m.target_history, m.slots, k, ahead - params.target_robot.cycles)


_with_motions = make_replacer(Facility, "chaser", "target")


@compiled
def reload_motions(params: Params, mem, facility: Facility, k):
    """The same facility at t_k, with the mock-ups' motions read again where they stand in `mem`: a
    loop need not keep them in registers."""
    if not params.flags.on_stamps:
        return facility
    chaser, target = on_stamps(params, mem, k, 0)
    return _with_motions(facility, chaser, target)
