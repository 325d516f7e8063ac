"""What the re-mapping refuses before a run, each with its key and what is allowed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scenarios import lange_impact

from softdock import build
from softdock.campaign.columns import columns
from softdock.campaign.engines import engine_for
from softdock.campaign.kernel_specialisation import MOST_FLOATS
from softdock.core.adaptation.remapping.host.durations import SPRINGS_OF_SCENARIO, lasting
from softdock.core.adaptation.remapping.host.reports import suggest
from softdock.core.orbit import orbit
from softdock.errors import BadInput
from softdock.scenario.checks import UNRESOLVED_CYCLES
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
    (contact,) = orbit(build(tables)).contacts
    assert lasting(1e6, 1.5, 50.0, 0.1) == pytest.approx(
        contact["end_s"] - contact["start_s"], rel=1e-6
    )
    assert lasting(5e4, 1.0, 50.0, 0.1) == pytest.approx(0.09935, rel=1e-4)


@pytest.mark.parametrize("key", ["target_stiffness_N_per_m", "damping_Ns_per_m"])
def test_values_without_their_partner(key):
    """Alone they would be ignored in silence."""
    refused(f"methods.0.{key}", "a stiffness_N_per_m beside it", **{key: 100.0})
    remapped(**{key: 100.0, "stiffness_N_per_m": 5e4})


def test_wanted_and_believed_values_without_their_partner():
    """A value that means something only beside another is refused alone, and the other is named."""
    alone = {"law": "spring_damper", "target_stiffness_N_per_m": 1e5}
    refused(
        "methods.0.wanted.target_stiffness_N_per_m",
        "a wanted.stiffness_N_per_m beside it",
        wanted=alone,
    )
    refused(
        "methods.0.filter.moving_mass_kg",
        "filter.joint_stiffness_N_per_m beside it",
        environment="filter",
        filter={"moving_mass_kg": [5.0, 5.0]},
    )


def test_a_wanted_stiffness_of_zero():
    """The satellites would pass through each other: the scenario's wanted contact, or a law of the
    method's own that takes its stiffness from there."""
    pair = {
        "geometry": "wall",
        "axis": [-1.0, 0.0, 0.0],
        "real": {"stiffness_N_per_m": 5e4},
        "wanted": {"law": "spring_damper", "stiffness_N_per_m": 0.0},
    }
    refused(
        "methods.0.wanted.law",
        "contact.0.wanted.stiffness_N_per_m",
        "is 0",
        tables={"contact": [pair]},
    )
    refused(
        "methods.0.wanted.stiffness_N_per_m",
        "> 0",
        tables={"contact": [pair]},
        wanted={"law": "restitution", "restitution": 0.7},
    )
    remapped(tables={"contact": [pair]}, wanted={"law": "spring_damper", "stiffness_N_per_m": 5e4})


def test_a_stiffness_of_another_law_is_not_taken():
    """N/m are not N/m^1.5, either way; an exponent of 1 is a spring."""
    refused(
        "methods.0.wanted.stiffness_N_per_m",
        "N/m^1.5",
        "50000 N/m",
        wanted={"law": "hunt_crossley", "lambda_s_per_m": 6.35},
    )
    remapped(wanted={"law": "hunt_crossley", "lambda_s_per_m": 6.35, "exponent": 1.0})
    pair = {
        "geometry": "wall",
        "axis": [-1.0, 0.0, 0.0],
        "real": {"law": "hunt_crossley", "stiffness_N_per_m": 1e6, "exponent": 1.5},
    }
    refused(
        "methods.0.wanted.stiffness_N_per_m",
        "[N/m]",
        "1e+06 N/m^1.5",
        tables={"contact": [pair]},
        wanted={"law": "spring_damper"},
    )
    refused(
        "methods.0.wanted.stiffness_N_per_m",
        "[N/m]",
        tables={"contact": [pair]},
        wanted={"law": "restitution", "by": "spring_damper"},
    )
    remapped(tables={"contact": [pair]}, wanted={"law": "restitution", "restitution": 0.7})


@pytest.mark.parametrize(
    ("key", "surface"),
    [
        ("surface.axis", {"shape": "cylinder", "axis": [0.0, 0.0, 0.0], "radius_m": 0.1}),
        ("surface.radius_m", {"shape": "sphere"}),
        ("surface.radius_m", {"shape": "bore", "axis": [0.0, 0.0, 1.0], "radius_m": -0.1}),
        ("surface.half_edges_m", {"shape": "box", "half_edges_m": [0.1, 0.0, 0.1]}),
        ("surface.shape", {"shape": "torus"}),
    ],
)
def test_a_surface_that_is_none(key, surface):
    """A surface without a direction, a radius or edges is refused by its key."""
    refused(f"methods.0.{key}", contact_point="shape", surface=surface)


def test_a_surface_is_for_points_on_a_shape():
    """A surface where the contact point is not sought on a shape is refused, not ignored."""
    refused(
        "methods.0.surface.shape",
        "contact_point = shape",
        surface={"shape": "sphere", "radius_m": 0.1},
    )


def test_the_suggestion_estimates_on_line_only_where_nothing_spoils_it():
    """Noise makes the estimate scatter more than the stiffness is unknown."""
    clean, noisy = build(lange_impact()), build({**lange_impact(), "sensor": {"noise_N": 0.5}})
    assert suggest(clean)["estimate"] == "on_line"
    assert suggest(noisy)["estimate"] == "given"
    (warning,) = remapped(
        tables={"sensor": {"noise_N": 0.5}}, threshold_N=2.0, estimate="on_line"
    ).warnings
    assert "scatters" in warning


def test_a_history_that_no_gpu_takes_is_refused_before_a_campaign_starts():
    """2 s of past at 4 ms; the CPU takes it, and `auto` is the CPU."""
    scenario = remapped(rewind_ms=2000.0)
    floats = columns(scenario, {"chaser.mass_kg": [99.0, 100.0]}).mem_floats
    assert floats > MOST_FLOATS
    plan = SimpleNamespace(
        variants=[SimpleNamespace(mem_floats=floats)], spec=SimpleNamespace(precision="double")
    )
    with pytest.raises(BadInput, match="rewind_ms"):
        engine_for("gpu", plan)
    assert engine_for("auto", plan, threads=1).name == "cpu"
