"""Machine code kept on disk: doors ready to run, and parts as LLVM code for doors to link in.

Numba asks a cache for the code of a function and argument types, and hands it what it compiled.
Ours has one file for each, named by a hash of all that decides: sources, Numba, processor, function
and types. So there is no index to go stale or to be written by two at once.

A part is kept where it has many others in it (`FEWEST_FUNCTIONS`): the next list of methods then
compiles its own code, and links in the facility, the books and the contact as they are.

Code made from a user's own methods is kept apart, in a folder named by a hash of the user's
sources (`SOURCES_NAME` of their module); code of a module without that name (a notebook, a test) is
not kept at all.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from numba import types

from softdock.core.machine import code_files
from softdock.core.machine.cache_folder import own_hash, usable_folder
from softdock.core.machine.features import is_sparing
from softdock.core.machine.lowering import handle
from softdock.core.machine.numba_internals import CompileResult, dumps, parse_bitcode

SOURCES_NAME = "__softdock_sources__"  # of a module with a user's methods: a hash of its sources
FEWEST_FUNCTIONS = 6  # of a part that is kept: itself and what it calls


@functools.cache
def tuple_classes(kind: Any) -> frozenset[type]:
    """Every NamedTuple class within a Numba type."""
    found: set[type] = set()
    if isinstance(kind, types.BaseNamedTuple):
        found.add(kind.instance_class)
    if isinstance(kind, types.BaseTuple):
        found = found.union(*(tuple_classes(inner) for inner in set(kind.types)))
    return frozenset(found)


def _classes(args: Iterable[Any]) -> set[type]:
    return set().union(*(tuple_classes(kind) for kind in args))


def _value_named(value: Any) -> str | None:
    """A constant of a closure by a name that another process gives it too; None: it has none."""
    function = getattr(value, "py_func", value)
    if isinstance(function, bool | int | float | str | type(None)):
        return repr(function)
    if isinstance(function, tuple):
        names = [_value_named(inner) for inner in function]
        return None if None in names else repr(names)
    if hasattr(function, "__module__") and hasattr(function, "__qualname__"):
        return None if function.__closure__ else _function_named(function)
    return None


def _function_named(function: Any) -> str | None:
    code = function.__code__
    cells = [_value_named(cell.cell_contents) for cell in function.__closure__ or ()]
    consts = [repr(c) for c in code.co_consts if not hasattr(c, "co_code")]
    if None in cells or any(" at 0x" in c for c in consts):
        return None
    own = (function.__module__, function.__qualname__, code.co_firstlineno, code.co_names)
    return repr((own, code.co_code, consts, cells))


def _foreign(modules: Iterable[str]) -> list[str] | None:
    """Hashes of the users' sources among modules; None: one has none."""
    outside = sorted({module for module in modules if module.partition(".")[0] != "softdock"})
    names = [getattr(sys.modules.get(module), SOURCES_NAME, None) for module in outside]
    return None if None in names else [str(name) for name in names]


class KeptCode:
    """Numba's interface of a cache for one function. `_reduced` and `_rebuilt` say what of a
    compiled function is kept."""

    def __init__(self, function: Any):
        self.function = function

    # -- what Numba calls ------------------------------------------------------------------------

    def load_overload(self, signature: Any, context: Any) -> Any:
        path = self.path(signature, context)
        if path is None:
            return None
        context.refresh()
        kept = code_files.read(path)
        if kept is None:
            return None
        try:
            return self._rebuilt(context, kept)
        except Exception:  # whole, and yet not what Numba takes
            code_files.discard(path)
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        path = self.path(signature, made.target_context)
        if path is not None and self._is_worth_it(made):
            code_files.write(path, dumps(self._reduced(made)))

    @property
    def cache_path(self) -> str | None:
        folder = usable_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    # -- where, and what -------------------------------------------------------------------------

    def path(self, signature: Any, context: Any) -> Path | None:
        """The file for these argument types; None: they are not kept."""
        folder = usable_folder()
        args = getattr(signature, "args", signature)
        classes = _classes(args)
        modules = [self.function.__module__ or "", *(cls.__module__ for cls in classes)]
        foreign = _foreign(modules)
        named = _function_named(self.function)
        text = ", ".join(str(kind) for kind in args)
        if folder is None or foreign is None or named is None or " at 0x" in text:
            return None
        if foreign:
            folder = folder / "users" / "-".join(foreign)
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names = sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in classes)
        processor = context.codegen().magic_tuple()
        key = repr((own_hash(), self._kind(), named, text, names, processor))
        digest = hashlib.sha256(key.encode()).hexdigest()[:32]
        return folder / f"{self.function.__name__.strip('<>')}-{digest}.code"

    def _kind(self) -> str:
        return type(self).__name__

    def _is_worth_it(self, made: Any) -> bool:
        return not made.library.has_dynamic_globals

    def _reduced(self, made: Any) -> Any:
        return made._reduce()

    def _rebuilt(self, context: Any, kept: Any) -> Any:
        return CompileResult._rebuild(context, *kept)


_LINKS = [True]  # whether parts are taken from disk, by who asked last


@contextlib.contextmanager
def linking_kept_parts(wanted: bool) -> Iterator[None]:
    """Within it, parts are taken from disk, or all recompiled: a loop linked from kept parts
    compiles in half the time and runs 5 to 8 % slower
    (docs/decisions/29-compile-once.md)."""
    _LINKS.append(wanted)
    try:
        yield
    finally:
        _LINKS.pop()


class KeptDoor(KeptCode):
    """Machine code, ready to run. What was compiled sparingly is nobody's but the tests'."""

    def _kind(self) -> str:
        return f"{super()._kind()}{', sparing' if is_sparing() else ''}"


class KeptPart(KeptCode):
    """LLVM code, ready to be linked in; not where `linking_kept_parts` says no."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        return super().load_overload(signature, context) if _LINKS[-1] else None

    def _is_worth_it(self, made: Any) -> bool:
        made.library._ensure_finalized()  # links in what it calls
        functions = made.library._final_module.functions
        count = sum(not function.is_declaration for function in functions)
        return count >= FEWEST_FUNCTIONS and super()._is_worth_it(made)

    def _reduced(self, made: Any) -> Any:
        made.fndesc.typemap = made.fndesc.calltypes = None
        code = made.library._get_module_for_linking().as_bitcode()
        return made.library.name, code, made.fndesc, made.signature, made.reload_init

    def _rebuilt(self, context: Any, kept: Any) -> Any:
        name, code, fndesc, signature, reload_init = kept
        for again in reload_init:
            again()
        library = context.codegen().create_library(name)
        library._final_module = parse_bitcode(code)
        library._finalized = True
        return CompileResult(
            typing_context=context.typing_context,
            target_context=context,
            entry_point=handle(),
            typing_error=None,
            type_annotation="",
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=fndesc,
            library=library,
            call_helper=None,
            environment=None,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=(),
        )
