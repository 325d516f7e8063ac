"""Scenario files: strict TOML in, all problems at once with file and line; and the resolved
scenario back out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from softdock._arguments import CHANGES, PATH, check_arguments
from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import LARGEST_FILE, Unreadable, read_text
from softdock.files.toml_text import parse_toml, too_deep
from softdock.scenario.benchmark_set import PREFIX, case_text
from softdock.scenario.build import Scenario, build
from softdock.scenario.keys import set_key
from softdock.scenario.method_sources import differing, explained


def preset_names() -> list[str]:
    """The presets that ship with the package."""
    return sorted(
        p.name.removesuffix(".toml")
        for p in files("softdock.scenario").joinpath("presets").iterdir()
        if p.name.endswith(".toml")
    )


def preset_text(name: str) -> str:
    """The file of a preset, comments and all."""
    known = preset_names()
    if name not in known:
        raise BadInput(
            Problem("preset", name, "one of " + ", ".join(known), suggestion=closest(name, known))
        )
    return (
        files("softdock.scenario").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    )


@check_arguments(source=PATH, changes=CHANGES)
def load_scenario(source: str | Path, changes: Iterable[str] | Mapping[str, Any] = ()) -> Scenario:
    """A scenario from a file, a preset's name or `benchmark:` and a case's. `changes`: `key=value`
    texts, or a mapping from key path to value."""
    text, name = _read(source)
    tables, locate, written = parse_toml(text, name)
    changed = parse_changes(changes)
    for key, value in changed.items():
        set_key(tables, key, value)
    folder = Path(source).parent if Path(source).is_file() else None
    said = "changes" if isinstance(changes, Mapping) else "--set"

    def locate_change(path: str) -> str:
        made = path not in written  # a table that only a change has brought in
        by_change = (
            f"{path}.".startswith(f"{key}.") or (made and f"{key}.".startswith(f"{path}."))
            for key in changed
        )
        return said if any(by_change) else locate(path)

    try:
        scenario = build(tables, locate_change, folder)
    except RecursionError:
        raise too_deep(name) from None
    except BadInput as error:
        raise error if folder is None else explained(error, folder) from None
    if folder is not None:
        scenario.warnings += differing(scenario.tables, folder)
    return scenario


def parse_changes(changes: Iterable[str] | Mapping[str, Any]) -> dict[str, Any]:
    """`key=value` texts to values: TOML where it parses, a plain word otherwise."""
    if isinstance(changes, Mapping):
        return dict(changes)
    parsed: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or not key.strip() or not text.strip():
            raise BadInput(
                Problem("--set", change, "key=value, for example robots.chaser.delay_ms=16")
            )
        try:
            parsed[key.strip()] = tomllib.loads(f"x = {text}")["x"]
        except tomllib.TOMLDecodeError:
            parsed[key.strip()] = text.strip()
    return parsed


def _read(source: str | Path) -> tuple[str, str]:
    path = Path(source)
    if str(source).startswith(PREFIX):
        name = str(source).removeprefix(PREFIX)
        return case_text(name), f"{name}.toml"
    looks_like_file = path.suffix == ".toml" or "/" in str(source) or path.is_file()
    if not looks_like_file:
        return preset_text(str(source)), f"{source}.toml"
    try:
        return read_text(path, LARGEST_FILE, "scenario file"), str(source)
    except Unreadable as error:
        hint = f", or a preset: {', '.join(preset_names())}" if not path.exists() else ""
        raise BadInput(
            Problem("scenario", error.given, error.allowed + hint, f"{source}:{error.line}")
        ) from None


def to_toml(tables: Mapping[str, Any]) -> str:
    """Resolved tables as TOML; reading it back gives the same numbers to the last bit."""
    out: list[str] = []
    _write_table(out, [], tables)
    return "\n".join(out).strip() + "\n"


def _write_table(out: list[str], path: list[str], table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            out.append(f"{key} = {_literal(value)}")
    for key, value in table.items():
        here = [*path, key]
        if isinstance(value, Mapping):
            out += ["", f"[{'.'.join(here)}]"]
            _write_table(out, here, value)
        elif _is_tables(value):
            for element in value:
                out += ["", f"[[{'.'.join(here)}]]"]
                _write_table(out, here, element)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace(
            "\x7f", "\\u007f"
        )  # JSON's escapes are TOML's
    if isinstance(value, list):
        return "[" + ", ".join(_literal(v) for v in value) + "]"
    return repr(value)
