"""Orbit beside a run: a loop without delay is near it, and the distance from it is what it
says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from orbit_cases import flown
from scenarios import epos_wall, sphere_on_sphere

from softdock import build, simulate
from softdock.reference import run_reference
from softdock.results.criteria import compute_criteria
from softdock.results.fidelity import compare_with_reference, compute_distance, compute_fidelity
from softdock.results.momenta import read_mass_properties
from softdock.scenario.files import load_scenario

# --- the loop without its faults is orbit ---


@pytest.mark.parametrize("preset", ["lange_cone", "epos_3d"])
def test_loop_without_delay_is_near_orbit(preset):
    """No delay, no noise, the newest sample, symplectic Euler at 4 ms: energy to 0.1 %, contacts
    within 10 ms of orbit's.

    With `handover = "mean"`, as EPOS has it, a sample is 1.5 ms older on average, and 0.4 % of
    energy comes in.
    """
    ideal = {
        "robots.chaser.delay_ms": 0.0,
        "robots.target.delay_ms": 0.0,
        "sensor.noise_N": 0.0,
        "sensor.handover": "latest",
    }
    scenario = load_scenario(preset, ideal | {"satellites.integrator": "symplectic_euler"})
    run, reference = simulate(scenario), run_reference(scenario, record=False)
    assert run.ledger["kinetic"] == pytest.approx(run.ledger["kinetic_start"], rel=1e-3)
    assert len(run.contacts) == len(reference.contacts)
    for loop, wanted in zip(run.contacts, reference.contacts, strict=True):
        assert loop["start_s"] == pytest.approx(wanted["start_s"], abs=0.01)
        assert loop["end_s"] == pytest.approx(wanted["end_s"], abs=0.01)


# --- fidelity ---


def test_fidelity_of_a_delayed_run_in_one_dimension():
    """On one axis everything follows from e: energy e^2, distance e - 1, and orbit's own e is 1."""
    scenario = build(epos_wall(delay_ms=16.0))
    run, reference = simulate(scenario), run_reference(scenario)
    found = compare_with_reference(run, reference, compute_criteria(run))
    e = run.restitution
    assert e > 1.1
    assert found["energy_ratio"] == pytest.approx(e * e, rel=1e-9)
    assert found["energy_ratio_orbit"] == pytest.approx(1.0, abs=1e-9)
    assert found["energy_error_J"] == pytest.approx(0.5 * 63.0 * 0.02**2 * (e * e - 1.0), rel=1e-6)
    assert found["error_against_orbit"] == pytest.approx(e - 1.0, rel=1e-6)
    assert math.isnan(found["linear_momentum_error_Ns"])


def test_distance_is_zero_at_orbit_and_blind_to_the_frame():
    """Orbit is at distance 0 from itself, and a common velocity of the pair changes nothing."""
    _, bodies, start, end = flown(sphere_on_sphere(), record=False)
    found = compute_fidelity(bodies, start, end, end)
    assert found["error_against_orbit"] == 0.0
    assert found["energy_ratio"] == pytest.approx(1.0, abs=1e-9)
    assert found["angular_momentum_error_Nms"] < 1e-12
    other = end.copy()
    other[0, 7:10] += [0.01, 0.0, 0.0]
    before = compute_distance(bodies, 1.0, other, end)
    for motions in (start, other, end):
        motions[:, 7:10] += [0.3, -0.2, 0.1]
    assert compute_distance(bodies, 1.0, other, end) == pytest.approx(before, rel=1e-9)


def test_tumbling_bodies_are_compared_by_momentum():
    """The same tumble seen a second later is no distance, though its rates have wandered."""
    tables = sphere_on_sphere(duration_s=2.0) | {"contact": []}
    tables["chaser"]["rate_rad_per_s"] = [1.0, 0.5, -0.8]
    scenario = build(tables)
    early, late = run_reference(scenario.replace({"time.duration_s": 1.0})), run_reference(scenario)
    assert np.abs(early.chaser[10:13] - late.chaser[10:13]).max() > 0.01
    bodies = read_mass_properties(scenario.vector)
    ends = [np.stack([o.chaser, o.target]) for o in (early, late)]
    assert compute_distance(bodies, 1.0, ends[0], ends[1]) < 1e-9
