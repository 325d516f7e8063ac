"""Choices and shapes of a scenario's tables: keys of another model are refused, values arrive
in SI, and no wrong value makes a method stumble."""

from __future__ import annotations

import contextlib
import copy

import numpy as np
import pytest
from refused_scenarios import only, with_key
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock import BadInput, build, load_scenario, run_loop
from softdock.errors import SoftdockError
from softdock.loop.robots.robot import ROBOT
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, CHASER_ROBOT_AT
from softdock.methods.registry import METHODS


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
    """`replace` leaves the original alone and is checked like everything else; nothing speaks of
    an option of the command line."""
    scenario = build(epos_wall())
    changed = scenario.replace(
        {"robots.chaser.delay_ms": 8.0, "contact.0.real.stiffness_N_per_m": 500.0}
    )
    assert changed.vector[CHASER_ROBOT_AT + ROBOT.at.delay] == 0.008
    assert scenario.vector[CHASER_ROBOT_AT + ROBOT.at.delay] == 0.016
    with pytest.raises(BadInput, match=r"^robots\.chaser\.delay_ms: given -1\.0"):
        scenario.replace({"robots.chaser.delay_ms": -1.0})
    with pytest.raises(BadInput, match=r"^changes: robots\.chaser\.delay_ms: given -1\.0"):
        load_scenario("epos_1d", {"robots.chaser.delay_ms": -1.0})
    with pytest.raises(BadInput, match="an index from 0 to 0"):
        scenario.replace({"contact.3.real.stiffness_N_per_m": 500.0})


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
    run = run_loop(tables)
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
