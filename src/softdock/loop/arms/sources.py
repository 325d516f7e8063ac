"""Where an arm comes from: a preset's name, a TOML file with a table of axes, or a URDF file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import Unreadable, read_bytes
from softdock.files.tables import Locate, nowhere
from softdock.files.toml_text import parse_toml
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.facility import Mount
from softdock.loop.arms.table import arm_from_table

LARGEST_FILE = 2_000_000  # bytes


def arm_names() -> list[str]:
    """The presets that ship with the package."""
    folder = files("softdock.loop.arms").joinpath("presets")
    return sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name != "README.md")


def preset_text(name: str) -> str:
    """The file of a preset, comments and all."""
    known = arm_names()
    if name not in known:
        allowed = f"one of {', '.join(known)}, or a .toml or .urdf file"
        raise BadInput(Problem("arm", name, allowed, suggestion=closest(name, known)))
    return (
        files("softdock.loop.arms").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    )


@cache
def _preset(name: str) -> Arm:
    """A preset, read once: nothing changes an arm in place."""
    return arm_from_table(_preset_tables(name))


def _preset_tables(name: str) -> dict[str, Any]:
    return tomllib.loads(preset_text(name))


def load_arm(
    source: str | Path, folder: Path | None = None, under: Mapping[str, Any] | None = None
) -> Arm:
    """An arm by the name of a preset or from a file; a relative file is looked for in `folder`.

    `under`: table of a rail or a turntable that it stands on.
    """
    name = str(source)
    if Path(name).suffix not in (".toml", ".urdf"):
        if Path(name).suffix == ".xacro":
            allowed = "a .urdf file: a .xacro is a program, expand it where you trust it"
            raise BadInput(Problem("arm", name, allowed))
        return _preset(name) if under is None else on_base_axis(_preset_tables(name), under)
    path = Path(name) if folder is None else folder / name
    data = _read(path)
    if path.suffix == ".urdf":
        from softdock.loop.arms.urdf import arm_from_urdf

        if under is not None:
            allowed = "nothing beside a .urdf file: a rail is its first joint, of type prismatic"
            raise BadInput(Problem("base_axis", "a table", allowed))
        return arm_from_urdf(data, path.name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(Problem("arm", path.name, f"TOML in UTF-8 ({error})", str(path))) from None
    tables, locate, _ = parse_toml(text, str(path))
    return on_base_axis(tables, under, locate)


def on_base_axis(
    tables: Mapping[str, Any], under: Mapping[str, Any] | None, locate: Locate = nowhere
) -> Arm:
    """An arm from its table, on a rail or a turntable that stands beside it, or none."""
    if under is None:
        return arm_from_table(tables, locate=locate)
    if "base_axis" in tables:
        raise BadInput(Problem("base_axis", "a table", "nothing: the arm has a base axis itself"))
    return arm_from_table({**tables, "base_axis": under}, locate=locate)


def arm_of(mount: Mount, folder: Path | None = None) -> Arm:
    """The arm that a mount names or spells out."""
    if isinstance(mount.arm, Mapping):
        return on_base_axis(mount.arm, mount.under)
    return load_arm(mount.arm, folder, mount.under)


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, LARGEST_FILE)
    except Unreadable as error:
        raise BadInput(Problem("arm", str(path), error.allowed)) from None
