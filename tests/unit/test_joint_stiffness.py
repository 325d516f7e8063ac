"""Stiffness of an arm's joints from known loads and deflections: against logs that are simulated
here, by turning the joints and moving the arm, not by the formula that is fitted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from softdock import BadInput
from softdock.cli.main import cli
from softdock.loop.arms.entry_points import flange_rows
from softdock.loop.arms.sources import load_arm
from softdock.loop.spatial.arrays import unit_matrix
from softdock.output.folders.identified import (
    JOINTS,
    LOADS,
    ROTATIONS,
    TRANSLATIONS,
    read_stiffness_log,
)
from softdock.studies.identify.joint_stiffness import (
    StiffnessLog,
    compute_jacobians,
    fit_joint_stiffness,
)

ARM = load_arm("kr16")
TRUE = np.array([4.1e5, 5.2e5, 3.3e5, 0.9e5, 0.7e5, 0.4e5])  # Nm/rad
POINT = (0.25, 0.05, 0.0)  # m, in the flange's axes
NOISE = 1e-5  # m, rad: what a laser tracker leaves


def placed(joints):
    """Place of the point and attitude, by forward kinematics alone."""
    poses = np.zeros((len(joints), 7))
    flange_rows(ARM.vector, np.ascontiguousarray(joints), poses)
    R = np.stack([unit_matrix(pose[3:]) for pose in poses])
    return poses[:, :3] + R @ POINT, R


def simulated(rows=24, seed=1, noise=NOISE, loads=None, joints=None):
    """Joints that give way by torque over stiffness; loads of some hundred N."""
    rng = np.random.default_rng(seed)
    q = np.zeros((rows, 7))
    q[:, 1:] = [0.0, -1.2, 1.4, 0.0, 0.6, 0.0] + rng.uniform(-0.6, 0.6, (rows, 6))
    q = q if joints is None else joints
    W = np.concatenate([rng.uniform(-400, 400, (rows, 3)), rng.uniform(-60, 60, (rows, 3))], 1)
    W = W if loads is None else loads
    yielding = np.einsum("nki,nk->ni", compute_jacobians(ARM, q, POINT)[:, :, 1:], W) / TRUE
    (p0, R0), (p1, R1) = placed(q), placed(q + np.pad(yielding, ((0, 0), (1, 0))))
    S = R1 @ R0.transpose(0, 2, 1)
    turned = 0.5 * np.stack(
        [S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], 1
    )
    return StiffnessLog(
        joints=q,
        wrench=W,
        moved=p1 - p0 + noise * rng.normal(size=(rows, 3)),
        turned=turned + noise * rng.normal(size=(rows, 3)),
        point=POINT,
    )


def errors(found):
    """Errors in stated uncertainties."""
    return np.array(
        [
            (one.value - k) / one.uncertainty
            for one, k in zip(found.stiffness.values(), TRUE, strict=True)
        ]
    )


def test_the_jacobian_of_the_point_is_that_of_its_motion():
    """Against differences of the forward kinematics."""
    q, h = simulated().joints[:3], 1e-6
    J = compute_jacobians(ARM, q, POINT)
    for i in range(1, 7):
        step = np.zeros(7)
        step[i] = h
        assert (placed(q + step)[0] - placed(q - step)[0]) / (2.0 * h) == pytest.approx(
            J[:, :3, i], abs=1e-8
        )


@pytest.mark.parametrize("turned", [True, False], ids=["with angles", "places alone"])
def test_six_stiffnesses_come_back(turned):
    """From 24 loads with 10 um of scatter: each within 5 %, and within three and a half of its
    stated uncertainties; the scatter is found too."""
    log = simulated()
    if not turned:
        log = StiffnessLog(
            joints=log.joints, wrench=log.wrench, moved=log.moved, turned=None, point=log.point
        )
    found = fit_joint_stiffness(ARM, log)
    assert not found.cannot_tell
    assert [one.value for one in found.stiffness.values()] == pytest.approx(TRUE, rel=0.05)
    assert np.abs(errors(found)).max() < 3.5
    assert found.scatter_m == pytest.approx(NOISE, rel=0.35)
    assert (found.scatter_rad is not None) == turned


def test_the_stated_uncertainty_is_honest():
    """Over 40 noises the errors, in stated uncertainties, scatter by one."""
    z = np.concatenate(
        [errors(fit_joint_stiffness(ARM, simulated(seed=seed))) for seed in range(40)]
    )
    assert 0.8 < np.sqrt(np.mean(z**2)) < 1.25


def test_a_joint_that_is_not_loaded_is_not_told():
    """Forces through axis 6 and no torque: A6 has no number and a reason; the others have theirs.
    With the flange's own point on axis 6 the same holds for any force."""
    q = simulated().joints
    axis_6 = np.stack([J[3:, 6] for J in compute_jacobians(ARM, q, POINT)])
    point = np.stack([J[:3, 6] for J in compute_jacobians(ARM, q, POINT)])  # axis 6 x lever
    across = np.cross(axis_6, point)  # towards axis 6: no torque about it
    W = np.zeros((len(q), 6))
    W[:, :3] = 400.0 * (
        across / np.linalg.norm(across, axis=1)[:, None]
        + np.random.default_rng(3).uniform(-1, 1, (len(q), 1)) * axis_6
    )
    found = fit_joint_stiffness(ARM, simulated(loads=W))
    assert list(found.cannot_tell) == ["A6"]
    assert "loads it" in found.cannot_tell["A6"]
    assert found.stiffness["A6"] is None
    assert all(found.stiffness[name] is not None for name in ("A1", "A2", "A3"))


def test_joints_that_give_way_together_are_named():
    """One pose, one direction of force, places alone: three numbers do not tell six joints apart,
    and nothing is said of their stiffness."""
    log = simulated(6, joints=np.tile(simulated().joints[:1], (6, 1)))
    same = simulated(
        6, joints=log.joints, loads=np.tile(log.wrench[:1], (6, 1)) * np.arange(1, 7)[:, None] / 6
    )
    found = fit_joint_stiffness(
        ARM,
        StiffnessLog(
            joints=same.joints, wrench=same.wrench, moved=same.moved, turned=None, point=POINT
        ),
    )
    assert len(found.cannot_tell) >= 5
    assert any("together" in why for why in found.cannot_tell.values())


def test_the_command(tmp_path):
    """A CSV file in, a table, the reasons and lines to paste out; what is missing is refused by its
    column; too few rows are refused."""
    log = simulated()
    table = np.concatenate(
        [np.degrees(log.joints[:, 1:]), log.wrench, 1e3 * log.moved, 1e3 * log.turned], axis=1
    )
    file = tmp_path / "loads.csv"
    head = ",".join((*JOINTS, *LOADS, *TRANSLATIONS, *ROTATIONS))
    np.savetxt(file, table, delimiter=",", header=head, comments="")
    arguments = ["identify", str(file), "--joint-stiffness", "kr16", "--point", *map(str, POINT)]
    result = CliRunner().invoke(cli, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    joints = json.loads(result.stdout)["joints"]
    values = [one["stiffness"]["value"] for one in joints.values()]
    assert values == pytest.approx(TRUE, rel=0.05)
    words = CliRunner().invoke(cli, arguments).output
    assert "stiffness_Nm_per_rad = " in words
    assert "scatter" in words
    np.savetxt(file, table[:, 1:], delimiter=",", header=head.partition(",")[2], comments="")
    with pytest.raises(BadInput, match="q1_deg"):
        read_stiffness_log(file, ARM, POINT)
    with pytest.raises(BadInput, match="rows"):
        fit_joint_stiffness(ARM, StiffnessLog(log.joints[:2], log.wrench[:2], log.moved[:2]))
