"""The compliance device: four springs, their matrix, the stiffness along a normal, and the tip's
equilibrium on a surface."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall, matrix, quaternion, sphere_on_sphere

from softdock import simulate
from softdock.core.contact.compliance import (
    device_matrix,
    in_series,
    normal_stiffness,
    sliding_stiffness,
    stiffness_range,
)
from softdock.core.orbit import orbit
from softdock.errors import BadInput
from softdock.scenario.build import build
from softdock.scenario.device import reachable_stiffness

STAR = [
    [0.0, 1.0, 0.0],
    [0.0, -0.5, 3**0.5 / 2],
    [0.0, -0.5, -(3**0.5) / 2],
    [1.0, 0.0, 0.0],
]  # three across, one along the probe
SPRINGS = [1000.0, 1500.0, 2500.0, 4000.0]  # N/m
RNG = np.random.default_rng(5)


def device(stiffness=SPRINGS, directions=STAR, **keys):
    return {
        "model": "four_springs",
        "stiffness_N_per_m": list(stiffness),
        **{f"direction_{i + 1}": list(d) for i, d in enumerate(directions)},
        **keys,
    }


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
    found = orbit(build(tables))
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
    found = orbit(build(tables))
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


def test_a_device_belongs_to_the_real_contact():
    """A wanted law of its own is that of a rigid tip; the same as real includes the device."""
    tables = epos_wall(delay_ms=0.0)
    tables["contact"][0]["device"] = device()
    soft = orbit(build(tables))
    tables["contact"][0]["wanted"] = {"law": "spring_damper", "stiffness_N_per_m": 1000.0}
    rigid = orbit(build(tables))
    del tables["contact"][0]["device"]
    assert rigid.peak_force == orbit(build(tables)).peak_force
    assert soft.peak_force < 0.95 * rigid.peak_force


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"device": device(directions=[STAR[0], STAR[0], STAR[3], STAR[3]])},
            r"device\.direction_1.*all three directions",
        ),
        (
            {"device": {"model": "four_springs", "stiffness_N_per_m": [1.0] * 4}},
            r"device\.direction_1",
        ),
        ({"device": device([1.0, 1.0, -1.0, 1.0])}, r"device\.stiffness_N_per_m"),
        (
            {"device": device(), "real": {"stiffness_N_per_m": 1e3, "friction": 0.1}},
            r"real\.friction.*slides without friction",
        ),
        ({"device": device(), "real": {"stiffness_N_per_m": 0.0}}, r"real\.stiffness_N_per_m"),
        (
            {"device": device(), "real": {"law": "hunt_crossley", "stiffness_N_per_m": 1e3}},
            r"applies only for real\.law = spring_damper",
        ),
        ({"device": {"model": "three_springs"}}, "rigid, four_springs"),
    ],
)
def test_bad_devices_are_refused(change, message):
    """With the key and what is allowed."""
    tables = epos_wall()
    tables["contact"][0] |= change
    with pytest.raises(BadInput, match=message):
        build(tables)


@pytest.mark.parametrize("build_tables", [cone_docking, sphere_on_sphere, epos_wall])
def test_a_run_stays_within_the_reachable_stiffness(build_tables):
    """Force over depth at every instant of a run lies below the bound that stability uses; the
    chaser starts turned."""
    tables = (
        build_tables("symplectic_euler")
        if build_tables is not epos_wall
        else epos_wall(delay_ms=0.0)
    )
    tables["contact"][0]["device"] = device([6000.0, 500.0, 700.0, 3000.0])
    scenario = build(tables)
    bound, series = reachable_stiffness(scenario.vector, tilt_deg=15.0), simulate(scenario).series
    touching = series["contact.depth"] > 1e-5
    felt = (
        np.linalg.norm(series["true.chaser.force"], axis=1)[touching]
        / series["contact.depth"][touching]
    )
    assert touching.any()
    assert felt.max() <= bound.held.high
    assert bound.sliding.high <= bound.held.high * (1.0 + 1e-12)
    assert (
        bound.held.high
        <= np.linalg.eigvalsh(device_matrix([6000.0, 500.0, 700.0, 3000.0], STAR))[2]
    )
    if (
        build_tables is not sphere_on_sphere
    ):  # whose curved surface makes force over depth more than a stiffness
        assert felt.min() >= 0.99 * bound.sliding.low


def test_reachable_normals_follow_the_attitude():
    """A wall met along the probe feels spring 4; the chaser turned by 90 deg, the springs across
    it."""
    found = []
    for turn in ([0.0, 0.0, 0.0], [0.0, 0.0, math.pi / 2]):
        tables = epos_wall()
        tables["chaser"]["attitude_wxyz"] = quaternion(turn).tolist()
        tables["contact"][0] |= {"device": device(), "real": {"stiffness_N_per_m": 1e9}}
        found.append(reachable_stiffness(build(tables).vector, tilt_deg=0.0))
    K = device_matrix(SPRINGS, STAR)
    assert [f.held.high for f in found] == pytest.approx([K[0, 0], K[1, 1]], rel=1e-5)
    assert found[1].sliding.high == pytest.approx(1.0 / np.linalg.inv(K)[1, 1], rel=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: reachable_stiffness(build(epos_wall()).vector),
        lambda: reachable_stiffness(build(epos_wall()).vector, pair=1),
        lambda: reachable_stiffness(build(epos_wall()).vector, tilt_deg=-1.0),
    ],
)
def test_no_device_no_range(call):
    """A rigid tip, a pair that is not there, a tilt that is none."""
    with pytest.raises(BadInput):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: device_matrix([1.0, 1.0, 1.0], STAR),
        lambda: device_matrix([1.0, 1.0, 0.0, 1.0], STAR),
        lambda: device_matrix(SPRINGS, [*STAR[:3], [0.0, 0.0, 0.0]]),
        lambda: device_matrix(SPRINGS, STAR, (0.0, 1.0)),
        lambda: normal_stiffness(np.eye(3), [0.0, 0.0, 0.0]),
        lambda: stiffness_range(np.eye(3), angles_deg=(50.0, 20.0)),
    ],
)
def test_bad_arguments_are_refused(call):
    """The functions for users refuse what makes no device."""
    with pytest.raises(BadInput):
        call()
