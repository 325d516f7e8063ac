"""What orbit would do, against numbers that were computed without softdock, and against what no
contact may change.

Contacts of Zebenay's nozzle and of Lange's cone were computed with prototypes; closed forms are
derived where they stand.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from orbit_cases import bounce, flown, random_docking
from scenarios import cone_docking, sphere_on_sphere
from turned import hamilton, matrix, moved, quaternion

from softdock import build
from softdock.reference import run_reference
from softdock.results.momenta import compute_angular_momentum, compute_linear_momentum
from softdock.scenario.files import load_scenario

# --- golden numbers ---


def test_lange_four_contacts():
    """A bar in a cone bumps four times and leaves, as in Lange's Fig. 7: instants to 2 ms and peaks
    to 1 N of a prototype that was written independently."""
    result = run_reference(load_scenario("lange_cone"))
    assert [c["start_s"] for c in result.contacts] == pytest.approx(
        [1.768, 3.264, 3.902, 5.393], abs=2e-3
    )
    assert [c["peak_force_satellite_N"] for c in result.contacts] == pytest.approx(
        [80.0, 196.0, 196.0, 77.0], abs=1.0
    )
    assert np.linalg.norm(result.chaser[7:10] - result.target[7:10]) == pytest.approx(
        0.097, abs=1e-3
    )
    assert result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)


def test_epos_three_contacts():
    """A probe in a nozzle touches wall, bottom and wall, and then leaves: three contacts, as in
    Zebenay's paper; instants and peaks of an independent prototype."""
    result = run_reference(load_scenario("epos_3d"))
    assert [c["start_s"] for c in result.contacts] == pytest.approx([3.4, 6.3, 10.0], abs=0.1)
    assert [c["peak_force_satellite_N"] for c in result.contacts] == pytest.approx(
        [5.0, 35.0, 5.0], abs=0.5
    )
    bottom = np.argmax(np.linalg.norm(result.series["true.chaser.force"], axis=1))
    assert abs(result.series["true.chaser.force"][bottom][0]) > 0.99 * 35.0  # N, along the axis
    assert result.series["contact.depth"][-1] < 0.0


@pytest.mark.parametrize("damping", [0.0, 20.0, 60.0, 120.0, 386.6])
def test_damped_impact(damping):
    """Spring and damper that never pull: the force ends at w_d t = 2 theta, cos theta = zeta, so e
    = exp(-2 theta cot theta)."""
    m, k, v = 63.0, 1000.0, 0.02
    theta = math.acos(damping / (2.0 * math.sqrt(k * m)))
    result = run_reference(build(bounce(k, m, v, damping_Ns_per_m=damping)), record=False)
    e = math.exp(-2.0 * theta / math.tan(theta))
    assert result.restitution == pytest.approx(e, abs=1e-9)
    assert result.dissipated == pytest.approx(0.5 * m * v * v * (1.0 - e * e), rel=1e-9, abs=1e-15)
    if damping == 0.0:
        assert result.peak_force == pytest.approx(v * math.sqrt(k * m), rel=1e-9)
        assert result.contacts[0]["end_s"] - result.contacts[0]["start_s"] == pytest.approx(
            math.pi * math.sqrt(m / k), abs=1e-9
        )


@pytest.mark.parametrize(
    ("damping", "restitution"), [(20.0, 0.8851), (60.0, 0.7051), (120.0, 0.5197)]
)
def test_damped_impact_against_the_ledger_numbers(damping, restitution):
    """63 kg on 1000 N/m, as an independent prototype gives for orbit; printed to four decimals."""
    assert run_reference(
        build(bounce(damping_Ns_per_m=damping)), record=False
    ).restitution == pytest.approx(restitution, abs=1e-4)


@pytest.mark.parametrize("stiffness", [5e5, 5e6])
def test_hunt_crossley_restitution_does_not_depend_on_stiffness(stiffness):
    """lambda = 6.35 s/m gives 0.7 at 0.1 m/s for any stiffness, by a prototype."""
    tables = bounce(stiffness, 50.0, 0.1, law="hunt_crossley", lambda_s_per_m=6.35)
    tables["time"]["duration_s"] = 1.0
    assert run_reference(
        build(tables | {"allow_unresolved": True}), record=False
    ).restitution == pytest.approx(0.7, abs=1e-3)


def test_linear_damping_386_6_gives_0_7():
    """Lange's two 100 kg bodies on 50 N/mm with 386.6 Ns/m, clipped at zero: 0.7, by a
    prototype."""
    tables = bounce(5e4, 50.0, 0.1, damping_Ns_per_m=386.6)
    assert run_reference(
        build(tables | {"allow_unresolved": True}), record=False
    ).restitution == pytest.approx(0.7, abs=1e-4)


# --- what no contact may change ---


@pytest.mark.parametrize("seed", range(8))
def test_lossless_contact_keeps_energy_and_momentum(seed):
    """Kinetic energy to 1e-9 and both momenta to 1e-12 of what was exchanged, for bodies and
    geometry along no axis."""
    result, bodies, start, end = flown(random_docking(seed), record=False)
    assert result.contact_count >= 1, f"seed {seed} missed"
    assert result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)
    exchanged = sum(c["impulse_Ns"] for c in result.contacts)
    assert np.abs(
        compute_linear_momentum(bodies, end) - compute_linear_momentum(bodies, start)
    ).max() < 1e-12 * max(exchanged, 1.0)
    assert np.abs(
        compute_angular_momentum(bodies, end) - compute_angular_momentum(bodies, start)
    ).max() < 1e-12 * max(exchanged, 1.0)


def test_a_tip_that_runs_over_an_edge_keeps_its_energy():
    """Where the nearest point leaves a face for an edge the force has a kink; steps are cut
    there."""
    tables = random_docking(3)
    tables["contact"][0]["tip_radius_m"] = (
        0.004  # touches wall and bottom, and leaves the wall's lower end
    )
    result, *_ = flown(tables, record=False)
    assert result.contact_count == 1
    assert result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_damped_contact_balances(seed):
    """Kinetic + stored + dissipated energy is constant at every recorded instant."""
    tables = random_docking(seed)
    tables["contact"][0]["real"]["damping_Ns_per_m"] = 30.0
    s = run_reference(build(tables)).series
    total = s["energy.kinetic"] + s["energy.stored"] + s["energy.dissipated"]
    assert s["energy.dissipated"][-1] > 0.0
    assert np.abs(total / total[0] - 1.0).max() < 1e-9


def test_lossless_hunt_crossley_keeps_energy():
    """A law with a fractional exponent is not smooth at depth zero; graded steps keep its energy
    all the same."""
    tables = sphere_on_sphere()
    tables["contact"][0]["real"] = {"law": "hunt_crossley", "stiffness_N_per_m": 2e4}
    result, *_ = flown(tables, record=False)
    assert result.contact_count == 1
    assert result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)


def test_mass_per_axis():
    """A mass that differs per world axis: the energy is kept, and the momentum along each axis."""
    tables = sphere_on_sphere()
    tables["chaser"]["mass_kg"] = [60.0, 80.0, 120.0]
    result, bodies, start, end = flown(tables, record=False)
    assert result.contact_count == 1
    assert result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)
    assert (
        np.abs(compute_linear_momentum(bodies, end) - compute_linear_momentum(bodies, start)).max()
        < 1e-12
    )


@pytest.mark.parametrize("fixed", ["chaser", "target"])
def test_fixed_body_stays(fixed):
    """A fixed body moves by not one bit, whatever hits it, and the other keeps its energy."""
    tables = sphere_on_sphere(duration_s=3.0)
    tables[fixed] |= {"fixed": True}
    result, _, start, end = flown(tables, record=False)
    which = ("chaser", "target").index(fixed)
    assert result.contact_count == 1
    assert np.array_equal(start[which], end[which])
    assert result.kinetic == pytest.approx(result.kinetic_start, rel=1e-9)


def test_orbit_does_not_depend_on_where_it_is():
    """The same docking elsewhere and turned ends in the same motion, turned."""
    tables, q, shift = cone_docking(), quaternion([0.4, -0.7, 1.1]), [3.0, -2.0, 1.0]
    here, there = (
        run_reference(build(tables), record=False),
        run_reference(build(moved(tables, q, shift)), record=False),
    )
    assert matrix(q) @ here.chaser[7:10] == pytest.approx(there.chaser[7:10], abs=1e-10)
    assert here.chaser[10:13] == pytest.approx(there.chaser[10:13], abs=1e-10)
    assert abs(hamilton(q, here.chaser[3:7]) @ there.chaser[3:7]) == pytest.approx(1.0, abs=1e-12)
