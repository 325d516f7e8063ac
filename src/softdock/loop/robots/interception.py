"""The fastest way of one robot axis to a set-point under limits of speed, acceleration and jerk.

In the loop: a robot's axis has a state (position p0, velocity v0, acceleration a0; m or rad, s) and
a set-point (pf, vf). Every step the fastest profile to the set-point is replanned and followed
for dt, as an on-line trajectory generator does:

    profile = intercepting_profile(p0, v0, a0, pf, vf, vmax, amax, jmax)
    p, v, a = advance_profile(profile, p0, v0, a0, dt)

- `time_optimal_profile` reaches pf with velocity vf and acceleration 0, wherever the set-point is
  by then: what Ruckig solves. Behind a set-point that moves on it does NOT settle: within a cycle
  of it, the lag falls only by jmax (lag / vf)^3 / 32 a cycle, because each profile ends where the
  set-point was. Ahead of it, however little beyond rounding, it backs up and comes again.
- `intercepting_profile` reaches the set-point where it then is, pf + vf t: the same law in the
  set-point's frame, with the limits -vmax - vf and vmax - vf. It settles in finite time and stays.
  Behind a set-point at |vf| = vmax it never arrives: duration inf.

Law: |v| <= vmax, |a| <= amax, |j| <= jmax; minimum time; each axis on its own. All limits > 0; amax
finite, vmax may be infinite. jmax may be infinite: the acceleration then jumps, a0 is ignored
(`interception_second_order`). vf beyond vmax is taken as vmax. A state beyond the limits is brought
back first (`interception_brake`), by Ruckig's rule, which is not always the fastest. A target that
the direct change of velocity hits to within rounding (`RESOLUTION`, `FLOOR`) counts as hit. At the
end of a profile the state is set to the target exactly, so it may jump by as much. Where a hair of
error in v0 would mean to come again, more is allowed (`path_durations`): what rounding of v0 does
to the arrival, some 1e-7 s at 1 m/s and 100 m/s^3.

Whose: the problem and the braking rule are those of Ruckig (Berscheid, Kroeger: Jerk-limited
Real-time Trajectory Generation with Arbitrary Target States, RSS 2021). The solution is ours: one
path of profiles and one root (`interception_path`), in place of a polynomial for each kind of
profile. Tested against Ruckig on random targets. Not validated: that any robot's interpolator
behaves so. Real ones are smoother, and couple their axes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.robots.interception_path import Bounds, Task, path_durations

# The fastest profile under limits of speed and acceleration, with infinite jerk: brake, one way,
# cruise, the other way.
#
# With acceleration +-amax the distance over a peak velocity vp is (2 vp^2 - v0^2 - vf^2) / (2
# amax), so vp is a square root. The direct change from v0 to vf covers d0. A target beyond d0 is
# reached over the top (vp >= v0, vf), one short of d0 over the bottom: the same, mirrored. In the
# form of the nine phases of `interception.Profile`, of which four are used. Tested against Ruckig.


@compiled
def second_order_durations(task, bounds, resolution, relative):
    """Durations and accelerations of a task. A direct change that hits its distance to within
    `resolution` plus `relative` of its own length is taken."""
    d, v0, _, vf = task
    vmin, vmax, amax, _ = bounds
    v_b = min(max(v0, vmin), vmax)
    t_brake = abs(v0 - v_b) / amax
    a_brake = amax if v_b > v0 else -amax
    d -= 0.5 * (v0 + v_b) * t_brake

    t_direct = abs(vf - v_b) / amax
    d_direct = 0.5 * (v_b + vf) * t_direct
    resolution += relative * (abs(v_b) + abs(vf)) * t_direct
    s = 1.0 if d >= d_direct else -1.0
    up, cruise, down = 0.0, 0.0, t_direct
    if abs(d - d_direct) <= resolution:
        s = 1.0 if v_b >= vf else -1.0
    else:
        top = vmax if s > 0.0 else -vmin
        up, cruise, down = _over_the_top(s * d, s * v_b, s * vf, top, amax)
    durations = (t_brake, 0.0, up, 0.0, 0.0, cruise, 0.0, down, 0.0)
    return durations, (a_brake, 0.0, s * amax, 0.0, 0.0, 0.0, 0.0, -s * amax, 0.0)


@compiled
def _over_the_top(d, v0, vf, vmax, amax):
    """Durations up, at vmax, down."""
    half = 0.5 * (vf - v0) * (vf + v0)
    peak = math.sqrt(max(amax * d + 0.5 * (v0 * v0 + vf * vf), 0.0))
    if peak <= vmax:
        return _rise(amax * d + half, v0, peak) / amax, 0.0, _rise(amax * d - half, vf, peak) / amax
    excess = d - 0.5 * ((vmax - v0) * (vmax + v0) + (vmax - vf) * (vmax + vf)) / amax
    cruise = max(excess, 0.0) / vmax if vmax > 0.0 else math.inf
    return (vmax - v0) / amax, cruise, (vmax - vf) / amax


@compiled
def _rise(difference, v, peak):
    """peak - v, given peak^2 - v^2, without cancellation."""
    if v > 0.0:
        return max(difference, 0.0) / (peak + v)
    return peak - v


# Bringing an axis back inside its limits of acceleration and speed before the profile proper
# starts.
#
# Given: velocity v0, acceleration a0 and the limits vmin <= v <= vmax, |a| <= amax, |j| <= jmax.
# Braking starts when |a0| > amax, when v0 is outside, or when v0 must leave because a0 cannot be
# taken away in time. It is a ramp at full jerk, then perhaps a hold, until the state is inside
# again, and never so long that the other limit of speed must be passed. The rule is Ruckig's
# (Berscheid, Kroeger, RSS 2021).

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


# of the lengths at hand: some 1e4 roundings, so that a target stays hit while a profile is followed
RESOLUTION = 1e-12
# m or rad; a few roundings of a coordinate of order one, where the axis may have been before
FLOOR = 1e-15
NINE_ZEROS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
PHASES = len(NINE_ZEROS)


class Profile(NamedTuple):
    """Nine phases of constant jerk: two of braking, then up, hold, down, cruise, down, hold, up (or
    all mirrored)."""

    durations: tuple[float, float, float, float, float, float, float, float, float]  # s, >= 0
    accelerations: tuple[
        float, float, float, float, float, float, float, float, float
    ]  # at the start of each phase
    jerks: tuple[float, float, float, float, float, float, float, float, float]
    duration: float  # s
    end_position: float
    end_velocity: float


@compiled
def time_optimal_profile(p0, v0, a0, pf, vf, vmax, amax, jmax):
    """The fastest profile from (p0, v0, a0) to (pf, vf, 0)."""
    vf = min(max(vf, -vmax), vmax)
    resolution = RESOLUTION * (abs(p0) + abs(pf)) + FLOOR
    task, bounds = Task(pf - p0, v0, a0, vf), Bounds(-vmax, vmax, amax, jmax)
    return profile_over(task, bounds, resolution, pf, vf, 0.0)


@compiled
def intercepting_profile(p0, v0, a0, pf, vf, vmax, amax, jmax):
    """The fastest profile from (p0, v0, a0) to a set-point that moves on: (pf + vf t, vf, 0)."""
    vf = min(max(vf, -vmax), vmax)
    resolution = RESOLUTION * (abs(p0) + abs(pf)) + FLOOR
    task = Task(pf - p0, v0 - vf, a0, 0.0)
    return profile_over(task, Bounds(-vmax - vf, vmax - vf, amax, jmax), resolution, pf, vf, vf)


@compiled
def profile_over(task, bounds, resolution, end_position, end_velocity, drift):
    """The fastest profile of a task, in a frame that moves with `drift`; the end position is that
    of time 0."""
    if bounds.jmax == math.inf:
        durations, accelerations = second_order_durations(task, bounds, resolution, RESOLUTION)
        jerks = NINE_ZEROS
    else:
        durations, accelerations, jerks = _third_order(task, bounds, resolution)
    duration = 0.0
    for k in range(PHASES):
        duration += durations[k]
    if drift != 0.0:
        end_position += drift * duration
    return Profile(
        durations=durations,
        accelerations=accelerations,
        jerks=jerks,
        duration=duration,
        end_position=end_position,
        end_velocity=end_velocity,
    )


@compiled
def _third_order(task, bounds, resolution):
    d, v0, a0, vf = task
    vmin, vmax, amax, jmax = bounds
    b_ramp, b_hold, b_jerk = brake(v0, a0, vmin, vmax, amax, jmax)
    a_b = a0 + b_jerk * b_ramp
    v_r = v0 + 0.5 * (a0 + a_b) * b_ramp
    d = d - b_ramp * (v0 + b_ramp * (2.0 * a0 + a_b) / 6.0) - b_hold * (v_r + 0.5 * a_b * b_hold)
    v_b = v_r + a_b * b_hold
    s, a1, a2, up, hold_up, cruise, hold_down = path_durations(
        Task(d, v_b, a_b, vf), bounds, resolution, RESOLUTION
    )
    a_c = min(a1, 0.0)  # below zero: the acceleration never changes sign and there is no cruise
    durations = (
        b_ramp,
        b_hold,
        up,
        hold_up,
        (a1 - a_c) / jmax,
        cruise,
        (a_c + a2) / jmax,
        hold_down,
        a2 / jmax,
    )
    accelerations = (a0, a_b, a_b, s * a1, s * a1, s * a_c, s * a_c, -s * a2, -s * a2)
    j = s * jmax
    return durations, accelerations, (b_jerk, 0.0, j, 0.0, -j, 0.0, -j, 0.0, j)


@compiled
def advance_profile(profile, p0, v0, a0, dt):
    """State (p, v, a) after dt on the profile planned from (p0, v0, a0); after its end, on at
    constant velocity."""
    if dt >= profile.duration:
        return (
            profile.end_position + profile.end_velocity * (dt - profile.duration),
            profile.end_velocity,
            0.0,
        )
    p, v, a = p0, v0, a0
    for k in range(PHASES):
        t = min(dt, profile.durations[k])
        if t > 0.0:
            a = profile.accelerations[k]
            j = profile.jerks[k]
            p += t * (v + t * (0.5 * a + t * j / 6.0))
            v += t * (a + 0.5 * t * j)
            a += t * j
            dt -= t
    return p, v, a
