"""A mock-up behind an elastic joint: against an independent integration of Lange's eqs. 7 and 10,
in every robot model, with its books."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import cone_docking, sphere_on_sphere
from scipy.integrate import solve_ivp

from softdock import BadInput, simulate

JOINT = {"joint_stiffness_N_per_m": 5e5, "joint_damping_ratio": 0.1, "moving_mass_kg": 50.0}
SOFT = {"joint_stiffness_N_per_m": 5e4, "joint_damping_ratio": 0.1, "moving_mass_kg": 20.0}
LAG = {"model": "lag", "delay_ms": 5.0, "lag_Hz": 6.0, "lag_damping_ratio": 0.7}
LIMITED = {
    "model": "limited",
    "delay_ms": 4.0,
    "max_acceleration_m_per_s2": 0.8,
    "max_jerk_m_per_s3": 15.0,
}
K_CONTACT, SPEED, GAP = 5e4, 0.1, 0.01  # N/m, m/s, m


def pushed_into_a_wall(plant_steps, **robot):
    """Motors that nothing stops (a satellite of a million tonnes) push a mock-up into a wall."""
    return {
        "time": {"cycle_ms": 4.0, "duration_s": 0.4, "plant_steps": plant_steps},
        "chaser": {
            "mass_kg": 1e9,
            "inertia_kg_m2": [1e6] * 3,
            "position_m": [GAP, 0, 0],
            "velocity_m_per_s": [-SPEED, 0, 0],
        },
        "target": {"fixed": True, "mass_kg": 1.0, "inertia_kg_m2": [1.0] * 3},
        "robots": {"chaser": JOINT | robot},
        "contact": [{"geometry": "wall", "real": {"stiffness_N_per_m": K_CONTACT}}],
    }


def by_solver(times):
    """Position of the mock-up, from a general solver."""
    K, M = JOINT["joint_stiffness_N_per_m"], JOINT["moving_mass_kg"]
    D = 2.0 * JOINT["joint_damping_ratio"] * np.sqrt(K * M)

    def rates(t, y):
        pull = K * (GAP - SPEED * t - y[0]) + D * (-SPEED - y[1])
        return [y[1], (pull + K_CONTACT * max(-y[0], 0.0)) / M]

    return solve_ivp(
        rates, (0.0, times[-1]), [GAP, -SPEED], t_eval=times, rtol=1e-11, atol=1e-14, max_step=1e-4
    ).y[0]


def test_a_mock_up_pushed_into_a_wall_moves_as_its_equation_says():
    """To 5e-8 m at 32 plant steps a cycle (it yields by millimetres; the contact slows the
    satellite by 2e-8 m), of second order in the plant's step; the motors, which are what is
    measured, do not yield."""
    errors = []
    for steps in (2, 8, 32):
        s = simulate(pushed_into_a_wall(steps)).series
        errors.append(np.abs(s["mock_up.chaser.position.x"] - by_solver(s["time"])).max())
    assert errors[2] < 5e-8
    assert errors[0] / errors[1] > 12.0
    assert np.abs(s["mock_up.chaser.position.x"] - s["seen.chaser.position.x"]).max() > 2e-3
    assert s["seen.chaser.position.x"] == pytest.approx(s["command.chaser.position.x"], abs=1e-15)


FACILITIES = {
    "delay, target rigid": (sphere_on_sphere, {"delay_ms": 6.0, **SOFT}, {}),
    "lag, target limited and rigid": (sphere_on_sphere, LAG | SOFT, LIMITED),
    "chaser rigid, target limited": (cone_docking, LAG, LIMITED | SOFT),
    "both limited": (cone_docking, LIMITED | SOFT, LIMITED | SOFT),
}


@pytest.mark.parametrize("name", FACILITIES)
def test_every_joule_of_the_joint_is_accounted_for(name):
    """Works of motors and contact are what is stored, moving or dissipated, of second order in the
    plant's step; the ledger's rows still sum, and the contact's books still close."""
    base, chaser, target = FACILITIES[name]
    missing = {}
    for steps in (1, 4):
        tables = base()
        tables["robots"] = {"chaser": dict(chaser), "target": dict(target)}
        tables["time"]["plant_steps"] = steps
        run = simulate(tables)
        assert run.status == "completed"
        assert run.contact_count >= 1
        assert not any("joint" in w for w in run.warnings)
        ledger = run.metrics["ledger"]
        assert abs(ledger["residual_J"]) <= 1e-12 * ledger["turnover_J"] + 1e-12
        assert ledger["physics_residual"] < 1e-3
        assert ledger["joints"] == run.joint_books
        lost = sum(books["dissipated_J"] for books in run.joint_books.values())
        assert ledger["rows"]["joints_dissipated"] == -lost < 0.0
        missed = sum(books["residual_J"] for books in run.joint_books.values())
        assert ledger["rows"]["joints_step"] == -missed
        works = [books["contact_work_J"] for books in run.joint_books.values()]
        if len(works) == 2:
            assert -sum(works) == pytest.approx(
                ledger["real_J"], abs=1e-3 * sum(abs(w) for w in works)
            )
        missing[steps] = {body: abs(books["residual_J"]) for body, books in run.joint_books.items()}
    for body, first in missing[1].items():
        assert first > 0.0
        assert missing[4][body] == pytest.approx(first / 16.0, rel=0.1)


def test_a_stiff_joint_is_a_rigid_robot():
    """1e9 N/m and 100 kg: the same restitution as without a joint, to 1e-4."""
    found = []
    for joint in (
        {},
        {"joint_stiffness_N_per_m": 1e9, "joint_damping_ratio": 1.0, "moving_mass_kg": 100.0},
    ):
        tables = sphere_on_sphere()
        tables["robots"] = {"chaser": LAG | joint, "target": dict(LIMITED)}
        tables["time"]["plant_steps"] = 4
        found.append(simulate(tables).restitution)
    assert found[1] == pytest.approx(found[0], rel=1e-4)
    assert found[1] != found[0]


def test_the_sensor_feels_the_mock_ups_own_acceleration():
    """A 10 kg mock-up behind a joint, not compensated: what the sensor hands over beyond the
    contact is -M a of the mock-up itself, not of its motors."""
    tables = pushed_into_a_wall(8)
    tables["mock_up"] = {
        "chaser": {"mass_kg": 10.0, "believed": {"mass_kg": 0.0, "acceleration": "ignored"}}
    }
    s = simulate(tables).series
    felt = s["measured.chaser.force.x"] - s["true.chaser.force.x"]
    K, M = JOINT["joint_stiffness_N_per_m"], JOINT["moving_mass_kg"]
    D = 2.0 * JOINT["joint_damping_ratio"] * np.sqrt(K * M)
    pull = K * (s["seen.chaser.position.x"] - s["mock_up.chaser.position.x"]) - D * (
        SPEED + s["mock_up.chaser.velocity.x"]
    )
    a = (pull + s["true.chaser.force.x"]) / M
    assert np.abs(a).max() > 0.5  # the motors' is 0
    assert felt == pytest.approx(
        -10.0 * a, abs=0.05 * 10.0 * np.abs(a).max()
    )  # the mean over the last plant step of 0.5 ms


def test_joints_that_cannot_be_are_refused():
    """No mass behind the joint, a mass lighter than the mock-up, and a plant step too coarse for
    the contact on that mass."""
    for change, said in (
        ({"moving_mass_kg": 0.0}, "robots.chaser.moving_mass_kg"),
        ({"moving_mass_kg": 0.5}, "time.plant_steps"),
        ({"joint_damping_ratio": -0.1}, "robots.chaser.joint_damping_ratio"),
    ):
        with pytest.raises(BadInput, match=said):
            simulate(pushed_into_a_wall(1, **change))
    tables = pushed_into_a_wall(1)
    tables["mock_up"] = {"chaser": {"mass_kg": 60.0}}
    with pytest.raises(BadInput, match="at least the mock-up's 60 kg"):
        simulate(tables)
