"""The live stream to ROS 2: what another process receives over DDS, decoded by rosbags."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from oracle import need
from recorded import CELLS, about, row_of, write_cycle

from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.recording import ros2
from softdock.recording.live import stream_to_ros2
from softdock.recording.ring_file import IN, make_ring
from softdock.recording.streams import make_rig_streams

pytestmark = pytest.mark.oracle
TESTS = Path(__file__).parents[1]
TOPICS = {
    "/chaser/wrench": "geometry_msgs/WrenchStamped",
    "/chaser/command/pose": "geometry_msgs/PoseStamped",
    "/joint_states": "sensor_msgs/JointState",
    "/diagnostics": "diagnostic_msgs/DiagnosticArray",
    "/robot_description": "std_msgs/String",
}
URDF = '<robot name="two arms"/>'
TEXTS = tuple(f"state: {one}" for one in ("idle", "contact", "braking", "stopped"))
REASONS = ("none: nothing", "force: force {a:.4g} N")


@pytest.fixture
def store():
    need("cyclonedds", "rosbags")
    from rosbags import typesys

    return typesys.get_typestore(typesys.Stores.ROS2_JAZZY)


def decode(store, kind, data):
    return store.deserialize_cdr(data, kind.replace("/", "/msg/"))


def make_rings(folder):
    described = about()
    files = {**described.attachments, "robot.urdf": URDF}
    described = replace(described, attachments=files, event_texts=TEXTS + REASONS)
    return make_ring(make_rig_streams(CELLS), described, folder=folder, seconds=4.0)


def test_another_process_hears_the_rows_of_a_run(tmp_path, monkeypatch, store):
    """Set-points, wrenches, joints, arms and the supervisor's state arrive as ROS 2's own types;
    the numbers are the rows', to the bit. A publisher that is killed leaves the rings as they
    were."""
    monkeypatch.setenv("ROS_LOCALHOST_ONLY", "1")
    monkeypatch.setenv("ROS_DOMAIN_ID", str(1 + os.getpid() % 200))
    rings = make_rings(tmp_path)
    command = [sys.executable, str(TESTS / "ros2_reader.py"), "3"]
    reader = subprocess.Popen(
        [*command, *(f"{name}={kind}" for name, kind in TOPICS.items())],
        stdout=subprocess.PIPE,
        text=True,
    )
    with stream_to_ros2(1000) as stream:
        assert reader.stdout.readline() == "listening\n"
        stream.show(rings.path)
        number = 0
        while reader.poll() is None:
            write_cycle(rings, number)
            number += 1
            time.sleep(0.004)
        heard = json.loads(reader.stdout.readline())
        reader.stdout.close()
        assert not stream.problem
        stream.process.kill()
        stream.process.wait()
        write_cycle(rings, number)
        assert "the run goes on" in stream.problem
    assert all(int(one.words[IN.taken]) == 0 for one in rings.rings)
    cycle = rings.ring("cycle").stream
    found = {
        name: [decode(store, kind, bytes.fromhex(one)) for one in heard[name]]
        for name, kind in TOPICS.items()
    }

    def expected(name, first):
        """Components of the row whose number the first one tells."""
        at = cycle.index(f"{name}.x")
        row = row_of(round((first - at) / 1e-3), cycle.width)
        return row[at : at + 3].tolist()

    for one in found["/chaser/wrench"]:
        f = one.wrench.force
        assert [f.x, f.y, f.z] == expected("measured.chaser.force", f.x)
        assert one.header.frame_id == "chaser_measured_centre"
    for one in found["/chaser/command/pose"]:
        p = one.pose.position
        assert [p.x, p.y, p.z] == expected("command.chaser.position", p.x)
    joints = found["/joint_states"][0]
    assert joints.name[0] == "chaser_0"
    assert np.all(np.diff(joints.position) == 1.0)
    assert found["/robot_description"][0].data == URDF
    assert found["/diagnostics"][0].status[0].name == "softdock: supervisor"


def test_the_supervisor_in_words(store):
    """State and reason by name, once a second and at every change; a stop is an error."""
    described = replace(about(), event_texts=TEXTS + REASONS)
    stream = make_rig_streams([*CELLS, "reason"])[0]
    supervisor = ros2.Supervisor(described, stream)

    def tell(state, reason, time_ns):
        row = np.zeros(stream.width)
        row[stream.index("state")], row[stream.index("reason")] = state, reason
        row[stream.index("force_age")] = 0.00025
        told = supervisor.tell(row, time_ns)
        return [decode(store, ros2.DIAGNOSTICS, one) for one in told]

    second = 1_000_000_000
    (first,) = tell(1, 0, 10 * second + 7)
    assert (first.header.stamp.sec, first.header.stamp.nanosec) == (10, 7)
    status = first.status[0]
    assert (int(status.level), status.message) == (0, "contact")
    values = {pair.key: pair.value for pair in status.values}
    assert values["force_age [s]"] == "0.00025"
    assert tell(1, 0, 10 * second + 8) == []
    assert tell(2, 1, 10 * second + 9)[0].status[0].message == "braking: force"
    assert int(tell(3, 1, 10 * second + 10)[0].status[0].level) == 2
    assert len(tell(3, 1, 12 * second)) == 1


def test_types_are_those_of_ros2(store):
    """The hash that a publisher states of each type is what rosbags computes."""
    for name, found in ros2.HASHES.items():
        assert store.hash_rihs01(name.replace("/", "/msg/")) == f"RIHS01_{found}"


def test_what_ros2_needs_is_said_before_anything_starts(monkeypatch):
    """Without its package, without a recording to take it from, with a domain that is none."""
    need("cyclonedds")
    words = ["rig", "run", "emulated_pair", "epos_1d", "--ros2", "--no-record"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2
    assert "without --no-record" in done.output
    monkeypatch.setenv("ROS_DOMAIN_ID", "mars")
    with pytest.raises(BadInput, match="0 to 232"):
        ros2.Publisher()
    done = CliRunner().invoke(cli, ["run", "epos_1d", "--ros2"])
    assert done.exit_code == 2
    assert "ROS_DOMAIN_ID: given 'mars'" in done.output
    monkeypatch.setitem(sys.modules, "cyclonedds", None)
    with pytest.raises(BadInput, match=r"softdock\[ros2\]"):
        ros2.import_cyclonedds()
