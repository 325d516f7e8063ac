"""Rings of other processes: of a run that goes on, read only; and those that runs have left in
memory, listed and cleared.

A ring goes when its recording has ended. One whose recorder was killed, or whose disc was full,
stays with the rows that no file has; it takes memory until somebody clears it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadRecording, printable
from softdock.recording.mcap_file import format_event
from softdock.recording.read import Contents
from softdock.recording.recorder import take_rows
from softdock.recording.ring_file import IN, RingFile, find_memory_folder, open_ring
from softdock.recording.ring_layout import EVENT
from softdock.recording.streams import CYCLE, EVENTS, Stream

PATTERN = "softdock-*.ring"


@dataclass(frozen=True)
class LeftRing:
    """One file of rings. `in_use`: a loop writes to it, or a recorder reads it; `kept`: a whole
    file has its rows."""

    path: Path
    MB: float
    recording: str
    rows: int
    in_use: bool
    kept: bool
    trouble: str = ""  # why it cannot be read

    @property
    def sentence(self) -> str:
        head = f"{self.path}  {self.MB:.0f} MB  "
        if self.trouble:
            return f"{head}no ring that this version can read ({self.trouble})"
        if self.in_use:
            return f"{head}in use, for {self.recording}"
        if self.kept:
            return f"{head}left behind; its {self.rows} rows are in a whole file"
        return (
            f"{head}left behind, with {self.rows} rows for {self.recording}: "
            f"softdock rig recover {self.path}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "ring": str(self.path),
            "MB": self.MB,
            "recording": self.recording,
            "rows": self.rows,
            "in_use": self.in_use,
            "kept": self.kept,
        }


def list_rings(folder: Path | None = None) -> list[LeftRing]:
    """All rings of this user, by name."""
    rings = []
    for path in sorted((folder or find_memory_folder()).glob(PATTERN)):
        try:
            status = path.stat()
            if hasattr(os, "getuid") and status.st_uid != os.getuid():
                continue
            rings.append(_look_at(path, 1e-6 * status.st_size))
        except OSError:  # gone meanwhile
            continue
    return rings


def _look_at(path: Path, MB: float) -> LeftRing:
    try:
        rings = open_ring(path, read_only=True)
        rows = int(rings.rings[0].words[IN.count])
    except (BadRecording, IndexError) as error:
        why = printable(str(error).removeprefix(f"{path}: "), 200)
        return LeftRing(path, MB, "", rows=0, in_use=False, kept=False, trouble=why)
    return LeftRing(
        path=path,
        MB=MB,
        recording=printable(rings.file, 300) or "no file",
        rows=rows,
        in_use=(rings.writer_lives and not rings.get("closed")) or rings.follower_lives,
        kept=bool(rings.get("ended") or rings.get("recovered")),
    )


def list_left_rings(folder: Path | None = None) -> list[LeftRing]:
    """Those that nobody uses any more."""
    return [ring for ring in list_rings(folder) if not ring.in_use]


def clear_rings(force: bool = False, folder: Path | None = None) -> tuple[list, list]:
    """Take away what was left behind: cleared, and kept because no whole file has its rows.
    `force`: those too."""
    cleared, kept = [], []
    for ring in list_left_rings(folder):
        if ring.kept or force:
            ring.path.unlink(missing_ok=True)
            cleared.append(ring)
        else:
            kept.append(ring)
    return cleared, kept


# A look at a running loop from another process: its rings, read only, without a lock.
#
# The file is mapped for reading alone, so the system refuses every write: nothing here can command
# a rig, move the recorder on or make the loop wait. The loop does not know that somebody looks.
# Whoever looks too slowly misses rows, and counts them; the recorder's own file has them.

MOST_ROWS = 100_000  # kept of a run: 400 s at 250 Hz
LOOKED_AT = (CYCLE, EVENTS)


class RingReader:
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
            rows, _, following = take_rows(ring, first, last)
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
        return {"time_ns": time_ns, "level": level, "text": format_event(self.about, row)}

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


def list_running_rings(folder: Path | None = None) -> list[Path]:
    """Rings on this machine whose loop runs, the newest first."""
    found = []
    for path in (folder or find_memory_folder()).glob("softdock-*.ring"):
        try:
            rings = open_ring(path, read_only=True)
            if rings.writer_lives and not rings.get("closed"):
                found.append((path.stat().st_ctime_ns, path))
        except (BadRecording, OSError):  # somebody else's, cut, or gone meanwhile
            continue
    return [path for _, path in sorted(found, reverse=True)]
