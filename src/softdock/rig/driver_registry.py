"""Drivers by name: those that ship with softdock, those of installed packages (entry points of the
group `softdock.rig_drivers`) and those of a file of the user's own.

A rig file names one: `driver = "kuka_rsi"`, `driver = "my_driver.py"`. **A driver file is Python
code that runs with all the rights of whoever starts softdock.** A rig file alone never runs it:
somebody who has looked at it names it once more, `--driver-file my_driver.py` or
`softdock.load_driver_file("my_driver.py")`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
import sys
import traceback
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from softdock._arguments import PATH, check_arguments
from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import LARGEST_FILE, Unreadable, read_text
from softdock.files.schema import list_keys
from softdock.rig.driver import Driver, RobotDriver, SensorDriver
from softdock.rig.drivers.kuka_rsi import KukaRsi
from softdock.rig.drivers.net_ft import NetFt
from softdock.rig.drivers.ur_rtde import UrRobot, UrWrench
from softdock.rig.schema import FIXED, RobotEnd, SensorEnd

GROUP, OPTION = "softdock.rig_drivers", "--driver-file"
WANTED = "a Python file with a class that derives from RobotDriver or SensorDriver"


class Fixed(RobotDriver):
    """No robot: the mock-up stands in the room."""

    compiled = True


Kind = type[RobotDriver] | type[SensorDriver]
OWN: dict[str, dict[str, Any]] = {
    "robots": {"kuka_rsi": KukaRsi, "ur_rtde": UrRobot, FIXED: Fixed},
    "sensors": {"ati_net_ft": NetFt, "ur_rtde": UrWrench},
}
BASES: dict[str, Any] = {"robots": RobotDriver, "sensors": SensorDriver}
NEEDED = {"robots": ("connect", "read", "write", "stop"), "sensors": ("connect", "read", "stop")}
_FILES: dict[Path, dict[str, Any]] = {}  # by table of the rig file


@check_arguments(path=PATH)
def load_driver_file(path: str | Path) -> list[str]:
    """Import the file, **which runs it**, so that rig files may name it. Returns the names of its
    classes; raises `BadInput`."""
    file = Path(path)
    try:
        source = read_text(file, LARGEST_FILE, "driver file")
    except Unreadable as error:
        raise BadInput(Problem(OPTION, str(path), f"{WANTED} ({error.allowed})")) from None
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    name = f"softdock_driver_{re.sub('[^0-9A-Za-z]', '_', file.stem)}_{digest}"
    module = sys.modules.get(name) or _import(file, name)
    found: dict[str, Any] = {}
    for table, base in BASES.items():
        mine = [
            cls
            for _, cls in inspect.getmembers(module, inspect.isclass)
            if issubclass(cls, base) and cls.__module__ == name
        ]
        if len(mine) > 1:
            given = ", ".join(cls.__name__ for cls in mine)
            raise BadInput(Problem(OPTION, given, f"one {base.__name__} a file", str(file)))
        if mine:
            found[table] = mine[0]
            _check_class(mine[0], table, str(file))
    if not found:
        raise BadInput(Problem(OPTION, str(path), f"{WANTED}; it has none"))
    _FILES[file.resolve()] = found
    return [cls.__name__ for cls in found.values()]


def _import(file: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        sys.modules.pop(name, None)
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename) == file
        ]
        where = f"{file}:{lines[-1]}" if lines else str(file)
        given = f"{type(error).__name__}: {error}"
        allowed = f"{WANTED}; this one does not import"
        raise BadInput(Problem(OPTION, given, allowed, where)) from None
    return module


def _check_class(cls: Any, table: str, file: str) -> None:
    """Whether a class has what the interface asks for."""
    base, wrong = BASES[table], []
    for name in NEEDED[table]:
        if getattr(cls, name) is getattr(base, name):
            wrong.append(Problem(f"{cls.__name__}.{name}", None, "a method", file))
    if cls.compiled:
        allowed = "False: the compiled loop reads no bytes of a driver in Python"
        wrong.append(Problem(f"{cls.__name__}.compiled", cls.compiled, allowed, file))
    keys = RobotEnd if table == "robots" else SensorEnd
    if not (inspect.isclass(cls.Keys) and issubclass(cls.Keys, keys)):
        given = getattr(cls.Keys, "__name__", cls.Keys)
        allowed = f"a frozen dataclass that derives from {keys.__name__}"
        wrong.append(Problem(f"{cls.__name__}.Keys", given, allowed, file))
    else:
        try:
            list_keys(cls.Keys)  # type: ignore[arg-type]
        except (KeyError, TypeError):
            allowed = (
                "fields made by number(), above(), whole(), text(), ... of softdock.rig.schema"
            )
            wrong.append(Problem(f"{cls.__name__}.Keys", cls.Keys.__name__, allowed, file))
    cycles = cls.cycles_ms
    if not cycles or any(c not in Driver.cycles_ms for c in cycles):
        allowed = f"whole milliseconds, {Driver.cycles_ms[0]} to {Driver.cycles_ms[-1]}"
        wrong.append(Problem(f"{cls.__name__}.cycles_ms", cycles, allowed, file))
    if wrong:
        raise BadInput(wrong)


def list_drivers(table: str) -> list[str]:
    """Names that need no file."""
    return [*OWN[table], *sorted(one.name for one in entry_points(group=GROUP))]


def find_file(name: str, folder: Path | None) -> Path | None:
    """The loaded driver file that a rig file names: by its place, else by its name alone (a
    recording keeps the rig file's text, and lies elsewhere)."""
    place = ((folder or Path()) / name).resolve()
    if place in _FILES:
        return place
    same = [path for path in _FILES if path.name == Path(name).name]
    return same[0] if len(same) == 1 else None


def find_driver(table: str, name: str, folder: Path | None, at: str, where: str) -> Kind:
    """The driver of a table ("robots", "sensors") of a rig file, or `BadInput`. `at`, `where`: the
    key and its line, for the refusal."""
    if name.endswith(".py"):
        return _find_in_file(table, name, folder, at, where)
    if name in OWN[table]:
        own: Kind = OWN[table][name]
        return own
    for one in entry_points(group=GROUP):
        if one.name == name:
            cls: Any = one.load()
            if inspect.isclass(cls) and issubclass(cls, BASES[table]):
                _check_class(cls, table, one.value)
                return cast("Kind", cls)
            allowed = f"a driver that derives from {BASES[table].__name__}; this is {one.value}"
            raise BadInput(Problem(at, name, allowed, where))
    known = list_drivers(table)
    allowed = f"one of {', '.join(known)}, or a driver file of yours (.py)"
    raise BadInput(Problem(at, name, allowed, where, suggestion=closest(name, known)))


def _find_in_file(table: str, name: str, folder: Path | None, at: str, where: str) -> Kind:
    path = find_file(name, folder)
    if path is None:
        place = (folder or Path()) / name
        allowed = (
            "a driver file that you have looked at and allow: it is Python code and runs with your "
            f"rights. {OPTION} {place} (softdock.load_driver_file)"
        )
        raise BadInput(Problem(at, name, allowed, where))
    if table not in _FILES[path]:
        allowed = f"a file with a class that derives from {BASES[table].__name__}"
        raise BadInput(Problem(at, name, allowed, where))
    found: Kind = _FILES[path][table]
    return found
