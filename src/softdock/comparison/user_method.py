"""A method of the user's own, from a Python file. The file is imported: **its code runs**, with all
the rights of whoever started softdock.

The file calls `register(Method(...))`, or defines `METHOD` (one, or a list). What is wrong with it
is said before anything is compared.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from numba.core.registry import CPUDispatcher

from softdock.core.adaptation.method import BY_TYPE
from softdock.core.adaptation.registry import KINDS, METHODS, Method, register
from softdock.core.machine.compiled import SOURCES_NAME
from softdock.errors import BadInput, Problem

OPTION = "--method-file"
HOOKS = ("prepare", "wrench", "correct", "set_point", "external")
WANTED = (
    "a Python file that calls register(Method(...)) or defines METHOD; see docs/your_own_method.md"
)
MARKER = "an instance of the method's NamedTuple, with a field 'memory'"
_LOADED: dict[str, list[str]] = {}  # module -> the names of its methods


def load_method_file(path: str | Path) -> list[str]:
    """Import the file, **which runs it**, and add its methods to the registry. Returns their names;
    raises `BadInput`."""
    file = Path(path)
    source = _read(file)
    plain = re.sub(r"[^0-9A-Za-z]", "_", file.stem)
    name = f"softdock_user_{plain}_{hashlib.sha256(source).hexdigest()[:8]}"
    if name in _LOADED and all(method in METHODS for method in _LOADED[name]):
        return _LOADED[name]
    before, before_types = dict(METHODS), dict(BY_TYPE)
    try:
        module = _import(file, name)
        found = _methods_of(module, before, file)
    except BaseException:  # leave no half of it behind
        METHODS.clear()
        METHODS.update(before)
        BY_TYPE.clear()
        BY_TYPE.update(before_types)
        sys.modules.pop(name, None)
        raise
    for method in found:
        _name_apart(type(method.marker), getattr(module, SOURCES_NAME))
    _LOADED[name] = [method.name for method in found]
    return _LOADED[name]


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInput(Problem(OPTION, str(file), f"{WANTED} ({error.strerror})")) from None


def _import(file: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        name, file, loader=importlib.machinery.SourceFileLoader(name, str(file))
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    known = set(sys.modules)
    sys.modules[name] = module
    try:
        with (
            _beside(file),
            contextlib.redirect_stdout(sys.stderr),
        ):  # standard output belongs to the results
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(
            Problem(
                OPTION, _said(error), WANTED + "; this one does not import", _place(error, file)
            )
        ) from None
    setattr(
        module,
        SOURCES_NAME,
        _hash(file, [sys.modules[m] for m in set(sys.modules) - known if m in sys.modules]),
    )
    return module


@contextlib.contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Modules in the same folder can be imported, as from a script."""
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _hash(file: Path, imported: list[ModuleType]) -> str:
    """Of the file and of what it imported from its own folder: machine code of older sources is
    never used again."""
    folder = file.resolve().parent
    paths = {file.resolve()}
    for module in imported:
        origin = getattr(module, "__file__", None)
        if (
            origin
            and Path(origin).suffix == ".py"
            and Path(origin).resolve().is_relative_to(folder)
            and "site-packages" not in origin
        ):
            paths.add(Path(origin).resolve())
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _name_apart(cls: type, sources: str) -> None:
    """A name that no other class has: compiled code is found by the class's name and fields, and an
    edited file must not run the code of the old one."""
    cls.__name__ = cls.__qualname__ = f"{cls.__name__}_{sources}"
    setattr(sys.modules[cls.__module__], cls.__name__, cls)  # where the disk cache looks for it


def _methods_of(module: ModuleType, before: dict[str, Method], file: Path) -> list[Method]:
    defined = getattr(module, "METHOD", [])
    for method in (
        defined
        if isinstance(defined, list | tuple) and not hasattr(defined, "_fields")
        else [defined]
    ):
        if not isinstance(method, Method):
            raise BadInput(
                Problem(
                    f"{file}: METHOD",
                    method,
                    "a softdock.core.adaptation.registry.Method, or a list of them",
                )
            )
        if (
            METHODS.get(method.name) is before.get(method.name)
            or METHODS.get(method.name) is not method
        ):
            _refuse_taken(method, before, file)
            _register(method, file)
    found = [method for name, method in METHODS.items() if before.get(name) is not method]
    if not found:
        raise BadInput(Problem(OPTION, str(file), WANTED + "; this one imports, and has no method"))
    problems = [problem for method in found for problem in _problems(method, before, file)]
    if problems:
        raise BadInput(problems)
    return found


def _refuse_taken(method: Method, before: dict[str, Method], file: Path) -> None:
    if method.name in before:
        raise BadInput(
            Problem(
                f"{file}: name",
                method.name,
                "a name that no other method has; taken: " + ", ".join(before),
            )
        )


def _register(method: Method, file: Path) -> None:
    if not _is_marker(method.marker):
        raise BadInput(Problem(f"{file}: {method.name}.marker", method.marker, MARKER))
    try:
        register(method)
    except ValueError as error:  # another method's NamedTuple, or one that looks like it
        allowed = f"a NamedTuple class of its own: its name and fields choose the code ({error})"
        raise BadInput(
            Problem(f"{file}: {method.name}.marker", type(method.marker).__name__, allowed)
        ) from None


def _is_marker(marker: Any) -> bool:
    return isinstance(marker, tuple) and "memory" in getattr(marker, "_fields", ())


def _problems(method: Method, before: dict[str, Method], file: Path) -> list[Problem]:
    """Everything wrong with an entry that can be seen without compiling it."""
    found: list[Problem] = []

    def refuse(field: str, value: Any, allowed: str) -> None:
        found.append(Problem(f"{file}: {method.name}.{field}", value, allowed))

    if method.name in before:
        refuse("name", method.name, "a name that no other method has; taken: " + ", ".join(before))
    if not re.fullmatch(r"[A-Za-z]\w*", method.name) or method.name == "all":
        refuse("name", method.name, "letters, digits and _, and not 'all'")
    if not _is_marker(method.marker):
        refuse("marker", method.marker, MARKER)
    keys = [p.key for p in method.group]
    for belief in method.needs:
        if belief.kind not in KINDS or belief.key not in keys:
            refuse(
                "needs",
                tuple(belief),
                f"Belief(kind, key): kind one of {', '.join(KINDS)}; key one of "
                f"{', '.join(keys) or 'its parameters (it has none)'}",
            )
    if not numba.config.DISABLE_JIT:
        for hook in HOOKS:
            if not isinstance(getattr(method, hook), CPUDispatcher):
                refuse(
                    hook,
                    getattr(method, hook),
                    "a function under @compiled (from softdock.core.machine.compiled)",
                )
    return found


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _place(error: BaseException, file: Path) -> str:
    """file:line in the user's own file."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{file}:{error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name == file.name
    ]
    return f"{file}:{lines[-1]}" if lines else str(file)


TELLING = re.compile(
    r"Unknown attribute|Untyped global|not supported|Cannot unify|[Nn]o "
    r"matching|NameError|No implementation|Invalid use|cannot determine"
)


def why_not_compiled(error: Exception) -> str:
    """Numba's message, cut to what a person can use: what is wrong, and where in the user's
    file."""
    lines = [
        line.strip()
        for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
        if line.strip()
    ]
    telling = [i for i, line in enumerate(lines) if TELLING.search(line)]
    at = telling[-1] if telling else 0
    where = ""
    for line in lines[at:]:
        place = re.match(r'File "([^"<]+)", line (\d+)', line)
        if place:
            where = f" ({Path(place[1]).name}:{place[2]})"
            break
    return f"it does not compile: {lines[at] if lines else type(error).__name__}{where}"
