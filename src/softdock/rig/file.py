"""The rig file: who is where on the wire and in the room, and what stops a run. Strict TOML in.

`load_rig(file or preset)` gives a `Rig`, or `BadInput` with every problem at once: file and line,
key, value, what is allowed. Keys are in schema.py; `[facility]` is the table that scenarios
have, and the rig's wins where both state it (scenario.py). Refused before anything moves: two
robots on one port, an Ethernet file of another port or HOLDON, a context with other limits, an
address beyond loopback that is not stated as `bind`, relative corrections (checks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from softdock._arguments import CHANGES, PATH
from softdock._arguments import check_arguments as checked_call
from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import LARGEST_FILE, Unreadable, read_text
from softdock.files.schema import file_key, list_keys, version_key
from softdock.files.tables import Locate, Reader, nowhere
from softdock.files.toml_text import parse_toml, too_deep
from softdock.loop.arms.facility import read_facility
from softdock.rig import schema as schema
from softdock.rig.checks import check_rig_file
from softdock.rig.driver import Driver
from softdock.rig.driver_registry import BASES, find_driver
from softdock.rig.drivers.rsi_config import MODES
from softdock.rig.model import ENDS, PARTS, ROBOTS, SCHEMA, Rig
from softdock.scenario.files import parse_changes
from softdock.scenario.keys import set_key

__all__ = ["Rig", "load_rig", "read_rig", "rig_presets", "rig_text"]
PORTS = {"chaser": 59152, "target": 59153}  # by default
T = TypeVar("T")


def rig_presets() -> list[str]:
    """The rigs that ship with the package."""
    folder = files("softdock.rig").joinpath("rigs")
    return sorted(p.name.removesuffix(".toml") for p in folder.iterdir())


def rig_text(source: str | Path) -> tuple[str, str, Path | None]:
    """Text, name in messages, and folder of a rig file or a preset."""
    path = Path(source)
    if path.suffix == ".toml" or "/" in str(source) or path.is_file():
        try:
            return read_text(path, LARGEST_FILE, "rig file"), str(source), path.parent
        except Unreadable as error:
            hint = f", or a preset: {', '.join(rig_presets())}" if not path.exists() else ""
            where = f"{source}:{error.line}"
            raise BadInput(Problem("rig", error.given, error.allowed + hint, where)) from None
    known = rig_presets()
    if str(source) not in known:
        allowed = "a rig file (.toml), or a preset: " + ", ".join(known)
        raise BadInput(
            Problem("rig", str(source), allowed, "", suggestion=closest(str(source), known))
        )
    preset = files("softdock.rig").joinpath("rigs", f"{source}.toml")
    return preset.read_text(encoding="utf-8"), f"{source}.toml", None


@checked_call(source=PATH, changes=CHANGES)
def load_rig(source: str | Path, changes: Iterable[str] | Mapping[str, Any] = ()) -> Rig:
    """A rig from a file or a preset's name. `changes`: as of `load_scenario`."""
    text, name, folder = rig_text(source)
    tables, locate, _ = parse_toml(text, name)
    changed = parse_changes(changes)
    for key, value in changed.items():
        set_key(tables, key, value)
    said = "changes" if isinstance(changes, Mapping) else "--set"

    def locate_change(path: str) -> str:
        by_change = any(f"{path}.".startswith(f"{key}.") for key in changed)
        return said if by_change else locate(path)

    try:
        return read_rig(tables, name, folder, locate_change)
    except RecursionError:
        raise too_deep(name) from None


def read_rig(
    tables: Any, file: str = "rig", folder: Path | None = None, locate: Locate = nowhere
) -> Rig:
    """A rig from plain tables; Ethernet files are looked for in `folder`."""
    problems: list[Problem] = []
    top = Reader(tables, "", problems, locate)
    own = top.read(
        (
            version_key(SCHEMA),
            file_key("name", "short name", Path(file).stem, kind="text", high=80),
            file_key("note", "of the operator", "", kind="text", high=schema.LONGEST_TEXT),
        )
    )
    parts: dict[str, Any] = {key: top.inner(key).read_dataclass(cls) for key, cls in PARTS.items()}
    drivers: dict[str, type[Driver]] = {}
    ends: dict[str, Any] = {key: _each(top, key, cls, drivers, folder) for key, cls in ENDS.items()}
    _settle_clock(parts, top, problems)
    parts["emulate"] = top.inner("emulate").read_dataclass(schema.Emulate) if _has(top) else None
    facility = _facility(top, problems)
    top.done()
    if problems:
        raise BadInput(problems)
    rig = Rig(
        name=own["name"],
        note=own["note"],
        file=file,
        facility=facility,
        folder=folder,
        drivers=drivers,
        **parts,
        **ends,
    )
    return check_rig_file(rig, folder, locate)


def _settle_clock(parts: dict[str, Any], top: Reader, problems: list[Problem]) -> None:
    """Cycle and mode are one thing by two names; both may be stated where they agree."""
    stated, settled = parts["clock"], parts["clock"].with_both()
    own = MODES.get(settled.cycle_ms)
    if stated.mode is not None and stated.mode != own:
        allowed = f"{own or 'nothing'}, as cycle_ms = {settled.cycle_ms} has it"
        problems.append(Problem("clock.mode", stated.mode, allowed, top.locate("clock.mode")))
    parts["clock"] = settled


def _has(top: Reader) -> bool:
    top.asked.append("emulate")
    return top.has("emulate")


def _each(
    top: Reader,
    key: str,
    cls: type[T],
    drivers: dict[str, type[Driver]],
    folder: Path | None,
) -> dict[str, T]:
    """One table per robot; of a robot or a sensor with the keys that its driver has."""
    group = top.inner(key)
    made: dict[str, T] = {}
    for which in ROBOTS:
        if not group.has(which):
            continue
        table, keys, instead = group.inner(which), cls, {}
        if key in BASES:
            found = _find_driver(table, key, which, cls, folder)
            if found is None:
                continue  # whose keys these are nobody knows
            drivers[f"{key}.{which}"], keys = found, found.Keys
            instead = {"port": PORTS[which]} if key == "robots" else {}
        made[which] = table.read_dataclass(keys, instead)
    group.asked += ROBOTS
    group.done()
    return made


def _find_driver(table: Reader, key: str, which: str, cls: Any, folder: Path | None) -> Any:
    declared = next(one for one in list_keys(cls) if one.key == "driver")
    name = table.value(declared)
    try:
        return find_driver(
            key, str(name), folder, table.at("driver"), table.locate(table.at("driver"))
        )
    except BadInput as error:
        table.problems += error.problems
        return None


def _facility(top: Reader, problems: list[Problem]) -> Mapping[str, Any] | None:
    """The table, if it can be read: a robot's arm may be left to the scenario."""
    table = top.take("facility")
    if table is None:
        return None
    try:
        read_facility(table, top.locate, arm_needed=False)
    except BadInput as error:
        problems += error.problems
        return None
    made: Mapping[str, Any] = table
    return made
