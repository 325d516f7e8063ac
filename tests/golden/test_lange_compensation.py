"""Full compensation (Lange IV-C): a wanted restitution behind elastic joints, with noise and an
unknown gap, over 50 seeds and sampling phases.

Every number was computed by a prototype, independently of softdock. The loop is the one of
test_lange_remapping.py.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softdock import BadInput, Stepper, build, run_loop
from softdock.loop import entry_points
from softdock.methods.registry import METHODS
from softdock.papers.lange.full_compensation import (
    DAMPING,
    ENVIRONMENTS,
    STIFFNESS,
    list_wanted_contacts,
    scenario_tables,
    start_position,
)
from softdock.results.run import list_contacts
from softdock.results.stepper import count_cycles
from softdock.studies.campaign.columns import make_columns

PAGE = (Path(__file__).parents[2] / "docs" / "remapping.md").read_text(encoding="utf-8")
DAMPERS, HUNT = list_wanted_contacts()[:3], list_wanted_contacts()[3]
OTHERS = [name for name in ENVIRONMENTS if name != "filter"]


def restitutions(wanted, environment, seeds, **keys):
    """As papers/lange/full_compensation.py has them, one run after the other: no batch to compile.
    Only the loop is run: what a run says of itself takes as long again."""
    scenario = build(scenario_tables(wanted.contact, **{**ENVIRONMENTS[environment], **keys}))
    number = np.arange(1, seeds + 1)
    swept = {"random.seed": number, "random.run": np.zeros(seeds)}
    vectors, markers, _ = make_columns(
        scenario, swept | {"chaser.position_m.0": start_position(number)}
    )
    return np.array(
        [first_contact(replace(scenario, vector=row, markers=markers)) for row in vectors]
    )


def first_contact(scenario):
    """Restitution of a run's first contact."""
    loop = Stepper(scenario)
    assert loop.step(count_cycles(scenario)) == "completed"
    return list_contacts(loop.log, entry_points.finish(loop.state, loop.log))[0]["restitution"]


@functools.cache
def table(name):
    """With an environment, by law and wanted restitution: 50 restitutions."""
    return {
        (w.law, round(w.restitution, 4)): restitutions(w, name, 50) for w in list_wanted_contacts()
    }


@pytest.mark.parametrize("wanted", [1.0, 0.7, 0.3])
def test_the_filter_gives_the_wanted_restitution(wanted):
    """1.0, 0.7, 0.3: the mean of 50 seeds within 0.003, a standard deviation of at most 0.004."""
    e = table("filter")["damper", wanted]
    assert e.mean() == pytest.approx(wanted, abs=0.003)
    assert e.std(ddof=1) <= 0.004


def test_a_hunt_crossley_law_is_met_too():
    """lambda = 6.35 s/m gives 0.7 at 0.1 m/s, whatever the stiffness: 0.7 +- 0.005."""
    assert HUNT.restitution == pytest.approx(0.7, abs=1e-3)
    found = table("filter")["hunt_crossley", round(HUNT.restitution, 4)]
    assert found.mean() == pytest.approx(0.7, abs=0.005)


@pytest.mark.parametrize(
    "name", ["filter", *(pytest.param(n, marks=pytest.mark.prove) for n in OTHERS)]
)
def test_the_page_has_this_table(name):
    """docs/remapping.md: mean, deviation, least and most of every row, as printed by the
    command (one batch there, one run after the other here). The others with fewer seeds: below."""
    lines = [
        line.split() for line in PAGE.splitlines() if line.startswith(("damper ", "hunt_crossley "))
    ]
    rows = [line for line in lines if line[2] == name]
    assert len(rows) == len(table(name))
    assert len(lines) == len(ENVIRONMENTS) * len(rows)
    for law, wanted, _, mean, bias, deviation, median, least, most in rows:
        e = table(name)[law, float(wanted)]
        found = [e.mean(), e.mean() - float(wanted), e.std(ddof=1), np.median(e), e.min(), e.max()]
        assert found == pytest.approx(
            [float(x) for x in (mean, bias, deviation, median, least, most)], abs=2e-4
        )


def believed(stiffness=1.0, mass=1.0):
    """Joints as told to the filter, as factors of what they are."""
    return {
        "filter": {
            "joint_stiffness_N_per_m": [5e5 * stiffness] * 2,
            "moving_mass_kg": [50.0 * mass] * 2,
            "joint_damping_ratio": [0.1, 0.1],
        }
    }


WRONG = {
    "joints 20 % too stiff": believed(1.2),
    "joints 20 % too soft": believed(0.8),
    "moving masses 20 % too large": believed(1.0, 1.2),
    "moving masses 20 % too small": believed(1.0, 0.8),
    "contact 10 % too stiff": {"stiffness_N_per_m": 1.1 * STIFFNESS, "damping_Ns_per_m": DAMPING},
    "contact 10 % too soft": {"stiffness_N_per_m": 0.9 * STIFFNESS, "damping_Ns_per_m": DAMPING},
    "contact damping 20 % too large": {
        "stiffness_N_per_m": STIFFNESS,
        "damping_Ns_per_m": 1.2 * DAMPING,
    },
}


@pytest.mark.parametrize("told", WRONG)
def test_the_page_says_what_a_wrong_belief_costs(told):
    """Its second table, ten seeds, to the last digit."""
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {told} |"))
    found = [restitutions(wanted, "filter", 10, **WRONG[told]).mean() for wanted in DAMPERS]
    assert found == pytest.approx([float(x) for x in row.split("|")[2:5]], abs=6e-4)


def test_without_the_filter_the_joints_take_the_energy():
    """Force over stiffness, joints and contact damping ignored, contacts where the poses say: about
    0.68, 0.45, 0.17."""
    found = [restitutions(wanted, "ignored", 10, gap_m=0.0).mean() for wanted in DAMPERS]
    assert found == pytest.approx([0.68, 0.45, 0.17], abs=0.02)


def test_ways_around_the_joints_in_order():
    """For a lossless contact: ignoring them is far off, replacing the stiffness mends a part, the
    filter all of it; knowing the damping but not the joints errs to the other side. With poses that
    are right."""
    e = {name: restitutions(DAMPERS[0], name, 5, gap_m=0.0).mean() for name in ENVIRONMENTS}
    assert e["ignored"] < e["replaced"] - 0.05 < 0.85
    assert e["exact"] > 1.04
    assert e["filter"] == pytest.approx(1.0, abs=0.003)


@pytest.mark.parametrize("gap_m", [-1e-3, 0.0, 1e-3])
def test_the_gap_may_be_unknown(gap_m):
    """A millimetre to either side: the satellites touch before or after the mock-ups, and get the
    same restitution."""
    assert restitutions(DAMPERS[1], "filter", 5, gap_m=gap_m).mean() == pytest.approx(
        0.7, abs=0.003
    )


def test_joints_as_believed_are_those_of_the_scenario():
    """Told what the scenario's joints are, the filter gives the same numbers to the bit."""
    assert (
        restitutions(DAMPERS[0], "filter", 3, **believed()).tolist()
        == restitutions(DAMPERS[0], "filter", 3).tolist()
    )


def test_noise_alone_opens_no_contact():
    """4 sigma on three channels is passed by one sample in a thousand: in 150 000 samples of free
    flight none is taken for a contact."""
    tables = scenario_tables(DAMPERS[0].contact, environment="filter")
    tables["chaser"] |= {"position_m": [9.0, 0.0, 0.0], "velocity_m_per_s": [0.0, 0.01, 0.0]}
    tables["time"] = {"cycle_ms": 4.0, "duration_s": 600.0}
    run = run_loop(tables)
    assert run.cycles == 150_000
    assert np.linalg.norm(run.series["measured.chaser.force"], axis=1).max() > 2.0
    assert run.method_books["remapping"]["contacts"] == 0.0


def test_a_comparison_suggests_the_filter_behind_elastic_joints():
    """What `softdock compare` would take; and `exact` there is warned about."""
    tables = scenario_tables(DAMPERS[0].contact)
    assert any("elastic joints" in warning for warning in build(tables).warnings)
    tables["methods"] = [{"name": "direct"}]
    keys = METHODS["remapping"].suggest(build(tables))
    assert keys["environment"] == "filter"
    assert keys["estimate"] == "given"
    tables["methods"] = [{"name": "remapping", **keys}]
    assert run_loop(tables).restitution == pytest.approx(1.0, abs=0.01)


def test_what_the_filter_cannot_do_is_refused():
    """A contact that is no spring and damper, a stiffness estimated behind the joints, replaced
    stiffness without joints, noise of zero."""
    for change, said in (
        ({"environment": "filter", "estimate": "on_line"}, "methods.0.estimate"),
        ({"environment": "filter", "filter": {"noise_N": 0.0}}, "filter.noise_N"),
        ({"environment": "replaced_stiffness", "estimate": "on_line"}, "methods.0.estimate"),
    ):
        with pytest.raises(BadInput, match=said):
            build(scenario_tables(DAMPERS[0].contact, **change))
    tables = scenario_tables(DAMPERS[0].contact, environment="filter")
    tables["contact"][0]["real"] = dict(HUNT.contact)
    with pytest.raises(BadInput, match="springs and dampers"):
        build(tables)
    rigid = scenario_tables(DAMPERS[0].contact, environment="replaced_stiffness")
    for robot in rigid["robots"].values():
        robot["joint_stiffness_N_per_m"] = 0.0
    with pytest.raises(BadInput, match="joint_stiffness_N_per_m"):
        build(rigid)
