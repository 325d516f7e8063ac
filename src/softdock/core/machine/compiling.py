"""Doors: compiled when first called with new argument types, once for all processes, and told to
whoever listens.

Compiling takes seconds, so it has a name: the door and the classes of its markers. `listeners` are
called at its begin, at its end, and when another process is waited for.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from numba.core import sigutils

from softdock.core.machine import code_files
from softdock.core.machine.cache import tuple_classes
from softdock.core.machine.numba_internals import PATCHED, CPUDispatcher

BEGINS, WAITS, ENDS = "begins", "waits", "ends"


class Compiling(NamedTuple):
    """A door that is being compiled."""

    door: str
    classes: frozenset[type]  # NamedTuple classes among its arguments: features and methods
    what: str  # BEGINS, WAITS or ENDS
    seconds: float  # since it began


listeners: list[Callable[[Compiling], None]] = []


def _tell(door: str, classes: frozenset[type], what: str, began: float) -> None:
    for listener in list(listeners):
        listener(Compiling(door, classes, what, time.perf_counter() - began))


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Numba makes millions of small objects that live as long as the compiling: looking through
    them for garbage takes a sixth of its time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Door(CPUDispatcher if PATCHED else object):  # type: ignore[misc]
    """A dispatcher that Python may call."""

    overloads: Any
    py_func: Any
    targetctx: Any
    _cache: Any

    def compile(self, signature: Any) -> Any:
        args, _ = sigutils.normalize_signature(signature)
        if tuple(args) in self.overloads:
            return super().compile(signature)
        path = self._cache.path(signature, self.targetctx)
        if path is not None and path.exists():
            return super().compile(signature)
        name = self.py_func.__name__
        classes = frozenset().union(*(tuple_classes(kind) for kind in args))
        began = time.perf_counter()
        alone = (
            contextlib.nullcontext()
            if path is None
            else code_files.alone_at(path, lambda: _tell(name, classes, WAITS, began))
        )
        with alone:
            if path is not None and path.exists():  # by another process, meanwhile
                return super().compile(signature)
            _tell(name, classes, BEGINS, began)
            with _no_garbage_collection():
                made = super().compile(signature)
            _tell(name, classes, ENDS, began)
            return made
