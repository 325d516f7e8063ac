"""What was measured, back into the rig file: single keys, every other byte as it was.

In: a rig file and numbers by their keys (`robots.chaser.delay_ms`). Out: the file, written whole or
not at all, and for each key what stood there before. A key is replaced in its line, or put under
the header of its table, or both at the end. The new text is read before it is written: if it is not
the same rig with these numbers, nothing is written and the lines to type are in the message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softdock.drivers.rig_file import read_rig, rig_presets, rig_text
from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.files.toml_text import parse_toml
from softdock.scenario.keys import set_key

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?\Z")


def _spelt(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(repr(float(v)) for v in value) + "]"
    return repr(float(value))


def _with_key(lines: list[str], key: str, text: str) -> list[str]:
    """The lines with one key stated."""
    table, _, name = key.rpartition(".")
    line = re.compile(rf"(\s*{re.escape(name)}\s*=\s*)([^#]*?)(\s*(?:#.*)?)\Z")
    header: int | None = None
    for at, one in enumerate(lines):
        found = _HEADER.match(one)
        if found:
            if header is not None:
                break
            header = at if found[1].replace(" ", "") == table else None
        elif header is not None and (stated := line.match(one)):
            return [*lines[:at], stated[1] + text + stated[3], *lines[at + 1 :]]
    if header is None:
        return [*lines, "", f"[{table}]", f"{name} = {text}"]
    return [*lines[: header + 1], f"{name} = {text}", *lines[header + 1 :]]


def _get(tables: Any, key: str) -> Any:
    for part in key.split("."):
        tables = tables.get(part) if isinstance(tables, Mapping) else None
    return tables


def written_back(
    source: str | Path, values: Mapping[str, float | tuple[float, ...]]
) -> dict[str, Any]:
    """State keys in a rig file: what stood there before, None where nothing did."""
    if str(source) in rig_presets() and not Path(source).exists():
        allowed = "a rig file of yours (softdock rig new); presets stay as they are"
        raise BadInput(Problem("--write", str(source), allowed))
    text, name, folder = rig_text(source)
    before, _, _ = parse_toml(text, name)
    lines = text.splitlines()
    for key, value in values.items():
        lines = _with_key(lines, key, _spelt(value))
    made = "\n".join(lines) + "\n"
    try:
        after, locate, _ = parse_toml(made, name)
        wanted, _, _ = parse_toml(text, name)
        for key, value in values.items():
            set_key(wanted, key, list(value) if isinstance(value, tuple) else float(value))
        same = after == wanted
        if same:
            read_rig(after, name, folder, locate)
    except BadInput:
        same = False
    if not same:
        typed = "; ".join(f"{key} = {_spelt(value)}" for key, value in values.items())
        allowed = f"a file with plain tables; this one must be changed by hand: {typed}"
        raise BadInput(Problem("--write", str(source), allowed, name))
    write_whole(Path(source), made.encode("utf-8"))
    return {key: _get(before, key) for key in values}
