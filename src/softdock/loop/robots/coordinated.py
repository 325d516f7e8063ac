"""Axes that are planned together: all six arrive at the set-point at the same instant, and limits
hold for the length of velocity, acceleration and jerk.

In the loop: beside the independent axes of limited.py, whose limits hold for each axis of the
laboratory and which arrive one after the other, so that such a robot does another motion when
everything is turned. This one does the same motion, turned: translation in axes of its own way
(remaining_path.py), rotation likewise in the rotation vector from the robot's attitude, limits
shared out among them (`share_limits`). What moves on a line stays on that line, and is there as
soon as an independent axis along it would be. In and out: as in limited.py; SI, world axes, rates
in body axes.

An acceleration that is within its length but beyond an axis's share is led back at a constant jerk
over the step, to the nearest point of the sphere of allowed ones.

Whose: what is wanted is the path-accurate generation of Lange and Albu-Schaeffer (RA-L 2016,
reference [14] of Lange's hard impacts), of which no formula is public to us; shares and axes are
ours. Not theirs: the robot heads for where the set-point is, and does not go back to a bend that
the set-point made before. Not validated: that any robot's interpolator behaves so.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.robots.interception import advance_profile, profile_over
from softdock.loop.robots.interception_path import Bounds, Task
from softdock.loop.robots.memory import ROBOT_STATE, WAY
from softdock.loop.robots.remaining_path import out_of_axes, times_of, way_to
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import (
    inverse,
    normalise,
    product,
    right_jacobian,
    turn_and_rate,
    turned,
)
from softdock.loop.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    dot,
    norm,
    scale,
    subtract,
)

# Sharing out limits among axes so that all of them arrive at the same instant.
#
# In: the ways of translation and rotation (remaining_path.py). Out: a share of the limits for each
# of the six axes. Axis i gets the share s_i of the limits of acceleration and jerk, and takes T_i,
# the least time within them (interception.py). Shares are found so that all T_i are equal and the
# shares of translation, or those of rotation, whichever take longer, have the length 1. Then
# velocity, acceleration and jerk have at most the length of their limits.
#
# T_i falls as s_i^-n. n is 1/3 where jerk limits, 1/2 where acceleration and 1 where speed does,
# and more where an axis that moves fast must be turned round; it is found from the last two turns,
# and shares with which all would arrive together are the next ones. Five turns on average. Where
# T_i jumps with s_i (an axis just may or may not stop in time) arrivals stay some percent apart:
# one state in thirty. An axis that never arrives, behind a set-point at the limit of speed, holds
# none of the others back.
#
# The limit of speed is shared so that the set-point's velocity is within. A robot that is faster
# than the share of an axis is slowed down there while it may speed up elsewhere, so that near the
# limit a change of direction may pass it by some percent.
#
# Ours.

TURNS = 16
TOGETHER = 0.01  # of the duration: arrivals this near count as the same instant
EXPECTED = 1e-6  # of the time left: the plan is being followed, shares stay as they are
NEVER = 1e6  # s: longer than any run
FIRST_POWERS = (1.5, 1.5, 1.5)  # 1 / n
LEAST_POWER, LARGEST_POWER = 0.25, 3.5
FURTHER = 8.0  # the most by which a share changes in a turn
LEAST_SHARE = 1e-6  # for an axis with nothing to do: the others lose 1e-12 of their limits


@compiled
def _speed_limit(way, i, share):
    """Speed limit of axis i: the set-point's velocity is within, and squares sum up to the
    limit's."""
    speed, own = way.limits[0], way.target_velocity[i]
    if speed == math.inf:
        return speed
    left = speed * speed - dot(way.target_velocity, way.target_velocity)
    return math.sqrt(own * own + max(left, 0.0) * share * share)


@noinline
def axis_profile(way, i, share):
    """The fastest profile of axis i within its share, from place 0."""
    u = way.target_velocity[i]
    most = _speed_limit(way, i, share)
    _, strongest, jerk = way.limits
    task = Task(way.distance[i], way.velocity[i] - u, way.acceleration[i], 0.0)
    bounds = Bounds(-most - u, most - u, share * strongest, share * jerk)
    return profile_over(task, bounds, way.resolution, way.distance[i], u, u)


@compiled
def _durations(way, shares):
    return (
        axis_profile(way, 0, shares[0]).duration,
        axis_profile(way, 1, shares[1]).duration,
        axis_profile(way, 2, shares[2]).duration,
    )


@compiled
def _latest(durations, others):
    """The latest arrival of those that arrive [s]."""
    latest = others
    for k in range(3):
        if latest < durations[k] < NEVER:
            latest = durations[k]
    return latest


@compiled
def _effort(way, i):
    """Roughly how long axis i takes [s]."""
    u = abs(way.target_velocity[i] - way.velocity[i])
    t_d, t_u, t_a = times_of(abs(way.distance[i]), u, abs(way.acceleration[i]), way.limits)
    return max(t_d, t_u, t_a)


@compiled
def _guess(way):
    """First shares, not scaled: as if T_i fell with s_i^(-2/3)."""
    return (_effort(way, 0) ** 1.5, _effort(way, 1) ** 1.5, _effort(way, 2) ** 1.5)


@compiled
def _together(shares, durations, latest):
    """Whether three axes arrive with the latest, but for those that have nothing to do."""
    yes = True
    for k in range(3):
        if shares[k] > 2.0 * LEAST_SHARE and durations[k] < (1.0 - TOGETHER) * latest:
            yes = False
    return yes


@compiled
def _scaled(factor, shares):
    return (
        max(factor * shares[0], LEAST_SHARE),
        max(factor * shares[1], LEAST_SHARE),
        max(factor * shares[2], LEAST_SHARE),
    )


@compiled
def _of_length_one(shares):
    """Shares scaled to the length 1, none of them nothing."""
    length = norm(shares)
    if length == 0.0:
        return (1.0, LEAST_SHARE, LEAST_SHARE)
    shares = _scaled(1.0 / length, shares)
    return scale(1.0 / norm(shares), shares)  # the least shares had added a hair


@compiled
def _of_length(shares, turns, never):
    """Both sets of shares, scaled together so that the longer has the length 1; each by itself
    where something never arrives."""
    if never or norm(shares) == 0.0 or norm(turns) == 0.0:
        return _of_length_one(shares), _of_length_one(turns)
    longer = max(norm(shares), norm(turns))
    shares, turns = _scaled(1.0 / longer, shares), _scaled(1.0 / longer, turns)
    longer = max(norm(shares), norm(turns))
    return scale(1.0 / longer, shares), scale(1.0 / longer, turns)


@compiled
def _power(before, after, t_before, t_after, power):
    """1 / n of T ~ s^-n, from two shares and their durations; `power` where they say nothing."""
    if (
        before == after
        or t_before >= NEVER
        or t_after >= NEVER
        or t_before <= 0.0
        or t_after <= 0.0
    ):
        return power
    change = math.log(t_before / t_after)
    if change == 0.0:
        return power
    return min(max(math.log(after / before) / change, LEAST_POWER), LARGEST_POWER)


@compiled
def _powers(before, after, t_before, t_after, powers):
    return (
        _power(before[0], after[0], t_before[0], t_after[0], powers[0]),
        _power(before[1], after[1], t_before[1], t_after[1], powers[1]),
        _power(before[2], after[2], t_before[2], t_after[2], powers[2]),
    )


@compiled
def _wanted_share(share, duration, time, power):
    """The share with which an axis would take `time`; at most FURTHER times more or less."""
    if duration >= NEVER:
        return share
    ratio = (duration / time) ** power
    return share * min(max(ratio, 1.0 / FURTHER), FURTHER)


@compiled
def _wanted(shares, durations, time, powers):
    return (
        _wanted_share(shares[0], durations[0], time, powers[0]),
        _wanted_share(shares[1], durations[1], time, powers[1]),
        _wanted_share(shares[2], durations[2], time, powers[2]),
    )


@compiled
def _common_time(shares, durations, powers, latest):
    """The time in which all would arrive with shares of the length 1 [s]: Newton on logarithms."""
    x = math.log(latest)
    for _ in range(6):
        value, slope = 0.0, 0.0
        for k in range(3):
            if 0.0 < durations[k] < NEVER:
                part = shares[k] ** 2 * math.exp(2.0 * powers[k] * (math.log(durations[k]) - x))
                value += part
                slope += 2.0 * powers[k] * part
        if value <= 0.0:
            return 0.0
        x += math.log(value) * value / slope
    return math.exp(x)


@noinline
def share_limits(way, turn, dt, shares, turns, expected):
    """Shares of the limits for the axes of translation and of rotation, the latest arrival of those
    that arrive [s], and whether all arrive within dt. The given shares are kept where they lead to
    the arrival that was expected; 0: none was."""
    latest, arrives = 0.0, False
    if expected > 0.0:
        t, r = _durations(way, shares), _durations(turn, turns)
        arrives = max(t[0], t[1], t[2], r[0], r[1], r[2]) <= dt
        latest = _latest(r, _latest(t, 0.0))
        if arrives or abs(latest - expected) <= EXPECTED * expected:
            return shares, turns, latest, arrives
    shares, turns = _of_length(_guess(way), _guess(turn), False)
    powers, turn_powers = FIRST_POWERS, FIRST_POWERS
    t, r = _durations(way, shares), _durations(turn, turns)
    for _ in range(TURNS):
        last = max(t[0], t[1], t[2], r[0], r[1], r[2])
        latest = _latest(r, _latest(t, 0.0))
        arrives = last <= dt
        if arrives or (_together(shares, t, latest) and _together(turns, r, latest)):
            break
        time = max(
            _common_time(shares, t, powers, latest), _common_time(turns, r, turn_powers, latest)
        )
        new, new_turns = _of_length(
            _wanted(shares, t, time, powers), _wanted(turns, r, time, turn_powers), last >= NEVER
        )
        t_new, r_new = _durations(way, new), _durations(turn, new_turns)
        powers = _powers(shares, new, t, t_new, powers)
        turn_powers = _powers(turns, new_turns, r, r_new, turn_powers)
        shares, turns, t, r = new, new_turns, t_new, r_new
    return shares, turns, _latest(r, _latest(t, 0.0)), arrives


TRANSLATION, ROTATION = ROBOT_STATE.at.axes, ROBOT_STATE.at.turns  # where a way is remembered
BEYOND = 1e-9  # of an axis's share: what rounding may put beyond it


@noinline
def _advance(way, shares, dt):
    """Place, velocity and acceleration along the way's axes after dt."""
    x0, v0, a0 = advance_profile(
        axis_profile(way, 0, shares[0]), 0.0, way.velocity[0], way.acceleration[0], dt
    )
    x1, v1, a1 = advance_profile(
        axis_profile(way, 1, shares[1]), 0.0, way.velocity[1], way.acceleration[1], dt
    )
    x2, v2, a2 = advance_profile(
        axis_profile(way, 2, shares[2]), 0.0, way.velocity[2], way.acceleration[2], dt
    )
    _, strongest, jerk = way.limits
    if jerk < math.inf and _beyond(way.acceleration, shares, strongest):
        return _at_constant_jerk(way, (a0, a1, a2), strongest, dt)
    return (x0, x1, x2), (v0, v1, v2), (a0, a1, a2)


@compiled
def _beyond(acceleration, shares, strongest):
    """Whether an acceleration is beyond the share of an axis."""
    beyond = False
    for k in range(3):
        if abs(acceleration[k]) > (1.0 + BEYOND) * shares[k] * strongest:
            beyond = True
    return beyond


@compiled
def _at_constant_jerk(way, after, strongest, dt):
    """To the nearest acceleration within the limit. From within the limit the way there is straight
    and no longer than that to `after`: it keeps both limits."""
    length = norm(after)
    if length > strongest:
        after = scale(strongest / length, after)
    before = way.acceleration
    jerk = scale(1.0 / dt, subtract(after, before))
    v = add_scaled(add_scaled(way.velocity, dt, before), 0.5 * dt * dt, jerk)
    x = add_scaled(scale(dt, way.velocity), 0.5 * dt * dt, before)
    return add_scaled(x, dt * dt * dt / 6.0, jerk), v, after


@compiled
def _continue_way(kept, start, velocity, acceleration, target, target_velocity, limits):
    """The remaining way, in the axes of the step before; `kept`: those (memory.WAY)."""
    return way_to(
        start,
        velocity,
        acceleration,
        target,
        target_velocity,
        limits,
        first=kept.first,
        second=kept.second,
    )


@compiled
def _remember_way(kept, way, shares, expected):
    """A way's axes and shares for the next step."""
    kept.first = way.first
    kept.second = way.second if way.planar else ZERO
    kept.shares = shares
    kept.expected = expected


@compiled
def _forget_way(kept):
    kept.first, kept.second, kept.shares, kept.expected = ZERO, ZERO, ZERO, 0.0


@compiled
def follow_together(limits, dt, mem, at, robot, set_point):
    """The mock-up after dt; `set_point`: where the delayed set-point is at the end of the step.
    Accelerations and the way are kept in `mem` at `at` (memory.py)."""
    s, kept, kept_turn = ROBOT_STATE(mem, at), WAY(mem, at + TRANSLATION), WAY(mem, at + ROTATION)
    way = _continue_way(
        kept,
        start=robot.p,
        velocity=robot.v,
        acceleration=s.acceleration,
        target=add_scaled(set_point.p, -dt, set_point.v),
        target_velocity=set_point.v,
        limits=limits[:3],
    )
    phi, rate = turn_and_rate(product(inverse(robot.q), set_point.q), set_point.w)
    turn = _continue_way(
        kept_turn,
        start=ZERO,
        velocity=robot.w,
        acceleration=s.turning,
        target=add_scaled(phi, -dt, rate),
        target_velocity=rate,
        limits=limits[3:],
    )
    shares, turns, latest, arrives = share_limits(
        way, turn, dt, kept.shares, kept_turn.shares, kept.expected
    )
    if arrives and norm(set_point.v) <= limits[0] and norm(rate) <= limits[3]:
        _forget_way(kept)
        _forget_way(kept_turn)
        s.acceleration, s.turning = ZERO, ZERO
        return set_point
    _remember_way(kept, way, shares, max(latest - dt, 0.0))
    _remember_way(kept_turn, turn, turns, max(latest - dt, 0.0))
    x, v, a = _advance(way, shares, dt)
    s.acceleration = out_of_axes(way, a)
    x_turn, v_turn, a_turn = _advance(turn, turns, dt)
    phi = out_of_axes(turn, x_turn)
    s.turning = right_jacobian(phi, out_of_axes(turn, a_turn))
    q, w = turned(phi, out_of_axes(turn, v_turn))
    p = add(robot.p, out_of_axes(way, x))
    return Motion(p, normalise(product(robot.q, q)), out_of_axes(way, v), w)
