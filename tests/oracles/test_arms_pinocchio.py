"""Arms against Pinocchio on 2000 random poses of each: the group `oracles` brings it.

Behind the marker `oracle`: without the package the tests say so and skip, with
SOFTDOCK_REQUIRE_ORACLES=1 they fail.
"""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest
from arms_rows import (
    all_arms,
    configurations,
    jacobians_of,
    masses_of,
    pose_difference,
    poses_of,
    torques_of,
)

from softdock.loop.arms.layout import AT, AXES

MISSING = importlib.util.find_spec("pinocchio") is None
if MISSING and os.environ.get("SOFTDOCK_REQUIRE_ORACLES") == "1":
    raise ModuleNotFoundError("pinocchio: install the dependency group 'oracles'")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(MISSING, reason="no pinocchio: uv sync --group oracles"),
]
COUNT = 2000
ARMS = all_arms()


@pytest.fixture(params=ARMS, ids=[f"{arm.name}, {arm.base_axis}" for arm in ARMS])
def pair(request):
    arm = request.param
    return (arm, *pinocchio_model(arm))


def pinocchio_model(arm):
    """The same arm as Pinocchio's model, built from the vector alone."""
    import pinocchio as pin

    v, model, joint = arm.vector, pin.Model(), 0
    at = v[AT.offsets : AT.offsets + 3].copy()
    for i in range(arm.first, AXES):
        axis = v[AT.directions + 3 * i : AT.directions + 3 * i + 3]
        slides = i == 0 and arm.base_axis == "rail"
        kind = pin.JointModelPrismaticUnaligned if slides else pin.JointModelRevoluteUnaligned
        if i > 0:
            step = v[AT.offsets + 3 * i : AT.offsets + 3 * i + 3]
            at = step + (at if i == arm.first else 0.0)
        place = pin.SE3(np.eye(3), at.copy())
        joint = model.addJoint(joint, kind(*axis), place, f"axis {i}")
        xx, yy, zz, xy, xz, yz = v[AT.inertia + 6 * i : AT.inertia + 6 * i + 6]
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        centre = v[AT.centre + 3 * i : AT.centre + 3 * i + 3]
        body = pin.Inertia(v[AT.mass + i], centre, moments)
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
        model.armature[model.nv - 1] = v[AT.rotor + i]
    w, x, y, z = v[AT.flange : AT.flange + 4]
    offset = v[AT.offsets + 3 * AXES : AT.offsets + 3 * AXES + 3]
    place = pin.SE3(pin.Quaternion(w, x, y, z).matrix(), offset)
    frame = model.addFrame(pin.Frame("flange", joint, place, pin.FrameType.OP_FRAME))
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    return model, model.createData(), frame


def test_forward_and_jacobian(pair):
    """Pose of the flange and Jacobian of its origin to 1e-12."""
    import pinocchio as pin

    arm, model, data, frame = pair
    q = configurations(arm, COUNT, 11)
    poses, J = poses_of(arm, q), jacobians_of(arm, q)
    theirs, off = np.zeros_like(poses), 0.0
    for n in range(COUNT):
        mine = q[n, arm.first :]
        theirs_J = pin.computeFrameJacobian(
            model, data, mine, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        pin.framesForwardKinematics(model, data, mine)
        place = data.oMf[frame]
        x, y, z, w = pin.Quaternion(place.rotation).coeffs()
        theirs[n] = *place.translation, w, x, y, z
        off = max(off, np.abs(theirs_J - J[n, :, arm.first :]).max())
    assert pose_difference(poses, theirs).max() < 1e-12
    assert off < 1e-12


def test_torques_and_mass_matrix(pair):
    """Newton-Euler and composite bodies to 1e-10 of the largest, weight and speeds included."""
    import pinocchio as pin

    arm, model, data, _ = pair
    q, v, a = (configurations(arm, COUNT, seed) for seed in (12, 13, 14))
    mine, M = torques_of(arm, q, v, a), masses_of(arm, q)
    first, off, off_M = arm.first, 0.0, 0.0
    for n in range(COUNT):
        theirs = pin.rnea(model, data, q[n, first:], v[n, first:], a[n, first:])
        off = max(off, np.abs(theirs - mine[n, first:]).max() / np.abs(theirs).max())
        theirs_M = pin.crba(model, data, q[n, first:])
        theirs_M = np.triu(theirs_M) + np.triu(theirs_M, 1).T
        off_M = max(off_M, np.abs(theirs_M - M[n, first:, first:]).max() / np.abs(theirs_M).max())
    assert off < 1e-10
    assert off_M < 1e-10
