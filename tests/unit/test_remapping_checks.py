"""What the re-mapping refuses before a run, each with its key and what is allowed."""

from __future__ import annotations

import pytest
from scenarios import lange_impact

from softdock import build
from softdock.errors import BadInput
from softdock.scenario.files import load_scenario


def remapped(preset=None, tables=None, **keys):
    if preset:
        return load_scenario(preset, {"methods": [{"name": "remapping", **keys}], **(tables or {})})
    return build({**lange_impact(), **(tables or {}), "methods": [{"name": "remapping", **keys}]})


def refused(key, *words, **given):
    with pytest.raises(BadInput) as caught:
        remapped(**given)
    problems = [p for p in caught.value.problems if p.key.endswith(key)]
    assert problems, [p.key for p in caught.value.problems]
    for word in words:
        assert word in problems[0].allowed


SOFT_ALONG_X = [[0.0, 0.0, 0.0], [0.0, 1e5, 0.0], [0.0, 0.0, 1e5]]


def test_a_stiffness_of_zero_along_the_normal():
    """On a wall its own normal counts; on a cone any direction may."""
    refused("methods.0.stiffness_N_per_m", "contact.0", stiffness_N_per_m=SOFT_ALONG_X)
    refused("methods.0.wanted.stiffness_N_per_m", "contact.0", wanted={"law": "spring_damper", "stiffness_N_per_m": SOFT_ALONG_X})
    refused("methods.0.target_stiffness_N_per_m", "any direction", preset="lange_cone", stiffness_N_per_m=1e5, target_stiffness_N_per_m=[1e5, 1e5, 0.0])
    remapped(stiffness_N_per_m=[1e5, 0.0, 0.0])


@pytest.mark.parametrize("restitution", [-0.1, 1.1])
def test_a_restitution_outside_zero_to_one(restitution):
    refused("methods.0.wanted.restitution", ">= 0", "<= 1", wanted={"law": "restitution", "restitution": restitution})


def test_a_matrix_that_is_no_stiffness():
    """Neither symmetric nor of the right size, or negative along some direction."""
    for wrong in ([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 2.0], [1e5, -1e5, 1e5], "stiff"):
        refused("methods.0.stiffness_N_per_m", "symmetric 3 x 3", stiffness_N_per_m=wrong)


def test_a_contact_shorter_than_the_cycle():
    """The ratio and the expected error are said; below one cycle it is refused unless the scenario allows it."""
    hard = {"law": "spring_damper", "stiffness_N_per_m": 1e8}
    refused("wanted.stiffness_N_per_m", "0.56", "%", wanted=hard)
    assert remapped(wanted=hard, tables={"allow_unresolved": True}).warnings
    (warning,) = remapped(wanted={"law": "spring_damper", "stiffness_N_per_m": 1e6}, substeps=1).warnings
    assert "5.6 cycles" in warning
    assert "%" in warning
    assert not remapped(wanted={"law": "spring_damper", "stiffness_N_per_m": 1e6}).warnings


def test_set_points_that_are_out_of_reach():
    """A follower slower than the satellites would never get there; a robot whose reach ends before is refused as in any run."""
    limits = {"set_points": "executable", "max_acceleration_m_per_s2": 1.0}
    refused("methods.0.max_speed_m_per_s", "0.1", max_speed_m_per_s=0.05, **limits)
    remapped(max_speed_m_per_s=0.2, **limits)
    refused("methods.0.max_speed_m_per_s", "set_points = executable", max_speed_m_per_s=0.2)


def test_contacts_without_a_single_stiffness():
    """A table, for the mock-ups or wanted: a number must be given."""
    table = {"law": "table", "table_m_N": [[0.0, 0.0], [0.01, 500.0]]}
    wall = {"geometry": "wall", "axis": [-1.0, 0.0, 0.0]}
    refused("methods.0.stiffness_N_per_m", "identify", tables={"contact": [{**wall, "real": table}]}, wanted={"law": "spring_damper", "stiffness_N_per_m": 5e4})
    refused("methods.0.wanted.law", "wants a table", tables={"contact": [{**wall, "real": {"stiffness_N_per_m": 5e4}, "wanted": table}]})
    refused("methods.0.joint_stiffness_N_per_m", "replaced_stiffness", environment="replaced_stiffness")


def test_noise_needs_a_threshold():
    """Without one every noise would be a contact, at a place that has nothing to do with one."""
    refused("methods.0.threshold_N", "2 N", "four standard deviations", tables={"sensor": {"noise_N": 0.5}})
    assert any("four standard deviations" in w for w in remapped(tables={"sensor": {"noise_N": 0.5}}, threshold_N=1.0).warnings)
    assert not remapped(tables={"sensor": {"noise_N": 0.5}}, threshold_N=2.0).warnings


def test_the_place_of_the_pairs_is_not_a_users_matter():
    refused("methods.0.contacts", "stiffness_N_per_m", contacts=[3.0, 1.0])


def test_a_mock_up_on_robots_with_limits_is_compensated_by_what_was_measured():
    """The commanded acceleration is not what such a robot does: what is left would be taken for a contact, and the satellites thrown away."""
    heavy = {"mock_up.chaser.mass_kg": 10.0}
    with pytest.raises(BadInput, match="measured, with the method remapping"):
        load_scenario("lange_remapped", heavy)
    assert load_scenario("lange_remapped", heavy | {"mock_up.chaser.believed.acceleration": "measured"}).warnings == []
    (warning,) = load_scenario("lange_impact_jerk", heavy).warnings
    assert warning.startswith("mock_up.chaser.believed.acceleration: ")
