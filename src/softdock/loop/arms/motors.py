"""The motors of an arm over one step of the plant: how joints follow their delayed set-points.

    stiff     the joints are where the delayed joint set-point is
    lag       each with a second-order lag: q'' = w^2 (u - q) - 2 zeta w q', exact for u linear over
              a step, w and zeta of each joint
    limited   each intercepts its set-point in the shortest time within the arm's own limits of
              speed and acceleration, and a limit of jerk (loop/robots/interception.py)

The base axis (slot 0) is always stiff. Delay, jitter and dropouts are those of every robot
(loop/robots/delay.py), in joint space: X(t - h(t)) with X the curve through the joint set-points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.forward import first_axis
from softdock.loop.arms.layout import AT, AXES, JOINTS
from softdock.loop.arms.robot_layout import PLACED_FLOATS, STATE_AT, S, arm_at
from softdock.loop.arms.set_points import joints_at
from softdock.loop.arms.tip import mock_up_at
from softdock.loop.optional_limits import or_no_limit
from softdock.loop.robots.arm_keys import JOINTS_LAG, JOINTS_LIMITED
from softdock.loop.robots.delay import delay_at
from softdock.loop.robots.interception import advance_profile, intercepting_profile
from softdock.loop.robots.keys import ROBOT
from softdock.loop.robots.memory import ROBOT_STATE
from softdock.loop.robots.model import Linear, RobotModel
from softdock.loop.spatial.oscillator import free_response
from softdock.loop.spatial.vectors import scale, store3, subtract

# What the analyses are told of an arm: its linear part, and what they leave out.

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
    if robot["joints"] == "lag":
        lags = frequencies(robot)
        ends = dict.fromkeys(f"{v:g}" for v in (min(lags), max(lags)))
        how = f"lag of {' to '.join(ends)} Hz"
    return f"{how}, elastic" if robot["elastic_joints"] else how


KEY, MOVING = ROBOT.at, ROBOT_STATE.at
TURN = 6.283185307179586  # rad


@compiled
def delayed_joints(robot, carrier, mem, t, q_at, rate_at):
    """The joint set-point as it reaches the robot at time t [s], into `mem`."""
    delay, rate = delay_at(robot, carrier.chance, t, carrier.T)
    joints_at(robot.interpolation, carrier, mem, (t - delay) / carrier.T, q_at, rate_at)
    if rate != 0.0:
        for i in range(AXES):
            mem[rate_at + i] *= 1.0 - rate


@compiled
def _at_once(mem, at, i, dt):
    """One axis where its set-point is; the acceleration is a mean over the step."""
    v = mem[at + S.target_rate + i]
    mem[at + S.acceleration + i] = (v - mem[at + S.rate + i]) / dt
    mem[at + S.q + i] = mem[at + S.target + i]
    mem[at + S.rate + i] = v


@noinline
def _lag(mem, at, vector, base, dt):
    """Joints 1 to 6 behind their set-points, which go from `before` to `target`."""
    zeta, last = vector[base + KEY.joint_zeta_lag], 0.0
    ee, er, re, rr = 0.0, 0.0, 0.0, 0.0
    for j in range(JOINTS):
        w, i = TURN * vector[base + KEY.joint_lag + j], j + 1
        if w != last:  # most arms have one lag for all
            ee, er, re, rr = free_response(w, zeta, dt)
            last = w
        u0, u1 = mem[at + S.before + i], mem[at + S.target + i]
        rate = (u1 - u0) / dt
        behind = 2.0 * zeta / w * rate  # where a ramp would be followed
        e, r = mem[at + S.q + i] - u0 + behind, mem[at + S.rate + i] - rate
        v = rate + re * e + rr * r
        mem[at + S.acceleration + i] = (v - mem[at + S.rate + i]) / dt
        mem[at + S.q + i] = u1 - behind + ee * e + er * r
        mem[at + S.rate + i] = v


@noinline
def _within_limits(mem, at, arm, jerk, dt):
    """Joints 1 to 6 on their fastest way to their set-points."""
    for i in range(1, AXES):
        x, v, a = mem[at + S.q + i], mem[at + S.rate + i], mem[at + S.acceleration + i]
        u, rate = mem[at + S.target + i], mem[at + S.target_rate + i]
        profile = intercepting_profile(
            p0=x,
            v0=v,
            a0=a,
            pf=u - dt * rate,
            vf=rate,
            vmax=arm[AT.speed + i],
            amax=arm[AT.acceleration + i],
            jmax=jerk,
        )
        x, v, a = advance_profile(profile, x, v, a, dt)
        mem[at + S.q + i], mem[at + S.rate + i], mem[at + S.acceleration + i] = x, v, a


@noinline
def move_motors(vector, carrier, robot, mem, t0, t1):
    """The motors from t0 to t1 [s], in `mem`."""
    at, base, dt = carrier.state + STATE_AT, carrier.follower.at, t1 - t0
    first, model = arm_at(vector, base), vector[base + KEY.joints]
    arm = vector[first : first + PLACED_FLOATS]
    for i in range(AXES):
        mem[at + S.was + i] = mem[at + S.q + i]
    if model == JOINTS_LAG:
        delayed_joints(robot, carrier, mem, t0, at + S.before, at + S.target_rate)
    delayed_joints(robot, carrier, mem, t1, at + S.target, at + S.target_rate)
    if first_axis(arm) == 0:
        _at_once(mem, at, 0, dt)
    if model == JOINTS_LAG:
        _lag(mem, at, vector, base, dt)
    elif model == JOINTS_LIMITED:
        _within_limits(mem, at, arm, or_no_limit(vector[base + KEY.joint_jerk]), dt)
    else:
        for i in range(1, AXES):
            _at_once(mem, at, i, dt)


@compiled
def _follow(vector, carrier, robot, mem, motion, t0, t1):
    """The mock-up (behind elastic joints: where the motors would hold it) at t1."""
    move_motors(vector, carrier, robot, mem, t0, t1)
    first, at, dt = arm_at(vector, carrier.follower.at), carrier.state + STATE_AT, t1 - t0
    arm = vector[first : first + PLACED_FLOATS]
    after = mock_up_at(arm, mem, carrier.state, at + S.q, at + S.rate)
    if carrier.heavy:
        state = carrier.state
        store3(mem, state + MOVING.acceleration, scale(1.0 / dt, subtract(after.v, motion.v)))
        store3(mem, state + MOVING.turning, scale(1.0 / dt, subtract(after.w, motion.w)))
    return after


ARM_ROBOT = RobotModel(
    "arm", follow=_follow, words=FOLLOWS, linear=linear_arm, size=arm_words, is_arm=True
)
