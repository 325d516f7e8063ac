"""The recorder: a process that follows the rings of a loop, and the loop's side of it.

    recorder = Recorder("run.mcap", rig_streams([...]), about)
    recorder.start()                          # before the clock starts; the loop then only pushes
    ring = recorder.rings.ring("cycle")       # ring.slots, ring.count: for the compiled loop
    recorder.find_problems()                  # sentences: a full disc, a dead recorder, lost rows
    recorder.close()                          # the last rows are on the disc, or it says why not

The loop never waits for the recorder and does not notice its death: rows go on into the ring, which
`softdock rig recover` can read.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable
from softdock.recording.mcap_file import McapFile, Sink
from softdock.recording.ring_file import (
    IN,
    SECONDS,
    Ring,
    RingFile,
    get_process_start,
    make_ring,
    open_ring,
    warm_up,
)
from softdock.recording.ring_layout import find_whole_rows
from softdock.recording.streams import About, Stream

# The recorder's process: takes rows out of the rings and writes them to the file, until the loop
# has ended or is dead.
#
#     python -m softdock.recording.recorder RING FILE [--flush-ms 50]
#
# It looks every flush interval, writes what is there and hands it to the system, so that a kill at
# any moment loses no more than that. A disc that is full is said in the ring, where the loop's own
# process reads it, and tried again; rows that cannot be kept meanwhile are counted as lost. Ctrl-C
# is for the loop: this process goes on until the last row is on the disc.

FLUSH_S = 0.05
MARGIN = 32  # slots that the loop may be writing to while they are read: never trusted
MOST_ROWS = 8192  # taken at once
PATIENCE_S = 10.0  # for a disc that takes nothing, once the loop has ended
NICE = -10  # asked for, before others of the machine; below every loop under SCHED_FIFO


def take_rows(ring: Ring, first: int, last: bool = False) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows from number `first` on: contents, numbers, and the number to go on from. Rows that are
    not whole yet end it, unless it is the `last` look: then they are left out."""
    count = int(ring.words[IN.count])
    oldest = max(0, count - len(ring.slots) + (0 if last else MARGIN))
    start = max(first, oldest)
    stop = min(count, start + MOST_ROWS)
    words, found = find_whole_rows(ring.slots, start, stop)
    expected = np.arange(start, stop)
    fits = found == expected
    overtaken = found > expected  # the loop was faster than this look: lost
    if not last:
        waiting = np.flatnonzero(~(fits | overtaken))
        if len(waiting):
            stop = start + int(waiting[0])
    kept = fits[: stop - start]
    rows = words[: stop - start][kept].view(np.float64)
    return rows, expected[: stop - start][kept], stop


class Follower:
    """Takes, writes, counts."""

    def __init__(self, rings: RingFile, file: McapFile, sink: Sink) -> None:
        self.rings, self.file, self.sink = rings, file, sink
        rings.set("follower_began", get_process_start(os.getpid()))
        rings.set("follower", os.getpid())

    def look(self, last: bool = False) -> int:
        """One look at all rings: how many rows came. What was whole when it began is handed to
        the system when it ends, and only then `looked_ns` says so."""
        came, now = 0, time.monotonic_ns()
        for ring in self.rings.rings:
            while True:
                first = int(ring.words[IN.taken])
                rows, numbers, following = take_rows(ring, first, last)
                if following == first:
                    break
                lost = following - first - len(rows)
                if self.sink.is_over:
                    lost += len(rows)
                elif len(rows):
                    self.file.add(ring.stream, rows, numbers)
                    came += len(rows)
                ring.words[IN.lost] += lost
                ring.words[IN.taken] = following
        self.file.flush()
        self.rings.set("refused", self.sink.error.errno or 1 if self.sink.error else 0)
        self.rings.set("bytes", self.sink.taken)
        before = self.rings.get("looked_ns")
        if before:
            self.rings.set("slowest_ns", max(self.rings.get("slowest_ns"), now - before))
        self.rings.set("looked_ns", now)
        return came

    def finish(self, why: str) -> bool:
        """The last rows, and the end of the file; whether the disc took all of it."""
        while self.look(last=True):
            pass
        until = time.monotonic() + PATIENCE_S
        while self.sink.error and time.monotonic() < until:
            time.sleep(0.1)
            self.look(last=True)
        self.file.finish(self.end(why))
        done = self.sink.error is None
        self.rings.set("bytes", self.sink.taken)
        self.rings.set("refused", self.sink.error.errno or 1 if self.sink.error else 0)
        if done:
            self.rings.set("ended", 1)
        return done

    def end(self, why: str) -> dict[str, str]:
        """How it ended, in numbers."""
        found = {"why": why}
        for ring in self.rings.rings:
            found[f"rows.{ring.stream.name}"] = str(int(ring.words[IN.taken]))
            found[f"lost.{ring.stream.name}"] = str(int(ring.words[IN.lost]))
        return found


def follow(ring: str, path: str, flush_s: float = FLUSH_S) -> int:
    """Follow until the loop has ended or is dead: 0 if the file is whole."""
    stopped: list[int] = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.append(number))
    with contextlib.suppress(AttributeError, OSError):  # not on Windows
        os.nice(NICE)
    rings = open_ring(ring)
    sink = Sink(path)
    follower = Follower(rings, McapFile(sink, rings.about, rings.streams), sink)
    why = ""
    while not why:
        began_at = time.monotonic()
        closed, alive = bool(rings.get("closed")), rings.writer_lives
        follower.look()
        if closed:
            why = "the loop ended"
        elif not alive:
            why = "the loop's process died"
        elif stopped:
            why = "the recorder was asked to end"
        else:
            time.sleep(max(0.001, flush_s - (time.monotonic() - began_at)))
    whole_file = follower.finish(why)
    if whole_file and not rings.writer_lives:  # nobody is left to take the ring away
        rings.remove()
    return 0 if whole_file else 1


def main(arguments: list[str] | None = None) -> Any:
    parser = argparse.ArgumentParser(prog="softdock.recording.recorder", description=__doc__)
    parser.add_argument("ring")
    parser.add_argument("file")
    parser.add_argument("--flush-ms", type=float, default=1e3 * FLUSH_S)
    options = parser.parse_args(arguments)
    return follow(options.ring, options.file, 1e-3 * options.flush_ms)


START_S = 60.0  # for the process to come up, on a busy machine too
CLOSE_S, CLOSE_SHARE = 30.0, 0.2  # for the end of the file: at least, and of the run
SILENT_S = 2.0  # without a look, a recorder that lives is said to be stuck
LONGEST_FLUSH_S = 0.1  # a kill must not lose more


def measure_utc_offset_ns() -> int:
    """UTC minus our monotonic clock: taken once, so that no step of the clock enters a run."""
    before = time.monotonic_ns()
    utc = time.time_ns()
    return utc - (before + time.monotonic_ns()) // 2


class Recorder:
    """Rings and the process behind them."""

    def __init__(
        self,
        file: str | Path,
        streams: Sequence[Stream],
        about: About,
        *,
        flush_s: float = FLUSH_S,
        seconds: float = SECONDS,
        folder: Path | None = None,
    ) -> None:
        self.file = Path(file)
        if not 0.0 < flush_s <= LONGEST_FLUSH_S:
            raise BadInput(Problem("record.flush_ms", 1e3 * flush_s, "more than 0, at most 100 ms"))
        refuse_unwritable(self.file, "record")
        if self.file.exists():
            raise BadInput(Problem("record", str(file), "a new file; this one exists"))
        self.flush_s = flush_s
        self.rings: RingFile = make_ring(streams, about, file, folder, seconds)
        self.process: subprocess.Popen[bytes] | None = None
        self._began_s = time.monotonic()

    def start(self) -> None:
        """Start the process and wait until it follows. Raises `BadInput` if it does not come up."""
        warm_up()
        command = [sys.executable, "-m", "softdock.recording.recorder"]
        command += [str(self.rings.path), str(self.file), "--flush-ms", str(1e3 * self.flush_s)]
        # of its own session: what is typed at the loop's terminal is not for it
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        until = time.monotonic() + START_S
        while not self.rings.get("looked_ns"):
            if self.process.poll() is not None or time.monotonic() > until:
                self.process.kill()
                answer = (self.process.communicate()[1] or b"").decode(errors="replace").strip()
                self.rings.remove()
                why = answer.splitlines()[-1] if answer else "no answer"
                raise BadInput(Problem("record", str(self.file), f"a file to record to ({why})"))
            time.sleep(0.005)

    @property
    def lost(self) -> dict[str, int]:
        """Rows lost so far, by stream."""
        return {ring.stream.name: int(ring.words[IN.lost]) for ring in self.rings.rings}

    def find_problems(self) -> list[str]:
        """What is wrong with the recording, now; nothing where all is well."""
        problems, rings = [], self.rings
        if rings.get("refused"):
            reason = os.strerror(rings.get("refused"))
            problems.append(f"the disc does not take the recording ({reason}); the loop goes on")
        if self.process is not None and not rings.get("ended"):
            if self.process.poll() is not None:
                problems.append(
                    "the recorder is gone; the loop goes on, and its last rows are in "
                    f"{rings.path}: softdock rig recover {self.file} --ring {rings.path}"
                )
            elif time.monotonic_ns() - rings.get("looked_ns") > SILENT_S * 1e9:
                problems.append("the recorder has not looked at the loop for more than 2 s")
        return problems + self._lost()

    def close(self, timeout_s: float | None = None) -> list[str]:
        """The loop has ended: wait for the file. Returns what went wrong; nothing, and the rings
        are gone, if the file is whole. Its index grows with the run: by default half a minute and
        a fifth of the run are waited."""
        self.rings.set("closed", 1)
        if timeout_s is None:
            timeout_s = CLOSE_S + CLOSE_SHARE * (time.monotonic() - self._began_s)
        if self.process is None:
            return [f"nothing was recorded; the rows are in {self.rings.path}"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout_s)
        if self.process.stderr is not None:
            self.process.stderr.close()
        if not self.rings.get("ended"):
            return [self._missing(timeout_s)]
        self.rings.remove()
        return self._lost()

    def _lost(self) -> list[str]:
        return [
            f"{n} rows of '{name}' are lost to the recording" for name, n in self.lost.items() if n
        ]

    def _missing(self, timeout_s: float) -> str:
        """Of a file that did not end: why, what there is of it, and what makes it whole."""
        rings, whose, elsewhere = self.rings, self.process, ""
        why = f"the recorder did not end within {timeout_s:g} s"
        if rings.get("refused"):
            why = f"the disc took no more of it ({os.strerror(rings.get('refused'))})"
            elsewhere = " --out FILE-WITH-ROOM"
        elif whose is not None and whose.poll() is not None:
            why = f"its recorder was killed (exit code {whose.poll()})"
        ring = rings.rings[0]
        written, taken = int(ring.words[IN.count]), int(ring.words[IN.taken])
        held = min(written, len(ring.slots))
        return (
            f"the recording {self.file} is not whole: {why}. Of {written} rows of "
            f"'{ring.stream.name}' its recorder took {taken}; the ring holds the last {held}: "
            f"softdock rig recover {self.file} --ring {rings.path}{elsewhere}"
        )


if __name__ == "__main__":
    sys.exit(main())
