"""A capture at a docked pose of the user's own: of a set of tips against a ring, whose middle is
far from every surface."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock import build, run_loop
from softdock.errors import BadInput
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns

WITHIN, TILT = 0.004, 2.0  # m, deg
RADIUS = 0.1  # m, of the ring's middle and of the tips' circle


def at_rest(across=0.0, degrees=0.0, about=(0.0, 1.0, 0.0), speed=0.0, **capture):
    """A ring of tips before a ring, at rest or drifting, without touching."""
    body = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]}
    half = 0.5 * math.radians(degrees)
    attitude = [math.cos(half), *(math.sin(half) * np.array(about))]
    arm = 0.5 * (np.array([math.cos(2.0 * half), 0.0, -math.sin(2.0 * half)]))  # about y
    if about == (1.0, 0.0, 0.0):
        arm = np.array([0.5, 0.0, 0.0])
    turns = 2.0 * math.pi * np.arange(12) / 12
    rows = [[0.0, RADIUS * math.cos(a), RADIUS * math.sin(a), 0.005, 1.0] for a in turns]
    return {
        "time": {"cycle_ms": 2.0, "duration_s": 0.05},
        "chaser": {
            **body,
            "position_m": list(np.array([-0.52, across, 0.0]) - arm),
            "attitude_wxyz": [float(x) for x in attitude],
            "velocity_m_per_s": [0.0, 0.0, speed],
        },
        "target": {**body, "fixed": True},
        "capture": {
            "for_s": 0.01,
            "within_m": WITHIN,
            "below_m_per_s": 0.01,
            "seat": "place",
            "place_m": [-0.52, 0.0, 0.0],
            "within_deg": TILT,
            **capture,
        },
        "contact": [
            {
                "geometry": "ring",
                "tip_m": [0.5, 0.0, 0.0],
                "tips": rows,
                "origin_m": [-0.5, 0.0, 0.0],
                "axis": [-1.0, 0.0, 0.0],
                "outer_radius_m": RADIUS + 0.01,
                "inner_radius_m": RADIUS - 0.01,
                "length_m": 0.02,
                "real": {"stiffness_N_per_m": 1e4},
            }
        ],
    }


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, True),
        ({"across": 0.9 * WITHIN}, True),
        ({"across": 1.1 * WITHIN}, False),
        ({"degrees": 0.9 * TILT}, True),
        ({"degrees": 1.1 * TILT}, False),
        ({"degrees": 1.1 * TILT, "about": (1.0, 0.0, 0.0)}, False),
        ({"degrees": 1.1 * TILT, "within_deg": 180.0}, True),
        ({"degrees": 1.1 * TILT, "attitude_wxyz": [0.99981573, 0.0, 0.01919744, 0.0]}, True),
        ({"speed": 0.02}, False),
    ],
)
def test_a_pose_within_the_limits_is_captured(changes, wanted):
    run = run_loop(build(at_rest(**changes)))
    assert run.contact_count == 0
    assert math.isfinite(run.reached.captured_at_s) is wanted


def test_a_batch_says_the_same():
    across = np.array([0.0, 0.9, 1.1]) * WITHIN
    batch = run_cpu(*make_columns(build(at_rest()), {"chaser.position_m.1": across}), threads=1)
    assert np.isfinite(batch.column("captured_at_s")).tolist() == [True, True, False]


def test_a_latch_engages_at_the_place():
    latch = {"place_m": [-0.52, 0.0, 0.0], "real": {"stiffness_N_per_m": [1e3, 1e3, 1e3]}}
    across = np.array([0.0, 1.1]) * WITHIN
    scenario = build(at_rest(latch=[latch]))
    batch = run_cpu(*make_columns(scenario, {"chaser.position_m.1": across}), threads=1)
    assert np.isfinite(batch.column("latched_at_s")).tolist() == [True, False]
    with pytest.raises(BadInput, match=r"within 0\.004 m of the seat.*this one is 10 mm from it"):
        build(at_rest(latch=[{**latch, "place_m": [-0.51, 0.0, 0.0]}]))


def test_a_set_of_tips_needs_a_place():
    tables = at_rest()
    tables["capture"] = {"for_s": 0.01}
    with pytest.raises(BadInput, match=r'capture\.seat: given .shape.; allowed: "place", with'):
        build(tables)
