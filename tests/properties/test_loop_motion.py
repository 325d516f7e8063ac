"""Motion in every docking: unit quaternions, no special place, robots that are where they
should be, noise by seed, forces that push."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from any_docking import NAMES, dockings, inertia_of, number, run_docking, vector
from hypothesis import given
from scenarios import cone_docking, sphere_on_sphere
from turned import matrix, moved, quaternion

from softdock import run_loop


@given(tables=dockings(delays=number(0.0, 20.0)))
def test_a_sphere_pushes_along_its_normal(tables):
    """The true force on the chaser is along the line of centres, never pulls, and there is none
    without depth."""
    tables = copy.deepcopy(tables)
    tables["contact"] = sphere_on_sphere(damping=30.0)["contact"]
    tables["chaser"] |= {
        k: sphere_on_sphere()["chaser"][k]
        for k in ("position_m", "attitude_wxyz", "velocity_m_per_s")
    }
    tables["target"] |= {
        k: sphere_on_sphere()["target"][k] for k in ("attitude_wxyz", "velocity_m_per_s")
    }
    run = run_docking(tables)
    pair, series = tables["contact"][0], run.series
    force, depth = series["true.chaser.force"], series["contact.depth"]
    for k in np.flatnonzero(depth[1:] > 0.0) + 1:
        tip = (
            series["mock_up.chaser.position"][k]
            + matrix(series["mock_up.chaser.attitude"][k]) @ pair["tip_m"]
        )
        centre = (
            series["mock_up.target.position"][k]
            + matrix(series["mock_up.target.attitude"][k]) @ pair["origin_m"]
        )
        normal = (tip - centre) / np.linalg.norm(tip - centre)
        assert depth[k] == pytest.approx(
            pair["tip_radius_m"] + pair["sphere_radius_m"] - np.linalg.norm(tip - centre), abs=1e-14
        )
        assert force[k] @ normal >= 0.0
        assert np.linalg.norm(np.cross(force[k], normal)) <= 1e-12 * max(
            1.0, np.linalg.norm(force[k])
        )
        torque = np.cross(tip - series["mock_up.chaser.position"][k], force[k])
        assert series["true.chaser.torque"][k] == pytest.approx(torque, abs=1e-12)
    assert not force[1:][depth[1:] <= 0.0].any()
    assert (depth[1:] > 0.0).sum() > 10


@given(tables=dockings())
def test_attitudes_stay_unit_quaternions(tables):
    """Satellites, set-points and mock-ups, between set-points too. 1e-14: a few roundings, never a
    drift."""
    run = run_docking(tables)
    for name in (
        "chaser",
        "target",
        "command.chaser",
        "command.target",
        "mock_up.chaser",
        "mock_up.target",
    ):
        lengths = np.linalg.norm(run.series[f"{name}.attitude"], axis=1)
        assert np.abs(lengths - 1.0).max() <= 1e-14, name


@given(tables=dockings(), turn=vector(3.0), shift=vector(5.0), boost=vector(0.1))
def test_the_same_docking_elsewhere_is_the_same(tables, turn, shift, boost):
    """Turned, shifted or seen from a moving frame: same restitution, peaks, contact times and
    invented energy. 1e-9: rounding at 5 m, magnified by the contact."""
    here, q = run_docking(tables), quaternion(turn)
    there_tables = moved(tables, q, shift)
    for name in ("chaser", "target"):
        there_tables[name]["velocity_m_per_s"] = (
            np.array(there_tables[name]["velocity_m_per_s"]) + boost
        ).tolist()
    there = run_docking(there_tables)
    assert there.contact_count == here.contact_count
    largest = max(c["peak_force_real_N"] for c in here.contacts)
    for a, b in zip(here.contacts, there.contacts, strict=True):
        close = (
            1e-9 * largest / a["peak_force_real_N"]
        )  # a grazing touch shows the rounding of the hard ones before it
        for key in (
            "restitution",
            "peak_force_real_N",
            "peak_force_satellite_N",
            "impulse_Ns",
            "start_s",
            "end_s",
        ):
            assert b[key] == pytest.approx(a[key], rel=close, nan_ok=True), (
                key
            )  # nan: still touching at the end
    assert there.energy_added_J == pytest.approx(
        here.energy_added_J, abs=1e-9 * here.ledger["kinetic_start"]
    )
    assert there.series["contact.depth"][1:] == pytest.approx(
        here.series["contact.depth"][1:], abs=1e-9
    )


@pytest.mark.parametrize("integrator", NAMES)
def test_an_ideal_robot_is_where_the_satellite_is(integrator):
    """Delay zero puts the mock-up at t_k where the satellite is at t_k, bit for
    bit, through contacts."""
    run = run_docking(cone_docking(integrator, 0.0))
    for name in ("chaser", "target"):
        for part in ("position", "attitude", "velocity", "rate"):
            assert (run.series[f"mock_up.{name}.{part}"] == run.series[f"{name}.{part}"]).all(), (
                name,
                part,
            )


@pytest.mark.parametrize("cycles", [1, 4])
def test_a_whole_delay_is_the_command_some_cycles_ago(cycles):
    """A delay of n cycles shows the set-point of n cycles ago, bit for bit: nothing is
    interpolated."""
    run = run_docking(cone_docking(delay_ms=4.0 * cycles))
    for name in ("chaser", "target"):
        assert (
            run.series[f"mock_up.{name}.position"][cycles:]
            == run.series[f"command.{name}.position"][:-cycles]
        ).all()
        assert (
            run.series[f"mock_up.{name}.attitude"][cycles:]
            == run.series[f"command.{name}.attitude"][:-cycles]
        ).all()


@pytest.mark.parametrize("delay_ms", [0.0, 10.0])
@pytest.mark.parametrize("integrator", NAMES)
def test_a_fixed_body_never_moves(integrator, delay_ms):
    """A fixed target keeps its pose to the bit, has no kinetic energy and does no work, while the
    chaser bounces off."""
    tables = sphere_on_sphere(integrator, delay_ms)
    tables["target"]["fixed"] = True
    run = run_docking(tables)
    for name in ("target", "command.target", "mock_up.target"):
        for part in ("position", "attitude", "velocity", "rate"):
            values = run.series[f"{name}.{part}"]
            assert (values == values[0]).all()
    assert not run.series["target.velocity"].any()
    v, w = run.series["chaser.velocity"][-1], run.series["chaser.rate"][-1]
    own = 0.5 * tables["chaser"]["mass_kg"] * v @ v + 0.5 * w @ inertia_of(tables["chaser"]) @ w
    assert run.ledger["kinetic"] == pytest.approx(own, rel=1e-12)


def test_noise_is_a_function_of_seed_and_run():
    """The same seed and run repeat to the bit; another run index gives another history."""
    tables = cone_docking(delay_ms=8.0)
    tables["sensor"] = {"noise_N": 0.2, "noise_Nm": 0.01}
    tables["random"] = {"seed": 5, "run": 3}
    first, again = run_loop(tables), run_loop(tables)
    tables["random"]["run"] = 4
    other = run_loop(tables)
    assert first.series.rows.tobytes() == again.series.rows.tobytes()
    assert (
        np.abs(first.series["measured.chaser.force"] - other.series["measured.chaser.force"]).max()
        > 0.1
    )
