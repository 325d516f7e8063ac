"""Lange's re-mapping where the wanted contact is another than the mock-ups', where the real
one is damped, and where its stiffness is told wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from remapped_impacts import IN_TIME, LAG, K, impact

UNTOLD = "given 0 Ns/m of damping beside stiffness_N_per_m where contact.0.real has 200"
APPROACH_J = 0.25  # kinetic energy of the relative motion
WANTED = {
    "damper": (
        {"law": "spring_damper", "stiffness_N_per_m": K, "damping_Ns_per_m": 386.6},
        0.7,
        2e-4,
    ),
    "hunt_crossley": (
        {"law": "hunt_crossley", "stiffness_N_per_m": K, "exponent": 1.0, "lambda_s_per_m": 6.35},
        0.7,
        5e-4,
    ),
    "hunt_crossley, exponent 1.5": (
        {"law": "hunt_crossley", "stiffness_N_per_m": 1e6, "exponent": 1.5, "lambda_s_per_m": 6.35},
        0.7,
        1e-3,
    ),
    **{
        f"restitution {e}": ({"law": "restitution", "restitution": e}, e, 2e-4)
        for e in (1.0, 0.7, 0.3)
    },
    **{
        f"restitution {e} by damper": (
            {"law": "restitution", "restitution": e, "by": "spring_damper"},
            e,
            5e-4,
        )
        for e in (0.7, 0.3)
    },
}


@pytest.mark.parametrize("wanted", WANTED)
def test_another_contact_than_the_mock_ups(wanted):
    """D_d = 386.6 Ns/m, lambda = 6.35 s/m for any k, or a restitution itself, on lossless mock-ups:
    what is wanted comes out, and the difference from the real contact's work is booked as designed,
    not as invented."""
    keys, restitution, tolerance = WANTED[wanted]
    run = impact(0.3, wanted=keys)
    assert run.restitution == pytest.approx(restitution, abs=tolerance)
    assert run.ledger["designed"] == pytest.approx(
        run.ledger["real"] - (1.0 - restitution**2) * APPROACH_J, abs=2e-3
    )
    assert run.energy_added_J == pytest.approx(0.0, abs=2e-3)


def test_dampings_that_differ_by_direction():
    """D_e and D_d as matrices, on a wall that is 30 degrees oblique: along its normal they are
    n' D n, 200 and 386.6 Ns/m, so the lossless part is seen through and the normal speed comes back
    as that of a central impact with 386.6 Ns/m, 0.7; along the approach they are others."""
    n = np.array([-np.sqrt(0.75), 0.5, 0.0])
    real = {"stiffness_N_per_m": K, "damping_Ns_per_m": 200.0}
    contact = [{"geometry": "wall", "axis": n.tolist(), "real": real}]
    D_e, D_d = (
        np.diag([260.0, 20.0, 900.0]),
        np.array([[500.0, 90.0, 0.0], [90.0, 0.0, 0.0], [0.0] * 3]),
    )
    D_d[1, 1] = (386.6 - 500.0 * n[0] ** 2 - 180.0 * n[0] * n[1]) / n[1] ** 2
    assert n @ D_e @ n == pytest.approx(200.0)
    run = impact(
        0.3,
        robot=IN_TIME,
        tables={"contact": contact},
        stiffness_N_per_m=K,
        damping_Ns_per_m=D_e.tolist(),
        wanted={
            "law": "spring_damper",
            "stiffness_N_per_m": K,
            "damping_Ns_per_m": D_d.tolist(),
        },
    )
    apart = run.series["chaser.velocity"][[0, -1]] - run.series["target.velocity"][[0, -1]]
    assert -(apart @ n)[1] / (apart @ n)[0] == pytest.approx(0.7, abs=2e-3)
    assert (apart @ [0.5, np.sqrt(0.75), 0.0])[1] == pytest.approx(0.05, abs=1e-4)


def test_the_scenarios_wanted_contact_is_the_default():
    """contact.wanted counts where the method names no law of its own."""
    contact = [{"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": K}}]
    contact[0]["wanted"] = {
        "law": "spring_damper",
        "stiffness_N_per_m": 2.0 * K,
        "damping_Ns_per_m": 386.6 * np.sqrt(2.0),
    }
    run = impact(0.3, tables={"contact": contact})
    assert run.restitution == pytest.approx(0.7, abs=5e-4)
    assert (
        abs(
            run.restitution
            - -run.reference.contacts[0]["gap_rate_after_m_per_s"]
            / run.reference.contacts[0]["gap_rate_before_m_per_s"]
        )
        < 1e-3
    )


def test_a_damped_real_contact_is_seen_through():
    """D_e = 200 Ns/m at the mock-ups, known: the lossless wanted contact gives back everything."""
    contact = [
        {
            "geometry": "wall",
            "axis": [-1.0, 0.0, 0.0],
            "real": {"stiffness_N_per_m": K, "damping_Ns_per_m": 200.0},
        }
    ]
    contact[0]["wanted"] = {"law": "spring_damper", "stiffness_N_per_m": K}
    assert impact(0.3, tables={"contact": contact}).restitution == pytest.approx(1.0, abs=1e-4)
    ignored = impact(0.3, tables={"contact": contact}, stiffness_N_per_m=K)
    assert abs(ignored.restitution - 1.0) > 0.01
    assert any(UNTOLD in w for w in ignored.warnings)


def test_what_is_known_is_held_when_the_real_contact_ends_first():
    """Far too much lead: the mock-ups have parted while the satellites still touch; nothing is
    lost, and the log and the verdict wait for the satellites."""
    run = impact(
        0.3,
        robot={"delay_ms": 0.0, "model": "limited", "max_acceleration_m_per_s2": 1000.0},
        lead_ms=40.0,
    )
    flags = run.series["remapping.contact"]
    assert (flags == 2.0).sum() > 3
    assert run.series["target.velocity.x"][-1] == pytest.approx(0.1, abs=1e-5)
    assert run.restitution == pytest.approx(1.0, abs=1e-5)
    assert run.contacts[0]["impulse_Ns"] == pytest.approx(10.0, abs=1e-3)
    assert (
        "Rebound speed is 100 % of the approach speed; on orbit it is 100 %"
        in run.metrics["summary"]
    )
    assert run.metrics["energy_ratio"] == pytest.approx(1.0, abs=1e-4)
    assert run.metrics["error_against_orbit"] < 1e-4


def test_a_wrong_stiffness_and_its_estimate():
    """10 % in k_e changes e by -14 to +17 % when the robots lag much. Estimated during the contact,
    and what came before computed anew, 30 % are gone."""
    wrong = [impact(0.3, stiffness_N_per_m=factor * K).restitution - 1.0 for factor in (0.9, 1.1)]
    assert wrong == pytest.approx([0.17, -0.14], abs=0.01)
    for factor in (0.7, 1.3):
        run = impact(0.3, stiffness_N_per_m=factor * K, estimate="on_line")
        assert run.restitution == pytest.approx(1.0, abs=1e-4)
        assert run.series["remapping.stiffness"][run.series["remapping.contact"] == 3.0][
            -1
        ] == pytest.approx(K, rel=1e-6)
        assert run.energy_added_J == pytest.approx(0.0, abs=2e-3)
        assert run.method_books["remapping"]["rewinds"] == 2.0
        assert run.contacts[0]["impulse_Ns"] == pytest.approx(10.0, abs=1e-3)


def test_the_estimate_knows_of_the_damper():
    """D_e = 200 Ns/m told: the estimate is the stiffness, and e is 1. Not told: a warning, and e
    wrong by twice the damping ratio, 0.063, with robots that are in time; by less with late
    ones."""
    contact = [
        {
            "geometry": "wall",
            "axis": [-1.0, 0.0, 0.0],
            "real": {"stiffness_N_per_m": K, "damping_Ns_per_m": 200.0},
        }
    ]
    contact[0]["wanted"] = {"law": "spring_damper", "stiffness_N_per_m": K}
    keys = {
        "robot": LAG,
        "tables": {"contact": contact},
        "stiffness_N_per_m": 0.8 * K,
        "estimate": "on_line",
    }
    told = impact(0.3, damping_Ns_per_m=200.0, **keys)
    assert told.restitution == pytest.approx(1.0, abs=1e-4)
    assert not told.warnings
    ignored = impact(0.3, **keys)
    assert 0.01 < 1.0 - ignored.restitution < 0.063
    assert any(UNTOLD in w for w in ignored.warnings)
    assert 1.0 - impact(0.3, **keys | {"robot": IN_TIME}).restitution == pytest.approx(
        2.0 * 0.063, abs=0.015
    )


def test_one_robot_against_a_wall():
    """Lange eq. 18: the environment does not move."""
    run = impact(
        0.3, tables={"target": {"fixed": True, "mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}}
    )
    assert run.restitution == pytest.approx(1.0, abs=1e-4)
    assert run.series["chaser.velocity.x"][-1] == pytest.approx(-0.1, abs=1e-5)


def test_stiffnesses_of_both_sides_and_as_matrices():
    """K_e1 and K_e2 of 100 N/mm in series along the normal are the contact's 50 N/mm, to rounding;
    other directions do not matter on a wall."""
    matrix = [[1e5, 0.0, 0.0], [0.0, 3e4, 0.0], [0.0, 0.0, 7e4]]
    wanted = {
        "law": "spring_damper",
        "stiffness_N_per_m": 1e5,
        "target_stiffness_N_per_m": [1e5, 2e4, 2e4],
    }
    given = impact(0.3, stiffness_N_per_m=matrix, target_stiffness_N_per_m=1e5, wanted=wanted)
    assert given.series["chaser.velocity.x"] == pytest.approx(
        impact(0.3).series["chaser.velocity.x"], abs=1e-12
    )
