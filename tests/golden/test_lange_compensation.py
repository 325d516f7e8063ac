"""Full compensation (Lange IV-C): a wanted restitution behind elastic joints, with noise and an unknown gap, over 50 seeds and sampling phases.

Source of every number: design/physics.md section 5 and issue 7. The loop is the one of test_lange_remapping.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from softdock import BadInput, build, simulate
from softdock.papers.lange.compensation import ENVIRONMENTS, scenario_tables, start_of, wanted_contacts

DAMPERS, HUNT = wanted_contacts()[:3], wanted_contacts()[3]


def restitutions(wanted, environment, seeds, **keys):
    """As papers/lange/compensation.py has them, one run after the other: no batch to compile."""
    tables = scenario_tables(wanted.contact, **{**ENVIRONMENTS[environment], **keys})
    found = []
    for seed in range(1, seeds + 1):
        tables["random"] = {"seed": seed}
        tables["chaser"]["position_m"] = [float(start_of(seed)), 0.0, 0.0]
        found.append(simulate(tables).restitution)
    return np.array(found)


@pytest.mark.parametrize("wanted", DAMPERS, ids=lambda w: f"{w.restitution}")
def test_the_filter_gives_the_wanted_restitution(wanted):
    """1.0, 0.7, 0.3: the mean of 50 seeds within 0.003, a standard deviation of at most 0.004."""
    e = restitutions(wanted, "filter", 50)
    assert e.mean() == pytest.approx(wanted.restitution, abs=0.003)
    assert e.std(ddof=1) <= 0.004


def test_a_hunt_crossley_law_is_met_too():
    """lambda = 6.35 s/m gives 0.7 at 0.1 m/s, whatever the stiffness: 0.7 +- 0.005 over 20 seeds."""
    assert HUNT.restitution == pytest.approx(0.7, abs=1e-3)
    assert restitutions(HUNT, "filter", 20).mean() == pytest.approx(0.7, abs=0.005)


def test_without_the_filter_the_joints_take_the_energy():
    """Force over stiffness, joints and contact damping ignored, contacts where the poses say: about 0.68, 0.45, 0.17."""
    found = [restitutions(wanted, "ignored", 10, gap_m=0.0).mean() for wanted in DAMPERS]
    assert found == pytest.approx([0.68, 0.45, 0.17], abs=0.02)


def test_ways_around_the_joints_in_order():
    """For a lossless contact: ignoring them is far off, replacing the stiffness mends a part, the filter all of it; knowing the damping but not the joints
    errs to the other side. With poses that are right."""
    e = {name: restitutions(DAMPERS[0], name, 5, gap_m=0.0).mean() for name in ENVIRONMENTS}
    assert e["ignored"] < e["replaced"] - 0.05 < 0.85
    assert e["exact"] > 1.04
    assert e["filter"] == pytest.approx(1.0, abs=0.003)


@pytest.mark.parametrize("gap_m", [-1e-3, 0.0, 1e-3])
def test_the_gap_may_be_unknown(gap_m):
    """A millimetre to either side: the satellites touch before or after the mock-ups, and get the same restitution."""
    assert restitutions(DAMPERS[1], "filter", 5, gap_m=gap_m).mean() == pytest.approx(0.7, abs=0.003)


def test_wrong_joints_show():
    """Told a joint of twice the stiffness, the filter is wrong by more than its own spread, and by less than ignoring the joints: belief matters."""
    told = {"joint_stiffness_N_per_m": [1e6, 1e6], "joint_damping_ratio": [0.1, 0.1], "moving_mass_kg": [50.0, 50.0]}
    e = restitutions(DAMPERS[0], "filter", 5, filter=told).mean()
    assert 0.004 < abs(e - 1.0) < 0.2
    told["joint_stiffness_N_per_m"] = [5e5, 5e5]
    assert restitutions(DAMPERS[0], "filter", 5, filter=told).mean() == pytest.approx(1.0, abs=0.003)


def test_noise_alone_opens_no_contact():
    """4 sigma on three channels is passed by one sample in a thousand: in 150 000 samples of free flight none is taken for a contact."""
    tables = scenario_tables(DAMPERS[0].contact, environment="filter")
    tables["chaser"] |= {"position_m": [9.0, 0.0, 0.0], "velocity_m_per_s": [0.0, 0.01, 0.0]}
    tables["time"] = {"cycle_ms": 4.0, "duration_s": 600.0}
    run = simulate(tables)
    assert run.cycles == 150_000
    assert np.linalg.norm(run.series["measured.chaser.force"], axis=1).max() > 2.0
    assert run.method_books["remapping"]["contacts"] == 0.0


def test_what_the_filter_cannot_do_is_refused():
    """A contact that is no spring and damper, a stiffness estimated behind the joints, replaced stiffness without joints, noise of zero."""
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
