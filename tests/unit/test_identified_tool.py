"""Mass, centre and bias of a tool from a log, what a compensation missed, and what cannot be
told."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
from identified import NOISE, off_by, wall_run

from softdock import run_loop
from softdock.results.run import Run
from softdock.scenario.build import build
from softdock.studies.identify import identify
from softdock.studies.identify.log import read_log
from softdock.studies.identify.tool import identify_tool

CENTRE, SENSOR = (0.1, -0.05, 0.2), (-0.1, 0.0, 0.05)  # m
BIAS_N, BIAS_NM = (0.5, -0.3, 0.2), (0.02, -0.01, 0.03)


@functools.cache
def calibration(
    mass: float = 10.0, rate: float = 0.25, believed: float = 0.0, noise_N: float = 0.25
) -> Run:
    """A tool turned slowly in free motion, its weight not compensated (or `believed` kg of it)."""
    heavy = {
        "mass_kg": mass,
        "centre_m": list(CENTRE),
        "inertia_kg_m2": [0.3, 0.4, 0.5],
        "sensor_m": list(SENSOR),
    }
    return run_loop(
        build(
            {
                "time": {"cycle_ms": 4.0, "duration_s": 12.0},
                "chaser": {
                    "mass_kg": 3000.0,
                    "inertia_kg_m2": [5000.0, 6000.0, 7000.0],
                    "rate_rad_per_s": [rate, 0.6 * rate, -0.4 * rate],
                },
                "target": {
                    "fixed": True,
                    "mass_kg": 100.0,
                    "inertia_kg_m2": [10.0, 10.0, 10.0],
                    "position_m": [100.0, 0.0, 0.0],
                },
                "robots": {"chaser": {"delay_ms": 16.0}, "target": {"delay_ms": 16.0}},
                "sensor": NOISE
                | {"noise_N": noise_N, "bias_N": list(BIAS_N), "bias_Nm": list(BIAS_NM)},
                "mock_up": {
                    "chaser": heavy
                    | {"believed": {"mass_kg": believed, "inertia_kg_m2": [0.0, 0.0, 0.0]}}
                },
            }
        )
    )


def test_tool_mass_centre_and_bias():
    """Ten kilograms within 1 % (and all within four uncertainties) although 0.25 N of noise and a
    bias are on the readings."""
    tool = identify(calibration(), tool_only=True).tools["chaser"]
    assert tool.mass.value == pytest.approx(10.0, rel=0.01)
    assert abs(off_by(tool.mass, 10.0)) < 4.0
    torque = np.array(BIAS_NM) + np.cross(SENSOR, BIAS_N)  # about the satellite's centre of mass
    for estimate, truth in (
        (tool.centre, CENTRE),
        (tool.bias_force, BIAS_N),
        (tool.bias_torque, torque),
    ):
        assert np.all(
            np.abs(np.array(estimate.value) - truth) < 4.0 * np.array(estimate.uncertainty)
        )
    assert max(tool.centre.uncertainty) < 0.01


def test_what_a_compensation_missed():
    """With 9.9 of 10 kg compensated the log holds the 0.1 kg that is left."""
    tool = identify(calibration(believed=9.9), tool_only=True).tools["chaser"]
    assert abs(off_by(tool.mass, 0.1)) < 4.0
    assert tool.mass.uncertainty < 0.01


def test_a_tool_that_does_not_turn_cannot_be_told_from_a_bias():
    """No mass, no bias, but their sum and the reason."""
    tool = identify(wall_run(sensor=NOISE | {"bias_N": [0.05, 0.0, 0.0]})).tools["chaser"]
    assert tool.mass is None
    assert tool.bias_force is None
    assert "cannot be separated" in tool.note
    assert tool.reading.value[0] == pytest.approx(0.05, abs=4.0 * tool.reading.uncertainty[0])


def test_no_weight_is_said_to_be_none():
    """A turning sensor without a tool: mass zero within its uncertainty, no centre, the bias
    found."""
    tool = identify(calibration(mass=0.0), tool_only=True).tools["chaser"]
    assert abs(tool.mass.value) < 4.0 * tool.mass.uncertainty + 0.01
    assert tool.centre is None
    assert np.all(
        np.abs(np.array(tool.bias_force.value) - BIAS_N)
        < 4.0 * np.array(tool.bias_force.uncertainty)
    )


def test_readings_that_are_left_out_one_after_the_other():
    """Each jolt hides the next smaller one: the fit is of the readings that are left, however many
    rounds that takes."""
    log = read_log(calibration().series)
    for jolts in range(1, 7):
        force = log.force["chaser"].copy()
        force[500 : 500 + jolts, 0] += 5.0 * 30.0 ** np.arange(jolts)
        shaken = replace(log, force={"chaser": force})
        free = np.ones(len(log.time), dtype=bool)
        tool = identify_tool(shaken, "chaser", 0.016, 9.81, free)
        assert tool.mass.value == pytest.approx(10.0, rel=0.01)
