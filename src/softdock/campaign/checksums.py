"""Whether a shard is what was written: its checksum and its place in the plan, in a file beside it.

    sums/part-000000.json    sha256 and bytes of runs/part-000000.parquet, plan, number, runs

A shard without its sum, of another plan, copied under another number or with a flipped bit is
damaged: `--resume` makes its runs again, and no summary is made of it. Folders of version 1 have no
sums.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from softdock.files.reading import Unreadable, read_text

SUMS = "sums"
LARGEST_SUM = 10_000  # bytes of such a file


def sum_file(shard_file: Path) -> Path:
    """Where the sum of a shard's file is."""
    return shard_file.parent.parent / SUMS / f"{shard_file.stem}.json"


def sum_of(data: bytes, place: dict[str, Any]) -> bytes:
    """The sum of a shard; `place`: plan, number, variant, first and last run."""
    found = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    return (json.dumps(place | found, indent=1) + "\n").encode()


def damage_of(shard_file: Path, data: bytes, place: dict[str, Any]) -> str:
    """What is wrong with a shard's file, in words; empty: nothing."""
    try:
        known = dict(json.loads(read_text(sum_file(shard_file), LARGEST_SUM, "checksum")))
    except Unreadable:
        return "there is no checksum of it"
    except (ValueError, TypeError, RecursionError):
        return "its checksum cannot be read"
    if {key: known.get(key) for key in place} != place:
        return "its checksum is of other runs"
    if known.get("sha256") != hashlib.sha256(data).hexdigest():
        return "its checksum differs"
    return ""
