"""A rail or a turntable under an arm of the loop: where it is wanted for a set-point, and its rate.

In: the set-point (orbit frame), the axis's set-point before. Out: coordinate [m or rad] and rate of
slot 0. The rule is that of softdock/loop/arms/base_axis.py, which checks use: with s the flange's
place along the rail (its angle about the turntable's axis, from the first set-point's on and
continued through its wraps), a share of its way is taken over with a first-order lag,

    d_k = d_0 + share (s_k - s_0),    q_k = q_(k-1) + g (d_k - q_(k-1)),    g = 1 - exp(-T / lag)

Up to t = 0 the axis has followed for ever at the speed of the first set-point: it stands where the
facility says, d_0 is ahead of it by what the lag is behind on such a ramp. Share 0: it stands. Of
a flange on the turntable's own axis the angle is not defined, and its rate is taken as 0. Ours.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.arms.forward import is_rail
from softdock.loop.arms.tip import find_flange, locate_centre, turn_twist_to_base
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    subtract,
)

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Motion

TURN = 2.0 * math.pi


@compiled
def _across(arm, p):
    """Vector from the turntable's axis to a point, across the axis [m]."""
    n, r = arm.directions[0], subtract(p, arm.offsets[0])
    return add_scaled(r, -dot(n, r), n)


@compiled
def _place_and_speed(placed, s, set_point: Motion):
    """Place and speed of the flange along the rail [m, m/s] or about the turntable's axis [rad,
    rad/s]."""
    arm = placed.arm
    n, p = arm.directions[0], find_flange(placed, set_point).p
    v, w = turn_twist_to_base(placed, set_point)
    v = add(v, cross(w, subtract(p, locate_centre(placed, set_point))))
    if is_rail(arm, 0):
        return dot(n, p), dot(n, v)
    r, r0 = _across(arm, p), s.rail_from
    angle, last = math.atan2(dot(n, cross(r0, r)), dot(r0, r)), s.rail_place
    angle += TURN * math.floor((last - angle) / TURN + 0.5)
    away = dot(r, r)
    return angle, dot(n, cross(r, v)) / away if away > 0.0 else 0.0


@compiled
def begin_rail(placed, s, set_point: Motion):
    """What the rule needs of the first set-point; `s`: the arm's state."""
    share, g = placed.follow_share, placed.follow_gain
    if share == 0.0:
        return
    s.rail_from = _across(placed.arm, find_flange(placed, set_point).p)
    s.rail_place = 0.0
    place, speed = _place_and_speed(placed, s, set_point)
    s.rail_place = place
    s.rail_start = placed.slot_0 - share * place
    s.rail_behind = share * speed * placed.follow_cycle * (1.0 - g) / g


@compiled
def follow_with_base_axis(placed, s, set_point: Motion, before, steady):
    """Where the base axis is wanted for a set-point, and its rate; `steady`: up to t = 0."""
    share = placed.follow_share
    if share == 0.0:
        return placed.slot_0, 0.0
    place, speed = _place_and_speed(placed, s, set_point)
    s.rail_place = place
    on_ramp = s.rail_start + share * place
    if steady:
        return on_ramp, share * speed
    step = placed.follow_gain * (on_ramp + s.rail_behind - before)
    return before + step, step / placed.follow_cycle
