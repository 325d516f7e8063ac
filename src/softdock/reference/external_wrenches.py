"""What pushes the satellites from outside: schedules of thrusters or environment, and hands.

A hand pushes a mock-up, and the sensor passes the push on to the satellite. In orbit there is no
mock-up: the same wrench acts on that satellite alone, about its centre of mass, without any
reaction on the other. What the loop samples once a cycle (the tide, methods that push from
outside) is sampled alike and held over the cycle (sampled.py).

Between two rows a schedule is linear; at its first and its last row it may jump. Steps therefore
end at every row, and within a step the schedule is read strictly between the step's ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.hooks import any_external
from softdock.loop.method.interface import Wrenches
from softdock.loop.schedules import ROW, ROW_CELLS, scheduled
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import add, dot, norm
from softdock.reference.sampled import Held, hold

ROUNDING = 2.0**-52  # of a time: no instant is finer
INSIDE = 4.0 * ROUNDING  # of the time: how far from a row's time, to be read on its one side


class Outside(NamedTuple):
    """Upper bounds of what acts from now to the next row of any schedule, or the next sampling."""

    until: float  # s, that time; inf: none follows
    acts: bool
    chaser_force: float  # N
    chaser_torque: float  # Nm
    target_force: float
    target_torque: float
    held: Held


@compiled
def _bounds(vector, schedule, t):
    """Largest force and torque until the next row, and when that is."""
    at, rows = schedule.at, schedule.rows
    if rows == 0 or t >= ROW_CELLS(vector, at + ROW * (rows - 1)).time:
        return 0.0, 0.0, math.inf
    if t < ROW_CELLS(vector, at).time:
        return 0.0, 0.0, ROW_CELLS(vector, at).time
    low, high = 0, rows - 1
    while high - low > 1:
        middle = (low + high) // 2
        if ROW_CELLS(vector, at + ROW * middle).time <= t:
            low = middle
        else:
            high = middle
    a, b = ROW_CELLS(vector, at + ROW * low), ROW_CELLS(vector, at + ROW * high)
    return max(norm(a.force), norm(b.force)), max(norm(a.torque), norm(b.torque)), b.time


@noinline
def bound_external_wrenches(vector, setup, own, held, both, t):
    """What may act from time t on [s]. `held`: what was held until then; `own`: the memory of
    methods that push."""
    s = setup.schedules
    f1, t1, u1 = _bounds(vector, s.chaser_external, t)
    f2, t2, u2 = _bounds(vector, s.chaser_hand, t)
    f3, t3, u3 = _bounds(vector, s.target_external, t)
    f4, t4, u4 = _bounds(vector, s.target_hand, t)
    acts, until = f1 + t1 + f2 + t2 + f3 + t3 + f4 + t4 > 0.0, min(min(u1, u2), min(u3, u4))
    if not is_sampled(setup):
        return Outside(
            until=until,
            acts=acts,
            chaser_force=f1 + f2,
            chaser_torque=t1 + t2,
            target_force=f3 + f4,
            target_torque=t3 + t4,
            held=held,
        )
    if held.cycle < 0 or t >= held.until:
        held = hold(vector, setup, own, both, held.cycle + 1)
    return Outside(
        until=min(until, held.until),
        acts=True,
        chaser_force=f1 + f2 + norm(held.on.chaser.force),
        chaser_torque=t1 + t2 + norm(held.on.chaser.torque),
        target_force=f3 + f4 + norm(held.on.target.force),
        target_torque=t3 + t4 + norm(held.on.target.torque),
        held=held,
    )


@noinline
def outside_wrenches(vector, setup, held, t, t0, h, chaser_q, target_q):
    """Wrenches on both satellites at time t of a step of h from t0 [s]; world axes, about the
    centres of mass. On a fixed body: none. `held`: over this cycle."""
    inside = min(INSIDE * (t0 + h), 0.25 * h)
    when = min(max(t, t0 + inside), t0 + h - inside)
    s = setup.schedules
    chaser, target = no_wrench(), no_wrench()
    if not setup.chaser.fixed:
        chaser = _sum(
            scheduled(vector, s.chaser_external, when, chaser_q),
            scheduled(vector, s.chaser_hand, when, chaser_q),
        )
    if not setup.target.fixed:
        target = _sum(
            scheduled(vector, s.target_external, when, target_q),
            scheduled(vector, s.target_hand, when, target_q),
        )
    if is_sampled(setup):
        return Wrenches(_sum(chaser, held.on.chaser), _sum(target, held.on.target))
    return Wrenches(chaser, target)


@compiled
def is_sampled(setup):
    """Whether anything is sampled once a cycle."""
    return setup.tide or any_external(setup.methods)


@compiled
def _sum(a, b):
    return Wrench(add(a.force, b.force), add(a.torque, b.torque))


@compiled
def power(wrench, motion):
    """Power of a wrench on a moving body [W]."""
    return dot(wrench.force, motion.v) + dot(wrench.torque, rotate(motion.q, motion.w))
