"""What the re-mapping refuses of a wanted contact, of another law and of a surface, each with
its key and what is allowed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from remapping_refusals import refused, remapped
from scenarios import lange_impact

from softdock import build
from softdock.errors import BadInput
from softdock.methods.remapping.reports import suggest
from softdock.studies.campaign.engines import choose_engine
from softdock.studies.campaign.kernel_specialisation import MOST_FLOATS


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
    """A run of more than a megabyte; the CPU takes it, and `auto` is the CPU."""
    floats = MOST_FLOATS + 1
    plan = SimpleNamespace(variants=[SimpleNamespace(mem_floats=floats)])
    with pytest.raises(BadInput, match="rewind_ms"):
        choose_engine("gpu", plan)
    assert choose_engine("auto", plan, threads=1).name == "cpu"
