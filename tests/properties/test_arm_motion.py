"""Kinematics and dynamics of arms, held against themselves: no oracle needed."""

from __future__ import annotations

import numpy as np
import pytest
from arms_rows import (
    all_arms,
    configurations,
    jacobians_of,
    masses_of,
    pose_difference,
    poses_of,
    solutions_of,
    torques_of,
    work,
    wrapped,
)

from softdock.loop.arms import entry_points
from softdock.loop.arms.follow import JOINT_LIMIT, REACHED, SINGULAR, UNREACHABLE
from softdock.loop.arms.layout import AXES

ARMS = all_arms()
COUNT = 200


@pytest.fixture(params=ARMS, ids=[f"{arm.name}, {arm.base_axis}" for arm in ARMS])
def arm(request):
    return request.param


def test_every_branch_meets_the_pose(arm):
    """The forward of each inverse is the pose to 1e-10; a branch in reach is never left out."""
    q = configurations(arm, COUNT, 1)
    poses = poses_of(arm, q)
    joints, refused = solutions_of(arm, poses, q[:, 0].copy())
    for branch in range(8):
        good = refused[:, branch] == 0
        again = poses_of(arm, joints[good, branch])
        assert pose_difference(again, poses[good]).max() < 1e-10
    assert (refused == 0).sum(axis=1).min() >= 2  # at least the wrist's two


def test_a_configuration_is_found_again_on_its_own_branch(arm):
    """`branch_of` names the branch whose solution is the configuration itself."""
    q = configurations(arm, COUNT, 2)
    joints, refused = solutions_of(arm, poses_of(arm, q), q[:, 0].copy())
    branch = np.zeros(COUNT, np.int64)
    entry_points.branch_rows(arm.vector, q, branch)
    own = joints[np.arange(COUNT), branch]
    assert (refused[np.arange(COUNT), branch] == 0).all()
    off = np.abs(wrapped(own[:, 1:] - q[:, 1:])).max(axis=1)
    assert np.median(off) < 1e-12
    assert off.max() < 1e-6  # near a singularity the angles are soft, the pose is not


def test_the_jacobian_is_the_derivative_of_the_pose(arm):
    """Columns against central differences, position and attitude."""
    q = configurations(arm, 20, 3)
    J, step = jacobians_of(arm, q), 1e-6
    for i in range(arm.first, AXES):
        ahead, behind = q.copy(), q.copy()
        ahead[:, i] += step
        behind[:, i] -= step
        a, b = poses_of(arm, ahead), poses_of(arm, behind)
        assert np.abs((a - b)[:, :3] / (2 * step) - J[:, :3, i]).max() < 1e-8
        sign = np.copysign(1.0, (a[:, 3:] * b[:, 3:]).sum(1))[:, None]
        d, m = (sign * a - b)[:, 3:] / (2 * step), poses_of(arm, q)[:, 3:]
        m = m * np.copysign(1.0, (m * b[:, 3:]).sum(1))[:, None]
        w = 2.0 * (m[:, :1] * d[:, 1:] - d[:, :1] * m[:, 1:] - np.cross(d[:, 1:], m[:, 1:]))
        assert np.abs(w - J[:, 3:, i]).max() < 1e-7


def test_clearances_are_the_factors_of_the_determinant(arm):
    """The Jacobian's determinant is the three clearances' product times one length cubed."""
    q = configurations(arm, 40, 15)
    product, determinant = np.zeros(40), np.zeros(40)
    for n in range(40):
        row, clearance = q[n : n + 1], np.zeros((1, 3))
        joints, status = np.zeros((1, AXES)), np.zeros(1, np.int64)
        poses = poses_of(arm, row)
        entry_points.follow_rows(arm.vector, poses, row[0], -1, joints, status, clearance)
        product[n] = clearance.prod()
        determinant[n] = abs(np.linalg.det(jacobians_of(arm, joints)[0, :, 1:]))
    ratio = determinant / product
    assert np.allclose(ratio, np.median(ratio), rtol=1e-6)
    assert np.median(ratio) > 0.0


def test_torques_are_those_of_the_mass_matrix(arm):
    """Newton-Euler at unit accelerations, at rest and without weight, is the mass matrix."""
    q = configurations(arm, 20, 4)
    M, rest = masses_of(arm, q), np.zeros_like(q)
    scale = np.abs(M).max()
    for i in range(arm.first, AXES):
        unit = rest.copy()
        unit[:, i] = 1.0
        found = torques_of(arm, q, rest, unit, (0.0, 0.0, 0.0))
        assert np.abs(found - M[:, :, i]).max() < 1e-12 * scale
    assert np.linalg.eigvalsh(M[:, arm.first :, arm.first :]).min() > 0.0


def test_a_force_on_the_flange_is_borne_by_the_transposed_jacobian(arm):
    """What an outside push changes of the torques is -J' F."""
    q = configurations(arm, 20, 5)
    rest, pushed = np.zeros_like(q), np.random.default_rng(5).normal(size=(20, 6))
    change = torques_of(arm, q, rest, rest, pushed=pushed) - torques_of(arm, q, rest, rest)
    expected = -np.einsum("nki,nk->ni", jacobians_of(arm, q), pushed)
    assert np.abs(change - expected).max() < 1e-10


def test_energy_is_kept(arm):
    """Power of the torques is the change of kinetic and potential energy, along a motion."""
    start, rate = configurations(arm, 1, 6)[0], configurations(arm, 1, 7)[0]
    t, h = 0.4, 1e-5

    def path(s):
        return start + 0.3 * rate * np.sin(2.0 * s), 0.6 * rate * np.cos(2.0 * s)

    def energy(s):
        q, v = path(s)
        M = masses_of(arm, q[None])[0]
        lift = torques_of(arm, q[None], 0 * q[None], 0 * q[None])[0]
        return 0.5 * v @ M @ v, lift

    q, v = path(t)
    a = -1.2 * rate * np.sin(2.0 * t)
    kinetic = (energy(t + h)[0] - energy(t - h)[0]) / (2 * h)
    power = torques_of(arm, q[None], v[None], a[None])[0] @ v
    weight = energy(t)[1] @ v
    assert abs(power - weight - kinetic) < 1e-6 * (abs(power) + abs(kinetic))


def test_stiffness_at_the_tip_is_the_inverse_of_its_compliance(arm):
    """1 / (n' J K^-1 J' n) with the rows of the Jacobian that are positions."""
    q = configurations(arm, 20, 8)
    n = np.tile(np.array([0.6, 0.0, 0.8]), (20, 1))
    found = np.zeros(20)
    points = np.ascontiguousarray(poses_of(arm, q)[:, :3])
    entry_points.stiffness_rows(arm.vector, q, points, n, work(), found)
    J = jacobians_of(arm, q)[:, :3, arm.first :]
    soft = np.einsum("nki,i,nli->nkl", J, 1.0 / arm.of_axes("stiffness")[arm.first :], J)
    assert np.allclose(found, 1.0 / np.einsum("nk,nkl,nl->n", n, soft, n), rtol=1e-12)


def test_a_followed_branch_goes_through_wraps(arm):
    """Joint 6 turned by three whole turns comes back as three turns, not as a jump."""
    q = np.tile(configurations(arm, 1, 9)[0], (400, 1))
    q[:, 6] += np.linspace(0.0, 6.0 * np.pi, 400)
    poses, joints, status = poses_of(arm, q), np.zeros_like(q), np.zeros(400, np.int64)
    clearance = np.zeros((400, 3))
    branch = entry_points.follow_rows(arm.vector, poses, q[0], -1, joints, status, clearance)
    assert branch >= 0
    assert np.abs(joints[:, 1:] - q[:, 1:]).max() < 1e-7
    assert status[0] in (REACHED, JOINT_LIMIT)
    assert status[-1] == JOINT_LIMIT  # 6 pi is beyond every joint's range


def test_statuses_say_what_an_arm_cannot_do(arm):
    """Too far away is unreachable; a straight arm is singular; neither is passed over."""
    q = configurations(arm, 1, 10)
    far = poses_of(arm, q)
    far[:, :3] += 1e3
    joints, status, clearance = np.zeros_like(q), np.zeros(1, np.int64), np.zeros((1, 3))
    assert entry_points.follow_rows(arm.vector, far, q[0], -1, joints, status, clearance) == -1
    entry_points.follow_rows(arm.vector, far, q[0], 0, joints, status, clearance)
    assert status[0] == UNREACHABLE
    q[:, 1:] = (0.3, -1.2, 1.0, 0.2, 0.0, 0.5)
    for near in (0.0, 1e-9, -1e-9, 1e-6):  # of the wrist, from aligned
        q[:, 5] = near
        poses = poses_of(arm, q)
        branch = entry_points.follow_rows(arm.vector, poses, q[0], -1, joints, status, clearance)
        assert branch >= 0
        assert status[0] == SINGULAR
        assert pose_difference(poses_of(arm, joints), poses).max() < 1e-12
        if near == 0.0:
            assert np.abs(joints - q).max() < 1e-3  # the free angle stays about as it was
