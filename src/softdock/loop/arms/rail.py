"""A rail or a turntable under an arm of the loop: where it is wanted for a set-point, and its rate.

In: the set-point (orbit frame), the axis's set-point before. Out: coordinate [m or rad] and rate of
slot 0. The rule is that of softdock/loop/arms/base_axis.py, which checks use: with s the flange's place
along the rail (its angle about the turntable's axis, from the first set-point's on and continued
through its wraps), a share of its way is taken over with a first-order lag,

    d_k = d_0 + share (s_k - s_0),    q_k = q_(k-1) + g (d_k - q_(k-1)),    g = 1 - exp(-T / lag)

Up to t = 0 the axis has followed for ever at the speed of the first set-point: it stands where the
facility says, d_0 is ahead of it by what the lag is behind on such a ramp. Share 0: it stands. Of
a flange on the turntable's own axis the angle is not defined, and its rate is taken as 0. Ours.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.arms.forward import is_rail
from softdock.loop.arms.layout import direction, offset
from softdock.loop.arms.robot_layout import P, S
from softdock.loop.arms.tip import centre_in_base, flange_wanted, twist_in_base
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    store3,
    subtract,
)

TURN = 2.0 * math.pi


@compiled
def _across(arm, p):
    """Vector from the turntable's axis to a point, across the axis [m]."""
    n, r = direction(arm, 0), subtract(p, offset(arm, 0))
    return add_scaled(r, -dot(n, r), n)


@compiled
def _place_and_speed(arm, mem, at, set_point):
    """Place and speed of the flange along the rail [m, m/s] or about the turntable's axis [rad,
    rad/s]."""
    n, p = direction(arm, 0), flange_wanted(arm, set_point).p
    v, w = twist_in_base(arm, set_point)
    v = add(v, cross(w, subtract(p, centre_in_base(arm, set_point))))
    if is_rail(arm, 0):
        return dot(n, p), dot(n, v)
    r, r0 = _across(arm, p), load3(mem, at + S.rail_from)
    angle, last = math.atan2(dot(n, cross(r0, r)), dot(r0, r)), mem[at + S.rail_place]
    angle += TURN * math.floor((last - angle) / TURN + 0.5)
    away = dot(r, r)
    return angle, dot(n, cross(r, v)) / away if away > 0.0 else 0.0


@compiled
def begin_rail(arm, mem, at, set_point):
    """What the rule needs of the first set-point; `at`: of the arm's state in `mem`."""
    share, g = arm[P.follow_share], arm[P.follow_gain]
    if share == 0.0:
        return
    store3(mem, at + S.rail_from, _across(arm, flange_wanted(arm, set_point).p))
    mem[at + S.rail_place] = 0.0
    place, speed = _place_and_speed(arm, mem, at, set_point)
    mem[at + S.rail_place] = place
    mem[at + S.rail_start] = arm[P.slot_0] - share * place
    mem[at + S.rail_behind] = share * speed * arm[P.follow_cycle] * (1.0 - g) / g


@compiled
def base_axis_of(arm, mem, at, set_point, before, steady):
    """Where the base axis is wanted for a set-point, and its rate; `steady`: up to t = 0."""
    share = arm[P.follow_share]
    if share == 0.0:
        return arm[P.slot_0], 0.0
    place, speed = _place_and_speed(arm, mem, at, set_point)
    mem[at + S.rail_place] = place
    on_ramp = mem[at + S.rail_start] + share * place
    if steady:
        return on_ramp, share * speed
    step = arm[P.follow_gain] * (on_ramp + mem[at + S.rail_behind] - before)
    return before + step, step / arm[P.follow_cycle]
