"""Bringing an axis back inside its limits of acceleration and speed before the profile proper
starts.

Given: velocity v0, acceleration a0 and the limits vmin <= v <= vmax, |a| <= amax, |j| <= jmax.
Braking starts when |a0| > amax, when v0 is outside, or when v0 must leave because a0 cannot be
taken away in time. It is a ramp at full jerk, then perhaps a hold, until the state is inside again,
and never so long that the other limit of speed must be passed. The rule is Ruckig's (Berscheid,
Kroeger, RSS 2021).
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled

SLACK = (
    1e-12  # of the speeds at hand: a profile that runs along its limit must not brake for rounding
)


@compiled
def brake(v0, a0, vmin, vmax, amax, jmax):
    """Ramp duration, hold duration and signed jerk of the braking; zeros if none is needed."""
    s = _direction(v0, a0, vmin, vmax, amax, jmax)
    if s == 0.0:
        return 0.0, 0.0, 0.0
    if s > 0.0:
        ramp, hold = _brake_down(v0, a0, vmin, vmax, amax, jmax)
    else:
        ramp, hold = _brake_down(-v0, -a0, -vmax, -vmin, amax, jmax)
    return max(ramp, 0.0), max(hold, 0.0), -s * jmax


@compiled
def _direction(v0, a0, vmin, vmax, amax, jmax):
    """1: brake with negative jerk; -1: with positive; 0: no need."""
    change = a0 * abs(a0) / (2.0 * jmax)
    stop = v0 + change  # the velocity when a0 has been taken away
    slack = SLACK * (abs(v0) + abs(change))
    over = v0 > vmax + slack
    under = v0 < vmin - slack
    s = 0.0
    if a0 > amax:
        s = 1.0
    elif a0 < -amax:
        s = -1.0
    elif (over and stop > vmin) or (a0 > 0.0 and stop > vmax + slack):
        s = 1.0
    elif (under and stop < vmax) or (a0 < 0.0 and stop < vmin - slack):
        s = -1.0
    return s


@compiled
def _brake_down(v, a, bottom, top, amax, jmax):
    """Ramp and hold with negative jerk."""
    if a > amax and v + a * a / (2.0 * jmax) <= top:  # only the acceleration is too high
        ramp = (a - amax) / jmax
        v_ramp = v + 0.5 * (a + amax) * ramp
        hold = 0.0
        if v_ramp < bottom:
            hold = min((bottom - v_ramp) / amax, (top - v_ramp) / amax - 0.5 * amax / jmax)
        return ramp, hold
    to_top = (a + math.sqrt(max(a * a + 2.0 * jmax * (v - top), 0.0))) / jmax
    to_bottom = (
        a + math.sqrt(max(0.5 * a * a + jmax * (v - bottom), 0.0))
    ) / jmax  # from then on bottom would be passed
    to_amax = (a + amax) / jmax
    if to_amax >= min(to_top, to_bottom):
        return min(to_top, to_bottom), 0.0
    v_amax = v + 0.5 * (a - amax) * to_amax
    return to_amax, min((v_amax - top) / amax, (v_amax - bottom) / amax - 0.5 * amax / jmax)
