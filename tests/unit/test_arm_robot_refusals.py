"""Arms that cannot be, or cannot do it: refused before the clock starts or stopped in the run, with
joint, instant and what would help."""

from __future__ import annotations

import numpy as np
import pytest
from arm_cases import bump

from softdock import BadInput
from softdock.loop.arms import load_arm
from softdock.loop.arms.arm_table import arm_table
from softdock.loop.arms.table import arm_from_table
from softdock.results.causes import list_causes
from softdock.results.simulation import run_loop
from softdock.results.stepper import Stepper
from softdock.scenario.build import build
from softdock.studies.stability.from_scenario import loops_of

ARM = {"model": "arm", "delay_ms": 4.0}


def refused(tables, *words):
    with pytest.raises(BadInput) as caught:
        Stepper(build(tables))
    for word in words:
        assert word in str(caught.value)
    return caught.value.problems


def test_an_arm_needs_a_facility():
    """The refusal names the table and the command that writes it."""
    tables = bump(ARM)
    del tables["facility"]
    problems = refused(tables, "facility.chaser", "softdock place")
    assert [p.key for p in problems] == ["facility.chaser", "facility.target"]


def test_two_arms_in_one_place_are_refused():
    """As everywhere that a facility is read."""
    tables = bump(ARM)
    tables["facility"]["target"]["base_m"] = tables["facility"]["chaser"]["base_m"]
    refused(tables, "facility.target.base_m", "softdock place")


def test_an_impossible_arm_is_refused_with_its_joint():
    """Limits the wrong way round in a table of axes; an arm that is not there."""
    table = arm_table(load_arm("kr16"))
    table["joints"][2]["range_deg"] = [154.0, -130.0]
    refused(bump(ARM, arm=table), "facility.chaser.arm", "A3", "range")
    refused(bump(ARM, arm="kr17"), "facility.chaser.arm", "kr16")


def test_a_start_out_of_reach_is_refused_before_the_clock():
    """Joint, how far, and which way the base would have to go."""
    tables = bump(ARM)
    tables["facility"]["chaser"]["base_m"] = [-4.6, 0.6, -1.0]
    (problem,) = refused(tables, "unreachable at the start", "joint A3", "nearer or more")
    assert problem.key == "facility.chaser"
    nearer = float(problem.allowed.split("the base ")[1].split(" mm")[0])
    tables["facility"]["chaser"]["base_m"][0] += 1.2e-3 * nearer  # it would help, indeed
    Stepper(build(tables))


def test_a_branch_that_ends_stops_the_run_with_joint_and_instant():
    """The chaser flies on until its arm is stretched out; the run holds everything up to there."""
    tables = bump(ARM, seconds=8.0, contact=[])
    tables["chaser"]["velocity_m_per_s"] = [0.0, 0.0, 0.4]
    run = run_loop(build(tables))
    assert run.status in ("arm out of reach", "joint limit of an arm", "arm at a singularity")
    stops = [text for text in run.warnings if "the chaser's arm (KUKA KR 16-2)" in text]
    said = next(text for text in stops if " of its limit" not in text)
    instant = float(said.split(" at ")[1].split(" s,")[0])
    assert "joint A" in said
    assert "would help" in said
    assert instant == pytest.approx(run.cycles * 0.004, rel=1e-3)
    assert 0.1 < instant < 8.0
    assert np.isfinite(run.series["joints.chaser.position"]).all()


def test_joints_need_numbers_that_the_arm_states():
    """Limits without accelerations, elastic joints without stiffness or inertia; two springs."""
    table = arm_table(load_arm("kr16"))
    for joint in table["joints"]:
        joint.pop("acceleration_deg_per_s2")
        joint.pop("stiffness_Nm_per_rad")
        joint.pop("inertia_kg_m2")
    refused(bump(ARM | {"joints": "limited"}, arm=table), "robots.chaser.joints", "stiff or lag")
    problems = refused(bump(ARM | {"elastic_joints": True}, arm=table), "a stiffness", "inertia")
    assert len(problems) == 4
    refused(bump(ARM | {"joint_stiffness_N_per_m": 1e5}), "elastic_joints = true")
    refused(bump(ARM | {"joint_lag_Hz": 10.0}), "robots.chaser.joint_lag_Hz", "joints = lag")
    wrong = ARM | {"joints": "lag", "joint_lag_Hz": [10.0, 10.0]}
    refused(bump(wrong), "one number, or six")


@pytest.mark.parametrize("name", ["kr16", "kr120", "ur10e"])
def test_an_arm_written_as_a_table_is_the_same_arm(name):
    """So a run's own scenario needs no other file."""
    arm = load_arm(name)
    again = arm_from_table(arm_table(arm))
    assert np.allclose(again.vector, arm.vector, rtol=1e-14, atol=1e-14)
    assert again.axis_names == arm.axis_names
    assert again.published == arm.published


def test_an_arm_from_a_file_is_kept_in_the_scenario(tmp_path):
    """A relative file beside the scenario; the built scenario is built again without it."""
    from softdock.scenario.files import to_toml

    (tmp_path / "mine.toml").write_text(to_toml(arm_table(load_arm("ur10e"))), encoding="utf-8")
    tables = bump(ARM)
    tables["facility"]["chaser"]["arm"] = "mine.toml"
    scenario = build(tables, folder=tmp_path)
    assert scenario.tables["facility"]["chaser"]["arm"]["name"] == load_arm("ur10e").name
    assert (build(scenario.tables).vector == scenario.vector).all()


def test_what_analyses_say_of_an_arm():
    """Its joints are a cause that can be switched off, and a lag that stability knows."""
    scenario = build(bump(ARM | {"joints": "lag", "joint_lag_Hz": 20.0}))
    found = {cause.name: cause for cause in list_causes(scenario)}
    cause = found["chaser's robot: joints of its arm"]
    assert "lag of 20 Hz" in cause.what
    assert cause.off["robots.chaser.model"] == "delay"
    assert {key for key, value in cause.off.items() if value is None} == {
        f"robots.chaser.{key}"
        for key in (
            "joints",
            "joint_lag_Hz",
            "joint_lag_damping_ratio",
            "elastic_joints",
            "weight_acts",
        )
    }
    (point,) = loops_of(scenario)
    assert point.loop.robots[0].lag == pytest.approx(2 * np.pi * 20.0)
    assert any("every joint lags alike" in note for note in point.notes)


def test_what_a_batch_with_arms_cannot_do():
    """The arms are set up once for all its runs."""
    from softdock.studies.campaign.columns import make_columns

    scenario = build(bump(ARM))
    assert make_columns(scenario, {"chaser.mass_kg": [60.0, 61.0]}).vectors.shape[0] == 2
    with pytest.raises(BadInput, match="one value in a batch"):
        make_columns(scenario, {"laboratory.position_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]})


def test_loops_without_arms_have_none_of_their_code():
    """Arms are a feature of their own: what other loops are compiled from is as it was."""
    from softdock.compile.features import Arms, Every, Plain
    from softdock.compile.generated import SOURCES
    from softdock.loop.robots import robot

    assert type(build(bump(ARM)).markers.features) is Arms
    assert type(build(bump({"delay_ms": 4.0})).markers.features) is Plain
    assert type(build(bump({"model": "lag", "lag_Hz": 9.0})).markers.features) is Every
    assert "_3(" not in SOURCES["follow_set_points"]
    assert "_3(" in SOURCES["follow_with_arms"]
    assert robot.CARRIES[Every] is not robot.CARRIES[Arms]
