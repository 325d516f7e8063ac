"""The virtual contact of the method hybrid, predicted: to go to tests/golden/ once the method is
there."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall

import softdock
from softdock.studies.stability import loops_of
from softdock.studies.stability.impact_restitution import simulate_impacts


@pytest.mark.parametrize("contact", ["one_sided", "pull"])
@pytest.mark.parametrize(
    ("pose", "pose_delay_ms"), [("measured", 0.0), ("measured", 16.0), ("simulated", 0.0)]
)
@pytest.mark.parametrize(
    ("stiffness", "within"), [(0.0, 1e-10), (200.0, 1e-4)]
)  # a virtual spring starts half a cycle early: the method's onset
def test_a_hybrid_run_gives_back_what_was_predicted(
    contact, pose, pose_delay_ms, stiffness, within
):
    """Virtual damping and stiffness on the measured, late, or simulated pose are those of the loop
    that runs."""
    gains = {"stiffness_N_per_m": [stiffness, 0.0, 0.0], "damping_Ns_per_m": [30.0, 0.0, 0.0]}
    tables = epos_wall(phase=0.3) | {
        "pose": {"delay_ms": pose_delay_ms},
        "methods": [{"name": "hybrid", "pose": pose, "contact": contact, **gains}],
    }
    scenario = softdock.build(tables)
    (point,) = loops_of(scenario)
    assert softdock.run_loop(scenario).restitution == pytest.approx(
        float(simulate_impacts(point.loop, np.array([0.3]))[0]), abs=within
    )
