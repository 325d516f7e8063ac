"""A method of the user's own, from a Python file. The file is imported: **its code runs**, with all
the rights of whoever started softdock.

The file calls `register(Method(...))`, or defines `METHOD` (one, or a list). What is wrong with it
is said before anything is run. Its text is remembered (method_sources.py), for the folders of what
is run with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from softdock._arguments import PATH, check_arguments
from softdock.compile.jit import SOURCES_NAME
from softdock.errors import BadInput, Problem
from softdock.loop.method.method import BY_TYPE
from softdock.methods.registry import METHODS, Method
from softdock.scenario.method_file_checks import WANTED, methods_of
from softdock.scenario.method_sources import FILES, OPTION, MethodFile, digest_of
from softdock.scenario.process_state import left_as_it_was

LARGEST = 10_000_000  # bytes of a file of methods
_LOADED: dict[str, list[str]] = {}  # module -> the names of its methods


@check_arguments(path=PATH)
def load_method_file(path: str | Path) -> list[str]:
    """Import the file, **which runs it**, and add its methods to the registry. Returns their names;
    raises `BadInput`."""
    file = Path(path)
    source = _read(file)
    stem = re.sub(r"[^0-9A-Za-z]", "_", file.stem)
    name = f"softdock_user_{stem}_{hashlib.sha256(source).hexdigest()[:8]}"
    if name in _LOADED and all(method in METHODS for method in _LOADED[name]):
        return _LOADED[name]
    before, before_types = dict(METHODS), dict(BY_TYPE)
    try:
        module, sources = _import(file, name)
        found = methods_of(module, before, before_types, file)
    except BaseException:  # leave no half of it behind
        _restore(before, before_types)
        sys.modules.pop(name, None)
        raise
    for method in found:
        _name_apart(type(method.marker), getattr(module, SOURCES_NAME))
    _LOADED[name] = [method.name for method in found]
    kept = MethodFile(str(path), tuple(_LOADED[name]), sources)
    FILES.update({method.name: kept for method in found})
    return _LOADED[name]


def load_method_sources(sources: Mapping[str, str]) -> list[str]:
    """The same from texts, for a worker of a campaign whose user named the file: the first is the
    file, the others stand beside it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        return load_method_file(Path(folder) / next(iter(sources)))


def _restore(methods: dict[str, Method], types: dict[type, Method]) -> None:
    METHODS.clear()
    METHODS.update(methods)
    BY_TYPE.clear()
    BY_TYPE.update(types)


def _read(file: Path) -> bytes:
    try:
        if file.exists() and not file.is_file():
            raise BadInput(Problem(OPTION, str(file), WANTED + "; this is no file"))
        with file.open("rb") as opened:
            source = opened.read(LARGEST + 1)
        source.decode()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise BadInput(Problem(OPTION, str(file), f"{WANTED} ({why})")) from None
    if len(source) > LARGEST:
        raise BadInput(Problem(OPTION, str(file), f"{WANTED}, of at most {LARGEST} bytes"))
    return source


def _import(file: Path, name: str) -> tuple[ModuleType, dict[str, str]]:
    """The module, and the texts of the file and of what it imported from its own folder."""
    spec = importlib.util.spec_from_file_location(
        name, file, loader=importlib.machinery.SourceFileLoader(name, str(file))
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    known = set(sys.modules)
    sys.modules[name] = module
    pressed: list[int] = []
    try:
        with (
            left_as_it_was(pressed),
            _beside(file),
            contextlib.redirect_stdout(sys.stderr),
        ):  # standard output belongs to the results
            spec.loader.exec_module(module)
    except BaseException as error:
        if pressed:  # Ctrl-C, and not the file's own
            raise
        raise BadInput(
            Problem(
                OPTION, _said(error), WANTED + "; this one does not import", _place(error, file)
            )
        ) from None
    sources = _sources(file, [sys.modules[m] for m in set(sys.modules) - known if m in sys.modules])
    setattr(module, SOURCES_NAME, digest_of(sources)[:16])
    return module, sources


@contextlib.contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Modules in the same folder can be imported, as from a script."""
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:  # the file may change it
            sys.path.remove(folder)


def _sources(file: Path, imported: list[ModuleType]) -> dict[str, str]:
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
    first = file.resolve()
    ordered = [first, *sorted(paths - {first})]
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in ordered}


def _name_apart(cls: type, sources: str) -> None:
    """A name that no other class has: compiled code is found by the class's name and fields, and an
    edited file must not run the code of the old one."""
    cls.__name__ = cls.__qualname__ = f"{cls.__name__}_{sources}"
    setattr(sys.modules[cls.__module__], cls.__name__, cls)  # where the disk cache looks for it


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
