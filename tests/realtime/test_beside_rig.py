"""A viewer beside a loop that records: stopped, killed. The loop and its recording are as if nobody
had looked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from recorded import CELLS, CYCLE_S, about, loop

from softdock.recording.read import read_contents
from softdock.recording.recorder import Recorder
from softdock.recording.ring_file import IN
from softdock.recording.streams import make_rig_streams

ONLOOKER = (
    "import sys, time\n"
    "from softdock.recording.rings import RingReader\n"
    "look = RingReader(sys.argv[1])\n"
    "while True:\n"
    "    look.poll()\n"
    "    print(look.kept, flush=True)\n"
    "    time.sleep(0.02)\n"
)


def onlooker(ring: Path) -> subprocess.Popen[str]:
    """A process that looks at a ring as the viewer does, and has seen some rows."""
    process = subprocess.Popen(
        [sys.executable, "-c", ONLOOKER, str(ring)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_stalled_and_a_killed_viewer_cost_the_loop_nothing(tmp_path: Path) -> None:
    """While an onlooker looks, hangs (SIGSTOP in the middle of its work) and dies (kill -9), every
    row that the loop writes is in the ring and in the file, in order, none lost, and the recorder
    has nothing to say."""
    recorder = Recorder(
        tmp_path / "run.mcap", make_rig_streams(CELLS, CYCLE_S), about(), seconds=5.0
    )
    recorder.start()
    others = []
    try:
        count = loop(recorder, 0.2)
        others = [onlooker(recorder.rings.path) for _ in range(2)]
        count = loop(recorder, 0.2, count)
        os.kill(others[0].pid, signal.SIGSTOP)
        count = loop(recorder, 0.3, count)
        others[0].kill()
        others[1].kill()
        for other in others:
            other.wait()
        count = loop(recorder, 0.2, count)
        words = recorder.rings.ring("cycle").words
        assert int(words[IN.count]) == count
        assert recorder.close() == []
    finally:
        for other in others:
            other.kill()
        if recorder.process is not None:
            recorder.process.kill()
        recorder.rings.remove()
    found = read_contents(tmp_path / "run.mcap")
    assert found.numbers["cycle"].tolist() == list(range(count))
    assert found.end["lost.cycle"] == "0"


def test_a_push_takes_no_more_cpu_while_somebody_looks(tmp_path: Path) -> None:
    """The loop's own CPU for a row does not depend on onlookers, of which it cannot know: within a
    factor of ten, on a machine that others use."""
    recorder = Recorder(
        tmp_path / "run.mcap", make_rig_streams(CELLS, CYCLE_S), about(), seconds=5.0
    )
    recorder.start()
    process = None
    try:
        alone = _cpu_of_cycles(recorder, 0)
        process = onlooker(recorder.rings.path)
        beside = _cpu_of_cycles(recorder, 100)
        os.kill(process.pid, signal.SIGSTOP)
        stalled = _cpu_of_cycles(recorder, 200)
    finally:
        if process is not None:
            process.kill()
            process.wait()
        recorder.close()
        recorder.rings.remove()
    assert max(beside, stalled) < 10.0 * alone


def _cpu_of_cycles(recorder: Recorder, first: int) -> float:
    """Least CPU of a cycle's rows, of a hundred [s]."""
    from recorded import write_cycle

    spent = []
    for number in range(first, first + 100):
        begun = time.thread_time()
        write_cycle(recorder.rings, number)
        spent.append(time.thread_time() - begun)
    return min(spent)
