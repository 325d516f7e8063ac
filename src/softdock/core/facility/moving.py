"""Robots carry the mock-ups over one step of the plant."""

from __future__ import annotations

from softdock.core.facility.elastic import yield_joints
from softdock.core.facility.state import Facility
from softdock.core.machine.compiled import compiled
from softdock.core.robots.history import near
from softdock.core.robots.robot import carry


@compiled
def move_robots(params, vector, mem, was, k, now, later):
    """Both mock-ups at `later` from where they were at `now` [cycles]."""
    m, T, chance = params.memory, params.T, params.chance
    c, t = params.chaser_robot, params.target_robot
    if params.on_stamps:
        return on_stamps(params, mem, k, 1)
    chaser = carry(
        params.features,
        vector,
        c,
        chance,
        T,
        mem,
        m.chaser_history,
        m.slots,
        m.chaser_robot,
        was.chaser,
        now,
        later,
        params.chaser_heavy,
    )
    target = carry(
        params.features,
        vector,
        t,
        chance,
        T,
        mem,
        m.target_history,
        m.slots,
        m.target_robot,
        was.target,
        now,
        later,
        params.target_heavy,
    )
    if params.elastic:
        return yield_joints(
            params.features,
            params,
            vector,
            mem,
            (later - now) * T,
            was.chaser,
            was.target,
            was.true_chaser.force,
            chaser,
            target,
        )
    return chaser, target


@compiled
def on_stamps(params, mem, k, ahead):
    """Both mock-ups at t_k or one cycle ahead, where delays are whole cycles: each on the set-point
    stamped a delay ago."""
    m = params.memory
    chaser = near(mem, m.chaser_history, m.slots, k, ahead - params.chaser_robot.cycles)
    return chaser, near(mem, m.target_history, m.slots, k, ahead - params.target_robot.cycles)


@compiled
def recall(params, mem, facility, k):
    """The same facility at t_k, with the mock-ups' motions read anew where they stand in `mem`: a
    loop need not keep them in registers."""
    if not params.on_stamps:
        return facility
    f = facility
    chaser, target = on_stamps(params, mem, k, 0)
    return Facility(
        chaser=chaser,
        target=target,
        true_chaser=f.true_chaser,
        true_target=f.true_target,
        dissipating=f.dissipating,
        samples=f.samples,
        handed=f.handed,
        reading=f.reading,
        reading_time=f.reading_time,
        seen_time=f.seen_time,
    )
