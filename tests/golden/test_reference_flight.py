"""How orbit is flown: free tumbling, large steps, thin walls that nothing passes unseen, the
order of the contact's integration, forces from a schedule."""

from __future__ import annotations

import math

import numpy as np
import pytest
from orbit_cases import TABLE, balance, bounce, flown
from scenarios import CHASER_INERTIA, cone_docking, sphere_on_sphere
from turned import hamilton

from softdock import build
from softdock.reference import run_reference
from softdock.results.momenta import compute_spins
from softdock.scenario.files import load_scenario

# --- free flight ---


def test_free_tumbling():
    """A body of three different moments tumbles as an independent integration of Euler's equations
    says: 1e-10 in ten seconds."""
    from scipy.integrate import solve_ivp

    tables = sphere_on_sphere(duration_s=10.0) | {"contact": []}
    tables["chaser"]["rate_rad_per_s"] = [1.0, 0.05, -0.08]
    J, w0 = np.array(CHASER_INERTIA), np.array(tables["chaser"]["rate_rad_per_s"])
    q0 = np.array(tables["chaser"]["attitude_wxyz"]) / np.linalg.norm(
        tables["chaser"]["attitude_wxyz"]
    )

    def rates(t, y):
        return [
            *(0.5 * hamilton(y[:4], [0.0, *y[4:]])),
            *np.linalg.solve(J, -np.cross(y[4:], J @ y[4:])),
        ]

    exact = solve_ivp(rates, (0.0, 10.0), [*q0, *w0], method="DOP853", rtol=1e-13, atol=1e-14).y[
        :, -1
    ]
    result = run_reference(build(tables), record=False)
    assert result.chaser[3:7] == pytest.approx(exact[:4], abs=1e-10)
    assert result.chaser[10:13] == pytest.approx(exact[4:], abs=1e-10)
    assert result.chaser[:3] == pytest.approx([-0.1, 0.15, 0.17], abs=1e-12)
    assert result.contact_count == 0


def test_large_steps_without_a_record():
    """Free flight costs a few steps, not one a cycle; recording changes nothing else."""
    scenario = load_scenario("lange_cone", {"time.duration_s": 1.7})
    assert run_reference(scenario, record=False).steps < 20
    full = load_scenario("lange_cone")
    with_record, without = run_reference(full), run_reference(full, record=False)
    assert len(with_record.series["time"]) == 1751
    assert with_record.chaser == pytest.approx(without.chaser, abs=1e-9)
    assert [c["start_s"] for c in with_record.contacts] == pytest.approx(
        [c["start_s"] for c in without.contacts], abs=1e-9
    )


@pytest.mark.parametrize("from_inside", [True, False])
@pytest.mark.parametrize("tip_radius", [0.0, 1e-4])
def test_no_thin_wall_is_missed(from_inside, tip_radius):
    """A tip at 1 m/s never passes a wall of 1 mm, 4 mm of flight a cycle, from whichever side it
    comes; it bounces back."""
    tables = cone_docking()
    for name in ("chaser", "target"):
        tables[name] |= {"velocity_m_per_s": [0.0, 0.0, 0.0], "rate_rad_per_s": [0.0, 0.0, 0.0]}
    tables["target"]["fixed"] = True
    tables["chaser"] |= {
        "position_m": [1.96, 0.0 if from_inside else 0.3, 0.0],
        "velocity_m_per_s": [0.0, 1.0 if from_inside else -1.0, 0.0],
    }
    tables["contact"][0] |= {"wall_thickness_m": 0.001, "tip_radius_m": tip_radius}
    tables["contact"][0]["real"] = {"stiffness_N_per_m": 1e9}
    tables["time"]["duration_s"] = 0.4
    result = run_reference(build(tables | {"allow_unresolved": True}), record=False)
    assert result.contact_count >= 1
    assert result.contacts[0]["start_s"] == pytest.approx(
        (0.035 if from_inside else 0.26) / 1.0, abs=0.015
    )
    assert result.contacts[0]["gap_rate_before_m_per_s"] == pytest.approx(
        -math.cos(math.radians(20.0)), rel=1e-6
    )
    assert result.contacts[0]["restitution"] > 0.9


# --- accuracy ---


@pytest.mark.parametrize("damping", [0.0, 30.0])
def test_contact_converges_with_order_four(damping):
    """Halving the steps divides the error of a contact by 16, the force's jump at the touch and the
    clamp's kink included."""
    scenario = build(sphere_on_sphere(damping=damping))
    best = run_reference(scenario, record=False)
    errors = [
        np.abs(run_reference(scenario, record=False, coarser=c).chaser - best.chaser).max()
        for c in (32.0, 16.0, 8.0)
    ]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders.min() > 3.5, (errors, orders)


# --- pushed from outside ---

ROWS = [  # s, N, Nm; jumps at its first and at its last row
    [0.1013, 3.0, 0.0, 1.0, 0.5, 0.0, 0.2],
    [0.35, -2.0, 4.0, 0.0, 0.0, 0.7, 0.0],
    [0.9, 1.0, 1.0, 1.0, 0.1, 0.1, -0.3],
]


def scheduled_impulse(rows=ROWS):
    """Integral over time of forces and torques, linear between the rows [Ns, Nms]."""
    a = np.array(rows)
    return np.sum(0.5 * (a[1:, 1:] + a[:-1, 1:]) * np.diff(a[:, 0])[:, None], axis=0)


@pytest.mark.parametrize("table", ["external", "hand"])
def test_impulse_is_the_integral_of_the_schedule(table):
    """A wrench in world axes, or a hand on the mock-up, changes momentum and spin of its own
    satellite by its integral."""
    tables = sphere_on_sphere() | {"contact": [], table: {"chaser": {"rows": ROWS}}}
    result, bodies, start, end = flown(tables, record=False)
    impulse = scheduled_impulse()
    assert bodies.mass[0] * (end - start)[0, 7:10] == pytest.approx(impulse[:3], abs=1e-12)
    assert (compute_spins(bodies, end) - compute_spins(bodies, start))[0] == pytest.approx(
        impulse[3:], abs=1e-12
    )
    assert (compute_spins(bodies, end) - compute_spins(bodies, start))[1] == pytest.approx(
        np.zeros(3), abs=1e-14
    )
    assert np.array_equal(end[1, 7:10], start[1, 7:10])
    assert abs(balance(result)) < 1e-10
    assert abs(result.external) > 0.01


def test_body_axes_and_contact():
    """Thrusters that turn with their satellites, before, during and after a damped contact: work
    balances at every instant."""
    tables = sphere_on_sphere(damping=20.0)
    tables["external"] = {"chaser": {"rows": ROWS, "frame": "body"}, "target": {"rows": ROWS}}
    hand = [[0.2, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0], [0.8, 0.0, 0.0, 5.0, 0.3, 0.0, 0.0]]
    tables["hand"] = {"target": {"rows": hand, "frame": "body"}}
    scenario = build(tables)
    recorded, free = run_reference(scenario), run_reference(scenario, record=False)
    s = recorded.series
    total = s["energy.kinetic"] + s["energy.stored"] + s["energy.dissipated"] - s["energy.external"]
    assert recorded.contact_count >= 1
    assert np.abs(total / total[0] - 1.0).max() < 1e-9
    assert recorded.chaser == pytest.approx(free.chaser, abs=1e-10)
    assert recorded.target == pytest.approx(
        run_reference(scenario, record=False, coarser=0.5).target, abs=1e-10
    )


@pytest.mark.parametrize(
    "law",
    [
        {"stiffness_N_per_m": 1000.0},
        {"law": "hunt_crossley", "stiffness_N_per_m": 1e5},
        {"law": "table", "table_m_N": TABLE},
    ],
)
@pytest.mark.parametrize("gap", [0.01, 0.0])
def test_pressed_from_rest(law, gap):
    """A body at rest, pushed against a wall: it gets there after sqrt(2 m gap / F), and bounces on
    without gain or loss."""
    tables = bounce()
    tables["time"]["duration_s"] = 6.0
    tables["chaser"] |= {"position_m": [gap, 0.0, 0.0], "velocity_m_per_s": [0.0, 0.0, 0.0]}
    tables["contact"][0]["real"] = law
    tables["external"] = {
        "chaser": {
            "rows": [[0.25, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0], [6.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
        }
    }
    result = run_reference(build(tables), record=False)
    assert result.contacts[0]["start_s"] == pytest.approx(
        0.25 + math.sqrt(2.0 * gap * 63.0 / 2.0), abs=1e-9
    )
    assert result.kinetic + result.stored - result.external == pytest.approx(
        0.0, abs=1e-12
    )  # J, of some 1e-2 J exchanged


@pytest.mark.parametrize(
    "law", [{"stiffness_N_per_m": 1e9}, {"law": "hunt_crossley", "stiffness_N_per_m": 1e9}]
)
def test_no_thin_wall_is_missed_from_rest(law):
    """A tip at rest that 600 N push towards a wall of 1 mm touches it, though nothing moves when
    its first step is chosen."""
    tables = cone_docking(duration_s=0.2)
    for name in ("chaser", "target"):
        tables[name] |= {"velocity_m_per_s": [0.0, 0.0, 0.0], "rate_rad_per_s": [0.0, 0.0, 0.0]}
    tables["target"]["fixed"] = True
    tables["chaser"]["position_m"] = [1.96, 0.0, 0.0]
    tables["contact"][0] |= {"wall_thickness_m": 0.001, "tip_radius_m": 1e-4, "real": law}
    tables["external"] = {
        "chaser": {
            "rows": [[0.0, 0.0, 600.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 600.0, 0.0, 0.0, 0.0, 0.0]]
        }
    }
    result = run_reference(build(tables | {"allow_unresolved": True}), record=False)
    wall = (
        0.05 - 0.04 * math.tan(math.radians(20.0)) - 1e-4 / math.cos(math.radians(20.0))
    )  # m, from the axis at the tip's depth
    assert result.contacts[0]["start_s"] == pytest.approx(
        math.sqrt(2.0 * wall * 60.0 / 600.0), abs=1e-9
    )
    assert result.kinetic + result.stored == pytest.approx(result.external, rel=1e-9)
