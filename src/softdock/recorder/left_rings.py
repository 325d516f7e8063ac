"""Rings that runs have left in memory: listed, and cleared.

A ring goes when its recording has ended. One whose recorder was killed, or whose disc was full,
stays with the rows that no file has; it takes memory until somebody clears it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.errors import BadRecording, printable
from softdock.recorder.ring_file import IN, memory_folder, open_ring

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


def rings_there(folder: Path | None = None) -> list[LeftRing]:
    """All rings of this user, by name."""
    found = []
    for path in sorted((folder or memory_folder()).glob(PATTERN)):
        try:
            status = path.stat()
            if hasattr(os, "getuid") and status.st_uid != os.getuid():
                continue
            found.append(_looked_at(path, 1e-6 * status.st_size))
        except OSError:  # gone meanwhile
            continue
    return found


def _looked_at(path: Path, MB: float) -> LeftRing:
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


def left_behind(folder: Path | None = None) -> list[LeftRing]:
    """Those that nobody uses any more."""
    return [ring for ring in rings_there(folder) if not ring.in_use]


def clear_rings(force: bool = False, folder: Path | None = None) -> tuple[list, list]:
    """Take away what was left behind: cleared, and kept because no whole file has its rows.
    `force`: those too."""
    cleared, kept = [], []
    for ring in left_behind(folder):
        if ring.kept or force:
            ring.path.unlink(missing_ok=True)
            cleared.append(ring)
        else:
            kept.append(ring)
    return cleared, kept
