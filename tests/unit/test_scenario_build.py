"""What a user writes wrong is refused before the clock starts, naming the key, the value and what
is allowed; all problems at once."""

from __future__ import annotations

import contextlib
import copy
import math

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock import BadInput, Stepper, build, fly, load_scenario
from softdock.core.adaptation.registry import METHODS
from softdock.core.machine.vector import CHASER_AT, CHASER_ROBOT_AT
from softdock.core.robots.robot import ROBOT
from softdock.core.spatial.rigid_body import BODY
from softdock.errors import SoftdockError
from softdock.scenario.keys import set_key


def refused(tables):
    """Problems of tables that are refused before the clock starts: by `build`, or (a start deep in
    contact) by the start itself."""
    with pytest.raises(BadInput) as caught:
        fly(tables)
    return caught.value.problems


def only(tables):
    problems = refused(tables)
    assert len(problems) == 1, [str(p) for p in problems]
    return problems[0]


def with_key(path, value, tables=None):
    tables = copy.deepcopy(tables or epos_wall())
    set_key(tables, path, value)
    return tables


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
    assert fly(with_key("chaser.position_m", [0.0, 0.0, 0.0]))


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
    assert "nothing given" in message


def test_a_missing_required_key_is_named():
    """With nothing given, the message says what is needed."""
    tables = epos_wall()
    del tables["chaser"]["mass_kg"]
    problem = only(tables)
    assert (problem.key, problem.value) == ("chaser.mass_kg", None)
    assert "one number" in problem.allowed


def test_an_unresolved_contact_is_refused_unless_allowed():
    """Shorter than 1.6 cycles is refused with the number of cycles; `allow_unresolved` runs it with
    a warning; 8 cycles need none."""
    tables = epos_wall(
        mass_kg=60.0, stiffness=1e7
    )  # half a period: pi sqrt(60 / 1e7) = 7.7 ms = 1.9 cycles
    assert any("1.9 cycles" in w for w in build(tables).warnings)
    tables["contact"][0]["real"]["stiffness_N_per_m"] = 2e7  # 5.4 ms = 1.4 cycles
    problem = only(tables)
    assert problem.key == "contact.0.real.stiffness_N_per_m"
    assert problem.value == 2e7
    assert "1.6 cycles" in problem.allowed
    assert "1.4" in problem.allowed
    assert "allow_unresolved" in problem.allowed
    tables["allow_unresolved"] = True
    assert any("1.4 cycles" in w for w in build(tables).warnings)
    assert build(epos_wall()).warnings == []


def test_a_cone_must_narrow():
    """A bottom as wide as the mouth is no cone; both radii are told."""
    tables = cone_docking()
    tables["contact"][0]["bottom_radius_m"] = 0.05
    problem = only(tables)
    assert problem.key == "contact.0.bottom_radius_m"
    assert "mouth_radius_m = 0.05" in problem.allowed


def test_a_key_of_another_model_is_refused():
    """Keys that the chosen geometry or law does not use are not swallowed."""
    tables = epos_wall()
    tables["contact"][0]["mouth_radius_m"] = 0.05
    problem = only(tables)
    assert problem.key == "contact.0.mouth_radius_m"
    assert "only for geometry = cone" in problem.allowed
    tables = epos_wall()
    tables["contact"][0]["real"]["exponent"] = 1.5
    assert only(tables).key == "contact.0.real.exponent"


def test_choices_of_one_pair_do_not_leak_into_the_next():
    """A cone's keys belong to the cone, whatever stands before or after it."""
    tables = cone_docking()
    plain = {
        "geometry": "wall",
        "origin_m": [-5.0, 0.0, 0.0],
        "real": {"stiffness_N_per_m": 1000.0},
    }
    tables["contact"] = [tables["contact"][0], plain]
    assert build(tables)
    tables["contact"] = [plain, tables["contact"][0]]
    assert build(tables)
    tables["contact"] = [tables["contact"][1], {**plain, "wall_thickness_m": 0.01}]
    assert only(tables).key == "contact.1.wall_thickness_m"


def test_more_than_four_pairs_are_refused():
    """The limit is told."""
    tables = epos_wall()
    tables["contact"] = [copy.deepcopy(tables["contact"][0]) for _ in range(5)]
    problem = only(tables)
    assert problem.key == "contact"
    assert "up to 4" in problem.allowed


def test_two_fixed_bodies_are_refused():
    """One body must move."""
    assert only(with_key("chaser.fixed", True)).key == "target.fixed"


def test_values_arrive_in_si():
    """Units are converted once, at the edge: 16 ms is 0.016 s, products of inertia stand in the
    packed order."""
    scenario = build(cone_docking(delay_ms=16.0))
    assert scenario.vector[CHASER_ROBOT_AT + ROBOT.at.delay] == 0.016
    packed = scenario.vector[CHASER_AT + BODY.at.inertia : CHASER_AT + BODY.at.inertia + 6]
    assert packed.tolist() == [30.0, 40.0, 55.0, 2.0, -1.5, 3.0]


def test_resolved_tables_build_the_same_scenario():
    """What a scenario resolved to, every default written out, is a scenario: the same vector."""
    for tables in (epos_wall(), cone_docking(), sphere_on_sphere()):
        scenario = build(tables)
        again = build(scenario.tables)
        assert np.array_equal(scenario.vector, again.vector)
        assert again.tables == scenario.tables


def test_changes_make_a_new_scenario():
    """`with_changes` and `with_keys` leave the original alone and are checked like everything
    else."""
    scenario = build(epos_wall())
    changed = scenario.with_changes(robots__chaser__delay_ms=8.0).with_keys(
        {"contact.0.real.stiffness_N_per_m": 500.0}
    )
    assert changed.vector[CHASER_ROBOT_AT + ROBOT.at.delay] == 0.008
    assert scenario.vector[CHASER_ROBOT_AT + ROBOT.at.delay] == 0.016
    with pytest.raises(BadInput, match=r"robots\.chaser\.delay_ms"):
        scenario.with_changes(robots__chaser__delay_ms=-1.0)
    with pytest.raises(BadInput, match="an index from 0 to 0"):
        scenario.with_keys({"contact.3.real.stiffness_N_per_m": 500.0})


def test_an_empty_table_is_the_defaults():
    """A table heading with nothing under it is not an unknown key."""
    tables = epos_wall()
    tables["sensor"] = {}
    tables["contact"][0]["wanted"] = {}
    assert np.array_equal(build(tables).vector, build(epos_wall()).vector)


def test_an_unstable_loop_stops_and_says_so():
    """Between two walls, far too stiff for the delay, every bounce is faster: the run keeps what
    was recorded and says why it stopped."""
    tables = epos_wall(delay_ms=40.0, mass_kg=1.0, stiffness=1e4)
    other = {
        "geometry": "wall",
        "axis": [-1.0, 0.0, 0.0],
        "origin_m": [0.1, 0.0, 0.0],
        "real": {"stiffness_N_per_m": 1e4},
    }
    tables["contact"].append(other)
    tables["time"]["duration_s"] = 20.0
    run = fly(tables)
    assert run.status == "diverged"
    assert run.cycles < 5000
    assert len(run.series["time"]) == run.cycles + 1
    assert any("diverged" in w for w in run.warnings)


def test_every_error_is_a_softdock_error():
    """One base class to catch."""
    with pytest.raises(SoftdockError):
        build({"chaser": 3})
    with pytest.raises(SoftdockError):
        build([])


def _leaves(table, path=()):
    for key, value in table.items() if isinstance(table, dict) else enumerate(table):
        if isinstance(value, dict) or (
            isinstance(value, list) and value and isinstance(value[0], dict)
        ):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_wrong_value_makes_a_method_stumble(method):
    """A method's own checks read the whole scenario, also one with mistakes in it: whatever is
    wrong is refused, and nothing is raised but that."""
    base = load_scenario("lange_remapped").tables | {"methods": [{"name": method}]}
    leaves = _leaves(
        {
            key: value
            for key, value in base.items()
            if isinstance(value, dict | list) and key != "methods"
        }
    )
    first = sorted(METHODS).index(method)
    for i, (*path, last) in enumerate(leaves, first):
        # each leaf of each method gets half of them, and all four over the methods
        for wrong in ((-1e30, None), ("text", []))[i % 2]:
            tables = copy.deepcopy(base)
            table = tables
            for key in path:
                table = table[key]
            table[last] = wrong
            with contextlib.suppress(BadInput):
                build(tables)
