"""The motion of an emulated robot: its set-points and its mock-up's motions, in two rings of `mem`.

In: the set-point of a tick, as a pose in the world. Out: the mock-up's motion one tick ahead, by
softdock's own robot model, and at any instant that the ring holds [ns], between the ticks on the
Hermite curve.
"""

from __future__ import annotations

from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT
from softdock.core.robots.history import HERMITE, between, push, stamped
from softdock.core.robots.prepare import Carrier
from softdock.core.robots.robot import Chance, carry, prepare_follower, receive
from softdock.core.spatial.motion import MOTION_FLOATS, Motion
from softdock.core.spatial.rotations import inverse, logarithm, product
from softdock.core.spatial.vectors import ZERO, scale, subtract
from softdock.core.wire.robot_cells import OWN, PERIOD_NS, TICK, WHICH


@compiled
def rings_of(robot):
    """Where the set-points and the motions stand, and how many of each."""
    slots = robot.instants.shape[0]
    motions = robot.mem.shape[0] - slots * MOTION_FLOATS
    return motions - slots * MOTION_FLOATS, motions, slots


@compiled
def move_on(features, robot, n, set_point):
    """The set-point of tick n arrives; the mock-up's motion at the next tick."""
    set_points, motions, slots = rings_of(robot)
    which = int(robot.settings[WHICH])
    T = 1e-9 * robot.settings[PERIOD_NS]
    at = CHASER_ROBOT_AT if which == 0 else TARGET_ROBOT_AT
    was = stamped(robot.mem, set_points, slots, n - 1)
    turn = logarithm(product(inverse(was.q), set_point.q))
    rate = 1.0 / T
    moving = Motion(
        set_point.p, set_point.q, scale(rate, subtract(set_point.p, was.p)), scale(rate, turn)
    )
    f, v, m = features, robot.vector, robot.mem
    carrier = Carrier(
        follower=prepare_follower(v, at, which, T, False),
        history=set_points,
        slots=slots,
        state=OWN,
        heavy=False,
        chance=Chance(0, 0),
        T=T,
    )
    receive(f, v, carrier, m, n, moving)
    before, now = stamped(m, motions, slots, n), float(n)
    # a delay shorter than a cycle would need a set-point that is not there yet: the last one holds
    push(m, set_points, slots, n + 1, Motion(moving.p, moving.q, ZERO, ZERO))
    after = carry(f, v, carrier, m, before, now, now + 1.0)
    push(m, motions, slots, n + 1, after)


@apart
def motion_at_instant(robot, instant):
    """The mock-up in the world at an instant [ns], and whether the ring holds it."""
    _, motions, slots = rings_of(robot)
    T, newest = 1e-9 * robot.settings[PERIOD_NS], robot.whole[TICK] + 1
    later = newest
    for back in range(1, slots - 1):
        j = newest - back
        begin, end = robot.instants[j % slots], robot.instants[later % slots]
        if begin <= instant:
            a, b = stamped(robot.mem, motions, slots, j), stamped(robot.mem, motions, slots, later)
            if instant == begin:
                return a, True
            if instant >= end:
                return b, instant == end
            return between(HERMITE, T, a, b, (instant - begin) / (end - begin)), True
        later = j
    return stamped(robot.mem, motions, slots, later), False
