"""The joints of arms where a run is kept and shown: MCAP, page, scene, folder."""

from __future__ import annotations

import numpy as np
import pytest
from arm_cases import bump

from softdock import load_scenario
from softdock.output.pages.run.mechanism_charts import joint_section
from softdock.recording.messages import make_topics
from softdock.recording.simulated import make_run_stream
from softdock.results.scene.robots import read_joints
from softdock.results.series import Series
from softdock.results.simulation import judge, run_loop
from softdock.scenario.build import build

ARM = {"model": "arm", "delay_ms": 4.0}


@pytest.fixture(scope="module")
def elastic():
    return run_loop(build(bump(ARM | {"elastic_joints": True}, seconds=0.06)))


def test_joint_states_hold_positions_speeds_and_torques(elastic):
    """One message a cycle, all twelve joints by name: what ROS 2 tools show and replay."""
    (topic,) = [t for t in make_topics(make_run_stream(elastic)) if t.name == "/joint_states"]
    assert topic.schema_name == "sensor_msgs/msg/JointState"
    messages, _when = topic.encode(elastic.series.rows[:3], np.array([0, 4_000_000, 8_000_000]))
    assert len(messages) == 3
    text = messages[2]
    assert [text.count(name) for name in (b"chaser_A1\0", b"target_A6\0", b"energy")] == [1, 1, 0]
    for name in ("chaser.position", "target.velocity", "chaser.torque"):
        values = elastic.series[f"joints.{name}"][2]
        assert np.ascontiguousarray(values).astype("<f8").tobytes() in text, name


def test_a_run_without_arms_has_no_joint_states():
    """And a rig's own recording, which has positions alone, keeps its topic."""
    names = ["time", "joints.chaser.0", "joints.chaser.1", "chaser.position.x"]
    from softdock.loop.record import Channel
    from softdock.recording.streams import Stream

    def stream(channels):
        made = tuple(Channel(name, "-", "-", "") for name in channels)
        return Stream(
            name="cycle",
            kind="rows",
            width=len(made),
            channels=made,
            places=tuple(range(len(made))),
        )

    topics = {topic.name: topic for topic in make_topics(stream(names))}
    messages, _ = topics["/joint_states"].encode(np.arange(4.0).reshape(1, 4), np.array([0]))
    assert b"chaser_1\0" in messages[0]
    assert np.array([1.0, 2.0]).tobytes() in messages[0]
    assert "/joint_states" not in {t.name for t in make_topics(stream(["time", "chaser.rate.x"]))}


def test_the_page_says_of_the_joints_what_the_series_hold(elastic):
    """Largest deflection with joint and instant; nothing on the page of a run without arms."""
    html = joint_section(elastic)
    bent = np.degrees(
        np.abs(elastic.series["joints.target.position"] - elastic.series["joints.target.motor"])
    )
    row, joint = np.unravel_index(int(bent.argmax()), bent.shape)
    said = f"A{joint + 1}, {bent[row, joint]:.3g} deg at {elastic.series['time'][row]:.3g} s"
    assert f"The target&#x27;s elastic joints gave way most in {said}." in html
    few = [i for i, c in enumerate(elastic.series.channels) if not c.name.startswith("joints")]
    alone = Series(elastic.series.rows[:, few], [elastic.series.channels[i] for i in few])
    elastic.series, kept = alone, elastic.series
    try:
        assert joint_section(elastic) == ""
    finally:
        elastic.series = kept


def test_the_scene_takes_the_recorded_joints(elastic):
    """The replay shows the links where the run had them."""
    from softdock.loop.arms.scenario_facility import facility_of

    mount = facility_of(elastic.scenario.tables).robots()["target"]
    joints = read_joints("target", mount.base_axis, elastic.series)
    assert joints.shape == (len(elastic.series["time"]), 7)
    assert (joints[:, 1:] == elastic.series["joints.target.position"]).all()


def test_the_preset_flies_and_is_judged():
    """`softdock run epos_3d_arms`: a docking from file to metrics, with its one cause by name."""
    run = judge(run_loop(load_scenario("epos_3d_arms", {"time.duration_s": 4.0})))
    assert run.status == "completed"
    assert len(run.contacts) == 1
    assert run.contacts[0]["start_s"] == pytest.approx(3.43, abs=0.05)
    assert run.metrics["ledger"]["residual_J"] == pytest.approx(0.0, abs=1e-9)
    assert run.metrics["ledger"]["joints"] == {}
