"""G_r of Lange's (7) and (10): elastic joints that bend under weight, against K^-1 G with G from
differences of the potential energy, by forward kinematics written here."""

from __future__ import annotations

import json

import pytest
from plain import run_plain

PLAIN = """
import json
import numpy as np
from arm_cases import ELASTIC, bump
from softdock import simulate
from softdock.loop.arms.sources import load_arm

arm = load_arm("kr16")
of = lambda name, width=1: arm.of_axes(name, width)[1:]
offsets = arm.of_axes("offsets", 3)
G = np.array([0.0, 0.0, -9.81])


def turn(axis, angle):
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def potential(q):
    p, R, energy = offsets[0].copy(), np.eye(3), 0.0
    for i in range(6):
        p = p + R @ offsets[1 + i]
        R = R @ turn(of("directions", 3)[i], q[i])
        energy -= of("mass")[i] * G @ (p + R @ of("centre", 3)[i])
    return energy


def torques(q):
    steps = 1e-5 * np.eye(6)
    return np.array([(potential(q + h) - potential(q - h)) / 2e-5 for h in steps])


def flown(**keys):
    tables = bump(ELASTIC | keys, seconds=0.12)
    tables["chaser"]["position_m"] = [-2.02, 0.0, 0.0]  # it flies by 20 mm and touches nothing
    tables["chaser"]["velocity_m_per_s"] = [-0.1, 0.0, 0.05]
    return simulate(tables)


run, K = flown(weight_acts=True), of("stiffness")
s = run.series
motors, links = s["joints.chaser.motor"], s["joints.chaser.position"]
bent = motors - links
errors = [np.abs(K * bent[i] - torques(links[i])).max() for i in (0, 15, -1)]
largest = np.abs(torques(links[0])).max()
energy = {k: s[f"joints.chaser.energy.{k}"] for k in
          ("motor_work", "contact_work", "dissipated", "stored", "kinetic")}
gain = {k: v[-1] - v[0] for k, v in energy.items()}
residual = gain["stored"] + gain["kinetic"] - gain["motor_work"] - gain["contact_work"] + gain[
    "dissipated"]
stored = [0.5 * float(K @ b**2) + potential(q) for b, q in zip(bent[[0, -1]], links[[0, -1]])]
sag = s["mock_up.chaser.position"] - s["seen.chaser.position"]
without = flown().series
calm = without["mock_up.chaser.position"] - without["seen.chaser.position"]
print(json.dumps([largest, *errors, residual, gain["stored"], stored[1] - stored[0],
                  float(sag[0, 2]), float(np.abs(calm).max()), run.status]))
"""


def test_elastic_joints_bend_under_weight():
    """K (theta - q) = G(q), up to 407 Nm, at the start to 1e-6, on the way within what the motion
    adds; what is stored grows by elastic energy and the height of the masses, and equals motor work
    less losses; the mock-up hangs by 0.4 mm. Without the key weight is calibrated away."""
    done = run_plain(PLAIN)
    assert done.returncode == 0, done.stderr[-3000:]
    largest, start, later, end, residual, gain, expected, sag, calm, status = json.loads(
        done.stdout
    )
    assert status == "completed"
    assert start < 1e-6 * largest
    assert largest > 400.0
    assert max(later, end) < 1e-3 * largest
    assert abs(residual) < 1e-9 * abs(gain)
    assert gain == pytest.approx(expected, rel=1e-3)
    assert sag == pytest.approx(-4.1e-4, rel=0.01)
    assert calm < 0.01 * abs(sag)
