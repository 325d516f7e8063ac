"""What a sensor remembers is its own, whatever the robots do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock import build, simulate

VARYING = {
    "delay_jitter_ms": 1.5,
    "delay_wobble_ms": 2.0,
    "delay_ramp_ms_per_s": 10.0,
    "dropout_probability": 0.1,
}


@pytest.mark.parametrize("key", VARYING)
def test_a_low_pass_remembers_beside_a_delay_that_varies(key):
    """A robot whose delay varies must not write over the sensor's state: every reading is the
    first-order low-pass of the true force, one sample a cycle."""
    robot = {"delay_ms": 16.0, key: VARYING[key]}
    if key == "delay_wobble_ms":
        robot["delay_wobble_Hz"] = 3.0
    tables = {
        "time": {"cycle_ms": 2.0, "duration_s": 0.8},
        "chaser": {
            "mass_kg": 63.0,
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "position_m": [0.002, 0.0, 0.0],
            "velocity_m_per_s": [-0.02, 0.0, 0.0],
        },
        "target": {"fixed": True, "mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]},
        "robots": {"chaser": robot, "target": {"delay_ms": 16.0}},
        "sensor": {"lowpass_Hz": 20.0},
        "contact": [
            {"geometry": "wall", "axis": [1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 5000.0}}
        ],
    }
    series = simulate(build(tables)).series
    true, read = (series[f"{what}.chaser.force"][:, 0] for what in ("true", "measured"))
    keep, filtered = math.exp(-2.0 * math.pi * 20.0 * 0.002), np.zeros(len(true))
    for i in range(1, len(true)):
        filtered[i] = keep * filtered[i - 1] + (1.0 - keep) * true[i]
    assert true.max() > 5.0
    assert np.abs(read - filtered).max() < 1e-9 * true.max()
