"""Robots carry the mock-ups over one step of the plant."""

from __future__ import annotations

from softdock.core.adaptation.interface import Output
from softdock.core.facility.elastic import yield_joints
from softdock.core.facility.state import Facility
from softdock.core.machine.compiled import compiled
from softdock.core.machine.generated import replacing
from softdock.core.robots.history import near
from softdock.core.robots.prepare import Carrier
from softdock.core.robots.robot import carry


@compiled
def _carrier(params, follower, history, state, heavy):
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
def chaser_carrier(params):
    m, heavy = params.memory, params.flags.chaser_heavy
    return _carrier(params, params.chaser_robot, m.chaser_history, m.chaser_robot, heavy)


@compiled
def target_carrier(params):
    m, heavy = params.memory, params.flags.target_heavy
    return _carrier(params, params.target_robot, m.target_history, m.target_robot, heavy)


@compiled
def move_robots(params, vector, mem, was, k, now, later):
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
def on_stamps(params, mem, k, ahead):
    """Both mock-ups at t_k or one cycle ahead, where delays are whole cycles: each on the set-point
    stamped a delay ago."""
    m = params.memory
    chaser = near(mem, m.chaser_history, m.slots, k, ahead - params.chaser_robot.cycles)
    return chaser, near(mem, m.target_history, m.slots, k, ahead - params.target_robot.cycles)


_with_motions = replacing(Facility, "chaser", "target")


@compiled
def recall(params, mem, facility, k):
    """The same facility at t_k, with the mock-ups' motions read again where they stand in `mem`: a
    loop need not keep them in registers."""
    if not params.flags.on_stamps:
        return facility
    chaser, target = on_stamps(params, mem, k, 0)
    return _with_motions(facility, chaser, target)
