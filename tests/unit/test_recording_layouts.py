"""Layouts beside a recording name topics and fields that are in it; `/robot_description` is the
arms of the scenario, with the joints of `/joint_states`."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from mcap.reader import make_reader

from softdock import load_scenario, open_recording, run_loop, simulate
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.spatial.arrays import unit_matrix
from softdock.recording.layouts import write_layouts
from softdock.recording.robot_description import compute_rpy, list_joints, write_robot_description
from softdock.recording.streams import About, make_rig_streams
from softdock.results.arms import find_mounted_arms
from softdock.rig.file import load_rig
from softdock.rig.runs import list_cells
from softdock.rig.scenario import put_on_rig

SHORT = {"time.duration_s": 0.6, "verdict.phases": 1}


def read_schemas(file):
    """By topic, the text of its message."""
    with file.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    return {
        one.topic: summary.schemas[one.schema_id].data.decode() for one in summary.channels.values()
    }


def list_named(file):
    """Topic and fields of every curve, and every other topic, that both layouts name."""
    foxglove = json.loads(file.with_suffix(".foxglove.json").read_text(encoding="utf-8"))
    curves, topics = [], []
    for panel in foxglove["configById"].values():
        curves += [one["value"].split(".") for one in panel.get("paths", ())]
        topics += list(panel.get("topics", ()))
        topics += [one["topic"] for one in panel.get("layers", {}).values()]
        topics += [panel["topicToRender"]] if "topicToRender" in panel else []
    plots = ElementTree.parse(file.with_suffix(".plotjuggler.xml"))
    return curves, topics, [one.get("name") for one in plots.iter("curve")]


def check_layouts(file, schemas):
    """Every topic and every field is there."""
    curves, topics, named = list_named(file)
    assert curves
    assert set(topics) <= set(schemas)
    for topic, *fields in curves:
        text = schemas[topic]
        for field in fields:
            assert re.search(rf"^\S+ {field}\b", text, re.M), (topic, field)
    # PlotJuggler's names: the topic, then the fields
    assert named == ["/".join(one) for one in curves]
    panels = json.loads(file.with_suffix(".foxglove.json").read_text())
    placed = re.findall(r'"(\w+!\w+)"', json.dumps(panels["layout"]))
    assert set(placed) == set(panels["configById"])


def test_every_topic_of_the_layouts_is_in_the_recording(tmp_path):
    """Of a simulated run without arms."""
    file = simulate(load_scenario("epos_1d", SHORT)).save_mcap(tmp_path / "run.mcap")
    schemas = read_schemas(file)
    check_layouts(file, schemas)
    assert "/robot_description" not in schemas


def test_every_topic_of_a_rigs_layouts_is_in_its_recording(tmp_path):
    """Of the streams that the emulated pair records."""
    on = put_on_rig(load_rig("emulated_pair"), load_scenario("epos_1d"))
    streams = make_rig_streams(list_cells(on), on.rig.cycle_s)
    write_layouts(tmp_path / "run.mcap", About(), streams)
    from softdock.recording.mcap_file import McapFile, Sink

    sink = Sink(tmp_path / "run.mcap")
    written = McapFile(sink, About(), streams)
    written.finish({"why": "test"})
    check_layouts(tmp_path / "run.mcap", read_schemas(tmp_path / "run.mcap"))


def test_a_layout_of_ones_own_is_not_written_over(tmp_path):
    """Unless the recording is written over too."""
    run = simulate(load_scenario("epos_1d", SHORT))
    mine = tmp_path / "run.foxglove.json"
    mine.write_text("mine")
    run.save_mcap(tmp_path / "run.mcap")
    assert mine.read_text() == "mine"
    run.save_mcap(tmp_path / "run.mcap", force=True)
    assert mine.read_text() != "mine"


@pytest.fixture(scope="module")
def with_arms(tmp_path_factory):
    """A run of two arms, and its recording."""
    file = tmp_path_factory.mktemp("arms") / "run.mcap"
    run = simulate(load_scenario("epos_3d_arms", {"time.duration_s": 0.1, "verdict.phases": 1}))
    return run, run.save_mcap(file)


def read_description(file):
    """The text of the one message."""
    with file.open("rb") as stream:
        found = [m.data for _, _, m in make_reader(stream).iter_messages("/robot_description")]
    (data,) = found
    length = int.from_bytes(data[4:8], "little")
    return data[8 : 8 + length - 1].decode()


def test_the_robot_description_has_the_joints_that_are_recorded(with_arms):
    """One message; its moving joints are those of `/joint_states`, and the layout names it."""
    run, file = with_arms
    schemas = read_schemas(file)
    check_layouts(file, schemas)
    assert "/robot_description" in list_named(file)[1]
    robot = ElementTree.fromstring(read_description(file))
    moving = [one.get("name") for one in robot.iter("joint") if one.get("type") != "fixed"]
    recorded = [
        name.replace("joints.", "").replace(".position.", "_")
        for name in run.series
        if name.startswith("joints.") and ".position." in name
    ]
    assert moving == recorded
    links = {one.get("name") for one in robot.iter("link")}
    for joint in robot.iter("joint"):
        assert {joint.find("parent").get("link"), joint.find("child").get("link")} <= links
    assert open_recording(file).status == run.status  # the attachment disturbs no reader


def place(joint, angle):
    """A joint's transform, by URDF's rules."""
    origin = joint.find("origin")
    r, p, y = map(float, origin.get("rpy").split())
    turn = np.array(
        [
            [np.cos(y) * np.cos(p), np.cos(y) * np.sin(p) * np.sin(r) - np.sin(y) * np.cos(r), 0.0],
            [np.sin(y) * np.cos(p), np.sin(y) * np.sin(p) * np.sin(r) + np.cos(y) * np.cos(r), 0.0],
            [-np.sin(p), np.cos(p) * np.sin(r), np.cos(p) * np.cos(r)],
        ]
    )
    turn[:, 2] = np.cross(turn[:, 0], turn[:, 1])
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turn, list(map(float, origin.get("xyz").split()))
    moved = np.eye(4)
    if joint.get("type") == "revolute":
        axis = np.array(list(map(float, joint.find("axis").get("xyz").split())))
        half = 0.5 * angle
        moved[:3, :3] = unit_matrix((np.cos(half), *(np.sin(half) * axis)))
    return made @ moved


def test_the_described_arms_end_where_the_mock_ups_are(with_arms):
    """Forward kinematics of the URDF at the recorded joints gives the satellite's recorded pose."""
    run, file = with_arms
    robot = ElementTree.fromstring(read_description(file))
    mounts = facility_of(run.scenario.tables).robots()
    k = len(run.series["time"]) - 1
    for body in find_mounted_arms(run.scenario):
        pose = np.eye(4)
        for joint in robot.iter("joint"):
            name = joint.get("name")
            if not name.startswith(f"{body}_"):
                continue
            channel = f"joints.{body}.position.{name.removeprefix(f'{body}_')}"
            moves = joint.get("type") != "fixed"
            pose = pose @ place(joint, run.series[channel][k] if moves else 0.0)
        held = mounts[body].satellite
        centre = pose[:3, :3] @ np.array(held.p) + pose[:3, 3]
        assert centre == pytest.approx(run.series[f"mock_up.{body}.position"][k], abs=1e-6)
        turn = pose[:3, :3] @ unit_matrix(held.q)
        there = unit_matrix(run.series[f"mock_up.{body}.attitude"][k])
        assert turn == pytest.approx(there, abs=1e-6)


def test_a_scenario_without_arms_or_without_recorded_joints_has_none():
    """Arms that only carry the mock-ups in pictures move no recorded joint."""
    assert write_robot_description(load_scenario("epos_3d").tables, {}) == ""
    assert write_robot_description(load_scenario("epos_1d").tables, {"chaser": ["1"]}) == ""
    run = run_loop(load_scenario("epos_1d", {"time.duration_s": 0.02}))
    from softdock.recording.simulated import make_run_stream

    assert list_joints([make_run_stream(run)]) == {}


def test_roll_pitch_and_yaw_are_those_of_the_attitude():
    """Also where pitch is a quarter turn."""
    for q in ((0.5, 0.5, 0.5, 0.5), (0.5**0.5, 0.0, 0.5**0.5, 0.0), (0.8, 0.1, -0.5, 0.3162278)):
        q = np.array(q) / np.linalg.norm(q)
        joint = ElementTree.Element("joint", type="fixed")
        rpy = " ".join(map(str, compute_rpy(q)))
        ElementTree.SubElement(joint, "origin", xyz="0 0 0", rpy=rpy)
        assert place(joint, 0.0)[:3, :3] == pytest.approx(unit_matrix(q), abs=1e-9)
