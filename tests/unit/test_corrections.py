"""What methods did, axis by axis, read from a run's series, agrees with its ledger."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere

from softdock import run_loop
from softdock.results.method_reports import compute_output_correction, compute_wrench_work


def test_the_work_by_axis_sums_to_the_ledgers_row():
    """Both bodies free and turning, full inertia: forces and torques of all axes together are the
    row `adaptation`, and in free flight nothing is done."""
    tables = sphere_on_sphere(delay_ms=16.0)
    tables["methods"] = [{"name": "delay_passivity"}]
    run = run_loop(tables)
    by_axis = compute_wrench_work(run)
    total = np.sum([np.cumsum(work) for work in by_axis.values()], axis=0)
    assert np.abs(total - run.series["energy.adaptation"]).max() <= 1e-9 * abs(
        run.ledger["adaptation"]
    )
    assert len({name for name, work in by_axis.items() if np.abs(work).max() > 0.0}) == 12
    before = run.series["time"] < run.contacts[0]["start_s"]
    assert all(np.all(work[before] == 0.0) for work in by_axis.values())


def test_the_corrected_output_by_axis():
    """v_pc of the form with F(k-1) is T F / 2m on the axis of the force and zero on the others."""
    tables = epos_wall(delay_ms=8.0, integrator="symplectic_euler")
    tables["methods"] = [{"name": "passive_integrator"}]
    run = run_loop(tables)
    found = compute_output_correction(run)
    expected = 0.004 * run.series["satellite.chaser.force.x"] / (2.0 * 63.0)
    assert np.abs(found["chaser.x"] - expected)[1:].max() < 1e-12
    assert np.abs(expected).max() > 1e-4
    assert np.abs(found["chaser.y"]).max() == np.abs(found["target.x"]).max() == 0.0


def test_another_sensor_is_refused():
    """What it would say of a run with the sensor on the target would be wrong."""
    tables = epos_wall()
    tables["sensor"] = {"on": "target"}
    tables["time"]["duration_s"] = 0.1
    with pytest.raises(ValueError, match="chaser's sensor"):
        compute_wrench_work(run_loop(tables))
