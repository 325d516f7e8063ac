"""The one decorator of the compiled core, and where its machine code is kept.

Every function of the core is plain Python on numbers, tuples and NamedTuples, decorated with
`compiled`. The same function then serves the single run, the batch on CPU threads, the real-time
loop and (called from a CUDA kernel) the GPU. With `NUMBA_DISABLE_JIT=1` it is ordinary Python,
which is how the tests check that compiling changed nothing.

Numba's disk cache notices edits of the file a function stands in, but not of the files it calls,
and would return stale numbers. So our cache folder is named by a hash of the core's sources and of
Numba's version: any edit of them starts a new folder.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.extending import overload

# _nrt: no counting of references to arrays, which took more than half of a cycle; compiled code is
# handed its arrays and never makes any.
OPTIONS = {"forceinline": True, "error_model": "numpy", "nogil": True, "_nrt": False}
SOURCES_NAME = "__softdock_sources__"  # of a module with a user's methods: a hash of its sources
CORE = Path(__file__).parents[1]
KEEP_CACHES_S = 30 * 24 * 3600.0  # s; folders of older sources are removed when a new one is made


def core_sources() -> list[Path]:
    """The source files that compiled code comes from: the folder `core`."""
    return sorted(CORE.rglob("*.py"))


def source_hash(numba_version: str = numba.__version__) -> str:
    """A hash of the core's source files and of Numba's version."""
    digest = hashlib.sha256(numba_version.encode())
    for path in core_sources():
        digest.update(str(path.relative_to(CORE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """The folder of this version's machine code: `SOFTDOCK_CACHE_DIR`, or the user's cache
    folder."""
    base = os.environ.get("SOFTDOCK_CACHE_DIR")
    if base is None:
        base = os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "softdock"
        )
    folder = Path(base) / source_hash()
    try:
        if not folder.exists():
            _remove_old(Path(base))
            folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass  # Numba then falls back to a folder it can write, or compiles in memory
    return folder


def _remove_old(base: Path) -> None:
    if not base.is_dir():
        return
    for old in base.iterdir():
        is_ours = len(old.name) == 16 and all(c in "0123456789abcdef" for c in old.name)
        if is_ours and old.is_dir() and time.time() - old.stat().st_mtime > KEEP_CACHES_S:
            shutil.rmtree(old, ignore_errors=True)


def _tuple_classes(kinds: Iterable[Any]) -> set[type]:
    """Every NamedTuple class within some Numba types."""
    found: set[type] = set()
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            found.add(kind.instance_class)
        if isinstance(kind, types.BaseTuple):
            found |= _tuple_classes(set(kind.types))
    return found


class _DoorCache(FunctionCache):
    """Numba's disk cache, with code made from a user's own methods kept apart.

    A process without the user's file could not read an index that names its types, and an edit of
    the file must start afresh. So such code goes into a folder named by `SOURCES_NAME` of the
    user's module, a hash of its sources; types of a module without that name are not kept at all.
    """

    _cache_file: Any  # Numba's, untyped

    def _of(self, signature: Any) -> IndexDataCacheFile | None:
        args = getattr(signature, "args", signature)
        foreign = {
            cls.__module__
            for cls in _tuple_classes(args)
            if cls.__module__.partition(".")[0] != "softdock"
        }
        names = [getattr(sys.modules.get(module), SOURCES_NAME, None) for module in sorted(foreign)]
        if not names:
            return self._cache_file
        if None in names:
            return None
        folder = os.path.join(self._cache_path, "users", "-".join(str(name) for name in names))
        os.makedirs(folder, exist_ok=True)
        return IndexDataCacheFile(
            folder, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        return self._with(
            self._of(sig), lambda: FunctionCache._load_overload(self, sig, target_context)
        )

    def _save_overload(self, sig: Any, data: Any) -> Any:
        return self._with(self._of(sig), lambda: FunctionCache._save_overload(self, sig, data))

    def _with(self, file: IndexDataCacheFile | None, do: Callable[[], Any]) -> Any:
        if file is None:
            return None
        own, self._cache_file = self._cache_file, file
        try:
            return do()
        finally:
            self._cache_file = own


class NotADoor(TypeError):
    """A part of the core was called from Python; only doors can be."""


def _keep_as_ir(library: Any) -> None:
    """A part is only ever linked into others: no optimisation and no machine code of its own, both
    are made once, in the door."""

    def finalize() -> None:
        library._finalize_dynamic_globals()
        library._finalized = True

    library._optimize_final_module = lambda: None
    library._finalize_final_module = finalize


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerForInlining(NativeLowering):
    """Numba's lowering without the wrappers for Python and C: they cost half the compile time, and
    nobody calls a part from outside."""

    _name = "softdock_lower_for_inlining"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = state.flags.no_compile = (
            True
        )
        super().run_pass(state)
        _keep_as_ir(state.library)
        lowered = state["cr"]
        # never called: Numba wants a unique built-in to know this specialisation by
        handle: Any = [].append
        state.targetctx.insert_user_function(handle, lowered.fndesc, [state.library])
        state["cr"] = _LowerResult(
            lowered.fndesc, lowered.call_helper, cfunc=handle, env=lowered.env
        )
        return True


class _Part(CPUDispatcher):
    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One specialisation whatever the values of literal arguments: `load3(array, 3)` and
        `load3(array, 6)` are the same code."""
        return super().get_call_template(
            [types.unliteral(a) for a in args], {k: types.unliteral(a) for k, a in kws.items()}
        )

    def __call__(self, *args: object, **keywords: object) -> None:
        name = self.py_func.__name__
        raise NotADoor(
            f"'{name}' is a part of the compiled core; call it from compiled code, or make a "
            f"door of it: softdock.core.machine.compiled.door({name})"
        )


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (_LowerForInlining if p is NativeLowering else p, why) for p, why in manager.passes
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


def compiled(function: Callable[..., Any], inline: bool = True) -> Any:
    """A part of the compiled core: inlined into whatever calls it, not callable from Python (see
    `door`)."""
    function = getattr(function, "py_func", function)
    part = numba.njit(pipeline_class=_PartCompiler, **(OPTIONS | {"forceinline": inline}))(function)
    if isinstance(part, CPUDispatcher):  # plain Python under NUMBA_DISABLE_JIT
        part.__class__ = _Part
    return part


def apart(function: Callable[..., Any]) -> Any:
    """A part that is called rather than inlined: for what is long and seldom run, so that it is
    compiled once and not in every place."""
    return compiled(function, inline=False)


def door(function: Callable[..., Any]) -> Any:
    """A compiled function that Python may call, kept on disk. Given a part, makes a door of it.

    The cache folder is set only while the function is decorated: it is a global of Numba's.
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        made = numba.njit(cache=True, **OPTIONS)(getattr(function, "py_func", function))
        if isinstance(made, CPUDispatcher):  # plain Python under NUMBA_DISABLE_JIT
            made._cache = _DoorCache(made.py_func)
        return made
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
        overload(python, jit_options=OPTIONS)(scope["typed"])
        return python

    return decorate
