"""The recorder's process: takes rows out of the rings and writes them to the file, until the loop
has ended or is dead.

    python -m softdock.recorder.follow RING FILE [--flush-ms 50]

It looks every flush interval, writes what is there and hands it to the system, so that a kill at
any moment loses no more than that. A disc that is full is said in the ring, where the loop's own
process reads it, and tried again; rows that cannot be kept meanwhile are counted as lost. Ctrl-C is
for the loop: this process goes on until the last row is on the disc.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from typing import Any

import numpy as np

from softdock.core.recorder.ring import whole
from softdock.recorder.mcap_file import McapFile
from softdock.recorder.ring_file import IN, Ring, RingFile, began, open_ring
from softdock.recorder.sink import Sink

FLUSH_S = 0.05
MARGIN = 32  # slots that the loop may be writing to while they are read: never trusted
MOST_ROWS = 8192  # taken at once
PATIENCE_S = 10.0  # for a disc that takes nothing, once the loop has ended
NICE = -10  # asked for, before others of the machine; below every loop under SCHED_FIFO


def take(ring: Ring, first: int, last: bool = False) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows from number `first` on: contents, numbers, and the number to go on from. Rows that are
    not whole yet end it, unless it is the `last` look: then they are left out."""
    count = int(ring.words[IN.count])
    oldest = max(0, count - len(ring.slots) + (0 if last else MARGIN))
    start = max(first, oldest)
    stop = min(count, start + MOST_ROWS)
    words, found = whole(ring.slots, start, stop)
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
        rings.set("follower_began", began(os.getpid()))
        rings.set("follower", os.getpid())

    def look(self, last: bool = False) -> int:
        """One look at all rings: how many rows came. What was whole when it began is handed to
        the system when it ends, and only then `looked_ns` says so."""
        came, now = 0, time.monotonic_ns()
        for ring in self.rings.rings:
            while True:
                first = int(ring.words[IN.taken])
                rows, numbers, following = take(ring, first, last)
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
    parser = argparse.ArgumentParser(prog="softdock.recorder.follow", description=__doc__)
    parser.add_argument("ring")
    parser.add_argument("file")
    parser.add_argument("--flush-ms", type=float, default=1e3 * FLUSH_S)
    options = parser.parse_args(arguments)
    return follow(options.ring, options.file, 1e-3 * options.flush_ms)


if __name__ == "__main__":
    sys.exit(main())
