"""A robot that is an arm: set-points become joints, the mock-up is where the links are."""

from __future__ import annotations

import numpy as np
import pytest
from arm_cases import bump

from softdock.loop.arms import load_arm
from softdock.loop.arms.arm_table import arm_table
from softdock.loop.arms.entry_points import flange_rows
from softdock.loop.arms.layout import AT
from softdock.loop.arms.robot_layout import ARM_STATE, PLACED
from softdock.loop.energy.ledger import ROWS
from softdock.loop.robots.keys import ROBOT
from softdock.loop.spatial.arrays import unit_matrix
from softdock.loop.vector import CHASER_ROBOT_AT
from softdock.output.pages.run.charts import energy_added
from softdock.output.pages.run.tables import ledger_table
from softdock.results.arms import BEYOND, compute_arm_uses, view_arm_state
from softdock.results.joint_rows import JOINT_ROWS, compute_rows_over_time
from softdock.results.metric import tabulate_ledger
from softdock.results.simulation import run_loop
from softdock.results.stepper import Stepper
from softdock.scenario.arm_tables import arm_place
from softdock.scenario.build import build

ARM = {"model": "arm", "delay_ms": 4.0}
S, P = ARM_STATE.at, PLACED.at


def flown(robots, **more):
    return run_loop(build(bump(robots, **more)))


def test_stiff_joints_put_the_mock_up_where_the_delayed_set_point_is():
    """Inverse, delay in joint space and forward kinematics end at the pose that was asked for."""
    run, ideal = flown(ARM), flown({"delay_ms": 4.0})
    assert run.status == "completed"
    assert len(run.contacts) == 1
    for name in ("mock_up.chaser.position", "mock_up.target.velocity", "chaser.velocity"):
        scale = np.abs(ideal.series[name]).max()
        assert np.abs(run.series[name] - ideal.series[name]).max() < 1e-7 * scale


def test_joints_that_lag_alike_are_the_same_lag_of_the_tip():
    """The stability analysis takes them so; small motions of the joints are linear in the tip's."""
    run = flown(ARM | {"joints": "lag", "joint_lag_Hz": 20.0})
    other = flown({"model": "lag", "delay_ms": 4.0, "lag_Hz": 20.0})
    end, wanted = run.series["chaser.velocity.x"][-1], other.series["chaser.velocity.x"][-1]
    assert abs(end - wanted) < 1e-3 * 0.1
    assert wanted < -0.05  # a lag it is: energy comes in, and the chaser does not stop


def test_limited_joints_keep_the_arms_own_limits():
    """A hard push: no joint is faster or accelerates harder than its arm says, and one is at it."""
    robots = ARM | {"joints": "limited", "joint_max_jerk_rad_per_s3": 500.0}
    weak = {"stiffness_N_per_m": 4e4}
    run = flown(robots, contact=[bump({})["contact"][0] | {"real": weak}], seconds=0.3)
    arm, T = load_arm("kr16"), 0.004
    for robot in ("chaser", "target"):
        rate = run.series[f"joints.{robot}.velocity"]
        gain = np.abs(np.diff(rate, axis=0)).max(axis=0) / T
        assert (np.abs(rate).max(axis=0) <= arm.of_axes("speed")[1:] * (1 + 1e-9)).all()
        assert (gain <= arm.of_axes("acceleration")[1:] * (1 + 1e-9)).all()
        jerk = np.abs(np.diff(rate, 2, axis=0)).max() / T**2
        assert 50.0 < jerk <= 500.0 * (1 + 1e-6)


def test_joint_columns_are_there_for_arms_alone():
    """A run without arms has the columns it always had; one arm of two has its own only."""
    tables = bump(ARM)
    tables["robots"]["target"] = {"delay_ms": 4.0}
    one, none = run_loop(build(tables)), flown({"delay_ms": 4.0})
    assert one.series["joints.chaser.position"].shape == (len(one.series["time"]), 6)
    assert not [name for name in one.series if name.startswith("joints.target")]
    assert not [name for name in none.series if name.startswith("joints")]
    assert list(one.series)[: len(none.series)] == list(none.series)
    assert one.series["joints.chaser.clearance"].min() > 0.3
    moved = np.ptp(one.series["joints.chaser.position"], axis=0)
    assert (moved > 1e-4).all()
    assert (moved < 0.1).all()


def test_elastic_joints_keep_their_books():
    """Motors and contact put in what the joints store, take and move: to 1e-9 of what went through,
    with their stored and dissipated energy among the run's books."""
    run = flown(ARM | {"elastic_joints": True, "joint_damping_ratio": 0.05}, seconds=0.1)
    assert set(run.joint_books) == {"chaser", "target"}
    assert run.contacts
    for books in run.joint_books.values():
        turnover = sum(abs(value) for key, value in books.items() if key != "residual_J")
        assert turnover > 0.3
        assert abs(books["residual_J"]) < 1e-9 * turnover
        assert books["dissipated_J"] > 0.0
    most = run.series["joints.chaser.energy.stored"].max()
    bent = run.series["joints.chaser.position"] - run.series["joints.chaser.motor"]
    stiffness = load_arm("kr16").of_axes("stiffness")[1:]
    assert most == pytest.approx((0.5 * stiffness * bent**2).sum(axis=1).max(), rel=1e-9)
    assert not [text for text in run.warnings if "books miss" in text]


def test_elastic_joints_are_rows_of_the_ledger():
    """What the joints store, move and take stands in the sum that is shown: it closes to 1e-9 of
    the turnover from each row's own signals, over the whole run and at its end, and would not with
    one of them left out."""
    run = flown(ARM | {"elastic_joints": True, "joint_damping_ratio": 0.05}, seconds=0.1)
    rows, turnover = run.ledger_rows, run.ledger["turnover"]
    assert set(JOINT_ROWS[:3]) < set(rows)
    assert abs(sum(rows.values()) - run.energy_added_J) < 1e-9 * turnover
    assert rows["joints_dissipated"] < -1e-4 * turnover
    for row in JOINT_ROWS[:3]:
        assert abs(rows[row]) > 1e-6 * turnover
    over_time = compute_rows_over_time(run.series)
    assert {row: values[-1] for row, values in over_time.items()} == pytest.approx(rows)
    missing = np.sum(list(over_time.values()), axis=0) - energy_added(run)
    assert np.abs(missing).max() < 1e-9 * turnover
    assert flown(ARM).ledger_rows.keys() == set(ROWS)  # rigid: none of them
    words = ledger_table({"ledger": tabulate_ledger(run), "energy_added_J": run.energy_added_J})
    assert all(f'data-key="ledger.rows.{row}"' in words for row in JOINT_ROWS[:3])


def weightless(**load):
    """A docking with arms whose links weigh nothing: all mass is the load's."""
    table = arm_table(load_arm("kr16"))
    for joint in table["joints"]:
        joint["mass_kg"] = 0.0
        joint.pop("inertia_kg_m2", None)
    tables = bump(ARM, arm=table, seconds=0.02, contact=[])
    for mount in tables["facility"].values():
        mount |= load
    return tables


def softened(tables):
    """The same with elastic joints."""
    robots = {one: ARM | {"elastic_joints": True} for one in tables["facility"]}
    return tables | {"robots": robots}


def chaser_torque(run):
    uses = compute_arm_uses(run.scenario, run.series)
    return next(use for use in uses if (use.robot, use.what) == ("chaser", "torque"))


def test_a_torque_beyond_its_limit_is_named():
    """A load that is too heavy for a KR 16: the run says which joint bears more than its torque,
    when and how much, and that the limit is assumed. The value is that of the weight on its lever;
    a light load says nothing."""
    tables = weightless(load_kg=200.0, load_centre_m=[0.4, 0.0, 0.0], load_inertia_kg_m2=[2.0] * 3)
    run, elastic = run_loop(build(tables)), run_loop(build(softened(tables)))
    worst, gave_way = chaser_torque(run), chaser_torque(elastic)
    assert gave_way.joint == worst.joint
    assert gave_way.value == pytest.approx(worst.value, rel=0.01)
    arm = load_arm("kr16")
    rows = np.tile([0.0, *run.series["joints.chaser.position"][0]], (2, 1))
    h, slot, poses = 1e-5, arm.axis_names.index(worst.joint), np.zeros((2, 7))
    rows[:, slot] += (h, -h)
    flange_rows(arm.vector, rows, poses)
    up, down = (pose[2] + (unit_matrix(pose[3:]) @ [0.7, 0.0, 0.0])[2] for pose in poses)
    assert worst.value == pytest.approx(abs(200.0 * 9.81 * (up - down) / (2.0 * h)), rel=1e-3)
    assert worst.share > 1.0
    (event,) = [e for e in run.events if e["where"] == "robots.chaser" and "torque" in e["text"]]
    assert event["what"] == BEYOND
    said = f"torque of {worst.joint} {worst.value:.4g} Nm at {worst.time:.4g} s, "
    assert f"{said}{worst.share:.3g} of its limit of {worst.limit:.4g} Nm (assumed" in event["text"]
    assert event["text"] in run.warnings
    light = run_loop(build(weightless(load_kg=2.0)))
    assert not [e for e in light.events if "torque" in e["text"]]


def isotropic(scenario, k, zeta, mass):
    """The scenario with joint matrices that are the same in every direction at its first pose, and
    so stiff in rotation that the attitude is the motors', as of the joint in Cartesian space."""
    loop = Stepper(scenario)
    loop.step(1)
    for robot in ("chaser", "target"):
        state = view_arm_state(scenario.vector, loop.mem, robot)
        J = state[S.jacobian : S.jacobian + 42].reshape(6, 7)[:, :6]
        turning = 1e7  # Nm/rad
        K = J.T @ np.diag([k] * 3 + [turning] * 3) @ J
        loss = 2.0 * zeta * np.sqrt(k * mass)
        D = J.T @ np.diag([loss] * 3 + [2.0 * np.sqrt(turning)] * 3) @ J
        block = int(scenario.vector[arm_place(robot)])
        scenario.vector[block + P.elasticity : block + P.elasticity + 36] = K.ravel()
        scenario.vector[block + P.loss : block + P.loss + 36] = D.ravel()
    return scenario


def test_a_full_joint_stiffness_that_is_isotropic_is_the_cartesian_joint():
    """Lange's eqs. 7 and 10 in joints and today's joint in Cartesian space are one law."""
    k, mass, zeta = 2e5, 50.0, 0.1
    tables = softened(weightless())  # all mass is at the satellite's centre of mass
    tables["contact"] = bump({})["contact"]
    tables["time"]["duration_s"] = 0.1
    tables["time"]["plant_steps"] = 16
    # slow, so that the arms stay where the matrix was made: 1 mm of 0.7 m
    tables["chaser"] |= {"position_m": [-2.0001, 0.0, 0.0], "velocity_m_per_s": [0.02, 0.0, 0.0]}
    for mount in tables["facility"].values():
        mount |= {"load_kg": mass, "load_inertia_kg_m2": [1.0] * 3}
        mount["load_centre_m"] = mount["centre_of_mass_m"]
    run = run_loop(isotropic(build(tables), k, zeta, mass))
    cartesian = {"joint_stiffness_N_per_m": k, "joint_damping_ratio": zeta, "moving_mass_kg": mass}
    other = dict(tables, robots={one: {"delay_ms": 4.0} | cartesian for one in tables["facility"]})
    wanted = run_loop(build(other))
    rigid = run_loop(
        build(dict(tables, robots={one: {"delay_ms": 4.0} for one in tables["facility"]}))
    )
    for name in ("true.chaser.force.x", "mock_up.chaser.velocity.x", "chaser.velocity.x"):
        scale = np.abs(wanted.series[name]).max()
        assert np.abs(run.series[name] - wanted.series[name]).max() < 1e-3 * scale
        assert np.abs(rigid.series[name] - wanted.series[name]).max() > 2e-2 * scale


def test_what_an_arm_needs_stands_behind_the_vector():
    """The block that the loop reads is the arm's own vector, whatever it was read from."""
    scenario = build(bump(ARM))
    at = int(scenario.vector[CHASER_ROBOT_AT + ROBOT.at.arm])
    assert (scenario.vector[at : at + AT.mass] == load_arm("kr16").vector[: AT.mass]).all()
