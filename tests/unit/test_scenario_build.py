"""What a user writes wrong is refused before the clock starts, naming the key, the value and what
is allowed; all problems at once."""

from __future__ import annotations

import math

import pytest
from refused_scenarios import only, refused, with_key
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock import BadInput, Stepper, build, run_loop


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "path",
    [
        "chaser.mass_kg",
        "time.duration_s",
        "robots.chaser.delay_ms",
        "contact.0.real.stiffness_N_per_m",
    ],
)
def test_nan_and_infinity_are_refused(path, value):
    """A number that is not finite would spread through every result."""
    problem = only(with_key(path, value))
    assert problem.key == path
    assert problem.value is value
    assert str(value) in problem.allowed


def test_nan_inside_a_vector_is_refused():
    """One bad component is enough, and the whole value is shown."""
    problem = only(with_key("chaser.velocity_m_per_s", [0.0, math.nan, 0.0]))
    assert problem.key == "chaser.velocity_m_per_s"
    assert "nan" in str(problem)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("chaser.position_m", [0.0, 1.0], "this has 2 instead of 3"),
        ("chaser.position_m", 1.0, "this has 1 instead of 3"),
        ("chaser.attitude_wxyz", [0.0, 0.0, 0.0, 0.0], "not all zero"),
        ("contact.0.axis", [0.0, 0.0, 0.0], "not all zero"),
        ("chaser.mass_kg", [60.0, 60.0], "one number, or three"),
        ("chaser.mass_kg", "heavy", "one number, or three"),
        ("chaser.mass_kg", 0.0, "> 0"),
        ("chaser.mass_kg", True, "one number, or three"),
        ("time.plant_steps", 1.5, "a whole number"),
        ("time.plant_steps", 0, ">= 1"),
        ("robots.chaser.delay_ms", -1.0, ">= 0"),
        ("target.fixed", 1, "true or false"),
        ("time.cycle_ms", "4", "a finite number"),
    ],
)
def test_wrong_shapes_types_and_ranges_are_refused(path, value, says):
    """Each with its key, what was given and what is allowed, in words."""
    problem = only(with_key(path, value))
    assert problem.key == path
    assert problem.value == value
    assert says in problem.allowed
    assert path in str(problem)
    assert repr(value) in str(problem)


@pytest.mark.parametrize(
    ("inertia", "says"),
    [
        ([[10.0, 1.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]], "not symmetric"),
        ([10.0, 10.0, -1.0], "principal moments here are -1"),
        ([10.0, 10.0, 0.0], "principal moments here are 0"),
        ([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "principal moments here are -1"),
        ([1.0, 1.0, 2.1], "no body has the principal moments"),
        ([[5.0, 0.0, 4.0], [0.0, 1.0, 0.0], [4.0, 0.0, 5.0]], "no body has the principal moments"),
        ([1.0, 1.0], "three numbers"),
        ([[1.0, 0.0], [0.0, 1.0]], "three numbers"),
    ],
)
def test_impossible_inertias_are_refused(inertia, says):
    """Asymmetric, not positive, or against the triangle inequality, also when hidden in products of
    inertia."""
    problem = only(with_key("chaser.inertia_kg_m2", inertia))
    assert problem.key == "chaser.inertia_kg_m2"
    assert problem.value == inertia
    assert says in problem.allowed


def test_a_thin_plate_is_possible():
    """The bound of the triangle inequality itself is a body."""
    assert build(with_key("chaser.inertia_kg_m2", [1.0, 1.0, 2.0]))


def test_bodies_deep_in_contact_at_the_start_are_refused():
    """They would bring energy from nowhere; the depth is told in millimetres and the pair named."""
    problem = only(with_key("chaser.position_m", [-0.002, 0.0, 0.0]))
    assert problem.key == "contact.0"
    assert "2 mm deep" in str(problem.value)
    assert "apart at the start" in problem.allowed
    with pytest.raises(BadInput, match="2 mm deep"):
        Stepper(build(with_key("chaser.position_m", [-0.002, 0.0, 0.0])))
    assert run_loop(with_key("chaser.position_m", [0.0, 0.0, 0.0]))


@pytest.mark.parametrize(("geometry", "nearer"), [(cone_docking, 0.09), (sphere_on_sphere, 0.12)])
def test_deep_starts_are_found_in_every_geometry(geometry, nearer):
    """The check uses the loop's own contact, with full poses."""
    tables = geometry()
    tables["chaser"]["position_m"][0] -= nearer
    assert only(tables).key == "contact.0"


def test_a_delay_longer_than_the_largest_history_is_refused():
    """Memory is bounded: the message gives the limit and what the delay reaches, in cycles."""
    tables = with_key("robots.chaser.delay_ms", 2000.0)
    tables["time"]["cycle_ms"] = 1.0
    problem = only(tables)
    assert problem.key == "robots.chaser.delay_ms"
    assert problem.value == pytest.approx(2000.0)
    assert "1020 cycles" in problem.allowed
    assert "2000 cycles" in problem.allowed
    tables["robots"]["chaser"]["delay_ms"] = 1020.0
    assert build(tables)


def test_a_delay_that_would_become_negative_is_refused():
    """Ramp and wobble included: no robot is ahead of its set-points."""
    tables = epos_wall()
    tables["robots"]["target"] = {"delay_ms": 5.0, "delay_wobble_ms": 6.0, "delay_wobble_Hz": 1.0}
    problem = only(tables)
    assert problem.key == "robots.target.delay_ms"
    assert "-1 ms" in problem.allowed


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("chaser.mas_kg", "mass_kg"),
        ("robots.chaser.delay_s", "delay_ms"),
        ("contact.0.real.stifness_N_per_m", "real.stiffness_N_per_m"),
        ("robots.chasr", "chaser"),
        ("chasser", "chaser"),
    ],
)
def test_an_unknown_key_is_refused_with_a_suggestion(path, meant):
    """A misspelt key must not be dropped in silence: it is named, and the nearest one offered."""
    problem = next(p for p in refused(with_key(path, 1.0)) if p.key == path)
    assert problem.suggestion == meant
    assert f"did you mean '{meant}'?" in str(problem)


@pytest.mark.parametrize(
    ("path", "value", "meant"),
    [
        ("satellites.integrator", "exact_holt", "exact_hold"),
        ("contact.0.geometry", "wal", "wall"),
        ("contact.0.real.law", "spring_dampr", "spring_damper"),
        ("sensor.handover", "lastest", "latest"),
    ],
)
def test_an_unknown_choice_is_refused_with_a_suggestion(path, value, meant):
    """All choices are listed and the nearest is offered."""
    problem = next(p for p in refused(with_key(path, value)) if p.key == path)
    assert problem.suggestion == meant
    assert meant in problem.allowed


def test_an_unknown_method_is_refused_with_a_suggestion():
    """Methods are chosen by name, too."""
    tables = epos_wall()
    tables["methods"] = [{"name": "dirct"}]
    assert only(tables).suggestion == "direct"


def test_all_problems_are_reported_at_once():
    """Nobody should repair a scenario one error at a time: every table is checked, and each problem
    keeps its own data."""
    tables = epos_wall()
    tables["chaser"]["mass_kg"] = -1.0
    tables["target"]["inertia_kg_m2"] = [1.0, 1.0, 9.0]
    tables["time"]["cycle_ms"] = math.nan
    tables["contact"][0]["tip_m"] = [1.0]
    tables["robots"]["chaser"]["delai_ms"] = 3.0
    tables["contact"][0]["real"] = {"damping_Ns_per_m": 1.0}
    problems = refused(tables)
    assert {p.key for p in problems} == {
        "chaser.mass_kg",
        "target.inertia_kg_m2",
        "time.cycle_ms",
        "contact.0.tip_m",
        "robots.chaser.delai_ms",
        "contact.0.real.stiffness_N_per_m",
    }
    message = str(BadInput(problems))
    assert all(p.key in message for p in problems)
    assert "missing" in message
