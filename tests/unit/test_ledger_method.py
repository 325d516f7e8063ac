"""The energy ledger method: bounds of its corrections, what it says of bad readings, its campaign
and its registry entry."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall

from softdock import build, load_scenario, simulate
from softdock.compile.jit import entry_point
from softdock.loop.method.interface import Rig, Satellites
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.methods.measured.noise_bias import compute_deviations
from softdock.methods.measured.projection import (
    carry_poses,
    find_line,
    push_along,
    scale_relative,
    weld_pair,
)
from softdock.methods.registry import METHODS
from softdock.studies.campaign.passive_contacts import ALLOWED, CLAIMS, run_passive_contacts

LEDGER = {"name": "energy_ledger"}
deviations = entry_point(compute_deviations)


def bounce(method=None, **tables):
    return simulate(epos_wall(delay_ms=16.0) | tables | {"methods": [LEDGER | (method or {})]})


def test_confidence_in_standard_deviations():
    """0.5 asks for no bias; the others are those of a Gaussian's table."""
    assert deviations(0.5) == 0.0
    assert [round(deviations(c), 4) for c in (0.9, 0.99, 0.999)] == [1.2816, 2.3263, 3.0902]


@pytest.mark.parametrize("transit", ["held", "slope"])
@pytest.mark.parametrize("step", [0.02, 0.25])
def test_no_velocity_jump_beyond_its_bound_when_contact_is_lost_on_loan(transit, step):
    """A hard contact is lost while energy is on loan (the transit was overestimated). Once no force
    acts, the speed changes by at most the given share of the approach speed in a cycle."""
    tables = epos_wall(delay_ms=32.0, stiffness=40_000.0)
    run = simulate(tables | {"methods": [LEDGER | {"transit": transit, "step": step}]})
    free = np.abs(run.series["satellite.chaser.force.x"][1:]) == 0.0
    jumps = np.abs(np.diff(run.series["chaser.velocity.x"]))[free]
    books = run.method_books["energy_ledger"]
    assert jumps.max() <= step * books["fastest_approach_m_per_s"] * (1.0 + 1e-9)
    assert books["largest_step_m_per_s"] <= step * books["fastest_approach_m_per_s"] * (1.0 + 1e-9)
    if transit == "held":
        assert jumps.max() > 1e-6  # there was a loan


def test_what_it_did_is_in_its_books_and_in_the_runs_ledger():
    """Removed and returned sum to the row `correction`; the series says when."""
    run = simulate(load_scenario("lange_cone").tables | {"methods": [LEDGER]})
    books, row = run.method_books["energy_ledger"], run.series["energy.correction"]
    assert books["removed_J"] > 0.1
    assert books["returned_J"] - books["removed_J"] == pytest.approx(
        row[-1], abs=1e-4
    )  # spins put right are booked in the row alone
    assert (
        np.abs(np.diff(row)[run.series["time"][1:] < 1.7]).max() == 0.0
    )  # nothing before the first touch
    assert books["unpaid_J"] < 1e-3


@entry_point
def corrected(rig, before, wrench, impulse, factor):
    """An impulse along the wrench, then a scaling of all relative motion, then poses to match."""
    pushed = push_along(rig, before, find_line(rig, before, wrench), impulse)
    return carry_poses(
        rig, before, scale_relative(rig, pushed, weld_pair(rig, pushed), factor)
    ), weld_pair(rig, pushed)


def pair_momenta(rig, satellites):
    """Linear and angular momentum of the pair about the world's origin."""
    bodies = [
        (np.array(p.mass), b) for p, b in zip((rig.chaser, rig.target), satellites, strict=True)
    ]
    linear = sum(m * np.array(b.v) for m, b in bodies)
    return linear, sum(np.cross(b.p, m * np.array(b.v)) + np.array(b.L) for m, b in bodies)


def test_corrections_keep_the_momenta_of_the_pair():
    """Turning bodies with full inertia, any wrench: both momenta to rounding, by either kind of
    correction and with the poses carried along."""
    random = np.random.default_rng(5)
    for _ in range(20):
        params, states = [], []
        for _ in range(2):
            mass = float(random.uniform(10.0, 5000.0))
            a = random.normal(size=(3, 3))
            inertia = mass * (np.eye(3) + 0.1 * (a + a.T))
            six = tuple(float(inertia[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
            inverse = np.linalg.inv(inertia)
            back = tuple(
                float(inverse[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            )
            params.append(
                BodyParams(
                    fixed=False,
                    mass=(mass,) * 3,
                    inverse_mass=(1.0 / mass,) * 3,
                    inertia=six,
                    inverse_inertia=back,
                )
            )
            p, v, L, q = (random.normal(size=n) for n in (3, 3, 3, 4))
            states.append(
                Body(*(tuple(float(x) for x in y) for y in (p, q / np.linalg.norm(q), v, mass * L)))
            )
        rig, before = Rig(0, 0.004, *params), Satellites(*states)
        force, torque = (tuple(float(x) for x in random.normal(size=3)) for _ in range(2))
        after, weld = corrected(
            rig,
            before,
            Wrench(force, torque),
            float(random.normal() * 100.0),
            float(random.uniform(0.5, 1.5)),
        )
        for same in (after, weld):
            for was, now in zip(pair_momenta(rig, before), pair_momenta(rig, same), strict=True):
                assert np.abs(now - was).max() < 1e-12 * 5000.0 * 10.0


def test_work_from_outside_is_not_taken():
    """A thruster works on the satellite during the contact: the ledger counts its work, and energy
    is as without delay."""
    thrust = {
        "chaser": {
            "rows": [[0.6, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.6, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
        }
    }
    run = bounce(external=thrust)
    assert run.ledger["external"] > 0.1 * run.ledger["kinetic_start"]
    assert abs(run.energy_added_J) < 0.01 * run.ledger["kinetic_start"]


# Bad readings: bounded output, the event in the run's log, no NaN.


def check_bounded(run, factor=1.1):
    assert run.status == "completed"
    assert np.isfinite(run.series.rows).all()
    assert np.abs(run.series["chaser.velocity"]).max() <= factor * 0.02


def test_a_force_of_exactly_zero():
    """No contact, no division by the force."""
    run = bounce(chaser=epos_wall()["chaser"] | {"velocity_m_per_s": [0.02, 0.0, 0.0]})
    check_bounded(run, 1.0)
    assert run.method_books["energy_ledger"]["contacts"] == 0


def test_a_sensor_that_saturates():
    """Its plateau is no freeze: the method knows the range from the scenario, says so, and takes
    the force as it is."""
    for sensor in ({"range_N": 1.0}, {"range_N": 1.0, "resolution_N": 0.3}):
        run = bounce(sensor=sensor)
        check_bounded(run)
        assert any("saturated" in warning for warning in run.warnings)
        assert run.method_books["energy_ledger"]["cycles_not_believed"] == 0.0


def test_a_healthy_run_has_nothing_to_warn_of():
    """Debts of rounding are none."""
    assert bounce().warnings == []


def test_a_sensor_that_jumps():
    """A jump of 20 N is held back for a cycle, then believed."""
    push = {
        "chaser": {
            "rows": [
                [0.1, 0.0, 0, 0, 0, 0, 0],
                [0.101, 20.0, 0, 0, 0, 0, 0],
                [0.121, 20.0, 0, 0, 0, 0, 0],
                [0.122, 0.0, 0, 0, 0, 0, 0],
            ]
        }
    }
    run = bounce({"jump_N": 10.0}, hand=push)
    assert any("jumped 2 times" in warning for warning in run.warnings)
    assert np.isfinite(run.series.rows).all()


def test_a_delay_that_grows_during_contact():
    """From 16 to some 60 ms within the contact: still an honest bounce, and the log says that the
    robots trailed longer."""
    robot = {"delay_ms": 10.0, "delay_ramp_ms_per_s": 40.0}
    run = bounce(robots={"chaser": robot, "target": robot})
    check_bounded(run)
    assert run.restitution == pytest.approx(1.0, abs=0.01)
    assert any("trailed" in warning for warning in run.warnings)


def test_cycles_without_a_new_force():
    """A sensor slower than the cycle, as if every second hand-over were missed."""
    run = bounce(sensor={"period_ms": 8.0})
    check_bounded(run)
    assert any("no new force" in warning for warning in run.warnings)
    assert run.restitution == pytest.approx(1.0, abs=0.01)


def test_poses_that_get_lost():
    """Every fifth pose never arrives: work is booked when the next one does."""
    run = bounce(pose={"dropout_probability": 0.2})
    check_bounded(run)
    assert run.restitution == pytest.approx(1.0, abs=0.01)


def test_random_passive_contacts():
    """A small campaign: the passive claim holds, the raw loop breaks it in most runs. The whole of
    it: python -m benchmarks passive_contacts."""
    campaign = run_passive_contacts(90, seed=7, methods=[CLAIMS["energy_ledger"]])
    family, worst = campaign.worst
    assert campaign.failures == 0, f"{family.excess[worst]} of KE_0 in {family.scenario(worst)}"
    raw = run_passive_contacts(90, seed=7, methods=[{"name": "direct"}])
    assert raw.failures > 45
    assert max(f.excess.max() for f in raw.families) > 10.0 * ALLOWED


def test_the_worst_scenario_runs_alone():
    """What is printed of the worst run makes the same run again."""
    campaign = run_passive_contacts(9, seed=3, methods=[CLAIMS["energy_ledger"]])
    family, worst = campaign.worst
    run = simulate(build(family.scenario(worst)))
    kinetic = run.ledger["kinetic"]
    common = (
        0.0
        if family.name == "wall"
        else np.linalg.norm(run.metrics["final"]["linear_momentum_Ns"]) ** 2 / 2.0
    )
    common = common and common / (
        family.swept["chaser.mass_kg"][worst] + family.swept["target.mass_kg"][worst]
    )
    assert kinetic - common == pytest.approx(family.end_J[worst], rel=1e-9)


def test_the_registry_entry_reads_the_data_sheet():
    """In comparisons the method is told what the scenario says of the sensor; masses per axis are
    refused."""
    method, preset = METHODS["energy_ledger"], load_scenario("epos_3d")
    keys = method.suggest(preset)
    assert keys["noise_N"] == pytest.approx(0.125)
    assert "force_mean_ms" not in keys  # a mean's stamp is that of its middle
    assert build(preset.tables | {"methods": [LEDGER | keys]})
    tables = epos_wall()
    tables["chaser"]["mass_kg"] = [60.0, 63.0, 63.0]
    assert "per axis" in method.refuses(build(tables))
