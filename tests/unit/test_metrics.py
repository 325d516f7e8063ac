"""Metrics as a contract: keys, the instants that the definitions name, the verdict, the spread over
sampling phases."""

from __future__ import annotations

import json

import numpy as np
import pytest
from metric_runs import no_contact, pushed
from scenarios import cone_docking, epos_wall, whole_facility

from softdock.loop.energy.ledger import ROWS
from softdock.reference import run_reference
from softdock.results.simulation import simulate
from softdock.scenario.files import load_scenario, preset_names

TOP = {
    *(
        "schema",
        "softdock",
        "scenario",
        "status",
        "stopped_at_s",
        "cycles",
        "duration_s",
        "restitution",
        "restitution_energetic",
        "energy_ratio",
    ),
    *(
        "energy_added_J",
        "energy_error_J",
        "error_against_orbit",
        "ledger",
        "contacts",
        "contact_count",
        "final",
        "reference",
        "fidelity",
    ),
    *("summary", "verdict", "warnings"),
}
LEDGER = {
    *(
        "rows",
        "kinetic_start_J",
        "kinetic_end_J",
        "external_J",
        "real_J",
        "virtual_J",
        "designed_J",
        "observed_J",
        "stored_J",
        "dissipated_J",
    ),
    *("residual_J", "physics_residual"),
}
STATE = {"chaser", "target", "linear_momentum_Ns", "angular_momentum_Nms", "kinetic_energy_J"}
BODY = {"position_m", "attitude_wxyz", "velocity_m_per_s", "rate_rad_per_s"}
CONTACT = {
    *(
        "start_s",
        "end_s",
        "restitution",
        "restitution_energetic",
        "peak_force_real_N",
        "peak_force_satellite_N",
        "impulse_Ns",
        "pair",
    ),
    *("gap_rate_before_m_per_s", "gap_rate_after_m_per_s", "cycles"),
}


def stopped_by_force():
    return epos_wall() | {"stop": {"force_N": 2.0}}


def still_touching():
    tables = epos_wall()
    tables["time"]["duration_s"] = 0.9
    return tables


def diverging():
    """Between two walls with far too much delay: faster with every bounce, until no satellite is
    that fast."""
    tables = epos_wall(stiffness=2e4)
    tables["chaser"]["position_m"] = [0.0005, 0.0, 0.0]
    tables["contact"].append(
        {
            "geometry": "wall",
            "axis": [-1.0, 0.0, 0.0],
            "origin_m": [0.001, 0.0, 0.0],
            "real": {"stiffness_N_per_m": 2e4},
        }
    )
    tables["time"]["duration_s"] = 60.0
    return tables


EVERY = (
    epos_wall,
    cone_docking,
    whole_facility,
    stopped_by_force,
    no_contact,
    still_touching,
    diverging,
)


@pytest.mark.parametrize("tables", EVERY, ids=lambda t: t.__name__)
def test_the_contract_holds_for_every_run(tables):
    """All keys are there whatever happened, and JSON without NaN gives the same dict back."""
    m = simulate(tables()).metrics
    assert m.keys() >= TOP
    assert m["ledger"].keys() >= LEDGER
    assert set(m["ledger"]["rows"]) == set(ROWS)
    for state in (m["final"], m["reference"]):
        assert state.keys() >= STATE
        assert state["chaser"].keys() == state["target"].keys() == BODY
    for contact in m["contacts"] + m["reference"]["contacts"]:
        assert contact.keys() >= CONTACT
    assert json.loads(json.dumps(m, allow_nan=False)) == m
    assert m["summary"].endswith(".")
    rows, turnover = sum(m["ledger"]["rows"].values()), m["ledger"]["turnover_J"]
    assert rows - m["energy_added_J"] == pytest.approx(
        m["ledger"]["residual_J"], abs=1e-12 * turnover + 1e-15
    )
    assert abs(m["ledger"]["residual_J"]) <= 1e-12 * turnover + 1e-12


def test_numbers_agree_with_where_they_come_from():
    """`final` is the last row, `reference` is orbit, the top-level restitution is the first
    contact's."""
    run = simulate(cone_docking(delay_ms=12.0))
    m, ideal = run.metrics, run_reference(run.scenario)
    assert m["final"]["chaser"]["velocity_m_per_s"] == run.series["chaser.velocity"][-1].tolist()
    assert m["final"]["kinetic_energy_J"] == pytest.approx(run.ledger["kinetic"], rel=1e-12)
    assert m["reference"]["target"]["rate_rad_per_s"] == ideal.target[10:13].tolist()
    assert m["reference"]["kinetic_energy_J"] == pytest.approx(ideal.kinetic, rel=1e-12)
    assert m["restitution"] == m["contacts"][0]["restitution"] == run.restitution
    assert m["contact_count"] == len(m["contacts"]) > 1
    assert m["final"]["linear_momentum_Ns"] == pytest.approx(
        m["reference"]["linear_momentum_Ns"], abs=1e-10
    )
    assert m["fidelity"]["linear_momentum_error_Ns"] < 1e-10


def test_the_comparison_is_from_orbits_touch_to_the_last_reading():
    """With 16 ms of delay the mock-ups touch later than orbit, and the satellites feel the touch
    after the mock-ups have parted."""
    run = simulate(epos_wall(delay_ms=16.0))
    m = run.metrics
    contact, ideal, at = m["contacts"][0], m["reference"]["contacts"][0], m["fidelity"]
    assert ideal["start_s"] + 0.010 < contact["start_s"]
    assert ideal["start_s"] - 0.004 <= at["compared_from_s"] <= ideal["start_s"]
    assert contact["end_s"] < at["compared_at_s"] < contact["end_s"] + 0.02
    row = round(at["compared_at_s"] / 0.004)
    assert (
        np.linalg.norm(run.series["satellite.chaser.force"][row]) > 0.0
    )  # over the cycle that ends there, and never again
    assert not run.series["satellite.chaser.force"][row + 1 :].any()
    assert m["energy_ratio"] == pytest.approx(m["restitution"] ** 2, rel=1e-9)


@pytest.mark.parametrize(
    "sensor", [{"handover": "mean", "period_ms": 1.0}, {"lowpass_Hz": 20.0}, {"delay_ms": 9.0}]
)
def test_a_slow_sensor_is_waited_for(sensor):
    """Means, filters and late samples act after the touch: the satellites' energy no longer changes
    from the instant compared on."""
    run = simulate(epos_wall() | {"sensor": sensor})
    row = round(run.metrics["fidelity"]["compared_at_s"] / 0.004)
    later = run.series["energy.kinetic"][row:]
    assert len(later) > 100
    assert np.ptp(later) <= 5e-5 * later[-1]


def test_a_push_after_the_last_contact_changes_nothing():
    """Energies and distance are those after the contact, not those at the end of the run."""
    free, later = (
        simulate(t).metrics
        for t in (epos_wall(), pushed([[2.0, 1.0, 0, 0, 0, 0, 0], [2.5, 1.0, 0, 0, 0, 0, 0]]))
    )
    for key in ("energy_ratio", "error_against_orbit", "energy_error_J", "restitution"):
        assert later[key] == pytest.approx(free[key], rel=1e-9), key
    assert later["fidelity"]["energy_ratio_at_end"] > 1.2 * later["energy_ratio"]
    assert later["energy_added_J"] == pytest.approx(free["energy_added_J"], rel=1e-6)


def test_a_push_between_counts_in_both():
    """Orbit gets the same push at the same time, so what the rig did wrong is all that is left."""
    m = simulate(pushed([[0.1, -0.2, 0, 0, 0, 0, 0], [0.3, -0.2, 0, 0, 0, 0, 0]])).metrics
    assert m["ledger"]["external_J"] > 0.0
    assert m["reference"]["energy_ratio"] == pytest.approx(1.0, abs=1e-6)
    assert m["error_against_orbit"] == pytest.approx(m["restitution"] - 1.0, rel=1e-3)


def test_a_contact_not_over_is_said_and_not_guessed():
    """No instant after the last contact: the ratio and the distance are None, with a warning; what
    is known is given."""
    m = simulate(still_touching()).metrics
    assert m["status"] == "completed"
    assert (
        m["restitution"]
        is m["energy_ratio"]
        is m["error_against_orbit"]
        is m["energy_error_J"]
        is None
    )
    assert any("not over" in w for w in m["warnings"])
    assert "not over" in m["summary"]
    assert m["energy_added_J"] is not None
    assert m["fidelity"]["error_against_orbit_at_end"] is not None


def test_a_stopped_run_says_when_and_why():
    """A run ended by a limit says when and by what, in numbers and in words; orbit goes on to its
    end."""
    m = simulate(stopped_by_force()).metrics
    assert m["status"] == "force limit"
    assert m["stopped_at_s"] == pytest.approx(m["cycles"] * 0.004)
    assert m["stopped_at_s"] < m["duration_s"]
    assert m["summary"].startswith(f"The run stopped at {m['stopped_at_s']:.4g} s: force limit.")
    assert m["reference"]["status"] == "completed"


def test_a_run_that_diverges_says_so():
    """A run that diverges has no energy ratio, and its verdict says why."""
    m = simulate(diverging()).metrics
    assert m["status"] == "diverged"
    assert m["energy_ratio"] is None
    assert ": diverged. The loop added " in m["summary"]


def test_short_contacts_are_warned_about_once():
    """Before the run from the stiffness; after it from the contact itself, where the stiffness
    could not tell."""
    stiff = simulate(epos_wall(stiffness=1e6, delay_ms=0.0)).metrics
    assert sum("cycles; below 8" in w for w in stiff["warnings"]) == 1
    tables = epos_wall(delay_ms=0.0)
    tables["contact"][0]["real"] = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 1e8,
        "exponent": 1.5,
    }
    unknown = simulate(tables).metrics
    assert unknown["contacts"][0]["cycles"] < 8
    assert sum("lasted only" in w for w in unknown["warnings"]) == 1


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_closes_its_books(name):
    """The two checks of the ledger at each preset's own plant step: rows to 1e-12 of the turnover,
    the contact's work to 1e-3; and no warning, but that a pair which is held never parts."""
    run = simulate(load_scenario(name))
    ledger = run.metrics["ledger"]
    assert run.status == "completed"
    assert abs(ledger["residual_J"]) <= 1e-12 * ledger["turnover_J"] + 1e-12
    assert ledger["physics_residual"] is None or ledger["physics_residual"] < 1e-3
    held = ["not defined: the contact was not over when the run ended"] if len(run.latches) else []
    assert [one.partition(" are ")[2] for one in run.metrics["warnings"]] == held
