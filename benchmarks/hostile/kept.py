"""Failures kept as files: what was read, under a name that says its kind, and beside it what went
wrong. `tests/system/test_hostile_testers.py` reads every one of them again, so that a failure that
is committed with its mend stays a test.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

FOUND = Path(__file__).parent / "found"


def keep(kind: str, suffix: str, data: bytes, told: dict[str, Any], folder: Path = FOUND) -> str:
    """The name of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{kind}-{hashlib.sha256(data).hexdigest()[:10]}"
    (folder / f"{name}{suffix}").write_bytes(data)
    (folder / f"{name}.json").write_text(json.dumps(told, indent=1, default=str) + "\n")
    return f"{name}{suffix}"


def found(kind: str, suffix: str, folder: Path = FOUND) -> list[Path]:
    """Files of a kind that went wrong once."""
    return sorted(folder.glob(f"{kind}-*{suffix}"))
