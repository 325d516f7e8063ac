"""A wall that is mounted at an angle nobody stated: `model_mediated` finds the tilt from the force
and the motion, and the satellites part as from the true wall, which the test reflects by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock import SimulatedFacility, drive, judge, load_scenario, run_reference
from softdock.methods.model_mediated.notes import list_doubts

V, MASS, STIFFNESS = 0.05, 120.0, 4000.0  # m/s, kg, N/m
RIG = {
    "methods": [{"name": "model_mediated"}],
    "chaser.mass_kg": MASS,
    "chaser.position_m": [0.02, 0.0, 0.0],
    "chaser.velocity_m_per_s": [-V, 0.0, 0.0],
    "contact.0.real.stiffness_N_per_m": STIFFNESS,
    "time.duration_s": 2.5,
}


def dock(tilt_deg: float, keys: dict, method: dict | None = None):
    """A rig whose wall is tilted about z, driven by a controller that believes it is not."""
    believed = RIG | keys
    if method is not None:
        believed = believed | {"methods": [{"name": "model_mediated"} | method]}
    c, s = math.cos(math.radians(tilt_deg)), math.sin(math.radians(tilt_deg))
    true = load_scenario("epos_1d", RIG | keys | {"contact.0.axis": [c, s, 0.0]})
    return drive(load_scenario("epos_1d", believed), SimulatedFacility(true)), np.array([c, s, 0.0])


def reflect(normal: np.ndarray) -> np.ndarray:
    """Velocity after a lossless contact without friction: its normal part is turned round."""
    before = np.array([-V, 0.0, 0.0])
    return before - 2.0 * (before @ normal) * normal


@pytest.mark.parametrize("tilt_deg", [-1.0, 0.3, 2.0])
def test_a_tilted_wall_is_found_and_reflects_as_it_should(tilt_deg):
    """Within 0.1 % of the approach speed, where a wall taken as declared is 1 to 7 % off."""
    run, normal = dock(tilt_deg, {})
    error = np.linalg.norm(run.series["chaser.velocity"][-1] - reflect(normal)) / V
    found = run.method_books["model_mediated"]
    assert found["contact_0_tilt_deg"] == pytest.approx(abs(tilt_deg), abs=0.01)
    assert found["contact_0_axis"] == pytest.approx(normal, abs=2e-4)
    assert error < 1e-3
    assert not list_doubts(found)
    declared, _ = dock(tilt_deg, {}, {"surface": False})
    off = np.linalg.norm(declared.series["chaser.velocity"][-1] - reflect(normal)) / V
    assert off > 0.9 * 2.0 * math.sin(math.radians(abs(tilt_deg)))


def test_friction_is_told_from_tilt():
    """A straight approach: friction turns its sign with the rebound, and the normal does not."""
    run, _ = dock(1.0, {"contact.0.real.friction": 0.2})
    found = run.method_books["model_mediated"]
    assert found["contact_0_tilt_deg"] == pytest.approx(1.0, abs=0.02)
    assert found["friction"] == pytest.approx(0.2, abs=0.01)


def test_a_wall_as_declared_is_left_as_it_is():
    """Under noise and with friction no tilt is believed, and the run is the same without the
    search."""
    keys = {"contact.0.real.friction": 0.2, "sensor.noise_N": 0.15}
    run, _ = dock(0.0, keys)
    assert "contact_0_tilt_deg" not in run.method_books["model_mediated"]
    without, _ = dock(0.0, keys, {"surface": False})
    assert (run.series["chaser.velocity"] == without.series["chaser.velocity"]).all()


def test_a_wall_nearer_than_declared_is_moved_to_where_it_was_felt():
    """A millimetre, found to two cycles' way (the force must matter first): no ledger, the speed
    after a lossless contact, and a line that says where."""
    true = load_scenario("epos_1d", RIG | {"contact.0.origin_m": [0.001, 0.0, 0.0]})
    run = judge(drive(load_scenario("epos_1d", RIG), SimulatedFacility(true)))
    found = run.method_books["model_mediated"]
    assert found["contacts_by_ledger"] == 0.0
    assert found["contact_0_moved_m"] == pytest.approx(0.001, abs=2.0 * V * 0.004)
    assert any("--set contact.0.origin_m=" in said for said in run.metrics["warnings"])
    velocity = run.series["chaser.velocity"][-1]
    assert velocity == pytest.approx(reflect(np.array([1.0, 0.0, 0.0])), abs=0.005 * V)


@pytest.mark.parametrize("farther", [0.0003, 0.0007])
def test_a_wall_farther_than_declared_is_found_by_its_law(farther):
    """No force at depths at which there should be one: the law that explains all samples has its
    surface there, to a hundredth of a millimetre, and nothing is doubted."""
    true = load_scenario("epos_1d", RIG | {"contact.0.origin_m": [-farther, 0.0, 0.0]})
    run = drive(load_scenario("epos_1d", RIG), SimulatedFacility(true))
    found = run.method_books["model_mediated"]
    assert found["contact_0_moved_m"] == pytest.approx(-farther, abs=1e-5)
    assert not list_doubts(found)
    velocity = run.series["chaser.velocity"][-1]
    assert velocity == pytest.approx(reflect(np.array([1.0, 0.0, 0.0])), abs=0.001 * V)


BALLS = {
    "contact.0.geometry": "sphere",
    "contact.0.sphere_radius_m": 0.25,
    "contact.0.tip_radius_m": 0.25,
    "contact.0.origin_m": [-0.5, 0.0, 0.0],
}


def test_a_ball_that_is_mounted_aside_turns_the_way():
    """Six millimetres aside: the speed after it is that of the true ball's normal."""
    aside = {"contact.0.origin_m": [-0.5, 0.006, 0.0]}
    given = load_scenario("epos_1d", RIG | BALLS)
    true = load_scenario("epos_1d", RIG | BALLS | aside)
    run, reference = drive(given, SimulatedFacility(true)), run_reference(true)
    after = [one.series["chaser.velocity"][-1] for one in (run, reference)]
    assert after[0] == pytest.approx(after[1], abs=0.002 * V)
    assert run.method_books["model_mediated"]["contact_0_tilt_deg"] == pytest.approx(0.69, abs=0.02)
    assert not list_doubts(run.method_books["model_mediated"])
