"""Recordings without a second process: the ring, the bytes of messages, files cut at any byte."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from recorded import CELLS, about, recorded, row_of, write_cycle

from softdock.errors import BadInput, BadRecording
from softdock.loop.record import Channel
from softdock.recording import ring_layout
from softdock.recording.contacts import find_contacts
from softdock.recording.mcap_file import Sink
from softdock.recording.read import read_contents
from softdock.recording.recorder import Recorder, take_rows
from softdock.recording.recording import make_recording
from softdock.recording.recover import recover
from softdock.recording.ring_file import make_ring, open_ring
from softdock.recording.ring_layout import CYCLE
from softdock.recording.streams import make_rig_streams
from softdock.results.series import Series


@pytest.fixture
def rings(tmp_path):
    return make_ring(make_rig_streams(CELLS), about(), tmp_path / "a.mcap", tmp_path, seconds=2.0)


def test_a_reader_waits_for_a_row_that_is_not_whole_and_counts_what_was_overwritten(rings):
    """Stores seen in another order delay a row and lose none; a slow reader knows what it lost."""
    own = rings.ring("cycle")
    for number in range(5):
        own.push(row_of(number, CYCLE.size))
    own.slots[3, ring_layout.CONTENTS] ^= 1  # row 3 is not yet all there
    rows, numbers, following = take_rows(own, 0)
    assert numbers.tolist() == [0, 1, 2]
    assert following == 3
    own.slots[3, ring_layout.CONTENTS] ^= 1
    assert take_rows(own, following)[1].tolist() == [3, 4]
    for number in range(5, 5 + 2 * len(own.slots)):
        own.push(row_of(number, CYCLE.size))
    rows, numbers, following = take_rows(own, 5)
    assert following - 5 - len(rows) > len(own.slots)  # lost, and known
    assert np.array_equal(rows[-1], row_of(numbers[-1], CYCLE.size))


def test_a_recording_is_read_back_with_every_row(rings, tmp_path):
    """Rows, samples, events, tables and attachments come back as they went in; nothing is lost."""
    assert recorded(rings, tmp_path / "a.mcap", 120).finish("the loop ended")
    found = read_contents(tmp_path / "a.mcap")
    stream = found.stream("cycle")
    expected = np.array([row_of(i, CYCLE.size) for i in range(120)])[:, list(stream.places)]
    assert np.array_equal(found.rows["cycle"][:, 2:], expected[:, 2:])  # behind stamp and time
    assert found.numbers["samples"].tolist() == list(range(120 * 28))
    assert len(found.rows["packets"]) == 240
    recording = make_recording(found)
    assert recording.lost == {"cycle": 0, "packets": 0, "samples": 0, "events": 0}
    assert recording.tables["provenance"]["sensor.serial"] == "FT12345"
    assert recording.attachments["rig.toml"].startswith("schema = 1")
    said = [event["text"] for event in recording.events]
    assert said[1] == "the target's robot is 2.5 ms late at 50"
    assert recording.events[1]["time_s"] == pytest.approx(50 * 0.004, abs=0.5)
    assert "measured.target.force.x" not in recording.series
    ages = [recording.series[f"pose_age.{body}"] for body in ("chaser", "target")]
    assert np.array_equal(recording.series["pose_age"], np.maximum(*ages))
    assert "no row lost" in recording.sentence
    assert "<html" in recording.page()


def test_a_file_cut_at_any_byte_is_refused_or_made_whole(rings, tmp_path):
    """No byte at which a machine stops makes recovery fail, lose a flushed row or invent one."""
    assert recorded(rings, tmp_path / "a.mcap", 60).finish("the loop ended")
    data = (tmp_path / "a.mcap").read_bytes()
    rng, most, cut = np.random.default_rng(3), 0, tmp_path / "cut.mcap"
    # before this byte it does not say what its rows are: the end of the record of hashes
    begun = data.index(b"softdock.hashes") - 13
    described = begun + 9 + int.from_bytes(data[begun + 1 : begun + 9], "little")
    for size in sorted([described, described - 1, *rng.integers(0, len(data), 40)]):
        cut.write_bytes(data[:size])
        with pytest.raises(BadRecording):
            read_contents(cut)
        if size < described:
            with pytest.raises(BadRecording, match="nothing to recover"):
                recover(cut, tmp_path / "whole.mcap", force=True)
            continue
        found = recover(cut, tmp_path / "whole.mcap", force=True)
        numbers = read_contents(found.file).numbers["cycle"]
        assert numbers.tolist() == list(range(len(numbers)))
        assert len(numbers) >= most
        most = len(numbers)
    assert most >= 50


def test_a_changed_byte_ends_recovery_there(rings, tmp_path):
    """A chunk whose checksum does not fit is not taken for data."""
    assert recorded(rings, tmp_path / "a.mcap", 60).finish("the loop ended")
    data = bytearray((tmp_path / "a.mcap").read_bytes())
    data[len(data) // 2] ^= 0x55
    (tmp_path / "b.mcap").write_bytes(data)
    with pytest.raises(BadRecording):
        read_contents(tmp_path / "b.mcap")
    found = recover(tmp_path / "b.mcap")
    assert found.stopped
    assert 0 < len(read_contents(found.file).rows["cycle"]) < 60


def test_a_byte_changed_anywhere_is_noticed(rings, tmp_path):
    """No byte of a recording can change what is read back: names, attachments, rows, summary. What
    recovery takes from such a file is what was written."""
    assert recorded(rings, tmp_path / "a.mcap", 40).finish("the loop ended")
    data, rng = (tmp_path / "a.mcap").read_bytes(), np.random.default_rng(11)
    right, recovered = read_contents(tmp_path / "a.mcap"), 0
    for at in rng.integers(0, len(data), 150):
        changed = bytearray(data)
        changed[at] ^= int(rng.integers(1, 256))
        (tmp_path / "b.mcap").write_bytes(changed)
        with pytest.raises(BadRecording):
            read_contents(tmp_path / "b.mcap")
        try:
            found = recover(tmp_path / "b.mcap", tmp_path / "whole.mcap", force=True)
        except BadRecording:
            continue
        again, recovered = read_contents(found.file), recovered + 1
        for name, rows in again.rows.items():
            assert np.array_equal(rows, right.rows[name][: len(rows)], equal_nan=True), (at, name)
        for name, text in again.about.attachments.items():
            assert text == right.about.attachments[name]
        for name, table in again.about.tables.items():
            assert table == right.about.tables[name]
    assert recovered > 100


def test_a_recording_without_a_checksum_of_its_data_is_refused(rings, tmp_path, monkeypatch):
    """Protects a reader from a file that another program wrote again: nothing in it was checked."""
    from mcap.writer import Writer

    monkeypatch.setattr(
        "mcap.writer.Writer", lambda out, enable_data_crcs: Writer(out, enable_data_crcs=False)
    )
    assert recorded(rings, tmp_path / "a.mcap", 20).finish("the loop ended")
    with pytest.raises(BadRecording, match="checksum of its data is missing"):
        read_contents(tmp_path / "a.mcap")


def test_a_chunk_never_takes_more_memory_than_it_may(rings, tmp_path):
    """What a chunk claims is refused before it is decompressed, and so is what it really holds."""
    import zstandard
    from mcap.data_stream import RecordBuilder
    from mcap.records import Chunk

    assert recorded(rings, tmp_path / "a.mcap", 20)
    data = (tmp_path / "a.mcap").read_bytes()
    bomb = zstandard.compress(bytes(200_000_000))
    for size in (200_000_000, 2**63, 1000):
        builder = RecordBuilder()
        Chunk("zstd", bomb, 0, 0, 0, size).write(builder)
        (tmp_path / "b.mcap").write_bytes(data + builder.end() + data[-50:])
        found = recover(tmp_path / "b.mcap", tmp_path / "whole.mcap", force=True)
        assert "chunk" in found.stopped


def test_what_the_file_lacks_comes_from_the_ring(rings, tmp_path):
    """A recorder that was killed costs nothing while the ring is there, and nothing comes twice."""
    recorded(rings, tmp_path / "a.mcap", 75)  # flushed at 70; killed
    found = recover(tmp_path / "a.mcap", ring=rings.path)
    contents = read_contents(found.file)
    assert contents.numbers["cycle"].tolist() == list(range(75))
    assert contents.numbers["samples"].tolist() == list(range(75 * 28))
    assert found.from_rings["cycle"] == 5
    assert not any(found.lost.values())
    assert len(contents.events) == 2
    only = recover(rings.path, tmp_path / "ring.mcap")
    assert len(read_contents(only.file).rows["cycle"]) == 75


def test_a_full_disc_is_known_and_costs_nothing_once_there_is_room(rings, tmp_path, monkeypatch):
    """Bytes that the disc refused are handed over later, from where it stopped."""
    follower = recorded(rings, tmp_path / "a.mcap", 30)
    real, full = os.write, {"is": True}

    def write(handle, data):
        if handle == follower.sink.handle and full["is"]:
            if len(data) > 100:
                return real(handle, bytes(data[:100]))
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(os, "write", write)
    for number in range(30, 60):
        write_cycle(rings, number)
    follower.look()
    assert rings.get("refused") == errno.ENOSPC
    full["is"] = False
    follower.look()
    assert rings.get("refused") == 0
    assert follower.finish("the loop ended")
    assert read_contents(tmp_path / "a.mcap").numbers["cycle"].tolist() == list(range(60))


def test_rows_that_a_full_disc_costs_are_counted_and_said(rings, tmp_path, monkeypatch):
    """Memory is bounded while the disc is full; what is dropped is known to the file itself."""
    follower = recorded(rings, tmp_path / "a.mcap", 30)
    monkeypatch.setattr(Sink, "is_over", True)
    write_cycle(rings, 30)
    follower.look()
    monkeypatch.setattr(Sink, "is_over", False)
    write_cycle(rings, 31)
    assert follower.finish("the loop ended")
    recording = make_recording(read_contents(tmp_path / "a.mcap"))
    assert recording.lost["cycle"] == 1
    assert recording.lost["samples"] == 28
    assert "29 rows" not in recording.sentence
    assert "31 rows lost" in recording.sentence  # 1 cycle, 2 packets, 28 samples


def test_contacts_are_found_by_the_measured_force():
    """A bounce with a known restitution, under noise and a bias, from what a rig records."""
    time = np.arange(0.0, 2.0, 0.004)
    inside = (time > 0.8) & (time < 1.2)
    force = np.where(inside, 5.0 * np.sin(np.pi * (time - 0.8) / 0.4), 0.0)
    mass = 63.0
    speed = -0.02 + np.concatenate([[0.0], np.cumsum(force[1:] * 0.004)]) / mass
    measured = force + 1.0 + np.random.default_rng(4).normal(0.0, 0.01, len(time))
    columns = {"time": time, "measured.chaser.force.x": measured, "chaser.velocity.x": speed}
    columns |= {f"measured.chaser.force.{a}": 0.0 * time for a in "yz"}
    columns |= {f"chaser.velocity.{a}": 0.0 * time for a in "yz"}
    order = ["time", *(f"measured.chaser.force.{a}" for a in "xyz")]
    order += [f"chaser.velocity.{a}" for a in "xyz"]
    series = Series(
        np.stack([columns[name] for name in order], axis=1),
        [Channel(name, "", "", "") for name in order],
    )
    (contact,) = find_contacts(series)
    assert contact["start_s"] == pytest.approx(0.804, abs=0.009)
    assert contact["end_s"] == pytest.approx(1.196, abs=0.009)
    assert contact["peak_force_measured_N"] == pytest.approx(5.0, rel=0.02)
    assert contact["restitution_of_centres"] == pytest.approx(-speed[-1] / speed[0], rel=0.02)
    assert contact["restitution_energetic"] is None  # the wrench on the satellite is not recorded
    assert find_contacts(series, touch_N=50.0) == []


def test_a_recorder_refuses_before_the_clock_starts(tmp_path):
    """A file that exists, a folder that does not, a flush that would lose too much."""
    (tmp_path / "there.mcap").write_text("")
    streams = make_rig_streams(CELLS)
    for file, flush, said in (
        (tmp_path / "there.mcap", 0.05, "exists"),
        (tmp_path / "no" / "a.mcap", 0.05, "folder"),
        (tmp_path / "a.mcap", 0.5, "100 ms"),
    ):
        with pytest.raises(BadInput, match=said):
            Recorder(file, streams, about(), flush_s=flush, folder=tmp_path)
    assert not list(tmp_path.glob("*.ring"))


def test_files_of_others_are_refused_with_a_reason(tmp_path):
    """Neither a text, nor an empty file, nor a ring of nothing is a recording."""
    for name, data, said in (
        ("a.mcap", b"hello world, no recording", "no MCAP"),
        ("b.mcap", b"", "cannot be read|no MCAP"),
        ("c.mcap", b"\x89MCAP0\r\n", "cut|cannot"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BadRecording, match=said):
            read_contents(tmp_path / name)
    with pytest.raises(BadRecording, match="no such file"):
        read_contents(tmp_path / "d.mcap")
    with pytest.raises(BadRecording, match="no ring"):
        open_ring(tmp_path / "a.mcap")
    with pytest.raises(BadRecording, match="no MCAP file"):
        recover(tmp_path / "a.mcap")
