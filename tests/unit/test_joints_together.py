"""Joints of an arm that arrive together, and executable set-points with coordinated axes: in plain
Python, against closed forms and differences of what was sent."""

from __future__ import annotations

import json
import math

import pytest
from plain import run_plain

JOINTS = """
import json
import numpy as np
from softdock.loop.arms.joints_together import joint_profile, share_joint_limits
from softdock.loop.arms.layout import ARM
from softdock.loop.arms.robot_layout import ARM_STATE
from softdock.loop.arms.sources import load_arm
from softdock.loop.robots.interception import advance_profile

DT, JERK, CORNER = 0.004, 20.0, 1.0
arm = ARM(load_arm("kr16").vector, 0)
START = np.array([0.0, 0.05, -0.12, 0.3, 0.02, -0.4, 0.0])
early, late = np.array([0, 0.05, 0.0, -0.1, 0.2, 0.0, 0.1]), np.array([0, -0.1, 0.1, 0, 0, 0.3, 0])


def follow(together, early, late):
    s = ARM_STATE(np.zeros(ARM_STATE.size), 0)
    rows, most = [], 0.0
    for n in range(1, 500):
        t = n * DT
        for i in range(1, 7):
            s.target[i] = START[i] + early[i] * min(t, CORNER) + late[i] * max(t - CORNER, 0.0)
            s.target_rate[i] = (early if t <= CORNER else late)[i]
        if together:
            share_joint_limits(s, arm, JERK, DT)
        for i in range(1, 7):
            profile = joint_profile(s, arm, JERK, i, DT, s.shares[i - 1] if together else 1.0)
            x, v, a = s.q[i], s.rate[i], s.acceleration[i]
            s.q[i], s.rate[i], s.acceleration[i] = advance_profile(profile, x, v, a, DT)
            most = max(most, abs(s.acceleration[i]) / arm.acceleration[i])
        rows.append([abs(s.q[i] - s.target[i]) for i in range(1, 7)])
    off = np.array(rows) > 1e-9

    def arrivals(first, last):
        part = off[first:last]
        return [float(np.flatnonzero(row)[-1] + 2) * DT if row.any() else 0.0 for row in part.T]

    corner = round(CORNER / DT)
    return arrivals(0, corner), arrivals(corner, 499), most


still = np.zeros(7)
print(json.dumps({
    "rest": follow(True, still, still), "each": follow(False, still, still),
    "corner": follow(True, early, late), "corner_each": follow(False, early, late)}))
"""

SET_POINTS = """
import json
import numpy as np
from softdock import simulate
from scenarios import lange_impact

LIMITS = {"max_acceleration_m_per_s2": 0.5, "max_jerk_m_per_s3": 60.0}


def sent(robots, **method):
    scenario = lange_impact(0.0, 4.0, model="delay", delay_ms=0.0)
    scenario["robots"] = {body: dict(robots) for body in ("chaser", "target")}
    scenario["chaser"]["position_m"] = [-0.02, 0.0, 0.0]
    n = [-0.8, 0.6, 0.0]
    scenario["contact"] = [{"geometry": "wall", "axis": n, "real": {"stiffness_N_per_m": 5e4}}]
    scenario["time"] |= {"duration_s": 0.6, "plant_steps": 1}
    scenario["methods"] = [{"name": "remapping", **method}]
    run = simulate(scenario)
    v = run.series["command.chaser.velocity"]
    lengths = np.linalg.norm(np.diff(v, axis=0), axis=1) / 4e-3
    return run.series["mock_up.chaser.position"], float(lengths.max()), run.status


ideal = {"model": "delay", "delay_ms": 0.0}
executable = {"set_points": "executable", **LIMITS}
a, together, status = sent(ideal, coordinated=True, **executable)
b, alone, _ = sent(ideal, **executable)
c, _, _ = sent({"model": "limited", "coordinated": True, **LIMITS})
print(json.dumps([together, alone, float(np.abs(a - c).max()), float(np.abs(a - b).max()), status]))
"""


def answer(code):
    done = run_plain(code)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_joints_arrive_together_corners_included():
    """From rest to rest the slowest takes the closed form's time, (32 d / j)^(1/3), and the others
    arrive with it; so they do behind a set-point that moves on, and after its corner. Within 2 % or
    two steps; one by one they arrive over half that time. No limit is passed."""
    found = answer(JOINTS)
    slowest = (32.0 * 0.4 / 20.0) ** (1.0 / 3.0)
    together, each = found["rest"][0], found["each"][0]
    assert max(together) == pytest.approx(slowest, abs=0.008)
    assert [t for t in each if t] == pytest.approx(
        [
            math.ceil((32.0 * d / 20.0) ** (1.0 / 3.0) / 0.004) * 0.004
            for d in (0.05, 0.12, 0.3, 0.02, 0.4)
        ],
        abs=0.005,
    )
    for name, part in (("rest", 0), ("corner", 0), ("corner", 1)):
        times = [t for t in found[name][part] if t]
        assert max(times) - min(times) <= 0.02 * max(times) + 0.008
        assert found[name][2] <= 1.0 + 1e-9
    for part in (0, 1):
        times = [t for t in found["corner_each"][part] if t]
        assert max(times) - min(times) > 0.3 * max(times)
        assert max(found["corner"][part]) <= max(times) + 0.008


def test_executable_set_points_with_coordinated_axes():
    """After an oblique hit the satellite flies on around a corner: what is sent keeps the length of
    its acceleration within the limit, with one limit for each axis it is a fifth beyond; and it is
    what a robot with coordinated axes would do with the satellite's own motion."""
    together, alone, same, other, status = answer(SET_POINTS)
    assert status == "completed"
    assert together <= 0.5 * (1.0 + 1e-6)
    assert alone > 1.2 * 0.5
    assert same < 1e-9
    assert other > 1e-4
