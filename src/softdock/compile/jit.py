"""The decorators of compiled functions: `compiled`, `noinline`, `cold`, `entry_point`, `by_type`.

Every function that is compiled is plain Python on numbers, tuples and NamedTuples under one of
them. The same function then serves the single run, the batch on CPU threads, the real-time loop and
(called from a CUDA kernel) the GPU. With `NUMBA_DISABLE_JIT=1` it is ordinary Python, which is how
the tests check that compiling changed nothing.

Entry points are compiled when they are first called with new argument types, once for all
processes. That takes seconds, so its begin, its end and a wait for another process are events, with
the names of the entry point and of the classes of its markers (compile_events.py).

How functions are compiled is in pipeline.py, where code is cached in function_cache.py.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numba
from numba import types
from numba.extending import overload

from softdock.compile import disk_cache
from softdock.compile.cache_keys import SOURCES_NAME, find_classes
from softdock.compile.compile_events import BEGINS, ENDS, WAITS, notify
from softdock.compile.disk_cache import find_usable_folder
from softdock.compile.features import Markers, Plain, is_sparing
from softdock.compile.function_cache import EntryPointCache
from softdock.compile.libraries import LinkSettings, mark_cold, use_link_settings
from softdock.compile.numba_internals import PATCHED, CPUDispatcher, normalize_signature
from softdock.compile.pipeline import (
    CompiledFunction,
    EntryPointCompiler,
    FunctionCompiler,
    NotAnEntryPoint,
    add_guard,
)

__all__ = [
    "INNER_OPTIONS",
    "OPTIONS",
    "SOURCES_NAME",
    "NotAnEntryPoint",
    "by_type",
    "cold",
    "compiled",
    "entry_point",
    "noinline",
]

# _nrt: no counting of references to arrays, which took more than half of a cycle; compiled code is
# handed its arrays and never makes any.
OPTIONS = {"forceinline": True, "error_model": "numpy", "nogil": True, "_nrt": False}
# of what Python does not call: compiled by us, or by Numba without wrappers, which take half of its
# time
INNER_OPTIONS: dict[str, Any] = OPTIONS | (
    {"pipeline_class": FunctionCompiler}
    if PATCHED
    else {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
)


def compiled(function: Callable[..., Any], inline: bool = True) -> Any:
    """A compiled function: inlined into whatever calls it, not callable from Python (see
    `entry_point`)."""
    function = getattr(function, "py_func", function)
    dispatcher = numba.njit(**INNER_OPTIONS | {"forceinline": inline})(function)
    if dispatcher is not function:  # it is under NUMBA_DISABLE_JIT
        dispatcher.__class__ = CompiledFunction if PATCHED else add_guard(dispatcher.__class__)
    return dispatcher


def noinline(function: Callable[..., Any]) -> Any:
    """A compiled function that is called and not inlined: for long code that rarely runs, so that
    it is compiled once and not in every place."""
    return compiled(function, inline=False)


def cold(function: Callable[..., Any]) -> Any:
    """A compiled function that runs where something is out of the ordinary: as `noinline`, and in
    the rig's loops placed away from what runs in every cycle."""
    mark_cold(function)
    return noinline(function)


def entry_point(function: Callable[..., Any]) -> Any:
    """A compiled function that Python may call, cached on disk. Given a function that is compiled
    already, makes an entry point of it."""
    function = getattr(function, "py_func", function)
    if not PATCHED:
        return _plain_entry_point(function)
    dispatcher = numba.njit(pipeline_class=EntryPointCompiler, **OPTIONS)(function)
    if dispatcher is not function:  # it is under NUMBA_DISABLE_JIT
        dispatcher.__class__ = EntryPoint
        dispatcher._cache = EntryPointCache(function)
    return dispatcher


def _plain_entry_point(function: Callable[..., Any]) -> Any:
    """An entry point with Numba's own cache, in our folder or not at all: next to the sources it
    would miss edits of the files that a function calls. The folder is a global of Numba's, restored
    here."""
    folder = find_usable_folder()
    if folder is None:
        dispatcher = numba.njit(**OPTIONS)(function)
    else:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            dispatcher = numba.njit(cache=True, **OPTIONS)(function)
        finally:
            numba.config.CACHE_DIR = before
    if dispatcher is not function:  # it is under NUMBA_DISABLE_JIT
        dispatcher.__class__ = _pausing_garbage_collection(dispatcher.__class__)
    return dispatcher


# -- functions chosen by type -------------------------------------------------------------------


def _pick_code(chosen: Any, call: Callable[..., Any]) -> Callable[..., Any]:
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


def find_tuple_class(kind: Any) -> type:
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
        scope: dict[str, Any] = {
            "choose": choose,
            "pick_code": _pick_code,
            "find_tuple_class": find_tuple_class,
        }
        exec(  # a plain function of the hook's own signature, as @overload demands
            f"def {hook.__name__}({listed}):\n    return choose(type({names[0]}))({listed})\n"
            f"def typed({listed}):\n"
            f"    chosen = choose(find_tuple_class({names[0]}))\n"
            f"    def call({listed}):\n        return chosen({listed})\n"
            f"    return pick_code(chosen, call)\n",
            scope,
        )
        python = functools.wraps(hook)(scope[hook.__name__])
        # not strict: an argument's annotation may differ from the hook's
        overload(python, jit_options=INNER_OPTIONS, strict=False)(scope["typed"])
        return python

    return decorate


# -- how entry points are compiled --------------------------------------------------------------

# entry points in which runs, batches and a rig's cycles spend their time
LOOPS = frozenset(("run_cycles", "run_batch", "control_step"))
# a rig's program, with the loop of its methods within
RIG = frozenset(("run_queue", "serve", "answer_datagram", "watch_links"))
# entry points that hand large structures from function to function, and nothing to other entry
# points
INTERNAL = LOOPS | {"serve", "run_queue", "serve_robot", "serve_sensor", "answer_datagram"}
# entry points that may compile while they run: loops of simulations, which no clock drives
KEEPS_STUBS = frozenset(("run_cycles", "run_batch"))


@contextlib.contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Numba makes millions of small objects that live as long as the compiling: looking through
    them for garbage takes a sixth of its time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@functools.cache
def _pausing_garbage_collection(dispatcher: type) -> type:
    """The class of Numba's dispatchers that compile so, where Numba is used as it is."""

    def compile(self: Any, signature: Any) -> Any:
        with _pause_garbage_collection():
            return dispatcher.compile(self, signature)  # type: ignore[attr-defined]

    return type(dispatcher.__name__, (dispatcher,), {"compile": compile})


def _is_light(name: str, classes: Iterable[type]) -> bool:
    """Whether an entry point is optimised lightly: in the tests the loops, of which there is one
    for every list of methods, and a rig's program around them. Not plain loops, nor a rig that only
    holds its place, which are compiled as everybody's; of a plain loop a controller's cycle is,
    which is held against the fused loop to the bit (tests/parity/test_seam.py)."""
    if not is_sparing():
        return False
    found = set(classes)
    if name in RIG:
        return Markers in found
    return name == "control_step" or (name in (*LOOPS, "begin") and Plain not in found)


@contextlib.contextmanager
def compile_as(name: str, classes: Iterable[type]) -> Iterator[None]:
    """Within it, code is compiled as that of the entry point `name` with these classes of
    markers."""
    settings = LinkSettings(
        lightly=_is_light(name, classes),
        internal=name in INTERNAL,
        keeps_stubs=name in KEEPS_STUBS,
    )
    with _pause_garbage_collection(), use_link_settings(settings):
        yield


class EntryPoint(CPUDispatcher if PATCHED else object):  # type: ignore[misc]
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
        if path is not None and disk_cache.exists(path):
            return super().compile(signature)
        name, classes = self.py_func.__name__, find_classes(args)
        began = time.perf_counter()
        lock = (
            contextlib.nullcontext()
            if path is None
            else disk_cache.lock_file(path, lambda: notify(name, classes, WAITS, began))
        )
        with lock:
            if path is not None and disk_cache.exists(path):  # by another process, meanwhile
                return super().compile(signature)
            notify(name, classes, BEGINS, began)
            with compile_as(name, classes):
                result = super().compile(signature)
            notify(name, classes, ENDS, began)
            return result
