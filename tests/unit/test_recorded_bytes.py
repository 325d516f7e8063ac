"""Bytes of a recording: rows of the ring, checksums, messages as CDR says, names as ROS has
them."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import CELLS, about

from softdock.errors import BadRecording
from softdock.loop.record import Channel
from softdock.recording import messages, ring_layout
from softdock.recording.messages import Message, Numbers, Text
from softdock.recording.ring_file import make_ring
from softdock.recording.ring_layout import CYCLE_GROUPS, select_channels
from softdock.recording.streams import make_rig_streams


def test_rows_come_out_of_the_ring_as_they_went_in():
    """Every bit of a row is kept, and the oldest rows go first."""
    rows = np.random.default_rng(1).normal(size=(100, 5))
    rows[7, 2], rows[8, 3] = np.nan, -0.0
    slots, count = np.zeros((64, ring_layout.CONTENTS + 5), np.int64), np.zeros(1, np.int64)
    ring_layout.push_rows(slots, count, rows.view(np.int64))
    words, numbers = ring_layout.find_whole_rows(slots, 36, 100)
    assert count[0] == 100
    assert numbers.tolist() == list(range(36, 100))
    assert words.tobytes() == rows[36:].tobytes()


@given(word=st.integers(0, 6), bit=st.integers(0, 63))
def test_a_row_with_any_bit_changed_is_no_row(word, bit):
    """What a reader sees of a row that is half written never passes for one."""
    slots, count = np.zeros((64, ring_layout.CONTENTS + 5), np.int64), np.zeros(1, np.int64)
    ring_layout.push_row(slots, count, np.arange(1.0, 6.0).view(np.int64))
    slots[0, word] ^= np.int64(-(2**63)) if bit == 63 else np.int64(1 << bit)
    assert ring_layout.find_whole_rows(slots, 0, 1)[1][0] != 0


def test_compiled_and_plain_checksums_are_one():
    """The follower checks in numpy what the loop computed in machine code."""
    rows = np.random.default_rng(2).normal(size=(20, 9)).view(np.int64)
    slots, count = np.zeros((64, ring_layout.CONTENTS + 9), np.int64), np.zeros(1, np.int64)
    plain = getattr(ring_layout.push, "py_func", ring_layout.push)
    for row in rows:
        plain(slots, count, row)
    again, counted = np.zeros_like(slots), np.zeros(1, np.int64)
    ring_layout.push_rows(again, counted, rows)
    assert np.array_equal(slots, again)


def test_a_ring_holds_less_where_memory_has_less_and_refuses_when_it_has_none(
    tmp_path, monkeypatch
):
    """A loop is never killed by a page that memory has no room for: room is taken before."""
    allowed = {"bytes": 10_000_000}
    real = os.posix_fallocate

    def little(handle, offset, size):
        if size > allowed["bytes"]:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle, offset, size)

    monkeypatch.setattr(os, "posix_fallocate", little)
    made = make_ring(make_rig_streams(CELLS), about(), folder=tmp_path, seconds=60.0)
    assert made.path.stat().st_size <= 10_000_000
    allowed["bytes"] = 1000
    with pytest.raises(BadRecording, match="no room"):
        make_ring(make_rig_streams(CELLS), about(), folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


def test_messages_are_aligned_as_cdr_says():
    """Bytes of a message worked out by hand from the OMG's rules."""
    message = Message(Numbers("a", "<i4"), Text("abc"), Numbers("x", items=2), Numbers("b", "<u1"))
    data = message.encode(1, {"a": [7], "x": [[1.0, 2.0]], "b": [9]})[0]
    by_hand = (
        b"\x00\x01\x00\x00"  # little endian
        + b"\x07\x00\x00\x00"
        + b"\x04\x00\x00\x00abc\x00"  # 12 bytes so far
        + bytes(4)  # to the next multiple of 8
        + np.array([1.0, 2.0]).tobytes()
        + b"\x09"
    )
    assert data == by_hand
    assert message.decode([data, data])["x"].tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_names_of_fields_are_ros_names_and_all_differ():
    """Readers refuse capital letters, and two fields of one name."""
    channels = [c for _, group in CYCLE_GROUPS for c in group]
    channels += [Channel("a.b", "N", "-", ""), Channel("a_b", "N", "-", "")]
    names = messages.name_fields(channels)
    assert len(set(names)) == len(names)
    assert all(name.islower() and "__" not in name for name in names)
    assert "chaser_velocity_x_m_per_s" in names
    assert "measured_chaser_torque_z_newton_metre" in names


def test_what_a_rig_does_not_fill_has_no_channel_and_no_topic():
    """Absent is absent: no zeros in the name of a sensor that is not there."""
    stream = make_rig_streams(CELLS)[0]
    names = {topic.name for topic in messages.make_topics(stream)}
    assert stream.index("measured.target.force.x") is None
    assert "/chaser/wrench" in names
    assert "/target/wrench" not in names
    with pytest.raises(ValueError, match="no such cells: chase"):
        select_channels(CYCLE_GROUPS, ["chase"])
