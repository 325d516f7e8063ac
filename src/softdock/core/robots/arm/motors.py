"""The motors of an arm over one step of the plant: how joints follow their delayed set-points.

    stiff     the joints are where the delayed joint set-point is
    lag       each with a second-order lag: q'' = w^2 (u - q) - 2 zeta w q', exact for u linear over
              a step, w and zeta of each joint
    limited   each intercepts its set-point in the shortest time within the arm's own limits of
              speed and acceleration, and a limit of jerk (robots/interception.py)

The base axis (slot 0) is always stiff. Delay, jitter and dropouts are those of every robot
(robots/delay.py), in joint space: X(t - h(t)) with X the curve through the joint set-points.
"""

from __future__ import annotations

from softdock.core.arms.forward import first_axis
from softdock.core.arms.layout import AT, AXES, JOINTS
from softdock.core.machine.compiled import apart, compiled
from softdock.core.optional_limits import or_no_limit
from softdock.core.robots.arm.layout import PLACED_FLOATS, STATE_AT, S, arm_at
from softdock.core.robots.arm.set_points import joints_at
from softdock.core.robots.arm.tip import mock_up_at
from softdock.core.robots.arm.words import FOLLOWS, arm_words, linear_arm
from softdock.core.robots.arm_keys import JOINTS_LAG, JOINTS_LIMITED
from softdock.core.robots.delay import delay_at
from softdock.core.robots.interception import advance_profile, intercepting_profile
from softdock.core.robots.keys import ROBOT
from softdock.core.robots.memory import ROBOT_STATE
from softdock.core.robots.model import RobotModel
from softdock.core.spatial.oscillator import free_response
from softdock.core.spatial.vectors import scale, store3, subtract

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


@apart
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


@apart
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


@apart
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
