"""The ledger's rows sum to the invented energy, whatever the facility is made of: robots, sensors,
mock-ups, schedules, laboratory, laws.

Each row from its own signals and none a remainder, within 1e-12 of the turnover + 1e-12 J.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scenarios import cone_docking, hard_for_the_core, lange_impact, sphere_on_sphere

from softdock import run_loop
from softdock.loop.energy.ledger import ROWS

LAG = {"model": "lag", "delay_ms": 5.0, "lag_Hz": 6.0, "lag_damping_ratio": 0.7}
LIMITED = {
    "model": "limited",
    "delay_ms": 4.0,
    "max_acceleration_m_per_s2": 0.8,
    "max_jerk_m_per_s3": 15.0,
    "max_angular_jerk_rad_per_s3": 200.0,
}
LOSSY = {"delay_ms": 9.0, "delay_jitter_ms": 2.0, "dropout_probability": 0.1, "on_dropout": "hold"}
JOINT = {"joint_stiffness_N_per_m": 5e4, "moving_mass_kg": 20.0}
HEAVY = {
    "mass_kg": 10.0,
    "centre_m": [0.1, -0.05, 0.2],
    "inertia_kg_m2": [0.3, 0.4, 0.5],
    "sensor_m": [-0.1, 0.0, 0.05],
    "believed": {"mass_kg": 9.8, "acceleration": "measured"},
}
HAND = {
    "rows": [[0.1, 1.0, 0.0, 0.5, 0.1, 0.0, 0.0], [0.9, -1.0, 2.0, 0.0, 0.0, 0.2, 0.0]],
    "frame": "body",
}
THRUST = {"rows": [[0.0, 0.0, 1.0, 0.5, 0.0, 0.1, 0.0], [2.0, -0.5, 0.0, 0.0, 0.1, 0.0, 0.3]]}
ELECTRONICS = {
    "on": "both",
    "noise_N": 0.2,
    "noise_Nm": 0.01,
    "bias_N": [0.1, 0.0, -0.1],
    "lowpass_Hz": 30.0,
    "resolution_N": 0.05,
    "delay_ms": 3.0,
}
FRICTION = {"stiffness_N_per_m": 4000.0, "damping_Ns_per_m": 10.0, "friction": 0.3}
TABLE = {
    "law": "table",
    "table_m_N": [[0.0, 0.0], [0.001, 2.0], [0.01, 50.0]],
    "damping_Ns_per_m": 5.0,
    "friction": 0.1,
}


def both(keys):
    return {"chaser": copy.deepcopy(keys), "target": copy.deepcopy(keys)}


def facility(base, **tables):
    found = base
    for name, value in tables.items():
        if name == "real":
            found["contact"][0]["real"] = copy.deepcopy(value)
        else:
            found[name] = copy.deepcopy(value)
    return found


FACILITIES = {
    "lag": lambda: facility(sphere_on_sphere(), robots=both(LAG)),
    "limited": lambda: facility(sphere_on_sphere(), robots=both(LIMITED)),
    "lag and limited": lambda: facility(
        cone_docking(), robots={"chaser": dict(LAG), "target": dict(LIMITED)}
    ),
    "jitter and lost set-points": lambda: facility(
        cone_docking(), robots=both(LOSSY), random={"seed": 3}
    ),
    "heavy mock-ups": lambda: facility(
        sphere_on_sphere(delay_ms=6.0), mock_up=both(HEAVY), sensor={"on": "both"}
    ),
    "electronics on both": lambda: facility(sphere_on_sphere(delay_ms=6.0), sensor=ELECTRONICS),
    "on the target, mean": lambda: facility(
        sphere_on_sphere(delay_ms=6.0),
        sensor={"on": "target", "period_ms": 0.7, "handover": "mean", "noise_N": 0.1},
    ),
    "shared laboratory": lambda: facility(
        cone_docking(delay_ms=8.0), laboratory={"mapping": "shared", "chaser_share": 0.3}
    ),
    "hands": lambda: facility(
        sphere_on_sphere(delay_ms=6.0), hand=both(HAND), sensor={"on": "both"}
    ),
    "thrusters": lambda: facility(sphere_on_sphere(delay_ms=6.0), external=both(THRUST)),
    "friction": lambda: facility(sphere_on_sphere("symplectic_euler"), real=FRICTION),
    "table and friction": lambda: facility(cone_docking(delay_ms=4.0), real=TABLE),
    "late noisy poses": lambda: facility(
        sphere_on_sphere(delay_ms=6.0),
        pose={
            "delay_ms": 16.0,
            "period_ms": 10.0,
            "noise_m": 1e-4,
            "noise_rad": 1e-4,
            "dropout_probability": 0.2,
        },
    ),
    "lange, limited": lambda: lange_impact(0.3, **LIMITED),
    "elastic joints": lambda: facility(
        cone_docking(),
        robots={"chaser": LAG | JOINT, "target": LIMITED | JOINT},
        mock_up=both(HEAVY),
        sensor=ELECTRONICS,
        pose={"delay_ms": 16.0},
    ),
    "everything": lambda: facility(
        hard_for_the_core("symplectic_euler"),
        robots={
            "chaser": LAG | {"dropout_probability": 0.05},
            "target": LIMITED | {"delay_jitter_ms": 1.0},
        },
        mock_up=both(HEAVY),
        sensor=ELECTRONICS | {"period_ms": 1.0, "handover": "mean", "threshold_N": 0.3},
        hand={"chaser": dict(HAND)},
        external={"target": dict(THRUST)},
        laboratory={
            "mapping": "shared",
            "chaser_share": 0.7,
            "attitude_wxyz": [0.8, 0.1, 0.5, -0.2],
        },
        pose={"delay_ms": 16.0, "noise_m": 1e-4},
        real=TABLE,
    ),
}


@pytest.fixture(scope="module")
def runs():
    return {name: run_loop(make()) for name, make in FACILITIES.items()}


@pytest.mark.parametrize("name", FACILITIES)
def test_the_rows_sum_to_the_invented_energy(runs, name):
    """At every cycle, in every facility, through contacts."""
    run = runs[name]
    assert run.status == "completed", run.scenario.tables
    assert run.contact_count >= 1, "the scenario must touch, or the test says nothing"
    series = run.series
    assert np.isfinite(series.rows).all()
    works = {
        w: series[f"energy.{w}"]
        for w in ("kinetic", "kinetic_start", "external", "real", "virtual", "designed", "turnover")
    }
    invented = (
        works["kinetic"]
        - works["kinetic_start"]
        - works["external"]
        + works["real"]
        + works["virtual"]
        - works["designed"]
    )
    rows = sum(series[f"energy.{row}"] for row in ROWS)
    worst = np.abs(rows - invented) - 1e-12 * works["turnover"] - 1e-12
    assert (worst <= 0.0).all(), (
        f"{worst.max():.3g} J over the bound; scenario {run.scenario.tables}"
    )


@pytest.mark.parametrize("name", FACILITIES)
def test_the_pair_keeps_its_momentum(runs, name):
    """No robot, sensor or laboratory moves the pair's centre of mass: only thrusters do, by their
    impulse."""
    run = runs[name]
    tables, s = run.scenario.tables, run.series
    momentum = sum(tables[body]["mass_kg"] * s[f"{body}.velocity"] for body in ("chaser", "target"))
    given = np.zeros(3)
    cycles = (np.arange(run.cycles) + 0.5) * 0.004
    for body in ("chaser", "target"):
        rows = np.array(tables["external"][body]["rows"])
        if len(rows):
            given = given + 0.004 * np.array(
                [np.interp(cycles, rows[:, 0], rows[:, 1 + i], 0.0, 0.0).sum() for i in range(3)]
            )
    size = sum(
        tables[body]["mass_kg"] * np.abs(s[f"{body}.velocity"]).max()
        for body in ("chaser", "target")
    )
    assert momentum[-1] - momentum[0] == pytest.approx(given, abs=1e-12 * size)


@pytest.mark.parametrize("name", ["friction", "table and friction", "everything"])
def test_friction_only_loses(runs, name):
    """Dissipation never falls, with friction on any law."""
    lost = runs[name].series["energy.dissipated"]
    assert (np.diff(lost) >= 0.0).all()
    assert lost[-1] > 0.0
