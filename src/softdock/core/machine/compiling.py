"""Doors: compiled when first called with new argument types, once for all processes, and told to
whoever listens.

Compiling takes seconds, so its begin, its end and a wait for another process are told, with the
names of the door and of the classes of its markers (compile_news.py).
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterable, Iterator
from typing import Any

from softdock.core.machine import code_files
from softdock.core.machine.compile_news import BEGINS, ENDS, WAITS, tell
from softdock.core.machine.door_optimising import closed, lightly, waiting
from softdock.core.machine.features import Markers, Plain, is_sparing
from softdock.core.machine.known_operators import remembering_operators
from softdock.core.machine.lean_numba import without_clocks
from softdock.core.machine.numba_internals import PATCHED, CPUDispatcher, normalize_signature
from softdock.core.machine.part_names import tuple_classes
from softdock.core.machine.short_code import writing_shortly

# doors in which runs, batches and a rig's cycles spend their time
LOOPS = frozenset(("run_cycles", "run_batch", "control_step"))
# a rig's program, with the loop of its methods within
RIG = frozenset(("run_queue", "serve", "hear_and_answer", "look"))
# doors that hand large structures from part to part, and nothing to other doors
CLOSED = LOOPS | {"serve", "run_queue", "serve_robot", "serve_sensor", "hear_and_answer"}

# doors that may compile while they run: loops of simulations, which no clock drives
WAITING = frozenset(("run_cycles", "run_batch"))


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


def _is_light(name: str, classes: Iterable[type]) -> bool:
    """Whether a door is optimised lightly: in the tests the loops, of which there is one for every
    list of methods, and a rig's program around them. Not plain loops, nor a rig that only holds
    its place, which are compiled as everybody's; of a plain loop a controller's cycle is, which is
    held against the fused loop to the bit (tests/parity/test_seam.py)."""
    if not is_sparing():
        return False
    found = set(classes)
    if name in RIG:
        return Markers in found
    return name == "control_step" or (name in (*LOOPS, "begin") and Plain not in found)


@contextlib.contextmanager
def as_doors_are(name: str, classes: Iterable[type]) -> Iterator[None]:
    """Within it, code is compiled as that of the door `name` with these classes of markers."""
    with (
        _no_garbage_collection(),
        remembering_operators(),
        writing_shortly(),
        without_clocks(),
        lightly(_is_light(name, classes)),
        closed(name in CLOSED),
        waiting(name in WAITING),
    ):
        yield


class Door(CPUDispatcher if PATCHED else object):  # type: ignore[misc]
    """A dispatcher that Python may call."""

    overloads: Any
    py_func: Any
    targetctx: Any
    _cache: Any

    def compile(self, signature: Any) -> Any:
        args, _ = normalize_signature(signature)
        if tuple(args) in self.overloads:
            return super().compile(signature)
        path = self._cache.path(signature, self.targetctx)
        if path is not None and code_files.is_there(path):
            return super().compile(signature)
        name = self.py_func.__name__
        classes = frozenset().union(*(tuple_classes(kind) for kind in args))
        began = time.perf_counter()
        alone = (
            contextlib.nullcontext()
            if path is None
            else code_files.alone_at(path, lambda: tell(name, classes, WAITS, began))
        )
        with alone:
            if path is not None and code_files.is_there(path):  # by another process, meanwhile
                return super().compile(signature)
            tell(name, classes, BEGINS, began)
            with as_doors_are(name, classes):
                made = super().compile(signature)
            tell(name, classes, ENDS, began)
            return made
