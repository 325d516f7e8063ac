"""A look at a running loop from another process: its rings, read only, without a lock.

The file is mapped for reading alone, so the system refuses every write: nothing here can command a
rig, move the recorder on or make the loop wait. The loop does not know that somebody looks. Whoever
looks too slowly misses rows, and counts them; the recorder's own file has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.core.recorder.layout import EVENT
from softdock.errors import BadRecording
from softdock.recorder.batches import event_text
from softdock.recorder.follow import take
from softdock.recorder.read import Contents
from softdock.recorder.ring_file import IN, RingFile, memory_folder, open_ring
from softdock.recorder.streams import CYCLE, EVENTS, Stream

MOST_ROWS = 100_000  # kept of a run: 400 s at 250 Hz
LOOKED_AT = (CYCLE, EVENTS)


class Look:
    """What has been seen of one run so far."""

    def __init__(self, path: str | Path) -> None:
        self.rings: RingFile = open_ring(path, read_only=True)
        self.about = self.rings.about
        self._next = dict.fromkeys(LOOKED_AT, 0)
        self._rows: list[np.ndarray] = []
        self.kept = 0  # rows of cycles
        self.missed = 0  # rows that were written over before this look
        self.events: list[dict[str, Any]] = []

    @property
    def stream(self) -> Stream:
        return self.rings.ring(CYCLE).stream

    @property
    def state(self) -> str:
        """running, ended (the loop said so) or dead (its process is gone)."""
        if self.rings.get("closed"):
            return "ended"
        return "running" if self.rings.writer_lives else "dead"

    def poll(self) -> np.ndarray:
        """New rows of cycles, the channels in order; empty where there are none."""
        last = self.state != "running"
        found = self._take(CYCLE, last)
        rows = self.stream.columns(found) if len(found) else np.zeros((0, len(self.stream.places)))
        self.events += [self._event(row) for row in self._take(EVENTS, last)]
        if len(rows):
            self._rows.append(rows)
            self.kept += len(rows)
            while self.kept > MOST_ROWS and len(self._rows) > 1:
                self.kept -= len(self._rows.pop(0))
        return rows

    def _take(self, name: str, last: bool) -> np.ndarray:
        ring, parts = self.rings.ring(name), []
        while True:
            first = self._next[name]
            rows, _, following = take(ring, first, last)
            if following == first:
                break
            if name == CYCLE:
                self.missed += following - first - len(rows)
            parts.append(rows)
            self._next[name] = following
        return np.concatenate(parts) if parts else np.zeros((0, ring.stream.width))

    def _event(self, row: np.ndarray) -> dict[str, Any]:
        time_ns = round(float(row[EVENT.at.stamp_ns])) + self.about.utc_offset_ns
        level = int(row[EVENT.at.level])
        return {"time_ns": time_ns, "level": level, "text": event_text(self.about, row)}

    def rows(self) -> np.ndarray:
        """All rows that are kept (n, channels)."""
        if not self._rows:
            return np.zeros((0, len(self.stream.places)))
        return np.concatenate(self._rows)

    def contents(self) -> Contents:
        """What was seen, as a recording's file would hold it: for a replay once the run is over."""
        rows = self.rows()
        first = self._next[CYCLE] - len(rows)
        why = {"ended": "the loop ended", "dead": "the loop's process died"}
        return Contents(
            about=self.about,
            streams=(self.stream,),
            rows={CYCLE: rows},
            numbers={CYCLE: np.arange(first, first + len(rows))},
            events=self.events,
            end={"why": why.get(self.state, "still running")},
        )

    @property
    def written(self) -> int:
        """Rows of cycles that the loop has written."""
        return int(self.rings.ring(CYCLE).words[IN.count])


def running(folder: Path | None = None) -> list[Path]:
    """Rings on this machine whose loop runs, the newest first."""
    found = []
    for path in (folder or memory_folder()).glob("softdock-*.ring"):
        try:
            rings = open_ring(path, read_only=True)
            if rings.writer_lives and not rings.get("closed"):
                found.append((path.stat().st_ctime_ns, path))
        except (BadRecording, OSError):  # somebody else's, cut, or gone meanwhile
            continue
    return [path for _, path in sorted(found, reverse=True)]
