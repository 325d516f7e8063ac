"""The verdict of runs and of numbers, and the spread over sampling phases."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from metric_runs import no_contact, pushed
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock.errors import BadInput
from softdock.reference import run_reference
from softdock.results.phases import shift_scenario, simulate_phases
from softdock.results.simulation import simulate
from softdock.results.summary import _describe_added_energy, describe_run
from softdock.scenario.build import build


def test_the_verdict_of_runs():
    """A plain sentence whatever happened."""
    assert (
        simulate(epos_wall()).metrics["summary"]
        == "Rebound speed is 112 % of the approach speed; on orbit it is 100 %."
    )
    lost = epos_wall()
    lost["contact"][0]["real"]["damping_Ns_per_m"] = 100.0
    m = simulate(lost).metrics
    shares = [f"{100 * e:.3g} %" for e in (m["restitution"], m["reference"]["restitution"])]
    assert (
        m["summary"]
        == f"Rebound speed is {shares[0]} of the approach speed; on orbit it is {shares[1]}."
    )
    assert (
        simulate(no_contact()).metrics["summary"]
        == "Nothing touches, on this rig or on orbit. The loop added no energy."
    )
    assert simulate(cone_docking(delay_ms=12.0)).metrics["summary"].startswith("Over ")


@pytest.mark.parametrize(
    ("ours", "orbits", "said"),
    [
        (
            (0, None, 1.0),
            (2, 0.9, 0.8),
            "Nothing touches on this rig; on orbit there are 2 contacts.",
        ),
        (
            (1, 1.2, 1.1),
            (0, None, 1.0),
            "There is one contact on this rig; on orbit nothing touches.",
        ),
        (
            (1, 1.0001, 1.0),
            (1, 1.0, 1.0),
            "Rebound speed is 100 % of the approach speed; on orbit it is 100 %.",
        ),
        (
            (1, 1.0001, 1.0),
            (1, 0.7, 0.49),
            "Rebound speed is 100 % of the approach speed; on orbit it is 70 %.",
        ),
        (
            (1, -0.1, 0.5),
            (1, 0.7, 0.49),
            "Over one contact the satellites keep 50 % of their kinetic energy; on orbit 49 %.",
        ),
        (
            (3, 1.2, 1.5),
            (4, 1.0, 1.0),
            "Over 3 contacts the satellites keep 150 % of their kinetic energy; on orbit 100 % "
            "over 4 contacts.",
        ),
        (
            (1, 8.2131, 67.5),
            (1, 1.0, 1.0),
            "Rebound speed is 821 % of the approach speed; on orbit it is 100 %.",
        ),
        (
            (4, 1.2, 29.4),
            (4, 0.8, 0.6),
            "The loop diverged over 4 contacts.",
        ),
        (
            (2, 1.2, 0.5),
            (2, 1.0, 0.4),
            "Over 2 contacts the satellites keep 50 % of their kinetic energy; on orbit 40 %.",
        ),
    ],
)
def test_the_verdict_of_numbers(ours, orbits, said):
    """Protects the verdict's sentences: each combination of rig and orbit has the words that are
    true of it."""
    keys = ("contact_count", "restitution", "energy_ratio")
    m = {
        "status": "completed",
        **dict(zip(keys, ours, strict=True)),
        "reference": dict(zip(keys, orbits, strict=True)),
        "fidelity": {"compared_at_s": 1.0},
    }
    assert describe_run(m) == said


def test_phases_move_the_touch_and_nothing_else():
    """Both bodies tumble with full inertia: orbit's contact comes i/N of a cycle later, and is the
    same contact."""
    scenario = build(sphere_on_sphere(delay_ms=10.0))
    first = run_reference(scenario, record=False)
    for part in (0.25, 1.0):
        later = run_reference(shift_scenario(scenario, 0.004 * part), record=False)
        assert later.contacts[0]["start_s"] - first.contacts[0]["start_s"] == pytest.approx(
            0.004 * part, abs=1e-11
        )
        for key in ("restitution", "impulse_Ns", "peak_force_real_N"):
            assert later.contacts[0][key] == pytest.approx(first.contacts[0][key], rel=1e-7), key
    whole = simulate(
        shift_scenario(scenario, 0.004)
    )  # a whole cycle: the same samples, one row later
    assert whole.restitution == pytest.approx(simulate(scenario).restitution, rel=1e-9)


def test_phases_move_schedules_too():
    """A shifted phase moves thrust schedules with it: contact comes exactly so much later."""
    scenario = build(pushed([[0.1, -0.2, 0, 0, 0, 0, 0], [0.3, -0.2, 0, 0, 0, 0, 0]]))
    starts = [
        run_reference(s, record=False).contacts[0]["start_s"]
        for s in (scenario, shift_scenario(scenario, 0.003))
    ]
    assert starts[1] - starts[0] == pytest.approx(0.003, abs=1e-11)


def test_a_start_at_the_limit_of_its_range_has_every_phase():
    """What `check` accepts, runs: the phases start a little beyond what a user may give, and can
    be changed like any scenario."""
    tables = epos_wall()
    tables["target"]["fixed"] = False
    tables["chaser"] |= {"position_m": [-1e6, 0.0, 0.0], "velocity_m_per_s": [0.5, 0.0, 0.0]}
    tables["target"] |= {"position_m": [1e6, 0.0, 0.0], "rate_rad_per_s": [100.0, -100.0, 100.0]}
    tables["target"]["inertia_kg_m2"] = [10.0, 20.0, 29.0]
    moved = shift_scenario(build(tables), 0.002)
    assert moved.tables["chaser"]["position_m"][0] < -1e6
    assert max(map(abs, moved.tables["target"]["rate_rad_per_s"])) > 100.0
    assert moved.replace({"random.seed": 3}).tables["random"]["seed"] == 3
    with pytest.raises(BadInput, match="position_m"):
        build(moved.tables)


def test_phases_give_mean_and_spread():
    """Even phases, each number's statistics those of the runs, the first of which is the scenario's
    own."""
    run = simulate_phases(epos_wall(), 4)
    phases = run.metrics["phases"]
    assert [one["phase"] for one in phases["runs"]] == pytest.approx(
        [0.0, 0.25, 0.5, 0.75], abs=1e-6
    )
    values = [simulate(epos_wall(phase=p)).restitution for p in (0.0, 0.25, 0.5, 0.75)]
    spread = phases["spread"]["restitution"]
    assert [one["restitution"] for one in phases["runs"]] == pytest.approx(values, rel=1e-9)
    assert spread == pytest.approx(
        {
            "mean": np.mean(values),
            "std": np.std(values),
            "min": min(values),
            "max": max(values),
            "runs": 4,
        },
        rel=1e-6,
    )
    assert spread["max"] > spread["min"]
    assert run.metrics["restitution"] == simulate(epos_wall()).restitution
    assert {
        "energy_ratio",
        "energy_added_J",
        "error_against_orbit",
        "ledger.rows.robot",
        "fidelity.peak_force_N",
    } <= phases["spread"].keys()
    assert all(math.isfinite(x) for s in phases["spread"].values() for x in s.values())
    json.dumps(run.metrics, allow_nan=False)


@pytest.mark.parametrize("count", [0, -1, 2.5, True, 10**9])
def test_impossible_numbers_of_phases_are_refused(count):
    """Numbers of phases that are no count, or too many, are refused."""
    with pytest.raises(BadInput, match="count"):
        simulate_phases(epos_wall(), count)


@pytest.mark.parametrize(
    ("invented_J", "words"),
    [
        (0.012, "The loop added 12 mJ, 1.2 % of the energy at the start."),
        (-6.0, "The loop removed 6 J, 600 % of the energy at the start."),
        (40.0, "over 10 times the energy at the start"),
        (0.0, "The loop added no energy."),
        (None, "cannot be computed"),
    ],
)
def test_added_energy_is_a_share(invented_J, words):
    """In a readable unit and in percent of the energy at the start; more than ten times is
    divergence."""
    told = _describe_added_energy(
        {"energy_added_J": invented_J, "ledger": {"kinetic_start_J": 1.0}}
    )
    assert words in told
