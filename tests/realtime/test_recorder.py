"""The recorder as a process of its own: killed, with the loop killed, with the disc full."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from recorded import CELLS, CYCLE_S, ROOT, about, loop

from softdock.recording.read import read_contents
from softdock.recording.recorder import FLUSH_S, Recorder
from softdock.recording.recover import recover
from softdock.recording.ring_file import IN, open_ring
from softdock.recording.rings import list_left_rings
from softdock.recording.streams import make_rig_streams

LOST_S = 0.1  # that a kill may cost, where the machine lets the recorder look in time
assert FLUSH_S <= LOST_S / 2.0


@pytest.fixture
def recorder(tmp_path):
    made = Recorder(tmp_path / "run.mcap", make_rig_streams(CELLS, CYCLE_S), about(), seconds=5.0)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()
        made.process.wait()
    made.rings.remove()


def own_process(tmp_path: Path) -> tuple[subprocess.Popen[str], Path, int]:
    """A loop that records, in a process of its own: it, its rings, its recorder."""
    peer = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "recorded.py"), str(tmp_path / "run.mcap"), "60"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert peer.stdout is not None
    words = peer.stdout.readline().split()
    return peer, Path(words[0]), int(words[1])


def until(what, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.005)
    assert what()


def until_kept(rings, rows: int) -> None:
    """Until that many rows were taken and that look is over, however long it takes."""
    until(lambda: rings.ring("cycle").words[IN.taken] >= rows)
    before = rings.get("looked_ns")
    until(lambda: rings.get("looked_ns") != before)


def missing_before_the_last_look(numbers, rings) -> int:
    """Rows stamped before the recorder's last look, and not in the file. How long ago that look was
    is the machine's affair (benchmarks/recording.py measures it); that a look every FLUSH_S keeps
    everything up to it is the recorder's. One row may have been stamped and not yet been whole."""
    ring = rings.ring("cycle")
    last = int(ring.words[IN.count]) - 1
    looked = rings.get("looked_ns")
    assert looked > 0
    rows = range(int(numbers[-1]) + 1, last + 1)
    stamps = [ring.slots[n & (len(ring.slots) - 1)].view(float)[2] for n in rows]
    return max(0, sum(stamp < looked for stamp in stamps) - 1)


def test_a_whole_run_is_recorded_and_the_rings_are_gone(recorder, tmp_path):
    """What the loop wrote is in the file, row by row, and nothing is left in memory."""
    recorder.start()
    count = loop(recorder, 0.6)
    assert recorder.close() == []
    found = read_contents(tmp_path / "run.mcap")
    assert found.numbers["cycle"].tolist() == list(range(count))
    assert found.numbers["samples"].tolist() == list(range(28 * count))
    assert found.end["why"] == "the loop ended"
    assert not recorder.rings.path.exists()


def test_the_loop_does_not_notice_that_its_recorder_was_killed(recorder, tmp_path):
    """kill -9 of the recorder: the loop goes on, it is said, and file and ring give every row."""
    recorder.start()
    count = loop(recorder, 0.4)
    until_kept(recorder.rings, 1)
    recorder.process.kill()
    recorder.process.wait()
    count = loop(recorder, 0.4, count)
    assert any(
        "the recorder is gone; the loop goes on" in line for line in recorder.find_problems()
    )
    (said,) = recorder.close()
    assert "is not whole: its recorder was killed" in said
    assert said.endswith(f"softdock rig recover {recorder.file} --ring {recorder.rings.path}")
    # the file alone: no more than the time between two flushes is missing
    alone = recover(tmp_path / "run.mcap", tmp_path / "alone.mcap", ring=None)
    assert alone.from_rings["cycle"] > 0  # the rings were found without being named
    rings = recorder.rings
    rings.remove()
    alone = recover(tmp_path / "run.mcap", tmp_path / "alone.mcap", force=True)
    numbers = read_contents(alone.file).numbers["cycle"]
    assert missing_before_the_last_look(numbers, rings) == 0
    assert numbers.tolist() == list(range(len(numbers)))


def test_a_killed_loop_leaves_a_whole_file(tmp_path):
    """kill -9 of the loop's process: its recorder writes the rest, ends the file and itself."""
    peer, ring, _ = own_process(tmp_path)
    try:
        rings = open_ring(ring)
        until(lambda: rings.ring("cycle").words[IN.count] > 100)
        peer.kill()
        peer.wait()
        until(lambda: rings.get("ended"))
        written = int(rings.ring("cycle").words[IN.count])
        found = read_contents(tmp_path / "run.mcap")
        assert found.numbers["cycle"].tolist() == list(range(written))
        assert found.end["why"] == "the loop's process died"
        until(lambda: not rings.follower_lives)
        assert not ring.exists()  # nobody else would take it away
    finally:
        peer.kill()
        ring.unlink(missing_ok=True)


def test_both_killed_at_once_lose_at_most_100_ms_of_the_file_and_nothing_of_the_ring(tmp_path):
    """kill -9 of both, as when a machine's memory runs out: the file is made whole again."""
    peer, ring, recorder = own_process(tmp_path)
    try:
        rings = open_ring(ring)
        until_kept(rings, 150)
        os.kill(recorder, signal.SIGKILL)
        os.kill(peer.pid, signal.SIGKILL)
        peer.wait()
        until(lambda: not rings.follower_lives)
        with_ring = recover(tmp_path / "run.mcap", tmp_path / "ring.mcap", ring=ring)
        written = int(rings.ring("cycle").words[IN.count])
        assert read_contents(with_ring.file).numbers["cycle"].tolist() == list(range(written))
        assert with_ring.sentences()[-1].endswith("softdock rig recover --clear")
        (left,) = (one for one in list_left_rings() if one.path == ring)
        assert (left.kept, left.rows, left.in_use) == (True, written, False)
        ring.unlink()
        alone = recover(tmp_path / "run.mcap")
        numbers = read_contents(alone.file).numbers["cycle"]
        assert missing_before_the_last_look(numbers, rings) == 0
    finally:
        peer.kill()
        ring.unlink(missing_ok=True)


def test_a_full_disc_is_said_and_the_loop_goes_on(recorder, tmp_path):
    """A disc that takes no more is said while the loop runs; with room again nothing is lost."""
    if not hasattr(resource, "prlimit"):
        pytest.skip("no way to limit another process's files here")
    recorder.start()
    count = loop(recorder, 0.3)
    size, most = (tmp_path / "run.mcap").stat().st_size, resource.RLIM_INFINITY
    resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (size + 1000, most))
    count = loop(recorder, 0.1, count)
    until(lambda: recorder.rings.get("refused"))
    assert any("the disc does not take the recording" in line for line in recorder.find_problems())
    resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (most, most))
    count = loop(recorder, 0.2, count)
    assert recorder.close() == []
    assert read_contents(tmp_path / "run.mcap").numbers["cycle"].tolist() == list(range(count))


def test_ctrl_c_is_for_the_loop(recorder, tmp_path):
    """The recorder goes on at SIGINT, and ends the file in order at SIGTERM."""
    recorder.start()
    count = loop(recorder, 0.2)
    recorder.process.send_signal(signal.SIGINT)
    count = loop(recorder, 0.2, count)
    assert recorder.process.poll() is None
    recorder.process.terminate()
    recorder.process.wait(120)
    found = read_contents(tmp_path / "run.mcap")
    assert found.end["why"] == "the recorder was asked to end"
    assert found.numbers["cycle"].tolist() == list(range(count))
