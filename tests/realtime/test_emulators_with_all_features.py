"""Emulated robots that lag, and a sensor that carries a mock-up: softdock's own models in them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from plain import run_plain


def test_a_lagging_robot_and_a_heavy_mock_up():
    """A step of 4 mm: the robot follows the lag's curve, the sensor reads weight at rest, weight
    and inertia on the way. Plain Python in a process of its own (see every_feature.py)."""
    done = run_plain(Path(__file__).with_name("every_feature.py").read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    path, forces = np.array(found["path"]), np.array(found["forces"]) / 1e6
    # the set-point of tick 1 acts 16 ms later; from tick 1 to tick 2 the set-points stand still
    t = 4e-3 * (np.arange(250) - 1) - 16e-3
    w = 2.0 * np.pi * 5.0
    wanted = np.where(t > 0.0, 4.0 * (1.0 - (1.0 + w * t) * np.exp(-w * t)), 0.0)
    # the ramp between two set-points (4 ms) comes before the step that the formula has
    assert path == pytest.approx(wanted, abs=4.0 * w * 4e-3)
    assert path[-1] == pytest.approx(4.0, abs=1e-3)
    weight = [0.0, 0.0, -98.1]
    for force in (forces[0], forces[-1]):
        assert force[:3] == pytest.approx(weight, abs=0.05)
        assert force[4] == pytest.approx(0.1 * 98.1, abs=0.01)  # torque of the tool's centre
    # inertia: the mean over the motion is the weight, since it begins and ends at rest
    assert forces[:, 2].mean() == pytest.approx(-98.1, abs=0.1)
    assert np.ptp(forces[:, 2]) > 1.0
