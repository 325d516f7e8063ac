"""TOML text to tables, with the place of each key; text that does not parse is refused with its
line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.toml_positions import key_lines

# A dotted key of forty parts. It begins where a word begins, and gives nothing back: else a word of
# a megabyte is looked at from each of its letters.
_DEEP_KEY = re.compile(r"(?<![A-Za-z0-9_\"'-])(?:[A-Za-z0-9_\"'-]++[ \t]*+\.[ \t]*+){40}")


def parse_toml(text: str, name: str) -> tuple[dict[str, Any], Any, Collection[str]]:
    """The tables, the place of each key (file:line), and the paths that are written in the file."""
    deep = _DEEP_KEY.search(text)
    if deep is not None:  # Python's parser would take minutes
        raise too_deep(f"{name}", text.count("\n", 0, deep.start()) + 1)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"at line (\d+)", str(error))
        line = int(match.group(1)) if match else text.count("\n") + 1
        given = (
            text.splitlines()[line - 1].strip() if line <= len(text.splitlines()) else "end of file"
        )
        raise BadInput(
            Problem("TOML", given, f"TOML ({str(error).split(' (at')[0]})", f"{name}:{line}")
        ) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise BadInput(
            Problem("TOML", str(error).split(";")[0], "numbers of ordinary length", f"{name}:1")
        ) from None
    except RecursionError:
        raise too_deep(name) from None
    try:
        lines = key_lines(text)
    except RecursionError:
        raise too_deep(name) from None

    def locate(path: str) -> str:
        """file:line of a key, or of the closest table above it."""
        parts = path.split(".")
        while parts:
            if ".".join(parts) in lines:
                return f"{name}:{lines['.'.join(parts)]}"
            parts.pop()
        return f"{name}:1"

    return tables, locate, lines


def too_deep(name: str, line: int = 1) -> BadInput:
    """Refusal of tables that are nested beyond Python's stack."""
    return BadInput(Problem("TOML", "tables nested too deep", "a scenario", f"{name}:{line}"))
