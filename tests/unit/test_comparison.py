"""Comparisons: what runs and what is refused, and errors of knowledge."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere
from told_methods import Pushing, told

from softdock import BadInput, build
from softdock.cli.compile_ahead import list_tasks
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group
from softdock.loop.satellites import INTEGRATORS
from softdock.methods import direct
from softdock.methods.registry import KINDS, METHODS, Method, register
from softdock.scenario.candidates import candidates, chains
from softdock.scenario.files import load_scenario
from softdock.studies.compare import compare
from softdock.studies.compare.knowledge import ERRORS_PERCENT, list_beliefs, list_wrong_beliefs

# What runs


def test_every_method_runs_with_every_integrator(own_registry):
    """A new method joins by its entry alone, with what it suggests for the scenario."""
    register(told())
    able, unable = candidates(build(epos_wall(stiffness=2500.0)))
    assert {(c.method, c.integrator) for c in able} == {
        (m, i.name) for m in METHODS for i in INTEGRATORS if not METHODS[m].is_plug_in
    }
    assert not unable
    entry = next(c for c in able if c.method == "told").entries[0]
    assert entry == {"name": "told", "delay_ms": 20.0, "contact": {"stiffness_N_per_m": 2500.0}}


def test_a_scenarios_own_settings_count(own_registry):
    """A scenario that lists a method says how it is set; a chain is compared as it stands, and each
    of it alone."""
    register(told())
    tables = epos_wall() | {
        "methods": [
            {"name": "direct"},
            {"name": "told", "delay_ms": 3.0, "contact": {"stiffness_N_per_m": 7.0}},
        ]
    }
    scenario = build(tables)
    assert chains(scenario)[0] == ("direct", "told")
    for candidate in candidates(scenario, ["told", "direct+told"], ["exact_hold"])[0]:
        assert candidate.entries[-1] == {
            "name": "told",
            "delay_ms": 3.0,
            "contact": {"stiffness_N_per_m": 7.0},
        }


def test_what_cannot_run_says_why(own_registry):
    """The method's own reason, a parameter that nobody gave, an entry that fails; once where no
    integrator helps."""
    scenario = build(epos_wall())
    register(
        told(
            refuses=lambda s: (
                "it needs a cone" if s.tables["satellites"]["integrator"] == "lie_rk4" else None
            )
        )
    )
    able, unable = candidates(scenario, "told")
    assert len(able) == len(INTEGRATORS) - 1
    assert [(r.method, r.integrator, r.reason) for r in unable] == [
        ("told", "lie_rk4", "it needs a cone")
    ]
    register(told(suggest=lambda s: {}))
    (one,) = candidates(scenario, "told")[1]
    assert one.integrator == "any"
    assert "it needs stiffness_N_per_m" in one.reason
    register(told(suggest=lambda s: s.tables["nothing"]))
    (one,) = candidates(scenario, "told")[1]
    assert "KeyError" in one.reason


def test_unknown_names_are_refused_all_at_once():
    """With a suggestion, methods and integrators together."""
    with pytest.raises(BadInput) as caught:
        candidates(build(epos_wall()), "dirct,other", "exact_hole")
    assert [(p.key, p.value, p.suggestion) for p in caught.value.problems] == [
        ("--integrators", "exact_hole", "exact_hold"),
        ("--methods", "dirct", "direct"),
        ("--methods", "other", ""),
    ]
    with pytest.raises(BadInput, match="once"):
        candidates(build(epos_wall()), "direct+direct")


def test_a_plug_in_stays_whatever_is_compared(own_registry):
    """A method that only adds a wrench of its own is part of the scenario, not a candidate; it
    comes after whatever is compared."""

    @compiled
    def push(method, mem, rig, satellites):
        return satellites

    group = Group("pushing", "Pushes.")
    register(
        Method(
            name="pushing",
            summary="pushes",
            knows="nothing",
            group=group,
            marker=Pushing(0),
            prepare=direct.prepare,
            external=push,
        )
    )
    scenario = build(epos_wall() | {"methods": [{"name": "pushing"}]})
    able, _ = candidates(scenario, "direct", "exact_hold")
    assert [(c.method, [m["name"] for m in c.scenario.tables["methods"]]) for c in able] == [
        ("direct", ["direct", "pushing"])
    ]


# Errors of knowledge


def test_every_registered_belief_is_one_of_its_keys():
    """An entry that names a key it does not have would be compared without errors."""
    for method in METHODS.values():
        for belief in method.needs:
            assert belief.kind in KINDS
            assert belief.key in {p.key for p in method.group}
    assert set(ERRORS_PERCENT) == {*KINDS, "wanted"}


def test_an_error_of_knowledge_changes_what_is_believed_and_nothing_else(own_registry):
    """One number of the parameter vector per belief, by just that much; the truth stays."""
    register(told())
    scenario = candidates(build(epos_wall()), "told", "exact_hold")[0][0].scenario
    wrongs = list_wrong_beliefs(scenario)
    assert [(w.kind, w.percent) for w in wrongs] == [
        (kind, p) for kind in ("delay", "stiffness") for p in (-30.0, -10.0, 10.0, 30.0)
    ]
    for wrong in wrongs:
        if (wrong.kind, wrong.percent) == ("delay", 30.0):
            assert wrong.scenario is None  # 26 ms, and the method takes 24 at most
            assert "24" in wrong.reason
            continue
        changed = np.flatnonzero(wrong.scenario.vector != scenario.vector)
        assert len(changed) == 1
        assert wrong.scenario.vector[changed[0]] == pytest.approx(
            scenario.vector[changed[0]] * (1.0 + wrong.percent / 100.0), rel=1e-12
        )


def test_the_tools_mass_is_believed_by_the_sensor():
    """Whatever the method, where the scenario compensates a mock-up; the mock-up itself keeps its
    mass."""
    tables = sphere_on_sphere(delay_ms=4.0) | {
        "mock_up": {"chaser": {"mass_kg": 4.0, "centre_m": [0.1, 0.0, 0.0]}}
    }
    scenario = build(tables)
    assert list_beliefs(scenario) == {"tool_mass": {"mock_up.chaser.believed.mass_kg": 4.0}}
    assert [
        w.believed["mock_up.chaser.believed.mass_kg"] for w in list_wrong_beliefs(scenario)
    ] == pytest.approx([3.96, 4.04])
    assert all(
        w.scenario.tables["mock_up"]["chaser"]["mass_kg"] == 4.0
        for w in list_wrong_beliefs(scenario)
    )
    (row,) = compare(scenario, "direct", "exact_hold").ranked
    assert [e["error_percent"] for e in row["knowledge_errors"]] == [-1.0, 1.0]
    assert len({e["error_against_orbit"] for e in [row, *row["knowledge_errors"]]}) == 3
    worst = max(row["knowledge_errors"], key=lambda e: e["error_against_orbit_max"])
    assert row["worst"] in row["knowledge_errors"]
    assert row["worst"]["error_against_orbit_max"] <= worst["error_against_orbit_max"]


def test_nothing_believed_has_no_error(own_registry):
    """Ten percent of no delay is no delay."""
    register(told(suggest=lambda s: {"delay_ms": 0.0, "contact": {"stiffness_N_per_m": 0.0}}))
    assert (
        list_wrong_beliefs(candidates(build(epos_wall()), "told", "exact_hold")[0][0].scenario)
        == []
    )


def test_a_wanted_contact_is_a_belief_too():
    """The re-mapping believes the wanted law, and a stiffness that stands only in the scenario's
    contact: both get errors, orbit keeps the truth."""
    scenario = candidates(build(epos_wall()), "remapping", "exact_hold")[0][0].scenario
    bare = scenario.replace({"methods": [{"name": "remapping"}]})
    for one in (scenario, bare):
        believed = list_beliefs(one)
        assert believed["stiffness"]["methods.0.stiffness_N_per_m"] == 1000.0
        assert believed["wanted"]["contact.0.wanted"]["stiffness_N_per_m"] == 1000.0
    wrong = [w for w in list_wrong_beliefs(bare) if w.kind == "wanted"]
    assert [w.scenario.tables["contact"][0]["wanted"]["stiffness_N_per_m"] for w in wrong] == [
        pytest.approx(900.0),
        pytest.approx(1100.0),
    ]


def test_the_longest_loop_is_not_left_to_the_end():
    """Two processes compile a comparison's loops: one would wait for the other. The lightest, whose
    parts all others link, comes before it, and beside that one the start of a run and orbit; no
    loop is compiled twice."""
    able, _ = candidates(load_scenario("epos_3d"), "all")
    names = [task.name for task in list_tasks(one.scenario for one in able)]
    loops = [name.removeprefix("the loop with ") for name in names if "loop" in name]
    assert loops[:2] == ["direct", "model_mediated"]
    assert names[1] == "the start of a run"
    assert names.index("orbit") < names.index("the loop with model_mediated")
    assert len(set(loops)) == len(loops) > 8
    assert list_tasks([]) == []
