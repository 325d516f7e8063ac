"""What went wrong with readings and robots is in the run's log, whatever method runs, and the
output stays bounded; what methods did is in its books."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall, virtual_damping, virtual_elements

from softdock import load_scenario, open_run, simulate
from softdock.results.faults import KINDS

FAULTS = {
    "froze": {"sensor": {"freeze_at_s": 0.9, "freeze_for_s": 0.15}},
    "jumped": {
        "sensor": {
            "jump_at_s": 0.7,
            "jump_for_s": 0.1,
            "jump_N": [3.0, 0.0, 0.0],
            "jump_Nm": [0.0, 0.1, 0.0],
        }
    },
    "saturated": {"sensor": {"range_N": 2.0}},
    "no new reading": {"sensor": {"period_ms": 8.0}},
    "lost": {
        "robots": {
            body: {"delay_ms": 16.0, "dropout_probability": 0.1} for body in ("chaser", "target")
        }
    },
    "delay grew": {
        "robots": {
            body: {"delay_ms": 10.0, "delay_ramp_ms_per_s": 40.0} for body in ("chaser", "target")
        }
    },
}
METHODS = {
    "direct": [{"name": "direct"}],
    "energy_ledger": [{"name": "energy_ledger"}],
    "delay_passivity": [{"name": "delay_passivity"}],
    "passive_integrator": [
        {"name": "passive_integrator", "form": "bounded", "largest_force_N": 20.0}
    ],
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("method", METHODS)
def test_every_fault_is_in_the_log_and_the_output_bounded(method, fault):
    """No NaN, the run goes on, no speed far beyond the approach; one event of the fault, with its
    time, and a warning that says so. Faults that stay for good, and what bounds them:
    tests/golden/test_faults.py."""
    tables = epos_wall() | FAULTS[fault] | {"methods": METHODS[method]}
    run = simulate(tables)
    assert run.status == "completed"
    assert np.isfinite(run.series.rows).all()
    limit = {"energy_ledger": 1.006, "delay_passivity": 1.006}.get(method, 2.0)
    assert np.abs(run.series["chaser.velocity"]).max() < limit * 0.02
    found = [event for event in run.events if event["what"] == fault]
    assert found, run.events
    assert all(
        event["text"] in run.warnings and 0.0 <= event["from_s"] <= event["to_s"] <= 3.0
        for event in found
    )
    assert {event["what"] for event in run.events} <= set(KINDS)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("elements", [virtual_elements, virtual_damping])
def test_virtual_elements_bear_every_fault(fault, elements):
    """Hybrid and monitor, adaptive damping, all acting, in the cone with noise."""
    tables = elements(duration_s=1.5)
    for name, keys in FAULTS[fault].items():
        for key, value in keys.items():
            tables.setdefault(name, {})[key] = (
                value if name == "sensor" else tables.get(name, {}).get(key, {}) | value
            )
    run = simulate(tables)
    assert np.isfinite(run.series.rows).all()
    assert (
        max(np.abs(run.series[f"{body}.velocity"]).max() for body in ("chaser", "target")) < 1.0
    )  # approach: 0.05 m/s
    if fault not in ("delay grew", "saturated"):  # those need a contact, and one hard enough
        assert any(event["what"] == fault for event in run.events)


def test_a_frozen_sensor_repeats_its_last_sample():
    """To the last bit, with new stamps, and then goes on; before and after it reads the contact."""
    run = simulate(epos_wall() | FAULTS["froze"])
    t, force = run.series["time"], run.series["measured.chaser.force.x"]
    frozen = (t > 0.9 - 1e-9) & (t < 1.05 - 1e-9)
    assert len(set(force[frozen])) == 1
    assert force[frozen][0] == force[~frozen & (t < 0.9)][-1] > 0.1
    assert run.series["force_age"].max() == 0.0
    assert np.abs(run.series["true.chaser.force.x"] - force)[~frozen].max() < 1e-12


def test_a_jump_is_added_for_its_time():
    """In the sensor's axes, which turn with the chaser that its torque turns a little."""
    run = simulate(epos_wall() | FAULTS["jumped"])
    t, off = (
        run.series["time"],
        run.series["measured.chaser.force"] - run.series["true.chaser.force"],
    )
    during = (t > 0.7 - 1e-9) & (t < 0.8 - 1e-9)
    assert np.abs(off[during][0] - np.array([3.0, 0.0, 0.0])).max() < 1e-12
    assert run.series["measured.chaser.torque.y"][during][0] == pytest.approx(0.1)
    assert np.linalg.norm(off[during], axis=1) == pytest.approx(3.0, rel=1e-9)
    assert np.abs(off[~during]).max() < 1e-12


def test_a_force_of_exactly_zero_is_noted_and_no_warning():
    """A run without a touch is noted as such, and nothing is wrong with it."""
    run = simulate(epos_wall(speed=-0.02))
    assert [event["what"] for event in run.events] == ["no force"]
    assert run.warnings == []


@pytest.mark.parametrize("method", ["energy_ledger", "delay_passivity"])
def test_what_a_method_did_by_axis(method, tmp_path):
    """Removed and returned by axis sum to the ledger's row, begin with the contact, and are in
    metrics, folder and page."""
    run = simulate(load_scenario("lange_cone").tables | {"methods": [{"name": method}]})
    books = run.method_books[method]
    net = sum(axis["returned_J"] - axis["removed_J"] for axis in books["axes"])
    row = run.ledger["correction" if method == "energy_ledger" else "adaptation"]
    assert net == pytest.approx(
        row, rel=1e-2 if method == "delay_passivity" else 1e-9, abs=1e-12
    )  # energy.md: port energy there
    assert {axis["axis"] for axis in books["axes"]} >= {
        "chaser.force.x",
        "target.force.x",
        "chaser.torque.z",
    }
    assert min(axis["first_s"] for axis in books["axes"]) > run.contacts[0]["start_s"] - 0.02
    folder = run.save(tmp_path / "run")
    assert open_run(folder).method_books == run.method_books
    page = (folder / "report.html").read_text()
    assert "What the methods did" in page
    assert "chaser.torque.z" in page


def test_what_the_passive_integrator_did_by_axis():
    """Only the axis that is pushed; its largest correction is T F / 2m of the largest force."""
    tables = epos_wall(delay_ms=8.0, integrator="symplectic_euler") | {
        "methods": [{"name": "passive_integrator"}]
    }
    (axis,) = simulate(tables).method_books["passive_integrator"]["axes"]
    assert axis["axis"] == "chaser.force.x"
    assert axis["removed_J"] > 0.0 == axis["returned_J"]
    assert axis["largest_correction_m_per_s"] == pytest.approx(
        0.004 * axis["largest_force_N"] / (2.0 * 63.0), rel=1e-9
    )
    published = simulate(
        tables | {"methods": [{"name": "passive_integrator", "form": "published"}]}
    )
    assert any("while a debt waited" in warning for warning in published.warnings)
    noisy = simulate(published.scenario.replace({"sensor.noise_N": 0.25}))
    assert any("times T F / 2m" in warning for warning in noisy.warnings)


def test_a_touch_that_the_sensor_kept_for_itself_is_warned_of():
    """A touch below the sensor's threshold is warned of with the key that hid it."""
    run = simulate(epos_wall() | {"sensor": {"threshold_N": 500.0}})
    (event,) = run.events
    assert event["what"] == "not felt"
    assert event["where"] == "sensor"
    assert any(
        "the sensor gave none of it (threshold_N = 500)" in warning for warning in run.warnings
    )


def test_a_torque_at_its_range_is_in_the_log():
    """Lange's cone touches beside the centre of mass: its torque saturates, and the log says which
    it was."""
    run = simulate(
        load_scenario("lange_cone", {"sensor.range_Nm": 1.0, "time.duration_s": 2.5}).replace(
            {"methods": [{"name": "energy_ledger"}]}
        )
    )
    assert any(event["what"] == "saturated" and "torque" in event["text"] for event in run.events)


def test_a_threshold_that_no_force_passes_is_in_the_log():
    """A method whose threshold no force passes did nothing, and the run says so."""
    run = simulate(epos_wall() | {"methods": [{"name": "energy_ledger", "threshold_N": 1000.0}]})
    assert any("energy_ledger did nothing" in warning for warning in run.warnings)
