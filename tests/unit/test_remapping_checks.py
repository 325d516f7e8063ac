"""What the re-mapping refuses before a run, each with its key and what is allowed."""

from __future__ import annotations

import pytest
from remapping_refusals import refused, remapped
from scenarios import lange_impact

from softdock import build
from softdock.errors import BadInput
from softdock.methods.remapping.durations import SPRINGS_OF_SCENARIO, compute_duration
from softdock.reference import run_reference
from softdock.scenario.checks import UNRESOLVED_CYCLES
from softdock.scenario.files import load_scenario

SOFT_ALONG_X = [[0.0, 0.0, 0.0], [0.0, 1e5, 0.0], [0.0, 0.0, 1e5]]


def test_a_stiffness_of_zero_along_the_normal():
    """On a wall its own normal counts; on a cone any direction may."""
    refused("methods.0.stiffness_N_per_m", "contact.0", stiffness_N_per_m=SOFT_ALONG_X)
    refused(
        "methods.0.wanted.stiffness_N_per_m",
        "contact.0",
        wanted={"law": "spring_damper", "stiffness_N_per_m": SOFT_ALONG_X},
    )
    refused(
        "methods.0.target_stiffness_N_per_m",
        "any direction",
        preset="lange_cone",
        stiffness_N_per_m=1e5,
        target_stiffness_N_per_m=[1e5, 1e5, 0.0],
    )
    remapped(stiffness_N_per_m=[1e5, 0.0, 0.0])


@pytest.mark.parametrize("restitution", [-0.1, 1.1])
def test_a_restitution_outside_zero_to_one(restitution):
    """A wanted restitution outside 0 to 1 is refused by key with its bounds."""
    refused(
        "methods.0.wanted.restitution",
        ">= 0",
        "<= 1",
        wanted={"law": "restitution", "restitution": restitution},
    )


def test_a_matrix_that_is_no_stiffness():
    """Neither symmetric nor of the right size, or negative along some direction."""
    for wrong in (
        [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [1.0, 2.0],
        [1e5, -1e5, 1e5],
        "stiff",
    ):
        refused("methods.0.stiffness_N_per_m", "symmetric 3 x 3", stiffness_N_per_m=wrong)


def test_a_contact_shorter_than_the_cycle():
    """The ratio and the expected error are said; below one cycle it is refused unless the scenario
    allows it."""
    hard = {"law": "spring_damper", "stiffness_N_per_m": 1e8}
    refused("wanted.stiffness_N_per_m", "0.56", "%", wanted=hard)
    assert remapped(wanted=hard, tables={"allow_unresolved": True}).warnings
    (warning,) = remapped(
        wanted={"law": "spring_damper", "stiffness_N_per_m": 1e6}, substeps=1
    ).warnings
    assert "5.6 cycles" in warning
    assert "%" in warning
    assert not remapped(wanted={"law": "spring_damper", "stiffness_N_per_m": 1e6}).warnings


def test_the_scenarios_own_spring_shorter_than_the_cycle():
    """The commonest case, both laws the scenario's: refused with the expected error, which the
    scenario's own check cannot know."""
    hard = {
        "contact": [
            {"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 1.5e7}}
        ]
    }
    refused(
        "methods.0.wanted.law",
        "lasts 1.4",
        "wrong by more than 48 %",
        "contact.0.real.stiffness_N_per_m",
        tables=hard,
    )
    assert any(
        "4.3 steps: its restitution may be wrong by 5.3 %" in w
        for w in remapped(tables=hard | {"allow_unresolved": True}).warnings
    )
    assert SPRINGS_OF_SCENARIO == UNRESOLVED_CYCLES


def test_both_sides_count_in_how_long_a_contact_lasts():
    """A hard chaser and a soft target: the contact is a soft one; and a wall's own normal
    counts."""
    soft = {"law": "spring_damper", "stiffness_N_per_m": 4e7, "target_stiffness_N_per_m": 5e4}
    assert not remapped(wanted=soft).warnings
    assert not remapped(
        wanted={"law": "spring_damper", "stiffness_N_per_m": [5e4, 1e9, 1e9]}
    ).warnings
    refused(
        "wanted.stiffness_N_per_m", "lasts 0.99", wanted=soft | {"target_stiffness_N_per_m": 1.5e8}
    )


def test_a_lead_beyond_delay_and_contact():
    """The mock-ups would part before the satellites touch: 20 ms late, 99 ms of contact."""
    late = {"robots": {body: {"model": "delay", "delay_ms": 20.0} for body in ("chaser", "target")}}
    (warning,) = remapped(tables=late, lead_ms=130.0).warnings
    assert "20 ms and a contact of 99.3 ms" in warning
    assert not remapped(tables=late, lead_ms=110.0).warnings


def test_set_points_that_are_out_of_reach():
    """A follower slower than the satellites would never get there; a robot whose reach ends before
    is refused as in any run."""
    limits = {"set_points": "executable", "max_acceleration_m_per_s2": 1.0}
    refused("methods.0.max_speed_m_per_s", "0.1", max_speed_m_per_s=0.05, **limits)
    remapped(max_speed_m_per_s=0.2, **limits)
    refused("methods.0.max_speed_m_per_s", "set_points = executable", max_speed_m_per_s=0.2)


def test_contacts_without_a_single_stiffness():
    """A table, for the mock-ups or wanted: a number must be given."""
    table = {"law": "table", "table_m_N": [[0.0, 0.0], [0.01, 500.0]]}
    wall = {"geometry": "wall", "axis": [-1.0, 0.0, 0.0]}
    refused(
        "methods.0.stiffness_N_per_m",
        "identify",
        tables={"contact": [{**wall, "real": table}]},
        wanted={"law": "spring_damper", "stiffness_N_per_m": 5e4},
    )
    refused(
        "methods.0.wanted.law",
        "wants a table",
        tables={"contact": [{**wall, "real": {"stiffness_N_per_m": 5e4}, "wanted": table}]},
    )
    refused(
        "methods.0.joint_stiffness_N_per_m", "replaced_stiffness", environment="replaced_stiffness"
    )


def test_noise_needs_a_threshold():
    """Without one every noise would be a contact, at a place that has nothing to do with one."""
    refused(
        "methods.0.threshold_N",
        "2 N",
        "four standard deviations",
        tables={"sensor": {"noise_N": 0.5}},
    )
    assert any(
        "four standard deviations" in w
        for w in remapped(tables={"sensor": {"noise_N": 0.5}}, threshold_N=1.0).warnings
    )
    assert not remapped(tables={"sensor": {"noise_N": 0.5}}, threshold_N=2.0).warnings


def test_the_place_of_the_pairs_is_not_a_users_matter():
    """A key that the core fills in itself is not taken from a user."""
    refused("methods.0.contacts", "stiffness_N_per_m", contacts=[3.0, 1.0])


def test_a_mock_up_on_robots_with_limits_is_compensated_by_what_was_measured():
    """The commanded acceleration is not what such a robot does: what is left would be taken for a
    contact, and the satellites thrown away."""
    heavy = {"mock_up.chaser.mass_kg": 10.0}
    with pytest.raises(BadInput, match="measured, with the method remapping"):
        load_scenario("lange_remapped", heavy)
    assert (
        load_scenario(
            "lange_remapped", heavy | {"mock_up.chaser.believed.acceleration": "measured"}
        ).warnings
        == []
    )
    (warning,) = load_scenario("lange_impact_jerk", heavy).warnings
    assert warning.startswith("mock_up.chaser.believed.acceleration: ")


def test_a_hunt_crossley_contact_shorter_than_the_cycle():
    """Its duration depends on the speed; the method's own law and the scenario's are checked, with
    the ratio and the error."""
    own = {"law": "hunt_crossley", "stiffness_N_per_m": 1e9, "lambda_s_per_m": 6.35}
    refused(
        "methods.0.wanted.stiffness_N_per_m",
        "lasts 0.47 at 0.1 m/s",
        "%",
        wanted=own | {"exponent": 1.2},
    )
    (warning,) = remapped(wanted=own, substeps=1).warnings
    assert "1.5 cycles at 0.1 m/s" in warning
    assert "%" in warning
    pair = {"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 5e4}}
    pair["wanted"] = {"law": "hunt_crossley", "stiffness_N_per_m": 1e9, "exponent": 1.2}
    refused(
        "methods.0.wanted.law",
        "lasts 0.47",
        "contact.0.wanted.stiffness_N_per_m",
        tables={"contact": [pair]},
    )


def test_how_long_a_hunt_crossley_contact_lasts():
    """Against orbit's own, integrated: lossless, 1e6 N/m^1.5 on 50 kg at 0.1 m/s."""
    tables = lange_impact()
    tables["contact"][0]["real"] = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 1e6,
        "exponent": 1.5,
    }
    (contact,) = run_reference(build(tables)).contacts
    assert compute_duration(1e6, 1.5, 50.0, 0.1) == pytest.approx(
        contact["end_s"] - contact["start_s"], rel=1e-6
    )
    assert compute_duration(5e4, 1.0, 50.0, 0.1) == pytest.approx(0.09935, rel=1e-4)
