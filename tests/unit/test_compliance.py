"""The compliance device: four springs, their matrix, the stiffness along a normal, and the tip's
equilibrium on a surface."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from compliance_device import SPRINGS, STAR, device
from scenarios import cone_docking, epos_wall, sphere_on_sphere
from turned import matrix, quaternion

from softdock import simulate
from softdock.loop.contact.compliance import (
    device_matrix,
    in_series,
    normal_stiffness,
    sliding_stiffness,
    stiffness_range,
)
from softdock.reference import run_reference
from softdock.scenario.build import build

RNG = np.random.default_rng(5)


def random_normals(count=200):
    n = RNG.normal(size=(count, 3))
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def test_three_equal_springs_in_a_star_are_isotropic_across():
    """Zebenay's drawing: k_1 to k_3 equal give 3/2 k across the probe, k_4 along it."""
    K = device_matrix([800.0, 800.0, 800.0, 4000.0], STAR)
    assert pytest.approx(np.diag([4000.0, 1200.0, 1200.0]), abs=1e-9) == K


def test_eq_120_is_the_sum_over_the_springs():
    """k = sum k_i (l_i . n)^2, for directions of any length."""
    directions = RNG.normal(size=(4, 3))
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    for n in random_normals(20):
        summed = sum(k * (l @ n) ** 2 for k, l in zip(SPRINGS, units, strict=True))
        assert normal_stiffness(device_matrix(SPRINGS, directions), n) == pytest.approx(
            summed, rel=1e-12
        )


def test_eq_120_is_the_safe_bound():
    """A tip free to slide is never stiffer; along the eigenvectors both agree; nothing exceeds the
    largest eigenvalue."""
    K = device_matrix(SPRINGS, RNG.normal(size=(4, 3)))
    n = random_normals()
    held, sliding = normal_stiffness(K, n), sliding_stiffness(K, n)
    assert (sliding <= held * (1.0 + 1e-12)).all()
    assert (held - sliding).max() > 1.0
    stiffnesses, vectors = np.linalg.eigh(K)
    assert sliding_stiffness(K, vectors.T) == pytest.approx(stiffnesses, rel=1e-9)
    assert normal_stiffness(K, vectors.T) == pytest.approx(stiffnesses, rel=1e-9)
    assert held.max() <= stiffnesses[2] * (1.0 + 1e-12)


def test_a_lever_softens_across_the_probe_only():
    """The tip twice as far from the pivot as the springs: a quarter of the stiffness across, the
    same along."""
    K, far = device_matrix(SPRINGS, STAR), device_matrix(SPRINGS, STAR, (0.1, 0.2))
    across = normal_stiffness(K, random_normals(50) * [0.0, 1.0, 1.0])
    assert far[0, 0] == K[0, 0]
    assert far[1:, 1:] == pytest.approx(0.25 * K[1:, 1:])
    assert across.min() > 0.0


@pytest.mark.parametrize("sliding", [False, True])
def test_the_range_over_reachable_normals(sliding):
    """For a cone of half-angle 20 deg and tilts of up to 5 deg: contains every such normal, is
    attained, and widens with the angles to the eigenvalues."""
    K = device_matrix(SPRINGS, STAR)
    found = stiffness_range(K, angles_deg=(65.0, 75.0), sliding=sliding)
    of = sliding_stiffness if sliding else normal_stiffness
    n = random_normals(20000)
    angle = np.degrees(np.arccos(n[:, 0]))
    inside = of(K, n[(angle > 65.0) & (angle < 75.0)])
    assert found.low * (1 - 1e-3) <= inside.min()
    assert inside.max() <= found.high * (1 + 1e-3)
    assert of(K, found.stiffest) == pytest.approx(found.high)
    widest = stiffness_range(K, sliding=sliding)
    assert (widest.low, widest.high) == pytest.approx(
        (np.linalg.eigvalsh(K)[0], np.linalg.eigvalsh(K)[2]), rel=1e-3
    )


# in the loop


def pressed(turn, lever=(1.0, 1.0), surface=1e5):
    """A heavy chaser, turned, slowly presses its tip against a wall: the deepest instant is an
    equilibrium."""
    tables = epos_wall(delay_ms=0.0, integrator="symplectic_euler", mass_kg=500.0)
    tables["chaser"] |= {
        "attitude_wxyz": quaternion(turn).tolist(),
        "inertia_kg_m2": [1e7, 1e7, 1e7],
    }
    tables["contact"][0] |= {
        "device": device(lever_m=list(lever)),
        "real": {"stiffness_N_per_m": surface},
    }
    return simulate(tables)


@pytest.mark.parametrize("turn", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.3, -0.8, 0.4]])
@pytest.mark.parametrize("lever", [(1.0, 1.0), (0.1, 0.15)])
def test_a_wall_feels_the_sliding_stiffness_in_series_with_its_own(turn, lever):
    """Force over depth is 1 / (n^T K^-1 n) in series with the surface, with the normal in the
    chaser's axes: state-dependent."""
    series = pressed(turn, lever).series
    i = int(np.argmax(series["contact.depth"]))
    n = matrix(quaternion(turn)).T @ [1.0, 0.0, 0.0]
    expected = in_series(sliding_stiffness(device_matrix(SPRINGS, STAR, lever), n), 1e5)
    assert series["true.chaser.force.x"][i] / series["contact.depth"][i] == pytest.approx(
        float(expected), rel=1e-6
    )


def test_the_force_acts_at_the_displaced_tip():
    """Where springs let the tip slide sideways, the force has a lever about the unloaded tip: u x
    F."""
    turn = np.array([0.0, 0.0, 0.5])
    series = pressed(turn).series
    i = int(np.argmax(series["contact.depth"]))
    R, force = matrix(quaternion(turn)), series["true.chaser.force"][i]
    moved = R @ np.linalg.inv(device_matrix(SPRINGS, STAR)) @ R.T @ force
    assert series["true.chaser.torque"][i] == pytest.approx(
        np.cross(moved, force), rel=1e-6, abs=1e-9
    )
    assert abs(series["true.chaser.torque"][i][2]) > 1e-3


SOFT = device([6000.0, 5000.0, 7000.0, 3000.0])


@pytest.mark.parametrize("build_tables", [cone_docking, sphere_on_sphere])
def test_orbit_keeps_the_energy(build_tables):
    """On curved surfaces, both bodies turning: the force is the gradient of the stored energy, to
    1e-10."""
    tables = build_tables()
    tables["contact"][0]["device"] = copy.deepcopy(SOFT)
    found = run_reference(build(tables))
    assert found.status == "completed"
    assert len(found.contacts) >= 1
    assert found.kinetic + found.stored == pytest.approx(found.kinetic_start, rel=1e-10)
    for contact in found.contacts:
        assert contact["restitution_energetic"] == pytest.approx(1.0, abs=1e-8)


def touches_of_cone(series):
    """Depths at wall and bottom of the cone of `cone_docking`, of the unloaded tip, from the poses;
    independent of softdock."""
    slope, radius, found = math.radians(20.0), 0.01, []
    poses = (
        series[f"{body}.{what}"]
        for body in ("chaser", "target")
        for what in ("position", "attitude")
    )
    for p_C, q_C, p_T, q_T in zip(*poses, strict=True):
        x, y, z = matrix(q_T).T @ (p_C + matrix(q_C) @ [-1.0, 0.0, 0.0] - p_T) - [1.0, 0.0, 0.0]
        wall = x * math.sin(slope) - (math.hypot(y, z) - 0.05) * math.cos(slope)
        found.append((radius - wall, radius - x - 0.03 / math.tan(slope)))
    return np.array(found)


def test_orbit_keeps_the_energy_in_the_corner():
    """Wall and bottom push the same springs at once: 1e-7, the switching of the second touch
    falling inside a step."""
    tables = cone_docking()
    still = {"velocity_m_per_s": [0.0, 0.0, 0.0], "rate_rad_per_s": [0.0, 0.0, 0.0]}
    tables["chaser"] |= still | {
        "position_m": [2.01, 0.012, 0.0],
        "velocity_m_per_s": [-0.05, 0.0, 0.0],
    }
    tables["target"] |= still
    tables["contact"][0]["device"] = copy.deepcopy(SOFT)
    found = run_reference(build(tables))
    assert (touches_of_cone(found.series) > 0.0).all(axis=1).sum() > 20, (
        "both must touch, or the test says nothing"
    )
    assert found.kinetic + found.stored == pytest.approx(found.kinetic_start, rel=1e-7)


@pytest.mark.parametrize("build_tables", [cone_docking, sphere_on_sphere])
def test_contact_work_is_stored_or_dissipated(build_tables):
    """The second check of the ledger, with damping: within 1e-3 of the largest stored energy, and
    of second order in the plant's step without."""
    worst = {}
    for damping in (0.0, 15.0):
        for steps in (1, 4):
            tables = build_tables("symplectic_euler", damping=damping)
            tables["time"] |= {"plant_steps": steps, "duration_s": 1.2}
            tables["contact"][0]["device"] = copy.deepcopy(SOFT)
            series = simulate(tables).series
            apart = np.abs(
                series["energy.real"] - series["energy.stored"] - series["energy.dissipated"]
            ).max()
            worst[damping, steps] = apart / series["energy.stored"].max()
    assert worst[0.0, 1] < 1e-3
    assert worst[0.0, 4] < worst[0.0, 1] / 8.0
    assert worst[15.0, 4] < 1e-2


def test_stiff_springs_are_a_rigid_tip():
    """The device at 1e8 N/m gives the rigid contact's run."""
    rigid, soft = sphere_on_sphere(delay_ms=6.0), sphere_on_sphere(delay_ms=6.0)
    soft["contact"][0]["device"] = device([1e8] * 4)
    assert simulate(soft).restitution == pytest.approx(simulate(rigid).restitution, abs=1e-4)
