"""The decorators of the compiled core: `compiled`, `apart`, `seldom`, `door`, `by_type`.

Every function of the core is plain Python on numbers, tuples and NamedTuples, decorated with one of
them. The same function then serves the single run, the batch on CPU threads, the real-time loop and
(called from a CUDA kernel) the GPU. With `NUMBA_DISABLE_JIT=1` it is ordinary Python, which is how
the tests check that compiling changed nothing.

How parts are compiled is in lowering.py, how doors are in compiling.py, where code is kept in
cache.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.extending import overload

from softdock.core.machine.cache import KeptDoor
from softdock.core.machine.cache_folder import (
    CORE,
    cache_folder,
    core_sources,
    source_hash,
    usable_folder,
)
from softdock.core.machine.compiling import Door
from softdock.core.machine.door_optimising import seldom_runs
from softdock.core.machine.lowering import DoorCompiler, NotADoor, Part, PartCompiler
from softdock.core.machine.numba_internals import PATCHED, CPUDispatcher
from softdock.core.machine.part_names import SOURCES_NAME

__all__ = [
    "CHOSEN_OPTIONS",
    "CORE",
    "OPTIONS",
    "SOURCES_NAME",
    "NotADoor",
    "apart",
    "by_type",
    "cache_folder",
    "compiled",
    "core_sources",
    "door",
    "seldom",
    "source_hash",
]

# _nrt: no counting of references to arrays, which took more than half of a cycle; compiled code is
# handed its arrays and never makes any.
OPTIONS = {"forceinline": True, "error_model": "numpy", "nogil": True, "_nrt": False}
# of what is chosen by type: parts too
CHOSEN_OPTIONS = OPTIONS | ({"pipeline_class": PartCompiler} if PATCHED else {})


def compiled(function: Callable[..., Any], inline: bool = True) -> Any:
    """A part of the compiled core: inlined into whatever calls it, not callable from Python (see
    `door`)."""
    function = getattr(function, "py_func", function)
    options = OPTIONS | {"forceinline": inline}
    if not PATCHED:
        return numba.njit(**options)(function)
    part = numba.njit(pipeline_class=PartCompiler, **options)(function)
    if isinstance(part, CPUDispatcher):  # plain Python under NUMBA_DISABLE_JIT
        part.__class__ = Part
    return part


def apart(function: Callable[..., Any]) -> Any:
    """A part that is called rather than inlined: for what is long and seldom run, so that it is
    compiled once and not in every place."""
    return compiled(function, inline=False)


def seldom(function: Callable[..., Any]) -> Any:
    """A part that runs where something is out of the ordinary: as `apart`, and in the rig's loops
    kept out of the way of what runs in every cycle."""
    seldom_runs(function)
    return apart(function)


def door(function: Callable[..., Any]) -> Any:
    """A compiled function that Python may call, kept on disk. Given a part, makes a door of it."""
    function = getattr(function, "py_func", function)
    if not PATCHED:
        return _plain_door(function)
    made = numba.njit(pipeline_class=DoorCompiler, **OPTIONS)(function)
    if isinstance(made, CPUDispatcher):  # plain Python under NUMBA_DISABLE_JIT
        made.__class__ = Door
        made._cache = KeptDoor(function)
    return made


def _plain_door(function: Callable[..., Any]) -> Any:
    """A door with Numba's own cache, in our folder or not at all: beside the sources it would miss
    edits of the files that a function calls. The folder is a global of Numba's, set only here."""
    folder = usable_folder()
    if folder is None:
        return numba.njit(**OPTIONS)(function)
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, **OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before


def _itself(chosen: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """The chosen function's own code where it would be inlined and has the hook's arguments: one
    function less to compile than `call`, which calls it."""
    function = getattr(chosen, "py_func", None)
    if function is None or not chosen.targetoptions.get("forceinline"):
        return call
    same = (
        function.__code__.co_varnames[: function.__code__.co_argcount]
        == call.__code__.co_varnames[: call.__code__.co_argcount]
    )
    return function if same else call


def class_of(kind: Any) -> type:
    """The class of a Numba type that must be a NamedTuple: those are what hooks are chosen by."""
    if not isinstance(kind, types.BaseNamedTuple):
        raise numba.TypingError(f"prepare must return the method's own NamedTuple, not {kind}")
    found: type = kind.instance_class
    return found


def by_type(
    choose: Callable[[type], Callable[..., Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Dispatch on the type of the first argument, a NamedTuple: at compile time in compiled code,
    at run time in Python.

    `choose(cls)` returns the compiled function for a class. The decorated function's signature is
    that of the hook.
    """

    def decorate(hook: Callable[..., Any]) -> Callable[..., Any]:
        names = hook.__code__.co_varnames[: hook.__code__.co_argcount]
        listed = ", ".join(names)
        scope: dict[str, Any] = {"choose": choose, "itself": _itself, "class_of": class_of}
        exec(  # a plain function of the hook's own signature, as @overload demands
            f"def {hook.__name__}({listed}):\n    return choose(type({names[0]}))({listed})\n"
            f"def typed({listed}):\n"
            f"    chosen = choose(class_of({names[0]}))\n"
            f"    def call({listed}):\n        return chosen({listed})\n"
            f"    return itself(chosen, call)\n",
            scope,
        )
        python = functools.wraps(hook)(scope[hook.__name__])
        overload(python, jit_options=CHOSEN_OPTIONS)(scope["typed"])
        return python

    return decorate
