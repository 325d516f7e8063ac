"""How arms give way at a contact, from joint stiffness and Jacobian: against matrices made here by
differences of the forward kinematics, and what the re-mapping is told of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from arm_cases import ELASTIC, HARD, HEAVY, SLOW, bump, slow_peak
from arms_rows import poses_of, preset_tables

from softdock.compile.jit import entry_point
from softdock.errors import BadInput
from softdock.loop.arms.at_contact import (
    arms_at_contact,
    gives_way,
    joints_at,
    robot_at_contact,
    touch,
)
from softdock.loop.arms.facility import Frame
from softdock.loop.arms.layout import AT as ARM_AT
from softdock.loop.arms.mounted import loaded, mock_up_load
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.arms.sources import arm_of, load_arm
from softdock.loop.spatial.arrays import unit_matrix
from softdock.methods.registry import METHODS
from softdock.methods.remapping import environment as joints
from softdock.methods.remapping.keys import MARKER
from softdock.scenario.build import build

Q = np.array([0.0, 0.3, -1.3, 1.5, 0.4, 0.8, -0.2])
FRAME = Frame((0.2, -0.4, 0.3), (math.cos(0.3), 0.0, math.sin(0.3), 0.0))
POINT, NORMAL = np.array([1.1, 0.5, 0.7]), np.array([2.0, -1.0, 2.0]) / 3.0
compute_joints = entry_point(joints.compute_joints)


def moved(arm, q, point):
    """A point that is fixed to the flange at Q, at joints q; base axes."""
    (at,), (there,) = poses_of(arm, Q[None, :]), poses_of(arm, q[None, :])
    own = unit_matrix(at[3:]).T @ (point - at[:3])
    return there[:3] + unit_matrix(there[3:]) @ own


def columns(arm, point):
    """The point's Jacobian by differences."""
    h, found = 1e-6, []
    for i in range(1, 7):
        step = np.zeros(7)
        step[i] = h
        found.append((moved(arm, Q + step, point) - moved(arm, Q - step, point)) / (2.0 * h))
    return np.array(found).T


def test_the_compliance_is_that_of_the_joints_one_by_one():
    """C = sum of v v' / k over the joints, turned into orbit axes; along the normal k = 1 / n'C n,
    which is less than n' C^-1 n: other directions are free."""
    arm = load_arm("kr16")
    R = unit_matrix(FRAME.q)
    V = columns(arm, np.add(FRAME.p, R @ POINT))
    by_hand = sum(
        np.outer(R.T @ v, R.T @ v) / k
        for v, k in zip(V.T, arm.of_axes("stiffness")[1:], strict=True)
    )
    found = gives_way(arm, Q, FRAME, POINT, NORMAL)
    assert found.compliance[:3, :3] == pytest.approx(by_hand, rel=1e-6, abs=1e-14)
    assert found.compliance == pytest.approx(found.compliance.T, abs=1e-20)
    assert found.stiffness == pytest.approx(1.0 / (NORMAL @ by_hand @ NORMAL), rel=1e-6)
    assert found.stiffness < NORMAL @ np.linalg.inv(by_hand) @ NORMAL


def test_one_soft_joint_gives_way_about_its_own_axis():
    """All others rigid: the point moves across the lever of that joint, by torque over stiffness,
    and not at all along it; a force along the lever finds a rigid arm."""
    preset = load_arm("kr16")
    arm = replace(preset, vector=preset.vector.copy())
    arm.vector[ARM_AT.stiffness + 1 : ARM_AT.stiffness + 7] = [2e5] + [math.inf] * 5
    point = np.array([1.2, 0.3, 0.9])  # axis 1 is the base's z axis: lever (1.2, 0.3)
    v = np.array([-0.3, 1.2, 0.0])
    straight = gives_way(arm, Q, Frame(), point, np.array([0.0, 1.0, 0.0]))
    assert np.abs(straight.compliance[:3, :3]) == pytest.approx(
        np.abs(np.outer(v, v)) / 2e5, abs=1e-15
    )
    assert straight.compliance[5, 5] == pytest.approx(1.0 / 2e5)
    assert straight.stiffness == pytest.approx(2e5 / 1.2**2)
    along = gives_way(arm, Q, Frame(), point, np.array([1.2, 0.3, 0.0]) / math.hypot(1.2, 0.3))
    assert along.stiffness == 0.0 or along.stiffness > 1e20


def test_the_pose_is_that_of_the_contact():
    """Two bodies half a millimetre apart: the joints are those with which both mock-ups touch."""
    tables = build(bump(ELASTIC)).tables
    facility, (poses, point, normal) = facility_of(tables), touch(tables)
    assert point == pytest.approx([-1.0, 0.0, 0.0], abs=1e-12)
    assert normal == pytest.approx([-1.0, 0.0, 0.0])
    for robot, mount in facility.robots().items():
        arm = loaded(arm_of(mount), mount, mock_up_load(tables, robot))
        q = joints_at(arm, mount, facility, poses[robot])
        (flange,) = poses_of(arm, q[None, :])
        there = mount.base.then(Frame(tuple(flange[:3]), tuple(flange[3:]))).then(mount.satellite)
        assert there.p == pytest.approx(poses[robot][:3], abs=1e-9)


def test_the_remapping_is_told_the_sum_of_both_arms():
    """In the vector of the scenario: compliance of both robots together, along any normal in series
    as n' C n; where it filters, the arms' modes."""
    told = {"name": "remapping", "environment": "replaced_stiffness", "robot_stiffness": "arm"}
    group = METHODS["remapping"].group
    for environment, name in (("replaced_stiffness", "arm_compliance"), ("filter", "arm_modes")):
        scenario = build(bump(ELASTIC, methods=[told | {"environment": environment}]))
        numbers = arms_at_contact(scenario.tables, (name,))[name]
        (at,) = [
            i - getattr(group.at, name)
            for i in range(len(scenario.vector) - len(numbers))
            if scenario.vector[i : i + len(numbers)].tolist() == list(numbers)
        ]
        if environment == "filter":
            both = [robot_at_contact(scenario.tables, b).modes for b in ("chaser", "target")]
            assert list(numbers) == np.concatenate(both).tolist()
            assert not scenario.vector[at + group.at.arm_compliance]
            continue
        C = sum(robot_at_contact(scenario.tables, b).compliance for b in ("chaser", "target"))
        assert numbers == pytest.approx(C[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        method = MARKER._replace(vector=scenario.vector, base=at)
        for n in (NORMAL, np.array([1.0, 0.0, 0.0])):
            assert compute_joints(method, tuple(n)) == pytest.approx(1.0 / (n @ C[:3, :3] @ n))


@pytest.mark.prove
def test_only_the_arms_own_stiffness_gives_the_wanted_force():
    """Lange 16, 19 and 22 in a loop: two KR 16 with elastic joints push each other, and the
    satellites are to feel v sqrt(k mu). With the arms' stiffness along the contact's normal they
    do, to 1 %. With one that is the same in every direction (as compliant on the whole) they do
    not, nor with robots that are taken as rigid: they feel a contact of another stiffness. Of
    these `make test` has the first: golden/test_lange_arms.py."""
    wanted = SLOW * math.sqrt(HARD * 0.5 * HEAVY)
    replaced = {"environment": "replaced_stiffness"}
    by_arm, run = slow_peak(replaced | {"robot_stiffness": "arm"})
    C = sum(robot_at_contact(run.scenario.tables, b).compliance for b in ("chaser", "target"))
    same, along = np.trace(C[:3, :3]) / 3.0, C[0, 0]
    isotropic, _ = slow_peak(replaced | {"joint_stiffness_N_per_m": 1.0 / same})
    rigid, _ = slow_peak({})
    assert by_arm == pytest.approx(wanted, rel=0.01)
    for peak, believed in ((isotropic, same), (rigid, 0.0)):
        felt = (1.0 / HARD + believed) / (1.0 / HARD + along)  # of the wanted stiffness
        assert peak == pytest.approx(wanted * math.sqrt(felt), rel=0.03)
        assert abs(peak / wanted - 1.0) > 0.1


def test_what_cannot_be_taken_from_an_arm_is_refused():
    """No arm, robots taken as rigid, a stiffness told beside it: each by its key."""
    told = {"name": "remapping", "environment": "replaced_stiffness", "robot_stiffness": "arm"}
    with pytest.raises(BadInput, match="no robot of the scenario is an arm"):
        build(bump({"delay_ms": 4.0}, methods=[told]))
    with pytest.raises(BadInput, match="exact takes them as rigid"):
        build(bump(ELASTIC, methods=[told | {"environment": "exact"}]))
    with pytest.raises(BadInput, match="joint_stiffness_N_per_m"):
        build(bump(ELASTIC, methods=[told | {"joint_stiffness_N_per_m": 1e6}]))


def test_a_refusal_names_the_arm_as_the_file_has_it():
    """An arm without a stiffness, or out of reach: the key of the facility and the entry that asks
    for it, and no key of a method that the file may not have."""
    told = {"name": "remapping", "environment": "replaced_stiffness", "robot_stiffness": "arm"}
    rigid = {"model": "arm", "delay_ms": 4.0}
    soft = preset_tables("kr16")
    for joint in soft["joints"]:
        joint.pop("stiffness_Nm_per_rad")
    with pytest.raises(BadInput) as refused:
        build(bump(rigid, arm=soft, methods=[told]))
    (problem,) = refused.value.problems
    assert problem.key == "facility.chaser.arm"
    assert "a stiffness of every joint; methods.0 (remapping) asks" in problem.allowed
    tables = build(bump(rigid)).tables | {"robots": {b: ELASTIC for b in ("chaser", "target")}}
    away = {"chaser": tables["facility"]["chaser"] | {"base_m": [-9.0, 0.6, -1.0]}}
    massless = preset_tables("kr16")
    for joint in massless["joints"]:
        for key in ("mass_kg", "centre_m", "inertia_kg_m2"):
            joint.pop(key)
    with pytest.raises(BadInput, match="states mass and inertia of its links"):
        build(bump(rigid, arm=massless, methods=[told | {"environment": "filter"}]))
    with pytest.raises(BadInput, match="an arm that reaches the contact") as refused:
        robot_at_contact(tables | {"facility": tables["facility"] | away}, "chaser")
    assert refused.value.problems[0].key == "facility.chaser.arm"
