"""The command that makes a cell's number again: `softdock run CASE --set KEY=VALUE`.

`softdock run` judges at the worst of the same sampling phases, so the distance in its verdict
(`verdict.criteria.distance.number` with --json) is the cell's. A law of the scenario's contacts
that is believed wrongly has no such command: the reference would be simulated with it too.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any


def format_command(
    source: str, changes: Mapping[str, Any], method_files: Sequence[str] = ()
) -> str:
    """A line for a shell; empty: there is none."""
    if not changes or any(key.startswith("contact.") for key in changes):
        return ""
    words = ["softdock", "run", source]
    for key, value in changes.items():
        words += ["--set", f"{key}={format_inline(value)}"]
    for file in method_files:
        words += ["--method-file", file]
    return " ".join(shlex.quote(word) for word in words)


def format_inline(value: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inside = ", ".join(
            f"{_format_key(key)} = {format_inline(item)}" for key, item in value.items()
        )
        return "{ " + inside + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(format_inline(item) for item in value) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _format_key(key: str) -> str:
    plain = key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if plain else json.dumps(key)
