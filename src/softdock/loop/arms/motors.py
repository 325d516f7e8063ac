"""The motors of an arm over one step of the plant: how joints follow their delayed set-points.

    stiff     the joints are where the delayed joint set-point is
    lag       each with a second-order lag: q'' = w^2 (u - q) - 2 zeta w q', exact for u linear over
              a step, w and zeta of each joint
    limited   each intercepts its set-point in the shortest time within the arm's own limits of
              speed and acceleration, and a limit of jerk (loop/robots/interception.py); one by
              one, or so that all arrive together (joints_together.py)

The base axis (slot 0) is always stiff. Delay, jitter and dropouts are those of every robot
(loop/robots/delay.py), in joint space: X(t - h(t)) with X the curve through the joint set-points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.forward import first_axis
from softdock.loop.arms.joints_together import joint_profile, share_joint_limits
from softdock.loop.arms.layout import AXES, JOINTS
from softdock.loop.arms.robot_layout import arm_state, placed_arm
from softdock.loop.arms.set_points import interpolate_joints
from softdock.loop.arms.tip import compute_mock_up
from softdock.loop.optional_limits import or_no_limit
from softdock.loop.robots.arm_keys import JOINTS_LAG, JOINTS_LIMITED
from softdock.loop.robots.delay import delay_at
from softdock.loop.robots.interception import advance_profile
from softdock.loop.robots.keys import ROBOT
from softdock.loop.robots.memory import store_accelerations
from softdock.loop.robots.model import Linear, RobotModel
from softdock.loop.spatial.oscillator import free_response

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier, RobotParams
    from softdock.loop.spatial.motion import Motion

# What the analyses use of an arm: its linear part, and what they leave out.

FOLLOWS = "joints of its arm"
RIGID = "the arm is analysed as an ideal robot along the contact: no joint, no direction"
ALIKE = "every joint lags alike, so the arm is analysed as one lag in every direction"
SLOWEST = "its joints lag differently; the slowest is taken for every direction"
LIMITED = "the joints' limits are left out: within them the arm is a pure delay, beyond it is worse"
ELASTIC = "its elastic joints are left out: the arm is analysed as rigid"


def frequencies(robot: Mapping[str, Any]) -> list[float]:
    """The lag of each joint [Hz]."""
    given = robot["joint_lag_Hz"]
    return [float(v) for v in given] if isinstance(given, list | tuple) else [float(given)] * 6


def linear_arm(robot: Mapping[str, Any]) -> Linear:
    """A lag in the joints is the same lag of the tip where all joints have it; else the slowest."""
    elastic = f"; {ELASTIC}" if robot["elastic_joints"] else ""
    if robot["joints"] == "lag":
        lags = frequencies(robot)
        said = ALIKE if max(lags) == min(lags) else SLOWEST
        zeta = float(robot["joint_lag_damping_ratio"])
        return Linear(2.0 * math.pi * min(lags), zeta, said + elastic)
    said = LIMITED if robot["joints"] == "limited" else RIGID
    return Linear(left_out=said + elastic)


def arm_words(robot: Mapping[str, Any]) -> str:
    """What the joints do, in words."""
    words = {"stiff": "stiff", "limited": "within the arm's limits"}
    how = words.get(robot["joints"], "")
    if robot["joints"] == "limited" and robot["joints_together"]:
        how += ", together"
    if robot["joints"] == "lag":
        lags = frequencies(robot)
        ends = dict.fromkeys(f"{v:g}" for v in (min(lags), max(lags)))
        how = f"lag of {' to '.join(ends)} Hz"
    return f"{how}, elastic" if robot["elastic_joints"] else how


TURN = 6.283185307179586  # rad


@compiled
def delay_joints(robot: RobotParams, carrier: Carrier, mem, t, q, rate):
    """The joint set-point as it reaches the robot at time t [s], into `q` and `rate`."""
    delay, change = delay_at(robot, carrier.chance, t, carrier.T)
    interpolate_joints(robot.interpolation, carrier, mem, (t - delay) / carrier.T, q, rate)
    if change != 0.0:
        for i in range(AXES):
            rate[i] *= 1.0 - change


@compiled
def _set_axis(s, i, dt):
    """One axis where its set-point is; the acceleration is a mean over the step."""
    v = s.target_rate[i]
    s.acceleration[i] = (v - s.rate[i]) / dt
    s.q[i] = s.target[i]
    s.rate[i] = v


@noinline
def _follow_with_lag(s, keys, dt):
    """Joints 1 to 6 behind their set-points, which go from `before` to `target`."""
    zeta, last = keys.joint_zeta_lag, 0.0
    ee, er, re, rr = 0.0, 0.0, 0.0, 0.0
    for j in range(JOINTS):
        w, i = TURN * keys.joint_lag[j], j + 1
        if w != last:  # most arms have one lag for all
            ee, er, re, rr = free_response(w, zeta, dt)
            last = w
        u0, u1 = s.before[i], s.target[i]
        rate = (u1 - u0) / dt
        behind = 2.0 * zeta / w * rate  # where a ramp would be followed
        e, r = s.q[i] - u0 + behind, s.rate[i] - rate
        v = rate + re * e + rr * r
        s.acceleration[i] = (v - s.rate[i]) / dt
        s.q[i] = u1 - behind + ee * e + er * r
        s.rate[i] = v


@noinline
def _follow_within_limits(s, arm, jerk, dt, together):
    """Joints 1 to 6 on their fastest way to their set-points, each or together."""
    if together:
        share_joint_limits(s, arm, jerk, dt)
    for i in range(1, AXES):
        x, v, a = s.q[i], s.rate[i], s.acceleration[i]
        profile = joint_profile(s, arm, jerk, i, dt, s.shares[i - 1] if together else 1.0)
        s.q[i], s.rate[i], s.acceleration[i] = advance_profile(profile, x, v, a, dt)


@noinline
def move_motors(vector, carrier: Carrier, robot: RobotParams, mem, t0, t1):
    """The motors from t0 to t1 [s], in `mem`."""
    s, base, dt = arm_state(mem, carrier.state), carrier.follower.at, t1 - t0
    keys, arm = ROBOT(vector, base), placed_arm(vector, base).arm
    for i in range(AXES):
        s.was[i] = s.q[i]
    if keys.joints == JOINTS_LAG:
        delay_joints(robot, carrier, mem, t0, s.before, s.target_rate)
    delay_joints(robot, carrier, mem, t1, s.target, s.target_rate)
    if first_axis(arm) == 0:
        _set_axis(s, 0, dt)
    if keys.joints == JOINTS_LAG:
        _follow_with_lag(s, keys, dt)
    elif keys.joints == JOINTS_LIMITED:
        together = keys.joints_together != 0.0
        _follow_within_limits(s, arm, or_no_limit(keys.joint_jerk), dt, together)
    else:
        for i in range(1, AXES):
            _set_axis(s, i, dt)


@compiled
def _follow(vector, carrier: Carrier, robot: RobotParams, mem, motion: Motion, t0, t1):
    """The mock-up (behind elastic joints: where the motors would hold it) at t1."""
    move_motors(vector, carrier, robot, mem, t0, t1)
    s, placed = arm_state(mem, carrier.state), placed_arm(vector, carrier.follower.at)
    after = compute_mock_up(placed, s.work, s.q, s.rate)
    if carrier.heavy:
        store_accelerations(mem, carrier.state, t1 - t0, motion, after)
    return after


ARM_ROBOT = RobotModel(
    "arm", follow=_follow, words=FOLLOWS, linear=linear_arm, size=arm_words, is_arm=True
)
