"""Recordings read by programs that know nothing of softdock: rosbags, mcap_ros2, small_mcap, pybag;
whole files and files made whole again.

They are in the dependency group `oracles`; without them these tests are skipped and say so.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from oracle import need
from recorded import CELLS, about, recorded, row_of

from softdock.loop.spatial.arrays import rotate
from softdock.recording.recover import recover
from softdock.recording.ring_file import make_ring
from softdock.recording.ring_layout import CYCLE
from softdock.recording.streams import make_rig_streams

pytestmark = pytest.mark.oracle
CYCLES = 80
AT = CYCLE.at


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A whole file, the same cut in its last chunks, and that made whole again; rows in each."""
    folder = tmp_path_factory.mktemp("recordings")
    rings = make_ring(make_rig_streams(CELLS), about(), folder / "a.mcap", folder, seconds=2.0)
    assert recorded(rings, folder / "whole.mcap", CYCLES).finish("the loop ended")
    data = (folder / "whole.mcap").read_bytes()
    (folder / "cut.mcap").write_bytes(data[: len(data) // 2])
    found = recover(folder / "cut.mcap")
    rings.remove()
    from softdock.recording.read import read_contents

    kept = len(read_contents(found.file).rows["cycle"])
    assert 10 < kept < CYCLES
    return {
        "whole": (folder / "whole.mcap", CYCLES),
        "recovered": (found.file, kept),
        "cut": (folder / "cut.mcap", kept),
    }


@pytest.fixture(params=["whole", "recovered"])
def file(request, files):
    return files[request.param]


def expected(number: int, name: str, size: int = 3) -> list[float]:
    first = getattr(AT, name)
    return row_of(number, CYCLE.size)[first : first + size].tolist()


def test_rosbags_reads_every_message_and_writes_the_same_bytes(file):
    """Every topic: its text is understood, its bytes are those that rosbags writes itself."""
    need("rosbags")
    from rosbags.highlevel import AnyReader

    path, rows = file
    counts: Counter[str] = Counter()
    with AnyReader([Path(path)]) as reader:
        for connection, _, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            again = reader.typestore.serialize_cdr(message, connection.msgtype)
            assert bytes(again) == bytes(raw), connection.topic
            number = counts[connection.topic]
            if connection.topic == "/chaser/wrench":
                force = message.wrench.force
                assert [force.x, force.y, force.z] == expected(number, "measured_chaser")
            counts[connection.topic] += 1
    topics = set(counts) - {"/events", "/softdock/samples", "/softdock/packets"}
    assert {counts[topic] for topic in topics} == {rows}
    assert counts["/softdock/packets"] == 2 * rows
    assert "/joint_states" in topics
    assert "/tf" in topics


def test_mcap_ros2_reads_poses_twists_and_softdocks_own_message(file):
    """The numbers are where ROS 2 looks for them: xyzw, world axes, units in the names."""
    need("mcap_ros2")
    from mcap_ros2.reader import read_ros2_messages

    path, rows = file
    counts: Counter[str] = Counter()
    for message in read_ros2_messages(str(path)):
        topic, ros = message.channel.topic, message.ros_msg
        number = counts[topic]
        counts[topic] += 1
        if topic == "/chaser/measured/pose":
            q = ros.pose.orientation
            assert [q.w, q.x, q.y, q.z] == expected(number, "seen_chaser_q", 4)
            assert ros.header.frame_id == "world"
        elif topic == "/chaser/satellite/twist":
            row = np.array(expected(number, "chaser", 13))
            turned = rotate(row[None, 3:7], row[None, 10:13])[0]
            w = ros.twist.angular
            assert [w.x, w.y, w.z] == turned.tolist()
        elif topic == "/softdock/cycle":
            assert ros.force_age_s == expected(number, "force_age", 1)[0]
            assert ros.energy_kinetic_joule == expected(number, "energy_kinetic", 1)[0]
        elif topic == "/softdock/samples":
            assert len(ros.force_x_newton) == len(ros.stamp_ns)
        elif topic == "/events":
            assert "is 2.5 ms late" in ros.msg
            assert ros.level == 30
    assert counts["/softdock/cycle"] == rows


@pytest.mark.parametrize("which", ["whole", "recovered", "cut"])
def test_small_mcap_reads_all_of_them_also_the_cut_one(files, which):
    """Chunks are whole at every flush: a reader that bears a cut file finds all that was
    recovered."""
    need("small_mcap")
    import small_mcap

    path, rows = files[which]
    counts: Counter[int] = Counter()
    names: dict[int, str] = {}
    with open(path, "rb") as stream:
        try:
            for record in small_mcap.stream_reader(stream):
                if isinstance(record, small_mcap.Channel):
                    names[record.id] = record.topic
                elif isinstance(record, small_mcap.Message):
                    counts[record.channel_id] += 1
        except small_mcap.McapError:
            assert which == "cut"
    by_topic = {names[number]: count for number, count in counts.items()}
    assert by_topic["/softdock/cycle"] == rows


def test_pybag_recovers_as_many_rows_as_softdock(files, tmp_path):
    """Another program's recovery of the cut file comes to the same."""
    need("pybag")
    path, rows = files["cut"]
    out = tmp_path / "pybag.mcap"
    done = subprocess.run(
        [sys.executable, "-m", "pybag.cli.main", "recover", str(path), "-o", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.exists(), done.stdout + done.stderr
    from pybag.mcap_reader import McapFileReader

    with McapFileReader.from_file(out) as reader:
        assert len(list(reader.messages("/chaser/wrench"))) == rows
