"""A rail under an arm of the loop: where it is wanted for a set-point, and its rate.

In: the set-point (orbit frame), the rail's set-point before. Out: coordinate [m] and rate [m/s] of
slot 0. The rule is that of softdock/arms/base_axis.py, which checks use: with s the flange's place
along the rail, a share of its way is taken over with a first-order lag,

    d_k = d_0 + share (s_k - s_0),    q_k = q_(k-1) + g (d_k - q_(k-1)),    g = 1 - exp(-T / lag)

Up to t = 0 the rail has followed for ever at the speed of the first set-point: it stands where the
facility says, d_0 is ahead of it by what the lag is behind on such a ramp. Share 0, and turntables:
it stands. Ours.
"""

from __future__ import annotations

from softdock.core.arms.layout import AT
from softdock.core.machine.compiled import compiled
from softdock.core.robots.arm.layout import P, S
from softdock.core.robots.arm.tip import centre_in_base, flange_wanted, twist_in_base
from softdock.core.spatial.vectors import add, cross, dot, load3, subtract


@compiled
def _place_and_speed(arm, set_point):
    """Of the flange along the rail [m, m/s]."""
    n, p = load3(arm, AT.directions), flange_wanted(arm, set_point).p
    v, w = twist_in_base(arm, set_point)
    lever = subtract(p, centre_in_base(arm, set_point))
    return dot(n, p), dot(n, add(v, cross(w, lever)))


@compiled
def begin_rail(arm, mem, at, set_point):
    """What the rule needs of the first set-point; `at`: of the arm's state in `mem`."""
    share, g = arm[P.follow_share], arm[P.follow_gain]
    if share == 0.0:
        return
    place, speed = _place_and_speed(arm, set_point)
    mem[at + S.rail_start] = arm[P.slot_0] - share * place
    mem[at + S.rail_behind] = share * speed * arm[P.follow_cycle] * (1.0 - g) / g


@compiled
def base_axis_of(arm, mem, at, set_point, before, steady):
    """Where the base axis is wanted for a set-point, and its rate; `steady`: up to t = 0."""
    share = arm[P.follow_share]
    if share == 0.0:
        return arm[P.slot_0], 0.0
    place, speed = _place_and_speed(arm, set_point)
    on_ramp = mem[at + S.rail_start] + share * place
    if steady:
        return on_ramp, share * speed
    step = arm[P.follow_gain] * (on_ramp + mem[at + S.rail_behind] - before)
    return before + step, step / arm[P.follow_cycle]
