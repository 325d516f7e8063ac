"""The monitor observes energy per axis, pairs force and pose by age, and does above its bound
what it was told to."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import (
    epos_wall,
    sphere_on_sphere,
)

from softdock import build, run_loop
from softdock.errors import BadInput


def with_methods(tables, *methods):
    return tables | {"methods": [dict(m) for m in methods]}


def monitored(tables, **keys):
    return run_loop(with_methods(tables, {"name": "monitor", **keys}))


@pytest.mark.parametrize("frame", ["world", "target", "chaser"])
def test_the_axes_sum_to_the_observed_energy(frame):
    """Six axes of any frame sum to the total, and with readings of one age that is the ledger's
    observed energy (one row later)."""
    s = monitored(sphere_on_sphere(delay_ms=16.0), frame=frame).series
    axes = s["monitor.force"].sum(axis=1) + s["monitor.torque"].sum(axis=1)
    assert axes == pytest.approx(s["monitor.total"], abs=1e-14)
    assert s["monitor.total"][1:] == pytest.approx(s["energy.observed"][:-1], abs=1e-12)
    assert np.abs(s["monitor.torque"][-1]).max() > 1e-4


@pytest.mark.parametrize(
    ("pose_ms", "force_ms"), [(0.0, 0.0), (16.0, 0.0), (0.0, 8.0), (16.0, 6.0), (10.0, 0.0)]
)
def test_force_and_pose_are_paired_by_age(pose_ms, force_ms):
    """In one dimension e^2 = 1 + observed / KE_0, however late poses and forces are reported;
    unpaired, 16 ms would be off by 0.1. 2e-3: trapezoid, and interpolation between samples."""
    tables = epos_wall() | {"pose": {"delay_ms": pose_ms}, "sensor": {"delay_ms": force_ms}}
    run = monitored(tables)
    kinetic = run.ledger["kinetic_start"]
    assert run.restitution**2 == pytest.approx(
        1.0 + run.series["monitor.total"][-1] / kinetic, abs=2e-3
    )
    assert run.series["monitor.age"][-1] == pytest.approx(1e-3 * max(pose_ms, force_ms), abs=1e-9)
    assert run.series["energy.observed"][:-1] == pytest.approx(
        run.series["monitor.total"][1:], abs=1e-12
    )  # the run's own, at no cost to the loop


def test_above_the_bound_it_logs():
    """The run goes on, to the bit as without a monitor; the event is told with its time."""
    run, plain = monitored(epos_wall(), bound_J=1e-3), run_loop(epos_wall())
    assert run.series["chaser.velocity"].tobytes() == plain.series["chaser.velocity"].tobytes()
    first = run.series["time"][np.argmax(run.series["monitor.above"] > 0.0)]
    assert any(f"first at t = {first - 0.004:.3f} s" in w for w in run.warnings)
    assert monitored(epos_wall(), bound_J=1.0).warnings == []


def test_above_the_bound_it_stops():
    """With the cycle that saw it; the series so far is kept."""
    run = monitored(epos_wall(), bound_J=1e-3, action="stop")
    assert run.status == "stopped by a method"
    assert run.series["monitor.total"][-1] > 1e-3 >= run.series["monitor.total"][-2]
    assert any("stopped after" in w for w in run.warnings)


def test_above_the_bound_it_damps():
    """The rig ends with less observed energy, the added damping's work is booked, and it comes
    without a jump."""
    raw, damped = (
        monitored(epos_wall(), bound_J=5e-4),
        monitored(epos_wall(), bound_J=5e-4, action="damp", damping_Ns_per_m=80.0),
    )
    assert damped.series["monitor.total"][-1] < 0.3 * raw.series["monitor.total"][-1]
    assert damped.ledger["virtual"] == pytest.approx(
        damped.series["monitor.absorbed"][-1], abs=1e-15
    )
    assert damped.ledger["virtual"] > 1e-3
    steps = np.abs(np.diff(damped.series["satellite.chaser.force.x"])).max()
    assert steps < 3.0 * np.abs(np.diff(raw.series["satellite.chaser.force.x"])).max()
    assert sum(damped.ledger_rows.values()) == pytest.approx(damped.energy_added_J, abs=1e-12)


def test_one_axis_can_set_it_off():
    """A bound on any single axis, though the total stays below its own."""
    run = monitored(sphere_on_sphere(delay_ms=16.0), bound_J=1e3, axis_bound_J=1e-3, action="stop")
    assert run.status == "stopped by a method"
    assert max(run.series["monitor.force"][-1].max(), run.series["monitor.torque"][-1].max()) > 1e-3


def test_a_monitor_that_could_not_see_is_refused_or_warned_about():
    """Readings older than it keeps; methods behind it."""
    late = with_methods(epos_wall(), {"name": "monitor", "longest_age_ms": 10.0}) | {
        "pose": {"delay_ms": 16.0}
    }
    with pytest.raises(
        BadInput, match=r"methods\.0\.longest_age_ms: given 10\.0; allowed: at least 16"
    ):
        build(late)
    assert any(
        "not the last method" in w
        for w in build(with_methods(epos_wall(), {"name": "monitor"}, {"name": "direct"})).warnings
    )
