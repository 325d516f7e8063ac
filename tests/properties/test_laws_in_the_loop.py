"""Tables and friction in the loop, and the limits that stop a run."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock import simulate
from softdock.errors import BadInput
from softdock.reference import run_reference
from softdock.scenario.build import build

SPRING = {
    "law": "table",
    "table_m_N": [[0.0, 0.0], [0.0004, 0.8], [0.001, 2.0], [0.02, 40.0]],
}  # 2000 N/m throughout


def test_a_table_of_a_spring_is_the_spring():
    """The same contacts, forces and energies: 1e-9, rounding magnified by the contact; beyond its
    last row too."""
    for rows in (SPRING["table_m_N"], SPRING["table_m_N"][:2]):
        spring, table = sphere_on_sphere(delay_ms=6.0, damping=15.0), sphere_on_sphere(delay_ms=6.0)
        table["contact"][0]["real"] = {"law": "table", "table_m_N": rows, "damping_Ns_per_m": 15.0}
        a, b = simulate(spring), simulate(table)
        for channel in (
            "chaser.velocity",
            "target.rate",
            "true.chaser.force",
            "energy.stored",
            "energy.dissipated",
            "energy.real",
        ):
            assert b.series[channel] == pytest.approx(a.series[channel], abs=1e-9), channel
        assert b.restitution == pytest.approx(a.restitution, rel=1e-9)
        assert a.contact_count == 1


def sliding(friction=None, slip=0.001):
    """A mass that meets the wall obliquely: 20 mm/s in, 10 mm/s along."""
    tables = epos_wall(delay_ms=0.0, integrator="symplectic_euler")
    tables["chaser"]["velocity_m_per_s"] = [-0.02, 0.01, 0.0]
    if friction is not None:
        tables["contact"][0]["real"] |= {"friction": friction, "friction_speed_m_per_s": slip}
    return simulate(tables)


def test_friction_is_off_by_default():
    """A frictionless wall leaves the velocity along it alone, to the bit; friction = 0 is the
    default."""
    run = sliding()
    assert (run.series["chaser.velocity.y"] == 0.01).all()
    assert run.ledger["dissipated"] == 0.0
    assert run.series.rows.tobytes() == sliding(0.0).series.rows.tobytes()


def test_friction_slows_the_sliding():
    """Coulomb: mu times the normal impulse, as long as it slides well above the regularising speed;
    the energy lost is what it dissipated."""
    run = sliding(0.05, 1e-5)
    normal = 63.0 * np.ptp(run.series["chaser.velocity.x"])
    lost = 63.0 * (0.01 - run.series["chaser.velocity.y"][-1])
    assert lost == pytest.approx(0.05 * normal, rel=1e-3)
    assert (np.diff(run.series["chaser.velocity.y"]) <= 0.0).all()
    assert run.ledger["dissipated"] == pytest.approx(
        0.5 * 63.0 * (0.01**2 - run.series["chaser.velocity.y"][-1] ** 2), rel=0.02
    )


def test_strong_friction_stops_the_sliding_and_does_not_reverse_it():
    """Regularised friction vanishes with the sliding: it never pushes the body back along the
    wall."""
    run = sliding(1.0, 0.005)
    assert run.series["chaser.velocity.y"][-1] < 0.002
    assert (run.series["chaser.velocity.y"] > -1e-9).all()
    assert run.ledger["dissipated"] > 0.0


@pytest.mark.parametrize("build_tables", [sphere_on_sphere, cone_docking])
def test_friction_dissipates_and_keeps_momentum(build_tables):
    """In three dimensions: dissipation never falls, contact work = stored + dissipated, and the
    pair's momentum is untouched."""
    tables = build_tables("symplectic_euler")
    tables["time"]["plant_steps"] = 4
    tables["contact"][0]["real"]["friction"] = 0.3
    run = simulate(tables)
    series = run.series
    assert (np.diff(series["energy.dissipated"]) >= 0.0).all()
    kept = series["energy.stored"] + series["energy.dissipated"]
    assert series["energy.real"] == pytest.approx(kept, abs=0.02 * kept.max())
    masses = [tables[name]["mass_kg"] for name in ("chaser", "target")]
    momentum = masses[0] * series["chaser.velocity"] + masses[1] * series["target.velocity"]
    assert momentum[-1] == pytest.approx(momentum[0], abs=1e-12)
    assert run.ledger["dissipated"] > 1e-6


# limits that stop a run


def stopped(limit, **keys):
    tables = cone_docking(delay_ms=8.0)
    whole = simulate(tables)
    for table, values in keys.items():
        if table == "robots":
            for name in ("chaser", "target"):
                tables["robots"][name] |= values.get(name, {})
        else:
            tables[table] = values
    run = simulate(tables)
    assert run.status == limit
    assert 0 < run.cycles < whole.cycles
    assert any(limit in w for w in run.warnings)
    assert len(run.series["time"]) == run.cycles + 1
    assert (
        run.series.rows.tobytes() == whole.series.rows[: run.cycles + 1].tobytes()
    )  # the series so far is that of the whole run
    return run


def test_a_force_limit_stops_the_run_and_keeps_its_series():
    """At the first cycle whose true force exceeds it; all rows up to and with that cycle stay."""
    run = stopped("force limit", stop={"force_N": 5.0})
    force = np.linalg.norm(run.series["true.chaser.force"], axis=1)
    assert force[-1] > 5.0
    assert (force[:-1] <= 5.0).all()
    assert np.isnan(
        run.contacts[-1]["restitution"]
    )  # the contact under way is in the log, without an end


def test_a_torque_limit_stops_the_run():
    """About either centre of mass."""
    run = stopped("torque limit", stop={"torque_Nm": 0.05})
    assert np.linalg.norm(run.series["true.chaser.torque"][-1]) > 0.0
    assert run.cycles * 0.004 >= run.contacts[0]["start_s"] - 1e-9


def test_reach_stops_the_run():
    """The rig comes back faster than orbit and leaves its robot's reach, which orbit's own motion
    never does."""
    tables = epos_wall(delay_ms=32.0)
    tables["robots"]["chaser"]["reach_m"] = 0.05
    farthest = np.abs(run_reference(build(tables)).series["chaser.position"]).max()
    tables["robots"]["chaser"]["reach_m"] = 1.05 * farthest
    run = simulate(tables)
    away = np.linalg.norm(run.series["mock_up.chaser.position"], axis=1)
    assert run.status == "reach limit"
    assert away[-1] > 1.05 * farthest
    assert (away[:-1] <= 1.05 * farthest).all()


@pytest.mark.parametrize(
    ("key", "value"),
    [("reach_m", 0.009), ("allowed_speed_m_per_s", 0.019), ("allowed_acceleration_m_per_s2", 0.01)],
)
def test_what_orbit_asks_of_a_robot_is_checked_before_the_run(key, value):
    """The message names the robot's key, the instant and how much would be needed."""
    tables = epos_wall()
    tables["robots"]["chaser"][key] = value
    with pytest.raises(
        BadInput, match=rf"robots\.chaser\.{key}: given {value}; allowed: at least .* at t = "
    ):
        simulate(tables)


def test_zero_is_no_limit():
    """The defaults stop nothing."""
    tables = cone_docking(delay_ms=8.0)
    tables["stop"] = {"force_N": 0.0, "torque_Nm": 0.0}
    assert simulate(tables).status == "completed"
