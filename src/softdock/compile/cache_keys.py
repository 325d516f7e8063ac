"""Names of compiled functions that every process gives the same: in a function and its argument
types, out the name of its file, which is also the name of its code for the linker.

A name is a hash of all that decides what the code is: sources, Numba, processor, function and
types. So code that one process cached and code that another has just compiled go together, and two
functions that differ never have one name. What cannot be named so (a closure over something that
has no name of its own, code of a module without `SOURCES_NAME`) is not cached.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterable
from typing import Any

from numba import types

from softdock.compile.sources import compute_own_hash
from softdock.compile.views import View

SOURCES_NAME = "__softdock_sources__"  # of a module with a user's methods: a hash of its sources
DIGITS = 32  # of a hash in a name


@functools.cache
def find_tuple_classes(kind: Any) -> frozenset[type]:
    """Every NamedTuple class within a Numba type."""
    found: set[type] = set()
    if isinstance(kind, types.BaseNamedTuple):
        found.add(kind.instance_class)
    if isinstance(kind, types.BaseTuple):
        found = found.union(*(find_tuple_classes(inner) for inner in set(kind.types)))
    if isinstance(kind, View):
        found = found.union(*(find_tuple_classes(inner) for inner in set(kind.inner_types())))
    return frozenset(found)


def find_classes(args: Iterable[Any]) -> frozenset[type]:
    """The same within several types."""
    return frozenset().union(*(find_tuple_classes(kind) for kind in args))


def _name_value(value: Any) -> str | None:
    """A constant of a closure by a name that another process gives it too; None: it has none."""
    function = getattr(value, "py_func", value)
    if isinstance(function, bool | int | float | str | type(None)):
        return repr(function)
    if isinstance(function, tuple):
        names = [_name_value(inner) for inner in function]
        return None if None in names else repr(names)
    if hasattr(function, "__module__") and hasattr(function, "__qualname__"):
        return None if function.__closure__ else _name_function(function)
    return None


def _name_function(function: Any) -> str | None:
    code = function.__code__
    cells = [_name_value(cell.cell_contents) for cell in function.__closure__ or ()]
    consts = [repr(c) for c in code.co_consts if not hasattr(c, "co_code")]
    if None in cells or any(" at 0x" in c for c in consts):
        return None
    own = (function.__module__, function.__qualname__, code.co_firstlineno, code.co_names)
    return repr((own, code.co_code, consts, cells))


def _list_foreign_hashes(modules: Iterable[str]) -> list[str] | None:
    """Hashes of the users' sources among modules; None: one has none."""
    outside = sorted({module for module in modules if module.partition(".")[0] != "softdock"})
    names = [getattr(sys.modules.get(module), SOURCES_NAME, None) for module in outside]
    return None if None in names else [str(name) for name in names]


def make_file_name(function: Any, args: Any, processor: Any, kind: str) -> str | None:
    """The file of code below the cache folder; None: it has no name that others give it too.
    `kind`: what of the function it holds."""
    classes = find_classes(args)
    modules = [function.__module__ or "", *(cls.__module__ for cls in classes)]
    foreign = _list_foreign_hashes(modules)
    named = _name_function(function)
    text = ", ".join(str(kind) for kind in args)
    if foreign is None or named is None or " at 0x" in text:
        return None
    names = sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in classes)
    key = repr((compute_own_hash(), kind, named, text, names, processor))
    digest = hashlib.sha256(key.encode()).hexdigest()[:DIGITS]
    below = f"users/{'-'.join(foreign)}/" if foreign else ""
    return f"{below}{function.__name__.strip('<>')}-{digest}.code"


def is_foreign(name: str) -> bool:
    """Whether a file's name is of code made from a user's sources."""
    return name.startswith("users/")


def read_digest(name: str) -> str:
    """The hash within a file's name."""
    return name.rpartition("-")[2].removesuffix(".code")
