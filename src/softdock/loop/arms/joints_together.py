"""Joints that arrive together: each has the share of its own limits of acceleration and jerk with
which it takes as long as the slowest.

In the loop: beside joints that follow one by one (motors.py). The slowest joint keeps its limits;
of every other the share is looked for, from the bracket that every try narrows. A plan that is
followed is planned again as itself: shares stay while the arrival is the expected one, and are
found anew at every corner of the set-points. A joint that never arrives holds none back. As in
loop/robots/coordinated.py, but of limits for each joint and not for lengths of vectors. Ours.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.layout import AXES, JOINTS
from softdock.loop.robots.coordinated import EXPECTED, LEAST_SHARE, NEVER, TOGETHER
from softdock.loop.robots.interception import intercepting_profile

ROUNDS = 16
POWER = 1.5  # a first guess: the time falls as share^(-1/1.5) where acceleration and jerk limit


@noinline
def joint_profile(s, arm, jerk, i, dt, share):
    """The fastest way of joint i to its set-point within a share of its limits."""
    rate = s.target_rate[i]
    return intercepting_profile(
        p0=s.q[i],
        v0=s.rate[i],
        a0=s.acceleration[i],
        pf=s.target[i] - dt * rate,
        vf=rate,
        vmax=arm.speed[i],
        amax=share * arm.acceleration[i],
        jmax=share * jerk,
    )


@noinline
def _find_share(s, arm, jerk, i, dt, time):
    """The share with which joint i takes `time`."""
    low, high, share = LEAST_SHARE, 1.0, 1.0
    for _ in range(ROUNDS):
        duration = joint_profile(s, arm, jerk, i, dt, share).duration
        if abs(duration - time) <= TOGETHER * time:
            break
        if duration < time:
            high = share
        else:
            low = share
        better = share * (duration / time) ** POWER if duration < NEVER else low
        share = better if low < better and better < high else math.sqrt(low * high)
    return share


@compiled
def _latest(s, arm, jerk, dt):
    """The latest arrival of the joints that arrive, with the shares that they have [s]."""
    latest = 0.0
    for i in range(1, AXES):
        duration = joint_profile(s, arm, jerk, i, dt, s.shares[i - 1]).duration
        if latest < duration and duration < NEVER:
            latest = duration
    return latest


@noinline
def share_joint_limits(s, arm, jerk, dt):
    """Shares of all joints into the arm's state."""
    if s.expected > 0.0:
        latest = _latest(s, arm, jerk, dt)
        if latest <= dt or abs(latest - s.expected) <= EXPECTED * s.expected:
            s.expected = max(latest - dt, 0.0)
            return
    for j in range(JOINTS):
        s.shares[j] = 1.0
    time = _latest(s, arm, jerk, dt)
    for i in range(1, AXES):
        duration = joint_profile(s, arm, jerk, i, dt, 1.0).duration
        if duration > 0.0 and duration < (1.0 - TOGETHER) * time:
            s.shares[i - 1] = _find_share(s, arm, jerk, i, dt, time)
    s.expected = max(_latest(s, arm, jerk, dt) - dt, 0.0)
