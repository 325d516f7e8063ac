"""Stiffness, damping and moving mass of joints from taps: against motions that are integrated here
by Runge and Kutta's method, with noise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.loop.arms.entry_points import mass_rows
from softdock.loop.arms.layout import WORK
from softdock.loop.arms.sources import load_arm
from softdock.studies.identify.joint_motion import fit_arm, fit_cartesian
from softdock.studies.identify.joint_stiffness import StiffnessLog, compute_jacobians

STEP, FINE = 4e-3, 16
TIME = np.arange(250) * STEP
K, MASS, RATIO = 5e5, 50.0, 0.1
KEYS = {"joint_stiffness_N_per_m": K, "joint_damping_ratio": RATIO, "moving_mass_kg": MASS}


def tap(start, size, lasting=0.03):
    """A push sin^2 over time."""
    phase = (TIME - start) / lasting
    return size * np.sin(np.pi * phase) ** 2 * ((phase > 0.0) & (phase < 1.0))


def moved(M, D, K, force):
    """M x'' + D x' + K x = force from rest, force linear between samples."""
    n, x, out = len(M), np.zeros(2 * len(M)), []
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    B = np.vstack([np.zeros((n, n)), np.linalg.inv(M)])
    h = STEP / FINE
    for f0, f1 in zip(force, [*force[1:], force[-1]], strict=True):
        out.append(x[:n])
        for i in range(FINE):
            a, m, b = (B @ (f0 + (f1 - f0) * (i + s) / FINE) for s in (0.0, 0.5, 1.0))
            k1 = A @ x + a
            k2 = A @ (x + h / 2 * k1) + m
            k3 = A @ (x + h / 2 * k2) + m
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + A @ (x + h * k3) + b)
    return np.array(out)


def cartesian(seed):
    """Forces and deflections with noise."""
    rng = np.random.default_rng(seed)
    force = np.column_stack([tap(0.1, 200.0), tap(0.4, 120.0), np.zeros(len(TIME))])
    D = 2.0 * RATIO * np.sqrt(K * MASS)
    way = moved(MASS * np.eye(3), D * np.eye(3), K * np.eye(3), force)
    noisy = force + 0.5 * rng.normal(size=force.shape)
    return noisy, way + 1e-5 * rng.normal(size=way.shape)


def test_a_cartesian_joint_from_two_taps(tmp_path):
    """Each number within 3 % and within four of its stated uncertainties; the command prints them
    as the `[robots]` keys."""
    for seed in (1, 2):
        found = fit_cartesian(TIME, *cartesian(seed)).found
        for key, true in KEYS.items():
            assert found[key].value == pytest.approx(true, rel=0.03)
            assert abs(found[key].value - true) < 4.0 * found[key].uncertainty
    force, way = cartesian(1)
    rows = np.column_stack([TIME, force, 1e3 * way])
    file = tmp_path / "taps.csv"
    head = "time_s,fx_N,fy_N,fz_N,dx_mm,dy_mm,dz_mm"
    np.savetxt(file, rows, delimiter=",", header=head, comments="")
    done = CliRunner().invoke(cli, ["identify", str(file), "--joint-motion", "cartesian", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)["found"]
    assert told["moving_mass_kg"]["value"] == pytest.approx(MASS, rel=0.02)
    np.savetxt(file, rows[::-1], delimiter=",", header=head, comments="")
    done = CliRunner().invoke(cli, ["identify", str(file), "--joint-motion", "cartesian"])
    assert done.exit_code == 2
    assert "rising in equal steps" in done.output


def test_joints_of_an_arm_and_a_load_that_its_table_lacks():
    """Six stiffnesses that differ from the table's, six dampings and 12 kg at the point, from six
    taps: stiffness within 2 %, damping within 15 % where it is told, the mass within 2 %."""
    arm, rng = load_arm("kr16"), np.random.default_rng(3)
    q, point = np.array([0.0, 0.2, -1.2, 1.4, 0.3, 0.8, -0.2]), (0.25, 0.05, 0.1)
    J = compute_jacobians(arm, q[None, :], point)[0][:, 1:]
    M = np.zeros((1, 49))
    mass_rows(arm.vector, q[None, :], np.zeros(WORK.size), M)
    own = M.reshape(7, 7)[1:, 1:]
    k = arm.of_axes("stiffness")[1:] * [1.1, 0.9, 1.05, 0.8, 1.2, 0.95]
    d = np.array([0.16, 0.24, 0.2, 0.14, 0.3, 0.2]) * np.sqrt(k * np.diag(own))
    taps = [(0.05, 300.0), (0.2, 300.0), (0.35, 300.0), (0.5, 40.0), (0.65, 40.0), (0.8, 40.0)]
    W = np.column_stack([tap(*one) for one in taps])
    way = moved(own + 12.0 * J[:3].T @ J[:3], np.diag(d), np.diag(k), W @ J) @ J.T
    way += 1e-5 * rng.normal(size=way.shape)
    joints = np.tile(q, (len(TIME), 1))
    log = StiffnessLog(joints, W, moved=way[:, :3], turned=way[:, 3:], point=point)
    motion = fit_arm(arm, TIME, log)
    for name, stiff, lossy in zip(arm.axis_names[1:], k, d, strict=True):
        assert motion.found[f"{name} stiffness"].value == pytest.approx(stiff, rel=0.02)
        told = motion.found[f"{name} damping"]
        assert told is None or told.value == pytest.approx(lossy, rel=0.15)
    assert all(motion.found[f"A{i} damping"] is not None for i in (1, 2, 3))
    assert motion.found["mass at point"].value == pytest.approx(12.0, rel=0.02)
    assert motion.scatter_m < 2e-5
